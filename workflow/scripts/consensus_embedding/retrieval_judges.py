"""
Kinds of claims on extrapolated embeddings, judged over a grid of training shares and labelled shares.

Each takes tidy metrics and the parameters of a claim (listed in config/README.md), and raises NotTestable where values
are missing. Every data set, metric and group of objects (all, as in the paper, and the extrapolated ones apart) is a
case of its own: a part is reproduced if it holds in all cases, partly if in some. A training share of 100 %, at which
nothing is extrapolated, is left out of all comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy import stats

from consensus_embedding.judgements import (
    CONFIDENCE,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    PARTLY,
    REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
    all_of,
)
from consensus_embedding.retrieval_values import (
    MARGIN,
    METHODS,
    METRICS,
    OBJECTS,
    class_sizes,
    grid_cells,
    needed_by_labelled,
    upper_bounds,
)
from consensus_embedding.statistics import Comparison, paired_comparison

# Groups of objects that are judged if a claim names none.
_OBJECTS = ("all", "extrapolated")
_NAMES = {**METHODS, "zero": "a zero matrix"}


def judge_approximation(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The error of the approximated similarities is small, as printed (direction) and relative to them (magnitude).

    Judged on the means over draws at all training shares and labelled shares.
    """
    flags, words = {"printed": [], "relative": []}, []
    for name, rows in _data_sets(table):
        listed = []
        for part, part_flags in flags.items():
            metric, limit = test[part]["metric"], test[part]["at_most"]
            errors = _errors(rows, metric, test["methods"])
            part_flags.append(bool(errors.max() <= limit))
            method, labelled, training = errors.idxmax()
            worst = f"{_NAMES[method]}, {_cell(labelled, training)}"
            listed.append(f"{METRICS[metric]} {_span(errors, '.2g')} over {len(errors)} cells (largest: {worst})")
        words.append(name + "; ".join(listed) + _errors_beside(rows, test))
    return Judgement("; ".join(words), direction=all_of(flags["printed"]), magnitude=all_of(flags["relative"]))


def _errors(rows: pd.DataFrame, metric: str, methods: list[str]) -> pd.Series:
    """Mean errors over draws; index method, labelled share and training share."""
    return pd.concat({method: _cells(rows, {}, metric, method, objects="").mean() for method in methods})


def _errors_beside(rows: pd.DataFrame, test: dict) -> str:
    listed = []
    for one in test.get("beside", []):
        try:
            errors = _errors(rows, one["metric"], one["methods"])
        except NotTestable:
            continue
        of = ", ".join(_NAMES[method] for method in one["methods"])
        listed.append(f"{METRICS[one['metric']]} of {of} {_span(errors, '.2g')}")
    return f"; not judged: {', '.join(listed)}" if listed else ""


