"""Consensus distances pair by pair: the mean, median or mode of the distances in several embeddings."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

from consensus_embedding.distance_matrices import distance_block

_BLOCK_PAIRS = 8192


def pairwise_consensus(embeddings: np.ndarray, estimator: str, *, n_jobs: int = 1) -> np.ndarray:
    """
    Combine the distances of each pair of points over embeddings, by one estimator of location.

    Parameters
    ----------
    embeddings : ndarray of shape (m, n, p)
        Of `check_embeddings`.
    estimator : {"mean", "median", "mode"}
        Mean and median: Viswanath and Madabhushi 2012, CalcConsEmbed. Mode (half-sample): Tiwari 2008.
    n_jobs : int
        Threads. The result does not depend on it.

    Returns
    -------
    ndarray of shape (n * (n - 1) / 2,)
        Condensed consensus distances.
    """
    estimators = {"mean": _mean, "median": _median, "mode": half_sample_mode}
    if estimator not in estimators:
        raise ValueError(f"estimator must be one of {sorted(estimators)}, found {estimator!r}.")
    n = embeddings.shape[1]
    result = np.empty(n * (n - 1) // 2)

    def part(start: int) -> None:
        stop = min(start + _BLOCK_PAIRS, len(result))
        result[start:stop] = estimators[estimator](distance_block(embeddings, start, stop))

    with ThreadPoolExecutor(max(1, n_jobs)) as pool:
        list(pool.map(part, range(0, len(result), _BLOCK_PAIRS)))
    return result


def _mean(block: np.ndarray) -> np.ndarray:
    return block.mean(axis=0)


def _median(block: np.ndarray) -> np.ndarray:
    return np.median(block, axis=0)


def half_sample_mode(values: np.ndarray) -> np.ndarray:
    """
    Half-sample mode of each column.

    Repeatedly keeps the half of the sorted values that spans the least, until at most three are left
    (Robertson and Cryer 1974; Bickel and Fruehwirth 2006).

    Parameters
    ----------
    values : ndarray of shape (m, k)

    Returns
    -------
    ndarray of shape (k,)
    """
    return _half_sample_mode(np.sort(np.asarray(values, dtype=np.float64), axis=0).T.copy())


@njit(cache=True, nogil=True)
def _half_sample_mode(ordered: np.ndarray) -> np.ndarray:
    result = np.empty(len(ordered))
    for row in range(len(ordered)):
        x = ordered[row]
        first, size = 0, len(x)
        while size > 3:
            half = (size + 1) // 2
            best = first
            for start in range(first, first + size - half + 1):
                if x[start + half - 1] - x[start] < x[best + half - 1] - x[best]:
                    best = start
            first, size = best, half
        if size == 3:
            left, right = x[first + 1] - x[first], x[first + 2] - x[first + 1]
            if left < right:
                size = 2
            elif right < left:
                first, size = first + 1, 2
            else:
                first, size = first + 1, 1
        total = 0.0
        for k in range(first, first + size):
            total += x[k]
        result[row] = total / size
    return result
