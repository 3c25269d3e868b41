"""How well an embedding keeps classes apart and retrieves objects of the class of a query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numba import njit
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from consensus_embedding.manifold.dissimilarity_graph import check_dissimilarities
from consensus_embedding.manifold.graphs import rescaled
from consensus_embedding.utils.labels import classes_of, known_labels, label_array, refuse_unknown_names
from consensus_embedding.utils.numbers import as_array, booleans, real_numbers, require_finite
from consensus_embedding.utils.parameters import checked_arguments
from consensus_embedding.utils.rows import check_row_order

# Rows of distances that are sorted together: 64 of 2000 objects fit the second cache.
_BLOCK = 64
# Distances are ranked as multiples of this part of the longest one of their query.
_LEVELS = 2.0**36
_LAST = np.iinfo(np.int64).max
_COMPILED = {"cache": True, "nogil": True, "error_model": "numpy"}


@dataclass(frozen=True, eq=False)
class RetrievalScores:
    """
    Scores of each object, NaN where its label is unknown or occurs once.

    Attributes
    ----------
    silhouette : ndarray of shape (n,)
        (G - C) / max(C, G), with C the mean distance to the other objects of the same label and G that to all objects
        of other labels, pooled: in [-1, 1], 0 where both are 0.
    silhouette_sums : ndarray of shape (n,)
        The same with sums in place of the means.
    area : ndarray of shape (n,)
        Area under the precision-recall curve of the object as a query; see `precision_recall_areas`.
    """

    silhouette: np.ndarray
    silhouette_sums: np.ndarray
    area: np.ndarray


def retrieval_scores(embedding: ArrayLike, labels: ArrayLike) -> RetrievalScores:
    """
    Silhouettes and retrieval accuracy of each object of an embedding (Sparks and Madabhushi 2011, Table 1).

    Parameters
    ----------
    embedding : array-like of shape (n, k)
    labels : array-like of shape (n,), int
        -1 is unknown: such an object is neither scored nor retrieved.

    Returns
    -------
    RetrievalScores

    Raises
    ------
    ValueError
        If the embedding is not a finite table, the labels are not one integer per object, or fewer than two occur.

    Notes
    -----
    With two classes the silhouettes are those of Rousseeuw (1987); with more, he takes the nearest other class where
    the paper, and this function, pool all others. The paper prints sums over the objects; averages are left to the
    caller. Distances are ranked as in `precision_recall_areas`.
    """
    check_row_order(embedding=embedding, labels=labels)
    embedding = real_numbers(embedding, "embedding")
    if embedding.ndim != 2 or embedding.shape[1] == 0 or not np.isfinite(embedding).all():
        raise ValueError(
            "An embedding must be a finite table of shape (objects, components), with a component, found shape "
            f"{embedding.shape} with {(~np.isfinite(embedding)).sum()} entries of NaN or infinity."
        )

    def distances(chosen: np.ndarray) -> Callable[[int, np.ndarray], None]:
        """Distances of the chosen objects, by blocks of rows."""
        points = np.ascontiguousarray(rescaled(embedding[chosen]).T)
        return lambda first, rows: _distances(points, first, rows)

    return _scores(distances, labels, len(embedding))


def scores_of_dissimilarities(A: np.ndarray, labels: np.ndarray) -> RetrievalScores:
    """
    The scores of `retrieval_scores` with dissimilarities in place of distances in an embedding.

    A, (n, n), is checked by `check_dissimilarities`; a label of -1 is unknown.
    """
    check_row_order(A=A, labels=labels)
    A = check_dissimilarities(A)

    def distances(chosen: np.ndarray) -> Callable[[int, np.ndarray], None]:
        """Dissimilarities of the chosen objects, by blocks of rows."""
        # Adding 0 turns -0 into 0.
        return lambda first, rows: np.add(A[np.ix_(chosen[first : first + len(rows)], chosen)], 0.0, out=rows)

    return _scores(distances, labels, len(A))


def precision_recall_areas(distances: ArrayLike, relevant: ArrayLike) -> np.ndarray:
    """
    Area under the precision-recall curve of each query (Sparks and Madabhushi 2011, Table 1).

    With Phi(a) the number of relevant objects among the a nearest, precision Phi(a) / a over recall Phi(a) / Phi(n) for
    a = 1, ..., n, from recall 0 with the precision of a = 1, by trapezoids.

    Parameters
    ----------
    distances : array-like of shape (m, n)
        Of m queries to n objects, 0 or more.
    relevant : array-like of shape (m, n), bool or 0/1

    Returns
    -------
    ndarray of shape (m,)
        In [0, 1]; NaN for a query without any relevant object.

    Raises
    ------
    ValueError
        If the shapes differ, a distance is negative, NaN or infinite, or `relevant` contains anything but 0 and 1.

    Notes
    -----
    Distances of a query count as equal if they are the same multiple of 2^-36 (1.5e-11) of the largest one, rounded:
    in a graph in pieces the objects of a piece may differ in the last digits only, which must not rank them. At equal
    distance irrelevant objects come first, so that places that coincide gain nothing. Where no distances are equal, the
    area is that of scikit-learn's `auc` of `precision_recall_curve`.
    """
    distances, relevant = real_numbers(distances, "distances"), booleans(relevant, "relevant")
    if distances.ndim != 2 or distances.shape != relevant.shape:
        raise ValueError(
            "Expected distances and relevance of the same shape (queries, objects), found "
            f"{distances.shape} and {relevant.shape}."
        )
    if not ((distances >= 0) & (distances < np.inf)).all():
        raise ValueError("Distances must be finite and 0 or more, found a negative one, NaN or infinity.")
    keys = _keys(np.ascontiguousarray(distances))
    keys |= relevant
    keys.sort(axis=1)
    return _areas(keys, keys.shape[1])


def nearest_items(
    queries: ArrayLike,
    database: ArrayLike,
    n_items: int,
    *,
    labels: ArrayLike | None = None,
    labelled_only: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """
    The items of a database nearest to each query, by Euclidean distance.

    Parameters
    ----------
    queries : array-like of shape (m, k)
    database : array-like of shape (n, k)
    n_items : int
        Between 1 and n, or the number of items with a label.
    labels : array-like of shape (n,), optional
        Of the items of the database; the number -1 and None are unknown.
    labelled_only : bool
        Whether items without a label are passed over.

    Returns
    -------
    indices : ndarray of shape (m, n_items), int
        Rows of the database, the nearest first; at equal distance the lower index.
    distances : ndarray of shape (m, n_items)

    Raises
    ------
    ValueError
        If the tables do not fit each other or contain NaN or infinity, or n_items is out of range; if labels are given
        and are not one per item, or one is NaN.
    """
    columns = [list(table.columns) for table in (queries, database) if hasattr(table, "columns")]
    if len(columns) == 2 and columns[0] != columns[1]:
        raise ValueError(
            "Queries and database must have the same columns in the same order; sort those of one of them."
        )
    queries, database = real_numbers(queries, "queries"), real_numbers(database, "database")
    if queries.ndim != 2 or database.ndim != 2 or queries.shape[1] != database.shape[1]:
        raise ValueError(
            "Queries and database must be tables with the same number of columns, found shapes "
            f"{queries.shape} and {database.shape}."
        )
    require_finite(queries, "Queries contain", "fill these values, or leave out the queries")
    require_finite(database, "The database contains", "fill these values, or leave out the items")
    rows = _answering(labels, labelled_only, len(database))
    database = database[rows]
    n = len(database)
    if not isinstance(n_items, Integral) or not 1 <= n_items <= n:
        size = "the number of labelled items" if labelled_only else "the size of the database"
        raise ValueError(f"n_items must be an integer between 1 and {n}, {size}, found {n_items!r}.")
    indices = np.empty((len(queries), n_items), dtype=np.intp)
    nearest = np.empty((len(queries), n_items))
    for i, query in enumerate(queries):
        row = cdist(query[None], database)[0]
        within = np.flatnonzero(row <= np.partition(row, n_items - 1)[n_items - 1])
        indices[i] = within[np.argsort(row[within], kind="stable")[:n_items]]
        nearest[i] = row[indices[i]]
    if not np.isfinite(nearest).all():
        raise ValueError("Distances overflow: the values of queries or database are too large. Rescale both.")
    return rows[indices], nearest


@checked_arguments
def vote_labels(labels: ArrayLike, distances: ArrayLike, weights: str = "equal") -> tuple[np.ndarray, np.ndarray]:
    """
    Label of each query by the vote of its nearest labelled items, and how large its share of the votes is.

    Parameters
    ----------
    labels : array-like of shape (m, k)
        Of the items of `nearest_items` with ``labelled_only=True``, the nearest first: ``labels[indices]``.
    distances : array-like of shape (m, k)
        0 or more.
    weights : {"equal", "distance"}
        "distance": an item counts as one over its distance; items at distance 0 alone count where there are any, as in
        scikit-learn's KNeighborsClassifier.

    Returns
    -------
    winners : ndarray of shape (m,)
        Of labels with as many votes the one of the nearest item.
    shares : ndarray of shape (m,)
        In (0, 1]; no probability: with few items it is coarse.

    Raises
    ------
    ValueError
        If the tables do not fit each other, a label is unknown, a distance is negative, NaN or infinite, or there is no
        such weighting.
    """
    labels, distances = label_array(labels), real_numbers(distances, "distances")
    if labels.ndim != 2 or labels.shape != distances.shape or not labels.size:
        raise ValueError(
            "Expected labels and distances of the same shape (queries, items), found "
            f"{labels.shape} and {distances.shape}."
        )
    if not ((distances >= 0) & (distances < np.inf)).all():
        raise ValueError("Distances must be finite and 0 or more, found a negative one, NaN or infinity.")
    if weights not in ("equal", "distance"):
        raise ValueError(f"weights must be equal or distance, found {weights!r}.")
    if not known_labels(labels.ravel()).all():
        raise ValueError("Labels contain -1 or None (unknown); pass labelled_only=True to nearest_items.")
    classes, codes = classes_of(labels.ravel())
    refuse_unknown_names(classes)
    codes = codes.reshape(labels.shape)
    votes = np.ones(distances.shape)
    if weights == "distance":
        same = distances == 0
        # In units of the nearest distance, so that no quotient overflows.
        least = np.where(same.any(axis=1), 1.0, distances[:, 0])[:, None]
        votes = np.where(same.any(axis=1, keepdims=True), same, least / np.where(same, 1.0, distances))
    sums = np.array([(votes * (codes == code)).sum(axis=1) for code in range(len(classes))]).T
    # Of the items whose label has the most votes the first.
    own = np.take_along_axis(sums, codes, axis=1)
    first = (own >= own.max(axis=1, keepdims=True) * (1 - 1e-12)).argmax(axis=1)
    rows = np.arange(len(codes))
    return classes[codes[rows, first]], own[rows, first] / votes.sum(axis=1)


def _answering(labels: ArrayLike | None, labelled_only: bool, n: int) -> np.ndarray:
    """Rows of the database that may be returned."""
    if labels is None:
        if labelled_only:
            raise ValueError("labelled_only=True needs labels, one for each item of the database; pass labels.")
        return np.arange(n)
    labels = label_array(labels)
    if labels.shape != (n,):
        raise ValueError(f"Expected one label for each of the {n} items of the database, found shape {labels.shape}.")
    known = known_labels(labels)
    refuse_unknown_names(classes_of(labels[known])[0])
    return np.flatnonzero(known) if labelled_only else np.arange(n)


def class_average(values: np.ndarray, labels: np.ndarray) -> float:
    """
    Mean over the classes of the mean within each; NaN if no value is left.

    Values of NaN and labels of -1, which are unknown, are left out.
    """
    values, labels = real_numbers(values, "values"), as_array(labels, "Labels")
    kept = ~np.isnan(values) & (labels != -1)
    if not kept.any():
        return np.nan
    _, codes = classes_of(labels[kept])
    return float((np.bincount(codes, weights=values[kept]) / np.bincount(codes)).mean())


def _scores(
    distances: Callable[[np.ndarray], Callable[[int, np.ndarray], None]], labels: ArrayLike, n: int
) -> RetrievalScores:
    """Scores from a function that, for the objects chosen, fills rows of their distances from a first one on."""
    labels = as_array(labels, "Labels")
    if labels.shape != (n,) or labels.dtype.kind not in "iu":
        raise ValueError(
            f"Expected one integer label for each of {n} objects, -1 where it is unknown, found shape {labels.shape}, "
            f"{labels.dtype}."
        )
    chosen = np.flatnonzero(labels != -1)
    classes, codes, counts = np.unique(labels[chosen], return_inverse=True, return_counts=True)
    if len(classes) < 2:
        raise ValueError(f"Scores need at least 2 labels other than -1 (unknown), found {len(classes)}.")
    fill = distances(chosen)
    sums, area = np.zeros((len(classes), len(chosen))), np.empty(len(chosen))
    for first in range(0, len(chosen), _BLOCK):
        rows = np.empty((min(_BLOCK, len(chosen) - first), len(chosen)))
        fill(first, rows)
        _add_rows(rows, first, codes, sums)
        keys = _keys(rows)
        _mark(keys, first, codes)
        keys.sort(axis=1)
        area[first : first + len(rows)] = _areas(keys, len(chosen) - 1)
    same, others = counts[codes] - 1, len(chosen) - counts[codes]
    within = sums[codes, np.arange(len(chosen))]
    sums[codes, np.arange(len(chosen))] = 0.0
    between = sums.sum(axis=0)
    with np.errstate(invalid="ignore"):
        scores = (_silhouette(within / same, between / others), _silhouette(within, between), area)
    result = np.full((3, n), np.nan)
    result[:, chosen] = np.where(same > 0, scores, np.nan)
    return RetrievalScores(*result)


def _keys(rows: np.ndarray) -> np.ndarray:
    """Twice the rounded multiple of the unit of its row for each distance; the last bit is free."""
    longest, keys = rows.max(axis=1, initial=0.0), np.empty(rows.shape, dtype=np.int64)
    _fill_keys(rows, np.where(longest > 0, longest, 1.0), keys)
    return keys


def _silhouette(within: np.ndarray, between: np.ndarray) -> np.ndarray:
    larger = np.maximum(within, between)
    return np.where(larger > 0, between - within, 0.0) / np.where(larger > 0, larger, 1.0)


@njit(**_COMPILED)
def _distances(points: np.ndarray, first: int, rows: np.ndarray) -> None:
    """Distances of the points from `first` on to all points, given by column (k, n)."""
    for i in range(len(rows)):
        row = rows[i]
        row[:] = 0.0
        for d in range(len(points)):
            x = points[d, first + i]
            for j in range(len(row)):
                difference = points[d, j] - x
                row[j] += difference * difference
        for j in range(len(row)):
            row[j] = np.sqrt(row[j])


@njit(**_COMPILED)
def _add_rows(rows: np.ndarray, first: int, codes: np.ndarray, sums: np.ndarray) -> None:
    """Add each row of symmetric distances to the sums of its class: sums[c, j] runs over the objects of class c."""
    for i in range(len(rows)):
        total = sums[codes[first + i]]
        for j in range(len(total)):
            total[j] += rows[i, j]


@njit(**_COMPILED)
def _fill_keys(rows: np.ndarray, longest: np.ndarray, keys: np.ndarray) -> None:
    for i in range(len(rows)):
        for j in range(rows.shape[1]):
            keys[i, j] = np.int64(rows[i, j] / longest[i] * _LEVELS + 0.5) << 1


@njit(**_COMPILED)
def _mark(keys: np.ndarray, first: int, codes: np.ndarray) -> None:
    """The last bit 1 for an object of the same class; the query itself behind all others."""
    for i in range(len(keys)):
        code = codes[first + i]
        for j in range(keys.shape[1]):
            keys[i, j] |= codes[j] == code
        keys[i, first + i] = _LAST


@njit(**_COMPILED)
def _areas(keys: np.ndarray, n: int) -> np.ndarray:
    """Area under the precision-recall curve of rows in order, whose last bits tell relevance, by their first n."""
    result, places = np.empty(len(keys)), np.empty(n + 1, np.int64)
    for i in range(len(keys)):
        n_relevant = 0
        for a in range(n):
            # Without a branch, which would be a matter of chance: the place is overwritten if it does not count.
            places[n_relevant] = a
            n_relevant += keys[i, a] & 1
        total = 0.0
        for k in range(n_relevant):
            # Precision before this object (at the very first, its own) and with it.
            a = places[k]
            total += k / a if a > 0 else 1.0
            total += (k + 1) / (a + 1)
        result[i] = 0.5 * total / n_relevant if n_relevant else np.nan
    return result
