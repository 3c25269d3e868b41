"""Fig. 1(c), (d) and Fig. 2 of Sparks 2011: retrieval of glands by class, on substitutes or items of your own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from consensus_embedding.diagnostics.retrieval import vote_labels
from consensus_embedding.utils.progress import duration
from consensus_embedding.utils.seeds import stream
from joblib import delayed

from replication.data.glands import GlandSimulator
from replication.data.readers.item_table import Items, read_items
from replication.papers.sparks2011.retrieval_grid import (
    CONDITIONS,
    Draw,
    EmbeddingSettings,
    OutOfSample,
    Query,
    RetrievalSet,
    add_counts,
    extrapolate_both,
    gather,
    rarest_class,
    retrieve,
    score_grid,
    score_query,
    shares_of,
    some_shares,
    varied,
)
from replication.papers.sparks2011.retrieval_sets import MadeDigits, MadeGlands, at_sigma, class_counts, own_set
from replication.papers.sparks2011.settings import EmbeddedDigits, SetSettings, SizedGlands
from replication.platform.settings import settings_of
from replication.platform.steps import QUIET, Work
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

EXPERIMENT = "gland_retrieval"
# Tidy metrics, pictures, and what was retrieved for the queries.
Retrieved = tuple[pd.DataFrame, dict[str, np.ndarray], pd.DataFrame]
# Queries of the panel.
N_QUERIES = 3
# Of more items of your own than this, some shares are scored.
MANY_ITEMS = 2000


def run_made(
    made: MadeGlands | MadeDigits,
    variants: Sequence[Mapping],
    grid: OutOfSample,
    *,
    separations: Sequence[float] = (),
    query_draws: int = 0,
    work: Work = QUIET,
) -> Retrieved:
    """Score all methods on simulated cohorts of glands, or on digits in their imbalance, a set a draw."""
    items = made.draw(work.seed, 0)
    jobs = [
        delayed(_score_made)(made, variants, separations, query_draws, grid, draw, work.seed)
        for draw in range(max(grid.draws, query_draws))
    ]
    metrics = Metrics(EXPERIMENT, made.name, made.source, CONDITIONS)
    if isinstance(made, MadeGlands):
        metrics.add("all", "separation", made.settings.separation)
    table = _all_draws(metrics, items, grid, jobs, work)
    queries = _panel_queries(items, grid.embedding(made.settings.n_components), grid.query, work.seed)
    names = [f"{made.item}_{k}" for k in range(len(items.labels))]
    return table, panel(items, queries, made.shown(work.seed), made.kind), _named(queries, items, names)


def run_own(
    own: Items,
    grid: OutOfSample,
    *,
    name: str,
    n_components: int = 3,
    sigma: float = 1.0,
    scaling: str = "zscore",
    every_share: bool = False,
    work: Work = QUIET,
) -> Retrieved:
    """
    Score all methods on items of your own, and answer your queries.

    Items without a label are embedded with the others and never scored. The queries, or the items without a label if
    none is marked, are extrapolated into the embedding of all other items with all labels that these have.
    """
    items, settings = own_set(own, name, sigma=sigma, scaling=scaling), grid.embedding(n_components)
    n, some = len(own.names), own_grid(grid, len(own.names), every_share=every_share)
    used = embeddable(items, some, n_components)
    work.say(
        f"{n} items at {len(used.training)} shares of training objects and {len(used.labelled)} of labels"
        f"{' (of so many items not at all; every_share: true scores them)' * (some != grid)}"
        f"{f' (not at those of {n_components} items or fewer, too few to embed)' * (used != some)}"
        f", expected to take about {duration(own_seconds(used, n) / work.threads)}"
    )
    at = {"seed": work.seed, "experiment": EXPERIMENT, "source": "own", "separation": "", "variant": ""}
    jobs = [delayed(score_grid)(items, settings, used, draw=draw, **at) for draw in range(grid.draws)]
    metrics = _all_draws(Metrics(EXPERIMENT, name, "own", CONDITIONS), items, grid, jobs, work)
    queried = np.flatnonzero(own.queries) if any(own.queries) else np.flatnonzero(items.labels < 0)
    if len(queried):
        training = np.setdiff1d(np.arange(len(items.labels)), queried)
        # Queries have no label here, nor have items without one, so that no label but the training objects' is known.
        places = extrapolate_both(items, training, items.labels, settings)
        queries = retrieve(items, training, places, grid.query.items, queried)
        # Of the training objects with a label, as many as a query returns.
        labelled = training[items.labels[training] >= 0]
        votes = predict(items, retrieve(items, labelled, places, grid.query.items, queried))
    else:
        queries = _panel_queries(items, settings, grid.query, work.seed)
        votes = predict(items, queries[items.labels[queries["item"]] >= 0])
    named = _named(queries, items, own.names)
    for column, names in (("predicted_label", np.array(items.classes)), ("votes", None)):
        values = [votes[column].get(key, -1) for key in zip(queries["query"], queries["method"], strict=True)]
        named[column] = values if names is None else names[values]
    named["label_of_query"] = np.array(own.labels)[queries["query"]]
    return metrics, {"kind": np.array("none")}, named


def run_made_set(
    name: str, grid: OutOfSample, *, simulator: Mapping, parameters: Mapping, work: Work = QUIET
) -> Retrieved:
    """Run "glands" or "digits", from what the configuration says of it."""
    separations = ()
    if name == "digits":
        settings = settings_of(EmbeddedDigits, parameters["digits"], "gland_retrieval.digits")
        made = MadeDigits(settings, class_counts(simulator))
    else:
        sized = {**parameters["glands"], "size": parameters["size"]}
        settings = settings_of(SizedGlands, sized, "gland_retrieval.glands")
        made = MadeGlands(settings, settings_of(GlandSimulator, simulator, "glands"))
        separations = parameters["separation"]
    variants, query_draws = parameters["variants"], parameters["query_draws"]
    return run_made(made, variants, grid, separations=separations, query_draws=query_draws, work=work)


def run_configured_items(own: Mapping, grid: OutOfSample, work: Work = QUIET) -> Retrieved:
    """Run the user's own items, from what the configuration says of them."""
    items = read_items(own)
    settings = {key: own[key] for key in ("n_components", "sigma", "scaling", "every_share") if key in own}
    return run_own(items, grid, name=own["name"], **settings, work=work)


