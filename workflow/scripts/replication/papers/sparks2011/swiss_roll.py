"""Fig. 1(a), (b) of Sparks 2011: extrapolation of the Swiss roll over shares of training objects and labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from consensus_embedding.manifold.dissimilarity_graph import dissimilarity_affinity
from consensus_embedding.utils.seeds import stream, stream_seed
from consensus_embedding.utils.threads import one_blas_thread
from scipy.spatial.distance import cdist
from sklearn.utils.parallel import Parallel, delayed

from replication.datasets.swiss_roll import SwissRoll, simulate_swiss_roll
from replication.papers.sparks2011.retrieval_grid import (
    CONDITIONS,
    SETTINGS,
    Draw,
    RetrievalSet,
    add_counts,
    embed_all,
    extrapolate,
    gather,
    score_grid,
)
from replication.shared.tidy import Metrics

NAME, SOURCE = "swiss_roll", "simulated"
# Samples of the paper; a roll of other size is never shown under its name.
N_SAMPLES = 2000
# Shares of training objects and of labels of the picture.
PICTURED = (0.5, 0.5)


def run(
    parameters: Mapping,
    grid: Mapping,
    *,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Callable[[int], None] = lambda finished: None,
) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """
    Score all methods on new rolls, each with its own draw of training objects and labels.

    Parameters
    ----------
    parameters : mapping
        The section swiss_roll of the configuration.
    grid : mapping
        The section out_of_sample: shares, draws, query, and the settings of the embedding.
    seed : int
    n_jobs : int
        Processes. The result does not depend on it.
    progress : callable
        Called with the number of finished draws.

    Returns
    -------
    metrics : DataFrame
        Tidy scores and approximation errors.
    pictures : dict of ndarray
        Embeddings of the first roll.

    Raises
    ------
    ValueError
        If a share leaves no more training objects than components.
    """
    items = roll_set(parameters, seed, 0)
    metrics = Metrics(NAME, items.name, SOURCE, CONDITIONS)
    add_counts(metrics, items, grid["query"])
    found = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(score_roll)(parameters, grid, draw, seed) for draw in range(grid["draws"])
    )
    tables = [metrics.table()]
    for draw, table in enumerate(found):
        tables.append(table)
        progress(draw + 1)
    return gather(tables), pictures(parameters, grid, seed)


def roll_set(parameters: Mapping, seed: int, draw: int, role: str = "evaluation") -> RetrievalSet:
    """
    The roll of a draw, as objects to retrieve.

    Parameters
    ----------
    parameters : mapping
        n_samples, split, sigma, radius, outside.
    seed, draw : int
    role : {"evaluation", "training"}
        Calibration draws other rolls than evaluation.

    Returns
    -------
    RetrievalSet
    """
    roll = _roll(parameters, seed, draw, role)
    apart = cdist(roll.X, roll.X)
    affinity, _ = dissimilarity_affinity(
        apart, sigma=parameters["sigma"], radius=parameters["radius"], outside=parameters["outside"]
    )
    return RetrievalSet(roll_name(len(apart)), affinity, apart, roll.labels, ("first half", "second half"))


def roll_name(n_samples: int) -> str:
    """Name of the data set in tables."""
    return NAME if n_samples == N_SAMPLES else f"{NAME}_{n_samples}"


def score_roll(parameters: Mapping, grid: Mapping, draw: int, seed: int) -> pd.DataFrame:
    """The whole grid on the roll of a draw, and the query cell for each variant."""
    query = grid["query"]
    settings = {key: {**grid, **parameters}[key] for key in SETTINGS}
    at = {"draw": draw, "seed": seed, "experiment": NAME, "source": SOURCE}
    tables = [score_grid(roll_set(parameters, seed, draw), settings, grid, **at)]
    cell = {"training": [query["training"]], "labelled": [query["labelled"]], "query": query}
    for variant in parameters["variants"]:
        changed = {**grid, **parameters, **variant}
        settings = {key: changed[key] for key in SETTINGS}
        tables.append(score_grid(roll_set(changed, seed, draw), settings, cell, variant=variant["name"], **at))
    return gather(tables)


def pictures(parameters: Mapping, grid: Mapping, seed: int) -> dict[str, np.ndarray]:
    """Embeddings of the first roll at the pictured shares."""
    items, roll = roll_set(parameters, seed, 0), _roll(parameters, seed, 0)
    settings = {key: {**grid, **parameters}[key] for key in SETTINGS}
    drawn = Draw(items, stream(seed, items.name, "draw", 0))
    training = drawn.training(PICTURED[0])
    known = drawn.labelled(training, PICTURED[1])
    everything = np.arange(len(items.labels))
    with one_blas_thread():
        return {
            "X": roll.X,
            "position": roll.position,
            "labels": roll.labels,
            "training": np.isin(everything, training),
            "known": known >= 0,
            "ge": embed_all(items, settings),
            "nm_ge": extrapolate(items, training, settings),
            "ssge": embed_all(items, settings, drawn.labelled(everything, PICTURED[1])),
            "ose_ssl": extrapolate(items, training, settings, known),
        }


def _roll(parameters: Mapping, seed: int, draw: int, role: str = "evaluation") -> SwissRoll:
    own = stream_seed(seed, NAME, role, draw)
    return simulate_swiss_roll(parameters["n_samples"], own, split=parameters["split"])
