"""Neighbourhood graphs: how alike the objects of a table are, as a weight for each pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numba import njit
from scipy.sparse import coo_array, csr_array, issparse
from scipy.spatial.distance import pdist, squareform

from consensus_embedding.manifold.dissimilarity_graph import (
    LOCAL_NEIGHBOR,
    KernelScales,
    check_dissimilarities,
    check_radius,
    dissimilarity_edges,
    exponential,
    local_dissimilarity,
    median_scale,
)
from consensus_embedding.manifold.neighbor_pairs import edges_of_neighbors, edges_within, squared_radii
from consensus_embedding.utils.labels import label_codes
from consensus_embedding.utils.numbers import real_numbers

# `GraphEmbedding` says what each is. More neighbours than n - 1 mean n - 1; all at the distance of the last one count,
# so that the graph does not depend on the order of the objects.
# A median of 0, as more than half of the pairs coincide, is replaced by that of the positive distances; likewise a
# local scale of 0 by the distance to the nearest object that does not coincide.
KERNELS = ("knn", "radius", "exponential", "gaussian", "local_scaling")
# Kernels whose weights are mostly 0.
SPARSE_KERNELS = ("knn", "radius")
METRICS = ("euclidean", "precomputed")
# A dense matrix of this many rows takes 0.8 GB.
_MAX_DENSE = 10_000
# A graph of this many edges takes 0.5 GB; only coinciding objects make so many.
_MAX_EDGES = 20_000_000


def affinity_matrix(
    X: np.ndarray,
    *,
    kernel: str = "knn",
    n_neighbors: int = 15,
    sigma: float = 1.0,
    floor: float = 1e-6,
    self_affinity: float = 1.0,
    radius: float | None = None,
    metric: str = "euclidean",
) -> np.ndarray:
    """
    Affinities of all pairs of objects by one of `KERNELS`, (n, n), float64, exactly symmetric, in [floor, 1 + floor].

    X is (n, p), n from 3 to 10000, or with metric "precomputed" (n, n) as for `check_dissimilarities`; its unit matters
    only to the radius. The floor, in every entry, keeps parts from being cut off. The diagonal is self_affinity +
    floor: by the formulas 1, with which an object far from all others is tied to itself and takes an eigenvector of its
    own; with 0 (Ng, Jordan and Weiss 2002), better if there are outliers, the floor ties it to the others.
    """
    check_graph_parameters(kernel, n_neighbors, sigma, floor, self_affinity, radius, metric)
    graph: dict[str, Any] = {
        "kernel": kernel,
        "n_neighbors": n_neighbors,
        "sigma": sigma,
        "radius": radius,
        "metric": metric,
    }
    affinity, _ = kernel_graph(X, self_affinity=self_affinity, **graph)
    affinity += floor
    return affinity


def knn_graph_sparse(
    X: np.ndarray, *, n_neighbors: int = 15, sigma: float = 1.0, self_affinity: float = 1.0
) -> csr_array:
    """
    ``affinity_matrix(X, kernel="knn", floor=0)`` to the last bit, as a CSR (n, n), float64, for many objects.

    Distances are taken pair by pair but not kept: time grows with n squared (about a second for 20000 objects of 4
    features), memory with the number of edges. A ValueError if so many objects coincide that the graph is not sparse.
    """
    check_graph_parameters("knn", n_neighbors, sigma, 0.0, self_affinity)
    return kernel_graph(X, n_neighbors=n_neighbors, sigma=sigma, self_affinity=self_affinity, sparse=True)[0]


def kernel_graph(
    X: np.ndarray,
    *,
    kernel: str = "knn",
    n_neighbors: int = 15,
    sigma: float = 1.0,
    self_affinity: float = 1.0,
    radius: float | None = None,
    metric: str = "euclidean",
    sparse: bool = False,
) -> tuple[np.ndarray | csr_array, KernelScales]:
    """
    Affinities of `affinity_matrix` without its floor, (n, n), float64, and the scales that `further_affinity` needs.

    The parameters are those of `affinity_matrix`, found in range by `check_graph_parameters`. `sparse`, of the kernels
    "knn" and "radius", is for a CSR and no dense matrix; a ValueError if it has more than 20 million edges.
    """
    if metric == "precomputed":
        points, exponent = None, 0
        X = check_dissimilarities(X)
        _check_size(X)
    else:
        X = check_table(X)
        exponent = int(np.frexp(np.abs(X).max())[1])
        points = np.ascontiguousarray(rescaled(X).T)
        radius = None if radius is None else np.ldexp(float(radius), -exponent)
    n = len(X)
    if n > _MAX_DENSE and not sparse:
        raise ValueError(
            f"A dense affinity matrix is limited to at most {_MAX_DENSE} objects, found {n}; "
            'use kernel="knn" through knn_graph_sparse or GraphEmbedding, or fewer objects.'
        )
    k = min(LOCAL_NEIGHBOR if kernel == "local_scaling" else int(n_neighbors), n - 1)
    scales = KernelScales(kernel, float(sigma), k, radius=radius, points=points, exponent=exponent)
    if kernel in SPARSE_KERNELS:
        return _sparse_kernel(X, scales, self_affinity, sparse)
    distances = squareform(X, checks=False) if points is None else pdist(points.T)
    weights, scales = _dense_kernel(X, distances, scales)
    affinity = squareform(weights)
    np.fill_diagonal(affinity, self_affinity)
    return affinity, scales


def semi_supervised_affinity(
    affinity: np.ndarray | csr_array, labels: np.ndarray, *, weights: str | Sequence[float] = "zhao"
) -> np.ndarray | csr_array:
    """
    Affinities (n, n), dense or CSR, drawn together within labels and pushed apart between them.

    Of gamma, in [0, 1] and without a floor, "zhao" makes gamma (1 + gamma) within a label and gamma (1 - gamma) between
    labels (Zhao 2006; W_R of Sparks and Madabhushi 2011): close pairs change most. (within, between) are factors of
    gamma, a reading by this study of Viswanath and Madabhushi 2012 (Experiment 4), who give no formula. gamma stays
    where a label is unknown, -1 of `label_codes`; a labelled object has the same label as itself.
    """
    check_label_weights(weights)
    codes = label_codes(labels, affinity.shape[0])
    if issparse(affinity):
        graph = csr_array(affinity, copy=True)
        graph.data = label_weighted(graph.data, np.repeat(codes, np.diff(graph.indptr)), codes[graph.indices], weights)
        return graph
    return label_weighted(affinity, codes[:, None], codes, weights)


def label_weighted(
    gamma: np.ndarray, left: np.ndarray, right: np.ndarray, weights: str | Sequence[float]
) -> np.ndarray:
    """
    Affinities gamma of pairs weighted as by `semi_supervised_affinity`.

    The codes of the labels of both objects of a pair, int, broadcast to the shape of gamma; below 0 is unknown.
    """
    if isinstance(weights, str):
        pairs = (np.atleast_2d(np.broadcast_to(side, gamma.shape)) for side in (left, right))
        return _zhao_weighted(np.atleast_2d(gamma), *pairs).reshape(gamma.shape)
    known, same = (left >= 0) & (right >= 0), left == right
    within, between = (float(weight) for weight in weights)
    return gamma * np.where(known, np.where(same, within, between), 1.0)


@njit(cache=True, nogil=True, error_model="numpy")
def _zhao_weighted(gamma: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    weighted = np.empty(gamma.shape)
    for i in range(gamma.shape[0]):
        for j in range(gamma.shape[1]):
            label, other_label, weight = left[i, j], right[i, j], gamma[i, j]
            if label < 0 or other_label < 0:
                weighted[i, j] = weight
            elif label == other_label:
                weighted[i, j] = weight * (1.0 + weight)
            else:
                weighted[i, j] = weight * (1.0 - weight)
    return weighted


def check_table(X: np.ndarray) -> np.ndarray:
    """X as a finite float64 table of shape (n, p) with n >= 3 and p >= 1, or a ValueError that says what is wrong."""
    X = real_numbers(X, "X")
    if X.ndim != 2 or X.shape[1] < 1:
        raise ValueError(f"X must have shape (objects, features) with at least one feature, found shape {X.shape}.")
    _check_size(X)
    if not np.isfinite(X).all():
        raise ValueError(
            f"X contains NaN or infinity in {(~np.isfinite(X)).any(axis=1).sum()} of its {len(X)} rows; leave these "
            "out, or fill the values."
        )
    return X


def check_graph_parameters(
    kernel: str,
    n_neighbors: int,
    sigma: float,
    floor: float,
    self_affinity: float,
    radius: float | None = None,
    metric: str = "euclidean",
) -> None:
    """Refuse, with a ValueError, a parameter of `affinity_matrix` that is out of range."""
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
    if metric not in METRICS:
        raise ValueError(f"metric must be one of {list(METRICS)}, found {metric!r}.")
    check_radius(radius)
    if kernel == "radius" and radius is None:
        raise ValueError('The kernel "radius" needs a radius, a positive number in the unit of the distances.')


def rescaled(X: np.ndarray, axis: int | tuple[int, ...] | None = None) -> np.ndarray:
    """
    X times the power of two that keeps squares of differences from overflow; no digit changes.

    The largest absolute value along `axis` (axes that share one power; None: all) is then in [0.5, 1), or 0.
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


