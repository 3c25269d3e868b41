"""Kinds of claims that compare methods over paired units: slices, draws, repetitions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from replication.shared.judgements import (
    CONFIDENCE,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    PARTLY,
    REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
    all_of,
    methods_of,
    note_rows,
    select_rows,
)
from replication.shared.statistics import mean_interval, paired_comparison, sign_test


def paired_table(table: pd.DataFrame, test: dict, methods: list[str], least: int = 1) -> pd.DataFrame:
    """
    Values of some methods side by side, one row per paired unit.

    Parameters
    ----------
    table : DataFrame
        Tidy metrics.
    test : dict
        metric; pair: columns that tell the units apart; by: further columns, of the groups; where: conditions.
    methods : list of str
    least : int
        Units that each group needs.

    Returns
    -------
    DataFrame
        Index `by` and `pair`, one column a method; units that lack a method are left out.

    Raises
    ------
    NotTestable
        If a method has no value under the conditions, a group has too few units, or the groups are data sets and one
        of them has no unit with all methods.
    """
    rows = select_rows(table, test.get("metric", "accuracy"), **test.get("where", {}))
    index = [*test.get("by", []), *test["pair"]]
    used = note_rows(rows[rows["method"].isin(methods)], among=rows)
    wide = used.pivot_table(index=index, columns="method", values="value")
    missing = [method for method in methods if method not in wide]
    if missing:
        raise NotTestable(f"no value of {', '.join(missing)} in this study")
    wide = wide[methods].dropna()
    if "dataset" in test.get("by", []):
        left_out = [name for name in table["dataset"].unique() if name not in wide.index.get_level_values("dataset")]
        if left_out:
            raise NotTestable(f"no unit of {', '.join(map(str, left_out))} with {', '.join(methods)}")
    smallest = wide.groupby(level=test["by"]).size().min() if test.get("by") and len(wide) else len(wide)
    if not smallest >= least:
        raise NotTestable(f"fewer than {least} units with {', '.join(methods)}")
    return wide


def beyond_margin(values: np.ndarray, others: np.ndarray, margin: float) -> float:
    """Two-sided p-value of a mean difference that lies outside a margin."""
    side = 1.0 if np.mean(values - others) >= 0 else -1.0
    # Only the side of the mean can be outside beyond chance.
    limit = np.full(len(values), float(margin))
    return min(1.0, 2 * paired_comparison(side * (values - others), limit, alternative="greater").p_value)


def order_sign(test: dict) -> int:
    """1 if the method has to lie above the others, -1 if below."""
    signs = {"above": 1, "below": -1}
    if test.get("order", "above") not in signs:
        raise ValueError(f"The order of a claim is above or below, found {test['order']!r}; mend config/claims.tsv.")
    return signs[test.get("order", "above")]


def judge_paired(table: pd.DataFrame, test: dict) -> Judgement:
    """
    One method above (or below) others over paired units: sign of the mean difference, one-sided paired t-test.

    Of several methods all have to hold. With the test "mean" the sign alone is judged: where a method does not vary
    over the units, they are no sample of it. With the test "sign" both parts are those of the exact sign test, equal
    values dropped: more units above than below, p < 0.05.
    """
    if test.get("test", "mean") not in ("mean", "sign"):
        raise ValueError(f"The test of paired is mean, sign or left out, found {test['test']!r}; mend the claim.")
    sign = order_sign(test)
    alternative = "greater" if sign > 0 else "less"
    directions, significances, words = [], [], []
    for method in methods_of(test):
        wide = paired_table(table, test, [method, *test["against"]], least=2)
        for other in test["against"]:
            if test.get("test") == "sign":
                part, significance, told = _by_signs(wide[method], wide[other], sign)
                directions.append(part)
                significances.append(significance)
                words.append(f"{method} {test.get('order', 'above')} {other} in {told}")
                continue
            if "test" in test:
                difference = wide[method].mean() - wide[other].mean()
                directions.append(bool(sign * difference > ROUNDING))
                words.append(f"{method} - {other} {difference:+.3f} (n = {len(wide)})")
                continue
            found = paired_comparison(wide[method].to_numpy(), wide[other].to_numpy(), alternative=alternative)
            directions.append(sign * found.mean_difference > 0)
            contrary = found.ci_high < 0 if sign > 0 else found.ci_low > 0
            significances.append(_significance(found.p_value < 1 - CONFIDENCE, contrary))
            words.append(
                f"{method} - {other} {found.mean_difference:+.3f} "
                f"(95 % interval {found.ci_low:.3f} to {found.ci_high:.3f}; p = {found.p_value:.2g}; n = {found.n})"
            )
    return Judgement("; ".join(words), all_of(directions), joint(significances) if significances else "")


def _by_signs(values: pd.Series, others: pd.Series, sign: int) -> tuple[bool, str, str]:
    """Direction, significance and counts of an exact sign test; against if two-sided p < 0.05 the other way."""
    found, both = (sign_test(sign * values, sign * others, alternative=side) for side in ("greater", "two-sided"))
    contrary = both.losses > both.wins and both.p_value < 1 - CONFIDENCE
    told = f"{found.wins} of {len(values)} units, equal in {found.ties} (p = {found.p_value:.2g})"
    return found.wins > found.losses, _significance(found.p_value < 1 - CONFIDENCE, contrary), told


def judge_draws(table: pd.DataFrame, test: dict) -> Judgement:
    """One method above others in nearly all draws, under each of some conditions."""
    wide = paired_table(table, test, [test["method"], *test["against"]])
    if wide.groupby(level=test["by"]).size().min() < 2:
        raise NotTestable("a share needs at least two draws")
    directions, shares, words = [], [], []
    for other in test["against"]:
        difference = wide[test["method"]] - wide[other]
        directions.append(bool(difference.mean() > 0))
        found = (difference > 0).groupby(level=test["by"]).mean()
        shares += list(found)
        listed = ", ".join(f"{share:.0%} at {value:g}" for value, share in found.items())
        words.append(f"above {other} in {listed} of the draws (mean difference {difference.mean():+.3f})")
    return Judgement(
        "; ".join(words), all_of(directions), magnitude=all_of([share >= test["at_least"] for share in shares])
    )


def judge_slopes(table: pd.DataFrame, test: dict) -> Judgement:
    """The difference of two methods rises with conditions: least-squares slope of each unit, interval over units."""
    wide = paired_table(table, test, [test["first"], test["second"]])
    difference = (wide[test["first"]] - wide[test["second"]]).rename("difference").reset_index()
    directions, significances, words = [], [], []
    for column in test["on"]:
        slopes = [_slope(unit[column], unit["difference"]) for _, unit in difference.groupby(test["pair"])]
        low, high = _interval(slopes)
        directions.append(bool(np.mean(slopes) > 0))
        significances.append(_significance(low > 0, high < 0))
        curve = difference.groupby(column)["difference"].mean()
        words.append(
            f"slope of {test['first']} - {test['second']} on {column} {np.mean(slopes):+.2g} "
            f"(95 % interval over {len(slopes)} units {low:+.2g} to {high:+.2g}; "
            f"{', '.join(f'{value:+.3f} at {at:g}' for at, value in curve.items())})"
        )
    return Judgement("; ".join(words), all_of(directions), joint(significances))


def judge_gain(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The gain of a method over another rises with the logarithm of a condition.

    `within` names columns that tell apart cases of one unit: gains are taken within a case, and averaged over the
    cases of the unit.
    """
    units, on = test["pair"], test["on"]
    cases = [*units, *test.get("within", [])]
    metric = test.get("metric", "accuracy")
    alone = select_rows(table, metric, method=test["over"]).groupby(cases)["value"].mean().rename("alone")
    combined = select_rows(table, metric, method=test["method"]).groupby([*cases, on])["value"].mean()
    gains = combined.reset_index().merge(alone.reset_index(), on=cases, how="left")
    if gains["alone"].isna().any():
        raise NotTestable(f"not every unit with {test['method']} has a value of {test['over']}")
    gains["gain"] = gains["value"] - gains["alone"]
    means = gains.groupby([*units, on])["gain"].mean().reset_index()
    slopes = [_slope(np.log(unit[on].astype(float)), unit["gain"]) for _, unit in means.groupby(units)]
    low, high = _interval(slopes)
    curve = means.groupby(on)["gain"].mean()
    words = ", ".join(f"{gain:+.3f} at {int(k)}" for k, gain in curve.items())
    interval = f"95 % interval over {len(slopes)} units {low:+.3g} to {high:+.3g}"
    return Judgement(
        f"gain {words}; slope on the logarithm {np.mean(slopes):+.3g} ({interval})",
        REPRODUCED if np.mean(slopes) > 0 else NOT_REPRODUCED,
        _significance(low > 0, high < 0),
    )


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
    # Equal values have a variance of rounding errors.
    over_setting, over_repetitions = (
        value if value > ROUNDING**2 else 0.0
        for value in (means.mean(axis=1).groupby(level=by).var().mean(), means.var(axis=1).mean())
    )
    by_setting = means.mean(axis=1).groupby(level=test["over"]).mean()
    words = ", ".join(f"{value:.3f} at {setting:g}" for setting, value in by_setting.items())
    names = "" if isinstance(test["method"], str) else f" of {', '.join(methods)}"
    return Judgement(
        f"{metric.replace('_', ' ')}{names} {words}; variance {over_setting:.2g} over {test['over']}, "
        f"{over_repetitions:.2g} over repetitions{'' if over_setting or over_repetitions else ' (no value varies)'}",
        magnitude=REPRODUCED if over_setting <= over_repetitions else NOT_REPRODUCED,
    )


