"""Sparks 2011: embeddings extrapolated from a part of the objects and of their labels, scored over a grid of shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

import numpy as np
import pandas as pd
from consensus_embedding.diagnostics.retrieval import (
    RetrievalScores,
    class_average,
    nearest_items,
    retrieval_scores,
    scores_of_dissimilarities,
)
from consensus_embedding.manifold.graph_embedding import scale_eigenvectors
from consensus_embedding.manifold.graphs import semi_supervised_affinity
from consensus_embedding.manifold.nystroem import approximation_error, isolated_rows, nystroem_extension
from consensus_embedding.manifold.spectral import graph_eigenvectors
from consensus_embedding.utils.seeds import stream
from consensus_embedding.utils.threads import one_blas_thread
from scipy.sparse import csr_array, issparse
from scipy.sparse.csgraph import connected_components

from replication.papers.sparks2011.settings import EmbeddingSettings, OutOfSample, Query
from replication.shared.tidy import Metrics

Settings = TypeVar("Settings")
# Of a grid whose every share would take too long.
N_TRAINING, N_LABELLED = 5, 3
CONDITIONS = ["variant", "separation", "split", "training", "labelled", "objects", "label"]


@dataclass(frozen=True)
class RetrievalSet:
    """Objects that are embedded and retrieved."""

    name: str
    affinity: np.ndarray | csr_array  # (n, n): gamma = exp(-A / sigma)
    dissimilarities: np.ndarray  # (n, n): A
    labels: np.ndarray  # (n,): number of the class; -1: unknown, never scored
    classes: tuple[str, ...]
    groups: np.ndarray | None = None  # (n,): region of each object; each is in one class


class Draw:
    """
    A draw of training objects and of labels, stratified by class.

    Each share of training objects contains the smaller ones, as does each share of labels of the same training objects.
    From one share of training objects to the next about 0.8 % of the known labels of glands are lost.

    The split is what is drawn into training: single "objects", or whole "regions"; "queries" are single objects, of the
    draws that are scored at the cell of the query alone.
    """

    def __init__(self, items: RetrievalSet, generator: np.random.Generator, split: str = "objects"):
        n = len(items.labels)
        self.items, self.split = items, split
        self.order, self.label_order = generator.permutation(n), generator.permutation(n)

    def training(self, share: float) -> np.ndarray:
        """Indices of the training objects, rising: this share of each class, at least one of it."""
        labels = self.items.labels
        return np.sort(np.concatenate([self._of_class(label, share) for label in np.unique(labels)]))

    def labelled(self, training: np.ndarray, share: float) -> np.ndarray:
        """Labels of all objects as known: this share of each class of the training objects, at least one; -1 else."""
        known = np.full(len(self.items.labels), -1)
        inside = np.isin(self.label_order, training)
        for label in np.unique(self.items.labels[self.items.labels >= 0]):
            members = self.label_order[inside & (self.items.labels[self.label_order] == label)]
            known[members[: share_of(len(members), share)]] = label
        return known

    def _of_class(self, label: int, share: float) -> np.ndarray:
        members = self.order[self.items.labels[self.order] == label]
        if self.split != "regions":
            return members[: share_of(len(members), share)]
        # Whole regions, in the order in which they turn up, as many as come nearest to the share.
        regions, first, sizes = np.unique(self.items.groups[members], return_index=True, return_counts=True)
        drawn = np.argsort(first)
        reached = np.cumsum(sizes[drawn])
        n_regions = np.abs(reached - share * len(members)).argmin() + 1
        if share < 1:
            # A region of each class is left to be extrapolated, unless it has but one.
            n_regions = max(1, min(n_regions, len(drawn) - 1))
        return members[np.isin(self.items.groups[members], regions[drawn[:n_regions]])]


def varied(settings: Settings, variant: Mapping) -> Settings:
    """Settings with those keys of a variant that they have."""
    return settings.replace(**{key: value for key, value in variant.items() if key in vars(settings)})


def shares_of(variant: Mapping, grid: OutOfSample) -> OutOfSample:
    """The shares at which a variant is scored: those of the query, or, if it says so, some or all."""
    return {"query": grid.query_cell(), "some": some_shares(grid), "all": grid}[variant.get("shares", "query")]


def some_shares(grid: OutOfSample) -> OutOfSample:
    """The same at five of the shares of training objects and three of those of labels, with those of the query."""
    return grid.replace(
        training=_spread(grid.training, N_TRAINING, grid.query.training),
        labelled=_spread(grid.labelled, N_LABELLED, grid.query.labelled),
    )


def _spread(shares: Sequence[float], n: int, query_share: float) -> tuple[float, ...]:
    """At most n of the shares, evenly spread, the one nearest to that of the query replaced by it."""
    rising = np.sort(shares)
    kept = rising[np.unique(np.linspace(0, len(rising) - 1, min(n, len(rising))).round().astype(int))]
    if query_share in rising:
        kept[np.abs(kept - query_share).argmin()] = query_share
    return tuple(map(float, kept))


def share_of(n: int, share: float) -> int:
    """Number of n objects that a share is: rounded, at least one."""
    return max(1, round(share * n))


def embed_all(items: RetrievalSet, settings: EmbeddingSettings, known: np.ndarray | None = None) -> np.ndarray:
    """GE of all objects, or SSGE with the labels that are known."""
    return extrapolate(items, np.arange(len(items.labels)), settings, known)


def extrapolate(
    items: RetrievalSet,
    training: np.ndarray,
    settings: EmbeddingSettings,
    known: np.ndarray | None = None,
    blocks: Sequence[np.ndarray | csr_array] | None = None,
) -> np.ndarray:
    """
    NM-GE, or OSE-SSL with the labels that are known: training objects embedded, all others extrapolated.

    An object outside every neighbourhood takes the place of the training object at the least dissimilarity.
    """
    n = len(items.labels)
    if len(training) <= settings.n_components:
        raise ValueError(
            f"{items.name}: expected at least {settings.n_components + 1} training objects for "
            f"{settings.n_components} components, found {len(training)} of {n} objects; raise the smallest share in "
            "out_of_sample.training, or lower n_components."
        )
    new = np.setdiff1d(np.arange(n), training)
    affinity, rows = blocks or _blocks(items, training, new)
    if known is not None:
        affinity = semi_supervised_affinity(affinity, known[training])
    values, vectors = graph_eigenvectors(affinity, settings.n_components, floor=settings.floor)
    places = np.empty((n, vectors.shape[1]))
    places[training] = vectors
    if len(new):
        divide = settings.nystroem == "degree"
        places[new] = nystroem_extension(rows, vectors, values, floor=settings.floor, divide=divide)
        alone = isolated_rows(rows)
        if alone.any():
            apart = items.dissimilarities[np.ix_(new[alone], training)]
            places[new[alone]] = vectors[apart.argmin(axis=1)]
    return scale_eigenvectors(values, places, settings.eigenvectors)


def score_grid(
    items: RetrievalSet,
    settings: EmbeddingSettings,
    grid: OutOfSample,
    *,
    draw: int,
    seed: int,
    experiment: str,
    source: str,
    split: str = "objects",
    **at: object,
) -> pd.DataFrame:
    """All methods at every share of training objects and of labels, for one draw."""
    generator = stream(seed, items.name, "judged draw", draw)
    drawn = Draw(items, generator, split)
    metrics = Metrics(experiment, items.name, source, CONDITIONS)
    everything = np.arange(len(items.labels))
    at = {"split": split, **at}
    with one_blas_thread():
        fixed = {
            "ge": retrieval_scores(embed_all(items, settings), items.labels),
            "dissimilarity": scores_of_dissimilarities(items.dissimilarities, items.labels),
            "random": retrieval_scores(
                generator.standard_normal((len(everything), settings.n_components)), items.labels
            ),
        }
        full = {
            share: retrieval_scores(embed_all(items, settings, drawn.labelled(everything, share)), items.labels)
            for share in grid.labelled
        }
        for share in grid.training:
            _score_training(metrics, drawn, share, settings, grid, fixed, full, draw, at)
    return metrics.table()


def score_query(
    items: RetrievalSet,
    settings: EmbeddingSettings,
    query: Query,
    *,
    draw: int,
    seed: int,
    experiment: str,
    source: str,
    **at: object,
) -> pd.DataFrame:
    """How many of the first items are of the query's class, for one draw: those rows of `score_grid`, and no others."""
    drawn = Draw(items, stream(seed, items.name, "judged draw", draw), "queries")
    training = drawn.training(query.training)
    places = extrapolate_both(items, training, drawn.labelled(training, query.labelled), settings)
    metrics = Metrics(experiment, items.name, source, CONDITIONS)
    _add_query(
        metrics, items, training, places, query, {}, draw, {"training": query.training, "split": "queries", **at}
    )
    return metrics.table()


