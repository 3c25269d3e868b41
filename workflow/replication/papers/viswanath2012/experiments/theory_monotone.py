"""Strength against class accuracy."""

from typing import Annotated, Literal

from annotated_types import Ge, Gt
from pydantic import Field

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.brain_settings import of_brain
from replication.papers.viswanath2012.method_names import REDUCTIONS
from replication.papers.viswanath2012.settings import PoolSettings, RegionSettings
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Count, Distinct, Integer, Number, Percentage, Positive, Settings
from replication.platform.steps import Job, Results, Seconds, Step


class MonotoneStudy(Settings):
    """Theorem 1 and Appendix C, on simulated embeddings and on the base embeddings of brain slices."""

    n_objects: Annotated[Integer, Ge(6)] = Field(100, description="simulated samples")
    n_components: Count = Field(3, description="dimensions of the embeddings")
    separation: Positive = Field(3, description="distance of the two classes in their standard deviations")
    n_levels: Annotated[Integer, Ge(3)] = Field(20, description="steps of a series")
    largest_error: Positive = Field(10, description="size of the error at the last step")
    largest_stretch: Annotated[Number, Gt(1)] = Field(
        8, description="factor on the axis of the classes at the last step"
    )
    series: Distinct[Literal["noise", "emphasis", "both", "premise"]] = Field(
        ("noise", "emphasis", "both", "premise"),
        description="growing error, growing emphasis of the axis of the classes, or both, each shuffled by itself; "
        "both so on classes that are as far apart as Theorem 1 asks for",
    )
    repetitions: Annotated[Integer, Ge(2)] = Field(50, description="draws of each series")
    noise: Percentage = Field(3, description="noise of the images whose base embeddings are used, one of brain.noise")
    inhomogeneity: Percentage = Field(20, description="non-uniformity of these images, one of brain.inhomogeneity")
    gene_draws: Annotated[Integer, Ge(2)] = Field(10, description="draws of the base embeddings of gene expression")


def run(job: Job) -> Results:
    """On simulated embeddings, and on base embeddings of brain slices and of genes."""
    from itertools import product

    from consensus_embedding.manifold.graph_embedding import pca_embedding

    from replication.data.domains.gene_preparation import prepare_genes
    from replication.data.readers.expression import load_split
    from replication.papers.viswanath2012 import theory_monotone
    from replication.papers.viswanath2012.brain_files import about_unit, slices_at
    from replication.papers.viswanath2012.brain_grid import paper_spaces
    from replication.papers.viswanath2012.gene_splits import base_embeddings, draw_subsets, gene_seed
    from replication.platform.settings import settings_of

    parameters = job.section("theory_monotone", MonotoneStudy)
    tables = [theory_monotone.run(parameters, job)]
    about = about_unit(job.settings["unit"])
    image_settings = job.section("image_embedding", RegionSettings)
    at = job.settings["kind"], parameters.inhomogeneity, job.settings["brain"]["slices"]
    for z, embedded in slices_at(job.inputs.slices, *at).items():
        job.say(f"base embeddings of slice {z}")
        spaces = paper_spaces(embedded, image_settings)
        spaces["pca"] = pca_embedding(embedded.objects.features, image_settings.n_components)
        tables.append(
            theory_monotone.run_on_embeddings(
                embedded.objects.features, embedded.embeddings, embedded.positive / embedded.objects.sizes,
                sizes=embedded.objects.sizes,
                **about, repetition=z,
                others={name: spaces[name] for name in ("consensus", "graph_embedding", "pca")},
            )
        )  # fmt: skip
    section = dict(job.settings["gene_settings"])
    n_embeddings, settings = section.pop("n_embeddings"), settings_of(PoolSettings, section, "gene_embedding")
    for name, path in zip(job.settings["names"], job.inputs.splits, strict=True):
        job.say(f"base embeddings of {name}")
        genes = prepare_genes(load_split(path), **settings.preparation)
        seed = gene_seed(job.seed, name)
        for draw, reduction in product(range(parameters.gene_draws), job.settings["reductions"]):
            drawn = draw_subsets(len(genes.genes), settings.subset_size, job.settings["pool_size"], seed, draw)
            embeddings = base_embeddings(genes.training, drawn[:n_embeddings], reduction, settings)
            tables.append(
                theory_monotone.run_on_embeddings(
                    genes.training, embeddings, genes.training_positive.astype(float), linkage=settings.linkage,
                    series="genes", dataset=name, source=job.settings["sources"][name],
                    repetition=reduction, draw=draw,
                )
            )  # fmt: skip
    return {"metrics": tables}


EXPERIMENT = Experiment(
    "theory_monotone",
    position=13,
    settings=MonotoneStudy,
    check=lambda config: of_brain(config, "theory_monotone", noise="noise", inhomogeneity="inhomogeneity"),
    title="Strength against class accuracy",
    text=(
        "Theorem 1 and Appendix C of Viswanath and Madabhushi 2012: does embedding strength grow with the "
        "accuracy of classes, and can the accuracy of two clusters replace it? On simulated embeddings, "
        "on brain slices and on gene expression."
    ),
    tables={"monotone": "theory_tables.monotone_table"},
    figures={
        "monotone": Figure(
            "theory_figures.draw_monotone",
            (
                "Rank correlations of embedding strength with class-triplet accuracy, with the accuracy of "
                "two clusters and with the R-squared index: over simulated embeddings, over the base "
                "embeddings of brain slices, and over those of the training splits of gene expression, by GE "
                "and by PCA. Mean and standard deviation over repetitions, slices, or draws and data sets together."
            ),
        ),
    },
    steps=(
        Step(
            name="run_theory_monotone",
            run=run,
            does="Embedding strength against the accuracy of classes",
            makes={"metrics": "theory_monotone/metrics.tsv"},
            reads=lambda study, _: {
                "slices": layout.embedded(layout.main_unit(study), study["theory_monotone"]["noise"]),
                "splits": layout.all_genes(study),
            },
            settings=lambda study, _: {
                "theory_monotone": study["theory_monotone"],
                "brain": study.only("brain", "slices"),
                "unit": layout.main_unit(study),
                "kind": study["image_embedding"]["objects"],
                "image_embedding": study.of("image_embedding", RegionSettings),
                "names": list(layout.gene_sets(study)),
                "sources": layout.gene_sources(study),
                "reductions": list(REDUCTIONS),
                "pool_size": layout.pool_size(study),
                "gene_settings": layout.gene_embedding(study) | study.only("gene_embedding", "n_embeddings"),
            },
            takes=Seconds(1.2, 0.19, "theory_monotone.series*theory_monotone.repetitions"),
        ),
    ),
)
