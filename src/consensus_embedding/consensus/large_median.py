"""The picture of a median consensus of very many points, without a table of their distances."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.spatial.distance import pdist, squareform

from consensus_embedding.consensus.cost import TABLE_POINTS
from consensus_embedding.manifold.distance_matrices import combined_distances
from consensus_embedding.manifold.large_mds import (
    ConsensusPairs,
    Progress,
    landmark_scaling,
    large_classical,
    large_smacof,
    relative_stress,
    silent,
)
from consensus_embedding.manifold.mds import embed_distances

METHODS = ("classical", "landmark", "smacof")


def draw_consensus(
    embeddings: np.ndarray,
    weights: np.ndarray,
    *,
    n_components: int = 2,
    mds: str = "smacof",
    keep_distances: bool | None = None,
    max_memory_gb: float = 6.0,
    n_jobs: int = 1,
    progress: Progress = silent,
) -> tuple[np.ndarray | None, np.ndarray, float]:
    """
    Picture of the weighted mean of the distances in embeddings, (m, n, p): distances, picture, stress.

    The distances are condensed, None without `keep_distances`, by default kept up to `TABLE_POINTS` points; the stress
    is over all pairs, as `relative_stress`. A RuntimeWarning if the distances do not fit into `max_memory_gb`, so that
    each step takes many times as long. `progress` is called with a message.
    """
    n = embeddings.shape[1]
    if keep_distances is None:
        keep_distances = n <= TABLE_POINTS
    if n <= TABLE_POINTS and mds != "landmark":
        distances = combined_distances(embeddings, weights, n_jobs=n_jobs)
        picture = embed_distances(squareform(distances), n_components, mds)
        misfit = np.square(pdist(picture) - distances).sum()
        return distances if keep_distances else None, picture, relative_stress(misfit, np.square(distances).sum())
    keep = keep_distances or (mds != "landmark" and _fits(n, len(embeddings), max_memory_gb))
    progress("distances between the points")
    pairs = ConsensusPairs(embeddings, weights, keep=keep, n_jobs=n_jobs)
    if mds == "landmark":
        picture = landmark_scaling(pairs, n_components)
    elif mds == "classical":
        picture = large_classical(pairs, n_components, progress=progress)
    else:
        picture = large_smacof(pairs, n_components, progress=progress)
    progress("stress of the picture")
    _, misfit, _, total = pairs.guttman(np.ascontiguousarray(picture.T))
    return pairs.condensed if keep_distances else None, picture, relative_stress(misfit, total)


def _fits(n: int, m: int, max_memory_gb: float) -> bool:
    """Whether the distances of n points may be kept; warns if not."""
    size = 2e-9 * n * (n - 1)
    if size > max_memory_gb:
        warnings.warn(
            f"The distances of {n} points need {size:.1f} GB, more than max_memory_gb = {max_memory_gb:g}: each step "
            f"of the scaling computes them again from {m} embeddings, which takes many times as long. Raise "
            'max_memory_gb, or choose mds="landmark".',
            RuntimeWarning,
            stacklevel=5,
        )
    return size <= max_memory_gb
