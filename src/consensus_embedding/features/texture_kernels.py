"""
The loops of the Haralick texture features, compiled.

A window slides along a row of the image; the pairs of grey levels that leave it are taken out of the co-occurrence
counts and those that enter are put in. All running sums are integers (the logarithms and fractions among them in fixed
point), so nothing drifts: a pixel's features do not depend on where the sliding began, nor on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

_COMPILED = {"cache": True, "nogil": True, "error_model": "numpy"}
# Part of every pair's update: a call would cost more than what it does.
_INLINED = {**_COMPILED, "forceinline": True}
# Sums over the pairs (a, b) of a window: how many, of a + b, a**2 + b**2, a * b, |a - b| and 1 / (1 + (a - b)**2).
_PAIRS, _SUM, _SQUARES, _PRODUCTS, _DISTANCE, _FRACTIONS = range(6)
# Sums over the counts c of a histogram: of c**2 and of c log2 c.
_CELLS_SQUARED, _CELLS_LOG, _MARGINAL_LOG, _SUMS_LOG, _DIFFERENCES_SQUARED, _DIFFERENCES_LOG = range(6, 12)
_N_TOTALS = 12


class Tables(NamedTuple):
    """What depends on a count or on a difference of grey levels only; fixed point is the number times `scale`."""

    logs: np.ndarray  # c log2 c for a count c, int64 in fixed point
    roots: np.ndarray  # 1 / sqrt(c)
    fractions: np.ndarray  # 1 / (1 + k**2) for a difference k, int64 in fixed point
    scale: float


class Counts(NamedTuple):
    """Histograms of the pairs (a, b) of one window in one direction, and sums over them."""

    cells: np.ndarray  # symmetric co-occurrence counts at min(a, b) * n_levels + max(a, b)
    marginal: np.ndarray  # of a and b
    sums: np.ndarray  # of a + b
    differences: np.ndarray  # of |a - b|
    totals: np.ndarray


class Pairs(NamedTuple):
    """Where one direction's pairs lie: (first + r, x) with (second + r, x + shift), in n_rows rows and n_columns."""

    first: int
    second: int
    shift: int
    n_rows: int
    n_columns: int


class Scratch(NamedTuple):
    """Room for the maximal correlation coefficient of one window."""

    labels: np.ndarray  # -1 throughout between calls
    seen: np.ndarray
    ends: np.ndarray
    parents: np.ndarray
    matrix: np.ndarray
    work: np.ndarray


@njit(**_INLINED)
def _count_column(levels: np.ndarray, pairs: Pairs, x: int, sign: int, counts: Counts, tables: Tables) -> None:
    """Put in (sign 1) or take out (sign -1) the pairs of column x; negative levels are void."""
    cells, marginal, sums, differences, totals = counts
    logs, fractions = tables.logs, tables.fractions
    n_levels = len(marginal)
    for r in range(pairs.n_rows):
        a = np.int64(levels[pairs.first + r, x])
        b = np.int64(levels[pairs.second + r, x + pairs.shift])
        if a < 0 or b < 0:
            continue
        low, high = min(a, b), max(a, b)
        # A pair of equal levels counts twice in one cell of the symmetric matrix, another once in two cells.
        equal = np.int64(low == high)
        step, weight = sign * (1 + equal), 2 - equal
        place = low * n_levels + high
        old = np.int64(cells[place])
        new = old + step
        cells[place] = new
        totals[_CELLS_SQUARED] += weight * (new * new - old * old)
        totals[_CELLS_LOG] += weight * (logs[new] - logs[old])
        for level in (a, b):
            old = np.int64(marginal[level])
            marginal[level] = old + sign
            totals[_MARGINAL_LOG] += logs[old + sign] - logs[old]
        old = np.int64(sums[a + b])
        sums[a + b] = old + sign
        totals[_SUMS_LOG] += logs[old + sign] - logs[old]
        old = np.int64(differences[high - low])
        new = old + sign
        differences[high - low] = new
        totals[_DIFFERENCES_SQUARED] += new * new - old * old
        totals[_DIFFERENCES_LOG] += logs[new] - logs[old]
        totals[_PAIRS] += sign
        totals[_SUM] += sign * (a + b)
        totals[_SQUARES] += sign * (a * a + b * b)
        totals[_PRODUCTS] += sign * a * b
        totals[_DISTANCE] += sign * (high - low)
        totals[_FRACTIONS] += sign * fractions[high - low]