def extrapolate_both(
    items: RetrievalSet, training: np.ndarray, known: np.ndarray, settings: EmbeddingSettings
) -> dict[str, np.ndarray]:
    """NM-GE and OSE-SSL of the same training objects; see `extrapolate`."""
    with one_blas_thread():
        return {
            "nm_ge": extrapolate(items, training, settings),
            "ose_ssl": extrapolate(items, training, settings, known),
        }


def retrieve(
    items: RetrievalSet,
    training: np.ndarray,
    places: Mapping[str, np.ndarray],
    n_items: int,
    queries: np.ndarray,
) -> pd.DataFrame:
    """The training objects nearest to each query, in each embedding and by the dissimilarity itself."""
    n_items = min(n_items, len(training))
    rows = []
    for method in (*places, "dissimilarity"):
        if method == "dissimilarity":
            apart = items.dissimilarities[np.ix_(queries, training)]
            nearest = np.argsort(apart, axis=1, kind="stable")[:, :n_items]
            distances = np.take_along_axis(apart, nearest, axis=1)
        else:
            nearest, distances = nearest_items(places[method][queries], places[method][training], n_items)
        rows.append(
            pd.DataFrame(
                {
                    "query": np.repeat(queries, n_items),
                    "method": method,
                    "rank": np.tile(np.arange(1, n_items + 1), len(queries)),
                    "item": training[nearest].ravel(),
                    "distance": distances.ravel(),
                }
            )
        )
    return pd.concat(rows, ignore_index=True)


