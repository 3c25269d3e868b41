"""The kind of claims that counts conditions: combinations or data sets under which a method is best, or equivalent."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from replication.shared.comparison_judges import beyond_margin, order_sign, paired_table
from replication.shared.judgements import (
    CONFIDENCE,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
    all_of,
    combined,
    methods_of,
)
from replication.shared.statistics import holm, paired_comparison
from replication.shared.wording import Phrase, phrase

_WITH_MEANS = "{counted}; means {means:, }{others}"


def judge_count(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Count of the conditions under which a method is best, significantly best, or equivalent.

    With pairs of methods in place of one against others, each pair under each group is a condition. With the order
    "below" the method has to be the lowest. Of several methods each is counted by itself, and all have to hold.
    `also` names a column of `where`: the count under its other values is told, and not judged.

    Too few equivalent conditions contradict a claim only if so many are outside the margin beyond chance (two-sided,
    Holm's correction over the conditions, p < 0.05) that too few are left; else the count is inconclusive. With
    `contradicted`: difference, for a paper that finds no significant difference, differences beyond chance do.
    """
    if "pairs" not in test:
        one, *more = methods_of(test)
        if more:
            return _judge_counts(table, test)
        test = {**test, "method": one}
    flags, best, gaps, listed, means = _counted(table, test)
    needed = _needed(flags, test)
    listed = phrase(": {listed}", listed=listed) if "pairs" in test or "order" in test else ""
    text = "{count} of {of} conditions (needed: {needed}){listed}"
    counted = phrase(text, count=sum(flags), of=len(flags), needed=needed, listed=listed)
    magnitude = REPRODUCED if sum(flags) >= needed else NOT_REPRODUCED
    if test["test"] == "equivalent":
        told, against = _differences(table, test)
        if magnitude == NOT_REPRODUCED and len(flags) - against >= needed:
            magnitude = INCONCLUSIVE
        # The bare count would be read as one of differences, which most papers count.
        text = "equivalent in {counted}, {told}; largest mean gap {gap:value}; means {means:, }"
        found = phrase(text, counted=counted, told=told, gap=max(gaps), means=means_phrases(means))
        return Judgement(found, magnitude=magnitude)
    return Judgement(
        phrase(_WITH_MEANS, counted=counted, means=means_phrases(means), others=_other_choices(table, test)),
        direction=REPRODUCED if all(best) else NOT_REPRODUCED,
        magnitude=magnitude,
    )


def _judge_counts(table: pd.DataFrame, test: dict) -> Judgement:
    """The counts of several methods, each against the same others."""
    directions, magnitudes, largest, words, asked, means = [], [], [], [], [], {}
    for method in methods_of(test):
        one = {**test, "method": method}
        flags, best, gaps, listed, found = _counted(table, one)
        needed = _needed(flags, test)
        directions.append(all(best))
        magnitudes.append(REPRODUCED if sum(flags) >= needed else NOT_REPRODUCED)
        if test["test"] == "equivalent":
            told, against = _differences(table, one)
            listed = [phrase("{count}, {told}", count=listed[0], told=told)]
            if magnitudes[-1] == NOT_REPRODUCED and len(flags) - against >= needed:
                magnitudes[-1] = INCONCLUSIVE
        largest += gaps
        words += listed
        asked.append((needed, len(flags)))
        means |= found
    alike = len(set(asked)) == 1
    asked = [phrase("{needed} of {of}", needed=needed, of=of) for needed, of in (asked[:1] if alike else asked)]
    text = "{counts} (needed: {asked:, }{each})"
    counted = phrase(text, counts=words, asked=asked, each=" each" if alike else "")
    if test["test"] == "equivalent":
        text = "{counted}; largest mean gap {gap:value}; means {means:, }"
        found = phrase(text, counted=counted, gap=max(largest), means=means_phrases(means))
        return Judgement(found, magnitude=combined(magnitudes))
    return Judgement(
        phrase(_WITH_MEANS, counted=counted, means=means_phrases(means), others=_other_choices(table, test)),
        direction=all_of(directions),
        magnitude=combined(magnitudes),
    )


def means_phrases(means: Mapping[str, float]) -> list[Phrase]:
    """The mean of each method, after its name."""
    return [phrase("{name} {mean:value}", name=name, mean=mean) for name, mean in means.items()]


