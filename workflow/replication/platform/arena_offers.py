"""
What a paper offers to the arena, ``DATA`` and, if any, ``RUNS`` in the module ``arena`` of its package.

The functions that it names ask by the names of their parameters for what they need: ``name`` and all else that
`ArenaData.sets` says of a set, the files and the settings, ``kind``, ``sizes``, ``seed``, ``progress`` and, for runs on
data that were loaded, ``data``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from replication.platform.declarations import no_settings
from replication.platform.steps import Files, Seconds
from replication.platform.study import Study


@dataclass(frozen=True)
class ArenaRuns:
    """A kind of runs."""

    # "module.function" of the package of the paper; it returns pools of shape (repetitions, n_embeddings, n, p), or of
    # data without `load` the Data and the pools.
    make: str
    settings: Callable[[Study], Mapping[str, Any]] = no_settings
    elsewhere: bool = False  # Whether by default they are also made of the data of other papers.
    takes: Seconds | None = None  # The job of a set.


@dataclass(frozen=True)
class ArenaData:
    """A kind of data."""

    sets: Callable[[Study], Mapping[str, Mapping[str, Any]]]  # Set -> what its job has to know of it.
    reads: Callable[[Study, str], Files] = lambda study, name: {}  # Of a set, by its name.
    settings: Callable[[Study], Mapping[str, Any]] = no_settings
    # "module.function" of the package of the paper; it returns Data. Empty: it has its own kinds of runs alone.
    load: str = ""
    runs: Mapping[str, ArenaRuns] = field(default_factory=dict)  # Kinds of runs for these data alone.
    # Lines about settings of the arena that do not fit the sections that these data come from.
    check: Callable[[Mapping[str, Any]], Iterable[str]] = no_settings
