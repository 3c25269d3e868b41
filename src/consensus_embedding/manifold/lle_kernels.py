"""The loops of locally linear embedding, compiled: nearest neighbours, weights, and the cost matrix."""

from __future__ import annotations

import numpy as np
from numba import njit

# Sum of squared distances to neighbours, with X scaled to 1, below which squares lose their digits: coinciding objects.
_COINCIDE = 1e-280
_COMPILED = {"cache": True, "nogil": True, "error_model": "numpy"}


@njit(**_COMPILED)
def nearest(columns: np.ndarray, k: int) -> np.ndarray:
    """Indices (n, k) of the nearest other points, nearest first, the earlier one first among equals; points (p, n)."""
    n = columns.shape[1]
    result = np.empty((n, k), np.int32)
    squared, nearest = np.empty(n), np.empty(k)
    for i in range(n):
        squared[:] = 0.0
        for d in range(len(columns)):
            value, column = columns[d, i], columns[d]
            for j in range(n):
                difference = column[j] - value
                squared[j] += difference * difference
        nearest[:] = np.inf
        names = result[i]
        for j in range(n):
            value = squared[j]
            if value < nearest[k - 1] and j != i:
                place = k - 1
                while place > 0 and nearest[place - 1] > value:
                    nearest[place], names[place] = nearest[place - 1], names[place - 1]
                    place -= 1
                nearest[place], names[place] = value, j
    return result


@njit(**_COMPILED)
def fill_weights(
    points: np.ndarray, neighbors: np.ndarray, kappas: np.ndarray, regularization: float, weights: np.ndarray
) -> bool:
    """Weights for each number of neighbours from leading blocks of one Gram matrix; whether all could be computed."""
    n, k = neighbors.shape
    p = points.shape[1]
    gram, block, solution = np.empty((k, k)), np.empty((k, k)), np.empty(k)
    offsets = np.empty((p, k))
    for i in range(n):
        for a in range(k):
            for d in range(p):
                offsets[d, a] = points[neighbors[i, a], d] - points[i, d]
        gram[:] = 0.0
        for d in range(p):
            row = offsets[d]
            for a in range(k):
                for b in range(k):
                    gram[a, b] += row[a] * row[b]
        for which in range(len(kappas)):
            kappa = kappas[which]
            if not _affine_weights(gram, kappa, regularization, block, solution):
                return False
            weights[which, i, :kappa] = solution[:kappa]
    return True


@njit(**_COMPILED)
def _affine_weights(gram: np.ndarray, k: int, regularization: float, block: np.ndarray, solution: np.ndarray) -> bool:
    """Solution of (G + ridge) w = 1, scaled to sum 1, for the leading k x k block G, by Cholesky's decomposition."""
    trace = 0.0
    for a in range(k):
        trace += gram[a, a]
    ridge = regularization * trace
    if trace < _COINCIDE:
        # Coinciding objects: any ridge gives equal weights.
        solution[:k] = 1.0 / k
        return True
    for a in range(k):
        for b in range(a + 1):
            value = gram[a, b] + (ridge if a == b else 0.0)
            for c in range(b):
                value -= block[a, c] * block[b, c]
            if a > b:
                block[a, b] = value / block[b, b]
            elif value > 0:
                block[a, a] = np.sqrt(value)
            else:
                return False
    for a in range(k):
        value = 1.0
        for b in range(a):
            value -= block[a, b] * solution[b]
        solution[a] = value / block[a, a]
    total = 0.0
    for a in range(k - 1, -1, -1):
        value = solution[a]
        for b in range(a + 1, k):
            value -= block[b, a] * solution[b]
        solution[a] = value / block[a, a]
        total += solution[a]
    for a in range(k):
        solution[a] /= total
    return True


@njit(**_COMPILED)
def add_cost(result: np.ndarray, neighbors: np.ndarray, weights: np.ndarray) -> None:
    """Add M = (I - W)'(I - W) in place; a symmetric matrix stays exactly symmetric."""
    n, k = neighbors.shape
    for i in range(n):
        result[i, i] += 1.0
        for a in range(k):
            first = neighbors[i, a]
            result[i, first] -= weights[i, a]
            result[first, i] -= weights[i, a]
            for b in range(k):
                result[first, neighbors[i, b]] += weights[i, a] * weights[i, b]
