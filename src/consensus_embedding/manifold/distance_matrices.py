"""
Distance matrices of many embeddings of the same points, without keeping them.

An embedding y of n points is represented by the matrix X(y) of distances between its points (Tomo and Yoneoka 2025,
Eq. 4). What the consensus needs of m such matrices are inner products and weighted sums; both are gathered over blocks
of pairs of points, so that memory grows with m and n but never with m times n squared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
from numba import njit
from numpy.typing import ArrayLike, DTypeLike
from scipy.sparse import issparse

from consensus_embedding.utils.numbers import real_numbers, unusual_exponents, with_squares
from consensus_embedding.utils.rows import check_row_order, titled, titles
from consensus_embedding.utils.threads import one_blas_thread

# Pairs of points in one matrix product: large enough for BLAS, small enough for the cache.
_BLOCK_PAIRS = 4096
# The pairs are cut into this many parts, whatever the number of cores, and the parts are summed in order:
# so the result is the same to the last bit on any number of cores.
_PARTS = 16
# A distance this small, as a share of the largest distance to the mean, is computed again in double precision.
_NEAR = 0.05
# Coordinates whose root mean square is outside of these are brought to another unit, as squares of single precision
# vanish or overflow.
_SMALL, _LARGE = 2.0**-40, 2.0**40


def check_size(embeddings: np.ndarray) -> None:
    """Refuse, with a ValueError, embeddings whose squares overflow or vanish."""
    largest = float(np.abs(embeddings).max())
    if largest != 0 and not 1e-100 < largest < 1e100:
        raise ValueError(
            f"The largest coordinate of the embeddings must be between 1e-100 and 1e100, found {largest:.0e}; rescale "
            "them."
        )


def validate_embeddings(embeddings: Sequence[ArrayLike] | np.ndarray) -> np.ndarray:
    """
    Stack embeddings of the same points, refusing what cannot be combined.

    Parameters
    ----------
    embeddings : sequence of m arrays of shape (n, p)
        The number of dimensions p may differ: missing ones are filled with zeros, which moves no distance.

    Returns
    -------
    ndarray of shape (m, n, p), float32 or float64

    Raises
    ------
    ValueError
        If there is no embedding, one is not a table or has no column, their numbers of points differ, a value is NaN
        or infinite, or there are fewer than two points; if data frames have the same row names in another order.
    """
    return stacked(embeddings)


def stacked(embeddings: Sequence[ArrayLike] | np.ndarray, names: Sequence[str] = ()) -> np.ndarray:
    """As `validate_embeddings`; errors call the embeddings by `names`, if they have any."""
    is_mapping = isinstance(embeddings, Mapping)
    if is_mapping or isinstance(embeddings, pd.DataFrame) or not np.iterable(embeddings):
        remedy = "; pass list(embeddings.values())" if is_mapping else ""
        raise ValueError(f"A consensus needs a list of embeddings, found {type(embeddings).__name__}{remedy}.")
    embeddings = list(embeddings)
    called = titles(len(embeddings), names)
    check_row_order(**titled(embeddings, names))
    # Those of 32 bits stay so.
    arrays = [
        np.asarray(embedding)
        if getattr(embedding, "dtype", None) == np.float32 and not (np.ma.is_masked(embedding) or issparse(embedding))
        else real_numbers(embedding, title)
        for title, embedding in zip(called, embeddings, strict=True)
    ]
    if not arrays:
        raise ValueError("A consensus needs at least one embedding, found none (m = 0).")
    for title, array in zip(called, arrays, strict=True):
        if array.ndim != 2 or array.shape[1] == 0:
            raise ValueError(
                f"{title} must have shape (points, dimensions) with at least one dimension, found shape {array.shape}."
            )
        if len(array) != len(arrays[0]):
            raise ValueError(
                f"All embeddings must have the same points: {called[0]} has {len(arrays[0])}, {title} has {len(array)}."
            )
        if not np.isfinite(array).all():
            raise ValueError(f"{title} contains NaN or infinity; remove that run or fix its input.")
    if len(arrays[0]) < 2:
        raise ValueError(f"A consensus needs at least 2 points, found {len(arrays[0])}.")
    dimensions = max(array.shape[1] for array in arrays)
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    stack = np.zeros((len(arrays), len(arrays[0]), dimensions), dtype=dtype)
    for k, array in enumerate(arrays):
        stack[k, :, : array.shape[1]] = array
    return stack


def normalize_embeddings(embeddings: Sequence[ArrayLike] | np.ndarray, how: str) -> np.ndarray:
    """
    Bring embeddings of different scale to one, so that none counts more in a consensus because it is larger.

    Parameters
    ----------
    embeddings : sequence of m arrays of shape (n, p)
    how : {"none", "unit_norm"}
        "unit_norm": each is centred and divided by its Frobenius norm, as the code of Tomo and Yoneoka does since
        December 2025; an embedding without spread is centred only. "none": left as they are, as in their paper.

    Returns
    -------
    ndarray of shape (m, n, p)
        float32 if all embeddings are, else float64.

    Raises
    ------
    ValueError
        If there is no such way, or as `validate_embeddings`.
    """
    if how not in ("none", "unit_norm"):
        raise ValueError(f"normalize must be none or unit_norm, found {how!r}.")
    embeddings = validate_embeddings(embeddings)
    if how == "none":
        return embeddings
    embeddings = with_squares(embeddings, axis=(1, 2))
    centred = embeddings - embeddings.mean(axis=1, keepdims=True, dtype=np.float64)
    # The rounded mean of equal points differs from them.
    centred[np.ptp(embeddings, axis=1).max(axis=1) == 0] = 0.0
    norms = np.linalg.norm(centred, axis=(1, 2), keepdims=True)
    return (centred / np.where(norms > 0, norms, 1.0)).astype(embeddings.dtype)


def of_usual_size(embeddings: np.ndarray) -> tuple[np.ndarray, int]:
    """
    Embeddings (m, n, p) in a unit in which their size is usual, and an exponent.

    They were divided by two to this power, which rounds nothing; 0 for most, which are left as they are.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        centred = embeddings - embeddings.mean(axis=1, keepdims=True, dtype=np.float64)
        # In two steps, as the squares may overflow.
        largest = np.abs(centred).max(initial=0.0)
        share = np.sqrt(np.square(centred / largest).mean()) if largest > 0 else 0.0
    exponent = int(unusual_exponents(largest * share, _SMALL, _LARGE))
    return (np.ldexp(embeddings.astype(np.float64), -exponent) if exponent else embeddings), exponent


