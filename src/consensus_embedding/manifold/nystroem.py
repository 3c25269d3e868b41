"""Nystroem's method: positions of new objects in an embedding, and how well it approximates their affinities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgWarning, eigh, lu_factor, lu_solve
from scipy.linalg.lapack import dgecon
from scipy.sparse import csc_array, csr_array, issparse
from scipy.sparse.linalg import LinearOperator, onenormest, splu

from consensus_embedding.manifold.spectral import is_narrow
from consensus_embedding.utils.numbers import dense, real_numbers, require_finite, require_symmetric
from consensus_embedding.utils.parameters import checked_arguments
from consensus_embedding.utils.threads import without_warnings

# Divided by less, rounding errors of 1e-16 would come near 1e-8.
LEAST_EIGENVALUE = 1e-7


@checked_arguments
def nystroem_extension(
    affinity: Any,
    embedding: ArrayLike,
    eigenvalues: ArrayLike,
    *,
    floor: float = 0.0,
    divide: bool = True,
) -> np.ndarray:
    """
    Positions of new objects in an embedding, from their affinities to the embedded ones.

    y(x)_k = sum_j w(x, j) y_jk / (lambda_k d(x)) with d(x) = sum_j w(x, j): a row of W y = lambda D y, the problem that
    `graph_eigenvectors` solves, applied to a new object. A training object gets its own position.

    Parameters
    ----------
    affinity : array-like or csr_array of shape (m, n)
        w, of m new objects to n training objects, before the floor.
    embedding : array-like of shape (n, k)
        Eigenvectors y, unscaled.
    eigenvalues : array-like of shape (k,)
        lambda.
    floor : float
        Added to every affinity, as in training.
    divide : bool
        False: without the division by d(x), as Sparks and Madabhushi 2011 print it (Eq. 2), which is right for
        W y = lambda y. Here it takes a training object to its place times its degree.

    Returns
    -------
    ndarray of shape (m, k)
        Each row is the same to the last bit whatever the others are.

    Raises
    ------
    ValueError
        If the shapes do not fit, an eigenvalue is not positive (1e-7 or less counts as 0), or an object has no
        affinity to any training object; see `isolated_rows`.
    """
    if not 0 <= floor < np.inf:
        raise ValueError(f"floor must be a finite number, not negative, found {floor}.")
    eigenvalues, embedding = (
        real_numbers(eigenvalues, "eigenvalues"),
        np.ascontiguousarray(real_numbers(embedding, "embedding")),
    )
    if not issparse(affinity):
        affinity = np.ascontiguousarray(real_numbers(affinity, "affinity"))
    if affinity.ndim != 2 or eigenvalues.ndim != 1:
        raise ValueError(
            "Expected a table of affinities, one row for each new object, and a list of eigenvalues, found shapes "
            f"{affinity.shape} and {eigenvalues.shape}."
        )
    if embedding.shape != (affinity.shape[1], len(eigenvalues)):
        raise ValueError(
            f"Affinities to {affinity.shape[1]} training objects and {len(eigenvalues)} eigenvalues need an embedding "
            f"of shape {(affinity.shape[1], len(eigenvalues))}, found {embedding.shape}."
        )
    check_eigenvalues(eigenvalues)
    values = np.asarray(affinity.data if issparse(affinity) else affinity)
    for name, numbers in (
        ("Affinities", values),
        ("Coordinates of the embedding", embedding),
        ("Eigenvalues", eigenvalues),
    ):
        require_finite(numbers, f"{name} contain", "check how they were computed")
    # Each row is summed by itself and in order, which BLAS does not do.
    if issparse(affinity):
        weights = csr_array(affinity)
        sums, degrees = weights @ embedding, weights @ np.ones(len(embedding))
    else:
        sums, degrees = _ordered_sums(affinity, embedding)
    sums += floor * embedding.sum(axis=0)
    degrees += floor * len(embedding)
    if not (degrees > 0).all():
        raise ValueError(
            f"{(~(degrees > 0)).sum()} of {len(degrees)} new objects have no affinity to any training object, the "
            f"first is number {np.argmin(degrees > 0)}, counted from 0; leave them out (isolated_rows), widen the "
            "neighbourhood or add a floor."
        )
    return sums / (eigenvalues * degrees[:, None] if divide else eigenvalues)


@njit(cache=True, nogil=True, error_model="numpy")
def _ordered_sums(affinity: np.ndarray, embedding: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Products of each row with the columns of the embedding, and the sum of the row."""
    sums, degrees = np.zeros((len(affinity), embedding.shape[1])), np.zeros(len(affinity))
    for i in range(len(affinity)):
        for j in range(affinity.shape[1]):
            weight = affinity[i, j]
            degrees[i] += weight
            for k in range(embedding.shape[1]):
                sums[i, k] += weight * embedding[j, k]
    return sums, degrees


def isolated_rows(affinity: np.ndarray | csr_array) -> np.ndarray:
    """Which of m new objects have no affinity (m, n), before the floor, to any training object: (m,), bool."""
    return np.asarray(affinity.max(axis=1).toarray() if issparse(affinity) else affinity.max(axis=1)).ravel() <= 0


