"""
Claims on FINE over several data sets and their cohorts, and over risk groups of patients.

Cohorts are draws of the paper's sample size out of a larger public set, and rounds draws of the training samples. They
overlap, so that their spread is that of draws from that set; `compared` widens tests and intervals over them to those
over other patients or samples.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pandas as pd

from replication.papers.ginsburg2016.fine_metrics import (
    EMBEDDINGS,
    FILTERS,
    FINE,
    MARKED,
    METHODS,
    as_text,
    at_count,
    auc_cells,
    group_means,
    methods_in,
    of_variant,
    stability,
)
from replication.shared.cells import (
    ALPHA,
    Cell,
    Smallest,
    cell_of,
    cell_of_means,
    contradicted,
    corrected_p,
    enough,
    for_all,
    judged,
    margin_of,
    needed,
    smallest_effect,
    uncontradicted,
)
from replication.shared.count_judges import means_phrases
from replication.shared.judgements import ROUNDING, Judgement, NotTestable, note_rows, select_rows
from replication.shared.statistics import CorrectedComparison, corrected_comparison, holm
from replication.shared.wording import interval, joined

_UNITS = {"repetition": "rounds", "cohort": "cohorts"}


def judged_sets(table: pd.DataFrame, test: dict) -> dict[str, pd.DataFrame]:
    """Rows of the data sets that a claim names and that are there; of all data sets if none of them is."""
    names = list(table["dataset"].unique())
    named = [name for name in test.get("across", []) if name in names]
    return {name: table[table["dataset"] == name] for name in named or names}


def need(wide: pd.DataFrame, methods: Iterable[str], what: str) -> pd.DataFrame:
    """The columns of methods."""
    filled = wide.dropna(axis="columns", how="all")
    present = filled.columns.unique("method")
    missing = [METHODS[method] for method in methods if method not in present]
    if missing:
        raise NotTestable(f"no {what} of {', '.join(missing)} in this study")
    return filled.loc[:, filled.columns.get_level_values("method").isin(list(methods))]


def auc_of(table: pd.DataFrame, variant: str = "") -> pd.DataFrame:
    """`auc_cells`; without any a claim cannot be tested."""
    cells = auc_cells(table, variant)
    if cells.empty:
        raise NotTestable("no value of auc in this study")
    return cells


class PairedDifference(CorrectedComparison):
    """Paired differences over rounds or cohorts, tested; the share is that of `share_held`."""

    @property
    def interval(self) -> str:
        """The interval, or why there is none."""
        if np.isinf(self.ci_low):
            return "no interval and no test: each cohort contains all of the rarer class"
        return f"95 % interval {interval((self.ci_low, self.ci_high), '+.3f')}"

    @property
    def overlap(self) -> str:
        """How much of the rarer class a cohort holds."""
        untested = ", so that no test is possible" if self.share >= 1 else ""
        return f" (each contains {self.share:.0%} of the rarer class{untested})"


def share_held(table: pd.DataFrame) -> float:
    """Share of the rarer class of a data set in a cohort, or of the training samples in a round."""
    rows = of_variant(table)
    counted = note_rows(rows[(rows["metric"] == "shared") & (rows["method"] == "all")])
    shares = pd.to_numeric(counted["value"]).dropna()
    if shares.empty:
        raise NotTestable("the share of a set in a cohort or a round (metric shared) is missing, and the tests need it")
    return float(shares.iloc[0])


def compared(
    first: pd.Series, second: pd.Series, *, unit: str, share: float = 0.0, margin: float | None = None
) -> PairedDifference:
    """
    One-sided paired t-test (the first is larger) over the rounds or cohorts that have both; at least two.

    Cohorts that each contain a share f of the rarer class overlap, as do rounds, for which `corrected_comparison`
    corrects.
    """
    both = pd.concat([first, second], axis=1).dropna()
    if len(both) < 2:
        raise NotTestable(f"fewer than two {_UNITS[unit]} with both methods")
    comparison = corrected_comparison(both.iloc[:, 0], both.iloc[:, 1], share=min(share, 1.0), margin=margin)
    return PairedDifference(**vars(comparison))


def judge_cohorts(table: pd.DataFrame, test: dict) -> Judgement:
    """In most data sets FINE is ahead of the filters in every one of `metrics`, beyond chance over the cohorts."""
    sets, variant, metrics = judged_sets(table, test), test.get("variant", ""), test.get("metrics", ["jaccard"])
    compare_by = {"jaccard": _stabilities, "auc": _accuracies}
    comparisons, words = [], {}
    for metric in metrics:
        for name, rows in sets.items():
            fine, filters = compare_by[metric](rows, variant)
            paired = compared(fine, filters, unit="cohort", share=share_held(rows))
            reported = _reported_text(stability(rows), test.get("reported", [])) if metric == "jaccard" else ""
            comparisons.append(paired)
            words.setdefault(metric, []).append(
                f"{name} FINE {fine.mean():.3f}, filters {filters.mean():.3f}{reported} (difference "
                f"{paired.mean_difference:+.3f}, {paired.interval}, {paired.n} cohorts with {paired.share:.0%} of "
                "the rarer class)"
            )
    n = len(sets)
    least = needed(test, n)
    effects = [smallest_effect(test, metric) for metric in metrics for _ in sets]
    cells = [cell_of(paired, smallest=effect) for paired, effect in zip(comparisons, effects, strict=True)]
    against = contradicted(cells)
    held = uncontradicted(cells, against)
    p_values = [
        corrected_p(paired.p_value, effect) if cell.holds else 1.0
        for paired, effect, cell in zip(comparisons, effects, held, strict=True)
    ]
    shape = len(metrics), n
    above = np.reshape([cell.holds for cell in held], shape)
    p_values, behind = np.reshape(p_values, shape), np.reshape(against, shape).any(axis=0)

    def counts(above: np.ndarray, p_values: np.ndarray) -> tuple[int, int]:
        return int(above.sum()), int((holm(p_values) < ALPHA).sum())

    n_above, n_ahead = counts(above.all(axis=0), p_values.max(axis=0))
    # What is shown needs no more units. As many sets decide as are needed, those of fewest units first.
    of_set = np.reshape([0.0 if cell.shown else cell.units for cell in cells], shape).max(axis=0)
    units = np.sort(np.where(behind, np.inf, of_set))[least - 1]
    text = f"above in {n_above} of {n} data sets (needed: {least}), beyond chance in {n_ahead}"
    texts = [text, *words[metrics[0]]]
    if len(metrics) > 1:
        texts = [f"both {text}"]
        for metric, *found in zip(metrics, above, p_values, strict=True):
            (one, beyond), name = counts(*found), {"jaccard": "stabler", "auc": "more accurate"}[metric]
            texts.append(f"{name} in {one} of {n} data sets, beyond chance in {beyond}: {joined(words[metric])}")
    return Judgement(
        f"{texts[0]}: {joined(texts[1:])}",
        enough(n_above, n, n, least),
        enough(n_ahead, behind.sum(), n, least),
        small=all(cell.small for cell, one in zip(cells, against, strict=True) if one)
        and not any(cell.shown for cell in held),
        units=for_all(units, len(cells)) if units else 0.0,
    )


def _reported_text(wide: pd.DataFrame, names: Iterable[str]) -> str:
    """Means of methods that are reported and not judged, as far as they are there."""
    means = wide.reindex(columns=methods_in(names)).mean().dropna()
    return f", not judged: {joined(means_phrases(means.rename(METHODS)), ', ')}" if len(means) else ""


def _stabilities(rows: pd.DataFrame, variant: str = "") -> tuple[pd.Series, pd.Series]:
    """Mean Jaccard index at five features of FINE and of the filters, by cohort."""
    wide = need(stability(rows, variant=variant), [*FINE, *FILTERS], f"Jaccard index at {MARKED} features")
    return group_means(wide, FINE), group_means(wide, FILTERS)


def _accuracies(
    rows: pd.DataFrame, variant: str = "", methods: Iterable[str] = FINE, others: Iterable[str] = FILTERS
) -> tuple[pd.Series, pd.Series]:
    """Mean AUC at five features of methods of FINE and of the filters, over classifiers, by cohort."""
    wide = need(at_count(auc_of(rows, variant)), [*methods, *others], f"AUC at {MARKED} features")
    cohorts = wide.groupby(level="cohort").mean()
    return group_means(cohorts, methods), group_means(cohorts, others)


def judge_sets(table: pd.DataFrame, test: dict) -> Judgement:
    """In more than half of the data sets FINE is both stabler and more accurate than the filters."""
    sets, words, variant = judged_sets(table, test), [], test.get("variant", "")
    both = set(sets)
    for name, values in (("stabler", _stabilities), ("more accurate", _accuracies)):
        means = {label: [float(units.mean()) for units in values(rows, variant)] for label, rows in sets.items()}
        if any(np.isnan(pair).any() for pair in means.values()):
            raise NotTestable("a method has no value with one of the classifiers")
        above = {label for label, (fine, filters) in means.items() if fine > filters + ROUNDING}
        both &= above
        clear = sum(fine > filters + test["beyond"] for fine, filters in means.values())
        listed = [f"{label} {pair[0]:.3f} and {pair[1]:.3f}" for label, pair in means.items()]
        words.append(
            f"{name} in {len(above)} of {len(sets)} data sets, by more than {test['beyond']:.6g} in {clear} "
            f"(FINE and filters: {joined(listed, ', ')})"
        )
    reported = {label: _reported_text(stability(rows), test.get("reported", [])) for label, rows in sets.items()}
    listed = [f"{label}{text}" for label, text in reported.items() if text]
    words += [f"Jaccard index of {joined(listed, ', ')}"] if listed else []
    words = [f"both in {len(both)} of {len(sets)} data sets", *words]
    return judged(words, [[Cell(2 * len(both) > len(sets))]], tested=False)


def judge_accuracies(table: pd.DataFrame, test: dict) -> Judgement:
    """The mean AUC of FINE at five features is above that of the filters on some data sets, and on par on others."""
    wanted = {**dict.fromkeys(test["above"], "above"), **dict.fromkeys(test["on_par"], "equivalent")}
    methods = {name: methods_in(names) for part in ("above", "on_par") for name, names in test[part].items()}
    sets = {name: rows for name, rows in judged_sets(table, test).items() if name in wanted}
    if not sets:
        raise NotTestable(f"the statement is about {', '.join(sorted(wanted))}; none of these is in this study")
    cases, words, others = [], [], methods_in(test.get("against", ["filters"]))
    rest = "filters" if set(others) == set(FILTERS) else "embedding vectors" if set(others) == set(EMBEDDINGS) else ""
    for name, rows in sets.items():
        fine, filters = _accuracies(rows, test.get("variant", ""), methods[name], others)
        share = share_held(rows)
        paired = compared(fine, filters, unit="cohort", share=share, margin=test["margin"])
        smallest = smallest_effect(test, name) if wanted[name] == "above" else margin_of(test)
        if share < 1:
            cases.append([cell_of(paired, wanted[name], test["margin"], smallest=smallest)])
        above, on_par = (
            f"above asked for, p = {paired.p_value:.2g}",
            f"on par asked for, equivalence p = {paired.tost_p:.2g}",
        )
        ours = ["FINE"] if set(methods[name]) == set(FINE) else [METHODS[method] for method in methods[name]]
        names = rest or joined((METHODS[method] for method in others), " and ")
        words.append(
            f"{name} {joined(ours, ' and ')} {fine.mean():.3f}, {names} {filters.mean():.3f}, "
            f"difference {paired.mean_difference:+.3f} ({paired.interval}, "
            f"{above if wanted[name] == 'above' else on_par}, cohorts with {share:.0%} of the rarer class)"
        )
    text = f"mean AUC at five features: {joined(words)}"
    if not cases:
        # Such cohorts are one draw, whose spread says nothing of others.
        raise NotTestable(
            "each cohort holds every patient of the rarer class, so that no number of cohorts decides; not judged: "
            f"{text}"
        )
    return judged(text, cases, correction="none")


def judge_steps(table: pd.DataFrame, test: dict) -> Judgement:
    """The Jaccard index at five features falls along a list of methods, or in each of `pairs` from first to second."""
    pairs = test.get("pairs") or list(pairwise(test["methods"]))
    methods = list(dict.fromkeys(method for pair in pairs for method in pair))
    wide = need(stability(table, variant=test.get("variant", "")), methods, f"Jaccard index at {MARKED} features")
    share, smallest = share_held(table), smallest_effect(test)
    steps = {(a, b): compared(wide[a], wide[b], unit="cohort", share=share) for a, b in pairs}
    first, tested = next(iter(steps.values())), share < 1
    means = joined(means_phrases(wide[methods].mean().rename(METHODS)), ", ")
    text = f"Jaccard index at five features over {first.n} cohorts{first.overlap}: {means}"
    silent = [(a, b) for a, b in steps if _same(wide[a], wide[b]) or not _has_room(wide[b], smallest)]
    if silent:
        listed = [f"{METHODS[a]} over {METHODS[b]}" for a, b in silent]
        text = f"{text}; left out, the same values or no room for the smallest effect below 1: {joined(listed, ', ')}"
    judged_steps = [step for pair, step in steps.items() if pair not in silent]
    if not judged_steps:
        raise NotTestable(text)
    falls = [f"{one.mean_difference:+.3f}{f' (p = {one.p_value:.2g})' if tested else ''}" for one in judged_steps]
    cells = [
        cell_of(one, smallest=smallest) if tested else cell_of_means(one.mean_difference, smallest)
        for one in judged_steps
    ]
    cases = [[cell] for cell in cells] if "pairs" in test else [cells]
    return judged(f"{text}; falls by {joined(falls, ', ')}", cases, tested=tested)


def _same(first: pd.Series, second: pd.Series) -> bool:
    """Whether two methods have the same value in every cohort: one result seen twice has no order."""
    return bool((first - second).abs().max() <= ROUNDING)


def _has_room(second: pd.Series, smallest: Smallest | None) -> bool:
    """Whether a value of at most 1 can be above another by the smallest effect of interest."""
    return smallest is None or second.mean() + smallest.effect <= 1 + ROUNDING


def judge_risk_groups(table: pd.DataFrame, test: dict) -> Judgement:
    """Patients called low risk by the five top features of FINE live longer than those called high risk."""
    cases = _risk_cases(table, test["fit"])
    beside, of_chance = {}, {}
    with suppress(NotTestable):
        beside = _risk_cases(table, test["reported"])
    with suppress(NotTestable):
        of_chance = _risk_cases(table, test["fit"], ["random"])
    words = []
    several = table["dataset"].nunique() > 1
    for (name, cohort, method), case in cases.items():
        other = beside.get((name, cohort, method))
        without = f", {test['reported']} {other['p']:.2g}" if other else ""
        where = f"{name} {cohort}" if several else cohort
        words.append(
            f"{where} {METHODS[method]} difference {case['difference']:+.3f}, p {case['p']:.2g} "
            f"(below 0.05 in {case['below']:.0%} of {case['n']} partitions{without})"
        )
    each = [
        [Cell(case["difference"] > ROUNDING, case["p"], 0.0 if case["opposite_p"] < ALPHA else 1.0)]
        for case in cases.values()
    ]
    # FINE of different reductions that choose the same features have the same values.
    distinct = {(*place[:2], *case.values()) for place, case in cases.items()}
    alike = f" ({len(distinct)} of {len(cases)} cases differ)" if len(distinct) < len(cases) else ""
    listed = [f"{name} {cohort} p {case['p']:.2g}" for (name, cohort, _), case in of_chance.items()]
    if listed:
        words.append(f"not judged, as many random features: {joined(listed, ', ')}")
    return judged(f"by cohort{alike}: {joined(words)}", each, correction="none")


def _risk_cases(table: pd.DataFrame, fit: str, methods: Iterable[str] = FINE) -> dict[tuple[str, str, str], dict]:
    """(set, cohort, method) -> mean difference of survival, median p-value, share of p below 0.05, partitions."""
    table = table.assign(cohort=as_text(table["cohort"]))
    cases = {}
    cohorts = select_rows(table, "log_rank_p", fit=fit)[["dataset", "cohort"]].drop_duplicates()
    for name, cohort in cohorts.itertuples(index=False):
        for method in methods:
            where = {"dataset": name, "fit": fit, "cohort": cohort, "method": method}
            p, differences = (
                pd.to_numeric(select_rows(table, metric, **where).set_index("repetition")["value"])
                for metric in ("log_rank_p", "risk_difference")
            )
            if differences.isna().all():
                raise NotTestable(f"no difference of survival of {METHODS[method]} in cohort {cohort} of {name}")
            # The log-rank test is blind to which of the groups lives longer.
            p, differences = p.fillna(1.0), differences.reindex(p.index)
            opposite, p = p.where(differences < -ROUNDING, 1.0), p.where(differences > ROUNDING, 1.0)
            cases[name, cohort, method] = {
                "difference": float(differences.mean()),
                "p": float(p.median()),
                "opposite_p": float(opposite.median()),
                "below": float((p < ALPHA).mean()),
                "n": len(p),
            }
    return cases
