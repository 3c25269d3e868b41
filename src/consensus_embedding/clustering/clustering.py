"""Clusterings of embedded objects, and their agreement with the classes: replicated k-means, evidence accumulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from consensus_embedding.clustering.clustering_kernels import best_start
from consensus_embedding.clustering.hierarchical_clustering import check_n_clusters, check_objects, cut_linkage
from consensus_embedding.manifold.distance_matrices import validate_embeddings
from consensus_embedding.utils.labels import check_labels_present, classes_of, label_array
from consensus_embedding.utils.numbers import as_array, booleans, real_numbers, with_squares
from consensus_embedding.utils.parameters import checked_arguments
from consensus_embedding.utils.rows import check_row_order
from consensus_embedding.utils.seeds import generator
from consensus_embedding.utils.threads import one_blas_thread

# Accuracy of two clusters of two classes, at the least: if a share a is right, the other naming has 1 - a right.
CHANCE_ACCURACY = 0.5
# Most iterations of a start of k-means.
_MAX_ITER = 100


@checked_arguments
def replicated_kmeans(
    X: ArrayLike,
    n_clusters: int = 2,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 100,
    seed: int = 0,
) -> np.ndarray:
    """
    Clusters of k-means, the best of several starts.

    Lloyd's iteration from k-means++ starts (Arthur and Vassilvitskii 2007) until no object changes its cluster;
    the start with the lowest weighted sum of squared distances to the centres wins, the first one among equals.
    A cluster that becomes empty restarts at the object farthest from its centre. Objects at fewer than `n_clusters`
    distinct positions form that many clusters: identical objects form one cluster.

    Parameters
    ----------
    X : array-like of shape (n, p)
        At least 2 embedded objects.
    n_clusters : int
        At least 1, at most n.
    weights : array-like of shape (n,), optional
        What each object counts, e.g. the number of pixels it represents; above 0.
    n_init : int
        Number of starts.
    max_iter : int
        Largest number of iterations of a start.
    seed : int
        The same starts are drawn for any table: what differs between clusterings is the embedding alone.

    Returns
    -------
    ndarray of shape (n,), int
        Numbered from 0 in the order in which the clusters first appear, so that the result does not change
        when the embedding is rotated, reflected or shifted.

    Raises
    ------
    ValueError
        If X is not a table of at least 2 objects, contains NaN or infinity, or has fewer objects than clusters; if a
        weight is not positive or `n_init` or `max_iter` is below 1.
    """
    check_row_order(X=X, weights=weights)
    X = check_objects(X)
    if len(X) < 2:
        raise ValueError("k-means needs at least 2 objects, found 1.")
    return replicated_kmeans_many(X[None], n_clusters, weights=weights, n_init=n_init, max_iter=max_iter, seed=seed)[0]


def replicated_kmeans_many(
    embeddings: Sequence[ArrayLike] | np.ndarray,
    n_clusters: int = 2,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 100,
    seed: int = 0,
) -> np.ndarray:
    """`replicated_kmeans` of each of m embeddings of the same objects, (m, n), int; the starts are the same."""
    stack = validate_embeddings(embeddings)
    m, n, _ = stack.shape
    weights = with_squares(_check_weights(weights, n))
    _check_counts(n, n_clusters, n_init=n_init, max_iter=max_iter)
    draws = generator(seed).random((n_init, n_clusters))
    labels = np.empty((m, n), dtype=np.int64)
    for k in range(m):
        best_start(*_both_layouts(stack[k]), weights, draws, max_iter, labels[k])
    return labels


def kmeans_runs(
    X: ArrayLike,
    n_clusters: int,
    n_runs: int,
    *,
    weights: np.ndarray | None = None,
    seed: int = 0,
) -> np.ndarray:
    """Clusters of several runs of k-means, one start each, (n_runs, n), int; otherwise as `replicated_kmeans`."""
    X = check_objects(X)
    weights = with_squares(_check_weights(weights, len(X)))
    _check_counts(len(X), n_clusters, n_runs=n_runs)
    draws = generator(seed).random((n_runs, n_clusters))
    rows, columns = _both_layouts(X)
    labels = np.empty((n_runs, len(X)), dtype=np.int64)
    for run in range(n_runs):
        best_start(rows, columns, weights, draws[run : run + 1], _MAX_ITER, labels[run])
    return labels


def co_association(labels: np.ndarray) -> np.ndarray:
    """
    Share of clusterings in which two objects are in one cluster, (n, n), float64 (Fred and Jain 2005, Eq. 6).

    `labels`, (n_runs, n), int, has a clustering per row, clusters numbered from 0. Memory grows with the square of n.
    """
    labels = as_array(labels, "Labels")
    if labels.ndim != 2 or labels.size == 0 or labels.min() < 0:
        raise ValueError(
            "co_association needs a table (clusterings, objects) of cluster numbers from 0, "
            f"found shape {labels.shape}; give one clustering per row."
        )
    # Counts are exact in float32 below 2**24, so the result does not depend on how BLAS sums.
    members = np.concatenate([labels == cluster for cluster in range(labels.max() + 1)]).astype(np.float32)
    with one_blas_thread():
        together = members.T @ members
    return together.astype(np.float64) / len(labels)


def evidence_accumulation(
    X: np.ndarray,
    n_clusters: int = 2,
    n_starts: int = 50,
    *,
    weights: np.ndarray | None = None,
    seed: int = 0,
) -> np.ndarray:
    """
    Clusters that many runs of k-means agree on, (n,), int, numbered in the order in which they first appear.

    Average-linkage clustering of the co-association matrix (Fred and Jain 2005), for some thousands of objects at most:
    memory and time grow with the square of n. `n_clusters` are returned even where objects coincide; each run has as
    many, though Fred and Jain split finer. `weights` count in the runs of k-means; the linkage counts all alike.
    """
    X = check_objects(X)
    _check_counts(len(X), n_clusters)
    together = co_association(kmeans_runs(X, n_clusters, n_starts, weights=weights, seed=seed))
    tree = linkage(squareform(1.0 - together, checks=False), "average")
    return cut_linkage(tree, n_clusters)


def clustering_accuracy(clusters: ArrayLike, truth: ArrayLike, weights: ArrayLike | None = None) -> float:
    """
    Largest accuracy that a cluster reaches when it alone is called the class of interest.

    max over clusters t of (DTP + DTN) / R with DTP = |C_t and S+|, DTN = |(C without C_t) and S-|
    (Viswanath and Madabhushi 2012, supervised evaluation of embedding strength).

    Parameters
    ----------
    clusters : array-like of shape (n,), int
    truth : array-like of shape (n,), bool or 0/1
        Whether an object belongs to the class of interest S+.
    weights : array-like of shape (n,), optional
        What each object counts; above 0.

    Returns
    -------
    float
        In [0, 1]. With two clusters at least the larger of their two accuracies a and 1 - a, so never below 0.5.

    Raises
    ------
    ValueError
        If the lengths differ, `truth` contains anything but 0 and 1 or one class only.
    """
    check_row_order(clusters=clusters, truth=truth, weights=weights)
    truth = _check_truth(truth)
    weights = with_squares(_check_weights(weights, len(truth)))
    return object_accuracy(clusters, truth * weights, weights)


def object_accuracy(clusters: ArrayLike, positive: np.ndarray, sizes: np.ndarray) -> float:
    """
    Accuracy over pixels, in [0, 1], of a clustering of objects that each represent several pixels.

    Equal to `clustering_accuracy` of the pixels when each has the cluster of its object. `sizes`, (n_objects,), are the
    pixels of each object, above 0, `positive` those of the class of interest among them.
    """
    clusters, positive = label_array(clusters, "Clusters"), real_numbers(positive, "positive")
    sizes = _check_weights(sizes, len(positive))
    _, true_positive, true_negative = _outcomes(clusters, positive, sizes)
    # Weights that are no whole numbers are rounded as they are summed.
    return min(float((true_positive + true_negative).max() / sizes.sum()), 1.0)


@dataclass(frozen=True, eq=False)
class ClusterScores:
    """
    How well the best cluster of a clustering meets a class.

    Attributes
    ----------
    accuracy : float
        Share of objects called right, in [0, 1].
    balanced_accuracy : float
        Mean of the shares called right in each of the two classes (sensitivity and specificity), in [0, 1]; 0.5 for
        calling all objects the same, however rare one class is.
    called : ndarray of shape (n,), bool
        The objects of the cluster that is called the class of interest.
    """

    accuracy: float
    balanced_accuracy: float
    called: np.ndarray


def cluster_scores(clusters: ArrayLike, truth: ArrayLike) -> ClusterScores:
    """
    Accuracy and balanced accuracy of the cluster that, called the class of interest, reaches the largest accuracy.

    The accuracy is `clustering_accuracy` (Viswanath and Madabhushi 2012); the balanced accuracy that of the same
    cluster, not the largest that any cluster reaches.

    Parameters
    ----------
    clusters : array-like of shape (n,), int
    truth : array-like of shape (n,), bool or 0/1
        Whether an object belongs to the class of interest S+.

    Returns
    -------
    ClusterScores
        Of several clusters with the largest accuracy, that with the highest balanced accuracy; of several of those
        the one that appears first. If there is but one cluster, all objects are called S+.

    Raises
    ------
    ValueError
        If the lengths differ, `truth` contains anything but 0 and 1 or one class only.
    """
    check_row_order(clusters=clusters, truth=truth)
    clusters, truth = label_array(clusters, "Clusters"), _check_truth(truth)
    index, true_positive, true_negative = _outcomes(clusters, truth.astype(np.float64), np.ones(len(truth)))
    n_positive, n_negative = float(truth.sum()), float(len(truth) - truth.sum())
    right = true_positive + true_negative
    # Whole numbers, so that ties are ties: the balanced accuracy times twice the product of the class sizes.
    balanced = true_positive * n_negative + true_negative * n_positive
    best = (right == right.max()) & (balanced == balanced[right == right.max()].max())
    chosen = index[best[index].argmax()]
    return ClusterScores(
        float(right[chosen] / len(truth)), float(balanced[chosen] / (2.0 * n_positive * n_negative)), index == chosen
    )


def r_squared_index(X: ArrayLike, clusters: ArrayLike, weights: ArrayLike | None = None) -> float:
    """
    Share of the spread between the clusters, (SST - within) / SST.

    Viswanath and Madabhushi 2012, unsupervised evaluation of embedding strength (the paper names the
    within-cluster sum of squares SSB); Halkidi 2001.

    Parameters
    ----------
    X : array-like of shape (n, p)
    clusters : array-like of shape (n,), int
    weights : array-like of shape (n,), optional
        What each object counts; above 0.

    Returns
    -------
    float
        In [0, 1]: 0 for no difference between the clusters, also if all objects coincide; 1 for clusters
        without extent.

    Raises
    ------
    ValueError
        If X is not a finite table or the lengths differ.
    """
    check_row_order(X=X, clusters=clusters, weights=weights)
    X, clusters = check_objects(X), label_array(clusters, "Clusters")
    weights = with_squares(_check_weights(weights, len(X)))
    if clusters.shape != (len(X),):
        raise ValueError(f"Expected one cluster for each of {len(X)} objects, found shape {clusters.shape}.")
    X = with_squares(X)
    centred = X - np.average(X, axis=0, weights=weights)
    check_labels_present(clusters, "Give each object a cluster.")
    _, index = classes_of(clusters)
    mass = np.bincount(index, weights)
    centres = np.column_stack([np.bincount(index, weights * column) / mass for column in centred.T])
    # The rounded mean of equal objects differs from them.
    total = 0.0 if (X[0] == X).all() else weights @ np.square(centred).sum(axis=1)
    within = weights @ np.square(centred - centres[index]).sum(axis=1)
    return float(np.clip((total - within) / total, 0.0, 1.0)) if total > 0 else 0.0


def _check_truth(truth: ArrayLike) -> np.ndarray:
    truth = booleans(truth, "truth")
    if truth.ndim != 1:
        raise ValueError(f"truth must be a list of 0 and 1 (or booleans), found shape {truth.shape}.")
    return truth


def _outcomes(
    clusters: np.ndarray, positive: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Index of each object's cluster; pixels called right in S+ and outside of it, by the cluster that is called S+."""
    if clusters.shape != sizes.shape or positive.shape != sizes.shape:
        raise ValueError(
            f"Expected one cluster and one label for each of {len(sizes)} objects, "
            f"found {clusters.shape} clusters and {positive.shape} labels."
        )
    if not ((positive >= 0) & (positive <= sizes)).all():
        wrong = np.flatnonzero((positive < 0) | (positive > sizes))[0]
        raise ValueError(
            "The count of the class of interest must be between 0 and the size of its object, found "
            f"{positive[wrong]} of {sizes[wrong]} for object {wrong} (from 0)."
        )
    n_positive, total = positive.sum(), sizes.sum()
    if n_positive == 0 or (positive == sizes).all():
        raise ValueError("All objects are of one class: an accuracy needs both.")
    check_labels_present(clusters, "Give each object a cluster.")
    _, index = classes_of(clusters)
    true_positive = np.bincount(index, positive)
    false_positive = np.bincount(index, sizes - positive)
    return index, true_positive, (total - n_positive) - false_positive


def _both_layouts(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centred points by row and by column: the loops over points and over dimensions each read in order."""
    rows = with_squares(np.ascontiguousarray(X, dtype=np.float64))
    rows = rows - rows.mean(axis=0)
    return rows, np.ascontiguousarray(rows.T)


def _check_weights(weights: ArrayLike | None, n: int) -> np.ndarray:
    if weights is None:
        return np.ones(n)
    weights = real_numbers(weights, "weights")
    if weights.shape != (n,):
        raise ValueError(f"Expected one weight for each of {n} objects, found shape {weights.shape}.")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError(f"Weights must be finite and above 0, found values from {weights.min()} to {weights.max()}.")
    return weights


def _check_counts(n: int, n_clusters: int, **counts: int) -> None:
    check_n_clusters(n, n_clusters)
    for name, value in counts.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, found {value}.")
