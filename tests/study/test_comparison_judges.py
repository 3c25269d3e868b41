"""Claims that compare methods over paired units: every kind of test on numbers made by hand."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from presented import judge, one_claim, parts, shipped_claims, smallest
from replication.claims import judging
from replication.shared.comparison_judges import paired_table
from replication.shared.judgements import NotTestable, select_rows
from replication.shared.tidy import read_table, write_table
from scipy import stats

CE = shipped_claims().query("paper == 'viswanath2012'")
# Differences of two methods over four slices: they do not change a mean, but keep it from being exact.
JITTER = np.array([0.002, -0.001, 0.001, -0.002])
COMBINATIONS = list(product((1, 5, 9), (0, 40)))
COUNT = {
    "method": "new",
    "against": ["old"],
    "by": ["noise", "inhomogeneity"],
    "pair": ["slice"],
    "test": "mean",
    "at_least": 17,
    "of": 18,
}
PAIRED = {"method": "new", "against": ["old"], "pair": ["gland", "slice"]}
DRAWS = {
    "test": "draws",
    "method": "new",
    "against": ["old"],
    "by": ["noise"],
    "pair": ["repetition"],
    "at_least": 0.95,
}
SLOPES = {
    "method": "new",
    "against": "old",
    "on": ["noise", "inhomogeneity"],
    "pair": ["slice"],
}
GAIN = {
    "method": "of_k",
    "against": "old",
    "on": ["n_selected"],
    "pair": ["noise", "slice"],
    "logarithm": True,
}
ROBUST = {"method": "new", "over": "theta", "by": ["noise"]}
CORRELATIONS = {"metric": "spearman", "where": [{"series": "a"}]}
CONVERGENCE = {
    "metric": "spearman",
    "where": [{"level": 0.8}],
    "ends": {
        "metric": "strength",
        "on": "n_embeddings",
        "limit": 0.95,
    },
}


def tidy(rows, **fixed):
    """Rows as dicts, accuracy unless they say otherwise, of one experiment and data set."""
    common = {"experiment": "made_up", "dataset": "brainweb", "source": "original", "repetition": "0"}
    return pd.DataFrame([common | {"metric": "accuracy"} | fixed | row for row in rows])


def grid(**methods):
    """Accuracy of each method at six combinations and four slices; a function of (noise, inhomogeneity, slice)."""
    return tidy(
        {"method": method, "noise": n, "inhomogeneity": f, "slice": z, "value": value(n, f, z)}
        for method, value in methods.items()
        for (n, f), z in product(COMBINATIONS, range(4))
    )


def judge_one(kind, table, test, **fields):
    claims = one_claim(kind, test, **{"dataset": "brainweb"} | fields)
    return judging.judge_claims(claims, {"made_up": table}).iloc[0]


# --- the table of paired values


def test_paired_table_of_data_sets_leaves_none_out_unsaid():
    table = pd.concat([grid(new=old_hat, old=old_hat).assign(dataset=name) for name in ("one", "two")])
    test = {"by": ["dataset"], "pair": ["noise", "inhomogeneity", "slice"]}
    assert len(paired_table(table, test, ["new", "old"])) == 2 * 24
    lacking = table[(table["method"] == "new") | (table["dataset"] == "one")]
    with pytest.raises(NotTestable, match="no unit of two with new, old"):
        paired_table(lacking, test, ["new", "old"])


# --- rows under conditions


@pytest.mark.parametrize("names", [("", "A", "B"), ("", "1", "2"), ("",)], ids=["text", "numbers", "all empty"])
def test_an_empty_condition_is_found_whatever_the_column_holds(tmp_path, names):
    rows = [{"method": "new", "value": k, "class": name} for k, name in enumerate(names)]
    write_table(tidy(rows), tmp_path / "metrics.tsv")
    unwritten = tidy(rows).assign(**{"class": [name or np.nan for name in names]})
    for table in (read_table(tmp_path / "metrics.tsv"), unwritten):
        assert select_rows(table, "accuracy", **{"class": ""})["value"].tolist() == [0]
    with pytest.raises(
        NotTestable, match=r"no value of silhouette \(there are accuracy\) with method = new in this study"
    ):
        select_rows(tidy(rows), "silhouette", method="new", **{"class": ""})


# --- count


@pytest.mark.parametrize(
    ("wins", "old", "expected"),
    [
        (6, 0.80, ("reproduced", "", "reproduced")),
        # 17 of 18 are 5.7 of six: five do not do.
        (5, 0.80, ("reproduced", "", "not reproduced")),
        (0, 0.95, ("not reproduced", "", "not reproduced")),
    ],
)
def test_count_of_the_combinations_in_which_a_method_is_best(wins, old, expected):
    lost = COMBINATIONS[wins:]
    table = grid(
        new=lambda n, f, z: 0.9 + JITTER[z], old=lambda n, f, z: 0.91 if (n, f) in lost and wins else old, third=old_hat
    )
    found = judge("count", table, COUNT | {"against": ["old", "third"]})
    assert parts(found) == expected
    assert found.verdict == {6: "reproduced", 5: "mixed", 0: "not reproduced"}[wins]
    assert found.measured.startswith(f"{wins} of 6 conditions (needed: 6); means new 0.900")


def old_hat(noise, inhomogeneity, z):
    return 0.5


def test_count_of_significant_combinations_is_that_of_a_paired_t_test():
    rng = np.random.default_rng(3)
    value = {(n, f, z): rng.normal(0.01, 0.012) for (n, f), z in product(COMBINATIONS, range(4))}
    table = grid(new=lambda *at: 0.8 + value[at], old=lambda *at: 0.8)
    p = [stats.ttest_1samp([value[n, f, z] for z in range(4)], 0, alternative="greater").pvalue
         for n, f in COMBINATIONS]  # fmt: skip
    expected = sum(one < 0.05 for one in p)
    assert 0 < expected < 6
    found = judge("count", table, COUNT | {"test": "significant", "at_least": 18})
    assert found.measured.startswith(f"{expected} of 6 conditions")
    # The direction asks for as many conditions as the count, and not for the mean over all.
    above = sum(np.mean([value[n, f, z] for z in range(4)]) > 0 for n, f in COMBINATIONS)
    assert expected < above
    assert f"above on average in {above};" in found.measured
    for needed, direction in ((above, "reproduced"), (above + 1, "not reproduced")):
        test = COUNT | {"test": "significant", "at_least": needed, "of": 6}
        assert parts(judge("count", table, test)) == (direction, "", "not reproduced")
    enough = COUNT | {"test": "significant", "at_least": expected, "of": 6}
    assert judge("count", table, enough).verdict == "reproduced"


@pytest.mark.parametrize(
    ("gap", "scatter", "verdict"),
    [
        (0.005, 1.0, "reproduced"),
        (-0.005, 1.0, "reproduced"),
        (0.03, 1.0, "not reproduced"),
        # No significant difference, and yet not equivalent: the data could hide one.
        (0.0, 30.0, "inconclusive"),
    ],
)
def test_equivalence_is_shown_not_assumed(gap, scatter, verdict):
    table = grid(new=lambda n, f, z: 0.8 + gap + scatter * JITTER[z], old=lambda n, f, z: 0.8)
    test = COUNT | {"criterion": "equivalent", "margin": 0.02, "at_least": 18}
    found = judge("count", table, test)
    assert found.verdict == verdict
    assert parts(found)[:2] == ("", "")


def test_an_undecided_condition_contradicts_no_equivalence():
    def judged(gaps, **more):
        new = {n: gaps[k] for k, n in enumerate(sorted({n for n, _ in COMBINATIONS}))}
        table = grid(new=lambda n, f, z: 0.8 + new[n][0] + new[n][1] * JITTER[z], old=lambda n, f, z: 0.8)
        asked = {"criterion": "equivalent", "margin": 0.02, "at_least": 6, "of": 6, **more}
        return judge("count", table, COUNT | asked)

    same, unsure, apart = (0.0, 1.0), (0.019, 1.0), (0.2, 1.0)
    assert judged([same, same, same]).verdict == "reproduced"
    found = judged([same, same, unsure])
    # Of every condition, some are equivalent: each counts.
    assert found.verdict == "in part"
    assert judged([same, same, unsure], at_least=5).verdict == "inconclusive"
    assert "equivalent in 4 of 6 conditions (needed: 6), different in " in found.measured
    assert "outside the margin beyond chance in 0; largest mean gap 0.019" in found.measured
    found = judged([same, unsure, apart])
    assert found.verdict == "mixed"
    assert judged([unsure, unsure, apart]).verdict == "not reproduced"
    assert "outside the margin beyond chance in 2" in found.measured
    # Four are asked for, and the two that are apart leave four that might be equivalent.
    assert judged([same, unsure, apart], at_least=4).verdict == "inconclusive"
    assert judged([same, same, apart], at_least=4).verdict == "reproduced"
    # A paper that finds no significant difference is contradicted by some.
    assert judged([same, same, unsure], contradicted="difference").verdict == "mixed"
    assert judged([(0.0, 30.0)] * 3, contradicted="difference").verdict == "inconclusive"


def test_identical_values_are_equivalent_and_have_no_order():
    table = grid(new=lambda n, f, z: 0.8 + JITTER[z], old=lambda n, f, z: 0.8 + JITTER[z])
    assert judge("count", table, COUNT | {"criterion": "equivalent", "margin": 0.02}).verdict == "reproduced"
    for test in ({}, {"test": "significant"}, {"criterion": "below"}):
        assert judge("count", table, COUNT | test).measured.startswith("0 of 6 conditions (needed: 6)")
    for end, criterion in ((1.0, "above"), (0.0, "below"), (1.0, "below")):
        table = grid(new=lambda n, f, z, end=end: end, old=lambda n, f, z, end=end: end)
        with pytest.raises(NotTestable, match=r"all methods are at one end of the scale .*: new \w+"):
            judge("count", table, COUNT | {"criterion": criterion})


def with_ties(tied, won, **others):
    """All right at the first conditions, the new method ahead at the next ones, behind at the others."""

    def new(n, f, z):
        at = COMBINATIONS.index((n, f))
        return 1.0 if at < tied else (0.8 if at < tied + won else 0.65) + JITTER[z]

    def old(n, f, z):
        # Tables have ten digits.
        return 1.0 - 1e-10 if COMBINATIONS.index((n, f)) < tied else 0.7 + JITTER[z]

    return grid(new=new, old=old, **others)


@pytest.mark.parametrize(
    ("tied", "won", "needed", "magnitude"),
    [
        # 17 of 18 are 3.8 of the four conditions that are left.
        (2, 4, 4, "reproduced"),
        (2, 3, 4, "not reproduced"),
        (5, 1, 1, "reproduced"),
        (0, 6, 6, "reproduced"),
    ],
)
def test_conditions_in_which_none_can_be_ahead_are_not_counted(tied, won, needed, magnitude):
    table, left = with_ties(tied, won), 6 - tied
    for test, direction in (({}, "reproduced"), ({"test": "significant"}, magnitude)):
        found = judge("count", table, COUNT | test)
        assert parts(found) == (direction, "", magnitude)
        assert found.measured.startswith(f"{won} of {left} conditions (needed: {needed})")
        assert (f"(all at 1 in {tied} more)" in found.measured) == (tied > 0)
        # Left out are they from what is counted alone: the means are of all conditions.
        means = tied + 0.8 * won + 0.65 * (left - won), tied + 0.7 * left
        assert f"means new {means[0] / 6:.3f}, old {means[1] / 6:.3f}" in found.measured
    pairs = {key: COUNT[key] for key in ("by", "pair", "test", "at_least", "of")} | {"pairs": [["new", "old"]]}
    assert judge("count", table, pairs).magnitude == magnitude


def test_a_condition_in_which_a_third_method_differs_is_counted():
    both = COUNT | {"against": ["old", "third"]}
    found = judge("count", with_ties(2, 4, third=old_hat), both)
    assert found.measured.startswith("4 of 6 conditions (needed: 6); means ")
    assert found.magnitude == "not reproduced"
    # Nor is one left out in which all have the same values, and there is room above them.
    lower = with_ties(2, 4)
    lower["value"] -= 0.1
    assert judge("count", lower, COUNT).measured.startswith("4 of 6 conditions (needed: 6); means ")


def test_below_is_not_the_contrary_of_above_where_means_are_equal():
    # The same mean, one seventh, from other values: equal but for the ten digits of a table.
    tied = grid(new=lambda n, f, z: 0.1428571429, old=lambda n, f, z: 0.2857142857 * (z % 2))
    assert 0 < tied.groupby("method")["value"].mean().loc[["old", "new"]].diff().iloc[1] < 1e-10
    assert judge("count", tied, COUNT).verdict == "not reproduced"
    found = judge("count", tied, COUNT | {"criterion": "below"})
    assert found.verdict == "not reproduced"
    assert found.measured.startswith("0 of 6 conditions (needed: 6): new below old in 0 of 6")


def test_count_of_significantly_lower_combinations():
    test = COUNT | {"criterion": "below", "test": "significant"}
    found = judge("count", grid(new=lambda n, f, z: 0.5 + JITTER[z], old=lambda n, f, z: 0.6), test)
    assert found.verdict == "reproduced"
    assert "new significantly below old in 6 of 6" in found.measured
    unclear = grid(new=lambda n, f, z: 0.59 + [0.2, -0.15, 0.1, -0.16][z], old=lambda n, f, z: 0.6)
    assert judge("count", unclear, test).magnitude == "not reproduced"


def test_other_choices_are_counted_beside_and_not_judged():
    tables = {
        "main": grid(new=lambda n, f, z: 0.9 + JITTER[z], old=lambda n, f, z: 0.8),
        "other": grid(new=lambda n, f, z: 0.9, old=lambda n, f, z: 0.8 if (n, f) in COMBINATIONS[:2] else 1.0),
        "without old": grid(new=lambda n, f, z: 0.9),
    }
    table = pd.concat([part.assign(variant=name) for name, part in tables.items()], ignore_index=True)
    test = COUNT | {"where": {"variant": "main"}, "against": ["old"]}
    alone, beside = judge("count", table, test), judge("count", table, test | {"also": "variant"})
    assert parts(beside) == parts(alone) == ("reproduced", "", "reproduced")
    assert beside.measured == f"{alone.measured}; with other choices: other 2 of 6"


PAIRS = {key: COUNT[key] for key in ("by", "pair", "test")} | {
    "pairs": [["new", "old"], ["third", "fourth"]],
    "at_least": 12,
    "of": 12,
}


def pairs_grid(won, lost):
    """The first pair is won everywhere; the second at `won` combinations by 0.1 and lost elsewhere by `lost`."""
    return grid(
        new=lambda n, f, z: 0.9 + JITTER[z],
        old=lambda n, f, z: 0.8,
        third=lambda n, f, z: 0.7 + JITTER[z],
        fourth=lambda n, f, z: 0.6 if (n, f) in COMBINATIONS[:won] else 0.7 + lost,
    )


@pytest.mark.parametrize(
    ("won", "lost", "expected"),
    [
        (6, 0.1, ("reproduced", "", "reproduced")),
        (5, 0.1, ("reproduced", "", "not reproduced")),
        (5, 0.0, ("reproduced", "", "not reproduced")),
        # The second pair is lost on average, though the first makes up for it.
        (1, 0.1, ("not reproduced", "", "not reproduced")),
    ],
)
def test_count_of_pairs_of_methods(won, lost, expected):
    found = judge("count", pairs_grid(won, lost), PAIRS)
    assert parts(found) == expected
    words = (
        f"{6 + won} of 12 conditions (needed: 12): new above old in 6 of 6; third above fourth in {won} of 6; means "
    )
    assert found.measured.startswith(words + "new 0.900, old 0.800, third 0.700, fourth ")


def test_pairs_are_asked_in_proportion_and_may_be_turned_or_equivalent():
    table = pairs_grid(3, 0.1)
    found = judge("count", table, PAIRS | {"at_least": 18, "of": 24})
    assert "9 of 12 conditions (needed: 9)" in found.measured
    assert found.magnitude == "reproduced"
    turned = PAIRS | {"pairs": [["old", "new"], ["fourth", "third"]], "criterion": "below"}
    assert "9 of 12 conditions (needed: 12): old below new in 6 of 6" in judge("count", table, turned).measured
    equivalent = judge("count", table, PAIRS | {"criterion": "equivalent", "margin": 0.105})
    assert equivalent.verdict == "reproduced"
    words = "third equivalent to fourth in 6 of 6, different in 12 (12 with Holm's correction)"
    assert words in equivalent.measured, equivalent.measured
    assert "outside the margin beyond chance in 0; largest mean gap 0.100" in equivalent.measured


BOTH = COUNT | {"method": ["new", "newer"], "against": ["old", "third"], "criterion": "below", "at_least": 5, "of": 6}


def two_methods(lost, lost_by_newer):
    """Two methods below two others, but at the first combinations, where the second of the others is lower."""
    return grid(
        new=lambda n, f, z: 0.5 + JITTER[z],
        newer=lambda n, f, z: 0.52 + (0.4 if (n, f) in COMBINATIONS[:lost_by_newer] else 0.0),
        old=lambda n, f, z: 0.7,
        third=lambda n, f, z: 0.4 if (n, f) in COMBINATIONS[:lost] else 0.8,
    )


@pytest.mark.parametrize(
    ("lost", "lost_by_newer", "expected", "verdict"),
    [
        (0, 1, ("reproduced", "", "reproduced"), "reproduced"),
        # The count of one method flips: no count of both makes up for it.
        (0, 2, ("reproduced", "", "mixed"), "mixed"),
        (0, 6, ("mixed", "", "mixed"), "mixed"),
        (2, 2, ("reproduced", "", "not reproduced"), "mixed"),
        (6, 6, ("not reproduced", "", "not reproduced"), "not reproduced"),
    ],
)
def test_count_of_several_methods_needs_each_of_them(lost, lost_by_newer, expected, verdict):
    found = judge("count", two_methods(lost, lost_by_newer), BOTH)
    assert parts(found) == expected
    assert found.verdict == verdict
    newer = 6 - max(lost, lost_by_newer)
    assert found.measured.startswith(
        f"new below old, third in {6 - lost} of 6; newer below old, third in {newer} of 6 (needed: 5 of 6 each); "
        "means new 0.500, old 0.700, third "
    )


def test_count_of_several_methods_under_other_numbers_of_conditions():
    table = two_methods(0, 0)
    assert "(needed: 5 of 6 each);" in judge("count", table, BOTH).measured
    assert "(needed: 4 of 4 each);" in judge("count", table[table["noise"] != 9], BOTH).measured
    # A condition in which one of them has no value is not left out.
    with pytest.raises(NotTestable, match=r"^no unit of 9/0, 9/40 with newer, old, third$"):
        judge("count", table[(table["method"] != "newer") | (table["noise"] != 9)], BOTH)


# --- paired


@pytest.mark.parametrize("criterion", ["above", "below"])
@pytest.mark.parametrize(
    ("differences", "expected", "verdict"),
    [
        ([0.05, 0.06, 0.04, 0.05], ("reproduced", "reproduced"), "reproduced"),
        ([0.30, -0.20, 0.25, -0.19], ("reproduced", "inconclusive"), "inconclusive"),
        ([-0.30, 0.20, -0.25, 0.19], ("not reproduced", "inconclusive"), "inconclusive"),
        ([-0.05, -0.06, -0.04, -0.05], ("not reproduced", "not reproduced"), "not reproduced"),
        ([0.0, 0.0, 0.0, 0.0], ("not reproduced", "inconclusive"), "inconclusive"),
        # Methods without draws: the same difference in every repetition.
        ([0.05, 0.05, 0.05, 0.05], ("reproduced", "reproduced"), "reproduced"),
    ],
)
def test_paired(differences, expected, verdict, criterion):
    differences = np.array(differences) * (1 if criterion == "above" else -1)
    rows = [{"method": "old", "gland": k // 2, "slice": k % 2, "value": 0.5} for k in range(4)]
    rows += [row | {"method": "new", "value": 0.5 + d} for row, d in zip(rows, differences, strict=True)]
    found = judge("compare", tidy(rows), PAIRED | {"criterion": criterion})
    assert parts(found) == (*expected, "")
    assert found.verdict == verdict
    assert found.measured.startswith(f"new - old {np.mean(differences):+.3f} (95 % interval")
    assert found.measured.endswith("n = 4)")


def of_slices(differences, old=0.5):
    rows = [{"method": "old", "gland": 0, "slice": k, "value": old} for k in range(len(differences))]
    return tidy(rows + [row | {"method": "new", "value": old + d} for row, d in zip(rows, differences, strict=True)])


# Four differences with a standard deviation of 0.01155 and so a standard error of 0.00577; t is 2.353 at 5 %.
@pytest.mark.parametrize("criterion", ["above", "below"])
@pytest.mark.parametrize(
    ("mean", "word", "verdict"),
    [
        (0.05, "reproduced", "reproduced"),
        # 0.02 is 3.5 standard errors above 0: it is shown, and not below 0.02.
        (0.02, "reproduced", "reproduced"),
        # 1.7 standard errors above 0, and below 0.02.
        (0.01, "inconclusive", "inconclusive"),
        # 2.4 standard errors below 0.02.
        (0.006, "not reproduced", "no effect"),
        (0.0, "not reproduced", "no effect"),
        (-0.01, "not reproduced", "no effect"),
        (-0.05, "not reproduced", "not reproduced"),
    ],
)
def test_a_claim_of_an_effect_has_three_outcomes(mean, word, verdict, criterion):
    sign = 1 if criterion == "above" else -1
    table = of_slices(sign * (mean + np.array([0.01, -0.01, 0.01, -0.01])))
    for size in (smallest(effect=0.02), smallest(relative=0.04)):
        found = judge_one("compare", table, PAIRED | {"criterion": criterion} | size)
        assert (found["significance"], found["verdict"]) == (word, verdict)
        # What is too small does not hold, whatever its sign.
        assert found["direction"] == ("not reproduced" if word == "not reproduced" else "reproduced")
        # 2.1 would decide about 0.02, and were there: 0.01 takes (2.49 x 0.01155 / 0.01)^2 = 8.3, and 1.4 more of few.
        decides = "about 10 units (gland, slice) would decide (power 80 %)"
        assert found["reason"] == (decides if word == "inconclusive" else "")
        told = "0.02" if "effect" in size["smallest"] else "4% of the other's mean"
        assert found["measured"].endswith(f"n = 4); smallest effect of interest {told}")


def test_than_any_falls_with_one_of_the_others():
    ahead = of_slices(0.1 + np.array([0.01, -0.01, 0.01, -0.01]))
    third = ahead[ahead["method"] == "old"].assign(method="third", value=0.8)
    test = PAIRED | {"against": ["old", "third"]}
    table = pd.concat([ahead, third], ignore_index=True)
    assert judge_one("compare", table, test)["verdict"] == "mixed"
    assert judge_one("compare", table, test | {"than_any": True})["verdict"] == "not reproduced"
    assert judge_one("compare", ahead, PAIRED | {"than_any": True})["verdict"] == "reproduced"


def test_a_relative_smallest_effect_is_a_share_of_each_other_method():
    differences = 0.03 + np.array([0.01, -0.01, 0.01, -0.01])
    table = of_slices(differences, old=0.5)
    # The third has twice the values, and is behind by as much: a tenth of 0.5 is 0.05, of 1.0 it is 0.1.
    third = of_slices(differences, old=0.5).query("method == 'old'").assign(method="third", value=0.1)
    test = PAIRED | smallest(relative=0.1)
    assert judge("compare", table, test).verdict == "no effect"
    assert judge("compare", table, PAIRED | smallest(relative=0.06)).verdict == "reproduced"
    assert judge("compare", pd.concat([table, third]), test | {"against": ["third"]}).verdict == "reproduced"
    assert judge("compare", pd.concat([table, third]), test | {"against": ["old", "third"]}).verdict == "mixed"


@pytest.mark.parametrize("criterion", ["above", "below"])
@pytest.mark.parametrize(
    ("differences", "verdict"),
    [
        # Eight of eight by chance: 1 / 256; seven: 9 / 256 = 0.035; six: 37 / 256 = 0.14.
        ([0.03] * 8, "reproduced"),
        ([0.03] * 7 + [-0.9], "reproduced"),
        ([0.03] * 6 + [-0.03] * 2, "inconclusive"),
        # All are above 0, and all below 0.02.
        ([0.01] * 8, "no effect"),
        ([0.01] * 7 + [0.9], "no effect"),
        ([0.01, -0.01] * 4, "no effect"),
        # Below in seven of eight is two-sided p = 0.07, and in eight 0.008.
        ([-0.01] * 7 + [0.01], "no effect"),
        ([-0.01] * 8, "not reproduced"),
        # What is as large as the smallest effect is on neither side of it.
        ([0.02] * 8, "reproduced"),
        ([0.02] * 4 + [0.01] * 4, "reproduced"),
    ],
)
def test_the_sign_test_has_three_outcomes(differences, verdict, criterion):
    sign = 1 if criterion == "above" else -1
    table = of_slices(sign * np.array(differences))
    test = PAIRED | {"test": "sign", "criterion": criterion} | smallest(effect=0.02)
    found = judge("compare", table, test)
    assert found.verdict == verdict
    ahead, below = sum(d > 0 for d in differences), sum(d < 0.019 for d in differences)
    other = sum(d > 0.021 for d in differences)
    p_ahead = stats.binomtest(ahead, 8, alternative="greater").pvalue
    p_small = stats.binomtest(below, below + other, alternative="greater").pvalue if below + other else 1.0
    assert (found.significance == "reproduced") == (p_ahead < 0.05 <= p_small)
    assert (found.significance == "not reproduced") == (p_small < 0.05)


def test_the_sign_test_takes_more_units_than_the_t_test():
    # Standard deviation 0.03105: (2.4865 x 0.03105 / 0.02)^2 = 14.9, times half of pi, and 1.4 more.
    table = of_slices([0.03] * 5 + [-0.03] * 3)
    found = judge("compare", table, PAIRED | {"test": "sign"} | smallest(effect=0.02))
    assert (found.verdict, found.units) == ("inconclusive", np.ceil(14.9 * np.pi / 2 + 1.35))
    assert judge("compare", table, PAIRED | smallest(effect=0.02)).units == np.ceil(14.9 + 1.35)


def test_the_sign_test_says_no_number_of_units_that_cannot_decide():
    test = PAIRED | {"test": "sign"} | smallest(effect=0.02)
    # 1 / 2^5 is the first below 0.05, and 1 / 2^6 the first below 0.05 / 3; 1.4 more, as everywhere.
    for looks, least in ((1, 5), (3, 6)):
        found = judge("compare", of_slices([0.029, 0.03, 0.031, 0.03]), test | {"looks": looks})
        assert (found.verdict, found.units) == ("inconclusive", np.ceil(least + 1.35))
    # 5 would decide about 0.02, and were there: 0.012 takes (2.4865 x 0.01228 / 0.012)^2 x pi / 2 = 10.2.
    found = judge("compare", of_slices([0.03] * 2 + [0.01] * 4 + [-0.002] * 2), test)
    assert (found.verdict, found.units) == ("inconclusive", np.ceil(10.2 + 1.35))


MEAN = PAIRED | {"test": "mean", "criterion": "below"}


def level(**methods):
    """Four paired values of each method, from its mean and a factor of their scatter."""
    return tidy(
        {"method": method, "gland": k // 2, "slice": k % 2, "value": mean + scatter * (-1) ** k}
        for method, (mean, scatter) in methods.items()
        for k in range(4)
    )


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        # Beyond chance or not, the sign alone counts.
        ((0.6, 0.0), "reproduced"),
        ((0.51, 0.4), "reproduced"),
        ((0.5, 0.4), "not reproduced"),
        ((0.5 + 1e-10, 0.0), "not reproduced"),
        ((0.4, 0.0), "not reproduced"),
    ],
)
def test_paired_by_the_mean_alone(old, expected):
    found = judge("compare", level(new=(0.5, 0.0), old=old), MEAN)
    assert parts(found) == (expected, "", "")
    assert found.verdict == {"reproduced": "direction only"}.get(expected, expected)
    assert found.measured == f"new - old {0.5 - old[0]:+.3f} (n = 4)"


def test_means_without_a_test_lead_by_the_smallest_effect():
    """0.5 is below 0.6 by 0.1, of which a share of 0.6 may be asked for."""
    table = level(new=(0.5, 0.0), old=(0.6, 0.0))
    for size, verdict in (({"effect": 0.05}, "direction only"), ({"effect": 0.15}, "not reproduced")):
        assert judge("compare", table, MEAN | smallest(**size)).verdict == verdict
    for share, verdict in ((0.16, "direction only"), (0.17, "not reproduced")):
        assert judge("compare", table, MEAN | smallest(relative=share)).verdict == verdict


def test_paired_of_several_methods_needs_each_against_all():
    table = level(new=(0.5, 0.0), newer=(0.65, 0.0), old=(0.6, 0.1), third=(0.7, 0.1))
    test = MEAN | {"method": ["new", "newer"], "against": ["old", "third"]}
    found = judge("compare", table, test)
    assert parts(found) == ("mixed", "", "")
    words = ["new - old -0.100", "new - third -0.200", "newer - old +0.050", "newer - third -0.050"]
    assert found.measured == "; ".join(f"{one} (n = 4)" for one in words)
    assert judge("compare", table, test | {"against": ["third"]}).verdict == "direction only"
    assert judge("compare", table, test | {"against": ["third"], "criterion": "above"}).verdict == "not reproduced"
    tested = {key: test[key] for key in test if key != "test"} | {"against": ["third"]}
    found = judge("compare", table, tested)
    assert found.direction == "reproduced"
    assert found.significance == "in part"
    assert found.verdict == "direction only"
    assert found.measured.count("p = ") == 2


def test_standard_deviations_over_repetitions_are_compared_under_each_condition():
    """Means differ by noise alone, which is no spread; the slices have 0.02 and 0.04 at K = 1, half of it at 10."""
    rows = [
        {"slice": z, "noise": noise, "n_selected": k, "repetition": str(r), "value": noise + sign * wide / share}
        for (z, wide), noise, (k, share) in product(((60, 0.02), (70, 0.04)), (1, 5), ((1, 1), (10, 2), (np.nan, 1)))
        for r, sign in enumerate((-1, 0, 1))
    ]
    test = {"compares": "n_selected", "method": "10", "against": ["1"], "pair": ["slice"], "criterion": "below"}
    table = tidy([{"method": "of_k", **row} for row in rows])
    found = judge("compare", table, test | {"sd_over": "repetition", "test": "mean"} | smallest(relative=0.1))
    assert found.measured.startswith(
        "standard deviation over repetition 0.015 at n_selected 10, 0.030 at n_selected 1; 10 - 1 -0.015 (n = 2)"
    )
    assert found.verdict == "direction only"
    once = table[table["repetition"] == "0"]
    with pytest.raises(NotTestable, match="two values of repetition"):
        judge("compare", once, test | {"sd_over": "repetition"})


# --- draws


def draws(shares, n=40):
    """Twenty draws or more at each noise level; the new method is above the old in the given shares of them."""
    rows = []
    for noise, share in shares.items():
        for r in range(n):
            rows.append({"method": "old", "noise": noise, "repetition": str(r), "value": 0.5})
            gain = 0.1 if r < round(share * n) else -0.02
            rows.append({"method": "new", "noise": noise, "repetition": str(r), "value": 0.5 + gain})
    return tidy(rows)


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ({1: 1.0, 3: 0.95}, ("reproduced", "", "reproduced")),
        ({1: 1.0, 3: 0.9}, ("reproduced", "", "mixed")),
        ({1: 0.6, 3: 0.9}, ("reproduced", "", "not reproduced")),
        ({1: 0.0, 3: 0.1}, ("not reproduced", "", "not reproduced")),
    ],
)
def test_draws_need_their_share_at_every_level(shares, expected):
    found = judge("compare", draws(shares), DRAWS)
    assert parts(found) == expected
    assert f"{shares[3]:.0%} at 3" in found.measured


def test_draws_count_ties_as_not_above():
    table = draws({1: 1.0})
    table["value"] = 0.5
    assert judge("compare", table, DRAWS).verdict == "not reproduced"


# --- slopes


@pytest.mark.parametrize(
    ("noise_slope", "other_slope", "scatter", "expected"),
    [
        (0.01, 0.002, 1.0, ("reproduced", "reproduced")),
        (-0.01, -0.002, 1.0, ("not reproduced", "not reproduced")),
        (0.01, 0.002, 40.0, ("reproduced", "inconclusive")),
        # Rises with one condition beyond chance; with the other its sign is right, but not beyond chance.
        (0.01, 0.00001, 1.0, ("reproduced", "in part")),
    ],
)
def test_slopes(noise_slope, other_slope, scatter, expected):
    tilt = 0.5 * scatter * JITTER + 0.0

    def new(n, f, z):
        return 0.8 + (noise_slope + tilt[z]) * n + (other_slope + 0.1 * tilt[z]) * f

    found = judge("trend/differences", grid(new=new, old=old_hat), SLOPES)
    assert parts(found) == (*expected, "")
    assert f"on noise {noise_slope:+.2g} (95 % interval over 4 units" in found.measured
    at_one = np.mean([new(1, f, z) - old_hat(1, f, z) for f, z in product((0, 40), range(4))])
    assert f"; {at_one:+.3f} at 1, " in found.measured


@pytest.mark.parametrize(
    ("noise_slope", "other_slope", "verdict"),
    [
        # Times the range, 8 and 40: changes of 0.08 and of 0.08.
        (0.01, 0.002, "reproduced"),
        # 0.008 and 0.008: they rise beyond chance, by less than 0.02.
        (0.001, 0.0002, "no effect"),
        (0.01, 0.0002, "mixed"),
        (0.01, -0.002, "mixed"),
        (-0.01, -0.002, "not reproduced"),
        (-0.01, 0.0002, "not reproduced"),
    ],
)
def test_the_smallest_effect_of_a_slope_is_the_whole_change(noise_slope, other_slope, verdict):
    def new(n, f, z):
        return 0.8 + (noise_slope + 0.05 * JITTER[z]) * n + (other_slope + 0.005 * JITTER[z]) * f

    table = grid(new=new, old=old_hat)
    sizes = smallest(effect={"noise": 0.02, "inhomogeneity": 0.02})
    assert judge("trend/differences", table, SLOPES | sizes).verdict == verdict
    # 0.008 is 0.008, whatever the other condition asks for.
    if verdict == "no effect":
        tiny = smallest(effect={"noise": 0.006, "inhomogeneity": 0.006})
        assert judge("trend/differences", table, SLOPES | tiny).verdict == "reproduced"
        assert judge("trend/differences", table, SLOPES).verdict == "reproduced"
        one = smallest(effect={"noise": 0.006, "inhomogeneity": 0.02})
        assert judge("trend/differences", table, SLOPES | one).verdict == "mixed"


@pytest.mark.parametrize(("size", "verdict"), [(0.0999, "reproduced"), (0.1001, "no effect"), (0.05, "reproduced")])
def test_the_change_on_a_logarithm_is_from_its_first_to_its_last_condition(size, verdict):
    found = judge("trend/differences", gains({1: 0.0, 10: 0.05, 100: 0.1}), GAIN | smallest(effect=size))
    assert found.verdict == verdict


def test_an_undecided_slope_says_how_many_units_decide():
    # The example of docs/rules.md: slopes 0.1, 0.2 and 0.3 over a range of 1.
    table = tidy(
        {"method": method, "noise": n, "slice": z, "value": 0.7 - slope * n * (method == "old")}
        for z, slope in enumerate((0.1, 0.2, 0.3))
        for n, method in product((0, 1), ("new", "old"))
    )
    test = SLOPES | {"on": ["noise"]}
    assert judge("trend/differences", table, test).verdict == "inconclusive"
    for size, verdict in ((0.1, "reproduced"), (0.3, "reproduced"), (0.5, "no effect")):
        assert judge("trend/differences", table, test | smallest(effect=size)).verdict == verdict
    # Mean 0.1, standard error 0.0577: t = 1.7 above 0 and 3.5 below 0.3, of which 2.92 is the one-sided 5 % point.
    lower = table.assign(value=table["value"] + 0.1 * table["noise"] * (table["method"] == "old"))
    found = judge("trend/differences", lower, test | smallest(effect=0.2))
    assert (found.verdict, found.units) == ("inconclusive", np.ceil((2.4865 * 0.1 / 0.1) ** 2 + 1.35))
    assert judge("trend/differences", lower, test | smallest(effect=0.3)).verdict == "no effect"


def test_slopes_that_are_all_zero_show_nothing():
    found = judge("trend/differences", grid(new=old_hat, old=old_hat), SLOPES)
    assert parts(found) == ("not reproduced", "inconclusive", "")


# --- gain


def gains(curve, scatter=0.0, slices=4):
    """Accuracy of GE, and of K embeddings combined with the given gain at each K; one tilt a slice."""
    rows = []
    for z in range(slices):
        rows.append({"method": "old", "noise": 5, "slice": z, "value": 0.7 + 0.01 * z})
        for k, gain in curve.items():
            tilt = scatter * JITTER[z] * np.log(k)
            for r in range(2):
                value = 0.7 + 0.01 * z + gain + tilt + (0.01 if r else -0.01)
                at = {"noise": 5, "slice": z, "n_selected": k, "repetition": r}
                rows.append({"method": "of_k", **at, "value": value})
    return tidy(rows)


@pytest.mark.parametrize(
    ("curve", "scatter", "expected", "verdict"),
    [
        ({1: 0.0, 10: 0.05, 100: 0.1}, 1.0, ("reproduced", "reproduced"), "reproduced"),
        ({1: 0.0, 10: 0.05, 100: 0.1}, 40.0, ("reproduced", "inconclusive"), "inconclusive"),
        ({1: 0.1, 10: 0.05, 100: 0.0}, 1.0, ("not reproduced", "not reproduced"), "not reproduced"),
        ({1: 0.05, 10: 0.05, 100: 0.05}, 1.0, None, None),
    ],
)
def test_gain(curve, scatter, expected, verdict):
    found = judge("trend/differences", gains(curve, scatter), GAIN)
    assert f"{curve[1]:+.3f} at 1, {curve[10]:+.3f} at 10, {curve[100]:+.3f} at 100" in found.measured
    slope = (curve[100] - curve[1]) / np.log(100)
    if expected is None:
        assert found.significance == "inconclusive"
    else:
        assert f"slope of of_k - old on log n_selected {slope:+.2g}" in found.measured
        assert parts(found) == (*expected, "")
        assert found.verdict == verdict


# --- robust


def thresholds(over_theta, over_repetitions, thetas=(0.15, 0.5, 0.9), repetitions=3):
    rows = []
    for (k, theta), r, noise, z in product(enumerate(thetas), range(repetitions), (1, 9), range(2)):
        value = 0.8 + over_theta * (k - 1) + over_repetitions * (r - 1) + 0.01 * z - 0.01 * noise
        rows.append({"method": "new", "theta": theta, "noise": noise, "slice": z, "repetition": r, "value": value})
    rows += [{"method": "old", "noise": noise, "slice": z, "value": 0.1} for noise, z in product((1, 9), range(2))]
    return tidy(rows)


@pytest.mark.parametrize(
    ("over_theta", "over_repetitions", "verdict"),
    [(0.001, 0.01, "reproduced"), (0.02, 0.01, "not reproduced"), (0.0, 0.0, "reproduced")],
)
def test_robust_compares_two_variances(over_theta, over_repetitions, verdict):
    found = judge("robust", thresholds(over_theta, over_repetitions), ROBUST)
    assert found.verdict == verdict
    mean = 0.8 + 0.005 - 0.05
    assert f"{mean - over_theta:.3f} at 0.15, {mean:.3f} at 0.5, {mean + over_theta:.3f} at 0.9" in found.measured
    if over_repetitions:
        assert f"variance {over_theta**2:.2g} over theta, {over_repetitions**2:.2g} over rep" in found.measured


def test_values_that_differ_by_rounding_do_not_vary():
    table = thresholds(0.0, 0.0)
    table["value"] += np.resize([0.0, 1e-16, -1e-16], len(table))
    found = judge("robust", table, ROBUST)
    assert found.verdict == "reproduced"
    assert found.measured.endswith("variance 0 over theta, 0 over repetitions")


def test_robust_of_several_methods_keeps_them_apart():
    # Methods of different accuracy: together they would vary, each by itself does not.
    level = thresholds(0.001, 0.01)
    lower = level[level["method"] == "new"].assign(method="newer")
    table = pd.concat([level, lower.assign(value=lower["value"] - 0.4)])
    both = ROBUST | {"method": ["new", "newer"]}
    found = judge("robust", table, both)
    assert found.verdict == "reproduced"
    assert found.measured.startswith(
        "accuracy of new, newer 0.554 at 0.15, 0.555 at 0.5, 0.556 at 0.9; variance 1e-06 "
    )
    assert found.measured.endswith("1e-06 over theta, 0.0001 over repetitions")
    # Two that move, one up and one down, do not make up for each other.
    up, down = thresholds(0.02, 0.01), thresholds(-0.02, 0.01)
    table = pd.concat([up, down[down["method"] == "new"].assign(method="newer")])
    assert judge("robust", table, both).verdict == "not reproduced"
    with pytest.raises(NotTestable, match="method = newest"):
        judge("robust", table, ROBUST | {"method": ["new", "newest"]})


@pytest.mark.parametrize("empty", [np.nan, None, ""])
def test_robust_does_not_leave_out_conditions_without_a_name(empty):
    steady, moving = thresholds(0.001, 0.01), thresholds(0.05, 0.01)
    table = pd.concat([steady.assign(strength="supervised"), moving.assign(strength=empty)])
    test = ROBUST | {"by": ["noise", "strength"]}
    found = judge("robust", table, test)
    assert found.verdict == "not reproduced"
    assert f"variance {(0.001**2 + 0.05**2) / 2:.2g} over theta" in found.measured
    # Nor where the column holds numbers.
    table = pd.concat([steady.assign(slice=3.0), moving.assign(slice=np.nan)])
    assert judge("robust", table, ROBUST | {"by": ["noise", "slice"]}).measured == found.measured


def test_robust_needs_every_setting_in_every_condition():
    table = thresholds(0.1, 0.01)
    few, many = table["noise"] == 1, table["theta"] > 0.5
    one_each = table[(few & (table["theta"] == 0.15)) | (~few & many) | (table["method"] == "old")]
    missing = table[(table["noise"] == 1) | (table["repetition"] != 2) | (table["theta"] != 0.5)]
    for part in (one_each, missing):
        with pytest.raises(NotTestable, match="not every condition has a value of accuracy"):
            judge("robust", part, ROBUST)


@pytest.mark.parametrize("change", [{"thetas": (0.15,)}, {"repetitions": 1}])
def test_robust_needs_settings_and_repetitions_that_vary(change):
    with pytest.raises(NotTestable):
        judge("robust", thresholds(0.001, 0.01, **change), ROBUST)


# --- correlations, convergence


def series(**values):
    rows = [{"method": "strength", "series": s, "value": v} for s, found in values.items() for v in found]
    return tidy(rows, metric="spearman")


@pytest.mark.parametrize(
    ("values", "above", "expected"),
    [
        ([0.95, 0.97, 0.96], 0.9, ("reproduced", "reproduced", "reproduced")),
        ([0.70, 0.72, 0.71], 0.9, ("reproduced", "reproduced", "not reproduced")),
        ([0.70, 0.72, 0.71], None, ("reproduced", "reproduced", "")),
        ([-0.7, -0.72, -0.71], None, ("not reproduced", "not reproduced", "")),
    ],
)
def test_correlations(values, above, expected):
    test = CORRELATIONS | ({} if above is None else {"above": above})
    found = judge("trend/correlations", series(a=values), test)
    assert parts(found) == expected
    low, high = stats.t.interval(0.95, 2, np.mean(values), stats.sem(values))
    assert f"Spearman {np.mean(values):.3f} (a; 95 % interval over 3 units {low:.3f} to {high:.3f})" == found.measured


def test_correlations_of_a_unit_are_averaged_first():
    values = {"one": (0.5, 0.7), "two": (0.1, 0.3), "three": (0.4, 0.6, np.nan)}
    rows = [
        {"method": "strength", "series": "a", "metric": "spearman", "dataset": name, "value": value}
        for name, both in values.items()
        for value in both
    ]
    found = judge("trend/correlations", tidy(rows), CORRELATIONS | {"unit": ["dataset"]})
    low, high = stats.t.interval(0.95, 2, 1.3 / 3, stats.sem([0.6, 0.2, 0.5]))
    assert found.measured == f"Spearman 0.433 (a; 95 % interval over 3 units {low:.3f} to {high:.3f})"
    # Fewer units than values say less: six values show what three units do not.
    assert parts(found) == ("reproduced", "inconclusive", "")
    assert judge("trend/correlations", tidy(rows), CORRELATIONS).significance == "reproduced"
    with pytest.raises(NotTestable, match="at least two units"):
        judge("trend/correlations", tidy(rows[:2]), CORRELATIONS | {"unit": ["dataset"]})


def test_each_data_set_is_a_case_of_its_own():
    """Rises on one, falls on the other: their mean rises."""
    values = {"one": (0.6, 0.7, 0.8), "two": (-0.19, -0.2, -0.21)}
    rows = [
        {"method": "strength", "series": "a", "metric": "spearman", "dataset": name, "value": value}
        for name, of_set in values.items()
        for value in of_set
    ]
    found = judge("trend/correlations", tidy(rows), CORRELATIONS | {"by": ["dataset"]})
    assert parts(found) == ("mixed", "mixed", "")
    assert "Spearman 0.700 (a, one; 95 % interval over 3 units" in found.measured
    assert "Spearman -0.200 (a, two; 95 % interval over 3 units" in found.measured
    assert judge("trend/correlations", tidy(rows), CORRELATIONS).direction == "reproduced"
    # A set without any correlation is no case that holds.
    rows += [row | {"dataset": "three", "value": np.nan} for row in rows[:3]]
    for some in (rows, rows[-3:]):
        with pytest.raises(NotTestable, match="no correlation of a, three is defined"):
            judge("trend/correlations", tidy(some), CORRELATIONS | {"by": ["dataset"]})


@pytest.mark.parametrize(
    ("values", "verdict"),
    [([0.06, 0.07, 0.08], "reproduced"), ([0.01, 0.02, 0.03], "no effect"), ([-0.4, 0.1, 0.5], "inconclusive")],
)
def test_correlations_that_are_too_small(values, verdict):
    found = judge("trend/correlations", series(a=values), CORRELATIONS | smallest(effect=0.05))
    assert found.verdict == verdict
    assert bool(found.units) == (verdict == "inconclusive")


LIKE = {
    "metrics": [
        {"metric": "height", "methods": list("abcd")},
        {"metric": "score", "methods": list("wxyz"), "where": {"size": "5"}},
    ]
}


def two_metrics(first, second):
    """Heights of a to d and scores of w to z, a row a data set."""
    rows = [
        (f"set {k}", method, metric, size, value)
        for metric, size, methods, values in (("height", "", "abcd", first), ("score", "5", "wxyz", second))
        for k, one in enumerate(values)
        for method, value in zip(methods, one, strict=True)
    ]
    return pd.DataFrame(rows, columns=["dataset", "method", "metric", "size", "value"])


@pytest.mark.parametrize("seed", range(6))
def test_methods_are_ranked_alike_beyond_their_permutations(seed):
    """Two data sets: scipy's correlation under each of the 24 orders; whole numbers, so that there are ties."""
    rng = np.random.default_rng(seed)
    first, second = (rng.permuted(np.tile([1, 2, 3, 4 - k], (2, 1)), axis=1) for k in range(2))

    def mean_correlation(order):
        return np.mean([stats.spearmanr(x[list(order)], y).statistic for x, y in zip(first, second, strict=True)])

    found = judge("trend/methods", two_metrics(first, second), LIKE)
    mean = mean_correlation(range(4))
    of_chance = [mean_correlation(order) for order in permutations(range(4))]
    above = np.mean([one >= mean - 1e-9 for one in of_chance])
    below = np.mean([one <= mean + 1e-9 for one in of_chance])
    words = f"4 methods, mean of 2 data sets; exact p = {above:.2g}, of the contrary {below:.2g})"
    assert found.measured == f"Spearman {mean:.3f} ({words}"
    assert found.direction == ("reproduced" if mean > 1e-9 else "not reproduced")


