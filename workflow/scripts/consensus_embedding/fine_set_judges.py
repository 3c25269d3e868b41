"""
Kinds of claims on FINE over several data sets and their cohorts, and over risk groups of patients.

Cohorts are draws of the paper's sample size out of a larger public set. They overlap, so that intervals over them tell
of the draw from that set, not of other patients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pandas as pd

from consensus_embedding.fine_values import (
    FILTERS,
    FINE,
    MARKED,
    METHODS,
    as_text,
    at_count,
    auc_cells,
    group_means,
    stability,
)
from consensus_embedding.judgements import (
    CONFIDENCE,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
    all_of,
    select_rows,
)
from consensus_embedding.retrieval_cells import case_of, combined
from consensus_embedding.statistics import Comparison, holm, paired_comparison

ALPHA = 1 - CONFIDENCE
_UNITS = {"repetition": "rounds", "cohort": "cohorts"}


def judged_sets(table: pd.DataFrame, test: dict) -> dict[str, pd.DataFrame]:
    """Rows of the data sets that a claim names and that are there; of all data sets if none of them is."""
    names = list(table["dataset"].unique())
    named = [name for name in test.get("across", []) if name in names]
    return {name: table[table["dataset"] == name] for name in named or names}


def need(wide: pd.DataFrame, methods: Iterable[str], what: str) -> pd.DataFrame:
    """
    The columns of methods.

    Raises
    ------
    NotTestable
        If a method has no value; it is named.
    """
    filled = wide.dropna(axis="columns", how="all")
    found = filled.columns.unique("method")
    missing = [METHODS[method] for method in methods if method not in found]
    if missing:
        raise NotTestable(f"no {what} of {', '.join(missing)} in this study")
    return filled.loc[:, filled.columns.get_level_values("method").isin(list(methods))]


def auc_of(table: pd.DataFrame) -> pd.DataFrame:
    """`auc_cells`; without any a claim cannot be tested."""
    cells = auc_cells(table)
    if cells.empty:
        raise NotTestable("no value of auc in this study")
    return cells


def compared(first: pd.Series, second: pd.Series, *, unit: str, margin: float | None = None) -> Comparison:
    """One-sided paired t-test (the first is larger) over the rounds or cohorts that have both; at least two."""
    both = pd.concat([first, second], axis=1).dropna()
    if len(both) < 2:
        raise NotTestable(f"fewer than two {_UNITS[unit]} with both methods")
    return paired_comparison(both.iloc[:, 0], both.iloc[:, 1], alternative="greater", margin=margin)


def holm_flags(found: list[Comparison]) -> tuple[np.ndarray, np.ndarray]:
    """Which differences are above zero, and which below (two-sided), beyond chance by Holm's correction."""
    positive = [one.mean_difference > ROUNDING for one in found]
    above = holm([one.p_value if is_above else 1.0 for one, is_above in zip(found, positive, strict=True)])
    return above < ALPHA, _below(found)


def _below(found: list[Comparison]) -> np.ndarray:
    # The p-values are one-sided, the other way.
    opposite = [min(2 * (1 - one.p_value), 1.0) if one.mean_difference < -ROUNDING else 1.0 for one in found]
    return holm(opposite) < ALPHA


def judge_stabler_sets(table: pd.DataFrame, test: dict) -> Judgement:
    """
    In most data sets FINE is stabler than the filters: mean Jaccard index at five features, over methods and cohorts.

    Direction: in at least `at_least` of `of` data sets, in proportion if there are fewer. Significance: there by a
    paired t-test over the cohorts, one-sided, Holm's correction over the data sets, p < 0.05; not reproduced if so many
    sets are below beyond chance that too few are left, else inconclusive.
    """
    found, words = [], []
    for name, rows in judged_sets(table, test).items():
        fine, filters = _stabilities(rows)
        one = compared(fine, filters, unit="cohort")
        found.append(one)
        words.append(
            f"{name} FINE {fine.mean():.3f}, filters {filters.mean():.3f} (difference {one.mean_difference:+.3f}, 95 % "
            f"interval {one.ci_low:+.3f} to {one.ci_high:+.3f}, {one.n} cohorts)"
        )
    needed = int(np.ceil(len(found) * test["at_least"] / test["of"] - ROUNDING))
    above = sum(one.mean_difference > ROUNDING for one in found)
    ahead, behind = holm_flags(found)
    contradicted = behind.sum() > len(found) - needed
    return Judgement(
        f"above in {above} of {len(found)} data sets (needed: {needed}), beyond chance in {ahead.sum()}: "
        f"{'; '.join(words)}",
        REPRODUCED if above >= needed else NOT_REPRODUCED,
        REPRODUCED if ahead.sum() >= needed else NOT_REPRODUCED if contradicted else INCONCLUSIVE,
    )


