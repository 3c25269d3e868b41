"""Fig. 1(a), (b) of Sparks 2011: extrapolation of the Swiss roll over shares of training objects and labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from consensus_embedding.manifold.graphs import dissimilarity_affinity
from consensus_embedding.utils.seeds import stream, stream_seed
from consensus_embedding.utils.threads import one_blas_thread
from joblib import delayed
from scipy.spatial.distance import cdist

from replication.data.swiss_roll import SwissRoll, simulate_swiss_roll
from replication.papers.sparks2011.experiments.swiss_roll import SwissRollSettings
from replication.papers.sparks2011.retrieval_grid import (
    CONDITIONS,
    Draw,
    OutOfSample,
    RetrievalSet,
    add_counts,
    embed_all,
    extrapolate,
    gather,
    score_grid,
    shares_of,
    varied,
)
from replication.papers.sparks2011.retrieval_sets import JUDGED, MadeSet
from replication.platform.steps import QUIET, Work
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

NAME, SOURCE = "swiss_roll", "simulated"
# Samples of the paper; a roll of other size is never shown under its name.
N_SAMPLES = 2000
# Shares of training objects and of labels of the picture.
PICTURED = (0.5, 0.5)


def run(
    settings: SwissRollSettings, grid: OutOfSample, *, draws: Sequence[int] | None = None, work: Work = QUIET
) -> pd.DataFrame:
    """Score all methods on new rolls, each with its own draw of training objects and labels."""
    draws, tables = range(grid.draws) if draws is None else draws, []
    if 0 in draws:
        items = MadeRolls(settings).draw(work.seed, 0)
        metrics = Metrics(NAME, items.name, SOURCE, CONDITIONS)
        add_counts(metrics, items, grid.query)
        tables.append(metrics.table())
    calls = (delayed(score_roll)(settings, grid, draw, work.seed) for draw in draws)
    return gather([*tables, *results_of(calls, 1, work.progress(len(draws), "draws"))])


@dataclass(frozen=True)
class MadeRolls(MadeSet):
    """Swiss rolls."""

    name, source = NAME, SOURCE

    def roll(self, seed: int, draw: int, role: str = JUDGED) -> SwissRoll:
        """The roll of a draw."""
        own = stream_seed(seed, NAME, role, draw)
        return simulate_swiss_roll(self.settings.n_samples, own, split=self.settings.split)

    def draw(self, seed: int, draw: int, role: str = JUDGED) -> RetrievalSet:
        """The roll of a draw, as objects to retrieve."""
        roll, graph = self.roll(seed, draw, role), self.settings
        apart = cdist(roll.X, roll.X)
        affinity, _ = dissimilarity_affinity(apart, sigma=graph.sigma, radius=graph.radius, outside=graph.outside)
        return RetrievalSet(roll_name(len(apart)), affinity, apart, roll.labels, ("first half", "second half"))


def roll_name(n_samples: int) -> str:
    """Name of the data set in tables."""
    return NAME if n_samples == N_SAMPLES else f"{NAME}_{n_samples}"


def score_roll(settings: SwissRollSettings, grid: OutOfSample, draw: int, seed: int) -> pd.DataFrame:
    """The complete grid on the roll of a draw, and for each variant the query cell or, if it says so, more."""
    made, embedding = MadeRolls(settings), grid.embedding(settings.n_components)
    at = {"draw": draw, "seed": seed, "experiment": NAME, "source": SOURCE}
    tables = [score_grid(made.draw(seed, draw), embedding, grid, **at)]
    for variant in settings.variants:
        roll = made.varied(variant).draw(seed, draw)
        changed = varied(embedding, variant)
        tables.append(score_grid(roll, changed, shares_of(variant, grid), variant=variant["name"], **at))
    return gather(tables)


def pictures(settings: SwissRollSettings, grid: OutOfSample, seed: int) -> dict[str, np.ndarray]:
    """Embeddings of the first roll at the pictured shares."""
    made = MadeRolls(settings)
    items, roll = made.draw(seed, 0), made.roll(seed, 0)
    embedding = grid.embedding(settings.n_components)
    drawn = Draw(items, stream(seed, items.name, "judged draw", 0))
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
            "ge": embed_all(items, embedding),
            "nm_ge": extrapolate(items, training, embedding),
            "ssge": embed_all(items, embedding, drawn.labelled(everything, PICTURED[1])),
            "ose_ssl": extrapolate(items, training, embedding, known),
        }