@njit(**_COMPILED)
def _add_features(counts: Counts, tables: Tables, peak: int, index_variance: bool, result: np.ndarray) -> None:
    """Add features 1 to 13 of the counts of one direction to `result`."""
    totals, logs = counts.totals, tables.logs
    n = totals[_PAIRS]
    # Every pair stands twice in the symmetric matrix. Quotients of whole numbers: no cancellation, and a constant
    # window has exactly the values it should.
    square = n * n
    bits = 0.5 / (n * tables.scale)
    spread = 2 * n * totals[_SQUARES] - totals[_SUM] ** 2
    squared_difference = totals[_SQUARES] - 2 * totals[_PRODUCTS]
    result[0] += totals[_CELLS_SQUARED] / (4 * square)
    result[1] += squared_difference / n
    # Equal levels throughout: 1, as in mahotas.
    result[2] += (4 * n * totals[_PRODUCTS] - totals[_SUM] ** 2) / spread if spread > 0 else 1.0
    result[3] += spread / (4 * square)
    result[4] += totals[_FRACTIONS] / (n * tables.scale)
    result[5] += totals[_SUM] / n
    result[6] += (n * (totals[_SQUARES] + 2 * totals[_PRODUCTS]) - totals[_SUM] ** 2) / square
    result[7] += 2.0 * bits * (logs[n] - totals[_SUMS_LOG])
    result[8] += bits * (logs[2 * n] - totals[_CELLS_LOG])
    if index_variance:
        result[9] += (n * squared_difference - totals[_DISTANCE] ** 2) / square
    else:
        result[9] += totals[_DIFFERENCES_SQUARED] / square / (peak + 1) - 1.0 / (peak + 1) ** 2
    result[10] += 2.0 * bits * (logs[n] - totals[_DIFFERENCES_LOG])
    marginal_entropy = bits * (logs[2 * n] - totals[_MARGINAL_LOG])
    shared = logs[2 * n] - 2 * totals[_MARGINAL_LOG] + totals[_CELLS_LOG]
    # Independent levels: what is left is the rounding of the table, which the root below would blow up.
    information = bits * shared if shared > 8 * n else 0.0
    if marginal_entropy > 0.0:
        result[11] -= information / marginal_entropy
    result[12] += np.sqrt(1.0 - np.exp(-2.0 * information))


