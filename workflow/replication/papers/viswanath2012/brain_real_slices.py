"""The three real BrainWeb slices and their re-simulation: the images, and Experiment 1 on both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from replication.papers.viswanath2012.brain_grid import pixel_accuracies, score_slice
from replication.papers.viswanath2012.image_slices import WHITE_MATTER, embed_slice, slice_features
from replication.papers.viswanath2012.method_names import METHODS
from replication.papers.viswanath2012.settings import ImageSettings
from replication.shared.tidy import Metrics

CONDITIONS = ["tissue", "slice"]


def run(
    images: Mapping[str, Sequence],
    comparison: Sequence[Mapping],
    settings: ImageSettings,
    *,
    seed: int,
) -> pd.DataFrame:
    """Compare real and simulated slices, as images and as input of the methods."""
    tables = []
    for source, slices in images.items():
        dataset = "brainweb" if source == "original" else "brainweb_resimulated"
        metrics = Metrics("brain_real_slices", dataset, source, CONDITIONS)
        for image_slice in slices:
            positive = image_slice.labels == WHITE_MATTER
            embedded = embed_slice(image_slice.image, image_slice.mask, positive, settings, seed=seed)
            clusters, _ = score_slice(embedded, settings, seed=seed)
            for method in [name for name in METHODS if name in clusters]:
                metrics.add(method, "accuracy", embedded.accuracy(clusters[method]), slice=image_slice.name)
            features = slice_features(image_slice.image, image_slice.mask, settings)
            for method, accuracy in pixel_accuracies(embedded, settings.kmeans_starts, features).items():
                metrics.add(method, "accuracy", accuracy, slice=image_slice.name)
        if source == "simulated":
            for row in comparison:
                at = {"slice": f"z{row['slice']:03d}", "tissue": row["tissue"]}
                for metric, value in row.items():
                    if metric not in ("slice", "tissue", "n_pixels") and np.isfinite(value):
                        metrics.add("simulator", metric, value, **at)
        tables.append(metrics.table())
    return pd.concat(tables, ignore_index=True)
