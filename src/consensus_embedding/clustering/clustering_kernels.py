"""Loops of clusterings, compiled: replicated k-means (starts, assignment, centres, best start), and cuts of trees."""

from __future__ import annotations

import numpy as np
from numba import njit

# Points whose distances are taken together: they stay in the first cache and fill the vector registers.
_BLOCK = 256
# A later start must be better by this share to replace an earlier one: two starts that end in the same clusters
# differ by rounding, and rounding differs when the picture is turned.
_TIE = 1e-10
# No fastmath: sums in the order written are the same from a fresh compile and from the cache. The loops over the
# points of a block vectorise without it.
_NUMBA = {"cache": True, "nogil": True, "error_model": "numpy"}


@njit(**_NUMBA)
def best_start(
    rows: np.ndarray, columns: np.ndarray, weights: np.ndarray, draws: np.ndarray, max_iter: int, labels: np.ndarray
) -> float:
    """
    Clusters of the start with the lowest weighted inertia into `labels`; returns that inertia.

    `rows` (n, p) and `columns` (p, n) are the same points; `draws` (n_init, n_clusters) the random numbers of
    the starts.
    """
    best = np.inf
    candidate = np.empty(len(rows), np.int64)
    for start in range(len(draws)):
        inertia = _lloyd(rows, columns, weights, draws[start], max_iter, candidate)
        if inertia < best - _TIE * best or start == 0:
            best = inertia
            labels[:] = candidate
    number_by_appearance(labels)
    return best


@njit(**_NUMBA)
def number_by_appearance(labels: np.ndarray) -> None:
    """Renumber clusters from 0 in the order in which they first appear."""
    numbers = np.full(labels.max() + 1, -1, np.int64)
    used = 0
    for i in range(len(labels)):
        if numbers[labels[i]] < 0:
            numbers[labels[i]] = used
            used += 1
        labels[i] = numbers[labels[i]]


@njit(**_NUMBA)
def after_merges(tree: np.ndarray, n_merges: int) -> np.ndarray:
    """Clusters (n,) after the first merges of a tree (n - 1, 4) of ``scipy.cluster.hierarchy.linkage``."""
    n = len(tree) + 1
    clusters = np.arange(n + n_merges)
    # From the last merge on: each hands its cluster down to the two that it joins.
    for k in range(n_merges - 1, -1, -1):
        clusters[int(tree[k, 0])] = clusters[n + k]
        clusters[int(tree[k, 1])] = clusters[n + k]
    return clusters[:n]


@njit(**_NUMBA)
def _lloyd(
    rows: np.ndarray, columns: np.ndarray, weights: np.ndarray, draws: np.ndarray, max_iter: int, labels: np.ndarray
) -> float:
    """One run of k-means into `labels`; returns the weighted inertia to the centres of the final clusters."""
    n, p = rows.shape
    centres = np.empty((len(draws), p))
    nearest = np.empty(n)
    n_centres = _plus_plus(rows, columns, weights, draws, centres, nearest)
    centres = centres[:n_centres]
    counts = np.empty(n_centres, np.int64)
    labels[:] = -1
    for _ in range(max_iter):
        changed = assign(columns, centres, labels, nearest)
        if not changed:
            break
        _fill_empty(labels, nearest, counts)
        _move_centres(rows, weights, labels, centres)
    return _inertia(rows, weights, labels, centres)


@njit(**_NUMBA)
def _squared_distances(columns: np.ndarray, start: int, centre: np.ndarray, result: np.ndarray) -> None:
    """Squared distances of consecutive points to a centre."""
    result[:] = 0.0
    for d in range(len(columns)):
        value = centre[d]
        column = columns[d, start : start + len(result)]
        for i in range(len(result)):
            difference = column[i] - value
            result[i] += difference * difference


