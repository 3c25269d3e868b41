"""How well an embedding keeps which two of three objects are closest: embedding strength and class triplets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from consensus_embedding.utils.labels import check_labels_present, classes_of, label_array
from consensus_embedding.utils.numbers import real_numbers, require_symmetric
from consensus_embedding.utils.parameters import checked_arguments
from consensus_embedding.utils.rows import check_row_order
from consensus_embedding.utils.seeds import generator

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
    standard_error : float
        Of the sample; 0 if all triplets were counted.
    n_triplets : int
        Triplets that were judged.
    """

    value: float
    standard_error: float
    n_triplets: int


@checked_arguments
def embedding_strength(
    original: np.ndarray, embedding: np.ndarray, *, n_triplets: int | None = None, seed: int = 0
) -> Strength:
    """
    Share of triplets whose closest pair in the original space stays the closest in the embedding.

    Viswanath and Madabhushi 2012, Definitions 1 and 2. A triplet counts if one of its pairs is strictly the
    closest in the original space: the definition says nothing of the others. It is kept if the same pair is
    strictly the closest in the embedding, so an embedding that maps all objects to one point has strength 0.

    Parameters
    ----------
    original, embedding : array-like of shape (n, n)
        Distances between the same objects, symmetric. Only their order matters.
    n_triplets : int, optional
        Draw that many triplets at random, with replacement, all equally likely; if not given, all
        n (n - 1) (n - 2) / 6 are counted (5 ms for 300 objects, growing with the cube of n).
    seed : int
        Of the draw.

    Returns
    -------
    Strength
        Of a sample: unbiased given the triplets that count, with the standard error of a binomial share,
        sqrt(value (1 - value) / (n_triplets - 1)).

    Raises
    ------
    ValueError
        If a matrix is not square, symmetric and finite, or their shapes differ; if there are fewer than three
        objects, `n_triplets` is below 2, or no triplet has a single closest pair.
    """
    check_row_order(original, embeddings=[embedding])
    original, embedding = _check_distances(original, "original"), _check_distances(embedding, "embedding")
    if original.shape != embedding.shape:
        raise ValueError(
            f"Both matrices must describe the same objects, found {len(original)} in the original space "
            f"and {len(embedding)} in the embedding."
        )
    if n_triplets is None:
        kept, counted = _count_all(original, embedding)
    else:
        kept, counted = _count_some(original, embedding, _random_triplets(len(original), n_triplets, seed))
    if counted == 0:
        raise ValueError("No triplet has a single closest pair in the original space: its distances are all tied.")
    return _strength(kept, counted, sampled=n_triplets is not None)


