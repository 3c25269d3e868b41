"""Claims that a number rises or falls: a slope or a rank correlation of each unit, against zero over the units."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
from scipy.special import ndtri
from scipy.stats import spearmanr

from replication.shared.cells import Cell, above_zero, judged, order_sign, smallest_effect, with_smallest
from replication.shared.comparison_judges import case_words, cell_of_signs
from replication.shared.judgements import ROUNDING, Judgement, NotTestable, has_value, select_rows
from replication.shared.statistics import ALPHA, bootstrap, mean_interval, sign_test
from replication.shared.wording import interval, joined

_FEWEST = 3


def judge_rank_trend(table: pd.DataFrame, test: dict) -> Judgement:
    """
    A metric rises (or falls) with a condition: Spearman's rank correlation of the two, exact sign test over units.

    Of each unit (`pair`) by itself, over the means of its values at each condition; without units, over the means of
    all, and not tested. Values that are the same throughout do not rise: correlation 0. With a smallest effect of
    interest the sign of a unit is that of the least-squares line, by which the effect is sized; with `logarithm` the
    line is one on the logarithm of the condition.
    """
    criterion, on, units = test.get("criterion", "above"), test["on"], test.get("pair", [])
    sign = order_sign(criterion)
    rows = select_rows(table, test["metric"], **test.get("where", {}))
    rows = rows.assign(**{on: pd.to_numeric(rows[on], errors="coerce"), "value": pd.to_numeric(rows["value"])})
    means = rows.dropna(subset=[on, "value"]).groupby([*units, on], dropna=False)["value"].mean().reset_index()
    groups = [unit for _, unit in means.groupby(units, dropna=False)] if units else [means]
    groups = [unit for unit in groups if len(unit) >= _FEWEST]
    if len(groups) < (2 if units else 1):
        least = "two units" if units else "one series"
        raise NotTestable(f"a trend needs at least {least} with {_FEWEST} values of {on}, found {len(groups)}")
    correlations = np.array([_correlation(unit, on) for unit in groups])
    mean, over_units = sign * correlations.mean(), ""
    cell = Cell(bool(mean > ROUNDING))
    if units:
        first = means.loc[means[on] == means[on].min(), "value"].mean()
        smallest = smallest_effect(test, baseline=first)
        rises, of_what = sign * correlations, ""
        if smallest is not None:
            at = [_scaled(unit[on], test) for unit in groups]
            changes = [_slope(x, unit["value"]) * np.ptp(x) for x, unit in zip(at, groups, strict=True)]
            rises, of_what = sign * np.array(changes), "slope "
        cell = cell_of_signs(rises, rises, smallest)
        signs = sign_test(rises, 0 * rises, alternative="greater")
        bounds = bootstrap(correlations, within=(-1, 1))
        over_units = (
            f" (95 % bootstrap interval over {bounds.n} units {interval((bounds.ci_low, bounds.ci_high), '+.3f')}; "
            f"{of_what}{criterion} zero in {signs.wins}, zero in {signs.ties}; p = {signs.p_value:.2g})"
        )
    curve = _curve(pd.concat(groups), on, ".3g")
    text = f"{test['metric'].replace('_', ' ')} {curve}; Spearman {correlations.mean():+.3f}{over_units}"
    sizes = [mean >= abs(test["limit"]) - ROUNDING] if "limit" in test else []
    return judged(text, [[cell]], correction="none", tested=bool(units), sizes=sizes)


def _correlation(unit: pd.DataFrame, on: str) -> float:
    values = unit["value"].round(9)
    return 0.0 if np.ptp(values) == 0 else float(spearmanr(unit[on], values).statistic)


def _curve(rows: pd.DataFrame, on: str, form: str) -> str:
    """The mean value at each value of a condition."""
    means = rows.groupby(on)["value"].mean().items()
    return joined((f"{value:{form}} at {at:.6g}" for at, value in means), ", ")


def judge_differences(table: pd.DataFrame, test: dict) -> Judgement:
    """
    The difference of two methods rises (or falls) with conditions: slope of each unit, interval over units.

    The slope is that of least squares. `within` names columns that identify the cases of one unit, over which its
    differences are averaged. The other method may have no values of the condition, or of the unit, as an embedding has
    that is combined of none. With `logarithm` the slope is on the logarithm of the condition. `of_a_gain`: a gain of
    the method shrinks towards one end of the condition, which needs a gain, at the other end or on average.
    """
    pair, on, within, names = test["pair"], test["on"], test.get("within", []), (test["method"], test["against"])
    sign = order_sign(test.get("criterion", "above"))
    rows = [select_rows(table, test.get("metric", "accuracy"), method=name, **test.get("where", {})) for name in names]
    keys = [*pair, *within, *on]
    method, against = (values.groupby(keys, dropna=False)["value"].mean() for values in rows)
    columns = against.index.to_frame()[[*pair, *on]]
    alone = [name for name in columns if has_value(columns[name], "").all()]
    difference = (method - (against.droplevel(alone) if alone else against)).rename("value").reset_index()
    if difference["value"].isna().any():
        raise NotTestable(f"not every unit has a value of {' and of '.join(names)}")
    if within:
        difference = difference.groupby([*pair, *on])["value"].mean().reset_index()
    cases, words = [], []
    for column in on:
        difference[column] = difference[column].astype(float)
        # A unit that was measured at one value of the condition says nothing of a slope.
        varied = difference.groupby(pair)[column].transform("nunique") > 1
        units = difference[varied] if varied.any() else difference
        x = units.assign(**{column: _scaled(units[column], test)})
        slopes = np.array([_slope(unit[column], unit["value"]) for _, unit in x.groupby(pair)])
        low, high = _interval(slopes)
        if test.get("of_a_gain"):
            means = units.groupby(column)["value"].mean()
            if max(means.mean(), means.iloc[-1 if sign > 0 else 0]) <= ROUNDING:
                curve = _curve(units, column, "+.3f")
                raise NotTestable(f"no gain of {test['method']} over {test['against']} that could shrink: {curve}")
        change, span = smallest_effect(test, column), np.ptp(x[column])
        cases.append([above_zero(sign * slopes, None if change is None else change / span)])
        words.append(
            f"slope of {test['method']} - {test['against']} on {'log ' if test.get('logarithm') else ''}{column} "
            f"{np.mean(slopes):+.2g} (95 % interval over {len(slopes)} units {interval((low, high), '+.2g')}; "
            f"{_curve(units, column, '+.3f')})"
        )
    return judged(words, cases, correction="none")


def judge_correlations(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Rank correlations of independent units: their mean above zero, its interval too, and above a limit if given.

    `unit` names the columns of a unit if it has several values: they are averaged first, and a unit that lacks one is
    left out. Each value of the columns `by`, such as each data set, is a case. With `ends`, the values behind the
    correlations reach a limit at the last condition.
    """
    words, cases, sizes = [], [], []
    for where in test["where"]:
        rows = select_rows(table, test["metric"], **where)
        for at, case in rows.groupby(test["by"], sort=False) if test.get("by") else [((), rows)]:
            named = case_words(where | dict(zip(test.get("by", []), at, strict=True)))
            case = case.dropna(subset="value")
            if case.empty:
                raise NotTestable(f"no correlation of {named} is defined")
            if "unit" in test:
                units = case.groupby(test["unit"], dropna=False)["value"]
                # A unit in which a correlation is not defined would count others alone.
                case = units.mean()[units.size() == units.size().max()].reset_index()
            values = case["value"].to_numpy()
            tested = f"95 % interval over {len(values)} units {interval(_interval(values), '.3f')}"
            cases.append([above_zero(values, smallest_effect(test))])
            sizes += [bool(values.mean() > test["above"])] if "above" in test else []
            words.append(f"Spearman {values.mean():.3f} ({named}; {tested})")
    if "ends" in test:
        reached, sentence = _ends(table, test["where"], test["ends"])
        words, sizes = [sentence, *words], [*sizes, *reached]
    return judged(words, cases, correction="none", sizes=sizes)


