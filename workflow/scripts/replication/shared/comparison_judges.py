"""Kinds of claims that compare methods over paired units: slices, draws, repetitions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from replication.shared.judgements import (
    CONFIDENCE,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    ROUNDING,
    Judgement,
    NotTestable,
    all_of,
    combined,
    methods_of,
    note_rows,
    select_rows,
)
from replication.shared.statistics import Comparison, mean_interval, paired_comparison, sign_test
from replication.shared.wording import Phrase, phrase


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
    order, alternative = ("above", "greater") if sign > 0 else ("below", "less")
    directions, significances, words = [], [], []
    for method in methods_of(test):
        wide = paired_table(table, test, [method, *test["against"]], least=2)
        for other in test["against"]:
            if test.get("test") == "sign":
                part, significance, told = _by_signs(wide[method], wide[other], sign)
                directions.append(part)
                significances.append(significance)
                words.append(phrase("{a} {order} {b} in {told}", a=method, order=order, b=other, told=told))
                continue
            if "test" in test:
                difference = wide[method].mean() - wide[other].mean()
                directions.append(bool(sign * difference > ROUNDING))
                told = phrase("{gap:difference} (n = {n})", gap=difference, n=len(wide))
                words.append(phrase("{a} - {b} {told}", a=method, b=other, told=told))
                continue
            found = paired_comparison(wide[method].to_numpy(), wide[other].to_numpy(), alternative=alternative)
            directions.append(sign * found.mean_difference > 0)
            contrary = found.ci_high < 0 if sign > 0 else found.ci_low > 0
            significances.append(_significance(found.p_value < 1 - CONFIDENCE, contrary))
            told = phrase("p = {p:p}", p=found.p_value)
            words.append(difference_phrase(method, other, found, told))
    return Judgement(words, all_of(directions), combined(significances) if significances else "")


def difference_phrase(first: str, second: str, found: Comparison, told: Phrase) -> Phrase:
    """A mean difference with its interval, p-value and number of units."""
    text = (
        "{first} - {second} {found.mean_difference:difference} (95 % interval {found.ci_low:value} to "
        "{found.ci_high:value}; {told}; n = {found.n})"
    )
    return phrase(text, first=first, second=second, found=found, told=told)


def _by_signs(values: pd.Series, others: pd.Series, sign: int) -> tuple[bool, str, Phrase]:
    """Direction, significance and counts of an exact sign test; against if two-sided p < 0.05 the other way."""
    found, both = (sign_test(sign * values, sign * others, alternative=side) for side in ("greater", "two-sided"))
    contrary = both.losses > both.wins and both.p_value < 1 - CONFIDENCE
    text = "{found.wins} of {n} units, equal in {found.ties} (p = {found.p_value:p})"
    told = phrase(text, found=found, n=len(values))
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
        listed = [phrase("{share:percent} at {at:setting}", share=share, at=at) for at, share in found.items()]
        text = "above {other} in {listed:, } of the draws (mean difference {mean:difference})"
        words.append(phrase(text, other=other, listed=listed, mean=difference.mean()))
    return Judgement(words, all_of(directions), magnitude=all_of([share >= test["at_least"] for share in shares]))


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
        curve = difference.groupby(column)["difference"].mean().items()
        curve = [phrase("{value:difference} at {at:setting}", value=value, at=at) for at, value in curve]
        text = (
            "slope of {test[first]} - {test[second]} on {on} {mean:slope} (95 % interval over {n} units "
            "{interval:interval slope}; {curve:, })"
        )
        numbers = {"mean": np.mean(slopes), "n": len(slopes), "interval": (low, high), "curve": curve}
        words.append(phrase(text, test=test, on=column, **numbers))
    return Judgement(words, all_of(directions), combined(significances))


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
    together = select_rows(table, metric, method=test["method"]).groupby([*cases, on])["value"].mean()
    gains = together.reset_index().merge(alone.reset_index(), on=cases, how="left")
    if gains["alone"].isna().any():
        raise NotTestable(f"not every unit with {test['method']} has a value of {test['over']}")
    gains["gain"] = gains["value"] - gains["alone"]
    means = gains.groupby([*units, on])["gain"].mean().reset_index()
    slopes = [_slope(np.log(unit[on].astype(float)), unit["gain"]) for _, unit in means.groupby(units)]
    low, high = _interval(slopes)
    curve = means.groupby(on)["gain"].mean()
    curve = [phrase("{gain:difference} at {k}", gain=gain, k=int(k)) for k, gain in curve.items()]
    text = (
        "gain {curve:, }; slope on the logarithm {mean:slope 3} (95 % interval over {n} units "
        "{interval:interval slope 3})"
    )
    return Judgement(
        phrase(text, curve=curve, mean=np.mean(slopes), n=len(slopes), interval=(low, high)),
        REPRODUCED if np.mean(slopes) > 0 else NOT_REPRODUCED,
        _significance(low > 0, high < 0),
    )


def judge_robust(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Variance over a setting no larger than over repetitions, under the same conditions and for the same method.

    Trivially true where no value varies.
    """
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
    by_setting = means.mean(axis=1).groupby(level=test["over"]).mean().items()
    means = [phrase("{mean:value} at {at:setting}", mean=mean, at=at) for at, mean in by_setting]
    of = "" if isinstance(test["method"], str) else phrase(" of {methods:, }", methods=methods)
    still = "" if over_setting or over_repetitions else " (no value varies)"
    text = "{metric}{of} {means:, }; variance {setting:size} over {over}, {repetitions:size} over repetitions{still}"
    variances = {"over": test["over"], "setting": over_setting, "repetitions": over_repetitions}
    return Judgement(
        phrase(text, metric=metric.replace("_", " "), of=of, means=means, **variances, still=still),
        magnitude=REPRODUCED if over_setting <= over_repetitions else NOT_REPRODUCED,
        trivial=not (over_setting or over_repetitions),
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
        text = "Spearman {mean:value} ({where}; 95 % interval over {n} units {interval:interval value})"
        words.append(phrase(text, mean=values.mean(), where=case_phrase(where), n=len(values), interval=(low, high)))
    magnitude = all_of(magnitudes) if "above" in test else ""
    return Judgement(words, all_of(directions), combined(significances), magnitude)


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
            ends = {"low": means.iloc[0], "first": means.index[0], "high": value, "last": means.index[-1]}
            text = "{kind} ({where}) {low:value} at {first:setting}, {high:value} at {last:setting}"
            words.append(phrase(text, kind=kind, where=case_phrase(where), **ends))
    text = "{cases} (limit {test[limit]:setting}, for weak ones {test[weak_limit]:setting}); {rises}"
    found = phrase(text, cases=words, test=test, rises=rises.found)
    return Judgement(found, rises.direction, rises.significance, all_of(holds))


def judge_frequency(table: pd.DataFrame, test: dict) -> Judgement:
    """A statement holds in at least a share of the repetitions, under each of the conditions that it needs."""
    words, shares = [], []
    for where in test["where"]:
        values = select_rows(table, test["metric"], **where)["value"]
        words.append(phrase("{share:percent 1} ({where})", share=values.mean(), where=case_phrase(where)))
        shares.append(float(values.mean()))
    for where in test.get("beside", []):
        values = select_rows(table, test["metric"], **where)["value"]
        words.append(phrase("beside it {share:percent 1} ({where})", share=values.mean(), where=case_phrase(where)))
    return Judgement(words, magnitude=all_of([share >= test["at_least"] for share in shares]))


def case_phrase(where: dict) -> Phrase:
    """The values of the conditions of a case."""
    return phrase("{values:, }", values=[str(value) for value in where.values() if value != ""])


def _significance(above: bool, below: bool) -> str:
    """Part by a test or an interval: the effect lies above zero, below it, or neither can be said."""
    return REPRODUCED if above else NOT_REPRODUCED if below else INCONCLUSIVE


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
