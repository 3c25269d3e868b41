"""Ways to combine embeddings: each gives a known answer, and depends on nothing that it should not."""

import numpy as np
import pytest
from consensus_embedding import (
    CoAssociationConsensus,
    GeometricMedianConsensus,
    Indscal,
    MedoidRun,
    MetaVisualization,
    PairwiseConsensus,
    ProcrustesMean,
    RandomEmbedding,
    RandomRun,
    SimilarityNetworkFusion,
    StackedPCA,
    median_consensus,
)
from consensus_embedding.consensus import alternatives, large_median
from consensus_embedding.consensus.pairwise import pairwise_consensus
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.base import clone

METHODS = {
    "geometric_median": GeometricMedianConsensus(),
    "mean": PairwiseConsensus("mean"),
    "median": PairwiseConsensus("median"),
    "mode": PairwiseConsensus("mode"),
    "procrustes": ProcrustesMean(),
    "stacked_pca": StackedPCA(),
    "indscal": Indscal(),
    "co_association": CoAssociationConsensus(n_clusters=4),
    "network_fusion": SimilarityNetworkFusion(n_neighbors=5, n_steps=3),
    "meta_visualization": MetaVisualization(),
    "medoid": MedoidRun(),
    "random_run": RandomRun(random_state=3),
    "random_embedding": RandomEmbedding(random_state=3),
}
# Of equal embeddings these give its distances back.
KEEPERS = ("geometric_median", "mean", "median", "mode", "procrustes", "stacked_pca", "indscal", "medoid", "random_run")


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).normal(size=(24, 2)) * [2.0, 1.0]


@pytest.fixture(scope="module")
def runs(points):
    """Noisy copies of the same points, each turned in its own way."""
    rng = np.random.default_rng(1)
    return [(points + rng.normal(scale=0.3, size=points.shape)) @ rotation(rng.uniform(0, 6)) for _ in range(5)]


