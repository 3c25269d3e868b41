"""Claims that count conditions: combinations or data sets under which a method is best, or equivalent."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from replication.shared.cells import cell_of, contrast, enough, for_all, margin_of, needed
from replication.shared.comparison_judges import paired_table
from replication.shared.judgements import (
    IN_PART,
    INCONCLUSIVE,
    MIXED,
    NOT_REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
    all_of,
    combined,
    methods_of,
)
from replication.shared.statistics import ALPHA, holm, paired_comparison
from replication.shared.wording import joined


def judge_count(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Count of the conditions under which a method is best, significantly best, or equivalent.

    Direction: above all others on average, of a significant count under as many conditions. Of `pairs` each is a
    condition under each group. Of several methods each is counted by itself, and all have to hold. `also` names a
    column of `where`: the count under its other values is reported, not judged.

    Too few equivalent conditions contradict a claim only if so many are outside the margin beyond chance (two-sided,
    Holm's correction over the conditions, p < 0.05) that too few are left; else the count is inconclusive. Of a claim
    about every condition it is there in part, or mixed, if some are equivalent by Holm's correction. With
    `contradicted`: difference, for a paper that finds no significant difference, differences beyond chance do.
    """
    equivalent = test.get("criterion") == "equivalent"
    methods = [None] if "pairs" in test else methods_of(test)
    several = len(methods) > 1
    directions, magnitudes, largest, words, requirements, total, means, units = [], [], [], [], [], 0, {}, 0.0
    for method in methods:
        single = {**test, "method": method}
        flags, best, gaps, listed, method_means = _counted(table, single)
        n, differences, some = len(flags), "", False
        if not n:
            raise NotTestable(f"all methods are at one end of the scale under every condition: {joined(listed)}")
        least = needed(test, n)
        total, against = total + sum(flags), n
        if equivalent:
            differences, against, wanted, some = _differences(table, single)
            units = max(units, wanted)
            listed = [f"{listed[0]}, {differences}"] if several else listed
        if test.get("test") == "significant":
            above = sum(_counted(table, {**single, "test": "mean"})[0])
            best = [above >= least]
            listed = [f"{listed[0]}, {_relation({**test, 'test': 'mean'})} on average in {above}"]
        directions.append(all(best))
        magnitude = enough(sum(flags), against, n, least)
        if least == n and some:
            magnitude = {INCONCLUSIVE: IN_PART, NOT_REPRODUCED: MIXED}.get(magnitude, magnitude)
        magnitudes.append(magnitude)
        requirements.append((least, n))
        largest += gaps
        words += listed
        means |= method_means
    if several:
        alike = len(set(requirements)) == 1
        requirements = [f"{least} of {size}" for least, size in (requirements[:1] if alike else requirements)]
        counted = f"{joined(words)} (needed: {joined(requirements, ', ')}{' each' if alike else ''})"
    else:
        named = "pairs" in test or test.get("criterion") in ("above", "below") or "(all at" in words[0]
        named = named or test.get("test") == "significant"
        listed = f": {joined(words)}" if named else ""
        counted = f"{total} of {n} conditions (needed: {least}){listed}"
        # The bare count would be read as one of differences, which most papers count.
        counted = f"equivalent in {counted}, {differences}" if equivalent else counted
    if equivalent:
        text = f"{counted}; largest mean gap {max(largest):.3f}; means {joined(means_phrases(means), ', ')}"
        return Judgement(text, magnitude=combined(magnitudes), units=units)
    text = f"{counted}; means {joined(means_phrases(means), ', ')}{_other_choices(table, test)}"
    return Judgement(text, direction=all_of(directions), magnitude=combined(magnitudes))


def means_phrases(means: Mapping[str, float]) -> list[str]:
    """The mean of each method, after its name."""
    return [f"{name} {mean:.3f}" for name, mean in means.items()]


