"""Spectra for the arena, and locally linear embeddings of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from consensus_embedding.manifold.lle import lle_embeddings

from replication.data.readers.spectra import load_studies
from replication.papers.tiwari2008.spectra_studies import SpectraSettings, prepare
from replication.platform.settings import settings_of
from replication.shared.arena_data import Data, PoolSizes


def kappas_of_study(
    studies: str,
    study: int,
    source: str,
    spectra_embedding: Mapping[str, Any],
    sizes: PoolSizes,
    kappas: tuple[int, int],
) -> tuple[Data, np.ndarray]:
    """
    The spectra of a study of a file as LLE takes them, which voxels are cancer, and pools of embeddings.

    These are of the smallest numbers of neighbours that give an embedding. A ValueError if the truth is not known.
    """
    settings = settings_of(SpectraSettings, spectra_embedding, "spectra_embedding")
    read = load_studies(studies)[study]
    if read.truth is None:
        raise ValueError(f"{read.name}: the arena needs the truth of each voxel, found none; leave out kappa: spectra.")
    data = Data(f"study_{study}", source, prepare(read, settings.normalization), read.truth)
    tried = range(kappas[0], min(kappas[1], len(data.X) - 1) + 1)
    pool = lle_embeddings(
        data.X,
        tried,
        settings.n_components,
        regularization=settings.regularization,
        on_disconnected="skip",
    )
    if len(pool.kappas) < sizes.total:
        raise ValueError(
            f"{data.name}: expected {sizes.total} numbers of neighbours that give an embedding, repetitions times "
            f"n_embeddings, found {len(pool.kappas)} from {tried[0]} to {tried[-1]}; widen consensus_arena.kappas."
        )
    return data, sizes.into_pools(pool.embeddings)
