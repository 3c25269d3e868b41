"""Affinity graphs: formulas, oracles, invariances, and tables that are awkward or unusable."""

import numpy as np
import pandas as pd
import pytest
from affinities import affinity_matrix, knn_graph_sparse
from consensus_embedding.manifold import graphs
from consensus_embedding.manifold.graphs import (
    KERNELS,
    rescaled,
    semi_supervised_affinity,
)
from consensus_embedding.utils.labels import label_codes
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(120, 4)) * [1, 2, 0.5, 3]


@pytest.mark.slow
@pytest.mark.parametrize("n_neighbors", [1, 5, 15, 32, 33, 60])
def test_neighbourhood_graph_against_scikit_learn(X, n_neighbors):
    directed = kneighbors_graph(X, n_neighbors, mode="distance").toarray()
    distances = np.maximum(directed, directed.T)
    kept = distances[np.triu(distances > 0)]
    expected = np.where(distances > 0, np.exp(-distances / (0.7 * np.median(kept))), 0.0) + np.eye(120) + 1e-3
    found = affinity_matrix(X, n_neighbors=n_neighbors, sigma=0.7, floor=1e-3)
    assert found == pytest.approx(expected, rel=1e-12)


def test_dense_kernels_against_their_formulas(X):
    d, median = squareform(pdist(X)), np.median(pdist(X))
    s = np.sort(d, axis=1)[:, 7]
    for kernel, sigma, expected in (
        ("exponential", 0.3, np.exp(-d / (0.3 * median))),
        ("gaussian", 2, rbf_kernel(X, gamma=1 / (2 * median) ** 2)),
        ("local_scaling", 1.5, np.exp(-(d**2) / (1.5**2 * s[:, None] * s))),
    ):
        assert affinity_matrix(X, kernel=kernel, sigma=sigma, floor=1e-4) == pytest.approx(expected + 1e-4)


@pytest.mark.parametrize("kernel", KERNELS)
def test_affinities_are_symmetric_and_bounded(X, kernel):
    affinity = affinity_matrix(X, kernel=kernel, radius=5.0)
    assert np.array_equal(affinity, affinity.T)
    assert affinity.min() >= 1e-6
    assert affinity.max() == 1 + 1e-6
    assert np.all(np.diag(affinity) == 1 + 1e-6)
    assert np.all(np.diag(affinity_matrix(X, kernel=kernel, radius=5.0, self_affinity=0, floor=0.5)) == 0.5)


def test_a_pair_at_the_radius_is_outside_and_all_neighbours_at_the_distance_of_the_last_one_count():
    grid = np.array([(i, j) for i in range(6) for j in range(6)], dtype=float)
    distances = squareform(pdist(grid))
    for radius in (1.0 + 1e-12, 5.0, np.sqrt(8), np.nextafter(5.0, 6)):
        found = affinity_matrix(grid, kernel="radius", radius=radius, floor=0) > 0
        assert np.array_equal(found, distances < radius)
    order = np.random.default_rng(0).permutation(36)
    edges = affinity_matrix(grid, n_neighbors=1, floor=0) > 0
    assert np.array_equal(edges, distances <= 1)
    assert np.array_equal(affinity_matrix(grid[order], n_neighbors=1, floor=0) > 0, edges[np.ix_(order, order)])


def test_more_neighbours_than_objects_are_all_of_them(X):
    complete = affinity_matrix(X, kernel="exponential")
    assert affinity_matrix(X, n_neighbors=10**9) == pytest.approx(complete, rel=1e-12)
    assert np.array_equal(affinity_matrix(X, n_neighbors=119), affinity_matrix(X, n_neighbors=500))


@pytest.mark.parametrize("self_affinity", [1.0, 0.25])
def test_sparse_graph_is_the_dense_one_to_the_last_bit(self_affinity):
    X = np.random.default_rng(3).integers(0, 9, size=(400, 3)).astype(float)  # with ties and coinciding objects
    options = {"n_neighbors": 6, "sigma": 0.5, "self_affinity": self_affinity}
    sparse = knn_graph_sparse(X, **options)
    assert np.array_equal(sparse.toarray(), affinity_matrix(X, floor=0.0, **options))
    assert sparse.nnz < 400 * 40


