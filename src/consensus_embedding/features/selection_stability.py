"""How alike are the features that repeated selections choose? Indices of Jaccard and of Kuncheva, and chance."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import hypergeom

from consensus_embedding.utils.parameters import checked_arguments


def mean_jaccard(subsets: ArrayLike) -> float:
    """
    Mean over all pairs of subsets of the share of common features, |A and B| / |A or B| (Jaccard 1912).

    Stability of a selection as in Eq. 20 of Ginsburg et al. 2016. Not corrected for chance; see `expected_jaccard`.

    Parameters
    ----------
    subsets : array-like of shape (B, k), int
        Indices of the features chosen in each of B >= 2 rounds, none twice in a round, in any order.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        If there are fewer than 2 rounds, they differ in size, or a round names a feature twice.
    """
    return float(_pair_means(_jaccard(_checked(subsets, 2))))


def jackknife_jaccard(subsets: ArrayLike) -> np.ndarray:
    """
    `mean_jaccard` with each round left out in turn.

    Parameters
    ----------
    subsets : array-like of shape (B, k), int
        B >= 3.

    Returns
    -------
    ndarray of shape (B,)

    Raises
    ------
    ValueError
        As `mean_jaccard`, and for fewer than 3 rounds.
    """
    similarity = _jaccard(_checked(subsets, 3))
    n = len(similarity)
    np.fill_diagonal(similarity, 0.0)
    return (similarity.sum() - 2.0 * similarity.sum(axis=1)) / ((n - 1) * (n - 2))


def expected_jaccard(k: int, m: int) -> float:
    """
    Expected Jaccard index of two random subsets of k of m features.

    The number r of common features is hypergeometric, the index r / (2 k - r).

    Parameters
    ----------
    k : int
        At least 1, at most m.
    m : int

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If k or m is out of range.
    """
    _check_sizes(k, m, m)
    common = np.arange(max(0, 2 * k - m), k + 1)
    return float((hypergeom.pmf(common, m, k, k) * common / (2 * k - common)).sum())


@checked_arguments
def kuncheva_index(subsets: ArrayLike, m: int) -> float:
    """
    Kuncheva's (2007) consistency index, mean over all pairs of subsets: (r m - k^2) / (k (m - k)), r common features.

    Parameters
    ----------
    subsets : array-like of shape (B, k), int
        As for `mean_jaccard`, with indices from 0 to m - 1.
    m : int
        Number of features chosen from, above k.

    Returns
    -------
    float
        In [-1, 1]; 1 for equal subsets, 0 on average for random ones.

    Raises
    ------
    ValueError
        As `mean_jaccard`, and if an index is not below m or k is not.
    """
    subsets = _checked(subsets, 2)
    k = subsets.shape[1]
    _check_sizes(k, m, m - 1)
    if subsets.max() >= m:
        raise ValueError(f"Indices of features must be from 0 to {m - 1} as m = {m}, found {subsets.max()}.")
    return float((_pair_means(_common(subsets)) * m - k * k) / (k * (m - k)))


def _checked(subsets: Any, fewest: int) -> np.ndarray:
    # A table of pandas would be walked through by the names of its columns.
    subsets = subsets.to_numpy() if hasattr(subsets, "to_numpy") else subsets
    try:
        sizes = [len(subset) for subset in subsets]
    except TypeError:
        raise ValueError(f"Subsets must be a table of integers from 0, one round per row; found {subsets!r}.") from None
    if len(sizes) < fewest:
        raise ValueError(f"Stability needs at least {fewest} rounds of selection, found {len(sizes)}.")
    if min(sizes) < 1 or min(sizes) < max(sizes):
        raise ValueError(
            f"All rounds must choose the same number of features, at least 1; found {min(sizes)} to {max(sizes)}."
        )
    subsets = np.asarray(subsets)
    if subsets.ndim != 2 or subsets.dtype.kind not in "iu" or subsets.min() < 0:
        raise ValueError(
            "Subsets must be a table of integers from 0, the indices of features, one round per row; found shape "
            f"{subsets.shape}, {subsets.dtype}."
        )
    ordered = np.sort(subsets, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    if twice.any():
        raise ValueError(f"Round {int(twice.argmax())} (counted from 0) contains a feature twice; list each once.")
    return subsets.astype(np.int64)


def _check_sizes(k: int, m: int, most: int) -> None:
    for name, value in (("k", k), ("m", m)):
        if not isinstance(value, Integral) or value < 1:
            raise ValueError(f"{name} must be an integer of at least 1, found {value!r}.")
    if k > most:
        raise ValueError(f"Subsets must contain at most {most} of m = {m} features, found k = {k}.")


def _common(subsets: np.ndarray) -> np.ndarray:
    """Numbers (B, B) of common features."""
    features, places = np.unique(subsets, return_inverse=True)
    member = np.zeros((len(subsets), len(features)))
    np.put_along_axis(member, places.reshape(subsets.shape), 1.0, axis=1)
    return member @ member.T


def _jaccard(subsets: np.ndarray) -> np.ndarray:
    common = _common(subsets)
    return common / (2 * subsets.shape[1] - common)


def _pair_means(similarity: np.ndarray) -> float:
    return similarity[np.triu_indices(len(similarity), k=1)].mean()
