"""Does the strength of a consensus tend to 1 with the number of embeddings? (Proposition 1, Lemma 1; CE-17)."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pandas as pd
from consensus_embedding.consensus.stability import picture_distances
from consensus_embedding.consensus.strength import embedding_strength
from consensus_embedding.consensus.subset_embeddings import combine_embeddings
from consensus_embedding.manifold.mds import classical_mds
from consensus_embedding.utils.seeds import stream
from scipy.spatial.distance import squareform
from scipy.stats import binom
from threadpoolctl import threadpool_limits

from replication.papers.viswanath2012.experiments.theory_strength import StrengthStudy
from replication.papers.viswanath2012.theory_monotone import rank_correlation
from replication.platform.steps import QUIET, Work
from replication.shared.tidy import Metrics

CHANCE = 1.0 / 3.0
# Spread of the logarithm of the error SD over samples.
_UNEQUAL = 0.75
# Share of the variance that is common to all embeddings.
_SHARED = 0.5
_CALIBRATION_EMBEDDINGS = 20
_BISECTIONS = 20


def run(parameters: StrengthStudy, work: Work = QUIET) -> pd.DataFrame:
    """
    Combine growing numbers of simulated embeddings of known strength.

    An embedding is the true configuration plus an error; the size of the error is set so that one embedding has the
    wanted strength. Below the chance level of 1/3 the configuration itself is turned inside out (far pairs near), at
    chance there is error alone.
    """
    conditions = ["error", "level", "band", "n_embeddings", "space"]
    metrics = Metrics("theory_strength", "simulated_objects", "simulated", conditions)
    numbers, shape = list(parameters.n_embeddings), (parameters.n_objects, parameters.n_components)
    with threadpool_limits(1):
        for error, level in product(parameters.errors, parameters.levels):
            work.say(f"Embeddings of strength {level:.3g}, errors {error}")
            at = {"error": error, "level": level, "band": band(level, parameters.theta)}
            size = error_size(error, level, shape, work.seed)
            for repetition in range(parameters.repetitions):
                rng = stream(work.seed, "theory_strength", error, repetition)
                truth, base = simulate(error, level, size, max(numbers), shape, rng)
                distances = squareform(picture_distances(truth))
                single = np.mean([_strength(distances, y) for y in base])
                metrics.add("single", "strength", single, repetition, n_embeddings=1, space="picture", **at)
                curves = _consensus_curves(distances, base, numbers) | vote_curves(distances, base, numbers)
                for (method, space), values in curves.items():
                    for k, value in zip(numbers, values, strict=True):
                        metrics.add(method, "strength", value, repetition, n_embeddings=k, space=space, **at)
                    correlation = rank_correlation(numbers, values)
                    metrics.add(method, "spearman", correlation, repetition, space=space, **at)
            for k in numbers:
                metrics.add("formula", "strength", majority_formula(level, k), n_embeddings=k, space="vote", **at)
    return metrics.table()


def band(level: float, theta: float) -> str:
    """Class of a strength: "reversed" (below 1/3), "chance", "weak" (up to theta) or "strong"."""
    if abs(level - CHANCE) < 1e-3:
        return "chance"
    if level < CHANCE:
        return "reversed"
    return "strong" if level > theta else "weak"


def majority_formula(alpha: float, k: int) -> float:
    """
    Probability that more than half of K independent embeddings keep a triplet; a tie counts one half.

    The binomial form of Eq. 2 of Viswanath and Madabhushi 2012, with a constant probability for every triplet.
    """
    tie = binom.pmf(k // 2, k, alpha) if k % 2 == 0 else 0.0
    return float(binom.sf(k // 2, k, alpha) + 0.5 * tie)


def simulate(
    error: str, level: float, size: float, k: int, shape: tuple[int, int], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Simulate a true configuration and embeddings of it."""
    truth = rng.normal(size=shape)
    common = rng.normal(size=shape)
    scale = np.exp(_UNEQUAL * rng.normal(size=(shape[0], 1)))
    errors = rng.normal(size=(k, *shape))
    if error == "unequal":
        errors *= scale / np.sqrt(np.mean(np.square(scale)))
    elif error == "shared":
        errors = np.sqrt(_SHARED) * common + np.sqrt(1.0 - _SHARED) * errors
    kind = band(level, 1.0)
    if kind == "chance":
        return truth, errors
    signal = inside_out(truth) if kind == "reversed" else truth
    return truth, signal + size * errors


