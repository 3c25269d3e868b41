"""Table IV and Fig. 3 of Ginsburg 2016: stability and accuracy of selected features on the NIPS 2003 sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from sklearn.utils.parallel import Parallel, delayed

from consensus_embedding.datasets.feature_set import FeatureSet
from consensus_embedding.experiments.feature_rounds import (
    CONDITIONS,
    MARKED,
    Round,
    add_rounds,
    draw_round,
    round_seed,
    score_round,
)
from consensus_embedding.experiments.tidy import Metrics

EXPERIMENT = "feature_selection"


def run(
    table: FeatureSet,
    parameters: Mapping,
    settings: Mapping,
    *,
    name: str,
    source: str,
    seed: int = 0,
    n_jobs: int = 1,
    progress: Callable[[int], None] = lambda finished: None,
) -> pd.DataFrame:
    """
    Score all selectors on one data set.

    Without validation samples of its own the samples that a round leaves out are the unseen ones.

    Parameters
    ----------
    table : FeatureSet
    parameters : mapping
        The section feature_selection of the configuration.
    settings : mapping
        The section feature_embedding.
    name, source : str
        Of the data set, for the metrics.
    seed : int
    n_jobs : int
        Processes. The result does not depend on it.
    progress : callable
        Called with the number of finished rounds, those of the variants included.

    Returns
    -------
    DataFrame
        Tidy.
    """
    counts = feature_counts(table, parameters)
    changed = [
        (variant["name"], {**settings, **{key: value for key, value in variant.items() if key != "name"}})
        for variant in parameters["variants"]
    ]
    changed = [(title, other) for title, other in changed if other != settings]
    forests = parameters["forests"]
    jobs = [
        delayed(_one_round)(
            table, settings, counts, name, seed, k, forests["n_features"] if k < forests["rounds"] else (), True
        )
        for k in range(parameters["rounds"])
    ]
    jobs += [
        delayed(_one_round)(table, other, [MARKED], name, seed, k)
        for _, other in changed
        for k in range(parameters["variant_rounds"])
    ]
    rounds = []
    for finished, one in enumerate(Parallel(n_jobs=n_jobs, return_as="generator")(jobs)):
        rounds.append(one)
        progress(finished + 1)
    metrics = Metrics(EXPERIMENT, name, source, CONDITIONS)
    _add_sizes(metrics, table, settings, rounds[: parameters["rounds"]])
    add_rounds(metrics, rounds[: parameters["rounds"]], table.features)
    for k, (title, _) in enumerate(changed):
        start = parameters["rounds"] + k * parameters["variant_rounds"]
        some = rounds[start : start + parameters["variant_rounds"]]
        add_rounds(metrics, some, table.features, marked_only=True, variant=title)
    return metrics.table()


def n_rounds(parameters: Mapping, settings: Mapping) -> int:
    """Rounds of `run` with those of the variants that change something."""
    changed = sum(
        any(settings[key] != value for key, value in variant.items() if key != "name")
        for variant in parameters["variants"]
    )
    return parameters["rounds"] + changed * parameters["variant_rounds"]


def feature_counts(table: FeatureSet, parameters: Mapping) -> list[int]:
    """
    Numbers of features that are swept: up to a share of the full training set, and `MARKED` in any case.

    Parameters
    ----------
    table : FeatureSet
    parameters : mapping
        n_features: numbers that rise; most_per_sample: features per training sample, a tenth in the paper.

    Returns
    -------
    list of int
    """
    most = int(parameters["most_per_sample"] * len(table.training_part()[1]))
    allowed = {count for count in parameters["n_features"] if count <= min(most, len(table.features))}
    return sorted(allowed | {MARKED})


def _one_round(
    table: FeatureSet,
    settings: Mapping,
    counts: Sequence[int],
    name: str,
    seed: int,
    number: int,
    forest_counts: Sequence[int] = (),
    controls: bool = False,
) -> Round:
    X, y = table.training_part()
    chosen, redrawn = draw_round(y, settings, seed, EXPERIMENT, name, number, leave_both=table.validation is None)
    if table.validation is None:
        left = np.setdiff1d(np.arange(len(y)), chosen)
        unseen = X[left], y[left]
    else:
        unseen = table.validation_part()
    found = score_round(
        (X[chosen], y[chosen]),
        unseen,
        settings,
        counts,
        round_seed(seed, EXPERIMENT, name, number),
        forest_counts=forest_counts,
        controls=controls,
    )
    found.redrawn = redrawn
    return found


def _add_sizes(metrics: Metrics, table: FeatureSet, settings: Mapping, rounds: Sequence[Round]) -> None:
    labels = table.training_part()[1]
    n_unseen = 0 if table.validation is None else int(table.validation.sum())
    for metric, value in {
        "n_samples": len(labels),
        "n_features_all": len(table.features),
        "n_validation": n_unseen,
        "n_round": max(4, min(round(settings["round_share"] * len(labels)), settings["round_most"], len(labels))),
        "redrawn": sum(one.redrawn for one in rounds),
    }.items():
        metrics.add("all", metric, value)
