"""
Tests and intervals that the experiments and the judges share.

Paired t-test with effect size and equivalence, the same for draws that overlap, sign test, Holm's correction, bootstrap
and jackknife, intervals of means and shares, rank correlation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import gammaincinv, gammaln, ndtr, ndtri, stdtr, stdtrit

_CONFIDENCE = 0.95
_TAIL = 0.5 * (1.0 - _CONFIDENCE)
# Differences that vary by no more than this many roundings of the numbers they come from are equal.
_ROUNDINGS = 8
# Quantiles over which the noncentral t distribution is taken: its tails come out to 1e-5.
_LEVELS = 4000
# Numbers that the redraws of a bootstrap may hold at once.
_AT_ONCE = 10**7
_ALTERNATIVES = ("two-sided", "greater", "less")


@dataclass(frozen=True)
class Comparison:
    """
    Paired t-test of a - b.

    Attributes
    ----------
    mean_difference : float
    ci_low, ci_high : float
        Two-sided 95 % t interval of the mean difference, whatever the alternative.
    t, p_value : float
        Of the test for the chosen alternative.
    effect_size : float
        Cohen's d_z: mean over standard deviation of the differences.
    n : int
        Pairs.
    tost_p : float or None
        Larger p-value of the two one-sided tests of |mean difference| >= margin; None without a margin.
    note : str
        What was special, "" if nothing.
    """

    mean_difference: float
    ci_low: float
    ci_high: float
    t: float
    p_value: float
    effect_size: float
    n: int
    tost_p: float | None = None
    note: str = ""

    @property
    def effect_interval(self) -> tuple[float, float]:
        """95 % interval of the effect size, by the noncentral t distribution; it takes longer than all else here."""
        return (self.t, self.t) if self.note else _effect_interval(self.t, self.n)

    @property
    def hedges_g(self) -> float:
        """Effect size without its bias in small samples: d_z times the exact factor of Hedges (1981)."""
        half = 0.5 * (self.n - 1)
        factor = np.exp(gammaln(half) - gammaln(half - 0.5)) / np.sqrt(half)
        return float(self.effect_size * factor) if np.isfinite(self.effect_size) else self.effect_size


@dataclass(frozen=True)
class CorrectedComparison:
    """
    Paired t-test over draws that overlap, of `corrected_comparison`.

    Attributes
    ----------
    mean_difference : float
    ci_low, ci_high : float
        Two-sided 95 % interval; infinite where every draw holds all units.
    p_value, below_p : float
        One-sided: of a mean above 0, and of one below.
    tost_p : float or None
        Of two one-sided tests of a mean within the margin; None without a margin.
    n : int
        Draws.
    share : float
        Of the units that a draw holds; 0 for draws that do not overlap.
    """

    mean_difference: float
    ci_low: float
    ci_high: float
    p_value: float
    below_p: float
    tost_p: float | None
    n: int
    share: float


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
    if not; tost_p = 0 if the value lies within the margin, else 1. The note says so.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Paired values, at least two.
    alternative : {"two-sided", "greater", "less"}
        Greater: a is larger than b.
    margin : float, optional
        Above 0: two one-sided tests (TOST, Schuirmann 1987) of whether the mean difference lies within
        +- margin; tost_p below 0.05 means equivalent.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If the lengths differ, there are fewer than two pairs, a value is NaN or infinite, the alternative is
        unknown or the margin not positive.
    """
    a, b = _check_pairs(a, b, least=2)
    _check_alternative(alternative)
    if margin is not None and not margin > 0:
        raise ValueError(f"The margin of an equivalence test must be above 0, found {margin}.")
    differences = a - b
    n, mean, spread = len(differences), float(differences.mean()), float(differences.std(ddof=1))
    noise = _ROUNDINGS * np.finfo(float).eps * max(np.abs(a).max(), np.abs(b).max())
    if spread <= noise:
        return _without_variance(0.0 if abs(mean) <= noise else mean, n, alternative, margin)
    error = spread / np.sqrt(n)
    t = mean / error
    half = error * stdtrit(n - 1, 1.0 - _TAIL)
    return Comparison(
        mean_difference=mean,
        ci_low=mean - half,
        ci_high=mean + half,
        t=t,
        p_value=_p_value(t, n - 1, alternative),
        effect_size=mean / spread,
        n=n,
        tost_p=None if margin is None else float(stdtr(n - 1, (abs(mean) - margin) / error)),
    )


