"""Tables and texts of the experiments on FINE, from made-up metrics."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from fine_metrics import (
    CLASSIFIERS,
    DIMENSIONS,
    PATHOLOGY,
    SOURCES,
    VARIANTS,
    pathology_metrics,
)
from presented import rows, through_file
from replication.papers.ginsburg2016 import fine_tables
from replication.papers.ginsburg2016.fine_metrics import FILTERS, FINE
from replication.papers.ginsburg2016.fine_sets import (
    best_count,
    jackknife_interval,
)
from scipy import stats

TWO = {name: PATHOLOGY[name] for name in ("s1", "s2")}


@pytest.fixture(scope="module")
def pathology(tmp_path_factory):
    return through_file(pathology_metrics(TWO), tmp_path_factory.mktemp("pathology"))


def main_rows(metrics, **at):
    """Rows of the main study, by hand."""
    return rows(metrics[metrics["variant"].isna() | (metrics["variant"] == "")], **at)


def shown(values, digits=3):
    values = np.asarray(values, dtype=float)
    mean = f"{values.mean():.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ± {values.std(ddof=1):.{digits}f}"


def test_jackknife_interval_of_a_mean_is_the_t_interval():
    values = np.random.default_rng(0).random(12)
    left_out = [np.delete(values, k).mean() for k in range(len(values))]
    expected = stats.t.interval(0.95, 11, values.mean(), stats.sem(values))
    np.testing.assert_allclose(jackknife_interval(values.mean(), left_out), expected)
    assert jackknife_interval(0.99, left_out)[1] == 1
    assert jackknife_interval(0.01, left_out)[0] == 0
    assert np.isnan(jackknife_interval(0.5, left_out[:2])).all()


def test_dimensions_stand_beside_those_of_the_paper(selection):
    table = fine_tables.dimensions(selection)
    assert table["h, paper"].tolist() == [h for name in SOURCES for h in DIMENSIONS[name]]
    for name, (key, reduction) in itertools.product(SOURCES, {"pca": "PCA", "le": "LE", "lle": "LLE"}.items()):
        h = main_rows(selection, dataset=name, method=f"embedding_{key}", metric="n_components")["value"]
        row = rows(table, **{"data set": name}, reduction=reduction).iloc[0]
        assert (row["h"], row["h, SD"]) == pytest.approx((h.mean(), h.std()), abs=1e-4)
        assert (row["h, least"], row["h, most"], row["rounds"]) == (h.min(), h.max(), len(h))
    le = rows(table, reduction="LE").iloc[0]
    assert sum(int(count) for count in re.findall(r": (\d+)", le["alpha"])) == 6
    assert rows(table, reduction="PCA")["neighbours"].tolist() == [""] * 4
    assert rows(table, reduction="PCA")["alpha"].tolist() == [""] * 4
    assert table["source"].unique().tolist() == ["original", "original with validation set halved"]


def test_methods_hold_stability_with_its_interval_and_auc(selection):
    table = fine_tables.methods(selection)
    assert len(table) == 4 * 17
    for name, method in itertools.product(SOURCES, ("fine_le", "gini", "random")):
        of = main_rows(selection, dataset=name, method=method, n_features=5)
        row = rows(table, **{"data set": name}, method=fine_tables.METHODS[method]).iloc[0]
        (jaccard,) = rows(of, metric="jaccard")["value"]
        assert row["Jaccard"] == f"{jaccard:.3f}"
        left = rows(of, metric="jaccard_left_out")["value"].to_numpy()
        half = stats.t.ppf(0.975, 5) * np.sqrt(5 / 6 * ((left - left.mean()) ** 2).sum())
        assert (row["CI low"], row["CI high"]) == pytest.approx(
            (max(jaccard - half, 0), min(jaccard + half, 1)), abs=1e-4
        )
        assert row["Jaccard by chance"] == pytest.approx(5 / 115, abs=1e-4)
        assert row["AUC SVM"] == shown(rows(of, metric="auc", classifier="svm")["value"])
    vectors = rows(table, method="LE vectors")
    assert vectors["Jaccard"].tolist() == [""] * 4
    expected = main_rows(selection, dataset="dexter", method="embedding_le", metric="auc", classifier="random_forest")
    assert vectors["AUC RF"].tolist()[2] == shown(expected["value"])
    one_factor = rows(table, method="LE vectors, one factor")
    assert one_factor["AUC RF"].tolist()[2] == shown(expected["value"] + 0.01)


def test_cohorts_are_the_unit_of_pathology(pathology):
    table = fine_tables.methods(pathology)
    assert table[["CI low", "CI high"]].isna().all(axis=None)
    of = main_rows(pathology, dataset="s2", method="fisher", n_features=5)
    row = rows(table, **{"data set": "s2"}, method="Fisher score").iloc[0]
    assert row["Jaccard"] == shown(rows(of, metric="jaccard")["value"])
    by_cohort = rows(of, metric="auc", classifier="logistic_regression").groupby("cohort")["value"].mean()
    assert (row["AUC LR"], row["rounds"], row["cohorts"]) == (shown(by_cohort), 6, 3)
    h = main_rows(pathology, dataset="s1", method="embedding_pca", metric="n_components")
    expected = h.groupby("cohort")["value"].mean()
    row = fine_tables.dimensions(pathology).iloc[0]
    assert (row["h"], row["h, SD"]) == pytest.approx((expected.mean(), expected.std()), abs=1e-4)
    assert (row["h, least"], row["h, most"]) == (h["value"].min(), h["value"].max())


@pytest.mark.slow
def test_the_best_number_of_features_has_the_highest_mean_auc(selection):
    table = fine_tables.best(selection)
    assert len(table) == 4 * 11 * 3
    area = main_rows(selection, dataset="arcene", metric="auc", method="t_test", classifier="svm")
    means = area.groupby("n_features")["value"].mean()
    row = rows(table, **{"data set": "arcene"}, method="t-test", classifier="SVM").iloc[0]
    assert row["features"] == means.idxmax()
    assert row["AUC"] == shown(rows(area, n_features=means.idxmax())["value"])
    assert row["AUC at 5"] == shown(rows(area, n_features=5)["value"])
    at = {"dataset": "arcene", "method": "t_test", "metric": "jaccard", "n_features": means.idxmax()}
    assert row["Jaccard"] == shown(main_rows(selection, **at)["value"])
    assert rows(table, method="PCA vectors")["features"].isna().all()
    assert (rows(table, method="PCA vectors")["AUC"] != "").all()


def test_of_equal_areas_the_smaller_number_is_best():
    flat = {count: pd.DataFrame({"gini": [0.5, 0.7]}) for count in (3, 5)}
    assert best_count(flat, "gini") == 3
    assert best_count(flat, "fisher") is None


def test_features_are_voted_over_all_cohorts(pathology):
    table = fine_tables.features(pathology)
    votes = main_rows(pathology, dataset="s2", method="fine_lle", metric="votes")
    found = votes.groupby("feature")["value"].sum().sort_values(ascending=False)
    of = rows(table, **{"data set": "s2"}, method="FINE LLE")
    assert of["rank"].tolist() == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(of["votes (%)"], 100 * found[:5] / 18, atol=0.05)
    assert found[of["feature"]].tolist() == found[:5].tolist()
    assert rows(table, method="t-test")["h"].isna().all()
    h = main_rows(pathology, dataset="s2", method="embedding_lle", metric="n_components")["value"]
    assert of["h"].iloc[0] == pytest.approx(h.mean(), abs=0.01)


@pytest.mark.slow
def test_variants_are_paired_with_the_same_rounds_methods_and_classifiers(selection):
    table = fine_tables.variants(selection)
    assert table["changed"].unique().tolist() == ["", *VARIANTS]
    assert rows(table, changed="").filter(like="change of").isna().all(axis=None)
    of = rows(selection, dataset="madelon", metric="auc", n_features=5)
    of = of[of["method"].isin(FINE) & of["classifier"].isin(CLASSIFIERS[:2])]
    wide = of.pivot_table(index="repetition", columns="variant", values="value")
    row = rows(table, **{"data set": "madelon"}, changed=VARIANTS[0]).iloc[0]
    main = of[of["variant"] == ""].groupby("repetition")["value"].mean()
    changed = wide[VARIANTS[0]].dropna()
    assert row["AUC, FINE"] == shown(changed)
    assert row["change of AUC, FINE"] == shown(changed - main[changed.index])
    assert row["rounds"] == len(changed) == 3
    jaccard = rows(selection, dataset="madelon", metric="jaccard", n_features=5)
    jaccard = jaccard[jaccard["method"].isin(FILTERS)].groupby("variant")["value"].mean()
    assert row["Jaccard, filters"] == f"{jaccard[VARIANTS[0]]:.3f}"
    assert float(row["change of Jaccard, filters"]) == pytest.approx(jaccard[VARIANTS[0]] - jaccard[""], abs=6e-4)
    h = rows(selection, dataset="madelon", metric="n_components", method="embedding_pca")
    assert row["h, PCA"] == shown(rows(h, variant=VARIANTS[0])["value"], 1)


def test_log_rank_counts_partitions(survival):
    table = fine_tables.log_rank(survival)
    assert len(table) == 2 * 2 * 8
    assert table["cohort"].unique().tolist() == ["all", "44"]
    for fit, cohort in itertools.product(("cross-fitted", "same patients"), ("all", "44")):
        of = rows(survival, fit=fit, cohort=cohort, method="fine_le")
        row = rows(table, cohort=cohort, fit=fine_tables.FITS[fit], method="FINE LE").iloc[0]
        p = rows(of, metric="log_rank_p")["value"]
        assert row["log-rank p, median"] == pytest.approx(p.median(), rel=5e-3)
        assert row["share of p < 0.05"] == (p < 0.05).mean()
        assert row["risk difference"] == shown(rows(of, metric="risk_difference")["value"])
        assert row["AUC"] == shown(rows(of, metric="auc")["value"])
        assert (row["low risk"], row["partitions"]) == ("99" if cohort == "all" else "22", 20)


def test_log_rank_has_the_other_cuts_beside_and_counts_no_test_as_one(survival):
    assert fine_tables.log_rank(survival)["log-rank p, median, predicted class"].isna().all()
    p, n = (survival[survival["metric"] == name] for name in ("log_rank_p", "n_high"))
    none = p.assign(metric="log_rank_p_class", value=p["value"].where(p["cohort"].astype(str) == "all"))
    table = fine_tables.log_rank(pd.concat([survival, none, n.assign(metric="n_high_class", value=7.0)]))
    every = table["cohort"] == "all"
    other = table["log-rank p, median, predicted class"]
    assert (other[every] == table["log-rank p, median"][every]).all()
    assert (other[~every] == 1).all()
    assert set(table["high risk, predicted class"]) == {"7"}
    assert table["log-rank p, median, share of events"].isna().all()


def test_a_partition_without_a_test_is_not_below(survival):
    lost = survival.copy()
    of = (
        (lost["metric"] == "log_rank_p")
        & (lost["method"] == "gini")
        & lost["repetition"].isin([str(k) for k in range(10)])
    )
    lost.loc[of, "value"] = np.nan
    row = rows(fine_tables.log_rank(lost), method="Gini index", cohort="all").iloc[0]
    kept = rows(survival, method="gini", cohort="all", fit="cross-fitted", metric="log_rank_p")["value"][10:]
    assert row["partitions"] == 20
    assert row["share of p < 0.05"] == (kept < 0.05).sum() / 20
