"""Gene expression and slices of the brain for the arena, and graph embeddings of random subsets of their features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from consensus_embedding.consensus.subset_embeddings import embed_subsets, feature_subsets

from replication.data.domains.gene_preparation import standardize, transform_expression
from replication.data.readers.expression import load_split
from replication.data.readers.volumes import read_volume
from replication.papers.viswanath2012.image_slices import WHITE_MATTER, embed_slice
from replication.papers.viswanath2012.settings import PoolSettings, SliceSettings
from replication.platform.settings import settings_of
from replication.shared.arena_data import Data, PoolSizes


def load_genes(name: str, source: str, split: str, gene_embedding: Mapping[str, Any]) -> Data:
    """
    All samples of a data set of gene expression, on the genes of the largest variance.

    Unlike in the experiments on genes, the choice of the genes sees no class.
    """
    settings, read = settings_of(PoolSettings, gene_embedding, "gene_embedding"), load_split(split)
    parts = (read.training, read.test)
    values = [transform_expression(part.values, settings.transform, of=name) for part in parts]
    together = np.concatenate(values)
    # A gene with missing values counts as the least variable.
    variance = np.where(np.isnan(together).any(axis=0), -1.0, together.var(axis=0))
    chosen = np.argsort(-variance, kind="stable")[: settings.n_genes]
    tables, _ = standardize(*(part[:, chosen] for part in values), settings.standardization)
    return Data(name, source, np.concatenate(tables), np.concatenate([part.classes for part in parts]))


def gene_subsets(data: Data, gene_embedding: Mapping[str, Any], sizes: PoolSizes, seed: int) -> np.ndarray:
    """Pools of graph embeddings of random subsets of the genes."""
    settings = settings_of(PoolSettings, gene_embedding, "gene_embedding")
    subsets = feature_subsets(data.X.shape[1], sizes.total, settings.subset_size, seed)
    options = settings.graph_options
    return sizes.into_pools(embed_subsets(data.X, subsets, n_components=settings.n_components, options=options))


def slice_subsets(
    image: str,
    labels: str,
    z: int,
    position: int,
    source: str,
    image_embedding: Mapping[str, Any],
    sizes: PoolSizes,
    seed: int,
) -> tuple[Data, np.ndarray]:
    """Objects of a slice of the brain, and pools of graph embeddings of random subsets of their texture features."""
    plane, tissues = (read_volume(path).data[..., position] for path in (image, labels))
    settings = settings_of(SliceSettings, image_embedding, "image_embedding").replace(n_embeddings=sizes.total)
    embedded = embed_slice(plane, tissues > 0, tissues == WHITE_MATTER, settings, seed=seed)
    white = 2 * embedded.positive > embedded.objects.sizes
    return Data(f"slice_{z}", source, embedded.objects.features, white), sizes.into_pools(embedded.embeddings)