def corrected_comparison(
    a: np.ndarray, b: np.ndarray, *, share: float, margin: float | None = None
) -> CorrectedComparison:
    """
    Paired t-test of a - b over draws that each hold a share f of the same finite pool, and so overlap.

    Means over c draws vary as (1 - f) / c + f of the variance of one, while their spread shows (1 - f) of it. So the
    standard error is sd sqrt(1/c + f/(1 - f)), the correction of Nadeau and Bengio (2003). At f = 0 it is the plain
    one; at f = 1 the spread tells nothing of other units: p = 1, and an infinite interval.

    Parameters
    ----------
    a, b : array-like of shape (c,)
        Paired values by draw, at least two.
    share : float
        f, in [0, 1].
    margin : float, optional
        Of the two one-sided tests.

    Returns
    -------
    CorrectedComparison

    Raises
    ------
    ValueError
        As `paired_comparison`, and if the share is outside [0, 1].
    """
    if not 0 <= share <= 1:
        raise ValueError(f"The share of the pool that a draw holds must be in [0, 1], found {share}.")
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
    """
    Exact sign test: of the pairs that differ, are those with a > b half? Ties are dropped, and counted.

    Parameters
    ----------
    a, b : array-like of shape (n,)
        Paired values, at least one pair. Values within a few roundings of each other are ties.
    alternative : {"two-sided", "greater", "less"}
        Greater: a is larger than b.

    Returns
    -------
    SignTest
        p = 1 if all pairs are ties.

    Raises
    ------
    ValueError
        As `paired_comparison`, but one pair is enough.
    """
    a, b = _check_pairs(a, b, least=1)
    _check_alternative(alternative)
    noise = _ROUNDINGS * np.finfo(float).eps * np.maximum(np.abs(a), np.abs(b))
    wins, losses = int((a - b > noise).sum()), int((b - a > noise).sum())
    p = float(scipy.stats.binomtest(wins, wins + losses, alternative=alternative).pvalue) if wins + losses else 1.0
    return SignTest(wins, losses, len(a) - wins - losses, p)


def holm(p_values: np.ndarray) -> np.ndarray:
    """
    Holm's step-down adjustment of p-values (Holm 1979).

    Parameters
    ----------
    p_values : array-like of shape (k,)

    Returns
    -------
    ndarray of shape (k,)
        In the given order; rejecting what is at most alpha keeps the familywise error at alpha.

    Raises
    ------
    ValueError
        If a p-value is NaN or outside [0, 1].
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError(f"Expected a list of p-values in [0, 1], found {p}; leave out tests that were not made.")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


def bootstrap(
    values: np.ndarray,
    statistic: Callable[..., np.ndarray] = np.mean,
    *,
    method: str = "bca",
    n_resamples: int = 9999,
    seed: int = 0,
) -> Estimate:
    """
    95 % bootstrap interval over units: percentile, or bias-corrected and accelerated (BCa; Efron 1987).

    The acceleration is that of the jackknife. Redraws without a value (NaN) are left out. Where the statistic is the
    same in all redraws, the interval is that point; where it lies outside all of them, the bias of BCa is not finite,
    and the percentile interval is given.

    Parameters
    ----------
    values : array-like of shape (n,) or (n, k)
        One row a unit, at least two.
    statistic : callable
        Called as statistic(samples, axis=1) with samples of shape (draws, n) or (draws, n, k); shape (draws,).
    method : {"bca", "percentile"}
    n_resamples : int
        At least 100.
    seed : int

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If there are fewer than two units, a value is NaN or infinite, the method is unknown or `n_resamples` is below
        100.
    """
    values = np.asarray(values, dtype=np.float64)
    n = len(values) if values.ndim else 0
    if n < 2 or not np.isfinite(values).all():
        raise ValueError(f"A bootstrap needs at least two units, all finite, found shape {values.shape}: {values}.")
    if method not in ("bca", "percentile"):
        raise ValueError(f"The method of a bootstrap is bca or percentile, found {method!r}.")
    if n_resamples < 100:
        raise ValueError(f"A 95 % interval needs at least 100 redraws, found n_resamples = {n_resamples}.")
    rng, step = np.random.default_rng(seed), max(_AT_ONCE // values.size, 1)
    sizes = [min(step, n_resamples - start) for start in range(0, n_resamples, step)]
    redrawn = np.concatenate([statistic(values[rng.integers(n, size=(size, n))], axis=1) for size in sizes])
    redrawn = redrawn[np.isfinite(redrawn)]
    value = float(statistic(values[None], axis=1)[0])
    levels = np.array([_TAIL, 1.0 - _TAIL])
    if method == "bca":
        others = np.arange(n - 1) + (np.arange(n - 1) >= np.arange(n)[:, None])
        levels = _bca_levels(value, redrawn, statistic(values[others], axis=1), levels)
    low, high = np.quantile(redrawn, levels)
    return Estimate(value, float(low), float(high), n)


def _bca_levels(value: float, redrawn: np.ndarray, left_out: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Levels of the quantiles that BCa takes; the given ones where the bias is not finite or nothing varies."""
    bias = ndtri(0.5 * ((redrawn < value).mean() + (redrawn <= value).mean()))
    away = left_out.mean() - left_out
    spread = np.square(away).sum()
    if not (np.isfinite(bias) and spread > 0):
        return levels
    acceleration = (away**3).sum() / (6.0 * spread**1.5)
    shifted = bias + ndtri(levels)
    return ndtr(bias + shifted / (1.0 - acceleration * shifted))


