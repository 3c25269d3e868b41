"""Consensus region map of one of the user's own images: NIfTI, metrics and a figure."""

import numpy as np
from replication.platform.job import every, job
from replication.data.readers.volumes import load_image_and_mask, read_volume, slice_axis, write_nifti
from replication.papers.viswanath2012 import region_maps, region_volumes
from replication.papers.viswanath2012.image_figures import draw_own_regions
from replication.papers.viswanath2012.settings import RegionSettings
from replication.platform.settings import settings_of
from replication.shared.figures import save_figure
from replication.shared.tidy import Metrics, write_table

with job(snakemake, f"region map of {snakemake.wildcards.name}") as say:
    params, given, item = snakemake.params, snakemake.input, snakemake.params.item
    settings = settings_of(RegionSettings, params.settings, "image_embedding")
    slices = load_image_and_mask(
        given.image, given.mask, given.get("labels"), slices=item.get("slices"),
        min_pixels=region_maps.min_pixels(settings.n_components),
    )  # fmt: skip
    metrics = Metrics("region_maps", item["name"], "own", region_maps.CONDITIONS)
    maps = region_volumes.map_slices(
        slices, settings, metrics, n_regions=item.get("n_regions", 2), one_embedding=item.get("one_embedding", False),
        seed=params.seed, n_jobs=snakemake.threads, progress=every(len(slices), say, "slices"),
    )  # fmt: skip
    volume = read_volume(given.image)
    shape = volume.data.shape if volume.data.ndim == 3 else (*volume.data.shape, 1)
    axis = slice_axis(shape)
    regions = np.zeros(shape, dtype=maps[0].dtype)
    for one, drawn in zip(slices, maps, strict=True):
        np.moveaxis(regions, axis, 2)[..., 0 if shape[axis] == 1 else int(one.name.rpartition("_z")[2])] = drawn
    write_nifti(regions.reshape(volume.data.shape), snakemake.output.regions, affine=volume.affine)
    table = region_maps.measure_regions(slices, maps, volume.affine, metrics, axis=axis, volume=volume.data.ndim == 3)
    write_table(table, snakemake.output.table)
    write_table(metrics.table(), snakemake.output.metrics)
    save_figure(draw_own_regions(slices, maps), *snakemake.output.figure)
