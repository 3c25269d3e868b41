"""Verdicts: every kind of test on numbers made by hand, before any result."""

import numpy as np
import pandas as pd
import pytest
from presented import one_claim
from replication.claims import judging
from replication.papers.tomo2025 import judges
from replication.papers.tomo2025.mce_tables import convergence_table
from replication.shared.tables import mean_sd_table, rounded, to_markdown

METRICS = ["distance_to_reference", "pairwise_distance"]
VALUE = {"paper": dict.fromkeys(METRICS, 100.0), "at": 2, "than": {"lower": 1}}
TREND = {"metrics": METRICS, "sizes": [1, 2, 4], "falls": "every step"}
EARLY = TREND | {"falls": "early"}


def convergence(means=(200, 100, 50), spread=5.0, dataset="digits", draws=100):
    """Metrics of mce_convergence with chosen means at m = 1, 2, 4; redraws spread evenly around them."""
    rows = []
    for metric in METRICS:
        for m, mean in zip((1, 2, 4), means, strict=True):
            for r, value in enumerate(np.linspace(mean - 1, mean + 1, 5)):
                rows.append(("consensus", m, str(r), metric, value))
                rows.append(("picture", m, str(r), metric, value * 2))
            order = np.random.default_rng(m).permutation(draws)
            for draw, value in enumerate(np.linspace(mean - spread, mean + spread, draws)[order]):
                rows.append(("consensus", m, str(draw), f"mean_{metric}_redrawn", value))
    table = pd.DataFrame(rows, columns=["space", "n_embeddings", "repetition", "metric", "value"])
    return table.assign(experiment="mce_convergence", dataset=dataset, source="original", method="mce")


def tail(slopes, exponential_aic=10.0, power_aic=20.0):
    rows = [("primary", p, "exponential_slope", slope) for p, slope in enumerate(slopes)]
    # One slope of all draws together, which is no mean and is not judged.
    rows += [("primary", "", "exponential_slope_pooled", 9.0)]
    for law, aic in (("exponential", exponential_aic), ("power", power_aic)):
        rows += [("primary", p, f"{law}_aic", value) for p, value in enumerate(np.broadcast_to(aic, len(slopes)))]
    return pd.DataFrame(rows, columns=["level", "repetition", "metric", "value"])


def claim(kind, test, dataset="digits"):
    return one_claim(kind, test, "mce_convergence", dataset)


def test_value_inside_the_band_is_reproduced():
    found = judges.judge_band(convergence(), VALUE)
    assert (found.direction, found.significance, found.magnitude) == ("reproduced", "", "reproduced")
    assert found.verdict == "reproduced"
    assert "100 (band 96 to 104; paper 100, p = 1; lower than at m = 1 in 100% of the redraws)" in found.measured


@pytest.mark.parametrize(
    ("papers", "magnitude"),
    [
        ((100, 300), "mixed"),
        ((300, 300), "not reproduced"),
        ((96, 104), "reproduced"),
        # Beyond the band, and p = 2 x 3/101 and 2 x 4/101: within chance, of two numbers and of one.
        ((100, 104.8), "in part"),
        ((104.7, 104.8), "inconclusive"),
    ],
)
def test_value_counts_the_metrics_whose_paper_value_is_inside(papers, magnitude):
    test = VALUE | {"paper": dict(zip(METRICS, papers, strict=True))}
    assert judges.judge_band(convergence(), test).magnitude == magnitude


def test_value_of_the_wrong_direction():
    found = judges.judge_band(convergence(means=(50, 100, 200)), VALUE)
    assert found.direction == "not reproduced"
    found = judges.judge_band(convergence(means=(50, 100, 200)), VALUE | {"than": {"higher": 1}})
    assert found.direction == "reproduced"


@pytest.mark.parametrize("spread", [5, 150])
def test_the_repetitions_are_judged_and_the_power_of_the_redraws_is_not(spread):
    table = convergence(spread=spread)
    assert judges.judge_band(table, VALUE).verdict == "reproduced"
    assert judges.judge_fall(table, TREND).verdict == "reproduced"
    assert judges.judge_fall(table, EARLY).verdict == "reproduced"