def check_eigenvalues(eigenvalues: np.ndarray) -> None:
    """Refuse, with a ValueError, eigenvalues by which Nystroem's method cannot divide."""
    low = np.flatnonzero(~(eigenvalues > LEAST_EIGENVALUE))
    if len(low):
        raise ValueError(
            "Nystroem's method divides by the eigenvalues, which must be positive, found "
            f"{eigenvalues[low[0]]:.3g} for component {low[0] + 1}; take fewer components, or raise the number of "
            "neighbours, the radius or sigma."
        )


@dataclass(frozen=True)
class ApproximationError:
    """
    Error of affinities between new objects, approximated through the training objects.

    Attributes
    ----------
    relative : float
        Frobenius norm of the error over that of the true affinities; 1 if all are taken to be 0.
    entries : float
        That of the error over the number of entries of the training affinities.
    l1 : float
        That of the error over the sum of the absolute training affinities.
    zero_entries, zero_l1 : float
        The last two, if all affinities between new objects are taken to be 0.
    """

    relative: float
    entries: float
    l1: float
    zero_entries: float
    zero_l1: float


def approximation_error(
    training: np.ndarray | csr_array, between: np.ndarray | csr_array, new: np.ndarray | csr_array
) -> ApproximationError:
    """
    Error of the affinities between new objects, completed from those to training objects (Sparks 2011, Table 1).

    The Frobenius norm of W_new - B inv(W) B', with the affinities W of the training objects, B of new ones to training
    ones and W_new among the new ones, over one of three denominators, as the one printed can be read in several ways.
    It is of the completion by all eigenpairs of W, not of an embedding, which takes a few; and with a kernel that is
    cut off at a radius, and so not positive definite, W may have eigenvalues near 0, whose inverses enlarge the error.

    Parameters
    ----------
    training : ndarray or csr_array of shape (n, n)
        Symmetric.
    between : ndarray or csr_array of shape (m, n)
    new : ndarray or csr_array of shape (m, m)
        Not all 0.

    Returns
    -------
    ApproximationError

    Raises
    ------
    ValueError
        If the shapes do not fit, the training affinities are not symmetric or contain NaN or infinity, or they or the
        new ones are all 0.

    Notes
    -----
    Where W is singular to working precision, as with coinciding objects, its pseudo-inverse takes the place of the
    inverse. Call it with one BLAS thread where the last digits matter.
    """
    training, between, new = (
        csr_array(matrix, dtype=np.float64) if issparse(matrix) else real_numbers(matrix, name)
        for matrix, name in ((training, "training"), (between, "between"), (new, "new"))
    )
    n, m = (matrix.shape[0] if matrix.ndim else 0 for matrix in (training, new))
    if training.shape != (n, n) or new.shape != (m, m) or between.shape != (m, n):
        raise ValueError(
            "Expected affinities of shapes (n, n), (m, n) and (m, m), found "
            f"{training.shape}, {between.shape} and {new.shape}."
        )
    require_symmetric(training, "The training affinities")
    error = between @ _solved(training, dense(between).T)
    error -= dense(new)
    norm, size = np.linalg.norm(error), _norm(new)
    if not np.isfinite(norm):
        raise ValueError(
            "The affinities contain NaN or infinity, or their squares overflow; check them, or divide all by a "
            "constant."
        )
    if not size > 0:
        raise ValueError(f"The affinities between the {m} new objects must not all be 0 or NaN, found norm {size}.")
    total = abs(training).sum()
    if not total > 0:
        raise ValueError(f"The affinities between the {n} training objects must not all be 0.")
    return ApproximationError(
        *(float(value) for value in (norm / size, norm / n**2, norm / total, size / n**2, size / total))
    )


def _norm(matrix: np.ndarray | csr_array) -> np.floating:
    return np.linalg.norm(matrix.data if issparse(matrix) else matrix)


def _solved(matrix: np.ndarray | csr_array, right: np.ndarray) -> np.ndarray:
    """Solution of a symmetric system of equations, the one of least norm where the matrix is singular."""
    size = abs(matrix).sum(axis=0).max()
    if not np.isfinite(size):
        raise ValueError("The training affinities contain NaN or infinity; check the dissimilarities behind them.")
    if issparse(matrix) and is_narrow(csr_array(matrix)):
        try:
            solve = splu(csc_array(matrix)).solve
            inverse = LinearOperator(matrix.shape, matvec=solve, rmatvec=solve, matmat=solve, rmatmat=solve)
            # With one vector, the estimate is the same at each call.
            if onenormest(inverse, t=1) * size * len(right) * np.finfo(np.float64).eps < 1:
                return solve(right)
        except RuntimeError:
            # Singular: the dense way finds the pseudo-inverse.
            pass
    with without_warnings(LinAlgWarning):
        # Symmetric, so that its transpose is the same matrix in the order of LAPACK, and needs no copy.
        factors = lu_factor(np.array(dense(matrix)).T, overwrite_a=True, check_finite=False)
    condition, _ = dgecon(factors[0], size)
    if condition > len(right) * np.finfo(np.float64).eps:
        return lu_solve(factors, right, check_finite=False)
    values, vectors = eigh(dense(matrix), check_finite=False)
    kept = np.abs(values) > len(right) * np.finfo(np.float64).eps * np.abs(values).max()
    vectors = vectors[:, kept]
    return vectors @ ((vectors.T @ right) / values[kept, None])
