"""Tables, texts and figures of the experiments on gene expression, from made-up metrics."""

import itertools

import numpy as np
import pandas as pd
import pytest
from gene_world import NUMBERS, THETAS, dimensions, gene_thresholds, image_thresholds, monotone, sensitivity
from presented import (
    check_figure,
    check_labels_apart,
    errorbar_ends,
    errorbar_values,
    figures_of,
    rows,
    text_of,
    through_file,
)
from replication.papers.viswanath2012 import (
    gene_expression,
    gene_figures,
    gene_panels,
    gene_tables,
    image_figures,
    image_tables,
    method_names,
    theory_figures,
)
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


# --- tables


def test_accuracy_table_has_the_layout_of_table_5(metrics):
    table = gene_tables.accuracy_table(metrics)
    assert list(table)[1:7] == list(PAPER_METHODS.values())
    assert table["data set"].tolist() == list(SETS)
    assert table["majority class of the test split"].tolist() == list(SETS.values())
    assert set(table["test samples"]) == {SAMPLES}
    for dataset, (method, name) in itertools.product(SETS, {**PAPER_METHODS, **BASELINES_SCALED}.items()):
        at = {"dataset": dataset, "method": method, "metric": "accuracy", "variant": "main"}
        assert rows(table, **{"data set": dataset})[name].item() == shown(rows(metrics, **at)["value"], method)


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


def test_scores_table_holds_every_method_on_every_set(metrics):
    table = gene_tables.scores_table(metrics)
    assert len(table) == len(SETS) * len(METHODS)
    for method in ("consensus_pca_us", "knn_ensemble"):
        at = {"dataset": "lung", "method": method, "variant": "main"}
        row = rows(table, **{"data set": "lung", "method": METHODS[method]}).iloc[0]
        assert row["balanced accuracy"] == shown(rows(metrics, metric="balanced_accuracy", **at)["value"])
        assert row["majority class of the test split"] == 0.899
        mean = rows(metrics, metric="accuracy", **at)["value"].mean()
        found = stats.binomtest(round(mean * SAMPLES), SAMPLES).proportion_ci(method="wilson")
        low, high = map(float, row["95 % interval over test samples"].split(" to "))
        # Means over draws are no whole counts.
        assert (low, high) == pytest.approx((found.low, found.high), abs=0.02)
        if method == "knn_ensemble":
            assert row["silhouette"] == ""
            assert pd.isna(row["embeddings kept"])
        else:
            both = rows(metrics, metric="silhouette", **{**at, "class": ""})["value"]
            assert row["silhouette"] == shown(both)
            assert row["embeddings kept"] == rows(metrics, metric="n_selected", **at)["value"].mean()
    table = gene_tables.scores_table(metrics[metrics["metric"] != "n_samples"])
    assert set(table["95 % interval over test samples"]) == {""}


def test_tests_are_paired_over_draws_and_then_over_data_sets(metrics):
    # The order of the rows does not matter, but that the first variant is the main one.
    shuffled = metrics.sample(frac=1, random_state=0).sort_values("variant", key=lambda names: names != "main")
    table = gene_tables.tests_table(shuffled)
    assert table["over"].value_counts().to_dict() == {"draws": 4 * 32, "data sets": 32}
    accuracy = rows(metrics, metric="accuracy", variant="main")
    draws = rows(accuracy, dataset="breast").pivot(index="repetition", columns="method", values="value")
    means = accuracy.groupby(["dataset", "method"])["value"].mean().unstack("method")
    pairs = [("consensus_ge_s", "ssage"), ("consensus_ge_us", "best_single_ge"), ("consensus_pca_s", "pca")]
    pairs += [("consensus_pca_us", "knn_ensemble_scaled"), ("consensus_ge_us", "consensus_pca_us")]
    for first, second in pairs:
        at = {"first": METHODS[first], "second": METHODS[second]}
        for dataset, over, values in (("breast", "draws", draws), ("all", "data sets", means)):
            row = rows(table, **at, **{"data set": dataset, "over": over}).iloc[0]
            expected = stats.ttest_rel(values[first], values[second], alternative="greater")
            assert row["p (first larger)"] == pytest.approx(expected.pvalue, abs=1e-6)
            assert row["difference"] == pytest.approx((values[first] - values[second]).mean(), abs=1e-6)
            assert row["n"] == len(values)
        assert rows(table, **at, over="data sets")["p (Holm)"].item() == row["p (first larger)"]


