"""Tables of the arena."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.arena.arena_rule import AIMS, NO_DIFFERENCE, Advice, advise, compare, mean_rank, scores_of


def advice(metrics: pd.DataFrame) -> pd.DataFrame:
    """What to use for which aim, by the rule of docs/arena.md."""
    return pd.DataFrame([_advice_row(advised) for advised in advise(metrics)])


def _advice_row(advised: Advice) -> dict[str, object]:
    gain = advised.gain
    return {
        "aim": advised.aim.name,
        "if you care about": advised.aim.words,
        "use": ", ".join(advised.use) or NO_DIFFERENCE,
        "not shown to be worse": ", ".join(advised.not_worse) or ("" if advised.use else advised.reason),
        "lowest mean rank": advised.comparison.mean_ranks.index[0],
        "mean rank": round(advised.mean_rank.value, 2),
        "rank low": round(advised.mean_rank.ci_low, 2),
        "rank high": round(advised.mean_rank.ci_high, 2),
        "critical difference": round(advised.comparison.critical_difference, 2),
        "p (Holm)": advised.p_value,
        "measure": advised.aim.measures[0][1],
        "gain over a random run": np.nan if gain is None else round(gain.mean_difference, 6),
        "gain low": np.nan if gain is None else round(gain.ci_low, 6),
        "gain high": np.nan if gain is None else round(gain.ci_high, 6),
        "data sets": len(advised.comparison.ranks),
    }


def ranks(metrics: pd.DataFrame) -> pd.DataFrame:
    """Mean rank of every contender for every aim, with its 95 % bootstrap interval over the data sets."""
    rows = []
    for aim in AIMS:
        comparison = compare(metrics, aim)
        near, is_known = {*comparison.leaders, *comparison.not_worse}, np.isfinite(comparison.critical_difference)
        for method, mean in comparison.mean_ranks.items():
            interval = mean_rank(comparison, method)
            rows.append(
                {
                    "aim": aim.name,
                    "method": method,
                    "mean rank": round(mean, 3),
                    "low": round(interval.ci_low, 3),
                    "high": round(interval.ci_high, 3),
                    "within the critical difference": ("yes" if method in near else "no") if is_known else "",
                }
            )
    return pd.DataFrame(rows)


def scores(metrics: pd.DataFrame) -> pd.DataFrame:
    """Mean score of every method in every measure: over pools, inputs of a data set, and data sets."""
    columns = {}
    for space, metric, _ in dict.fromkeys(measure for aim in AIMS for measure in aim.measures):
        table = scores_of(metrics, space, metric, higher=False)
        name = metric.replace("_", " ") + (" (coordinates)" if space == "embedding" else "")
        columns[name] = table.groupby("dataset", sort=False).mean().mean()
    return pd.DataFrame(columns).rename_axis("method").reset_index()


def kinds(metrics: pd.DataFrame) -> pd.DataFrame:
    """Mean ranks by kind of runs, over its inputs: a description, without a test."""
    rows = []
    for aim in (aim for aim in AIMS if not aim.is_cost):
        for kind, part in metrics.groupby("kind", sort=False):
            # Each input of a kind is of another data set.
            rank_table = compare(part, aim).ranks
            rows.append({"aim": aim.name, "kind": kind, "inputs": len(rank_table), **rank_table.mean().round(2)})
    return pd.DataFrame(rows)