def _differences(table: pd.DataFrame, test: dict) -> tuple[Phrase, int]:
    """In how many conditions methods differ and are outside the margin; and how many contradict the claim."""
    differ, outside = [], []
    for method, *against in test.get("pairs") or [[test["method"], *test["against"]]]:
        wide = paired_table(table, test, [method, *against], least=2)
        for _, group in wide.groupby(level=test["by"]):
            pairs = [(group[method].to_numpy(), group[other].to_numpy()) for other in against]
            # Of several others one is enough.
            differ.append(min(1.0, len(pairs) * min(paired_comparison(*pair).p_value for pair in pairs)))
            outside.append(min(1.0, len(pairs) * min(beyond_margin(*pair, test["margin"]) for pair in pairs)))
    alone, corrected = (int((np.array(p) < 1 - CONFIDENCE).sum()) for p in (differ, holm(np.array(differ))))
    beyond = int((holm(np.array(outside)) < 1 - CONFIDENCE).sum())
    text = "different in {alone} ({corrected} with Holm's correction), outside the margin beyond chance in {beyond}"
    told = phrase(text, alone=alone, corrected=corrected, beyond=beyond)
    return told, corrected if test.get("contradicted") == "difference" else beyond


def _needed(flags: list[bool], test: dict) -> int:
    """How many conditions have to hold, in proportion to those that were run."""
    return math.ceil(test["at_least"] * len(flags) / test["of"])


def _counted(
    table: pd.DataFrame, test: dict
) -> tuple[list[bool], list[bool], list[float], list[Phrase], dict[str, float]]:
    """Whether each condition holds; order of the means; largest gap and count of each pair; means of the methods."""
    flags, best, gaps, listed, means = [], [], [], [], {}
    for method, *against in test.get("pairs") or [[test["method"], *test["against"]]]:
        wide = paired_table(table, test, [method, *against], least=2)
        found = [_holds(group, method, against, test) for _, group in wide.groupby(level=test["by"])]
        best += [order_sign(test) * (wide[method].mean() - wide[other].mean()) > ROUNDING for other in against]
        gaps.append((wide[method] - wide[against[0]]).groupby(level=test["by"]).mean().abs().max())
        names = {"method": method, "relation": _relation(test), "against": against}
        listed.append(phrase("{method} {relation} {against:, } in {n} of {of}", **names, n=sum(found), of=len(found)))
        means |= wide.mean()
        flags += found
    return flags, best, gaps, listed, means


def _other_choices(table: pd.DataFrame, test: dict) -> Phrase | str:
    """
    The counts under the other values of a condition; those that cannot be counted are left out.

    Of several methods the counts are joined by "and", with "-" for a method that cannot be counted.
    """
    column, words = test.get("also"), []
    others = [] if column is None else [one for one in table[column].unique() if one != test["where"][column]]
    for other in others:
        counts = []
        for method in [None] if "pairs" in test else methods_of(test):
            try:
                choice = {**test, "method": method, "where": {**test["where"], column: other}}
                counts.append(sum(_counted(table, choice)[0]))
            except NotTestable:
                counts.append("-")
        if set(counts) != {"-"}:
            words.append(phrase("{other} {counts: and }", other=str(other), counts=counts))
    return phrase("; not judged, other choices: {words:, }", words=words) if words else ""


def _relation(test: dict) -> str:
    """What a count counts, in words."""
    if test["test"] == "equivalent":
        return "equivalent to"
    return f"{'significantly ' if test['test'] == 'significant' else ''}{test.get('order', 'above')}"


def _holds(group: pd.DataFrame, method: str, against: list[str], test: dict) -> bool:
    sign = order_sign(test)
    values = sign * group[method].to_numpy()
    for other in against:
        beside = sign * group[other].to_numpy()
        if test["test"] == "mean":
            holds = values.mean() - beside.mean() > ROUNDING
        elif test["test"] == "significant":
            holds = paired_comparison(values, beside, alternative="greater").p_value < 1 - CONFIDENCE
        else:
            holds = paired_comparison(values, beside, margin=test["margin"]).tost_p < 1 - CONFIDENCE
        if not holds:
            return False
    return True


COUNT_KINDS: dict[str, Callable[[pd.DataFrame, dict], Judgement]] = {"count": judge_count}
