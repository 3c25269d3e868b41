"""Which consensus for what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge
from pydantic import Field

from replication.arena.arena_inputs import ArenaInput, inputs_of
from replication.arena.scoring import score
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import (
    Count,
    Distinct,
    DistinctOrNone,
    Inner,
    Integer,
    Natural,
    Pair,
    Percentage,
    Perplexity,
    Settings,
)
from replication.platform.steps import Files, Step
from replication.platform.study import Study
from replication.shared.image_settings import N_TEXTURES, of_brain
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


class ArenaInputs(Settings):
    """Kind of runs -> the data whose embeddings are combined; genes: each of genes.sets."""

    tsne: DistinctOrNone[Literal["digits", "genes"]] = Field(
        ("digits", "genes"), description="data whose pools are runs of t-SNE from random starts"
    )
    umap: DistinctOrNone[Literal["digits", "genes"]] = Field(
        ("digits", "genes"), description="data whose pools are runs of UMAP from random starts"
    )
    perplexity: DistinctOrNone[Literal["digits", "genes"]] = Field(
        ("digits",), description="data whose pools are runs of t-SNE at several perplexities"
    )
    imputation: DistinctOrNone[Literal["digits", "genes"]] = Field(
        ("digits",), description="data whose pools are runs of t-SNE of multiply imputed data"
    )
    subsets: DistinctOrNone[Literal["genes", "slices"]] = Field(
        ("genes", "slices"), description="data whose pools are runs of graph embeddings of random subsets of features"
    )
    kappa: DistinctOrNone[Literal["spectra"]] = Field(
        ("spectra",), description="data whose pools are runs of LLE with different numbers of neighbours"
    )


class Arena(Settings):
    """
    The same embeddings combined in many ways; part of none of the papers.

    docs/arena.md has the methods, the scores and the rule.
    """

    inputs: ArenaInputs
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
        """LLE has a number of neighbours for each run."""
        (low, high), total = self.kappas, self.repetitions * self.n_embeddings
        if high - low + 1 < total:
            yield (
                "kappas",
                f"expected at least {total} numbers, repetitions times n_embeddings, found [{low}, {high}]",
            )


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """What the arena takes of other sections is there; sections of a paper whose folder was deleted are not."""
    arena = config["consensus_arena"]
    inputs, total = arena["inputs"], arena["repetitions"] * arena["n_embeddings"]
    subsets = {}
    if "brain" in config:
        yield from of_brain(config, "consensus_arena", slices="slices", noise="noise", inhomogeneity="inhomogeneity")
        subsets = {
            "genes": (config["gene_embedding"]["subset_size"], config["gene_embedding"]["n_genes"]),
            "slices": (config["image_embedding"]["subset_size"], N_TEXTURES),
        }
    for data, (size, n_features) in subsets.items():
        if data in inputs["subsets"] and total * size < n_features:
            yield (
                f"consensus_arena.n_embeddings: expected enough subsets of {size} features of {data} to cover all "
                f"{n_features}, found {total}, repetitions times n_embeddings"
            )
    if "spectra" in config:
        own = [item["role"] for item in config["spectra"]["own"]]
        known = own.count("evaluation") if own else config["spectra"]["n_studies"]
        if inputs["kappa"] and arena["n_studies"] > known:
            yield f"consensus_arena.n_studies: expected at most {known}, the studies, found {arena['n_studies']}"
    n_samples = config["digits"]["n_samples"] if "digits" in config else arena["max_points"]
    if 2 * arena["n_neighbors"] >= min(arena["max_points"], n_samples):
        yield (
            f"consensus_arena.n_neighbors: expected less than half of max_points = {arena['max_points']} and of "
            f"digits.n_samples = {n_samples}, found {arena['n_neighbors']}"
        )


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
