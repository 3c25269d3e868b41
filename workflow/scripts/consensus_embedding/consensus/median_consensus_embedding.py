"""
Median consensus embedding: the geometric median of several embeddings of the same points.

Tomo and Yoneoka 2025, Algorithm 1. An embedding y is represented by the matrix X(y) of distances between its
points, two embeddings are compared by the Frobenius norm of the difference, and the consensus minimises the
mean distance to the inputs. That minimiser lies in the span of the inputs, so the whole iteration needs only
their m x m Gram matrix: one pass over the pairs of points, then O(m^2) a step instead of O(m n^2), and no
distance matrix is kept.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from consensus_embedding.consensus.runs import run_embeddings
from consensus_embedding.manifold.columns import EmbeddingColumnsMixin
from consensus_embedding.manifold.distance_matrices import (
    check_embeddings,
    combined_distances,
    distance_gram,
    normalize_embeddings,
)
from consensus_embedding.manifold.scaling import embed_distances
from consensus_embedding.manifold.tsne import ExactTSNE
from consensus_embedding.utils.numbers import real_numbers
from consensus_embedding.utils.parameters import COUNT, POSITIVE, RANDOM_STATE, Allowed, check_parameters

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
    gram = np.ascontiguousarray(real_numbers(gram, "The Gram matrix"))
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1] or gram.shape[0] < 1:
        raise ValueError(f"The Gram matrix must be square with m >= 1 rows, found shape {gram.shape}.")
    if not np.isfinite(gram).all():
        raise ValueError("The Gram matrix holds NaN or infinity.")
    m = len(gram)
    weights = np.full(m, 1.0 / m) if start is None else np.array(start, dtype=np.float64)
    hit_distance = _HIT * np.sqrt(max(np.diag(gram).max(), 0.0))
    return GeometricMedian(*_weiszfeld(gram, weights, hit_distance, float(tolerance), int(max_iter)))


def median_consensus(
    embeddings: Sequence[np.ndarray] | np.ndarray,
    *,
    n_components: int = 2,
    mds: str = "smacof",
    normalize: str = "none",
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
    mds : {"smacof", "classical"}
        How the consensus distances become a picture. SMACOF, as in the authors' code, keeps them better; classical
        scaling is faster.
    normalize : {"none", "unit_norm"}
        Whether each embedding is centred and scaled to Frobenius norm 1 first, so that embeddings of different scale
        count alike. The consensus then has that scale.
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
        As `check_embeddings` and `normalize_embeddings`.

    Examples
    --------
    >>> import numpy as np
    >>> from consensus_embedding import median_consensus
    >>> square = np.array([[0.0, 0], [0, 1], [1, 1], [1, 0]])
    >>> median_consensus([square, square[:, ::-1] + 3]).distances.round(2)
    array([1.  , 1.41, 1.  , 1.  , 1.41, 1.  ])
    """
    stack = normalize_embeddings(check_embeddings(embeddings), normalize)
    options = {"tolerance": tolerance, "max_iter": max_iter}
    gram = distance_gram(stack, n_jobs=n_jobs)
    median = geometric_median(gram, **options)
    if stack.dtype == np.float32 and median.distances.min() < _NEAR * np.sqrt(np.diag(gram).max()):
        # So near an input the distance to it is a small difference of large numbers.
        median = geometric_median(distance_gram(stack.astype(np.float64), n_jobs=n_jobs), **options)
    distances = combined_distances(stack, median.weights, n_jobs=n_jobs)
    return MedianConsensus(distances, embed_distances(squareform(distances), n_components, mds), median)


