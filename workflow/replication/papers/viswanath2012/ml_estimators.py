"""Median against mean as estimator of the consensus distances (Viswanath and Madabhushi 2012, Experiment 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from consensus_embedding.consensus.subset_embeddings import DistancesOfEmbeddings

from replication.papers.viswanath2012.image_slices import EmbeddedSlice, space_accuracy
from replication.papers.viswanath2012.settings import ImageSettings
from replication.shared.tidy import Metrics

CONDITIONS = ["theta", "noise", "inhomogeneity", "slice", "draw"]


def score_combination(
    metrics: Metrics,
    slices: Mapping[int, EmbeddedSlice],
    settings: ImageSettings,
    estimators: Sequence[str],
    **conditions: object,
) -> None:
    """Combine the same selected embeddings by each estimator, and score."""
    for z, embedded in slices.items():
        distances = DistancesOfEmbeddings(embedded.embeddings, **settings.combination)
        for theta in dict.fromkeys((settings.theta, settings.exploratory_theta)):
            reading = settings.theta_reading if theta == settings.theta else "literal"
            chosen = embedded.selected(settings.replace(theta=theta), reading)
            for estimator in estimators:
                accuracy = space_accuracy(embedded, distances.combine(chosen, estimator).embedding, settings)
                metrics.add(estimator, "accuracy", accuracy, theta=theta, slice=z, **conditions)
