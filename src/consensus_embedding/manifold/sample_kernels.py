"""
Kernels between samples whose kernel PCA is PCA, Isomap, Laplacian eigenmaps or LLE (Ginsburg et al. 2016).

Distances and the order of neighbours are computed once for all numbers of neighbours (`Samples`), geodesic distances
once for each, so that many parameters can be tried on the same samples.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numba import njit
from scipy.sparse import csr_array, eye_array
from scipy.sparse.csgraph import connected_components, dijkstra, floyd_warshall, minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from consensus_embedding.manifold.dissimilarity_graph import median_scale
from consensus_embedding.manifold.lle import smallest_eigenpairs
from consensus_embedding.manifold.spectral import DENSE_SIZE, canonical_basis, canonical_signs, largest_eigenpairs
from consensus_embedding.utils.numbers import unusual_exponents
from consensus_embedding.utils.threads import one_blas_thread

REDUCTIONS = ("pca", "isomap", "le", "lle")
ISOMAP_KERNELS = ("squared", "plain")
# Blocks of this size of a Laplacian are inverted row by row.
_BLOCK = 128
# Squared distances that are all below this lose digits.
_LEAST_SQUARE = 1e-280
_COMPILED = {"cache": True, "nogil": True, "error_model": "numpy"}
_Found = TypeVar("_Found")


class DisconnectedGraph(ValueError):
    """The neighbourhood graph is in pieces, or its weights are too small to connect it."""


class Samples:
    """
    Samples X, (n, m), finite, 3 or more, their mean, (m,), their squared distances, (n, n), and neighbours in order.

    The squared Euclidean distances are summed feature by feature: exactly 0 between samples that coincide. A ValueError
    if they overflow or vanish, or all samples coincide. With `keep`, geodesic distances, decompositions and residual
    variances are kept for later calls that ask for the same again: the memory of some hundred matrices (n, n).
    """

    def __init__(self, X: np.ndarray, *, keep: bool = False):
        # A copy: new samples are measured from these, whatever becomes of the caller's.
        self.X, self.mean = X.copy(), X.mean(axis=0)
        self._kept: dict | None = {} if keep else None
        self.squared = squareform(pdist(X, "sqeuclidean"))
        if not np.isfinite(self.squared).all():
            raise ValueError(
                f"Squared distances overflow: the largest value of the features is {np.abs(X).max():.3g}, expected at "
                "most about 1e150; divide the features by a constant."
            )
        if (X[0] == X).all():
            raise ValueError(
                f"All {len(X)} samples are equal in their {X.shape[1]} feature(s), so no embedding can separate them; "
                "expected features that vary."
            )
        if self.squared.max() < _LEAST_SQUARE:
            raise ValueError(
                f"Squared distances vanish: the features differ by up to {np.ptp(X, axis=0).max():.3g}, expected at "
                "least about 1e-140; multiply them by a constant."
            )

    def kept(self, key: Hashable, compute: Callable[[], _Found]) -> _Found:
        """What `compute` returns; if results are kept, the first result for this key. Do not change it."""
        if self._kept is None:
            return compute()
        if key not in self._kept:
            self._kept[key] = compute()
        return self._kept[key]

    @cached_property
    def neighbors(self) -> np.ndarray:
        """The other samples (n, n - 1), nearest first; of those at the same distance the earlier one first."""
        n = len(self.X)
        own_first = np.where(np.eye(n, dtype=bool), -1.0, self.squared)
        return np.argsort(own_first, axis=1, kind="stable")[:, 1:]

    @cached_property
    def smallest_connecting(self) -> int:
        """Smallest number of neighbours whose graph is in one piece; so are all larger ones."""
        n = len(self.X)
        ranks = np.zeros((n, n))
        np.put_along_axis(ranks, self.neighbors, np.arange(1.0, n), axis=1)
        return int(minimum_spanning_tree(np.minimum(ranks, ranks.T)).max())

    @cached_property
    def principal_components(self) -> Decomposition:
        """By singular values, which keep twice the digits of the eigenvalues of K."""
        centred = self.X - self.mean
        n, m = centred.shape
        small = centred if m <= n else np.linalg.qr(centred.T, mode="r").T  # type: ignore[attr-defined]  # an array, with this mode
        vectors, singular, _ = np.linalg.svd(small, full_matrices=False)
        rank = int((singular > max(n, m) * np.finfo(np.float64).eps * singular[0]).sum())
        vectors = canonical_signs(vectors[:, :rank])
        return Decomposition(centred @ centred.T, np.square(singular[:rank]), vectors, np.sqrt(self.squared))

    def edges(self, n_neighbors: int) -> np.ndarray:
        """Whether a pair (n, n) has one sample among the nearest of the other."""
        return self.kept(("edges", n_neighbors), lambda: self._edges(n_neighbors))

    def _edges(self, n_neighbors: int) -> np.ndarray:
        near = np.zeros(self.squared.shape, dtype=bool)
        np.put_along_axis(near, self.neighbors[:, :n_neighbors], True, axis=1)
        return near | near.T

    def check_connected(self, n_neighbors: int) -> None:
        """Refuse a graph in several pieces."""
        if n_neighbors >= self.smallest_connecting:
            return
        n_pieces, _ = connected_components(self.edges(n_neighbors), directed=False)
        raise DisconnectedGraph(
            f"With n_neighbors = {n_neighbors} the neighbourhood graph of {len(self.X)} samples is in {n_pieces} "
            f"unconnected pieces; the smallest n_neighbors that connects them is {self.smallest_connecting}: use it."
        )

    def geodesics(self, n_neighbors: int) -> np.ndarray:
        """Lengths (n, n) of the shortest paths in the neighbourhood graph, exactly symmetric."""
        return self.kept(("geodesics", n_neighbors), lambda: self._geodesics(n_neighbors))

    def _geodesics(self, n_neighbors: int) -> np.ndarray:
        # Of 32 bits: `dijkstra` of SciPy 1.13 takes no others.
        rows, columns = (index.astype(np.int32) for index in np.nonzero(self.edges(n_neighbors)))
        # A sparse matrix, in which an edge between samples that coincide has length 0 and is there all the same.
        lengths = csr_array((np.sqrt(self.squared[rows, columns]), (rows, columns)), shape=self.squared.shape)
        if len(self.X) <= DENSE_SIZE:
            return floyd_warshall(lengths, directed=False)
        # From each sample in turn, which adds up the lengths of a path in the other order on the way back.
        geodesics = dijkstra(lengths, directed=False)
        return np.minimum(geodesics, geodesics.T, out=geodesics)


@dataclass(frozen=True)
class Decomposition:
    """A centred kernel between n samples and its eigenvectors."""

    kernel: np.ndarray  # (n, n): K.
    values: np.ndarray  # (rank,): eigenvalues of K that are above rounding, falling.
    vectors: np.ndarray  # (n, rank): Z; orthonormal columns of mean zero, signs as in `canonical_signs`.
    distances: np.ndarray  # (n, n): the method's own estimate, Euclidean for "pca", geodesic for the others.
    sigma: float = np.nan  # Width of the weights of "le"; NaN for the others.

    def embedding(self, n_components: int | None = None, power: float = 0.5) -> np.ndarray:
        """Components Z Lambda^power of the kernel, the principal ones at 1/2; all of them unless a number is given."""
        return self.vectors[:, :n_components] * self.values[:n_components] ** power

    def kernel_distances(self) -> np.ndarray:
        """Distances (n, n) in the space of the kernel, sqrt(k_ii + k_jj - 2 k_ij)."""
        squares = np.diag(self.kernel)
        return np.sqrt(np.maximum(squares[:, None] + squares - 2.0 * self.kernel, 0.0))


def decompose(
    samples: Samples,
    reduction: str,
    *,
    n_neighbors: int,
    alpha: float = 1.0,
    regularization: float = 1e-3,
    isomap_kernel: str = "squared",
    geodesics: np.ndarray | None = None,
    n_pairs: int | None = None,
) -> Decomposition:
    """
    Kernel of a reduction, its eigenvalues and eigenvectors; see `KernelEmbedding` for kernels and parameters.

    `geodesics` is ``samples.geodesics(n_neighbors)``, if at hand. Above 500 samples it stops at `n_pairs` eigenvalues,
    which Lanczos finds; not for "pca", which has them all at once. A DisconnectedGraph error if the graph is in pieces,
    or the weights of "le" vanish.
    """
    if reduction == "pca":
        with one_blas_thread():
            return samples.principal_components
    own: Any = {"isomap": isomap_kernel, "le": alpha, "lle": regularization}[reduction]
    n_pairs = n_pairs if _few(n_pairs, len(samples.X)) else None

    def compute() -> Decomposition:
        """The decomposition, where it is not kept yet."""
        with one_blas_thread():
            samples.check_connected(n_neighbors)
            lengths = samples.geodesics(n_neighbors) if geodesics is None else geodesics
            return _decompose(samples, reduction, n_neighbors, own, lengths, n_pairs)

    return samples.kept((reduction, n_neighbors, own, n_pairs), compute)


def _decompose(
    samples: Samples,
    reduction: str,
    n_neighbors: int,
    own: Any,
    geodesics: np.ndarray,
    n_pairs: int | None,
) -> Decomposition:
    """As `decompose`, without "pca"; `own` is the parameter that only this reduction has."""
    if reduction == "isomap":
        kernel = _centred(isomap_similarity(geodesics, own))
        return _largest(kernel, geodesics, n_pairs)
    if reduction == "lle":
        return _locally_linear(samples, n_neighbors, own, geodesics, n_pairs)
    weights, sigma = _heat_weights(samples, n_neighbors, own)
    inverse, exists = grounded_inverse(weights)
    with np.errstate(over="ignore", invalid="ignore"):
        kernel = _centred(inverse)
    if not (exists and np.isfinite(kernel).all()):
        raise DisconnectedGraph(
            f"With n_neighbors = {n_neighbors} and alpha = {own:g} weights of the neighbourhood graph are 0 up "
            "to rounding, so it falls into pieces; raise alpha."
        )
    return _largest(kernel, geodesics, n_pairs, sigma)


def isomap_similarity(geodesics: np.ndarray, isomap_kernel: str) -> np.ndarray:
    """Isomap's kernel before it is centred: -1/2 D^2 ("squared") or -1/2 D ("plain")."""
    return -0.5 * (np.square(geodesics) if isomap_kernel == "squared" else geodesics)


