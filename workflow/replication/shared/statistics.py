"""
Tests and intervals that the experiments and the judges share.

The arithmetic is that of statsmodels and SciPy; what is added are the cases that they leave open, and the test for
draws that overlap, the studentised bootstrap and the jackknife error, which neither has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.special import stdtr, stdtrit
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import DescrStatsW

# Level of tests, and confidence of intervals and of the bounds of one-sided tests.
ALPHA, CONFIDENCE = 0.05, 0.95
_TAIL = ALPHA / 2
# Of fewer units too many redraws are of units that are nearly equal, which makes an interval many times too wide.
_FEWEST_REDRAWN = 5
# Values that vary by no more than this many roundings of the numbers they come from are equal.
_ROUNDINGS = 8
# Names of the alternatives in statsmodels.
_ALTERNATIVES = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}


@dataclass(frozen=True)
class Comparison:
    """Paired t-test of a - b."""

    mean_difference: float
    ci_low: float  # Two-sided 95 % t interval of the mean difference, whatever the alternative.
    ci_high: float
    t: float
    p_value: float  # For the chosen alternative.
    effect_size: float  # Cohen's d_z: mean over standard deviation of the differences.
    n: int  # Pairs.
    # Larger p-value of the two one-sided tests of |mean difference| >= margin; None without a margin.
    tost_p: float | None = None


@dataclass(frozen=True)
class CorrectedComparison:
    """Paired t-test over draws that overlap, of `corrected_comparison`."""

    mean_difference: float
    ci_low: float  # Two-sided 95 % interval; infinite where every draw contains all units.
    ci_high: float
    p_value: float  # One-sided, of a mean above 0.
    below_p: float  # One-sided, of a mean below 0.
    tost_p: float | None  # Of two one-sided tests of a mean within the margin; None without a margin.
    n: int  # Draws.
    share: float  # Of the units in a draw; 0 for draws that do not overlap.


@dataclass(frozen=True)
class SignTest:
    """Numbers of pairs with a > b, a < b and a = b, and the p-value without the last."""

    wins: int
    losses: int
    ties: int
    p_value: float


@dataclass(frozen=True)
class Estimate:
    """A statistic, its 95 % interval, and the number of units behind it."""

    value: float
    ci_low: float
    ci_high: float
    n: int


def paired_comparison(
    a: np.ndarray, b: np.ndarray, *, alternative: str = "two-sided", margin: float | None = None
) -> Comparison:
    """
    Paired t-test with confidence interval, effect size and, given a margin, equivalence.

    Differences that are all equal have no variance and so no t-test. Then, as the limit of ever smaller variance:
    all zero, t = 0 and p = 1; all at another value, t and effect infinite, p = 0 if the alternative holds and 1
    if not; tost_p = 0 if the value is within the margin, else 1.
    """
    a, b = _check_pairs(a, b, least=2)
    differences = DescrStatsW(a - b)
    n, mean, spread = len(a), float(differences.mean), float(differences.std_ddof(1))
    noise = _ROUNDINGS * np.finfo(float).eps * max(np.abs(a).max(), np.abs(b).max())
    if spread <= noise:
        return _without_variance(0.0 if abs(mean) <= noise else mean, n, alternative, margin)
    t, p_value, _ = differences.ttest_mean(0.0, alternative=_ALTERNATIVES[alternative])
    low, high = differences.tconfint_mean(ALPHA)
    return Comparison(
        mean_difference=mean,
        ci_low=float(low),
        ci_high=float(high),
        t=float(t),
        p_value=float(p_value),
        effect_size=mean / spread,
        n=n,
        tost_p=None if margin is None else float(differences.ttost_mean(-margin, margin)[0]),
    )


def corrected_comparison(
    a: np.ndarray, b: np.ndarray, *, share: float, margin: float | None = None
) -> CorrectedComparison:
    """
    Paired t-test of a - b over draws that each contain a share f of the same finite pool, and so overlap.

    Means over c draws vary as (1 - f) / c + f of the variance of one, while their spread shows (1 - f) of it. So the
    standard error is sd sqrt(1/c + f/(1 - f)), the correction of Nadeau and Bengio (2003). At f = 0 it is the plain
    one; at f = 1 the spread shows nothing about other units: p = 1, and an infinite interval.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"The share of the pool in a draw must be in [0, 1], found {share}.")
    plain = paired_comparison(a, b, alternative="greater", margin=margin)
    mean, n, tost_p = plain.mean_difference, plain.n, plain.tost_p
    if share == 1:
        return CorrectedComparison(mean, -np.inf, np.inf, 1.0, 1.0, None if margin is None else 1.0, n, share)
    wider = np.sqrt(1 + n * share / (1 - share))
    half = wider * (plain.ci_high - plain.ci_low) / 2
    # Without any spread tests are their limits, which no factor changes.
    if margin is not None and half > 0:
        error = half / stdtrit(n - 1, 1.0 - _TAIL)
        tost_p = float(stdtr(n - 1, (abs(mean) - margin) / error))
    above, below = (float(stdtr(n - 1, -sign * plain.t / wider)) for sign in (1, -1))
    if plain.t == 0:
        above = below = plain.p_value
    return CorrectedComparison(mean, mean - half, mean + half, above, below, tost_p, n, share)


