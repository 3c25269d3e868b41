"""Hierarchical clusters against SciPy and scikit-learn; cuts under ties; invariances; bad input."""

import numpy as np
import pytest
from consensus_embedding.clustering.hierarchical_clustering import (
    LINKAGES,
    cut_linkage,
    hierarchical_clusters,
    hierarchical_clusters_many,
)
from refusals import refusals
from scipy.cluster.hierarchy import cut_tree, fcluster, linkage


def _number(labels):
    _, first, index = np.unique(labels, return_index=True, return_inverse=True)
    return first.argsort().argsort()[index]


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(60, 4)) * [3, 1, 2, 1]


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 7, 59, 60])
@pytest.mark.parametrize("method", LINKAGES)
def test_against_fcluster(X, method, n_clusters):
    tree = linkage(X, "average", "correlation") if method == "average_correlation" else linkage(X, method)
    found = hierarchical_clusters(X, n_clusters, linkage=method)
    assert np.array_equal(found, _number(fcluster(tree, n_clusters, "maxclust")))
    assert found.dtype == np.int64
    assert len(np.unique(found)) == n_clusters


@pytest.mark.filterwarnings("error")
def test_linkages_by_hand():
    # A chain of seven points, then a pair: average linkage cuts the gap before the pair, complete linkage the chain.
    X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [11.0], [11.5]])
    assert hierarchical_clusters(X, linkage="average").tolist() == [0] * 7 + [1] * 2
    assert hierarchical_clusters(X, linkage="complete").tolist() == [0] * 4 + [1] * 5
    # Symmetric with a zero diagonal, as a matrix of distances would be; the rows are points all the same.
    assert hierarchical_clusters(np.array([[0.0, 1, 9], [1, 0, 9], [9, 9, 0]])).tolist() == [0, 0, 1]
    assert hierarchical_clusters([[1.0], [3.0]]).tolist() == [0, 1]
    assert hierarchical_clusters([[1.0], [3.0]], 1).tolist() == [0, 0]


def test_correlation_ignores_level_and_scale_of_rows(X):
    rng = np.random.default_rng(2)
    changed = X * rng.uniform(0.1, 30, (60, 1)) + rng.normal(size=(60, 1))
    found = hierarchical_clusters(X, 3, linkage="average_correlation")
    assert np.array_equal(hierarchical_clusters(changed, 3, linkage="average_correlation"), found)
    assert not np.array_equal(hierarchical_clusters(X, 3), found)


@pytest.mark.filterwarnings("error")
def test_rows_without_spread_are_uncorrelated_with_all():
    up, down = [1.0, 2, 3, 4], [4.0, 3, 2, 1]
    rows = np.array([up, [0.1] * 4, down, up, down, [0.7] * 4])
    # Four clusters: the two that correlate, and each row without spread by itself, even beside another such row.
    assert hierarchical_clusters(rows, 4, linkage="average_correlation").tolist() == [0, 1, 2, 0, 2, 3]
    # By hand: up and down are at distance 2, so the rows without spread join one of them before these join.
    found = hierarchical_clusters(rows, 2, linkage="average_correlation")
    assert found[0] == found[3] != found[2] == found[4]
    assert len(np.unique(hierarchical_clusters(np.ones((5, 3)), 2, linkage="average_correlation"))) == 2


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", LINKAGES)
def test_order_rotation_shift_and_unit_do_not_matter(X, method):
    """Squares may leave the range of numbers."""
    X, rng = np.clip(X, -9, 9), np.random.default_rng(3)
    order, (turn, _) = rng.permutation(60), np.linalg.qr(rng.normal(size=(4, 4)))
    expected = hierarchical_clusters(X, 4, linkage=method)
    assert np.array_equal(hierarchical_clusters(X[order], 4, linkage=method), _number(expected[order]))
    others = [X * 1e-300, X * 1e300] + ([7 * X @ turn + 3] if method != "average_correlation" else [])
    for other in others:
        assert np.array_equal(hierarchical_clusters(other, 4, linkage=method), expected)


@pytest.mark.parametrize("method", ["average", "ward", "complete"])
@pytest.mark.slow
def test_cuts_are_those_of_cut_tree_under_ties(method):
    rng = np.random.default_rng(5)
    for _ in range(60):
        X = rng.integers(0, 4, size=(25, 2)).astype(float)  # 16 places for 25 objects: ties and duplicates
        tree = linkage(X, method)
        # From 25 clusters down: SciPy 1.17 puts the single objects into the first column whatever is asked for there.
        columns = cut_tree(tree, n_clusters=np.arange(25, 0, -1)).T
        for n_clusters, expected in zip(range(25, 0, -1), columns, strict=True):
            assert np.array_equal(cut_linkage(tree, n_clusters), _number(expected))
        assert np.array_equal(hierarchical_clusters(X, 6, linkage=method), cut_linkage(tree, 6))


@pytest.mark.parametrize("method", LINKAGES)
def test_coinciding_objects_still_give_the_clusters_asked_for(X, method):
    found = hierarchical_clusters(np.repeat(X[:10], 2, axis=0), 5, linkage=method)
    # Copies join at height 0; two of each move no mean and no maximum, and all increases of squares by one factor.
    assert np.array_equal(found, np.repeat(hierarchical_clusters(X[:10], 5, linkage=method), 2))
    for n_clusters in range(1, 7):
        assert len(np.unique(hierarchical_clusters(np.ones((6, 3)), n_clusters, linkage=method))) == n_clusters


@pytest.mark.parametrize("method", LINKAGES)
def test_many_embeddings_are_clustered_as_one_by_one(method):
    scales = 10.0 ** np.arange(-200, 201, 100)
    embeddings = np.random.default_rng(6).normal(size=(5, 40, 3)) * scales[:, None, None]
    found = hierarchical_clusters_many(embeddings, 3, linkage=method)
    assert found.shape == (5, 40)
    for labels, X in zip(found, embeddings, strict=True):
        assert np.array_equal(labels, hierarchical_clusters(X, 3, linkage=method))
    assert np.array_equal(found, hierarchical_clusters_many(list(embeddings), 3, linkage=method))


CENTROID = linkage([[0.0, 0], [1, 0], [0.5, 0.87]], "centroid")  # the third lies nearer to the middle of the pair


ONES = np.ones((60, 4))
test_bad_input_is_refused = refusals(
    (lambda: hierarchical_clusters(ONES, 61), "60, found 61"),
    (lambda: hierarchical_clusters(ONES, 0), "found 0"),
    (lambda: hierarchical_clusters(ONES, 2.0), "integer .*found 2"),
    (lambda: hierarchical_clusters(ONES, linkage="single"), "linkage .*'average_correlation'.*, found 'single'"),
    (lambda: hierarchical_clusters(ONES[:1], 1), "at least 2 objects, found 1"),
    (lambda: hierarchical_clusters(ONES[:, :1], linkage="average_correlation"), "2 dimensions, found 1"),
    (lambda: hierarchical_clusters_many([]), "found none"),
    (lambda: hierarchical_clusters_many([ONES[:, :2], ONES]), r"found \[\(60, 2\), \(60, 4\)\]"),
    (lambda: hierarchical_clusters_many(np.stack([ONES, ONES * np.inf])), "Embedding 1 contains NaN or infinity"),
    (lambda: cut_linkage(np.ones((3, 3)), 2), "Linkage matrix 'tree'"),
    (lambda: cut_linkage(np.empty((0, 4)), 1), "(?i)linkage"),
    (lambda: cut_linkage(linkage(ONES), 61), "60, found 61"),
    (lambda: cut_linkage(CENTROID, 2), "must ascend"),
)