SAMPLES = np.random.default_rng(4).normal(size=(60, 3))
AWKWARD = {
    "pairs": np.repeat(SAMPLES[:30], 2, axis=0),
    "tens": np.repeat(SAMPLES[:6], 10, axis=0),
    "all equal": np.full((60, 3), 7.0),
    "constant feature": np.column_stack([SAMPLES[:, :2], np.ones(60)]),
    "outlier": np.vstack([SAMPLES[:2] * 1e9, SAMPLES[2:]]),
    "huge": SAMPLES * 1e300,
    "tiny": SAMPLES * 1e-300,
    "three": SAMPLES[:3],
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_tables_give_finite_affinities(name, kernel):
    X = AWKWARD[name]
    options = {"kernel": kernel, "radius": 2 * np.abs(X).max(), "floor": 0.0}
    for sigma in (1e-300, 1e-6, 1.0, 1e6, 1e300):
        affinity = affinity_matrix(X, sigma=sigma, **options)
        assert np.isfinite(affinity).all()
        assert affinity.min() >= 0
        assert affinity.max() == 1
    # Objects that coincide are as alike as can be, whatever the scale.
    distances = squareform(pdist(X / np.abs(X).max()))
    assert np.all(affinity_matrix(X, sigma=1e-6, **options)[distances == 0] == 1)


@pytest.mark.parametrize("name", ["pairs", "tens"])
@pytest.mark.parametrize("kernel", ["exponential", "local_scaling"])
def test_coinciding_objects_do_not_make_the_others_unreachable(name, kernel):
    affinity = affinity_matrix(AWKWARD[name], kernel=kernel, floor=0.0)
    assert np.sort(affinity, axis=1)[:, -11].min() > 0.01


def test_scale_falls_back_to_the_positive_distances():
    X = np.array([[0.0], [0.0], [0.0], [0.0], [2.0]])  # six of ten distances are 0
    assert affinity_matrix(X, kernel="exponential", sigma=1, floor=0)[0, 4] == pytest.approx(np.exp(-1))
    assert affinity_matrix(X, n_neighbors=4, floor=0)[0, 4] == pytest.approx(np.exp(-1))


@pytest.mark.parametrize("kernel", ["knn", "gaussian"])
def test_semi_supervised_weights_against_their_formula(X, kernel):
    gamma = affinity_matrix(X, kernel=kernel, floor=0)
    labels = np.random.default_rng(5).choice([-1, 0, 3], size=120)
    found = semi_supervised_affinity(gamma, labels)
    known = (labels != -1)[:, None] & (labels != -1)
    sign = np.where(known, np.where(labels[:, None] == labels, 1.0, -1.0), 0.0)
    assert np.array_equal(found, gamma * (1 + gamma * sign))
    assert np.array_equal(semi_supervised_affinity(gamma, labels, weights="zhao"), found)
    codes = np.arange(120) % 2
    words = np.array(["grey", "white"])[codes]
    assert np.array_equal(semi_supervised_affinity(gamma, words), semi_supervised_affinity(gamma, codes))


@pytest.mark.parametrize("kernel", ["knn", "gaussian"])
def test_fixed_weights_are_factors_within_and_between_labels(X, kernel):
    gamma = affinity_matrix(X, kernel=kernel, floor=0)
    labels = np.random.default_rng(5).choice([-1, 0, 3], size=120)
    found = semi_supervised_affinity(gamma, labels, weights=(2, 0.5))
    unknown = (labels == -1)[:, None] | (labels == -1)
    same = labels[:, None] == labels
    # Powers of two, so that every product is exact.
    assert np.array_equal(found[unknown], gamma[unknown])
    assert np.array_equal(found[~unknown & same], 2 * gamma[~unknown & same])
    assert np.array_equal(found[~unknown & ~same], gamma[~unknown & ~same] / 2)
    assert np.array_equal(found, found.T)
    assert np.array_equal(semi_supervised_affinity(gamma, labels, weights=[1.0, 1.0]), gamma)


@pytest.mark.parametrize("weights", ["zhao", (2, 0.5), (1.7, 0.3)])
def test_weights_of_a_sparse_graph_are_those_of_the_dense_one(X, weights):
    labels = np.random.default_rng(5).choice([-1, 0, 3], size=120)
    sparse = semi_supervised_affinity(knn_graph_sparse(X), labels, weights=weights)
    dense = semi_supervised_affinity(affinity_matrix(X, floor=0), labels, weights=weights)
    assert np.array_equal(sparse.toarray(), dense)


@pytest.mark.parametrize(
    "weights", ["fixed", (2, 0), (2, -1), (np.inf, 1), (np.nan, 1), (2,), (2, 1, 1), 2.0, None, (2, "1"), [1, [2, 3]]]
)
def test_unusable_label_weights_are_refused(X, weights):
    with pytest.raises(ValueError, match=r'must be "zhao" or .*, found'):
        semi_supervised_affinity(affinity_matrix(X), np.arange(120) % 2, weights=weights)


def test_rescaling_moves_the_exponent_alone(X):
    for unit in (1e-300, 1.0, 1e300):
        assert np.array_equal(np.frexp(rescaled(X * unit))[0], np.frexp(X * unit)[0])


@pytest.mark.parametrize("unknown", [-1, None, -1.0, np.int64(-1)])
@pytest.mark.parametrize("names", [[0, 1], ["grey", "white"], [False, True], [0.5, 2]])
def test_labels_of_any_kind_may_be_unknown(unknown, names):
    labels = np.array([names[0], names[1], unknown, names[0]], dtype=object)
    assert label_codes(labels, 4).tolist() == [0, 1, -1, 0]
    assert label_codes(pd.Series(labels, dtype=object), 4).tolist() == [0, 1, -1, 0]
    assert label_codes(labels.tolist(), 4).tolist() == [0, 1, -1, 0]


MISSING = "NaN or None for {} of 120 objects, .* number 2,"


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.zeros(119), r"each of the 120 objects, found .* \(119,\)"),
        (np.where(np.arange(120) < 3, 1, -1), "at least 2 classes .*, found 1"),
        (np.full(120, -1), "found 0"),
        (np.array([-1] * 118 + [None, "a"], dtype=object), "at least 2 classes .*, found 1"),
        (np.array(["a", -1, "b"] * 40), 'string "-1".* number -1 or None'),
        (np.array(["a", "-1", "b"] * 40, dtype=object), 'string "-1"'),
        (["-1", "1"] * 60, 'string "-1"'),
        (np.array(["a", -1, 3] * 40, dtype=object), r"one kind, .* found \['int', 'str'\]"),
        ([0.0, 1.0, np.nan] * 40, MISSING.format(40)),
        (np.array(["a", None, np.nan, "b"] * 30, dtype=object), MISSING.format(30)),
        (["a", -1, np.nan, "b"] * 30, MISSING.format(30)),
        (pd.Series(["a", "b", None] * 40, dtype="string"), MISSING.format(40)),
        (pd.to_datetime(["2020-01-01", "2021-01-01", None] * 40), MISSING.format(40)),
    ],
)
def test_unusable_labels_are_refused(X, labels, message):
    with pytest.raises(ValueError, match=message):
        semi_supervised_affinity(affinity_matrix(X), labels)


