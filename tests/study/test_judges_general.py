"""Kinds for any experiment: a trend over a condition, equivalence of methods, the sign test, another metric."""

import numpy as np
import pandas as pd
import pytest
from presented import judge
from replication.claims.judging import JUDGES
from replication.shared.comparison_judges import paired_table
from replication.shared.judgements import NotTestable, select_rows
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

TREND = {"metric": "score", "on": "size", "pair": ["study"], "where": {"method": "a"}}
EQUAL = {
    "criterion": "equivalent",
    "metric": "score",
    "method": "a",
    "against": ["b"],
    "pair": ["study"],
    "margin": 0.1,
}
R, N, U = "reproduced", "not reproduced", "inconclusive"


def series(slopes, sizes=(1, 2, 4, 8)):
    """A study with each slope; the score is linear in the size."""
    rows = [("a", study, size, slope * size) for study, slope in enumerate(slopes) for size in sizes]
    return pd.DataFrame(rows, columns=["method", "study", "size", "value"]).assign(metric="score", dataset="made up")


def two(differences):
    rows = [("a", study, d + study) for study, d in enumerate(differences)]
    rows += [("b", study, float(study)) for study in range(len(differences))]
    return pd.DataFrame(rows, columns=["method", "study", "value"]).assign(metric="score")


@pytest.mark.parametrize("kind", ["value", "share"])
def test_a_missing_value_is_neither_right_nor_wrong(kind):
    table = two([1.0, 2.0, np.nan]).assign(dataset="made up")
    test = {"metric": "score", "paper": 1.0, "margin": 9.0}
    test = test if kind == "value" else {"metric": "score", "where": [{"method": "a"}], "at_least": 0.0}
    with pytest.raises(NotTestable, match=r"^1 of . values of score are missing in this study$"):
        JUDGES[kind](table, test)
    assert JUDGES[kind](table.dropna(), test).verdict == "reproduced"


@pytest.mark.parametrize(
    ("slopes", "order", "direction", "significance"),
    [
        ([1] * 6, "above", R, R),
        ([-1] * 6, "above", N, N),
        ([-1] * 6, "below", R, R),
        ([1, 1, 1], "above", R, U),  # three of three: p = 0.125
        ([1] * 5, "above", R, R),  # five of five: p = 0.031
        ([-1] * 5, "above", N, U),  # the other way two-sided: p = 0.062
        ([1, -1, 1, -1], "above", N, U),
        ([0, 0, 0], "above", N, U),
        ([1] * 5 + [0, 0], "above", R, R),  # ties are dropped
    ],
)
def test_rank_trend(slopes, order, direction, significance):
    found = JUDGES["trend"](series(slopes), TREND | {"criterion": order})
    assert (found.direction, found.significance, found.magnitude) == (direction, significance, "")
    p = stats.binomtest(sum(s > 0 if order == "above" else s < 0 for s in slopes), max(np.count_nonzero(slopes), 1))
    if any(slopes) and direction == R and significance == R:
        assert p.pvalue / 2 < 0.05


@pytest.mark.parametrize(
    ("order", "limit", "magnitude"), [("above", 0.4, R), ("above", 0.6, N), ("below", 0.1, N), ("below", 0, N)]
)
def test_rank_trend_with_a_limit(order, limit, magnitude):
    table = series([1, 1, 1, -1])  # mean correlation 0.5
    assert JUDGES["trend"](table, TREND | {"criterion": order, "limit": limit}).magnitude == magnitude


def test_rank_trend_without_units_judges_the_direction_of_the_means():
    test = {key: TREND[key] for key in ("metric", "on", "where")}
    found = JUDGES["trend"](series([3, -1]), test)
    assert (found.direction, found.significance) == (R, "")
    assert found.measured == "score 1 at 1, 2 at 2, 4 at 4, 8 at 8; Spearman +1.000"
    assert JUDGES["trend"](series([1, -3]), test).direction == N


