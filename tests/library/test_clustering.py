"""Replicated k-means against scikit-learn and by hand; evidence accumulation; accuracies; R-squared; bad input."""

import numpy as np
import pytest
from consensus_embedding.clustering.clustering import (
    ClusterScores,
    cluster_scores,
    clustering_accuracy,
    co_association,
    evidence_accumulation,
    kmeans_runs,
    object_accuracy,
    r_squared_index,
    replicated_kmeans,
    replicated_kmeans_many,
)
from consensus_embedding.clustering.clustering_kernels import best_start
from refusals import refusals
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import KMeans
from sklearn.metrics import accuracy_score, balanced_accuracy_score


def _inertia(X, labels, weights=None):
    weights = np.ones(len(X)) if weights is None else weights
    total = 0.0
    for cluster in np.unique(labels):
        member = labels == cluster
        centre = np.average(X[member], axis=0, weights=weights[member])
        total += weights[member] @ np.square(X[member] - centre).sum(axis=1)
    return total


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_inertia_is_not_worse_than_that_of_scikit_learn(n_clusters):
    ratios = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 3)) * [3, 2, 1]
        weights = rng.integers(1, 50, size=200).astype(float)
        expected = KMeans(n_clusters, n_init=20, tol=0, random_state=0).fit(X, sample_weight=weights).inertia_
        ratios.append(_inertia(X, replicated_kmeans(X, n_clusters, weights=weights, n_init=20), weights) / expected)
    # Both stop in local optima: either may be ahead on one table, neither on average.
    assert max(ratios) <= 1.003
    assert np.mean(ratios) <= 1.0005


def test_more_starts_are_never_worse():
    tables = np.random.default_rng(0).normal(size=(10, 200, 2))
    inertias = np.array([[_inertia(X, replicated_kmeans(X, 8, n_init=n)) for n in (1, 5, 25)] for X in tables])
    assert (np.diff(inertias) <= 1e-9).all()
    assert (np.diff(inertias) < -1e-3).any(axis=0).all()


def test_a_weight_counts_like_copies():
    rng = np.random.default_rng(2)
    X, weights = rng.normal(size=(40, 2)), rng.integers(1, 6, size=40)
    owner = np.repeat(np.arange(40), weights)
    labels = replicated_kmeans(X, 3, weights=weights, n_init=50)
    copied = replicated_kmeans(X[owner], 3, n_init=50)
    assert _inertia(X, labels, weights) == pytest.approx(_inertia(X[owner], copied))
    assert np.array_equal(labels[owner], copied)


@pytest.mark.filterwarnings("error")
def test_the_unit_of_weights_changes_nothing():
    X, weights = np.random.default_rng(2).normal(size=(60, 2)), np.full(60, 1e307)
    labels = replicated_kmeans(X, 3)
    assert np.array_equal(replicated_kmeans(X, 3, weights=weights), labels)
    assert np.array_equal(kmeans_runs(X, 3, 4, weights=weights), kmeans_runs(X, 3, 4))
    assert r_squared_index(X, labels, weights) == pytest.approx(r_squared_index(X, labels))
    assert clustering_accuracy(labels, X[:, 0] > 0, weights) == pytest.approx(clustering_accuracy(labels, X[:, 0] > 0))


def test_weights_move_the_boundary():
    X = np.array([[0.0], [4.0], [6.0], [10.0], [12.0]])
    # By hand, cut before 4, 6 or 10: 40, 26.7, 20.7; with the first object nine times as heavy 40, 33.1, 44.9.
    assert replicated_kmeans(X, 2).tolist() == [0, 0, 0, 1, 1]
    assert replicated_kmeans(X, 2, weights=[9, 1, 1, 1, 1]).tolist() == [0, 0, 1, 1, 1]


@pytest.mark.parametrize("unit", [1e-310, 1e-165, 7.0, 1e160, 1e300])
def test_rotation_shift_and_unit_change_nothing(unit):
    rng = np.random.default_rng(3)
    X, (turn, _) = rng.normal(size=(150, 3)), np.linalg.qr(rng.normal(size=(3, 3)))
    other = unit * (X @ turn + [100, 0, -50]) if unit == 7 else unit * X
    for n_clusters in (2, 5):
        expected = replicated_kmeans(X, n_clusters)
        assert np.array_equal(replicated_kmeans(other, n_clusters), expected)
        assert np.array_equal(replicated_kmeans_many([X, other], n_clusters)[1], expected)
    assert unit == 7 or np.array_equal(kmeans_runs(other, 3, 4), kmeans_runs(X, 3, 4))


