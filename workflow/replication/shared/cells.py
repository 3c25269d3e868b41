"""
What a claim is judged by: cells of paired values, a contrast in each, a criterion, and a correction over all of them.

Whoever knows the metrics of a paper says which cells there are and finds the words; the rules are here. See
docs/rules.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from replication.shared.judgements import (
    INCONCLUSIVE,
    MIXED,
    NOT_REPRODUCED,
    REPRODUCED,
    ROUNDING,
    Judgement,
    all_of,
    case_of,
    combined,
)
from replication.shared.statistics import ALPHA, CONFIDENCE, CorrectedComparison, corrected_comparison, holm

# Criteria that say how far two values are apart, and so judge a size.
SIZES = ("equivalent", "beyond")


@dataclass(frozen=True)
class Cell:
    """What the data say of one contrast of a claim."""

    holds: bool  # Whether it is as the criterion says, by the mean.
    p: float = 1.0  # Of the criterion; 1 if it does not hold by the mean, or is not tested.
    # p-value of the contrary, or of an effect below the smallest one of interest; 1 if nothing speaks for it.
    against: float = 1.0
    small: bool = False  # Whether `against` is about a small effect, and not about one the other way.
    units: float = 0.0  # About how many units would decide, given a smallest effect; 0 without one.

    @property
    def shown(self) -> bool:
        """Whether it is as the criterion says beyond chance."""
        return self.p < ALPHA


class Smallest(NamedTuple):
    """The smallest effect of interest, and how often the data are looked at until it is decided."""

    effect: float
    looks: int = 1

    def __truediv__(self, other: float) -> Smallest:
        return self._replace(effect=self.effect / other)


def smallest_effect(test: dict, name: str = "", baseline: float = math.nan) -> Smallest | None:
    """
    The smallest effect of interest of a claim, in a metric or on a condition; None if the claim has none.

    A relative one is a share of what the other method has on average, or of what a trend has at its first condition.
    """
    smallest = test.get("smallest", {})
    effect = smallest.get("effect")
    if "relative" in smallest:
        if np.isnan(baseline).any():
            raise ValueError("a relative smallest effect needs another method, whose mean it is a share of")
        effect = smallest["relative"] * abs(baseline)
    elif isinstance(effect, dict):
        if name not in effect:
            raise ValueError(f"expected the smallest effect of {name or 'all'}, found that of {', '.join(effect)}")
        effect = effect[name]
    return None if effect is None else Smallest(effect, test.get("looks", 1))


def margin_of(test: dict) -> Smallest:
    """The margin of an equivalence, with the looks at the data."""
    return Smallest(test["margin"], test.get("looks", 1))


def cell_of(
    comparison: CorrectedComparison,
    criterion: str = "above",
    margin: float = 0.0,
    *,
    sides: int = 2,
    smallest: Smallest | None = None,
) -> Cell:
    """
    A paired difference, compared with a criterion at 5 %.

    With a smallest effect of interest an order has three outcomes, by one-sided tests at 5 %: an effect below the
    smallest one speaks against the claim, also if it has the stated sign; one above 0 that may be as large as that
    shows it; else it is undecided.
    """
    gap = comparison.mean_difference
    if criterion == "equivalent":
        # Nothing is tested where every draw contains all units.
        outside = sides * (1 - comparison.tost_p) if abs(gap) > margin + ROUNDING and comparison.share < 1 else 1.0
        wanted = Smallest(margin / _OF_EQUIVALENCE, smallest.looks if smallest else 1)
        units = _more_than_there(units_to_decide(comparison, wanted), comparison) if margin > 0 else 0.0
        p_value, outside = (corrected_p(p, wanted) for p in (comparison.tost_p, min(outside, 1.0)))
        return Cell(abs(gap) < margin, p_value, outside, units=units)
    sign, p_value, contrary = order_sign(criterion), comparison.p_value, comparison.below_p
    if sign < 0:
        p_value, contrary = contrary, p_value
    holds, contrary = bool(sign * gap > ROUNDING), min(sides * contrary, 1.0) if sign * gap < -ROUNDING else 1.0
    if smallest is None:
        return Cell(holds, p_value if holds else 1.0, contrary)
    p_small = _p_below(sign * gap, standard_error(comparison), comparison.n, smallest.effect)
    units = units_still_to_decide(comparison, sign * gap, smallest)
    return with_smallest(smallest, holds, p_value, contrary, p_small, units)


def cell_of_means(lead: float, smallest: Smallest | None = None) -> Cell:
    """A mean lead, not tested: above zero, or as large as the smallest effect of interest."""
    return Cell(bool(lead > ROUNDING if smallest is None else lead >= smallest.effect - ROUNDING))


def standard_error(comparison: CorrectedComparison) -> float:
    """Standard error of the mean difference; infinite where every draw contains all units."""
    return float((comparison.ci_high - comparison.ci_low) / 2 / stdtrit(comparison.n - 1, 1 - ALPHA / 2))


def _p_below(mean: float, error: float, n: int, value: float) -> float:
    """One-sided p-value of a mean below a value; without any spread 0 or 1."""
    if not error > 0:
        return float(mean >= value - ROUNDING)
    return float(stdtr(n - 1, (mean - value) / error)) if np.isfinite(error) else 1.0


def units_to_decide(comparison: CorrectedComparison, smallest: Smallest) -> float:
    """
    About how many units tell an effect from none, by a one-sided t-test at 5 % with a power of 80 %.

    Infinite where draws overlap so much that no number of them does.
    """
    if not smallest.effect > 0:
        return 0.0
    error = standard_error(comparison)
    if not np.isfinite(error):
        return np.inf
    # Means over c draws, each a share f of the pool, vary as 1 / c + f / (1 - f): `corrected_comparison`.
    overlap = comparison.share / (1 - comparison.share)
    variance = error**2 / (1 / comparison.n + overlap)
    wanted = (smallest.effect / errors_in_effect(smallest.looks)) ** 2 - variance * overlap
    return float(variance / wanted) if wanted > 0 else np.inf


def units_still_to_decide(
    comparison: CorrectedComparison,
    lead: float,
    smallest: Smallest,
    units_of: Callable[[CorrectedComparison, Smallest], float] = units_to_decide,
) -> float:
    """
    About how many units decide what those of a comparison do not.

    Where as many are there, the effect lies between zero and the smallest one of interest: the units are those that
    tell it from whichever of the two is farther away.
    """
    units = units_of(comparison, smallest)
    if units > comparison.n:
        return units
    lead = float(np.clip(lead, 0, smallest.effect))
    units = units_of(comparison, smallest._replace(effect=max(lead, smallest.effect - lead)))
    return _more_than_there(units, comparison)


def _more_than_there(units: float, comparison: CorrectedComparison) -> float:
    """Units that would decide, never fewer than are there: for few units the formula is too low. 0 without spread."""
    return max(units, comparison.n) if units else 0.0


# Of two one-sided tests of no difference at all, each has to have a power of 90 %.
_OF_EQUIVALENCE = float((ndtri(CONFIDENCE) + ndtri(0.9)) / (ndtri(CONFIDENCE) + ndtri(0.8)))


def errors_in_effect(looks: int = 1, n_cells: int = 1) -> float:
    """Standard errors in an effect that one-sided tests at 5 % find in all cells in 80 % of the studies."""
    return float(ndtri(1 - ALPHA / looks) + ndtri(0.8 ** (1 / n_cells)))


def for_all(units: float, n_cells: int) -> float:
    """Units that decide all cells, from those that decide one; a few more, as a t-test of few units needs."""
    more = (errors_in_effect(1, n_cells) / errors_in_effect()) ** 2
    return float(np.ceil(units * more + ndtri(CONFIDENCE) ** 2 / 2))


def corrected_p(p_value: float, smallest: Smallest | None) -> float:
    """A p-value times the number of looks at the data (Bonferroni)."""
    return min(1.0, smallest.looks * p_value) if smallest else p_value


def with_smallest(
    smallest: Smallest, holds: bool, p_value: float, contrary: float, p_small: float, units: float
) -> Cell:
    """A cell from p-values: of the effect, of its contrary, and of one below the smallest effect of interest."""
    p_value, contrary, p_small = (corrected_p(p, smallest) for p in (p_value, contrary, p_small))
    return Cell(holds, p_value if holds else 1.0, p_small, contrary >= ALPHA, units)


def contrast(a: np.ndarray, b: np.ndarray, *, share: float = 0.0, margin: float | None = None) -> CorrectedComparison:
    """Paired values of a and b compared; `share` as in `corrected_comparison`, 0 for units that do not overlap."""
    return corrected_comparison(np.asarray(a), np.asarray(b), share=share, margin=margin)


def above_zero(values: np.ndarray, smallest: Smallest | None = None) -> Cell:
    """The mean of the values of units, above zero by its 95 % interval, or against the smallest effect of interest."""
    comparison = contrast(values, np.zeros(len(values)))
    if smallest is not None:
        return cell_of(comparison, smallest=smallest)
    cell = interval_cell(comparison.mean_difference, comparison.ci_low, comparison.ci_high)
    return replace(cell, p=2 * comparison.p_value if cell.holds else 1.0)


def interval_cell(mean: float, low: float, high: float) -> Cell:
    """An effect above zero by its 95 % interval, whose p-value is not known."""
    return Cell(bool(mean > 0), 0.0 if low > 0 else 1.0, 0.0 if high < 0 else 1.0)


def order_sign(criterion: str) -> int:
    """1 if the method has to lie above the others, -1 if below."""
    return {"above": 1, "below": -1}[criterion]


def contradicted(cells: Iterable[Cell], *, corrected: bool = True) -> np.ndarray:
    """Which cells contradict their claim beyond chance, by Holm's correction over all of them or each by itself."""
    p_values = np.array([cell.against for cell in cells])
    return (holm(p_values) if corrected else p_values) < ALPHA


