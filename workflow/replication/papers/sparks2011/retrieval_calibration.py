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

from replication.data.glands import GlandSimulator
from replication.papers.sparks2011.experiments.retrieval_calibration import RetrievalCalibration
from replication.papers.sparks2011.retrieval_grid import Draw, EmbeddingSettings, RetrievalSet, extrapolate_both, varied
from replication.papers.sparks2011.retrieval_sets import MadeDigits, MadeGlands, MadeSet, at_sigma
from replication.papers.sparks2011.settings import ClassCounts, EmbeddedDigits, RollSettings, SizedGlands
from replication.papers.sparks2011.swiss_roll import MadeRolls
from replication.platform.settings import settings_of
from replication.platform.steps import QUIET, Work
from replication.shared.calibration import add_scores, go_through_options
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

CONDITIONS = ["choice", "option"]


def made_sets(sections: Mapping[str, Mapping], counts: ClassCounts, simulator: GlandSimulator) -> dict[str, MadeSet]:
    """Set -> how its objects are made, from what the configuration says of it."""
    return {
        "swiss_roll": MadeRolls(settings_of(RollSettings, sections["swiss_roll"], "swiss_roll")),
        "glands": MadeGlands(settings_of(SizedGlands, sections["glands"], "glands"), simulator),
        "digits": MadeDigits(settings_of(EmbeddedDigits, sections["digits"], "digits"), dict(counts)),
    }


def run(
    parameters: RetrievalCalibration, configured: Mapping[str, MadeSet], grid: Mapping, work: Work = QUIET
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score every option on every data set, and pick."""
    calibrated = [_calibrate(configured[name], parameters, grid, work) for name in parameters.options]
    metrics, picks = (pd.concat(tables, ignore_index=True) for tables in zip(*calibrated, strict=True))
    return metrics, picks


def _calibrate(
    made: MadeSet, parameters: RetrievalCalibration, grid: Mapping, work: Work
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Metrics and picks of one data set."""
    draws = range(parameters.draws)
    # No option of the embedding changes the shape distances, which take longest.
    known: dict[tuple, list[RetrievalSet]] = {}

    def score(tried: Mapping) -> pd.DataFrame:
        other, shapes = made.varied(tried), (tried.get("size"), tried.get("separation"))
        embedding = varied(EmbeddingSettings(n_components=other.settings.n_components, **grid), tried)
        if "size" in tried and shapes not in known:
            calls = (delayed(other.draw)(work.seed, draw, "training") for draw in draws)
            known[shapes] = list(results_of(calls, work.threads))
        drawn = known.get(shapes, [None] * len(draws))
        calls = (delayed(score_draw)(other, embedding, parameters, work.seed, draw, drawn[draw]) for draw in draws)
        return pd.DataFrame(results_of(calls, work.threads))

    scored, picks = go_through_options(
        parameters.options[made.name],
        {**grid, **vars(made.settings)},
        score,
        margin=parameters.margin,
        progress=lambda text: work.say(f"{made.name}, {text}"),
    )
    metrics = Metrics("retrieval_calibration", made.name, made.source, CONDITIONS)
    add_scores(metrics, "auprc", scored, [{"repetition": draw} for draw in draws])
    picks.insert(0, "dataset", made.name)
    return metrics.table(), picks


def score_draw(
    made: MadeSet,
    embedding: EmbeddingSettings,
    parameters: RetrievalCalibration,
    seed: int,
    draw: int,
    known: RetrievalSet | None = None,
) -> dict[str, float]:
    """AUPRC of both methods on one calibration draw of a data set; known: its objects, at any sigma."""
    items = made.draw(seed, draw, "training") if known is None else at_sigma(known, made.settings.sigma)
    drawn = Draw(items, stream(seed, "calibration", made.name, draw))
    training = drawn.training(parameters.training)
    new = np.setdiff1d(np.arange(len(items.labels)), training)
    labels = drawn.labelled(training, parameters.labelled)
    return {
        method: class_average(retrieval_scores(places, items.labels).area[new], items.labels[new])
        for method, places in extrapolate_both(items, training, labels, embedding).items()
    }