@pytest.mark.parametrize("n_sets", [1, 2, 8])
def test_data_sets_with_the_same_order_of_methods_say_no_more_than_one(n_sets):
    """One of 24 orders is like the other metric, however many data sets have it; the contrary is two-sided."""
    alike = two_metrics([[1, 2, 3, 4]] * n_sets, [[10, 20, 30, 40]] * n_sets)
    found = judge("trend/methods", alike, LIKE)
    assert "exact p = 0.042, of the contrary 1)" in found.measured
    assert found.verdict == "reproduced"
    contrary = two_metrics([[4, 3, 2, 1]] * n_sets, [[10, 20, 30, 40]] * n_sets)
    assert judge("trend/methods", contrary, LIKE).verdict == "inconclusive"
    # Against a smallest effect speaks one side alone.
    assert judge("trend/methods", contrary, LIKE | smallest(effect=0.05)).verdict == "no effect"


def test_a_rank_of_methods_says_how_many_would_show_a_correlation_as_large():
    """A correlation of k methods varies as 1 / (k - 1); two-sided, power 80 %."""
    found = judge("trend/methods", two_metrics([[1, 2, 3, 4]], [[3, 4, 2, 1]]), LIKE)
    assert found.significance == "inconclusive"
    methods = 1 + ((1.95996 + 0.84162) / 0.8) ** 2
    assert found.units == np.ceil(methods + 1.645**2 / 2)


