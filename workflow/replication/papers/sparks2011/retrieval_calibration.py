"""
Defaults for what Sparks 2011 leaves open, picked on rolls, glands and images that no claim is judged on.

By the rule of `replication.shared.calibration`, for each data set by itself. The score is the AUPRC (class average) of
the extrapolated objects at one share of training objects and labels; the cases are the calibration draws, and NM-GE and
OSE-SSL count, the two methods that are compared. GE and SSGE of all objects do not: SSGE would pick for how well
objects are placed by their own given labels, not for retrieval. docs/rule_log.md says when the rule was fixed, and what
had been seen then.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from consensus_embedding.diagnostics.retrieval import class_average, retrieval_scores
from consensus_embedding.utils.seeds import stream
from joblib import delayed

from replication.data.domains.shape_distance import shape_distances
from replication.data.glands import GlandSimulator
from replication.papers.sparks2011.experiments.retrieval_calibration import RetrievalCalibration
from replication.papers.sparks2011.retrieval_grid import Draw, EmbeddingSettings, RetrievalSet, extrapolate_both, varied
from replication.papers.sparks2011.retrieval_sets import SOURCES, draw_digits, draw_glands, gland_set
from replication.papers.sparks2011.settings import ClassCounts, SizedSet
from replication.papers.sparks2011.swiss_roll import SOURCE, RollSettings, roll_set
from replication.platform.settings import settings_of
from replication.platform.steps import QUIET, Work
from replication.shared.calibration import add_scores, go_through_options
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

CONDITIONS = ["choice", "option"]
ALL_SOURCES = {"swiss_roll": SOURCE, **SOURCES}


def configured_settings(sections: Mapping[str, Mapping]) -> dict[str, RollSettings | SizedSet]:
    """Set -> its settings, from what the configuration says of it."""
    return {
        name: settings_of(RollSettings if name == "swiss_roll" else SizedSet, section, name)
        for name, section in sections.items()
    }


def run(
    parameters: RetrievalCalibration,
    configured: Mapping[str, RollSettings | SizedSet],
    simulator: GlandSimulator,
    grid: Mapping,
    work: Work = QUIET,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score every option on every data set, and pick."""
    calibrated = [_calibrate(name, parameters, configured[name], simulator, grid, work) for name in parameters.options]
    metrics, picks = (pd.concat(tables, ignore_index=True) for tables in zip(*calibrated, strict=True))
    return metrics, picks


def _calibrate(
    name: str,
    parameters: RetrievalCalibration,
    configured: RollSettings | SizedSet,
    simulator: GlandSimulator,
    grid: Mapping,
    work: Work,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Metrics and picks of one data set."""
    draws = range(parameters.draws)
    # No option of the embedding changes the shape distances, which take longest.
    apart: dict[str, list] = {}

    def score(tried: Mapping) -> pd.DataFrame:
        settings = varied(configured, tried)
        embedding = varied(EmbeddingSettings(n_components=settings.n_components, **grid), tried)
        size = settings.size if name == "glands" else ""
        if size and size not in apart:
            calls = (delayed(_shape_distances)(simulator, work.seed, draw, size, settings.separation) for draw in draws)
            apart[size] = list(results_of(calls, work.threads))
        known = apart.get(size, [None] * len(draws))
        calls = (
            delayed(score_draw)(name, settings, embedding, parameters, simulator, work.seed, draw, known[draw])
            for draw in draws
        )
        return pd.DataFrame(results_of(calls, work.threads))

    scored, picks = go_through_options(
        parameters.options[name],
        {**grid, **vars(configured)},
        score,
        margin=parameters.margin,
        progress=lambda text: work.say(f"{name}, {text}"),
    )
    metrics = Metrics("retrieval_calibration", name, ALL_SOURCES[name], CONDITIONS)
    add_scores(metrics, "auprc", scored, [{"repetition": draw} for draw in draws])
    picks.insert(0, "dataset", name)
    return metrics.table(), picks


def score_draw(
    name: str,
    settings: RollSettings | SizedSet,
    embedding: EmbeddingSettings,
    parameters: RetrievalCalibration,
    simulator: GlandSimulator,
    seed: int,
    draw: int,
    apart: np.ndarray | None = None,
) -> dict[str, float]:
    """AUPRC of both methods on one calibration draw of a data set; apart: the shape distances of the glands."""
    items = calibration_set(name, settings, parameters.counts, simulator, seed, draw, "training", apart)
    drawn = Draw(items, stream(seed, "calibration", name, draw))
    training = drawn.training(parameters.training)
    new = np.setdiff1d(np.arange(len(items.labels)), training)
    known = drawn.labelled(training, parameters.labelled)
    return {
        method: class_average(retrieval_scores(places, items.labels).area[new], items.labels[new])
        for method, places in extrapolate_both(items, training, known, embedding).items()
    }


def calibration_set(
    name: str,
    settings: RollSettings | SizedSet,
    counts: ClassCounts,
    simulator: GlandSimulator,
    seed: int,
    draw: int,
    role: str,
    apart: np.ndarray | None = None,
) -> RetrievalSet:
    """The objects of a draw on which no claim is judged; apart: the shape distances of glands, if they are known."""
    if name == "swiss_roll":
        return roll_set(settings, seed, draw, role=role)
    if name == "glands":
        glands = draw_glands(simulator, seed, draw, separation=settings.separation, role=role)
        return gland_set(glands, settings.sigma, size=settings.size, apart=apart)
    return draw_digits(settings.sigma, dict(counts), seed, draw, role=role, noise=settings.noise)[0]


def _shape_distances(simulator: GlandSimulator, seed: int, draw: int, size: str, separation: float) -> np.ndarray:
    glands = draw_glands(simulator, seed, draw, separation=separation, role="training")
    return shape_distances(glands.outlines, size=size)
