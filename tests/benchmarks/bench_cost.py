"""
Measure the constants of consensus/cost.py, and how far off its estimates are in sizes that were not used for them.

Processor seconds of one thread, the same whatever else runs. About half an hour:

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
from scipy.optimize import nnls
from sklearn.datasets import make_blobs

# Points, features, neighbours, runs.
FOR_CONSTANTS = [
    (500, 20, 15, 5), (500, 20, 15, 20), (2000, 50, 15, 5), (2000, 50, 15, 20), (4000, 20, 15, 5), (4000, 20, 15, 20),
    (5500, 20, 15, 4), (5500, 20, 15, 12), (7000, 50, 15, 5), (10_000, 20, 15, 5), (10_000, 20, 15, 15),
    (12_000, 50, 15, 5), (12_000, 50, 15, 20), (20_000, 20, 15, 5), (20_000, 20, 15, 20), (40_000, 50, 15, 5),
]  # fmt: skip
FOR_ERRORS = [(1000, 30, 10, 10), (3000, 10, 15, 8), (8500, 30, 10, 8), (15_000, 30, 20, 10), (30_000, 100, 15, 10)]
# Function of the check -> step; of the consensus the step depends on the points.
STEPS = {
    "consensus_of_gram": "consensus",
    "landmark_consensus": "consensus",
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


def measured(n: int, n_features: int, k: int, m: int) -> dict[str, float]:
    """Seconds of each step of a check of this size, on runs of t-SNE that differ a little."""
    X, labels = make_blobs(n, n_features, centers=30, cluster_std=4.0, random_state=0)
    seconds: dict[str, float] = defaultdict(float)
    embedder = tsne.default_tsne(n)
    affinities = clocked(tsne.joint_probabilities, seconds, "affinities")(X)
    run = clocked(tsne.tsne_runs, seconds, type(embedder).__name__)
    single = run(affinities, [tsne.random_start(n, 0)], **embedder._repulsion())[0][0]
    noise = np.random.default_rng(0).normal(scale=0.05 * single.std(), size=(m, n, 2))
    plain = {name: getattr(embedding_check, name) for name in STEPS}
    for name, step in STEPS.items():
        setattr(embedding_check, name, clocked(plain[name], seconds, step))
    embedding_check.check_embedding(
        X, embeddings=(single + noise).astype(np.float32), labels=labels, n_neighbors=k, random_state=0
    )
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
    """Step -> its constants, by least squares of relative errors."""
    equations = defaultdict(list)
    for size in sizes:
        seconds, of_this = measured(*size), terms(*size)
        print(size, {step: round(value, 3) for step, value in seconds.items()}, flush=True)
        landmarks = of_this.pop("table") if "places" in of_this else None
        for step, values in of_this.items():
            equations[step].append((values, landmarks, seconds.get(step, seconds["consensus"])))
    constants: dict[str, tuple[float, ...]] = {}
    # Of very many points the consensus is that of landmarks, which is known by then, and the places of the others.
    for step in sorted(equations, key=lambda step: step == "places"):
        design = []
        for values, landmarks, taken in equations[step]:
            own = np.dot(constants["table"], landmarks) if step == "places" else 0.0
            design.append(np.array(values, dtype=float) / max(taken - own, 1e-3))
        scale = np.abs(design).max(axis=0)
        constants[step] = tuple(nnls(design / scale, np.ones(len(design)))[0] / scale)
    return constants


if __name__ == "__main__":
    measured(400, 10, 15, 3)
    constants = fitted(FOR_CONSTANTS)
    for step, values in constants.items():
        print(step, [f"{value:.2g}" for value in values])
    cost._CONSTANTS.update(constants)
    for n, n_features, k, m in FOR_ERRORS:
        method = type(tsne.default_tsne(n)).__name__
        found = measured(n, n_features, k, m)
        runs = found.pop("affinities") + found.pop(method)
        expected = cost.check_cost(n, 1, n_features=n_features, n_neighbors=k, embedder=method).seconds["runs"]
        check = cost.check_cost(n, m, n_features=n_features, n_neighbors=k).total
        print(n, m, f"expected to measured: a run {expected / runs:.2f}, its check {check / sum(found.values()):.2f}")
