"""
Defaults for what Ginsburg 2016 leaves open, picked on training samples alone.

By the rule of `replication.shared.calibration`. The score is the area under the ROC curve at five features; the cases
are the data sets, the calibration rounds and the classifiers, and all methods that are compared count: the four FINE,
the four embeddings and the three filters. A round draws its samples as the experiment does, with random numbers of its
own, and is scored on the training samples that it leaves out; no validation sample that a claim is judged on is seen,
and no stability.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from replication.data.readers.feature_table import FeatureSet
from replication.papers.ginsburg2016.experiments.fine_calibration import FineCalibration
from replication.papers.ginsburg2016.feature_rounds import MARKED, draw_round, round_seed, score_round
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.steps import QUIET, Work
from replication.shared.calibration import calibrate, scores_by_set

EXPERIMENT = "fine_calibration"


def run(
    tables: Mapping[str, FeatureSet],
    sources: Mapping[str, str],
    settings: FeatureSettings,
    parameters: FineCalibration,
    work: Work = QUIET,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score every option, and pick."""
    rounds = [(name, number) for name in tables for number in range(parameters.rounds)]
    cases = [{"table": tables[name], "name": name, "seed": work.seed, "number": number} for name, number in rounds]
    scored, picks = calibrate(
        parameters.options, settings, score_training, cases,
        margin=parameters.margin, n_jobs=work.threads, progress=work.say,
    )  # fmt: skip
    picks.insert(0, "dataset", "all")
    return scores_by_set(EXPERIMENT, "auc", scored, rounds, sources), picks


def score_training(table: FeatureSet, settings: FeatureSettings, name: str, seed: int, number: int) -> dict[str, float]:
    """Mean area over the classifiers of each method, on training samples that a calibration round leaves out."""
    X, y = table.training_part()
    axes = (seed, EXPERIMENT, name, number)
    chosen, _ = draw_round(y, settings, *axes, leave_both=True)
    left = np.setdiff1d(np.arange(len(y)), chosen)
    scored = score_round(
        (X[chosen], y[chosen]),
        (X[left], y[left]),
        settings,
        [MARKED],
        round_seed(*axes),
        forest_counts=[MARKED],
        controls=False,
    )
    areas: dict[str, list[float]] = {}
    for method, metric, value, _ in scored.values:
        if metric == "auc":
            areas.setdefault(method, []).append(value)
    return {method: float(np.mean(values)) for method, values in areas.items()}
