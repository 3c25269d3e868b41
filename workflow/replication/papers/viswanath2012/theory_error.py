"""Is the squared error of the consensus distances ever above that of its base embeddings? (Proposition 2; CE-18)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
from consensus_embedding.consensus.stability import picture_distances
from consensus_embedding.consensus.subset_embeddings import combine_embeddings
from consensus_embedding.manifold.distance_matrices import distance_block, validate_embeddings
from consensus_embedding.utils.seeds import stream
from threadpoolctl import threadpool_limits

from replication.papers.viswanath2012.experiments.theory_error import ErrorStudy
from replication.platform.steps import QUIET, Work
from replication.shared.tidy import Metrics

ESTIMATORS = ("mean", "median")
NORMALIZATIONS = ("none", "max")
# Room for rounding in an inequality that is exact.
_TOLERANCE = 1e-9
# In 0, 0, 3 against a truth of 2 the median is 0: squared error 4, against (4 + 4 + 1) / 3.
COUNTEREXAMPLE = {"truth": 2.0, "distances": (0.0, 0.0, 3.0)}


def run(parameters: ErrorStudy, work: Work = QUIET) -> pd.DataFrame:
    """Compare the error of the consensus distances with the mean error of the base embeddings."""
    shape = (parameters.n_objects, parameters.n_components)
    conditions = ["error", "n_embeddings", "normalization", "space"]
    metrics = Metrics("theory_error", "simulated_objects", "simulated", conditions)
    add_counterexample(metrics)
    with threadpool_limits(1):
        for error, k in product(parameters.errors, parameters.n_embeddings):
            work.say(f"{parameters.repetitions} times {k} embeddings, errors {error}")
            at = {"error": error, "n_embeddings": k}
            for repetition in range(parameters.repetitions):
                rng = stream(work.seed, "theory_error", error, k, repetition)
                truth, base = simulate(error, k, shape, parameters.error_size, rng)
                for normalization in NORMALIZATIONS:
                    for (method, space), scores in errors_of(truth, base, normalization).items():
                        for metric, value in scores.items():
                            metrics.add(
                                method, metric, value, repetition, normalization=normalization, space=space, **at
                            )
    return metrics.table()


def simulate(
    error: str, k: int, shape: tuple[int, int], size: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Simulate a true configuration and embeddings of it with one kind of error."""
    truth = rng.normal(size=shape)
    if error == "gaussian":
        return truth, truth + size * rng.normal(size=(k, *shape))
    if error == "heavy_tailed":
        return truth, truth + size * rng.standard_t(2.0, size=(k, *shape))
    if error == "skewed":
        return truth, truth + size * rng.exponential(size=(k, *shape))
    # An embedding keeps each axis with probability 1/3, and the first if it would lose all: without any it would have
    # no distances to normalise. Of three axes 0, 1 or 2 are missing in about 4, 22 and 74 % of the draws.
    kept = rng.random((k, 1, shape[1])) < 1.0 / 3.0
    kept[~kept.any(axis=2)[:, 0], 0, 0] = True
    return truth, 1.5 * truth * kept


def errors_of(truth: np.ndarray, base: np.ndarray, normalization: str) -> dict[tuple[str, str], dict[str, float]]:
    """Errors of the consensus of some embeddings, and theirs."""
    base = validate_embeddings(base)
    true = picture_distances(truth)
    distances = distance_block(base, 0, len(true))
    if normalization == "max":
        true = true / true.max()
        distances = distances / distances.max(axis=1, keepdims=True)
    base_errors = np.square(distances - true).mean(axis=0)
    result = {}
    for estimator in ESTIMATORS:
        combined = combine_embeddings(
            base, n_components=base.shape[2], estimator=estimator, normalization=normalization
        )
        spaces = {"consensus": combined.distances, "picture": picture_distances(combined.embedding)}
        for space, estimated in spaces.items():
            errors = np.square(estimated - true)
            result[estimator, space] = {
                "mse": float(errors.mean()),
                "mse_base": float(base_errors.mean()),
                "holds": float(errors.mean() <= base_errors.mean() * (1.0 + _TOLERANCE)),
                "pair_share": float((errors <= base_errors + _TOLERANCE * base_errors.mean()).mean()),
            }
    return result


def add_counterexample(metrics: Metrics) -> None:
    """Add the errors of the constructed case: two samples, three embeddings on a line."""
    truth = np.array([[0.0], [COUNTEREXAMPLE["truth"]]])
    base = np.array([[[0.0], [distance]] for distance in COUNTEREXAMPLE["distances"]])
    at = {"error": "counterexample", "n_embeddings": len(base), "normalization": "none"}
    for (method, space), scores in errors_of(truth, base, "none").items():
        for metric, value in scores.items():
            metrics.add(method, metric, value, 0, space=space, **at)
