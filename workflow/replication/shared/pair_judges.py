"""Claims that compare pairs of methods over several data sets: comparable, and no winner."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.shared.cells import smallest_effect
from replication.shared.comparison_judges import paired_table
from replication.shared.judgements import (
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
)
from replication.shared.wording import joined, span

# Standard deviations that differ by no more are equal.
_EQUAL_SPREADS = 1e-12


def judge_comparable(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Pairs of methods differ by no more than their spread, under every condition; the first of each spreads less.

    The spread of a pair is the root mean square of the two standard deviations over the repetitions, and at least the
    smallest effect of interest: methods that hardly vary are not apart by a difference that nobody minds. A condition
    under which both are equal in every repetition is one result seen twice, and no evidence: it is counted apart.
    The pairs `reported` are shown beside, under `reported_name`, and not judged.
    """
    spreads = _spreads(table, test, test["pairs"])
    judged = spreads[~spreads["same"]]
    if judged.empty:
        same = f"the same in {len(spreads)} of {len(spreads)} conditions{_beside(table, test)}"
        # Two names of one result are comparable on any data.
        return Judgement(same, magnitude=REPRODUCED, trivial=True)
    within = judged["gap"] <= judged["spread"] + ROUNDING
    first, second = float(judged["first"].mean()), float(judged["second"].mean())
    direction = REPRODUCED if first < second else NOT_REPRODUCED
    names = [list(dict.fromkeys(methods)) for methods in zip(*test["pairs"], strict=True)]
    same = f"{_same(spreads)}; " if spreads["same"].any() else ""
    deviations = (f"{mean:.2g} ({joined(listed, ', ')})" for mean, listed in zip((first, second), names, strict=True))
    return Judgement(
        f"means differ by no more than the spread over repetitions under {within.sum()} of {len(within)} conditions "
        f"(largest difference {judged['gap'].max():.3f}); {same}mean standard deviation {joined(deviations, ', ')}"
        f"{_beside(table, test)}",
        direction=INCONCLUSIVE if abs(first - second) <= _EQUAL_SPREADS else direction,
        magnitude=REPRODUCED if within.all() else NOT_REPRODUCED,
    )


def _spreads(table: pd.DataFrame, test: dict, pairs: list[list[str]]) -> pd.DataFrame:
    """Gap of the means, spread, standard deviations and sameness of each pair under each condition."""
    tables, smallest = [], smallest_effect(test)
    for first, second in pairs:
        wide = paired_table(table, test, [first, second], least=2)
        groups = wide.groupby(level=test["by"])
        means, deviations = groups.mean(), groups.std(ddof=1)
        apart = (wide[first] - wide[second]).abs().groupby(level=test["by"]).max()
        columns = {"gap": (means[first] - means[second]).abs(), "same": apart <= ROUNDING}
        spread = np.sqrt((deviations[first] ** 2 + deviations[second] ** 2) / 2)
        columns |= {"spread": spread.clip(lower=smallest.effect if smallest else 0.0)}
        tables.append(pd.DataFrame(columns | {"first": deviations[first], "second": deviations[second]}))
    return pd.concat(tables)


def _same(spreads: pd.DataFrame) -> str:
    """In how many conditions both methods of a pair are one."""
    return f"the same in {spreads['same'].sum()} of {len(spreads)}"


def _beside(table: pd.DataFrame, test: dict) -> str:
    """The pairs that are not judged; nothing if there are no values of them."""
    pairs = test.get("reported", [])
    try:
        spreads = _spreads(table, test, pairs) if pairs else pd.DataFrame()
    except NotTestable:
        return ""
    if spreads.empty:
        return ""
    judged = spreads[~spreads["same"]]
    within = (judged["gap"] <= judged["spread"] + ROUNDING).sum()
    words = [f"within the spread in {within} of {len(judged)}"] if len(judged) else []
    words += [_same(spreads)] if spreads["same"].any() else []
    name = test.get("reported_name") or "; ".join(", ".join(pair) for pair in pairs)
    return f"; not judged, {name}: {joined(words, ', ')}"


def judge_no_winner(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Neither method of a pair wins most conditions: the share of wins of the first is between two limits, and not at one.

    The statement is about the data sets of the paper, so that its conditions are all there are, and no sample. A mean
    difference below the smallest effect of interest is half a win of each. A pair with the values of an earlier one is
    dropped.
    """
    kept, same = _distinct_pairs(table, test)
    smallest = smallest_effect(test)
    differences = pd.concat(
        (wide[first] - wide[second]).groupby(level=test["by"]).mean() for (first, second), wide in kept
    )
    wins = _score(differences, smallest.effect if smallest else 0.0)
    share = float(wins.mean())
    least, most = test["between"]
    listed = [f"{first} over {second}" for (first, second), _ in kept]
    text = (
        f"{joined(listed, ', ')}: {wins.sum():.6g} of {len(wins)} conditions ({share:.0%}), "
        f"{(wins == 0.5).sum()} of them draws; differences {span(differences, '+.3f')}"
    )
    return Judgement([text, *same], magnitude=REPRODUCED if least < share < most else NOT_REPRODUCED)


def _distinct_pairs(table: pd.DataFrame, test: dict) -> tuple[list[tuple[list[str], pd.DataFrame]], list[str]]:
    """Pairs with their paired values, without those that repeat an earlier pair; the latter in words."""
    kept, same = [], []
    for pair in test["pairs"]:
        wide = paired_table(table, test, pair, least=2)
        earlier = [
            other
            for other, values in kept
            if values.index.equals(wide.index) and (np.abs(values.to_numpy() - wide.to_numpy()) <= ROUNDING).all()
        ]
        if earlier:
            same.append(f"{pair[0]} over {pair[1]} left out, the same values as {earlier[0][0]} over {earlier[0][1]}")
        else:
            kept.append((pair, wide))
    return kept, same


def _score(difference: pd.Series, margin: float) -> pd.Series:
    """1 where a difference is above its margin, one half where it is at most that large, either way."""
    return (difference > margin + ROUNDING) + 0.5 * (difference.abs() <= margin + ROUNDING)
