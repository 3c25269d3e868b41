"""Tables, texts and figures of the experiments on gene expression, from made-up metrics."""

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from presented import check_figure, check_labels_apart, errorbar_values, figures_of, rows, through_file
from replication.papers.viswanath2012 import (
    gene_expression,
    gene_figures,
    gene_panels,
    gene_tables,
    image_figures,
    image_tables,
    m_sensitivity,
    method_names,
    theory_figures,
    theory_monotone,
    theta_sensitivity,
)
from replication.papers.viswanath2012 import intrinsic_dimension as dimension
from replication.papers.viswanath2012.gene_tables import METHODS, PAPER_METHODS
from replication.papers.viswanath2012.method_names import BASELINES_SCALED, FIXED
from replication.shared.tidy import Metrics
from scipy import stats
from sklearn.metrics import silhouette_samples

SETS = {"leukemia": 0.588, "lung": 0.899, "breast": 0.632, "prostate": 0.735}
CLASSES = {"leukemia": ("ALL", "AML"), "lung": ("ADCA", "Mesothelioma"), "breast": ("non-relapse", "relapse"),
           "prostate": ("Normal", "Tumor")}  # fmt: skip
LEAK = "genes chosen on the whole set (leaks)"
NOT_EMBEDDED = (
    *("knn_ensemble", "knn_ensemble_scaled", "majority"),
    *("best_trained_ge", "best_trained_pca", "best_single_ge", "best_single_pca"),
)
SAMPLES = 34


def gene_metrics(datasets=SETS, draws=5, variants=("main", "log transform", LEAK), methods=METHODS, source="original"):
    """Random scores in which draws differ only where a method draws subsets; half of the consensus is kept."""
    rng = np.random.default_rng(0)
    tables = []
    for dataset, share in datasets.items():
        metrics = Metrics("gene_expression", dataset, source, gene_expression.CONDITIONS)
        for v, variant in enumerate(variants):
            for k, method in enumerate(methods):
                level = share if method == "majority" else 0.95 - 0.015 * k + 0.03 * (v == 2) + rng.normal(0, 0.03)
                for r in range(draws):
                    noise = 0 if method in FIXED else rng.normal(0, 0.015)
                    accuracy, at = min(level + noise, 1), {"variant": variant}
                    balanced = 0.5 if method == "majority" else accuracy - 0.06 + noise
                    metrics.add(method, "accuracy", accuracy, r, **at)
                    metrics.add(method, "balanced_accuracy", balanced, r, **at)
                    if method == "majority":
                        metrics.add(method, "n_samples", SAMPLES, r, **at)
                    if method.startswith("consensus_") and method != "consensus_subsets":
                        metrics.add(method, "n_selected", 1000 - 40 * k - r, r, **at)
                    if method not in NOT_EMBEDDED:
                        by_class = rng.uniform(0.1, 0.5, 2)
                        metrics.add(method, "silhouette", by_class.mean(), r, **at)
                        for name, value in zip(CLASSES.get(dataset, ("A", "B")), by_class, strict=True):
                            metrics.add(method, "silhouette", value, r, **{**at, "class": name})
        tables.append(metrics.table())
    return pd.concat(tables, ignore_index=True)


def m_metrics(datasets=SETS, sizes=(200, 500, 1000), draws=4):
    rng = np.random.default_rng(1)
    tables = []
    for dataset in datasets:
        metrics = Metrics("m_sensitivity", dataset, "original", m_sensitivity.CONDITIONS)
        for short, mark in itertools.product(("ge", "pca"), ("s", "us")):
            level = rng.uniform(0.7, 0.95)
            for m, r in itertools.product(sizes, range(draws)):
                value = level + rng.normal(0, 0.01)
                metrics.add(f"consensus_{short}_{mark}", "accuracy", value, r, n_embeddings=m)
                metrics.add(f"consensus_{short}_{mark}", "balanced_accuracy", value - 0.05, r, n_embeddings=m)
                metrics.add(f"consensus_{short}_{mark}", "n_selected", m - 10 * (mark == "us") - r, r, n_embeddings=m)
        tables.append(metrics.table())
    return pd.concat(tables, ignore_index=True)


THETAS = (0.15, 0.5, 0.8, 0.9, 0.95)


