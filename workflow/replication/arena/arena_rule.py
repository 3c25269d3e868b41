"""
Which consensus should one use for which aim: the rule of the experiment consensus_arena.

docs/arena.md says it in words. It was written down before the experiment was run at full size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from replication.arena.arena_names import CONTROL, MEDOID, SINGLE
from replication.shared.ranks import RankComparison, compare_ranks
from replication.shared.statistics import ALPHA, Comparison, Estimate, bootstrap, holm, paired_comparison

NO_DIFFERENCE = "no difference shown"


@dataclass(frozen=True)
class Aim:
    """Something that one may want of a consensus."""

    name: str
    words: str  # Completes the sentence "if you care about ...".
    # Space, metric, whether higher is better. Each counts alike; the first is the one that differences are shown in.
    measures: tuple[tuple[str, str, bool], ...]
    is_cost: bool = False  # Of what a consensus costs single runs do not compete, and need not be beaten.


def _fidelity(space: str, *metrics: str) -> tuple[tuple[str, str, bool], ...]:
    return tuple((space, metric, True) for metric in metrics)


AIMS = (
    Aim("stability", "a result that is the same with other runs", (("distances", "instability", False),)),
    Aim(
        "neighbourhoods",
        "distances that keep the neighbours of the data",
        _fidelity("distances", "neighbor_recall", "trustworthiness", "continuity"),
    ),
    Aim("layout", "distances that keep the order of all distances", _fidelity("distances", "distance_correlation")),
    Aim(
        "coordinates",
        "coordinates, as for a picture, that are faithful to the data",
        _fidelity("embedding", "neighbor_recall", "trustworthiness", "continuity", "distance_correlation"),
    ),
    Aim("classes", "distances that keep classes apart", _fidelity("distances", "label_neighbors", "silhouette", "ari")),
    Aim("time", "little time", (("", "seconds", False),), is_cost=True),
    Aim("memory", "little memory", (("", "peak_mb", False),), is_cost=True),
)


@dataclass(frozen=True)
class Conclusion:
    """What the rule names for one aim."""

    aim: Aim
    comparison: RankComparison  # Of the contenders over the data sets.
    p_value: float  # Of Friedman's test, after Holm's correction over the aims.
    use: list[str]  # The methods of the lowest mean rank; empty where no difference is shown.
    not_worse: list[str]  # Those not shown to be worse than them.
    reason: str  # Why no difference is shown; else empty.


@dataclass(frozen=True)
class Advice(Conclusion):
    """A conclusion, and how large the difference is."""

    mean_rank: Estimate  # Of the first method of the lowest mean rank, over data sets.
    # How much better its score is than that of a random run in the first measure, over data sets, above 0 if it is;
    # None for a cost, or of a single data set.
    gain: Comparison | None


def scores_of(metrics: pd.DataFrame, space: str, metric: str, *, higher: bool) -> pd.DataFrame:
    """One score per input and method: the mean over repetitions, turned so that lower is better."""
    rows = metrics[(metrics["metric"] == metric) & (metrics["space"].fillna("") == space)]
    table = rows.pivot_table(index=["dataset", "kind"], columns="method", values="value", sort=False)
    table = table[list(dict.fromkeys(rows["method"]))]
    return -table if higher else table


def contenders(metrics: pd.DataFrame, aim: Aim) -> list[str]:
    """The methods that compete for an aim: all but the control, and for a cost those that combine runs."""
    left_out = {CONTROL, SINGLE, MEDOID} if aim.is_cost else {CONTROL}
    measured = metrics[metrics["metric"].isin([metric for _, metric, _ in aim.measures])]
    return [method for method in dict.fromkeys(measured["method"]) if method not in left_out]


def compare(metrics: pd.DataFrame, aim: Aim) -> RankComparison:
    """
    Mean ranks of the contenders over data sets.

    On each input the contenders are ranked by each measure; the ranks are averaged over the measures of the aim and
    over the inputs of the same data set, and ranked again on each data set.
    """
    methods = contenders(metrics, aim)
    ranks = [
        scores_of(metrics, space, metric, higher=higher)[methods].round(9).rank(axis=1)
        for space, metric, higher in aim.measures
    ]
    by_input = sum(ranks) / len(ranks)
    return compare_ranks(by_input.groupby("dataset", sort=False).mean())


def conclude(compared: Sequence[tuple[Aim, RankComparison]]) -> list[Conclusion]:
    """Apply the rule to the mean ranks of all aims."""
    p_values = np.array([comparison.p_value for _, comparison in compared])
    known = np.isfinite(p_values)
    p_values[known] = holm(p_values[known])
    return [_conclusion(aim, comparison, p) for (aim, comparison), p in zip(compared, p_values.tolist(), strict=True)]


def _conclusion(aim: Aim, comparison: RankComparison, p_value: float) -> Conclusion:
    leaders, not_worse = comparison.leaders, comparison.not_worse
    reason = ""
    if not np.isfinite(p_value):
        reason = "too few data sets or methods"
    elif p_value >= ALPHA:
        reason = "Friedman's test finds no difference"
    elif not aim.is_cost and SINGLE in (*leaders, *not_worse):
        reason = "the best is not shown to be better than a random run"
    return Conclusion(aim, comparison, p_value, *(([], []) if reason else (leaders, not_worse)), reason)


def advise(metrics: pd.DataFrame) -> list[Advice]:
    """Apply the rule to the metrics of the experiment."""
    conclusions = conclude([(aim, compare(metrics, aim)) for aim in AIMS])
    return [
        Advice(**vars(conclusion), mean_rank=mean_rank(conclusion.comparison), gain=_gain(metrics, conclusion))
        for conclusion in conclusions
    ]


def mean_rank(comparison: RankComparison, method: str | None = None) -> Estimate:
    """Mean rank of a method, by default the best, with its interval over data sets; NaN where there is only one."""
    values = comparison.ranks[method or comparison.mean_ranks.index[0]].to_numpy()
    if len(values) < 2:
        return Estimate(float(values.mean()), np.nan, np.nan, len(values))
    return bootstrap(values, within=(1, comparison.ranks.shape[1]))


def _gain(metrics: pd.DataFrame, conclusion: Conclusion) -> Comparison | None:
    space, metric, higher = conclusion.aim.measures[0]
    scores = scores_of(metrics, space, metric, higher=higher)
    by_data = scores.groupby("dataset", sort=False).mean()
    if conclusion.aim.is_cost or len(by_data) < 2:
        return None
    return paired_comparison(by_data[SINGLE], by_data[conclusion.comparison.mean_ranks.index[0]])