@pytest.mark.parametrize(
    ("means", "form"),
    [((200, 100, 50), "reproduced"), ((200, 100, 150), "not reproduced"), ((200, 100, 95), "reproduced")],
)
def test_trend_needs_every_step_down(means, form):
    found = judges.judge_fall(convergence(means), TREND)
    assert (found.direction, found.significance, found.magnitude) == ("", "", form)


def test_the_pictures_are_another_reading_of_a_fall():
    table = convergence()
    rises = (table["space"] == "picture") & (table["n_embeddings"] == 4)
    table.loc[rises, "value"] *= 9
    assert judges.judge_fall(table, TREND).verdict == "reproduced"
    assert judges.judge_fall(table, TREND | {"space": "picture"}).verdict == "not reproduced"
    assert judges.judge_fall(table, EARLY | {"space": "picture"}).verdict == "reproduced"


def test_trend_reports_the_share_of_the_redraws():
    # By hand: at m = 2 and 4 a redraw lies at 0, 10, ... 90 and at 45, independent of each other.
    table = convergence(draws=10)
    redrawn = table["metric"].str.endswith("_redrawn")
    table.loc[redrawn & (table["n_embeddings"] == 2), "value"] = [*range(0, 100, 10)] * 2
    table.loc[redrawn & (table["n_embeddings"] == 4), "value"] = 45.0
    assert "200 > 100 > 50 (every step down in 50% of the redraws)" in judges.judge_fall(table, TREND).measured


@pytest.mark.parametrize(
    ("means", "direction"),
    [
        ((200, 60, 50), "reproduced"),
        ((200, 124, 50), "reproduced"),  # 76 of 150
        ((200, 126, 50), "not reproduced"),
        ((200, 150, 50), "not reproduced"),
        ((200, 210, 220), "not reproduced"),  # nothing falls
        ((200, 210, 260), "not reproduced"),
        ((200, 100, 110), "reproduced"),
    ],
)
def test_more_of_the_fall_comes_before_the_middle(means, direction):
    found = judges.judge_fall(convergence(means), EARLY)
    assert (found.direction, found.significance, found.magnitude) == ("", "", direction)


@pytest.mark.parametrize(
    ("means", "smallest", "verdict"),
    [
        ((200, 100, 85), {"relative": 0.1}, "reproduced"),
        ((200, 100, 79), {"relative": 0.1}, "not reproduced"),
        ((200, 100, 79), {"effect": 22}, "reproduced"),
        ((200, 100, 120), {"effect": 1}, "reproduced"),  # it rises
    ],
)
def test_a_distance_falls_no_further_if_by_less_than_the_smallest_effect(means, smallest, verdict):
    test = TREND | {"falls": "no further", "smallest": smallest}
    found = judges.judge_fall(convergence(means, spread=0.5), test)
    assert found.verdict == verdict
    # Redraws on both sides decide nothing.
    unclear = judges.judge_fall(convergence(means, spread=40), test)
    assert unclear.verdict == "inconclusive"
    assert unclear.units > 5
    rest = f"{(means[1] - means[2]) / means[0]:.1%}"
    assert f"100 at m = 2, {means[2]} at 4: a fall of {rest} of the 200 at 1 (less than" in found.measured


@pytest.mark.parametrize(
    ("last", "spread", "verdict"),
    [
        (100, 30, "reproduced"),
        # Of 200 it falls by 5 %, surely so, and a tenth is the smallest effect.
        (190, 0.5, "no effect"),
        (210, 0.5, "not reproduced"),
        # Lower in the repetitions, and too often not in the redraws.
        (150, 90, "inconclusive"),
    ],
)
def test_a_distance_falls_at_all_if_it_does_so_in_the_redraws(last, spread, verdict):
    test = TREND | {"falls": "at all", "sizes": [1, 4], "smallest": {"relative": 0.1}}
    table = convergence((200, 150, last), spread=spread)
    found = judges.judge_fall(table, test)
    assert found.verdict == verdict
    first, lower = (
        table[(table["metric"] == "mean_pairwise_distance_redrawn") & (table["n_embeddings"] == m)]["value"].to_numpy()
        for m in (1, 4)
    )
    assert f"(lower in {np.mean(lower < first):.1%} of {len(first)} redraws" in found.measured


