"""The objects of Sparks 2011, Section 5.2: substitutes for its private glands, and items of your own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from consensus_embedding.manifold.graphs import dissimilarity_affinity
from consensus_embedding.utils.seeds import stream, stream_seed
from scipy.spatial.distance import cdist
from sklearn.preprocessing import StandardScaler

from replication.data.digits import read_digits
from replication.data.domains.shape_distance import shape_distances
from replication.data.glands import Glands, GlandSimulator, simulate_glands
from replication.data.readers.item_table import Items
from replication.papers.sparks2011.retrieval_grid import RetrievalSet

SOURCES = {"glands": "simulated", "digits": "public-substitute"}
# Share of the images of digits that only the calibration and the experiment retrieval_substitute see.
CALIBRATION_SHARE = 1 / 3
# Classes of digits, in the order of the counts: one digit, the others merged, and one more digit.
DIGIT_CLASSES = ("one digit", "other digits", "rare digit")
# Role of the objects that claims are judged on.
JUDGED = "judged"


def at_sigma(items: RetrievalSet, sigma: float) -> RetrievalSet:
    """The same objects with affinities at another sigma, a multiple of the median dissimilarity."""
    return replace(items, affinity=dissimilarity_affinity(items.dissimilarities, sigma=sigma)[0])


def gland_set(glands: Glands, sigma: float, *, size: str = "kept", apart: np.ndarray | None = None) -> RetrievalSet:
    """Gland outlines with their shape distances."""
    if apart is None:
        apart = shape_distances(glands.outlines, size=size)
    affinity, _ = dissimilarity_affinity(apart, sigma=sigma)
    return RetrievalSet("glands", affinity, apart, glands.labels, tuple(glands.names), glands.regions)


def draw_glands(
    simulator: GlandSimulator, seed: int, draw: int, *, separation: float = 1.0, role: str = JUDGED
) -> Glands:
    """The cohort of a draw; the same random numbers at every separation of the classes."""
    own = stream_seed(seed, "glands", role, draw)
    return simulate_glands(simulator, own, separation=separation, role=role)


def class_counts(section: Mapping) -> dict[str, int]:
    """Glands of each class, from the section glands of the configuration."""
    return {name: own["n_glands"] for name, own in section["classes"].items()}


def draw_digits(
    sigma: float, counts: Mapping[str, int], seed: int, draw: int, *, role: str = JUDGED, noise: float = 0.0
) -> tuple[RetrievalSet, np.ndarray]:
    """
    Images of digits in the imbalance of the glands: one digit, all others merged, and a rare digit.

    The digits of the two small classes go round with the draw. A third of the images is for roles other than `JUDGED`.
    """
    X, digits = read_digits()
    order = stream(seed, "digits", "roles").permutation(len(X))
    cut = round(CALIBRATION_SHARE * len(X))
    usable = np.sort(order[cut:] if role == JUDGED else order[:cut])
    rare, single = draw % 10, (draw + 1) % 10
    kinds = [digits == single, (digits != single) & (digits != rare), digits == rare]
    generator = stream(seed, "digits", role, draw)
    chosen, labels = [], []
    for number, (kind, name) in enumerate(zip(kinds, counts, strict=True)):
        candidates = usable[kind[usable]]
        if len(candidates) < counts[name]:
            raise ValueError(
                f"glands.classes.{name}.n_glands: the digits have {len(candidates)} images for it, found "
                f"{counts[name]}; lower it, or leave digits out of gland_retrieval.sets."
            )
        chosen.append(generator.permutation(candidates)[: counts[name]])
        labels.append(np.full(counts[name], number))
    chosen, labels = np.concatenate(chosen), np.concatenate(labels)
    images = X[chosen]
    if noise > 0:
        images = images + noise * stream(seed, "digits", role, draw, "noise").standard_normal(images.shape)
    apart = cdist(images, images)
    affinity, _ = dissimilarity_affinity(apart, sigma=sigma)
    return RetrievalSet("digits", affinity, apart, labels, DIGIT_CLASSES), images.reshape(-1, 8, 8)


def own_set(items: Items, name: str, *, sigma: float, scaling: str) -> RetrievalSet:
    """Items of your own; classes are numbered in the order of their names. Labels of queries are left out."""
    if items.kind == "dissimilarities":
        apart = items.values
    else:
        X = np.asarray(StandardScaler().fit_transform(items.values)) if scaling == "zscore" else items.values
        apart = cdist(X, X)
    if not apart.any():
        raise ValueError(
            f"{name}: expected items that differ, found only dissimilarities of 0; check the columns of the table."
        )
    affinity, _ = dissimilarity_affinity(apart, sigma=sigma)
    known = ["" if is_query else label for label, is_query in zip(items.labels, items.queries, strict=True)]
    classes = sorted({label for label in known if label})
    labels = np.array([classes.index(label) if label else -1 for label in known])
    return RetrievalSet(name, affinity, apart, labels, tuple(classes))
