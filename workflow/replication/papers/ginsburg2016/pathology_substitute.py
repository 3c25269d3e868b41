"""
How hard are the private pathology studies? Public sets and added noise, set by the AUC that Ginsburg 2016 prints.

By the rule of `replication.shared.substitutes`, fixed before any setting was scored, for each study with a printed
range of the area under the ROC curve that holds for the filters. A setting is a public set and the size of the Gaussian
noise added to each feature, in its standard deviations over the set. The t-test, the Fisher score and the Gini index
rank the features, and logistic regression with the best five is scored on the samples left out; what counts is the mean
area over the three. It is the middle of the printed range that is to be reached.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from consensus_embedding.features.feature_importance import top_features
from joblib import delayed

from replication.data.readers.feature_table import FeatureSet
from replication.papers.ginsburg2016.experiments.pathology_substitute import PathologySubstitute
from replication.papers.ginsburg2016.feature_classifiers import classifier_areas
from replication.papers.ginsburg2016.feature_rounds import FILTERS, MARKED
from replication.papers.ginsburg2016.pathology import PathologyStudy, draw_halves, with_noise
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.steps import QUIET, Work
from replication.shared.substitutes import rank_settings
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

EXPERIMENT = "pathology_substitute"
CONDITIONS = ["features", "noise", "cohort"]
CLASSIFIER = "logistic_regression"
# The middle of the printed range of the AUC: S1 of FINE PCA, FINE LLE and filters (Sec. VI-B), S3 of FINE, filters and
# vectors (VI-D), S4 of filters alone (VI-E). Of S2 only a bound is printed.
PRINTED = {"s1": (0.80 + 0.83) / 2, "s3": (0.52 + 0.64) / 2, "s4": (0.57 + 0.67) / 2}


def run(
    tables: Mapping[str, FeatureSet],
    studies: tuple[PathologyStudy, ...],
    parameters: PathologySubstitute,
    settings: FeatureSettings,
    *,
    sources: Mapping[str, str],
    work: Work = QUIET,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score the filters on every set with every noise, and pick for each study."""
    rows, picks = [], []
    for study in studies:
        if study.name not in PRINTED:
            continue
        tried = [
            {"study": study.name, "features": name, "noise": noise}
            for name in parameters.features
            for noise in parameters.noise
            if min((tables[name].labels == label).sum() for label in (-1, 1)) >= study.half
        ]
        if not tried:
            continue
        cases = [(setting, cohort) for setting in tried for cohort in range(parameters.cohorts)]
        calls = (
            delayed(score_cohort)(tables[at["features"]], study, settings, at, parameters.rounds, work.seed, cohort)
            for at, cohort in cases
        )
        scored = list(results_of(calls, work.threads))
        for (at, cohort), areas in zip(cases, scored, strict=True):
            metrics = Metrics(EXPERIMENT, study.name, sources[at["features"]], CONDITIONS)
            for name, area in areas.items():
                metrics.add(name, "auc", area, features=at["features"], noise=at["noise"], cohort=cohort)
            rows.append(metrics.table())
        areas = pd.DataFrame(scored).mean(axis=1).groupby([tried.index(at) for at, _ in cases]).mean()
        reached = [{"reached": float(areas[k])} for k in range(len(tried))]
        ranked = rank_settings(tried, reached, {"reached": PRINTED[study.name]}).assign(printed=PRINTED[study.name])
        best = ranked[ranked["picked"]].iloc[0]
        work.say(f"{study.name}: {best['features']}, noise {best['noise']:g}, AUC {best['reached']:.3f}")
        picks.append(ranked)
    return pd.concat(rows, ignore_index=True), pd.concat(picks, ignore_index=True)


def score_cohort(
    table: FeatureSet,
    study: PathologyStudy,
    settings: FeatureSettings,
    at: Mapping,
    n_rounds: int,
    seed: int,
    cohort: int,
) -> dict[str, float]:
    """AUC of each filter on one cohort of a set with a noise, mean over its rounds."""
    name, noise = at["features"], at["noise"]
    axes = (seed, EXPERIMENT, study.name, name, "cohort", cohort)
    noisy = with_noise(table, noise, *axes)
    members = draw_halves(table.labels, 2 * study.half, *axes)
    X, y = noisy.values[members], noisy.labels[members]
    areas: dict[str, list[float]] = {filter_name: [] for filter_name in FILTERS}
    for number in range(n_rounds):
        training = draw_halves(y, study.training, *axes, "round", number)
        unseen = np.setdiff1d(np.arange(len(y)), training)
        # With as many samples in each class, the t-test and the Fisher score choose the same features.
        known: dict[tuple[int, ...], float] = {}
        for filter_name, rank in FILTERS.items():
            kept = top_features(rank(X[training], y[training]), MARKED)
            what = tuple(kept.tolist())
            if what not in known:
                parts = [(X[rows][:, kept], y[rows]) for rows in (training, unseen)]
                ((_, known[what]),) = classifier_areas(*parts, settings, (CLASSIFIER,), seed)
            areas[filter_name].append(known[what])
    return {filter_name: float(np.mean(values)) for filter_name, values in areas.items()}
