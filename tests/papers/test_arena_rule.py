"""The rule of the arena: what it names on scores that are known, and how often it names something by chance."""

import numpy as np
import pandas as pd
import pytest
from replication.arena.arena_names import CONTROL, SINGLE
from replication.arena.arena_reports import ranks
from replication.arena.arena_rule import AIMS, advise, compare, conclude
from replication.shared.ranks import compare_ranks

STABILITY = AIMS[0]
METHODS = ["median", "mean", "fusion", "medoid_run", SINGLE, CONTROL]
JUDGED = [aim for aim in AIMS if not aim.is_cost]


def metrics_of(scores, aims=AIMS):
    """Tidy metrics in which every measure of every aim has the scores (data set -> method -> score, lower better)."""
    measures = dict.fromkeys(measure for aim in aims for measure in aim.measures)
    return pd.DataFrame(
        [
            {"dataset": dataset, "kind": "tsne", "method": method, "space": space, "metric": metric,
             "repetition": 0, "value": -value if higher else value}
            for space, metric, higher in measures
            for dataset, row in scores.items()
            for method, value in row.items()
        ]
    )  # fmt: skip


def test_ranks_by_hand():
    """
    Three methods on four data sets; ranks a: 1 1 1 1, b: 2 2 3 2.5, c: 3 3 2 2.5.

    Sums 4, 9.5, 10.5; Friedman's chi-squared 12 / (4 * 3 * 4) * (16 + 90.25 + 110.25) - 3 * 4 * 4 = 6.125, over the
    correction for the one tie, 1 - 6 / (4 * 24) = 0.9375, is 6.533; p = exp(-6.533 / 2). Nemenyi: 2.343 times
    sqrt(3 * 4 / (6 * 4)).
    """
    scores = pd.DataFrame({"a": [1, 1, 1, 1], "b": [2, 2, 3, 2], "c": [3, 3, 2, 2]})
    found = compare_ranks(scores)
    assert found.mean_ranks.to_dict() == {"a": 1.0, "b": 2.375, "c": 2.625}
    assert found.p_value == pytest.approx(np.exp(-6.5333 / 2), rel=1e-3)
    assert found.critical_difference == pytest.approx(2.343 * np.sqrt(0.5), rel=1e-3)
    assert found.leaders == ["a"]
    assert found.not_worse == ["b", "c"]


def test_methods_that_are_all_equal_are_not_told_apart():
    found = compare_ranks(pd.DataFrame(np.ones((5, 4)), columns=list("abcd")))
    assert found.p_value == 1.0
    assert found.leaders == list("abcd")
    assert found.not_worse == []


def test_of_too_few_nothing_follows_and_a_missing_score_is_named():
    assert np.isnan(compare_ranks(pd.DataFrame({"a": [1.0], "b": [2.0], "c": [3.0]})).p_value)
    with pytest.raises(ValueError, match="found none of b on 1"):
        compare_ranks(pd.DataFrame({"a": [1.0, 2], "b": [2.0, None], "c": [3.0, 1]}))


def test_where_there_is_no_critical_difference_nothing_is_called_within_it():
    found = ranks(metrics_of({"digits": {method: float(k) for k, method in enumerate(METHODS)}}))
    assert set(found["within the critical difference"]) == {""}


def test_a_clear_winner_is_named_with_those_not_shown_to_be_worse():
    """Twelve data sets, order median < mean < fusion < medoid < random run: CD = 2.728 sqrt(5 * 6 / 72) = 1.76."""
    scores = {f"d{k}": dict(zip(METHODS, [1.0, 2, 3, 4, 5, 0], strict=True)) for k in range(12)}
    found = {advice.aim.name: advice for advice in advise(metrics_of(scores))}
    one = found["stability"]
    assert one.comparison.critical_difference == pytest.approx(1.761, abs=1e-3)
    assert (one.use, one.not_worse, one.reason) == (["median"], ["mean"], "")
    assert (one.mean_rank.value, one.mean_rank.ci_low, one.mean_rank.ci_high) == (1.0, 1.0, 1.0)
    assert one.gain.mean_difference == 4.0
    assert CONTROL not in one.comparison.ranks
    # Single runs do not compete for a cost.
    assert list(found["time"].comparison.ranks) == ["median", "mean", "fusion"]
    assert found["time"].use == ["median"]


def test_a_rival_and_a_single_run_are_named_as_readily_as_our_own():
    order = ["fusion", "medoid_run", "mean", "median", SINGLE, CONTROL]
    scores = {f"d{k}": dict(zip(order, range(6), strict=True)) for k in range(30)}
    assert advise(metrics_of(scores))[0].use == ["fusion"]
    order[:2] = order[1::-1]
    scores = {f"d{k}": dict(zip(order, range(6), strict=True)) for k in range(30)}
    assert advise(metrics_of(scores))[0].use == ["medoid_run"]


def test_what_is_not_better_than_a_random_run_is_not_recommended():
    order = ["median", SINGLE, "mean", "fusion", "medoid_run", CONTROL]
    scores = {f"d{k}": dict(zip(order, range(6), strict=True)) for k in range(12)}
    one = advise(metrics_of(scores))[0]
    assert one.p_value < 0.05
    assert (one.use, one.not_worse) == ([], [])
    assert "random run" in one.reason


def test_many_inputs_of_one_data_set_count_once():
    """Twenty inputs of one data set say what one says."""
    rng = np.random.default_rng(0)
    scores = {f"d{k}": dict(zip(METHODS, rng.random(6), strict=True)) for k in range(6)}
    once = metrics_of(scores)
    repeated = pd.concat([once, *(once[once["dataset"] == "d0"].assign(kind=f"k{k}") for k in range(20))])
    pd.testing.assert_frame_equal(compare(once, STABILITY).ranks, compare(repeated, STABILITY).ranks)


def test_a_change_of_unit_changes_nothing():
    rng = np.random.default_rng(1)
    scores = {f"d{k}": dict(zip(METHODS, rng.random(6), strict=True)) for k in range(6)}
    scaled = {data: {method: 10.0**k * v for method, v in row.items()} for k, (data, row) in enumerate(scores.items())}
    first, second = (compare(metrics_of(given), STABILITY) for given in (scores, scaled))
    pd.testing.assert_frame_equal(first.ranks, second.ranks)


@pytest.mark.slow
def test_random_scores_show_no_difference_in_at_least_nine_of_ten_studies():
    """Twelve methods on thirteen data sets, the five aims that are judged; a study fails if any aim names a method."""
    rng = np.random.default_rng(2026)
    names = [SINGLE, *(f"m{k}" for k in range(11))]
    trials, named = 60, 0
    for _ in range(trials):
        scores = rng.random((len(JUDGED), 13, len(names)))
        found = conclude(
            [(aim, compare_ranks(pd.DataFrame(s, columns=names))) for aim, s in zip(JUDGED, scores, strict=True)]
        )
        named += any(one.use for one in found)
    assert len(JUDGED) == 5
    assert named <= 0.1 * trials
