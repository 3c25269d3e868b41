"""Claims that compare methods over paired units, such as slices and draws: order, equivalence, share of draws."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.shared.cells import (
    Cell,
    Smallest,
    cell_of,
    cell_of_means,
    contrast,
    judged,
    margin_of,
    order_sign,
    smallest_effect,
    units_still_to_decide,
    units_to_decide,
    with_smallest,
)
from replication.shared.judgements import (
    NOT_REPRODUCED,
    REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
    measured_values,
    methods_of,
    note_rows,
    select_rows,
    unknown,
)
from replication.shared.statistics import ALPHA, CorrectedComparison, sign_test
from replication.shared.wording import condition, joined

# Units that a sign test takes for one of a t-test, of normal values.
_OF_SIGNS = np.pi / 2


def paired_table(table: pd.DataFrame, test: dict, methods: list[str], least: int = 1) -> pd.DataFrame:
    """
    Values of some methods, or of another column that a test `compares`, side by side, one row per paired unit.

    With `sd_over` they are standard deviations over the values of that column, under each other condition.
    """
    rows = select_rows(table, test.get("metric", "accuracy"), **test.get("where", {}))
    index = [*test.get("by", []), *test["pair"]]
    column = test.get("compares", "method")
    if pd.api.types.is_numeric_dtype(rows[column]):
        rows = rows.assign(**{column: rows[column].map("{:.15g}".format)})
    used = note_rows(rows[rows[column].isin(methods)], chosen_from=rows)
    used = _with_empty_conditions(used, index)
    if over := test.get("sd_over"):
        conditions = list(used.columns.difference([over, "value"]))
        if used.groupby(conditions, dropna=False)[over].nunique().max() < 2:
            raise NotTestable(f"a standard deviation needs two values of {over} or more")
        used = used.groupby(conditions, dropna=False)["value"].std().reset_index()
    wide = used.pivot_table(index=index, columns=column, values="value")
    missing = [method for method in methods if method not in wide]
    if missing:
        absent = [
            name if (rows[column] == name).any() else f"{name} ({unknown(name, rows[column])})" for name in missing
        ]
        raise NotTestable(f"no value of {', '.join(absent)} in this study")
    some, wide = wide[methods], wide[methods].dropna()
    if by := test.get("by", []):
        groups, complete = (values.droplevel(test["pair"]).index.unique() for values in (some, wide))
        left_out = [group for group in groups if group not in complete]
        if "dataset" in by:
            sets = wide.index.get_level_values("dataset")
            left_out = [name for name in table["dataset"].unique() if name not in sets] or left_out
        if left_out:
            groups = ["/".join(map(str, group)) if isinstance(group, tuple) else str(group) for group in left_out]
            raise NotTestable(f"no unit of {', '.join(groups)} with {', '.join(methods)}")
    smallest = wide.groupby(level=test["by"]).size().min() if test.get("by") and len(wide) else len(wide)
    if not smallest >= least:
        raise NotTestable(f"fewer than {least} units with {', '.join(methods)}")
    return wide


def judge_units(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Methods above, below or equivalent to others over paired units, each pair of methods a case.

    All have to hold. With `than_any` all of them are one case, which falls with one of the others. Instead of the
    paired t-test an order may be judged by "mean", the sign alone, where a method does not vary over the units, by
    "sign", the exact sign test, equal values dropped, or by "draws": `at_least` a share of the units under each of some
    conditions `by`.
    """
    if test.get("test") == "draws":
        return _by_draws(table, test)
    criterion, kind = test.get("criterion", "above"), test.get("test", "t")
    cells, words = [], []
    for method in methods_of(test):
        wide = paired_table(table, test, [method, *test["against"]], least=2)
        for other in test["against"]:
            cell, sentence = _CELLS[kind](wide[method], wide[other], criterion, test)
            if over := test.get("sd_over"):
                column, means = test.get("compares", "method"), wide.mean()
                at = joined((f"{means[name]:.3f} at {column} {name}" for name in (method, other)), ", ")
                sentence = f"standard deviation over {over} {at}; {sentence}"
            cells.append(cell)
            words.append(sentence)
    if criterion == "equivalent":
        text = f"margin {test['margin']:.6g}: {joined(words)}"
        return judged(text, [cells], criterion=criterion)
    cases = [cells] if test.get("than_any") else [[cell] for cell in cells]
    return judged(words, cases, correction="none", tested=kind != "mean")


