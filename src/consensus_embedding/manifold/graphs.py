"""Neighbourhood graphs: how alike the objects of a table are, as a weight for each pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array, issparse
from scipy.spatial.distance import pdist, squareform

from consensus_embedding.manifold.dissimilarity_graph import (
    LOCAL_NEIGHBOR,
    KernelScales,
    check_dissimilarities,
    dissimilarity_edges,
    exponential,
    median_scale,
    positive_scales,
)
from consensus_embedding.manifold.neighbor_pairs import edges_of_neighbors, edges_within, squared_radii
from consensus_embedding.utils.labels import label_codes
from consensus_embedding.utils.numbers import real_numbers
from consensus_embedding.utils.parameters import POSITIVE, Allowed, check_values

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
    Affinities of all pairs of objects by one of `KERNELS`, and the scales that `further_affinity` needs.

    (n, n), float64, exactly symmetric, in [0, 1]. X is (n, p), or with metric "precomputed" (n, n) as for
    `check_dissimilarities`; its unit matters only to the radius. The parameters are those of `GraphEmbedding`, which
    checks their range. The diagonal is `self_affinity`: by the formulas 1, with which an object far from all others is
    tied to itself and takes an eigenvector of its own; with 0 (Ng, Jordan and Weiss 2002), better if there are
    outliers, the floor of `graph_eigenvectors` ties it to the others. `sparse`, of the kernels "knn" and "radius", is
    for a CSR and no dense matrix, which n up to 10000 may have; distances are taken pair by pair but not kept. A
    ValueError if it has more than 20 million edges, as where many objects coincide.
    """
    if kernel == "radius" and radius is None:
        raise ValueError('The kernel "radius" needs a radius, a positive number in the unit of the distances.')
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
            'use GraphEmbedding with kernel="knn", or fewer objects.'
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


def dissimilarity_affinity(
    A: ArrayLike, *, sigma: float = 1.0, radius: float | None = None, outside: str = "zero"
) -> tuple[np.ndarray | csr_array, float]:
    """
    Affinities gamma = exp(-A / scale) of all pairs of objects (Sparks and Madabhushi 2011, Eq. 1 to 4).

    Parameters
    ----------
    A : array-like of shape (n, n)
        Dissimilarities, see `check_dissimilarities`; at least 3 objects, and at most 10000 unless gamma is sparse.
    sigma : float
        Multiple of the median dissimilarity.
    radius : float, optional
        In the unit of A. Pairs with A < radius are neighbours.
    outside : {"zero", "one"}
        Affinity of pairs that are not neighbours: 0, or 1 as Eq. 4 prints it (there their dissimilarity is 0).

    Returns
    -------
    gamma : ndarray or csr_array of shape (n, n)
        Exactly symmetric, 1 on the diagonal. Sparse with a radius and 0 outside.
    scale : float
        sigma times the median of A over the pairs of two objects, those within the radius if there is one; of the
        positive ones if the median is 0.

    Raises
    ------
    ValueError
        If A cannot be dissimilarities, a parameter is out of range, or no pair is within the radius.
    """
    allowed: Allowed = {"sigma": [POSITIVE], "radius": [POSITIVE, None], "outside": [{"zero", "one"}]}
    check_values("dissimilarity_affinity", allowed, sigma=sigma, radius=radius, outside=outside)
    A = check_dissimilarities(A)
    graph = partial(kernel_graph, A, sigma=sigma, metric="precomputed")
    if radius is None:
        gamma, scales = graph(kernel="exponential")
    else:
        gamma, scales = graph(kernel="radius", radius=radius, sparse=outside == "zero")
        gamma = np.where(radius > A, gamma, 1.0) if outside == "one" else gamma
    return gamma, scales.scale


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


def check_table(X: ArrayLike) -> np.ndarray:
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
        nearest = X[np.triu_indices(n, k=1)] if scales.points is None else np.sqrt(squared_radii(scales.points, 1))
        radius, least = np.ldexp([scales.radius, nearest.min()], scales.exponent)
        raise ValueError(
            f"No two of the {n} objects are nearer than the radius {radius:.6g}, the nearest pair is {least:.6g} "
            "apart; raise the radius, which is in the unit of the distances."
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
        points, k = scales.points, scales.k
        local = np.partition(X, k, axis=1)[:, k] if points is None else np.sqrt(squared_radii(points, k))
        if (local == 0).any():
            local = positive_scales(local, X if points is None else squareform(distances))
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
