"""Kinds of claims on FINE on numbers made by hand: what decides each part, and the numbers that are told."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from fine_world import World, moved, pathology, selection, survival, together, unchanged
from presented import smallest
from replication.claims import judging
from replication.papers.ginsburg2016.fine_metrics import FINE, REDUCTIONS
from replication.papers.ginsburg2016.fine_set_judges import (
    auc_of,
    judge_accuracies,
    judge_cohorts,
    judge_risk_groups,
    judge_sets,
    judge_steps,
    judged_sets,
)
from replication.papers.ginsburg2016.judges import (
    judge_accuracy,
    judge_dimensions,
    judge_stability,
    judge_vectors,
    numbers_tried,
)
from replication.shared.cells import errors_in_effect, for_all
from replication.shared.general_judges import judge_range
from replication.shared.judgements import NotTestable
from replication.shared.statistics import holm
from scipy import stats

OF = {"across": ["madelon"]}
NAMED = ["s1", "s2", "s3", "s4"]


def one_set(change=unchanged, **options):
    return selection(change, {"madelon": "original"}, **options)


def noise(size, seed=0):
    """Adds noise of its own to every AUC."""
    rng = np.random.default_rng(seed)

    def change(metric, dataset, method, at, value):
        return value + size * rng.normal() if metric == "auc" else value

    return change


def test_the_stability_of_methods_that_no_part_asks_for_does_not_matter():
    test = {**OF, "above": [[["gini"], ["fisher"]]], "ranges": {"gini": [0.04, 0.04]}}
    found = judge_stability(one_set(), test)
    # Equal values are no order; on the edge of the range is inside.
    assert (found.direction, found.significance, found.magnitude) == ("not reproduced", "", "reproduced")
    assert found.measured == "Jaccard index at 5 features: Fisher score 0.040, Gini index 0.040; chance 0.010"
    lacking = one_set(moved(None, "jaccard", ["t_test"], ["madelon"]))
    assert judge_stability(lacking, test) == found
    told = judge_stability(one_set(), test | {"reported": ["fine_lle"]})
    assert (told.direction, told.magnitude) == (found.direction, found.magnitude)
    assert told.measured.startswith("Jaccard index at 5 features: FINE LLE 0.220, Fisher score 0.040,")


def test_a_ranking_asks_for_an_effect_of_interest_of_each_statement():
    # FINE 0.065, 0.06, 0.07 and 0.22; the filters 0.04: ahead by 0.02 and by 0.15.
    above = {"above": [[["fine"], ["filters"]], [["fine_lle"], ["fine_pca", "fine_isomap", "fine_le"]]]}
    for first, second, direction in (
        (0.02, 0.15, "reproduced"),
        (0.021, 0.15, "mixed"),
        (0.02, 0.151, "mixed"),
        (0.021, 0.151, "not reproduced"),
    ):
        size = {"smallest": {"effect": {"fine": first, "fine_lle": second}, "because": "made up"}}
        assert judge_stability(one_set(), {**OF, **above, **size}).direction == direction
    # As much above as asked for, but for binary numbers: 0.3 is less than 0.1 + 0.2.
    given = {"gini": 0.3, "fisher": 0.1}
    table = one_set(lambda metric, _, method, at, value: given.get(method, value))
    for judge, more in ((judge_stability, {}), (judge_accuracy, {"compare": "highest"})):
        for effect, direction in ((0.2, "reproduced"), (0.2001, "not reproduced")):
            test = {**OF, "above": [[["gini"], ["fisher"]]], "smallest": {"effect": effect, "because": "made up"}}
            assert judge(table, test | more).direction == direction


def test_a_limit_below_is_strict():
    below = {**OF, "below": {"gini": 0.04}}
    assert judge_stability(one_set(), below).magnitude == "not reproduced"
    assert judge_stability(one_set(), {**OF, "below": {"gini": 0.0401}}).magnitude == "reproduced"


def test_variants_are_told_and_not_judged():
    found = judge_stability(one_set(), {**OF, "ranges": {"fine": [0.9, 1]}, "variants": True})
    assert found.magnitude == "not reproduced"
    assert found.measured.endswith("; not judged, variants: all samples 1.000")


def test_the_smallest_difference_is_told_with_its_jackknife_interval():
    test = {**OF, "above": [[["fine"], ["filters"]]], "significant": 0}
    found = judge_stability(one_set(), test)
    assert found.significance == "reproduced"
    assert "; smallest difference FINE Isomap - t-test +0.020 (95 % jackknife interval over 4 rounds" in found.measured
    assert found.measured.endswith("above 0 beyond chance in 12 of 12")


def test_the_best_of_several_or_the_mean_over_classifiers_decides():
    def change(metric, dataset, method, at, value):
        if metric != "auc" or method != "gini":
            return value
        return 0.9 if at["classifier"] == "svm" else 0.3

    above = {**OF, "above": [[["gini"], ["fine"]]]}
    table = one_set(change)
    assert judge_accuracy(table, {**above, "compare": "highest"}).direction == "reproduced"
    assert judge_accuracy(table, {**above, "compare": "mean"}).direction == "not reproduced"
    twice = {**OF, "above": above["above"] * 2, "compare": ["mean", "highest"]}
    assert judge_accuracy(table, twice).direction == "mixed"
    inside = {**OF, "ranges": {"gini": [0.5, 0.5]}, "margin": 0.05}
    assert judge_accuracy(table, {**inside, "judge": "mean"}).magnitude == "reproduced"
    found = judge_accuracy(table, {**inside, "judge": "classifiers"})
    assert found.magnitude == "not reproduced"
    # Where the AUC is the same at all numbers of features, the smallest is told.
    assert found.measured == (
        "mean AUC at the best number of features (with LR, SVM, RF): Gini index 0.300, 0.900, 0.300 at 1, 1, 1; within "
        "0.05 of its range 0 of 3"
    )


def test_a_number_of_features_that_was_not_reached():
    test = {**OF, "count": 300, "ranges": {"fine": [0.6, 0.6]}, "judge": "classifiers", "margin": 0.05}
    assert judge_accuracy(one_set(), test).magnitude == "reproduced"
    with pytest.raises(NotTestable, match="no AUC at 300 features of FINE PCA, FINE Isomap, FINE LE, FINE LLE in this"):
        judge_accuracy(one_set(counts=(1, 5)), test)


@pytest.mark.parametrize(("smallest", "direction"), [(199, "reproduced"), (296, "not reproduced")])
def test_methods_that_are_best_with_fewer_features(smallest, direction):
    def change(metric, dataset, method, at, value):
        best = {"gini": 300}.get(method, 5)
        return 0.9 if metric == "auc" and at.get("n_features") == best else value

    test = {**OF, "fewer": [[["fine"], ["gini"]]], "smallest": {"effect": smallest}}
    found = judge_accuracy(one_set(change), test)
    assert (found.direction, found.significance, found.magnitude) == (direction, "", "")
    assert "best number of features, mean over classifiers: FINE PCA 5.0," in found.measured
    assert found.measured.endswith("FINE LLE 5.0, Gini index 300.0")
    turned = judge_accuracy(one_set(change), {**OF, "fewer": [[["gini"], ["fine"]]]})
    assert turned.direction == "not reproduced"


def test_cells_are_counted_with_holms_correction():
    # Rounds that share nothing are independent.
    table = one_set(noise(0.12, seed=5), rounds=12, shared=0)
    rows = table[(table["metric"] == "auc") & table["n_features"].isin([5, ""])]
    wide = rows.pivot(index="repetition", columns=["method", "classifier"], values="value")
    fine, vectors = (wide[[f"{kind}_{name}" for name in REDUCTIONS]] for kind in ("fine", "embedding"))
    p = stats.ttest_rel(fine, vectors, alternative="greater").pvalue
    rejected = holm(p) < 0.05
    assert 0 < rejected.sum() < (p < 0.05).sum()
    words = judge_vectors(table, {"unit": "repetition"}).measured
    assert words.startswith("FINE - embedding vectors, AUC over 12 rounds (each draws 0% of the training samples): at")
    assert f"at five features above in 11 of 12 cells ({rejected.sum()} by enough and beyond chance, 0 below" in words


def test_cohorts_are_the_unit_where_they_are_asked_for():
    table = pathology(sets={"s1": "public-substitute"}, cohorts=3, rounds=5)
    assert judge_vectors(table, {"unit": "cohort"}).measured.startswith("FINE - embedding vectors, AUC over 3 coh")


def test_cells_may_be_means_over_the_classifiers():
    table = one_set(moved(-0.11, "auc", ["fine_le"], ["madelon"], classifier=["svm"]))
    each = judge_vectors(table, {"unit": "repetition"})
    mean = judge_vectors(table, {"unit": "repetition", "classifiers": "mean"})
    assert (each.direction, mean.direction) == ("mixed", "reproduced")
    assert "above in 4 of 4 cells (4 by enough and beyond chance, 0 below" in mean.measured
    assert "(least: LE, mean over classifiers)" in mean.measured


def test_numbers_of_features_are_counted_for_each_classifier():
    table = one_set()
    fewer = (table["classifier"] == "random_forest") & (table["n_features"] == 20)
    assert fewer.any()
    areas = auc_of(table[~fewer])
    assert numbers_tried(areas, "each") == {"LR": 4, "SVM": 4, "RF": 3}
    assert numbers_tried(areas, "mean") == {"mean over classifiers": 48}


@pytest.mark.parametrize(
    ("h", "n_round", "inside"),
    [(20, 100, True), (20, 22, False), (11.5, 100, True), (11.3, 100, False), (48.9, 100, True), (49, 100, False)],
)
def test_dimensions_within_a_factor_and_not_at_the_edge(h, n_round, inside):
    world = World("feature_selection", "madelon", "original", unchanged)
    world.add("all", "n_round", n_round)
    world.add("embedding_pca", "n_components", h - 0.1, 0)
    world.add("embedding_pca", "n_components", h + 0.1, 1)
    world.add("embedding_pca", "n_components", 1, 0, variant="another")
    test = {"paper": {"madelon": {"pca": 36}}, "factor": 3.16228, "largest": 50}
    found = judge_dimensions(world.metrics.table(), test)
    assert found.magnitude == ("reproduced" if inside else "not reproduced")
    assert ("edge of the grid" in found.measured) == (h in (49,) or n_round == 22)


PAPER = {"paper": {"madelon": {"pca": 36, "isomap": 4, "le": 24, "lle": 1}}, "factor": 2, "largest": 50}


def dimensions(*values):
    """Metrics with these h of PCA, Isomap, LE and LLE in every round."""
    given = dict(zip(("embedding_pca", "embedding_isomap", "embedding_le", "embedding_lle"), values, strict=True))
    return one_set(lambda metric, _, method, at, value: given[method] if metric == "n_components" else value)


def test_more_dimensions_than_the_best_constant_has_are_a_direction():
    # A constant has 36 and 24, or 4 and 1.
    assert judge_dimensions(dimensions(30, 7, 20, 9), PAPER).direction == "reproduced"
    found = judge_dimensions(dimensions(49.5, 4, 24, 9), PAPER)
    assert (found.direction, found.magnitude) == ("not reproduced", "not reproduced")
    assert found.measured.startswith(
        "mean h within a factor of 2.00 in 2 of 4 (the best constant, h = 2.0, in 2), rank correlation 0.80 (p = 0.17)"
        ": madelon: PCA 49.5 (edge of the grid), paper 36, outside; Isomap 4.0"
    )


def test_the_best_constant_of_the_table_that_is_printed():
    test = judging.read_claims().set_index("id").loc["FI-08", "test"]
    printed = [h for of in test["paper"].values() for h in of.values()]
    hits = [sum(abs(np.log(h / one)) <= np.log(test["factor"]) for one in printed) for h in np.arange(1, 50, 0.01)]
    assert max(hits) == 11
    found = judge_dimensions(selection(lambda m, d, f, at, v: 15.0 if m == "n_components" else v), test)
    assert "in 11 of 16 (the best constant, h = 12.6, in 11): " in found.measured
    assert (found.direction, found.significance) == ("not reproduced", "inconclusive")


@pytest.mark.parametrize(
    ("values", "part"),
    [((36, 4, 24, 1), "reproduced"), ((1, 24, 4, 36), "not reproduced"), ((24, 4, 1, 36), "inconclusive")],
)
def test_ranks_of_dimensions(values, part):
    assert judge_dimensions(dimensions(*values), PAPER).significance == part


@pytest.mark.parametrize("values", [(2, 5, 20), (2, 2, 5, 20), (2, 3, 5, 20)])
def test_few_dimensions_are_ranked_alike_by_chance_as_rarely_as_the_level_says(values):
    cells = dict(list(PAPER["paper"]["madelon"].items())[: len(values)])
    test = PAPER | {"paper": {"madelon": cells}}
    found = [
        judge_dimensions(dimensions(*order, *[9] * (4 - len(order))), test).significance
        for order in permutations(values)
    ]
    for part in ("reproduced", "not reproduced"):
        assert found.count(part) <= 0.05 * len(found)


def test_scores_of_variants_need_not_sum_to_one():
    table = one_set()
    printed = table[table["metric"] == "score_sum"].assign(variant="as printed", value=0.2)
    test = judging.read_claims().set_index("id").loc["FI-18", "test"]
    assert judge_range(pd.concat([table, printed], ignore_index=True), test).magnitude == "reproduced"
    assert judge_range(printed.assign(variant=""), test | {"ranges": {"score_sum": [0, 1]}}).magnitude == "reproduced"
    assert judge_range(printed.assign(variant=""), test | {"ranges": {"score_sum": [0.3, 1]}}).magnitude == (
        "not reproduced"
    )


def test_data_sets_that_a_claim_names_or_all():
    table = pathology(sets={"mine": "own", "s2": "own", "s1": "own"})
    assert list(judged_sets(table, {"across": NAMED})) == ["s1", "s2"]
    assert list(judged_sets(table, {"across": ["s9"]})) == ["mine", "s2", "s1"]
    assert list(judged_sets(table, {})) == ["mine", "s2", "s1"]


def lower_on(names, by=1.0, metric="jaccard", methods=FINE):
    return moved(-by, metric, methods, names)


@pytest.mark.parametrize(
    ("sets", "below", "direction", "significance"),
    [
        (NAMED, [], "reproduced", "reproduced"),
        (NAMED, ["s1"], "reproduced", "reproduced"),
        (NAMED, ["s1", "s2"], "not reproduced", "not reproduced"),
        # Of three sets all are needed, of two as well.
        (["s1", "s2", "s3"], ["s1"], "not reproduced", "not reproduced"),
        (["s1", "s2"], [], "reproduced", "reproduced"),
    ],
)
def test_as_many_sets_as_asked_for_in_proportion(sets, below, direction, significance):
    table = pathology(lower_on(below), dict.fromkeys(sets, "own"))
    found = judge_cohorts(table, {"across": NAMED, "at_least": 3, "of": 4})
    assert (found.direction, found.significance) == (direction, significance)
    assert found.measured.startswith(f"above in {len(sets) - len(below)} of {len(sets)} data sets")


def test_more_than_half_of_the_sets_have_both():
    test = {"across": NAMED, "beyond": 0.01}
    assert judge_sets(pathology(), test).verdict == "direction only"
    stabler = lower_on(["s1", "s2"])
    found = judge_sets(pathology(stabler), test)
    assert found.verdict == "not reproduced"
    words = "stabler in 2 of 4 data sets, by more than 0.01 in 2 (FINE and filters: s1 -0.650 and 0.200"
    assert words in found.measured
    # Stabler in three of four, more accurate in three of four, and both in two alone.
    stabler, better = lower_on(["s1"]), lower_on(["s4"], metric="auc")
    found = judge_sets(pathology(together(stabler, better)), test)
    assert found.measured.startswith("both in 2 of 4 data sets; stabler in 3 of 4")
    assert "more accurate in 3 of 4" in found.measured
    assert found.verdict == "not reproduced"


def test_a_method_without_one_of_the_classifiers_has_no_mean():
    change = moved(None, "auc", ["gini"], NAMED, classifier=["svm"])
    with pytest.raises(NotTestable, match="a method has no value with one of the classifiers"):
        judge_sets(pathology(change), {"across": NAMED, "beyond": 0.01})


@pytest.mark.parametrize(
    ("by", "direction", "significance"),
    [
        (0.0, "reproduced", "reproduced"),
        (0.055, "reproduced", "reproduced"),
        (0.07, "not reproduced", "not reproduced"),
        (-0.0399, "reproduced", "inconclusive"),
        (-0.2, "not reproduced", "not reproduced"),
    ],
)
def test_on_par_by_two_one_sided_tests(by, direction, significance):
    # FINE is 0.01 above the filters on s1.
    table = pathology(lower_on(["s1"], by, "auc"), {"s1": "own"})
    found = judge_accuracies(
        table, {"across": NAMED, "above": {"s2": ["fine"]}, "on_par": {"s1": ["fine"]}, "margin": 0.05}
    )
    assert (found.direction, found.significance) == (direction, significance)


@pytest.mark.parametrize(
    ("by", "verdict"),
    # FINE is 0.1 above the filters on s2.
    [(0.0, "reproduced"), (0.045, "reproduced"), (0.06, "no effect"), (0.1, "no effect"), (0.2, "not reproduced")],
)
@pytest.mark.parametrize("size", [0.05, {"s2": 0.05}])
def test_above_by_an_effect_of_interest(by, verdict, size):
    test = {"above": {"s2": ["fine"]}, "on_par": {}, "margin": 0.05} | smallest(size)
    assert judge_accuracies(pathology(lower_on(["s2"], by, "auc"), {"s2": "own"}), test).verdict == verdict
    # What is on par is not asked for an effect: FINE is 0.01 above the filters on s1.
    both = test | {"on_par": {"s1": ["fine"]}}
    found = judge_accuracies(pathology(lower_on(["s2"], by, "auc"), {"s2": "own", "s1": "own"}), both)
    assert found.verdict == ("reproduced" if verdict == "reproduced" else "mixed")


@pytest.mark.parametrize(
    ("effect", "n", "verdict"),
    [
        # FINE is stabler by 0.15, 0.55, 0.5 and 0.054.
        (0.05, 4, "reproduced"),
        (0.1, 3, "reproduced"),
        # Two of them are shown: the claim has an effect, in too few sets.
        (0.2, 2, "not reproduced"),
        (0.6, 0, "no effect"),
    ],
)
def test_sets_are_counted_by_an_effect_of_interest(effect, n, verdict):
    test = {"across": NAMED, "at_least": 3, "of": 4} | smallest(effect)
    found = judge_cohorts(pathology(), test)
    assert found.verdict == verdict
    assert found.measured.startswith(f"above in {n} of 4 data sets (needed: 3), beyond chance in {n}: ")
    # Two small ones, and one the other way.
    turned = judge_cohorts(pathology(lower_on(["s3"])), {**test, "at_least": 2})
    assert turned.verdict == ("reproduced" if n >= 3 else "not reproduced")


def spread(size, metric, name):
    """Cohorts of a set differ so much in a metric of FINE."""

    def change(found, dataset, method, at, value):
        if (found, dataset) != (metric, name) or method not in FINE:
            return value
        return value + size * (1.0, -1.0, 0.5, -0.5)[at["cohort"]]

    return change


def test_as_many_sets_as_are_needed_say_how_many_cohorts_would_decide():
    table = pathology(together(spread(0.8, "jaccard", "s3"), spread(2.0, "jaccard", "s4")), shared=0.0)
    found = [judge_cohorts(table, {"across": NAMED, "at_least": n, "of": 4} | smallest(0.05)) for n in (2, 3, 4)]
    assert [one.significance for one in found] == ["reproduced", "inconclusive", "inconclusive"]
    # Of the third: the variance of its cohorts is 0.8^2 5 / 6. Of four cells, by a t-test.
    of_third = (errors_in_effect() / 0.05) ** 2 * 0.8**2 * 5 / 6
    assert found[1].units == pytest.approx(for_all(of_third, 4), rel=0.01)
    assert found[2].units > 5 * found[1].units


def test_what_is_shown_needs_no_more_cohorts():
    test = {"across": ["s1"], "at_least": 1, "of": 1, "metrics": ["jaccard", "auc"]} | smallest(
        {"jaccard": 0.05, "auc": 0.05}
    )
    accuracy = spread(0.3, "auc", "s1")
    calm, wild = (
        judge_cohorts(pathology(together(accuracy, spread(size, "jaccard", "s1")), {"s1": "own"}, shared=0.0), test)
        for size in (0.001, 0.1)
    )
    assert calm.units == wild.units > 100


def test_looks_at_the_data_are_paid_for_before_other_corrections():
    rng = np.random.default_rng(0)

    def change(metric, dataset, method, at, value):
        return value + 0.02 * rng.normal() if metric == "auc" and method.startswith("embedding") else value

    table, found = one_set(change), {}
    for looks in (1, 10**9):
        found[looks] = judge_vectors(table, {"unit": "repetition", "looks": looks} | smallest(0.01)).significance
    assert found[1] == "reproduced"
    assert found[10**9] == "inconclusive"
    cohorts = {"across": NAMED, "at_least": 3, "of": 4} | smallest(0.05)
    assert judge_cohorts(pathology(noisy_stability(0.01)), cohorts).significance == "reproduced"
    assert judge_cohorts(pathology(noisy_stability(0.01)), cohorts | {"looks": 10**9}).significance == "inconclusive"


def noisy_stability(size):
    """Adds noise of its own to every Jaccard index."""
    rng = np.random.default_rng(1)

    def change(metric, dataset, method, at, value):
        return value + size * rng.normal() if metric.startswith("jaccard") else value

    return change


def test_the_value_of_a_contrast_that_fails_is_no_success():
    # All but FINE have 0.04.
    test = {**OF, "above": [[["gini"], ["fisher"]]], "ranges": {"gini": [0.04, 0.04]}}
    assert judge_stability(one_set(), test).verdict == "mixed"
    assert judge_stability(one_set(), test | {"together": True}).verdict == "not reproduced"
    of_fine = {**OF, "above": [[["fine_lle"], ["fisher"]]], "ranges": {"fine_lle": [0.22, 0.22]}, "together": True}
    assert judge_stability(one_set(), of_fine).magnitude == "reproduced"


def test_a_step_that_is_too_small_is_no_order():
    order = {"methods": ["fine_pca", "fine_isomap", "fine_le"]}
    table = pathology(lower_on(["s2"], 0.08, methods=["fine_isomap", "fine_pca"]), {"s2": "own"})
    assert judge_steps(table, order).verdict == "reproduced"
    assert judge_steps(table, order | smallest(0.05)).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("untested", "turned", "expected", "numbers"),
    [
        ([0], [], ("reproduced", "reproduced"), ("+0.115", "0.025", "75%", "0.0025")),
        ([0, 1, 2], [], ("reproduced", "inconclusive"), ("+0.115", "1", "25%", "1")),
        ([], [3], ("reproduced", "reproduced"), ("+0.080", "0.023", "75%", "0.0023")),
        # The longer life of the high risk group is beyond chance in most partitions, whatever the mean.
        ([], [1, 2, 3], ("not reproduced", "not reproduced"), ("+0.018", "1", "25%", "1")),
        # As many partitions one way as the other show nothing.
        ([], [1, 3], ("reproduced", "inconclusive"), ("+0.050", "0.51", "50%", "0.5")),
    ],
)
def test_partitions_without_a_test_or_in_which_the_high_risk_group_lives_longer_have_a_p_value_of_one(
    untested, turned, expected, numbers
):
    def change(metric, dataset, method, at, value):
        if metric == "log_rank_p" and at["repetition"] in untested:
            return np.nan
        return -0.01 if metric == "risk_difference" and at["repetition"] in turned else value

    found = judge_risk_groups(survival(change, ["all"]), {"fit": "cross-fitted", "reported": "same patients"})
    assert (found.direction, found.significance) == expected
    assert found.verdict == expected[1]
    words = "all FINE PCA difference {}, p {} (below 0.05 in {} of 4 partitions, same patients {})"
    assert words.format(*numbers) in found.measured


@pytest.mark.parametrize(
    ("difference", "p", "expected"),
    [
        (0.1, 0.01, ("reproduced", "reproduced", "reproduced")),
        (-0.1, 0.01, ("not reproduced", "not reproduced", "not reproduced")),
        (0.1, 0.06, ("reproduced", "inconclusive", "inconclusive")),
        (-0.1, 0.06, ("not reproduced", "inconclusive", "inconclusive")),
        (0.0, 0.01, ("not reproduced", "inconclusive", "inconclusive")),
    ],
)
def test_risk_groups_are_contradicted_by_the_opposite_difference_alone(difference, p, expected):
    given = {"risk_difference": difference, "log_rank_p": p}
    table = survival(lambda metric, dataset, method, at, value: given.get(metric, value), ["all"])
    found = judge_risk_groups(table, {"fit": "cross-fitted", "reported": "same patients"})
    assert (found.direction, found.significance, found.verdict) == expected
