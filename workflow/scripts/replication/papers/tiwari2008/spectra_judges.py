"""Kinds of claims on MR spectra: ahead of other methods in every metric, and a share that is large enough."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import pandas as pd

from replication.shared.comparison_judges import order_sign, paired_table
from replication.shared.judgements import (
    CONFIDENCE,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
    has_value,
    select_rows,
)
from replication.shared.statistics import Comparison, paired_comparison

# Fractions that are told in percent, and what is derived from them.
_RATES = ("sensitivity", "specificity", "balanced_accuracy")


def judge_paired_all(table: pd.DataFrame, test: dict) -> Judgement:
    """
    One method above (or below) each of the others in every metric, over paired studies.

    A method can gain sensitivity by losing specificity, so that "partly" would be given away: each part is
    reproduced if every comparison has it. The one-sided paired t-tests need no correction then, since all of them
    have to reject (intersection-union test, Berger 1982). Significance is not reproduced if any interval lies on
    the other side. A tie is no win. A study that lacks a method is left out of the metric, and told.

    Parameters
    ----------
    table : DataFrame
        Tidy metrics with a column study.
    test : dict
        method, against; cases: list of {name, metrics, where}, of which name and where may be left out; where:
        conditions of all cases; where_of: method -> further conditions of it alone; order. Not judged and told where
        the numbers are there: beside, a list like cases, and beside_methods. A list of values is any of them.

    Returns
    -------
    Judgement

    Raises
    ------
    NotTestable
        If a method has no value in a case, or fewer than two studies have all methods.
    ValueError
        If there is nothing to compare.
    """
    if not (test["against"] and test["cases"] and all(case["metrics"] for case in test["cases"])):
        raise ValueError("A claim needs methods against which, cases and metrics; mend config/claims.tsv.")
    sign, total = order_sign(test), _n_studies(table)
    ahead, significant, contrary, words = [], [], [], []
    for case in test["cases"]:
        values = [_paired_studies(table, test, case, metric) for metric in case["metrics"]]
        compared = {other: [_compare(wide, test, other) for wide in values] for other in test["against"]}
        for found in chain.from_iterable(compared.values()):
            ahead.append(sign * found.mean_difference > ROUNDING)
            significant.append(ahead[-1] and found.p_value < 1 - CONFIDENCE)
            behind = found.ci_high < 0 if sign > 0 else found.ci_low > 0
            contrary.append(behind and sign * found.mean_difference < -ROUNDING)
        words.append(_means_in_words(table, test, case, values) + _differences_in_words(test, case, compared, total))
    significance = REPRODUCED if all(significant) else NOT_REPRODUCED if any(contrary) else INCONCLUSIVE
    return Judgement(
        f"{'; '.join(words)}; {total} studies{_beside(table, test)}",
        REPRODUCED if all(ahead) else NOT_REPRODUCED,
        significance,
    )


def judge_at_least(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The mean of a share over the studies is at least a limit.

    `over` names a column of `where`: the means under its other values are told, and not judged.
    """
    where, over = test["where"], test.get("over")
    values = _select(table, test["metric"], where)["value"].dropna()
    if values.empty:
        raise NotTestable(f"no study with a value of {test['metric']}")
    words = f"mean {values.mean():.1%} over {len(values)} studies ({values.min():.1%} to {values.max():.1%})"
    words = words if len(values) > 1 else f"{values.mean():.1%} in one study"
    if over is not None:
        others = _select(table, test["metric"], {column: value for column, value in where.items() if column != over})
        means = others[~_has_any(others[over], where[over])].groupby(over)["value"].mean()
        listed = ", ".join(f"{over} {value:g}: {mean:.1%}" for value, mean in means.items())
        words += f"; not judged: {listed}" if listed else ""
    return Judgement(words, magnitude=REPRODUCED if values.mean() >= test["limit"] - ROUNDING else NOT_REPRODUCED)


def _has_any(column: pd.Series, wanted: object) -> pd.Series:
    """Which entries of a column are a value, or one of a list of values."""
    found = [has_value(column, value) for value in (wanted if isinstance(wanted, list) else [wanted])]
    return pd.concat(found, axis=1).any(axis=1)


