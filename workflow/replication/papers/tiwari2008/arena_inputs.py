"""Spectra for the arena, and locally linear embeddings of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from consensus_embedding.manifold.lle import lle_embeddings

from replication.data.readers.spectra import SpectraStudy, load_studies
from replication.papers.tiwari2008.spectra_studies import SpectraSettings, prepare
from replication.platform.settings import settings_of
from replication.shared.arena_data import Data, PoolSizes


def spectra_data(study: SpectraStudy, number: int, source: str, settings: SpectraSettings) -> Data:
    """The spectra of one study as LLE takes them, and which voxels are cancer; a ValueError if that is not known."""
    if study.truth is None:
        raise ValueError(
            f"{study.name}: the arena needs the truth of each voxel, found none; leave out kappa: spectra."
        )
    return Data(f"study_{number}", source, prepare(study, settings.normalization), study.truth)


def kappa_pools(data: Data, settings: SpectraSettings, sizes: PoolSizes, kappas: tuple[int, int]) -> np.ndarray:
    """Pools of locally linear embeddings, of the smallest numbers of neighbours that give an embedding."""
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
    return sizes.into_pools(pool.embeddings)


def kappas_of_study(
    studies: str,
    study: int,
    source: str,
    spectra_embedding: Mapping[str, Any],
    sizes: PoolSizes,
    kappas: tuple[int, int],
) -> tuple[Data, np.ndarray]:
    """A study of a file and its `kappa_pools`, by the section spectra_embedding."""
    settings = settings_of(SpectraSettings, spectra_embedding, "spectra_embedding")
    data = spectra_data(load_studies(studies)[study], study, source, settings)
    return data, kappa_pools(data, settings, sizes, kappas)