def theta_metrics(datasets=SETS, draws=4):
    """Rows of genes as the experiment writes them."""
    rng = np.random.default_rng(2)
    tables = []
    for dataset, reduction in itertools.product(datasets, ("graph_embedding", "pca")):
        metrics = Metrics("theta_sensitivity", dataset, "original", theta_sensitivity.CONDITIONS)
        at = {"kind": "genes", "reduction": reduction}
        level = rng.uniform(0.7, 0.9)
        metrics.add("single", "accuracy", level - 0.05, **at)
        for r in range(draws):
            for strength, theta in itertools.product(("supervised", "unsupervised"), THETAS):
                here = {**at, "strength": strength, "theta": theta}
                value = level + 0.05 * theta * (strength == "supervised") + rng.normal(0, 0.01)
                metrics.add("consensus", "accuracy", value, r, **here)
                metrics.add("consensus", "balanced_accuracy", value - 0.04, r, **here)
                metrics.add("consensus", "n_selected", round(1000 * (1 - max(theta - 0.5, 0) * 2)) - r, r, **here)
            for k in (1, 2, 5, 10, 50, 200, 1000):
                metrics.add("consensus_of_k", "accuracy", level - 0.1 / k + rng.normal(0, 0.02 / k), r, n_selected=k,
                            **at)  # fmt: skip
        tables.append(metrics.table())
    return pd.concat(tables, ignore_index=True)


def theta_images():
    metrics = Metrics("theta_sensitivity", "brainweb", "original", theta_sensitivity.CONDITIONS)
    for noise in (1, 9):
        at = {"kind": "images", "noise": noise, "inhomogeneity": 0, "slice": 60, "draw": 0}
        metrics.add("graph_embedding", "accuracy", 0.7, **at)
        for r in range(2):
            for theta in (0.15, 0.9):
                metrics.add("consensus", "accuracy", 0.8 + 0.1 * theta + 0.01 * r, r, theta=theta, **at)
                metrics.add("consensus", "n_selected", 10 - r, r, theta=theta, **at)
            for k in (1, 10):
                metrics.add("consensus_of_k", "accuracy", 0.6 + 0.01 * k, r, n_selected=k, **at)
    return metrics.table()


def calibration_picks():
    rng = np.random.default_rng(3)
    options = {
        "transform": ["none", "log", "rank"],
        "standardization": ["split", "training", "none"],
        "linkage": ["average", "ward", "complete", "average_correlation"],
        "kernel": ["gaussian", "knn"],
        "sigma": [1.0, 0.3, 3.0],
        "label_weights": ["zhao", "fixed"],
        "eigenvectors": ["plain", "rows", "eigenvalues"],
    }
    methods = ("knn_ensemble", "ssage", "features", "graph_embedding", "consensus_ge_s", "pca", "consensus_pca_s")
    rows = []
    for choice, given in options.items():
        for k, option in enumerate(given):
            scores = dict(zip(methods, rng.uniform(0.55, 0.95, len(methods)), strict=True))
            row = {"choice": choice, "option": str(option), **scores, "mean": np.mean(list(scores.values()))}
            rows.append(row | {"picked": k == len(given) - 1, "configured": k == 0})
    return pd.DataFrame(rows)


def pictures(n=(134, 15), views=method_names.VIEWS):
    """Two classes that lie apart, some samples called wrongly; the truth is the last n[1] samples."""
    rng = np.random.default_rng(4)
    positive = np.arange(sum(n)) >= n[0]
    found = {"positive": positive, "class_names": np.array(["ADCA", "Mesothelioma"])}
    for k, method in enumerate(views):
        space = rng.normal(size=(sum(n), 4)) + 2 * positive[:, None]
        found |= {f"{method}/embedding": space, f"{method}/called": positive ^ (rng.random(sum(n)) < 0.12 - 0.02 * k)}
        by_sample = silhouette_samples(space, positive)
        found[f"{method}/silhouette"] = 0.5 * (by_sample[positive].mean() + by_sample[~positive].mean())
    return found


def shown(values, method=""):
    """Methods without draws have no SD."""
    if method in FIXED:
        return f"{np.mean(values):.3f}"
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}"


@pytest.fixture(scope="module")
def metrics(tmp_path_factory):
    return through_file(gene_metrics(), tmp_path_factory.mktemp("genes"))


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """One simulated data set, one draw, no variants."""
    table = gene_metrics({"planted": 0.6}, draws=1, variants=("main",), source="simulated")
    return through_file(table, tmp_path_factory.mktemp("quick"))


# --- tables


def test_methods_are_those_that_the_experiment_scores():
    assert set(method_names.VIEWS) < set(PAPER_METHODS) < set(METHODS)
    assert list(METHODS)[:8] == [*PAPER_METHODS, *BASELINES_SCALED]
    assert set(FIXED) < set(METHODS)
    assert len(set(METHODS.values())) == len(METHODS) == 24