def test_methods_that_are_level_or_missing():
    level = two_metrics([[1, 1, 1, 1]], [[3, 4, 2, 1]])
    assert judge("trend/methods", level, LIKE).measured.startswith("Spearman 0.000 (")
    rounded = two_metrics([[0.1 + 0.2, 0.3, 0.3, 0.3]], [[4, 3, 2, 1]])
    assert judge("trend/methods", rounded, LIKE).measured.startswith("Spearman 0.000 (")
    lacking = level[(level["method"] != "z")]
    with pytest.raises(NotTestable, match="not every method has a value of score"):
        judge("trend/methods", lacking, LIKE)
    other = pd.concat([level, two_metrics([[1, 2, 3, 4]], []).assign(dataset="alone")])
    with pytest.raises(NotTestable, match="of other data sets: alone, set 0 and set 0"):
        judge("trend/methods", other, LIKE)


def strengths(*curve, correlations=(0.97, 0.99, 0.98)):
    rows = [
        {"level": 0.8, "metric": "strength", "n_embeddings": k, "repetition": r, "value": value + 0.002 * (r - 1)}
        for k, value in zip((1, 10, 100), curve, strict=True)
        for r in range(3)
    ]
    # Embeddings alone have a strength too, without a number combined.
    rows.append({"level": 0.8, "metric": "strength", "n_embeddings": np.nan, "value": 1.0})
    rows += [{"level": 0.8, "metric": "spearman", "n_embeddings": np.nan, "value": c} for c in correlations]
    return tidy(rows)