def jackknife_error(left_out: np.ndarray) -> float:
    """Jackknife standard error (Tukey 1958) of a statistic from its n values, each without one unit."""
    left_out = np.asarray(left_out, dtype=np.float64)
    n = len(left_out)
    return float(np.sqrt((n - 1) / n * np.square(left_out - left_out.mean()).sum()))


def mean_interval(values: np.ndarray) -> tuple[float, float]:
    """95 % t interval of the mean of at least two values, all finite (ValueError if not)."""
    values = np.asarray(values, dtype=np.float64)
    values, _ = _check_pairs(values, np.zeros_like(values), least=2)
    half = values.std(ddof=1) / np.sqrt(len(values)) * stdtrit(len(values) - 1, 1.0 - _TAIL)
    return float(values.mean() - half), float(values.mean() + half)


def wilson_interval(share: float, n: float) -> tuple[float, float]:
    """
    95 % interval of a share of n independent units by the closed formula of Wilson (1927); NaN if n is NaN.

    The share need not be a whole number of n, so that the mean of several draws can be given.
    """
    z = ndtri(0.975)
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return float(max(centre - half, 0.0)), float(min(centre + half, 1.0))


def clopper_pearson(wins: int, n: int) -> tuple[float, float]:
    """Exact 95 % interval of a share (Clopper and Pearson 1934): `wins` of n independent units."""
    found = scipy.stats.binomtest(wins, n).proportion_ci(_CONFIDENCE, method="exact")
    return float(found.low), float(found.high)


def rank_correlations(pairs: np.ndarray, axis: int = 1) -> np.ndarray:
    """Spearman's correlations of samples of pairs, shape (samples, n, 2), NaN if a side is constant."""
    ranks = scipy.stats.rankdata(pairs, axis=axis)
    ranks -= ranks.mean(axis=axis, keepdims=True)
    x, y = ranks[..., 0], ranks[..., 1]
    with np.errstate(invalid="ignore"):
        return (x * y).sum(axis=axis) / np.sqrt(np.square(x).sum(axis=axis) * np.square(y).sum(axis=axis))


def _check_alternative(alternative: str) -> None:
    if alternative not in _ALTERNATIVES:
        raise ValueError(f"alternative must be two-sided, greater or less, found {alternative!r}.")


def _check_pairs(a: np.ndarray, b: np.ndarray, least: int) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"Expected two lists of paired values, found shapes {a.shape} and {b.shape}.")
    if len(a) < least:
        raise ValueError(f"Expected at least {least} pairs, found {len(a)}.")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("The paired values hold NaN or infinity; remove those pairs or mend the run they come from.")
    return a, b


def _p_value(t: float, degrees: int, alternative: str) -> float:
    if alternative == "two-sided":
        return float(2.0 * stdtr(degrees, -abs(t)))
    return float(stdtr(degrees, -t if alternative == "greater" else t))


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
        note="all differences are zero" if mean == 0 else "all differences are equal",
    )


def _effect_interval(t: float, n: int) -> tuple[float, float]:
    """
    95 % interval of d_z: the noncentralities that put t at the 97.5 % and at the 2.5 % quantile, over sqrt(n).

    The noncentral t distribution function at t is the mean of Phi(t s - shift) over the standard deviation s of n
    normal values; taken over quantiles of s, since SciPy's nct fails for large t.
    """
    # Reading it takes longer than all else here, and not every table needs it.
    from scipy.optimize import brentq

    levels = (np.arange(_LEVELS) + 0.5) / _LEVELS
    reached = t * np.sqrt(2.0 * gammaincinv((n - 1) / 2.0, levels) / (n - 1))

    def noncentrality(probability: float) -> float:
        return brentq(lambda shift: ndtr(reached - shift).mean() - probability, reached.min() - 10, reached.max() + 10)

    return noncentrality(1.0 - _TAIL) / np.sqrt(n), noncentrality(_TAIL) / np.sqrt(n)
