"""How many runs a consensus needs: how far the consensus of few is from that of all, from the Gram matrix alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from consensus_embedding.consensus.geometric_median import geometric_median, subset_medians
from consensus_embedding.manifold.distance_matrices import combination_distances

# Subsets drawn of each size.
N_SUBSETS = 200
# The tolerance may be exceeded this often.
RISK = 0.05
# No extrapolation beyond this many times the runs made.
_FARTHEST = 10


@dataclass(frozen=True, eq=False)
class Convergence:
    """
    Distance of the consensus of few runs to the consensus of all, relative to the size of the latter.

    Attributes
    ----------
    curve : DataFrame
        A row per number of runs, of 1, 2, ... up to three quarters of all:

        n_runs : number of runs combined
        n_subsets : random subsets of that size
        distance : root mean square of the relative distance over the subsets
        distance_low, distance_high : its quantiles of 5 and 95 % over the subsets
        share_above : share of the subsets whose distance exceeds the tolerance
        fitted_distance : amplitude * n_runs ** -exponent
    tolerance : float
        Relative distance that is near enough.
    n_enough : int or None
        Fewest runs whose distance exceeds the tolerance in at most 5 % of the subsets; None if not reached.
    n_extrapolated : int or None
        If not reached: the number of runs where the fitted distance, with its spread, falls under the tolerance.
        Beyond what was measured; None if more than ten times the runs made, as where runs fall into two layouts.
    amplitude, exponent : float
        Of the fitted distance.
    """

    curve: pd.DataFrame
    tolerance: float
    n_enough: int | None
    n_extrapolated: int | None
    amplitude: float
    exponent: float

    @property
    def one_run_enough(self) -> bool:
        """Whether 95 % of the single runs are within the tolerance, and so many of every larger number of runs."""
        # Not where single runs just pass and pairs of them do not, as with one other layout in 20 runs.
        return self.n_enough == 1


def consensus_convergence(
    gram: np.ndarray, size: float, tolerance: float, random_state: np.random.RandomState, n_subsets: int = N_SUBSETS
) -> Convergence:
    """
    How fast the median consensus of m' runs approaches that of all m.

    `gram` is of `distance_gram`; `tolerance` is relative to `size`, the Frobenius norm of the consensus distances. A
    subset shares its runs with the full set, so its distance is too small: for means by the factor sqrt(1 - m' / m) of
    sampling without replacement, by which the distances are divided. They estimate the distance to the consensus of
    infinitely many runs. The correction is exact for means and, to first order, right for medians.
    """
    m = len(gram)
    full = geometric_median(gram).weights
    rows, distances = [], []
    for n_runs in _sizes(m):
        subsets = _subsets(m, n_runs, n_subsets, random_state)
        weights = np.vstack([full, subset_medians(gram, subsets)])
        relative = combination_distances(gram, weights)[0, 1:] / (size or 1.0) / np.sqrt(1.0 - n_runs / m)
        low, high = np.quantile(relative, [0.05, 0.95])
        distances.append(np.sqrt(np.mean(np.square(relative))))
        rows.append((n_runs, len(subsets), distances[-1], low, high, float(np.mean(relative > tolerance))))
    columns = ["n_runs", "n_subsets", "distance", "distance_low", "distance_high", "share_above"]
    curve = pd.DataFrame(rows, columns=columns)
    amplitude, exponent = _power_fit(curve.n_runs, curve.distance)
    curve["fitted_distance"] = amplitude * curve.n_runs**-exponent
    good = (curve.share_above <= RISK)[::-1].cummin()[::-1]
    n_enough = int(curve.n_runs[good].min()) if good.any() else None
    n_extrapolated = None
    if n_enough is None and exponent > 0:
        last = curve.iloc[-1]
        needed = last.n_runs * (last.distance_high / tolerance) ** (1 / exponent)
        n_extrapolated = int(np.ceil(needed)) if needed <= _FARTHEST * m else None
    return Convergence(curve, tolerance, n_enough, n_extrapolated, amplitude, exponent)


def _sizes(m: int) -> list[int]:
    """1, 2, ... up to three quarters of the runs; of many, about 20 sizes."""
    return sorted({round(size) for size in np.geomspace(1, 3 * m // 4, 30)})


def _subsets(m: int, size: int, n: int, random_state: np.random.RandomState) -> np.ndarray:
    """Each run alone, else random subsets without repeats within one, a row each."""
    if size == 1:
        return np.arange(m)[:, None]
    # What random_state.choice draws, which takes twice as long.
    return np.sort([random_state.permutation(m)[:size] for _ in range(n)], axis=1)


def _power_fit(n_runs: pd.Series, distance: pd.Series) -> tuple[float, float]:
    """Amplitude and exponent by least squares of the logarithms; of a single size 1/2, as of means."""
    used = distance > 0
    if not used.any():
        return 0.0, 0.5
    if used.sum() == 1:
        return float(distance[used].iloc[0] * np.sqrt(n_runs[used].iloc[0])), 0.5
    slope, intercept = np.polyfit(np.log(n_runs[used]), np.log(distance[used]), 1)
    return float(np.exp(intercept)), float(-slope)
