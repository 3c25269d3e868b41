"""Do two kernels of our t-SNE and scikit-learn's give the same loss, size and consensus?"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from consensus_embedding.consensus.stability import picture_distances
from consensus_embedding.manifold.distance_matrices import combination_distances, distance_gram, validate_embeddings
from consensus_embedding.utils.seeds import stream

from replication.papers.tomo2025.margins import MARGINS
from replication.papers.tomo2025.mce_convergence import median_weights
from replication.platform.steps import QUIET, Work
from replication.shared.statistics import paired_comparison
from replication.shared.tidy import Metrics

PERMUTATIONS = 999
# What an implementation is compared with; the others with the exact one.
REFERENCES = {"barnes_hut": "scikit-learn"}
_GROUPS = 3
_SPLITS = 100


def run(
    runs: Mapping[str, tuple[np.ndarray, np.ndarray]], *, solver: dict, about: Mapping[str, str], work: Work = QUIET
) -> pd.DataFrame:
    """Compare implementations from the same starts: our Barnes-Hut with scikit-learn's, others with the exact one."""
    metrics = Metrics("tsne_equivalence", **about, conditions=["n_embeddings"])
    values: dict[str, dict[str, np.ndarray]] = {}
    for method, (embeddings, divergences) in runs.items():
        sizes = [np.sqrt(2.0) * np.linalg.norm(picture_distances(embedding)) for embedding in embeddings]
        values[method] = {"kl_divergence": np.asarray(divergences), "size": np.array(sizes)}
        for r, (divergence, size) in enumerate(zip(divergences, sizes, strict=True)):
            metrics.add(method, "kl_divergence", divergence, r)
            metrics.add(method, "size", size, r)
        _add_stability(metrics, method, embeddings, solver, work.threads)
    for method, (embeddings, _) in runs.items():
        reference = REFERENCES.get(method, "exact")
        if method == reference:
            continue
        name, pairs = f"{reference} vs {method}", len(embeddings)
        for metric in MARGINS:
            _add_difference(metrics, name, metric, values[reference][metric][:pairs], values[method][metric])
        rngs = [stream(work.seed, about["dataset"], use, method) for use in ("permutation", "halves")]
        _add_comparison(metrics, name, runs[reference][0][:pairs], embeddings, solver, rngs, work.threads)
    return metrics.table()


def _add_difference(metrics: Metrics, name: str, metric: str, reference: np.ndarray, other: np.ndarray) -> None:
    """Mean difference between runs of one start, as a share of the reference's mean, with its equivalence test."""
    m, unit = len(other), reference.mean()
    comparison = paired_comparison(other / unit, reference / unit, margin=MARGINS[metric])
    parts = {
        "": comparison.mean_difference,
        "_low": comparison.ci_low,
        "_high": comparison.ci_high,
        "_p_value": comparison.tost_p,
    }
    for part, value in parts.items():
        metrics.add(name, f"{metric}_difference{part}", value, n_embeddings=m)


def _add_stability(metrics: Metrics, method: str, embeddings: np.ndarray, solver: dict, n_jobs: int) -> None:
    """Distances between the runs of one implementation, and between the consensus of thirds of them."""
    m = len(embeddings)
    gram = distance_gram(validate_embeddings(embeddings), n_jobs=n_jobs)
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
    name: str,
    reference: np.ndarray,
    other: np.ndarray,
    solver: dict,
    rngs: list[np.random.Generator],
    n_jobs: int,
) -> None:
    """Distance between the consensus of two implementations, what chance would make of it, and that of halves."""
    m, (swaps, halves) = len(reference), rngs
    gram = distance_gram(validate_embeddings([*reference, *other]), n_jobs=n_jobs)

    def gap(first: np.ndarray, second: np.ndarray) -> float:
        both = np.array([median_weights(gram, first, solver), median_weights(gram, second, solver)])
        return float(combination_distances(gram, both)[0, 1])

    def swapped(swap: np.ndarray) -> float:
        return gap(np.where(swap, np.arange(m) + m, np.arange(m)), np.where(swap, np.arange(m), np.arange(m) + m))

    observed = swapped(np.zeros(m, dtype=bool))
    permuted = np.array([swapped(swaps.random(m) < 0.5) for _ in range(PERMUTATIONS)])
    metrics.add(name, "consensus_distance", observed, n_embeddings=m)
    metrics.add(name, "consensus_distance_by_chance", permuted.mean(), n_embeddings=m)
    p_value = (1 + np.sum(permuted >= observed * (1 - 1e-9))) / (1 + PERMUTATIONS)
    metrics.add(name, "consensus_distance_p_value", p_value, n_embeddings=m)
    if m >= 4:
        shuffled = [halves.permutation(m) for _ in range(_SPLITS)]
        within = np.mean([gap(order[: m // 2], order[m // 2 : 2 * (m // 2)]) for order in shuffled])
        metrics.add(name, "consensus_distance_of_halves", within, n_embeddings=m)