def test_rank_trend_is_spearman_of_each_unit():
    rng = np.random.default_rng(0)
    table = series([1] * 4).assign(value=rng.normal(size=16))
    expected = np.mean([stats.spearmanr(one["size"], one["value"]).statistic for _, one in table.groupby("study")])
    assert f"Spearman {expected:+.3f} (95 % bootstrap interval over 4 units" in JUDGES["trend"](table, TREND).measured


@pytest.mark.parametrize(("share", "verdict"), [(6, R), (8, "no effect")])
def test_a_relative_smallest_effect_of_a_trend_is_a_share_of_the_first_condition(share, verdict):
    # From 1 to 8 the score changes by 7, and at 1 it is 1.
    test = TREND | {"smallest": {"relative": share, "because": "made up"}}
    assert JUDGES["trend"](series([1] * 5), test).verdict == verdict


@pytest.mark.parametrize(("high", "by", "magnitude"), [(3, [], N), (3, ["study"], R), (1.5, ["study"], N)])
def test_a_range_of_values_or_of_their_means(high, by, magnitude):
    # Values of a study are 0.5, 1 and 4, or half of it, so that the means are 1.83 and 0.92.
    table = series([1, 0.5], sizes=(0.5, 1, 4))
    found = JUDGES["value/range"](table, {"ranges": {"score": [0.1, high]}} | ({"by": by} if by else {}))
    assert found.magnitude == magnitude
    assert found.measured.startswith("score 0 1.833, 1 0.917 (asked" if by else "score 0.25 to 4 (asked for: 0.1 to 3;")


def test_a_mean_may_be_of_means_that_count_alike():
    # One value with forests, three with the other classifier.
    table = pd.DataFrame(
        {"dataset": "a", "classifier": ["lr"] * 3 + ["rf"], "metric": "auc", "value": [0.5] * 3 + [0.9]}
    )
    test = {"ranges": {"auc": [0.65, 0.75]}, "by": ["dataset"]}
    assert JUDGES["value/range"](table, test).magnitude == "not reproduced"
    found = JUDGES["value/range"](table, test | {"within": ["classifier"]})
    assert (found.magnitude, found.measured) == ("reproduced", "auc a 0.700 (asked for: 0.65 to 0.75; n = 1)")


def test_each_data_set_of_a_range_is_a_case():
    both = pd.concat(
        [series([1], sizes=(1, 2, 3)), series([5], sizes=(1, 2, 3)).assign(dataset="other")], ignore_index=True
    )
    for by, words in (({}, "score 1 to 15"), ({"by": ["dataset"]}, "score made up 2.000, other 10.000")):
        found = JUDGES["value/range"](both, {"ranges": {"score": [1, 3]}} | by)
        assert (found.magnitude, found.measured.startswith(f"{words} (asked")) == ("mixed", True)
    # A set needs all of its metrics.
    more = pd.concat([both, both.assign(metric="other score", value=4.0)], ignore_index=True)
    assert JUDGES["value/range"](more, {"ranges": {"score": [1, 3], "other score": [0, 3]}}).magnitude == N


def test_rank_trend_needs_three_conditions_and_two_units():
    with pytest.raises(NotTestable, match="two units with 3 values of size, found 0"):
        JUDGES["trend"](series([1, 1], sizes=(1, 2)), TREND)
    with pytest.raises(NotTestable, match="two units with 3 values of size, found 1"):
        JUDGES["trend"](series([1]), TREND)
    with pytest.raises(NotTestable, match="no value of score with method = c"):
        JUDGES["trend"](series([1, 1]), TREND | {"where": {"method": "c"}})


