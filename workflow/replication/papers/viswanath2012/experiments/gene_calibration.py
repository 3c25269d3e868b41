"""Choices for gene expression."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import Field

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.settings import GeneSettings, subsets_of_genes
from replication.platform.declarations import Experiment, Figure, Own
from replication.platform.settings import Count, Part, Settings, calibration_margin, options_of
from replication.platform.steps import Job, Results, Seconds, Step


class GeneCalibration(Settings):
    """Picks the details that the paper leaves open, on halvings of the training splits."""

    splits: Count = Field(10, description="halvings of each training split")
    n_embeddings: Count = Field(50, description="base embeddings of each setting")
    margin: Part = calibration_margin("balanced accuracy")
    options: options_of(GeneSettings) = Field(
        {
            "transform": ("none", "log", "rank"),
            "standardization": ("split", "training", "none"),
            "kernel": ("knn", "exponential", "gaussian", "local_scaling"),
            "sigma": (1.0, 0.2, 0.3, 3.0),
            "self_affinity": (1.0, 0.0),
            "eigenvectors": ("rows", "none", "eigenvalue", "diffusion"),
            "subset_size": (30, 10, 50, 100),
            "normalization": ("max", "mean", "median", "rank"),
            "mds": ("classical", "smacof"),
            "linkage": ("average", "ward", "complete", "average_correlation"),
            "knn_neighbors": (3, 1, 5),
            "label_weights": ("fixed", "zhao"),
        },
        description="key of gene_embedding: its options, the start value first, in the order in which they are tried",
    )


def check(config: Mapping[str, Any]) -> Iterator[str]:
    """Sizes of subsets that do not fit the genes or do not cover them."""
    calibration = config["gene_calibration"]
    for size in calibration["options"].get("subset_size", []):
        where = f"gene_calibration.options.subset_size, {size}"
        yield from subsets_of_genes(config, where, calibration["n_embeddings"], subset_size=size)


def run(job: Job) -> Results:
    """Picks the details that the paper leaves open, on halvings of the training splits."""
    from pathlib import Path

    from replication.data.readers.expression import load_split
    from replication.papers.viswanath2012 import gene_calibration

    tables = {Path(path).stem: load_split(path).training for path in job.inputs.splits}
    settings = job.section("gene_embedding", GeneSettings)
    parameters = job.section("gene_calibration", GeneCalibration)
    metrics, picks = gene_calibration.run(tables, job.settings["sources"], settings, parameters, job)
    return {"metrics": metrics, "picks": picks}


EXPERIMENT = Experiment(
    "gene_calibration",
    position=14,
    settings=GeneCalibration,
    check=check,
    title="Choices for gene expression",
    text=(
        "Details that Viswanath and Madabhushi 2012 leave open for gene expression, picked on random halvings "
        "of the training splits alone: no test sample is seen. The rule was fixed beforehand and weighs all "
        "methods alike: options are scored by the balanced accuracy averaged over all methods, data sets and "
        "halvings, and a start value stays unless another option is better by more than the margin. The "
        "source column says whether the data are the paper's originals, the user's own or simulated."
    ),
    reads=("picks",),
    figures={
        "calibration": Figure(
            "gene_figures.draw_calibration",
            (
                "Balanced accuracy on the held-out halves of the training splits for each option of each "
                "choice: every method, averaged over the data sets and halvings, their mean (bar), and the "
                "option picked (star). Consensus at theta = 0.15 x max."
            ),
        ),
    },
    own=Own(
        text=(
            "Settings picked on random halvings of the training samples of your tables; no test sample is seen. "
            "Options are scored by the balanced accuracy averaged over all methods, tables and halvings, and a start"
            " value stays unless another option is better by more than the margin."
        ),
    ),
    own_only=layout.only_own_genes,
    present_seconds=3.7,
    steps=(
        Step(
            name="run_gene_calibration",
            run=run,
            does="Try the choices on halvings of the training splits",
            makes={"metrics": "gene_calibration/metrics.tsv", "picks": "gene_calibration/tables/picks.tsv"},
            reads=lambda study, _: {"splits": layout.all_genes(study)},
            settings=lambda study, _: {
                "sources": layout.gene_sources(study),
                **study.sections("gene_embedding", "gene_calibration"),
            },
            threads="workers",
            takes=lambda study, _: Seconds(
                1.3, 0.19 * layout.all_longer(study), "gene_calibration.splits*gene_calibration.n_embeddings"
            ),
        ),
    ),
)
