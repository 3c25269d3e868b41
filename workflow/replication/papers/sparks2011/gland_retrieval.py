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
from replication.papers.sparks2011.experiments.gland_retrieval import GlandRetrieval
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
from replication.papers.sparks2011.retrieval_sets import (
    SOURCES,
    at_sigma,
    class_counts,
    draw_digits,
    draw_glands,
    gland_set,
    own_set,
)
from replication.papers.sparks2011.settings import EmbeddedDigits
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


def run_glands(
    parameters: GlandRetrieval, simulator: GlandSimulator, grid: OutOfSample, work: Work = QUIET
) -> Retrieved:
    """Score all methods on simulated cohorts of glands, one a draw."""
    glands = draw_glands(simulator, work.seed, 0, separation=parameters.glands.separation)
    items = gland_set(glands, parameters.glands.sigma, size=parameters.size)
    jobs = [
        delayed(_score_glands)(parameters, simulator, grid, draw, work.seed)
        for draw in range(max(grid.draws, parameters.query_draws))
    ]
    judged = Metrics(EXPERIMENT, items.name, SOURCES["glands"], CONDITIONS)
    judged.add("all", "separation", parameters.glands.separation)
    metrics = gather([judged.table(), _all_draws(items, SOURCES["glands"], grid, jobs, work)])
    queries = _panel_queries(items, grid.embedding(parameters.glands.n_components), grid.query, work.seed)
    shown = panel(items, queries, glands.outlines, "outlines")
    return metrics, shown, _named(queries, items, [f"gland_{k}" for k in range(len(items.labels))])


def run_digits(
    settings: EmbeddedDigits,
    variants: Sequence[Mapping],
    counts: Mapping[str, int],
    grid: OutOfSample,
    *,
    query_draws: int = 0,
    work: Work = QUIET,
) -> Retrieved:
    """As `run_glands`, on digits in the imbalance of the glands, whose counts are those of `class_counts`."""
    items, images = draw_digits(settings.sigma, counts, work.seed, 0, noise=settings.noise)
    jobs = [
        delayed(_score_digits)(settings, variants, counts, grid, draw, work.seed, draw < query_draws)
        for draw in range(max(grid.draws, query_draws))
    ]
    metrics = _all_draws(items, SOURCES["digits"], grid, jobs, work)
    queries = _panel_queries(items, grid.embedding(settings.n_components), grid.query, work.seed)
    return (
        metrics,
        panel(items, queries, images, "images"),
        _named(queries, items, [f"image_{k}" for k in range(len(items.labels))]),
    )


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
    grid = own_grid(grid, len(own.names), every_share=every_share)
    items, settings = own_set(own, name, sigma=sigma, scaling=scaling), grid.embedding(n_components)
    at = {"seed": work.seed, "experiment": EXPERIMENT, "source": "own", "separation": "", "variant": ""}
    jobs = [delayed(score_grid)(items, settings, grid, draw=draw, **at) for draw in range(grid.draws)]
    metrics = _all_draws(items, "own", grid, jobs, work)
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
    if name == "digits":
        settings = settings_of(EmbeddedDigits, parameters["digits"], "gland_retrieval.digits")
        counts, query_draws = class_counts(simulator), parameters["query_draws"]
        return run_digits(settings, parameters["variants"], counts, grid, query_draws=query_draws, work=work)
    read = {key: parameters[key] for key in GlandRetrieval.model_fields}
    settings = settings_of(GlandRetrieval, read, "gland_retrieval")
    return run_glands(settings, settings_of(GlandSimulator, simulator, "glands"), grid, work)


def run_configured_items(own: Mapping, grid: OutOfSample, work: Work = QUIET) -> Retrieved:
    """Run the user's own items, from what the configuration says of them."""
    items = read_items(own)
    settings = {key: own[key] for key in ("n_components", "sigma", "scaling", "every_share") if key in own}
    used = own_grid(grid, len(items.names), every_share=settings.get("every_share", False))
    left_out = used != grid
    work.say(
        f"{len(items.names)} items at {len(used.training)} shares of training objects and {len(used.labelled)} of "
        f"labels{' (of so many items not at all; every_share: true scores them)' * left_out}, expected to take "
        f"about {duration(own_seconds(used, len(items.names)) / work.threads)}"
    )
    return run_own(items, grid, name=own["name"], **settings, work=work)


