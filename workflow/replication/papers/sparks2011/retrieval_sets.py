"""The objects of Sparks 2011, Section 5.2: substitutes for its private glands, and items of your own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from consensus_embedding.manifold.graphs import dissimilarity_affinity
from consensus_embedding.utils.seeds import stream, stream_seed
from scipy.spatial.distance import cdist
from sklearn.preprocessing import StandardScaler

from replication.data.digits import read_digits
from replication.data.domains.shape_distance import shape_distances
from replication.data.glands import Glands, GlandSimulator, simulate_glands
from replication.data.readers.item_table import Items
from replication.papers.sparks2011.retrieval_grid import RetrievalSet, varied
from replication.papers.sparks2011.settings import EmbeddedDigits, RollSettings, SizedGlands

# Share of the images of digits that only the calibration and the experiment retrieval_substitute see.
CALIBRATION_SHARE = 1 / 3
# Classes of digits, in the order of the counts: one digit, the others merged, and one more digit.
DIGIT_CLASSES = ("one digit", "other digits", "rare digit")
# Role of the objects that claims are judged on.
JUDGED = "judged"


def at_sigma(items: RetrievalSet, sigma: float) -> RetrievalSet:
    """The same objects with affinities at another sigma, a multiple of the median dissimilarity."""
    return replace(items, affinity=dissimilarity_affinity(items.dissimilarities, sigma=sigma)[0])


def class_counts(section: Mapping) -> dict[str, int]:
    """Glands of each class, from the section glands of the configuration."""
    return {name: own["n_glands"] for name, own in section["classes"].items()}


@dataclass(frozen=True)
class MadeSet(ABC):
    """Objects that are made anew in each draw, as hard and embedded as their settings say."""

    settings: RollSettings | SizedGlands | EmbeddedDigits
    name: ClassVar[str]
    source: ClassVar[str]

    def varied(self, variant: Mapping) -> Self:
        """The same with those keys of a variant that its settings have."""
        return replace(self, settings=varied(self.settings, variant))

    @abstractmethod
    def draw(self, seed: int, draw: int, role: str = JUDGED) -> RetrievalSet:
        """The objects of a draw; each role has its own."""


@dataclass(frozen=True)
class MadeGlands(MadeSet):
    """Simulated gland outlines with their shape distances."""

    simulator: GlandSimulator
    name, source, item, kind = "glands", "simulated", "gland", "outlines"

    def cohort(self, seed: int, draw: int, role: str = JUDGED) -> Glands:
        """The cohort of a draw; the same random numbers at every separation of the classes."""
        own = stream_seed(seed, self.name, role, draw)
        return simulate_glands(self.simulator, own, separation=self.settings.separation, role=role)

    def draw(self, seed: int, draw: int, role: str = JUDGED) -> RetrievalSet:
        """The cohort of a draw, as objects to retrieve."""
        glands = self.cohort(seed, draw, role)
        apart = shape_distances(glands.outlines, size=self.settings.size)
        affinity, _ = dissimilarity_affinity(apart, sigma=self.settings.sigma)
        return RetrievalSet(self.name, affinity, apart, glands.labels, tuple(glands.names), glands.regions)

    def shown(self, seed: int) -> np.ndarray:
        """Outlines of the first draw."""
        return self.cohort(seed, 0).outlines


@dataclass(frozen=True)
class MadeDigits(MadeSet):
    """Images of digits in the imbalance of the glands: one digit, all others merged, and a rare digit."""

    counts: Mapping[str, int]  # Class of glands -> images in its place.
    name, source, item, kind = "digits", "public-substitute", "image", "images"

    def images(self, seed: int, draw: int, role: str = JUDGED) -> tuple[np.ndarray, np.ndarray]:
        """
        Images of a draw, one a row, and the numbers of their classes.

        The digits of the two small classes go round with the draw. A third of the images is for roles other than
        `JUDGED`.
        """
        X, digits = read_digits()
        order = stream(seed, self.name, "roles").permutation(len(X))
        cut = round(CALIBRATION_SHARE * len(X))
        usable = np.sort(order[cut:] if role == JUDGED else order[:cut])
        rare, single = draw % 10, (draw + 1) % 10
        kinds = [digits == single, (digits != single) & (digits != rare), digits == rare]
        generator = stream(seed, self.name, role, draw)
        chosen, labels = [], []
        for number, (kind, (name, count)) in enumerate(zip(kinds, self.counts.items(), strict=True)):
            candidates = usable[kind[usable]]
            if len(candidates) < count:
                raise ValueError(
                    f"glands.classes.{name}.n_glands: the digits have {len(candidates)} images for it, found "
                    f"{count}; lower it, or leave digits out of gland_retrieval.sets."
                )
            chosen.append(generator.permutation(candidates)[:count])
            labels.append(np.full(count, number))
        images = X[np.concatenate(chosen)]
        if self.settings.noise > 0:
            noise = stream(seed, self.name, role, draw, "noise").standard_normal(images.shape)
            images = images + self.settings.noise * noise
        return images, np.concatenate(labels)

    def draw(self, seed: int, draw: int, role: str = JUDGED) -> RetrievalSet:
        """The images of a draw, as objects to retrieve."""
        images, labels = self.images(seed, draw, role)
        apart = cdist(images, images)
        affinity, _ = dissimilarity_affinity(apart, sigma=self.settings.sigma)
        return RetrievalSet(self.name, affinity, apart, labels, DIGIT_CLASSES)

    def shown(self, seed: int) -> np.ndarray:
        """Images of the first draw."""
        return self.images(seed, 0)[0].reshape(-1, 8, 8)


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
