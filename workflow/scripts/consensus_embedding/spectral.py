"""The one symmetric eigen-solver of the project."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackError, eigsh

# Up to this size the dense solver is faster than Lanczos and has nothing that can fail to converge.
DENSE_SIZE = 500


def largest_eigenpairs(matrix: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """
    Algebraically largest eigenvalues of a symmetric matrix and their eigenvectors.

    Lanczos with a fixed start vector above `DENSE_SIZE` rows, dense below it and wherever Lanczos does not
    converge. The result is the same on every call: signs are fixed as in `canonical_signs`.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Symmetric.
    n_pairs : int
        At least 1, at most n.

    Returns
    -------
    values : ndarray of shape (n_pairs,)
        Descending.
    vectors : ndarray of shape (n, n_pairs)
        Orthonormal columns.

    Raises
    ------
    ValueError
        If the matrix is not square, holds NaN or infinity, or has fewer than `n_pairs` rows.
    """
    n = matrix.shape[0]
    if matrix.ndim != 2 or matrix.shape[1] != n:
        raise ValueError(f"Expected a square matrix, found shape {matrix.shape}.")
    if not 1 <= n_pairs <= n:
        raise ValueError(f"Expected between 1 and {n} eigenpairs of a {n} x {n} matrix, found {n_pairs}.")
    if not np.isfinite(matrix).all():
        raise ValueError("The matrix holds NaN or infinity.")
    if n > DENSE_SIZE and n_pairs < n // 10:
        start = np.random.default_rng(0).standard_normal(n)
        try:
            values, vectors = eigsh(matrix, k=n_pairs, which="LA", v0=start)
        except ArpackError:
            values, vectors = _dense(matrix, n_pairs)
    else:
        values, vectors = _dense(matrix, n_pairs)
    order = np.argsort(-values, kind="stable")
    return values[order], canonical_signs(vectors[:, order])


def canonical_signs(vectors: np.ndarray) -> np.ndarray:
    """Columns turned so that the entry of largest magnitude of each is positive (the first one, if several)."""
    leading = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[leading, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1.0, signs)


def _dense(matrix: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    n = matrix.shape[0]
    return eigh(matrix, subset_by_index=(n - n_pairs, n - 1), driver="evr")
