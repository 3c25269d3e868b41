"""Experiment brain_runtime: run times compared with the paper's."""

from replication.platform.job import job
from replication.data.brainweb import dataset_name, source_label
from replication.data.readers.volumes import read_volume
from replication.papers.viswanath2012 import brain_runtime
from replication.papers.viswanath2012.image_slices import WHITE_MATTER
from replication.papers.viswanath2012.settings import RegionSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "brain_runtime") as say:
    params, brain = snakemake.params, snakemake.params.brain
    subject = params.unit.rpartition("_")[0]
    k = [*brain["calibration_slices"], *brain["slices"]].index(params.parameters["slice"])
    labels = read_volume(snakemake.input.labels).data[..., k]
    metrics = brain_runtime.run(
        read_volume(snakemake.input.image[0]).data[..., k],
        labels > 0,
        labels == WHITE_MATTER,
        settings_of(RegionSettings, params.settings, "image_embedding"),
        n_pixels=params.parameters["n_pixels"],
        repetitions=params.parameters["repetitions"],
        seed=params.seed,
        dataset=dataset_name(subject),
        source=source_label(subject),
        n_jobs=snakemake.threads,
        progress=say,
    )
    write_table(metrics, snakemake.output.metrics)