def uncontradicted(cells: Iterable[Cell], against: Iterable[bool]) -> list[Cell]:
    """Cells, of which those that are contradicted do not hold."""
    return [replace(cell, holds=False, p=1.0) if one else cell for cell, one in zip(cells, against, strict=True)]


def needed(test: dict, n: int) -> int:
    """How many of n have to hold: `at_least` of `of`, in proportion, rounded up."""
    return math.ceil(n * test["at_least"] / test["of"] - ROUNDING)


def enough(n_hold: int, n_against: int, n: int, needed: int) -> str:
    """A part by a count: as many hold as are needed; contradicted if so many speak against it that too few are left."""
    return REPRODUCED if n_hold >= needed else NOT_REPRODUCED if n - n_against < needed else INCONCLUSIVE


def judged(
    words: str | list[str],
    cases: Sequence[Sequence[Cell]] = (),
    *,
    correction: str = "claim",
    criterion: str = "above",
    tested: bool = True,
    sizes: Sequence[bool] = (),
) -> Judgement:
    """
    The parts that follow from cells.

    A case holds if all its cells do, and is contradicted if any of them is, by the correction. All cases have to hold.
    A cell that is contradicted does not hold, as where an effect has the stated sign and is too small. Where some cases
    are shown and others not, any of them counts, and they are those of Holm's correction over the cases.
    """
    magnitude = all_of(list(sizes)) if len(sizes) else ""
    if not cases:
        return Judgement(words, magnitude=magnitude)
    every = [cell for case in cases for cell in case]
    if correction == "claim":
        flat = iter(contradicted(every))
        against = [[next(flat) for _ in case] for case in cases]
    else:
        against = [contradicted(case, corrected=correction == "case") for case in cases]
    speaks = [one for case in against for one in case]
    cases = [uncontradicted(case, one) for case, one in zip(cases, against, strict=True)]
    # There is no effect where all that contradicts is small, and nothing else is shown.
    small = any(speaks) and all(cell.small for cell, one in zip(every, speaks, strict=True) if one)
    small = small and not any(cell.shown for case in cases for cell in case)
    # Of a case that is contradicted no cell has to be decided any more.
    undecided = (case for case, one in zip(cases, against, strict=True) if not any(one))
    units = max((cell.units for case in undecided for cell in case if not cell.shown), default=0.0)
    units = for_all(units, len(every)) if units else 0.0
    p_values = np.array([max(cell.p for cell in case) for case in cases])
    some = holm(p_values) if (p_values >= ALPHA).any() else p_values
    shown = combined([case_of([p < ALPHA], a) for p, a in zip(some, against, strict=True)])
    if criterion in SIZES:
        return Judgement(words, magnitude=shown)
    direction = all_of([all(cell.holds for cell in case) for case in cases])
    if tested:
        direction = tested_direction(direction, shown)
    return Judgement(words, direction, shown if tested else "", magnitude, small=small, units=units)


def tested_direction(direction: str, shown: str) -> str:
    """Direction of tested cases: mixed signs are not reproduced where no case is shown and one is contradicted."""
    return NOT_REPRODUCED if (direction, shown) == (MIXED, NOT_REPRODUCED) else direction
