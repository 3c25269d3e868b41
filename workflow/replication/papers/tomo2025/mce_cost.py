"""The cost of Algorithm 1, O((T + 1) m n^2 + n^3): seconds of its steps as printed, and of ours, over m and n."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
import pandas as pd
from consensus_embedding.consensus.median_consensus_embedding import median_consensus
from consensus_embedding.manifold.mds import smacof
from consensus_embedding.utils.seeds import stream
from scipy.spatial.distance import pdist, squareform

from replication.platform.steps import QUIET, Work
from replication.shared.tidy import Metrics

CONDITIONS = ["n_embeddings", "n_samples"]
# Steps of the Weiszfeld iteration, a fixed number so that T does not vary with m and n.
_STEPS = 10


def run(parameters: Mapping, work: Work = QUIET) -> pd.DataFrame:
    """Time the steps of a median consensus: seconds of the processor, on one core."""
    metrics = Metrics("mce_cost", "random_pictures", "simulated", CONDITIONS)
    for n in parameters["n_samples"]:
        for m in parameters["n_embeddings"]:
            work.say(f"{m} runs of {n} points")
            for r in range(-1, parameters["repetitions"]):
                rng = stream(work.seed, "mce_cost", m, n, max(r, 0))
                timings = time_once(rng.normal(size=(n, 2)) + 0.3 * rng.normal(size=(m, n, 2)))
                for method, seconds in timings.items():
                    if r >= 0:
                        metrics.add(method, "seconds", seconds, r, n_embeddings=m, n_samples=n)
    return metrics.table()


def time_once(runs: np.ndarray) -> dict[str, float]:
    """Seconds of each step on some runs, shape (m, n, 2)."""
    seconds, clock = {}, time.process_time
    start = clock()
    X = np.array([squareform(pdist(y)) for y in runs])
    seconds["distances"] = clock() - start
    start = clock()
    x = X.mean(axis=0)
    for _ in range(_STEPS):
        weights = 1.0 / np.array([np.linalg.norm(distances - x) for distances in X])
        x = sum(w * distances for w, distances in zip(weights / weights.sum(), X, strict=True))
    seconds["iteration"] = clock() - start
    start = clock()
    np.linalg.eigh(x)
    seconds["eigenvalues"] = clock() - start
    start = clock()
    smacof(x, max_iter=_STEPS, tolerance=0.0, start=runs[0])
    seconds["smacof"] = clock() - start
    start = clock()
    median_consensus(runs)
    seconds["ours"] = clock() - start
    return seconds
