"""Claims on a single number: the mean of a metric near the paper's, and numbers that are shown and not judged."""

from __future__ import annotations

import pandas as pd

from replication.shared.cells import judged
from replication.shared.comparison_judges import case_phrase
from replication.shared.judgements import CONTEXT, ROUNDING, Judgement, measured_values, select_rows
from replication.shared.wording import phrase


def judge_mean(table: pd.DataFrame, test: dict) -> Judgement:
    """The mean of a metric, over data sets if several, is within a margin of the paper's value, or at least a limit."""
    values = measured_values(table, test["metric"], **test.get("where", {}))
    sets = values.groupby(table["dataset"], sort=False).mean()
    listed = [phrase("{name} {mean:value 2}", name=str(name), mean=value) for name, value in sets.items()]
    if len(sets) > 1:
        values, text = sets, "{mean:value 2} (standard deviation {sd:value 2} over {n} data sets: {listed:, })"
    elif len(values) > 1:
        text = "{mean:value 2} (standard deviation {sd:value 2}, {n} values)"
    else:
        text = "{mean:value 2} (one value; {asked} is asked for)"
    asked = "within {margin:setting} of {paper:setting}" if "paper" in test else "at least {limit:setting}"
    words = [
        phrase(text, mean=values.mean(), sd=values.std(), n=len(values), listed=listed, asked=phrase(asked, **test))
    ]
    for where in test.get("reported", []):
        mean = select_rows(table, test["metric"], **where)["value"].mean()
        words.append(phrase("{where} {mean:value 2}", where=case_phrase(where), mean=mean))
    holds = [abs(values.mean() - test["paper"]) <= test["margin"]] if "paper" in test else []
    holds += [values.mean() >= test["limit"] - ROUNDING] if "limit" in test else []
    return judged(words, sizes=holds)


def judge_range(table: pd.DataFrame, test: dict) -> Judgement:
    """Every value of each metric is in its range, ends included."""
    words, inside = [], []
    for metric, (low, high) in test["ranges"].items():
        values = measured_values(table, metric, **test.get("where", {}))
        inside.append(bool(values.between(low, high).all()))
        text = "{metric} {values:span size 10} (asked for: {asked:interval size 10}; n = {n})"
        words.append(phrase(text, metric=metric.replace("_", " "), values=values, asked=(low, high), n=len(values)))
    return judged(words, sizes=[all(inside)])


def judge_context(table: pd.DataFrame, test: dict) -> Judgement:
    """Numbers that are shown next to the paper's and are not judged."""
    words = []
    for where in test["where"]:
        mean = select_rows(table, test["metric"], **where)["value"].mean()
        text = "{where}: {mean:size 3} {unit}"
        words.append(phrase(text, where=case_phrase(where), mean=mean, unit=test["unit"]))
    return Judgement(words, magnitude=CONTEXT)
