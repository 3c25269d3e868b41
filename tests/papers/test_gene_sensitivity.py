"""Calibration on training splits, numbers of embeddings and thresholds, on planted gene expression."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from consensus_embedding.consensus.subset_embeddings import DistancesOfEmbeddings
from replication.data.domains.gene_preparation import prepare_genes
from replication.data.readers.expression_table import ExpressionTable
from replication.data.readers.planted_expression import planted_expression
from replication.papers.viswanath2012 import gene_calibration, gene_expression, m_sensitivity, theta_sensitivity
from replication.papers.viswanath2012.gene_expression import cohort_scores
from replication.papers.viswanath2012.gene_splits import (
    consensus_space,
    draw_subsets,
    embed_pool,
    gene_seed,
    score_space,
)
from replication.papers.viswanath2012.method_names import REDUCTIONS
from replication.papers.viswanath2012.settings import GeneSettings
from replication.platform.steps import Work
from replication.shared.tidy import Metrics
from sklearn.metrics import accuracy_score, balanced_accuracy_score

SETTINGS = GeneSettings.model_validate(
    {"n_genes": 24, "n_neighbors": 6, "sigma": 0.5, "n_components": 3, "n_embeddings": 12, "subset_size": 6}
)
POOL, SEED, DRAWS = 12, 5, 3
THETAS = {"thetas": [0.15, 0.8, 0.9, 0.999], "n_selected": [1, 2, 5, 12, 13, 500]}
METHODS = ["knn_ensemble", "ssage", "features", "graph_embedding", "consensus_ge_s", "pca", "consensus_pca_s"]


@pytest.fixture(scope="module")
def split():
    return planted_expression(n_genes=150, n_informative=24, effect=0.8, training=[12, 11], test=[9, 10], seed=4)


@pytest.fixture(scope="module")
def genes(split):
    return prepare_genes(split, **SETTINGS.preparation)


@pytest.fixture(scope="module")
def pools(genes):
    drawn = [draw_subsets(24, 6, POOL, SEED, r) for r in range(DRAWS)]
    return {reduction: [embed_pool(genes, reduction, one, SETTINGS) for one in drawn] for reduction in REDUCTIONS}


@pytest.fixture(scope="module")
def main(split):
    """Scores of the experiment on all methods: (method, metric) -> values of the draws."""
    metrics = Metrics("gene_expression", "planted", "simulated", gene_expression.CONDITIONS)
    gene_expression.score_variant(metrics, split, SETTINGS, repetitions=DRAWS, pool_size=POOL, seed=SEED)
    table = metrics.table()
    return {key: rows["value"].tolist() for key, rows in table[table["class"].isna()].groupby(["method", "metric"])}


@pytest.fixture(scope="module")
def by_m(genes, pools):
    metrics = Metrics("m_sensitivity", "planted", "simulated", m_sensitivity.CONDITIONS)
    for reduction in REDUCTIONS:
        m_sensitivity.score_pools(
            metrics, pools[reduction], reduction, genes.test_positive, SETTINGS, n_embeddings=[4, 7, POOL]
        )  # fmt: skip
    return metrics.table().set_index(["method", "metric", "n_embeddings", "repetition"])["value"].sort_index()


@pytest.fixture(scope="module")
def by_theta(genes, pools):
    tables = []
    for reduction in REDUCTIONS:
        metrics = Metrics("theta_sensitivity", "planted", "simulated", theta_sensitivity.CONDITIONS)
        theta_sensitivity.score_genes(metrics, genes, pools[reduction], reduction, SETTINGS, **THETAS, seed=7)
        tables.append(metrics.table())
    return pd.concat(tables, ignore_index=True)


def thresholds(table, reduction, strength, theta, metric):
    rows = table[(table["method"] == "consensus") & (table["metric"] == metric) & (table["reduction"] == reduction)]
    return rows[(rows["strength"] == strength) & (rows["theta"] == theta)]["value"].tolist()


def test_all_embeddings_of_the_pool_are_those_of_the_experiment(by_m, main):
    for short in REDUCTIONS.values():
        for mark in ("s", "us"):
            method = f"consensus_{short}_{mark}"
            for metric in ("accuracy", "balanced_accuracy", "n_selected"):
                assert by_m[method, metric, POOL].tolist() == main[method, metric], (method, metric)


def test_a_strict_threshold_selects_among_the_first_embeddings(genes, pools, main):
    metrics = Metrics("m_sensitivity", "planted", "simulated", m_sensitivity.CONDITIONS)
    m_sensitivity.score_pools(metrics, pools["pca"], "pca", genes.test_positive, SETTINGS.replace(theta=0.9), [6, POOL])
    table = metrics.table().set_index(["method", "metric", "n_embeddings", "repetition"])["value"].sort_index()
    for mark, strength in (("s", "supervised"), ("us", "unsupervised")):
        for metric in ("accuracy", "balanced_accuracy", "n_selected"):
            expected = main[f"consensus_pca_{mark}_strict", metric]
            assert table[f"consensus_pca_{mark}", metric, POOL].tolist() == expected
        # The strongest of the first six is what counts, not that of the pool.
        first = [getattr(pool, strength)[:6] for pool in pools["pca"]]
        kept = [(one > 0.9 * one.max()).sum() for one in first]
        assert table[f"consensus_pca_{mark}", "n_selected", 6].tolist() == kept
        assert min(kept) < 6


def test_fewer_embeddings_are_those_of_the_first_subsets(by_m, genes):
    for reduction, short in REDUCTIONS.items():
        for r in range(DRAWS):
            alone = embed_pool(genes, reduction, draw_subsets(24, 6, POOL, SEED, r)[:7], SETTINGS)
            for strength, mark in (("supervised", "s"), ("unsupervised", "us")):
                chosen = np.flatnonzero(getattr(alone, strength) > 0.15 * getattr(alone, strength).max())
                space = consensus_space(alone.embeddings[chosen], SETTINGS)
                expected = score_space(space, genes.test_positive, SETTINGS.linkage)
                assert by_m[f"consensus_{short}_{mark}", "accuracy", 7, r] == expected.accuracy
                assert by_m[f"consensus_{short}_{mark}", "balanced_accuracy", 7, r] == expected.balanced_accuracy


@pytest.mark.parametrize(("reduction", "short"), REDUCTIONS.items())
def test_thresholds_of_the_experiment_give_its_scores(by_theta, main, reduction, short):
    for strength, mark in (("supervised", "s"), ("unsupervised", "us")):
        for theta, suffix in ((0.15, ""), (0.9, "_strict")):
            for metric in ("accuracy", "balanced_accuracy", "n_selected"):
                found = thresholds(by_theta, reduction, strength, theta, metric)
                assert found == main[f"consensus_{short}_{mark}{suffix}", metric]


def test_one_embedding_of_all_genes_is_that_of_the_experiment(by_theta, main):
    alone = by_theta[by_theta["method"] == "single"].set_index("reduction")["value"]
    assert alone["pca"] == main["pca", "accuracy"][0]
    assert alone["graph_embedding"] == main["graph_embedding", "accuracy"][0]


@pytest.mark.parametrize(("reduction", "short"), REDUCTIONS.items())
def test_numbers_of_embeddings_end_in_all_of_them_and_begin_with_one(by_theta, main, pools, genes, reduction, short):
    of_k = by_theta[(by_theta["method"] == "consensus_of_k") & (by_theta["reduction"] == reduction)]
    assert of_k[of_k["n_selected"] == POOL]["value"].tolist() == main[f"consensus_{short}_s", "accuracy"]
    for r, value in enumerate(of_k[of_k["n_selected"] == 1]["value"]):
        spaces = [consensus_space(one[None], SETTINGS) for one in pools[reduction][r].embeddings]
        assert value in {score_space(space, genes.test_positive, SETTINGS.linkage).accuracy for space in spaces}


def test_numbers_of_embeddings_combine_as_many_and_each_holds_the_smaller_ones(genes, pools, monkeypatch):
    seen, combine = [], DistancesOfEmbeddings.combine

    def noted(distances, chosen):
        seen.append(chosen.tolist())
        return combine(distances, chosen)

    monkeypatch.setattr(DistancesOfEmbeddings, "combine", noted)
    metrics = Metrics("theta_sensitivity", "planted", "simulated", theta_sensitivity.CONDITIONS)
    selection = {"thetas": [], "n_selected": [1, 2, 5, 12]}
    theta_sensitivity.score_genes(metrics, genes, pools["pca"], "pca", SETTINGS, **selection, seed=7)
    assert [len(chosen) for chosen in seen] == [1, 2, 5, 12] * DRAWS
    for few, more in pairwise(seen):
        if len(few) < len(more):
            assert more[: len(few)] == few
    # A random order: not the first ones of the pool, and another one in each draw.
    assert len({tuple(few) for few in seen[::4]}) > 1


def test_a_smaller_number_of_embeddings_takes_the_first_of_the_pool(genes, pools):
    metrics = Metrics("theta_sensitivity", "planted", "simulated", theta_sensitivity.CONDITIONS)
    settings = SETTINGS.replace(n_embeddings=5)
    theta_sensitivity.score_genes(metrics, genes, pools["pca"], "pca", settings, **THETAS, seed=7)
    table = metrics.table()
    assert thresholds(table, "pca", "supervised", 0.15, "n_selected") == [5] * DRAWS
    assert table[table["method"] == "consensus_of_k"]["n_selected"].max() == 5
    expected = [
        score_space(consensus_space(pool.embeddings[:5], SETTINGS), genes.test_positive, SETTINGS.linkage).accuracy
        for pool in pools["pca"]
    ]
    assert thresholds(table, "pca", "supervised", 0.15, "accuracy") == expected


def test_cluster_of_the_cohort_without_test_samples_calls_none():
    clusters = np.array([0, 1, 1, 0, 0, 0, 0])
    found = cohort_scores(clusters, 3, np.array([True, False, False, False]))
    assert (found.accuracy, found.balanced_accuracy) == (0.75, 0.5)
    assert not found.called.any()
    found = cohort_scores(clusters, 3, np.array([True, True, True, False]))
    assert (found.accuracy, found.balanced_accuracy) == (0.75, 0.5)
    assert found.called.all()


def test_better_cluster_of_the_cohort_is_called_and_of_equal_ones_the_more_balanced():
    rng = np.random.default_rng(0)
    for _ in range(50):
        clusters = np.concatenate([[0, 1], rng.integers(0, 2, 9)])
        positive = rng.permutation(np.arange(9) < rng.integers(1, 9))
        found = cohort_scores(clusters, 2, positive)
        tried = [clusters[2:] == cluster for cluster in (0, 1)]
        scores = [(accuracy_score(positive, one), balanced_accuracy_score(positive, one)) for one in tried]
        assert (found.accuracy, found.balanced_accuracy) == pytest.approx(max(scores))
        assert found.accuracy == accuracy_score(positive, found.called)
        assert any(np.array_equal(found.called, one) for one in tried)


def scaled_table(seed, sizes=(13, 12)):
    """Classes that are plain once the unit of each sample is gone, and hidden behind it before."""
    table = planted_expression(
        n_genes=60, n_informative=30, effect=4.0, training=list(sizes), test=[1, 1], seed=seed
    ).training  # fmt: skip
    units = np.exp(np.random.default_rng(seed).normal(size=len(table.classes)))
    return replace(table, values=table.values * units[:, None])


TABLES = {"first": scaled_table(1), "second": scaled_table(2, (9, 14))}
SOURCES = {"first": "simulated", "second": "own"}
PARAMETERS = gene_calibration.GeneCalibration.model_validate(
    {
        "splits": 3,
        "n_embeddings": 6,
        "margin": 0.01,
        "options": {"transform": ["none", "rank"], "subset_size": [6, 12], "knn_neighbors": [1, 3]},
    },
)


def calibrated(**change):
    return gene_calibration.run(TABLES, SOURCES, SETTINGS, PARAMETERS.replace(**change), Work(seed=3))


@pytest.mark.parametrize("seed", range(4))
def test_halves_part_the_samples_within_their_classes(seed):
    classes = np.random.default_rng(seed).permutation(np.repeat(["b", "a"], [7, 10]))
    # Each value names its sample.
    table = ExpressionTable(np.arange(34.0).reshape(17, 2), np.array(["x", "y"]), classes)
    halves = gene_calibration.halve(table, np.random.default_rng(seed))
    rows = [(part.values[:, 0] / 2).astype(int) for part in (halves.training, halves.test)]
    assert sorted(np.concatenate(rows)) == list(range(17))
    for part, chosen in zip((halves.training, halves.test), rows, strict=True):
        np.testing.assert_array_equal(part.classes, classes[chosen])
        np.testing.assert_array_equal(part.values, table.values[chosen])
        assert part.genes.tolist() == ["x", "y"]
    assert Counter(halves.training.classes) == {"a": 5, "b": 4}
    assert Counter(halves.test.classes) == {"a": 5, "b": 3}
    other = gene_calibration.halve(table, np.random.default_rng(seed + 100))
    assert not np.array_equal(other.training.values, halves.training.values)


def test_classes_too_small_to_be_halved_are_refused_by_the_name_of_the_data_set(monkeypatch):
    monkeypatch.setitem(TABLES, "second", scaled_table(2, (9, 3)))
    with pytest.raises(ValueError, match=r"^second: .* at least 4 samples of each class, found 3 of B"):
        calibrated()
    halves = gene_calibration.halve(scaled_table(2, (9, 4)), np.random.default_rng(0))
    assert Counter(halves.training.classes) == {"A": 5, "B": 2}
    assert Counter(halves.test.classes) == {"A": 4, "B": 2}


def test_halves_too_small_for_an_embedding_are_refused_by_the_name_of_the_data_set(monkeypatch):
    monkeypatch.setitem(TABLES, "second", scaled_table(2, (4, 4)))
    message = r"^second: an embedding in 4 dimensions needs halves .* at least 5 samples, found 4; leave out gene_calib"
    with pytest.raises(ValueError, match=message):
        calibrated(options={"n_components": [2, 4]})


def test_only_the_given_samples_are_used_and_every_option_gets_the_same_halves(monkeypatch):
    halves, seen = [], []
    prepare, score = gene_calibration.prepare_genes, gene_calibration.score_methods

    def watched_preparation(split, **preparation):
        halves.append((split, preparation["transform"]))
        return prepare(split, **preparation)

    def watched(genes, settings, seed, repetition):
        seen.append((settings, seed, repetition))
        return score(genes, settings, seed, repetition)

    monkeypatch.setattr(gene_calibration, "prepare_genes", watched_preparation)
    monkeypatch.setattr(gene_calibration, "score_methods", watched)
    calibrated(options={"transform": ["none", "rank"], "subset_size": [6, 12]}, splits=2)
    assert [(seed, r) for _, seed, r in seen] == [(gene_seed(3, name), r) for name in TABLES for r in range(2)] * 3
    assert [settings.transform for settings, _, _ in seen] == ["none"] * 4 + ["rank"] * 8
    assert {settings.n_embeddings for settings, _, _ in seen} == {6}
    # Subsets of another size leave the genes as they are.
    assert [transform for _, transform in halves] == ["none"] * 4 + ["rank"] * 4
    names = ["first", "first", "second", "second"]
    for (split, _), (later, _), name in zip(halves[:4], halves[4:], names, strict=True):
        values = np.concatenate([split.training.values, split.test.values])
        order = [np.lexsort(part.T) for part in (values, TABLES[name].values)]
        np.testing.assert_array_equal(values[order[0]], TABLES[name].values[order[1]])
        np.testing.assert_array_equal(split.training.values, later.training.values)
        np.testing.assert_array_equal(split.test.values, later.test.values)
    assert not np.array_equal(halves[0][0].training.values, halves[1][0].training.values)


@pytest.mark.slow
def test_the_plainly_better_option_is_picked_on_planted_classes():
    _, picks = calibrated()
    transform = picks[picks["choice"] == "transform"].set_index("option")
    assert transform["picked"].to_dict() == {"none": False, "rank": True}
    assert transform.loc["none", "mean"] < 0.85
    assert transform.loc["rank", "mean"] > 0.95
    # Of methods alike the start value stays.
    rest = picks[picks["choice"] != "transform"]
    assert rest[rest["picked"]]["option"].tolist() == ["6", "1"]
    assert picks[picks["configured"]]["option"].tolist() == ["rank", "6", "3"]


@pytest.mark.parametrize("repetition", [0, 1])
def test_methods_score_on_halves_as_in_the_experiment(repetition, split):
    halves = gene_calibration.halve(split.training, np.random.default_rng(repetition))
    settings = SETTINGS.replace(n_neighbors=5, n_embeddings=POOL)
    found = gene_calibration.score_methods(prepare_genes(halves, **settings.preparation), settings, SEED, repetition)
    assert list(found) == METHODS
    metrics = Metrics("gene_expression", "planted", "simulated", gene_expression.CONDITIONS)
    gene_expression.score_variant(metrics, halves, settings, repetitions=2, pool_size=POOL, seed=SEED)
    table = metrics.table()
    table = table[(table["metric"] == "balanced_accuracy") & (table["repetition"] == repetition)]
    expected = table.set_index("method")["value"]
    assert found == {method: expected[method] for method in METHODS}