@pytest.mark.parametrize(
    ("last", "magnitude", "verdict"), [(0.99, "reproduced", "reproduced"), (0.94, "not reproduced", "mixed")]
)
def test_convergence(last, magnitude, verdict):
    found = judge("trend/correlations", strengths(0.8, 0.9, last), CONVERGENCE)
    assert parts(found) == ("reproduced", "reproduced", magnitude)
    assert found.verdict == verdict
    ends = f"0.800 at 1, {last:.3f} at 100 (standard error 0.0012; 0.8)"
    assert f"{ends}; limit 0.95; Spearman 0.980" in found.measured


def test_texts_have_no_last_one():
    table = strengths(0.8, 0.9, 0.96)
    table["n_embeddings"] = table["n_embeddings"].map({1: "low", 10: "middle", 100: "high"})
    with pytest.raises(NotTestable, match="n_embeddings has no order"):
        judge("trend/correlations", table, CONVERGENCE)


# --- frequency, within, context


def test_frequency_needs_its_share_under_every_condition():
    rows = [{"space": "a", "metric": "holds", "value": 1.0}] * 10
    rows += [{"space": "b", "metric": "holds", "value": float(k < 7)} for k in range(10)]
    where_a, where_b = {"space": "a"}, {"space": "b"}
    test = {"metric": "holds", "where": [where_a], "reported": [where_b], "at_least": 1.0}
    found = judge("share", tidy(rows), test)
    assert found.verdict == "reproduced"
    assert found.measured == "100.0% (a); beside it 70.0% (b)"
    assert judge("share", tidy(rows), test | {"where": [where_a, where_b]}).verdict == "mixed"
    assert judge("share", tidy(rows), test | {"where": [where_b]}).verdict == "not reproduced"
    assert judge("share", tidy(rows), test | {"where": [where_b], "at_least": 0.7}).verdict == "reproduced"