def distance_gram(
    embeddings: np.ndarray, *, n_jobs: int = 1, progress: Callable[[float], None] | None = None
) -> np.ndarray:
    """
    Gram matrix (m, m), float64, of the distance matrices X(y) of embeddings (m, n, p), centred over the embeddings.

    Entry (i, j) is the Frobenius inner product of X(y_i) - mean and X(y_j) - mean; rows sum to 0. Each pair of points
    is centred before the product, as cancellation would lose digits of what the matrices have in common. Of float32
    embeddings the products within a block are float32: twice as fast, and the median moves by about 1e-10 of its norm.
    `n_jobs`, threads, changes no bit; `progress` is called with the finished share, in (0, 1].
    """
    m, n, _ = embeddings.shape
    coordinates = np.ascontiguousarray(embeddings.transpose(0, 2, 1), dtype=np.float64)
    n_pairs = n * (n - 1) // 2
    bounds = np.linspace(0, n_pairs, _PARTS + 1).astype(np.int64)

    def part(k: int) -> np.ndarray:
        """Gram matrix of the distances of some pairs."""
        gram = np.zeros((m, m))
        for start in range(bounds[k], bounds[k + 1], _BLOCK_PAIRS):
            stop = min(start + _BLOCK_PAIRS, bounds[k + 1])
            block = np.empty((m, stop - start))
            _centred_distances(coordinates, start, block)
            block = block.astype(embeddings.dtype, copy=False)
            # NumPy lets other threads run meanwhile (SciPy's BLAS does not) and sees the symmetry.
            gram += block @ block.T
        return gram

    total = np.zeros((m, m))
    with one_blas_thread(), ThreadPoolExecutor(max(1, n_jobs)) as pool:
        for k, gram in enumerate(pool.map(part, range(_PARTS))):
            total += gram
            if progress is not None:
                progress((k + 1) / _PARTS)
    # Each pair of points occurs twice in the Frobenius norm.
    return 2.0 * total


def needs_double(distances: np.ndarray, embeddings: np.ndarray, gram: np.ndarray) -> np.ndarray:
    """
    Which distances are small differences of large numbers of single precision: bool, of their shape.

    They are of embeddings (m, n, p) or combinations of them, from the Gram matrix of `distance_gram`.
    """
    return (embeddings.dtype == np.float32) & (distances < _NEAR * np.sqrt(np.diag(gram).max()))


