"""Experiment 1 of Viswanath and Madabhushi 2012 over grey levels and over the readings of theta = 0.15 x max."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from consensus_embedding.consensus.subset_embeddings import DistancesOfEmbeddings

from replication.papers.viswanath2012.brain_grid import paper_spaces
from replication.papers.viswanath2012.image_slices import EmbeddedSlice, space_accuracy
from replication.papers.viswanath2012.method_names import method_of_reading
from replication.papers.viswanath2012.settings import RegionSettings
from replication.shared.tidy import Metrics

CONDITIONS = ["levels", "noise", "inhomogeneity", "slice"]


def score_combination(
    metrics: Metrics,
    slices: Mapping[int, EmbeddedSlice],
    settings: RegionSettings,
    readings: Sequence[str],
    **conditions: object,
) -> None:
    """Score features, MDS, GE, and the consensus under each reading of theta, on the same base embeddings."""
    for z, embedded in slices.items():
        distances = DistancesOfEmbeddings(embedded.embeddings, **settings.combination)
        spaces = paper_spaces(embedded, settings, distances)
        # Readings that select the same embeddings share their consensus.
        known: dict[bytes, float] = {
            embedded.selected(settings).tobytes(): space_accuracy(embedded, spaces["consensus"], settings)
        }
        for method in ("features", "mds", "graph_embedding"):
            metrics.add(method, "accuracy", space_accuracy(embedded, spaces[method], settings), slice=z, **conditions)
        for reading in readings:
            chosen = embedded.selected(settings, reading)
            if chosen.tobytes() not in known:
                space = distances.combine(chosen).embedding
                known[chosen.tobytes()] = space_accuracy(embedded, space, settings)
            metrics.add(method_of_reading(reading), "accuracy", known[chosen.tobytes()], slice=z, **conditions)
            metrics.add(method_of_reading(reading), "n_selected", len(chosen), slice=z, **conditions)
            # What is selected without labels, and how much of it the labels would select; and how much of all.
            unlabelled = embedded.selected(settings.replace(strength="r_squared"), reading)
            for name, kept in (("r_squared", unlabelled), ("all", np.arange(len(embedded.embeddings)))):
                share = float(np.isin(kept, chosen).mean())
                metrics.add(f"{name}_{reading}", "strong_share", share, slice=z, **conditions)
