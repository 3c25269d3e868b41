"""Run times of consensus embedding, compared with those of the paper (Viswanath and Madabhushi 2012, Methods)."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from consensus_embedding.clustering.clustering import (
    CHANCE_ACCURACY,
    clustering_accuracy,
    object_accuracy,
    r_squared_index,
)
from consensus_embedding.clustering.mean_shift import representative_objects
from consensus_embedding.consensus.subset_embeddings import (
    combine_embeddings,
    embed_subsets,
    feature_subsets,
    select_embeddings,
)
from consensus_embedding.utils.seeds import stream, stream_seed
from threadpoolctl import threadpool_limits

from replication.papers.viswanath2012.image_slices import cluster, cluster_many, slice_features
from replication.papers.viswanath2012.settings import RegionSettings
from replication.shared.tidy import Metrics

CONDITIONS = ["n_pixels", "n_objects", "threads"]


def run(
    image: np.ndarray,
    mask: np.ndarray,
    positive: np.ndarray,
    settings: RegionSettings,
    *,
    n_pixels: int,
    repetitions: int,
    seed: int,
    dataset: str,
    source: str,
    n_jobs: int = 1,
    progress: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Time the steps on a complete slice (ConsEmbedMS) and on a sample of its pixels without subsampling."""
    metrics = Metrics("brain_runtime", dataset, source, CONDITIONS)
    truth = positive[mask]
    for r in range(repetitions + 1):
        progress(f"ConsEmbedMS on {mask.sum()} pixels, repetition {r}")
        start = time.perf_counter()
        features = slice_features(image, mask, settings)
        textured = time.perf_counter()
        with threadpool_limits(1):
            objects = representative_objects(features, settings.objects, max_objects=settings.max_objects, seed=seed)
        subsampled = time.perf_counter()
        positive_counts = np.bincount(objects.assignment, weights=truth, minlength=len(objects.features))
        steps, combined = _time_steps(objects.features, positive_counts, objects.sizes, settings, seed, n_jobs)
        steps = {"texture": textured - start, "subsampling": subsampled - textured, **steps}
        if r:
            at = {"n_pixels": len(features), "n_objects": len(objects.features), "threads": n_jobs}
            for step, seconds in {**steps, "total": time.perf_counter() - start}.items():
                metrics.add(step, "seconds", seconds, r, **at)

    sample = stream(seed, "pixels to time").choice(len(features), min(n_pixels, len(features)), False)
    progress(f"The steps on {len(sample)} pixels, no subsampling")
    table = features[sample]
    ones = np.ones(len(sample))
    steps, alone = _time_steps(table, truth[sample].astype(float), ones, settings, seed, n_jobs)
    partitions = {
        "consensus_of_objects": objects.to_pixels(cluster(combined, objects.sizes, settings))[sample],
        "consensus_of_pixels": cluster(alone, ones, settings),
    }
    at = {"n_pixels": len(sample), "threads": n_jobs}
    for (method, clusters), n in zip(partitions.items(), (len(objects.features), len(sample)), strict=True):
        metrics.add(method, "accuracy", clustering_accuracy(clusters, truth[sample]), 1, n_objects=n, **at)
    for step, seconds in steps.items():
        metrics.add(step, "seconds", seconds, 1, n_pixels=len(sample), n_objects=len(sample), threads=n_jobs)
    return metrics.table()


def _time_steps(
    features: np.ndarray, positive: np.ndarray, sizes: np.ndarray, settings: RegionSettings, seed: int, n_jobs: int
) -> tuple[dict[str, float], np.ndarray]:
    """Seconds of each step, and the consensus embedding that comes of them."""
    subsets = feature_subsets(
        features.shape[1], settings.n_embeddings, settings.subset_size, stream_seed(seed, "image subsets")
    )
    start = time.perf_counter()
    embeddings = embed_subsets(
        features, subsets, n_components=settings.n_components, options=settings.graph_options, n_jobs=n_jobs
    )
    created = time.perf_counter()
    clusters = cluster_many(embeddings, sizes, settings)
    if settings.strength == "accuracy":
        strengths, chance = [object_accuracy(labels, positive, sizes) for labels in clusters], CHANCE_ACCURACY
    else:
        of_each = zip(embeddings, clusters, strict=True)
        strengths, chance = [r_squared_index(embedding, labels, sizes) for embedding, labels in of_each], 0.0
    selected = select_embeddings(strengths, settings.theta, reading=settings.theta_reading, chance=chance)
    chosen = time.perf_counter()
    space = combine_embeddings(embeddings[selected], n_jobs=n_jobs, **settings.combination).embedding
    seconds = {"create": created - start, "select": chosen - created, "combine": time.perf_counter() - chosen}
    return seconds, space
