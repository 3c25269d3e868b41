"""Consensus region maps of a user's own images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from consensus_embedding.clustering.mean_shift import Objects
from consensus_embedding.consensus.subset_embeddings import combine_embeddings
from threadpoolctl import threadpool_limits

from replication.data.readers.volumes import ImageSlice
from replication.papers.viswanath2012.image_slices import cluster, embed_slice
from replication.papers.viswanath2012.leave_one_out import detection_scores
from replication.papers.viswanath2012.settings import RegionSettings
from replication.shared.tidy import Metrics

CONDITIONS = ["slice", "region"]
# What is measured of each region -> column of the table.
MEASURES = {
    "n_pixels": "pixels",
    "area_mm2": "area (mm2)",
    "volume_mm3": "volume (mm3)",
    "mean_intensity": "mean intensity",
    "sd_intensity": "SD of the intensity",
}
# In the column of slices: all of them.
ALL = "all"


def min_pixels(n_components: int) -> int:
    """Pixels that a mask needs in a slice: of fewer objects no embedding of that many components can be made."""
    return max(3, n_components + 1)


def map_slice(
    image_slice: ImageSlice,
    settings: RegionSettings,
    metrics: Metrics,
    *,
    n_regions: int = 2,
    objects: Objects | None = None,
    seed: int,
    n_jobs: int = 1,
) -> np.ndarray:
    """Partition the masked pixels of a slice by consensus embedding of their texture (ConsEmbedMS)."""
    try:
        return _map_slice(image_slice, settings, metrics, n_regions, objects, seed, n_jobs)
    except ValueError as error:
        raise ValueError(
            f"slice {image_slice.name}, {image_slice.mask.sum()} pixels in the mask: {error} To map the others, leave "
            "it out with `slices:`."
        ) from error


def measure_regions(
    slices: Sequence[ImageSlice],
    maps: Sequence[np.ndarray],
    affine: np.ndarray,
    metrics: Metrics,
    *,
    axis: int = 2,
    volume: bool,
) -> pd.DataFrame:
    """Size and intensity of every region."""
    axes = np.asarray(affine, dtype=np.float64)[:3, :3]
    area = float(np.linalg.norm(np.cross(*np.delete(axes, axis, axis=1).T)))
    size = float(abs(np.linalg.det(axes)))
    pixels = {
        image_slice.name: (image_slice.image[image_slice.mask], drawn[image_slice.mask])
        for image_slice, drawn in zip(slices, maps, strict=True)
    }
    if len(pixels) > 1:
        pixels[ALL] = tuple(np.concatenate(parts) for parts in zip(*pixels.values(), strict=True))
    rows = []
    for name, (intensity, regions) in pixels.items():
        for region in np.unique(regions):
            inside = intensity[regions == region]
            n = len(inside)
            values = {"n_pixels": n, "area_mm2": n * area, "volume_mm3": n * size}
            values |= {"mean_intensity": float(inside.mean()), "sd_intensity": float(inside.std())}
            if not volume:
                values.pop("volume_mm3")
            for metric, value in values.items():
                metrics.add("consensus", metric, value, slice=name, region=int(region))
            rows.append({"slice": name, "region": int(region)} | {MEASURES[m]: value for m, value in values.items()})
    return pd.DataFrame(rows)


def _map_slice(
    image_slice: ImageSlice,
    settings: RegionSettings,
    metrics: Metrics,
    n_regions: int,
    objects: Objects | None,
    seed: int,
    n_jobs: int,
) -> np.ndarray:
    positive = None if image_slice.labels is None else image_slice.labels > 0
    embedded = embed_slice(
        image_slice.image, image_slice.mask, positive, settings, seed=seed, objects=objects, n_jobs=n_jobs
    )
    n = len(embedded.objects.sizes)
    if n_regions > n:
        raise ValueError(
            f"n_regions: expected at most {n}, the objects of the slice, found {n_regions}; lower it, or raise "
            "image_embedding.max_objects."
        )
    # A slice of a volume may have one of the two classes only.
    both_classes = 0 < embedded.positive_pixels.sum() < len(embedded.positive_pixels)
    selected = embedded.selected(settings if both_classes else settings.replace(strength="r_squared"))
    with threadpool_limits(1):
        consensus = combine_embeddings(embedded.embeddings[selected], n_jobs=n_jobs, **settings.combination).embedding
        clusters = cluster(consensus, embedded.objects.sizes, settings, n_regions)
    pixels = embedded.objects.to_pixels(clusters)
    metrics.add("consensus", "n_objects", len(clusters), slice=image_slice.name)
    metrics.add("consensus", "n_selected", len(selected), slice=image_slice.name)
    if both_classes and n_regions == 2:
        for metric, value in detection_scores(pixels, embedded.positive_pixels).items():
            metrics.add("consensus", metric, value, slice=image_slice.name)
    regions = np.unique(pixels)
    order = np.argsort([embedded.intensity[pixels == region].mean() for region in regions])
    dtype = np.min_scalar_type(n_regions)
    drawn, names = np.zeros(image_slice.mask.shape, dtype), np.zeros(regions.max() + 1, dtype)
    names[regions[order]] = np.arange(1, len(regions) + 1)
    drawn[embedded.mask] = names[pixels]
    return drawn