@njit(**_NUMBA)
def _plus_plus(
    rows: np.ndarray,
    columns: np.ndarray,
    weights: np.ndarray,
    draws: np.ndarray,
    centres: np.ndarray,
    nearest: np.ndarray,
) -> int:
    """
    First centres by k-means++, into `centres`; returns how many, fewer than asked for if no distinct point is left.

    Each is a point drawn with probability in proportion to its weight times its squared distance to the nearest
    centre so far.
    """
    n = len(rows)
    distances = np.empty(n)
    nearest[:] = 1.0
    for k in range(len(draws)):
        total = 0.0
        for i in range(n):
            total += weights[i] * nearest[i]
        if total == 0.0:
            return k
        target, chosen, reached = draws[k] * total, -1, 0.0
        for i in range(n):
            share = weights[i] * nearest[i]
            if share > 0.0:
                chosen = i
                reached += share
                if reached > target:
                    break
        centres[k] = rows[chosen]
        _squared_distances(columns, 0, centres[k], distances)
        for i in range(n):
            nearest[i] = distances[i] if k == 0 else min(nearest[i], distances[i])
    return len(draws)


@njit(**_NUMBA)
def assign(columns: np.ndarray, centres: np.ndarray, labels: np.ndarray, nearest: np.ndarray) -> bool:
    """
    Nearest centre of each point into `labels`, the first one among equals; returns whether any label changed.

    `columns` (p, n) are the points, `centres` (k, p); squared distances to the nearest centre go into `nearest`.
    """
    n = len(labels)
    distances = np.empty(_BLOCK)
    best = np.empty(_BLOCK)
    label = np.empty(_BLOCK, np.int64)
    changed = False
    for start in range(0, n, _BLOCK):
        width = min(_BLOCK, n - start)
        _squared_distances(columns, start, centres[0], best[:width])
        label[:width] = 0
        for k in range(1, len(centres)):
            _squared_distances(columns, start, centres[k], distances[:width])
            for i in range(width):
                closer = distances[i] < best[i]
                best[i] = distances[i] if closer else best[i]
                label[i] = k if closer else label[i]
        differences = 0
        for i in range(width):
            differences += 1 if label[i] != labels[start + i] else 0
            labels[start + i] = label[i]
            nearest[start + i] = best[i]
        changed |= differences > 0
    return changed


@njit(**_NUMBA)
def _fill_empty(labels: np.ndarray, nearest: np.ndarray, counts: np.ndarray) -> None:
    """Give each empty cluster the point farthest from its centre, taken from a cluster that keeps others."""
    counts[:] = 0
    for i in range(len(labels)):
        counts[labels[i]] += 1
    for k in range(len(counts)):
        if counts[k] > 0:
            continue
        farthest = -1
        for i in range(len(labels)):
            if counts[labels[i]] > 1 and (farthest < 0 or nearest[i] > nearest[farthest]):
                farthest = i
        counts[labels[farthest]] -= 1
        counts[k] = 1
        labels[farthest] = k
        nearest[farthest] = 0.0


@njit(**_NUMBA)
def _move_centres(rows: np.ndarray, weights: np.ndarray, labels: np.ndarray, centres: np.ndarray) -> None:
    """Weighted means of the clusters; none is empty."""
    mass = np.zeros(len(centres))
    centres[:] = 0.0
    for i in range(len(rows)):
        centre, weight = centres[labels[i]], weights[i]
        mass[labels[i]] += weight
        for d in range(len(centre)):
            centre[d] += weight * rows[i, d]
    for k in range(len(centres)):
        for d in range(centres.shape[1]):
            centres[k, d] /= mass[k]


@njit(**_NUMBA)
def _inertia(rows: np.ndarray, weights: np.ndarray, labels: np.ndarray, centres: np.ndarray) -> float:
    """Weighted sum of squared distances to the centres of the clusters."""
    total = 0.0
    for i in range(len(rows)):
        centre, squared = centres[labels[i]], 0.0
        for d in range(len(centre)):
            difference = rows[i, d] - centre[d]
            squared += difference * difference
        total += weights[i] * squared
    return total
