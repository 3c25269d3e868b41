"""
Kinds of claims on extrapolated embeddings, judged over a grid of training shares and labelled shares.

Each takes tidy metrics and the parameters of a claim (listed in config/README.md), and raises NotTestable where values
are missing. Every data set, metric and group of objects (all, as in the paper, and the extrapolated ones apart) is a
case of its own: a part is reproduced if it holds in all cases, partly if in some. A training share of 100 %, at which
nothing is extrapolated, is left out of all comparisons.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import scipy

from replication.papers.sparks2011.retrieval_cells import (
    JUDGED_OBJECTS,
    NAMES,
    among,
    asked,
    beside_in_words,
    cell_name,
    chosen_cells,
    data_sets,
    gaps,
    lower_bounds,
    means_in_words,
    not_judged,
    percent,
)
from replication.papers.sparks2011.retrieval_values import (
    MARGIN,
    METRICS,
    OBJECTS,
    MainRows,
    class_sizes,
    needed_by_labelled,
    upper_bounds,
)
from replication.shared.judgements import (
    CONFIDENCE,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
    all_of,
    case_of,
    combined,
    span,
)
from replication.shared.statistics import Comparison, holm, paired_comparison


def judge_approximation(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The error of the approximated similarities is small, as printed (direction) and relative to them (magnitude).

    Judged on the means over draws at all training shares and labelled shares.
    """
    flags, words = {"printed": [], "relative": []}, []
    for name, rows in data_sets(table):
        listed = []
        for part, part_flags in flags.items():
            metric, limit = test[part]["metric"], test[part]["at_most"]
            errors = _errors(rows, metric, test["methods"])
            part_flags.append(bool(errors.max() <= limit))
            method, labelled, training = errors.idxmax()
            worst = f"{NAMES[method]}, {cell_name(labelled, training)}"
            listed.append(f"{METRICS[metric]} {span(errors, '.2g')} over {len(errors)} cells (largest: {worst})")
        words.append(name + "; ".join(listed) + _errors_beside(rows, test))
    return Judgement("; ".join(words), direction=all_of(flags["printed"]), magnitude=all_of(flags["relative"]))


def _errors(rows: MainRows, metric: str, methods: list[str]) -> pd.Series:
    """Mean errors over draws; index method, labelled share and training share."""
    return pd.concat({method: chosen_cells(rows, {}, metric, method, objects="").mean() for method in methods})


def _errors_beside(rows: MainRows, test: dict) -> str:
    listed = []
    for one in test.get("beside", []):
        try:
            errors = _errors(rows, one["metric"], one["methods"])
        except NotTestable:
            continue
        of = ", ".join(NAMES[method] for method in one["methods"])
        listed.append(f"{METRICS[one['metric']]} of {of} {span(errors, '.2g')}")
    return f"; not judged: {', '.join(listed)}" if listed else ""


