"""Kinds of claims for any experiment: a value, a trend over a condition, equivalence of methods, a number beside."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from replication.shared.comparison_judges import beyond_margin, case_phrase, difference_phrase, order_sign, paired_table
from replication.shared.judgements import (
    CONFIDENCE,
    CONTEXT,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
    methods_of,
    select_rows,
)
from replication.shared.statistics import bootstrap, holm, paired_comparison, sign_test
from replication.shared.wording import phrase

_FEWEST = 3


def judge_rank_trend(table: pd.DataFrame, test: dict) -> Judgement:
    """
    A metric rises (or falls) with a condition: Spearman's rank correlation of the two.

    Of each unit (`pair`) by itself, over the means of its values at each condition; without units, over the means of
    all. Values that are the same throughout do not rise: correlation 0. Direction: the mean correlation is above
    (below) zero. Significance, with units: it is in more units than chance would have it, exact one-sided sign test, p
    < 0.05, units at zero dropped; not reproduced if it is the other way, two-sided p < 0.05; else inconclusive.
    Magnitude, if `limit` is given: the mean correlation is at least as far from zero, on the stated side.

    Parameters
    ----------
    table : DataFrame
        Tidy metrics.
    test : dict
        metric, on: the condition; where: conditions, the method among them; pair: columns that tell the units apart;
        order; limit.

    Returns
    -------
    Judgement

    Raises
    ------
    NotTestable
        If there is no value under the conditions, fewer than two units, or no unit with three conditions.
    """
    sign, on, units = order_sign(test), test["on"], test.get("pair", [])
    rows = select_rows(table, test["metric"], **test.get("where", {}))
    rows = rows.assign(**{on: pd.to_numeric(rows[on], errors="coerce"), "value": pd.to_numeric(rows["value"])})
    means = rows.dropna(subset=[on, "value"]).groupby([*units, on], dropna=False)["value"].mean().reset_index()
    groups = [unit for _, unit in means.groupby(units, dropna=False)] if units else [means]
    groups = [unit for unit in groups if len(unit) >= _FEWEST]
    if len(groups) < (2 if units else 1):
        least = "two units" if units else "one series"
        raise NotTestable(f"a trend needs at least {least} with {_FEWEST} values of {on}, found {len(groups)}")
    found = np.array([_correlation(unit, on) for unit in groups])
    curve = means.groupby(on)["value"].mean().items()
    curve = [phrase("{value:size 3} at {at:setting}", value=value, at=at) for at, value in curve]
    significance = over_units = ""
    if units:
        signs, other = (sign_test(sign * found, 0 * found, alternative=side) for side in ("greater", "two-sided"))
        against = other.losses > other.wins and other.p_value < 1 - CONFIDENCE
        significance = REPRODUCED if signs.p_value < 1 - CONFIDENCE else NOT_REPRODUCED if against else INCONCLUSIVE
        interval = bootstrap(found)
        text = (
            " (95 % BCa interval over {found.n} units {found.ci_low:difference} to {found.ci_high:difference}; {order} "
            "zero in {signs.wins}, zero in {signs.ties}; p = {signs.p_value:p})"
        )
        over_units = phrase(text, found=interval, order=test.get("order", "above"), signs=signs)
    magnitude = ""
    if "limit" in test:
        magnitude = REPRODUCED if sign * found.mean() >= abs(test["limit"]) - ROUNDING else NOT_REPRODUCED
    direction = REPRODUCED if sign * found.mean() > ROUNDING else NOT_REPRODUCED
    numbers = {"metric": test["metric"].replace("_", " "), "curve": curve, "mean": found.mean(), "over": over_units}
    found = phrase("{metric} {curve:, }; Spearman {mean:difference}{over}", **numbers)
    return Judgement(found, direction, significance, magnitude)


def _correlation(unit: pd.DataFrame, on: str) -> float:
    constant = np.ptp(unit["value"]) == 0
    return 0.0 if constant else float(spearmanr(unit[on], unit["value"]).statistic)


def judge_paired_equivalence(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Methods are equivalent to others over paired units: two one-sided tests (TOST) of the mean difference.

    Magnitude: p < 0.05 in all comparisons, which needs no correction, as all have to reject; not reproduced if a mean
    difference lies outside the margin beyond chance (two-sided, Holm's correction over the comparisons, p < 0.05); else
    inconclusive. That a difference is not significant is no evidence of equivalence, and is not looked at.
    """
    equivalent, outside, words = [], [], []
    for method in methods_of(test):
        wide = paired_table(table, test, [method, *test["against"]], least=2)
        for other in test["against"]:
            a, b = wide[method].to_numpy(), wide[other].to_numpy()
            found = paired_comparison(a, b, margin=test["margin"])
            equivalent.append(found.tost_p < 1 - CONFIDENCE)
            outside.append(beyond_margin(a, b, test["margin"]))
            told = phrase("equivalence p = {p:p}", p=found.tost_p)
            words.append(difference_phrase(method, other, found, told))
    contradicted = (holm(np.array(outside)) < 1 - CONFIDENCE).any()
    magnitude = REPRODUCED if all(equivalent) else NOT_REPRODUCED if contradicted else INCONCLUSIVE
    found = phrase("margin {margin:setting}: {differences}", margin=test["margin"], differences=words)
    return Judgement(found, magnitude=magnitude)


def judge_within(table: pd.DataFrame, test: dict) -> Judgement:
    """The mean of a metric, over data sets if there are several, lies within a margin of the paper's value."""
    rows = select_rows(table, test["metric"], **test.get("where", {}))
    values, sets = rows["value"], rows.groupby("dataset", sort=False)["value"].mean()
    listed = [phrase("{name} {mean:value 2}", name=str(name), mean=value) for name, value in sets.items()]
    if len(sets) > 1:
        values, text = sets, "{mean:value 2} (standard deviation {sd:value 2} over {n} data sets: {listed:, })"
    elif len(values) > 1:
        text = "{mean:value 2} (standard deviation {sd:value 2}, {n} values)"
    else:
        text = "{mean:value 2} (one value)"
    words = [phrase(text, mean=values.mean(), sd=values.std(), n=len(values), listed=listed)]
    for where in test.get("beside", []):
        mean = select_rows(table, test["metric"], **where)["value"].mean()
        words.append(phrase("{where} {mean:value 2}", where=case_phrase(where), mean=mean))
    within = abs(values.mean() - test["paper"]) <= test["margin"]
    return Judgement(words, magnitude=REPRODUCED if within else NOT_REPRODUCED)


def judge_context(table: pd.DataFrame, test: dict) -> Judgement:
    """Numbers that stand beside the paper's and are not judged."""
    words = []
    for where in test["where"]:
        mean = select_rows(table, test["metric"], **where)["value"].mean()
        text = "{where}: {mean:size 3} {unit}"
        words.append(phrase(text, where=case_phrase(where), mean=mean, unit=test["unit"]))
    return Judgement(words, magnitude=CONTEXT)


GENERAL_KINDS: dict[str, Callable[[pd.DataFrame, dict], Judgement]] = {
    "rank_trend": judge_rank_trend,
    "paired_equivalence": judge_paired_equivalence,
    "within": judge_within,
    "context": judge_context,
}