def judge_ranks_of_methods(table: pd.DataFrame, test: dict) -> Judgement:
    """
    Two metrics rank the same methods alike: Spearman's correlation over the methods, its mean over the data sets.

    Data sets have the methods in common, so that one permutation is of all of them: exact, over all orders of the
    methods. Against a smallest effect of interest speaks a mean that is too low even where the two are unrelated: at
    least as improbable where they are related, so that its one-sided p-value is an upper bound.
    """
    first, second = (_standard_ranks(table, side) for side in test["metrics"])
    (n_sets, n_methods), sets = first.shape, first.index
    if not sets.equals(second.index):
        found = " and ".join(joined(index, ", ") for index in (sets, second.index))
        raise NotTestable(f"the two metrics are of other data sets: {found}")
    orders = np.array(list(permutations(range(n_methods))))
    of_chance = np.einsum("spm,sm->p", first.to_numpy()[:, orders], second.to_numpy()) / n_sets
    mean, smallest = of_chance[0], smallest_effect(test)
    above, below = (float(np.mean(sign * (of_chance - mean) >= -ROUNDING)) for sign in (1, -1))
    contrary, holds, units = min(1.0, 2 * below), bool(mean > ROUNDING), 0.0
    if abs(mean) > ROUNDING:
        # By chance a mean varies as 1 / (number of methods - 1).
        errors = float(ndtri(1 - ALPHA / (1 if holds or smallest else 2)) + ndtri(0.8))
        units = 1 + (n_methods - 1) * (errors * np.std(of_chance) / mean) ** 2
    cell = Cell(holds, above, contrary, units=units)
    if smallest is not None:
        cell = with_smallest(smallest, holds, above, contrary, below, units)
    words = (
        f"Spearman {mean:.3f} ({n_methods} methods, mean of {n_sets} data sets; exact p = {above:.2g}, of the contrary "
        f"{below:.2g})"
    )
    return judged(words, [[cell]], correction="none")


