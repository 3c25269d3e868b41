"""Fidelity of embeddings to the data, against scikit-learn and plain ranks."""

import numpy as np
import pytest
from consensus_embedding import check_embedding
from consensus_embedding.diagnostics import fidelity
from consensus_embedding.diagnostics.fidelity import _chance, _chance_of_ties, _rows_of_points, fidelity_values
from consensus_embedding.diagnostics.run_kernels import points_nearer
from scipy.spatial.distance import cdist, pdist
from scipy.stats import spearmanr
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
    # Student's t, 3 degrees of freedom, and a tenth of a run more: perfect at one end, at random places at the other.
    reach, unseen = 3.1824463052842638 * row.sd / 2, 0.1 / 4.1
    assert row.high - row.value == pytest.approx(reach + unseen * (1 - row.value))
    assert row.value - row.low == pytest.approx(reach + unseen * (row.value - K / 149))


@pytest.mark.parametrize(("n", "k"), [(6, 2), (9, 4)])
def test_chance_is_that_of_ranks_at_random(n, k):
    """The mean over all ranks that a neighbour can have, in place of the sums of the formula."""
    excess = np.mean([max(rank - k, 0) for rank in range(1, n)])
    worst = (2 * n - 3 * k - 1) / 2
    assert _chance(n, k)["trustworthiness"] == pytest.approx(1 - excess / worst)


# Answers of two kinds; tables with few entries, most of them without any; copies among points that differ.
TIED = {
    "yes/no": RNG.integers(0, 2, size=(90, 6)).astype(float),
    "sparse": (RNG.random(size=(90, 400)) < 0.002).astype(float),
    "copies": np.repeat(RNG.normal(size=(40, 4)), RNG.integers(1, 5, size=40), axis=0),
}


@pytest.mark.parametrize("name", TIED)
def test_chance_is_that_of_random_pictures_where_points_are_equally_far(name):
    data = TIED[name]
    found = check_embedding(data, embeddings=RNG.normal(size=(200, len(data), 2)), n_neighbors=K).fidelity
    runs = found[found.of == "single run"]
    assert (np.abs(runs.value - runs.chance) < 4 * runs.sd / np.sqrt(200)).all()
    # Far from what it is without ties.
    assert (np.abs(runs.chance - list(_chance(len(data), K).values()))[:3] > 8 * runs.sd[:3] / np.sqrt(200)).all()


def test_where_nothing_ties_chance_is_that_of_ranks_at_random():
    assert _chance_of_ties(_rows_of_points(X), 150, 150, K, 1) == pytest.approx(_chance(150, K))


def test_the_result_depends_neither_on_blocks_nor_on_threads(check, monkeypatch):
    monkeypatch.setattr(fidelity, "_BLOCK", 32)
    again = check_embedding(X, embeddings=RUNS, n_neighbors=K, random_state=0, n_jobs=2)
    assert again.fidelity.value.to_numpy() == pytest.approx(check.fidelity.value.to_numpy(), abs=1e-14)


def test_of_many_pairs_of_points_some_are_drawn(values, monkeypatch):
    monkeypatch.setattr(fidelity, "N_PAIRS", 5000)
    again = check_embedding(X, embeddings=RUNS, n_neighbors=K, random_state=0).fidelity
    found = again.set_index(["of", "metric"]).value
    for of in ("single run", "consensus distances", "picture"):
        assert found[of, "distance_correlation"] == pytest.approx(values[of, "distance_correlation"], abs=0.03)
        assert found[of, "distance_correlation"] != values[of, "distance_correlation"]


@pytest.mark.parametrize("seed", range(3))
def test_points_are_counted_that_are_nearer_and_as_near(seed):
    """Coordinates are small whole numbers, so that many distances are equal, some of them 0."""
    rng = np.random.default_rng(seed)
    distances = cdist(*[rng.integers(0, 4, size=(40, 2)).astype(float)] * 2)
    neighbors = np.array([rng.choice(np.delete(np.arange(40), i), 12, replace=False) for i in range(40)])
    nearer, equal = points_nearer(distances, 0, neighbors)
    np.fill_diagonal(distances, np.nan)
    limits = np.take_along_axis(distances, neighbors, axis=1)[:, :, None]
    assert np.array_equal(nearer, (distances[:, None] < limits).sum(axis=2))
    assert np.array_equal(equal, (distances[:, None] == limits).sum(axis=2) - 1)


def test_of_equally_near_points_of_the_data_those_nearest_in_the_space_count():
    binary = RNG.integers(0, 2, size=(90, 7)).astype(float)
    runs = RNG.normal(size=(3, 90, 2))
    found = check_embedding(binary, embeddings=runs, n_neighbors=K, random_state=0).fidelity
    data, excess = cdist(binary, binary), []
    for y in runs:
        space = cdist(y, y)
        for i in range(90):
            others = np.delete(np.arange(90), i)
            near = others[np.lexsort((space[i, others], data[i, others]))[:K]]
            ranks = [
                1 + (space[i, others] < space[i, j]).sum() + ((space[i, others] == space[i, j]).sum() - 1) / 2
                for j in near
            ]
            excess += [max(0.0, rank - K) for rank in ranks]
    expected = 1 - sum(excess) / (3 * 90 * K * (2 * 90 - 3 * K - 1) / 2)
    value = found.set_index(["of", "metric"]).value["single run", "continuity"]
    assert value == pytest.approx(expected, abs=1e-12)


def test_copies_of_points_are_equally_good_neighbors():
    """Twenty copies of each of six points: an embedding that keeps copies together is perfect, in any order of them."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(6, 4)), 20, axis=0)
    runs = [10 * X[:, :2] + 1e-3 * rng.normal(size=(120, 2)) for _ in range(3)]
    order = rng.permutation(120)
    for rows in (np.arange(120), order):
        found = check_embedding(X[rows], embeddings=[run[rows] for run in runs], n_neighbors=15).fidelity
        near = found[found.metric != "distance_correlation"]
        assert near.value.to_numpy() == pytest.approx(np.ones(9))


def test_a_picture_with_all_points_at_few_places_says_nothing_about_neighbors():
    X = np.random.default_rng(0).normal(size=(90, 4))
    places = np.arange(90)[:, None] % 2 * [1.0, 0.0]
    values = fidelity_values(
        X, np.empty((0, 90, 2)), np.empty((90, 0, 8), dtype=int), pdist(places), places, np.random.RandomState(0)
    )
    for metric, chance in _chance(90, 8).items():
        assert values[metric] == pytest.approx(np.full(2, chance), abs=0.06), metric