def test_scores_are_of_the_first_variant_and_of_both_classes(metrics):
    found = gene_tables.gene_scores(metrics, "silhouette")
    assert set(found["variant"]) == {"main"}
    assert set(found["class"]) == {""}
    assert len(found) == 4 * 5 * (len(METHODS) - len(NOT_EMBEDDED))
    assert set(gene_tables.gene_scores(metrics, variant=LEAK)["variant"]) == {LEAK}
    # Straight from the experiment a class that was not given is NaN.
    assert len(gene_tables.gene_scores(gene_metrics(), "silhouette")) == len(found)


def test_accuracy_table_has_the_layout_of_table_5(metrics):
    table = gene_tables.accuracy_table(metrics)
    shares = ["majority class of the test split", "test samples", "source"]
    assert list(table) == ["data set", *PAPER_METHODS.values(), *BASELINES_SCALED.values(), *shares]
    assert list(PAPER_METHODS) == [
        *("consensus_pca_s", "consensus_ge_s", "consensus_pca_us", "consensus_ge_us"),
        *("ssage", "knn_ensemble"),
    ]
    assert table["data set"].tolist() == list(SETS)
    assert table["majority class of the test split"].tolist() == list(SETS.values())
    assert set(table["test samples"]) == {SAMPLES}
    assert set(table["source"]) == {"original"}
    for dataset, (method, name) in itertools.product(SETS, {**PAPER_METHODS, **BASELINES_SCALED}.items()):
        at = {"dataset": dataset, "method": method, "metric": "accuracy", "variant": "main"}
        assert rows(table, **{"data set": dataset})[name].item() == shown(rows(metrics, **at)["value"], method)
    assert not any("±" in value for value in [*table["SSAGE"], *table["SSAGE, scaled by training"]])


def test_one_draw_has_no_standard_deviation(quick):
    table = gene_tables.accuracy_table(quick)
    value = rows(quick, method="consensus_ge_s", metric="accuracy")["value"].item()
    assert table["consensus GE, S"].tolist() == [f"{value:.3f}"]
    assert table["source"].tolist() == ["simulated"]
    assert len(gene_tables.variants_table(quick)) == 1


@pytest.mark.slow
def test_differences_without_variance_are_not_tested(metrics):
    # Over draws all is alike, but kNN on the breast and the lung set; SSAGE is lower by as much everywhere.
    rng = np.random.default_rng(5)
    accuracy = metrics["metric"] == "accuracy"
    alike = metrics.assign(value=metrics["value"].where(~accuracy, 0.5))
    alike.loc[(alike["method"] == "ssage") & accuracy, "value"] = 0.25
    varied = (alike["method"] == "knn_ensemble") & accuracy & alike["dataset"].isin(["breast", "lung"])
    alike.loc[varied, "value"] = 0.49 + rng.normal(0, 0.02, varied.sum())
    table = gene_tables.tests_table(alike)
    of_test = ["CI low", "CI high", "t", "p (first larger)", "p (Holm)", "effect size d_z", "equivalent (TOST p)"]
    for second, difference in (("SSAGE", 0.25), ("GE", 0)):
        found = rows(table, first="consensus GE, S", second=second)
        assert found["difference"].tolist() == [difference] * 5
        assert found[of_test].isna().all(axis=None)
    found = rows(table, first="consensus GE, S", second=METHODS["knn_ensemble"], over="draws")
    made = found[found["data set"].isin(["breast", "lung"])]
    assert found[of_test].notna().all(axis=1).sum() == 2
    # Holm by hand, of two tests rather than four.
    low, high = made["p (first larger)"].sort_values()
    assert sorted(made["p (Holm)"]) == pytest.approx([min(2 * low, 1), max(min(2 * low, 1), high)])
    assert not np.isinf(table.select_dtypes("number")).any(axis=None)


@pytest.mark.slow
def test_nothing_varies_and_nothing_is_tested(metrics, tmp_path):
    alike = metrics.assign(value=0.5)
    table = through_file(gene_tables.tests_table(alike), tmp_path)
    assert len(table) == 5 * 32
    assert set(table["p (Holm)"]) == {""}


@pytest.mark.parametrize(("right", "n"), [(0, 19), (12, 19), (33, 34), (149, 149)])
def test_wilson_interval_of_whole_counts_is_that_of_scipy(right, n):
    expected = stats.binomtest(right, n).proportion_ci(method="wilson")
    assert gene_tables.wilson_interval(right / n, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_interval_holds_the_share_and_narrows_with_samples():
    widths = []
    for n in (10, 100, 1000):
        low, high = gene_tables.wilson_interval(0.777, n)
        assert 0 < low < 0.777 < high < 1
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)


