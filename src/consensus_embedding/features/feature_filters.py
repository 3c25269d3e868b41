"""Filters that rank features one by one: t-test, Fisher score and Gini index; each can be a score of SelectKBest."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from consensus_embedding.utils.labels import check_labels_present, classes_of, label_array
from consensus_embedding.utils.numbers import real_numbers, with_squares
from consensus_embedding.utils.rows import check_row_order

# Values that differ by this share of the largest one are equal, except for rounding.
_ROUNDING = 4 * np.finfo(np.float64).eps
# Values that differ by this share of the largest one lose digits in sums; they are measured from the smallest one.
_FAR = 1e-6


def t_scores(X: ArrayLike, y: ArrayLike) -> np.ndarray:
    """
    Size of Student's t between two classes, with pooled variance.

    |mean_1 - mean_0| / sqrt(s^2 (1 / n_1 + 1 / n_0)), s^2 the pooled variance.

    Parameters
    ----------
    X : array-like of shape (n, m)
    y : array-like of shape (n,)
        Two classes, at least 2 samples of each.

    Returns
    -------
    ndarray of shape (m,)
        0 for a constant feature; infinite for one that is constant in each class, at different values.

    Raises
    ------
    ValueError
        If X is not a finite table, there are not two classes, a label is NaN or None, or a class has fewer than 2
        samples.
    """
    X, positive = _checked(X, y, 2)
    counts, means, squares = class_moments(X, positive)
    pooled = squares.sum(axis=0) / (len(X) - 2)
    return _ratio(np.abs(means[1] - means[0]), np.sqrt(pooled * (1.0 / counts).sum(axis=0)))


def fisher_scores(X: ArrayLike, y: ArrayLike) -> np.ndarray:
    """
    Fisher's criterion between two classes, (mean_1 - mean_0)^2 / (s_1^2 + s_0^2) (Duda, Hart and Stork 2001).

    Parameters
    ----------
    X : array-like of shape (n, m)
    y : array-like of shape (n,)
        Two classes, at least 2 samples of each.

    Returns
    -------
    ndarray of shape (m,)
        With the unbiased variances s^2. 0 for a constant feature; infinite for one that is constant in each class, at
        different values.

    Raises
    ------
    ValueError
        As `t_scores`.
    """
    X, positive = _checked(X, y, 2)
    counts, means, squares = class_moments(X, positive)
    variances = squares / (counts - 1)
    return np.square(_ratio(np.abs(means[1] - means[0]), np.sqrt(variances.sum(axis=0))))


def gini_scores(X: ArrayLike, y: ArrayLike) -> np.ndarray:
    """
    Largest decrease of the Gini impurity of two classes by one threshold on the feature (Breiman et al. 1984).

    Impurity 1 - sum_c p_c^2 of all samples, less the mean of those of the two sides weighted by their samples.
    Every threshold between two different values of the feature is tried.

    Parameters
    ----------
    X : array-like of shape (n, m)
    y : array-like of shape (n,)
        Two classes.

    Returns
    -------
    ndarray of shape (m,)
        In [0, 1/2]; 0 for a constant feature. Features that split the classes alike have equal scores to the last bit.

    Raises
    ------
    ValueError
        If X is not a finite table, there are not two classes, or a label is NaN or None.
    """
    X, positive = _checked(X, y, 1)
    return _gini_decreases(*(np.sort(np.ascontiguousarray(X[part].T), axis=1) for part in (~positive, positive)))


def class_moments(X: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """
    Means and squared deviations of the features of two classes, for ratios of the two.

    NaN in X, (n, m), is missing. Returns, (2, m) each, of the negative and the positive class: counts of values that
    are present, int; means, equal if all values of a feature are, except for rounding, where each feature may have an
    origin and a unit of its own; sums of squared deviations, 0 if the values of each class are equal, except for
    rounding.
    """
    missing = np.isnan(X)
    X = with_squares(np.where(missing, 0.0, X), axis=0)
    members = ~positive, positive
    # Of a whole table no value has to be looked up in it.
    present = [~missing[rows] if missing.any() else True for rows in members]
    classes = [X[rows] for rows in members]
    counts = np.array([np.broadcast_to(here, of.shape).sum(axis=0) for of, here in zip(classes, present, strict=True)])
    low = np.array([of.min(axis=0, where=here, initial=np.inf) for of, here in zip(classes, present, strict=True)])
    high = np.array([of.max(axis=0, where=here, initial=-np.inf) for of, here in zip(classes, present, strict=True)])
    low, high = np.where(counts > 0, (low, high), 0.0)
    size, lowest = np.maximum(high, -low).max(axis=0), low.min(axis=0)
    spread = high.max(axis=0) - lowest
    far = spread <= _FAR * size
    if far.any():
        origin = np.where(far, lowest, 0.0)
        classes = [np.where(here, of - origin, 0.0) for of, here in zip(classes, present, strict=True)]
    means = np.array([of.sum(axis=0) for of in classes]) / np.maximum(counts, 1)
    squares = []
    for of, here, mean in zip(classes, present, means, strict=True):
        deviations = of - mean
        np.square(deviations, out=deviations)
        squares.append(deviations.sum(axis=0, where=here))
    # The mean of equal values is rounded, and by more the more there are; what they are decides, not their moments.
    flat = (high - low <= _ROUNDING * size).all(axis=0)
    level = np.where(spread <= _ROUNDING * size, lowest, low)
    return counts, np.where(flat, level, means), np.where(flat, 0.0, squares)


def _checked(X: ArrayLike, y: ArrayLike, smallest: int) -> tuple[np.ndarray, np.ndarray]:
    """X as a finite table, and whether a sample is of the second class."""
    check_row_order(X=X, labels=y)
    X, y = real_numbers(X, "X"), label_array(y)
    if X.ndim != 2 or X.size == 0:
        raise ValueError(f"X must have shape (samples, features), neither 0, found shape {X.shape}.")
    if y.shape != (len(X),):
        raise ValueError(f"Expected one label for each of the {len(X)} samples, found labels of shape {y.shape}.")
    if not np.isfinite(X).all():
        raise ValueError(
            f"X contains NaN or infinity in {(~np.isfinite(X)).any(axis=0).sum()} of its features; leave these out, or "
            "fill the values."
        )
    check_labels_present(y, "Give each sample a class, or leave those out.")
    classes, codes = classes_of(y)
    if len(classes) != 2:
        listed = ", ".join(map(str, classes[:5]))
        raise ValueError(f"Expected labels of two classes, found {len(classes)} ({listed}); keep the samples of two.")
    for name, count in zip(classes, np.bincount(codes), strict=True):
        if count < smallest:
            raise ValueError(
                f"Expected at least {smallest} samples of each class, found {count} of class {name}; a variance needs "
                "them."
            )
    return np.ascontiguousarray(X), codes == 1


def _ratio(difference: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Difference, 0 or more, over spread; 0 over 0 is 0."""
    return np.divide(difference, spread, out=np.where(difference > 0, np.inf, 0.0), where=spread > 0)


@njit(cache=True, nogil=True, error_model="numpy")
def _gini_decreases(negative: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """
    Largest 2 (p_l n_r - p_r n_l)^2 / (n^2 n_l n_r) over thresholds, p of the n samples of each side being positive.

    For two classes that is the decrease of the impurity; of integers except for divisions, so that equal splits have
    equal scores. Values of each class (m, samples) are sorted and walked through at once.
    """
    m, n_negative = negative.shape
    n_positive = positive.shape[1]
    n = n_negative + n_positive
    result = np.zeros(m)
    for feature in range(m):
        low, high = negative[feature], positive[feature]
        a, b = 0, 0
        while True:
            value = min(low[a] if a < n_negative else np.inf, high[b] if b < n_positive else np.inf)
            while a < n_negative and low[a] == value:
                a += 1
            while b < n_positive and high[b] == value:
                b += 1
            left = a + b
            if left == n:
                break
            gap = float(b * (n - left) - (n_positive - b) * left)
            result[feature] = max(result[feature], gap * gap / (float(left) * (n - left)))
        result[feature] *= 2.0 / (float(n) * n)
    return result
