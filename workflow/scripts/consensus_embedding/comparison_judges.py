"""Kinds of claims that compare methods over paired units: slices, draws, repetitions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from consensus_embedding.judgements import (
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
from consensus_embedding.statistics import mean_interval, paired_comparison, sign_test


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


def judge_count(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Count of the conditions under which a method is best, significantly best, or equivalent.

    With pairs of methods in place of one against others, each pair under each group is a condition. With the order
    "below" the method has to be the lowest. Of several methods each is counted by itself, and all have to hold.
    `also` names a column of `where`: the count under its other values is told, and not judged.
    """
    if "pairs" not in test:
        one, *more = methods_of(test)
        if more:
            return _judge_counts(table, test)
        test = {**test, "method": one}
    flags, best, gaps, listed, means = _counted(table, test)
    needed = _needed(flags, test)
    words = f"{sum(flags)} of {len(flags)} conditions (needed: {needed})"
    if "pairs" in test or "order" in test:
        words += f": {'; '.join(listed)}"
    magnitude = REPRODUCED if sum(flags) >= needed else NOT_REPRODUCED
    if test["test"] == "equivalent":
        words += f"; largest mean gap {max(gaps):.3f}"
        return Judgement(f"{words}; means {', '.join(means.values())}", magnitude=magnitude)
    return Judgement(
        f"{words}; means {', '.join(means.values())}{_other_choices(table, test)}",
        direction=REPRODUCED if all(best) else NOT_REPRODUCED,
        magnitude=magnitude,
    )


def _judge_counts(table: pd.DataFrame, test: dict) -> Judgement:
    """The counts of several methods, each against the same others."""
    directions, magnitudes, largest, words, asked, means = [], [], [], [], [], {}
    for method in methods_of(test):
        flags, best, gaps, listed, found = _counted(table, {**test, "method": method})
        needed = _needed(flags, test)
        directions.append(all(best))
        magnitudes.append(sum(flags) >= needed)
        largest += gaps
        words += listed
        asked.append(f"{needed} of {len(flags)}")
        means |= found
    asked = f"{asked[0]} each" if len(set(asked)) == 1 else ", ".join(asked)
    words = f"{'; '.join(words)} (needed: {asked})"
    if test["test"] == "equivalent":
        words += f"; largest mean gap {max(largest):.3f}"
        return Judgement(f"{words}; means {', '.join(means.values())}", magnitude=all_of(magnitudes))
    return Judgement(
        f"{words}; means {', '.join(means.values())}{_other_choices(table, test)}",
        direction=all_of(directions),
        magnitude=all_of(magnitudes),
    )


def _needed(flags: list[bool], test: dict) -> int:
    """How many conditions have to hold, in proportion to those that were run."""
    return math.ceil(test["at_least"] * len(flags) / test["of"])


def _counted(table: pd.DataFrame, test: dict) -> tuple[list[bool], list[bool], list[float], list[str], dict[str, str]]:
    """Whether each condition holds; order of the means; largest gap, count and means of each pair in words."""
    flags, best, gaps, listed, means = [], [], [], [], {}
    for method, *against in test.get("pairs") or [[test["method"], *test["against"]]]:
        wide = paired_table(table, test, [method, *against], least=2)
        found = [_holds(group, method, against, test) for _, group in wide.groupby(level=test["by"])]
        best += [order_sign(test) * (wide[method].mean() - wide[other].mean()) > ROUNDING for other in against]
        gaps.append((wide[method] - wide[against[0]]).groupby(level=test["by"]).mean().abs().max())
        listed.append(f"{method} {_relation(test)} {', '.join(against)} in {sum(found)} of {len(found)}")
        means |= {name: f"{name} {wide[name].mean():.3f}" for name in wide}
        flags += found
    return flags, best, gaps, listed, means


