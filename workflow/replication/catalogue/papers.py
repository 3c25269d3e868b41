"""
The papers of the study, found in `replication.papers`: the module ``paper`` of each package there.

Light, since the rules read it too; what a paper names, such as its judges, is imported when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

from replication import papers
from replication.platform.declarations import Paper


def _import_papers() -> dict[str, Paper]:
    names = [package.name for package in iter_modules(papers.__path__)]
    declared = {name: import_module(f"{papers.__name__}.{name}.paper").PAPER for name in names}
    return dict(sorted(declared.items(), key=lambda item: item[1].position))


PAPERS: dict[str, Paper] = _import_papers()


def declared_by(module: str, name: str) -> dict[str, Any]:
    """The entries of one name in modules of the papers, such as JUDGES in ``judges``; two of one key are refused."""
    entries: dict[str, Any] = {}
    for place in modules_of(module):
        own = getattr(import_module(place), name)
        twice = sorted(set(entries) & set(own))
        if twice:
            raise ValueError(f"{place}.{name}: {', '.join(twice)} is declared by another paper too; rename it here.")
        entries |= own
    return entries


def modules_of(module: str) -> list[str]:
    """The modules of one name in the papers that have one, dotted names."""
    return [place for name in PAPERS if find_spec(place := f"{papers.__name__}.{name}.{module}")]


def declarations() -> list[str]:
    """Modules with the declarations themselves."""
    return [f"{papers.__name__}.{name}.paper" for name in PAPERS]