@pytest.mark.parametrize(
    ("slopes", "aics", "parts"),
    [
        ([-0.3, -0.31, -0.29], (10, 20), ("reproduced", "reproduced", "reproduced")),
        # A bound, which a better power law does not contradict.
        ([-0.3, -0.31, -0.29], (20, 10), ("reproduced", "reproduced", "inconclusive")),
        # Better on average, and in one sub-pool much worse.
        ([-0.3, -0.31, -0.29], (10, [20, 21, 5]), ("reproduced", "reproduced", "inconclusive")),
        ([-0.3, 0.2, -0.1], (10, 20), ("reproduced", "inconclusive", "reproduced")),
        ([0.3, 0.31, 0.29], (10, 20), ("not reproduced", "not reproduced", "reproduced")),
    ],
)
def test_decay(slopes, aics, parts):
    found = judges.judge_decay(tail(slopes, *aics), {"level": "primary"})
    assert (found.direction, found.significance, found.magnitude) == parts
    assert found.measured.startswith(f"slope of log Pr in m {np.mean(slopes):.3f} (")


def test_what_was_not_run_or_not_measured_is_not_testable():
    absent = judging.judge_claims(claim("trend/redraws", TREND), {}).iloc[0]
    assert (absent["verdict"], absent["measured"]) == ("not testable", "")
    assert absent["reason"] == "the experiment mce_convergence was not run in this study"
    missing = claim("trend/redraws", TREND | {"sizes": [1, 64]})
    found = judging.judge_claims(missing, {"mce_convergence": convergence()}).iloc[0]
    assert found["verdict"] == "not testable"
    assert "n_embeddings = 64" in found["reason"]


SETS = ["one", "two", "three", "four"]
ACROSS = {"metric": "score", "paper": 5.0, "margin": 1.0, "across": SETS}


def several(names, source="original", value=5.0):
    """One value of each data set."""
    rows = [{"dataset": name, "metric": "score", "value": value, "repetition": ""} for name in names]
    return pd.DataFrame(rows).assign(source=source, experiment="mce_convergence", method="any")


def judge_across(table, test=ACROSS):
    # The name that the claim gives to its data sets together.
    found = judging.judge_claims(claim("value", test, "all_four"), {"mce_convergence": table}).iloc[0]
    return found["dataset"], found["source"], found["verdict"], found["reason"]


@pytest.mark.parametrize(
    ("values", "verdict", "found"),
    [
        ([0.1, 0.3, 0.0], "reproduced", "2 of 2 means within 0.25 of 0, as asked for: 0.00 to 0.20"),
        ([0.1, 0.3, 1.0], "mixed", "1 of 2 means within 0.25 of 0, as asked for: 0.20 to 1.00; not c-d 1.00"),
        (
            [0.5, 0.3, 1.0],
            "not reproduced",
            "0 of 2 means within 0.25 of 0, as asked for: 0.40 to 1.00; not a-b 0.40, c-d 1.00",
        ),
    ],
    ids=["all", "one", "none"],
)
def test_each_mean_may_be_a_case(values, verdict, found):
    table = pd.DataFrame({"method": ["a-b", "a-b", "c-d"], "value": values, "metric": "score", "dataset": "one"})
    test = {"metric": "score", "paper": 0, "margin": 0.25, "by": ["method"]}
    judgement = judging.JUDGES["value"](table, test)
    assert (judgement.verdict, judgement.measured) == (verdict, found)


def test_sources_of_several_data_sets_are_all_named():
    table = pd.concat([several(SETS[:3]), several(SETS[3:], "own"), several(["mine"], "own")])
    expected = ("one, two, three, four, mine", "original, own", "holds on the substitute", "")
    assert judge_across(table) == expected


def test_a_claim_across_data_sets_looks_at_all_of_them():
    # The first alone would be inside the margin.
    table = pd.concat([several(["one"]), several(["two", "three", "four"], value=9.0)])
    assert judge_across(table)[2] == "not reproduced"
    assert judge_across(table, {key: ACROSS[key] for key in ("metric", "paper", "margin")})[0] == "one"


