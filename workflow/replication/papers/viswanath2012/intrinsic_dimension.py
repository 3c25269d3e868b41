"""How many dimensions the texture space and the gene space have, by maximum likelihood (Levina and Bickel 2005)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from consensus_embedding.manifold.intrinsic_dimension import intrinsic_dimension
from consensus_embedding.utils.seeds import stream

from replication.data.domains.gene_preparation import PreparedGenes
from replication.papers.viswanath2012.image_slices import EmbeddedSlice, slice_features
from replication.papers.viswanath2012.settings import TextureSettings
from replication.shared.tidy import Metrics

CONDITIONS = ["space", "noise", "inhomogeneity", "slice"]
_MAX_PIXELS = 4000


def score_slice(
    metrics: Metrics,
    image: np.ndarray,
    embedded: EmbeddedSlice,
    settings: TextureSettings,
    n_neighbors: Sequence[int],
    *,
    seed: int,
    **conditions: object,
) -> None:
    """Estimate the dimension of the texture space of one slice, on its pixels and on its objects."""
    features = slice_features(image, embedded.mask, settings)
    n = min(len(features), _MAX_PIXELS)
    pixels = stream(seed, "pixels for the dimension").choice(len(features), n, replace=False)
    low, high = n_neighbors
    for space, points in {"pixels": features[pixels], "objects": embedded.objects.features}.items():
        estimate = intrinsic_dimension(points, k1=low, k2=min(high, len(points) - 2))
        metrics.add("levina_bickel", "intrinsic_dimension", estimate, space=space, **conditions)


def score_genes(metrics: Metrics, genes: PreparedGenes, n_neighbors: Sequence[int]) -> None:
    """Estimate the dimension of the space of the chosen genes, on the training split."""
    low, high = n_neighbors
    if len(genes.training) < low + 2:
        raise ValueError(
            f"intrinsic_dimension.n_neighbors: {low} neighbours need at least {low + 2} training samples, found "
            f"{len(genes.training)}; lower it, or leave out the data set."
        )
    estimate = intrinsic_dimension(genes.training, k1=low, k2=min(high, len(genes.training) - 2))
    metrics.add("levina_bickel", "intrinsic_dimension", estimate, space="genes")
