"""Tests over cohorts that overlap: how often they reject, their limits, and cohorts that allow no test."""

import numpy as np
import pandas as pd
import pytest
from fine_world import pathology, selection
from presented import smallest
from replication.papers.ginsburg2016.fine_metrics import FINE
from replication.papers.ginsburg2016.fine_set_judges import (
    judge_accuracies,
    judge_cohorts,
    judge_steps,
    share_held,
)
from replication.papers.ginsburg2016.judges import judge_vectors
from replication.shared.judgements import NotTestable

NAMED = ["s1", "s2", "s3", "s4"]


def lower(by):
    """Takes so much from every AUC of FINE."""
    return lambda metric, dataset, method, at, value: value - by if metric == "auc" and method in FINE else value


def test_cohorts_that_hold_the_whole_rarer_class_allow_no_test():
    table = pathology(sets={"s2": "own"}, shared=1.0)
    words = "no interval and no test: each cohort contains all of the rarer class"
    for by in (0, 0.5):
        moved = pathology(lower(by), {"s2": "own"}, shared=1.0)
        for above, on_par in (({"s2": ["fine"]}, {}), ({}, {"s2": ["fine"]})):
            with pytest.raises(NotTestable, match=f"^each cohort holds every patient .*: s2 FINE 0.*{words}"):
                judge_accuracies(moved, {"above": above, "on_par": on_par, "margin": 0.05})
        assert judge_vectors(moved, {"unit": "cohort"}).significance == "inconclusive"
    stabler = judge_cohorts(table, {"across": NAMED, "at_least": 3, "of": 4})
    assert (stabler.direction, stabler.significance) == ("reproduced", "inconclusive")
    assert words in stabler.measured
    vectors = judge_vectors(table, {"unit": "cohort"})
    assert "4 cohorts (each contains 100% of the rarer class, so that no test is possible)" in vectors.measured


@pytest.mark.parametrize(
    ("test", "direction"),
    [
        # FINE PCA 0.91, Isomap 0.8, LE 0.7, LLE 0.6.
        ({"methods": ["fine_pca", "fine_lle"]}, "reproduced"),
        ({"methods": ["fine_lle", "fine_pca"]}, "not reproduced"),
        ({"methods": ["fine_pca", "fine_le", "fine_isomap"]}, "not reproduced"),
        ({"pairs": [["fine_pca", "fine_le"], ["fine_le", "fine_isomap"]]}, "mixed"),
        ({"methods": ["fine_pca", "fine_isomap"]} | smallest(0.1), "reproduced"),
        ({"methods": ["fine_pca", "fine_isomap"]} | smallest(0.12), "not reproduced"),
    ],
)
def test_of_cohorts_that_are_one_draw_the_means_are_judged(test, direction):
    found = judge_steps(pathology(sets={"s2": "own"}, shared=1.0), test)
    assert (found.direction, found.significance) == (direction, "")
    assert "(each contains 100% of the rarer class, so that no test is possible): FINE " in found.measured
    assert "p = " not in found.measured
    # Nearly all leaves a little to be said.
    assert judge_steps(pathology(sets={"s2": "own"}, shared=0.99), test).significance


def test_pairs_without_an_order_or_without_room_are_left_out():
    pairs = [["fine_pca", "fine_isomap"], ["fine_pca", "fine_le"]]
    table = pathology(sets={"s2": "own"})
    # FINE Isomap is at 0.8: a lead of 0.25 would end above 1.
    found = judge_steps(table, {"pairs": pairs} | smallest(0.25))
    assert found.measured.endswith(
        "left out, the same values or no room for the smallest effect below 1: FINE PCA over FINE Isomap; falls by "
        f"{judge_steps(table, {'pairs': pairs[1:]}).measured.split('falls by ')[1]}"
    )
    assert "left out" not in judge_steps(table, {"pairs": pairs} | smallest(0.2)).measured
    copy = table[table["method"] == "fine_pca"].assign(method="fine_isomap")
    twice = pd.concat([table[table["method"] != "fine_isomap"], copy])
    with pytest.raises(NotTestable, match=r"left out, the same values or no room .*: FINE PCA over FINE Isomap$"):
        judge_steps(twice, {"pairs": pairs[:1]})


def test_a_set_whose_cohorts_are_one_draw_is_told_and_not_judged():
    test = {"above": {"s2": ["fine"]}, "on_par": {"s1": ["fine"]}, "margin": 0.05}
    alone = pathology(sets={"s1": "own"})
    expected = judge_accuracies(alone, test)
    assert expected.verdict == "reproduced"
    # Whatever FINE reaches there.
    for by in (0, 0.5):
        whole = pathology(lower(by), {"s2": "own"}, shared=1.0)
        found = judge_accuracies(pd.concat([alone, whole]), test)
        assert (found.direction, found.significance) == (expected.direction, expected.significance)
        assert f"; s2 FINE {0.75 - by:.3f}, filters 0.650, difference" in found.measured


def test_without_the_share_that_cohorts_hold_there_is_no_test():
    table = pathology(sets={"s2": "own"})
    assert share_held(table) == 0.1
    table = table[table["metric"] != "shared"]
    for judge, test in (
        (judge_steps, {"methods": ["fine_pca", "fine_lle"]}),
        (judge_vectors, {"unit": "cohort"}),
        (judge_vectors, {"unit": "repetition"}),
    ):
        with pytest.raises(NotTestable, match=r"share of a set in a cohort or a round \(metric shared\) is missing"):
            judge(table, test)


def test_a_lead_over_rounds_counts_less_the_more_of_the_samples_each_draws():
    found = {}
    for shared in (0.001, 0.2, 0.6):
        table = selection(sets={"gisette": "original"}, rounds=20, shared=shared)
        # Rounds vary by more than they do in the world in which every claim holds.
        noise = np.random.default_rng(0).normal(0, 0.1, len(table))
        table["value"] = pd.to_numeric(table["value"]) + np.where(table["metric"] == "auc", noise, 0.0)
        found[shared] = judge_vectors(table, {"unit": "repetition", "classifiers": "mean"})
    assert [found[shared].significance for shared in found] == ["reproduced", "in part", "inconclusive"]
    assert found[0.2].measured.startswith(
        "FINE - embedding vectors, AUC over 20 rounds (each draws 20% of the training"
    )