def own_grid(grid: OutOfSample, n_items: int, *, every_share: bool = False) -> OutOfSample:
    """
    The shares at which items of your own are scored: of more than 2000 items five of training objects, three of labels.

    Each cell of the grid takes some seconds there: all of the usual 100 would take most of an hour.
    """
    if every_share or n_items <= MANY_ITEMS:
        return grid
    return some_shares(grid)


def embeddable(items: RetrievalSet, grid: OutOfSample, n_components: int) -> OutOfSample:
    """The shares that leave enough training objects for so many components, and that of the query in any case."""
    drawn = Draw(items, np.random.default_rng(0))
    kept = (s for s in grid.training if s == grid.query.training or len(drawn.training(s)) > n_components)
    return grid.replace(training=tuple(kept))


def own_seconds(grid: OutOfSample, n_items: int) -> float:
    """Core seconds of items of your own, from the steps of a cell, timed with 3832 items on a busy server of 2026."""
    cells = len(grid.training) * len(grid.labelled)
    return grid.draws * cells * (0.01 + 3.0 * (n_items / 4000) ** 2)


def predict(items: RetrievalSet, retrieved: pd.DataFrame) -> pd.DataFrame:
    """Label of each query by the vote of what was retrieved for it, by method; see `vote_labels`."""
    rows = []
    for (query, method), part in retrieved.groupby(["query", "method"], sort=False):
        labels, distances = items.labels[part["item"]][None], part["distance"].to_numpy()[None]
        winner, share = vote_labels(labels, distances)
        rows.append((query, method, int(winner[0]), float(share[0])))
    return pd.DataFrame(rows, columns=["query", "method", "predicted_label", "votes"]).set_index(["query", "method"])