def _check_size(X: np.ndarray) -> None:
    if len(X) < 3:
        raise ValueError(f"A graph needs at least 3 objects, found {len(X)}.")


def _sparse_kernel(
    X: np.ndarray, scales: KernelScales, self_affinity: float, sparse: bool
) -> tuple[np.ndarray | csr_array, KernelScales]:
    """Affinities of neighbours, as a sparse or a dense matrix."""
    n = len(X)
    if scales.points is None:
        rows, columns, distances, reach = dissimilarity_edges(X, scales)
    else:
        rows, columns, distances, reach = _feature_edges(scales.points, scales)
    if not len(rows):
        radius: Any = scales.radius
        raise ValueError(
            f"No two of the {n} objects are nearer than the radius {np.ldexp(radius, scales.exponent):.6g}; "
            "raise it, which is in the unit of the distances."
        )
    scales = replace(scales, scale=median_scale(distances, scales.sigma), reach=reach)
    weights = exponential(distances, scales.scale)
    if sparse:
        loops = np.arange(n, dtype=np.int32)
        entries = np.concatenate([weights, weights, np.full(n, float(self_affinity))])
        places = (np.concatenate([rows, columns, loops]), np.concatenate([columns, rows, loops]))
        affinity = csr_array(coo_array((entries, places), shape=(n, n)))
        affinity.sort_indices()
        return affinity, scales
    affinity = np.zeros((n, n))
    affinity[rows, columns] = weights
    affinity[columns, rows] = weights
    np.fill_diagonal(affinity, self_affinity)
    return affinity, scales


