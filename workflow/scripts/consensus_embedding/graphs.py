"""Neighbourhood graphs: how alike the objects of a table are, as a weight for each pair."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real

import numpy as np
from numba import njit
from scipy.sparse import coo_array, csr_array, issparse
from scipy.spatial.distance import pdist, squareform

KERNELS = ("knn", "exponential", "gaussian", "local_scaling")
# The neighbour whose distance is the local scale (Zelnik-Manor and Perona 2004, section 2).
_LOCAL_NEIGHBOR = 7
# A dense matrix of this many rows takes 0.8 GB.
_MAX_DENSE = 10_000
# A graph of this many edges takes 0.5 GB; only coinciding objects make so many.
_MAX_EDGES = 20_000_000
# Up to this many neighbours insertion beats partial sorting.
_INSERTION = 32
_COMPILED = {"cache": True, "nogil": True, "error_model": "numpy"}


def affinity_matrix(
    X: np.ndarray,
    *,
    kernel: str = "knn",
    n_neighbors: int = 15,
    sigma: float = 1.0,
    floor: float = 1e-6,
    self_affinity: float = 1.0,
) -> np.ndarray:
    """
    Affinities of all pairs of objects: 1 at distance 0, falling with distance, plus a floor.

    With d the Euclidean distance, the weights before the floor are

    - "knn": exp(-d / (sigma * median)) for the pairs of which one is among the other's `n_neighbors` nearest, 0
      for all others; median over the pairs kept. All neighbours at the distance of the last one count, so that
      the graph does not depend on the order of the objects;
    - "exponential": exp(-d / (sigma * median)), median over all pairs;
    - "gaussian": exp(-d^2 / (sigma * median)^2), median over all pairs (the kernel of Shi and Malik 2000);
    - "local_scaling": exp(-d^2 / (sigma^2 s_i s_j)) with s the distance of an object to its 7th neighbour
      (Zelnik-Manor and Perona 2004, Eq. 5).

    Parameters
    ----------
    X : array-like of shape (n, p)
        At least 3 objects. Only ratios of distances count, so the unit of X does not matter.
    kernel : {"knn", "exponential", "gaussian", "local_scaling"}
    n_neighbors : int
        Of the kernel "knn"; more than n - 1 means n - 1.
    sigma : float
        Multiple of the median distance (of s for "local_scaling").
    floor : float
        Added to every entry, so that no part of the graph is cut off.
    self_affinity : float
        Affinity of an object with itself, in [0, 1]. 1 is what the formulas give at distance 0. With 0 (as in Ng,
        Jordan and Weiss 2002) an object far from all others is tied to them by the floor, where with 1 it is tied
        to itself and takes an eigenvector of its own: prefer 0 if there are outliers.

    Returns
    -------
    ndarray of shape (n, n), float64
        Exactly symmetric, in [floor, 1 + floor]; the diagonal is self_affinity + floor.

    Raises
    ------
    ValueError
        If X is not a finite table of 3 objects or more, a parameter is out of range, or n is above 10000.

    Notes
    -----
    Where the median distance is 0, as more than half of the pairs coincide, the median of the positive distances
    takes its place; likewise a local scale of 0 becomes the distance to the nearest object that does not coincide.
    """
    X = check_table(X)
    check_graph_parameters(kernel, n_neighbors, sigma, floor, self_affinity)
    n = len(X)
    if n > _MAX_DENSE:
        raise ValueError(
            f"A dense affinity matrix holds at most {_MAX_DENSE} objects, found {n}; "
            'use kernel="knn" through knn_graph_sparse or GraphEmbedding, or fewer objects.'
        )
    if kernel == "knn":
        affinity = np.full((n, n), float(floor))
        rows, columns, weights = _knn_edges(X, n_neighbors, sigma)
        weights += floor
        affinity[rows, columns] = weights
        affinity[columns, rows] = weights
    else:
        distances = pdist(rescaled(X))
        affinity = squareform(_dense_weights(X, distances, kernel, sigma))
        affinity += floor
    np.fill_diagonal(affinity, self_affinity + floor)
    return affinity


def knn_graph_sparse(
    X: np.ndarray, *, n_neighbors: int = 15, sigma: float = 1.0, self_affinity: float = 1.0
) -> csr_array:
    """
    The nearest-neighbour graph of `affinity_matrix` without its floor, for many objects.

    Distances are taken pair by pair but not kept: time grows with n squared (about a second for 20000 objects of
    4 features), memory with the number of edges.

    Parameters
    ----------
    X : array-like of shape (n, p)
    n_neighbors : int
    sigma : float
    self_affinity : float
        All as in `affinity_matrix`.

    Returns
    -------
    csr_array of shape (n, n), float64
        ``affinity_matrix(X, kernel="knn", ..., floor=0)`` to the last bit.

    Raises
    ------
    ValueError
        As `affinity_matrix`, and if so many objects coincide that the graph is no longer sparse.
    """
    X = check_table(X)
    check_graph_parameters("knn", n_neighbors, sigma, 0.0, self_affinity)
    n = len(X)
    rows, columns, weights = _knn_edges(X, n_neighbors, sigma)
    loops = np.arange(n, dtype=np.int32)
    entries = np.concatenate([weights, weights, np.full(n, float(self_affinity))])
    places = (np.concatenate([rows, columns, loops]), np.concatenate([columns, rows, loops]))
    graph = csr_array(coo_array((entries, places), shape=(n, n)))
    graph.sort_indices()
    return graph


def semi_supervised_affinity(
    affinity: np.ndarray | csr_array, labels: np.ndarray, *, weights: str | Sequence[float] = "zhao"
) -> np.ndarray | csr_array:
    """
    Affinities drawn together within labels and pushed apart between them.

    With weights "zhao", gamma (1 + gamma) for a pair of the same label, gamma (1 - gamma) for a pair of different
    ones (Zhao 2006; W_R of Sparks and Madabhushi 2011): close pairs change most, far ones hardly. With weights
    (within, between), gamma * within and gamma * between, whatever the distance. Viswanath and Madabhushi 2012
    (Experiment 4) give "higher weights to within-class points and lower weights to points from different classes"
    without a formula; fixed factors, such as (2, 0.5), are a reading of it by the present study. In either case
    gamma where a label is unknown; an object with a label has the same label as itself.

    Parameters
    ----------
    affinity : ndarray or csr_array of shape (n, n)
        gamma, in [0, 1]; without a floor.
    labels : array-like of shape (n,)
        -1 is unknown.
    weights : "zhao" or (within, between)
        Two positive, finite factors.

    Returns
    -------
    ndarray or csr_array of shape (n, n)
        As the affinity.

    Raises
    ------
    ValueError
        If the labels are not one per object, or name fewer than two classes; if the weights are neither "zhao" nor
        two positive, finite numbers.
    """
    check_label_weights(weights)
    labels = np.asarray(labels)
    n = affinity.shape[0]
    if labels.shape != (n,):
        raise ValueError(f"Expected one label for each of the {n} objects, found labels of shape {labels.shape}.")
    known = labels != -1 if labels.dtype.kind in "biuf" else np.ones(n, dtype=bool)
    classes = np.unique(labels[known])
    if len(classes) < 2:
        raise ValueError(
            f"Labels must name at least 2 classes beside -1 (unknown), found {len(classes)}; "
            "label objects of another class, or use GraphEmbedding, which needs no labels."
        )
    codes = np.where(known, np.searchsorted(classes, np.where(known, labels, classes[0])), -1)
    if issparse(affinity):
        places = affinity.tocoo()
        entries = _weighted(places.data, codes[places.coords[0]], codes[places.coords[1]], weights)
        return csr_array(coo_array((entries, places.coords), shape=(n, n)))
    return _weighted(affinity, codes[:, None], codes, weights)


def check_table(X: np.ndarray) -> np.ndarray:
    """X as a finite float64 table of shape (n, p) with n >= 3 and p >= 1, or a ValueError that says what is wrong."""
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] < 1:
        raise ValueError(f"X must have shape (objects, features) with at least one feature, found shape {X.shape}.")
    if len(X) < 3:
        raise ValueError(f"A graph needs at least 3 objects, found {len(X)}.")
    if not np.isfinite(X).all():
        raise ValueError(f"X holds NaN or infinity in {(~np.isfinite(X)).any(axis=1).sum()} of its {len(X)} rows.")
    return X


def check_graph_parameters(kernel: str, n_neighbors: int, sigma: float, floor: float, self_affinity: float) -> None:
    """Refuse, with a ValueError, what is no kernel, number of neighbours, sigma, floor or self-affinity."""
    if kernel not in KERNELS:
        raise ValueError(f"kernel must be one of {list(KERNELS)}, found {kernel!r}.")
    if not isinstance(n_neighbors, Integral) or n_neighbors < 1:
        raise ValueError(f"n_neighbors must be an integer of at least 1, found {n_neighbors!r}.")
    if not isinstance(sigma, Real) or not 0 < sigma < np.inf:
        raise ValueError(f"sigma must be a positive, finite number, found {sigma!r}.")
    if not isinstance(floor, Real) or not 0 <= floor < np.inf:
        raise ValueError(f"floor must be 0 or a positive, finite number, found {floor!r}.")
    if not isinstance(self_affinity, Real) or not 0 <= self_affinity <= 1:
        raise ValueError(f"self_affinity must be a number between 0 and 1, found {self_affinity!r}.")


def rescaled(X: np.ndarray, axis: int | tuple[int, ...] | None = None) -> np.ndarray:
    """
    X times the power of two that keeps squares of differences from overflow; no digit changes.

    Parameters
    ----------
    X : ndarray
    axis : int or tuple of int, optional
        Axes that share one power of two; all of them if not given.

    Returns
    -------
    ndarray
        Of the shape of X, with the largest absolute value along the axes in [0.5, 1), or 0.
    """
    return np.ldexp(X, -np.frexp(np.abs(X).max(axis=axis, keepdims=True))[1])


def check_label_weights(weights: str | Sequence[float]) -> None:
    """Refuse, with a ValueError, what is neither "zhao" nor a pair of positive, finite numbers."""
    if isinstance(weights, str) and weights == "zhao":
        return
    pair = isinstance(weights, tuple | list) and len(weights) == 2
    if not pair or not all(isinstance(weight, Real) and 0 < weight < np.inf for weight in weights):
        raise ValueError(
            'Label weights must be "zhao" or a tuple of two positive, finite numbers (within, between), the factors '
            f"of affinities within and between labels, found {weights!r}."
        )


def _weighted(gamma: np.ndarray, left: np.ndarray, right: np.ndarray, weights: str | Sequence[float]) -> np.ndarray:
    """Affinities of pairs weighted by their labels, given as codes (-1: unknown)."""
    known, same = (left >= 0) & (right >= 0), left == right
    if isinstance(weights, str):
        return gamma * (1.0 + gamma * np.where(known, np.where(same, 1.0, -1.0), 0.0))
    within, between = (float(weight) for weight in weights)
    return gamma * np.where(known, np.where(same, within, between), 1.0)


def _scale(distances: np.ndarray, sigma: float) -> float:
    median = np.median(distances)
    if median == 0:
        positive = distances[distances > 0]
        median = np.median(positive) if len(positive) else 1.0
    limits = np.finfo(np.float64)
    return min(max(float(sigma) * float(median), limits.tiny), limits.max)


def _dense_weights(X: np.ndarray, distances: np.ndarray, kernel: str, sigma: float) -> np.ndarray:
    """Weights of all pairs in condensed order, by a kernel other than that of the neighbourhood graph."""
    # A quotient beyond the largest number is a weight of 0, which is right.
    with np.errstate(over="ignore", under="ignore"):
        if kernel == "exponential":
            return np.exp(-distances / _scale(distances, sigma))
        if kernel == "gaussian":
            return np.exp(-np.square(distances / _scale(distances, sigma)))
        local = _local_scales(X, distances)
        first, second = np.triu_indices(len(X), k=1)
        sigma = max(float(sigma), np.finfo(np.float64).tiny)
        return np.exp(-(distances / local[first] / sigma) * (distances / local[second] / sigma))


def _local_scales(X: np.ndarray, distances: np.ndarray) -> np.ndarray:
    points = np.ascontiguousarray(rescaled(X).T)
    local = np.sqrt(_radii(points, min(_LOCAL_NEIGHBOR, len(X) - 1)))
    if (local == 0).any():
        apart = squareform(distances)
        nearest = np.where(apart > 0, apart, np.inf).min(axis=1)
        local = np.where(local == 0, np.where(np.isfinite(nearest), nearest, 1.0), local)
    return local


def _knn_edges(X: np.ndarray, n_neighbors: int, sigma: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs (i < j) of the neighbourhood graph, and their weights."""
    points = np.ascontiguousarray(rescaled(X).T)
    k = min(int(n_neighbors), len(X) - 1)
    rows, columns, distances = _edges(points, _radii(points, k), k * len(X), _MAX_EDGES)
    if len(rows) > _MAX_EDGES:
        raise ValueError(
            f"The neighbourhood graph of {len(X)} objects has more than {_MAX_EDGES} edges, as many objects coincide "
            "and all neighbours at the same distance count; merge coinciding objects first, or lower n_neighbors."
        )
    with np.errstate(over="ignore", under="ignore"):
        return rows, columns, np.exp(-distances / _scale(distances, sigma))