@pytest.mark.parametrize(("mean", "verdict"), [(3.9, "reproduced"), (2.1, "reproduced"), (4.2, "not reproduced")])
def test_within(mean, verdict):
    rows = [{"space": "pixels", "metric": "dimension", "value": mean + d} for d in (-0.1, 0.1)]
    rows += [{"space": "objects", "metric": "dimension", "value": 7.0}]
    test = {"metric": "dimension", "paper": 3, "margin": 1, "where": {"space": "pixels"}}
    found = judge("value", tidy(rows), test | {"reported": [{"space": "objects"}]})
    assert parts(found) == ("", "", verdict)
    assert found.measured == f"{mean:.2f} (standard deviation 0.14, 2 values); objects 7.00"


@pytest.mark.parametrize(
    ("values", "verdict"),
    [((2.0, 4.0, 5.0, 6.0), "reproduced"), ((1.0, 2.0, 3.0, 5.9), "not reproduced"), ((5.0,), "reproduced")],
)
def test_within_is_of_the_mean_over_data_sets(values, verdict):
    names = ["leukemia", "lung", "breast", "prostate"][: len(values)]
    tables = [
        tidy([{"metric": "dimension", "value": value + d} for d in ((0,) if k else (-1, 1, 0))], dataset=name)
        for k, (name, value) in enumerate(zip(names, values, strict=True))
    ]
    found = judge("value", pd.concat(tables), {"metric": "dimension", "paper": 4, "margin": 1})
    assert parts(found) == ("", "", verdict)
    if len(values) == 4:
        listed = f"leukemia {values[0]:.2f}, lung {values[1]:.2f}, breast {values[2]:.2f}, prostate {values[3]:.2f}"
        spread = f"{np.std(values, ddof=1):.2f} over 4 data sets: {listed}"
        assert found.measured == f"{np.mean(values):.2f} (standard deviation {spread})"