def add_counts(metrics: Metrics, items: RetrievalSet, query: Query) -> None:
    """How many objects there are, how many of each class, and how many a query returns."""
    n_training = len(Draw(items, np.random.default_rng(0)).training(query.training))
    metrics.add("all", "n_retrieved", min(query.items, n_training))
    metrics.add("all", "n_objects", len(items.labels))
    for number, name in enumerate(items.classes):
        metrics.add("all", "n_label", (items.labels == number).sum(), label=name)


def gather(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Tables of several draws as one, with nothing where a condition does not apply."""
    together = pd.concat([table.astype(object) for table in tables], ignore_index=True)
    return together.where(together.notna(), "").astype({"value": float})


def rarest_class(items: RetrievalSet) -> int:
    """Number of the class with the fewest objects, the first of several."""
    return int(np.bincount(items.labels[items.labels >= 0], minlength=len(items.classes)).argmin())


def _blocks(items: RetrievalSet, training: np.ndarray, new: np.ndarray) -> list[np.ndarray | csr_array]:
    """Affinities of the training objects to each other, and of the new objects to them."""
    return [_part(items.affinity, training, training), _part(items.affinity, new, training)]


def _part(matrix: np.ndarray | csr_array, rows: np.ndarray, columns: np.ndarray) -> np.ndarray | csr_array:
    """Rows and columns of a matrix, both rising."""
    if len(rows) == len(columns) == matrix.shape[0]:
        return matrix
    return matrix[rows][:, columns] if issparse(matrix) else matrix.take(rows, axis=0).take(columns, axis=1)


def _score_training(
    metrics: Metrics,
    drawn: Draw,
    share: float,
    settings: EmbeddingSettings,
    grid: OutOfSample,
    fixed: Mapping[str, RetrievalScores],
    full: Mapping[float, RetrievalScores],
    draw: int,
    at: Mapping,
) -> None:
    """All rows at one share of training objects."""
    items, query = drawn.items, grid.query
    training = drawn.training(share)
    new = np.setdiff1d(np.arange(len(items.labels)), training)
    groups = {"all": np.arange(len(items.labels)), "extrapolated": new, "training": training}
    at = {"training": share, **at}
    is_complete = len(new) == 0

    def add(method: str, scores: RetrievalScores, **more: object) -> None:
        for objects, chosen in groups.items():
            if (items.labels[chosen] >= 0).any():
                _add_scores(metrics, method, scores, chosen, items, draw, objects=objects, **at, **more)

    for method, scores in fixed.items():
        add(method, scores)
    if is_complete:
        # Nothing is left to extrapolate: NM-GE is GE, and all that know labels are SSGE.
        add("nm_ge", fixed["ge"])
        for labelled, method in product(grid.labelled, ("ssge", "ose_ssl", "recomputed")):
            add(method, full[labelled], labelled=labelled)
        return
    blocks = [*_blocks(items, training, new), _part(items.affinity, new, new)]
    _add_graph(metrics, blocks, draw, at)
    _add_error(metrics, "nm_ge", blocks, draw, at)
    unlabelled = extrapolate(items, training, settings, None, blocks[:2])
    of_unlabelled = retrieval_scores(unlabelled, items.labels)
    add("nm_ge", of_unlabelled)
    for labelled in grid.labelled:
        known = drawn.labelled(training, labelled)
        places = extrapolate(items, training, settings, known, blocks[:2])
        of_places = retrieval_scores(places, items.labels)
        add("ssge", full[labelled], labelled=labelled)
        add("ose_ssl", of_places, labelled=labelled)
        add("recomputed", retrieval_scores(embed_all(items, settings, known), items.labels), labelled=labelled)
        weighted = [semi_supervised_affinity(blocks[0], known[training]), *blocks[1:]]
        _add_error(metrics, "ose_ssl", weighted, draw, {"labelled": labelled, **at})
        if (share, labelled) == (query.training, query.labelled):
            both = {"nm_ge": unlabelled, "ose_ssl": places}
            scored = {"nm_ge": of_unlabelled, "ose_ssl": of_places, **fixed}
            areas = {method: scores.area for method, scores in scored.items()}
            _add_query(metrics, items, training, both, query, areas, draw, at)


def _add_scores(
    metrics: Metrics,
    method: str,
    scores: RetrievalScores,
    chosen: np.ndarray,
    items: RetrievalSet,
    draw: int,
    **at: object,
) -> None:
    """Averages of the scores over some objects."""
    metrics.add(method, "si", np.nanmean(scores.silhouette[chosen]), draw, **at)
    metrics.add(method, "si_sums", np.nanmean(scores.silhouette_sums[chosen]), draw, **at)
    metrics.add(method, "auprc", class_average(scores.area[chosen], items.labels[chosen]), draw, **at)
    metrics.add(method, "auprc_queries", np.nanmean(scores.area[chosen]), draw, **at)


def _add_graph(metrics: Metrics, blocks: Sequence, draw: int, at: Mapping) -> None:
    pieces, piece = connected_components(csr_array(blocks[0]), directed=False)
    metrics.add("training_graph", "pieces", pieces, draw, **at)
    metrics.add("training_graph", "largest_piece", np.bincount(piece).max() / len(piece), draw, **at)
    metrics.add("training_graph", "isolated", isolated_rows(blocks[1]).sum(), draw, **at)


def _add_error(metrics: Metrics, method: str, blocks: Sequence, draw: int, at: Mapping) -> None:
    """Approximation error of Table 1, and that of approximating by zeros."""
    error = approximation_error(*blocks)
    metrics.add(method, "error_relative", error.relative, draw, **at)
    for name, ours, zero in (("entries", error.entries, error.zero_entries), ("l1", error.l1, error.zero_l1)):
        metrics.add(method, f"error_{name}", ours, draw, **at)
        metrics.add("zero", f"error_{name}", zero, draw, **at)


def _add_query(
    metrics: Metrics,
    items: RetrievalSet,
    training: np.ndarray,
    places: Mapping[str, np.ndarray],
    query: Query,
    areas: Mapping[str, np.ndarray],
    draw: int,
    at: Mapping,
) -> None:
    """How many of the first items are of the query's class, and the mean of areas, for each class of the queries."""
    new = np.setdiff1d(np.arange(len(items.labels)), training)
    retrieved = retrieve(items, training, places, query.items, new)
    retrieved["right"] = items.labels[retrieved["item"]] == items.labels[retrieved["query"]]
    n_items = min(query.items, len(training))
    labelled = {"ose_ssl": {"labelled": query.labelled}}
    for number, name in enumerate(items.classes):
        of_class = new[items.labels[new] == number]
        if not len(of_class):
            continue
        where = {"objects": "extrapolated", "label": name, **at}
        for method, rows in retrieved[retrieved["query"].isin(of_class)].groupby("method", sort=False):
            count = rows["right"].sum() / len(of_class)
            metrics.add(method, "same_of_first", count, draw, **where, **labelled.get(method, {}))
        chance = n_items * (items.labels[training] == number).mean()
        metrics.add("random", "same_of_first", chance, draw, **where)
        for method, area in areas.items():
            value = np.nanmean(area[of_class])
            metrics.add(method, "auprc", value, draw, **where, **labelled.get(method, {}))