def panel(items: RetrievalSet, queries: pd.DataFrame, shown: np.ndarray, kind: str) -> dict[str, np.ndarray]:
    """Fig. 2 as arrays: the first query, and what each method retrieved for it."""
    names, query = np.array(items.classes), queries["query"].iloc[0]
    arrays = {"kind": np.array(kind), "query": shown[query], "query_label": names[items.labels[query]]}
    for method, rows in queries[queries["query"] == query].groupby("method"):
        chosen = rows.sort_values("rank")["item"].to_numpy()
        arrays |= {f"{method}_items": shown[chosen], f"{method}_labels": names[items.labels[chosen]]}
    return arrays


def _all_draws(metrics: Metrics, items: RetrievalSet, grid: OutOfSample, jobs: list, work: Work) -> pd.DataFrame:
    add_counts(metrics, items, grid.query)
    return gather([metrics.table(), *results_of(jobs, work.threads, work.progress(len(jobs), "draws"))])


def _score_made(
    made: MadeGlands | MadeDigits,
    variants: Sequence[Mapping],
    separations: Sequence[float],
    query_draws: int,
    grid: OutOfSample,
    draw: int,
    seed: int,
) -> pd.DataFrame:
    """The grid on the set of a draw; and at the query cell, or as they say, regions, separations and variants."""
    embedding, cell = grid.embedding(made.settings.n_components), grid.query_cell()
    at = {"draw": draw, "seed": seed, "experiment": EXPERIMENT, "source": made.source}
    # A draw of the queries alone is not scored at other shares.
    judged, query = draw < grid.draws, grid.query if draw < query_draws else None
    main = made.draw(seed, draw)
    tables = _score_set(main, embedding, query, grid if judged else None, at)
    if judged and main.groups is not None:
        regions = cell.replace(training=tuple(share for share in grid.training if share < 1))
        tables.append(score_grid(main, embedding, regions, split="regions", **at))
    for separation in separations if judged and len(separations) > 1 else ():
        moved = made.varied({"separation": separation})
        items = main if moved == made else moved.draw(seed, draw)
        tables.append(score_grid(items, embedding, cell, separation=separation, **at))
    # Another embedding of the same objects needs no new dissimilarities.
    embedded = {key: getattr(made.settings, key) for key in SetSettings.model_fields}
    for variant in variants:
        other, changed = made.varied(variant), varied(embedding, variant)
        asked = query if variant.get("queries") else None
        if (other, changed) == (made, embedding) or not (judged or asked):
            continue
        same = other.varied(embedded) == made
        items = at_sigma(main, other.settings.sigma) if same else other.draw(seed, draw)
        shares = shares_of(variant, grid) if judged else None
        tables += _score_set(items, changed, asked, shares, {"variant": variant["name"], **at})
    return gather(tables)


def _score_set(
    items: RetrievalSet, embedding: EmbeddingSettings, query: Query | None, shares: OutOfSample | None, at: Mapping
) -> list[pd.DataFrame]:
    """What the queries return, and the scores at some shares; of None nothing."""
    tables = [] if query is None else [score_query(items, embedding, query, **at)]
    return tables if shares is None else [*tables, score_grid(items, embedding, shares, **at)]


def _panel_queries(items: RetrievalSet, settings: EmbeddingSettings, query: Query, seed: int) -> pd.DataFrame:
    """What is retrieved for the first objects of the rarest class that the first draw leaves outside training."""
    drawn = Draw(items, stream(seed, items.name, "judged draw", 0))
    training = drawn.training(query.training)
    outside = np.setdiff1d(np.arange(len(items.labels)), training)
    rare = outside[items.labels[outside] == rarest_class(items)][:N_QUERIES]
    places = extrapolate_both(items, training, drawn.labelled(training, query.labelled), settings)
    return retrieve(items, training, places, query.items, rare if len(rare) else outside[:N_QUERIES])


def _named(queries: pd.DataFrame, items: RetrievalSet, names: object) -> pd.DataFrame:
    """The retrieved items by name and label."""
    names, classes = np.asarray(names), np.array([*items.classes, ""])
    return pd.DataFrame(
        {
            "query": names[queries["query"]],
            "label_of_query": classes[items.labels[queries["query"]]],
            "method": queries["method"],
            "rank": queries["rank"],
            "item": names[queries["item"]],
            "label": classes[items.labels[queries["item"]]],
            "distance": queries["distance"],
        }
    )
