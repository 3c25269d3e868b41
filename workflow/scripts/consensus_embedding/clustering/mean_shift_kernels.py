"""The loops of mean shift, compiled: distinct rows and the climb of each seed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

# No fastmath: sums in the order written are the same from a fresh compile and from the cache. The loops over pixels
# and over leaves vectorise without it.
NUMBA = {"cache": True, "nogil": True, "error_model": "numpy"}
# Pixels of a leaf: a round number of vector registers.
LEAF_SIZE = 16
# Boxes up to this share of the reach beyond it are looked at until the seed has moved that far.
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
    Pixels sorted into small boxes of `LEAF_SIZE` pixels each; the last box may hold fewer.

    The pixels in the order of the leaves (n, p); the rotation to principal axes (p, p); in rotated coordinates and
    float32, the pixels of each leaf, filled up with NaN, (n_leaves, p, LEAF_SIZE), and the corners of the
    boxes, (p, n_leaves) each.
    """

    rows: np.ndarray
    rotation: np.ndarray
    rotated: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Scratch(NamedTuple):
    """Memory: place along the principal axes (p,), squared distances to the boxes, open leaves, (n_leaves,) each."""

    turned: np.ndarray
    gaps: np.ndarray
    open: np.ndarray


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
    """Slot of a hash table that holds the index of a row of `keys` equal to `key`, or the free one for it (-1)."""
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
    found = 0
    for i in range(n):
        slot = _slot(kinds, table, keys[i])
        if table[slot] < 0:
            kinds[found] = keys[i]
            first[found] = i
            table[slot] = found
            found += 1
            if found > limit:
                break
        kind[i] = table[slot]
    return first[:found], kind


@intrinsic
def _within(typingctx, rotated, leaf, turned, limit, inner):
    """
    Which pixels of a leaf are within a squared distance `limit` of a place, and which within `inner`: two int64.

    Bit i stands for pixel i. The arrays are contiguous, float32: (n_leaves, p, LEAF_SIZE) and (p,).
    Written for vector registers, since the compiler leaves loops as short as a leaf scalar. Operations and their
    order are fixed; on a processor with narrower registers they are split.
    """

    def generate(context, builder, signature, args):
        blocks = context.make_array(signature.args[0])(context, builder, args[0])
        place = context.make_array(signature.args[2])(context, builder, args[2])
        pixels, word = ir.VectorType(ir.FloatType(), LEAF_SIZE), ir.IntType(64)

        def spread(value):
            single = builder.insert_element(ir.Constant(pixels, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), LEAF_SIZE), None)
            return builder.shuffle_vector(single, single, zeros)

        p = builder.extract_value(blocks.shape, 1)
        first = builder.gep(blocks.data, [builder.mul(args[1], builder.mul(p, ir.Constant(word, LEAF_SIZE)))])
        sums = cgutils.alloca_once(builder, pixels)
        builder.store(ir.Constant(pixels, None), sums)
        with cgutils.for_range(builder, p, intp=word) as loop:
            column = builder.gep(first, [builder.mul(loop.index, ir.Constant(word, LEAF_SIZE))])
            column = builder.load(builder.bitcast(column, pixels.as_pointer()), align=4)
            gap = builder.fsub(column, spread(builder.load(builder.gep(place.data, [loop.index]))))
            builder.store(builder.fadd(builder.load(sums), builder.fmul(gap, gap)), sums)
        words = []
        for bound in args[3:]:
            bits = builder.fcmp_ordered("<=", builder.load(sums), spread(bound))
            words.append(builder.zext(builder.bitcast(bits, ir.IntType(LEAF_SIZE)), word))
        return context.make_tuple(builder, signature.return_type, words)

    return types.UniTuple(types.int64, 2)(rotated, types.int64, turned, types.float32, types.float32), generate


