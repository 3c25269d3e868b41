"""Hierarchical clustering of many small embeddings: SciPy's linkage, cut into an exact number of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from consensus_embedding.clustering.clustering_kernels import after_merges, number_by_appearance
from consensus_embedding.manifold.graphs import rescaled
from consensus_embedding.utils.numbers import as_array, real_numbers
from consensus_embedding.utils.rows import check_row_order, titled

LINKAGES = ("average", "ward", "complete", "average_correlation")


def hierarchical_clusters(X: ArrayLike, n_clusters: int = 2, *, linkage: str = "average") -> np.ndarray:
    """
    Clusters of agglomerative hierarchical clustering.

    Starting from single objects, the two closest clusters are merged until `n_clusters` are left. The distance of
    two clusters is, by linkage,

    - "average": the mean Euclidean distance of their pairs of objects (UPGMA, Sokal and Michener 1958);
    - "ward": the increase of the sum of squares within clusters (Ward 1963), as a distance;
    - "complete": the largest Euclidean distance of their pairs;
    - "average_correlation": the mean of 1 - r over their pairs, r the Pearson correlation of two rows of X over
      the dimensions (Eisen et al. 1998).

    Parameters
    ----------
    X : array-like of shape (n, p)
        At least 2 objects. Memory and time grow with the square of n.
    n_clusters : int
        At least 1, at most n. That many clusters are returned, even where objects coincide.
    linkage : {"average", "ward", "complete", "average_correlation"}
        With "average_correlation" X needs at least 2 dimensions, and a row without spread is at distance 1, that
        of no correlation, from all others.

    Returns
    -------
    ndarray of shape (n,), int
        Numbered from 0 in the order in which the clusters first appear.

    Raises
    ------
    ValueError
        If X is not a table of at least 2 objects, contains NaN or infinity, or has too few dimensions; if
        `n_clusters` or `linkage` is out of range.

    Notes
    -----
    The tree is that of ``scipy.cluster.hierarchy.linkage``, cut as by ``scipy.cluster.hierarchy.cut_tree``. Where
    several pairs of clusters are equally close, which of them is merged first depends on the order of the objects, and
    in a unit that is no power of two on rounding. Otherwise the unit of X does not matter.
    """
    X = check_objects(X)
    return hierarchical_clusters_many(X[None], n_clusters, linkage=linkage)[0]


def hierarchical_clusters_many(
    embeddings: Sequence[ArrayLike] | np.ndarray, n_clusters: int = 2, *, linkage: str = "average"
) -> np.ndarray:
    """
    Clusters of each of several embeddings of the same objects; see `hierarchical_clusters`.

    Parameters
    ----------
    embeddings : array-like of shape (m, n, p)
    n_clusters : int
    linkage : {"average", "ward", "complete", "average_correlation"}

    Returns
    -------
    ndarray of shape (m, n), int
        Row k is ``hierarchical_clusters(embeddings[k], n_clusters, linkage=linkage)``.

    Raises
    ------
    ValueError
        As `hierarchical_clusters`, and if the embeddings differ in shape or there is none.
    """
    stack = _checked_stack(embeddings, linkage)
    check_n_clusters(stack.shape[1], n_clusters)
    by_correlation = linkage == "average_correlation"
    # Powers of two keep squares from overflow and change no digit; correlations ignore the scale of each row.
    stack = rescaled(stack, axis=2 if by_correlation else (1, 2))
    labels = np.empty(stack.shape[:2], dtype=np.int64)
    for X, row in zip(stack, labels, strict=True):
        if by_correlation:
            tree = hierarchy.linkage(_correlation_distances(X), "average")
        else:
            tree = hierarchy.linkage(pdist(X), linkage)
        row[:] = _cut(tree, int(n_clusters))
    return labels


def cut_linkage(tree: np.ndarray, n_clusters: int) -> np.ndarray:
    """
    Cut the tree of a hierarchical clustering into `n_clusters`, (n,), int, numbered in order of first appearance.

    `tree`, (n - 1, 4), float64, is of ``scipy.cluster.hierarchy.linkage``; a ValueError if its heights do not ascend.
    The n_clusters - 1 highest merges are undone; among equally high ones, those nearest the root of the tree, and on
    one level those to the right: the clusters of ``scipy.cluster.hierarchy.cut_tree``, ties included, in a fraction of
    its time.
    """
    tree = np.ascontiguousarray(tree, dtype=np.float64)
    hierarchy.is_valid_linkage(tree, throw=True, name="tree")
    if not hierarchy.is_monotonic(tree):
        raise ValueError("The heights of the tree must ascend; use a linkage that never merges below an earlier merge.")
    check_n_clusters(len(tree) + 1, n_clusters)
    return _cut(tree, int(n_clusters))


def check_objects(X: ArrayLike) -> np.ndarray:
    """X as a finite float64 table (objects, dimensions), or a ValueError that says what is wrong."""
    X = real_numbers(X, "X")
    if X.ndim != 2 or X.size == 0:
        raise ValueError(f"Expected a table (objects, dimensions), found shape {X.shape}.")
    if not np.isfinite(X).all():
        raise ValueError("The objects contain NaN or infinity; remove those objects or fix the embedding.")
    return X


def check_n_clusters(n: int, n_clusters: int) -> None:
    """Refuse, with a ValueError, a number of clusters that n objects cannot form."""
    if not isinstance(n_clusters, Integral) or not 1 <= n_clusters <= n:
        raise ValueError(
            f"n_clusters must be an integer between 1 and the number of objects, {n}, found {n_clusters!r}."
        )


def _checked_stack(embeddings: Sequence[ArrayLike] | np.ndarray, linkage: str) -> np.ndarray:
    if not isinstance(linkage, str) or linkage not in LINKAGES:
        raise ValueError(f"linkage must be one of {list(LINKAGES)}, found {linkage!r}.")
    each = list(embeddings) if np.iterable(embeddings) else []
    check_row_order(**titled(each))
    shapes = {as_array(embedding, "embeddings").shape for embedding in each}
    if len(shapes) != 1:
        raise ValueError(f"Expected at least one embedding, all of one shape, found {sorted(shapes) or 'none'}.")
    stack = real_numbers(embeddings, "embeddings")
    if stack.ndim != 3 or stack.size == 0:
        raise ValueError(f"Each embedding must be a table (objects, dimensions), found shape {stack.shape[1:]}.")
    if stack.shape[1] < 2:
        raise ValueError("Hierarchical clustering needs at least 2 objects, found 1.")
    if linkage == "average_correlation" and stack.shape[2] < 2:
        raise ValueError("Correlations of objects need at least 2 dimensions, found 1; choose another linkage.")
    finite = np.isfinite(stack).all(axis=(1, 2))
    if not finite.all():
        raise ValueError(f"Embedding {finite.argmin()} contains NaN or infinity; remove that run or fix its input.")
    return stack


def _correlation_distances(X: np.ndarray) -> np.ndarray:
    """1 - Pearson correlation of all pairs of rows, in condensed order; 1 where a row has no spread."""
    distances = np.maximum(pdist(X, "correlation"), 0.0)
    flat = X.max(axis=1) == X.min(axis=1)
    if flat.any():
        first, second = np.triu_indices(len(X), k=1)
        distances[flat[first] | flat[second]] = 1.0
    return distances


def _cut(tree: np.ndarray, n_clusters: int) -> np.ndarray:
    n_merges = len(tree) + 1 - n_clusters
    if 0 < n_merges < len(tree) and tree[n_merges - 1, 2] == tree[n_merges, 2]:
        # Which of equally high merges are undone, the tree decides.
        labels = hierarchy.cut_tree(tree, n_clusters)[:, 0].astype(np.int64)
    else:
        labels = after_merges(tree, n_merges)
    number_by_appearance(labels)
    return labels
