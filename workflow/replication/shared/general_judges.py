"""Claims on a single number: the mean of a metric near the paper's, and numbers that are shown and not judged."""

from __future__ import annotations

from itertools import product

import pandas as pd

from replication.shared.cells import judged
from replication.shared.comparison_judges import case_words
from replication.shared.judgements import CONTEXT, ROUNDING, Judgement, measured_values, select_rows
from replication.shared.wording import condition, interval, joined, span


def judge_mean(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The mean of a metric, over data sets if several, is within a margin of the paper's value, or at least a limit.

    With `by` every mean under these conditions is a case of its own.
    """
    values = measured_values(table, test["metric"], **test.get("where", {}))
    if "by" in test:
        return _each_mean(values, table, test)
    sets = values.groupby(table["dataset"], sort=False).mean()
    listed = [f"{name} {value:.2f}" for name, value in sets.items()]
    if len(sets) > 1:
        values = sets
        spread = f"standard deviation {sets.std():.2f} over {len(sets)} data sets: {joined(listed, ', ')}"
    elif len(values) > 1:
        spread = f"standard deviation {values.std():.2f}, {len(values)} values"
    else:
        spread = f"one value; {_asked(test)} is asked for"
    words = [f"{values.mean():.2f} ({spread})"]
    for where in test.get("reported", []):
        mean = select_rows(table, test["metric"], **where)["value"].mean()
        words.append(f"{case_words(where)} {mean:.2f}")
    return judged(words, sizes=_as_asked(values.mean(), test))


def _asked(test: dict) -> str:
    return f"within {test['margin']:.6g} of {test['paper']:.6g}" if "paper" in test else f"at least {test['limit']:.6g}"


def _as_asked(mean: float, test: dict) -> list[bool]:
    """Whether a mean is within the margin, and whether it reaches the limit, of which a claim asks one or both."""
    holds = [abs(mean - test["paper"]) <= test["margin"] + ROUNDING] if "paper" in test else []
    return holds + ([mean >= test["limit"] - ROUNDING] if "limit" in test else [])


def _each_mean(values: pd.Series, table: pd.DataFrame, test: dict) -> Judgement:
    means = values.groupby([table.loc[values.index, column] for column in test["by"]], sort=False, dropna=False).mean()
    holds = means.map(lambda mean: all(_as_asked(mean, test)))
    found = f"{holds.sum()} of {len(means)} means {_asked(test)}, as asked for: {span(means, '.2f')}"
    others = joined((f"{condition(at)} {mean:.2f}" for at, mean in means[~holds].items()), ", ")
    return judged(f"{found}{f'; not {others}' if others else ''}", sizes=list(holds))


def judge_range(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Every value of each metric, or every mean under each of the conditions `by`, is in its range, ends included.

    A mean is of all values, or of the means `within` the values of some columns, so that these count alike.

    A data set is a case, except for an identity, which falls with one counterexample.
    """
    words, inside = [], []
    for metric, (low, high) in test["ranges"].items():
        values = measured_values(table, metric, **test.get("where", {}))
        sets = table.loc[values.index, "dataset"]
        found, several = span(values, ".10g"), sets.nunique() > 1
        if "by" in test:
            columns = dict.fromkeys(["dataset", *test["by"]])
            groups = [table.loc[values.index, column] for column in [*columns, *test.get("within", [])]]
            values = values.groupby(groups, sort=False, dropna=False).mean()
            if "within" in test:
                values = values.groupby(level=list(columns), sort=False, dropna=False).mean()
            sets = values.index.get_level_values("dataset")
            shown = values if several or "dataset" in test["by"] else values.droplevel("dataset")
            found = joined((f"{condition(at)} {mean:.3f}" for at, mean in shown.items()), ", ")
        inside.append(values.between(low, high).groupby(sets, sort=False).all())
        words.append(
            f"{metric.replace('_', ' ')} {found} (asked for: {interval((low, high), '.10g')}; n = {len(values)})"
        )
    cases = pd.concat(inside).groupby(level=0).all()
    return judged(words, sizes=[cases.all()] if test.get("identity") else list(cases))


def judge_context(table: pd.DataFrame, test: dict) -> Judgement:
    """Numbers that are shown next to the paper's and are not judged."""
    words, metric = [], test["metric"]
    metrics = [metric] if isinstance(metric, str) else metric
    for metric, where in product(metrics, test["where"]):
        mean = select_rows(table, metric, **where)["value"].mean()
        named = f"{metric.replace('_', ' ')}, " if len(metrics) > 1 else ""
        words.append(f"{named}{case_words(where)}: {mean:.3g} {test['unit']}")
    return Judgement(words, magnitude=CONTEXT)
