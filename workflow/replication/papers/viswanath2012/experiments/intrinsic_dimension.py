"""Dimension of the texture space and of the gene space."""

from typing import Annotated

from annotated_types import Ge
from pydantic import Field

from replication.papers.viswanath2012 import layout
from replication.papers.viswanath2012.brain_settings import of_brain
from replication.papers.viswanath2012.settings import TextureSettings
from replication.platform.declarations import Experiment, Figure
from replication.platform.settings import Distinct, Integer, Natural, Range, Settings
from replication.platform.steps import Job, Results, Seconds, Step
from replication.platform.study import Study


class IntrinsicDimension(Settings):
    """Maximum-likelihood dimension of the texture space and of the gene space."""

    slices: Distinct[Natural] = Field((60, 90, 120), description="slices of brain.slices that are used")
    n_neighbors: Range[Annotated[Integer, Ge(2)]] = Field(
        (10, 20), description="smallest and largest number of neighbours that the estimate averages over"
    )


def reads(study: Study, _) -> dict:
    """Embedded slices and images of the main unit, and the genes."""
    unit, levels = layout.main_unit(study), study["brain"]["noise"]
    return {
        "slices": [layout.embedded(unit, noise) for noise in levels],
        "images": [path for noise in levels for path in layout.images(study, unit, noise)],
        "splits": layout.all_genes(study),
    }


def run(job: Job) -> Results:
    """How many dimensions the texture space and the gene space have."""
    from pathlib import Path

    from replication.data.domains.gene_preparation import prepare_genes
    from replication.data.readers.expression import load_split
    from replication.data.readers.volumes import read_volume
    from replication.papers.viswanath2012 import intrinsic_dimension
    from replication.papers.viswanath2012.brain_files import about_unit
    from replication.papers.viswanath2012.image_slices import load_slices
    from replication.shared.tidy import Metrics

    brain = job.settings["brain"]
    about = about_unit(job.settings["unit"])
    metrics = Metrics("intrinsic_dimension", **about, conditions=intrinsic_dimension.CONDITIONS)
    names = [*brain["calibration_slices"], *brain["slices"]]
    settings = job.section("image_embedding", TextureSettings)
    n_neighbors = job.settings["intrinsic_dimension"]["n_neighbors"]
    slice_files = dict(zip(brain["noise"], job.inputs.slices, strict=True))
    progress = job.progress(len(job.inputs.images), "combinations")
    for done, path in enumerate(job.inputs.images, 1):
        noise, inhomogeneity = (int(part[2:]) for part in Path(path).name.split(".")[0].split("_"))
        images = read_volume(path).data
        for z in job.settings["intrinsic_dimension"]["slices"]:
            name = f"{settings.objects}/{inhomogeneity}/{z}"
            embedded = load_slices(slice_files[noise], [name])[name]
            intrinsic_dimension.score_slice(
                metrics, images[..., names.index(z)], embedded, settings, n_neighbors,
                seed=job.seed, noise=noise, inhomogeneity=inhomogeneity, slice=z,
            )  # fmt: skip
        progress(done)
    tables = [metrics.table()]
    for path in job.inputs.splits:
        name = Path(path).stem
        metrics = Metrics("intrinsic_dimension", name, job.settings["sources"][name], intrinsic_dimension.CONDITIONS)
        genes = prepare_genes(load_split(path), **job.settings["gene_settings"])
        intrinsic_dimension.score_genes(metrics, genes, n_neighbors)
        tables.append(metrics.table())
    return {"metrics": tables}


EXPERIMENT = Experiment(
    "intrinsic_dimension",
    position=6,
    settings=IntrinsicDimension,
    check=lambda config: of_brain(config, "intrinsic_dimension", slices="slices"),
    title="Dimension of the texture space and of the gene space",
    text=(
        "The paper sets n = 3 for images and n = 4 for gene expression by the maximum-likelihood estimate of "
        "intrinsic dimension (Levina and Bickel 2005). The same estimate here on the texture features, and on "
        "the chosen genes of the training splits."
    ),
    tables={"dimension": "image_tables.dimension_table"},
    figures={
        "dimension": Figure(
            "image_figures.draw_dimension",
            (
                "Estimated dimension of the texture space against noise, on the pixels and on their "
                "mean-shift objects, and of the space of the chosen genes of each data set (training split); "
                "the dashed lines are the paper's n."
            ),
        ),
    },
    steps=(
        Step(
            name="run_intrinsic_dimension",
            run=run,
            does="Dimension of the texture space and of the gene space",
            makes={"metrics": "intrinsic_dimension/metrics.tsv"},
            reads=reads,
            settings=lambda study, _: {
                "brain": study.only("brain", "noise", "slices", "calibration_slices"),
                "image_embedding": study.of("image_embedding", TextureSettings),
                "intrinsic_dimension": study["intrinsic_dimension"],
                "unit": layout.main_unit(study),
                "sources": layout.gene_sources(study),
                "gene_settings": layout.gene_preparation(study),
            },
            threads="workers",
            takes=Seconds(1.2, 0.82, "brain.noise*brain.inhomogeneity*intrinsic_dimension.slices"),
        ),
    ),
)
