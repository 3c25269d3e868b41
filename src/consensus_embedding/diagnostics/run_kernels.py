"""Compiled loops of the diagnostics: distances of the same points in several runs, point by point."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def distances_over_runs(
    points: np.ndarray,  # (n, m, p): coordinates by point, run and dimension
    scales: np.ndarray,  # (m,): size of each run, by which its distances are divided
    limits: np.ndarray,  # (m,): largest distance in each run, after that; longer ones count as this
    codes: np.ndarray,  # (n,), int: label of each point; -1 is missing
    counts: np.ndarray,  # (n_labels,), int: points of each label
    # (l,), int: points to which distances are computed, at least one of each label, or two where it has them.
    landmarks: np.ndarray,
    others: np.ndarray,  # (l, m, p): their coordinates
    chosen: np.ndarray,  # (n_labels,), int: how many of them have each label
    # The first so many of them represent all points. Others are only for the means over the points of a label.
    n_drawn: int,
    start: int,
    spread: np.ndarray,  # (b,): becomes the mean over the other points of the variance over runs of the distance
    means: np.ndarray,  # (b, m): becomes the mean distance to the other points in each run
    squares: np.ndarray,  # (b, m): becomes the mean square of these distances
    # (n_labels, n_labels, m): the distances to the points of each label are added to the row of the own label: by
    # landmarks, the mean times the number of points.
    between: np.ndarray,
    # (b, m): becomes the silhouette in each run; NaN without label, for the only point of a label, and for one label.
    silhouettes: np.ndarray,
) -> None:
    """
    Fill in what depends on the distances of each point to all others, for the points start, start + 1, ...

    With landmarks only the distances to these are computed; means over the others are estimated by means over them.
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
    limits: np.ndarray,  # these three as in `distances_over_runs`
    neighbors: np.ndarray,  # (n, m, k), int: nearest neighbours of each point in each run, sorted by number
    start: int,
    own: np.ndarray,  # (b, m): becomes the mean distance of the neighbours of a run in that run
    # (b, m): becomes the sum over the ordered pairs of different runs that a run is part of of the mean distance, in
    # the second, of the neighbours of the first.
    cross: np.ndarray,
    shared: np.ndarray,  # (b, m): becomes the sum over the other runs of the share of common neighbours
) -> None:
    """Fill in how far the neighbours of one run are in the other runs, for the points start, start + 1, ..."""
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
    For each neighbour, (b, k), int, the number of other points nearer than it, and of those as near.

    `distances`, (b, n), are of the points start, start + 1, ... to all points.
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
