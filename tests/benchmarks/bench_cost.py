"""
Measure the constants of consensus/cost.py, and how far off its estimates are in sizes that were not used for them.

Processor seconds of one thread, about the same whatever else runs. Half an hour:

    OMP_NUM_THREADS=1 .venv/bin/python tests/benchmarks/bench_cost.py
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable

import numpy as np
from consensus_embedding.consensus import cost
from consensus_embedding.diagnostics import embedding_check
from consensus_embedding.manifold import tsne
from scipy.optimize import least_squares, nnls
from sklearn.datasets import make_blobs

# Points, features, neighbours, runs. The data of every second size are clusters, of the others a curved sheet.
FOR_CONSTANTS = [
    (500, 20, 15, 5), (500, 20, 15, 20), (2000, 50, 15, 5), (2000, 50, 15, 20), (4000, 20, 15, 5), (4000, 20, 15, 20),
    (5500, 20, 15, 4), (5500, 20, 15, 12), (7000, 50, 15, 5), (10_000, 20, 15, 5), (10_000, 20, 15, 15),
    (12_000, 50, 15, 5), (12_000, 50, 15, 20), (20_000, 20, 15, 5), (20_000, 20, 15, 20), (40_000, 50, 15, 5),
]  # fmt: skip
FOR_ERRORS = [(1000, 30, 10, 10), (3000, 10, 15, 8), (8500, 30, 10, 8), (15_000, 30, 20, 10), (30_000, 100, 15, 10)]
# Function of the check -> step; of the consensus the step depends on the points.
STEPS = {
    "consensus_of_gram": "consensus",
    "landmark_consensus": "places",
    "distance_gram": "products",
    "consensus_convergence": "number of runs",
    "run_distances": "stability",
    "label_group_table": "stability",
    "label_pair_table": "stability",
    "point_table": "stability",
    "fidelity_table": "fidelity",
}


def clocked(call: Callable, into: dict[str, float], step: str) -> Callable:
    """The function, adding its processor seconds to a step."""

    def calling(*arguments: object, **keywords: object) -> object:
        start = time.process_time()
        try:
            return call(*arguments, **keywords)
        finally:
            into[step] += time.process_time() - start

    return calling


def drawn(n: int, n_features: int, *, clusters: bool) -> tuple[np.ndarray, np.ndarray]:
    """Points with labels: 30 clusters, or a sheet of three dimensions, whose consensus takes less time."""
    if clusters:
        return make_blobs(n, n_features, centers=30, cluster_std=4.0, random_state=0)
    rng = np.random.default_rng(0)
    place = rng.uniform(0, 6, size=(n, 3))
    X = np.sin(place @ rng.normal(size=(3, n_features)))
    return X + rng.normal(scale=0.1, size=X.shape), place[:, 0] // 0.5


def measured(n: int, n_features: int, k: int, m: int, *, clusters: bool = True) -> dict[str, float]:
    """Seconds of each step of a check of this size, and of one of its runs."""
    X, labels = drawn(n, n_features, clusters=clusters)
    seconds: dict[str, float] = defaultdict(float)
    embedder = tsne.default_tsne(n)
    affinities = clocked(tsne.joint_probabilities, seconds, "affinities")(X)
    run = clocked(tsne.tsne_runs, seconds, type(embedder).__name__)
    runs = run(affinities, [tsne.random_start(n, seed) for seed in range(m)], **embedder._repulsion())[0]
    seconds[type(embedder).__name__] /= m
    plain = {name: getattr(embedding_check, name) for name in STEPS}
    for name, step in STEPS.items():
        setattr(embedding_check, name, clocked(plain[name], seconds, step))
    embedding_check.check_embedding(X, embeddings=runs, labels=labels, n_neighbors=k, random_state=0)
    for name, call in plain.items():
        setattr(embedding_check, name, call)
    return seconds


def terms(n: int, n_features: int, k: int, m: int) -> dict[str, tuple[float, ...]]:
    """Step -> what its constants are multiplied by, as the estimate has it."""
    found: dict[str, tuple[float, ...]] = {}
    plain = cost._seconds
    cost._seconds = lambda step, *values: found.setdefault(step, values) and 0.0
    cost.check_cost(n, m, n_features=n_features, n_neighbors=k, embedder=type(tsne.default_tsne(n)).__name__)
    cost._seconds = plain
    return found


def fitted(sizes: list[tuple[int, int, int, int]]) -> dict[str, tuple[float, ...]]:
    """Step -> its constants, by least squares of the logarithms: those of relative errors would be too low."""
    equations = defaultdict(list)
    for number, size in enumerate(sizes):
        seconds, of_this = measured(*size, clusters=number % 2 == 0), terms(*size)
        print(size, {step: round(value, 3) for step, value in seconds.items()}, flush=True)
        for step, values in of_this.items():
            equations[step].append(np.array(values, dtype=float) / max(seconds.get(step, seconds["consensus"]), 1e-3))
    constants: dict[str, tuple[float, ...]] = {}
    for step, design in equations.items():
        scale = np.max(design, axis=0)
        design = np.array(design) / scale
        start = np.log(np.maximum(nnls(design, np.ones(len(design)))[0], 1e-6))
        fit = least_squares(lambda logs, design=design: np.log(design @ np.exp(logs)), start)
        constants[step] = tuple(np.exp(fit.x) / scale)
    return constants


if __name__ == "__main__":
    # Of each method, and of many points, since the first compiles.
    for n in (400, cost.TABLE_POINTS + 100, cost.EXACT_POINTS + 100):
        measured(n, 10, 15, 3)
    constants = fitted(FOR_CONSTANTS)
    for step, values in constants.items():
        print(step, [f"{value:.2g}" for value in values])
    cost._CONSTANTS.update(constants)
    for n, n_features, k, m in FOR_ERRORS:
        method = type(tsne.default_tsne(n)).__name__
        expected = cost.check_cost(n, m, n_features=n_features, n_neighbors=k, embedder=method)
        for clusters in (True, False):
            found = measured(n, n_features, k, m, clusters=clusters)
            runs = found.pop("affinities") + m * found.pop(method)
            rest, of_runs = sum(found.values()), expected.seconds["runs"]
            shares = runs / of_runs, rest / (expected.total - of_runs), (runs + rest) / expected.total
            print(n, m, "measured to expected: runs {:.2f}, check of ready runs {:.2f}, both {:.2f}".format(*shares))