class MedianConsensusEmbedding(EmbeddingColumnsMixin, BaseEstimator):
    """
    Stable embedding: the geometric median of several runs of a random embedding.

    Parameters
    ----------
    embedder : estimator with `fit_transform` and `random_state`, default=None
        The base embedding; `ExactTSNE` with its defaults if None. Any scikit-learn style embedding with a random start
        will do.
    n_embeddings : int, default=10
        Runs to combine (m in the paper).
    n_components : int, default=2
        Dimensions of the consensus picture.
    mds : {"smacof", "classical"}, default="smacof"
        How the consensus distances become a picture; classical scaling is faster and keeps them less well.
    normalize : {"none", "unit_norm"}, default="none"
        Whether each embedding is centred and scaled to Frobenius norm 1 first, so that embeddings of different scale
        count alike. The consensus then has that scale.
    tolerance : float, default=1e-5
    max_iter : int, default=500
    n_jobs : int, default=1
        Runs at a time: threads for `ExactTSNE` and `BarnesHutTSNE`, processes for other base embeddings. The result
        does not depend on it.
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

    _allowed: ClassVar[Allowed] = {
        "n_embeddings": [COUNT],
        "n_components": [COUNT],
        "mds": [{"classical", "smacof"}],
        "normalize": [{"none", "unit_norm"}],
        "tolerance": [POSITIVE],
        "max_iter": [COUNT],
        "n_jobs": [COUNT],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        embedder: BaseEstimator | None = None,
        *,
        n_embeddings: int = 10,
        n_components: int = 2,
        mds: str = "smacof",
        normalize: str = "none",
        tolerance: float = 1e-5,
        max_iter: int = 500,
        n_jobs: int = 1,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.embedder = embedder
        self.n_embeddings = n_embeddings
        self.n_components = n_components
        self.mds = mds
        self.normalize = normalize
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
            If X has fewer than two samples or holds NaN, the base embedding has no `random_state`, or a run of it is
            unusable.

        Warns
        -----
        ConvergenceWarning
            If `max_iter` steps did not reach the tolerance.
        """
        check_parameters(self, self._allowed)
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_embeddings)
        embedder = ExactTSNE() if self.embedder is None else self.embedder
        self.embeddings_ = run_embeddings(embedder, X, seeds, n_jobs=self.n_jobs)
        consensus = median_consensus(
            self.embeddings_,
            n_components=self.n_components,
            mds=self.mds,
            normalize=self.normalize,
            tolerance=self.tolerance,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
        )
        self.embedding_ = consensus.embedding
        self.distances_ = consensus.distances
        self.weights_ = consensus.median.weights
        self.n_iter_ = consensus.median.n_iter
        if not consensus.median.converged:
            warnings.warn(
                f"The geometric median did not converge in max_iter = {self.max_iter} steps to the tolerance "
                f"{self.tolerance:g}; raise max_iter, or the tolerance, which is in the unit of the distances.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self.embedding_


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _product(gram: np.ndarray, weights: np.ndarray, into: np.ndarray) -> float:
    """Gram matrix times weights; returns the squared norm of the combination, at least 0."""
    square = 0.0
    for i in range(len(gram)):
        row, total = gram[i], 0.0
        for j in range(len(gram)):
            total += row[j] * weights[j]
        into[i] = total
        square += weights[i] * total
    return max(square, 0.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _measure(gram: np.ndarray, weights: np.ndarray, products: np.ndarray, distances: np.ndarray) -> None:
    """Fill in the distance of a combination to each input."""
    square = _product(gram, weights, products)
    for i in range(len(gram)):
        distances[i] = np.sqrt(max(square - 2.0 * products[i] + gram[i, i], 0.0))


@njit(cache=True, nogil=True, error_model="numpy")
def _weiszfeld(
    gram: np.ndarray, weights: np.ndarray, hit_distance: float, tolerance: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray, int, bool]:
    """Weights, distances, steps and convergence of `geometric_median`; the weights given are overwritten."""
    m = len(gram)
    products, distances, pulls, moved = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    for n_iter in range(1, max_iter + 1):
        _measure(gram, weights, products, distances)
        n_hit = 0
        for i in range(m):
            hit = distances[i] <= hit_distance
            n_hit += hit
            pulls[i] = 0.0 if hit else 1.0 / distances[i]
        if n_hit == m:
            return weights, distances, n_iter, True
        pull = pulls.sum()
        moved[:] = pulls / pull
        if n_hit > 0:
            # The inputs hit resist with a force of their number; the others pull with the norm of the sum of
            # their unit vectors.
            force = np.sqrt(_product(gram, pulls - pull * weights, products))
            stay = min(1.0, n_hit / force) if force > 0 else 1.0
            if stay >= 1.0:
                # Put all weight on the inputs hit, so that the answer is that input and not a neighbour of it.
                for i in range(m):
                    weights[i] = 1.0 / n_hit if distances[i] <= hit_distance else 0.0
                _measure(gram, weights, products, distances)
                return weights, distances, n_iter, True
            moved[:] = (1.0 - stay) * moved + stay * weights
        step = np.sqrt(_product(gram, moved - weights, products))
        weights[:] = moved
        if step <= tolerance:
            _measure(gram, weights, products, distances)
            return weights, distances, n_iter, True
    _measure(gram, weights, products, distances)
    return weights, distances, max_iter, False
