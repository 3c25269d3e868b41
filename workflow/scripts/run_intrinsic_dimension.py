"""Experiment intrinsic_dimension: how many dimensions the texture space has."""

from pathlib import Path

from consensus_embedding.datasets.brainweb import dataset_name, source_label
from consensus_embedding.datasets.volumes import read_volume
from consensus_embedding.experiments import intrinsic_dimension
from consensus_embedding.experiments.image_slices import load_slices
from consensus_embedding.experiments.tidy import Metrics, write_table
from job import every, job

with job(snakemake.log[0], "intrinsic_dimension") as say:
    params, brain = snakemake.params, snakemake.params.brain
    subject = params.unit.rpartition("_")[0]
    metrics = Metrics(
        "intrinsic_dimension", dataset_name(subject), source_label(subject), intrinsic_dimension.CONDITIONS
    )
    names = [*brain["calibration_slices"], *brain["slices"]]
    kind = params.settings["objects"]
    embedded = dict(zip(brain["noise"], snakemake.input.slices, strict=True))
    progress = every(len(snakemake.input.images), say, "combinations")
    for done, path in enumerate(snakemake.input.images, 1):
        noise, inhomogeneity = (int(part[2:]) for part in Path(path).name.split(".")[0].split("_"))
        images = read_volume(path).data
        for z in params.parameters["slices"]:
            name = f"{kind}/{inhomogeneity}/{z}"
            one = load_slices(embedded[noise], [name])[name]
            intrinsic_dimension.score_slice(
                metrics, images[..., names.index(z)], one, params.settings, params.parameters,
                seed=params.seed, noise=noise, inhomogeneity=inhomogeneity, slice=z,
            )  # fmt: skip
        progress(done)
    write_table(metrics.table(), snakemake.output.metrics)
