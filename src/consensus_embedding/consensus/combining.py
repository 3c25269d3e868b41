"""
Ways to combine embeddings of the same points, as estimators that take the embeddings and share one contract.

Each has ``fit(embeddings)``, with a sequence of m arrays of shape (n, p), and sets `embedding_`, of shape
(n, n_components), and `distances_`, condensed in SciPy's order. `check_consensus` tests the contract. None depends on
the order of the embeddings: they are sorted first, by how far their points are from their centre. None brings the
embeddings to one scale: see `normalize_embeddings`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from consensus_embedding.consensus.median_consensus_embedding import median_consensus
from consensus_embedding.consensus.pairwise import ESTIMATORS, pairwise_consensus
from consensus_embedding.consensus.stability import embedding_distances, picture_distances
from consensus_embedding.manifold.distance_matrices import check_size, validate_embeddings
from consensus_embedding.manifold.mds import embed_distances
from consensus_embedding.utils.parameters import COUNT, RANDOM_STATE, Allowed, check_parameters
from consensus_embedding.utils.threads import one_blas_thread

MDS = {"classical", "smacof"}


class BaseConsensus(BaseEstimator, ABC):
    """Base of the estimators that combine embeddings: checks, the order of the embeddings, one thread."""

    _allowed: ClassVar[Allowed] = {}
    # Attributes with an entry for each embedding, and along which axis.
    _of_embeddings: ClassVar[dict[str, int]] = {}

    def fit(self, embeddings: Sequence[ArrayLike] | np.ndarray, y: object = None) -> BaseConsensus:
        """
        Combine embeddings of the same points.

        Parameters
        ----------
        embeddings : sequence of m arrays of shape (n, p)
        y : ignored

        Returns
        -------
        BaseConsensus
            The fitted estimator itself.

        Raises
        ------
        ValueError
            If a parameter is not allowed, as `validate_embeddings`, or if squares of coordinates overflow or vanish.
        """
        check_parameters(self, self._allowed)
        stack = validate_embeddings(embeddings)
        check_size(stack)
        order = _own_order(stack)
        with one_blas_thread():
            self._combine(stack[order])
        for name, axis in self._of_embeddings.items():
            setattr(self, name, np.take(getattr(self, name), np.argsort(order), axis=axis))
        return self

    @abstractmethod
    def _combine(self, stack: np.ndarray) -> None:
        """Set the attributes from embeddings of shape (m, n, p)."""

    def _keep_distances(self, distances: np.ndarray) -> None:
        """Set condensed distances and their picture."""
        self.distances_ = distances
        self.embedding_ = embed_distances(squareform(distances), self.n_components, self.mds)

    def _keep_embedding(self, embedding: np.ndarray) -> None:
        """Set an embedding and its distances."""
        self.embedding_ = np.array(embedding, dtype=np.float64)
        self.distances_ = picture_distances(self.embedding_)


class GeometricMedianConsensus(BaseConsensus):
    """
    Geometric median of the distance matrices of the embeddings.

    Parameters
    ----------
    n_components : int
    mds : {"smacof", "classical"}

    Attributes
    ----------
    distances_ : ndarray of shape (n * (n - 1) / 2,)
    embedding_ : ndarray of shape (n, n_components)
        Of the distances by multidimensional scaling.

    References
    ----------
    Tomo and Yoneoka (2025), Median Consensus Embedding for Dimensionality Reduction, Eq. 5 and Algorithm 1.
    """

    _allowed: ClassVar[Allowed] = {"n_components": [COUNT], "mds": [MDS]}

    def __init__(self, n_components: int = 2, *, mds: str = "smacof") -> None:
        self.n_components = n_components
        self.mds = mds

    def _combine(self, stack: np.ndarray) -> None:
        consensus = median_consensus(stack, n_components=self.n_components, mds=self.mds, keep_distances=True)
        self.distances_, self.embedding_ = consensus.distances, consensus.embedding  # type: ignore[assignment]  # kept


class PairwiseConsensus(BaseConsensus):
    """
    One estimate of location for each pair of points, over its distances in the embeddings.

    Parameters
    ----------
    statistic : {"median", "mean", "mode", "mode_kernel_density", "mode_histogram"}
        Median: Viswanath and Madabhushi 2012, CalcConsEmbed. Mode: Tiwari, Rosen and Madabhushi 2008 (C-LLE).
    n_components : int
    mds : {"smacof", "classical"}

    Attributes
    ----------
    distances_ : ndarray of shape (n * (n - 1) / 2,)
    embedding_ : ndarray of shape (n, n_components)
        Of the distances by multidimensional scaling.
    """

    _allowed: ClassVar[Allowed] = {"statistic": [set(ESTIMATORS)], "n_components": [COUNT], "mds": [MDS]}

    def __init__(self, statistic: str = "median", n_components: int = 2, *, mds: str = "smacof") -> None:
        self.statistic = statistic
        self.n_components = n_components
        self.mds = mds

    def _combine(self, stack: np.ndarray) -> None:
        self._keep_distances(pairwise_consensus(stack, self.statistic))


class MedoidRun(BaseConsensus):
    """
    The embedding whose distance matrix has the smallest sum of distances to those of the others.

    A choice of one embedding by a criterion that needs neither data nor labels nor the loss.

    Attributes
    ----------
    distances_ : ndarray of shape (n * (n - 1) / 2,)
    embedding_ : ndarray of shape (n, p)
    """

    def _combine(self, stack: np.ndarray) -> None:
        self._keep_embedding(stack[medoid(stack)])


class RandomRun(BaseConsensus):
    """
    One of the embeddings, chosen at random: what a single run gives.

    Parameters
    ----------
    random_state : int, RandomState or None

    Attributes
    ----------
    distances_ : ndarray of shape (n * (n - 1) / 2,)
    embedding_ : ndarray of shape (n, p)
    """

    _allowed: ClassVar[Allowed] = {"random_state": RANDOM_STATE}

    def __init__(self, random_state: int | np.random.RandomState | None = None) -> None:
        self.random_state = random_state

    def _combine(self, stack: np.ndarray) -> None:
        self._keep_embedding(stack[check_random_state(self.random_state).randint(len(stack))])


class RandomEmbedding(BaseConsensus):
    """
    Normally distributed points that do not depend on the embeddings: a control.

    Parameters
    ----------
    n_components : int
    random_state : int, RandomState or None

    Attributes
    ----------
    distances_ : ndarray of shape (n * (n - 1) / 2,)
    embedding_ : ndarray of shape (n, n_components)
    """

    _allowed: ClassVar[Allowed] = {"n_components": [COUNT], "random_state": RANDOM_STATE}

    def __init__(self, n_components: int = 2, *, random_state: int | np.random.RandomState | None = None) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def _combine(self, stack: np.ndarray) -> None:
        shape = (stack.shape[1], self.n_components)
        self._keep_embedding(check_random_state(self.random_state).normal(size=shape))


def medoid(embeddings: np.ndarray) -> int:
    """
    Index of the embedding, of (m, n, p), nearest to all others, by the Frobenius norm between distance matrices.

    Of equally near ones, as are any two, the one with the points nearest to its centre.
    """
    sums = embedding_distances(embeddings).sum(axis=1)
    nearest = np.flatnonzero(sums <= sums.min() * (1 + 1e-12))
    return int(min(nearest, key=lambda k: np.sort(_spreads(embeddings[k : k + 1])[0]).tolist()))


def _spreads(stack: np.ndarray) -> np.ndarray:
    """Distance of each point to the centre of its embedding, of shape (m, n)."""
    centred = stack.astype(np.float64) - stack.mean(axis=1, keepdims=True, dtype=np.float64)
    return np.linalg.norm(centred, axis=2)


def _own_order(stack: np.ndarray) -> list[int]:
    """An order of the embeddings that no rotation, reflection or shift of one changes."""
    spread = _spreads(stack).tolist()
    return sorted(range(len(stack)), key=spread.__getitem__)
