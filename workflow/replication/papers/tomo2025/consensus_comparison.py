"""Other ways to combine the same runs: which is stable, and which keeps the neighbourhoods?"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from consensus_embedding.consensus.median_consensus_embedding import geometric_median
from consensus_embedding.consensus.pairwise import pairwise_consensus
from consensus_embedding.consensus.stability import (
    condensed_distance,
    nearest_neighbors,
    neighborhood_preservation,
    picture_distances,
)
from consensus_embedding.manifold.distance_matrices import combined_distances, validate_embeddings
from consensus_embedding.manifold.mds import embed_distances
from consensus_embedding.utils.seeds import stream
from scipy.spatial.distance import squareform
from sklearn.metrics import silhouette_score

from replication.papers.tomo2025.mce_convergence import median_weights
from replication.papers.tomo2025.method_names import COMBINATIONS
from replication.platform.steps import QUIET, Work
from replication.shared.tidy import Metrics

CONDITIONS = ["space"]


def run(
    X: np.ndarray,
    labels: np.ndarray,
    embeddings: np.ndarray,
    kl_divergences: np.ndarray,
    gram: np.ndarray,
    pca_run: np.ndarray,
    multiscale: np.ndarray,
    *,
    reference_runs: int,
    n_embeddings: int,
    repetitions: int,
    n_neighbors: int,
    solver: dict,
    mds: str,
    about: Mapping[str, str],
    work: Work = QUIET,
) -> pd.DataFrame:
    """Combine identical pools of runs in several ways and score each."""
    pool = validate_embeddings(embeddings)
    comparison = Comparison(X, labels, reference_of(pool, gram, reference_runs, solver, work.threads), n_neighbors)
    metrics = Metrics("consensus_comparison", **about, conditions=CONDITIONS)
    repeated: dict[str, list[np.ndarray]] = {method: [] for method in COMBINATIONS}
    for r in range(repetitions):
        runs = runs_of(r, reference_runs, n_embeddings)
        work.say(f"Repetition {r + 1} of {repetitions}: {len(runs)} runs in {len(COMBINATIONS)} ways")
        combined = _combine(pool[runs], gram[np.ix_(runs, runs)], kl_divergences[runs], solver, work.threads)
        combined["pca_start"] = picture_distances(pca_run)
        combined["multiscale"] = picture_distances(multiscale[r])
        spread = pool[runs[0]].std()
        combined["random"] = picture_distances(
            stream(work.seed, about["dataset"], "random", r).normal(scale=spread, size=(len(X), 2))
        )
        for method, distances in combined.items():
            drawn = method in ("geometric_median", "mean", "pairwise_median", "pairwise_mode")
            picture = embed_distances(squareform(distances), mds=mds) if drawn else None
            comparison.add_scores(metrics, method, r, distances, picture)
            repeated[method].append(distances.astype(np.float32))

    for method, results in repeated.items():
        add_distances_between(metrics, method, results)
    return metrics.table()


def reference_of(pool: np.ndarray, gram: np.ndarray, reference_runs: int, solver: dict, n_jobs: int) -> np.ndarray:
    """Condensed distances of the reference: the geometric median of the first runs of a pool."""
    return combined_distances(pool, median_weights(gram, np.arange(reference_runs), solver), n_jobs=n_jobs)


def runs_of(repetition: int, reference_runs: int, n_embeddings: int) -> np.ndarray:
    """The runs of a pool that are combined in a repetition."""
    first = reference_runs + repetition * n_embeddings
    return np.arange(first, first + n_embeddings)


def add_distances_between(metrics: Metrics, method: str, results: list[np.ndarray]) -> None:
    """Add the distances between the results of all pairs of repetitions, given as condensed distances."""
    for i, j in combinations(range(len(results)), 2):
        apart = condensed_distance(results[i], results[j])
        metrics.add(method, "pairwise_distance", apart, f"{i}-{j}", space="consensus")


class Comparison:
    """What every way to combine the runs is compared with; `reference` are condensed distances."""

    def __init__(self, X: np.ndarray, labels: np.ndarray, reference: np.ndarray, n_neighbors: int):
        self.neighbors = nearest_neighbors(squareform(picture_distances(X)), n_neighbors)
        self.labels = labels
        self.reference = reference

    def add_scores(
        self, metrics: Metrics, method: str, repetition: int, distances: np.ndarray, picture: np.ndarray | None
    ) -> None:
        """Add the scores of condensed distances and, if it is one of its own, of their picture."""
        away = condensed_distance(distances, self.reference)
        metrics.add(method, "distance_to_reference", away, repetition, space="consensus")
        spaces = {"consensus": squareform(distances)}
        if picture is not None:
            spaces["picture"] = squareform(picture_distances(picture))
        for space, matrix in spaces.items():
            for metric, value in _scores(matrix, self.neighbors, self.labels).items():
                metrics.add(method, metric, value, repetition, space=space)


def _scores(distances: np.ndarray, neighbors: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """How well square distances keep the neighbours of the original space, and separate the classes."""
    kept = nearest_neighbors(distances, neighbors.shape[1])
    return {
        "neighborhood_preservation": neighborhood_preservation(neighbors, kept),
        "silhouette": float(silhouette_score(distances, labels, metric="precomputed")),
    }


def _combine(
    runs: np.ndarray, gram: np.ndarray, kl_divergences: np.ndarray, solver: dict, n_jobs: int
) -> dict[str, np.ndarray]:
    """Consensus distances of one pool by each method (condensed)."""
    squares = np.diag(gram)
    between = np.sqrt(np.maximum(squares[:, None] + squares - 2.0 * gram, 0.0))
    median = geometric_median(gram, **solver)
    return {
        "geometric_median": combined_distances(runs, median.weights, n_jobs=n_jobs),
        "mean": pairwise_consensus(runs, "mean", n_jobs=n_jobs),
        "pairwise_median": pairwise_consensus(runs, "median", n_jobs=n_jobs),
        "pairwise_mode": pairwise_consensus(runs, "mode", n_jobs=n_jobs),
        "medoid": picture_distances(runs[between.sum(axis=1).argmin()]),
        "lowest_kl": picture_distances(runs[kl_divergences.argmin()]),
        "single": picture_distances(runs[0]),
    }
