"""Fidelity of embeddings to the data, against scikit-learn and plain ranks."""

import numpy as np
import pytest
from consensus_embedding import check_embedding
from consensus_embedding.diagnostics import fidelity
from consensus_embedding.diagnostics.run_kernels import neighbor_ranks
from scipy.spatial.distance import cdist, pdist
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from sklearn.manifold import trustworthiness
from sklearn.neighbors import NearestNeighbors

RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 6))
RUNS = np.array([X[:, :2] + 0.6 * RNG.normal(size=(150, 2)) for _ in range(4)])
K = 10


@pytest.fixture(scope="module")
def check():
    return check_embedding(X, embeddings=RUNS, n_neighbors=K, random_state=0)


@pytest.fixture(scope="module")
def values(check):
    return check.fidelity.set_index(["of", "metric"]).value


def test_trustworthiness_is_that_of_scikit_learn(values, check):
    expected = np.mean([trustworthiness(X, y, n_neighbors=K) for y in RUNS])
    assert values["single run", "trustworthiness"] == pytest.approx(expected, abs=1e-12)
    expected = trustworthiness(X, check.consensus.embedding, n_neighbors=K)
    assert values["picture", "trustworthiness"] == pytest.approx(expected, abs=1e-12)


def test_continuity_is_trustworthiness_the_other_way_round(values):
    expected = np.mean([trustworthiness(y, X, n_neighbors=K) for y in RUNS])
    assert values["single run", "continuity"] == pytest.approx(expected, abs=1e-12)


def test_consensus_distances_are_judged_without_a_picture(values, check):
    table = check.consensus.distance_matrix
    expected = trustworthiness(table, X, n_neighbors=K, metric="precomputed")
    assert values["consensus distances", "continuity"] == pytest.approx(expected, abs=1e-12)
    expected = spearmanr(pdist(X), check.consensus.distances).statistic
    assert values["consensus distances", "distance_correlation"] == pytest.approx(expected)


def test_recall_and_correlation_by_their_definitions(values, check):
    near = NearestNeighbors(n_neighbors=K).fit(X).kneighbors()[1]
    shares, correlations = [], []
    for y in RUNS:
        found = NearestNeighbors(n_neighbors=K).fit(y).kneighbors()[1]
        shares.append(np.mean([len(set(a) & set(b)) / K for a, b in zip(near, found, strict=True)]))
        correlations.append(spearmanr(pdist(X), pdist(y)).statistic)
    assert values["single run", "neighbor_recall"] == pytest.approx(np.mean(shares))
    assert values["single run", "distance_correlation"] == pytest.approx(np.mean(correlations))
    row = check.fidelity.query("of == 'single run' and metric == 'neighbor_recall'").iloc[0]
    assert row.sd == pytest.approx(np.std(shares, ddof=1))
    assert row.high - row.value == pytest.approx(3.1824463052842638 * row.sd / 2)  # Student's t, 3 degrees of freedom


def test_an_embedding_that_is_the_data_is_perfect():
    flat = RNG.normal(size=(60, 2))
    found = check_embedding(flat, PCA(2), 3).fidelity
    assert found.query("of != 'picture'").value.to_numpy() == pytest.approx(np.ones(8))
    assert found.query("of == 'picture'").value.to_numpy() == pytest.approx(np.ones(4), abs=1e-3)


def test_random_embeddings_have_the_values_of_chance():
    runs = np.random.default_rng(1).normal(size=(12, 150, 2))
    found = check_embedding(np.random.default_rng(2).normal(size=(150, 5)), embeddings=runs).fidelity
    single = found[found.of == "single run"]
    assert single.value.to_numpy() == pytest.approx(single.chance.to_numpy(), abs=0.03)


def test_the_result_depends_neither_on_blocks_nor_on_threads(check, monkeypatch):
    monkeypatch.setattr(fidelity, "_BLOCK", 32)
    again = check_embedding(X, embeddings=RUNS, n_neighbors=K, random_state=0, n_jobs=2)
    assert again.fidelity.value.to_numpy() == pytest.approx(check.fidelity.value.to_numpy(), abs=1e-14)


def test_of_many_pairs_of_points_some_are_drawn(check, values, monkeypatch):
    monkeypatch.setattr(fidelity, "N_PAIRS", 5000)
    again = check_embedding(X, embeddings=RUNS, n_neighbors=K, random_state=0).fidelity
    found = again.set_index(["of", "metric"]).value
    for of in ("single run", "consensus distances", "picture"):
        assert found[of, "distance_correlation"] == pytest.approx(values[of, "distance_correlation"], abs=0.03)
        assert found[of, "distance_correlation"] != values[of, "distance_correlation"]


@pytest.mark.parametrize("seed", range(3))
def test_ranks_are_those_of_a_stable_sort(seed):
    """Coordinates are small whole numbers, so that many distances are equal, some of them 0."""
    rng = np.random.default_rng(seed)
    distances = cdist(*[rng.integers(0, 4, size=(40, 2)).astype(float)] * 2)
    neighbors = np.array([rng.choice(np.delete(np.arange(40), i), 12, replace=False) for i in range(40)])
    ranks = np.empty_like(neighbors)
    neighbor_ranks(distances, 0, neighbors, ranks)
    np.fill_diagonal(distances, -1.0)
    expected = np.argsort(np.argsort(distances, axis=1, kind="stable"), axis=1)
    assert np.array_equal(ranks, np.take_along_axis(expected, neighbors, axis=1))
