"""Do our exact t-SNE and scikit-learn's Barnes-Hut t-SNE give the same loss, size and consensus?"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from consensus_embedding.consensus.stability import picture_distances
from consensus_embedding.manifold.distance_matrices import check_embeddings, combination_distances, distance_gram
from consensus_embedding.utils.seeds import stream

from replication.papers.tomo2025.mce_convergence import median_weights
from replication.shared.tidy import Metrics

PERMUTATIONS = 999
_GROUPS = 3


def run(
    runs: Mapping[str, tuple[np.ndarray, np.ndarray]],
    *,
    solver: dict,
    seed: int,
    dataset: str,
    source: str,
    n_jobs: int = 1,
) -> pd.DataFrame:
    """
    Compare implementations from the same starts, each with the exact one.

    Parameters
    ----------
    runs : mapping
        Implementation -> embeddings (m, n, 2) and exact Kullback-Leibler divergences (m,). Run k of each has
        the same start; m may differ. "exact" is among them.
    solver : dict
        tolerance and max_iter of the Weiszfeld iteration.
    seed : int
    dataset, source : str
    n_jobs : int

    Returns
    -------
    DataFrame
        Tidy metrics. Per run: loss and size (Frobenius norm of the distance matrix). Per implementation: mean
        distance between runs, and between the consensus embeddings of three groups of a third of the runs each,
        rounded down, and left out where a third is less than two runs. Per implementation against the exact
        one, method "exact vs <name>": the distance between their consensus embeddings with its permutation
        p value: were the names swapped at random within the pairs of runs of one start, how often would the
        two lie as far apart?
    """
    metrics = Metrics("tsne_equivalence", dataset, source, ["n_embeddings"])
    for method, (embeddings, divergences) in runs.items():
        for r, (embedding, divergence) in enumerate(zip(embeddings, divergences, strict=True)):
            metrics.add(method, "kl_divergence", divergence, r)
            size = np.sqrt(2.0) * np.linalg.norm(picture_distances(embedding))
            metrics.add(method, "size", size, r)
        _add_stability(metrics, method, embeddings, solver, n_jobs)
    exact, _ = runs["exact"]
    for method, (embeddings, _) in runs.items():
        if method != "exact":
            rng = stream(seed, dataset, "permutation", method)
            pairs = len(embeddings)
            _add_comparison(metrics, method, exact[:pairs], embeddings, solver, rng, n_jobs)
    return metrics.table()


def _add_stability(metrics: Metrics, method: str, embeddings: np.ndarray, solver: dict, n_jobs: int) -> None:
    """Distances between the runs of one implementation, and between the consensus of thirds of them."""
    m = len(embeddings)
    gram = distance_gram(check_embeddings(embeddings), n_jobs=n_jobs)
    single = combination_distances(gram, np.eye(m))
    metrics.add(method, "pairwise_distance", single[np.triu_indices(m, 1)].mean(), n_embeddings=1)
    size = m // _GROUPS
    if size < 2:
        return
    thirds = np.arange(_GROUPS * size).reshape(_GROUPS, size)
    between = combination_distances(gram, np.array([median_weights(gram, part, solver) for part in thirds]))
    for i, j in combinations(range(_GROUPS), 2):
        metrics.add(method, "pairwise_distance", between[i, j], f"{i}-{j}", n_embeddings=size)


def _add_comparison(
    metrics: Metrics,
    method: str,
    exact: np.ndarray,
    other: np.ndarray,
    solver: dict,
    rng: np.random.Generator,
    n_jobs: int,
) -> None:
    """Distance between the consensus of two implementations, and what chance would make of it."""
    m = len(exact)
    gram = distance_gram(check_embeddings([*exact, *other]), n_jobs=n_jobs)

    def gap(swapped: np.ndarray) -> float:
        first = np.where(swapped, np.arange(m) + m, np.arange(m))
        second = np.where(swapped, np.arange(m), np.arange(m) + m)
        both = np.array([median_weights(gram, first, solver), median_weights(gram, second, solver)])
        return float(combination_distances(gram, both)[0, 1])

    observed = gap(np.zeros(m, dtype=bool))
    permuted = np.array([gap(rng.random(m) < 0.5) for _ in range(PERMUTATIONS)])
    name = f"exact vs {method}"
    metrics.add(name, "consensus_distance", observed, n_embeddings=m)
    metrics.add(name, "consensus_distance_by_chance", permuted.mean(), n_embeddings=m)
    p_value = (1 + np.sum(permuted >= observed * (1 - 1e-9))) / (1 + PERMUTATIONS)
    metrics.add(name, "consensus_distance_p_value", p_value, n_embeddings=m)
