"""Experiment brain_real_slices: three real slices compared with their re-simulation."""

from pathlib import Path

from replication.platform.job import job, save_arrays
from replication.data.brainweb import brain_slices, compare_with_real, real_slices
from replication.papers.viswanath2012 import brain_real_slices
from replication.papers.viswanath2012.settings import ImageSettings
from replication.platform.settings import settings_of
from replication.shared.tidy import write_table

with job(snakemake, "brain_real_slices"):
    # The folder that holds the folder brainweb.
    params, data = snakemake.params, Path(snakemake.input.files[0]).parents[1]
    real = real_slices(data)
    simulated = brain_slices("brainweb_resimulated", 3, 20, [90, 91, 92], data_folder=data, seed=params.seed)
    images = {"original": real, "simulated": simulated}
    comparison = compare_with_real(data, params.seed)
    settings = settings_of(ImageSettings, params.settings, "image_embedding")
    metrics = brain_real_slices.run(images, comparison, settings, seed=params.seed)
    write_table(metrics, snakemake.output.metrics)
    pictures = {f"{source}/{z}": one.image for source, slices in images.items() for z, one in enumerate(slices, 90)}
    masks = {f"labels/{z}": one.labels for z, one in enumerate(real, 90)}
    save_arrays(snakemake.output.images, **pictures, **masks)
