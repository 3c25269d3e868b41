"""Compiled loops of the diagnostics: distances of the same points in several runs, point by point."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def distances_over_runs(
    points: np.ndarray,
    scales: np.ndarray,
    limits: np.ndarray,
    codes: np.ndarray,
    counts: np.ndarray,
    landmarks: np.ndarray,
    others: np.ndarray,
    chosen: np.ndarray,
    n_drawn: int,
    start: int,
    spread: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
    between: np.ndarray,
    silhouettes: np.ndarray,
) -> None:
    """
    Fill in what depends on the distances of each point to all others, for the points start, start + 1, ...

    With landmarks only the distances to these are computed; means over the others are estimated by means over them.

    Parameters
    ----------
    points : ndarray of shape (n, m, p)
        Coordinates by point, run and dimension.
    scales : ndarray of shape (m,)
        Size of each run, by which its distances are divided.
    limits : ndarray of shape (m,)
        Largest distance in each run, after that; longer ones count as this.
    codes : ndarray of shape (n,), int
        Label of each point; -1 is missing.
    counts : ndarray of shape (n_labels,), int
        Points of each label.
    landmarks : ndarray of shape (l,), int
        Numbers of the points to which distances are computed, at least one of each label, or two where it has them.
    others : ndarray of shape (l, m, p)
        Their coordinates.
    chosen : ndarray of shape (n_labels,), int
        How many of them have each label.
    n_drawn : int
        The first so many of them represent all points. Others are only for the means over the points of a label.
    start : int
    spread : ndarray of shape (b,)
        Becomes the mean over the other points of the variance over runs of the distance.
    means : ndarray of shape (b, m)
        Becomes the mean distance to the other points in each run.
    squares : ndarray of shape (b, m)
        Becomes the mean square of these distances.
    between : ndarray of shape (n_labels, n_labels, m)
        The distances to the points of each label are added to the row of the own label: by landmarks, the mean times
        the number of points.
    silhouettes : ndarray of shape (b, m)
        Becomes the silhouette in each run; NaN without label, for the only point of a label, and for one label.
    """
    _, m, p = points.shape
    n_labels = len(counts)
    to_label = np.empty((n_labels, m))
    row = np.empty(m)
    for b in range(len(spread)):
        i = start + b
        to_label[:] = 0.0
        total, n_others, n_inside = 0.0, n_drawn, 0
        means[b] = 0.0
        squares[b] = 0.0
        for c in range(len(landmarks)):
            j = landmarks[c]
            if j == i:
                n_others -= 1 if c < n_drawn else 0
                n_inside -= 1
                continue
            mean = 0.0
            for r in range(m):
                square = 0.0
                for d in range(p):
                    difference = points[i, r, d] - others[c, r, d]
                    square += difference * difference
                row[r] = min(np.sqrt(square) / scales[r], limits[r])
                mean += row[r]
            mean /= m
            if c < n_drawn:
                for r in range(m):
                    means[b, r] += row[r]
                    squares[b, r] += row[r] ** 2
                    total += (row[r] - mean) ** 2
            if codes[j] >= 0:
                for r in range(m):
                    to_label[codes[j], r] += row[r]
        spread[b] = total / (m - 1) / n_others
        for r in range(m):
            means[b, r] /= n_others
            squares[b, r] /= n_others
        silhouettes[b] = np.nan
        if codes[i] < 0:
            continue
        n_inside += chosen[codes[i]]
        for c in range(n_labels):
            share = chosen[c] / counts[c]
            if c == codes[i]:
                share = n_inside / (counts[c] - 1) if counts[c] > 1 else 1.0
            for r in range(m):
                between[codes[i], c, r] += to_label[c, r] / share
        if counts[codes[i]] < 2 or n_labels < 2:
            continue
        for r in range(m):
            inside = to_label[codes[i], r] / n_inside
            nearest = np.inf
            for c in range(n_labels):
                if c != codes[i]:
                    nearest = min(nearest, to_label[c, r] / chosen[c])
            largest = max(inside, nearest)
            silhouettes[b, r] = (nearest - inside) / largest if largest > 0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def neighbors_in_other_runs(
    points: np.ndarray,
    scales: np.ndarray,
    limits: np.ndarray,
    neighbors: np.ndarray,
    start: int,
    own: np.ndarray,
    cross: np.ndarray,
    shared: np.ndarray,
) -> None:
    """
    Fill in how far the neighbours of one run are in the other runs, for the points start, start + 1, ...

    Parameters
    ----------
    points : ndarray of shape (n, m, p)
    scales, limits : ndarray of shape (m,)
    neighbors : ndarray of shape (n, m, k), int
        Nearest neighbours of each point in each run, sorted by number.
    start : int
    own : ndarray of shape (b, m)
        Becomes the mean distance of the neighbours of a run in that run.
    cross : ndarray of shape (b, m)
        Becomes the sum over the ordered pairs of different runs that a run is part of of the mean distance, in the
        second, of the neighbours of the first.
    shared : ndarray of shape (b, m)
        Becomes the sum over the other runs of the share of common neighbours.
    """
    _, m, p = points.shape
    k = neighbors.shape[2]
    for b in range(len(own)):
        i = start + b
        cross[b] = 0.0
        shared[b] = 0.0
        for r in range(m):
            for s in range(m):
                total = 0.0
                for c in range(k):
                    j = neighbors[i, r, c]
                    square = 0.0
                    for d in range(p):
                        difference = points[i, s, d] - points[j, s, d]
                        square += difference * difference
                    total += min(np.sqrt(square), limits[s] * scales[s])
                mean = total / k / scales[s]
                if r == s:
                    own[b, r] = mean
                    continue
                cross[b, r] += mean
                cross[b, s] += mean
                if s > r:
                    common = _common(neighbors[i, r], neighbors[i, s]) / k
                    shared[b, r] += common
                    shared[b, s] += common


def points_nearer(distances: np.ndarray, start: int, neighbors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Count, for each neighbour, the other points that are nearer than it, and those that are as near.

    Parameters
    ----------
    distances : ndarray of shape (b, n)
        Of the points start, start + 1, ... to all points.
    start : int
    neighbors : ndarray of shape (b, k), int

    Returns
    -------
    nearer, equal : ndarray of shape (b, k), int
    """
    limits = np.take_along_axis(distances, neighbors, axis=1)
    order = np.argsort(limits, axis=1)
    counts, result = np.empty((2, *neighbors.shape), dtype=np.int64), np.empty((2, *neighbors.shape), dtype=np.int64)
    _count_nearer(distances, start, np.take_along_axis(limits, order, axis=1), *counts)
    np.put_along_axis(result, order[None], counts, axis=2)
    return result[0], result[1]