def _select(table: pd.DataFrame, metric: str, conditions: dict) -> pd.DataFrame:
    """As `select_rows`, where a list of values is any of them."""
    single = {}
    for column, wanted in conditions.items():
        if isinstance(wanted, list):
            table = table[_has_any(table[column], wanted)]
        else:
            single[column] = wanted
    return select_rows(table, metric, **single)


def _select_method(table: pd.DataFrame, test: dict, case: dict, metric: str, method: str) -> pd.DataFrame:
    """Rows of one metric and method of a case."""
    conditions = test.get("where", {}) | case.get("where", {}) | test.get("where_of", {}).get(method, {})
    return _select(table, metric, {"method": method, **conditions})


def _paired_studies(table: pd.DataFrame, test: dict, case: dict, metric: str) -> pd.DataFrame:
    """One metric of a case: a row per study that has all methods, a column per method."""
    methods = [test["method"], *test["against"]]
    rows = pd.concat([_select_method(table, test, case, metric, method) for method in methods])
    return paired_table(rows, {"metric": metric, "pair": ["study"]}, methods, least=2)


def _compare(wide: pd.DataFrame, test: dict, other: str) -> Comparison:
    """One-sided paired t-test of the method against another."""
    alternative = "greater" if order_sign(test) > 0 else "less"
    return paired_comparison(wide[test["method"]].to_numpy(), wide[other].to_numpy(), alternative=alternative)


def _n_studies(table: pd.DataFrame) -> int:
    return table["study"][~has_value(table["study"], "")].nunique()


def _in_percent(case: dict) -> bool:
    return all(metric.endswith(_RATES) for metric in case["metrics"])


def _shown(values: list[float], case: dict, sign: str = "") -> str:
    """Values of the metrics of a case: "84.1/83.0"."""
    return "/".join(f"{100 * value:{sign}.1f}" if _in_percent(case) else f"{value:{sign}.3f}" for value in values)


def _means_in_words(table: pd.DataFrame, test: dict, case: dict, values: list[pd.DataFrame]) -> str:
    """The means of all methods, those beside them too: "sensitivity/specificity (%): a 84.1/83.0, b 82.7/81.9"."""
    means = {method: [wide[method].mean() for wide in values] for method in values[0]}
    for method in test.get("beside_methods", []):
        try:
            rows = [_select_method(table, test, case, metric, method) for metric in case["metrics"]]
        except NotTestable:
            continue
        means[method] = [one["value"].mean() for one in rows]
    shown = ", ".join(f"{method} {_shown(listed, case)}" for method, listed in means.items())
    metrics = "/".join(metric.replace("sd_", "SD of ").replace("_", " ") for metric in case["metrics"])
    name = f"{case['name']}, " if "name" in case else ""
    return f"{name}{metrics}{' (%)' if _in_percent(case) else ''}: {shown}"


def _differences_in_words(test: dict, case: dict, compared: dict[str, list[Comparison]], total: int) -> str:
    """Mean differences with their p-values: "; a - b +1.4/+1.1 (p = 0.05/0.02)", and n if studies were left out."""
    listed = []
    for other, found in compared.items():
        p_values = "/".join(f"{one.p_value:.2g}" for one in found)
        differences = _shown([one.mean_difference for one in found], case, sign="+")
        listed.append(f"{test['method']} - {other} {differences} (p = {p_values})")
    n = [one.n for one in next(iter(compared.values()))]
    left_out = f", n = {'/'.join(map(str, n))}" if min(n) < total else ""
    return f"; {', '.join(listed)}{left_out}"


def _beside(table: pd.DataFrame, test: dict) -> str:
    """The cases that are not judged, in words; those without numbers are left out."""
    words = []
    for case in test.get("beside", []):
        try:
            values = [_paired_studies(table, test, case, metric) for metric in case["metrics"]]
        except NotTestable:
            continue
        words.append(_means_in_words(table, test, case, values))
        if len(test["against"]) == 1:
            differences = [wide[test["method"]].mean() - wide[test["against"][0]].mean() for wide in values]
            words[-1] += f" ({_shown(differences, case, sign='+')})"
    return f"; not judged: {'; '.join(words)}" if words else ""


SPECTRA_KINDS: dict[str, Callable[[pd.DataFrame, dict], Judgement]] = {
    "paired_all": judge_paired_all,
    "at_least": judge_at_least,
}
