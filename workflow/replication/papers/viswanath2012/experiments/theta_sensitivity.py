"""Threshold of embedding strength."""

from typing import Annotated

from annotated_types import Ge, Len
from pydantic import Field

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.brain_settings import of_brain
from replication.papers.viswanath2012.settings import GeneConsensusSettings, SliceConsensusSettings, Threshold
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Integer, Percentage, Settings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study
from replication.shared.parts import gather


class ThetaSensitivity(Settings):
    """
    Thresholds, and numbers K of embeddings without a threshold, on images and on gene expression.

    On images a repetition takes half of the embeddings at random; on genes it is another draw of the
    subsets, of which there are genes.repetitions.
    """

    noise: Distinct[Percentage] = Field((1, 5, 9), description="levels of brain.noise that are used")
    thetas: Annotated[Distinct[Threshold], Len(2)] = Field((0.15, 0.5, 0.8, 0.9, 0.95), description="thresholds")
    n_selected: Annotated[Distinct[Count], Len(2)] = Field(
        (1, 2, 5, 10, 20, 50, 100), description="numbers K of embeddings without a threshold"
    )
    repetitions: Annotated[Integer, Ge(2)] = Field(
        5, description="on images, where each takes half of the embeddings at random; on genes see genes.repetitions"
    )


def parts(study: Study) -> list[str]:
    """Images, a noise level a job, and genes."""
    return [*(f"pn{noise}" for noise in study["theta_sensitivity"]["noise"]), "genes"]


def reads(study: Study, at) -> dict:
    """Embedded slices of a noise level, or the genes and their pools."""
    if at.part != "genes":
        return {"slices": layout.embedded(layout.main_unit(study), at.part.removeprefix("pn"))}
    pools = [layout.gene_pool(name, reduction) for name, reduction in layout.gene_pools(study)]
    return {"splits": layout.all_genes(study), "pools": pools}


def settings(study: Study, at) -> dict:
    """What the score of a noise level reads, or that of the genes."""
    selection = ("thetas", "n_selected")
    if at.part == "genes":
        return {
            "theta_sensitivity": study.only("theta_sensitivity", *selection),
            "names": list(layout.gene_sets(study)),
            "sources": layout.gene_sources(study),
            "pools": layout.gene_pools(study),
            "gene_embedding": study.of("gene_embedding", GeneConsensusSettings),
        }
    return {
        "theta_sensitivity": study.only("theta_sensitivity", *selection, "repetitions"),
        "brain": study.only("brain", "inhomogeneity", "slices"),
        "image_embedding": study.of("image_embedding", SliceConsensusSettings),
    }


def score(job: Job) -> Results:
    """The consensus over thresholds and numbers of embeddings, on images of one noise level or on genes."""
    import pandas as pd

    from replication.data.domains.gene_preparation import prepare_genes
    from replication.data.readers.expression import load_split
    from replication.papers.viswanath2012 import theta_sensitivity
    from replication.papers.viswanath2012.brain_files import score_units
    from replication.papers.viswanath2012.gene_splits import gene_seed, load_pools
    from replication.shared.tidy import Metrics

    selection = job.settings["theta_sensitivity"]
    if job.wildcards.part == "genes":
        of_genes = job.section("gene_embedding", GeneConsensusSettings)
        tables, progress = [], job.progress(len(job.settings["pools"]), "pools of gene embeddings")
        for (name, reduction), path in zip(job.settings["pools"], job.inputs.pools, strict=True):
            metrics = Metrics("theta_sensitivity", name, job.settings["sources"][name], theta_sensitivity.CONDITIONS)
            split = load_split(job.inputs.splits[job.settings["names"].index(name)])
            theta_sensitivity.score_genes(
                metrics, prepare_genes(split, **of_genes.preparation), load_pools(path), reduction, of_genes,
                **selection, seed=gene_seed(job.seed, name),
            )  # fmt: skip
            tables.append(metrics.table())
            progress(len(tables))
        table = pd.concat(tables, ignore_index=True)
    else:
        of_images = job.section("image_embedding", SliceConsensusSettings)
        table = score_units(
            "theta_sensitivity",
            [job.inputs.slices],
            theta_sensitivity.CONDITIONS,
            lambda metrics, slices, **at: theta_sensitivity.score_combination(
                metrics, slices, of_images, **selection, seed=job.seed, **at
            ),
            job.settings["brain"],
            of_images.objects,
            job,
        )
    return {"scores": table}


EXPERIMENT = Experiment(
    "theta_sensitivity",
    position=5,
    settings=ThetaSensitivity,
    check=lambda config: of_brain(config, "theta_sensitivity", noise="noise"),
    title="Threshold of embedding strength",
    text=(
        "Does the threshold of embedding strength matter, and the number of embeddings that are combined? On "
        "images each repetition takes a random half of the base embeddings, which shows what another draw of "
        "the feature subsets would do; on gene expression each repetition is another draw of the subsets."
    ),
    tables={"sensitivity": "image_tables.sensitivity_table", "genes": "gene_tables.sensitivity_table"},
    figures={
        "sensitivity": Figure(
            "image_figures.draw_sensitivity",
            (
                "Left: accuracy against the threshold; two clusters of two classes are never less accurate "
                "than one half, so that thresholds up to half of the largest strength exclude nothing. Right: "
                "accuracy against the number K of random embeddings combined without selection. Where K is the "
                "number of all base embeddings, every repetition takes the same ones: that its bar is zero says "
                "nothing about stability. Dotted: graph embedding of all features."
            ),
        ),
        "genes": Figure(
            "gene_panels.draw_sensitivity",
            (
                "Gene expression; the title of a panel says whether its data are the paper's originals, the "
                "user's own or simulated. Above: accuracy on the test samples against the threshold, with "
                "embeddings selected on the training split with labels (S, filled) or without (US, open). "
                "Below: accuracy against the number of random embeddings combined without selection. Dotted: "
                "one embedding of all chosen genes. Bars: SD over draws."
            ),
        ),
    },
    steps=(
        Step(
            name="score_theta_sensitivity",
            run=score,
            does="Consensus over thresholds and numbers of embeddings, {wildcards.part}",
            makes={"scores": "theta_sensitivity/parts/{part}.tsv"},
            reads=reads,
            settings=settings,
            wildcards=lambda study: {"part": parts(study)},
            takes=lambda _, at: (
                Seconds(
                    1.2, 0.0008, "genes.sets*genes.repetitions*gene_embedding.n_embeddings*theta_sensitivity.thetas"
                )
                if at.part == "genes"
                else Seconds(1.2, 1.2, "brain.inhomogeneity*brain.slices")
            ),
        ),
        gather("theta_sensitivity", parts, "Gather the scores of images and genes", takes=Seconds(2)),
    ),
)
