"""How well an embedding keeps which two of three objects are closest: embedding strength and class triplets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from consensus_embedding.utils.labels import check_labels_present, classes_of, label_array
from consensus_embedding.utils.numbers import real_numbers, require_symmetric
from consensus_embedding.utils.rows import check_row_order

# Strength of an embedding that knows nothing of the data: each of the three pairs is as likely the closest one.
CHANCE_STRENGTH = 1.0 / 3.0
_NUMBA = {"cache": True, "nogil": True, "error_model": "numpy"}


@dataclass(frozen=True)
class Strength:
    """
    Share of triplets whose closest pair is the right one.

    Attributes
    ----------
    value : float
        In [0, 1]; `CHANCE_STRENGTH` for an embedding that knows nothing of the data.
    n_triplets : int
        Triplets that were judged.
    """

    value: float
    n_triplets: int


def embedding_strength(original: ArrayLike, embedding: ArrayLike) -> Strength:
    """
    Share of triplets whose closest pair in the original space stays the closest in the embedding.

    Viswanath and Madabhushi 2012, Definitions 1 and 2. A triplet counts if one of its pairs is strictly the
    closest in the original space: the definition says nothing of the others. It is kept if the same pair is
    strictly the closest in the embedding, so an embedding that maps all objects to one point has strength 0.
    All n (n - 1) (n - 2) / 6 are looked at: 5 ms for 300 objects, 80 s for 5000.

    Parameters
    ----------
    original, embedding : array-like of shape (n, n)
        Distances between the same objects, symmetric. Only their order matters.

    Returns
    -------
    Strength

    Raises
    ------
    ValueError
        If a matrix is not square, symmetric and finite, or their shapes differ; if there are fewer than three
        objects, or no triplet has a single closest pair.
    """
    check_row_order(original=original, embedding=embedding)
    original, embedding = _check_distances(original, "original"), _check_distances(embedding, "embedding")
    if original.shape != embedding.shape:
        raise ValueError(
            f"Both matrices must describe the same objects, found {len(original)} in the original space "
            f"and {len(embedding)} in the embedding."
        )
    kept, counted = _count_all(original, embedding)
    if counted == 0:
        raise ValueError("No triplet has a single closest pair in the original space: its distances are all tied.")
    return Strength(kept / counted, int(counted))


def class_triplet_accuracy(labels: ArrayLike, embedding: ArrayLike) -> Strength:
    """
    Share of class triplets in which the two objects of one class are the closest pair of the embedding.

    Viswanath and Madabhushi 2012, Definitions 6 and 7, and for more than two classes alike: a class triplet has
    two objects of one class and one of another. The pair must be strictly the closest.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Class of each object; at least two classes, one of them with at least two objects.
    embedding : array-like of shape (n, n)
        Distances in the embedding, symmetric.

    Returns
    -------
    Strength

    Raises
    ------
    ValueError
        If the matrix is not square, symmetric and finite; if there is not one label for each object, a label
        is NaN or None, or there is no class triplet.
    """
    check_row_order(embedding=embedding, labels=labels)
    embedding, labels = _check_distances(embedding, "embedding"), label_array(labels)
    if labels.shape != (len(embedding),):
        raise ValueError(f"Expected one label for each of {len(embedding)} objects, found shape {labels.shape}.")
    check_labels_present(labels, "Give each object a class, or leave those out.")
    _, classes = classes_of(labels)
    sizes = np.bincount(classes)
    kept, counted = _count_all_of_classes(classes, embedding)
    if counted == 0:
        raise ValueError(
            f"No class triplet: found {len(sizes)} classes of at most {sizes.max()} objects; two classes are needed, "
            "one of them with two objects."
        )
    return Strength(kept / counted, int(counted))


def _check_distances(distances: ArrayLike, name: str) -> np.ndarray:
    distances = np.ascontiguousarray(real_numbers(distances, f"The {name} distances"))
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1] or len(distances) < 3:
        raise ValueError(
            f"The {name} distances must be a square matrix of at least 3 objects, found shape {distances.shape}."
        )
    if not np.isfinite(distances).all():
        raise ValueError(f"The {name} distances contain NaN or infinity; fix the embedding or remove those objects.")
    require_symmetric(distances, f"The {name} distances")
    return distances


@njit(**_NUMBA)
def _count_all(original: np.ndarray, embedding: np.ndarray) -> tuple[int, int]:
    """Kept and counted triplets; no branch in the inner loop, so that it runs on vectors."""
    n = len(original)
    kept, counted = 0, 0
    for i in range(n - 2):
        for j in range(i + 1, n - 1):
            near, near_now = original[i, j], embedding[i, j]
            for k in range(j + 1, n):
                a, b = original[i, k], original[j, k]
                a_now, b_now = embedding[i, k], embedding[j, k]
                first, second, third = (near < a) & (near < b), (a < near) & (a < b), (b < near) & (b < a)
                counted += first | second | third
                kept += (
                    (first & (near_now < a_now) & (near_now < b_now))
                    | (second & (a_now < near_now) & (a_now < b_now))
                    | (third & (b_now < near_now) & (b_now < a_now))
                )
    return kept, counted


@njit(**_NUMBA)
def _count_all_of_classes(classes: np.ndarray, embedding: np.ndarray) -> tuple[int, int]:
    """Kept and counted class triplets."""
    n = len(classes)
    kept, counted = 0, 0
    for i in range(n - 1):
        for j in range(i + 1, n):
            if classes[i] != classes[j]:
                continue
            near = embedding[i, j]
            for k in range(n):
                other = classes[k] != classes[i]
                counted += other
                kept += other & (near < embedding[i, k]) & (near < embedding[j, k])
    return kept, counted
