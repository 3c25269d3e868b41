"""AUC by number of features, stability and its jackknife, on numbers made by hand and against brute force."""

import itertools

import numpy as np
import pandas as pd
import pytest
from fine_world import CONDITIONS, pathology, selection
from presented import through_file
from replication.papers.ginsburg2016.fine_metrics import (
    FILTERS,
    FINE,
    VECTORS,
    at_best,
    at_count,
    auc_cells,
    best_counts,
    group_means,
    mean_dimensions,
    of_variant,
    stability,
    stability_difference,
)
from replication.shared.metric_values import variant_names
from replication.shared.tidy import Metrics
from scipy import stats


def collector(dataset="madelon"):
    return Metrics("feature_selection", dataset, "original", CONDITIONS)


def add_auc(metrics, method, by_count, classifier="svm", cohort="", variant=""):
    for count, values in by_count.items():
        for k, value in enumerate(values):
            at = {"classifier": classifier, "n_features": count, "cohort": cohort, "variant": variant}
            metrics.add(method, "auc", value, k, **at)


@pytest.fixture
def both_ways(tmp_path):
    """A table as it is in memory, and as it is read from its file, in which empty entries are missing numbers."""

    def read(table):
        return [table, through_file(table, tmp_path)]

    return read


def test_the_best_number_of_features_has_the_highest_mean_and_is_the_smallest_of_several(both_ways):
    metrics = collector()
    add_auc(metrics, "gini", {1: [0.5, 0.6], 5: [0.5, 0.9], 20: [0.6, 0.8]})
    add_auc(metrics, "gini", {1: [0.5, 0.6], 5: [0.6, 0.6], 20: [0.9, 0.8]}, classifier="random_forest")
    add_auc(metrics, "embedding_pca", {"": [0.7, 0.6]})
    add_auc(metrics, "gini", {1: [9, 9]}, variant="another")
    for table in both_ways(metrics.table()):
        cells = auc_cells(table)
        counts = best_counts(cells)
        assert counts["gini", "svm"] == 5
        assert counts["gini", "random_forest"] == 20
        assert counts["embedding_pca", "svm"] == VECTORS
        best = at_best(cells)
        assert best.index.tolist() == [("", "0"), ("", "1")]
        assert best["gini", "random_forest"].tolist() == [0.9, 0.8]
        assert best["embedding_pca", "svm"].tolist() == [0.7, 0.6]
        five = at_count(cells)
        assert five["gini", "random_forest"].tolist() == [0.6, 0.6]
        assert five["embedding_pca", "svm"].tolist() == [0.7, 0.6]
        assert at_count(cells, 7).columns.tolist() == [("embedding_pca", "svm")]


def test_one_best_number_for_all_cohorts(both_ways):
    metrics = collector("s1")
    add_auc(metrics, "gini", {3: [0.6], 5: [0.9]}, cohort=0)
    add_auc(metrics, "gini", {3: [0.8], 5: [0.6]}, cohort=1)
    for table in both_ways(metrics.table()):
        best = at_best(auc_cells(table))
        assert best.index.tolist() == [("0", "0"), ("1", "0")]
        assert best["gini", "svm"].tolist() == [0.9, 0.6]


def test_without_values_there_are_no_cells():
    cells = auc_cells(collector().table())
    assert cells.empty
    assert best_counts(cells).empty
    assert stability(collector().table()).empty
    assert mean_dimensions(collector().table()).empty


def test_a_value_that_stands_twice_is_refused():
    metrics = collector()
    add_auc(metrics, "gini", {5: [0.5]})
    add_auc(metrics, "gini", {5: [0.5]})
    with pytest.raises(ValueError, match="duplicate"):
        auc_cells(metrics.table())