def test_many_embeddings_are_clustered_as_one_by_one_and_every_time_alike():
    embeddings = np.random.default_rng(4).normal(size=(6, 80, 3))
    weights = np.arange(1, 81)
    found = replicated_kmeans_many(embeddings, 3, weights=weights, seed=5)
    assert found.shape == (6, 80)
    for labels, X in zip(found, embeddings, strict=True):
        assert np.array_equal(labels, replicated_kmeans(X, 3, weights=weights, seed=5))
    assert np.array_equal(found, replicated_kmeans_many(embeddings, 3, weights=weights, seed=5))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("values", "n_clusters", "expected"),
    [
        ([1] * 10, 2, [0] * 10),
        ([1, 2, 1, 2], 3, [0, 1, 0, 1]),
        ([1, 2, 1, 5], 4, [0, 1, 0, 2]),
        ([3, 1, 2], 3, [0, 1, 2]),
        ([3, 1, 2], 1, [0, 0, 0]),
    ],
)
def test_objects_in_few_places_form_that_many_clusters(values, n_clusters, expected):
    assert replicated_kmeans(np.array(values, dtype=float)[:, None], n_clusters).tolist() == expected


def test_no_cluster_stays_empty():
    # Given starts that draw coinciding groups, every cluster is used at the end.
    rng = np.random.default_rng(6)
    for _ in range(200):
        X = np.round(rng.normal(size=(12, 1)) * 2)
        n_distinct = len(np.unique(X))
        labels = np.empty(12, dtype=np.int64)
        best_start(X, X.T.copy(), np.ones(12), rng.random((1, n_distinct)), 100, labels)
        assert len(np.unique(labels)) == n_distinct


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 6}, "5, found 6"),
        ({"n_clusters": 0}, "found 0"),
        ({"n_init": 0}, "n_init .* found 0"),
        ({"max_iter": 0}, "max_iter"),
        ({"seed": -1}, "seed .* found -1"),
        ({"weights": np.ones(4)}, "each of 5 objects"),
        ({"weights": np.zeros(5)}, "above 0"),
    ],
)
def test_kmeans_refuses_bad_input(options, message):
    with pytest.raises(ValueError, match=message):
        replicated_kmeans(**{"X": np.zeros((5, 2)), **options})


def test_co_association_is_the_share_of_common_clusters():
    found = co_association([[0, 0, 1, 1], [0, 1, 1, 1]])
    assert found == pytest.approx(np.array([[1, 0.5, 0, 0], [0.5, 1, 0.5, 0.5], [0, 0.5, 1, 1], [0, 0.5, 1, 1]]))


@pytest.mark.parametrize("n_clusters", [1, 2, 5, 40])
def test_evidence_accumulation_is_cut_as_by_cut_tree_under_ties(n_clusters):
    # Few runs agree on few distinct shares, so that many merges are equally high.
    X = np.random.default_rng(7).normal(size=(40, 2))
    together = co_association(kmeans_runs(X, n_clusters, 5))
    tree = linkage(squareform(1 - together, checks=False), "average")
    assert len(np.unique(tree[:, 2])) < 30
    expected = cut_tree(tree, n_clusters=n_clusters)[:, 0]
    found = evidence_accumulation(X, n_clusters, 5)
    assert np.array_equal(found[:, None] == found, expected[:, None] == expected)


def test_accuracy_by_hand():
    clusters = [0, 0, 0, 1, 1, 2]
    truth = [1, 1, 0, 0, 0, 1]
    # Cluster 0: DTP 2, DTN 2; cluster 1: DTP 0, DTN 1; cluster 2: DTP 1, DTN 3.
    assert clustering_accuracy(clusters, truth) == pytest.approx(4 / 6)
    assert clustering_accuracy(clusters, truth, weights=[1, 1, 1, 1, 1, 4]) == pytest.approx(7 / 9)


def test_two_clusters_are_never_below_one_half_and_names_do_not_matter():
    rng = np.random.default_rng(0)
    for _ in range(50):
        clusters, truth = rng.integers(0, 2, 30), rng.integers(0, 2, 30).astype(bool)
        found = clustering_accuracy(clusters, truth)
        assert 0.5 <= found == clustering_accuracy(1 - clusters, truth)
        assert found == pytest.approx(max((clusters == truth).mean(), (clusters != truth).mean()))
    assert clustering_accuracy(truth, truth) == 1
    weights = rng.random((200, 30))
    assert max(clustering_accuracy(truth, truth, weight) for weight in weights) == 1


def test_cluster_scores_by_hand():
    scores = cluster_scores([0, 0, 0, 1, 1, 2], [1, 1, 0, 0, 0, 1])
    # Clusters 0 and 2 call four right: 0 finds 2 of 3 and leaves 2 of 3 out; 2 finds 1 of 3 and leaves out all.
    assert isinstance(scores, ClusterScores)
    assert scores.accuracy == scores.balanced_accuracy == pytest.approx(4 / 6)
    assert scores.called.tolist() == [True, True, True, False, False, False]


