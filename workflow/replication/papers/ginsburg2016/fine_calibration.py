"""
Defaults for what Ginsburg 2016 leaves open, picked on training samples alone.

The rule: the choices are gone through in the order of the configuration, from the start values on. An option scores by
the area under the ROC curve at five features, averaged with equal weight over the data sets, the calibration rounds,
the classifiers, and all methods that are compared: the four FINE, the four embeddings and the three filters. A round
draws its samples as the experiment does, with random numbers of its own, and is scored on the training samples that it
leaves out; no validation sample that a claim is judged on is seen, and no stability. The start value stays unless
another option is better by more than the margin; then the best one takes its place, for the choices that follow too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from sklearn.utils.parallel import Parallel, delayed

from replication.data.feature_set import FeatureSet
from replication.papers.ginsburg2016.feature_rounds import MARKED, draw_round, round_seed, score_round
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.shared.calibration import add_scores, go_through_options
from replication.shared.tidy import Metrics

EXPERIMENT = "fine_calibration"
CONDITIONS = ["choice", "option"]


def run(
    tables: Mapping[str, FeatureSet],
    sources: Mapping[str, str],
    settings: FeatureSettings,
    *,
    options: Mapping[str, Sequence],
    rounds: int,
    margin: float,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Callable[[str], None] = print,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score every option, and pick."""
    cases = [(name, number) for name in tables for number in range(rounds)]
    with Parallel(n_jobs=n_jobs) as workers:

        def score(tried: Mapping) -> pd.DataFrame:
            changed = settings.replace(**tried)
            return pd.DataFrame(
                workers(delayed(score_training)(tables[name], changed, name, seed, number) for name, number in cases)
            )

        scored, picks = go_through_options(options, vars(settings), score, margin=margin, progress=progress)
    parts = []
    for name in tables:
        metrics = Metrics(EXPERIMENT, name, sources[name], CONDITIONS)
        own = [place for place, (other, _) in enumerate(cases) if other == name]
        add_scores(metrics, "auc", scored, [{"repetition": cases[place][1]} for place in own], own)
        parts.append(metrics.table())
    picks.insert(0, "dataset", "all")
    return pd.concat(parts, ignore_index=True), picks


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
