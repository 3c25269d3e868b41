"""
The judges of the kinds of claims that only this paper makes, over a grid of training shares and labelled shares.

By the rules of docs/rules.md. At a training share of 100 % nothing is extrapolated: no comparison has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from replication.papers.sparks2011.retrieval_cells import (
    JUDGED_OBJECTS,
    NAMES,
    by_metric,
    cell_name,
    chosen_cells,
    data_sets,
    gaps,
    is_asked_for,
    mean_phrases,
    not_judged,
    reported_phrases,
    shares_text,
)
from replication.papers.sparks2011.retrieval_metrics import (
    MARGIN,
    METRICS,
    OBJECTS,
    MainRows,
    class_sizes,
    needed_by_labelled,
    query_rows,
    upper_bounds,
)
from replication.shared.cells import (
    Cell,
    Smallest,
    above_zero,
    cell_of,
    contradicted,
    contrast,
    for_all,
    judged,
    margin_of,
    order_sign,
    smallest_effect,
    tested_direction,
    units_to_decide,
)
from replication.shared.judgements import (
    MIXED,
    NOT_REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
    all_of,
    case_of,
    combined,
    note_rows,
)
from replication.shared.judges import Judge
from replication.shared.statistics import CorrectedComparison, mean_interval
from replication.shared.wording import interval, joined, percent, span


def judge_errors(table: pd.DataFrame, test: dict) -> Judgement:
    """The error of the approximated similarities is small, as printed (direction) and relative to them (magnitude)."""
    flags, sets = {"printed": [], "relative": []}, []
    for name, rows in data_sets(table):
        listed = []
        for part, part_flags in flags.items():
            metric, limit = test[part]["metric"], test[part]["at_most"]
            errors = _errors(rows, metric, test["methods"])
            part_flags.append(bool(errors.max() <= limit))
            method, labelled, training = errors.idxmax()
            worst = f"{NAMES[method]}, {cell_name(labelled, training)}"
            listed.append(f"{METRICS[metric]} {span(errors, '.2g')} over {len(errors)} cells (largest: {worst})")
        sets.append(f"{name}{joined(listed)}{_errors_beside(rows, test)}")
    return judged(sets, [[Cell(flag)] for flag in flags["printed"]], tested=False, sizes=flags["relative"])


def _errors(rows: MainRows, metric: str, methods: list[str]) -> pd.Series:
    """Mean errors over draws; index method, labelled share and training share."""
    return pd.concat({method: chosen_cells(rows, {}, metric, method, objects="").mean() for method in methods})


def _errors_beside(rows: MainRows, test: dict) -> str:
    listed = []
    for reported in test.get("reported", []):
        with suppress(NotTestable):
            errors = _errors(rows, reported["metric"], reported["methods"])
            names = [NAMES[method] for method in reported["methods"]]
            listed.append(f"{METRICS[reported['metric']]} of {joined(names, ', ')} {span(errors, '.2g')}")
    return f"; not judged: {joined(listed, ', ')}" if listed else ""


def judge_share_trend(table: pd.DataFrame, test: dict) -> Judgement:
    """A metric, or the training share that suffices, rises (or falls) with the training share or the labelled share."""
    cells, needed, small, sets, beside = [], [], [], [], []
    for name, rows in data_sets(table):
        of_set = []
        for case in test["cases"]:
            for objects in test.get("objects", JUDGED_OBJECTS):
                changes, ends = _changes(rows, test["method"], case, objects)
                of_set.append(_change_phrase(case, objects, changes, ends))
                sign, smallest = order_sign(case.get("criterion", "above")), smallest_effect(test, _what(case))
                if "needed" in case:
                    least, change = smallest.effect if smallest else 0.0, sign * changes[0]
                    needed.append(bool(change >= least - ROUNDING))
                    small.append(needed[-1] or change > -least)
                else:
                    cells.append(above_zero(sign * changes, smallest))
        sets.append(f"{name}{joined(of_set)}")
        beside += reported_phrases(rows, test, name, _changes_of_pair)
    text = f"{joined(sets)}{not_judged(beside)}"
    tested = judged(text, [[cell] for cell in cells], correction="none")
    if not needed:
        return tested
    found = all_of(needed)
    if not cells:
        return replace(tested, direction=found)
    # What suffices is one number for all draws, without a test: a case that holds, or does not.
    significance = combined([tested.significance, found])
    direction = tested_direction(combined([tested.direction, found]), significance)
    against = tested.significance in (NOT_REPRODUCED, MIXED)
    return replace(
        tested, direction=direction, significance=significance, small=all(small) and (tested.small or not against)
    )


def _what(case: dict) -> str:
    """What changes: a metric, or the training share that suffices."""
    return "needed" if "needed" in case else case["metric"]


def _changes(rows: MainRows, method: str, case: dict, objects: str) -> tuple[np.ndarray, pd.Series]:
    """The change over the shares, of every draw or of what all draws give, and the first and last mean value."""
    if "needed" in case:
        curves = _needed(rows, {"method": method, "against": case["against"]}, case["needed"], objects).to_frame().T
    else:
        cells = chosen_cells(rows, {}, case["metric"], method, objects, whole=case["on"] == "training")
        curves = cells.T.groupby(level=case["on"]).mean().T.dropna()
    if curves.shape[1] < 3:
        raise NotTestable(f"a trend needs at least three {_axis(case)} shares, found {curves.shape[1]}")
    shares = curves.columns.to_numpy(dtype=float)
    if "needed" not in case and len(curves) < 2:
        raise NotTestable(f"fewer than two draws with {METRICS[case['metric']]} of {NAMES[method]}")
    slopes = np.polyfit(shares, curves.to_numpy().T, 1)[0]
    return (slopes * np.ptp(shares)).round(9), curves.mean().iloc[[0, -1]]


def _change_phrase(case: dict, objects: str, changes: np.ndarray, ends: pd.Series) -> str:
    suffices, form = ("training share that suffices for ", percent) if "needed" in case else ("", ".3f")
    what = METRICS[case["needed"] if "needed" in case else case["metric"]]
    tested = ""
    if np.ptp(ends) <= ROUNDING and len(changes) == 1:
        return f"{suffices}{what} {percent(ends.iloc[0])} at every {_axis(case)} share ({OBJECTS[objects]})"
    if len(changes) > 1:
        tested = f", 95 % interval over {len(changes)} draws {interval(mean_interval(changes), '+.3f')}"
    return (
        f"{suffices}{what} changes by {changes.mean():+.3f} with the {_axis(case)} share ({OBJECTS[objects]}, "
        f"{interval(ends, form)}{tested})"
    )


def _changes_of_pair(rows: MainRows, test: dict) -> str:
    """Changes of the training share that suffices for another pair of methods."""
    listed = []
    for case in (case for case in test["cases"] if "needed" in case):
        other = {**case, "against": test["against"]}
        for objects in test.get("objects", JUDGED_OBJECTS):
            listed.append(_change_phrase(case, objects, *_changes(rows, test["method"], other, objects)))
    return joined(listed)


def _axis(case: dict) -> str:
    return case.get("on", "labelled")


def judge_needed(table: pd.DataFrame, test: dict) -> Judgement:
    """The training share from which on a method comes close to a reference (`needed_by_labelled`)."""
    datasets, directions, magnitudes, units = list(data_sets(table)), [], [], [0.0]
    for rows, metric, objects in _cases(datasets, test):
        median = _needed(rows, test, metric, objects).median()
        reached, lacks = median <= test["at_most"] + ROUNDING, _lacks(rows, test, metric, objects)
        near = abs(median - test["paper"]) <= test["margin"] + ROUNDING
        directions.append(case_of([reached], [lacks]))
        units.append(0.0 if reached or lacks else _draws_to_decide(rows, test, metric, objects))
        magnitudes.append(case_of([near], [reached or lacks]))
    sets, beside = _set_phrases(datasets, test, _all_needed)
    text = f"{_comes_within(test)}: {joined(sets)}{beside}"
    return Judgement(text, combined(directions), "", combined(magnitudes), units=max(units))


def _comes_within(test: dict) -> str:
    method, against = _pair(test)
    return f"training share from which on {method} comes within {MARGIN:.6g} of {against}"


def judge_needs_less(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The training share that suffices is less than that of another pair of methods, `than`, by the smallest effect.

    Contradicted if a share that much smaller than the other pair's does not suffice beyond chance; beyond chance if the
    other pair's method does not reach at the share that suffices here.
    """
    datasets, other, directions, tested, units = list(data_sets(table)), test | test["than"], [], [], [0.0]
    for rows, metric, objects in _cases(datasets, test):
        ours, theirs = (_needed(rows, pair, metric, objects).median() for pair in (test, other))
        least = theirs - smallest_effect(test).effect
        asked = test | {"at_most": least}
        at_ours = other | {"at_most": ours}
        less, lacks = ours <= least + ROUNDING, _lacks(rows, asked, metric, objects)
        shown = less and _lacks(rows, at_ours, metric, objects)
        if not (shown or lacks):
            units.append(_draws_to_decide(rows, at_ours if less else asked, metric, objects))
        directions.append(case_of([less], [lacks]))
        tested.append(case_of([shown], [lacks]))
    words = [
        f"{name}{_comes_within(pair)}: {_all_needed(rows, pair)}" for name, rows in datasets for pair in (test, other)
    ]
    significance = combined(tested)
    return Judgement(words, tested_direction(combined(directions), significance), significance, units=max(units))