def test_within_of_one_value_has_no_spread():
    table = tidy([{"metric": "dimension", "value": 5.2}])
    found = judge("value", table, {"metric": "dimension", "paper": 4, "margin": 1})
    assert (found.measured, found.verdict) == ("5.20 (one value; within 1 of 4 is asked for)", "not reproduced")


@pytest.mark.parametrize("draws_of_pca", [2, 6])
def test_gain_of_a_data_set_is_the_mean_over_its_reductions(draws_of_pca):
    """Each reduction against itself, and each with the same weight, however many draws it has."""
    alone = {"pca": 0.5, "graph_embedding": 0.9}
    slopes = {("leukemia", "pca"): 0.01, ("leukemia", "graph_embedding"): 0.03, ("lung", "pca"): 0.05}
    rows = []
    for (dataset, reduction), slope in slopes.items():
        at = {"dataset": dataset, "reduction": reduction}
        rows.append(at | {"method": "single", "value": alone[reduction], "n_selected": np.nan})
        rows += [
            at | {"method": "of_k", "n_selected": k, "repetition": r, "value": alone[reduction] + slope * np.log(k)}
            for k, r in product((1, 10, 100), range(draws_of_pca if reduction == "pca" else 2))
        ]
    test = GAIN | {"against": "single", "pair": ["dataset"], "within": ["reduction"]}
    found = judge("trend/differences", tidy(rows), test)
    low, high = stats.t.interval(0.95, 1, 0.035, stats.sem([0.02, 0.05]))
    words = f"slope of of_k - single on log n_selected +0.035 (95 % interval over 2 units {low:+.2g} to {high:+.2g}"
    assert found.measured == f"{words}; +0.000 at 1, +0.081 at 10, +0.161 at 100)"
    assert parts(found) == ("reproduced", "inconclusive", "")
    # One projection of a reduction is missing.
    lacking = [row for row in rows if row["method"] != "single" or row["reduction"] == "pca"]
    with pytest.raises(NotTestable, match="of_k and of single"):
        judge("trend/differences", tidy(lacking), test)


