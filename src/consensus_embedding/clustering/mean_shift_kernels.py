"""The loops of mean shift, compiled: distinct rows and the climb of each seed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

# No fastmath: sums in the order written are the same from a fresh compile and from the cache. The loops over the pixels
# of a leaf and over leaves vectorise without it.
NUMBA = {"cache": True, "nogil": True, "error_model": "numpy"}
# Pixels of a leaf: a round number of vector registers. Axes that are looked at together.
LEAF_SIZE, AXES = 16, 4
# Pixels up to this share of the reach beyond it are looked at until the seed has moved that far: under a flat kernel
# those that may enter or leave, under a normal one all of them at each step.
_FLAT_SLACK, _GAUSSIAN_SLACK = 0.3, 0.1
# Distances are found in single precision first, whose relative rounding is below half of this.
_SINGLE = 2.5e-7
# Squared distances below this may have lost digits in single precision, or all of them: nothing is sure by them.
_TINY = 1e-30
# Distances in double precision are nowhere near as wrong as this share of the reach.
_ROUNDING = 1e-9
# Most sets of pixels whose successor is remembered.
_MEMORY = 1 << 16
# A climb is over when a step is shorter than this share of the bandwidth, as in scikit-learn.
_STILL = 1e-3


class Leaves(NamedTuple):
    """
    Pixels sorted into small boxes of `LEAF_SIZE` pixels each; the last box may have fewer.

    The pixels in the order of the leaves (n, p); the rotation to principal axes (p, p); in rotated coordinates and
    float32, the pixels of each leaf by axis, filled up with NaN, and the axes with 0, (n_leaves, a multiple of `AXES`,
    LEAF_SIZE), and the corners of the boxes, (p, n_leaves).
    """

    rows: np.ndarray
    rotation: np.ndarray
    rotated: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Scratch(NamedTuple):
    """
    Memory of a climb.

    In single precision, a place along the principal axes, filled up with 0, and squared distances of it to the boxes
    (n_leaves,), to the pixels of a leaf (LEAF_SIZE,) and to the candidates. Of the candidates, in the first entries,
    indices, how far the place can go before they may enter or leave, and which of them are looked at.
    """

    turned: np.ndarray
    gaps: np.ndarray
    squared: np.ndarray
    nearness: np.ndarray
    candidates: np.ndarray
    due: np.ndarray
    chosen: np.ndarray


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
    n_leaves, n_axes, _ = leaves.rotated.shape
    # One more than there can be: candidates are written before it is known whether they count.
    n_places = n_leaves * LEAF_SIZE + 1
    return Scratch(
        np.zeros(n_axes, np.float32),
        np.empty(n_leaves, np.float32),
        np.empty(LEAF_SIZE, np.float32),
        np.empty(n_places, np.float32),
        np.empty(n_places, np.int64),
        np.empty(n_places),
        np.empty(n_places, np.int64),
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
    turned, gaps, squared, candidates = scratch.turned, scratch.gaps, scratch.squared, scratch.candidates
    _turn(leaves, place, turned)
    _box_gaps(leaves, turned, gaps)
    for i in range(count):
        if inside[candidates[i]]:
            gaps[candidates[i] // LEAF_SIZE] = np.float32(0)
    limit, count = _outer(place, reach), 0
    for leaf in range(len(gaps)):
        if gaps[leaf] > limit:
            continue
        axes = leaves.rotated[leaf]
        for i in range(LEAF_SIZE):
            squared[i] = np.float32(0)
        for d in range(0, len(axes), AXES):
            x, y, z, w = turned[d], turned[d + 1], turned[d + 2], turned[d + 3]
            for i in range(LEAF_SIZE):
                a, b, c, e = axes[d, i] - x, axes[d + 1, i] - y, axes[d + 2, i] - z, axes[d + 3, i] - w
                squared[i] += (a * a + b * b) + (c * c + e * e)
        # Written always and counted if near: no branch to guess.
        for i in range(LEAF_SIZE):
            candidates[count] = leaf * LEAF_SIZE + i
            scratch.nearness[count] = squared[i]
            count += (squared[i] <= limit) | inside[leaf * LEAF_SIZE + i]
    return count


@njit(**NUMBA)
def _choose_first(
    place: np.ndarray, reach: float, slack: float, count: int, inside: np.ndarray, scratch: Scratch
) -> int:
    """Choose the candidates that enter or leave at the place of `_gather`, or may; returns how many they are."""
    # Those beyond the slack are at least so far from the reach.
    blur = _blur(place, reach + slack) + np.sqrt(_TINY)
    chosen = 0
    for i in range(count):
        near = np.sqrt(scratch.nearness[i])
        scratch.due[i] = min(abs(near - reach), slack) - blur
        scratch.chosen[chosen] = i
        chosen += ((near < reach) != inside[scratch.candidates[i]]) | (not scratch.due[i] > 0.0)
    return chosen


@njit(**NUMBA)
def _choose_due(gone: float, count: int, scratch: Scratch) -> int:
    """Choose the candidates that may enter or leave on a way as long as this; returns how many they are."""
    chosen = 0
    for i in range(count):
        scratch.chosen[chosen] = i
        chosen += not scratch.due[i] > gone
    return chosen


@njit(**NUMBA)
def _update(
    leaves: Leaves,
    place: np.ndarray,
    reach: float,
    gone: float,
    chosen: int,
    scratch: Scratch,
    inside: np.ndarray,
    total: np.ndarray,
    tally: np.ndarray,
) -> None:
    """Bring up to date with a new place which of the chosen are inside, and the sum, number and key of all inside."""
    for k in range(chosen):
        i = scratch.chosen[k]
        pixel = scratch.candidates[i]
        row = leaves.rows[pixel]
        if not scratch.due[i] > gone:
            squared = squared_distance(row, place)
            scratch.due[i] = gone + abs(np.sqrt(squared) - reach) - _ROUNDING * reach
            if (squared <= reach * reach) == inside[pixel]:
                continue
        inside[pixel] = not inside[pixel]
        sign = 1 if inside[pixel] else -1
        tally[0] += sign
        tally[1] += sign * _key(pixel)
        weight = float(sign)
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
    mass = 0.0
    mean[:] = 0.0
    for i in range(count):
        row = leaves.rows[scratch.candidates[i]]
        squared = squared_distance(row, place)
        if squared <= reach * reach:
            weight = np.exp(-0.5 * precision * squared)
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

    From step to step only the pixels that enter or leave are added or taken off, and only those are looked at that are
    no farther from the reach, on either side, than the seed has gone since. A seed that finds the set of pixels
    that another has found takes over the end of that one: the way from a set is always the same. The ends are summed
    again in the order of the leaves, so that equal sets have the same mean to the last bit.
    """
    n_seeds, p = seeds.shape
    ends, masses = np.empty((n_seeds, p)), np.zeros(n_seeds)
    keys, owner = np.empty((_MEMORY, 2), np.int64), np.empty(_MEMORY, np.int64)
    table = np.full(2 * _MEMORY, -1, np.int64)
    remembered = 0
    scratch, inside, count = _scratch(leaves), np.empty(len(leaves.rotated) * LEAF_SIZE, np.bool_), 0
    total, tally = np.empty(p), np.empty(2, np.int64)
    anchor, before = np.empty(p), np.empty(p)
    slack = _FLAT_SLACK * reach
    for seed in range(n_seeds):
        place, successor, count, gone = seeds[seed].copy(), -1, 0, 0.0
        inside[:] = False
        total[:] = 0.0
        tally[:] = 0
        for iteration in range(max_iter + 1):
            if iteration == 0 or squared_distance(place, anchor) > slack * slack:
                anchor[:] = place
                count, gone = _gather(leaves, place, reach + slack, inside, count, scratch), 0.0
                chosen = _choose_first(place, reach, slack, count, inside, scratch)
            else:
                chosen = _choose_due(gone, count, scratch)
            _update(leaves, place, reach, gone, chosen, scratch, inside, total, tally)
            if tally[0] == 0:
                break
            before[:] = place
            for d in range(p):
                place[d] = total[d] / tally[0]
            step = np.sqrt(squared_distance(place, before))
            if step <= _STILL * reach:
                break
            gone += step
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
    scratch, none_inside, count = _scratch(leaves), np.zeros(len(leaves.rotated) * LEAF_SIZE, np.bool_), 0
    anchor, mean = np.empty(p), np.empty(p)
    slack = _GAUSSIAN_SLACK * reach
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