def test_scores_table_holds_every_method_on_every_set(metrics):
    table = gene_tables.scores_table(metrics)
    assert len(table) == len(SETS) * len(METHODS)
    assert rows(table, **{"data set": "lung"})["method"].tolist() == list(METHODS.values())
    for method in ("consensus_pca_us", "knn_ensemble"):
        at = {"dataset": "lung", "method": method, "variant": "main"}
        row = rows(table, **{"data set": "lung", "method": METHODS[method]}).iloc[0]
        assert row["balanced accuracy"] == shown(rows(metrics, metric="balanced_accuracy", **at)["value"])
        assert row["majority class of the test split"] == 0.899
        low, high = gene_tables.wilson_interval(rows(metrics, metric="accuracy", **at)["value"].mean(), SAMPLES)
        assert row["95 % interval over test samples"] == f"{low:.3f} to {high:.3f}"
        if method == "knn_ensemble":
            assert row["silhouette"] == ""
            assert pd.isna(row["embeddings kept"])
        else:
            both = rows(metrics, metric="silhouette", **{**at, "class": ""})["value"]
            assert row["silhouette"] == shown(both)
            assert row["embeddings kept"] == rows(metrics, metric="n_selected", **at)["value"].mean()


@pytest.mark.slow
def test_methods_without_draws_stand_without_deviation(metrics):
    scores, variants = gene_tables.scores_table(metrics), gene_tables.variants_table(metrics)
    alone = scores["method"].isin([METHODS[method] for method in FIXED])
    for name in ("accuracy", "balanced accuracy", "silhouette"):
        assert not scores[name][alone].str.contains("±").any()
        assert scores[name][~alone & (scores[name] != "")].str.contains("±").all()
    assert not variants[["SSAGE", "GE", "PCA"]].map(lambda value: "±" in value).any(axis=None)
    assert variants["consensus GE, S"].str.contains("±").all()


def test_without_the_number_of_samples_there_is_no_interval_over_them(metrics):
    table = gene_tables.scores_table(metrics[metrics["metric"] != "n_samples"])
    assert set(table["95 % interval over test samples"]) == {""}
    assert table["test samples"].isna().all()


@pytest.mark.slow
def test_tests_are_paired_over_draws_and_then_over_data_sets(metrics):
    # The order of the rows does not matter, but that the first variant is the main one.
    shuffled = metrics.sample(frac=1, random_state=0).sort_values("variant", key=lambda names: names != "main")
    table = gene_tables.tests_table(shuffled)
    assert table["over"].value_counts().to_dict() == {"draws": 4 * 32, "data sets": 32}
    accuracy = rows(metrics, metric="accuracy", variant="main")
    draws = rows(accuracy, dataset="breast").pivot(index="repetition", columns="method", values="value")
    means = accuracy.groupby(["dataset", "method"])["value"].mean().unstack("method")
    pairs = [("consensus_ge_s", "ssage"), ("consensus_ge_us", "best_single_ge"), ("consensus_pca_s", "pca")]
    pairs += [("consensus_pca_us", "best_trained_pca"), ("consensus_pca_s", "knn_ensemble")]
    pairs += [("consensus_ge_s", "ssage_scaled"), ("consensus_pca_us", "knn_ensemble_scaled")]
    pairs += [("consensus_pca_s", "consensus_pca_us"), ("consensus_ge_us", "consensus_pca_us")]
    for first, second in pairs:
        at = {"first": METHODS[first], "second": METHODS[second]}
        for dataset, over, values in (("breast", "draws", draws), ("all", "data sets", means)):
            row = rows(table, **at, **{"data set": dataset, "over": over}).iloc[0]
            expected = stats.ttest_rel(values[first], values[second], alternative="greater")
            assert row["p (first larger)"] == pytest.approx(expected.pvalue, abs=1e-6)
            assert row["difference"] == pytest.approx((values[first] - values[second]).mean(), abs=1e-6)
            assert row["n"] == len(values)
        assert (rows(table, **at)["p (Holm)"] >= rows(table, **at)["p (first larger)"]).all()
        assert rows(table, **at, over="data sets")["p (Holm)"].item() == row["p (first larger)"]


def test_each_consensus_is_compared_with_its_own_reduction():
    pairs = gene_tables.compared_pairs()
    assert len(set(pairs)) == len(pairs) == 32
    baselines = ("ssage", "knn_ensemble", *BASELINES_SCALED)
    for first in gene_tables.CONSENSUS:
        assert {(first, second) for second in baselines} < set(pairs)
    for first, second in pairs[:28]:
        if second not in baselines:
            assert ("pca" in second) == ("pca" in first)


