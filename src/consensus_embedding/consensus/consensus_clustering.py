"""Consensus clustering of embedded objects (Tiwari, Rosen and Madabhushi 2008, Section 3.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from consensus_embedding.clustering.clustering import co_association, kmeans_runs, replicated_kmeans
from consensus_embedding.manifold.mds import classical_mds
from consensus_embedding.utils.parameters import checked_arguments
from consensus_embedding.utils.seeds import stream_seed
from consensus_embedding.utils.threads import one_blas_thread


@checked_arguments
def consensus_clusters(X: ArrayLike, n_clusters: int = 3, n_runs: int = 50, seed: int = 0) -> np.ndarray:
    """
    Clusters that many weak clusterings agree on, by multidimensional scaling of their co-association.

    `n_runs` runs of k-means, one start each; the share H of the runs in which two objects share a cluster;
    multidimensional scaling of H; k-means, the best of ten starts, on the result. The paper applies the scaling "to
    H". As H is a similarity and scaling takes distances, the distance of two objects is here 1 - H, the share of the
    runs that separate them. The scaling has `n_clusters` dimensions, which the paper leaves open; runs that all agree
    need one less.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Embedded objects. Memory grows with the square of n.
    n_clusters : int
        Of the runs and of the result; at least 1, at most n.
    n_runs : int
        T; at least 1.
    seed : int

    Returns
    -------
    ndarray of shape (n,), int
        Numbered from 0 in the order in which the clusters first appear. The same for rotated, reflected or shifted X.

    Raises
    ------
    ValueError
        If X is not a finite table, there are fewer objects than clusters, or a number is below 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensus_embedding import consensus_clusters
    >>> consensus_clusters(load_iris().data, 3).shape
    (150,)
    """
    runs = kmeans_runs(X, n_clusters, n_runs, seed=stream_seed(seed, "runs"))
    together = co_association(runs)
    with one_blas_thread():
        places = classical_mds(1.0 - together, n_clusters)
    # Objects that no run parts are in one place, that of the first of them, whatever rounding makes of it.
    return replicated_kmeans(places[(together == 1).argmax(axis=1)], n_clusters, seed=stream_seed(seed, "final"))