def reconstruction_weights(squared: np.ndarray, between: np.ndarray, regularization: float) -> np.ndarray:
    """
    Weights (r, k) that write points as sums of their neighbours, from distances alone; rows sum to 1.

    Ginsburg et al. 2016, Eq. 11: the local covariance is C_ab = (d_a + d_b - D_ab) / 2 with squared distances d to the
    neighbours, `squared` (r, k), and D between these, `between` (r, k, k); `regularization` times its trace is added to
    its diagonal, as scikit-learn does.
    """
    covariance = 0.5 * (squared[:, :, None] + squared[:, None, :] - between)
    # Weights know no unit; a ridge of a very small trace would vanish.
    unusual = unusual_exponents(np.trace(covariance, axis1=1, axis2=2), 1e-200, 1e200)
    if unusual.any():
        covariance = np.ldexp(covariance, -unusual[:, None, None])
    trace = np.trace(covariance, axis1=1, axis2=2)
    ridge = regularization * np.where(trace > 0, trace, 1.0)
    covariance += ridge[:, None, None] * np.eye(squared.shape[1])
    weights = np.linalg.solve(covariance, np.ones((*squared.shape, 1)))[:, :, 0]
    return weights / weights.sum(axis=1, keepdims=True)


def _locally_linear(
    samples: Samples, n_neighbors: int, regularization: float, geodesics: np.ndarray, n_pairs: int | None
) -> Decomposition:
    """Of lambda_max I - M without the constant vector, M = (I - W)'(I - W)."""
    n = len(samples.X)
    near = samples.neighbors[:, :n_neighbors]
    squared = np.take_along_axis(samples.squared, near, axis=1)
    between = samples.squared[near[:, :, None], near[:, None, :]]
    weights = reconstruction_weights(squared, between, regularization)
    if _few(n_pairs, n):
        starts = np.arange(0, weights.size + 1, n_neighbors)
        residual = eye_array(n, format="csr") - csr_array((weights.ravel(), near.ravel(), starts), shape=(n, n))
        cost = (residual.T @ residual).toarray()
    else:
        residual = np.eye(n)
        residual[np.arange(n)[:, None], near] -= weights
        cost = residual.T @ residual
    # The constant vector costs nothing; moved above all others it comes last.
    above = 1.0 + np.abs(cost).sum(axis=1).max()
    if _few(n_pairs, n):
        highest = largest_eigenpairs(cost, 1)[0][0]
        costs, vectors = smallest_eigenpairs(cost + above / n, n_pairs)
    else:
        costs, vectors = np.linalg.eigh(cost + above / n)
        highest, costs, vectors = costs[-2], costs[:-1], vectors[:, :-1]
    kernel = highest * (np.eye(n) - 1.0 / n) - cost
    return Decomposition(kernel, *_positive(highest - costs, vectors, highest), geodesics)