@pytest.mark.parametrize("build", [affinity_matrix, knn_graph_sparse])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: np.where(np.arange(480).reshape(120, 4) == 9, np.nan, X), "NaN or infinity in 1 of its 120 rows"),
        (lambda X: np.where(np.arange(480).reshape(120, 4) < 8, np.inf, X), "NaN or infinity in 2"),
        (lambda X: X[:2], "at least 3 objects, found 2"),
        (lambda X: X[:, 0], "shape"),
        (lambda X: X[:, :0], "at least one feature"),
    ],
)
def test_unusable_tables_are_refused(X, build, change, message):
    with pytest.raises(ValueError, match=message):
        build(change(X))


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_a_radius_has_to_be_given_and_to_reach_a_pair(X, metric):
    with pytest.raises(ValueError, match='kernel "radius" needs a radius'):
        affinity_matrix(X, kernel="radius")
    distances = pdist(X)
    found = (
        rf"No two of the 120 objects are nearer than the radius 0\.01, the nearest pair is {distances.min():.6g} apart"
    )
    with pytest.raises(ValueError, match=found):
        affinity_matrix(
            X if metric == "euclidean" else squareform(distances), kernel="radius", radius=0.01, metric=metric
        )


def test_graphs_that_would_not_fit_are_refused(X, monkeypatch):
    monkeypatch.setattr(graphs, "_MAX_DENSE", 100)
    with pytest.raises(ValueError, match="at most 100 objects, found 120"):
        affinity_matrix(X, kernel="gaussian")
    monkeypatch.setattr(graphs, "_MAX_EDGES", 4900)
    assert knn_graph_sparse(X, n_neighbors=5).nnz < 4900
    with pytest.raises(ValueError, match="more than 4900 edges, as many objects coincide"):
        knn_graph_sparse(np.ones((120, 2)))
    with pytest.raises(ValueError, match="more than 4900 edges; lower the radius"):
        affinity_matrix(X[:100], kernel="radius", radius=100.0)