def _lacks(rows: MainRows, test: dict, metric: str, objects: str) -> bool:
    """Whether the share asked for does not suffice beyond chance: the lower bound, median over labelled shares."""
    shares = gaps(rows, test, metric, objects).columns.get_level_values("training")
    if shares.empty:
        return False
    below = gaps(rows, {**test, "training": {"at": _asked(shares, test["at_most"])}}, metric, objects)
    return bool((-upper_bounds(-below)).median() > MARGIN + ROUNDING)


def _draws_to_decide(rows: MainRows, test: dict, metric: str, objects: str) -> float:
    """About how many draws tell on which side of the margin the mean is, from the share asked for on; 0 without it."""
    below = gaps(rows, test, metric, objects)
    training = below.columns.get_level_values("training")
    if training.empty:
        return 0.0
    later = below.loc[:, training >= _asked(training, test["at_most"])] - MARGIN
    units = later.apply(lambda gap: units_to_decide(contrast(gap, 0 * gap), Smallest(abs(gap.mean()))))
    n_shares = later.columns.get_level_values("training").nunique()
    return for_all(units.groupby("labelled").max().median(), n_shares)


def _asked(shares: pd.Index, at_most: float) -> float:
    """The largest share up to the one asked for; where none is that small the smallest, since less suffices no more."""
    return shares[shares <= max(at_most, shares.min()) + ROUNDING].max()