# --- what cannot be tested


def one_unit(table, column, value=0):
    return table[table[column] == value]


PLAIN = grid(new=lambda n, f, z: 0.9 + JITTER[z], old=old_hat)
GLANDS = tidy(
    {"method": m, "gland": 0, "slice": z, "value": v} for m, v in (("new", 0.9), ("old", 0.8)) for z in (0, 1)
)
APART = PLAIN[(PLAIN["method"] == "new") == (PLAIN["slice"] < 2)]
UNTESTABLE = {
    "count, no rival": ("count", PLAIN, COUNT | {"against": ["old", "oldest"]}),
    "count, no condition": ("count", PLAIN, COUNT | {"where": {"noise": 77}}),
    "count, no rival of a pair": ("count", PLAIN, PAIRS),
    "count, one unit of a pair": ("count", one_unit(pairs_grid(6, 0.1), "slice"), PAIRS),
    "count, one unit in one condition": ("count", PLAIN[(PLAIN["noise"] > 1) | (PLAIN["slice"] == 0)], COUNT),
    "count, no common unit": ("count", APART, COUNT | {"criterion": "equivalent", "margin": 0.02}),
    "paired, no method": ("compare", GLANDS, PAIRED | {"method": "newest"}),
    "paired, one unit": ("compare", one_unit(GLANDS, "slice"), PAIRED),
    "draws, no method": ("compare", draws({1: 1.0}), DRAWS | {"against": ["oldest"]}),
    "slopes, one unit": ("trend/differences", one_unit(PLAIN, "slice"), SLOPES),
    "slopes, no variation": ("trend/differences", one_unit(PLAIN, "noise", 1), SLOPES),
    "gain, no rival": ("trend/differences", gains({1: 0.0, 10: 0.1}), GAIN | {"against": "oldest"}),
    "gain, no variation": ("trend/differences", gains({10: 0.1}), GAIN),
    "correlations, no interval": ("trend/correlations", series(a=[0.9]), CORRELATIONS | smallest(effect=0.05)),
    "correlations, undefined": ("trend/correlations", series(a=[np.nan, np.nan]), CORRELATIONS),
    "frequency, no case": ("share", series(a=[1.0]), {"metric": "holds", "where": [{}], "at_least": 1}),
    "within, no value": ("value", series(a=[1.0]), {"metric": "dimension", "paper": 3, "margin": 1}),
    "context, no value": ("context", series(a=[1.0]), {"metric": "seconds", "unit": "s", "where": [{"method": "x"}]}),
}