def test_stability_is_that_of_five_features_and_one_variant(both_ways):
    for table in both_ways(selection(sets={"madelon": "original"})):
        wide = stability(table)
        assert len(wide) == 1
        assert wide["fine_lle"].item() == 0.22
        assert wide["variance"].item() == 1.0
        assert set(stability(table, variant="all samples").loc[""]) == {1.0}
        assert stability(table, "jaccard_chance")["gini"].item() == 0.01
        assert variant_names(table) == ["all samples"]
        assert set(of_variant(table, "all samples")["value"]) == {1.0}
    for table in both_ways(pathology()):
        wide = stability(table[table["dataset"] == "s2"])
        assert wide.index.tolist() == ["0", "1", "2", "3"]
        assert wide["fine_pca"].mean() == pytest.approx(0.91, abs=1e-3)


def jaccard(subsets):
    pairs = itertools.combinations([set(of) for of in subsets], 2)
    return np.mean([len(a & b) / len(a | b) for a, b in pairs])


def test_the_jackknife_of_a_difference_against_brute_force():
    rng = np.random.default_rng(0)
    rounds = 12
    chosen = {
        name: [rng.choice(pool, 5, replace=False) for _ in range(rounds)]
        for name, pool in (("fine_lle", 10), ("gini", 30))
    }
    metrics = collector()
    for name, subsets in chosen.items():
        for k in range(rounds):
            metrics.add(name, "jaccard_left_out", jaccard(subsets[:k] + subsets[k + 1 :]), k, n_features=5)
            metrics.add(name, "jaccard_left_out", 9.0, k, n_features=10)
    found = stability_difference(metrics.table(), "fine_lle", "gini")
    full = {name: jaccard(subsets) for name, subsets in chosen.items()}
    assert found.difference == pytest.approx(full["fine_lle"] - full["gini"], abs=1e-12)
    # Pseudo-values: the jackknife is the t interval of their mean.
    pseudo = [
        rounds * found.difference
        - (rounds - 1) * np.subtract(*(jaccard(of[:k] + of[k + 1 :]) for of in chosen.values()))
        for k in range(rounds)
    ]
    low, high = stats.t.interval(0.95, rounds - 1, np.mean(pseudo), stats.sem(pseudo))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert found.lower == pytest.approx(stats.t.interval(0.9, rounds - 1, np.mean(pseudo), stats.sem(pseudo))[0])
    assert found.n == rounds


def test_a_jackknife_needs_three_rounds_of_both_and_no_cohorts():
    table = selection(sets={"madelon": "original"}, rounds=4)
    assert stability_difference(table, "fine_pca", "variance") is None
    few = table[~table["repetition"].isin([2, 3])]
    assert stability_difference(few, "fine_pca", "gini") is None
    left_out = table[table["metric"] == "jaccard_left_out"]
    cohorts = pd.concat([left_out.assign(cohort=0), left_out.assign(cohort=1)])
    with pytest.raises(ValueError, match="duplicate"):
        stability_difference(cohorts, "fine_pca", "gini")


def test_mean_dimensions_are_in_the_order_of_the_reductions():
    found = mean_dimensions(selection(sets={"dexter": "original"}))
    assert found.to_dict() == {"pca": 6, "isomap": 2, "le": 7, "lle": 19}
    assert list(found) == [6, 2, 7, 19]


def test_means_over_a_group_weigh_methods_and_classifiers_alike():
    columns = pd.MultiIndex.from_product([["a", "b"], ["svm", "random_forest"]], names=["method", "classifier"])
    wide = pd.DataFrame([[1.0, 2.0, 3.0, 6.0], [1.0, np.nan, 3.0, 6.0]], columns=columns)
    assert group_means(wide, ["a", "b"])[0] == 3.0
    # A method that lacks a classifier is not averaged over the others.
    assert np.isnan(group_means(wide, ["a", "b"])[1])
    assert group_means(wide, ["b"])[1] == 4.5
    assert np.isnan(group_means(wide, ["a", "c"])[0])
    flat = pd.DataFrame({name: [k] for k, name in enumerate((*FINE, *FILTERS))})
    assert group_means(flat, FINE)[0] == 1.5
    assert group_means(flat, FILTERS)[0] == 5.0