def _cases(sets: list[tuple[str, MainRows]], test: dict) -> Iterator[tuple[MainRows, str, str]]:
    """Every data set, metric and group of objects of a claim."""
    return product([rows for _, rows in sets], test["metrics"], test.get("objects", JUDGED_OBJECTS))


def _set_phrases(
    datasets: list[tuple[str, MainRows]], test: dict, tell: Callable[[MainRows, dict], str]
) -> tuple[list, str]:
    """What is said of each data set, and what is reported with it but not judged."""
    sets, beside = [], []
    for name, rows in datasets:
        sets.append(f"{name}{tell(rows, test)}")
        beside += reported_phrases(rows, test, name, tell)
    return sets, not_judged(beside)


def _pair(test: dict) -> tuple[str, str]:
    """Names of the method of a claim and of the one it is compared with."""
    return NAMES[test["method"]], NAMES[test["against"]]


def _all_needed(rows: MainRows, test: dict) -> str:
    """Training shares that suffice, by metric and group of objects."""

    def tell(metric: str, objects: str) -> str:
        return f"{OBJECTS[objects]} {_needed_phrase(_needed(rows, test, metric, objects))}"

    return by_metric(test, tell)


def _needed(rows: MainRows, test: dict, metric: str, objects: str) -> pd.Series:
    """Labelled share -> training share that suffices."""
    pair = f"{NAMES[test['method']]} and {NAMES[test['against']]}"
    needed = needed_by_labelled(rows, metric, test["method"], test["against"], objects=objects)
    needed = needed[is_asked_for(needed.index, test.get("labelled", {})) | (needed.index == 0)]
    if needed.empty:
        at = f" at labelled {shares_text(test['labelled'])}" if "labelled" in test else ""
        raise NotTestable(f"no {METRICS[metric]} of {NAMES[test['method']]} ({OBJECTS[objects]}){at} in this study")
    if needed.isna().any():
        raise NotTestable(f"fewer than two draws with {METRICS[metric]} of {pair} ({OBJECTS[objects]}) in this study")
    return needed


