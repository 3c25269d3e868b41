"""Compiled loops over distances of objects, given by column (p, n): the k-th neighbours, and the pairs within reach."""

from __future__ import annotations

import numpy as np
from numba import njit

# Up to this many neighbours insertion beats partial sorting.
_INSERTION = 32
_COMPILED = {"cache": True, "nogil": True, "error_model": "numpy"}


@njit(**_COMPILED)
def squared_distances(points: np.ndarray, x: np.ndarray, first: int, row: np.ndarray) -> None:
    """Squared distances of an object x to the points from `first` on, summed in the order of the features."""
    row[first:] = 0.0
    for d in range(len(points)):
        value = x[d]
        for j in range(first, len(row)):
            difference = points[d, j] - value
            row[j] += difference * difference


@njit(**_COMPILED)
def squared_radii(points: np.ndarray, k: int) -> np.ndarray:
    """Squared distance of each point to its k-th neighbour."""
    n = points.shape[1]
    row, result = np.empty(n), np.empty(n)
    nearest = np.empty(_INSERTION + 1)
    for i in range(n):
        squared_distances(points, points[:, i], 0, row)
        # The point itself is one of those at distance 0, so its k-th neighbour stands at place k from 0 on.
        if k > _INSERTION:
            result[i] = np.partition(row, k)[k]
        else:
            result[i] = _kth_smallest(row, k, nearest)
    return result


@njit(**_COMPILED)
def _kth_smallest(values: np.ndarray, k: int, nearest: np.ndarray) -> float:
    """Value at place k of the sorted values, by keeping the k + 1 smallest in order."""
    nearest[: k + 1] = np.inf
    for value in values:
        if value < nearest[k]:
            place = k
            while place > 0 and nearest[place - 1] > value:
                nearest[place] = nearest[place - 1]
                place -= 1
            nearest[place] = value
    return nearest[k]


@njit(**_COMPILED)
def edges_within(
    points: np.ndarray, radii: np.ndarray, expected: int, limit: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of which one lies within the other's radius, and their distances; stops once there are over `limit`."""
    n = points.shape[1]
    size = min(expected, limit + n)
    rows, columns, distances = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size)
    row = np.empty(n)
    count = 0
    for i in range(n):
        if count > limit:
            break
        if count + n - 1 - i > size:
            size = 2 * size + n
            rows = np.append(rows[:count], np.empty(size - count, np.int32))
            columns = np.append(columns[:count], np.empty(size - count, np.int32))
            distances = np.append(distances[:count], np.empty(size - count))
        squared_distances(points, points[:, i], i + 1, row)
        radius = radii[i]
        for j in range(i + 1, n):
            if row[j] <= radius or row[j] <= radii[j]:
                rows[count], columns[count], distances[count] = i, j, np.sqrt(row[j])
                count += 1
    return rows[:count], columns[:count], distances[:count]


@njit(**_COMPILED)
def distances_between(points: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Squared distances of further objects X (m, p) to the points, as (m, n)."""
    result = np.empty((len(X), points.shape[1]))
    for i in range(len(X)):
        squared_distances(points, X[i], 0, result[i])
    return result