def sign_test(a: np.ndarray, b: np.ndarray, *, alternative: str = "two-sided") -> SignTest:
    """Exact sign test: of the pairs that differ, are those with a > b half? Ties are dropped, and counted."""
    a, b = _check_pairs(a, b, least=1)
    noise = _ROUNDINGS * np.finfo(float).eps * np.maximum(np.abs(a), np.abs(b))
    wins, losses = int((a - b > noise).sum()), int((b - a > noise).sum())
    p = float(stats.binomtest(wins, wins + losses, alternative=alternative).pvalue) if wins + losses else 1.0
    return SignTest(wins, losses, len(a) - wins - losses, p)


def holm(p_values: np.ndarray) -> np.ndarray:
    """Holm's step-down adjustment of p-values (Holm 1979)."""
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"Expected a list of p-values in [0, 1], found {p}; leave out tests that were not run.")
    order = np.argsort(p)
    adjusted = np.empty(len(p))
    # statsmodels' `multipletests` computes the same, and collects garbage at each call.
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)).clip(max=1)
    return adjusted


def bootstrap(
    values: np.ndarray, *, within: tuple[float, float] = (-np.inf, np.inf), n_resamples: int = 9999, seed: int = 0
) -> Estimate:
    """
    Mean and its 95 % interval over units, by the studentised bootstrap (Efron and Tibshirani 1993, Sec. 12.5).

    The deviation of each redraw is measured in its own standard error, so that few units get a wide interval, as with
    Student's t, and skewed ones one that leans to the side of their tail. The limits are Student's for fewer than five
    units; one of them is where redraws of equal units, which have no standard error, would put it at infinity.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
        raise ValueError(f"A bootstrap needs at least two units, all finite, found shape {values.shape}: {values}.")
    value, n = float(values.mean()), len(values)
    if np.ptp(values) <= _ROUNDINGS * np.finfo(float).eps * np.abs(values).max():
        return Estimate(value, value, value, n)
    limit = float(stdtrit(n - 1, 1.0 - _TAIL))
    below, above = (-limit, limit) if n < _FEWEST_REDRAWN else _limits(values, n_resamples, limit, seed)
    error = values.std(ddof=1) / np.sqrt(n)
    low, high = np.clip([value - above * error, value - below * error], *within)
    return Estimate(value, float(low), float(high), n)


def _limits(values: np.ndarray, n_resamples: int, otherwise: float, seed: int) -> tuple[float, float]:
    """Limits of the studentised deviations of redraws of values; a finite one in place of infinity."""
    n, value = len(values), values.mean()
    rng, at_once = np.random.default_rng(seed), max(1, 10**6 // n)
    parts = [min(at_once, n_resamples - start) for start in range(0, n_resamples, at_once)]
    deviations = np.concatenate([_studentised(values[rng.integers(n, size=(part, n))], value) for part in parts])
    # Order statistics, as a mean of limits has no sense where one is infinite.
    below, above = np.quantile(deviations, [_TAIL, 1.0 - _TAIL], method="inverted_cdf")
    return -otherwise if np.isinf(below) else float(below), otherwise if np.isinf(above) else float(above)


def _studentised(redraws: np.ndarray, value: float) -> np.ndarray:
    """How far the mean of each redraw, a row, is from a value, in standard errors; infinitely far if it has none."""
    away, n = redraws.mean(axis=1) - value, redraws.shape[1]
    errors = redraws.std(axis=1, ddof=1) / np.sqrt(n)
    equal = np.ptp(redraws, axis=1) == 0
    return np.divide(away, errors, out=np.copysign(np.inf, away), where=~equal)


def jackknife_error(left_out: np.ndarray) -> float:
    """Jackknife standard error (Tukey 1958) of a statistic from its n values, each without one unit."""
    left_out = np.asarray(left_out, dtype=np.float64)
    n = len(left_out)
    return float(np.sqrt((n - 1) / n * np.square(left_out - left_out.mean()).sum()))


def mean_interval(values: np.ndarray) -> tuple[float, float]:
    """95 % t interval of the mean of at least two values, all finite (ValueError if not)."""
    values = np.asarray(values, dtype=np.float64)
    values, _ = _check_pairs(values, np.zeros_like(values), least=2)
    low, high = DescrStatsW(values).tconfint_mean(ALPHA)
    return float(low), float(high)


def wilson_interval(share: float, n: float) -> tuple[float, float]:
    """
    95 % interval of a share of n independent units by the closed formula of Wilson (1927); NaN if n is NaN.

    The share need not be a multiple of 1/n, so that the mean of several draws can be given.
    """
    low, high = proportion_confint(share * n, n, alpha=ALPHA, method="wilson")
    return float(low), float(high)


def _check_pairs(a: np.ndarray, b: np.ndarray, least: int) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"Expected two lists of paired values, found shapes {a.shape} and {b.shape}.")
    if len(a) < least:
        raise ValueError(f"Expected at least {least} pairs, found {len(a)}.")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("The paired values contain NaN or infinity; remove those pairs or fix the run they come from.")
    return a, b


def _without_variance(mean: float, n: int, alternative: str, margin: float | None) -> Comparison:
    """Comparison of differences that are all equal."""
    holds = {"two-sided": mean != 0, "greater": mean > 0, "less": mean < 0}[alternative]
    t = float(np.sign(mean)) * np.inf if mean != 0 else 0.0
    return Comparison(
        mean_difference=mean,
        ci_low=mean,
        ci_high=mean,
        t=t,
        p_value=0.0 if holds else 1.0,
        effect_size=t,
        n=n,
        tost_p=None if margin is None else float(abs(mean) >= margin),
    )