@pytest.mark.slow
def test_one_draw_of_one_set_gives_a_table_of_no_tests(quick, tmp_path):
    table = gene_tables.tests_table(quick)
    assert table.empty
    assert list(through_file(table, tmp_path)) == list(gene_tables.tests_table(gene_metrics()))


def test_variants_table_keeps_the_leaking_one_apart(metrics):
    table = gene_tables.variants_table(metrics)
    assert table["variant"].tolist() == [name for name in ("main", "log transform", LEAK) for _ in SETS]
    assert list(table)[2:-1] == [*PAPER_METHODS.values(), "GE", "PCA"]
    at = {"dataset": "prostate", "method": "graph_embedding", "metric": "accuracy", "variant": LEAK}
    assert table["GE"].iloc[-1] == shown(rows(metrics, **at)["value"], "graph_embedding")


def test_m_tables_have_the_layout_of_tables_6_and_7(tmp_path):
    metrics = through_file(m_metrics(), tmp_path)
    for reduction, short in (("pca", "pca"), ("graph_embedding", "ge")):
        table = gene_tables.m_table(metrics, reduction)
        assert list(table) == ["M", *(f"{name}, {mark}" for name in SETS for mark in ("S", "US"))]
        assert table["M"].tolist() == [200, 500, 1000]
        at = {"dataset": "lung", "method": f"consensus_{short}_us", "n_embeddings": 500}
        accuracy = rows(metrics, metric="accuracy", **at)["value"]
        # Kept: 490, 489, 488, 487 of 500.
        assert table["lung, US"][1] == f"{shown(accuracy)} (488 kept)"


def test_sensitivity_table_of_genes(tmp_path):
    images, genes = theta_images(), theta_metrics()
    metrics = through_file(pd.concat([images, genes], ignore_index=True), tmp_path)
    table = gene_tables.sensitivity_table(metrics)
    assert len(table) == 4 * 2 * (2 * len(THETAS) + 7 + 1)
    at = {"dataset": "breast", "reduction": "pca"}
    here = rows(table, **{"data set": "breast", "reduction": "PCA"})
    row = rows(here, strength="unsupervised", value=0.9).iloc[0]
    found = rows(genes, method="consensus", strength="unsupervised", theta=0.9, **at)
    accuracy = rows(found, metric="accuracy")["value"]
    assert row["mean accuracy"] == round(accuracy.mean(), 4)
    assert row["SD over repetitions"] == round(accuracy.std(), 4)
    assert row["balanced accuracy"] == round(rows(found, metric="balanced_accuracy")["value"].mean(), 4)
    assert (row["embeddings kept"], row["fewest kept"]) == (198.5, 197)
    row = rows(here, varied="K", value=5).iloc[0]
    accuracy = rows(genes, method="consensus_of_k", n_selected=5, **at)["value"]
    assert row["mean accuracy"] == round(accuracy.mean(), 4)
    assert row["embeddings kept"] == 5
    alone = rows(here, varied="PCA of all genes").iloc[0]
    assert alone["mean accuracy"] == round(rows(genes, method="single", **at)["value"].item(), 4)
    assert gene_tables.sensitivity_table(images).empty


def test_sensitivity_of_images_is_the_same_with_genes_beside_it(tmp_path):
    images, genes = theta_images(), theta_metrics()
    alone = through_file(images.drop(columns="kind"), tmp_path, "alone")
    together = through_file(pd.concat([genes, images], ignore_index=True), tmp_path, "together")
    table = image_tables.sensitivity_table(together)
    pd.testing.assert_frame_equal(table, image_tables.sensitivity_table(alone))
    assert table["value"].tolist() == [0.15, 0.9, 1, 10, ""]
    found = figures_of("theta_sensitivity", metrics=together)
    assert list(found) == ["sensitivity", "genes"]
    before = figures_of("theta_sensitivity", metrics=alone)
    assert text_of(before["genes"]) == "The data have no gene expression: nothing to draw."
    for left, right in zip(found["sensitivity"].axes, before["sensitivity"].axes, strict=True):
        drawn, expected = errorbar_values(left), errorbar_values(right)
        assert list(drawn) == list(expected) == ["noise 1 %", "noise 9 %"]
        for name, values in drawn.items():
            np.testing.assert_array_equal(values, expected[name])


@pytest.mark.slow
def test_genes_without_images_are_drawn_alone():
    drawn = figures_of("theta_sensitivity", metrics=theta_metrics())
    assert text_of(drawn["sensitivity"]) == "The data have no images: nothing to draw."
    check_figure(drawn["genes"])
    assert image_tables.sensitivity_table(theta_metrics()).empty


