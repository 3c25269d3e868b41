"""
Median consensus embedding: the geometric median of several embeddings of the same points.

Tomo and Yoneoka 2025, Algorithm 1. An embedding y is represented by the matrix X(y) of distances between its
points, two embeddings are compared by the Frobenius norm of the difference, and the consensus minimises the
mean distance to the inputs. That minimiser lies in the span of the inputs, so the whole iteration needs only
their m x m Gram matrix: one pass over the pairs of points, then O(m^2) a step instead of O(m n^2), and no
distance matrix is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from numba import njit
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data
from threadpoolctl import threadpool_limits

from consensus_embedding.embeddings.tsne import ExactTSNE
from consensus_embedding.scaling import embed_distances

# Pairs of points in one matrix product: large enough for BLAS, small enough for the cache.
_BLOCK_PAIRS = 4096
# The pairs are cut into this many parts, whatever the number of cores, and the parts are summed in order:
# so the result is the same to the last bit on any number of cores.
_PARTS = 16
# An iterate this close to an input (as a share of the spread of the inputs) counts as hitting it: the
# square root of the rounding error of the Gram matrix.
_HIT = 1e-7
# A median this close to an input (same share) is computed again in double precision.
_NEAR = 0.05


@dataclass(frozen=True)
class GeometricMedian:
    """
    Geometric median of m points, as weights on them.

    Attributes
    ----------
    weights : ndarray of shape (m,)
        The median is the sum of weights times inputs; they are non-negative and sum to 1.
    distances : ndarray of shape (m,)
        Distance of the median to each input.
    n_iter : int
        Weiszfeld steps made.
    converged : bool
        Whether the last step was shorter than the tolerance, or an input was proved optimal.
    """

    weights: np.ndarray
    distances: np.ndarray
    n_iter: int
    converged: bool

    @property
    def objective(self) -> float:
        """Mean distance to the inputs, which the median minimises."""
        return float(self.distances.mean())


@dataclass(frozen=True)
class MedianConsensus:
    """
    Median consensus of m embeddings of n points.

    Attributes
    ----------
    distances : ndarray of shape (n * (n - 1) / 2,)
        The consensus distances between points, in the condensed order of SciPy.
    embedding : ndarray of shape (n, n_components)
        Their picture by multidimensional scaling.
    median : GeometricMedian
        Weights of the embeddings, their distances to the consensus, and the state of the iteration.
    """

    distances: np.ndarray
    embedding: np.ndarray
    median: GeometricMedian

    @property
    def distance_matrix(self) -> np.ndarray:
        """The consensus distances as a square matrix of shape (n, n)."""
        return squareform(self.distances)


def check_embeddings(embeddings: Sequence[np.ndarray] | np.ndarray) -> np.ndarray:
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
        If there is no embedding, one is not a table, their numbers of points differ, a value is NaN or
        infinite, or there are fewer than two points.
    """
    arrays = [np.asarray(embedding) for embedding in embeddings]
    if not arrays:
        raise ValueError("A consensus needs at least one embedding, found none (m = 0).")
    for k, array in enumerate(arrays):
        if array.ndim != 2:
            raise ValueError(f"Embedding {k} must have shape (points, dimensions), found shape {array.shape}.")
        if len(array) != len(arrays[0]):
            raise ValueError(
                f"All embeddings must hold the same points: embedding 0 has {len(arrays[0])}, "
                f"embedding {k} has {len(array)}."
            )
        if not np.isfinite(array).all():
            raise ValueError(f"Embedding {k} holds NaN or infinity; remove that run or mend its input.")
    if len(arrays[0]) < 2:
        raise ValueError(f"A consensus needs at least 2 points, found {len(arrays[0])}.")
    dimensions = max(array.shape[1] for array in arrays)
    dtype = np.float32 if all(array.dtype == np.float32 for array in arrays) else np.float64
    stack = np.zeros((len(arrays), len(arrays[0]), dimensions), dtype=dtype)
    for k, array in enumerate(arrays):
        stack[k, :, : array.shape[1]] = array
    return stack