@intrinsic
def _lowest_bit(typingctx, bits):
    """Place of the lowest bit of an int64 that is not 0."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@njit(**NUMBA)
def _scratch(leaves: Leaves) -> Scratch:
    n_leaves, p, _ = leaves.rotated.shape
    return Scratch(np.empty(p, np.float32), np.empty(n_leaves, np.float32), np.empty(n_leaves, np.int64))


@njit(**NUMBA)
def _blur(place: np.ndarray, reach: float) -> float:
    """Bound of the error of a distance up to `reach` from a place, found in single precision."""
    return _SINGLE * (np.sqrt(np.sum(place * place)) + (2.0 + 0.5 * len(place)) * reach)


@njit(**NUMBA)
def _outer(place: np.ndarray, reach: float) -> np.float32:
    """Squared distance in single precision beyond which no pixel is within `reach` of a place."""
    return np.float32(max((reach + _blur(place, reach)) ** 2, _TINY))


@njit(**NUMBA)
def _inner(place: np.ndarray, reach: float) -> np.float32:
    """Squared distance in single precision up to which every pixel is within `reach` of a place; below 0 if none is."""
    squared = max(reach - _blur(place, reach), 0.0) ** 2
    return np.float32(squared if squared > _TINY else -1.0)


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
def _open_leaves(leaves: Leaves, place: np.ndarray, reach: float, inside: np.ndarray, scratch: Scratch) -> np.ndarray:
    """Leaves that may have pixels within `reach` of a place, or that have pixels inside (bits, for each leaf)."""
    _turn(leaves, place, scratch.turned)
    _box_gaps(leaves, scratch.turned, scratch.gaps)
    limit, n_open = _outer(place, reach), 0
    for leaf in range(len(inside)):
        scratch.open[n_open] = leaf
        n_open += 1 if scratch.gaps[leaf] <= limit or inside[leaf] != 0 else 0
    return scratch.open[:n_open]


@njit(**NUMBA)
def _update(
    leaves: Leaves,
    place: np.ndarray,
    reach: float,
    opened: np.ndarray,
    scratch: Scratch,
    inside: np.ndarray,
    total: np.ndarray,
    tally: np.ndarray,
) -> None:
    """Bring up to date with a new place which pixels of each leaf are inside, and their sum, number and key."""
    rows, turned = leaves.rows, scratch.turned
    _turn(leaves, place, turned)
    surely, perhaps = _inner(place, reach), _outer(place, reach)
    for leaf in opened:
        now, sure = _within(leaves.rotated, leaf, turned, perhaps, surely)
        unsure = now & ~sure
        while unsure != 0:
            i = _lowest_bit(unsure)
            unsure &= unsure - 1
            if squared_distance(rows[leaf * LEAF_SIZE + i], place) > reach * reach:
                now ^= 1 << i
        changed = now ^ inside[leaf]
        inside[leaf] = now
        while changed != 0:
            i = _lowest_bit(changed)
            changed &= changed - 1
            pixel, sign = leaf * LEAF_SIZE + i, 2 * ((now >> i) & 1) - 1
            tally[0] += sign
            tally[1] += sign * _key(pixel)
            row, weight = rows[pixel], float(sign)
            for d in range(len(total)):
                total[d] += weight * row[d]


@njit(**NUMBA)
def _shift(
    rows: np.ndarray,
    columns: np.ndarray,
    found: np.ndarray,
    place: np.ndarray,
    reach: float,
    precision: float,
    distances: np.ndarray,
    mean: np.ndarray,
) -> float:
    """
    Weighted mean of the pixels within `reach`, into `mean`; returns their mass.

    The weight is exp(-precision d^2 / 2): one for a flat kernel (precision 0). Pixels are summed in the order of
    the leaves whatever the candidates, so that equal sets have the same mean to the last bit.
    """
    p = len(place)
    distances[:] = 0.0
    for d in range(p):
        x, column = place[d], columns[d, : len(found)]
        for i in range(len(found)):
            gap = column[i] - x
            distances[i] += gap * gap
    mass = 0.0
    mean[:] = 0.0
    for i in range(len(found)):
        if distances[i] <= reach * reach:
            row = rows[found[i]]
            weight = np.exp(-0.5 * precision * distances[i])
            mass += weight
            for d in range(p):
                mean[d] += weight * row[d]
    if mass > 0.0:
        mean /= mass
    return mass


@njit(**NUMBA)
def _gather(
    leaves: Leaves, place: np.ndarray, reach: float, scratch: Scratch, found: np.ndarray, columns: np.ndarray
) -> int:
    """
    Pixels within `reach` of a place, and perhaps a few more, in the order of the leaves; returns how many.

    Fills `found` (n + LEAF_SIZE,) and their features by `columns` (p, n).
    """
    none_inside = np.zeros(len(scratch.gaps), np.int64)
    opened = _open_leaves(leaves, place, reach, none_inside, scratch)
    count, limit = 0, _outer(place, reach)
    for leaf in opened:
        near, _ = _within(leaves.rotated, leaf, scratch.turned, limit, limit)
        # Written always and counted if near: no branch to guess.
        for i in range(LEAF_SIZE):
            found[count] = leaf * LEAF_SIZE + i
            count += (near >> i) & 1
    for i in range(count):
        for d in range(len(place)):
            columns[d, i] = leaves.rows[found[i], d]
    return count


@njit(**NUMBA)
def climb_flat(leaves: Leaves, seeds: np.ndarray, reach: float, max_iter: int) -> tuple[np.ndarray, np.ndarray]:
    """
    Where each seed ends under a flat kernel (n_seeds, p), and the number of pixels around it (n_seeds,), 0 if none.

    From step to step only the pixels that enter or leave are added or taken off. A seed that finds the set of pixels
    that another has found takes over the end of that one: the way from a set is always the same. The ends are summed
    anew in the order of the leaves, so that equal sets have the same mean to the last bit.
    """
    n_seeds, p = seeds.shape
    n = len(leaves.rows)
    ends, masses = np.empty((n_seeds, p)), np.zeros(n_seeds)
    keys, owner = np.empty((_MEMORY, 2), np.int64), np.empty(_MEMORY, np.int64)
    table = np.full(2 * _MEMORY, -1, np.int64)
    remembered = 0
    scratch, inside = _scratch(leaves), np.empty(len(leaves.rotated), np.int64)
    found, columns, distances = np.empty(n + LEAF_SIZE, np.int64), np.empty((p, n)), np.empty(n)
    total, tally = np.empty(p), np.empty(2, np.int64)
    anchor, before, opened = np.empty(p), np.empty(p), scratch.open
    slack = _SLACK * reach
    for seed in range(n_seeds):
        place, successor = seeds[seed].copy(), -1
        inside[:] = 0
        total[:] = 0.0
        tally[:] = 0
        for iteration in range(max_iter + 1):
            if iteration == 0 or squared_distance(place, anchor) > slack * slack:
                anchor[:] = place
                opened = _open_leaves(leaves, place, reach + slack, inside, scratch)
            _update(leaves, place, reach, opened, scratch, inside, total, tally)
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
            n_found = _gather(leaves, before, reach, scratch, found, columns)
            masses[seed] = _shift(
                leaves.rows, columns, found[:n_found], before, reach, 0.0, distances[:n_found], ends[seed]
            )
    return ends, masses


@njit(**NUMBA)
def climb_gaussian(
    leaves: Leaves, seeds: np.ndarray, bandwidth: float, reach: float, precision: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray]:
    """Where each seed ends under a normal kernel (n_seeds, p), and the mass of the pixels around it (n_seeds,)."""
    n_seeds, p = seeds.shape
    n = len(leaves.rows)
    ends, masses = seeds.copy(), np.zeros(n_seeds)
    scratch, n_found = _scratch(leaves), 0
    found, columns, distances = np.empty(n + LEAF_SIZE, np.int64), np.empty((p, n)), np.empty(n)
    anchor, mean = np.empty(p), np.empty(p)
    slack = _SLACK * reach
    for seed in range(n_seeds):
        place = ends[seed]
        for iteration in range(max_iter + 1):
            if iteration == 0 or squared_distance(place, anchor) > slack * slack:
                anchor[:] = place
                n_found = _gather(leaves, place, reach + slack, scratch, found, columns)
            masses[seed] = _shift(
                leaves.rows, columns, found[:n_found], place, reach, precision, distances[:n_found], mean
            )
            if masses[seed] == 0.0:
                break
            moved = squared_distance(mean, place)
            place[:] = mean
            if np.sqrt(moved) <= _STILL * bandwidth:
                break
    return ends, masses
