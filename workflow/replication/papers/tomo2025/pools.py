"""Pools of t-SNE runs that the median consensus experiments share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable

import numpy as np
from consensus_embedding.manifold.tsne import (
    joint_probabilities,
    kl_divergence,
    pca_start,
    random_start,
    tsne_runs,
)
from consensus_embedding.utils.seeds import stream_seed

from replication.papers.tomo2025.settings import TSNESettings

# Our kernels, and how coarsely scikit-learn's may lump far points together when it sums the repulsive forces.
OURS = ("exact", "barnes_hut")
BARNES_HUT_ANGLES = {"scikit-learn": 0.5, "scikit-learn-fine": 0.1}


def run_seeds(root: int, dataset: str, runs: Iterable[int]) -> list[int]:
    """Seeds of numbered runs: the same for every implementation, so that these start at the same points."""
    return [stream_seed(root, dataset, "run", run) for run in runs]


def embed_runs(
    X: np.ndarray,
    seeds: list[int],
    tsne: TSNESettings,
    *,
    init: str = "random",
    progress: Callable[[int], None] = lambda finished: None,
) -> tuple[np.ndarray, np.ndarray]:
    """Run t-SNE once per seed."""
    options = tsne.only("learning_rate", "early_exaggeration", "max_iter")
    affinities = joint_probabilities(X, tsne.perplexity)
    starts = [pca_start(X) if init == "pca" else random_start(len(X), seed) for seed in seeds]
    if tsne.implementation in OURS:
        embeddings, divergences, _ = tsne_runs(
            affinities, starts, method=tsne.implementation, progress=progress, **options
        )
        return embeddings, divergences
    from sklearn.manifold import TSNE

    embeddings = np.empty((len(seeds), len(X), 2), dtype=np.float32)
    for k, seed in enumerate(seeds):
        model = TSNE(
            init=starts[k] if init == "pca" else init,
            perplexity=tsne.perplexity,
            angle=BARNES_HUT_ANGLES[tsne.implementation],
            random_state=seed,
            n_jobs=1,
            **options,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            embeddings[k] = np.asarray(model.fit_transform(X))
        progress(k + 1)
    return embeddings, np.array([kl_divergence(affinities, embedding) for embedding in embeddings])