@checked_arguments
def class_triplet_accuracy(
    labels: np.ndarray, embedding: np.ndarray, *, n_triplets: int | None = None, seed: int = 0
) -> Strength:
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
    n_triplets : int, optional
        Draw that many class triplets at random, with replacement, all equally likely; if not given, all are
        counted.
    seed : int
        Of the draw.

    Returns
    -------
    Strength
        As for `embedding_strength`.

    Raises
    ------
    ValueError
        If the matrix is not square, symmetric and finite; if there is not one label for each object, a label
        is NaN or None, there is no class triplet, or `n_triplets` is below 2.
    """
    check_row_order(labels=labels, embeddings=[embedding])
    embedding, labels = _check_distances(embedding, "embedding"), label_array(labels)
    if labels.shape != (len(embedding),):
        raise ValueError(f"Expected one label for each of {len(embedding)} objects, found shape {labels.shape}.")
    check_labels_present(labels, "Give each object a class, or leave those out.")
    _, classes = classes_of(labels)
    sizes = np.bincount(classes)
    numbers = sizes * (sizes - 1) // 2 * (len(labels) - sizes)
    if numbers.sum() == 0:
        raise ValueError(
            f"No class triplet: found {len(sizes)} classes of at most {sizes.max()} objects; two classes are needed, "
            "one of them with two objects."
        )
    if n_triplets is None:
        kept, counted = _count_all_of_classes(classes, embedding)
    else:
        triplets = _random_class_triplets(classes, numbers, n_triplets, seed)
        first, second, other = triplets.T
        near = embedding[first, second]
        kept = int(((near < embedding[first, other]) & (near < embedding[second, other])).sum())
        counted = n_triplets
    return _strength(kept, counted, sampled=n_triplets is not None)


def _check_distances(distances: np.ndarray, name: str) -> np.ndarray:
    distances = np.ascontiguousarray(real_numbers(distances, f"The {name} distances"))
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1] or len(distances) < 3:
        raise ValueError(
            f"The {name} distances must be a square matrix of at least 3 objects, found shape {distances.shape}."
        )
    if not np.isfinite(distances).all():
        raise ValueError(f"The {name} distances contain NaN or infinity; fix the embedding or remove those objects.")
    require_symmetric(distances, f"The {name} distances")
    return distances


def _strength(kept: int, counted: int, *, sampled: bool) -> Strength:
    value = kept / counted
    error = float(np.sqrt(value * (1.0 - value) / max(counted - 1, 1))) if sampled else 0.0
    return Strength(value, error, int(counted))


def _check_sample(n_triplets: int) -> None:
    if n_triplets < 2:
        raise ValueError(f"A sample needs at least 2 triplets, found n_triplets = {n_triplets}.")


def _distinct_from(draws: np.ndarray, *taken: np.ndarray) -> np.ndarray:
    """Move draws from as many numbers as are left past the ones taken (ascending): all left are equally likely."""
    for other in taken:
        draws = draws + (draws >= other)
    return draws


def _random_triplets(n: int, n_triplets: int, seed: int) -> np.ndarray:
    """Triplets of distinct objects, all equally likely, (n_triplets, 3)."""
    _check_sample(n_triplets)
    rng = generator(seed)
    first = rng.integers(n, size=n_triplets)
    second = _distinct_from(rng.integers(n - 1, size=n_triplets), first)
    low, high = np.minimum(first, second), np.maximum(first, second)
    third = _distinct_from(rng.integers(n - 2, size=n_triplets), low, high)
    return np.column_stack([first, second, third])


def _random_class_triplets(classes: np.ndarray, numbers: np.ndarray, n_triplets: int, seed: int) -> np.ndarray:
    """Class triplets, all equally likely, (n_triplets, 3): two of one class, then one of another."""
    _check_sample(n_triplets)
    rng = generator(seed)
    sizes = np.bincount(classes)
    # Objects class by class: members of a class are a run of it, the others all but that run.
    order = np.argsort(classes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    chosen = rng.choice(len(sizes), n_triplets, p=numbers / numbers.sum())
    size, start = sizes[chosen], starts[chosen]
    first = rng.integers(size)
    second = _distinct_from(rng.integers(size - 1), first)
    other = rng.integers(len(classes) - size)
    other = other + size * (other >= start)
    return order[np.column_stack([start + first, start + second, other])]


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
def _count_some(original: np.ndarray, embedding: np.ndarray, triplets: np.ndarray) -> tuple[int, int]:
    """Kept and counted triplets among those given."""
    kept, counted = 0, 0
    for t in range(len(triplets)):
        i, j, k = triplets[t]
        pair = _closest_pair(original[i, j], original[i, k], original[j, k])
        if pair < 0:
            continue
        counted += 1
        kept += pair == _closest_pair(embedding[i, j], embedding[i, k], embedding[j, k])
    return kept, counted


@njit(**_NUMBA)
def _closest_pair(first: float, second: float, third: float) -> int:
    """Which of three distances is strictly the smallest, or -1."""
    if first < second and first < third:
        return 0
    if second < first and second < third:
        return 1
    if third < first and third < second:
        return 2
    return -1


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