@pytest.mark.slow
def test_one_draw_of_one_set_gives_a_table_of_no_tests(tmp_path):
    quick = gene_metrics({"planted": 0.6}, draws=1, variants=("main",), source="simulated")
    table = gene_tables.tests_table(through_file(quick, tmp_path))
    assert table.empty
    assert list(through_file(table, tmp_path)) == list(gene_tables.tests_table(gene_metrics()))


def test_variants_table_keeps_the_leaking_one_apart(metrics):
    table = gene_tables.variants_table(metrics)
    assert table["variant"].tolist() == [name for name in ("main", "log transform", LEAK) for _ in SETS]
    assert list(table)[2:-1] == [*PAPER_METHODS.values(), "GE", "PCA"]
    at = {"dataset": "prostate", "method": "graph_embedding", "metric": "accuracy", "variant": LEAK}
    assert table["GE"].iloc[-1] == shown(rows(metrics, **at)["value"], "graph_embedding")


def test_m_tables_have_the_layout_of_tables_6_and_7(tmp_path):
    metrics = through_file(sensitivity(), tmp_path)
    for reduction, short in (("pca", "pca"), ("graph_embedding", "ge")):
        table = gene_tables.m_table(metrics, reduction)
        assert list(table) == ["M", *(f"{name}, {mark}" for name in SETS for mark in ("S", "US"))]
        assert table["M"].tolist() == [200, 500, 1000]
        at = {"dataset": "lung", "method": f"consensus_{short}_us", "n_embeddings": 500}
        accuracy = rows(metrics, metric="accuracy", **at)["value"]
        # Kept: 490, 489, 488 of 500.
        assert table["lung, US"][1] == f"{shown(accuracy)} (489 kept)"


def test_sensitivity_table_of_genes(tmp_path):
    images, genes = image_thresholds(), gene_thresholds()
    metrics = through_file(pd.concat([images, genes], ignore_index=True), tmp_path)
    table = gene_tables.sensitivity_table(metrics)
    assert len(table) == 4 * 2 * (2 * len(THETAS) + len(NUMBERS) + 1)
    at = {"dataset": "breast", "reduction": "pca"}
    here = rows(table, **{"data set": "breast", "reduction": "PCA"})
    row = rows(here, strength="unsupervised", value=0.9).iloc[0]
    found = rows(genes, method="consensus", strength="unsupervised", theta=0.9, **at)
    accuracy = rows(found, metric="accuracy")["value"]
    assert row["mean accuracy"] == round(accuracy.mean(), 4)
    assert row["SD over repetitions"] == round(accuracy.std(), 4)
    assert row["balanced accuracy"] == round(rows(found, metric="balanced_accuracy")["value"].mean(), 4)
    assert (row["embeddings kept"], row["fewest kept"]) == (199, 198)
    row = rows(here, varied="K", value=5).iloc[0]
    accuracy = rows(genes, method="consensus_of_k", n_selected=5, **at)["value"]
    assert row["mean accuracy"] == round(accuracy.mean(), 4)
    assert row["embeddings kept"] == 5
    alone = rows(here, varied="PCA of all genes").iloc[0]
    assert alone["mean accuracy"] == round(rows(genes, method="single", **at)["value"].item(), 4)
    assert gene_tables.sensitivity_table(images).empty