def rotation(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@pytest.mark.parametrize("name", KEEPERS)
def test_of_equal_runs_the_consensus_has_their_distances(name, points):
    runs = [points @ rotation(angle) + angle for angle in (0.0, 1.0, 2.5)]
    found = clone(METHODS[name]).fit(runs)
    np.testing.assert_allclose(found.distances_, pdist(points), atol=1e-6)
    np.testing.assert_allclose(pdist(found.embedding_), pdist(points), atol=1e-4)


@pytest.mark.parametrize("name", METHODS)
def test_the_order_of_the_runs_changes_no_digit(name, runs):
    found, again = (clone(METHODS[name]).fit(given) for given in (runs, runs[::-1]))
    assert np.array_equal(found.distances_, again.distances_)
    assert np.array_equal(found.embedding_, again.embedding_)


def test_median_and_pairwise_are_those_of_the_library(runs):
    median = GeometricMedianConsensus().fit(runs)
    np.testing.assert_allclose(median.distances_, median_consensus(runs).distances, atol=1e-4)
    for statistic in ("mean", "median", "mode"):
        found = PairwiseConsensus(statistic).fit(runs).distances_
        np.testing.assert_allclose(found, pairwise_consensus(np.array(runs), statistic), rtol=1e-12)


def test_of_many_points_the_median_keeps_its_distances_too(runs, monkeypatch):
    expected = GeometricMedianConsensus().fit(runs).distances_
    monkeypatch.setattr(large_median, "TABLE_POINTS", 10)
    np.testing.assert_allclose(GeometricMedianConsensus().fit(runs).distances_, expected, rtol=1e-6)


def test_the_medoid_is_the_run_in_the_middle(points):
    runs = [points * size for size in (1.0, 1.1, 1.3, 3.0)]
    # With 1.1 twice, the distances of 1.1 to the others sum to 0.1 + 0.2 + 1.9, those of 1.3 to 0.3 + 0.4 + 1.7.
    found = MedoidRun().fit([*runs, runs[1]])
    np.testing.assert_allclose(found.distances_, pdist(runs[1]))


def test_a_random_run_is_one_of_the_runs_and_each_can_be_drawn(runs):
    drawn = [RandomRun(random_state=seed).fit(runs).embedding_ for seed in range(40)]
    assert {next(k for k, run in enumerate(runs) if np.array_equal(run, one)) for one in drawn} == set(range(5))


def test_stacked_components_are_classical_scaling_of_the_root_mean_square(runs):
    centred = [run - run.mean(axis=0) for run in runs]
    inner = np.mean([run @ run.T for run in centred], axis=0)
    values, vectors = np.linalg.eigh(inner)
    np.testing.assert_allclose(
        StackedPCA().fit(runs).distances_, pdist(vectors[:, -2:] * np.sqrt(values[-2:])), atol=1e-9
    )


def test_indscal_finds_planted_weights(monkeypatch):
    monkeypatch.setattr(alternatives, "_INDSCAL_STEPS", 2000)
    monkeypatch.setattr(alternatives, "_INDSCAL_TOLERANCE", 1e-15)
    rng = np.random.default_rng(5)
    space = rng.normal(size=(40, 2))
    space -= space.mean(axis=0)
    space /= np.linalg.norm(space, axis=0)
    weights = np.array([[3.0, 0.5], [0.5, 2.0], [1.0, 1.0], [2.0, 0.2], [0.5, 1.3]])
    runs = [space * np.sqrt(w) @ rotation(k) for k, w in enumerate(weights)]
    found = Indscal().fit(runs)
    planted = weights / weights.mean(axis=0)
    # Dimensions come in any order.
    columns = [0, 1] if abs(found.weights_[:, 0] - planted[:, 0]).max() < 0.5 else [1, 0]
    np.testing.assert_allclose(found.weights_[:, columns], planted, atol=1e-4)
    np.testing.assert_allclose(
        np.abs(found.embedding_[:, columns]), np.abs(space * np.sqrt(weights.mean(axis=0))), atol=1e-4
    )


@pytest.mark.parametrize("unit", [1e-95, 1e-80, 1e80, 1e95])
def test_indscal_has_the_same_space_in_any_unit(runs, unit):
    expected, found = Indscal().fit(runs), Indscal().fit([run * unit for run in runs])
    np.testing.assert_allclose(found.embedding_ / unit, expected.embedding_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.weights_, expected.weights_, rtol=1e-8)


def test_co_association_counts_the_clusterings_that_part_a_pair():
    far = np.array([[0.0, 0], [0.1, 0], [9, 0], [9.1, 0]])
    crossed = far[[0, 2, 1, 3]]
    found = CoAssociationConsensus(n_clusters=2, n_runs=5).fit([far, far, far, crossed])
    # Pairs 01, 02, 03, 12, 13, 23: together in three of four, one of four, and none.
    np.testing.assert_allclose(found.distances_, [0.25, 0.75, 1.0, 1.0, 0.75, 0.25])
    assert CoAssociationConsensus().fit([far]).distances_.shape == (6,)


def test_network_fusion_follows_its_equations():
    """One step of two embeddings of four points with two neighbours, written out in loops."""
    runs = [np.array([[0.0], [1.0], [3.0], [7.0]]), np.array([[0.0], [2.0], [3.0], [5.0]])]
    k, mu, n = 2, 0.5, 4
    full, local = [], []
    for run in runs:
        rho = cdist(run, run)
        near = [sorted(set(range(n)) - {i}, key=lambda j, row=rho[i]: (row[j], j))[:k] for i in range(n)]
        means = np.array([rho[i, near[i]].mean() for i in range(n)])
        W = np.exp(-(rho**2) / (2 * (mu * (means[:, None] + means + rho) / 3) ** 2))
        S = np.zeros((n, n))
        for i in range(n):
            S[i, near[i]] = W[i, near[i]] / W[i, near[i]].sum()
        full.append(normalized(W))
        local.append(S)
    expected = np.mean([normalized(local[v] @ full[1 - v] @ local[v].T) for v in (0, 1)], axis=0)
    expected = (expected + expected.T) / 2
    found = SimilarityNetworkFusion(n_neighbors=k, n_steps=1, mu=mu).fit(runs)
    np.testing.assert_allclose(found.similarities_, expected, rtol=1e-12)
    between = squareform(expected, checks=False)
    np.testing.assert_allclose(found.distances_, np.sqrt(np.log(between.max() / between)), atol=1e-7)


def normalized(W):
    """Eq. 2, of the symmetric part."""
    W, n = (W + W.T) / 2, len(W)
    sums = [sum(W[i, j] for j in range(n) if j != i) for i in range(n)]
    return np.array([[0.5 if i == j else W[i, j] / (2 * sums[i]) for j in range(n)] for i in range(n)])


def test_network_fusion_treats_points_that_coincide_alike_and_does_not_depend_on_the_unit(runs):
    doubled = [np.concatenate([run, run[:6]]) for run in runs]
    apart = squareform(SimilarityNetworkFusion(n_neighbors=5).fit(doubled).distances_)
    np.testing.assert_allclose(np.delete(apart, [0, 24], axis=1)[0], np.delete(apart, [0, 24], axis=1)[24], rtol=1e-6)
    small, large = (SimilarityNetworkFusion().fit([run * unit for run in runs]) for unit in (1e-3, 1e3))
    np.testing.assert_allclose(small.distances_, large.distances_, atol=1e-9)


def test_meta_visualization_by_hand():
    """
    Two equal embeddings with the sides 3, 4, 5 of three points, and one with 4, 3, 5.

    Rows of a point: p twice and q once; inner product c. The first eigenvector (a, a, b) has the eigenvalue
    (3 + sqrt(1 + 8 c^2)) / 2, and b / a = 2 c / (eigenvalue - 1).
    """
    one, other = np.array([[0.0, 0], [3, 0], [0, 4]]), np.array([[0.0, 0], [4, 0], [0, 3]])
    meta = np.zeros((3, 3))
    for i in range(3):
        p, q = (squareform(sides)[i] / np.linalg.norm(squareform(sides)[i]) for sides in ([3.0, 4, 5], [4.0, 3, 5]))
        ratio = 4 * (p @ q) / (1 + np.sqrt(1 + 8 * (p @ q) ** 2))
        a, b = np.array([1.0, ratio]) / np.sqrt(2 + ratio**2)
        meta[i] = 2 * a * p + b * q
        if i == 0:
            assert (a, b) == pytest.approx((0.5800, 0.5720), abs=1e-4)
    found = MetaVisualization().fit([one, other, one])
    np.testing.assert_allclose(found.distances_, squareform((meta + meta.T) / 2, checks=False), rtol=1e-12)
    np.testing.assert_allclose(np.square(found.eigenscores_).sum(axis=1), 1.0)


@pytest.mark.parametrize("place", [0, 2, 5])
def test_a_run_of_noise_gets_the_lowest_eigenscores_wherever_it_is(runs, place):
    noise = np.random.default_rng(9).normal(size=runs[0].shape)
    found = MetaVisualization().fit([*runs[:place], noise, *runs[place:]])
    assert found.eigenscores_.mean(axis=0).argmin() == place


def test_a_point_on_all_others_in_a_run_is_no_error():
    runs = [np.zeros((4, 2)), np.arange(8.0).reshape(4, 2)]
    for name in METHODS:
        found = clone(METHODS[name]).set_params(**({"n_clusters": 2} if name == "co_association" else {})).fit(runs)
        assert np.isfinite(found.distances_).all(), name
        assert np.isfinite(found.embedding_).all(), name