def told(**means):
    """One accuracy for each method on two data sets, the same in both draws."""
    made = []
    for variant, shift in (("main", 0.0), (LEAK, 0.1)):
        for dataset, majority in (("leukemia", 0.6), ("lung", 0.9)):
            values = {
                "consensus_pca_s": 0.8, "consensus_ge_s": 0.95, "consensus_pca_us": 0.7, "consensus_ge_us": 0.95,
                "ssage": 0.85, "knn_ensemble": 0.96, "ssage_scaled": 0.75, "knn_ensemble_scaled": 0.5,
                "graph_embedding": 0.9, "pca": 0.75, "best_trained_ge": 0.97,
                "best_trained_pca": 0.6, "best_single_ge": 0.98, "best_single_pca": 0.8,
            }  # fmt: skip
            values |= {"majority": majority, **means}
            metrics = Metrics("gene_expression", dataset, "original", gene_expression.CONDITIONS)
            # The variant is run on fewer draws; the draws of the main one that it lacks are far off.
            for r in range(2 if variant == "main" else 1):
                for method, value in values.items():
                    moved = value + (shift if method == "ssage" and dataset == "lung" else 0)
                    metrics.add(method, "accuracy", moved - 0.01 + 0.02 * r, r, variant=variant)
                    metrics.add(method, "balanced_accuracy", value - 0.2, r, variant=variant)
                for mark, kept in (("s", 20), ("us", 12)):
                    for short in ("ge", "pca"):
                        metrics.add(f"consensus_{short}_{mark}", "n_selected", kept, r, variant=variant)
            made.append(metrics.table())
    return pd.concat(made, ignore_index=True)


def alike(metrics, short, datasets, kept=20):
    """US of a reduction becomes the consensus that S is, of the same embeddings."""
    metrics = metrics.copy()
    for dataset in datasets:
        at = metrics["dataset"] == dataset
        s, us = (at & (metrics["method"] == f"consensus_{short}_{mark}") for mark in ("s", "us"))
        metrics.loc[us, "value"] = metrics.loc[s, "value"].to_numpy()
        metrics.loc[(s | us) & (metrics["metric"] == "n_selected"), "value"] = kept
    return metrics


# --- figures


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def text_of(figure):
    return " ".join(text.get_text() for ax in figure.axes for text in ax.texts)


@pytest.mark.slow
def test_figures_of_gene_expression(metrics):
    found = figures_of("gene_expression", metrics=metrics, pictures=pictures())
    assert list(found) == ["accuracy", "controls", "variants", "views", "pairs"]
    for figure in found.values():
        check_figure(figure)
    for name, methods in (
        ("accuracy", [*PAPER_METHODS, *BASELINES_SCALED, "graph_embedding", "pca"]),
        ("controls", METHODS),
    ):
        axes = found[name].axes
        assert [ax.get_title() for ax in axes] == [f"{dataset}\n(original)" for dataset in SETS]
        assert [label.get_text() for label in axes[0].get_yticklabels()] == [METHODS[method] for method in methods]
        check_labels_apart(axes[0], "y")
        drawn = errorbar_values(axes[1])
        assert set(drawn) == {"accuracy", "balanced accuracy"}
        for metric in ("accuracy", "balanced_accuracy"):
            here = rows(metrics, dataset="lung", metric=metric, variant="main")
            means = here.groupby("method")["value"].mean()[list(methods)]
            np.testing.assert_allclose(drawn[metric.replace("_", " ")][:, 0], means)
        assert any(np.allclose(line.get_xdata(), 0.899) for line in axes[1].lines if line.get_linestyle() == ":")


def test_variants_are_drawn_beside_the_main_one(metrics):
    ax = gene_figures.draw_variants(metrics).axes[3]
    drawn = errorbar_values(ax)
    assert list(drawn) == ["main", "log transform", LEAK]
    here = rows(metrics, dataset="prostate", metric="accuracy", variant=LEAK, method="ssage")
    row = list(PAPER_METHODS).index("ssage")
    assert drawn[LEAK][row, 0] == pytest.approx(here["value"].mean())
    # No marker crosses into the row of the next method.
    assert all((abs(values[:, 1] - np.arange(8)) < 0.5).all() for values in drawn.values())


