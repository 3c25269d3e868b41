"""Kinds of claims that compare pairs of methods over several data sets: comparable, and no winner."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy import stats

from consensus_embedding.comparison_judges import paired_table
from consensus_embedding.judgements import (
    CONFIDENCE,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    ROUNDING,
    Judgement,
)

# Standard deviations that differ by no more are equal.
_EQUAL_SPREADS = 1e-12


def judge_comparable(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Pairs of methods differ by no more than their spread, under every condition; the first of each spreads less.

    The spread of a pair is the root mean square of the two standard deviations over the repetitions.
    """
    gaps, spreads, firsts, seconds = [], [], [], []
    for first, second in test["pairs"]:
        wide = paired_table(table, test, [first, second], least=2)
        groups = wide.groupby(level=test["by"])
        means, deviations = groups.mean(), groups.std(ddof=1)
        gaps += list((means[first] - means[second]).abs())
        spreads += list(np.sqrt((deviations[first] ** 2 + deviations[second] ** 2) / 2))
        firsts += list(deviations[first])
        seconds += list(deviations[second])
    within = [gap <= spread for gap, spread in zip(gaps, spreads, strict=True)]
    first, second = float(np.mean(firsts)), float(np.mean(seconds))
    direction = REPRODUCED if first < second else NOT_REPRODUCED
    names = [", ".join(dict.fromkeys(pair[k] for pair in test["pairs"])) for k in (0, 1)]
    return Judgement(
        f"means differ by no more than the spread over repetitions under {sum(within)} of {len(within)} conditions "
        f"(largest difference {max(gaps):.3f}); mean standard deviation {first:.2g} ({names[0]}), {second:.2g} "
        f"({names[1]})",
        direction=INCONCLUSIVE if abs(first - second) <= _EQUAL_SPREADS else direction,
        magnitude=REPRODUCED if all(within) else NOT_REPRODUCED,
    )


def judge_no_winner(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Neither method of a pair wins most conditions: the share of wins of the first lies between two limits.

    Conditions of one data set are not independent. The interval of the share is therefore that of Clopper and Pearson
    (1934) over data sets, each won by the method that wins most of its conditions. A data set in which both win as
    many is half a win; a sum with a half is rounded to the even number, which favours neither.
    """
    wins = []
    for first, second in test["pairs"]:
        wide = paired_table(table, test, [first, second], least=2)
        difference = (wide[first] - wide[second]).groupby(level=test["by"]).mean()
        wins.append(_score(difference))
    wins = pd.concat(wins)
    share = float(wins.mean())
    sets = _score(wins.groupby(level="dataset").mean() - 0.5)
    low, high = clopper_pearson(round(sets.sum()), len(sets))
    least, most = test["between"]
    listed = ", ".join(f"{first} over {second}" for first, second in test["pairs"])
    return Judgement(
        f"{listed}: {wins.sum():g} of {len(wins)} conditions ({share:.0%}); {sets.sum():g} of {len(sets)} data sets "
        f"(95 % interval {low:.0%} to {high:.0%})",
        magnitude=REPRODUCED if least <= share <= most else NOT_REPRODUCED,
    )


def clopper_pearson(wins: int, n: int) -> tuple[float, float]:
    """
    Exact 95 % interval of a share (Clopper and Pearson 1934).

    Parameters
    ----------
    wins, n : int
        Wins of n independent units.

    Returns
    -------
    low, high : float
    """
    found = stats.binomtest(wins, n).proportion_ci(CONFIDENCE, method="exact")
    return float(found.low), float(found.high)


def _score(difference: pd.Series) -> pd.Series:
    """1 where a difference is above zero, one half where it is zero."""
    return (difference > ROUNDING) + 0.5 * (difference.abs() <= ROUNDING)


GENE_KINDS: dict[str, Callable[[pd.DataFrame, dict], Judgement]] = {
    "comparable": judge_comparable,
    "no_winner": judge_no_winner,
}
