"""Selection of embeddings on training slices, consensus on the slice left out (Viswanath 2012, Experiment 3)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from consensus_embedding.clustering.clustering import CHANCE_ACCURACY, replicated_kmeans
from consensus_embedding.consensus.subset_embeddings import DistancesOfEmbeddings, select_embeddings
from consensus_embedding.manifold.graph_embedding import graph_embedding
from threadpoolctl import threadpool_limits

from replication.papers.viswanath2012.image_slices import EmbeddedSlice, cluster
from replication.papers.viswanath2012.method_names import BY_MEAN, DETECTORS, SELECTING, method_of_reading
from replication.papers.viswanath2012.settings import ImageSettings
from replication.shared.tidy import Metrics

CONDITIONS = ["scheme", "contrast", "pair", "gland", "slice"]


def vote(strengths: np.ndarray, theta: float, **options: object) -> np.ndarray:
    """
    Embeddings with the most votes of training slices.

    The paper selects those that all slices vote for, and does not say what to do if there are none.
    """
    votes = np.zeros(strengths.shape[1], dtype=int)
    for row in strengths:
        votes[select_embeddings(row, theta, **options)] += 1
    return np.flatnonzero(votes == votes.max())


def score_slices(
    slices: Mapping[tuple[int, int], EmbeddedSlice], settings: ImageSettings, contrast: float
) -> tuple[Metrics, dict[tuple[int, int], dict[str, np.ndarray]]]:
    """Leave out each slice, and each gland, and score what is learnt on the others; and the clusters of slices."""
    metrics, maps = Metrics("leave_one_out", "prostate_phantom", "simulated", CONDITIONS), {}
    for (gland, z), embedded in slices.items():
        sizes = embedded.objects.sizes
        with threadpool_limits(1):
            distances = DistancesOfEmbeddings(embedded.embeddings, **settings.combination)
            space = graph_embedding(embedded.objects.features, settings.n_components, **settings.graph_options)
            alike = {"graph_embedding": embedded.objects.to_pixels(cluster(space, sizes, settings))}
        alike["intensity"] = replicated_kmeans(embedded.intensity[:, None], 2, n_init=settings.kmeans_starts, seed=0)
        alike["nothing"] = np.zeros(len(embedded.intensity), dtype=int)
        for scheme in ("slice", "gland"):
            others = [
                other for key, other in slices.items() if (key[0] != gland if scheme == "gland" else key != (gland, z))
            ]
            labelled = settings.strength == "accuracy"
            at = {"scheme": scheme, "contrast": contrast, "pair": gland // 2, "gland": gland, "slice": z}
            strengths = np.array([other.accuracies if labelled else other.r_squared for other in others])
            with threadpool_limits(1):
                spaces = {"best_single_learnt": embedded.embeddings[strengths.mean(axis=0).argmax()].astype(np.float64)}
                chance = CHANCE_ACCURACY if labelled else 0.0
                votes = {
                    "consensus": vote(strengths, settings.theta, reading=settings.theta_reading, chance=chance),
                    "consensus_strict": vote(strengths, settings.exploratory_theta),
                    **{
                        method_of_reading(reading): vote(strengths, settings.theta, reading=reading, chance=chance)
                        for reading in SELECTING
                    },
                    **{
                        method: select_embeddings(
                            strengths.mean(axis=0), settings.theta, reading=reading, chance=chance
                        )
                        for method, reading in zip(BY_MEAN, SELECTING, strict=True)
                    },
                }
                for method, chosen in votes.items():
                    spaces[method] = distances.combine(chosen).embedding
                    metrics.add(method, "n_selected", len(chosen), **at)
                clusters = alike | {
                    method: embedded.objects.to_pixels(cluster(space, sizes, settings))
                    for method, space in spaces.items()
                }
            for method in DETECTORS:
                for metric, value in detection_scores(clusters[method], embedded.positive_pixels).items():
                    metrics.add(method, metric, value, **at)
            if scheme == "slice":
                maps[gland, z] = clusters
    return metrics, maps


def pictures(embedded: EmbeddedSlice, clusters: Mapping[str, np.ndarray], name: str) -> dict[str, np.ndarray]:
    """Image, lesion and detected pixels of one slice, for a figure; arrays of shape (rows, columns)."""
    drawn = {"lesion": embedded.positive_pixels, "image": embedded.intensity}
    for method in ("graph_embedding", "consensus", "consensus_strict"):
        drawn[method] = detected(clusters[method], embedded.positive_pixels)
    arrays = {}
    for key, values in drawn.items():
        picture = np.full(embedded.mask.shape, np.nan)
        picture[embedded.mask] = values
        arrays[f"{name}/{key}"] = picture
    return arrays


def detection_scores(clusters: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Accuracy, sensitivity, specificity and their mean, the best cluster taken as the class of interest."""
    found = detected(clusters, truth)
    sensitivity, specificity = float(found[truth].mean()), float((~found[~truth]).mean())
    return {
        "accuracy": float(np.mean(found == truth)),
        "sensitivity": sensitivity,
        "specificity": specificity,
        "balanced_accuracy": (sensitivity + specificity) / 2,
    }


def detected(clusters: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Pixels of the cluster that tells most pixels right; where there is only one cluster, none is detected."""
    names = np.unique(clusters)
    found = ((clusters == name) & (len(names) > 1) for name in names)
    return max(found, key=lambda pixels: np.mean(pixels == truth))