def test_views_show_true_and_called_classes():
    arrays = pictures()
    figure = gene_figures.draw_views(arrays)
    assert figure.axes[0].name == "3d"
    assert [ax.get_title().split("\n")[0] for ax in figure.axes[:5]] == [
        METHODS[method] for method in method_names.VIEWS
    ]
    space, called, positive = arrays["ssage/embedding"], arrays["ssage/called"], arrays["positive"]
    by_sample = silhouette_samples(space, positive)
    silhouette = 0.5 * (by_sample[positive].mean() + by_sample[~positive].mean())
    accuracy = np.mean(called == positive)
    assert figure.axes[0].get_title() == f"SSAGE\naccuracy {accuracy:.3f}, silhouette {silhouette:.2f}"
    groups = {collection.get_label(): collection for collection in figure.axes[0].collections}
    wrong = groups["ADCA, called Mesothelioma"]
    assert len(wrong._offsets3d[0]) == (called & ~positive).sum() > 0
    np.testing.assert_array_equal(wrong._offsets3d[2], space[called & ~positive, 2])
    assert {name: len(group._offsets3d[0]) for name, group in groups.items()} == {
        f"{own}, called {given}": int(((positive == p) & (called == c)).sum())
        for p, own in enumerate(("ADCA", "Mesothelioma"))
        for c, given in enumerate(("ADCA", "Mesothelioma"))
    }
    labels = [text.get_text() for text in figure.axes[5].get_legend().get_texts()]
    assert labels == list(groups)


def test_pairs_show_three_planes_of_each_method():
    figure = gene_figures.draw_pairs(pictures(views=("ssage", "consensus_ge_s")))
    axes = np.array(figure.axes).reshape(3, 2)
    assert [(ax.get_xlabel()[-1], ax.get_ylabel()[-1]) for ax in axes[:, 0]] == [("1", "2"), ("1", "3"), ("2", "3")]
    assert axes[0, 1].get_title().startswith("consensus GE, S\naccuracy ")


@pytest.mark.slow
@pytest.mark.parametrize("draws", [1, 3])
def test_figures_of_one_data_set(draws, recwarn):
    one = {"planted": 0.6}
    table = gene_metrics(one, draws, variants=("main",), source="simulated")
    figures = figures_of("gene_expression", metrics=table, pictures=pictures((12, 9)))
    figures |= figures_of("m_sensitivity", metrics=m_metrics(one, (10, 20), draws))
    figures["genes"] = gene_panels.draw_sensitivity(theta_metrics(one, draws))
    for figure in figures.values():
        check_figure(figure)
    assert figures["accuracy"].axes[0].get_title() == "planted\n(simulated)"
    assert not recwarn.list


def test_m_sensitivity_shows_mean_and_spread(tmp_path):
    metrics = through_file(m_metrics(), tmp_path)
    found = figures_of("m_sensitivity", metrics=metrics)
    assert list(found) == ["m_sensitivity"]
    check_figure(found["m_sensitivity"])
    ax = found["m_sensitivity"].axes[2]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["200", "500", "1000"]
    drawn = errorbar_values(ax)
    assert list(drawn) == ["consensus GE, S", "consensus GE, US", "consensus PCA, S", "consensus PCA, US"]
    here = rows(metrics, dataset="breast", metric="accuracy", method="consensus_pca_us")
    grouped = here.groupby("n_embeddings")["value"]
    np.testing.assert_allclose(drawn["consensus PCA, US"][:, 1], grouped.mean())
    bars = ax.containers[3].lines[2][0].get_segments()
    np.testing.assert_allclose([bar[1, 1] - bar[0, 1] for bar in bars], 2 * grouped.std())


@pytest.mark.slow
def test_sensitivity_of_genes_shows_thresholds_numbers_and_the_single_embedding(tmp_path):
    metrics = through_file(theta_metrics(), tmp_path)
    figure = gene_panels.draw_sensitivity(metrics)
    check_figure(figure)
    axes = np.array(figure.axes).reshape(2, 4)
    at = {"dataset": "lung", "reduction": "graph_embedding", "metric": "accuracy"}
    above = errorbar_values(axes[0, 1])
    means = rows(metrics, method="consensus", strength="supervised", **at).groupby("theta")["value"].mean()
    np.testing.assert_allclose(above["consensus GE, S"], means.reset_index().to_numpy(), atol=0.01)
    np.testing.assert_allclose(above["consensus GE, S"][:, 1], means)
    below = errorbar_values(axes[1, 1])
    assert list(below) == ["consensus GE, no selection", "consensus PCA, no selection"]
    means = rows(metrics, method="consensus_of_k", **at).groupby("n_selected")["value"].mean()
    np.testing.assert_allclose(below["consensus GE, no selection"][:, 1], means)
    assert [label.get_text() for label in axes[1, 1].get_xticklabels()] == ["1", "2", "5", "10", "50", "200", "1000"]
    check_labels_apart(axes[1, 1], "x")
    alone = rows(metrics, method="single", **at)["value"].item()
    for ax in axes[:, 1]:
        assert any(np.allclose(line.get_ydata(), alone) for line in ax.lines if line.get_linestyle() == ":")