def _differences(table: pd.DataFrame, test: dict) -> tuple[str, int, float, bool]:
    """
    In how many conditions methods differ or are outside the margin; how many contradict; units that would decide.

    And whether some conditions are equivalent by Holm's correction.
    """
    differ, outside, alike, units = [], [], [], 0.0
    for method, *against in test.get("pairs") or [[test["method"], *test["against"]]]:
        wide = paired_table(table, test, [method, *against], least=2)
        for _, group in wide.groupby(level=test["by"]):
            pairs = [(group[method].to_numpy(), group[other].to_numpy()) for other in against]
            # Of several others one is enough.
            differ.append(min(1.0, len(pairs) * min(paired_comparison(*pair).p_value for pair in pairs)))
            comparisons = [contrast(*pair, margin=test["margin"]) for pair in pairs]
            cells = [
                cell_of(comparison, "equivalent", test["margin"], smallest=margin_of(test))
                for comparison in comparisons
            ]
            outside.append(min(1.0, len(pairs) * min(cell.against for cell in cells)))
            alike.append(max(cell.p for cell in cells))
            units = max(units, *(cell.units for cell in cells if not cell.shown), 0.0)
    alone, corrected = (int((np.array(p) < ALPHA).sum()) for p in (differ, holm(np.array(differ))))
    beyond = int((holm(np.array(outside)) < ALPHA).sum())
    text = f"different in {alone} ({corrected} with Holm's correction), outside the margin beyond chance in {beyond}"
    units = for_all(units, len(differ)) if units else 0.0
    some = bool((holm(np.array(alike)) < ALPHA).any())
    return text, corrected if test.get("contradicted") == "difference" else beyond, units, some


def _counted(
    table: pd.DataFrame, test: dict
) -> tuple[list[bool], list[bool], list[float], list[str], dict[str, float]]:
    """Whether each condition holds; order of the means; largest gap and count of each pair; means of the methods."""
    flags, best, gaps, listed, means = [], [], [], [], {}
    # What is equivalent has no direction.
    sign = -1 if test.get("criterion") == "below" else 1
    for method, *against in test.get("pairs") or [[test["method"], *test["against"]]]:
        wide = paired_table(table, test, [method, *against], least=2)
        groups = [group for _, group in wide.groupby(level=test["by"])]
        if test.get("criterion") != "equivalent":
            # Where all reach the end of the scale, none can be ahead.
            groups = [group for group in groups if not _at_end(group, sign)]
        hold = [_holds(group, method, against, test) for group in groups]
        best += [sign * (wide[method].mean() - wide[other].mean()) > ROUNDING for other in against]
        gaps.append((wide[method] - wide[against[0]]).groupby(level=test["by"]).mean().abs().max())
        others = joined(against, ", ")
        left_out = wide.groupby(level=test["by"]).ngroups - len(hold)
        same = f" (all at {'0 or 1' if sign < 0 else '1'} in {left_out} more)" if left_out else ""
        listed.append(f"{method} {_relation(test)} {others} in {sum(hold)} of {len(hold)}{same}")
        means |= wide.mean()
        flags += hold
    return flags, best, gaps, listed, means


def _at_end(group: pd.DataFrame, sign: int) -> bool:
    """Whether all methods are at 1 in every unit; or, of "below", all at 1 or all at 0."""
    ends = (1,) if sign > 0 else (0, 1)
    return any((np.abs(group.to_numpy() - end) <= ROUNDING).all() for end in ends)


def _other_choices(table: pd.DataFrame, test: dict) -> str:
    """
    The counts under the other values of a condition; those that cannot be counted are left out.

    Of several methods the counts are joined by "and", with "-" for a method that cannot be counted.
    """
    column, words = test.get("also"), []
    others = [] if column is None else [value for value in table[column].unique() if value != test["where"][column]]
    for other in others:
        counts = []
        for method in [None] if "pairs" in test else methods_of(test):
            try:
                choice = {**test, "method": method, "where": {**test["where"], column: other}}
                flags = _counted(table, choice)[0]
                counts.append(f"{sum(flags)} of {len(flags)}")
            except NotTestable:
                counts.append("-")
        if set(counts) != {"-"}:
            words.append(f"{other!s} {joined(counts, ' and ')}")
    return f"; with other choices: {joined(words, ', ')}" if words else ""


def _relation(test: dict) -> str:
    """What a count counts, in words."""
    criterion = test.get("criterion", "above")
    if criterion == "equivalent":
        return "equivalent to"
    return f"{'significantly ' if test.get('test') == 'significant' else ''}{criterion}"


def _holds(group: pd.DataFrame, method: str, against: list[str], test: dict) -> bool:
    """Whether a condition holds against all others: by its mean, or beyond chance where that is asked."""
    criterion, margin = test.get("criterion", "above"), test.get("margin")
    tested = criterion == "equivalent" or test.get("test") == "significant"
    for other in against:
        looks = margin_of(test) if criterion == "equivalent" else None
        cell = cell_of(contrast(group[method], group[other], margin=margin), criterion, margin or 0.0, smallest=looks)
        if not (cell.shown if tested else cell.holds):
            return False
    return True
