"""The one symmetric eigen-solver of the project."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable

import numpy as np
from numba import njit
from scipy.linalg import blas, eigh, lapack, qr
from scipy.sparse import csc_array, csr_array, diags_array, issparse
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

from consensus_embedding.utils.numbers import dense, require_finite

# Up to this size the dense solver is faster than Lanczos and has nothing that can fail to converge.
DENSE_SIZE = 500
# Up to this size (half a minute, 1 GB) the dense solver takes over where all else fails on a sparse graph.
_DENSE_FALLBACK = 6000
# Eigenvalues of a normalised graph, which lie in [-1, 1], count as equal up to this difference.
_EQUAL = 1e-10
# Eigenpairs that Lanczos computes at most to complete a group of equal eigenvalues.
_MAX_GROUP = 64
# Side of the blocks in which a table is compared with its mirror image.
_BLOCK = 64
# The known eigenvector of eigenvalue 1 is moved to 1 - 3 = -2, below all others.
_SHIFT = 3.0
# A sparse graph whose factorisation takes fewer multiplications (a tenth of a second) is solved by its inverse at once.
# Its eigenvalues lie close to 1, as those of a curve or a band do, so that Lanczos alone takes ten times as long.
_QUICK_FACTORS = 1e8
# Newer SciPy draws ARPACK's restarts from this; without it two calls could differ.
ARPACK_SEED = {"rng": 0} if "rng" in inspect.signature(eigsh).parameters else {}


def largest_eigenpairs(matrix: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """
    Algebraically largest eigenvalues (n_pairs,) of a symmetric matrix (n, n), falling, and vectors (n, n_pairs).

    The vectors are orthonormal, and the same on every call, with signs as in `canonical_signs`: Lanczos with a fixed
    start vector above `DENSE_SIZE` rows, dense below it and wherever Lanczos does not converge.
    """
    n = matrix.shape[0]
    if matrix.ndim != 2 or matrix.shape[1] != n:
        raise ValueError(f"Expected a square matrix, found shape {matrix.shape}.")
    if not 1 <= n_pairs <= n:
        raise ValueError(f"Expected between 1 and {n} eigenpairs of a {n} x {n} matrix, found {n_pairs}.")
    require_finite(matrix, "The matrix contains", "check how it was computed")
    if n > DENSE_SIZE and n_pairs < n // 10:
        try:
            values, vectors = eigsh(matrix, k=n_pairs, which="LA", v0=start_vector(n), **ARPACK_SEED)
        except ArpackError:
            values, vectors = dense_eigenpairs(matrix, n_pairs)
    else:
        values, vectors = dense_eigenpairs(matrix, n_pairs)
    order = np.argsort(-values, kind="stable")
    return values[order], canonical_signs(vectors[:, order])


def graph_eigenvectors(
    affinity: np.ndarray | csr_array, n_components: int, *, floor: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """
    Largest eigenvalues (k,) of W y = lambda D y, falling, and vectors (n, k), without the trivial pair (1, a constant).

    Normalised cuts (Shi and Malik 2000, Eq. 6, whose eigenvalues are 1 - lambda): W is the affinity (n, n), symmetric,
    not negative, with the floor added to every entry; D has its row sums. lambda is in [-1, 1], y' D y is 1, and 0
    between columns; signs as in `canonical_signs`. A RuntimeWarning if value number k equals the next, as the last
    vectors are not determined then; a RuntimeError if no method converges, as in over 6000 objects in very many pieces.
    """
    n = affinity.shape[0]
    if affinity.ndim != 2 or affinity.shape[1] != n:
        raise ValueError(f"Expected a square affinity matrix, found shape {affinity.shape}.")
    if not 1 <= n_components <= n - 1:
        raise ValueError(
            f"n_components must be between 1 and {n - 1}, one less than the {n} objects, found {n_components}."
        )
    affinity = csr_array(affinity) if issparse(affinity) else np.ascontiguousarray(affinity, dtype=np.float64)
    # Solved as N v = lambda v with N = D^(-1/2) W D^(-1/2), which is symmetric, and y = D^(-1/2) v. The trivial
    # v = D^(1/2) 1 is known, so it is taken out of N before the solution and cannot mix with the others where a graph
    # of several pieces has several eigenvalues of about 1.
    roots = np.sqrt(_checked_degrees(affinity, float(floor)))
    if n <= DENSE_SIZE:
        table = dense(affinity)
        most, solve = n - 1, lambda n_pairs: dense_eigenpairs(_deflated(table, roots, float(floor)), n_pairs)
    else:
        most, solve = min(n - 1, _MAX_GROUP), lambda n_pairs: _iterative(affinity, roots, float(floor), n_pairs)
    # One more than asked for shows whether equal eigenvalues would be torn apart; if so, all of them are needed.
    n_pairs = min(n_components + 1, n - 1)
    values, vectors = _descending(*solve(n_pairs))
    if n_pairs > n_components and values[n_components - 1] - values[n_components] <= _EQUAL:
        warnings.warn(
            f"Eigenvalues {n_components} and {n_components + 1} of the graph are equal: its affinities do not "
            "determine the last eigenvectors. The graph may be in pieces: raise sigma, the number of neighbours or "
            "the floor.",
            RuntimeWarning,
            stacklevel=2,
        )
        if n_pairs < most:
            values, vectors = _descending(*solve(most))
    vectors = canonical_basis(values, vectors, _EQUAL)[:, :n_components] / roots[:, None]
    return values[:n_components].copy(), canonical_signs(vectors)


def canonical_signs(vectors: np.ndarray) -> np.ndarray:
    """Columns turned so that the entry of largest magnitude of each is positive (the first one, if several)."""
    leading = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[leading, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1.0, signs)


def start_vector(n: int) -> np.ndarray:
    """Vector of shape (n,) that Lanczos' method starts from, the same in each call."""
    return np.random.default_rng(0).standard_normal(n)


