"""What Sparks 2011 is for: the time of extrapolating a new sample, compared with recomputing the embedding."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
import pandas as pd
from consensus_embedding.manifold.out_of_sample import SemiSupervisedGraphEmbedding
from consensus_embedding.utils.seeds import stream, stream_seed

from replication.data.swiss_roll import simulate_swiss_roll
from replication.papers.sparks2011.settings import TimedRoll
from replication.platform.steps import QUIET, Work
from replication.shared.tidy import Metrics

CONDITIONS = ["n_samples"]
# Samples that are extrapolated at once, and one by one for the mean.
N_BATCH, N_SINGLE = 100, 20


def run(parameters: Mapping, roll: TimedRoll, work: Work = QUIET) -> pd.DataFrame:
    """Time OSE-SSL on Swiss rolls of rising size, half of the samples labelled."""
    metrics = Metrics("extrapolation_runtime", "swiss_roll", "simulated", CONDITIONS)
    for n in parameters["n_samples"]:
        for r in range(-1, parameters["repetitions"]):
            work.say(f"{n} samples, repetition {r + 1}")
            seed = stream_seed(work.seed, "extrapolation_runtime", n, max(r, 0))
            for method, seconds in time_once(n, roll, seed).items():
                if r >= 0:
                    metrics.add(method, "seconds", seconds, r, n_samples=n)
    return metrics.table()


def time_once(n: int, roll: TimedRoll, seed: int) -> dict[str, float]:
    """Seconds of each method on one roll of n samples."""
    drawn = simulate_swiss_roll(n + N_BATCH, seed, split=roll.split)
    labels = np.where(stream(seed, "labels").random(n + N_BATCH) < 0.5, drawn.labels, -1)
    labels[n:] = -1
    model = SemiSupervisedGraphEmbedding(
        roll.n_components,
        kernel="radius",
        radius=roll.radius,
        sigma=roll.sigma,
        scaling="none",
        isolated="nearest",
    )
    start = time.perf_counter()
    model.fit(drawn.X[: n + 1], labels[: n + 1])
    seconds = {"recomputation": time.perf_counter() - start}
    model.fit(drawn.X[:n], labels[:n])
    new = drawn.X[n:]
    model.transform(new[:1])
    start = time.perf_counter()
    for k in range(N_SINGLE):
        model.transform(new[k : k + 1])
    seconds["extrapolation"] = (time.perf_counter() - start) / N_SINGLE
    start = time.perf_counter()
    model.transform(new)
    seconds["batch"] = (time.perf_counter() - start) / N_BATCH
    return seconds
