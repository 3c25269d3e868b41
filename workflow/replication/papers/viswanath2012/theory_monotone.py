"""Do embedding strength, class-triplet accuracy and clustering accuracy rise together? (Theorem 1; CE-19, CE-22)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from scipy.stats import bootstrap, rankdata
from threadpoolctl import threadpool_limits

from replication.papers.viswanath2012.experiments.theory_monotone import MonotoneStudy
from replication.papers.viswanath2012.method_names import MEASURES
from replication.shared.tidy import Metrics

CONDITIONS = ["series", "embedding", "compared_with", "draw"]
# Rank correlation of two measures above which one is taken to grow with the other.
MONOTONE = 0.9


def run(
    *,
    parameters: MonotoneStudy,
    seed: int,
    progress: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Correlate the measures of embedding quality over simulated embeddings of two classes."""
    metrics = Metrics("theory_monotone", "simulated_objects", "simulated", CONDITIONS)
    for series in parameters.series:
        progress(f"{parameters.repetitions} x {parameters.n_levels} embeddings, series {series}")
        by_pair: dict[tuple[str, str], list[float]] = {}
        for repetition in range(parameters.repetitions):
            rng = stream(seed, "theory_monotone", series, repetition)
            truth, labels, embeddings = simulate(series, parameters, rng)
            values = measures(truth, embeddings, labels)
            _add_values(metrics, values, series, repetition)
            for first, second in combinations(MEASURES, 2):
                value = rank_correlation(values[first], values[second])
                by_pair.setdefault((first, second), []).append(value)
                metrics.add(first, "spearman", value, repetition, series=series, compared_with=second)
                metrics.add(first, "monotone", float(value > MONOTONE), repetition, series=series, compared_with=second)
                share = concordant_share(values[first], values[second])
                metrics.add(first, "concordant", share, repetition, series=series, compared_with=second)
        for (first, second), correlations in by_pair.items():
            rng = stream(seed, "theory_monotone", series, "bootstrap")
            mean, low, high = bootstrap_mean(correlations, parameters.n_resamples, rng)
            for metric, value in (("spearman_mean", mean), ("spearman_low", low), ("spearman_high", high)):
                metrics.add(first, metric, value, series=series, compared_with=second)
    return metrics.table()


def run_on_embeddings(
    features: np.ndarray,
    embeddings: Sequence[np.ndarray] | np.ndarray,
    labels: np.ndarray,
    *,
    sizes: np.ndarray | None = None,
    n_resamples: int = 1000,
    seed: int,
    dataset: str,
    source: str,
    repetition: str | int = 0,
    series: str = "real",
    linkage: str | None = None,
    others: Mapping[str, np.ndarray] | None = None,
    draw: int = 0,
) -> pd.DataFrame:
    """
    Correlate the measures of embedding quality over embeddings of real data.

    Of the first draw of the embeddings the value of each and the intervals are kept too.
    """
    metrics = Metrics("theory_monotone", dataset, source, CONDITIONS)
    values = measures(features, embeddings, labels, sizes=sizes, linkage=linkage)
    if len(values["strength"]) < 3:
        raise ValueError(f"A rank correlation needs at least 3 embeddings, found {len(values['strength'])}.")
    if draw == 0:
        _add_values(metrics, values, series, repetition)
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
        if draw == 0:
            rng = stream(seed, "theory_monotone", "bootstrap", repetition)
            low, high = bootstrap_interval(values[first], values[second], n_resamples, rng)
            metrics.add(first, "spearman_low", low, repetition, **at)
            metrics.add(first, "spearman_high", high, repetition, **at)
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
    return float(_row_correlations(np.asarray(a, float)[None], np.asarray(b, float)[None])[0])


def bootstrap_interval(a: np.ndarray, b: np.ndarray, n_resamples: int, rng: np.random.Generator) -> tuple[float, float]:
    """Percentile interval (95 %) of Spearman's correlation, over resamples of the pairs."""
    rows = rng.integers(0, len(a), size=(n_resamples, len(a)))
    correlations = _row_correlations(a[rows], b[rows])
    correlations = correlations[np.isfinite(correlations)]
    if not len(correlations):
        return float("nan"), float("nan")
    low, high = np.percentile(correlations, [2.5, 97.5])
    return float(low), float(high)


def bootstrap_mean(values: Sequence[float], n_resamples: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """
    Mean and its 95 % percentile interval, over resamples of the values; undefined ones are left out.

    An interval by Student's t would leave the range of a correlation.
    """
    finite = np.asarray(values, dtype=np.float64)
    finite = finite[np.isfinite(finite)]
    if not len(finite):
        return float("nan"), float("nan"), float("nan")
    mean = float(finite.mean())
    if len(finite) == 1:
        return mean, mean, mean
    bounds = bootstrap((finite,), np.mean, n_resamples=n_resamples, method="percentile", rng=rng).confidence_interval
    return mean, float(bounds.low), float(bounds.high)


def _row_correlations(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Spearman's correlation of each row of a with the same row of b."""
    a, b = rankdata(a, axis=1), rankdata(b, axis=1)
    a -= a.mean(axis=1, keepdims=True)
    b -= b.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.square(a).sum(axis=1) * np.square(b).sum(axis=1))
    return np.divide((a * b).sum(axis=1), spread, out=np.full(len(a), np.nan), where=spread > 0)


def _add_values(metrics: Metrics, values: Mapping[str, np.ndarray], series: str, repetition: str | int) -> None:
    for measure, numbers in values.items():
        for embedding, value in enumerate(numbers):
            metrics.add(measure, "value", value, repetition, series=series, embedding=embedding)
