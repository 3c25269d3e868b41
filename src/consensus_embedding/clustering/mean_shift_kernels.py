"""The loops of mean shift, compiled: distinct rows and the climb of each seed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

# No fastmath: sums in the order written are the same from a fresh compile and from the cache. The loops over pixels
# and over leaves vectorise without it.
NUMBA = {"cache": True, "nogil": True, "error_model": "numpy"}
# Pixels of a leaf: a round number of vector registers.
LEAF_SIZE = 16
# Pixels up to this share of the reach beyond it are looked at until the seed has moved that far.
_SLACK = 0.2
# Distances are found in single precision first, whose relative rounding is below half of this.
_SINGLE = 2.5e-7
# Squared distances below this may have lost digits in single precision, or all of them: nothing is sure by them.
_TINY = 1e-30
# Most sets of pixels whose successor is remembered.
_MEMORY = 1 << 16
# A climb is over when a step is shorter than this share of the bandwidth, as in scikit-learn.
_STILL = 1e-3


class Leaves(NamedTuple):
    """
    Pixels sorted into small boxes of `LEAF_SIZE` pixels each; the last box may have fewer.

    The pixels in the order of the leaves (n, p); the rotation to principal axes (p, p); in rotated coordinates and
    float32, the pixels, filled up with NaN, (p, n_leaves * LEAF_SIZE), and the corners of the boxes, (p, n_leaves).
    """

    rows: np.ndarray
    rotation: np.ndarray
    rotated: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Scratch(NamedTuple):
    """
    Memory of a climb.

    In single precision, a place along the principal axes (p,) and squared distances of it to the boxes (n_leaves,) and
    to the pixels (n_leaves * LEAF_SIZE,); which pixels are near (n_leaves * LEAF_SIZE,). Of the candidates, in the
    first entries, indices (n + 1,), features by column (p, n) and squared distances (n,).
    """

    turned: np.ndarray
    gaps: np.ndarray
    squared: np.ndarray
    near: np.ndarray
    candidates: np.ndarray
    columns: np.ndarray
    distances: np.ndarray


@njit(**NUMBA)
def squared_distance(first: np.ndarray, second: np.ndarray) -> float:
    """Squared Euclidean distance of two points."""
    total = 0.0
    for d in range(len(first)):
        gap = first[d] - second[d]
        total += gap * gap
    return total


@njit(**NUMBA)
def _slot(keys: np.ndarray, table: np.ndarray, key: np.ndarray) -> int:
    """Slot of a hash table that contains the index of a row of `keys` equal to `key`, or the free one for it (-1)."""
    mixed = np.uint64(14695981039346656037)
    for d in range(len(key)):
        mixed = (mixed ^ np.uint64(key[d])) * np.uint64(1099511628211)
        mixed ^= mixed >> np.uint64(29)
    size = len(table)
    slot = np.int64(mixed % np.uint64(size))
    while table[slot] >= 0:
        same = True
        for d in range(len(key)):
            same &= keys[table[slot], d] == key[d]
        if same:
            break
        slot = (slot + 1) % size
    return slot


@njit(**NUMBA)
def distinct_rows(keys: np.ndarray, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """
    First row of each kind (k,) and the kind of each row (n,) of an integer table (n, p).

    Stops as soon as there are more than `limit` kinds.
    """
    n = len(keys)
    table = np.full(2 * (min(limit, n) + 1), -1, np.int64)
    first, kind = np.empty(min(limit, n) + 1, np.int64), np.empty(n, np.int64)
    kinds = np.empty((min(limit, n) + 1, keys.shape[1]), np.int64)
    n_kinds = 0
    for i in range(n):
        slot = _slot(kinds, table, keys[i])
        if table[slot] < 0:
            kinds[n_kinds] = keys[i]
            first[n_kinds] = i
            table[slot] = n_kinds
            n_kinds += 1
            if n_kinds > limit:
                break
        kind[i] = table[slot]
    return first[:n_kinds], kind


@njit(**NUMBA)
def _scratch(leaves: Leaves) -> Scratch:
    n, p = leaves.rows.shape
    n_leaves, n_places = leaves.low.shape[1], leaves.rotated.shape[1]
    return Scratch(
        np.empty(p, np.float32),
        np.empty(n_leaves, np.float32),
        np.empty(n_places, np.float32),
        np.empty(n_places, np.bool_),
        np.empty(n + 1, np.int64),
        np.empty((p, n)),
        np.empty(n),
    )


@njit(**NUMBA)
def _blur(place: np.ndarray, reach: float) -> float:
    """Bound of the error of a distance up to `reach` from a place, found in single precision."""
    return _SINGLE * (np.sqrt(np.sum(place * place)) + (2.0 + 0.5 * len(place)) * reach)


@njit(**NUMBA)
def _outer(place: np.ndarray, reach: float) -> np.float32:
    """Squared distance in single precision beyond which no pixel is within `reach` of a place."""
    return np.float32(max((reach + _blur(place, reach)) ** 2, _TINY))


@njit(**NUMBA)
def _turn(leaves: Leaves, place: np.ndarray, turned: np.ndarray) -> None:
    """Coordinates of a place along the principal axes."""
    for e in range(len(place)):
        along = 0.0
        for d in range(len(place)):
            along += place[d] * leaves.rotation[d, e]
        turned[e] = along


@njit(**NUMBA)
def _box_gaps(leaves: Leaves, turned: np.ndarray, gaps: np.ndarray) -> None:
    """Squared distances of a place to the boxes."""
    zero = np.float32(0)
    gaps[:] = zero
    for d in range(len(leaves.low)):
        x, low, high = turned[d], leaves.low[d], leaves.high[d]
        for leaf in range(len(gaps)):
            gap = max(max(low[leaf] - x, x - high[leaf]), zero)
            gaps[leaf] += gap * gap


@njit(**NUMBA)
def _key(pixel: int) -> int:
    """Key of a pixel; those of the pixels of a set add up to the key of the set."""
    key = np.uint64(pixel + 1) * np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64(key ^ (key >> np.uint64(31)))


@njit(**NUMBA)
def _gather(leaves: Leaves, place: np.ndarray, reach: float, inside: np.ndarray, count: int, scratch: Scratch) -> int:
    """
    Candidates: pixels within `reach` of a place, perhaps a few more, and those of the last that are inside.

    They come in the order of the leaves. Returns how many they are; `count` is how many the last were.
    """
    turned, gaps, candidates = scratch.turned, scratch.gaps, scratch.candidates
    _turn(leaves, place, turned)
    _box_gaps(leaves, turned, gaps)
    for i in range(count):
        if inside[candidates[i]]:
            gaps[candidates[i] // LEAF_SIZE] = np.float32(0)
    limit, leaf, count = _outer(place, reach), 0, 0
    while leaf < len(gaps):
        first = leaf
        while leaf < len(gaps) and gaps[leaf] <= limit:
            leaf += 1
        if leaf > first:
            count = _gather_run(leaves, first * LEAF_SIZE, leaf * LEAF_SIZE, limit, inside, count, scratch)
        leaf += 1
    for i in range(count):
        row = leaves.rows[candidates[i]]
        for d in range(len(row)):
            scratch.columns[d, i] = row[d]
    return count


@njit(**NUMBA)
def _gather_run(
    leaves: Leaves, start: int, stop: int, limit: float, inside: np.ndarray, count: int, scratch: Scratch
) -> int:
    """Add the candidates among the pixels of leaves in a row, by loops long enough to vectorise; returns how many."""
    squared, near, was_inside = scratch.squared[start:stop], scratch.near[start:stop], inside[start:stop]
    squared[:] = np.float32(0)
    for d in range(len(leaves.rotated)):
        x, column = scratch.turned[d], leaves.rotated[d, start:stop]
        for i in range(len(squared)):
            gap = column[i] - x
            squared[i] += gap * gap
    for i in range(len(near)):
        near[i] = (squared[i] <= limit) | was_inside[i]
    # Written always and counted if near: no branch to guess.
    for i in range(len(near)):
        scratch.candidates[count] = start + i
        count += near[i]
    return count


@njit(**NUMBA)
def _measure(place: np.ndarray, count: int, scratch: Scratch) -> np.ndarray:
    """Squared distances of a place to the candidates (count,)."""
    distances = scratch.distances[:count]
    distances[:] = 0.0
    for d in range(len(place)):
        x, column = place[d], scratch.columns[d, :count]
        for i in range(count):
            gap = column[i] - x
            distances[i] += gap * gap
    return distances


@njit(**NUMBA)
def _update(
    leaves: Leaves,
    place: np.ndarray,
    reach: float,
    count: int,
    scratch: Scratch,
    inside: np.ndarray,
    total: np.ndarray,
    tally: np.ndarray,
) -> None:
    """Bring up to date with a new place which candidates are inside, and their sum, number and key."""
    distances = _measure(place, count, scratch)
    for i in range(count):
        pixel = scratch.candidates[i]
        now = distances[i] <= reach * reach
        if now != inside[pixel]:
            inside[pixel] = now
            sign = 1 if now else -1
            tally[0] += sign
            tally[1] += sign * _key(pixel)
            row, weight = leaves.rows[pixel], float(sign)
            for d in range(len(total)):
                total[d] += weight * row[d]


@njit(**NUMBA)
def _shift(
    leaves: Leaves,
    place: np.ndarray,
    reach: float,
    precision: float,
    count: int,
    scratch: Scratch,
    mean: np.ndarray,
) -> float:
    """
    Weighted mean of the candidates within `reach`, into `mean`; returns their mass.

    The weight is exp(-precision d^2 / 2): one for a flat kernel (precision 0). Pixels are summed in the order of
    the leaves whatever the candidates, so that equal sets have the same mean to the last bit.
    """
    distances = _measure(place, count, scratch)
    mass = 0.0
    mean[:] = 0.0
    for i in range(count):
        if distances[i] <= reach * reach:
            row = leaves.rows[scratch.candidates[i]]
            weight = np.exp(-0.5 * precision * distances[i])
            mass += weight
            for d in range(len(mean)):
                mean[d] += weight * row[d]
    if mass > 0.0:
        mean /= mass
    return mass


@njit(**NUMBA)
def climb_flat(leaves: Leaves, seeds: np.ndarray, reach: float, max_iter: int) -> tuple[np.ndarray, np.ndarray]:
    """
    Where each seed ends under a flat kernel (n_seeds, p), and the number of pixels around it (n_seeds,), 0 if none.

    From step to step only the pixels that enter or leave are added or taken off. A seed that finds the set of pixels
    that another has found takes over the end of that one: the way from a set is always the same. The ends are summed
    again in the order of the leaves, so that equal sets have the same mean to the last bit.
    """
    n_seeds, p = seeds.shape
    ends, masses = np.empty((n_seeds, p)), np.zeros(n_seeds)
    keys, owner = np.empty((_MEMORY, 2), np.int64), np.empty(_MEMORY, np.int64)
    table = np.full(2 * _MEMORY, -1, np.int64)
    remembered = 0
    scratch, inside, count = _scratch(leaves), np.empty(leaves.rotated.shape[1], np.bool_), 0
    total, tally = np.empty(p), np.empty(2, np.int64)
    anchor, before = np.empty(p), np.empty(p)
    slack = _SLACK * reach
    for seed in range(n_seeds):
        place, successor, count = seeds[seed].copy(), -1, 0
        inside[:] = False
        total[:] = 0.0
        tally[:] = 0
        for iteration in range(max_iter + 1):
            if iteration == 0 or squared_distance(place, anchor) > slack * slack:
                anchor[:] = place
                count = _gather(leaves, place, reach + slack, inside, count, scratch)
            _update(leaves, place, reach, count, scratch, inside, total, tally)
            if tally[0] == 0:
                break
            before[:] = place
            for d in range(p):
                place[d] = total[d] / tally[0]
            if np.sqrt(squared_distance(place, before)) <= _STILL * reach:
                break
            slot = _slot(keys, table, tally)
            if table[slot] >= 0:
                successor = owner[table[slot]]
                break
            if remembered < _MEMORY:
                keys[remembered] = tally
                owner[remembered], table[slot] = seed, remembered
                remembered += 1
        if successor >= 0:
            ends[seed], masses[seed] = ends[successor], masses[successor]
        elif tally[0] > 0:
            masses[seed] = _shift(leaves, before, reach, 0.0, count, scratch, ends[seed])
    return ends, masses


@njit(**NUMBA)
def climb_gaussian(
    leaves: Leaves, seeds: np.ndarray, bandwidth: float, reach: float, precision: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray]:
    """Where each seed ends under a normal kernel (n_seeds, p), and the mass of the pixels around it (n_seeds,)."""
    n_seeds, p = seeds.shape
    ends, masses = seeds.copy(), np.zeros(n_seeds)
    scratch, none_inside, count = _scratch(leaves), np.zeros(leaves.rotated.shape[1], np.bool_), 0
    anchor, mean = np.empty(p), np.empty(p)
    slack = _SLACK * reach
    for seed in range(n_seeds):
        place = ends[seed]
        for iteration in range(max_iter + 1):
            if iteration == 0 or squared_distance(place, anchor) > slack * slack:
                anchor[:] = place
                count = _gather(leaves, place, reach + slack, none_inside, 0, scratch)
            masses[seed] = _shift(leaves, place, reach, precision, count, scratch, mean)
            if masses[seed] == 0.0:
                break
            moved = squared_distance(mean, place)
            place[:] = mean
            if np.sqrt(moved) <= _STILL * bandwidth:
                break
    return ends, masses