def _needed_phrase(needed: pd.Series) -> str:
    """The median and, if labelled shares differ, the range."""
    median = "none below 100 %" if needed.median() == 1 else percent(needed.median())
    ranging = f" (by labelled share {interval((needed.min(), needed.max()), percent)})"
    return median if np.ptp(needed) <= ROUNDING else f"{median}{ranging}"


def judge_grid(table: pd.DataFrame, test: dict) -> Judgement:
    """A method above another, equivalent to it, or further below it than a margin, at every share."""
    return {"above": _grid_above, "equivalent": _grid_equivalent, "beyond": _grid_beyond}[test["criterion"]](
        table, test
    )


def _grid_beyond(table: pd.DataFrame, test: dict) -> Judgement:
    """A method still lacks more than a share, `margin`, of what the reference has ahead of a `baseline`."""
    datasets, cases = list(data_sets(table)), []
    for rows, metric, objects in _cases(datasets, test):
        above, within = _shortfall(rows, test, metric, objects)
        cases.append([Cell(one, 1.0 - one, 1.0 - other) for one, other in zip(above, within, strict=True)])
    (method, against), at, baseline = _pair(test), shares_text(test["training"]), NAMES[test["baseline"]]
    cases = [case for case in cases if case]
    if not cases:
        raise NotTestable(f"{against} is less than {MARGIN:.6g} above {baseline} everywhere: nothing can be lacking")
    sets, beside = _set_phrases(datasets, test, _all_shortfalls)
    margin = f"{percent(test['margin'])} of {against} - {baseline}"
    text = f"{against} - {method} at training {at}, margin {margin}: {joined(sets)}{beside}"
    return judged(text, cases, correction="none", criterion="beyond")


def _shortfall(rows: MainRows, test: dict, metric: str, objects: str) -> tuple[pd.Series, pd.Series]:
    """Cells in which the shortfall is above the margin, and cells in which it is not, beyond chance; none left out."""
    below = gaps(rows, test, metric, objects)
    ahead = gaps(rows, {**test, "method": test["baseline"]}, metric, objects)[below.columns]
    excess = (below - test["margin"] * ahead).loc[:, ahead.mean() >= MARGIN]
    return -upper_bounds(-excess) > ROUNDING, upper_bounds(excess) <= ROUNDING