def judge_rises(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Means rise (or fall) with the training share or the labelled share: Spearman's correlation is beyond a limit.

    Over training shares the means are over draws and labelled shares; over labelled shares, over draws and training
    shares below 1. A mean that is the same at every share does not rise; a training share that suffices and is the same
    at every labelled share, as where none or the least of the grid always does, is inconclusive.
    """
    parts, words, beside = [], [], []
    for name, rows in data_sets(table):
        of_set = []
        for case in test["cases"]:
            found = [_rise(rows, test["method"], case, objects) for objects in test.get("objects", JUDGED_OBJECTS)]
            parts += [part for part, _ in found]
            of_set.append(_rise_in_words(case, found))
        words.append(name + "; ".join(of_set))
        beside += beside_in_words(rows, test, name, _rises_of_pair)
    return Judgement(f"Spearman, {'; '.join(words)}{not_judged(beside)}", direction=combined(parts))


def _rise(rows: MainRows, method: str, case: dict, objects: str) -> tuple[str, str]:
    """Whether one group of objects has the trend, and its correlation in words."""
    values = _over_shares(rows, method, case, objects)
    first, last = (percent(one) if "needed" in case else f"{one:.3f}" for one in values.iloc[[0, -1]])
    if np.ptp(values) <= ROUNDING:
        part = INCONCLUSIVE if "needed" in case else NOT_REPRODUCED
        return part, f"the same at every share ({OBJECTS[objects]}, {first}{', no trend' if 'needed' in case else ''})"
    correlation = float(scipy.stats.spearmanr(values.index, values).statistic)
    beyond = correlation > case["above"] if "above" in case else correlation < case["below"]
    return REPRODUCED if beyond else NOT_REPRODUCED, f"{correlation:.2f} ({OBJECTS[objects]}, {first} to {last})"


def _rise_in_words(case: dict, found: list[tuple[str, str]]) -> str:
    what = (
        f"training share that suffices for {METRICS[case['needed']]}" if "needed" in case else METRICS[case["metric"]]
    )
    return f"{what} with {_axis(case)} share {', '.join(told for _, told in found)}"


def _rises_of_pair(rows: MainRows, test: dict) -> str:
    """Trends of the training share that suffices for another pair of methods."""
    listed = []
    for case in (case for case in test["cases"] if "needed" in case):
        other = {**case, "against": test["against"]}
        found = [_rise(rows, test["method"], other, objects) for objects in test.get("objects", JUDGED_OBJECTS)]
        listed.append(_rise_in_words(case, found))
    return "; ".join(listed)


def _axis(case: dict) -> str:
    return case.get("on", "labelled")


def _over_shares(rows: MainRows, method: str, case: dict, objects: str) -> pd.Series:
    """Share -> mean of a metric, or training share that suffices for it."""
    if "needed" in case:
        values = _needed(rows, {"method": method, "against": case["against"]}, case["needed"], objects)
    else:
        means = chosen_cells(rows, {}, case["metric"], method, objects, whole=case["on"] == "training").mean()
        values = means.groupby(level=case["on"]).mean()
    if len(values) < 3:
        raise NotTestable(f"a trend needs at least three {_axis(case)} shares, found {len(values)}")
    return values


def judge_needed(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The training share from which on a method comes close to a reference (`needed_training`).

    Direction: its median over labelled shares is at most `at_most`. Magnitude: the median lies within `margin` of
    `paper`.
    """
    reached, magnitudes, words, beside = [], [], [], []
    for name, rows in data_sets(table):
        for metric in test["metrics"]:
            for objects in test.get("objects", JUDGED_OBJECTS):
                median = _needed(rows, test, metric, objects).median()
                reached.append(bool(median <= test["at_most"] + ROUNDING))
                magnitudes.append(bool(abs(median - test["paper"]) <= test["margin"] + ROUNDING))
        words.append(name + _all_needed(rows, test))
        beside += beside_in_words(rows, test, name, _all_needed)
    reached_by = f"{NAMES[test['method']]} comes within {MARGIN:g} of {NAMES[test['against']]}"
    return Judgement(
        f"training share from which on {reached_by}: {'; '.join(words)}{not_judged(beside)}",
        direction=all_of(reached),
        magnitude=all_of(magnitudes),
    )


def _all_needed(rows: MainRows, test: dict) -> str:
    """Training shares that suffice, by metric and group of objects, in words."""
    listed = []
    for metric in test["metrics"]:
        found = {objects: _needed(rows, test, metric, objects) for objects in test.get("objects", JUDGED_OBJECTS)}
        told = ", ".join(f"{OBJECTS[objects]} {_needed_in_words(needed)}" for objects, needed in found.items())
        listed.append(f"{METRICS[metric]} {told}")
    return "; ".join(listed)


def _needed(rows: MainRows, test: dict, metric: str, objects: str) -> pd.Series:
    """Labelled share -> training share that suffices."""
    pair = f"{NAMES[test['method']]} and {NAMES[test['against']]}"
    needed = needed_by_labelled(rows, metric, test["method"], test["against"], objects=objects)
    needed = needed[among(needed.index, test.get("labelled", {})) | (needed.index == 0)]
    if needed.empty:
        at = f" at labelled {asked(test['labelled'])}" if "labelled" in test else ""
        raise NotTestable(f"no {METRICS[metric]} of {NAMES[test['method']]} ({OBJECTS[objects]}){at} in this study")
    if needed.isna().any():
        raise NotTestable(f"fewer than two draws with {METRICS[metric]} of {pair} ({OBJECTS[objects]}) in this study")
    return needed


def _needed_in_words(needed: pd.Series) -> str:
    """The median and, if labelled shares differ, the range."""
    median = "none below 100 %" if needed.median() == 1 else percent(needed.median())
    ranging = f" (by labelled share {percent(needed.min())} to {percent(needed.max())})"
    return median + ("" if np.ptp(needed) <= ROUNDING else ranging)


def judge_shortfall(table: pd.DataFrame, test: dict) -> Judgement:
    """
    A method is still further below a reference than a margin, at every training share and labelled share asked for.

    A cell holds if the one-sided 95 % t bound from below of the mean of reference - method, over the draws, is above
    the margin; it contradicts if the bound from above is at or below the margin.
    """
    parts, words, beside = [], [], []
    for name, rows in data_sets(table):
        for metric in test["metrics"]:
            for objects in test.get("objects", JUDGED_OBJECTS):
                holds, contradicts = _shortfall(rows, test, metric, objects)
                parts.append(case_of(holds, contradicts))
        words.append(name + _all_shortfalls(rows, test))
        beside += beside_in_words(rows, test, name, _all_shortfalls)
    of = f"{NAMES[test['against']]} - {NAMES[test['method']]} at training {asked(test['training'])}"
    return Judgement(
        f"{of}, margin {test['margin']:g}: {'; '.join(words)}{not_judged(beside)}", magnitude=combined(parts)
    )


def _shortfall(rows: MainRows, test: dict, metric: str, objects: str) -> tuple[pd.Series, pd.Series]:
    """Cells in which the shortfall is above the margin, and cells in which it is not, beyond chance."""
    found = gaps(rows, test, metric, objects)
    return lower_bounds(found) > test["margin"] + ROUNDING, upper_bounds(found) <= test["margin"] + ROUNDING


def _all_shortfalls(rows: MainRows, test: dict) -> str:
    """Shortfalls over the cells, by metric and group of objects, in words."""
    listed = []
    for metric in test["metrics"]:
        of_metric = []
        for objects in test.get("objects", JUDGED_OBJECTS):
            means = gaps(rows, test, metric, objects).mean()
            above, within = _shortfall(rows, test, metric, objects)
            counted = f"of {len(means)} cells {above.sum()} above, {within.sum()} within"
            of_metric.append(f"{OBJECTS[objects]} {span(means, '+.3f')} ({counted})")
        listed.append(f"{METRICS[metric]} {', '.join(of_metric)}")
    return "; ".join(listed)


def judge_equivalent_cells(table: pd.DataFrame, test: dict) -> Judgement:
    """
    A method is equivalent to another at every training share and labelled share (two one-sided tests).

    In an equivalent cell the 90 % t interval over draws of the mean paired difference lies inside the margin; in a
    different one it lies outside, by one-sided tests at 5 % with Holm's correction over the cells, since one of many
    cells would otherwise contradict by chance. A case is reproduced if all cells are equivalent, not reproduced if any
    is different, else inconclusive.
    """
    parts, words, beside = [], [], []
    for name, rows in data_sets(table):
        for objects in test.get("objects", JUDGED_OBJECTS):
            parts.append(case_of(*_equivalence(-gaps(rows, test, test["metric"], objects), test["margin"])))
        words.append(name + _all_equivalences(rows, test))
        beside += beside_in_words(rows, test, name, _all_equivalences)
    compared = f"{NAMES[test['method']]} - {NAMES[test['against']]}, {METRICS[test['metric']]}"
    return Judgement(f"{compared}: {'; '.join(words)}{not_judged(beside)}", magnitude=combined(parts))


def _equivalence(difference: pd.DataFrame, margin: float) -> tuple[pd.Series, pd.Series]:
    """Cells that are equivalent, and cells that differ by more than the margin (Holm's correction)."""
    equivalent = (lower_bounds(difference) > -margin) & (upper_bounds(difference) < margin)
    # Either side can be exceeded, but only the side of the mean can be so beyond chance.
    beyond = difference * np.sign(difference.mean()) - margin
    p_values = [
        paired_comparison(of.dropna(), 0 * of.dropna(), alternative="greater").p_value for _, of in beyond.items()
    ]
    return equivalent, pd.Series(holm(p_values) < 1 - CONFIDENCE, index=equivalent.index)


def _all_equivalences(rows: MainRows, test: dict) -> str:
    """Equivalent and different cells, by group of objects, in words."""
    listed = []
    for objects in test.get("objects", JUDGED_OBJECTS):
        difference = -gaps(rows, test, test["metric"], objects)
        equivalent, different = _equivalence(difference, test["margin"])
        means = difference.mean()
        listed.append(
            f"{OBJECTS[objects]} equivalent in {equivalent.sum()} of {len(means)} cells, different in "
            f"{different.sum()}, difference {span(means, '+.3f')} (largest: {cell_name(*means.abs().idxmax())})"
        )
    return "; ".join(listed)


def judge_levels(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Values reach a level at every training share and labelled share.

    With `above` the one-sided 95 % t bound over draws lies above it in every cell; with `paper` and `margin` the mean
    over draws lies within the margin of the paper's value.
    """
    flags, words = [], []
    for name, rows in data_sets(table):
        of_set = []
        for metric, limit in test["limits"].items():
            listed = []
            for objects in test.get("objects", JUDGED_OBJECTS):
                values = chosen_cells(rows, test, metric, test["method"], objects, least=2 if "above" in limit else 1)
                means = values.mean()
                if "above" in limit:
                    reached = lower_bounds(values) > limit["above"]
                else:
                    reached = (means - limit["paper"]).abs() <= limit["margin"] + ROUNDING
                flags.append(bool(reached.all()))
                told = means_in_words(rows, test, metric, test.get("beside", []), objects)
                if len(means) > 1:
                    least = cell_name(*means.idxmin())
                    told = [f"reached in {reached.sum()} of {len(reached)} cells", f"least at {least}", *told]
                in_words = f" ({'; '.join(told)})" if told else ""
                listed.append(f"{OBJECTS[objects]} {span(means, '.3f')}{in_words}")
            of_set.append(f"{METRICS[metric]} {', '.join(listed)}")
        of_set += _metrics_beside(rows, test)
        words.append(name + "; ".join(of_set))
    return Judgement("; ".join(words), magnitude=all_of(flags))


def _metrics_beside(rows: MainRows, test: dict) -> list[str]:
    """Means of other metrics over the chosen cells, in words; those without values are left out."""
    listed = []
    for metric in test.get("beside_metrics", []):
        of_objects = [
            f"{OBJECTS[objects]} {', '.join(told)}"
            for objects in test.get("objects", JUDGED_OBJECTS)
            if (told := means_in_words(rows, test, metric, [test["method"], *test.get("beside", [])], objects))
        ]
        if of_objects:
            listed.append(f"not judged: {METRICS[metric]}, {'; '.join(of_objects)}")
    return listed


def judge_ahead(table: pd.DataFrame, test: dict) -> Judgement:
    """
    One method above another at every training share, paired over draws; labelled shares are averaged.

    Direction: the mean difference is above zero at all of them. Significance: one-sided paired t-test, p < 0.05, at all
    of them; a case is not reproduced if any difference is below zero by a two-sided test with Holm's correction over
    the training shares, p < 0.05. Magnitude, if `at_least` is given:
    the mean difference is at least as large at all of them.
    """
    ahead, significances, large, words = [], [], [], []
    for name, rows in data_sets(table):
        of_set, label = [], _rarest(rows) if test.get("queries") == "rarest" else ""
        for metric in test["metrics"]:
            listed = []
            for objects in test.get("objects", JUDGED_OBJECTS):
                found = _compare(rows, test, metric, objects, label)
                differences = [one.mean_difference for one in found.values()]
                ahead.append(min(differences) > ROUNDING)
                significances.append(_significance(list(found.values())))
                large.append(min(differences) >= test.get("at_least", 0) - ROUNDING)
                listed.append(f"{OBJECTS[objects]} {_difference_in_words(found)}")
                if len(found) == 1:
                    methods = [test["method"], test["against"], *test.get("beside", [])]
                    listed[-1] += f" ({', '.join(means_in_words(rows, test, metric, methods, objects, label))})"
            queries = f" (queries of {label})" if label != "" else ""
            of_set.append(f"{METRICS[metric]}{queries}, {', '.join(listed)}")
            of_set[-1] += _objects_beside(rows, test, metric, label)
        words.append(name + "; ".join(of_set))
    return Judgement(
        f"{NAMES[test['method']]} - {NAMES[test['against']]}: {'; '.join(words)}",
        all_of(ahead),
        combined(significances),
        all_of(large) if "at_least" in test else "",
    )


def _compare(rows: MainRows, test: dict, metric: str, objects: str, label: str) -> dict[float, Comparison]:
    """Training share -> one-sided paired t-test over the draws that have both methods."""
    ours, others = (
        chosen_cells(rows, test, metric, test[one], objects, label=label).T.groupby(level="training").mean().T
        for one in ("method", "against")
    )
    found = {}
    for training in ours:
        both = pd.concat([ours[training], others.get(training)], axis=1, join="inner").dropna()
        if both.shape[1] < 2 or len(both) < 2:
            raise NotTestable(f"fewer than two draws with both methods at training {percent(training)}")
        found[training] = paired_comparison(both.iloc[:, 0], both.iloc[:, 1], alternative="greater")
    return found


def _significance(found: list[Comparison]) -> str:
    """Reproduced if all tests reject, not reproduced if any (Holm) says the opposite, else inconclusive."""
    ahead = [one.mean_difference > ROUNDING and one.p_value < 1 - CONFIDENCE for one in found]
    # The p-values are one-sided, the other way.
    behind = [2 * (1 - one.p_value) if one.mean_difference < -ROUNDING else 1.0 for one in found]
    return case_of(ahead, holm(np.minimum(behind, 1.0)) < 1 - CONFIDENCE)


def _difference_in_words(found: dict[float, Comparison]) -> str:
    """One difference with its test, or the range of several."""
    differences = pd.Series({training: one.mean_difference for training, one in found.items()})
    p_value = f"p = {max(one.p_value for one in found.values()):.2g}"
    if len(found) == 1:
        (one,) = found.values()
        return (
            f"{differences.iloc[0]:+.3f}, 95 % interval {one.ci_low:+.3f} to {one.ci_high:+.3f}, {p_value}, n = {one.n}"
        )
    least = f"least at {percent(differences.idxmin())}, largest {p_value}"
    return f"{span(differences, '+.3f')} over {len(found)} training shares ({least})"


def _objects_beside(rows: MainRows, test: dict, metric: str, label: str) -> str:
    """Mean differences over groups of objects that are not judged."""
    listed = []
    for objects in test.get("beside_objects", []):
        try:
            listed.append(f"{OBJECTS[objects]} {_difference_in_words(_compare(rows, test, metric, objects, label))}")
        except NotTestable:
            continue
    return f"; not judged: {', '.join(listed)}" if listed else ""


def _rarest(rows: MainRows) -> str:
    """The class with the fewest objects, the first of several."""
    sizes = class_sizes(rows.metrics)
    if sizes.empty:
        raise NotTestable("the objects of each class were not counted")
    return sizes.idxmin()


RETRIEVAL_KINDS: dict[str, Callable[[pd.DataFrame, dict], Judgement]] = {
    "approximation": judge_approximation,
    "rises": judge_rises,
    "needed": judge_needed,
    "shortfall": judge_shortfall,
    "equivalent_cells": judge_equivalent_cells,
    "levels": judge_levels,
    "ahead": judge_ahead,
}