def test_sensitivity_of_images_is_the_same_with_genes_beside_it(tmp_path):
    images, genes = image_thresholds(), gene_thresholds()
    together = through_file(pd.concat([genes, images], ignore_index=True), tmp_path, "together")
    alone = through_file(images.drop(columns="kind"), tmp_path, "alone")
    pd.testing.assert_frame_equal(image_tables.sensitivity_table(together), image_tables.sensitivity_table(alone))
    assert image_tables.sensitivity_table(genes).empty
    found, before = (figures_of("theta_sensitivity", metrics=metrics) for metrics in (together, alone))
    for left, right in zip(found["sensitivity"].axes, before["sensitivity"].axes, strict=True):
        drawn, expected = errorbar_values(left), errorbar_values(right)
        assert {name: values.tolist() for name, values in drawn.items()} == {
            name: values.tolist() for name, values in expected.items()
        }
    assert "no gene expression" in text_of(before["genes"])
    assert "no images" in text_of(figures_of("theta_sensitivity", metrics=genes)["sensitivity"])


# --- figures


@pytest.mark.slow
def test_figures_of_gene_expression(metrics):
    found = figures_of("gene_expression", metrics=metrics, pictures=pictures())
    for figure in found.values():
        check_figure(figure)
    for name, methods in (
        ("accuracy", [*PAPER_METHODS, *BASELINES_SCALED, "graph_embedding", "pca"]),
        ("controls", METHODS),
    ):
        axes = found[name].axes
        check_labels_apart(axes[0], "y")
        drawn = errorbar_values(axes[1])
        for metric in ("accuracy", "balanced_accuracy"):
            here = rows(metrics, dataset="lung", metric=metric, variant="main")
            means = here.groupby("method")["value"].mean()[list(methods)]
            np.testing.assert_allclose(drawn[metric.replace("_", " ")][:, 0], means)
        assert any(np.allclose(line.get_xdata(), 0.899) for line in axes[1].lines if line.get_linestyle() == ":")


def test_variants_say_what_they_add_to_the_main_one(metrics):
    axes = gene_figures.draw_variants(metrics).axes
    assert [ax.get_title().replace("\n", " ") for ax in axes if ax.get_visible()] == [
        "main: accuracy (%)",
        "log transform",
        LEAK,
    ]
    methods = [*PAPER_METHODS, "graph_embedding", "pca"]
    scores = rows(metrics, metric="accuracy").pivot_table(
        index=["method", "dataset", "repetition"], columns="variant", values="value"
    )
    for ax, added in zip(axes, (scores["main"], None, scores[LEAK] - scores["main"]), strict=False):
        if added is None:
            continue
        shown = {text.get_position(): text.get_text() for text in ax.texts}
        assert len(shown) == len(methods) * len(SETS)
        for (i, method), (j, dataset) in itertools.product(enumerate(methods), enumerate(SETS)):
            of_draws = 100 * added[method, dataset]
            assert float(shown[j, i].strip("()")) == pytest.approx(of_draws.mean(), abs=0.5 + 1e-9)
            if shown[j, i].startswith("("):
                assert abs(of_draws.mean()) <= of_draws.std()


def test_views_show_true_and_called_classes():
    arrays = pictures()
    figure = gene_figures.draw_views(arrays)
    space, called, positive = arrays["ssage/embedding"], arrays["ssage/called"], arrays["positive"]
    by_sample = silhouette_samples(space, positive)
    silhouette = 0.5 * (by_sample[positive].mean() + by_sample[~positive].mean())
    accuracy = np.mean(called == positive)
    assert figure.axes[0].get_title(loc="left") == f"SSAGE: accuracy {accuracy:.3f}, silhouette {silhouette:.2f}"
    for ax, second in zip(figure.axes[:2], (1, 2), strict=True):
        groups = {collection.get_label(): collection.get_offsets() for collection in ax.collections}
        wrong = groups["ADCA, called Mesothelioma"]
        np.testing.assert_array_equal(wrong, space[called & ~positive][:, [0, second]])
        assert {name: len(group) for name, group in groups.items()} == {
            f"{own}, called {given}": int(((positive == p) & (called == c)).sum())
            for p, own in enumerate(("ADCA", "Mesothelioma"))
            for c, given in enumerate(("ADCA", "Mesothelioma"))
        }