@pytest.mark.slow
@pytest.mark.parametrize("n_choices", [1, 6, 7])
def test_calibration_marks_the_pick_of_every_choice(n_choices, tmp_path):
    picks = calibration_picks()
    picks = picks[picks["choice"].isin(picks["choice"].unique()[:n_choices])]
    figure = figures_of("gene_calibration", picks=through_file(picks, tmp_path))["calibration"]
    check_figure(figure)
    axes = [ax for ax in figure.axes if ax.get_visible()]
    choices = list(picks["choice"].unique())
    assert [ax.get_title(loc="left") for ax in axes] == [choice.replace("_", " ") for choice in choices]
    for ax, choice in zip(axes, choices, strict=True):
        here = rows(picks, choice=choice)
        star = next(line for line in ax.lines if line.get_marker() == "*")
        np.testing.assert_allclose(star.get_xdata(), here[here["picked"]]["mean"])
        drawn = {line.get_label(): line.get_xdata() for line in ax.lines}
        np.testing.assert_allclose(drawn["SSAGE"], here["ssage"])
        names = [label.get_text() for label in ax.get_yticklabels()]
        assert names == here["option"].str.replace("_", " ").tolist()
    # The lowest panel of each column has numbers.
    for ax in axes[-2:]:
        assert any(label.get_text() and label.get_visible() for label in ax.get_xticklabels())


def dimension_metrics(genes):
    metrics = Metrics("intrinsic_dimension", "brainweb", "original", dimension.CONDITIONS)
    for space, noise, z in itertools.product(("pixels", "objects"), (1, 9), (60, 90)):
        value = 4 + 0.1 * noise + 0.01 * z
        metrics.add(
            "levina_bickel", "intrinsic_dimension", value, space=space, noise=noise, inhomogeneity=0, slice=z
        )  # fmt: skip
    tables = [metrics.table()]
    for dataset, value in genes.items():
        metrics = Metrics("intrinsic_dimension", dataset, "original", dimension.CONDITIONS)
        metrics.add("levina_bickel", "intrinsic_dimension", value, space="genes")
        tables.append(metrics.table())
    return pd.concat(tables, ignore_index=True)


def test_dimension_of_genes_has_a_panel_of_its_own(tmp_path):
    plain = image_figures.draw_dimension(through_file(dimension_metrics({}), tmp_path))
    assert len(plain.axes) == 2
    found = {"leukemia": 9.5, "lung": 14.0}
    figure = image_figures.draw_dimension(through_file(dimension_metrics(found), tmp_path))
    check_figure(figure)
    for before, after in zip(plain.axes, figure.axes, strict=False):
        assert before.get_title() == after.get_title()
        for name, values in errorbar_values(after).items():
            np.testing.assert_array_equal(values, errorbar_values(before)[name])
    panel = figure.axes[2]
    assert [label.get_text() for label in panel.get_xticklabels()] == ["leukemia", "lung"]
    points, paper = panel.lines
    assert points.get_ydata().tolist() == [9.5, 14.0]
    assert set(paper.get_ydata()) == {4}


def test_rank_correlations_of_genes_stand_apart_by_reduction(tmp_path):
    simulated = Metrics("theory_monotone", "simulated_objects", "simulated", theory_monotone.CONDITIONS)
    for r in range(3):
        simulated.add("strength", "spearman", 0.1 * r, r, series="noise", compared_with="clustering_accuracy")
    tables = [simulated.table()]
    for k, dataset in enumerate(("leukemia", "lung")):
        metrics = Metrics("theory_monotone", dataset, "original", theory_monotone.CONDITIONS)
        for reduction, value in (("graph_embedding", 0.2), ("pca", 0.6)):
            at = {"series": "genes", "compared_with": "clustering_accuracy"}
            metrics.add("strength", "spearman", value + 0.1 * k, reduction, **at)
        tables.append(metrics.table())
    ax = theory_figures.draw_monotone(through_file(pd.concat(tables), tmp_path)).axes[0]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["growing\nerror", "genes,\nGE", "genes,\nPCA"]
    np.testing.assert_allclose(errorbar_values(ax)["two clusters"][:, 1], [0.1, 0.25, 0.65])
    assert "over repetitions, slices or sets" in ax.get_ylabel()
    alone = theory_figures.draw_monotone(through_file(tables[0], tmp_path)).axes[0]
    assert alone.get_ylabel() == "Rank correlation with embedding strength\n(mean ± SD over repetitions or slices)"