def own_grid(grid: OutOfSample, n_items: int, *, every_share: bool = False) -> OutOfSample:
    """
    The shares at which items of your own are scored: of more than 2000 items five of training objects, three of labels.

    Each cell of the grid takes some seconds there: all of the usual 100 would take most of an hour.
    """
    if every_share or n_items <= MANY_ITEMS:
        return grid
    return some_shares(grid)


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


def _all_draws(items: RetrievalSet, source: str, grid: OutOfSample, jobs: list, work: Work) -> pd.DataFrame:
    metrics = Metrics(EXPERIMENT, items.name, source, CONDITIONS)
    add_counts(metrics, items, grid.query)
    return gather([metrics.table(), *results_of(jobs, work.threads, work.progress(len(jobs), "draws"))])


def _score_glands(
    parameters: GlandRetrieval, simulator: GlandSimulator, grid: OutOfSample, draw: int, seed: int
) -> pd.DataFrame:
    """The grid on the cohort of a draw; and at the query cell, or as they say, separations, regions and variants."""
    own, cell = parameters.glands, grid.query_cell()
    cohort = draw_glands(simulator, seed, draw, separation=own.separation)
    embedding = grid.embedding(own.n_components)
    at = {"draw": draw, "seed": seed, "experiment": EXPERIMENT, "source": SOURCES["glands"]}
    main = gland_set(cohort, own.sigma, size=parameters.size)
    queried = draw < parameters.query_draws
    tables = [score_query(main, embedding, grid.query, **at)] if queried else []
    if draw < grid.draws:
        tables.append(score_grid(main, embedding, grid, **at))
        regions = cell.replace(training=tuple(share for share in grid.training if share < 1))
        tables.append(score_grid(main, embedding, regions, split="regions", **at))
        for separation in parameters.separation if len(parameters.separation) > 1 else ():
            other = main
            if separation != own.separation:
                glands = draw_glands(simulator, seed, draw, separation=separation)
                other = gland_set(glands, own.sigma, size=parameters.size)
            tables.append(score_grid(other, embedding, cell, separation=separation, **at))
    for variant in _variants_of_draw(parameters.variants, grid, draw, queried):
        size, sigma = varied(parameters, variant).size, varied(own, variant).sigma
        changed = varied(embedding, variant)
        if (size, sigma, changed) == (parameters.size, own.sigma, embedding):
            continue
        items = at_sigma(main, sigma) if size == parameters.size else gland_set(cohort, sigma, size=size)
        tables += _score_variant(variant, items, changed, grid, queried, at)
    return gather(tables)


def _score_digits(
    settings: EmbeddedDigits,
    variants: Sequence[Mapping],
    counts: Mapping[str, int],
    grid: OutOfSample,
    draw: int,
    seed: int,
    queried: bool,
) -> pd.DataFrame:
    embedding = grid.embedding(settings.n_components)
    at = {"draw": draw, "seed": seed, "experiment": EXPERIMENT, "source": SOURCES["digits"]}
    main, _ = draw_digits(settings.sigma, counts, seed, draw, noise=settings.noise)
    tables = [score_query(main, embedding, grid.query, **at)] if queried else []
    if draw < grid.draws:
        tables.append(score_grid(main, embedding, grid, **at))
    for variant in _variants_of_draw(variants, grid, draw, queried):
        other, changed = varied(settings, variant), varied(embedding, variant)
        if (other.sigma, other.noise, changed) == (settings.sigma, settings.noise, embedding):
            continue
        items = at_sigma(main, other.sigma)
        if other.noise != settings.noise:
            items, _ = draw_digits(other.sigma, counts, seed, draw, noise=other.noise)
        tables += _score_variant(variant, items, changed, grid, queried, at)
    return gather(tables)


def _variants_of_draw(variants: Sequence[Mapping], grid: OutOfSample, draw: int, queried: bool) -> list[Mapping]:
    """All variants in the draws of the grid; in those of the queries alone the variants that ask for it."""
    return [variant for variant in variants if draw < grid.draws or (queried and variant.get("queries"))]


def _score_variant(
    variant: Mapping, items: RetrievalSet, embedding: EmbeddingSettings, grid: OutOfSample, queried: bool, at: Mapping
) -> list[pd.DataFrame]:
    """A variant at the shares of the query, or, if it says so, at all; and, if it says so, what its queries return."""
    at, tables = {"variant": variant["name"], **at}, []
    if queried and variant.get("queries"):
        tables.append(score_query(items, embedding, grid.query, **at))
    if at["draw"] < grid.draws:
        tables.append(score_grid(items, embedding, shares_of(variant, grid), **at))
    return tables


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
