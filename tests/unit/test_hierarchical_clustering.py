"""Hierarchical clusters against SciPy and scikit-learn; cuts under ties; invariances; bad input."""

import numpy as np
import pytest
from consensus_embedding.clustering.hierarchical_clustering import (
    LINKAGES,
    cut_linkage,
    hierarchical_clusters,
    hierarchical_clusters_many,
)
from scipy.cluster.hierarchy import cut_tree, fcluster, linkage
from sklearn.cluster import AgglomerativeClustering


def _together(labels):
    return labels[:, None] == labels


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


@pytest.mark.parametrize("method", LINKAGES)
def test_against_scikit_learn(X, method):
    name, _, metric = method.partition("_")
    distances = {"metric": "precomputed"} if metric else {}
    table = 1 - np.corrcoef(X) if metric else X
    expected = AgglomerativeClustering(4, linkage=name, **distances).fit_predict(table)
    assert np.array_equal(hierarchical_clusters(X, 4, linkage=method), _number(expected))


def test_separate_groups_are_found_and_numbered_by_appearance():
    truth = np.repeat([0, 1, 2], [7, 20, 3])
    X = np.random.default_rng(1).normal(size=(30, 2)) + 50 * np.eye(3)[truth][:, :2]
    for method in ("average", "ward", "complete"):
        assert np.array_equal(hierarchical_clusters(X, 3, linkage=method), truth)
        assert np.array_equal(hierarchical_clusters(X[::-1], 3, linkage=method), 2 - truth[::-1])


def test_linkages_differ_as_they_should():
    # A chain of seven points, then a pair: average linkage cuts the gap before the pair, complete linkage the chain.
    X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [11.0], [11.5]])
    assert hierarchical_clusters(X, linkage="average").tolist() == [0, 0, 0, 0, 0, 0, 0, 1, 1]
    assert hierarchical_clusters(X, linkage="complete").tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1]


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


@pytest.mark.parametrize("method", LINKAGES)
def test_permuted_rows_permute_the_clusters(X, method):
    order = np.random.default_rng(3).permutation(60)
    for n_clusters in (2, 5):
        found = hierarchical_clusters(X[order], n_clusters, linkage=method)
        expected = hierarchical_clusters(X, n_clusters, linkage=method)
        assert np.array_equal(_together(found), _together(expected[order]))


@pytest.mark.parametrize("method", ["average", "ward", "complete"])
def test_rotation_shift_and_unit_change_nothing(X, method):
    turn, _ = np.linalg.qr(np.random.default_rng(4).normal(size=(4, 4)))
    found = hierarchical_clusters(X, 4, linkage=method)
    assert np.array_equal(hierarchical_clusters(7 * X @ turn + 3, 4, linkage=method), found)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("method", LINKAGES)
@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_squares_may_leave_the_range_of_numbers(X, method, unit):
    X = np.clip(X, -9, 9)
    assert np.array_equal(
        hierarchical_clusters(X * unit, 3, linkage=method), hierarchical_clusters(X, 3, linkage=method)
    )


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


@pytest.mark.filterwarnings("error")
def test_a_square_table_is_not_taken_for_distances():
    # Symmetric with a zero diagonal, as a matrix of distances would be; the rows are points all the same.
    X = np.array([[0.0, 1, 9], [1, 0, 9], [9, 9, 0]])
    assert hierarchical_clusters(X).tolist() == [0, 0, 1]


def test_two_objects():
    assert hierarchical_clusters([[1.0], [3.0]]).tolist() == [0, 1]
    assert hierarchical_clusters([[1.0], [3.0]], 1).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda X: X, {"n_clusters": 61}, "between 1 and the number of objects, 60, found 61"),
        (lambda X: X, {"n_clusters": 0}, "found 0"),
        (lambda X: X, {"n_clusters": 2.0}, "an integer between 1 and .*found 2"),
        (lambda X: X, {"linkage": "single"}, "linkage must be one of .*'average_correlation'.*, found 'single'"),
        (lambda X: X * np.nan, {}, "NaN or infinity"),
        (lambda X: X[:, 0], {}, r"found shape \(60,\)"),
        (lambda X: X[:, :0], {}, r"found shape \(60, 0\)"),
        (lambda X: X[:1], {"n_clusters": 1}, "at least 2 objects, found 1"),
        (lambda X: X[:, :1], {"linkage": "average_correlation"}, "at least 2 dimensions, found 1"),
    ],
)
def test_bad_input_is_refused(X, change, options, message):
    with pytest.raises(ValueError, match=message):
        hierarchical_clusters(change(X), **options)


@pytest.mark.parametrize(
    ("embeddings", "message"),
    [
        ([], "at least one .*, found none"),
        (np.empty((0, 5, 2)), "at least one"),
        ([np.ones((5, 2)), np.ones((5, 3))], r"one shape, found \[\(5, 2\), \(5, 3\)\]"),
        (np.ones((5, 2)), r"must be a table \(objects, dimensions\), found shape \(2,\)"),
        (np.stack([np.ones((5, 2)), np.full((5, 2), np.inf), np.ones((5, 2))]), "Embedding 1 contains NaN or infinity"),
    ],
)
def test_bad_stacks_are_refused(embeddings, message):
    with pytest.raises(ValueError, match=message):
        hierarchical_clusters_many(embeddings)


def test_bad_trees_are_refused(X):
    with pytest.raises(ValueError, match="Linkage matrix 'tree'"):
        cut_linkage(np.ones((3, 3)), 2)
    with pytest.raises(ValueError, match=r"(?i)linkage"):
        cut_linkage(np.empty((0, 4)), 1)
    with pytest.raises(ValueError, match="60, found 61"):
        cut_linkage(linkage(X), 61)
    centroid = linkage([[0.0, 0], [1, 0], [0.5, 0.87]], "centroid")  # the third lies nearer to the middle of the pair
    with pytest.raises(ValueError, match="must ascend"):
        cut_linkage(centroid, 2)