def _largest(kernel: np.ndarray, distances: np.ndarray, n_pairs: int | None, sigma: float = np.nan) -> Decomposition:
    if _few(n_pairs, len(kernel)):
        values, vectors = largest_eigenpairs(kernel, n_pairs)
    else:
        values, vectors = np.linalg.eigh(kernel)
        values, vectors = values[::-1], vectors[:, ::-1]
    return Decomposition(kernel, *_positive(values, vectors, np.abs(values).max()), distances, sigma)


def _few(n_pairs: int | None, n: int) -> TypeGuard[int]:
    """Whether Lanczos is faster than all eigenvalues."""
    return n_pairs is not None and n > DENSE_SIZE and n_pairs < n // 10


def _positive(values: np.ndarray, vectors: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """
    Eigenvalues above rounding, some 1e-16 of the size of the matrix, and their eigenvectors; values falling.

    Values closer than that are equal, as some of LLE are where samples that are nobody's neighbour share their own.
    """
    rounding = len(vectors) * np.finfo(np.float64).eps * size
    rank = int((values > rounding).sum())
    return values[:rank], canonical_signs(canonical_basis(values, vectors, rounding)[:, :rank])


def _centred(similarity: np.ndarray) -> np.ndarray:
    means = similarity.mean(axis=0)
    return similarity - means - means[:, None] + means.mean()


def _heat_weights(samples: Samples, n_neighbors: int, alpha: float) -> tuple[np.ndarray, float]:
    """Weights exp(-d^2 / (2 sigma^2)) of the edges and sigma, alpha times their median length."""
    edges = samples.edges(n_neighbors)
    lengths = np.sqrt(samples.squared)
    sigma = median_scale(lengths[np.triu(edges)], alpha)
    with np.errstate(over="ignore", under="ignore"):
        return np.where(edges, np.exp(-0.5 * np.square(lengths / sigma)), 0.0), sigma


def grounded_inverse(weights: np.ndarray) -> tuple[np.ndarray, bool]:
    """
    Inverse (n, n) of the Laplacian D - W less the first sample's row and column (zeros there); whether it exists.

    W is symmetric, not negative, 0 on the diagonal. Nothing is subtracted (Grassmann, Taksar and Heyman 1985), so that
    each entry keeps its digits where weights differ by more than 16 orders of magnitude, as exp(-d^2) does. Centred it
    is the pseudo-inverse of the Laplacian. Above 500 samples by blocks, whose products are all of numbers of one sign.
    """
    if len(weights) <= DENSE_SIZE:
        return _grounded_inverse(weights)
    result = np.zeros_like(weights)
    with np.errstate(over="ignore", invalid="ignore"):
        exists = _invert_blocks(weights[1:, 1:], weights[0, 1:], result[1:, 1:])
    return result, exists


def _invert_blocks(weights: np.ndarray, ground: np.ndarray, result: np.ndarray) -> bool:
    """Inverse of diag(W 1 + g) - W into `result`, with g the weights of edges to a point at 0; whether it exists."""
    n = len(weights)
    if n <= _BLOCK:
        edged = np.zeros((n + 1, n + 1))
        edged[1:, 1:], edged[0, 1:], edged[1:, 0] = weights, ground, ground
        inverse, exists = _grounded_inverse(edged)
        result[:] = inverse[1:, 1:]
        return exists
    first, last = slice(0, n // 2), slice(n // 2, n)
    across = weights[first, last]
    # The last half leaves: its edges become paths between the samples of the first half, and to the ground.
    if not _invert_blocks(weights[last, last], ground[last] + across.sum(axis=0), result[last, last]):
        return False
    paths = across @ result[last, last]
    shortcuts = paths @ across.T
    shortcuts += weights[first, first]
    np.fill_diagonal(shortcuts, 0.0)
    if not _invert_blocks(shortcuts, ground[first] + paths @ ground[last], result[first, first]):
        return False
    result[first, last] = result[first, first] @ paths
    result[last, first] = result[first, last].T
    result[last, last] += paths.T @ result[first, last]
    return True


@njit(**_COMPILED)
def _grounded_inverse(weights: np.ndarray) -> tuple[np.ndarray, bool]:
    """The same, sample by sample."""
    n = len(weights)
    left = weights.copy()
    sums = np.empty(n)
    result = np.eye(n)
    for k in range(n - 1, 0, -1):
        total = 0.0
        for j in range(k):
            total += left[k, j]
        if not total > 0:
            return result, False
        sums[k] = total
        for i in range(k):
            share = left[k, i] / total
            if share > 0:
                for j in range(k):
                    left[i, j] += share * left[k, j]
                if i > 0:
                    for j in range(k, n):
                        result[i, j] += share * result[k, j]
    result[0] = 0.0
    for k in range(1, n):
        for i in range(1, k):
            weight = left[k, i]
            if weight > 0:
                for j in range(n):
                    result[k, j] += weight * result[i, j]
        for j in range(n):
            result[k, j] /= sums[k]
    return result, True
