"""Claims on few repetitions and many redraws of them: values, falls over sizes, and the decay of a tail."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd

from replication.shared.cells import (
    ALPHA,
    Cell,
    errors_in_effect,
    interval_cell,
    judged,
    smallest_effect,
    with_smallest,
)
from replication.shared.judgements import Judgement, case_of, combined, select_rows
from replication.shared.judges import Judge
from replication.shared.statistics import holm, mean_interval
from replication.shared.wording import interval, joined


def _means(table: pd.DataFrame, metric: str, sizes: list[int], space: str = "consensus") -> np.ndarray:
    """Mean over the repetitions at each number of runs, of the consensus distances or of their pictures."""
    return np.array([select_rows(table, metric, space=space, n_embeddings=m)["value"].mean() for m in sizes])


def _redraws(table: pd.DataFrame, metric: str, sizes: list[int]) -> np.ndarray:
    """The same means for each redraw of the repetitions, shape (draws, len(sizes))."""
    name = f"mean_{metric}_redrawn"
    return np.column_stack([select_rows(table, name, n_embeddings=m)["value"].to_numpy() for m in sizes])


def judge_band(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Value: the paper's numbers lie inside the 5-95 % bands of fresh sets of repetitions; direction against another size.

    A number outside its band contradicts the claim if so few redraws are as far out that Holm's correction over the
    numbers of the claim leaves p < 0.05, two-sided; else it is inconclusive. The direction is judged on the
    repetitions, as the paper does. In how many redraws it is so is the power of so few repetitions, and is reported
    only.
    """
    size = test["at"]
    ((sign, other),) = test["than"].items()
    factor = 1.0 if sign == "lower" else -1.0
    words, inside, tails, ordered = [], [], [], []
    for metric, paper in test["paper"].items():
        here, there = _means(table, metric, [size, other])
        draws = _redraws(table, metric, [size, other])
        low, high = np.quantile(draws[:, 0], [0.05, 0.95])
        share = float(np.mean(factor * (draws[:, 1] - draws[:, 0]) > 0))
        beyond = min(np.sum(draws[:, 0] >= paper), np.sum(draws[:, 0] <= paper))
        tails.append(min(2 * (1 + beyond) / (1 + len(draws)), 1.0))
        words.append(
            f"{metric.replace('_', ' ')} {here:.0f} (band {interval((low, high), '.0f')}; paper {paper:.0f}, "
            f"p = {tails[-1]:.2g}; {sign} than at m = {other} in {share:.0%} of the redraws)"
        )
        inside.append(low <= paper <= high)
        ordered.append([Cell(bool(factor * (there - here) > 0))])
    far = holm(np.array(tails)) < ALPHA
    sizes = [case_of([near], [not near and out]) for near, out in zip(inside, far, strict=True)]
    return replace(judged(words, ordered, tested=False), magnitude=combined(sizes))