def _with_empty_conditions(rows: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Empty conditions as "": groups leave out what is NaN."""
    empty = [column for column in columns if rows[column].isna().any()]
    return rows.assign(**{column: rows[column].astype(object).where(rows[column].notna(), "") for column in empty})


def judge_correlations(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Rank correlations of independent units: their mean above zero, its interval too, and above a limit if given.

    `unit` names the columns of a unit if it has several values: they are averaged first.
    """
    words, directions, significances, magnitudes = [], [], [], []
    for where in test["where"]:
        rows = select_rows(table, test["metric"], **where).dropna(subset="value")
        if "unit" in test:
            rows = rows.groupby(test["unit"], dropna=False)["value"].mean().reset_index()
        values = rows["value"].to_numpy()
        low, high = _interval(list(values))
        directions.append(bool(values.mean() > 0))
        significances.append(_significance(low > 0, high < 0))
        magnitudes.append(bool(values.mean() > test.get("above", 0)))
        words.append(
            f"Spearman {values.mean():.3f} ({', '.join(map(str, where.values()))}; 95 % interval over {len(values)} "
            f"units {low:.3f} to {high:.3f})"
        )
    magnitude = all_of(magnitudes) if "above" in test else ""
    return Judgement("; ".join(words), all_of(directions), joint(significances), magnitude)


def judge_convergence(table: pd.DataFrame, test: dict) -> Judgement:
    """A value rises with a condition to reach a limit in strong cases, and stays at or below another in weak ones."""
    rises = judge_correlations(table, {"metric": "spearman", "where": test["strong"]})
    holds, words = [], []
    for kind in ("strong", "weak"):
        for where in test[kind]:
            rows = select_rows(table, test["metric"], **where)
            rows = rows[rows[test["on"]].notna()]
            means = rows.groupby(test["on"])["value"].mean()
            value = means.iloc[-1]
            holds.append(bool(value >= test["limit"] if kind == "strong" else value <= test["weak_limit"]))
            first, last = means.index[0], means.index[-1]
            case = ", ".join(map(str, where.values()))
            words.append(f"{kind} ({case}) {means.iloc[0]:.3f} at {first:g}, {value:.3f} at {last:g}")
    limits = f"limit {test['limit']:g}, for weak ones {test['weak_limit']:g}"
    return Judgement(
        f"{'; '.join(words)} ({limits}); {rises.measured}", rises.direction, rises.significance, all_of(holds)
    )


def judge_frequency(table: pd.DataFrame, test: dict) -> Judgement:
    """A statement holds in at least a share of the repetitions, under each of the conditions that it needs."""
    words, shares = [], []
    for where in test["where"]:
        values = select_rows(table, test["metric"], **where)["value"]
        words.append(f"{values.mean():.1%} ({', '.join(map(str, where.values()))})")
        shares.append(float(values.mean()))
    for where in test.get("beside", []):
        values = select_rows(table, test["metric"], **where)["value"]
        words.append(f"beside it {values.mean():.1%} ({', '.join(map(str, where.values()))})")
    return Judgement("; ".join(words), magnitude=all_of([share >= test["at_least"] for share in shares]))


def _significance(above: bool, below: bool) -> str:
    """Part by a test or an interval: the effect lies above zero, below it, or neither can be said."""
    return REPRODUCED if above else NOT_REPRODUCED if below else INCONCLUSIVE


def joint(parts: list[str]) -> str:
    """One part from several: the common one; partly if some are reproduced; else inconclusive."""
    if len(set(parts)) == 1:
        return parts[0]
    return PARTLY if REPRODUCED in parts else INCONCLUSIVE


def _slope(x: pd.Series, y: pd.Series) -> float:
    """Least-squares slope."""
    centred = x.to_numpy(dtype=float) - x.mean()
    if not centred.any():
        raise NotTestable(f"a slope needs more than one value of {x.name}")
    return float(centred @ y.to_numpy() / (centred @ centred))


def _interval(values: list[float]) -> tuple[float, float]:
    """95 % t interval of a mean."""
    if len(values) < 2:
        raise NotTestable("an interval needs at least two units")
    return mean_interval(np.asarray(values))


COMPARISON_KINDS: dict[str, Callable[[pd.DataFrame, dict], Judgement]] = {
    "paired": judge_paired,
    "draws": judge_draws,
    "slopes": judge_slopes,
    "gain": judge_gain,
    "robust": judge_robust,
    "correlations": judge_correlations,
    "convergence": judge_convergence,
    "frequency": judge_frequency,
}