def _other_choices(table: pd.DataFrame, test: dict) -> str:
    """
    The counts under the other values of a condition, in words; those that cannot be counted are left out.

    Of several methods the counts are joined by "and", with "-" for a method that cannot be counted.
    """
    column, words = test.get("also"), []
    others = [] if column is None else [one for one in table[column].unique() if one != test["where"][column]]
    for other in others:
        counts = []
        for method in [None] if "pairs" in test else methods_of(test):
            try:
                choice = {**test, "method": method, "where": {**test["where"], column: other}}
                counts.append(str(sum(_counted(table, choice)[0])))
            except NotTestable:
                counts.append("-")
        if set(counts) != {"-"}:
            words.append(f"{other} {' and '.join(counts)}")
    return f"; not judged, other choices: {', '.join(words)}" if words else ""


def order_sign(test: dict) -> int:
    """1 if the method has to lie above the others, -1 if below."""
    signs = {"above": 1, "below": -1}
    if test.get("order", "above") not in signs:
        raise ValueError(f"The order of a claim is above or below, found {test['order']!r}; mend config/claims.tsv.")
    return signs[test.get("order", "above")]


def _relation(test: dict) -> str:
    """What a count counts, in words."""
    if test["test"] == "equivalent":
        return "equivalent to"
    return f"{'significantly ' if test['test'] == 'significant' else ''}{test.get('order', 'above')}"


def _holds(group: pd.DataFrame, method: str, against: list[str], test: dict) -> bool:
    sign = order_sign(test)
    values = sign * group[method].to_numpy()
    for other in against:
        beside = sign * group[other].to_numpy()
        if test["test"] == "mean":
            holds = values.mean() - beside.mean() > ROUNDING
        elif test["test"] == "significant":
            holds = paired_comparison(values, beside, alternative="greater").p_value < 1 - CONFIDENCE
        else:
            holds = paired_comparison(values, beside, margin=test["margin"]).tost_p < 1 - CONFIDENCE
        if not holds:
            return False
    return True


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
    return Judgement("; ".join(words), all_of(directions), _joint(significances) if significances else "")


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
        words.append(
            f"slope of {test['first']} - {test['second']} on {column} {np.mean(slopes):+.2g} "
            f"(95 % interval over {len(slopes)} units {low:+.2g} to {high:+.2g})"
        )
    return Judgement("; ".join(words), all_of(directions), _joint(significances))


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
    return Judgement(
        f"gain {words}; slope on the logarithm {np.mean(slopes):+.3g} (95 % interval {low:+.3g} to {high:+.3g})",
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
    over_setting = means.mean(axis=1).groupby(level=by).var().mean()
    over_repetitions = means.var(axis=1).mean()
    by_setting = means.mean(axis=1).groupby(level=test["over"]).mean()
    words = ", ".join(f"{value:.3f} at {setting:g}" for setting, value in by_setting.items())
    names = "" if isinstance(test["method"], str) else f" of {', '.join(methods)}"
    return Judgement(
        f"{metric.replace('_', ' ')}{names} {words}; variance {over_setting:.2g} over {test['over']}, "
        f"{over_repetitions:.2g} over repetitions",
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
    return Judgement("; ".join(words), all_of(directions), _joint(significances), magnitude)


def judge_convergence(table: pd.DataFrame, test: dict) -> Judgement:
    """A value rises with a condition to reach a limit in strong cases, and stays below it in weak ones."""
    rises = judge_correlations(table, {"metric": "spearman", "where": test["strong"]})
    reached, words = [], []
    for kind in ("strong", "weak"):
        for where in test[kind]:
            rows = select_rows(table, test["metric"], **where)
            rows = rows[rows[test["on"]].notna()]
            last = rows[test["on"]].max()
            value = rows[rows[test["on"]] == last]["value"].mean()
            reached.append(bool(value >= test["limit"]) == (kind == "strong"))
            words.append(f"{kind} ({', '.join(map(str, where.values()))}) {value:.3f} at {last:g}")
    return Judgement(f"{'; '.join(words)}; {rises.measured}", rises.direction, rises.significance, all_of(reached))


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


def _joint(parts: list[str]) -> str:
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
    "count": judge_count,
    "paired": judge_paired,
    "draws": judge_draws,
    "slopes": judge_slopes,
    "gain": judge_gain,
    "robust": judge_robust,
    "correlations": judge_correlations,
    "convergence": judge_convergence,
    "frequency": judge_frequency,
}