@pytest.mark.parametrize(
    ("differences", "magnitude"),
    [
        ([0.01, -0.01, 0.02, -0.02, 0.0], R),
        ([0.5, 0.52, 0.49, 0.51, 0.5], N),
        ([-0.5, -0.52, -0.49, -0.51, -0.5], N),
        ([0.3, -0.3, 0.25, -0.2, 0.0], U),
        ([0.09, 0.11, 0.10, 0.12, 0.08], U),
        ([0.0, 0.0, 0.0], R),
        ([0.2, 0.2, 0.2], N),
    ],
)
def test_paired_equivalence(differences, magnitude):
    found = JUDGES["compare"](two(differences), EQUAL)
    assert (found.direction, found.significance, found.magnitude) == ("", "", magnitude)


def test_paired_equivalence_is_the_test_of_statsmodels():
    d = np.random.default_rng(1).normal(0.02, 0.1, size=12)
    found = JUDGES["compare"](two(d), EQUAL)
    assert f"equivalence p = {ttost_paired(d, np.zeros(12), -0.1, 0.1)[0]:.2g}; n = 12" in found.measured


def test_paired_equivalence_of_several_methods_needs_all():
    table = pd.concat([two([0.01, -0.01, 0.0, 0.02]), two([0.5, 0.51, 0.49, 0.5]).replace({"method": {"a": "c"}})])
    table = table.drop_duplicates(["method", "study"])
    assert JUDGES["compare"](table, EQUAL | {"method": ["a", "c"]}).magnitude == N
    assert JUDGES["compare"](table, EQUAL | {"method": ["a", "a"]}).magnitude == R


@pytest.mark.parametrize(
    ("differences", "order", "direction", "significance"),
    [
        ([1] * 5, "above", R, R),
        ([1] * 4, "above", R, U),
        ([-1] * 5, "below", R, R),
        ([-1] * 5, "above", N, U),
        ([-1] * 6, "above", N, N),
        ([1, 1, -100], "above", R, U),  # the mean is below, most units above
        ([0] * 5 + [1] * 5, "above", R, R),
        ([0, 0], "above", N, U),
    ],
)
def test_sign_test_of_paired_units(differences, order, direction, significance):
    test = {key: EQUAL[key] for key in ("metric", "method", "against", "pair")} | {"test": "sign", "criterion": order}
    found = JUDGES["compare"](two(differences), test)
    assert (found.direction, found.significance, found.magnitude) == (direction, significance, "")


def test_differences_of_rounding_are_ties_in_the_verdict_too():
    rows = [
        {"method": method, "slice": k, "value": value}
        for k in range(6)
        for method, value in (("new", float(np.mean([0.1, 0.2, 0.3]))), ("old", 0.2))
    ]
    table = pd.DataFrame(rows).assign(metric="accuracy", dataset="made_up")
    found = judge("compare", table, {"method": "new", "against": ["old"], "pair": ["slice"], "test": "sign"})
    assert "new above old in 0 of 6 units, equal in 6" in found.measured
    assert found.verdict == "inconclusive"
    for constant in (0.1, 0.3, 0.7):
        flat = [{"x": x, "unit": k, "value": constant} for k in range(8) for x in range(5)]
        table = pd.DataFrame(flat).assign(metric="accuracy", dataset="made_up")
        test = {"metric": "accuracy", "on": "x", "pair": ["unit"], "smallest": {"effect": 0.05, "because": "words"}}
        assert judge("trend", table, test).verdict == "no effect"
    # Their means differ in the last digit.
    noise = {0: (0.1, 0.2, 0.3), 1: (0.3, 0.2, 0.1), 2: (0.3, 0.1, 0.2)}
    rows = [{"x": x, "unit": k, "value": value} for k in range(6) for x, values in noise.items() for value in values]
    table = pd.DataFrame(rows).assign(metric="accuracy", dataset="made_up")
    found = judge("trend", table, {"metric": "accuracy", "on": "x", "pair": ["unit"]})
    assert "Spearman +0.000" in found.measured
    assert found.verdict == "inconclusive"