def _dense_kernel(X: np.ndarray, distances: np.ndarray, scales: KernelScales) -> tuple[np.ndarray, KernelScales]:
    """Weights of all pairs in condensed order."""
    if scales.kernel == "local_scaling":
        local = (
            local_dissimilarity(X, scales.k)
            if scales.points is None
            else _local_distance(scales.points, scales.k, distances)
        )
        first, second = np.triu_indices(len(X), k=1)
        sigma = max(scales.sigma, np.finfo(np.float64).tiny)
        # A quotient beyond the largest number is a weight of 0, which is right.
        with np.errstate(over="ignore", under="ignore"):
            weights = np.exp(-(distances / local[first] / sigma) * (distances / local[second] / sigma))
        return weights, replace(scales, reach=local)
    scales = replace(scales, scale=median_scale(distances, scales.sigma))
    if scales.kernel == "exponential":
        return exponential(distances, scales.scale), scales
    with np.errstate(over="ignore", under="ignore"):
        return np.exp(-np.square(distances / scales.scale)), scales


def _local_distance(points: np.ndarray, k: int, distances: np.ndarray) -> np.ndarray:
    local = np.sqrt(squared_radii(points, k))
    if (local == 0).any():
        apart = squareform(distances)
        nearest = np.where(apart > 0, apart, np.inf).min(axis=1)
        local = np.where(local == 0, np.where(np.isfinite(nearest), nearest, 1.0), local)
    return local


def _feature_edges(
    points: np.ndarray, scales: KernelScales
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    """Neighbours i < j, their distances, and the squared distance of each object to its k-th neighbour."""
    n = points.shape[1]
    if scales.kernel == "knn":
        rows, columns, distances, reach = edges_of_neighbors(points, scales.k, _MAX_EDGES)
    else:
        # A little wider than the radius: which pairs are inside is for the distances to say, not their squares.
        radius: Any = scales.radius
        reach = np.full(n, np.square(radius) * (1 + 1e-12))
        rows, columns, distances = edges_within(points, reach, _MAX_EDGES)
        inside, reach = distances < radius, None
        rows, columns, distances = rows[inside], columns[inside], distances[inside]
    if len(rows) > _MAX_EDGES:
        remedy = (
            ", as many objects coincide and all neighbours at the same distance count; merge coinciding objects first"
        )
        remedy = f"{remedy}, or lower n_neighbors." if scales.kernel == "knn" else "; lower the radius."
        raise ValueError(f"The neighbourhood graph of {n} objects has more than {_MAX_EDGES} edges{remedy}")
    return rows, columns, distances, reach
