"""Consensus distances pair by pair: the mean, median or mode of the distances in several embeddings."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

from consensus_embedding.consensus.modes import half_sample_mode, histogram_mode, kernel_density_mode
from consensus_embedding.manifold.distance_matrices import distance_block

_BLOCK_PAIRS = 8192
_COLUMNS = 32
_HALVINGS = 6


def pairwise_consensus(embeddings: np.ndarray, estimator: str, *, n_jobs: int = 1) -> np.ndarray:
    """
    Combine the distances of each pair of points over embeddings, (m, n, p), into condensed distances.

    By an estimator of location, of `ESTIMATORS`. Mean and median: Viswanath and Madabhushi 2012, CalcConsEmbed. Mode:
    Tiwari 2008, who do not say how it is estimated; by half samples ("mode"), or as `kernel_density_mode` and
    `histogram_mode` do.
    """
    _check_estimator(estimator)
    n = embeddings.shape[1]
    result = np.empty(n * (n - 1) // 2)

    def part(start: int) -> None:
        """Combine a block of pairs."""
        stop = min(start + _BLOCK_PAIRS, len(result))
        result[start:stop] = combine_values(distance_block(embeddings, start, stop), estimator)

    starts = range(0, len(result), _BLOCK_PAIRS)
    with ThreadPoolExecutor(max(1, n_jobs)) as pool:
        # Starting a thread takes as long as combining a few objects.
        list((map if n_jobs <= 1 else pool.map)(part, starts))
    return result


def combine_rows(table: np.ndarray, chosen: np.ndarray, estimator: str) -> np.ndarray:
    """`combine_values` of the rows `chosen` of a table, (m, k), without a copy of all of them at once; (k,)."""
    starts = range(0, table.shape[1], _BLOCK_PAIRS)
    return np.concatenate([combine_values(table[:, k : k + _BLOCK_PAIRS][chosen], estimator) for k in starts])


def combine_values(block: np.ndarray, estimator: str) -> np.ndarray:
    """One estimate of location, of `ESTIMATORS`, per column of a block, (m, k); (k,)."""
    _check_estimator(estimator)
    return _ESTIMATORS[estimator](block)


def _check_estimator(estimator: str) -> None:
    if estimator not in _ESTIMATORS:
        raise ValueError(f"estimator must be one of {list(ESTIMATORS)}, found {estimator!r}.")


def _mean(block: np.ndarray) -> np.ndarray:
    return block.mean(axis=0)


def _median(block: np.ndarray) -> np.ndarray:
    result = np.empty(block.shape[1])
    _column_medians(block, result)
    return result


# By name, the estimate of location of each column.
_ESTIMATORS = {
    "mean": _mean,
    "median": _median,
    "mode": half_sample_mode,
    "mode_kernel_density": kernel_density_mode,
    "mode_histogram": histogram_mode,
}
ESTIMATORS = tuple(_ESTIMATORS)


@njit(cache=True, nogil=True, error_model="numpy")
def _column_medians(block: np.ndarray, result: np.ndarray) -> None:
    """
    Median of each column, exactly, many columns at a time.

    Halving the interval that contains the middle value is the same arithmetic in every column, so that it runs on
    vectors; after `_HALVINGS` of it few values are left, and those are sorted.
    """
    m, n_columns = block.shape
    upper = m // 2  # rank of the upper middle value; the lower one is one below for an even number
    low, high, middle = np.empty(_COLUMNS), np.empty(_COLUMNS), np.empty(_COLUMNS)
    count, below = np.empty(_COLUMNS), np.empty(_COLUMNS)
    part = np.zeros((m, _COLUMNS))
    left = np.empty(m + 1)
    for start in range(0, n_columns, _COLUMNS):
        width = min(_COLUMNS, n_columns - start)
        for k in range(m):
            for c in range(width):
                part[k, c] = block[k, start + c]
        low[:] = part[0]
        high[:] = part[0]
        for k in range(1, m):
            for c in range(_COLUMNS):
                low[c] = part[k, c] if part[k, c] < low[c] else low[c]
                high[c] = part[k, c] if part[k, c] > high[c] else high[c]
        # Ranks below `below` lie at or under `low`, and all ranks up to `upper` at or under `high`.
        below[:] = -1.0
        for _ in range(_HALVINGS):
            for c in range(_COLUMNS):
                middle[c] = 0.5 * (low[c] + high[c])
            _count_at_most(part, middle, count)
            for c in range(_COLUMNS):
                reached = count[c] > upper
                high[c] = middle[c] if reached else high[c]
                below[c] = below[c] if reached else count[c]
                low[c] = low[c] if reached else middle[c]
        for c in range(width):
            result[start + c] = _middle_value(part, c, low[c], high[c], int(below[c]), upper, left)


@njit(cache=True, nogil=True, error_model="numpy")
def _count_at_most(part: np.ndarray, limits: np.ndarray, count: np.ndarray) -> None:
    """Values of each column up to its limit."""
    count[:] = 0.0
    for k in range(len(part)):
        row = part[k]
        for c in range(_COLUMNS):
            count[c] += 1.0 if row[c] <= limits[c] else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _middle_value(part: np.ndarray, c: int, low: float, high: float, below: int, upper: int, left: np.ndarray) -> float:
    """Median of column c: rank `upper` lies in (low, high], or in [low, high] if `below` is -1 (nothing known)."""
    m = len(part)
    if below < 0:
        below, low = 0, -np.inf
    n_left = 0
    for k in range(m):
        # Written always and kept only if it counts: no branch for the processor to guess.
        left[n_left] = part[k, c]
        n_left += (part[k, c] > low) & (part[k, c] <= high)
    for k in range(1, n_left):
        value, at = left[k], k
        while at > 0 and left[at - 1] > value:
            left[at] = left[at - 1]
            at -= 1
        left[at] = value
    rank = upper - below
    if m % 2 == 1:
        return left[rank]
    lower = -np.inf
    if rank > 0:
        lower = left[rank - 1]
    else:
        for k in range(m):
            lower = max(lower, part[k, c]) if part[k, c] <= low else lower
    return 0.5 * (lower + left[rank])