@njit(cache=True, nogil=True, error_model="numpy")
def _count_nearer(distances: np.ndarray, start: int, limits: np.ndarray, nearer: np.ndarray, equal: np.ndarray) -> None:
    """As `points_nearer`, of neighbours in order, at the distances `limits`."""
    k = limits.shape[1]
    before, as_near = np.empty(k, np.int64), np.empty(k, np.int64)
    for b in range(len(distances)):
        row, ends = distances[b], limits[b]
        before[:] = 0
        as_near[:] = 0
        for j in range(len(row)):
            if j == start + b or row[j] > ends[k - 1]:
                continue
            # The first limit that is not nearer, by hand: np.searchsorted takes seconds to compile.
            c, last = 0, k - 1
            while c < last:
                middle = (c + last) >> 1
                if ends[middle] < row[j]:
                    c = middle + 1
                else:
                    last = middle
            # Counted once, at the first of equal limits: there, or for all beyond.
            if ends[c] == row[j]:
                as_near[c] += 1
            else:
                before[c] += 1
        total = 0
        first = 0
        for c in range(k):
            if ends[c] != ends[first]:
                total += as_near[first]
                first = c
            total += before[c]
            nearer[b, c] = total
            equal[b, c] = as_near[first] - 1


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _common(first: np.ndarray, second: np.ndarray) -> int:
    """Numbers that two sorted lists have in common."""
    a, b, common = 0, 0, 0
    while a < len(first) and b < len(second):
        if first[a] == second[b]:
            common += 1
            a += 1
            b += 1
        elif first[a] < second[b]:
            a += 1
        else:
            b += 1
    return common
