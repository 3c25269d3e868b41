"""Experiment brain_calibration: pick the details that the paper leaves open."""

from itertools import product

from replication.platform.job import job
from replication.data.brainweb import dataset_name, source_label
from replication.data.readers.volumes import read_volume
from replication.papers.viswanath2012 import brain_calibration
from replication.papers.viswanath2012.image_slices import WHITE_MATTER
from replication.papers.viswanath2012.settings import ImageSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "brain_calibration") as say:
    params, parameters = snakemake.params, snakemake.params.parameters
    subject = params.unit.rpartition("_")[0]
    labels = read_volume(snakemake.input.labels).data
    images = {}
    combinations = product(parameters["noise"], parameters["inhomogeneity"])
    for (noise, inhomogeneity), path in zip(combinations, snakemake.input.images, strict=True):
        volume = read_volume(path).data
        # The calibration slices stand first in the stack.
        for k, z in enumerate(params.brain["calibration_slices"]):
            images[noise, inhomogeneity, z] = (volume[..., k], labels[..., k] > 0, labels[..., k] == WHITE_MATTER)
    metrics, picks = brain_calibration.run(
        images,
        settings_of(ImageSettings, params.settings, "image_embedding"),
        options=parameters["options"],
        n_embeddings=parameters["n_embeddings"],
        margin=parameters["margin"],
        seed=params.seed,
        dataset=dataset_name(subject),
        source=source_label(subject),
        n_jobs=snakemake.threads,
        progress=say,
    )
    write_table(metrics, snakemake.output.metrics)
    write_table(picks, snakemake.output.picks)
