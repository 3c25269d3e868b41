"""Do our exact t-SNE and scikit-learn's Barnes-Hut t-SNE give the same loss and the same consensus?"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from consensus_embedding.experiments.tidy import Metrics
from consensus_embedding.median_consensus_embedding import (
    check_embeddings,
    combination_distances,
    distance_gram,
    geometric_median,
)
from consensus_embedding.seeds import stream

GROUPS = 3
PERMUTATIONS = 999


def run(
    exact: np.ndarray,
    exact_kl: np.ndarray,
    barnes_hut: np.ndarray,
    barnes_hut_kl: np.ndarray,
    *,
    solver: dict,
    seed: int,
    dataset: str,
    source: str,
    n_jobs: int = 1,
) -> pd.DataFrame:
    """
    Compare runs of two implementations that start at the same points.

    Parameters
    ----------
    exact, barnes_hut : ndarray of shape (m, n, 2)
        Run k of either has the same start.
    exact_kl, barnes_hut_kl : ndarray of shape (m,)
        Exact Kullback-Leibler divergences.
    solver : dict
        tolerance and max_iter of the Weiszfeld iteration.
    seed : int
    dataset, source : str
    n_jobs : int

    Returns
    -------
    DataFrame
        Tidy metrics: loss per run; mean distance between runs within each implementation and across;
        distances between consensus embeddings of thirds of the runs; the distance between the two consensus
        embeddings of all runs, with its permutation p value (were the names of the implementations swapped at
        random within the pairs of runs, how often would the two lie as far apart?).
    """
    metrics = Metrics("tsne_equivalence", dataset, source, ["n_embeddings"])
    m = len(exact)
    for method, divergences in (("exact", exact_kl), ("scikit-learn", barnes_hut_kl)):
        for r, value in enumerate(divergences):
            metrics.add(method, "kl_divergence", value, r)

    gram = distance_gram(check_embeddings([*exact, *barnes_hut]), n_jobs=n_jobs)
    single = combination_distances(gram, np.eye(2 * m))
    upper = np.triu_indices(m, 1)
    metrics.add("exact", "mean_pairwise_distance", single[:m, :m][upper].mean(), n_embeddings=1)
    metrics.add("scikit-learn", "mean_pairwise_distance", single[m:, m:][upper].mean(), n_embeddings=1)
    across = single[:m, m:][~np.eye(m, dtype=bool)].mean()
    metrics.add("across", "mean_pairwise_distance", across, n_embeddings=1)

    def consensus(runs: np.ndarray) -> np.ndarray:
        weights = np.zeros(2 * m)
        weights[runs] = geometric_median(gram[np.ix_(runs, runs)], **solver).weights
        return weights

    thirds = np.array_split(np.arange(m), GROUPS)
    for method, offset in (("exact", 0), ("scikit-learn", m)):
        between = combination_distances(gram, np.array([consensus(part + offset) for part in thirds]))
        for i, j in combinations(range(GROUPS), 2):
            metrics.add(
                method, "consensus_pairwise_distance", between[i, j], f"{i}-{j}", n_embeddings=len(thirds[0])
            )

    def gap(swapped: np.ndarray) -> float:
        pairs = np.array([np.arange(m), np.arange(m) + m])
        first = np.where(swapped, pairs[1], pairs[0])
        second = np.where(swapped, pairs[0], pairs[1])
        return float(combination_distances(gram, np.array([consensus(first), consensus(second)]))[0, 1])

    observed = gap(np.zeros(m, dtype=bool))
    rng = stream(seed, dataset, "permutation")
    permuted = np.array([gap(rng.random(m) < 0.5) for _ in range(PERMUTATIONS)])
    metrics.add("across", "consensus_distance", observed, n_embeddings=m)
    metrics.add("across", "consensus_distance_permuted_mean", permuted.mean(), n_embeddings=m)
    p_value = (1 + np.sum(permuted >= observed)) / (1 + PERMUTATIONS)
    metrics.add("across", "consensus_distance_p_value", p_value, n_embeddings=m)
    return metrics.table()