def test_a_claim_on_one_of_several_data_sets_is_judged_on_that_one():
    only = ACROSS | {"across": ["two"]}
    table = pd.concat([several(["one"], value=9.0), several(["two"]), several(["three"], value=9.0)])
    assert judge_across(table, only) == ("all_four", "original", "reproduced", "")
    assert judge_across(table.assign(source="own"), only) == ("two", "own", "holds on the substitute", "")
    missing = table[table["dataset"] != "two"]
    assert judge_across(missing, only) == ("one", "original", "does not hold on the substitute", "")


def test_a_claim_across_data_sets_that_lacks_its_numbers_is_not_testable():
    dataset, source, verdict, reason = judge_across(several(["planted"], "simulated").assign(metric="another"))
    assert (dataset, source, verdict) == ("planted", "simulated", "not testable")
    assert reason == "no value of score (there are another) in this study"
    assert judge_across(several([*SETS]), ACROSS | {"subset": {"method": "none"}})[3] == "this study has no such rows"


def test_another_metric_takes_the_place_of_one_for_the_methods_that_have_it():
    one = several(SETS, value=7.0)
    parts = [one, one.assign(metric="another", value=3.0), several(SETS).assign(method="without it")]
    table = pd.concat(parts, ignore_index=True)
    # The mean of 3 and 5, where it is of 7 and 5 by default.
    test = ACROSS | {"paper": 4.0, "margin": 0.5}
    assert judge_across(table, test)[2] == "not reproduced"
    assert judge_across(table, test | {"measured_by": {"score": "another"}})[2] == "reproduced"
    no_rows = judge_across(table, test | {"measured_by": {"score": "a third"}})
    assert no_rows[2:] == ("not testable", "no value of a third in this study")


def test_the_printed_values_of_a_claim_are_those_that_its_test_compares_with():
    table = judging.read_claims()
    digits = [row.test for row in table.itertuples() if row.kind == "value/redraws"]
    papers = {test["at"]: test["paper"] for test in digits}
    assert papers[10] == {"distance_to_reference": 6920.66, "pairwise_distance": 9585.07}
    for row in table.itertuples():
        if row.kind == "value/redraws":
            numbers = [float(number) for number in row.paper_value.split(";")]
            assert numbers == list(row.test["paper"].values())


def test_convergence_table_puts_the_paper_beside_the_measurement():
    test = VALUE | {"paper": {"distance_to_reference": 77.0, "pairwise_distance": 88.0}}
    claims = claim("value/redraws", test).to_dict("records")
    table = convergence_table(convergence(), claims)
    row = table[(table["distance"] == "pairwise distance") & (table["m"] == 2)].iloc[0]
    assert (row["mean"], row["paper"], row["mean on the picture"]) == (100, 88, 200)
    assert (row["band 5 %"], row["band 95 %"]) == (95.5, 104.5)
    # Other data, and another unit.
    for name in ("digits_first_300", "digits_unit_norm"):
        assert convergence_table(convergence(dataset=name), claims)["paper"].isna().all()


def test_mean_and_sd_table():
    table = mean_sd_table(
        pd.DataFrame({"method": ["a", "a", "b"], "metric": "score", "value": [1.0, 3.0, 5.5]}), ["method"]
    )
    assert table.to_dict("records") == [
        {"method": "a", "score": "2 ± 1.41"},
        {"method": "b", "score": "5.5"},
    ]


def test_a_p_value_of_a_table_is_never_rounded_to_zero():
    assert [rounded(p) for p in (0.1234567, 5.4e-7, 4.46e-7, 1e-30, 0.0)] == [0.123457, 1e-6, 4.5e-7, 1e-30, 0.0]


def test_markdown_cells_cannot_break_the_table():
    text = to_markdown(pd.DataFrame({"a": ["x|y"], "b": [1.5]}))
    assert text.splitlines() == ["| a | b |", "| --- | --- |", "| x/y | 1.5 |"]