def judge_fall(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The distances fall with the number of runs, in the repetitions: at "every step", or "early", before the middle size.

    Or "no further": from the middle of three sizes to the last by less than the smallest effect of interest, of which a
    relative one is a share of the distance at the first; in 95 % of the redraws, contradicted if in less than 5 %.
    Or "at all": from the first size to the last, with the share of redraws in which they do not fall as the p-value,
    and that of redraws in which they fall by the smallest effect as the p-value of less.

    For the first two the share of redraws in which it is so, or its band, is reported and not judged.
    The redraws are of consensus distances; of another `space` the first two report its means alone.
    """
    words, falls, cases, space = [], [], [], test.get("space", "consensus")
    for metric in test["metrics"]:
        means = _means(table, metric, test["sizes"], space)
        draws = _redraws(table, metric, test["sizes"]) if space == "consensus" else means[None]
        if test["falls"] == "every step":
            falls.append(bool((np.diff(means) < 0).all()))
            share = float((np.diff(draws, axis=1) < 0).all(axis=1).mean())
            listed = [f"{mean:.0f}" for mean in means]
            words.append(
                f"{metric.replace('_', ' ')} {joined(listed, ' > ')} (every step down in {share:.0%} of the redraws)"
            )
            continue
        if test["falls"] == "at all":
            cell, sentence = _fall(means, draws, test)
            cases.append([cell])
            words.append(f"{metric.replace('_', ' ')} {sentence}")
            continue
        (first, middle, last), (of_first, of_middle, of_last) = means, draws.T
        if test["falls"] == "no further":
            spare = smallest_effect(test, baseline=of_first).effect - (of_middle - of_last)
            share = float(np.mean(spare > 0))
            holds = bool(middle - last < smallest_effect(test, baseline=first).effect)
            units = _repetitions_to_decide(table, metric, test, spare.std(), float(np.mean(of_middle - of_last)))
            cases.append([Cell(holds, 1 - share if holds else 1.0, share, units=units)])
            words.append(
                f"{metric.replace('_', ' ')} {middle:.0f} at m = {test['sizes'][1]}, {last:.0f} at {test['sizes'][2]}: "
                f"a fall of {(middle - last) / first:.1%} of the {first:.0f} at {test['sizes'][0]} (less than the "
                f"smallest of interest in {share:.0%} of the redraws)"
            )
        else:
            band = np.quantile((of_first - of_middle) / (of_first - of_last), [0.05, 0.95])
            share = (first - middle) / (first - last)
            words.append(f"{metric.replace('_', ' ')}: {share:.0%} of the fall (band {interval(tuple(band), '.0%')})")
            falls.append(first - middle > max(middle - last, 0.0))
    return judged(words, cases, correction="none", sizes=falls)


def _repetitions_to_decide(table: pd.DataFrame, metric: str, test: dict, error: float, fall: float) -> float:
    """About how many repetitions tell a fall from one of the smallest size; distances between them are of pairs."""
    first = select_rows(table, metric, n_embeddings=test["sizes"][0], space="consensus")
    n = first["repetition"].nunique()
    if metric == "pairwise_distance":
        n = (1 + math.sqrt(1 + 8 * n)) / 2
    effect = smallest_effect(test, baseline=first["value"].mean()).effect
    units = n * (errors_in_effect() * error / effect) ** 2
    if units <= n:
        lead = float(np.clip(fall, 0, effect))
        units = n * (errors_in_effect() * error / max(lead, effect - lead)) ** 2
    return units


def _fall(means: np.ndarray, draws: np.ndarray, test: dict) -> tuple[Cell, str]:
    """The cell of a fall from the first size to the last, and its words."""
    fall, smallest = draws[:, 0] - draws[:, -1], smallest_effect(test, baseline=means[0])
    least = smallest_effect(test, baseline=draws[:, 0]).effect
    none, some, large = ((1 + np.sum(cases)) / (1 + len(fall)) for cases in (fall <= 0, fall >= 0, fall >= least))
    holds = bool(means[0] > means[-1])
    cell = with_smallest(smallest, holds, none, 1.0 if holds else min(2 * some, 1.0), large, 0.0)
    band = interval(tuple(np.quantile(fall / draws[:, 0], [0.05, 0.95])), ".0%")
    return cell, (
        f"{means[0]:.0f} at m = {test['sizes'][0]}, {means[-1]:.0f} at {test['sizes'][-1]} (lower in "
        f"{np.mean(fall > 0):.1%} of {len(fall)} redraws, p = {none:.2g}; by {band} in 90 % of them)"
    )


def judge_decay(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Exponential decay: slope below zero, and a lower AIC than that of a power law, by their intervals over sub-pools.

    Not by one AIC of all draws: those of a sub-pool share its runs, and would count as independent.
    """
    level = test["level"]
    slopes = select_rows(table, "exponential_slope", level=level)["value"].to_numpy()
    exponential, power = (
        select_rows(table, metric, level=level).set_index("repetition")["value"]
        for metric in ("exponential_aic", "power_aic")
    )
    lead = (power - exponential).to_numpy()
    known = len(slopes) > 1 and np.isfinite(slopes).all()
    low, high = mean_interval(slopes) if known else (np.nan, np.nan)
    least, most = mean_interval(lead) if known else (np.nan, np.nan)
    # It falls: the contrary of what an interval shows.
    falls = interval_cell(-slopes.mean(), -high, -low)
    # The theorem is a bound, which no better fit of another law contradicts.
    fits = case_of([least > 0], [False])
    text = (
        f"slope of log Pr in m {slopes.mean():.3f} (mean and 95 % interval over {len(slopes)} sub-pools: "
        f"{interval((low, high), '.3f')}); AIC {exponential.mean():.0f} exponential, {power.mean():.0f} power law "
        f"(mean; difference {lead.mean():.1f}, {interval((least, most), '.1f')})"
    )
    return replace(judged(text, [[falls]], correction="none"), magnitude=fits)


JUDGES: dict[str, Judge] = {"value/redraws": judge_band, "trend/redraws": judge_fall, "decay": judge_decay}
