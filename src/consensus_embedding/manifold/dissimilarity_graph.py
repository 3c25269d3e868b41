"""What graphs of dissimilarities need: checks, scales, edges, and affinities of further objects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from consensus_embedding.utils.numbers import real_numbers, require_symmetric

# The neighbour whose distance is the local scale (Zelnik-Manor and Perona 2004, section 2).
LOCAL_NEIGHBOR = 7
# Share of the largest dissimilarity by which two entries that should be equal may differ.
_TOLERANCE = 1e-8


def check_dissimilarities(A: ArrayLike) -> np.ndarray:
    """
    Dissimilarities of all pairs of objects, (n, n), float64, exactly symmetric with a zero diagonal.

    A itself where it is, else the mean of A and its transpose. A ValueError if A is not square, contains NaN, infinity
    or a negative entry, or is not symmetric or zero on its diagonal to 1e-8 of its largest entry. It names the entry or
    pair, counted from 0.
    """
    A = real_numbers(A, "Dissimilarities")
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not len(A):
        raise ValueError(
            f"Dissimilarities must be a square table, one row and one column for each object, found shape {A.shape}."
        )
    if not np.isfinite(A).all():
        i, j = np.argwhere(~np.isfinite(A))[0]
        raise ValueError(f"Dissimilarities must be finite, found {A[i, j]} between objects {i} and {j}.")
    if A.min() < 0:
        i, j = np.unravel_index(A.argmin(), A.shape)
        # The words that scikit-learn has for it come first.
        raise ValueError(
            f"Negative values in data: dissimilarities must be 0 or more, found {A[i, j]:.6g} between objects {i} and "
            f"{j}."
        )
    allowed = _TOLERANCE * A.max()
    own = np.diagonal(A)
    if own.max() > allowed:
        i = own.argmax()
        raise ValueError(f"The dissimilarity of an object to itself must be 0, found {own[i]:.6g} for object {i}.")
    if np.array_equal(A, A.T) and not own.any():
        return A
    require_symmetric(A, "Dissimilarities", _TOLERANCE)
    A = 0.5 * (A + A.T)
    np.fill_diagonal(A, 0.0)
    return A


def median_scale(distances: np.ndarray, sigma: float) -> float:
    """
    Sigma times the median distance, or that of the positive ones where the median is 0.

    Positive and finite, whatever the distances: one or more, not negative.
    """
    median = np.median(distances)
    if median == 0:
        positive = distances[distances > 0]
        median = np.median(positive) if len(positive) else 1.0
    limits = np.finfo(np.float64)
    return min(max(float(sigma) * float(median), limits.tiny), limits.max)


def exponential(distances: np.ndarray, scale: float) -> np.ndarray:
    """Affinities exp(-distances / scale); a quotient beyond the largest number is an affinity of 0."""
    with np.errstate(over="ignore", under="ignore"):
        return np.exp(-distances / scale)


@dataclass(frozen=True)
class KernelScales:
    """What ties a further object to the objects of a graph."""

    kernel: str  # As in `GraphEmbedding`.
    sigma: float
    k: int  # Number of the neighbour that counts, of the kernels "knn" and "local_scaling".
    scale: float = 1.0  # Distance at which the affinity is 1 / e; not of "local_scaling".
    # (n,), of "knn": measure of each object's k-th neighbour. Of "local_scaling": the local scale of each object.
    reach: np.ndarray | None = None
    radius: float | None = None  # Of "radius", in the unit of the points.
    # (p, n): features of the objects times 2 to the power of -exponent; None if X is dissimilarities. All distances are
    # of these points; their squares are what is compared, the measure.
    points: np.ndarray | None = None
    exponent: int = 0


def further_measures(X: np.ndarray, scales: KernelScales) -> np.ndarray:
    """
    Measures (m, n) of nearness of further objects to those of a graph: squared distances, or dissimilarities.

    X is (m, p), or, if the graph is one of dissimilarities, (m, n) and returned as it is.
    """
    if scales.points is None:
        return X
    with np.errstate(over="ignore", under="ignore"):
        return cdist(np.ldexp(X, -scales.exponent), scales.points.T, "sqeuclidean")


def further_affinity(
    measures: np.ndarray, twins: np.ndarray, scales: KernelScales, *, self_affinity: float = 1.0
) -> np.ndarray:
    """
    Affinities (m, n) of further objects to those of a graph, by its kernel and its scales, without the floor.

    `measures` are of `further_measures`. `twins`, (m,), int, is the object of the graph that a further object is, as
    its measure is 0, or -1. A twin is no neighbour of itself, and gets the row of affinities that it has in the graph,
    with `self_affinity` as in `kernel_graph`.
    """
    distances = measures if scales.points is None else np.sqrt(measures)
    if scales.kernel == "radius":
        affinity = np.where(distances < scales.radius, exponential(distances, scales.scale), 0.0)
    elif scales.kernel == "knn":
        own = _kth_measure(measures, twins, scales.k)[:, None]
        near = (measures <= own) | (measures <= scales.reach)
        affinity = np.where(near, exponential(distances, scales.scale), 0.0)
    elif scales.kernel == "local_scaling":
        local = _kth_measure(measures, twins, scales.k)
        local = local if scales.points is None else np.sqrt(local)
        local = positive_scales(local, distances)[:, None]
        sigma = max(scales.sigma, np.finfo(np.float64).tiny)
        with np.errstate(over="ignore", under="ignore"):
            affinity = np.exp(-(distances / local / sigma) * (distances / scales.reach / sigma))
    elif scales.kernel == "exponential":
        affinity = exponential(distances, scales.scale)
    else:
        with np.errstate(over="ignore", under="ignore"):
            affinity = np.exp(-np.square(distances / scales.scale))
    rows = np.flatnonzero(twins >= 0)
    affinity[rows, twins[rows]] = self_affinity
    return affinity


def dissimilarity_edges(
    A: np.ndarray, scales: KernelScales
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    """
    Neighbours i < j (rows and columns, int32) by the kernel "knn" or "radius" and their dissimilarities, from A (n, n).

    Last, of "knn", the dissimilarity of each object to its k-th neighbour, (n,); else None.
    """
    reach = None
    if scales.kernel == "knn":
        # The object itself is one of those at dissimilarity 0, so its k-th neighbour has index k, counted from 0.
        reach = np.partition(A, scales.k, axis=1)[:, scales.k]
        near = (reach[:, None] >= A) | (reach >= A)
    else:
        near = scales.radius > A
    rows, columns = (places.astype(np.int32) for places in np.nonzero(np.triu(near, k=1)))
    return rows, columns, A[rows, columns], reach


def _kth_measure(measures: np.ndarray, twins: np.ndarray, k: int) -> np.ndarray:
    """Measure of the k-th neighbour; a twin is not a neighbour of itself, though it is among the n."""
    ordered = np.partition(measures, (k - 1, k), axis=1)
    return np.where(twins >= 0, ordered[:, k], ordered[:, k - 1])


def positive_scales(local: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """Local scales (n,): where one is 0, the distance (n, m) to the nearest object that is not at 0, or 1."""
    if (local > 0).all():
        return local
    nearest = np.where(distances > 0, distances, np.inf).min(axis=1)
    return np.where(local == 0, np.where(np.isfinite(nearest), nearest, 1.0), local)
