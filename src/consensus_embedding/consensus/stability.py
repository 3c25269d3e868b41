"""How far apart are embeddings of the same points, and how well do they keep neighbourhoods?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import pdist

from consensus_embedding.manifold.distance_matrices import (
    distance_gram,
    needs_double,
    of_usual_size,
    validate_embeddings,
)
from consensus_embedding.utils.numbers import as_array, real_numbers, with_squares
from consensus_embedding.utils.parameters import checked_arguments
from consensus_embedding.utils.rows import check_row_order

# Points whose neighbours are compared together.
_BLOCK = 256


@checked_arguments
def procrustes_align(embedding: np.ndarray, reference: np.ndarray, *, scaling: bool = False) -> np.ndarray:
    """
    Rotate, reflect and shift an embedding onto a reference in the least-squares sense.

    Parameters
    ----------
    embedding : ndarray of shape (n, p)
    reference : ndarray of shape (n, p)
        The same points in the same order.
    scaling : bool
        Whether to stretch or shrink the embedding as well. The distances between points then change.

    Returns
    -------
    ndarray of shape (n, p)

    Raises
    ------
    ValueError
        If the shapes differ, a table is empty, a value is NaN or infinite, or data frames have their rows in another
        order.
    """
    check_row_order(reference=reference, embedding=embedding)
    embedding, reference = real_numbers(embedding, "embedding"), real_numbers(reference, "reference")
    if embedding.ndim != 2 or embedding.shape != reference.shape or embedding.size == 0:
        raise ValueError(
            "Procrustes alignment needs two tables of the same shape (points, dimensions) that are not empty, "
            f"found {embedding.shape} and {reference.shape}."
        )
    if not (np.isfinite(embedding).all() and np.isfinite(reference).all()):
        raise ValueError("Procrustes alignment needs finite values, found NaN or infinity.")
    centre, target = embedding.mean(axis=0), reference.mean(axis=0)
    moved = embedding - centre
    source, goal = with_squares(np.stack([moved, reference - target]))
    left, singular, right = np.linalg.svd(source.T @ goal)
    spread = np.square(source).sum()
    scale = singular.sum() / spread if scaling and spread > 0 else 1.0
    return scale * moved @ (left @ right) + target


@checked_arguments
def embedding_distances(embeddings: Sequence[ArrayLike] | np.ndarray, *, n_jobs: int = 1) -> np.ndarray:
    """
    Distances between embeddings of the same points: Frobenius norms between their distance matrices.

    Invariant to rotation, reflection and shift of each embedding (Tomo and Yoneoka 2025, Section 4.2).

    Parameters
    ----------
    embeddings : sequence of m arrays of shape (n, p)
    n_jobs : int
        Threads; -1 for all cores. The result does not depend on it.

    Returns
    -------
    ndarray of shape (m, m)
        Of embeddings in single precision in that precision, but those that are near in double precision.

    Raises
    ------
    ValueError
        As `validate_embeddings`; if distances overflow.
    """
    stack, exponent = of_usual_size(validate_embeddings(embeddings))
    gram = distance_gram(stack, n_jobs=n_jobs)
    distances = _distances_of(gram)
    near = needs_double(distances, stack, gram) & ~np.eye(len(stack), dtype=bool)
    if near.any():
        distances[near] = _distances_of(distance_gram(stack.astype(np.float64), n_jobs=n_jobs))[near]
    return np.ldexp(distances, exponent)


def _distances_of(gram: np.ndarray) -> np.ndarray:
    squares = np.diag(gram)
    if not np.isfinite(squares).all():
        raise ValueError("Distances overflow: the embeddings are too large. Rescale them.")
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2.0 * gram, 0.0))
    np.fill_diagonal(distances, 0.0)
    return distances


def condensed_distance(first: np.ndarray, second: np.ndarray) -> float:
    """Frobenius norm between two distance matrices given in condensed form, (n * (n - 1) / 2,)."""
    return float(np.sqrt(2.0) * np.linalg.norm(first - second))


def nearest_neighbors(distances: np.ndarray, n_neighbors: int) -> np.ndarray:
    """
    Nearest neighbours of each point from a square distance matrix, (n, n_neighbors), unordered within a row.

    Of equally near ones those of the lower index. A ValueError unless 1 <= n_neighbors < n.
    """
    n = len(distances)
    if not 1 <= n_neighbors < n:
        raise ValueError(f"n_neighbors must be between 1 and {n - 1} for {n} points, found {n_neighbors}.")
    others = np.array(distances, dtype=np.float64)
    np.fill_diagonal(others, np.inf)
    near = np.argpartition(others, n_neighbors - 1, axis=1)[:, :n_neighbors]
    # Which of several at the distance of the last neighbour a partition takes is chance; few rows have such ties.
    reach = np.take_along_axis(others, near, axis=1).max(axis=1, keepdims=True)
    tied = np.flatnonzero((others <= reach).sum(axis=1) > n_neighbors)
    near[tied] = np.argsort(others[tied], axis=1, kind="stable")[:, :n_neighbors]
    return near


def neighborhood_preservation(first: np.ndarray, second: np.ndarray) -> float:
    """
    Average K-ary neighbourhood preservation: mean share of common neighbours.

    Parameters
    ----------
    first, second : ndarray of shape (n, K)
        Of `nearest_neighbors`, e.g. in the original space and in the embedding.

    Returns
    -------
    float
        In [0, 1]; K / (n - 1) for a random embedding (Lee and Verleysen 2009).

    Raises
    ------
    ValueError
        If the tables differ in shape, or a point is among its own neighbours.
    """
    first, second = as_array(first, "first"), as_array(second, "second")
    if first.ndim != 2 or first.shape != second.shape:
        raise ValueError(
            "Expected two tables of neighbours of the same points, as many of each point, shape (n, K); found "
            f"{first.shape} and {second.shape}."
        )
    n, k = first.shape
    for name, table in (("first", first), ("second", second)):
        if table.size == 0:
            fault = "an empty table"
        elif table.dtype.kind not in "iu":
            fault = f"entries of the type {table.dtype}"
        elif not 0 <= table.min() <= table.max() < n:
            fault = f"{table.min()} to {table.max()}"
        elif not np.diff(np.sort(table, axis=1)).all():
            fault = "a neighbour twice"
        elif (table == np.arange(n)[:, None]).any():
            fault = "points among their own neighbours; leave them out, as kneighbors() of scikit-learn without X does"
        else:
            continue
        raise ValueError(
            f"{name}: expected indices of the {n} points, integers from 0, as `nearest_neighbors` gives; found {fault}."
        )
    common = 0
    for start in range(0, n, _BLOCK):
        rows = slice(start, start + _BLOCK)
        member = np.zeros((len(first[rows]), n), dtype=bool)
        np.put_along_axis(member, first[rows], True, axis=1)
        common += int(np.take_along_axis(member, second[rows], axis=1).sum())
    return common / (n * k)


def picture_distances(embedding: np.ndarray) -> np.ndarray:
    """Condensed distances between the points of an embedding (X(y), Eq. 4 of Tomo and Yoneoka 2025)."""
    return pdist(np.asarray(embedding, dtype=np.float64))
