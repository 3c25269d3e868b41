"""The inputs of the arena: a kind of runs on a set of data, from what the papers offer. Light: the rules read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from replication.catalogue.papers import modules_of
from replication.platform.arena_offers import ArenaData, ArenaRuns
from replication.platform.steps import Files
from replication.platform.study import Study


@dataclass(frozen=True)
class ArenaInput:
    """A kind of runs on a set of data."""

    kind: str
    name: str  # Of the set.
    about: dict[str, Any]  # What is known of the set.
    data: ArenaData
    runs: ArenaRuns
    load: str  # As "package.module.function"; empty if the runs come with their data.
    make: str

    def files(self, study: Study) -> Files:
        """What a job reads."""
        return self.data.reads(study, self.name)

    def settings(self, study: Study) -> dict[str, Any]:
        """What a job reads of the configuration."""
        return {
            "functions": {"load": self.load, "make": self.make},
            "given": {**self.about, **self.data.settings(study), **self.runs.settings(study)},
            "sizes": study.only("consensus_arena", "repetitions", "n_embeddings"),
            "n_neighbors": study["consensus_arena"]["n_neighbors"],
        }

    @property
    def modules(self) -> list[str]:
        """Modules of its functions."""
        return [function.rpartition(".")[0] for function in (self.load, self.make) if function]


def inputs_of(study: Study) -> dict[tuple[str, str], ArenaInput]:
    """Kind of runs and set -> input, of those that the configuration asks for and a paper offers."""
    offered = (
        _input(kind, data, study) for kind, words in study["consensus_arena"]["inputs"].items() for data in words
    )
    return {(offer.kind, offer.name): offer for offers in offered for offer in offers}


def offered_inputs(*, by_default: bool = False) -> dict[str, list[str]]:
    """Kind of runs -> the data that they can be made of, or are made of by default; in the order of the papers."""
    found: dict[str, list[str]] = {}
    data = _offered("DATA")
    for kind, (package, runs) in _offered("RUNS").items():
        everywhere = runs.elsewhere or not by_default
        found[kind] = [name for name, (of, one) in data.items() if one.load and (everywhere or of == package)]
    for name, (_, one) in data.items():
        for kind in one.runs:
            found.setdefault(kind, []).append(name)
    return found


def checks_of_data(config: Mapping[str, Any]) -> Iterator[str]:
    """Lines about settings that do not fit the sections that the data come from."""
    for _, data in _offered("DATA").values():
        yield from data.check(config)


def _input(kind: str, data: str, study: Study) -> Iterator[ArenaInput]:
    all_data, all_runs = _offered("DATA"), _offered("RUNS")
    if data not in all_data:
        return
    package, offered = all_data[data]
    if kind in offered.runs:
        of_runs, runs = package, offered.runs[kind]
    elif kind in all_runs and offered.load:
        of_runs, runs = all_runs[kind]
    else:
        return
    load = f"{package}.{offered.load}" if offered.load else ""
    for name, about in offered.sets(study).items():
        yield ArenaInput(kind, name, dict(about), offered, runs, load, f"{of_runs}.{runs.make}")


@cache
def _offered(what: str) -> dict[str, tuple[str, Any]]:
    """Name -> package of the paper and declaration, of all papers."""
    offers = {name.rpartition(".")[0]: getattr(import_module(name), what, {}) for name in modules_of("arena")}
    return {name: (package, offer) for package, offered in offers.items() for name, offer in offered.items()}