@pytest.mark.slow
@pytest.mark.parametrize("draws", [1, 3])
def test_figures_of_one_data_set(draws, recwarn):
    one = {"planted": 0.6}
    table = gene_metrics(one, draws, variants=("main",), source="simulated")
    figures = figures_of("gene_expression", metrics=table, pictures=pictures((12, 9)))
    figures |= figures_of("m_sensitivity", metrics=sensitivity(one, draws=draws, sizes=(10, 20)))
    figures["genes"] = gene_panels.draw_sensitivity(gene_thresholds(one, draws=draws))
    for figure in figures.values():
        check_figure(figure)
    assert figures["accuracy"].axes[0].get_title() == "planted\n(simulated)"
    assert not recwarn.list


def test_m_sensitivity_shows_mean_and_spread(tmp_path):
    metrics = through_file(sensitivity(), tmp_path)
    (figure,) = figures_of("m_sensitivity", metrics=metrics).values()
    check_figure(figure)
    ax = figure.axes[2]
    here = rows(metrics, dataset="breast", metric="accuracy", method="consensus_pca_us")
    grouped = here.groupby("n_embeddings")["value"]
    np.testing.assert_allclose(errorbar_values(ax)["consensus PCA, US"][:, 1], grouped.mean())
    np.testing.assert_allclose(np.ptp(errorbar_ends(ax, "consensus PCA, US"), axis=1), 2 * grouped.std())


def test_sensitivity_of_genes_shows_thresholds_numbers_and_the_single_embedding(tmp_path):
    metrics = through_file(gene_thresholds(), tmp_path)
    figure = gene_panels.draw_sensitivity(metrics)
    check_figure(figure)
    axes = np.array(figure.axes).reshape(2, 4)[:, 1]
    at = {"dataset": "lung", "reduction": "graph_embedding", "metric": "accuracy"}
    means = rows(metrics, method="consensus", strength="supervised", **at).groupby("theta")["value"].mean()
    np.testing.assert_allclose(errorbar_values(axes[0])["consensus GE, S"][:, 1], means)
    means = rows(metrics, method="consensus_of_k", **at).groupby("n_selected")["value"].mean()
    np.testing.assert_allclose(errorbar_values(axes[1])["consensus GE, no selection"][:, 1], means)
    check_labels_apart(axes[1], "x")
    alone = rows(metrics, method="single", **at)["value"].item()
    for ax in axes:
        assert any(np.allclose(line.get_ydata(), alone) for line in ax.lines if line.get_linestyle() == ":")


def test_dimension_of_genes_has_a_panel_of_its_own(tmp_path):
    assert len(image_figures.draw_dimension(through_file(dimensions([]), tmp_path)).axes) == 2
    genes = dimensions(["leukemia", "lung"], changes={("leukemia", "d"): 9.5, ("lung", "d"): 14.0})
    figure = image_figures.draw_dimension(through_file(genes, tmp_path))
    check_figure(figure)
    points, paper = figure.axes[2].lines
    assert points.get_ydata().tolist() == [9.5, 14.0]
    assert set(paper.get_ydata()) == {4}


def test_rank_correlations_of_genes_stand_apart_by_reduction(tmp_path):
    changes = {("leukemia", "spearman"): 0.2, ("lung", "spearman"): 0.3}
    metrics = rows(monotone(["leukemia", "lung"], changes=changes, draws=2), series="genes", method="strength")
    ax = theory_figures.draw_monotone(through_file(metrics, tmp_path)).axes[0]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["genes,\nGE", "genes,\nPCA"]
    assert "slices, or draws and sets)" in ax.get_ylabel()
    np.testing.assert_allclose(errorbar_values(ax)["two clusters"][:, 1], [0.25, 0.27])