@njit(**_INLINED)
def _root(parents: np.ndarray, node: int) -> int:
    """Representative of a node's component."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


@njit(**_COMPILED)
def _maximal_correlation(
    levels: np.ndarray, pairs: Pairs, x: int, marginal: np.ndarray, roots: np.ndarray, scratch: Scratch
) -> float:
    """
    Second largest singular value of p(i, j) / sqrt(p(i) p(j)) over the levels of one window.

    Its square is the second largest eigenvalue of Haralick's Q.
    """
    labels, seen, ends, parents, matrix, work = scratch
    n, n_edges = 0, 0
    for c in range(x, x + pairs.n_columns):
        for r in range(pairs.n_rows):
            a, b = levels[pairs.first + r, c], levels[pairs.second + r, c + pairs.shift]
            if a < 0 or b < 0:
                continue
            for level in (a, b):
                if labels[level] < 0:
                    labels[level] = n
                    seen[n] = level
                    parents[2 * n], parents[2 * n + 1] = 2 * n, 2 * n + 1
                    n += 1
            ends[n_edges, 0], ends[n_edges, 1] = labels[a], labels[b]
            n_edges += 1
    for i in range(n):
        labels[seen[i]] = -1
    if n == 1:
        return 0.0
    # Singular value 1 comes once for every component of the graph with two nodes a level, (i, left) and (i, right),
    # and an edge (i, left) - (j, right) wherever p(i, j) > 0.
    components = 2 * n
    for k in range(n_edges):
        i, j = ends[k, 0], ends[k, 1]
        for side in range(2):
            left, right = _root(parents, 2 * i + side), _root(parents, 2 * j + 1 - side)
            if left != right:
                parents[left] = right
                components -= 1
    if components > 1:
        return 1.0
    # The trivial singular vector, sqrt(p), is taken out beforehand.
    for i in range(n):
        weight = np.sqrt(marginal[seen[i]] / (2.0 * n_edges))
        work[0, i] = weight
        for j in range(i + 1):
            matrix[i, j] = matrix[j, i] = -weight * work[0, j]
    for k in range(n_edges):
        i, j = ends[k, 0], ends[k, 1]
        value = roots[marginal[seen[i]]] * roots[marginal[seen[j]]]
        matrix[i, j] += value
        matrix[j, i] += value
    _tridiagonalise(matrix, n, work)
    highest = max(0.0, _largest_root(work[0], work[1], n, 1.0, 0.0))
    return max(highest, _largest_root(work[0], work[1], n, -1.0, highest))


@njit(**_COMPILED)
def _tridiagonalise(matrix: np.ndarray, n: int, work: np.ndarray) -> None:
    """
    Householder reduction of a symmetric matrix (Golub and Van Loan, Algorithm 8.3.1), last row first.

    The diagonal goes to work[0], the squares of the off-diagonal entries (i, i + 1) to work[1]. Whole rows are
    updated, not one triangle: the loops then run along memory and none of them sums.
    """
    diagonal, squares, v, p = work[0], work[1], work[2], work[3]
    for i in range(n - 1, 0, -1):
        diagonal[i] = matrix[i, i]
        rest = 0.0
        for k in range(i - 1):
            rest += matrix[i, k] * matrix[i, k]
        edge = matrix[i, i - 1]
        squares[i - 1] = edge * edge + rest
        if rest < 1e-40:
            continue  # nothing, beside a norm of at most 1
        norm = np.sqrt(squares[i - 1])
        head = edge + norm if edge > 0.0 else edge - norm
        beta = 1.0 / (norm * abs(head))
        for k in range(i):
            v[k] = matrix[i, k]
            p[k] = 0.0
        v[i - 1] = head
        for j in range(i):
            factor = beta * v[j]
            for k in range(i):
                p[k] += factor * matrix[j, k]
        inner = 0.0
        for k in range(i):
            inner += p[k] * v[k]
        inner *= 0.5 * beta
        for k in range(i):
            p[k] -= inner * v[k]
        for j in range(i):
            vj, pj = v[j], p[j]
            for k in range(i):
                matrix[j, k] -= vj * p[k] + pj * v[k]
    diagonal[0] = matrix[0, 0]
    squares[n - 1] = 0.0


@njit(**_COMPILED)
def _largest_root(diagonal: np.ndarray, squares: np.ndarray, n: int, sign: float, floor: float) -> float:
    """
    Largest eigenvalue of sign times a tridiagonal matrix, if it is above `floor`; else a number that is not.

    Laguerre's iteration on the characteristic polynomial (Li and Zeng 1994, SIAM Journal on Scientific Computing 15):
    from 1, above all roots, it falls to the largest one without passing it, at third order, or in linear steps where
    roots coincide.
    """
    x = 1.0
    for _ in range(100):
        # The polynomial and its first two derivatives; before (0) and now (1).
        p0, d0, s0 = 0.0, 0.0, 0.0
        p1, d1, s1 = 1.0, 0.0, 0.0
        square = 0.0
        for k in range(n):
            gap = x - sign * diagonal[k]
            p2 = gap * p1 - square * p0
            d2 = gap * d1 + p1 - square * d0
            s2 = gap * s1 + 2.0 * d1 - square * s0
            p0, d0, s0, p1, d1, s1 = p1, d1, s1, p2, d2, s2
            square = squares[k]
            if abs(p0) + abs(p1) < 1e-100:
                p0, d0, s0 = 1e100 * p0, 1e100 * d0, 1e100 * s0
                p1, d1, s1 = 1e100 * p1, 1e100 * d1, 1e100 * s1
        if p1 <= 0.0:
            return x  # at the root, but for rounding
        slope = d1 / p1
        curvature = n * (slope * slope - s1 / p1) - slope * slope
        step = n / (slope + np.sqrt(max(0.0, (n - 1) * curvature)))
        x -= step
        if x <= floor or step < 1e-14:
            return x
    return x


@njit(**_COMPILED)
def haralick_rows(
    # (n_rows + window - 1, n_columns + window - 1), int16: grey levels, padded by half a window on each side; negative
    # where pixels do not count.
    levels: np.ndarray,
    peaks: np.ndarray,  # (n_rows, n_columns), int16: highest level of each pixel's window
    mask: np.ndarray,  # (n_rows, n_columns), bool
    window: int,
    distance: int,
    tables: Tables,  # counts up to 2 * window**2, differences up to the number of levels
    index_variance: bool,  # difference variance of the difference, not of the probabilities
    result: np.ndarray,  # (n_pixels_in_mask, 13 or 14), float64: zeros on entry
) -> None:
    """Mean features over the four directions for the pixels of a mask, into `result`."""
    n_features = result.shape[1]
    n_levels, half = len(tables.fractions), window // 2
    counts, scratch = _empty_counts(n_levels), _scratch(window, n_levels)
    used = np.zeros(len(result), np.int64)
    start = 0
    for y in range(len(mask)):
        columns = np.flatnonzero(mask[y])
        stop = start + len(columns)
        for direction in range(4):
            pairs = _pairs(y, direction, window, distance)
            low, high = 0, 0  # the columns whose pairs are counted
            for k in range(start, stop):
                x = columns[k - start]
                _slide(levels, pairs, low, high, x, x + pairs.n_columns, counts, tables)
                low, high = x, x + pairs.n_columns
                if counts.totals[_PAIRS] == 0:
                    continue
                used[k] += 1
                _add_features(counts, tables, peaks[y, x], index_variance, result[k])
                if n_features == 14:
                    result[k, 13] += _maximal_correlation(levels, pairs, x, counts.marginal, tables.roots, scratch)
            _slide(levels, pairs, low, high, high, high, counts, tables)
        for k in range(start, stop):
            if used[k] == 0:
                _lone_pixel(np.int64(levels[y + half, columns[k - start] + half]), index_variance, result[k])
            else:
                for f in range(n_features):
                    result[k, f] /= used[k]
        start = stop


@njit(**_COMPILED)
def _pairs(y: int, direction: int, window: int, distance: int) -> Pairs:
    """Pairs of a window whose top row is y: 0, 135, 90 and 45 degrees (to the right, down right, down, up right)."""
    drop = 0 if direction == 0 else distance
    shift = 0 if direction == 2 else distance
    first, second = (y + drop, y) if direction == 3 else (y, y + drop)
    return Pairs(first, second, shift, window - drop, window - shift)


@njit(**_COMPILED)
def _empty_counts(n_levels: int) -> Counts:
    return Counts(
        np.zeros(n_levels * n_levels, np.int32),
        np.zeros(n_levels, np.int32),
        np.zeros(2 * n_levels, np.int32),
        np.zeros(n_levels, np.int32),
        np.zeros(_N_TOTALS, np.int64),
    )


@njit(**_COMPILED)
def _scratch(window: int, n_levels: int) -> Scratch:
    most = min(window * window, n_levels)
    return Scratch(
        np.full(n_levels, -1, np.int32),
        np.empty(most, np.int32),
        np.empty((window * window, 2), np.int32),
        np.empty(2 * most, np.int32),
        np.empty((most, most)),
        np.empty((4, most)),
    )


@njit(**_INLINED)
def _slide(
    levels: np.ndarray, pairs: Pairs, low: int, high: int, new_low: int, new_high: int, counts: Counts, tables: Tables
) -> None:
    """From the pairs of the columns low, ..., high - 1 to those of new_low, ..., new_high - 1, further right."""
    for x in range(low, min(high, new_low)):
        _count_column(levels, pairs, x, -1, counts, tables)
    for x in range(max(high, new_low), new_high):
        _count_column(levels, pairs, x, 1, counts, tables)


@njit(**_COMPILED)
def _lone_pixel(level: int, index_variance: bool, result: np.ndarray) -> None:
    """Features of a window without any pair: those of a constant window at the pixel's own level."""
    result[:] = 0.0
    result[0] = result[2] = result[4] = 1.0
    result[5] = 2.0 * level
    if not index_variance:
        result[9] = 1.0 / (level + 1) - 1.0 / (level + 1) ** 2
