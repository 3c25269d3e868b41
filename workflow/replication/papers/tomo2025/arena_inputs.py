"""Digits for the arena, and runs of t-SNE and UMAP on any data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from consensus_embedding.utils.seeds import stream_seed

from replication.data.digits import digits_name, digits_source, read_digits
from replication.papers.tomo2025.mce_extensions import extension_runs
from replication.papers.tomo2025.pools import TSNESettings, embed_runs
from replication.platform.settings import settings_of
from replication.shared.arena_data import Data, PoolSizes


def digits_data(max_points: int) -> Data:
    """The first images."""
    return Data(digits_name(max_points), digits_source(max_points), *read_digits(max_points))


def pools_of_runs(
    kind: str,
    data: Data,
    tsne: Mapping[str, Any],
    sizes: PoolSizes,
    options: Mapping[str, Any],
    seed: int,
    progress: Callable[[int], None],
) -> np.ndarray:
    """Pools of t-SNE or UMAP runs, by the section tsne."""
    most = (len(data.X) - 1) / 3
    settings = settings_of(TSNESettings, tsne, "tsne")
    settings = settings.replace(perplexity=min(settings.perplexity, most))
    if kind == "tsne":
        seeds = [stream_seed(seed, data.name, "arena", run) for run in range(sizes.total)]
        return sizes.into_pools(embed_runs(data.X, seeds, settings, progress=progress)[0])
    options = {**options, "perplexities": [min(perplexity, most) for perplexity in options["perplexities"]]}
    pools = []
    for r in range(sizes.repetitions):
        pools.append(
            extension_runs(
                kind, data.X, r, n_embeddings=sizes.n_embeddings, tsne=settings, seed=seed, dataset=data.name, **options
            )
        )
        progress(len(pools) * sizes.n_embeddings)
    return np.stack(pools)