def inside_out(truth: np.ndarray) -> np.ndarray:
    """Turn a configuration inside out: far pairs become near pairs, as well as the dimensions allow."""
    distances = squareform(picture_distances(truth))
    reverse = distances.max() - distances
    np.fill_diagonal(reverse, 0.0)
    result = classical_mds(reverse, truth.shape[1])
    return result * (truth.std() / result.std())


def error_size(error: str, level: float, shape: tuple[int, int], seed: int) -> float:
    """Size of the error at which one embedding has the wanted strength on average, by bisection on fixed draws."""
    kind = band(level, 1.0)
    if kind == "chance":
        return 0.0

    def strength(size: float) -> float:
        values = []
        for draw in range(_CALIBRATION_EMBEDDINGS):
            rng = stream(seed, "theory_strength", "calibration", error, draw)
            truth, base = simulate(error, level, size, 1, shape, rng)
            values.append(_strength(squareform(picture_distances(truth)), base[0]))
        return float(np.mean(values))

    low, high = 1e-3, 1e2
    ends = sorted((strength(low), strength(high)))
    if not ends[0] <= level <= ends[1]:
        raise ValueError(
            f"One embedding has a strength between {ends[0]:.3g} and {ends[1]:.3g} here, not {level:g}; "
            "change theory_strength.levels."
        )
    for _ in range(_BISECTIONS):
        middle = np.sqrt(low * high)
        # More error pulls the strength towards chance, from either side.
        if (strength(middle) > level) == (kind != "reversed"):
            low = middle
        else:
            high = middle
    return float(np.sqrt(low * high))


def vote_curves(distances: np.ndarray, base: np.ndarray, numbers: list[int]) -> dict[tuple[str, str], list[float]]:
    """Share of triplets that the first K embeddings get right by a vote."""
    triplets = np.array(list(combinations(range(len(distances)), 3)))
    truth = closest_pair(distances, triplets)
    counts = np.zeros((3, len(triplets)))
    rows = np.arange(len(triplets))
    result: dict[tuple[str, str], list[float]] = {("plurality_vote", "vote"): [], ("majority_vote", "vote"): []}
    for k, y in enumerate(base, start=1):
        closest = closest_pair(squareform(picture_distances(y)), triplets)
        for pair in range(3):
            counts[pair] += closest == pair
        if k in numbers:
            right, most = counts[truth, rows], counts.max(axis=0)
            shares = np.where(right == most, 1.0 / (counts == most).sum(axis=0), 0.0)
            result["plurality_vote", "vote"].append(float(shares.mean()))
            result["majority_vote", "vote"].append(float(np.mean((right > k / 2) + 0.5 * (right == k / 2))))
    return result


def closest_pair(distances: np.ndarray, triplets: np.ndarray) -> np.ndarray:
    """Which pair of each triplet is the closest."""
    c, d, e = triplets.T
    first, second, third = distances[c, d], distances[c, e], distances[d, e]
    # The first one among equals, as by argmin, which takes several times as long.
    return np.where((first <= second) & (first <= third), 0, np.where(second <= third, 1, 2))


def _strength(distances: np.ndarray, embedding: np.ndarray) -> float:
    return embedding_strength(distances, squareform(picture_distances(embedding))).value


def _consensus_curves(
    distances: np.ndarray, base: np.ndarray, numbers: list[int]
) -> dict[tuple[str, str], list[float]]:
    """Strength of the consensus of the first K embeddings, per estimator and space."""
    result: dict[tuple[str, str], list[float]] = {}
    for estimator in ("median", "mean"):
        for k in numbers:
            combined = combine_embeddings(base[:k], n_components=base.shape[2], estimator=estimator)
            spaces = {"consensus": combined.distances, "picture": picture_distances(combined.embedding)}
            for space, condensed in spaces.items():
                value = embedding_strength(distances, squareform(condensed)).value
                result.setdefault((estimator, space), []).append(value)
    return result
