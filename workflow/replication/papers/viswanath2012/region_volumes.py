"""Region maps of the slices of a volume: slice by slice, several at a time, or all in one embedding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from consensus_embedding.clustering.mean_shift import Objects, objects_of_centres, representative_objects
from consensus_embedding.utils.seeds import stream
from joblib import delayed
from threadpoolctl import threadpool_limits

from replication.data.readers.volumes import ImageSlice
from replication.papers.viswanath2012.image_slices import slice_features
from replication.papers.viswanath2012.region_maps import map_slice
from replication.papers.viswanath2012.settings import RegionSettings
from replication.platform.steps import QUIET, Work
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

# Mean shift takes time as the number of pixels to the power 1.5. The objects of a volume with more pixels are found
# among so many, drawn at random; then each pixel goes to the nearest.
MOST_PIXELS = 50_000


def map_slices(
    slices: Sequence[ImageSlice],
    settings: RegionSettings,
    metrics: Metrics,
    *,
    n_regions: int = 2,
    one_embedding: bool = False,
    work: Work = QUIET,
) -> list[np.ndarray]:
    """Region maps of several slices."""
    progress, how = work.progress(len(slices), "slices"), {"n_regions": n_regions, "seed": work.seed}
    if one_embedding:
        maps = _map_together(slices, settings, metrics, **how, n_jobs=work.threads)
        progress(len(slices))
        return maps
    if len(slices) == 1:
        maps = [map_slice(slices[0], settings, metrics, **how, n_jobs=work.threads)]
        progress(1)
        return maps

    def map_alone(image_slice: ImageSlice) -> tuple[np.ndarray, Metrics]:
        own = Metrics(**metrics.fixed, conditions=metrics.conditions)
        return map_slice(image_slice, settings, own, **how), own

    # The small ones first: the first that is too small ends the work of all.
    rising = sorted(range(len(slices)), key=lambda k: slices[k].mask.sum())
    results = results_of((delayed(map_alone)(slices[k]) for k in rising), work.threads, progress)
    mapped = dict(zip(rising, results, strict=True))
    metrics.rows += [row for k in range(len(slices)) for row in mapped[k][1].rows]
    return [mapped[k][0] for k in range(len(slices))]


def _map_together(
    slices: Sequence[ImageSlice], settings: RegionSettings, metrics: Metrics, **how: int
) -> list[np.ndarray]:
    """All slices as one image, one below the other, so far apart that no window reaches over two of them."""
    gap = ((0, settings.window), (0, 0))

    def stack_tables(tables: Sequence[np.ndarray]) -> np.ndarray:
        return np.concatenate([np.pad(table, gap) for table in tables])

    first, last = slices[0], slices[-1]
    name = first.name if len(slices) == 1 else f"{first.name} to {last.name}"
    labels = None if first.labels is None else stack_tables([image_slice.labels for image_slice in slices])
    volume = ImageSlice(
        name,
        stack_tables([image_slice.image for image_slice in slices]),
        stack_tables([image_slice.mask for image_slice in slices]),
        labels,
    )
    drawn = map_slice(volume, settings, metrics, objects=_objects(volume, settings, how["seed"]), **how)
    return [
        table[: len(image_slice.mask)] for table, image_slice in zip(np.split(drawn, len(slices)), slices, strict=True)
    ]


def _objects(volume: ImageSlice, settings: RegionSettings, seed: int) -> Objects:
    """Objects of all pixels, found among some of them where there are very many."""
    with threadpool_limits(1):
        features = slice_features(volume.image, volume.mask, settings)
        if len(features) <= MOST_PIXELS:
            return representative_objects(features, settings.objects, max_objects=settings.max_objects, seed=seed)
        chosen = stream(seed, "pixels of a volume").choice(len(features), MOST_PIXELS, replace=False)
        sample = features[np.sort(chosen)]
        objects = representative_objects(sample, settings.objects, max_objects=settings.max_objects, seed=seed)
    return objects_of_centres(features, objects.features, objects.bandwidth)