def _all_shortfalls(rows: MainRows, test: dict) -> str:
    """Shortfalls over the cells, by metric and group of objects."""

    def tell(metric: str, objects: str) -> str:
        means = gaps(rows, test, metric, objects).mean()
        above, within = _shortfall(rows, test, metric, objects)
        counts = f"of {len(above)} cells {above.sum()} above, {within.sum()} within"
        if len(above) < len(means):
            counts += f"; {len(means) - len(above)} left out"
        return f"{OBJECTS[objects]} {span(means, '+.3f')} ({counts})"

    return by_metric(test, tell)


def _grid_equivalent(table: pd.DataFrame, test: dict) -> Judgement:
    """A method is equivalent to another at every share."""
    datasets, cases = list(data_sets(table)), []
    for rows, metric, objects in _cases(datasets, test):
        cases.append(_equivalence(gaps(rows, test, metric, objects), test))
    sets, beside = _set_phrases(datasets, test, _all_equivalences)
    metrics = [METRICS[metric] for metric in test["metrics"]]
    method, against = _pair(test)
    text = f"{method} - {against}, {joined(metrics, ', ')}: {joined(sets)}{beside}"
    return judged(text, cases, correction="case", criterion="equivalent")


def _equivalence(below: pd.DataFrame, test: dict) -> list[Cell]:
    """The cell of every share."""
    margin, looks = test["margin"], margin_of(test)
    return [
        cell_of(
            contrast(draws.dropna(), 0 * draws.dropna(), margin=margin), "equivalent", margin, sides=1, smallest=looks
        )
        for _, draws in below.items()
    ]


def _all_equivalences(rows: MainRows, test: dict) -> str:
    """Equivalent and different cells, by group of objects."""
    listed = []
    for metric, objects in product(test["metrics"], test.get("objects", JUDGED_OBJECTS)):
        difference = -gaps(rows, test, metric, objects)
        cells, means = _equivalence(difference, test), difference.mean()
        equivalent, different = sum(cell.shown for cell in cells), contradicted(cells).sum()
        listed.append(
            f"{OBJECTS[objects]} equivalent in {equivalent} of {len(cells)} cells, different in {different}, "
            f"difference {span(means, '+.3f')} (largest: {cell_name(*means.abs().idxmax())})"
        )
    return joined(listed)


def judge_levels(table: pd.DataFrame, test: dict) -> Judgement:
    """Values are above a level at every training share and labelled share."""
    cases, sets = [], []
    for name, rows in data_sets(table):
        of_set = []
        for metric, limit in test["limits"].items():
            listed = []
            for objects in test.get("objects", JUDGED_OBJECTS):
                values = chosen_cells(rows, test, metric, test["method"], objects, least=2)
                means, level = values.mean(), np.full(len(values), limit["above"])
                cases.append([cell_of(contrast(of_cell, level)) for _, of_cell in values.items()])
                phrases = mean_phrases(rows, test, metric, test.get("reported_methods", []), objects)
                if len(means) > 1:
                    least = cell_name(*means.idxmin())
                    reached = sum(cell.shown for cell in cases[-1])
                    phrases = [f"reached in {reached} of {len(means)} cells; least at {least}", *phrases]
                listed.append(f"{OBJECTS[objects]} {span(means, '.3f')}{f' ({joined(phrases)})' if phrases else ''}")
            of_set.append(f"{METRICS[metric]} {joined(listed, ', ')}")
        of_set += _metrics_beside(rows, test)
        sets.append(f"{name}{joined(of_set)}")
    return judged(sets, cases)


def _metrics_beside(rows: MainRows, test: dict) -> list[str]:
    """Means of other metrics over the chosen cells; those without values are left out."""
    listed = []
    for metric in test.get("reported_metrics", []):
        of_objects = [
            f"{OBJECTS[objects]} {joined(means, ', ')}"
            for objects in test.get("objects", JUDGED_OBJECTS)
            if (means := mean_phrases(rows, test, metric, [test["method"], *test.get("reported_methods", [])], objects))
        ]
        if of_objects:
            listed.append(f"not judged: {METRICS[metric]}, {joined(of_objects)}")
    return listed


