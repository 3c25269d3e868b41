"""Intrinsic dimension of a table by maximum likelihood."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

from consensus_embedding.utils.numbers import real_numbers, with_squares
from consensus_embedding.utils.threads import one_thread


def intrinsic_dimension(X: np.ndarray, *, k1: int = 10, k2: int = 20) -> float:
    """
    Maximum-likelihood intrinsic dimension of points (n, p) (Levina and Bickel 2005).

    With T_j the distance to neighbour j, [mean over j < k of log(T_k / T_j)]^-1 at a point (Eq. 8), mean over points
    (Eq. 9), then over k from k1 >= 2 to k2 (Eq. 10). Bias: upwards by (k - 1) / (k - 2) through the mean of inverses,
    downwards in high dimension for lack of points.
    """
    X = real_numbers(X, "X")
    if X.ndim != 2 or X.size == 0:
        raise ValueError(f"Expected a table (points, features), found shape {X.shape}.")
    if not np.isfinite(X).all():
        raise ValueError("The table contains NaN or infinity; remove those points or fix the features.")
    if not 2 <= k1 <= k2:
        raise ValueError(f"Expected 2 <= k1 <= k2, found k1 = {k1}, k2 = {k2}.")
    # Those that occur several times count once: a density has no repeated points, and distances of 0 have no logarithm.
    points = np.unique(with_squares(X), axis=0)
    if len(points) <= k2:
        raise ValueError(
            f"{k2} neighbours need at least {k2 + 1} distinct points, found {len(points)}; choose a smaller k2."
        )
    with one_thread():
        # Neighbours of the points themselves: a point is not its own neighbour.
        distances, _ = NearestNeighbors(n_neighbors=k2).fit(points - points.mean(axis=0)).kneighbors()
    logs = np.log(np.maximum(distances, np.finfo(float).tiny))
    ks = np.arange(k1, k2 + 1)
    # Mean of log(T_k / T_j) over j < k, one column for each k.
    inverse = logs[:, k1 - 1 :] - np.cumsum(logs, axis=1)[:, k1 - 2 : -1] / (ks - 1)
    if inverse.min() <= 1e-12:
        raise ValueError(
            "All neighbours of a point are at the same distance, so its dimension is infinite; try a larger k1."
        )
    return float((1.0 / inverse).mean())
