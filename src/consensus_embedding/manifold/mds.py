"""Multidimensional scaling: from distances to coordinates."""

from __future__ import annotations

import numpy as np
from numba import njit

from consensus_embedding.manifold.dissimilarity_graph import check_dissimilarities
from consensus_embedding.manifold.spectral import largest_eigenpairs
from consensus_embedding.utils.numbers import real_numbers, require_finite, unusual_exponents
from consensus_embedding.utils.parameters import checked_arguments
from consensus_embedding.utils.rows import check_row_order

# A distance in a picture that is a smaller share of its largest coordinate is rounding.
_ROUNDING = 1e-12


@checked_arguments
def classical_mds(distances: np.ndarray, n_components: int = 2) -> np.ndarray:
    """
    Classical (Torgerson) multidimensional scaling.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        Symmetric, zero diagonal.
    n_components : int

    Returns
    -------
    ndarray of shape (n, n_components)
        Centred coordinates, columns by falling variance. Columns beyond the number of positive eigenvalues
        are zero: the distances have no such dimension.

    Raises
    ------
    ValueError
        If the distances are not square, contain NaN, infinity or a negative number, or are not symmetric or not zero on
        the diagonal to 1e-8 of the largest; if they are condensed, or `n_components` is below 1.
    """
    if n_components < 1:
        raise ValueError(f"n_components must be at least 1, found {n_components}.")
    distances, exponent = _check_table(distances)
    squared = np.square(distances)
    means = squared.mean(axis=0)
    inner = -0.5 * (squared - means - means[:, None] + means.mean())
    n = len(inner)
    values, vectors = largest_eigenpairs(inner, min(n_components, n))
    embedding = np.zeros((n, n_components))
    embedding[:, : len(values)] = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.ldexp(embedding, exponent)


def _check_table(distances: np.ndarray) -> tuple[np.ndarray, int]:
    """Distances in a unit whose squares neither overflow nor vanish, and its exponent, a power of two; 0 for most."""
    distances = real_numbers(distances, "distances")
    if distances.ndim == 1:
        raise ValueError(
            f"Expected a square table of distances, found a list of {len(distances)}; make a table of condensed "
            "distances by scipy.spatial.distance.squareform."
        )
    check_dissimilarities(distances)
    exponent = int(unusual_exponents(distances.max(), 1e-100, 1e100))
    return (np.ldexp(distances, -exponent) if exponent else distances), exponent


@checked_arguments
def smacof(
    distances: np.ndarray,
    n_components: int = 2,
    max_iter: int = 300,
    *,
    tolerance: float = 1e-6,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """
    Metric multidimensional scaling by stress majorisation (SMACOF), started from classical scaling.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
    n_components : int
    max_iter : int
        Majorisation steps at most.
    tolerance : float
        Stop when a step lowers the stress by less than this share of the squared distances of the picture, the rule of
        scikit-learn.
    start : ndarray of shape (n, n_components), optional
        In place of classical scaling.

    Returns
    -------
    ndarray of shape (n, n_components)
        Centred.

    Raises
    ------
    ValueError
        As `classical_mds`; if the start has another shape.

    Notes
    -----
    De Leeuw 1977; Borg and Groenen 2005, Section 8.6. The steps are those of :func:`sklearn.manifold.smacof`.
    """
    check_row_order(distances=distances, start=start)
    distances, exponent = _check_table(distances)
    n = len(distances)
    start = (
        classical_mds(distances, n_components) if start is None else np.ldexp(real_numbers(start, "start"), -exponent)
    )
    if start.shape != (n, n_components):
        raise ValueError(f"start must have shape ({n}, {n_components}), found {start.shape}.")
    require_finite(start, "start contains", "give finite coordinates, or no start")
    if n > 1 and (start == start[0]).all() and distances.any():
        raise ValueError(f"start must have points that differ, found {n} at one place, from which none moves.")
    points = np.array(start.T, order="C")
    moved, old = np.empty_like(points), np.inf
    for step in range(max_iter + 1):
        stress, size = guttman(np.ascontiguousarray(distances), points, moved)
        # As scikit-learn, which does not look at the start.
        if step == max_iter or (step > 1 and old - stress < tolerance * size):
            break
        old = stress
        points, moved = moved, points
    return np.ldexp(points.T - points.mean(axis=1), exponent)


@njit(cache=True, nogil=True, error_model="numpy")
def guttman(distances: np.ndarray, points: np.ndarray, moved: np.ndarray) -> tuple[float, float]:
    """
    One Guttman transform of points given by column (p, n) into `moved`.

    Returns the stress of the points before it, and half their squared distances. Sums run over the rows of the
    distances, so that the inner loops have no order to keep and are vectorised without fastmath.
    """
    p, n = points.shape
    moved[:] = 0.0
    misfit, size, squared, pull = np.zeros(n), np.zeros(n), np.empty(n), np.empty(n)
    # Points at one place up to rounding have no direction in which to part.
    largest = 0.0
    for d in range(p):
        for j in range(n):
            largest = max(largest, abs(points[d, j]))
    rounding = _ROUNDING * largest
    for i in range(n):
        squared[:] = 0.0
        for d in range(p):
            for j in range(n):
                difference = points[d, j] - points[d, i]
                squared[j] += difference * difference
        for j in range(n):
            length = np.sqrt(squared[j])
            gap = distances[i, j] - length
            misfit[j] += gap * gap
            size[j] += squared[j]
            pull[j] = distances[i, j] / length if length > rounding else 0.0
        for d in range(p):
            for j in range(n):
                moved[d, j] += pull[j] * (points[d, j] - points[d, i])
    for d in range(p):
        for j in range(n):
            moved[d, j] /= n
    stress, total = 0.0, 0.0
    for j in range(n):
        stress += misfit[j]
        total += size[j]
    return 0.5 * stress, 0.5 * total


def embed_distances(distances: np.ndarray, n_components: int = 2, mds: str = "classical") -> np.ndarray:
    """Coordinates (n, n_components) of distances (n, n) by the method `mds`, "classical" or "smacof"."""
    methods = {"classical": classical_mds, "smacof": smacof}
    if mds not in methods:
        raise ValueError(f"mds must be one of {sorted(methods)}, found {mds!r}.")
    return methods[mds](distances, n_components)
