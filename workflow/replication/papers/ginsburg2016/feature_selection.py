"""Table IV and Fig. 3 of Ginsburg 2016: stability and accuracy of selected features on the NIPS 2003 sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from joblib import delayed

from replication.data.readers.feature_table import FeatureSet
from replication.papers.ginsburg2016.experiments.feature_selection import FeatureSelection
from replication.papers.ginsburg2016.feature_rounds import (
    CONDITIONS,
    MARKED,
    Round,
    add_rounds,
    changed_settings,
    check_features,
    draw_round,
    gather_rounds,
    round_seed,
    round_size,
    score_round,
)
from replication.papers.ginsburg2016.settings import FeatureSettings
from replication.platform.steps import QUIET, Work
from replication.shared.tasks import results_of
from replication.shared.tidy import Metrics

EXPERIMENT = "feature_selection"
# In the name of every random stream: the draws on which claims are judged.
_JUDGED = "judged"


def run(
    table: FeatureSet,
    parameters: FeatureSelection,
    settings: FeatureSettings,
    *,
    name: str,
    source: str,
    work: Work = QUIET,
) -> pd.DataFrame:
    """
    Score all selectors on one data set.

    Without validation samples of its own the samples that a round leaves out are the unseen ones.
    """
    check_features(table.features, name)
    n = len(table.training_part()[1])
    if settings.round_most < round(settings.round_share * n):
        work.say(f"a round learns from {settings.round_most} of {n} training samples: round_most allows no more")
    changed = _variants(table, parameters, settings)
    numbers = range(max(parameters.rounds, parameters.variant_rounds if changed else 0))
    jobs = [delayed(_one_number)(table, parameters, settings, changed, name, work.seed, k) for k in numbers]
    progress = work.progress(n_rounds(table, parameters, settings), "rounds")
    rounds = gather_rounds(results_of(jobs, work.threads), [""] * len(jobs), progress)
    metrics = Metrics(EXPERIMENT, name, source, CONDITIONS)
    _add_sizes(metrics, table, settings, rounds["", ""])
    add_rounds(metrics, rounds["", ""], table.features)
    for title, _ in changed:
        add_rounds(metrics, rounds[title, ""], table.features, marked_only=True, variant=title)
    return metrics.table()


def n_rounds(table: FeatureSet, parameters: FeatureSelection, settings: FeatureSettings) -> int:
    """Rounds of `run`, with those of its variants."""
    return parameters.rounds + len(_variants(table, parameters, settings)) * parameters.variant_rounds


def _variants(
    table: FeatureSet, parameters: FeatureSelection, settings: FeatureSettings
) -> list[tuple[str, FeatureSettings]]:
    """Variants that change something and, where there are no validation samples, leave some out to score on."""
    changed, n = changed_settings(parameters.variants, settings), len(table.labels)
    if table.validation is not None:
        return changed
    return [(title, other) for title, other in changed if other.replacement or n - round_size(n, other) >= 4]


def feature_counts(table: FeatureSet, parameters: FeatureSelection, name: str = "") -> list[int]:
    """Numbers of features that are swept: up to a share of the paper's training set, and `MARKED` in any case."""
    n = parameters.training_samples.get(name, len(table.training_part()[1]))
    most = int(parameters.most_per_sample * n)
    allowed = {count for count in parameters.n_features if count <= min(most, len(table.features))}
    return sorted(allowed | {MARKED})


def _one_number(
    table: FeatureSet,
    parameters: FeatureSelection,
    settings: FeatureSettings,
    changed: Sequence[tuple[str, FeatureSettings]],
    name: str,
    seed: int,
    number: int,
) -> dict[str, Round]:
    """The rounds of one number: that of the settings, under "", and those of the variants by name."""
    forests, known, rounds = parameters.forests, {}, {}
    if number < parameters.rounds:
        counts, trees = feature_counts(table, parameters, name), forests.n_features if number < forests.rounds else ()
        rounds[""] = _one_round(table, settings, counts, name, seed, number, known, trees, controls=True)
    if number < parameters.variant_rounds:
        for title, other in changed:
            rounds[title] = _one_round(table, other, [MARKED], name, seed, number, known)
    return rounds


def _one_round(
    table: FeatureSet,
    settings: FeatureSettings,
    counts: Sequence[int],
    name: str,
    seed: int,
    number: int,
    known: dict,
    forest_counts: Sequence[int] = (),
    controls: bool = False,
) -> Round:
    """A round; `known` is shared by the rounds of a number, since many draw the same samples."""
    own = np.arange(len(table.labels)) if table.validation is None else np.flatnonzero(~table.validation)
    y = table.labels[own]
    axes = (seed, EXPERIMENT, _JUDGED, name, number)
    chosen, redrawn = draw_round(y, settings, *axes, leave_both=table.validation is None)
    if table.validation is None:
        left = np.setdiff1d(own, chosen)
        unseen = table.values[left], table.labels[left]
    else:
        unseen = table.validation_part()
    scored = score_round(
        (table.values[own[chosen]], y[chosen]),
        unseen,
        settings,
        counts,
        round_seed(*axes),
        forest_counts=forest_counts,
        controls=controls,
        known=known.setdefault(chosen.tobytes(), {}),
    )
    scored.redrawn, scored.samples = redrawn, chosen
    return scored


def _add_sizes(metrics: Metrics, table: FeatureSet, settings: FeatureSettings, rounds: Sequence[Round]) -> None:
    labels = table.training_part()[1]
    n_unseen = 0 if table.validation is None else int(table.validation.sum())
    for metric, value in {
        "n_samples": len(labels),
        "n_features_all": len(table.features),
        "n_validation": n_unseen,
        "n_round": round_size(len(labels), settings),
        "shared": round_size(len(labels), settings) / len(labels),
        "redrawn": sum(scored.redrawn for scored in rounds),
    }.items():
        metrics.add("all", metric, value)