def distance_gram(
    embeddings: np.ndarray, *, n_jobs: int = 1, progress: Callable[[float], None] | None = None
) -> np.ndarray:
    """
    Gram matrix of the distance matrices of m embeddings, centred over the embeddings.

    Entry (i, j) is the Frobenius inner product of X(y_i) - mean and X(y_j) - mean. Each pair of points is
    centred before the product: the distance matrices have much in common, and without it cancellation would
    eat the digits.

    Parameters
    ----------
    embeddings : ndarray of shape (m, n, p)
        Of `check_embeddings`. If they are float32, as those of t-SNE, the products within a block of pairs are
        made in float32 too: twice as fast, and the median moves by about 1e-10 of its norm.
    n_jobs : int
        Threads. The result is the same to the last bit for any number.
    progress : callable, optional
        Called with the finished share, in (0, 1].

    Returns
    -------
    ndarray of shape (m, m), float64
        Symmetric positive semi-definite; rows sum to zero.
    """
    m, n, _ = embeddings.shape
    coordinates = np.ascontiguousarray(embeddings.transpose(0, 2, 1), dtype=np.float64)
    n_pairs = n * (n - 1) // 2
    bounds = np.linspace(0, n_pairs, _PARTS + 1).astype(np.int64)

    def part(k: int) -> np.ndarray:
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
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(max(1, n_jobs)) as pool:
        for k, gram in enumerate(pool.map(part, range(_PARTS))):
            total += gram
            if progress is not None:
                progress((k + 1) / _PARTS)
    # Each pair of points stands twice in the Frobenius norm.
    return 2.0 * total


def geometric_median(
    gram: np.ndarray, *, tolerance: float = 1e-5, max_iter: int = 500, start: np.ndarray | None = None
) -> GeometricMedian:
    """
    Geometric median of m points by Weiszfeld's iteration, from their Gram matrix alone.

    For x = sum_i a_i x_i the squared distance to x_k is a'Ga - 2 (Ga)_k + G_kk. An iterate that hits an input
    is either proved optimal or moved off it by the step of Vardi and Zhang (2000), where the plain iteration
    would divide by zero. Two inputs have no unique median: every point between them is one, and the mean, where
    the iteration starts, is returned.

    Parameters
    ----------
    gram : ndarray of shape (m, m)
        Inner products of the points, about any origin; of `distance_gram`.
    tolerance : float
        Stop when a step is shorter than this (in the units of the distances; Algorithm 1).
    max_iter : int
    start : ndarray of shape (m,), optional
        Weights to start from; equal ones (the mean) by default, as in Algorithm 1.

    Returns
    -------
    GeometricMedian

    Raises
    ------
    ValueError
        If the Gram matrix is not square or is empty, or holds NaN.
    """
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1] or gram.shape[0] < 1:
        raise ValueError(f"The Gram matrix must be square with m >= 1 rows, found shape {gram.shape}.")
    if not np.isfinite(gram).all():
        raise ValueError("The Gram matrix holds NaN or infinity.")
    m = len(gram)
    diagonal = np.diag(gram)
    weights = np.full(m, 1.0 / m) if start is None else np.array(start, dtype=np.float64)
    hit_distance = _HIT * np.sqrt(max(diagonal.max(), 0.0))
    for n_iter in range(1, max_iter + 1):
        distances = _distances_to(gram, diagonal, weights)
        hit = distances <= hit_distance
        pulls = np.where(hit, 0.0, 1.0 / np.where(hit, 1.0, distances))
        if not pulls.any():
            return GeometricMedian(weights, distances, n_iter, True)
        moved = pulls / pulls.sum()
        if hit.any():
            # The inputs hit resist with a force of their number; the others pull with the norm of the sum of
            # their unit vectors.
            resultant = pulls - pulls.sum() * weights
            force = np.sqrt(max(resultant @ gram @ resultant, 0.0))
            stay = min(1.0, hit.sum() / force) if force > 0 else 1.0
            if stay >= 1.0:
                # Put all weight on the inputs hit, so that the answer is that input and not a neighbour of it.
                weights = hit / hit.sum()
                return GeometricMedian(weights, _distances_to(gram, diagonal, weights), n_iter, True)
            moved = (1.0 - stay) * moved + stay * weights
        change = moved - weights
        weights = moved
        if np.sqrt(max(change @ gram @ change, 0.0)) <= tolerance:
            return GeometricMedian(weights, _distances_to(gram, diagonal, weights), n_iter, True)
    return GeometricMedian(weights, _distances_to(gram, diagonal, weights), max_iter, False)