def _by_t(a: pd.Series, b: pd.Series, criterion: str, test: dict) -> tuple[Cell, str]:
    """The cell of a paired t-test, or of two one-sided ones, and its words."""
    margin = test.get("margin")
    comparison = contrast(a, b, margin=margin)
    p = {"above": comparison.p_value, "below": comparison.below_p, "equivalent": comparison.tost_p}.get(criterion)
    smallest = margin_of(test) if criterion == "equivalent" else smallest_effect(test, baseline=b.mean())
    cell = cell_of(comparison, criterion, margin or 0.0, smallest=smallest)
    tested = "equivalence " if criterion == "equivalent" else ""
    return cell, (
        f"{a.name} - {b.name} {comparison.mean_difference:+.3f} (95 % interval {comparison.ci_low:.3f} to "
        f"{comparison.ci_high:.3f}; {tested}p = {p:.2g}; n = {comparison.n})"
    )


def _by_signs(a: pd.Series, b: pd.Series, criterion: str, test: dict) -> tuple[Cell, str]:
    """The cell of an exact sign test."""
    sign = order_sign(criterion)
    effects = (sign * (a - b)).where((a - b).abs() > ROUNDING, 0.0)
    one_sided = sign_test(effects, 0 * effects, alternative="greater")
    return cell_of_signs(effects, effects, smallest_effect(test, baseline=b.mean())), (
        f"{a.name} {criterion} {b.name} in {one_sided.wins} of {len(a)} units, equal in {one_sided.ties} (p = "
        f"{one_sided.p_value:.2g})"
    )


def cell_of_signs(signs: np.ndarray, effects: np.ndarray, smallest: Smallest | None = None) -> Cell:
    """Signs above zero in more units than chance has it; against if two-sided p < 0.05 the other way, or small."""
    nothing = 0 * signs
    one_sided, two_sided = (sign_test(signs, nothing, alternative=side) for side in ("greater", "two-sided"))
    ahead, behind = one_sided.wins > one_sided.losses, one_sided.losses > one_sided.wins
    contrary = two_sided.p_value if behind else 1.0
    if smallest is None:
        return Cell(ahead, one_sided.p_value if ahead else 1.0, contrary)
    p_small = sign_test(effects, nothing + smallest.effect, alternative="less").p_value
    units = units_still_to_decide(contrast(effects, nothing), float(np.mean(effects)), smallest, _units_of_signs)
    return with_smallest(smallest, ahead, one_sided.p_value, contrary, p_small, units)


def _units_of_signs(comparison: CorrectedComparison, smallest: Smallest) -> float:
    """As `units_to_decide`, by a sign test, and not fewer than it takes if all have one sign."""
    least = np.ceil(-np.log2(ALPHA / smallest.looks))
    return max(_OF_SIGNS * units_to_decide(comparison, smallest), least) if smallest.effect > 0 else 0.0


def _by_means(a: pd.Series, b: pd.Series, criterion: str, test: dict) -> tuple[Cell, str]:
    """The cell of the means alone, which have to differ by the smallest effect of interest."""
    gap, smallest = a.mean() - b.mean(), smallest_effect(test, baseline=b.mean())
    sentence = f"{a.name} - {b.name} {gap:+.3f} (n = {len(a)})"
    return cell_of_means(order_sign(criterion) * gap, smallest), sentence


