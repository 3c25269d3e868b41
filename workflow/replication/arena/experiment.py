"""Which consensus for what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from annotated_types import Ge
from pydantic import Field

from replication.arena.arena_inputs import ArenaInput, checks_of_data, inputs_of, offered_inputs
from replication.arena.scoring import score
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import (
    Count,
    Distinct,
    DistinctOrNone,
    Inner,
    Integer,
    Name,
    Natural,
    Pair,
    Percentage,
    Perplexity,
    Settings,
)
from replication.platform.steps import Files, Seconds, Step
from replication.platform.study import Study
from replication.shared.parts import gather

PARTS = "consensus_arena/parts"


def _input(study: Study, wildcards: Any) -> ArenaInput:
    return inputs_of(study)[wildcards.kind, wildcards.data]


def _names(study: Study) -> dict[str, list[str]]:
    inputs = inputs_of(study)
    return {"kind": sorted({kind for kind, _ in inputs}), "data": sorted({name for _, name in inputs})}


def _added_parts(study: Study) -> dict[str, tuple[Files, dict[str, Any]]]:
    n_neighbors = study["consensus_arena"]["n_neighbors"]
    return {
        f"{kind}_{name}": ({"pools": f"{PARTS}/{kind}_{name}.npz"}, {"kind": kind, "n_neighbors": n_neighbors})
        for kind, name in inputs_of(study)
    }


SCORING = Step(
    name="score_arena",
    title="{kind} of {data}",
    run=score,
    does="Combine {wildcards.kind} embeddings of {wildcards.data} by every method",
    reads=lambda study, wildcards: _input(study, wildcards).files(study),
    # The pools are what an added method combines.
    makes={"scores": f"{PARTS}/{{kind}}_{{data}}.tsv", "pools": f"{PARTS}/{{kind}}_{{data}}.npz"},
    settings=lambda study, wildcards: _input(study, wildcards).settings(study),
    wildcards=_names,
    behind=lambda study, wildcards: _input(study, wildcards).modules,
    minutes=60,
    soon=True,
    takes=lambda study, at: _input(study, at).runs.takes,
)


class Arena(Settings):
    """
    The same embeddings combined in many ways; part of none of the papers.

    docs/arena.md has the methods, the scores and the rule.
    """

    inputs: Mapping[str, DistinctOrNone[Name]] = Field(
        offered_inputs(by_default=True),
        description=(
            "kind of runs -> the data whose embeddings are combined, of those that the papers offer; genes: each of "
            "genes.sets"
        ),
    )
    repetitions: Annotated[Integer, Ge(2)] = Field(4, description="pools without a common run; instability needs two")
    n_embeddings: Annotated[Integer, Ge(2)] = Field(10, description="runs in each pool")
    max_points: Annotated[Integer, Ge(50)] = Field(
        600,
        description=(
            "at most so many of the first digits.n_samples, because time or memory of some methods grow with the "
            "square of the number of points"
        ),
    )
    n_neighbors: Count = Field(10, description="neighbours counted in the fidelity and among the labels")
    perplexities: Distinct[Perplexity] = Field((5, 15, 30, 60, 120), description="of the runs at several perplexities")
    missing_share: Inner = Field(0.1, description="share of values removed at random before multiple imputation")
    slices: Distinct[Natural] = Field((70, 90, 110, 130), description="some of brain.slices")
    noise: Percentage = Field(3, description="noise of the slices, one of brain.noise")
    inhomogeneity: Percentage = Field(20, description="non-uniformity of the slices, one of brain.inhomogeneity")
    n_studies: Count = Field(4, description="the first studies of spectra")
    kappas: Pair[Count] = Field(
        (3, 80),
        description=(
            "smallest and largest number of neighbours of LLE; a run for each of repetitions times n_embeddings"
        ),
    )

    def unfit(self) -> Iterator[tuple[str, str]]:
        """LLE has a number of neighbours for each run, and there are more points than neighbours."""
        (low, high), total = self.kappas, self.repetitions * self.n_embeddings
        if high - low + 1 < total:
            yield (
                "kappas",
                f"expected at least {total} numbers, repetitions times n_embeddings, found [{low}, {high}]",
            )
        if 2 * self.n_neighbors >= self.max_points:
            yield (
                "n_neighbors",
                f"expected less than half of max_points = {self.max_points}, found {self.n_neighbors}",
            )


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """The papers offer the inputs, and what the arena takes of their sections is there."""
    offered = offered_inputs()
    if not any(config["consensus_arena"]["inputs"].values()):
        yield f"consensus_arena.inputs: expected data for one kind at least ({', '.join(offered)}), found none"
    for kind, names in config["consensus_arena"]["inputs"].items():
        where = f"consensus_arena.inputs.{kind}"
        if kind not in offered:
            yield f"{where}: unknown key; known here: {', '.join(offered)}"
        for name in names if kind in offered else ():
            if name not in offered[kind]:
                yield f"{where}: unknown data, expected some of {', '.join(offered[kind])}; found {name}"
    yield from checks_of_data(config)


EXPERIMENT = Experiment(
    "consensus_arena",
    settings=Arena,
    check=check,
    title="Which consensus for what",
    text=(
        "The same embeddings combined in many ways: by the methods of the papers, by their rivals, and by taking a "
        "single run. Which way gives a result that stays the same with other runs, which keeps neighbours and "
        "distances of the data, which keeps classes apart, and what does it cost?\n\n"
        "The rule was written down before the experiment was run (docs/arena.md). Ranks of the methods over the data "
        "sets are compared by Friedman's test, with Holm's correction over the aims, and by the critical difference "
        "of Nemenyi. Nothing is recommended that is not shown to be better than a random single run, except for time "
        "and memory, where single runs do not compete. No claim of a paper is judged by it. A method that you add "
        "competes as the others do; an embedding does not in time and memory."
    ),
    tables={
        "advice": "arena_reports.advice",
        "ranks": "arena_reports.ranks",
        "scores": "arena_reports.scores",
        "kinds": "arena_reports.kinds",
    },
    figures={
        "critical_difference": Figure(
            "arena_figures.draw_critical_difference",
            (
                "Mean rank of each method over the data sets, for each aim, with its 95 % bootstrap interval over the "
                "data sets. Grey band: up to the critical difference of Nemenyi (5 %) behind the best; filled points "
                "in it are not shown to be worse than the best. Where no difference is shown, no point is filled. "
                "Orange: a random single run. A recommended method has to beat it, except in time and memory."
            ),
        ),
    },
    added="consensus_arena.score_added",
    method_names="arena_names.METHOD_NAMES",
    added_parts=_added_parts,
    present_seconds=8,
    steps=(
        SCORING,
        gather(
            "consensus_arena",
            lambda study: [f"{kind}_{name}" for kind, name in inputs_of(study)],
            "Gather the scores of all inputs",
            takes=Seconds(1.7),
        ),
    ),
)