def distance_block(embeddings: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Distances (m, stop - start), float64, of the pairs start, ..., stop - 1, in condensed order, in m embeddings."""
    block = np.empty((len(embeddings), stop - start))
    for embedding, row in zip(embeddings, block, strict=True):
        _distances(np.ascontiguousarray(embedding.T, dtype=np.float64), start, row)
    return block


@njit(cache=True, nogil=True, error_model="numpy")
def largest_distance(points: np.ndarray) -> float:
    """Largest distance between two points, given by column (p, n)."""
    n = points.shape[1]
    squared, most = np.empty(n), np.zeros(n)
    for i in range(n):
        squared[:] = 0.0
        for d in range(len(points)):
            for j in range(i + 1, n):
                difference = points[d, j] - points[d, i]
                squared[j] += difference * difference
        for j in range(i + 1, n):
            most[j] = squared[j] if squared[j] > most[j] else most[j]
    return np.sqrt(most.max())


def combination_distances(gram: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Distances (r, r) between combinations of m points with a Gram matrix (m, m); rows of weights (r, m) sum to 1."""
    inner = weights @ gram @ weights.T
    squares = np.diag(inner)
    return np.sqrt(np.maximum(squares[:, None] + squares - 2.0 * inner, 0.0)) * (1 - np.eye(len(weights)))


def combined_distances(
    embeddings: np.ndarray, weights: np.ndarray, *, n_jobs: int = 1, dtype: DTypeLike = np.float64
) -> np.ndarray:
    """
    Sum of the distance matrices of embeddings (m, n, p) by weights (m,), condensed in SciPy's order: (n (n - 1) / 2,).

    The sums are made in double precision, whatever the `dtype` of the result, and do not depend on `n_jobs`, threads.
    """
    n = embeddings.shape[1]
    used = np.flatnonzero(weights)
    coordinates = np.ascontiguousarray(embeddings[used].transpose(0, 2, 1), dtype=np.float64)
    result = np.empty(n * (n - 1) // 2, dtype=dtype)
    bounds = np.linspace(0, len(result), max(1, n_jobs) + 1).astype(np.int64)

    def part(k: int) -> None:
        """Fill in the distances of some pairs."""
        for start in range(bounds[k], bounds[k + 1], _BLOCK_PAIRS):
            stop = min(start + _BLOCK_PAIRS, bounds[k + 1])
            sums = np.zeros(stop - start)
            _add_weighted_distances(coordinates, weights[used], start, sums)
            result[start:stop] = sums

    with ThreadPoolExecutor(max(1, n_jobs)) as pool:
        list(pool.map(part, range(len(bounds) - 1)))
    return result


@njit(cache=True, nogil=True, inline="always")
def _first_pair(n: int, position: int) -> tuple[int, int]:
    """Row and column of a position in the condensed order of n points."""
    # Row i starts at i (2 n - i - 1) / 2. The root may be off by one in its last digits; integers decide.
    i = int((2 * n - 1 - np.sqrt((2.0 * n - 1) ** 2 - 8.0 * position)) // 2)
    while i * (2 * n - i - 1) // 2 > position:
        i -= 1
    while (i + 1) * (2 * n - i - 2) // 2 <= position:
        i += 1
    return i, i + 1 + position - i * (2 * n - i - 1) // 2


# No fastmath in the kernels below: reassociation would make the sums depend on the machine, and the square
# root is what takes the time.
@njit(cache=True, nogil=True, error_model="numpy")
def _centred_distances(coordinates: np.ndarray, start: int, block: np.ndarray) -> None:
    """Distances of consecutive pairs in each embedding, minus their mean over the embeddings, into `block`."""
    m, width = block.shape
    mean = np.zeros(width)
    for k in range(m):
        _distances(coordinates[k], start, block[k])
        for c in range(width):
            mean[c] += block[k, c]
    for k in range(m):
        for c in range(width):
            block[k, c] -= mean[c] / m


@njit(cache=True, nogil=True, error_model="numpy")
def _add_weighted_distances(coordinates: np.ndarray, weights: np.ndarray, start: int, result: np.ndarray) -> None:
    """Add the weighted distances of consecutive pairs to `result`."""
    distances = np.empty(len(result))
    for k in range(len(weights)):
        _distances(coordinates[k], start, distances)
        for c in range(len(result)):
            result[c] += weights[k] * distances[c]


@njit(cache=True, nogil=True, error_model="numpy")
def _distances(points: np.ndarray, start: int, result: np.ndarray) -> None:
    """Distances of consecutive pairs of points, given by column (p, n), from a condensed position on."""
    n = points.shape[1]
    i, j = _first_pair(n, start)
    filled = 0
    while filled < len(result):
        length = min(n - j, len(result) - filled)
        _segment(points, i, j, result[filled : filled + length])
        filled += length
        i += 1
        j = i + 1


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _segment(points: np.ndarray, i: int, j: int, result: np.ndarray) -> None:
    """Distances of point i to the points j, j + 1, ... as many as `result` has entries; points by column."""
    if len(points) == 2:
        xi, yi = points[0, i], points[1, i]
        for c in range(len(result)):
            dx, dy = points[0, j + c] - xi, points[1, j + c] - yi
            result[c] = np.sqrt(dx * dx + dy * dy)
        return
    result[:] = 0.0
    for d in range(len(points)):
        for c in range(len(result)):
            difference = points[d, j + c] - points[d, i]
            result[c] += difference * difference
    for c in range(len(result)):
        result[c] = np.sqrt(result[c])
