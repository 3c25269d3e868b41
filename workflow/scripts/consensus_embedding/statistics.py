"""Paired comparisons with effect size and equivalence, Holm's correction, rank correlation and slope with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import ndtr

_CONFIDENCE = 0.95
_TAIL = 0.5 * (1.0 - _CONFIDENCE)
# Differences that vary by no more than this many roundings of the numbers they come from are equal.
_ROUNDINGS = 8
# Quantiles over which the noncentral t distribution is taken: its tails come out to 1e-5.
_LEVELS = 4000


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
    effect_low, effect_high : float
        Its 95 % interval, by the noncentral t distribution.
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
    effect_low: float
    effect_high: float
    n: int
    tost_p: float | None = None
    note: str = ""


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's correlation, its 95 % interval, and the number of pairs."""

    correlation: float
    ci_low: float
    ci_high: float
    n: int


@dataclass(frozen=True)
class Slope:
    """Least-squares slope, its 95 % interval, and the number of pairs."""

    slope: float
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
    if alternative not in ("two-sided", "greater", "less"):
        raise ValueError(f"alternative must be two-sided, greater or less, found {alternative!r}.")
    if margin is not None and not margin > 0:
        raise ValueError(f"The margin of an equivalence test must be above 0, found {margin}.")
    differences = a - b
    n, mean, spread = len(differences), float(differences.mean()), float(differences.std(ddof=1))
    noise = _ROUNDINGS * np.finfo(float).eps * max(np.abs(a).max(), np.abs(b).max())
    if spread <= noise:
        return _without_variance(0.0 if abs(mean) <= noise else mean, n, alternative, margin)
    error = spread / np.sqrt(n)
    t = mean / error
    half = error * stats.t.ppf(1.0 - _TAIL, n - 1)
    low, high = _effect_interval(t, n)
    return Comparison(
        mean_difference=mean,
        ci_low=mean - half,
        ci_high=mean + half,
        t=t,
        p_value=_p_value(t, n - 1, alternative),
        effect_size=mean / spread,
        effect_low=low,
        effect_high=high,
        n=n,
        tost_p=None if margin is None else float(stats.t.sf((margin - abs(mean)) / error, n - 1)),
    )


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


def spearman_with_interval(x: np.ndarray, y: np.ndarray, *, n_bootstrap: int = 1000, seed: int = 0) -> RankCorrelation:
    """
    Spearman's rank correlation and its 95 % percentile bootstrap interval over pairs.

    Draws in which x or y is constant have no correlation and are left out.

    Parameters
    ----------
    x, y : array-like of shape (n,)
        At least three pairs.
    n_bootstrap : int
        At least 100.
    seed : int

    Returns
    -------
    RankCorrelation

    Raises
    ------
    ValueError
        If the lengths differ, there are fewer than three pairs, a value is NaN or infinite, x or y is constant,
        or `n_bootstrap` is below 100.
    """
    x, y = _check_pairs(x, y, least=3)
    for name, values in (("x", x), ("y", y)):
        if (values == values[0]).all():
            raise ValueError(f"A rank correlation needs values that differ, found {name} = {values[0]} throughout.")
    if n_bootstrap < 100:
        raise ValueError(f"A 95 % interval needs n_bootstrap of at least 100, found {n_bootstrap}.")
    draws = np.random.default_rng(seed).integers(len(x), size=(n_bootstrap, len(x)))
    values = _rank_correlations(x[draws], y[draws])
    low, high = np.quantile(values[np.isfinite(values)], [_TAIL, 1.0 - _TAIL])
    return RankCorrelation(float(_rank_correlations(x[None], y[None])[0]), float(low), float(high), len(x))


def slope_with_interval(x: np.ndarray, y: np.ndarray) -> Slope:
    """
    Least-squares slope of y on x and its 95 % t interval.

    Parameters
    ----------
    x, y : array-like of shape (n,)
        At least three pairs.

    Returns
    -------
    Slope

    Raises
    ------
    ValueError
        If the lengths differ, there are fewer than three pairs, a value is NaN or infinite, or x is constant.
    """
    x, y = _check_pairs(x, y, least=3)
    if (x == x[0]).all():
        raise ValueError(f"A slope needs values of x that differ, found x = {x[0]} throughout.")
    line = stats.linregress(x, y)
    half = line.stderr * stats.t.ppf(1.0 - _TAIL, len(x) - 2)
    return Slope(float(line.slope), float(line.slope - half), float(line.slope + half), len(x))


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
        return float(2.0 * stats.t.sf(abs(t), degrees))
    return float(stats.t.sf(t if alternative == "greater" else -t, degrees))


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
        effect_low=t,
        effect_high=t,
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
    levels = (np.arange(_LEVELS) + 0.5) / _LEVELS
    reached = t * np.sqrt(stats.chi2.ppf(levels, n - 1) / (n - 1))

    def noncentrality(probability: float) -> float:
        return brentq(lambda shift: ndtr(reached - shift).mean() - probability, reached.min() - 10, reached.max() + 10)

    return noncentrality(1.0 - _TAIL) / np.sqrt(n), noncentrality(_TAIL) / np.sqrt(n)


def _rank_correlations(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's correlation of each row; NaN where a row is constant."""
    x, y = stats.rankdata(x, axis=1), stats.rankdata(y, axis=1)
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return (x * y).sum(axis=1) / np.sqrt(np.square(x).sum(axis=1) * np.square(y).sum(axis=1))