@njit(**_COMPILED)
def _squared_distances(points: np.ndarray, i: int, first: int, row: np.ndarray) -> None:
    """Squared distances of point i to the points from `first` on; points by column (p, n)."""
    row[first:] = 0.0
    for d in range(len(points)):
        x = points[d, i]
        for j in range(first, len(row)):
            difference = points[d, j] - x
            row[j] += difference * difference


@njit(**_COMPILED)
def _radii(points: np.ndarray, k: int) -> np.ndarray:
    """Squared distance of each point to its k-th neighbour."""
    n = points.shape[1]
    row, result = np.empty(n), np.empty(n)
    nearest = np.empty(_INSERTION + 1)
    for i in range(n):
        _squared_distances(points, i, 0, row)
        # The point itself is one of those at distance 0, so its k-th neighbour stands at place k from 0 on.
        if k > _INSERTION:
            result[i] = np.partition(row, k)[k]
        else:
            result[i] = _kth_smallest(row, k, nearest)
    return result


@njit(**_COMPILED)
def _kth_smallest(values: np.ndarray, k: int, nearest: np.ndarray) -> float:
    """Value at place k of the sorted values, by keeping the k + 1 smallest in order."""
    nearest[: k + 1] = np.inf
    for value in values:
        if value < nearest[k]:
            place = k
            while place > 0 and nearest[place - 1] > value:
                nearest[place] = nearest[place - 1]
                place -= 1
            nearest[place] = value
    return nearest[k]


@njit(**_COMPILED)
def _edges(
    points: np.ndarray, radii: np.ndarray, expected: int, limit: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of which one lies within the other's radius, and their distances; stops once there are over `limit`."""
    n = points.shape[1]
    size = min(expected, limit + n)
    rows, columns, distances = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size)
    row = np.empty(n)
    count = 0
    for i in range(n):
        if count > limit:
            break
        if count + n - 1 - i > size:
            size = 2 * size + n
            rows = np.append(rows[:count], np.empty(size - count, np.int32))
            columns = np.append(columns[:count], np.empty(size - count, np.int32))
            distances = np.append(distances[:count], np.empty(size - count))
        _squared_distances(points, i, i + 1, row)
        radius = radii[i]
        for j in range(i + 1, n):
            if row[j] <= radius or row[j] <= radii[j]:
                rows[count], columns[count], distances[count] = i, j, np.sqrt(row[j])
                count += 1
    return rows[:count], columns[:count], distances[:count]