def judge_rises(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Means rise (or fall) with the training share or the labelled share: Spearman's correlation is beyond a limit.

    Over training shares the means are over draws and labelled shares; over labelled shares, over draws and training
    shares below 1. What is the same at every share does not rise.
    """
    flags, words = [], []
    for name, rows in _data_sets(table):
        of_set = []
        for case in test["cases"]:
            listed = []
            for objects in test.get("objects", _OBJECTS):
                values = _over_shares(rows, test["method"], case, objects)
                same = np.ptp(values) <= ROUNDING
                correlation = 0.0 if same else float(stats.spearmanr(values.index, values).statistic)
                flags.append(correlation > case["above"] if "above" in case else correlation < case["below"])
                ends = [_percent(one) if "needed" in case else f"{one:.3f}" for one in values.iloc[[0, -1]]]
                listed.append(f"{correlation:.2f} ({OBJECTS[objects]}, {' to '.join(ends)})")
            what = f"training share that suffices for {METRICS[case['needed']]}" if "needed" in case else ""
            of_set.append(f"{what or METRICS[case['metric']]} with {_axis(case)} share {', '.join(listed)}")
        words.append(name + "; ".join(of_set))
    return Judgement(f"Spearman, {'; '.join(words)}", direction=all_of(flags))


def _axis(case: dict) -> str:
    return case.get("on", "labelled")


def _over_shares(rows: pd.DataFrame, method: str, case: dict, objects: str) -> pd.Series:
    """Share -> mean of a metric, or training share that suffices for it."""
    if "needed" in case:
        values = _needed(rows, {"method": method, "against": case["against"]}, case["needed"], objects)
    else:
        means = _cells(rows, {}, case["metric"], method, objects, whole=case["on"] == "training").mean()
        values = means.groupby(level=case["on"]).mean()
    if len(values) < 3:
        raise NotTestable(f"a trend needs at least three {_axis(case)} shares, found {len(values)}")
    return values


def judge_needed(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The training share from which on a method comes close to a reference (`needed_training`).

    Direction: its median over labelled shares is at most `at_most`. Magnitude: the median lies within `margin` of
    `paper`; or the share is at least `at_least` at each labelled share.
    """
    reached, magnitudes, words, beside = [], [], [], []
    for name, rows in _data_sets(table):
        of_set = []
        for metric in test["metrics"]:
            listed = []
            for objects in test.get("objects", _OBJECTS):
                needed = _needed(rows, test, metric, objects)
                if "at_least" in test:
                    magnitudes.append(bool(needed.min() >= test["at_least"] - ROUNDING))
                else:
                    reached.append(bool(needed.median() <= test["at_most"] + ROUNDING))
                    magnitudes.append(bool(abs(needed.median() - test["paper"]) <= test["margin"] + ROUNDING))
                listed.append(f"{OBJECTS[objects]} {_needed_in_words(needed)}")
            of_set.append(f"{METRICS[metric]} {', '.join(listed)}")
        words.append(name + "; ".join(of_set))
        beside += _needed_beside(rows, test, name)
    reached_by = f"{_NAMES[test['method']]} comes within {MARGIN:g} of {_NAMES[test['against']]}"
    told = f"; not judged, of {_NAMES[test['beside']]}: {'; '.join(beside)}" if beside else ""
    return Judgement(
        f"training share from which on {reached_by}: {'; '.join(words)}{told}",
        direction=all_of(reached) if reached else "",
        magnitude=all_of(magnitudes),
    )


def _needed(rows: pd.DataFrame, test: dict, metric: str, objects: str) -> pd.Series:
    """Labelled share -> training share that suffices."""
    pair = f"{_NAMES[test['method']]} and {_NAMES[test['against']]}"
    needed = needed_by_labelled(rows, metric, test["method"], test["against"], objects=objects)
    needed = needed[_among(needed.index, test.get("labelled", {})) | (needed.index == 0)]
    if needed.empty:
        asked = f" at labelled {_asked(test['labelled'])}" if "labelled" in test else ""
        raise NotTestable(f"no {METRICS[metric]} of {_NAMES[test['method']]} ({OBJECTS[objects]}){asked} in this study")
    if needed.isna().any():
        raise NotTestable(f"fewer than two draws with {METRICS[metric]} of {pair} ({OBJECTS[objects]}) in this study")
    return needed


def _needed_in_words(needed: pd.Series) -> str:
    """The median and, if labelled shares differ, the range."""
    median = "none below 100 %" if needed.median() == 1 else _percent(needed.median())
    ranging = f" (by labelled share {_percent(needed.min())} to {_percent(needed.max())})"
    return median + ("" if np.ptp(needed) <= ROUNDING else ranging)


def _needed_beside(rows: pd.DataFrame, test: dict, name: str) -> list[str]:
    """Medians of the training share that suffices for another reference, in words; nothing if it has no values."""
    if "beside" not in test:
        return []
    listed, other = [], {**test, "against": test["beside"]}
    try:
        for metric in test["metrics"]:
            medians = [_needed(rows, other, metric, objects).median() for objects in test.get("objects", _OBJECTS)]
            listed.append(f"{METRICS[metric]} {', '.join(map(_percent, medians))}")
    except NotTestable:
        return []
    return [name + "; ".join(listed)]


def judge_equivalent_cells(table: pd.DataFrame, test: dict) -> Judgement:
    """
    A method is equivalent to another at every training share and labelled share (two one-sided tests).

    In an equivalent cell the 90 % t interval over draws of the mean paired difference lies inside the margin. A case is
    reproduced if all cells are equivalent, not reproduced if the interval of any lies outside, else inconclusive.
    """
    parts, words, margin = [], [], test["margin"]
    for name, rows in _data_sets(table):
        for objects in test.get("objects", _OBJECTS):
            ours, others = (_cells(rows, test, test["metric"], test[one], objects) for one in ("method", "against"))
            difference = ours - others
            if (difference.count() < 2).any():
                raise NotTestable(f"fewer than two draws with both methods in each cell ({OBJECTS[objects]})")
            low, high, means = _lower_bounds(difference), upper_bounds(difference), difference.mean()
            within, outside = (low > -margin) & (high < margin), (low > margin) | (high < -margin)
            parts.append(REPRODUCED if within.all() else NOT_REPRODUCED if outside.any() else INCONCLUSIVE)
            words.append(
                f"{name}{OBJECTS[objects]} equivalent in {within.sum()} of {len(within)} cells, different in "
                f"{outside.sum()}, difference {_span(means, '+.3f')} (largest: {_cell(*means.abs().idxmax())})"
            )
    compared = f"{_NAMES[test['method']]} - {_NAMES[test['against']]}, {METRICS[test['metric']]}"
    return Judgement(f"{compared}: {'; '.join(words)}", magnitude=_combined(parts))


def judge_levels(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Values reach a level at every training share and labelled share.

    With `above` the one-sided 95 % t bound over draws lies above it in every cell; with `paper` and `margin` the mean
    over draws lies within the margin of the paper's value.
    """
    flags, words = [], []
    for name, rows in _data_sets(table):
        of_set = []
        for metric, limit in test["limits"].items():
            listed = []
            for objects in test.get("objects", _OBJECTS):
                values = _cells(rows, test, metric, test["method"], objects, least=2 if "above" in limit else 1)
                means = values.mean()
                if "above" in limit:
                    reached = _lower_bounds(values) > limit["above"]
                else:
                    reached = (means - limit["paper"]).abs() <= limit["margin"] + ROUNDING
                flags.append(bool(reached.all()))
                told = _means(rows, test, metric, test.get("beside", []), objects)
                if len(means) > 1:
                    least = _cell(*means.idxmin())
                    told = [f"reached in {reached.sum()} of {len(reached)} cells", f"least at {least}", *told]
                in_words = f" ({'; '.join(told)})" if told else ""
                listed.append(f"{OBJECTS[objects]} {_span(means, '.3f')}{in_words}")
            of_set.append(f"{METRICS[metric]} {', '.join(listed)}")
        words.append(name + "; ".join(of_set))
    return Judgement("; ".join(words), magnitude=all_of(flags))


def judge_ahead(table: pd.DataFrame, test: dict) -> Judgement:
    """
    One method above another at every training share, paired over draws; labelled shares are averaged.

    Direction: the mean difference is above zero at all of them. Significance: one-sided paired t-test, p < 0.05, at all
    of them; a case is not reproduced if the 95 % interval of any lies below zero. Magnitude, if `at_least` is given:
    the mean difference is at least as large at all of them.
    """
    ahead, significances, large, words = [], [], [], []
    for name, rows in _data_sets(table):
        of_set, label = [], _rarest(rows) if test.get("queries") == "rarest" else ""
        for metric in test["metrics"]:
            listed = []
            for objects in test.get("objects", _OBJECTS):
                found = _compare(rows, test, metric, objects, label)
                differences = [one.mean_difference for one in found.values()]
                ahead.append(min(differences) > ROUNDING)
                significances.append(_significance(list(found.values())))
                large.append(min(differences) >= test.get("at_least", 0) - ROUNDING)
                listed.append(f"{OBJECTS[objects]} {_difference_in_words(found)}")
                if len(found) == 1:
                    methods = [test["method"], test["against"], *test.get("beside", [])]
                    listed[-1] += f" ({', '.join(_means(rows, test, metric, methods, objects, label))})"
            queries = f" (queries of {label})" if label != "" else ""
            of_set.append(f"{METRICS[metric]}{queries}, {', '.join(listed)}")
            of_set[-1] += _objects_beside(rows, test, metric, label)
        words.append(name + "; ".join(of_set))
    return Judgement(
        f"{_NAMES[test['method']]} - {_NAMES[test['against']]}: {'; '.join(words)}",
        all_of(ahead),
        _combined(significances),
        all_of(large) if "at_least" in test else "",
    )


def _compare(rows: pd.DataFrame, test: dict, metric: str, objects: str, label: str) -> dict[float, Comparison]:
    """Training share -> one-sided paired t-test over the draws that have both methods."""
    ours, others = (
        _cells(rows, test, metric, test[one], objects, label=label).T.groupby(level="training").mean().T
        for one in ("method", "against")
    )
    found = {}
    for training in ours:
        both = pd.concat([ours[training], others.get(training)], axis=1, join="inner").dropna()
        if both.shape[1] < 2 or len(both) < 2:
            raise NotTestable(f"fewer than two draws with both methods at training {_percent(training)}")
        found[training] = paired_comparison(both.iloc[:, 0], both.iloc[:, 1], alternative="greater")
    return found


def _significance(found: list[Comparison]) -> str:
    """Reproduced if all tests reject, not reproduced if the interval of any lies below zero, else inconclusive."""
    if all(one.mean_difference > ROUNDING and one.p_value < 1 - CONFIDENCE for one in found):
        return REPRODUCED
    return NOT_REPRODUCED if any(one.ci_high < -ROUNDING for one in found) else INCONCLUSIVE


def _difference_in_words(found: dict[float, Comparison]) -> str:
    """One difference with its test, or the range of several."""
    differences = pd.Series({training: one.mean_difference for training, one in found.items()})
    p_value = f"p = {max(one.p_value for one in found.values()):.2g}"
    if len(found) == 1:
        (one,) = found.values()
        return (
            f"{differences.iloc[0]:+.3f}, 95 % interval {one.ci_low:+.3f} to {one.ci_high:+.3f}, {p_value}, n = {one.n}"
        )
    least = f"least at {_percent(differences.idxmin())}, largest {p_value}"
    return f"{_span(differences, '+.3f')} over {len(found)} training shares ({least})"


def _means(rows: pd.DataFrame, test: dict, metric: str, methods: list[str], objects: str, label: str = "") -> list[str]:
    """Means of methods over the chosen cells, in words; those without values are left out."""
    listed = []
    for method in methods:
        try:
            mean = _cells(rows, test, metric, method, objects, label=label).mean().mean()
        except NotTestable:
            continue
        listed.append(f"{_NAMES[method]} {mean:.3f}")
    return listed


def _objects_beside(rows: pd.DataFrame, test: dict, metric: str, label: str) -> str:
    """Mean differences over groups of objects that are not judged."""
    listed = []
    for objects in test.get("beside_objects", []):
        try:
            listed.append(f"{OBJECTS[objects]} {_difference_in_words(_compare(rows, test, metric, objects, label))}")
        except NotTestable:
            continue
    return f"; not judged: {', '.join(listed)}" if listed else ""


def _rarest(rows: pd.DataFrame) -> str:
    """The class with the fewest objects, the first of several."""
    sizes = class_sizes(rows)
    if sizes.empty:
        raise NotTestable("the objects of each class were not counted")
    return sizes.idxmin()


def _data_sets(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each data set, with its name as a prefix if there are several."""
    names = list(table["dataset"].unique())
    for name in names:
        yield f"{name}: " if len(names) > 1 else "", table[table["dataset"] == name]


def _cells(
    rows: pd.DataFrame,
    test: dict,
    metric: str,
    method: str,
    objects: str,
    least: int = 1,
    *,
    label: str = "",
    whole: bool = False,
) -> pd.DataFrame:
    """
    Values in the cells of a claim that have any: index repetition, columns labelled share and training share.

    A training share of 1 is among them if `whole`. Methods without labels have the labelled share 0.
    """
    cells = grid_cells(rows, metric, method, objects=objects, label=label).dropna(axis="columns", how="all")
    training, labelled = (cells.columns.get_level_values(name) for name in ("training", "labelled"))
    chosen = _among(training, test.get("training", {})) & ((training < 1) | whole)
    cells = cells.loc[:, chosen & (_among(labelled, test.get("labelled", {})) | (labelled == 0))]
    if cells.empty:
        asked = [f"{name} {_asked(test[name])}" for name in ("training", "labelled") if test.get(name)]
        of = f" ({OBJECTS[objects]})" if objects else ""
        raise NotTestable(f"no {METRICS[metric]} of {_NAMES[method]}{of}{' at ' if asked else ''}{', '.join(asked)}")
    if (cells.count() < least).any():
        raise NotTestable(f"fewer than two draws with {METRICS[metric]} of {_NAMES[method]}")
    return cells


def _among(shares: pd.Index, asked: dict) -> np.ndarray:
    """Which shares a claim asks for: {at}, {from} or {above}; all of them if it asks for none."""
    shares = shares.to_numpy(dtype=float)
    known = {"at": np.isclose, "from": np.greater_equal, "above": np.greater}
    if set(asked) - set(known):
        raise ValueError(f"Shares of a claim are given as at, from or above, found {asked}; mend config/claims.tsv.")
    return np.all([np.ones(len(shares), bool), *(known[key](shares, limit) for key, limit in asked.items())], axis=0)


def _asked(asked: dict) -> str:
    return " ".join(f"{'' if key == 'at' else f'{key} '}{_percent(share)}" for key, share in asked.items())


def _lower_bounds(values: pd.DataFrame) -> pd.Series:
    """One-sided 95 % bounds from below."""
    return -upper_bounds(-values)


def _combined(parts: list[str]) -> str:
    """One part from those of several cases."""
    if len(set(parts)) == 1:
        return parts[0]
    return PARTLY if REPRODUCED in parts else NOT_REPRODUCED


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _span(values: pd.Series, form: str) -> str:
    """Least and largest value."""
    low, high = f"{values.min():{form}}", f"{values.max():{form}}"
    return low if low == high else f"{low} to {high}"


def _cell(labelled: float, training: float) -> str:
    return f"training {_percent(training)}, {f'labelled {_percent(labelled)}' if labelled else 'no labels'}"


RETRIEVAL_KINDS: dict[str, Callable[[pd.DataFrame, dict], Judgement]] = {
    "approximation": judge_approximation,
    "rises": judge_rises,
    "needed": judge_needed,
    "equivalent_cells": judge_equivalent_cells,
    "levels": judge_levels,
    "ahead": judge_ahead,
}
