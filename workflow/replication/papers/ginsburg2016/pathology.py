"""Fig. 4 and Table V of Ginsburg 2016: its four pathology studies, on cohorts of their size drawn from substitutes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from consensus_embedding.utils.seeds import stream
from joblib import delayed

from replication.data.readers.feature_table import FeatureSet
from replication.papers.ginsburg2016.experiments.pathology import Pathology, PathologyStudy
from replication.papers.ginsburg2016.feature_rounds import (
    CONDITIONS,
    MARKED,
    Round,
    add_rounds,
    changed_settings,
    check_features,
    gather_rounds,
    round_seed,
    score_round,
)
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.steps import QUIET, Work
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

EXPERIMENT = "pathology"
# In the name of every random stream: the draws on which claims are judged.
_JUDGED = "judged"


def run(
    table: FeatureSet,
    item: PathologyStudy,
    parameters: Pathology,
    settings: FeatureSettings,
    *,
    source: str,
    work: Work = QUIET,
) -> pd.DataFrame:
    """
    Score all selectors on cohorts of one study.

    A cohort has as many samples of either class; so do the training samples of each round, drawn from it, and the
    rest, on which the classifiers are scored (Section V-B). A study with noise has its own in each cohort.
    """
    _check_cohort(table, item)
    check_features(table.features, item.name)
    changed = changed_settings(parameters.variants, settings)
    draws = [
        (cohort, number)
        for cohort in range(parameters.cohorts)
        for number in range(max(parameters.rounds, parameters.variant_rounds if changed else 0))
    ]
    jobs = [delayed(_one_draw)(table, item, parameters, settings, work.seed, *draw) for draw in draws]
    cohorts = [cohort for cohort, _ in draws]
    n_rounds = parameters.cohorts * (parameters.rounds + len(changed) * parameters.variant_rounds)
    rounds = gather_rounds(results_of(jobs, work.threads), cohorts, work.progress(n_rounds, "rounds"))
    metrics = Metrics(EXPERIMENT, item.name, source, CONDITIONS)
    _add_sizes(metrics, table, item)
    for title in ("", *(title for title, _ in changed)):
        for cohort in range(parameters.cohorts):
            at = {"marked_only": title != "", "variant": title, "cohort": cohort}
            add_rounds(metrics, rounds[title, cohort], table.features, **at)
    return metrics.table()


def _check_cohort(table: FeatureSet, item: PathologyStudy) -> None:
    """Refuse a cohort that a class has too few samples for."""
    half = item.half
    for label, title in zip((-1, 1), table.classes, strict=True):
        if (table.labels == label).sum() < half:
            raise ValueError(
                f"{item.name}: a cohort of {2 * half} samples needs {half} of each class, found "
                f"{(table.labels == label).sum()} of {title}; lower the numbers of training and test samples."
            )


def _add_sizes(metrics: Metrics, table: FeatureSet, item: PathologyStudy) -> None:
    for metric, value in {
        "n_samples": len(table.labels),
        "n_features_all": len(table.features),
        "n_validation": item.test,
        "n_round": item.training,
        "noise": item.noise,
        # Share of the rarer class in a cohort: how far cohorts are the same samples.
        "shared": item.half / min((table.labels == label).sum() for label in (-1, 1)),
    }.items():
        metrics.add("all", metric, value)


def draw_halves(labels: np.ndarray, n: int, *axes: str | int) -> np.ndarray:
    """Samples of a cohort, or training samples of a round: n together, as many of either class, rising."""
    generator = stream(*axes)
    drawn = [generator.choice(np.flatnonzero(labels == label), n // 2, replace=False) for label in (-1, 1)]
    return np.sort(np.concatenate(drawn))


def with_noise(table: FeatureSet, noise: float, *axes: str | int) -> FeatureSet:
    """A set with Gaussian noise on every feature."""
    if noise == 0:
        return table
    added = noise * table.values.std(axis=0) * stream(*axes, "noise").standard_normal(table.values.shape)
    return replace(table, values=table.values + added)


def _one_draw(
    table: FeatureSet,
    item: PathologyStudy,
    parameters: Pathology,
    settings: FeatureSettings,
    seed: int,
    cohort: int,
    number: int,
) -> dict[str, Round]:
    """The rounds on one draw of samples: that of the settings, under "", and those of the variants by name."""
    axes = (seed, EXPERIMENT, _JUDGED, item.name, "cohort", cohort)
    members = draw_halves(table.labels, 2 * item.half, *axes)
    X, y = with_noise(table, item.noise, *axes).values[members], table.labels[members]
    axes = (*axes, "round", number)
    training = draw_halves(y, item.training, *axes)
    unseen = np.setdiff1d(np.arange(len(y)), training)
    parts, own_seed = ((X[training], y[training]), (X[unseen], y[unseen])), round_seed(*axes)
    forests, known, rounds = parameters.forests, {}, {}
    if number < parameters.rounds:
        counts = forests.n_features if number < forests.rounds else ()
        how = {"forest_counts": counts, "known": known}
        rounds[""] = score_round(*parts, settings, parameters.n_features, own_seed, **how)
    if number < parameters.variant_rounds:
        for title, other in changed_settings(parameters.variants, settings):
            rounds[title] = score_round(*parts, other, [MARKED], own_seed, controls=False, known=known)
    for scored in rounds.values():
        scored.samples = training
    return rounds