@pytest.mark.parametrize("criterion", ["above", "below"])
def test_a_lead_that_is_the_same_up_to_rounding_has_no_slope(criterion):
    values = {"a": (0.8, 0.7, 0.3), "b": (0.7, 0.6, 0.2)}
    rows = [
        {"method": method, "study": study, "size": size, "value": value}
        for study in range(4)
        for method, means in values.items()
        for size, value in enumerate(means)
    ]
    table = pd.DataFrame(rows).assign(metric="score", dataset="made up")
    test = {"metric": "score", "method": "a", "against": "b", "on": ["size"], "pair": ["study"], "criterion": criterion}
    found = judge("trend/differences", table, test)
    assert (found.direction, found.significance) == (N, U)


def test_a_mean_under_an_empty_condition_counts():
    rows = [{"theta": theta, "value": value} for theta, value in ((0.1, 3.0), (0.2, 3.1), (np.nan, 9.0))]
    table = pd.DataFrame(rows).assign(metric="accuracy", dataset="made_up", method="new")
    near = {"metric": "accuracy", "paper": 3, "margin": 0.5, "by": ["theta"]}
    assert judge("value", table, near).magnitude == "mixed"
    assert judge("value/range", table, {"ranges": {"accuracy": [0, 5]}, "by": ["theta"]}).magnitude != "reproduced"
    at_the_margin = {"metric": "accuracy", "paper": 0.7, "margin": 0.1}
    assert judge("value", table.assign(value=0.8), at_the_margin).magnitude == "reproduced"


def test_an_equivalence_pays_for_its_looks():
    table = two(np.random.default_rng(1).normal(0, 0.1, size=20))
    verdicts = [JUDGES["compare"](table, EQUAL | {"looks": looks}).verdict for looks in (1, 10**6)]
    assert verdicts == [R, U]


def test_sign_test_tells_its_counts():
    test = {key: EQUAL[key] for key in ("metric", "method", "against", "pair")} | {"test": "sign"}
    found = JUDGES["compare"](two([1, 1, 1, 0, -1]), test)
    assert found.measured == "a above b in 3 of 5 units, equal in 1 (p = 0.31)"


def test_units_at_one_value_of_a_condition_say_nothing_of_a_slope():
    rows = [
        {"method": method, "noise": noise, "slice": unit, "value": 0.1 * noise * unit * (method == "new")}
        for method in ("new", "old")
        for unit in (1, 2, 3)
        for noise in ((1, 2) if unit < 3 else (1,))
    ]
    table = pd.DataFrame(rows).assign(metric="accuracy", dataset="made_up", source="simulated", repetition="0")
    test = {"method": "new", "against": "old", "on": ["noise"], "pair": ["slice"]}
    found = JUDGES["trend/differences"](table, test)
    assert "slope of new - old on noise +0.15 (95 % interval over 2 units" in found.measured
    with pytest.raises(NotTestable, match="more than one value of noise"):
        JUDGES["trend/differences"](table[table["noise"] == 1], test)


def test_only_a_gain_can_shrink():
    test = {"method": "a", "against": "b", "on": ["size"], "pair": ["study"], "metric": "score", "of_a_gain": True}
    rising = series([1, 2, 3])
    for lead, gains in ((0, True), (15, True), (17, False)):
        table = pd.concat([rising, rising[rising["size"] == 1].assign(method="b", value=lead, size=float("nan"))])
        if gains:
            assert JUDGES["trend/differences"](table, test).direction == R
        else:
            with pytest.raises(NotTestable, match="no gain of a over b"):
                JUDGES["trend/differences"](table, test)
    falling = series([-1, -2, -3])
    lower = falling[falling["size"] == 1].assign(method="b", value=-20, size=float("nan"))
    assert JUDGES["trend/differences"](pd.concat([falling, lower]), test).direction == "not reproduced"
    # A gain that falls shrinks towards the last condition, and is needed at the first.
    below = test | {"criterion": "below"}
    assert JUDGES["trend/differences"](pd.concat([falling, lower]), below).direction == R
    for level, gains in ((-6, True), (-1, False)):
        table = pd.concat([falling, lower.assign(value=level)])
        if gains:
            assert JUDGES["trend/differences"](table, below).direction == R
        else:
            with pytest.raises(NotTestable, match="no gain of a over b"):
                JUDGES["trend/differences"](table, below)


