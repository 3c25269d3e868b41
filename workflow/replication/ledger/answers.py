"""
What each paper asks and what came out: ``ANSWER`` in the module ``answer`` of a paper, where it has one.

No job that computes numbers imports it, so that a new sentence reruns none.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from replication.ledger.papers import PAPERS
from replication.platform.declarations import Answer

_MODULES = {paper: f"replication.papers.{paper}.answer" for paper in PAPERS}
_FOUND = {paper: module for paper, module in _MODULES.items() if find_spec(module)}

ANSWERS: dict[str, Answer] = {paper: import_module(module).ANSWER for paper, module in _FOUND.items()}


def modules() -> list[str]:
    """Modules of the answers, as `code_behind` takes them."""
    return list(_FOUND.values())