def _stabilities(rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Mean Jaccard index at five features of FINE and of the filters, by cohort."""
    wide = need(stability(rows), [*FINE, *FILTERS], f"Jaccard index at {MARKED} features")
    return group_means(wide, FINE), group_means(wide, FILTERS)


def _accuracies(rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Mean AUC at five features of FINE and of the filters over methods and classifiers, by cohort."""
    wide = need(at_count(auc_of(rows)), [*FINE, *FILTERS], f"AUC at {MARKED} features")
    cohorts = wide.groupby(level="cohort").mean()
    return group_means(cohorts, FINE), group_means(cohorts, FILTERS)


def judge_most_sets(table: pd.DataFrame, test: dict) -> Judgement:
    """
    In more than half of the data sets FINE is stabler, and in more than half more accurate, than the filters.

    Two flags, judged apart: the mean Jaccard index and the mean AUC at five features, over methods, classifiers and
    cohorts. Equal means do not count. "Partly" if one of both holds.
    """
    sets, flags, words = judged_sets(table, test), [], []
    for name, values in (("stabler", _stabilities), ("more accurate", _accuracies)):
        means = {label: [float(one.mean()) for one in values(rows)] for label, rows in sets.items()}
        if any(np.isnan(pair).any() for pair in means.values()):
            raise NotTestable("a method has no value with one of the classifiers")
        above = sum(fine > filters + ROUNDING for fine, filters in means.values())
        flags.append(2 * above > len(sets))
        listed = ", ".join(f"{label} {fine:.3f} and {filters:.3f}" for label, (fine, filters) in means.items())
        words.append(f"{name} in {above} of {len(sets)} data sets (FINE and filters: {listed})")
    return Judgement("; ".join(words), all_of(flags))


def judge_on_par(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The mean AUC of FINE at five features is above that of the filters on some data sets, and on par on others.

    Over methods and classifiers. Direction: the mean difference is above 0 on each set of `above`, and smaller than
    `margin` on each of `on_par`. Significance: paired t-test over the cohorts, one-sided, or two one-sided tests,
    p < 0.05; contradicted where it is below 0 (two-sided), or beyond the margin (one-sided), p < 0.05.
    """
    wanted = {**dict.fromkeys(test["above"], "above"), **dict.fromkeys(test["on_par"], "on_par")}
    sets = {name: rows for name, rows in judged_sets(table, test).items() if name in wanted}
    if not sets:
        raise NotTestable(f"the statement is about {', '.join(sorted(wanted))}, none of which is in this study")
    flags, parts, words = [], [], []
    for name, rows in sets.items():
        fine, filters = _accuracies(rows)
        one = compared(fine, filters, unit="cohort", margin=test["margin"])
        gap = one.mean_difference
        if wanted[name] == "above":
            flags.append(gap > ROUNDING)
            parts.append(case_of([flags[-1] and one.p_value < ALPHA], _below([one])))
            told = f"above asked for, p = {one.p_value:.2g}"
        else:
            flags.append(abs(gap) < test["margin"])
            beyond = paired_comparison((fine - filters).dropna() * np.sign(gap or 1), [test["margin"]] * one.n,
                                       alternative="greater")  # fmt: skip
            parts.append(case_of([one.tost_p < ALPHA], [beyond.p_value < ALPHA]))
            told = f"on par asked for, equivalence p = {one.tost_p:.2g}"
        words.append(
            f"{name} FINE {fine.mean():.3f}, filters {filters.mean():.3f}, difference {gap:+.3f} (95 % interval "
            f"{one.ci_low:+.3f} to {one.ci_high:+.3f}, {told})"
        )
    return Judgement(f"mean AUC at five features: {'; '.join(words)}", all_of(flags), combined(parts))


def judge_falls(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The Jaccard index at five features falls along a list of methods.

    Direction: every step of the means over the cohorts; all or not, as an order is one statement. Significance: every
    step by a paired t-test over the cohorts, one-sided, p < 0.05 (all have to reject, so that no correction is needed);
    not reproduced if a step rises by a two-sided test with Holm's correction, else inconclusive.
    """
    order = test["order"]
    wide = need(stability(table), order, f"Jaccard index at {MARKED} features")
    steps = [compared(wide[a], wide[b], unit="cohort") for a, b in pairwise(order)]
    down = [one.mean_difference > ROUNDING for one in steps]
    clear = [fell and one.p_value < ALPHA for fell, one in zip(down, steps, strict=True)]
    listed = ", ".join(f"{METHODS[method]} {wide[method].mean():.3f}" for method in order)
    told = ", ".join(f"{one.mean_difference:+.3f} (p = {one.p_value:.2g})" for one in steps)
    return Judgement(
        f"Jaccard index at five features over {steps[0].n} cohorts: {listed}; falls by {told}",
        REPRODUCED if all(down) else NOT_REPRODUCED,
        case_of(clear, _below(steps)),
    )


def judge_risk_groups(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Patients called low and high risk by the five top features of FINE have different survival, cross-fitted.

    Each reduction and cohort is a case. Direction: the mean, over partitions, of the survival of the low group minus
    that of the high group at the median follow-up is above 0. Significance: the median over partitions of the log-rank
    p-value is below 0.05; a partition without a p-value counts as 1. "Partly" if it holds in some cases. The median is
    a summary, not a test: partitions share their patients. Told beside: the p-value without cross-fitting.
    """
    cases = _risk_cases(table, test["fit"])
    beside = {}
    with suppress(NotTestable):
        beside = _risk_cases(table, test["beside"])
    words = []
    for (cohort, method), one in cases.items():
        other = beside.get((cohort, method))
        without = f", not cross-fitted {other['p']:.2g}" if other else ""
        words.append(
            f"{cohort} {METHODS[method]} difference {one['difference']:+.3f}, p {one['p']:.2g} (below 0.05 in "
            f"{one['below']:.0%} of {one['n']} partitions{without})"
        )
    return Judgement(
        f"by cohort: {'; '.join(words)}",
        all_of([one["difference"] > ROUNDING for one in cases.values()]),
        all_of([one["p"] < ALPHA for one in cases.values()]),
    )


def _risk_cases(table: pd.DataFrame, fit: str) -> dict[tuple[str, str], dict]:
    """(cohort, method) -> mean difference of survival, median p-value, share of p-values below 0.05, partitions."""
    table = table.assign(cohort=as_text(table["cohort"]))
    found = {}
    for cohort in select_rows(table, "log_rank_p", fit=fit)["cohort"].unique():
        for method in FINE:
            where = {"fit": fit, "cohort": cohort, "method": method}
            p = pd.to_numeric(select_rows(table, "log_rank_p", **where)["value"]).fillna(1.0)
            difference = pd.to_numeric(select_rows(table, "risk_difference", **where)["value"]).mean()
            if np.isnan(difference):
                raise NotTestable(f"no difference of survival of {METHODS[method]} in cohort {cohort}")
            below = float((p < ALPHA).mean())
            found[cohort, method] = {"difference": difference, "p": float(p.median()), "below": below, "n": len(p)}
    return found


SET_KINDS: dict[str, Callable[[pd.DataFrame, dict], Judgement]] = {
    "stabler_sets": judge_stabler_sets,
    "most_sets": judge_most_sets,
    "on_par": judge_on_par,
    "falls": judge_falls,
    "risk_groups": judge_risk_groups,
}