@pytest.mark.slow
def test_cluster_scores_are_those_of_the_objects_called():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n_clusters = rng.integers(1, 6)
        clusters, truth = rng.integers(0, n_clusters, 30), rng.random(30) < rng.choice([0.2, 0.5])
        scores = cluster_scores(clusters, truth)
        assert scores.accuracy == clustering_accuracy(clusters, truth)
        assert scores.accuracy == pytest.approx(accuracy_score(truth, scores.called))
        assert scores.balanced_accuracy == pytest.approx(balanced_accuracy_score(truth, scores.called))
        assert len(np.unique(clusters[scores.called])) == 1
        assert np.array_equal(scores.called, np.isin(clusters, clusters[scores.called]))
        # No other cluster of that accuracy is better balanced.
        for cluster in np.unique(clusters):
            if np.isclose(np.mean((clusters == cluster) == truth), scores.accuracy):
                assert balanced_accuracy_score(truth, clusters == cluster) <= scores.balanced_accuracy + 1e-12


@pytest.mark.parametrize(
    ("clusters", "truth", "called"),
    [
        # One positive in four. Both clusters call two right: {0, 1} misses the positive, {2, 3} holds it.
        ([0, 0, 1, 1], [0, 0, 1, 0], [2, 3]),
        ([0, 0, 1, 1], [0, 1, 1, 0], [0, 1]),
        # Calling none of seven wrong but missing the positive, or finding it at the price of one: the latter.
        ([2, 0, 1, 1, 3, 3, 3, 3], [0, 0, 1, 0, 0, 0, 0, 0], [2, 3]),
        ([5, 5, 5, 5], [1, 0, 0, 0], [0, 1, 2, 3]),
    ],
)
def test_equal_accuracies_are_decided_by_balance_then_by_appearance(clusters, truth, called):
    assert np.flatnonzero(cluster_scores(clusters, truth).called).tolist() == called


test_bad_input_is_refused = refusals(
    *[
        (lambda: kmeans_runs(np.zeros((5, 2)), 2, 0), "n_runs must be at least 1"),
        (lambda: co_association([0, 1, 0]), r"found shape \(3,\)"),
        (lambda: evidence_accumulation(np.zeros((5, 2)), 6), "5, found 6"),
        (lambda: object_accuracy([0, 1], [0, 0], [3, 4]), "one class"),
        (lambda: object_accuracy([0, 1], [4, 0], [3, 4]), "between 0 and the size"),
        (lambda: object_accuracy([0, 1], [0, 0], [0, 4]), "above 0"),
        (lambda: object_accuracy([0, 1], np.zeros((2, 3)), [3, 4]), r"\(2, 3\) labels"),
        (lambda: replicated_kmeans(np.zeros((1, 2)), 1), "k-means needs at least 2 objects, found 1"),
    ]
    + [
        (lambda score=score, given=given: score(*given), message)
        for score in (cluster_scores, clustering_accuracy)
        for given, message in [
            (([0, 1, 1], [1, 1, 1]), "All objects are of one class"),
            (([0, 1], [1, 0, 1]), r"one cluster and one label for each of 3 objects, found \(2,\) clusters"),
            (([0, 1, 1], [1, 2, 1]), "0 and 1"),
        ]
    ],
)


def test_object_accuracy_is_that_of_the_pixels():
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 40, 25)
    positive, clusters = rng.integers(0, sizes + 1), rng.integers(0, 3, 25)
    truth = np.concatenate([np.arange(size) < count for size, count in zip(sizes, positive, strict=True)])
    assert object_accuracy(clusters, positive, sizes) == pytest.approx(
        clustering_accuracy(np.repeat(clusters, sizes), truth)
    )


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1.0])
def test_r_squared_index_of_equal_objects_is_0(value):
    assert r_squared_index(np.full((7, 2), value), [0, 0, 0, 1, 1, 1, 1]) == 0.0


def test_r_squared_index_by_hand_and_at_its_ends():
    X = np.array([[0.0], [2.0], [10.0], [12.0]])
    # Mean 6: SST 36 + 16 + 16 + 36; within 2 + 2.
    assert r_squared_index(X, [0, 0, 1, 1]) == pytest.approx(100 / 104)
    assert r_squared_index(X, [0, 0, 0, 0]) == 0
    assert r_squared_index(X, [0, 1, 2, 3]) == 1
    assert r_squared_index(np.ones((4, 2)), [0, 0, 1, 1]) == 0


def test_r_squared_index_counts_weights_as_copies_and_ignores_rotation():
    rng = np.random.default_rng(0)
    X, clusters, weights = rng.normal(size=(30, 3)), rng.integers(0, 3, 30), rng.integers(1, 9, 30)
    owner = np.repeat(np.arange(30), weights)
    found = r_squared_index(X, clusters, weights)
    assert found == pytest.approx(r_squared_index(X[owner], clusters[owner]))
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    assert found == pytest.approx(r_squared_index(X @ turn + 5, clusters, weights))
