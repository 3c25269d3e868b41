"""Probability that the consensus deviates from the reference, against the number of runs combined (MC-09)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from consensus_embedding.utils.seeds import stream
from scipy.optimize import minimize

from replication.papers.tomo2025.mce_convergence import median_weights
from replication.platform.steps import QUIET, Work
from replication.shared.tidy import Metrics


def run(
    gram: np.ndarray,
    *,
    reference_runs: int,
    n_embeddings: Sequence[int],
    draws: int,
    sub_pools: int,
    solver: dict,
    about: Mapping[str, str],
    work: Work = QUIET,
) -> pd.DataFrame:
    """
    Estimate Pr(d(consensus of m runs, reference) >= epsilon) and fit its fall with m.

    The runs outside the reference are cut into disjoint sub-pools, and every draw stays in one of them: the
    sub-pools are independent, so intervals over them, of the slope and of how much better one law fits, are not fooled
    by draws that share runs.
    The deviations epsilon are the median distances at the inner numbers of runs; the middle one is the
    primary level. All of this was fixed before any result.
    """
    metrics = Metrics("mce_tail", **about, conditions=["n_embeddings", "level"])
    sizes = np.array(n_embeddings)
    reference = median_weights(gram, np.arange(reference_runs), solver)
    pools = np.array_split(np.arange(reference_runs, len(gram)), sub_pools)
    draws = max(1, draws // len(pools))
    projected = gram @ reference
    offset = float(reference @ projected)

    distances = np.empty((len(sizes), len(pools), draws))
    for s, m in enumerate(sizes):
        work.say(f"{draws * len(pools)} consensus embeddings of {m} runs")
        for p, pool in enumerate(pools):
            rng = stream(work.seed, about["dataset"], "tail", int(m), p)
            for d in range(draws):
                runs = rng.choice(pool, size=m, replace=False)
                weights = median_weights(gram, runs, solver)[runs]
                squared = weights @ gram[np.ix_(runs, runs)] @ weights - 2.0 * weights @ projected[runs] + offset
                distances[s, p, d] = np.sqrt(max(squared, 0.0))

    inner = range(1, len(sizes) - 1)
    primary = inner[len(inner) // 2]
    for level in inner:
        epsilon = float(np.median(distances[level]))
        name = "primary" if level == primary else f"median at {sizes[level]}"
        metrics.add("mce", "epsilon", epsilon, level=name)
        exceeding = (distances >= epsilon).sum(axis=2)
        for s, m in enumerate(sizes):
            metrics.add("mce", "probability", exceeding[s].sum() / (len(pools) * draws), n_embeddings=m, level=name)
        for law in ("exponential", "power"):
            for p in range(len(pools)):
                slope, aic = fit_decay(sizes, exceeding[:, p], draws, law)
                metrics.add("mce", f"{law}_slope", slope, p, level=name)
                metrics.add("mce", f"{law}_aic", aic, p, level=name)
            slope, _ = fit_decay(sizes, exceeding.sum(axis=1), len(pools) * draws, law)
            metrics.add("mce", f"{law}_slope_pooled", slope, level=name)
    return metrics.table()


def fit_decay(sizes: np.ndarray, exceeding: np.ndarray, draws: int, law: str) -> tuple[float, float]:
    """
    Fit the fall of a probability with m by binomial likelihood.

    Exponential: Pr = min(1, K exp(slope m)), the form of Theorem 3.1; power: Pr = min(1, K m^slope).
    """
    t = sizes.astype(float) if law == "exponential" else np.log(sizes)
    observed = np.clip(exceeding / draws, 0.5 / draws, 1.0 - 0.5 / draws)

    def cost(theta: np.ndarray) -> float:
        logarithm = np.minimum(theta[0] + theta[1] * (t - t.mean()), -1e-9)
        p = np.exp(logarithm)
        return -float(np.sum(exceeding * logarithm + (draws - exceeding) * np.log1p(-p)))

    starts = np.polyfit(t - t.mean(), np.log(observed), 1)
    best = min(
        (
            minimize(cost, [starts[1], starts[0] * factor], method="Nelder-Mead", options={"maxiter": 4000})
            for factor in (0.5, 1.0, 2.0, 4.0)
        ),
        key=lambda result: result.fun,
    )
    return float(best.x[1]), 4.0 + 2.0 * float(best.fun)
