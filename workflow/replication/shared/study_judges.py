"""Claims over independent studies: one method ahead of others in every metric."""

from __future__ import annotations

from contextlib import suppress

import pandas as pd

from replication.shared.cells import cell_of, contradicted, contrast, judged, smallest_effect
from replication.shared.comparison_judges import paired_table
from replication.shared.judgements import Judgement, NotTestable, has_value, select_rows
from replication.shared.statistics import CorrectedComparison
from replication.shared.wording import joined

# Fractions that are reported in percent, and what is derived from them.
_RATES = ("sensitivity", "specificity", "balanced_accuracy")


def judge_studies(table: pd.DataFrame, test: dict) -> Judgement:
    """
    One method above (or below) each of the others in every metric, over paired studies: each of the others is a case.

    A method can gain sensitivity by losing specificity, so that the metrics of all `cases` are judged together, unless
    they are `apart`. A study that lacks a method is left out of the metric, and the text says so. `unit` names the
    column of other units than studies.
    """
    criterion, total, cells, words = test.get("criterion", "above"), _n_units(table, test), [], []
    for case in test["cases"]:
        _check_controls(table, test, case)
        values = [_paired_studies(table, test, case, metric) for metric in case["metrics"]]
        compared = {
            other: [contrast(wide[test["method"]], wide[other]) for wide in values] for other in test["against"]
        }
        cells.append(
            {
                other: [
                    cell_of(comparison, criterion, smallest=smallest_effect(test, metric, wide[other].mean()))
                    for metric, wide, comparison in zip(case["metrics"], values, comparisons, strict=True)
                ]
                for other, comparisons in compared.items()
            }
        )
        words += [_case_means(table, test, case, values), _case_differences(test, case, compared, total)]
        words += [f"{method} printed {_shown(printed, case)}" for method, printed in test.get("printed", {}).items()]
    if test.get("apart"):
        cases = [found for case in cells for found in case.values()]
    else:
        cases = [[cell for case in cells for cell in case[other]] for other in test["against"]]
    units = "studies" if _unit(test) == "study" else f"{_unit(test)}s"
    return judged([*words, f"{total} {units}", _beside(table, test)], cases)


def _select_method(table: pd.DataFrame, test: dict, case: dict, metric: str, method: str) -> pd.DataFrame:
    """Rows of one metric and method of a case."""
    conditions = test.get("where", {}) | case.get("where", {}) | test.get("where_of", {}).get(method, {})
    return select_rows(table, metric, method=method, **conditions)


def _paired_studies(table: pd.DataFrame, test: dict, case: dict, metric: str) -> pd.DataFrame:
    """One metric of a case: a row per study that has all methods, a column per method."""
    methods = [test["method"], *test["against"]]
    rows = pd.concat([_select_method(table, test, case, metric, method) for method in methods])
    return paired_table(rows, {"metric": metric, "pair": [_unit(test)]}, methods, least=2)


def _check_controls(table: pd.DataFrame, test: dict, case: dict) -> None:
    """
    Refuse a measure by which one control, such as the truth, is not above another, such as chance, beyond chance.

    By less than the smallest effect of interest is too little: no method could be above another by as much then.
    """
    if "controls" not in test:
        return
    for metric in case["metrics"]:
        first, second = test["controls"]
        wide = _paired_studies(table, {**test, "method": first, "against": [second]}, case, metric)
        smallest = smallest_effect(test, metric, wide[second].mean())
        control = cell_of(contrast(wide[first], wide[second]), smallest=smallest)
        if not control.shown or contradicted([control], corrected=False)[0]:
            means = f"{_number(wide[first].mean(), case)} and {_number(wide[second].mean(), case)}"
            raise NotTestable(
                f"{metric.replace('_', ' ')} does not tell {first} from {second} by as much as is asked for ({means})"
            )


def _unit(test: dict) -> str:
    return test.get("unit", "study")


def _n_units(table: pd.DataFrame, test: dict) -> int:
    units = table[_unit(test)]
    return units[~has_value(units, "")].nunique()


def _in_percent(case: dict) -> bool:
    return all(metric.endswith(_RATES) for metric in case["metrics"])


def _number(value: float, case: dict, sign: str = "") -> str:
    """A value of a case, rates in percent."""
    return f"{100 * value:{sign}.1f}" if _in_percent(case) else f"{value:{sign}.3f}"


def _shown(values: list[float], case: dict, sign: str = "") -> str:
    """Values of the metrics of a case, "84.1/83.0", or differences, "+1.4/+1.1"."""
    return joined((_number(value, case, sign) for value in values), "/")


def _case_means(table: pd.DataFrame, test: dict, case: dict, values: list[pd.DataFrame]) -> str:
    """The means of all methods, those not judged too: "sensitivity/specificity (%): a 84.1/83.0, b 82.7/81.9"."""
    means = {method: [wide[method].mean() for wide in values] for method in values[0]}
    for method in test.get("reported_methods", []):
        with suppress(NotTestable):
            chosen = [_select_method(table, test, case, metric, method) for metric in case["metrics"]]
            means[method] = [rows["value"].mean() for rows in chosen]
    shown = [f"{method} {_shown(values, case)}" for method, values in means.items()]
    metrics = [metric.replace("sd_", "SD of ").replace("_", " ") for metric in case["metrics"]]
    name, unit = f"{case['name']}, " if "name" in case else "", " (%)" if _in_percent(case) else ""
    return f"{name}{joined(metrics, '/')}{unit}: {joined(shown, ', ')}"


def _case_differences(test: dict, case: dict, compared: dict[str, list[CorrectedComparison]], total: int) -> str:
    """Mean differences with their p-values: "a - b +1.4/+1.1 (p = 0.05/0.02)", and n if studies were left out."""
    listed = []
    for other, comparisons in compared.items():
        p_values = [
            comparison.below_p if test.get("criterion") == "below" else comparison.p_value for comparison in comparisons
        ]
        p_values = [f"{p:.2g}" for p in p_values]
        differences = _shown([comparison.mean_difference for comparison in comparisons], case, "+")
        listed.append(f"{test['method']} - {other} {differences} (p = {joined(p_values, '/')})")
    n = [comparison.n for comparison in next(iter(compared.values()))]
    return joined([*listed, f"n = {joined(map(str, n), '/')}" if min(n) < total else ""], ", ")


def _beside(table: pd.DataFrame, test: dict) -> str:
    """The cases that are not judged; those without numbers are left out."""
    words = []
    for case in test.get("reported", []):
        try:
            values = [_paired_studies(table, test, case, metric) for metric in case["metrics"]]
        except NotTestable:
            continue
        words.append(_case_means(table, test, case, values))
        if len(test["against"]) == 1:
            differences = [wide[test["method"]].mean() - wide[test["against"][0]].mean() for wide in values]
            gaps = _shown(differences, case, "+")
            words[-1] = f"{words[-1]} ({gaps})"
    return f"not judged: {joined(words)}" if words else ""
