"""Run times of consensus embedding, compared with those of the paper (Viswanath and Madabhushi 2012, Methods)."""

from __future__ import annotations

import time
from collections.abc import Mapping

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
from replication.platform.steps import QUIET, Work
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
    about: Mapping[str, str],
    work: Work = QUIET,
) -> pd.DataFrame:
    """Time the steps on a complete slice (ConsEmbedMS) and on a sample of its pixels without subsampling."""
    metrics = Metrics("brain_runtime", **about, conditions=CONDITIONS)
    truth = positive[mask]
    for r in range(repetitions + 1):
        work.say(f"ConsEmbedMS on {mask.sum()} pixels, repetition {r}")
        start = time.perf_counter()
        features = slice_features(image, mask, settings)
        textured = time.perf_counter()
        with threadpool_limits(1):
            most = settings.max_objects
            objects = representative_objects(features, settings.objects, max_objects=most, seed=work.seed)
        subsampled = time.perf_counter()
        positive_counts = np.bincount(objects.assignment, weights=truth, minlength=len(objects.features))
        steps, combined = _time_steps(objects.features, positive_counts, objects.sizes, settings, work)
        steps = {"texture": textured - start, "subsampling": subsampled - textured, **steps}
        if r:
            at = {"n_pixels": len(features), "n_objects": len(objects.features), "threads": work.threads}
            for step, seconds in {**steps, "total": time.perf_counter() - start}.items():
                metrics.add(step, "seconds", seconds, r, **at)

    sample = stream(work.seed, "pixels to time").choice(len(features), min(n_pixels, len(features)), False)
    work.say(f"The steps on {len(sample)} pixels, no subsampling")
    table = features[sample]
    ones = np.ones(len(sample))
    steps, alone = _time_steps(table, truth[sample].astype(float), ones, settings, work)
    partitions = {
        "consensus_of_objects": objects.to_pixels(cluster(combined, objects.sizes, settings))[sample],
        "consensus_of_pixels": cluster(alone, ones, settings),
    }
    at = {"n_pixels": len(sample), "threads": work.threads}
    for (method, clusters), n in zip(partitions.items(), (len(objects.features), len(sample)), strict=True):
        metrics.add(method, "accuracy", clustering_accuracy(clusters, truth[sample]), 1, n_objects=n, **at)
    for step, seconds in steps.items():
        metrics.add(step, "seconds", seconds, 1, n_pixels=len(sample), n_objects=len(sample), threads=work.threads)
    return metrics.table()


def _time_steps(
    features: np.ndarray, positive: np.ndarray, sizes: np.ndarray, settings: RegionSettings, work: Work
) -> tuple[dict[str, float], np.ndarray]:
    """Seconds of each step, and the consensus embedding that comes of them."""
    subsets = feature_subsets(
        features.shape[1], settings.n_embeddings, settings.subset_size, stream_seed(work.seed, "image subsets")
    )
    start = time.perf_counter()
    embeddings = embed_subsets(
        features, subsets, n_components=settings.n_components, options=settings.graph_options, n_jobs=work.threads
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
    space = combine_embeddings(embeddings[selected], n_jobs=work.threads, **settings.combination).embedding
    seconds = {"create": created - start, "select": chosen - created, "combine": time.perf_counter() - chosen}
    return seconds, space