@pytest.mark.parametrize("name", UNTESTABLE)
def test_what_the_metrics_cannot_tell_is_not_testable_and_says_why(name):
    kind, table, test = UNTESTABLE[name]
    found = judge_one(kind, table, test)
    assert found["verdict"] == "not testable"
    assert len(found["reason"]) > 10


# --- through the ledger


def test_subset_is_taken_before_the_data_set_is_looked_up():
    simulated = series(simulated=[-0.9, -0.91, -0.92]).assign(dataset="simulated_objects", source="simulated")
    real = series(real=[0.9, 0.91, 0.92])
    test = {"metric": "spearman", "subset": {"series": "real"}, "where": [{"repetition": "0"}]}
    found = judge_one("trend/correlations", pd.concat([simulated, real]), test)
    assert (found["dataset"], found["source"], found["verdict"]) == ("brainweb", "original", "reproduced")
    missing = judge_one("trend/correlations", simulated, test)
    assert (missing["verdict"], missing["reason"]) == ("not testable", "this study has no such rows")


def test_the_first_data_set_is_judged_and_a_second_subject_does_not_move_it():
    first = grid(new=lambda n, f, z: 0.9 + JITTER[z], old=old_hat)
    second = grid(new=lambda n, f, z: 0.1 + JITTER[z], old=old_hat).assign(dataset="icbm152_simulated")
    found = judge_one("count", pd.concat([first, second]), COUNT)
    assert (found["dataset"], found["verdict"]) == ("brainweb", "reproduced")
    assert found["measured"] == judge("count", first, COUNT).measured
    turned = judge_one("count", pd.concat([second, first]), COUNT)
    assert (turned["dataset"], turned["verdict"]) == ("icbm152_simulated", "does not hold on the substitute")


def test_judgements_do_not_change_when_the_table_was_written_to_a_file(tmp_path):
    steady = pd.concat([thresholds(0.001, 0.01).assign(strength=s) for s in ("a", np.nan)])
    for kind, table, test in (
        ("count", PLAIN, COUNT | {"where": {"noise": 5}, "by": ["inhomogeneity"]}),
        ("trend/differences", gains({1: 0.0, 10: 0.05, 100: 0.1}, 1.0), GAIN),
        ("compare", draws({0.5: 1.0, 3: 0.9}), DRAWS),
        ("robust", steady, ROBUST | {"by": ["noise", "strength"]}),
        ("trend/correlations", strengths(0.8, 0.9, 0.99), CONVERGENCE),
    ):
        write_table(table, tmp_path / "metrics.tsv")
        found, again = (judge(kind, one, test) for one in (table, read_table(tmp_path / "metrics.tsv")))
        assert (again.measured, *parts(again)) == (found.measured, *parts(found))


# --- the claims that ship


def test_the_claim_on_the_toy_image_is_judged_without_noise_on_red_where_baselines_fail():
    (claim,) = CE[CE["id"] == "CE-01"].itertuples()
    methods = [claim.test["method"], *claim.test["against"]]
    rows = [
        {"method": method, "graph": "knn", "noise": noise, "red_noise": red, "baselines": baselines,
         "repetition": draw, "value": value}
        for noise, red, baselines, draw in product((0.5, 3), (0, 1), ("fail", "succeed"), range(3))
        for values in [(0.9, 0.8, 0.7) if (red, baselines) == (0, "fail") else (0.5, 0.6, 0.7)]
        for method, value in zip(methods, values, strict=True)
    ]  # fmt: skip
    table = tidy(rows, metric="accuracy")
    found = judge(claim.kind, table, claim.test)
    assert found.verdict == "reproduced"
    assert found == judge(claim.kind, table[(table["red_noise"] == 0) & (table["baselines"] == "fail")], claim.test)