def _standard_ranks(table: pd.DataFrame, side: dict) -> pd.DataFrame:
    """Ranks of the methods in each data set, with mean 0 and length 1; all 0 if the methods are level."""
    rows = select_rows(table, side["metric"], method=side["methods"], **side.get("where", {}))
    values = rows.pivot_table(index="dataset", columns="method", values="value").reindex(columns=side["methods"])
    if values.isna().any(axis=None):
        raise NotTestable(f"not every method has a value of {side['metric']} on every data set")
    ranks = values.round(9).rank(axis=1).sub((len(side["methods"]) + 1) / 2)
    return ranks.div(np.sqrt(np.square(ranks).sum(axis=1)).replace(0, 1), axis=0)


def _ends(table: pd.DataFrame, cases: list[dict], ends: dict) -> tuple[list[bool], str]:
    """Whether a metric reaches its limit at the last condition, and its first and last values."""
    holds, words = [], []
    for where in cases:
        rows = select_rows(table, ends["metric"], **where)
        values = rows[rows[ends["on"]].notna()].groupby(ends["on"])["value"]
        means, errors = values.mean(), values.sem()
        if not pd.api.types.is_any_real_numeric_dtype(means.index):
            raise NotTestable(f"{ends['on']} has no order, such as that of numbers, and so no last value")
        (first, start), (last, end) = means.iloc[[0, -1]].items()
        holds.append(bool(end >= ends["limit"]))
        error = f"standard error {errors.iloc[-1]:.4f}; " if errors.notna().iloc[-1] else ""
        words.append(f"{start:.3f} at {first:.6g}, {end:.3f} at {last:.6g} ({error}{case_words(where)})")
    return holds, f"{joined(words)}; limit {ends['limit']:.6g}"


def _scaled(values: pd.Series, test: dict) -> pd.Series:
    """The values of a condition, or with `logarithm` their logarithms."""
    if not test.get("logarithm"):
        return values
    if (values <= 0).any():
        raise NotTestable(f"{values.name} has values of 0 or less, which have no logarithm")
    return np.log(values)


def _slope(x: pd.Series, y: pd.Series) -> float:
    """Least-squares slope, 0 if the whole change is of rounding."""
    centred = x.to_numpy(dtype=float) - x.mean()
    if not centred.any():
        raise NotTestable(f"a slope needs more than one value of {x.name}")
    slope = float(centred @ y.to_numpy() / (centred @ centred))
    return 0.0 if abs(slope) * np.ptp(centred) <= ROUNDING else slope


def _interval(values: np.ndarray) -> tuple[float, float]:
    """95 % t interval of a mean."""
    if len(values) < 2:
        raise NotTestable("an interval needs at least two units")
    return mean_interval(values)