_CELLS = {"t": _by_t, "sign": _by_signs, "mean": _by_means}


def _by_draws(table: pd.DataFrame, test: dict) -> Judgement:
    """One method above others in nearly all draws, under each of some conditions."""
    wide = paired_table(table, test, [test["method"], *test["against"]])
    if wide.groupby(level=test["by"]).size().min() < 2:
        raise NotTestable("a share needs at least two draws")
    cases, shares, words = [], [], []
    for other in test["against"]:
        difference = wide[test["method"]] - wide[other]
        cases.append([Cell(bool(difference.mean() > 0))])
        shares_above = (difference > 0).groupby(level=test["by"]).mean()
        shares += list(shares_above)
        listed = [f"{share:.0%} at {condition(at)}" for at, share in shares_above.items()]
        words.append(f"above {other} in {joined(listed, ', ')} of the draws (mean difference {difference.mean():+.3f})")
    return judged(words, cases, tested=False, sizes=[share >= test["at_least"] for share in shares])


def judge_repetitions(table: pd.DataFrame, test: dict) -> Judgement:
    """A statement holds in at least a share of the repetitions, under each of the conditions that it needs."""
    words, shares = [], []
    for where in test["where"]:
        values = measured_values(table, test["metric"], **where)
        words.append(f"{values.mean():.1%} ({case_words(where)})")
        shares.append(float(values.mean()))
    for where in test.get("reported", []):
        values = select_rows(table, test["metric"], **where)["value"]
        words.append(f"beside it {values.mean():.1%} ({case_words(where)})")
    return judged(words, sizes=[share >= test["at_least"] for share in shares])


def judge_robust(table: pd.DataFrame, test: dict) -> Judgement:
    """Variance over a setting no larger than over repetitions, under the same conditions and for the same method."""
    methods = methods_of(test)
    by = list(dict.fromkeys([*test["by"], "method"]))
    metric = test.get("metric", "accuracy")
    rows = pd.concat([select_rows(table, metric, method=method) for method in methods])
    rows = _with_empty_conditions(rows[rows[test["over"]].notna()], by)
    if rows[test["over"]].nunique() < 2 or rows["repetition"].nunique() < 2:
        raise NotTestable(f"a variance needs at least two values of {test['over']} and two repetitions")
    means = rows.groupby([*by, test["over"], "repetition"])["value"].mean().unstack("repetition")
    if means.isna().any(axis=None) or means.groupby(level=by).size().min() < 2:
        raise NotTestable(
            f"not every condition has a value of {metric} for all repetitions and settings of {test['over']}"
        )
    # Equal values have a variance of rounding errors.
    over_setting, over_repetitions = (
        value if value > ROUNDING**2 else 0.0
        for value in (means.mean(axis=1).groupby(level=by).var().mean(), means.var(axis=1).mean())
    )
    by_setting = means.mean(axis=1).groupby(level=test["over"]).mean().items()
    means = [f"{mean:.3f} at {condition(at)}" for at, mean in by_setting]
    scope = "" if isinstance(test["method"], str) else f" of {joined(methods, ', ')}"
    return Judgement(
        f"{metric.replace('_', ' ')}{scope} {joined(means, ', ')}; variance {over_setting:.2g} over {test['over']}, "
        f"{over_repetitions:.2g} over repetitions",
        magnitude=REPRODUCED if over_setting <= over_repetitions else NOT_REPRODUCED,
    )


def _with_empty_conditions(rows: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Empty conditions as "": groups leave out what is NaN."""
    empty = [column for column in columns if rows[column].isna().any()]
    return rows.assign(**{column: rows[column].astype(object).where(rows[column].notna(), "") for column in empty})


def case_words(where: dict) -> str:
    """The values of the conditions of a case."""
    shown = [value[0] if isinstance(value, list) else value for value in where.values()]
    return joined((str(value) for value in shown), ", ")