def _descending(values: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def dense_eigenpairs(matrix: np.ndarray, n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues (n_pairs,) of a symmetric matrix, in no fixed order or sign, and vectors (n, n_pairs)."""
    n = matrix.shape[0]
    # Called directly: what scipy.linalg.eigh puts around it takes longer than LAPACK up to about 50 rows. Read by
    # columns a symmetric matrix is itself.
    work, iwork, _ = lapack.dsyevr_lwork(n, lower=1)
    values, vectors, n_values, _, failed = lapack.dsyevr(
        matrix.T, range="I", il=n - n_pairs + 1, iu=n, lower=1, lwork=int(work), liwork=int(iwork)
    )
    # LAPACK may return fewer pairs than asked for, without an error, where many eigenvalues are equal.
    if failed == 0 and n_values == n_pairs:
        return values[:n_pairs], vectors[:, :n_pairs]
    values, vectors = eigh(matrix, driver="evd")
    return values[n - n_pairs :], vectors[:, n - n_pairs :]


def canonical_basis(values: np.ndarray, vectors: np.ndarray, equal: float) -> np.ndarray:
    """
    Eigenvectors (n, k) with a basis for each group of equal eigenvalues that does not depend on how they were found.

    The first vector of a group is the projection of the object on which the group weighs most, and so on for what
    remains: a pivoted QR decomposition of the transposed vectors. Vectors are orthonormal, values (k,) falling, and
    equal if neighbours differ by no more than `equal`.
    """
    result = vectors.copy()
    first = 0
    for last in range(1, len(values) + 1):
        if last < len(values) and values[last - 1] - values[last] <= equal:
            continue
        if last - first > 1:
            rotation = qr(vectors[:, first:last].T, mode="economic", pivoting=True)[0]
            result[:, first:last] = vectors[:, first:last] @ rotation
        first = last
    return result


def _checked_degrees(affinity: np.ndarray | csr_array, floor: float) -> np.ndarray:
    """Row sums, floor included, of an affinity matrix found to be usable."""
    if issparse(affinity):
        n = affinity.shape[0]
        degrees = np.asarray(affinity.sum(axis=0)).ravel() + n * floor
        entries = np.asarray(affinity.data)
        negative = entries.size > 0 and entries.min() < 0
        mirrored = csr_array(affinity.T)
        symmetric = all(
            np.array_equal(getattr(mirrored, part), getattr(affinity, part)) for part in ("indptr", "indices", "data")
        )
        if not symmetric:
            difference = abs(affinity - mirrored)
            symmetric = difference.nnz == 0 or difference.max() <= 1e-8 * np.abs(entries).max()
    else:
        with np.errstate(invalid="ignore", over="ignore"):
            degrees = affinity.sum(axis=0, initial=len(affinity) * floor)
            negative = affinity.min() < 0
            symmetric = _is_symmetric(affinity)
    if not np.isfinite(degrees).all():
        raise ValueError("The affinity matrix contains NaN or infinity, or entries that overflow when summed.")
    if negative:
        raise ValueError("The affinity matrix contains negative entries; affinities must be 0 or more.")
    if not symmetric:
        raise ValueError("The affinity matrix is not symmetric; use (W + W.T) / 2 if it should be.")
    if (degrees <= 0).any():
        raise ValueError(
            f"{(degrees <= 0).sum()} of {len(degrees)} objects have no affinity to any object, so their position "
            "is undefined; add a floor (such as 1e-6) or leave these objects out."
        )
    return degrees


@njit(cache=True, nogil=True, error_model="numpy")
def _is_symmetric(matrix: np.ndarray) -> bool:
    """Whether mirrored entries differ by no more than rounding; by blocks that fit the cache."""
    n = len(matrix)
    for top in range(0, n, _BLOCK):
        for left in range(0, top + 1, _BLOCK):
            for i in range(top, min(top + _BLOCK, n)):
                for j in range(left, min(left + _BLOCK, i)):
                    entry, mirrored = matrix[i, j], matrix[j, i]
                    if not abs(entry - mirrored) <= 1e-8 * abs(entry + mirrored):
                        return False
    return True


def _deflated(affinity: np.ndarray, roots: np.ndarray, floor: float) -> np.ndarray:
    """D^(-1/2) W D^(-1/2) with the trivial eigenvector moved to the lower end of the spectrum."""
    # Summed in order, unlike by `sum`, which would move last digits.
    share = _SHIFT / np.cumsum(roots * roots)[-1]
    return _normalised_table(affinity, roots, 1.0 / roots, floor, share)


@njit(cache=True, nogil=True, error_model="numpy")
def _normalised_table(
    affinity: np.ndarray, roots: np.ndarray, inverse: np.ndarray, floor: float, share: float
) -> np.ndarray:
    """(W + floor) D^(-1/2) D^(-1/2) less a share of D^(1/2) 1 1' D^(1/2), entry by entry."""
    n = len(roots)
    result = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            raised = (affinity[i, j] + floor) * (inverse[i] * inverse[j])
            result[i, j] = raised - share * (roots[i] * roots[j])
    return result


def _iterative(
    affinity: np.ndarray | csr_array, roots: np.ndarray, floor: float, n_pairs: int
) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenpairs of the deflated, normalised graph without writing it down, unless that fails."""
    n = len(roots)
    inverse, trivial = 1.0 / roots, roots / np.linalg.norm(roots)
    if issparse(affinity):
        scaling = diags_array(inverse)
        normalised = csr_array(scaling @ affinity @ scaling)

    def apply(v: np.ndarray) -> np.ndarray:
        """Product of the normalised affinities, without their trivial eigenvector, with a vector."""
        # Of a dense matrix one half is read. Read by columns a symmetric matrix is itself.
        image = normalised @ v if issparse(affinity) else inverse * blas.dsymv(1.0, affinity.T, inverse * v, lower=1)
        raised, lowered = floor * (inverse @ v), _SHIFT * (trivial @ v)
        return image + raised * inverse - lowered * trivial

    def direct() -> tuple[np.ndarray, np.ndarray]:
        """By products with the affinities."""
        return lanczos_eigenpairs(apply, n, n_pairs, max_iter=max(50, n // 20))

    def inverted() -> tuple[np.ndarray, np.ndarray]:
        """By products with their inverse, which separates close eigenvalues."""
        solve = _inverse(normalised, inverse, trivial, floor)
        _, vectors = lanczos_eigenpairs(solve, n, n_pairs, max_iter=30, tol=1e-11)
        products = np.column_stack([apply(v) for v in vectors.T])
        values, rotation = np.linalg.eigh(vectors.T @ products)
        return values, vectors @ rotation

    ways = [direct]
    if issparse(affinity):
        ways = [inverted, direct] if is_narrow(normalised) else [direct, inverted]
    for way in ways:
        try:
            return way()
        except (ArpackError, RuntimeError, MemoryError) as error:
            reason = error
    if issparse(affinity) and n > _DENSE_FALLBACK:
        raise RuntimeError(
            f"The eigenvectors of a graph of {n} objects could not be found ({reason}). It may be in very many "
            f"pieces: raise sigma, n_neighbors or the floor, or use at most {_DENSE_FALLBACK} objects, for which "
            "there is a dense solver."
        ) from reason
    return dense_eigenpairs(_deflated(dense(affinity), roots, floor), n_pairs)


def lanczos_eigenpairs(
    apply: Callable[[np.ndarray], np.ndarray], n: int, n_pairs: int, max_iter: int, tol: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """
    Largest eigenpairs of a symmetric operator by Lanczos, and again without them until no larger one is left.

    Values (n_pairs,) and vectors (n, n_pairs); `apply` takes a vector (n,) to its image. An ArpackError if Lanczos does
    not converge.
    """

    def largest(deflate: np.ndarray, shift: float, k: int, tol: float) -> tuple[np.ndarray, np.ndarray]:
        """Largest eigenpairs outside the span of `deflate`."""

        def matvec(v: np.ndarray) -> np.ndarray:
            """Product with a vector; the eigenvalues of `deflate` are shifted."""
            image = apply(v)
            return image - shift * (deflate @ (deflate.T @ v)) if deflate.size else image

        operator = LinearOperator((n, n), matvec=matvec, dtype=np.float64)
        ncv = min(n, max(2 * k + 1, 20 if k == 1 else 30))
        return eigsh(operator, k=k, which="LA", v0=start_vector(n), ncv=ncv, maxiter=max_iter, tol=tol, **ARPACK_SEED)

    values, vectors = _descending(*largest(np.empty((n, 0)), 0.0, n_pairs, tol))
    shift = _SHIFT * max(1.0, values[0])
    # One start vector has one direction in the space of equal eigenvalues: Lanczos may miss the others.
    while largest(vectors, shift, 1, 1e-6)[0][0] > values[n_pairs - 1] + 1e-9 * shift:
        value, vector = largest(vectors, shift, 1, tol)
        values, vectors = _descending(np.append(values, value), np.hstack([vectors, vector]))
    return values[:n_pairs], vectors[:, :n_pairs]


def is_narrow(graph: csr_array) -> bool:
    """Whether objects of a symmetric graph have an order with neighbours so near that a factorisation is quick."""
    places = np.empty(graph.shape[0], dtype=np.intp)
    places[reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(len(places))
    width = np.abs(np.repeat(places, np.diff(graph.indptr)) - places[graph.indices]).max(initial=0)
    return len(places) * float(width) ** 2 <= _QUICK_FACTORS


def _inverse(
    normalised: csr_array, inverse: np.ndarray, trivial: np.ndarray, floor: float
) -> Callable[[np.ndarray], np.ndarray]:
    """
    Solve with 1.000001 I - N, N deflated: its largest eigenvalues belong to those of N and lie far apart.

    The sparse part is factorised, the floor and the deflation (of rank one each) follow by Woodbury's formula.
    """
    n = len(inverse)
    sparse = csc_array(diags_array(np.full(n, 1.0 + 1e-6)) - normalised)
    factors = splu(sparse, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    # The floor is scaled into its vector, so that none is left of it at 0.
    sides = np.column_stack([np.sqrt(floor) * inverse, trivial])
    solved = factors.solve(sides)
    middle = np.diag([-1.0, 1.0 / _SHIFT]) + sides.T @ solved

    def solve(v: np.ndarray) -> np.ndarray:
        """Product of the inverse with a vector."""
        x = factors.solve(v)
        return x - solved @ np.linalg.solve(middle, sides.T @ x)

    return solve
