"""Distances to a large consensus, and between repetitions, against the number of runs combined (MC-01 to 08, 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, count, islice

import numpy as np
import pandas as pd
from consensus_embedding.consensus.median_consensus_embedding import geometric_median
from consensus_embedding.consensus.stability import condensed_distance, picture_distances, procrustes_align
from consensus_embedding.manifold.distance_matrices import (
    combination_distances,
    combined_distances,
    validate_embeddings,
)
from consensus_embedding.manifold.mds import embed_distances
from consensus_embedding.utils.seeds import stream
from consensus_embedding.utils.threads import one_blas_thread
from scipy.spatial.distance import squareform

from replication.papers.tomo2025.experiments.mce_convergence import ConvergenceStudy
from replication.platform.steps import QUIET, Work
from replication.shared.tidy import Metrics


def repetition_runs(reference_runs: int, n_embeddings: Sequence[int], repetitions: int) -> dict[int, list[np.ndarray]]:
    """Runs of each repetition, none shared between repetitions and none in the reference."""
    unused = count(reference_runs)
    return {m: [np.fromiter(islice(unused, m), int) for _ in range(repetitions)] for m in n_embeddings}


def median_weights(gram: np.ndarray, runs: np.ndarray, solver: dict) -> np.ndarray:
    """Weights, over the full pool, of the geometric median of some of its runs."""
    weights = np.zeros(len(gram))
    weights[runs] = geometric_median(gram[np.ix_(runs, runs)], **solver).weights
    return weights


def run(
    embeddings: np.ndarray,
    gram: np.ndarray,
    *,
    parameters: ConvergenceStudy,
    solver: dict,
    mds: str,
    about: Mapping[str, str],
    work: Work = QUIET,
) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Rerun Section 5 of Tomo and Yoneoka 2025."""
    pool = validate_embeddings(embeddings)
    n_reference, repetitions = parameters.reference_runs, parameters.repetitions
    metrics = Metrics("mce_convergence", **about, conditions=["space", "n_embeddings"])

    reference_weights = median_weights(gram, np.arange(n_reference), solver)

    def picture(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        consensus = combined_distances(pool, weights, n_jobs=work.threads)
        embedding = embed_distances(squareform(consensus), mds=mds)
        shown = picture_distances(embedding)
        return (
            embedding,
            shown,
            condensed_distance(shown, consensus) / (np.sqrt(2) * np.linalg.norm(consensus)),
        )

    work.say(f"Consensus of the {n_reference} reference runs")
    reference_picture, reference_shown, gap = picture(reference_weights)
    metrics.add("mce", "picture_gap", gap, space="picture", n_embeddings=n_reference)

    pictures = {"reference": reference_picture}
    groups = repetition_runs(n_reference, parameters.n_embeddings, repetitions)
    for m, runs_per_repetition in groups.items():
        work.say(f"{repetitions} consensus embeddings of {m} runs, and their pictures")
        weights = np.array([median_weights(gram, runs, solver) for runs in runs_per_repetition])
        between = combination_distances(gram, np.vstack([reference_weights, weights]))
        shown, aligned = [], []
        for r in range(repetitions):
            metrics.add("mce", "distance_to_reference", between[0, r + 1], r, space="consensus", n_embeddings=m)
            embedding, distances, gap = picture(weights[r])
            metrics.add("mce", "picture_gap", gap, r, space="picture", n_embeddings=m)
            away = condensed_distance(distances, reference_shown)
            metrics.add("mce", "distance_to_reference", away, r, space="picture", n_embeddings=m)
            shown.append(distances)
            aligned.append(procrustes_align(embedding, reference_picture))
        for i, j in combinations(range(repetitions), 2):
            pair = f"{i}-{j}"
            metrics.add("mce", "pairwise_distance", between[i + 1, j + 1], pair, space="consensus", n_embeddings=m)
            apart = condensed_distance(shown[i], shown[j])
            metrics.add("mce", "pairwise_distance", apart, pair, space="picture", n_embeddings=m)
        pictures[f"m{m}"] = np.array(aligned)

    _add_bands(metrics, gram, reference_weights, parameters, solver, work)
    return metrics.table(), pictures


def _add_bands(
    metrics: Metrics,
    gram: np.ndarray,
    reference_weights: np.ndarray,
    parameters: ConvergenceStudy,
    solver: dict,
    work: Work,
) -> None:
    """Redraw the set of repetitions from the runs outside the reference, many times; see `band_stretch`."""
    outside = np.arange(parameters.reference_runs, len(gram))
    repetitions, draws = parameters.repetitions, parameters.band_draws
    to_runs = gram @ reference_weights
    reference = float(reference_weights @ to_runs), to_runs
    members = {
        "distance_to_reference": [{r} for r in range(repetitions)],
        "pairwise_distance": [set(pair) for pair in combinations(range(repetitions), 2)],
    }
    for m in parameters.n_embeddings:
        work.say(f"{draws} redraws of {repetitions} x {m} runs, for the bands")
        rng = stream(work.seed, metrics.fixed["dataset"], "band", m)
        redrawn = []
        for _ in range(draws):
            runs = rng.choice(outside, size=(repetitions, m), replace=False)
            # The matrices are small.
            with one_blas_thread():
                redrawn.append(_redrawn_distances(gram, runs, reference, solver))
        for (metric, subsets), values in zip(members.items(), zip(*redrawn, strict=True), strict=True):
            disjoint = np.array([[not (first & second) for second in subsets] for first in subsets])
            stretch = band_stretch(np.array(values), disjoint)
            means = np.mean(values, axis=1)
            metrics.add("mce", f"band_stretch_{metric}", stretch, space="consensus", n_embeddings=m)
            for draw, value in enumerate(means.mean() + stretch * (means - means.mean())):
                metrics.add("mce", f"mean_{metric}_redrawn", value, draw, space="consensus", n_embeddings=m)


def band_stretch(values: np.ndarray, disjoint: np.ndarray) -> float:
    """
    How many times wider the band of fresh sets of repetitions is than that of sets redrawn from one pool.

    Redraws share the runs of a finite pool, so that they vary less than fresh sets: by the variance of their mean over
    pools (law of total variance). The repetitions of one redraw share no run, just as those of a fresh set, so that
    products of values without a common repetition estimate the squared mean without bias. The mean square of a set's
    mean less these products is therefore the variance of a fresh set, whatever the statistic. For means of single runs
    the stretch is that of sampling without replacement, 1 / sqrt(1 - n/N) for n of N runs; for distances, which are
    not linear in the runs, it is less.
    """
    means = values.mean(axis=1)
    redrawn = means.var(ddof=1) if len(means) > 1 else 0.0
    if not disjoint.any() or not redrawn > 0:
        return 1.0
    # About the mean, so that large numbers do not cancel.
    centred = values - means.mean()
    products = np.einsum("di,ij,dj->d", centred, disjoint, centred) / disjoint.sum()
    fresh = (np.square(centred.mean(axis=1)) - products).mean()
    return float(np.sqrt(max(fresh / redrawn, 1.0)))


def _redrawn_distances(
    gram: np.ndarray, runs: np.ndarray, reference: tuple[float, np.ndarray], solver: dict
) -> tuple[np.ndarray, np.ndarray]:
    """
    Distances of each repetition of one set to the reference, and of each pair of repetitions.

    runs: of shape (repetitions, m). reference: its inner products with itself and with all runs; with it as one point
    more the Gram matrix of the runs drawn is all that is needed.
    """
    repetitions, m = runs.shape
    drawn = np.concatenate([[0], 1 + np.arange(runs.size)])
    small = np.empty((len(drawn), len(drawn)))
    small[0, 0] = reference[0]
    small[0, 1:] = small[1:, 0] = reference[1][runs.ravel()]
    small[1:, 1:] = gram[np.ix_(runs.ravel(), runs.ravel())]
    places = drawn[1:].reshape(repetitions, m)
    weights = np.array(
        [median_weights(small, drawn[:1], solver), *(median_weights(small, row, solver) for row in places)]
    )
    distances = combination_distances(small, weights)
    return distances[0, 1:], distances[1:, 1:][np.triu_indices(repetitions, 1)]