def distance_block(embeddings: np.ndarray, start: int, stop: int) -> np.ndarray:
    """
    Distances of the pairs start, ..., stop - 1 (in condensed order) in each embedding.

    Parameters
    ----------
    embeddings : ndarray of shape (m, n, p)
    start, stop : int

    Returns
    -------
    ndarray of shape (m, stop - start), float64
    """
    block = np.empty((len(embeddings), stop - start))
    for embedding, row in zip(embeddings, block, strict=True):
        _distances(np.ascontiguousarray(embedding.T, dtype=np.float64), start, row)
    return block


def combination_distances(gram: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """
    Distances between several weighted combinations of the same m points.

    Parameters
    ----------
    gram : ndarray of shape (m, m)
    weights : ndarray of shape (r, m)
        One combination a row; each sums to 1.

    Returns
    -------
    ndarray of shape (r, r)
    """
    inner = weights @ gram @ weights.T
    squares = np.diag(inner)
    return np.sqrt(np.maximum(squares[:, None] + squares - 2.0 * inner, 0.0)) * (1 - np.eye(len(weights)))


def combined_distances(embeddings: np.ndarray, weights: np.ndarray, *, n_jobs: int = 1) -> np.ndarray:
    """
    Weighted sum of the distance matrices of m embeddings.

    Parameters
    ----------
    embeddings : ndarray of shape (m, n, p)
    weights : ndarray of shape (m,)
    n_jobs : int
        Threads. The result does not depend on it.

    Returns
    -------
    ndarray of shape (n * (n - 1) / 2,), float64
        Condensed, in SciPy's order.
    """
    n = embeddings.shape[1]
    used = np.flatnonzero(weights)
    coordinates = np.ascontiguousarray(embeddings[used].transpose(0, 2, 1), dtype=np.float64)
    result = np.zeros(n * (n - 1) // 2)
    bounds = np.linspace(0, len(result), max(1, n_jobs) + 1).astype(np.int64)

    def part(k: int) -> None:
        for start in range(bounds[k], bounds[k + 1], _BLOCK_PAIRS):
            stop = min(start + _BLOCK_PAIRS, bounds[k + 1])
            _add_weighted_distances(coordinates, weights[used], start, result[start:stop])

    with ThreadPoolExecutor(max(1, n_jobs)) as pool:
        list(pool.map(part, range(len(bounds) - 1)))
    return result


def median_consensus(
    embeddings: Sequence[np.ndarray] | np.ndarray,
    *,
    n_components: int = 2,
    mds: str = "classical",
    tolerance: float = 1e-5,
    max_iter: int = 500,
    n_jobs: int = 1,
) -> MedianConsensus:
    """
    Median consensus of ready embeddings (Tomo and Yoneoka 2025, Algorithm 1).

    Parameters
    ----------
    embeddings : sequence of m arrays of shape (n, p)
        Embeddings of the same n points in the same order; rotation, reflection and shift do not matter.
    n_components : int
        Dimensions of the consensus picture.
    mds : {"classical", "smacof"}
        How the consensus distances become a picture.
    tolerance : float
        Absolute, in the Frobenius norm of the distance matrix.
    max_iter : int
    n_jobs : int
        Threads. The result does not depend on it.

    Returns
    -------
    MedianConsensus

    Raises
    ------
    ValueError
        As `check_embeddings`.

    Examples
    --------
    >>> import numpy as np
    >>> from consensus_embedding import median_consensus
    >>> square = np.array([[0.0, 0], [0, 1], [1, 1], [1, 0]])
    >>> median_consensus([square, square[:, ::-1] + 3]).distances.round(2)
    array([1.  , 1.41, 1.  , 1.  , 1.41, 1.  ])
    """
    stack = check_embeddings(embeddings)
    options = {"tolerance": tolerance, "max_iter": max_iter}
    gram = distance_gram(stack, n_jobs=n_jobs)
    median = geometric_median(gram, **options)
    if stack.dtype == np.float32 and median.distances.min() < _NEAR * np.sqrt(np.diag(gram).max()):
        # So near an input the distance to it is a small difference of large numbers.
        median = geometric_median(distance_gram(stack.astype(np.float64), n_jobs=n_jobs), **options)
    distances = combined_distances(stack, median.weights, n_jobs=n_jobs)
    return MedianConsensus(distances, embed_distances(squareform(distances), n_components, mds), median)


class MedianConsensusEmbedding(TransformerMixin, BaseEstimator):
    """
    Stable embedding: the geometric median of several runs of a random embedding.

    Parameters
    ----------
    embedder : estimator with `fit_transform` and `random_state`, default=None
        The base embedding; `ExactTSNE` with its defaults if None. Any scikit-learn style embedding will do.
    n_embeddings : int, default=10
        Runs to combine (m in the paper).
    n_components : int, default=2
        Dimensions of the consensus picture.
    mds : {"classical", "smacof"}, default="classical"
    tolerance : float, default=1e-5
    max_iter : int, default=500
    n_jobs : int, default=1
        Threads; for base embeddings other than `ExactTSNE` it serves the consensus only.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The consensus picture.
    distances_ : ndarray of shape (n_samples * (n_samples - 1) / 2,)
        The consensus distances, condensed.
    embeddings_ : ndarray of shape (n_embeddings, n_samples, p)
        The runs.
    weights_ : ndarray of shape (n_embeddings,)
        Weight of each run in the consensus.
    n_iter_ : int
        Weiszfeld steps.

    References
    ----------
    Tomo and Yoneoka (2025), Median Consensus Embedding for Dimensionality Reduction.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from consensus_embedding import MedianConsensusEmbedding
    >>> mce = MedianConsensusEmbedding(n_embeddings=3, random_state=0)
    >>> mce.fit_transform(load_digits().data[:200]).shape
    (200, 2)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        "n_embeddings": [Interval(Integral, 1, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "mds": [StrOptions({"classical", "smacof"})],
        "tolerance": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        embedder: BaseEstimator | None = None,
        *,
        n_embeddings: int = 10,
        n_components: int = 2,
        mds: str = "classical",
        tolerance: float = 1e-5,
        max_iter: int = 500,
        n_jobs: int = 1,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.embedder = embedder
        self.n_embeddings = n_embeddings
        self.n_components = n_components
        self.mds = mds
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: object = None) -> MedianConsensusEmbedding:
        """
        Run the base embedding and combine the runs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        MedianConsensusEmbedding
            The fitted estimator itself.
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: np.ndarray, y: object = None) -> np.ndarray:
        """
        Run the base embedding, combine the runs, and return the consensus picture.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components)

        Raises
        ------
        ValueError
            If X has fewer than two samples or holds NaN, or a base embedding is unusable.
        """
        self._validate_params()
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_embeddings)
        embedder = ExactTSNE() if self.embedder is None else self.embedder
        if hasattr(embedder, "fit_transform_runs"):
            self.embeddings_ = clone(embedder).fit_transform_runs(X, seeds, n_jobs=self.n_jobs)
        else:
            runs = [clone(embedder).set_params(random_state=int(s)).fit_transform(X) for s in seeds]
            self.embeddings_ = check_embeddings(runs)
        consensus = median_consensus(
            self.embeddings_,
            n_components=self.n_components,
            mds=self.mds,
            tolerance=self.tolerance,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
        )
        self.embedding_ = consensus.embedding
        self.distances_ = consensus.distances
        self.weights_ = consensus.median.weights
        self.n_iter_ = consensus.median.n_iter
        return self.embedding_


def _distances_to(gram: np.ndarray, diagonal: np.ndarray, weights: np.ndarray) -> np.ndarray:
    projections = gram @ weights
    return np.sqrt(np.maximum(weights @ projections - 2.0 * projections + diagonal, 0.0))


@njit(cache=True, nogil=True, inline="always")
def _first_pair(n: int, position: int) -> tuple[int, int]:
    """Row and column of a position in the condensed order of n points."""
    i = 0
    while position >= n - 1 - i:
        position -= n - 1 - i
        i += 1
    return i, i + 1 + position


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
    """Distances of point i to the points j, j + 1, ... as many as `result` holds; points by column."""
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
