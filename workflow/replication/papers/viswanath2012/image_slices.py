"""From an image slice to the base embeddings of its objects: the part that all image experiments share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from consensus_embedding.clustering.clustering import (
    CHANCE_ACCURACY,
    evidence_accumulation,
    object_accuracy,
    r_squared_index,
    replicated_kmeans,
    replicated_kmeans_many,
)
from consensus_embedding.clustering.mean_shift import Objects, representative_objects
from consensus_embedding.consensus.subset_embeddings import (
    embed_subsets,
    feature_subsets,
    flat_subsets,
    select_embeddings,
)
from consensus_embedding.features.texture import scale_features, texture_features
from consensus_embedding.manifold.graph_embedding import graph_embedding
from consensus_embedding.utils.seeds import stream_seed
from consensus_embedding.utils.threads import one_blas_thread
from threadpoolctl import threadpool_limits

from replication.papers.viswanath2012.settings import RegionSettings, SliceSettings, TextureSettings

# Label of the crisp phantom; the mask of the brain experiments has it and grey matter.
WHITE_MATTER = 3


@dataclass(frozen=True)
class EmbeddedSlice:
    """One slice, its objects and the base embeddings of the objects."""

    mask: np.ndarray  # (rows, columns), bool: the pixels that take part.
    positive_pixels: np.ndarray  # (n_pixels,), bool: of the class of interest; all False if there are no labels.
    intensity: np.ndarray  # (n_pixels,).
    objects: Objects  # Representatives of the pixels.
    positive: np.ndarray  # (n_objects,): pixels of the class of interest that each object represents.
    embeddings: np.ndarray  # (M, n_objects, n_components), float32.
    subsets: np.ndarray  # (M, V).
    accuracies: np.ndarray  # (M,): two-cluster accuracy of each base embedding, its strength with labels.
    r_squared: np.ndarray  # (M,): R-squared index of each base embedding, its strength without labels.

    def accuracy(self, clusters: np.ndarray) -> float:
        """Share of pixels that clusters of the objects classify right; the best cluster is the class of interest."""
        return object_accuracy(clusters, self.positive, self.objects.sizes)

    def selected(self, settings: RegionSettings, reading: str | None = None) -> np.ndarray:
        """Indices of the strong embeddings; `reading`, if given, takes the place of that of the settings."""
        labelled = settings.strength == "accuracy"
        return select_embeddings(
            self.accuracies if labelled else self.r_squared,
            settings.theta,
            reading=reading or settings.theta_reading,
            chance=CHANCE_ACCURACY if labelled else 0.0,
        )


def slice_features(image: np.ndarray, mask: np.ndarray, settings: TextureSettings) -> np.ndarray:
    """Scaled texture features of the pixels in a mask."""
    options = settings.only("features", "implementation", "window", "levels", "outside")
    return scale_features(texture_features(image, mask, **options), settings.scaling)


def cluster(embedding: np.ndarray, sizes: np.ndarray, settings: SliceSettings, n_clusters: int = 2) -> np.ndarray:
    """Clusters of objects, weighted by their sizes, as the settings say; labels of shape (n_objects,)."""
    if settings.clustering == "evidence_accumulation":
        return evidence_accumulation(embedding, n_clusters, weights=sizes, seed=0)
    return replicated_kmeans(embedding, n_clusters, weights=sizes, n_init=settings.kmeans_starts, seed=0)


def space_accuracy(embedded: EmbeddedSlice, space: np.ndarray, settings: SliceSettings) -> float:
    """Accuracy of the two clusters of the objects in a space."""
    with one_blas_thread():
        return embedded.accuracy(cluster(space, embedded.objects.sizes, settings))


def cluster_many(embeddings: np.ndarray, sizes: np.ndarray, settings: SliceSettings) -> np.ndarray:
    """`cluster` of each of several embeddings; shape (M, n_objects)."""
    if settings.clustering == "evidence_accumulation":
        return np.array([cluster(embedding, sizes, settings) for embedding in embeddings])
    return replicated_kmeans_many(embeddings, 2, weights=sizes, n_init=settings.kmeans_starts, seed=0)


def embed_slice(
    image: np.ndarray,
    mask: np.ndarray,
    positive: np.ndarray | None,
    settings: SliceSettings,
    *,
    seed: int,
    features: np.ndarray | None = None,
    objects: Objects | None = None,
    n_jobs: int = 1,
) -> EmbeddedSlice:
    """Texture, objects and base embeddings of one slice (Viswanath and Madabhushi 2012, ConsEmbedMS, steps 0-2)."""
    mask = np.asarray(mask, dtype=bool)
    with threadpool_limits(1):
        if objects is None:
            features = slice_features(image, mask, settings) if features is None else features
            objects = representative_objects(features, settings.objects, max_objects=settings.max_objects, seed=seed)
        n_objects, n_features = objects.features.shape
        n, needed = settings.n_components, max(3, settings.n_components + 1)
        if n_objects < needed:
            raise ValueError(f"expected at least {needed} objects to embed in {n} dimensions, found {n_objects}.")
        truth = np.zeros(mask.sum(), dtype=bool) if positive is None else np.asarray(positive, bool)[mask]
        counts = np.bincount(objects.assignment, weights=truth, minlength=n_objects)
        subsets = feature_subsets(
            n_features, settings.n_embeddings, settings.subset_size, stream_seed(seed, "image subsets")
        )
        embeddings = embed_subsets(
            objects.features,
            subsets,
            n_components=settings.n_components,
            embedder=graph_embedding,
            options=settings.graph_options,
            n_jobs=n_jobs,
        ).astype(np.float32)
        clusters = cluster_many(embeddings.astype(np.float64), objects.sizes, settings)
        labelled = 0 < counts.sum() < len(truth)
    flat = flat_subsets(objects.features, subsets)
    accuracies = [object_accuracy(labels, counts, objects.sizes) if labelled else np.nan for labels in clusters]
    indices = [
        r_squared_index(embedding, labels, objects.sizes)
        for embedding, labels in zip(embeddings, clusters, strict=True)
    ]
    return EmbeddedSlice(
        mask=mask,
        positive_pixels=truth,
        intensity=np.asarray(image, dtype=np.float64)[mask],
        objects=objects,
        positive=counts,
        embeddings=embeddings,
        subsets=subsets,
        accuracies=np.where(flat & labelled, 0.0, accuracies),
        r_squared=np.where(flat, 0.0, indices),
    )


_ARRAYS = ("mask", "positive_pixels", "intensity", "positive", "embeddings", "subsets", "accuracies", "r_squared")


def pack_slices(slices: Mapping[str, EmbeddedSlice]) -> dict[str, np.ndarray]:
    """Arrays of named slices, to be saved in one .npz file."""
    arrays = {}
    for name, embedded in slices.items():
        arrays |= {f"{name}/{key}": getattr(embedded, key) for key in _ARRAYS}
        objects = embedded.objects
        arrays |= {f"{name}/object_features": objects.features, f"{name}/assignment": objects.assignment}
        arrays |= {
            f"{name}/sizes": objects.sizes,
            f"{name}/bandwidth": np.array(np.nan if objects.bandwidth is None else objects.bandwidth),
        }
    return arrays


def load_slices(path: str | Path, names: list[str] | None = None) -> dict[str, EmbeddedSlice]:
    """Read slices saved as `pack_slices` arranges them."""
    with np.load(path) as arrays:
        present = dict.fromkeys(key.rpartition("/")[0] for key in arrays.files)
        slices = {}
        for name in present if names is None else names:
            bandwidth = float(arrays[f"{name}/bandwidth"])
            objects = Objects(
                features=arrays[f"{name}/object_features"],
                assignment=arrays[f"{name}/assignment"],
                sizes=arrays[f"{name}/sizes"],
                bandwidth=None if np.isnan(bandwidth) else bandwidth,
            )
            slices[name] = EmbeddedSlice(objects=objects, **{key: arrays[f"{name}/{key}"] for key in _ARRAYS})
    return slices
