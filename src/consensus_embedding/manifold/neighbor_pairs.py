"""Neighbours of objects, given by column (p, n), from SciPy's distances of some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit
from scipy.spatial.distance import cdist

# Distances held at once.
_AT_ONCE = 1 << 20

# First row and squared distances of some rows to all points.
_Tables = list[tuple[int, np.ndarray]]


def edges_of_neighbors(points: np.ndarray, k: int, limit: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Pairs and distances of `edges_within` where the k-th neighbour of a point gives its radius, and the radii."""
    tables = list(_some_rows(points)) if points.shape[1] ** 2 <= _AT_ONCE else None
    radii = squared_radii(points, k, tables)
    return *edges_within(points, radii, limit, tables), radii


def squared_radii(points: np.ndarray, k: int, tables: _Tables | None = None) -> np.ndarray:
    """Squared distance of each point to its k-th neighbour; `tables` are those of `_some_rows`, if known."""
    # The point itself is one of those at distance 0, so its k-th neighbour has index k, counted from 0.
    return np.concatenate([np.partition(squared, k, axis=1)[:, k] for _, squared in tables or _some_rows(points)])


def edges_within(
    points: np.ndarray, radii: np.ndarray, limit: int, tables: _Tables | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """
    Pairs of points, one within the other's radius, and their distances; stops once there are over `limit`.

    `tables` are those of `_some_rows`, if known.
    """
    pairs, count = [], 0
    for start, squared in tables or _some_rows(points):
        pairs.append(_near_pairs(squared, radii, start))
        count += len(pairs[-1][0])
        if count > limit:
            break
    rows, columns, squared = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    return rows, columns, np.sqrt(squared)


@njit(cache=True, nogil=True, error_model="numpy")
def _near_pairs(squared: np.ndarray, radii: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs i < j, one within the other's radius, and their squared distances, in rows from `start` on."""
    n = len(radii)
    rows, columns = np.empty(squared.size + 1, np.int32), np.empty(squared.size + 1, np.int32)
    distances = np.empty(squared.size + 1)
    count = 0
    for k in range(len(squared)):
        i = start + k
        # Written always and counted if near: no branch to guess.
        for j in range(i + 1, n):
            rows[count], columns[count], distances[count] = i, j, squared[k, j]
            count += (squared[k, j] <= radii[i]) | (squared[k, j] <= radii[j])
    return rows[:count].copy(), columns[:count].copy(), distances[:count].copy()


def _some_rows(points: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """First row and squared distances to all points, for some rows after the other."""
    X = np.ascontiguousarray(points.T)
    step = max(_AT_ONCE // len(X), 1)
    for start in range(0, len(X), step):
        yield start, cdist(X[start : start + step], X, "sqeuclidean")
