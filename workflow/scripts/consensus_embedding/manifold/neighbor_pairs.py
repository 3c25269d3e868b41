"""Neighbours of objects, given by column (p, n), from SciPy's distances of some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.distance import cdist

# Distances held at once.
_AT_ONCE = 1 << 20


def squared_radii(points: np.ndarray, k: int) -> np.ndarray:
    """Squared distance of each point to its k-th neighbour."""
    # The point itself is one of those at distance 0, so its k-th neighbour has index k, counted from 0.
    return np.concatenate([np.partition(squared, k, axis=1)[:, k] for _, squared in _some_rows(points)])


def edges_within(points: np.ndarray, radii: np.ndarray, limit: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of points, one within the other's radius, and their distances; stops once there are over `limit`."""
    found, count = [], 0
    for start, squared in _some_rows(points):
        rows = np.arange(start, start + len(squared))[:, None]
        near = (squared <= radii[rows]) | (squared <= radii)
        near &= np.arange(len(radii)) > rows
        first, second = np.nonzero(near)
        found.append((first + start, second, np.sqrt(squared[first, second])))
        count += len(first)
        if count > limit:
            break
    rows, columns, distances = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return rows.astype(np.int32), columns.astype(np.int32), distances


def _some_rows(points: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """First row and squared distances to all points, for some rows after the other."""
    X = np.ascontiguousarray(points.T)
    step = max(_AT_ONCE // len(X), 1)
    for start in range(0, len(X), step):
        yield start, cdist(X[start : start + step], X, "sqeuclidean")
