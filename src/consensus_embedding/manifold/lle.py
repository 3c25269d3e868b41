"""
Locally linear embedding over many neighbourhood sizes at once (Roweis and Saul 2000; Saul and Roweis 2003).

Each object is written as a weighted sum of its kappa nearest neighbours, and the embedding is what the same weights
write best: the lowest eigenvectors of M = (I - W)'(I - W). Distances, neighbours and inner products of the neighbours
do not depend on kappa beyond how many of them are used, so they are computed once for all kappas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import lapack
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.sparse.linalg import ArpackError
from scipy.spatial.distance import cdist

from consensus_embedding.manifold.graphs import check_table, rescaled
from consensus_embedding.manifold.lle_kernels import add_cost, fill_weights, nearest
from consensus_embedding.manifold.spectral import canonical_signs, dense_eigenpairs, lanczos_eigenpairs
from consensus_embedding.utils.threads import one_blas_thread

# Up to this size the dense solver costs no more than Lanczos and has nothing that can fail to converge.
_DENSE_SIZE = 1000
# A dense matrix of this many rows takes 0.8 GB.
_MAX_OBJECTS = 10_000
# Eigenvalues of M closer than this share of their mean are equal to what rounding leaves of them.
_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class LLEEmbeddings:
    """
    Locally linear embeddings of the same n objects, one for each number of neighbours.

    Attributes
    ----------
    kappas : tuple of int
        The K numbers of neighbours that were used, in the order asked for.
    embeddings : ndarray of shape (K, n, n_components)
        Orthonormal, centred columns, by rising eigenvalue. The first m are the embedding in m dimensions.
    eigenvalues : ndarray of shape (K, n_components)
        Of M, rising; the cost of each column.
    skipped : dict of int to str
        Numbers of neighbours left out, and why.
    closed_groups : dict of int to int
        Groups of objects whose neighbours are all in the group and which contain no smaller such group, for each number
        of neighbours asked for. M has one eigenvalue of zero for each.
    """

    kappas: tuple[int, ...]
    embeddings: np.ndarray
    eigenvalues: np.ndarray
    skipped: dict[int, str]
    closed_groups: dict[int, int]


def locally_linear_embedding(
    X: ArrayLike, n_neighbors: int, n_components: int = 2, *, regularization: float = 1e-3
) -> np.ndarray:
    """
    Locally linear embedding with one number of neighbours; see `lle_embeddings`.

    Parameters
    ----------
    X : array-like of shape (n, p)
    n_neighbors : int
        kappa.
    n_components, regularization
        As for `lle_embeddings`.

    Returns
    -------
    ndarray of shape (n, n_components)

    Raises
    ------
    ValueError
        As `lle_embeddings`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensus_embedding import locally_linear_embedding
    >>> locally_linear_embedding(load_iris().data[50:], 12, 2).shape
    (100, 2)
    """
    return lle_embeddings(X, (n_neighbors,), n_components, regularization=regularization).embeddings[0]


def lle_embeddings(
    X: ArrayLike,
    kappas: Sequence[int] | np.ndarray,
    n_components: int = 2,
    *,
    regularization: float = 1e-3,
    on_disconnected: str = "error",
) -> LLEEmbeddings:
    """
    Locally linear embeddings of the same objects over several numbers of neighbours.

    The weights of an object minimise ||x - sum_j w_j x_j||^2 with sum_j w_j = 1 over its kappa nearest neighbours,
    with `regularization` times the trace of their Gram matrix added to its diagonal (Saul and Roweis 2003, Sec. 5.1;
    the convention of scikit-learn). The embedding minimises the same cost with the weights kept.

    Parameters
    ----------
    X : array-like of shape (n, p)
        At least 3 and at most 10000 objects.
    kappas : sequence of int
        Numbers of neighbours, each from 1 to n - 1, without repeats. Of neighbours at the same distance those
        earlier in X count as nearer.
    n_components : int
        From 1 to n - 1.
    regularization : float
        Above 0.
    on_disconnected : {"error", "skip"}
        What becomes of a kappa whose neighbourhood graph is in several pieces or does not determine the embedding.

    Returns
    -------
    LLEEmbeddings

    Raises
    ------
    ValueError
        If X is not a finite table of enough objects or a parameter is out of range; if the graph of a kappa is in
        pieces or does not determine the embedding, with "error", or those of all kappas, with "skip"; if the
        regularisation is too small for the weights to be computed.

    Notes
    -----
    The constant vector has cost zero and says nothing; it is projected out. A closed group of objects (all neighbours
    inside the group) adds another vector of cost zero, which is constant on the group: with g closed groups, g - 1
    columns of cost zero come first, and fewer columns than that are an arbitrary choice among them. So the embedding
    is determined only if g - 1 <= n_components. All vectors of cost zero are computed from the groups themselves and
    taken out of M before the other ones are sought, so that none can mix with them. Likewise the embedding is not
    determined where the last column kept and the first one left out have equal eigenvalues.

    Eigenvectors come from the dense solver up to 1000 objects, from Lanczos on the inverse of M above.
    """
    X = check_table(X)
    kappas = _checked_kappas(kappas, len(X))
    _check_parameters(len(X), n_components, regularization, on_disconnected)
    if (X[0] == X).all():
        raise ValueError(f"All {len(X)} objects are equal; an embedding needs objects that differ.")
    points = rescaled(X)
    with one_blas_thread():
        neighbors = nearest(np.ascontiguousarray(points.T), max(kappas))
        graphs = {kappa: _Graph(neighbors[:, :kappa]) for kappa in kappas}
        reasons = {kappa: graph.fault(n_components) for kappa, graph in graphs.items()}
        if on_disconnected == "error":
            _refuse_first(reasons, graphs, points)
        usable = [kappa for kappa in kappas if reasons[kappa] is None]
        weights = _reconstruction_weights(points, neighbors, np.array(usable, dtype=np.int64), float(regularization))
        eigenpairs = {}
        for kappa, table in zip(usable, weights, strict=True):
            values, vectors, reasons[kappa] = _lowest(graphs[kappa], table[:, :kappa], n_components)
            eigenpairs[kappa] = values, vectors
    if on_disconnected == "error":
        _refuse_first(reasons, graphs, points)
    used = tuple(kappa for kappa in kappas if reasons[kappa] is None)
    if not used:
        last = max(kappas)
        raise ValueError(
            f"None of the numbers of neighbours {', '.join(map(str, kappas))} determines an embedding. {reasons[last]} "
            f"{_remedy(graphs[last], points)}."
        )
    return LLEEmbeddings(
        used,
        np.array([eigenpairs[kappa][1] for kappa in used]),
        np.array([eigenpairs[kappa][0] for kappa in used]),
        {kappa: reason for kappa, reason in reasons.items() if reason is not None},
        {kappa: len(graph.closed) for kappa, graph in graphs.items()},
    )


class _Graph:
    """Directed graph from each object to its nearest neighbours, its pieces and its closed groups."""

    def __init__(self, neighbors: np.ndarray):
        self.neighbors = neighbors
        n, self.kappa = neighbors.shape
        starts = np.arange(0, n * self.kappa + 1, self.kappa)
        links = csr_array((np.ones(neighbors.size, dtype=np.int8), neighbors.ravel(), starts), shape=(n, n))
        _, self.piece = connected_components(links, connection="weak")
        self.piece_sizes = sorted(np.bincount(self.piece), reverse=True)
        n_groups, group = connected_components(links, connection="strong")
        left = np.unique(group[(group[:, None] != group[neighbors]).any(axis=1)])
        self.closed = [np.flatnonzero(group == k) for k in np.setdiff1d(np.arange(n_groups), left)]

    def fault(self, n_components: int) -> str | None:
        """Why the graph does not determine an embedding of so many components, if so."""
        if len(self.piece_sizes) > 1:
            sizes = ", ".join(map(str, self.piece_sizes[:6])) + (", ..." if len(self.piece_sizes) > 6 else "")
            return (
                f"With {self.kappa} neighbours the graph is in {len(self.piece_sizes)} unconnected pieces of {sizes} "
                "objects, which an embedding cannot place relative to each other."
            )
        if len(self.closed) - 1 > n_components:
            return (
                f"With {self.kappa} neighbours the graph has {len(self.closed)} closed groups of objects, whose "
                f"neighbours are all in the same group. {n_components} components are then not unique."
            )
        return None


def _checked_kappas(kappas: Sequence[int] | np.ndarray, n: int) -> tuple[int, ...]:
    kappas = tuple(kappas) if np.iterable(kappas) else ()
    if not kappas:
        raise ValueError("Expected a list of at least one number of neighbours, found none.")
    for kappa in kappas:
        if not isinstance(kappa, Integral) or isinstance(kappa, bool) or not 1 <= kappa <= n - 1:
            raise ValueError(
                f"A number of neighbours must be an integer between 1 and {n - 1}, one less than the {n} objects, "
                f"found {kappa!r}; lower it or use more objects."
            )
    if len(set(kappas)) < len(kappas):
        raise ValueError(f"The numbers of neighbours must differ from each other, found {list(map(int, kappas))}.")
    return tuple(int(kappa) for kappa in kappas)


def _check_parameters(n: int, n_components: int, regularization: float, on_disconnected: str) -> None:
    if n > _MAX_OBJECTS:
        raise ValueError(f"Locally linear embedding takes at most {_MAX_OBJECTS} objects, found {n}; use fewer.")
    if not isinstance(n_components, Integral) or not 1 <= n_components <= n - 1:
        raise ValueError(
            f"n_components must be an integer between 1 and {n - 1}, one less than the {n} objects, "
            f"found {n_components!r}."
        )
    if not isinstance(regularization, Real) or not 0 < regularization < np.inf:
        raise ValueError(f"regularization must be a positive, finite number, found {regularization!r}.")
    if not isinstance(on_disconnected, str) or on_disconnected not in ("error", "skip"):
        raise ValueError(f'on_disconnected must be "error" or "skip", found {on_disconnected!r}.')


def _refuse_first(reasons: dict[int, str | None], graphs: dict[int, _Graph], points: np.ndarray) -> None:
    """Raise an error about the first kappa that has a fault, if one has."""
    for kappa, reason in reasons.items():
        if reason is not None:
            skip = ', or pass on_disconnected="skip" to leave such numbers out' if len(graphs) > 1 else ""
            raise ValueError(f"{reason} {_remedy(graphs[kappa], points)}{skip}.")


def _remedy(graph: _Graph, points: np.ndarray) -> str:
    if len(graph.piece_sizes) == 1:
        return "Use other numbers of neighbours or more components"
    smallest = _connecting_kappa(points, graph.piece)
    return f"The smallest number of neighbours that connects them is {smallest}; use it"


def _connecting_kappa(points: np.ndarray, piece: np.ndarray) -> int:
    """
    Smallest number of neighbours with which the graph is in one piece, from the pieces at a smaller one.

    Two pieces meet as soon as a neighbour of an object in the one is in the other; the largest such number in the
    spanning tree of the pieces that keeps them smallest connects all.
    """
    n, n_pieces = len(points), piece.max() + 1
    ranks = np.full((n_pieces, n_pieces), n)
    for i in range(n):
        squared = cdist(points[i : i + 1], points, "sqeuclidean")[0]
        squared[i] = -1.0
        # Its own place is 0, its nearest neighbour's 1, and so on; the first of each piece counts.
        others, first = np.unique(piece[np.argsort(squared, kind="stable")], return_index=True)
        ranks[piece[i], others] = np.minimum(ranks[piece[i], others], first)
    return int(minimum_spanning_tree(np.minimum(ranks, ranks.T)).max())


def _reconstruction_weights(
    points: np.ndarray, neighbors: np.ndarray, kappas: np.ndarray, regularization: float
) -> np.ndarray:
    """Weights (K, n, largest kappa) of the neighbours of each object, zero beyond the first kappa."""
    weights = np.zeros((len(kappas), *neighbors.shape))
    if not fill_weights(points, neighbors, kappas, regularization, weights):
        raise ValueError(
            f"regularization = {regularization:g} is too small to compute the weights of neighbours that depend on "
            "each other linearly; raise it (the usual value is 1e-3)."
        )
    return weights


def _lowest(graph: _Graph, weights: np.ndarray, n_components: int) -> tuple[np.ndarray, np.ndarray, str | None]:
    """Lowest eigenvalues of M and their vectors except the constant one, and why they are not determined, if so."""
    n, free = len(weights), _costless(graph, weights)
    n_free = free.shape[1]
    # Moved above all eigenvalues of M, where they cannot mix with the vectors sought.
    lifted = np.sqrt(_norm_bound(graph.neighbors, weights)) * free
    cost = lifted @ lifted.T
    add_cost(cost, graph.neighbors, weights)
    # One more than asked for shows whether equal eigenvalues would be torn apart.
    values, vectors = smallest_eigenpairs(cost, min(n_components - (n_free - 1) + 1, n - n_free))
    values = np.concatenate([np.zeros(n_free - 1), values])
    vectors = np.hstack([free[:, 1:], vectors])[:, :n_components]
    # The mean eigenvalue of M.
    scale = 1.0 + float(np.square(weights).sum()) / n
    reason = None
    if (np.diff(values)[n_components - 1 :] <= _EQUAL * scale).any():
        reason = (
            f"With {graph.kappa} neighbours the eigenvalues {n_components} and {n_components + 1} are equal, so "
            f"{n_components} components are not determined."
        )
    return values[:n_components], canonical_signs(vectors - vectors.mean(axis=0)), reason


def _costless(graph: _Graph, weights: np.ndarray) -> np.ndarray:
    """
    Orthonormal basis (n, closed groups) of the vectors y = W y, the constant one first.

    Such a vector is constant on each closed group; the objects outside of all groups follow from their neighbours.
    """
    n = len(weights)
    groups = np.zeros((n, len(graph.closed)))
    for k, members in enumerate(graph.closed):
        groups[members, k] = 1.0
    outside = np.flatnonzero(groups.sum(axis=1) == 0)
    if len(graph.closed) > 1 and len(outside):
        starts = np.arange(0, weights.size + 1, graph.kappa)
        rows = csr_array((weights.ravel(), graph.neighbors.ravel(), starts), shape=(n, n))[outside]
        groups[outside] = np.linalg.solve(np.eye(len(outside)) - rows[:, outside].toarray(), rows @ groups)
    return np.linalg.qr(np.hstack([np.full((n, 1), n**-0.5), groups[:, 1:]]))[0]


def _norm_bound(neighbors: np.ndarray, weights: np.ndarray) -> float:
    """Upper bound of the eigenvalues of M: the largest row sum of magnitudes in I - W times the largest column sum."""
    sizes = np.abs(weights)
    columns = np.bincount(neighbors.ravel(), sizes.ravel(), minlength=len(weights))
    return float((1.0 + sizes.sum(axis=1).max()) * (1.0 + columns.max()))


def smallest_eigenpairs(matrix: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """
    Smallest eigenvalues (n_pairs,) of a positive definite matrix (n, n), rising, and their vectors (n, n_pairs).

    Dense up to 1000 rows, Lanczos on the inverse above.
    """
    n = len(matrix)
    if n > _DENSE_SIZE and n_pairs < n // 10:
        # The inverse has the same vectors, and the eigenvalues sought are its largest and lie far apart.
        factor, failed = lapack.dpotrf(matrix, lower=True)
        if not failed:
            try:
                _, vectors = lanczos_eigenpairs(
                    lambda v: lapack.dpotrs(factor, v, lower=True)[0], n, n_pairs, max_iter=100
                )
            except ArpackError:
                pass
            else:
                values, rotation = np.linalg.eigh(vectors.T @ (matrix @ vectors))
                return values, vectors @ rotation
    values, vectors = dense_eigenpairs(-matrix, n_pairs)
    return -values[::-1], vectors[:, ::-1]
