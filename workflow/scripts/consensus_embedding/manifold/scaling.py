"""Multidimensional scaling: from distances to coordinates."""

from __future__ import annotations

import warnings

import numpy as np

from consensus_embedding.manifold.dissimilarity_graph import check_dissimilarities
from consensus_embedding.manifold.spectral import largest_eigenpairs
from consensus_embedding.utils.numbers import real_numbers


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
        If the distances are not square, hold NaN, infinity or a negative number, or are not symmetric or not zero on
        the diagonal to 1e-8 of the largest; if they are condensed.
    """
    distances = real_numbers(distances, "distances")
    if distances.ndim == 1:
        raise ValueError(
            f"Expected a square table of distances, found a list of {len(distances)}; make a table of condensed "
            "distances by scipy.spatial.distance.squareform."
        )
    check_dissimilarities(distances)
    squared = np.square(distances)
    means = squared.mean(axis=0)
    inner = -0.5 * (squared - means - means[:, None] + means.mean())
    n = len(inner)
    values, vectors = largest_eigenpairs(inner, min(n_components, n))
    embedding = np.zeros((n, n_components))
    embedding[:, : len(values)] = vectors * np.sqrt(np.maximum(values, 0.0))
    return embedding


def smacof(distances: np.ndarray, n_components: int = 2, max_iter: int = 300) -> np.ndarray:
    """
    Metric multidimensional scaling by stress majorisation, started from classical scaling.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
    n_components : int
    max_iter : int

    Returns
    -------
    ndarray of shape (n, n_components)

    Raises
    ------
    ValueError
        As `classical_mds`.
    """
    from sklearn.manifold import smacof as sklearn_smacof

    start = classical_mds(distances, n_components)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        embedding, _ = sklearn_smacof(
            distances, n_components=n_components, init=start, n_init=1, max_iter=max_iter, eps=1e-6
        )
    return embedding - embedding.mean(axis=0)


def embed_distances(distances: np.ndarray, n_components: int = 2, mds: str = "classical") -> np.ndarray:
    """
    Coordinates of a distance matrix by the named method.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
    n_components : int
    mds : {"classical", "smacof"}

    Returns
    -------
    ndarray of shape (n, n_components)

    Raises
    ------
    ValueError
        As `classical_mds`; if there is no such method.
    """
    methods = {"classical": classical_mds, "smacof": smacof}
    if mds not in methods:
        raise ValueError(f"mds must be one of {sorted(methods)}, found {mds!r}.")
    return methods[mds](distances, n_components)
