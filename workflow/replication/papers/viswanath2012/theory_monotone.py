"""Do embedding strength, class-triplet accuracy and clustering accuracy rise together? (Theorem 1; CE-19, CE-22)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from consensus_embedding.clustering.clustering import object_accuracy, r_squared_index, replicated_kmeans_many
from consensus_embedding.clustering.hierarchical_clustering import hierarchical_clusters_many
from consensus_embedding.consensus.stability import picture_distances
from consensus_embedding.consensus.strength import class_triplet_accuracy, embedding_strength
from consensus_embedding.manifold.distance_matrices import validate_embeddings
from consensus_embedding.utils.seeds import stream
from scipy.spatial.distance import pdist, squareform
from scipy.stats import spearmanr
from threadpoolctl import threadpool_limits

from replication.papers.viswanath2012.experiments.theory_monotone import MonotoneStudy
from replication.papers.viswanath2012.method_names import MEASURES
from replication.platform.steps import QUIET, Work
from replication.shared.tidy import Metrics

CONDITIONS = ["series", "compared_with", "draw"]


def run(parameters: MonotoneStudy, work: Work = QUIET) -> pd.DataFrame:
    """Correlate the measures of embedding quality over simulated embeddings of two classes."""
    metrics = Metrics("theory_monotone", "simulated_objects", "simulated", CONDITIONS)
    for series in parameters.series:
        work.say(f"{parameters.repetitions} x {parameters.n_levels} embeddings, series {series}")
        for repetition in range(parameters.repetitions):
            rng = stream(work.seed, "theory_monotone", series, repetition)
            truth, labels, embeddings = simulate(series, parameters, rng)
            values = measures(truth, embeddings, labels)
            for first, second in combinations(MEASURES, 2):
                at = {"series": series, "compared_with": second}
                metrics.add(first, "spearman", rank_correlation(values[first], values[second]), repetition, **at)
                metrics.add(first, "concordant", concordant_share(values[first], values[second]), repetition, **at)
    return metrics.table()


def run_on_embeddings(
    features: np.ndarray,
    embeddings: Sequence[np.ndarray] | np.ndarray,
    labels: np.ndarray,
    *,
    sizes: np.ndarray | None = None,
    dataset: str,
    source: str,
    repetition: str | int = 0,
    series: str = "real",
    linkage: str | None = None,
    others: Mapping[str, np.ndarray] | None = None,
    draw: int = 0,
) -> pd.DataFrame:
    """Correlate the measures of embedding quality over embeddings of real data."""
    metrics = Metrics("theory_monotone", dataset, source, CONDITIONS)
    values = measures(features, embeddings, labels, sizes=sizes, linkage=linkage)
    if len(values["strength"]) < 3:
        raise ValueError(f"A rank correlation needs at least 3 embeddings, found {len(values['strength'])}.")
    if others:
        with threadpool_limits(1):
            original = squareform(picture_distances(np.asarray(features, dtype=np.float64)))
            strengths = {
                name: embedding_strength(original, squareform(picture_distances(space))).value
                for name, space in others.items()
            }
        strengths |= {"best_base": values["strength"].max(), "mean_base": values["strength"].mean()}
        for name, strength in strengths.items():
            metrics.add(name, "triplet_strength", strength, repetition, series=series)
    for first, second in combinations(MEASURES, 2):
        at = {"series": series, "compared_with": second, "draw": draw}
        metrics.add(first, "spearman", rank_correlation(values[first], values[second]), repetition, **at)
    return metrics.table()


def measures(
    features: np.ndarray,
    embeddings: Sequence[np.ndarray] | np.ndarray,
    labels: np.ndarray,
    *,
    sizes: np.ndarray | None = None,
    linkage: str | None = None,
) -> dict[str, np.ndarray]:
    """Quality of each embedding by each measure of `MEASURES`."""
    stack = validate_embeddings(embeddings)
    features, shares = np.asarray(features, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    sizes = np.ones(len(shares)) if sizes is None else np.asarray(sizes, dtype=np.float64)
    majority = (shares >= 0.5).astype(np.int64)
    result: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    with threadpool_limits(1):
        original = squareform(picture_distances(features))
        clusters = (
            hierarchical_clusters_many(stack, 2, linkage=linkage)
            if linkage
            else replicated_kmeans_many(stack, 2, weights=sizes)
        )
        for embedding, groups in zip(stack, clusters, strict=True):
            distances = squareform(picture_distances(embedding))
            strength = embedding_strength(original, distances)
            by_class = class_triplet_accuracy(majority, distances)
            result["strength"].append(strength.value)
            result["class_triplet_accuracy"].append(by_class.value)
            result["clustering_accuracy"].append(object_accuracy(groups, shares * sizes, sizes))
            result["r_squared_index"].append(r_squared_index(embedding, groups, sizes))
    return {measure: np.array(values) for measure, values in result.items()}


def simulate(
    series: str, parameters: MonotoneStudy, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Simulate two Gaussian classes and a series of embeddings of them."""
    n, p, m = parameters.n_objects, parameters.n_components, parameters.n_levels
    labels = np.arange(n) % 2
    truth = rng.normal(size=(n, p))
    truth[:, 0] += (_apart(truth) if series == "premise" else parameters.separation) * labels
    errors = rng.normal(size=(m, n, p))
    size = np.geomspace(parameters.largest_error / 100.0, parameters.largest_error, m)
    reach = np.log(parameters.largest_stretch)
    stretch = np.exp(np.linspace(-reach, reach, m))
    if series == "noise":
        stretch = np.ones(m)
    elif series == "emphasis":
        size = np.zeros(m)
    else:
        size, stretch = rng.permutation(size), rng.permutation(stretch)
    factors = np.ones((m, 1, p))
    factors[:, 0, 0] = stretch
    return truth, labels, truth * factors + size[:, None, None] * errors


def _apart(objects: np.ndarray) -> float:
    """Shift of one class along the first axis that makes all pairs of one class closer than those of two."""
    return float(pdist(objects).max() + np.ptp(objects[:, 0]))


def concordant_share(a: np.ndarray, b: np.ndarray) -> float:
    """Share of the pairs of embeddings that two measures do not put in opposite order."""
    first, second = np.triu_indices(len(a), 1)
    return float(((a[first] - a[second]) * (b[first] - b[second]) >= 0).mean())


def rank_correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """Spearman's rank correlation; NaN if either is constant."""
    return float(spearmanr(a, b).statistic) if np.ptp(a) and np.ptp(b) else float("nan")
