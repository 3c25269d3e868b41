"""Fig. 6 of Ginsburg 2016: survival of two risk groups, separated by the five features that FINE ranks highest."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from consensus_embedding.features.feature_importance import top_features
from consensus_embedding.utils.seeds import stream, stream_seed
from consensus_embedding.utils.threads import one_blas_thread
from joblib import delayed
from scipy import stats
from scipy.special import ndtri
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from statsmodels.duration.survfunc import SurvfuncRight

from replication.data.readers.feature_table import FeatureSet
from replication.papers.ginsburg2016.feature_classifiers import (
    classifier_scale,
    decision_values,
    make_classifier,
    standardization,
)
from replication.papers.ginsburg2016.feature_rounds import MARKED, SELECTORS, check_features, feature_scores
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.steps import QUIET, Work
from replication.shared.statistics import CONFIDENCE
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

EXPERIMENT = "survival"
# In the name of every random stream: the draws on which claims are judged.
_JUDGED = "judged"
CONDITIONS = ["fit", "cohort", "group", "months"]
# Metric suffix -> what risk is compared with, given the risk of the training patients and the share of events in them.
CUTS = {
    "": lambda risk, _: np.median(risk),
    "_class": lambda *_: 0.0,  # the predicted class: p > 0.5
    "_events": lambda risk, events: np.quantile(risk, 1 - events),
}
METHODS = (*SELECTORS, "random")


def kaplan_meier(months: np.ndarray, events: np.ndarray) -> pd.DataFrame:
    """
    Kaplan-Meier estimate of the share that has had no event yet, at month 0 and at the times of the events.

    With its 95 % interval, by the log-log transform of Greenwood's variance; NaN where the estimate is 0 or 1.
    """
    times, survival, spread, at_risk = [0.0], [1.0], [0.0], [float(len(months))]
    if events.any():
        estimate = SurvfuncRight(months, events.astype(int))
        times, survival = np.append(times, estimate.surv_times), np.append(survival, estimate.surv_prob)
        spread, at_risk = np.append(spread, estimate.surv_prob_se), np.append(at_risk, estimate.n_risk)
    curve = pd.DataFrame({"survival": survival, "at_risk": at_risk}, index=times)
    inside = curve["survival"].where(curve["survival"].between(0, 1, inclusive="neither"))
    # Standard error of log(-log S), from that of S; statsmodels has no interval of S itself.
    error = spread / (inside * np.log(inside).abs())
    for name, sign in (("survival_low", 1), ("survival_high", -1)):
        curve[name] = inside ** np.exp(sign * ndtri(0.5 + 0.5 * CONFIDENCE) * error)
    return curve


def log_rank_p(months: np.ndarray, events: np.ndarray, high: np.ndarray) -> float:
    """Two-sided p-value of the log-rank test between two groups; NaN where a group is empty or nothing happened."""
    if high.all() or not high.any() or not events.any():
        return float("nan")
    groups = [
        stats.CensoredData(uncensored=months[events & group], right=months[~events & group]) for group in (high, ~high)
    ]
    return float(stats.logrank(*groups).pvalue)


def run(
    table: FeatureSet,
    settings: FeatureSettings,
    *,
    cohort: int,
    partitions: int,
    folds: int,
    name: str,
    source: str,
    work: Work = QUIET,
) -> pd.DataFrame:
    """Split the patients in two risk groups, and compare their survival."""
    if table.months is None:
        raise ValueError(f"{name}: survival needs the months of each patient, found none; name their column as months.")
    check_features(table.features, name)
    for label, title in zip((-1, 1), table.classes, strict=True):
        # In every fold both classes must be there, and two samples of each to learn from.
        if (table.labels == label).sum() < max(folds, 3):
            raise ValueError(
                f"{name}: {folds} folds need at least {max(folds, 3)} samples of each "
                f"class, found {(table.labels == label).sum()} of {title}; use fewer folds."
            )
    if cohort > len(table.labels):
        raise ValueError(
            f"survival.cohort: expected at most {len(table.labels)}, the number of patients, found {cohort}."
        )
    cohorts = {"all": None, str(cohort): cohort}
    metrics = Metrics(EXPERIMENT, name, source, CONDITIONS)
    with one_blas_thread():
        best_of_all = _best_features(table.values, table.labels, settings)
    jobs = [
        delayed(_one_partition)(table, name, folds, settings, size, work.seed, number, best_of_all)
        for size in cohorts.values()
        for number in range(partitions)
    ]
    risk_groups = list(results_of(jobs, work.threads, work.progress(len(jobs), "partitions")))
    metrics.add("all", "n_samples", len(table.labels))
    metrics.add("all", "n_events", int((table.labels == 1).sum()))
    for place, (members, risks) in enumerate(risk_groups):
        drawn, number = list(cohorts)[place // partitions], place % partitions
        months, events = table.months[members], table.labels[members] == 1
        for (method, fit), (risk, high) in risks.items():
            at = {"fit": fit, "cohort": drawn}
            metrics.add(method, "auc", roc_auc_score(events, risk), number, **at)
            for cut, of_cut in high.items():
                curves = number == 0 and cut == ""
                _add_groups(metrics, method, months, events, of_cut, number, at, cut, curves=curves)
    return metrics.table()


def _one_partition(
    table: FeatureSet,
    name: str,
    folds: int,
    settings: FeatureSettings,
    size: int | None,
    seed: int,
    number: int,
    best_of_all: Mapping[str, np.ndarray],
) -> tuple[np.ndarray, dict]:
    """Patients of a cohort, and risk and groups of each by every method, with and without cross-fitting."""
    axes = (EXPERIMENT, _JUDGED, name, "all" if size is None else size, number)
    members = np.arange(len(table.labels))
    if size is not None:
        members = _draw_cohort(table.labels, size, folds, seed, *axes)
    X, y = table.values[members], table.labels[members]
    partition = StratifiedKFold(folds, shuffle=True, random_state=stream_seed(seed, *axes, "folds"))
    everyone = np.arange(len(y))
    splits = {"cross-fitted": list(partition.split(X, y)), "same patients": [(everyone, everyone)]}
    risks = {}
    for fit, pairs in splits.items():
        scored = {method: (np.empty(len(y)), {cut: np.empty(len(y), dtype=bool) for cut in CUTS}) for method in METHODS}
        for fold, (training, unseen) in enumerate(pairs):
            # All patients of the data set are the same in every partition.
            all_of_them = len(training) == len(table.labels)
            best = best_of_all if all_of_them else _best_features(X[training], y[training], settings)
            generator = np.random.default_rng(stream_seed(seed, *axes, fit, fold))
            for method, kept in {**best, "random": generator.permutation(X.shape[1])[:MARKED]}.items():
                risk, cuts = _risk(X[:, kept], y, training, settings)
                scored[method][0][unseen] = risk[unseen] - cuts[""]
                for cut, limit in cuts.items():
                    scored[method][1][cut][unseen] = risk[unseen] > limit
        risks |= {(method, fit): values for method, values in scored.items()}
    return members, risks


def _draw_cohort(labels: np.ndarray, size: int, folds: int, seed: int, *axes: str | int) -> np.ndarray:
    """Patients drawn by chance, with enough of either class for the folds."""
    generator = stream(seed, *axes, "cohort")
    for _ in range(1000):
        members = np.sort(generator.choice(len(labels), size, replace=False))
        if min((labels[members] == label).sum() for label in (-1, 1)) >= max(folds, 3):
            return members
    raise ValueError(
        f"survival.cohort: no draw of {size} patients has {max(folds, 3)} of each class; ask for more patients or "
        "fewer folds."
    )


def _best_features(X: np.ndarray, y: np.ndarray, settings: FeatureSettings) -> dict[str, np.ndarray]:
    """The five features that each method but chance ranks highest."""
    shift, scale = standardization(X) if settings.scaling == "standard" else (0.0, 1.0)
    scores = feature_scores((X - shift) / scale, y, settings)
    return {method: top_features(of_method, MARKED) for method, of_method in scores.items()}


def _risk(
    X: np.ndarray, y: np.ndarray, training: np.ndarray, settings: FeatureSettings
) -> tuple[np.ndarray, dict[str, float]]:
    """Risk of all patients (log-odds) by logistic regression on the training ones, and where these are cut in two."""
    shift, scale = classifier_scale(X[training], settings)
    scaled = (X - shift) / scale
    model = make_classifier("logistic_regression", X.shape[1], settings, 0)
    fitted = model.fit(scaled[training], y[training])
    risk = decision_values(fitted, scaled)
    return risk, {cut: float(limit(risk[training], (y[training] == 1).mean())) for cut, limit in CUTS.items()}


def _add_groups(
    metrics: Metrics,
    method: str,
    months: np.ndarray,
    events: np.ndarray,
    high: np.ndarray,
    number: int,
    at: Mapping,
    cut: str,
    *,
    curves: bool,
) -> None:
    metrics.add(method, f"log_rank_p{cut}", log_rank_p(months, events, high), number, **at)
    groups = {"low": ~high, "high": high}
    for group, members in groups.items():
        metrics.add(method, f"n_{group}{cut}", int(members.sum()), number, **at)
    estimates = {group: kaplan_meier(months[members], events[members]) for group, members in groups.items()}
    middle = float(np.median(months))
    at_middle = [estimates[group]["survival"].asof(middle) for group in groups]
    # A group without patients shows no difference.
    difference = at_middle[0] - at_middle[1] if high.any() and not high.all() else 0.0
    metrics.add(method, f"risk_difference{cut}", difference, number, **at)
    if not curves:
        return
    for group, curve in estimates.items():
        here = {"group": group, **at}
        members = groups[group]
        metrics.add(method, "n_events", int((events & members).sum()), number, **here)
        for time, values in curve.iterrows():
            for metric, value in values.dropna().items():
                metrics.add(method, metric, value, number, months=time, **here)
        times, counts = np.unique(months[~events & members], return_counts=True)
        for time, count in zip(times, counts, strict=True):
            metrics.add(method, "censored", int(count), number, months=time, **here)