def _grid_above(table: pd.DataFrame, test: dict) -> Judgement:
    """One method above another at every training share, paired over draws; labelled shares are averaged."""
    cases, sets = [], []
    for name, rows in data_sets(table):
        of_set, label = [], ""
        if test.get("queries") == "rarest":
            label, rows = _rarest(rows), MainRows(query_rows(rows.metrics, test.get("variant", "")))
        for metric in test["metrics"]:
            listed = []
            for objects in test.get("objects", JUDGED_OBJECTS):
                comparisons = _compare(rows, test, metric, objects, label)
                cases.append([_cell(rows, test, metric, objects, label, *item) for item in comparisons.items()])
                methods = [test["method"], test["against"], *test.get("reported_methods", [])]
                means = mean_phrases(rows, test, metric, methods, objects, label) if len(comparisons) == 1 else []
                means_text = f" ({joined(means, ', ')})" if len(comparisons) == 1 else ""
                listed.append(f"{OBJECTS[objects]} {_difference(comparisons)}{means_text}")
            queries = f" (queries of {label})" if label != "" else ""
            of_set.append(f"{METRICS[metric]}{queries}, {joined(listed, ', ')}")
        sets.append(f"{name}{joined(of_set)}")
    method, against = _pair(test)
    return judged(f"{method} - {against}: {joined(sets)}", cases)


def _cell(
    rows: MainRows, test: dict, metric: str, objects: str, label: str, training: float, compared: CorrectedComparison
) -> Cell:
    """The cell of a training share."""
    at = {**test, "training": {"at": training}}
    baseline = chosen_cells(rows, at, metric, test["against"], objects, label=label).mean().mean()
    return cell_of(compared, smallest=smallest_effect(test, metric, baseline))


def _compare(rows: MainRows, test: dict, metric: str, objects: str, label: str) -> dict[float, CorrectedComparison]:
    """Training share -> one-sided paired t-test over the draws that have both methods."""
    ours, others = (
        chosen_cells(rows, test, metric, test[role], objects, label=label).T.groupby(level="training").mean().T
        for role in ("method", "against")
    )
    comparisons = {}
    for training in ours:
        both = pd.concat([ours[training], others.get(training)], axis=1, join="inner").dropna()
        if both.shape[1] < 2 or len(both) < 2:
            raise NotTestable(f"fewer than two draws with both methods at training {shares_text({'at': training})}")
        comparisons[training] = contrast(both.iloc[:, 0], both.iloc[:, 1])
    return comparisons


def _difference(tests: dict[float, CorrectedComparison]) -> str:
    """One difference with its test, or the range of several."""
    differences = pd.Series({training: test.mean_difference for training, test in tests.items()})
    if len(tests) == 1:
        (test,) = tests.values()
        ends = interval((test.ci_low, test.ci_high), "+.3f")
        return f"{test.mean_difference:+.3f}, 95 % interval {ends}, p = {test.p_value:.2g}, n = {test.n}"
    largest = max(test.p_value for test in tests.values())
    return (
        f"{span(differences, '+.3f')} over {len(tests)} training shares (least at {percent(differences.idxmin())}, "
        f"largest p = {largest:.2g})"
    )


def _rarest(rows: MainRows) -> str:
    """The class with the fewest objects, the first of several."""
    note_rows(rows.metrics[rows.metrics["metric"] == "n_label"])
    sizes = class_sizes(rows.metrics)
    if sizes.empty:
        raise NotTestable("the objects of each class were not counted")
    return sizes.idxmin()


JUDGES: dict[str, Judge] = {
    "value/errors": judge_errors,
    "value/shares": judge_levels,
    "value/needed": judge_needed,
    "compare/needed": judge_needs_less,
    "trend/shares": judge_share_trend,
    "compare/grid": judge_grid,
}
