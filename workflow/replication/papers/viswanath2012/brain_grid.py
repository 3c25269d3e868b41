"""White against grey matter over noise and non-uniformity (Viswanath and Madabhushi 2012, Experiment 1)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from consensus_embedding.clustering.clustering import clustering_accuracy, replicated_kmeans
from consensus_embedding.consensus.subset_embeddings import DistancesOfEmbeddings, combine_embeddings, select_embeddings
from consensus_embedding.manifold.graph_embedding import graph_embedding
from consensus_embedding.manifold.mds import classical_mds
from consensus_embedding.utils.seeds import stream, stream_seed
from consensus_embedding.utils.threads import one_blas_thread
from scipy.spatial.distance import pdist, squareform

from replication.papers.viswanath2012.image_slices import EmbeddedSlice, cluster
from replication.papers.viswanath2012.method_names import METHODS
from replication.papers.viswanath2012.settings import ImageSettings, RegionSettings
from replication.shared.tidy import Metrics

CONDITIONS = ["objects", "noise", "inhomogeneity", "slice", "draw"]


def score_slice(
    embedded: EmbeddedSlice,
    settings: ImageSettings,
    *,
    learnt: np.ndarray | None = None,
    seed: int = 0,
    controls: bool = True,
) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Cluster one slice in every representation."""
    distances = DistancesOfEmbeddings(embedded.embeddings, **settings.combination)
    spaces, counts = paper_spaces(embedded, settings, distances), {}
    if controls:
        selected, counts = selected_spaces(embedded, settings, learnt, distances)
        spaces |= selected
    spaces |= single_spaces(embedded, learnt)
    if controls:
        shape = (len(embedded.objects.features), settings.n_components)
        spaces["random"] = stream(seed, "random embedding").normal(size=shape)
    with one_blas_thread():
        clusters = {method: cluster(space, embedded.objects.sizes, settings) for method, space in spaces.items()}
    return clusters, counts


def paper_spaces(
    embedded: EmbeddedSlice, settings: RegionSettings, distances: DistancesOfEmbeddings | None = None
) -> dict[str, np.ndarray]:
    """
    The four representations that the paper compares: method -> coordinates of the objects.

    `distances` are those of the base embeddings, if they are known.
    """
    features, n_components = embedded.objects.features, settings.n_components
    selected = embedded.selected(settings)
    with one_blas_thread():
        distances = distances or DistancesOfEmbeddings(embedded.embeddings, **settings.combination)
        return {
            "features": features,
            "mds": classical_mds(squareform(pdist(features)), n_components),
            "graph_embedding": graph_embedding(features, n_components, **settings.graph_options),
            "consensus": distances.combine(selected).embedding,
        }


def selected_spaces(
    embedded: EmbeddedSlice, settings: ImageSettings, learnt: np.ndarray | None, distances: DistancesOfEmbeddings
) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Controls that select at a strict threshold: coordinates of the objects, and numbers of embeddings kept."""
    strict = settings.exploratory_theta
    selections = {
        "consensus_strict": select_embeddings(embedded.accuracies, strict),
        "consensus_strict_unlabelled": select_embeddings(embedded.r_squared, strict),
    }
    if learnt is not None:
        selections["consensus_strict_learnt"] = select_embeddings(learnt, strict)
    spaces = {method: distances.combine(selected).embedding for method, selected in selections.items()}
    chosen = embedded.subsets[selections["consensus_strict"]]
    raw = [embedded.objects.features[:, subset] for subset in chosen]
    spaces["raw_strict"] = combine_embeddings(raw, **settings.combination).embedding
    kept = {method: float(len(selected)) for method, selected in selections.items()}
    kept["consensus"] = float(len(embedded.selected(settings)))
    return spaces, kept


def single_spaces(embedded: EmbeddedSlice, learnt: np.ndarray | None) -> dict[str, np.ndarray]:
    """Controls that take one base embedding: the best by the same labels, the best on other slices."""
    chosen = {"best_single": embedded.accuracies.argmax()}
    if learnt is not None:
        chosen["best_single_learnt"] = np.argmax(learnt)
    return {method: embedded.embeddings[index].astype(np.float64) for method, index in chosen.items()}


def pixel_accuracies(
    embedded: EmbeddedSlice, kmeans_starts: int, features: np.ndarray | None = None
) -> dict[str, float]:
    """Accuracy of 2-means on the pixels themselves: their raw intensity and, if given, their features."""
    spaces = {"intensity": embedded.intensity[:, None]}
    if features is not None:
        spaces["features_of_pixels"] = features
    return {
        method: clustering_accuracy(replicated_kmeans(space, 2, n_init=kmeans_starts, seed=0), embedded.positive_pixels)
        for method, space in spaces.items()
    }


def learnt_strengths(slices: list[EmbeddedSlice]) -> np.ndarray:
    """Mean strength of each feature subset over slices, shape (M,)."""
    return np.mean([embedded.accuracies for embedded in slices], axis=0)


def score_combination(
    metrics: Metrics,
    slices: Mapping[int, EmbeddedSlice],
    learnt: np.ndarray | None,
    settings: ImageSettings,
    *,
    features: Mapping[int, np.ndarray] | None = None,
    controls: bool = True,
    seed: int,
    **conditions: object,
) -> dict[int, dict[str, np.ndarray]]:
    """Score all slices of one combination of noise and non-uniformity."""
    maps = {}
    for z, embedded in slices.items():
        # The random embedding is another one for every slice.
        own = stream_seed(seed, "slice", z, *conditions.values())
        maps[z], counts = score_slice(embedded, settings, learnt=learnt, seed=own, controls=controls)
        for method in [name for name in METHODS if name in maps[z]]:
            metrics.add(method, "accuracy", embedded.accuracy(maps[z][method]), slice=z, **conditions)
        if features is not None:
            for method, accuracy in pixel_accuracies(embedded, settings.kmeans_starts, features[z]).items():
                metrics.add(method, "accuracy", accuracy, slice=z, **conditions)
        for method, n_selected in counts.items():
            metrics.add(method, "n_selected", n_selected, slice=z, **conditions)
    return maps


def region_map(embedded: EmbeddedSlice, clusters: np.ndarray) -> np.ndarray:
    """Clusters drawn back on the image."""
    best = max(np.unique(clusters), key=lambda c: _right_pixels(embedded, clusters == c))
    drawn = np.full(embedded.mask.shape, -1, dtype=np.int8)
    drawn[embedded.mask] = embedded.objects.to_pixels((clusters == best).astype(np.int8))
    return drawn


def _right_pixels(embedded: EmbeddedSlice, chosen: np.ndarray) -> float:
    """Pixels classified correctly if a set of objects is taken as the class of interest."""
    return embedded.positive[chosen].sum() + (embedded.objects.sizes - embedded.positive)[~chosen].sum()
