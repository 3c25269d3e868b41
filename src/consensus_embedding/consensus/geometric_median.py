"""Geometric median of points by their inner products alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from consensus_embedding.utils.numbers import real_numbers, require_finite, require_symmetric
from consensus_embedding.utils.parameters import checked_arguments

# An iterate this close to an input (as a share of the spread of the inputs) counts as hitting it: the
# square root of the rounding error of the Gram matrix.
_HIT = 1e-7
# Points whose squared spread is less than this share of their squared norms are looked at about their mean.
_FAR = 1e-10
# Steps shorter than this share of the spread of the inputs are rounding.
_ROUNDING = 1e-12
# Where the iteration ends, unless a user says otherwise.
_TOLERANCE, _MAX_ITER = 1e-5, 500


@dataclass(frozen=True, eq=False)
class GeometricMedian:
    """
    Geometric median of m points, as weights on them.

    Attributes
    ----------
    weights : ndarray of shape (m,)
        The median is the sum of weights times inputs; they are non-negative and sum to 1.
    distances : ndarray of shape (m,)
        Distance of the median to each input.
    n_iter : int
        Weiszfeld steps made.
    converged : bool
        Whether the last step was within the tolerance, or an input was proved optimal.
    """

    weights: np.ndarray
    distances: np.ndarray
    n_iter: int
    converged: bool


@checked_arguments
def geometric_median(gram: np.ndarray, *, tolerance: float = _TOLERANCE, max_iter: int = _MAX_ITER) -> GeometricMedian:
    """
    Geometric median of m points by Weiszfeld's iteration, from their Gram matrix alone.

    For x = sum_i a_i x_i the squared distance to x_k is a'Ga - 2 (Ga)_k + G_kk. An iterate that hits an input
    is either proved optimal or moved off it by the step of Vardi and Zhang (2000), where the plain iteration
    would divide by zero. Two inputs have no unique median: every point between them is one, and the mean, where
    the iteration starts, is returned.

    Parameters
    ----------
    gram : ndarray of shape (m, m)
        Inner products of the points, about any origin; of `distance_gram`.
    tolerance : float
        Stop when a step is shorter than this in the unit of the distances (Algorithm 1), and shorter than this share
        of the largest distance of a point to the mean, so that small units lose no digits.
    max_iter : int

    Returns
    -------
    GeometricMedian

    Raises
    ------
    ValueError
        If the Gram matrix is not square and symmetric, is empty, contains NaN or has a negative diagonal.
    """
    gram = np.ascontiguousarray(real_numbers(gram, "The Gram matrix"))
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1] or gram.shape[0] < 1:
        raise ValueError(f"The Gram matrix must be square with m >= 1 rows, found shape {gram.shape}.")
    require_finite(gram, "The Gram matrix contains", "leave out these inputs, or rescale all of them")
    require_symmetric(gram, "Inner products")
    if np.diag(gram).min() < 0:
        raise ValueError(f"Inner products of a point with itself must be at least 0, found {np.diag(gram).min():g}.")
    m = len(gram)
    gram = _near_the_origin(gram)
    hit_distance = _HIT * np.sqrt(max(np.diag(gram).max(), 0.0))
    return GeometricMedian(*_weiszfeld(gram, np.full(m, 1.0 / m), hit_distance, float(tolerance), int(max_iter)))


def _near_the_origin(gram: np.ndarray) -> np.ndarray:
    """Inner products about the mean where that is far away, as any hit would be judged by the distance from it."""
    means = gram.mean(axis=0)
    centred = gram - means - means[:, None] + means.mean()
    share = np.diag(centred).max() / max(np.diag(gram).max(), np.finfo(np.float64).tiny)
    # Of equal points nothing is left but rounding.
    return centred if 1e3 * np.finfo(np.float64).eps < share < _FAR else gram


def subset_medians(gram: np.ndarray, subsets: np.ndarray) -> np.ndarray:
    """
    Weights of the `geometric_median` of each of many subsets of the points, (n_subsets, m), 0 outside a subset.

    `gram`, (m, m), are inner products of the points, finite, which is not checked; `subsets`, (n_subsets, size), int,
    have the points of each.
    """
    result = np.zeros((len(subsets), len(gram)))
    inner = gram[subsets[:, :, None], subsets[:, None, :]]
    weights = np.full(subsets.shape, 1.0 / subsets.shape[1])
    hit_distances = _HIT * np.sqrt(np.maximum(np.diag(gram)[subsets].max(axis=1), 0.0))
    # Not in a loop that is compiled, since that takes half a second.
    for rows, start, hit_distance in zip(inner, weights, hit_distances, strict=True):
        _weiszfeld(rows, start, hit_distance, _TOLERANCE, _MAX_ITER)
    np.put_along_axis(result, subsets, weights, axis=1)
    return result


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _product(gram: np.ndarray, weights: np.ndarray, into: np.ndarray) -> float:
    """Gram matrix times weights; returns the squared norm of the combination, at least 0."""
    square = 0.0
    for i in range(len(gram)):
        row, total = gram[i], 0.0
        for j in range(len(gram)):
            total += row[j] * weights[j]
        into[i] = total
        square += weights[i] * total
    return max(square, 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _measure(gram: np.ndarray, weights: np.ndarray, products: np.ndarray, distances: np.ndarray) -> None:
    """Fill in the distance of a combination to each input."""
    square = _product(gram, weights, products)
    for i in range(len(gram)):
        distances[i] = np.sqrt(max(square - 2.0 * products[i] + gram[i, i], 0.0))


@njit(cache=True, nogil=True, error_model="numpy")
def _weiszfeld(
    gram: np.ndarray, weights: np.ndarray, hit_distance: float, tolerance: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray, int, bool]:
    """Weights, distances, steps and convergence of `geometric_median`; the weights given are overwritten."""
    # Loops in place of x[:] = y, np.full, x.sum() and x.max(), which take up to two seconds each to compile.
    m = len(gram)
    products, distances, pulls, moved, shift = np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    for i in range(m):
        moved[i] = 1.0 / m
    _measure(gram, moved, products, distances)
    spread = 0.0
    for i in range(m):
        spread = max(spread, distances[i])
    tolerance = max(tolerance * min(spread, 1.0), _ROUNDING * spread)
    for n_iter in range(1, max_iter + 1):
        _measure(gram, weights, products, distances)
        n_hit, pull = 0, 0.0
        for i in range(m):
            hit = distances[i] <= hit_distance
            n_hit += hit
            pulls[i] = 0.0 if hit else 1.0 / distances[i]
            pull += pulls[i]
        if n_hit == m:
            return weights, distances, n_iter, True
        for i in range(m):
            moved[i] = pulls[i] / pull
        if n_hit > 0:
            # The inputs hit resist with a force of their number; the others pull with the norm of the sum of
            # their unit vectors.
            for i in range(m):
                shift[i] = pulls[i] - pull * weights[i]
            force = np.sqrt(_product(gram, shift, products))
            stay = min(1.0, n_hit / force) if force > 0 else 1.0
            if stay >= 1.0:
                # Put all weight on the inputs hit, so that the answer is that input and not a neighbour of it.
                for i in range(m):
                    weights[i] = 1.0 / n_hit if distances[i] <= hit_distance else 0.0
                _measure(gram, weights, products, distances)
                return weights, distances, n_iter, True
            for i in range(m):
                moved[i] = (1.0 - stay) * moved[i] + stay * weights[i]
        for i in range(m):
            shift[i] = moved[i] - weights[i]
            weights[i] = moved[i]
        step = np.sqrt(_product(gram, shift, products))
        if step <= tolerance:
            _measure(gram, weights, products, distances)
            return weights, distances, n_iter, True
    _measure(gram, weights, products, distances)
    return weights, distances, max_iter, False