def test_the_line_of_a_trend_may_be_one_in_the_logarithm():
    sizes, values = (1, 2, 10, 100), (3.0, 2.0, 0.0, 2.2)
    table = pd.concat([series([0] * 5, [size]).assign(value=value) for size, value in zip(sizes, values, strict=True)])
    test = TREND | {"criterion": "below", "smallest": {"effect": 0.1, "because": "made up"}}
    assert JUDGES["trend"](table, test).direction == N
    assert JUDGES["trend"](table, test | {"logarithm": True}).direction == R


def test_zero_has_no_logarithm():
    table = series([1] * 5, (0, 1, 2, 4))
    test = TREND | {"smallest": {"effect": 0.1, "because": "made up"}}
    differences = {"metric": "score", "method": "a", "against": "b", "on": ["size"], "pair": ["study"]}
    both = pd.concat([table, table.assign(method="b", value=table["value"] / (2 + table["study"]))])
    for kind, rows, one in (("trend", table, test), ("trend/differences", both, differences)):
        assert judge(kind, rows, one).verdict == R
        with pytest.raises(NotTestable, match="size has values of 0 or less, which have no logarithm"):
            judge(kind, rows, one | {"logarithm": True})
    # Ranks need none.
    assert judge("trend", table, TREND | {"logarithm": True}).verdict == R


def test_robust_and_gain_take_another_metric():
    table = series([1, 2, 3]).assign(repetition=lambda t: t["study"])
    test = {"method": "a", "over": "size", "by": ["dataset"], "metric": "score"}
    assert JUDGES["robust"](table, test).measured.startswith("score 2.000 at 1")
    alone = table[table["size"] == 1].assign(method="b", value=0.0)
    gain = {"method": "a", "against": "b", "on": ["size"], "pair": ["study"], "metric": "score"}
    assert JUDGES["trend/differences"](pd.concat([table, alone.assign(size=float("nan"))]), gain).direction == R
    with pytest.raises(NotTestable, match="no value of accuracy"):
        JUDGES["robust"](table, {key: test[key] for key in ("method", "over", "by")})


@pytest.mark.parametrize(
    ("metric", "where", "words"),
    [
        ("acuracy", {}, r"no value of acuracy \(did you mean accuracy\?\) in this study"),
        ("xyz", {}, r"no value of xyz \(there are accuracy, seconds\) in this study"),
        ("accuracy", {"noise": "3"}, r"no value of accuracy with noise = '3' \(text, where this column has numbers\)"),
        ("accuracy", {"noise": 4}, r"no value of accuracy with noise = 4 in this study"),
    ],
)
def test_what_is_asked_for_and_not_there_is_named_with_what_there_is(metric, where, words):
    table = pd.DataFrame({"metric": ["accuracy", "seconds"], "noise": [3, 3], "value": [0.5, 1.0]})
    with pytest.raises(NotTestable, match=words):
        select_rows(table, metric, **where)


def test_a_method_that_is_not_there_is_named_with_the_nearest_one():
    rows = [("consensus", k, 0.5 + k) for k in range(3)] + [("graph_embedding", k, 0.4) for k in range(3)]
    table = pd.DataFrame(rows, columns=["method", "repetition", "value"]).assign(metric="accuracy")
    test = {"method": "consens", "against": ["graph_embedding"], "metric": "accuracy", "pair": ["repetition"]}
    with pytest.raises(NotTestable, match=r"no value of consens \(did you mean consensus\?\)"):
        paired_table(table, test, ["consens", "graph_embedding"])
