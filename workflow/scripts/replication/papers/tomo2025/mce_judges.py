"""Kinds of claims on median consensus embeddings: values, trends and the tail of their distances."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from replication.shared.judgements import (
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    Judgement,
    all_of,
    case_of,
    select_rows,
)
from replication.shared.statistics import mean_interval
from replication.shared.wording import phrase

# Models whose AIC differs by less fit alike (Burnham and Anderson 2002).
_AIC_MARGIN = 2.0


def _means(table: pd.DataFrame, metric: str, sizes: list[int]) -> np.ndarray:
    """Mean over the repetitions at each number of runs, judged on the consensus distances."""
    return np.array([select_rows(table, metric, space="consensus", n_embeddings=m)["value"].mean() for m in sizes])


def _redraws(table: pd.DataFrame, metric: str, sizes: list[int]) -> np.ndarray:
    """The same means for each redraw of the repetitions, shape (draws, len(sizes))."""
    name = f"mean_{metric}_redrawn"
    return np.column_stack([select_rows(table, name, n_embeddings=m)["value"].to_numpy() for m in sizes])


def judge_value(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Value: the paper's numbers lie inside the 5-95 % bands of fresh sets of repetitions; direction against another size.

    The direction is judged on the repetitions, as the paper does. In how many redraws it is so is the power of so few
    repetitions, and is reported only.
    """
    size = test["at"]
    (sign, other), *_ = test["than"].items()
    factor = 1.0 if sign == "lower" else -1.0
    words, inside, ordered = [], [], []
    for metric, paper in test["paper"].items():
        here, there = _means(table, metric, [size, other])
        draws = _redraws(table, metric, [size, other])
        low, high = np.quantile(draws[:, 0], [0.05, 0.95])
        text = (
            "{metric} {mean:count} (band {band:interval count}; paper {paper:count}; {sign} than at m = {other} in "
            "{share:percent} of the redraws)"
        )
        share = float(np.mean(factor * (draws[:, 1] - draws[:, 0]) > 0))
        numbers = {"mean": here, "band": (low, high), "paper": paper, "sign": sign, "other": other, "share": share}
        words.append(phrase(text, metric=metric.replace("_", " "), **numbers))
        inside.append(low <= paper <= high)
        ordered.append(factor * (there - here) > 0)
    return Judgement(words, all_of(ordered), magnitude=all_of(inside))


def judge_trend(table: pd.DataFrame, test: dict) -> Judgement:
    """Trend: every step down in the repetitions; in how many redraws of them is reported, and not judged."""
    words, down = [], []
    for metric in test["metrics"]:
        means = _means(table, metric, test["sizes"])
        down.append(bool((np.diff(means) < 0).all()))
        share = float((np.diff(_redraws(table, metric, test["sizes"]), axis=1) < 0).all(axis=1).mean())
        listed = [phrase("{mean:count}", mean=mean) for mean in means]
        text = "{metric} {means: > } (every step down in {share:percent} of the redraws)"
        words.append(phrase(text, metric=metric.replace("_", " "), means=listed, share=share))
    return Judgement(words, magnitude=all_of(down))


def judge_share(table: pd.DataFrame, test: dict) -> Judgement:
    """More of a fall before the middle of three sizes than after it, in the repetitions; the band is reported only."""
    words, more = [], []
    for metric in test["metrics"]:
        first, middle, last = _means(table, metric, test["sizes"])
        draws = _redraws(table, metric, test["sizes"])
        redrawn = (draws[:, 0] - draws[:, 1]) / (draws[:, 0] - draws[:, 2])
        low, high = np.quantile(redrawn, [0.05, 0.95])
        text = "{metric}: {share:percent} of the fall (band {band:interval percent})"
        share = (first - middle) / (first - last)
        words.append(phrase(text, metric=metric.replace("_", " "), share=share, band=(low, high)))
        more.append(first - middle > max(middle - last, 0.0))
    return Judgement(words, magnitude=all_of(more))


def judge_decay(table: pd.DataFrame, test: dict) -> Judgement:
    """Exponential decay: slope below zero, by its interval over sub-pools; a better fit than a power law (AIC)."""
    level = test["level"]
    slopes = select_rows(table, "exponential_slope", level=level)["value"].to_numpy()
    pooled = select_rows(table, "exponential_slope_pooled", level=level)["value"].iloc[0]
    exponential = select_rows(table, "exponential_aic", level=level)["value"].iloc[0]
    power = select_rows(table, "power_aic", level=level)["value"].iloc[0]
    known = len(slopes) > 1 and np.isfinite(slopes).all()
    low, high = mean_interval(slopes) if known else (np.nan, np.nan)
    text = (
        "slope of log Pr in m {slope:value} (95 % interval over sub-pools {interval:interval value}); "
        "AIC {exponential:count} exponential, {power:count} power law"
    )
    significance = REPRODUCED if high < 0 else NOT_REPRODUCED if low > 0 else INCONCLUSIVE
    return Judgement(
        phrase(text, slope=pooled, interval=(low, high), exponential=exponential, power=power),
        REPRODUCED if pooled < 0 else NOT_REPRODUCED,
        significance,
        case_of([power - exponential >= _AIC_MARGIN], [exponential - power >= _AIC_MARGIN]),
    )


MCE_KINDS: dict[str, Callable[[pd.DataFrame, dict], Judgement]] = {
    "value": judge_value,
    "trend": judge_trend,
    "share": judge_share,
    "decay": judge_decay,
}
