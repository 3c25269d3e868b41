"""
The papers of the study, found in `replication.papers`: the module ``paper`` of each package there.

Light, since the rules read it too; what a paper names, such as its judges, is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from replication import papers
from replication.platform.declarations import Paper


def _found() -> dict[str, Paper]:
    names = [one.name for one in iter_modules(papers.__path__)]
    declared = {name: import_module(f"{papers.__name__}.{name}.paper").PAPER for name in names}
    return dict(sorted(declared.items(), key=lambda item: item[1].position))


PAPERS: dict[str, Paper] = _found()


def judges() -> dict[str, Callable[..., Any]]:
    """Kind of claim -> its judge, of all papers that have kinds of their own."""
    found: dict[str, Callable[..., Any]] = {}
    for module in judge_modules():
        own = import_module(module).JUDGES
        twice = sorted(set(found) & set(own))
        if twice:
            raise ValueError(f"{module}.JUDGES: {', '.join(twice)} is judged by another paper too; rename it here.")
        found |= own
    return found


def judge_modules() -> list[str]:
    """The modules ``judges`` of papers, dotted names."""
    return [module for name in PAPERS if find_spec(module := f"{papers.__name__}.{name}.judges")]


def own_seconds() -> list[Callable[..., float | None]]:
    """The functions of the papers that say how long a job on the user's own data takes."""
    names = [(name, *paper.own_seconds.split(".")) for name, paper in PAPERS.items() if paper.own_seconds]
    return [getattr(import_module(f"{papers.__name__}.{name}.{module}"), one) for name, module, one in names]


def declarations() -> list[str]:
    """Modules with the declarations themselves."""
    return [f"{papers.__name__}.{name}.paper" for name in PAPERS]
