"""Which consensus for what."""

from __future__ import annotations

from typing import Any

from replication.arena.arena_inputs import ArenaInput, inputs_of
from replication.arena.scoring import score
from replication.platform.declarations import Experiment, Figure
from replication.platform.steps import Files, Step
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
)

EXPERIMENT = Experiment(
    "consensus_arena",
    title="Which consensus for what",
    text=(
        "The same embeddings combined in many ways: by the methods of the papers, by their rivals, and by taking a "
        "single run. Which way gives a result that stays the same with other runs, which keeps neighbours and "
        "distances of the data, which keeps classes apart, and what does it cost?\n\n"
        "The rule was written down before the experiment was run (docs/arena.md). Ranks of the methods over the data "
        "sets are compared by Friedman's test, with Holm's correction over the aims, and by the critical difference "
        "of Nemenyi. Nothing is recommended that is not shown to be better than a random single run. No claim of a "
        "paper is judged by it. A method that you add is in the tables and the figure; the sentences leave it out."
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
                "Orange: a random single run, which a recommended method has to beat."
            ),
        ),
    },
    added="consensus_arena.score_added",
    method_names="arena_names.METHOD_NAMES",
    finding="arena_reports.arena_finding",
    added_parts=_added_parts,
    steps=(
        SCORING,
        gather(
            "consensus_arena",
            lambda study: [f"{kind}_{name}" for kind, name in inputs_of(study)],
            "Gather the scores of all inputs",
        ),
    ),
)
