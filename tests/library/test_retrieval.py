"""Scores of retrieval: scikit-learn, closed forms and plain loops as references, ties, and bad input."""

import numpy as np
import pandas as pd
import pytest
from consensus_embedding.diagnostics.retrieval import (
    class_average,
    nearest_items,
    precision_recall_areas,
    retrieval_scores,
    scores_of_dissimilarities,
    vote_labels,
)
from refusals import refusals
from scipy.spatial.distance import cdist, squareform
from sklearn.metrics import auc, precision_recall_curve, silhouette_samples
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

SCORES = ("area", "silhouette", "silhouette_sums")


def _embedding(n, n_classes, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, size=n)
    return rng.normal(size=(n, 3)) + 0.7 * labels[:, None], labels


def areas_by_scikit_learn(distances, labels):
    """Through scikit-learn, which ranks by falling scores."""
    result = []
    for i in range(len(labels)):
        others = np.arange(len(labels)) != i
        relevant = labels[others] == labels[i]
        precision, recall, _ = precision_recall_curve(relevant, -distances[i, others], drop_intermediate=False)
        result.append(auc(recall, precision))
    return np.array(result)


def _silhouettes(distances, labels, average):
    """Term by term as Table 1 prints them."""
    result = []
    for i in range(len(labels)):
        same = labels == labels[i]
        C = average(distances[i, same & (np.arange(len(labels)) != i)])
        G = average(distances[i, ~same])
        result.append((G - C) / max(C, G))
    return np.array(result)


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 63, 64, 65, 200])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_scores_against_scikit_learn_and_plain_loops(n, n_classes):
    embedding, labels = _embedding(n, n_classes, n)
    found = retrieval_scores(embedding, labels)
    distances = cdist(embedding, embedding)
    assert found.area == pytest.approx(areas_by_scikit_learn(distances, labels), abs=1e-12)
    assert found.silhouette == pytest.approx(_silhouettes(distances, labels, np.mean), abs=1e-12)
    assert found.silhouette_sums == pytest.approx(_silhouettes(distances, labels, np.sum), abs=1e-12)
    if n_classes == 2:
        assert found.silhouette == pytest.approx(silhouette_samples(embedding, labels), abs=1e-12)
    given = scores_of_dissimilarities(distances, labels)
    for name in SCORES:
        assert getattr(given, name) == pytest.approx(getattr(found, name), abs=1e-12)


@pytest.mark.parametrize("unit", [1e-250, 1e150, 1e300])
def test_unit_and_order_of_objects_do_not_matter(unit):
    embedding, labels = _embedding(150, 3, 1)
    expected = retrieval_scores(embedding, labels)
    order = np.random.default_rng(0).permutation(150)
    found = retrieval_scores(unit * embedding[order], labels[order] * 7 + 2)
    for name in SCORES:
        assert getattr(found, name) == pytest.approx(getattr(expected, name)[order], abs=1e-12)


def test_unknown_objects_are_left_out_of_all_ranks():
    embedding, labels = _embedding(120, 3, 2)
    labels[::4] = -1
    known = labels != -1
    found = retrieval_scores(embedding, labels)
    expected = retrieval_scores(embedding[known], labels[known])
    distances = cdist(embedding, embedding)
    for scores in (found, scores_of_dissimilarities(distances, labels)):
        for name in SCORES:
            assert np.isnan(getattr(scores, name)[~known]).all()
            assert getattr(scores, name)[known] == pytest.approx(getattr(expected, name), abs=1e-12)


@pytest.mark.filterwarnings("ignore:No positive class")
def test_a_label_that_stands_once_has_no_scores_but_counts_for_the_others():
    embedding, labels = _embedding(40, 2, 3)
    labels[7] = 9
    found = retrieval_scores(embedding, labels)
    rest = np.arange(40) != 7
    assert np.isnan([found.area[7], found.silhouette[7], found.silhouette_sums[7]]).all()
    distances = cdist(embedding, embedding)
    assert found.area[rest] == pytest.approx(areas_by_scikit_learn(distances, labels)[rest], abs=1e-12)
    with np.errstate(invalid="ignore"), pytest.warns(RuntimeWarning, match="empty slice"):
        expected = _silhouettes(distances, labels, np.mean)
    assert found.silhouette[rest] == pytest.approx(expected[rest], abs=1e-12)


@pytest.mark.filterwarnings("error")
def test_a_collapsed_embedding_gains_nothing():
    """All distances are equal, so that irrelevant objects come first."""
    labels = np.repeat([0, 1], [30, 10])
    for found in (
        retrieval_scores(np.ones((40, 2)), labels),
        scores_of_dissimilarities(1.0 - np.eye(40), labels),
    ):
        worst = {n: np.mean([_step(k, 40 - n) for k in range(n - 1)]) for n in (30, 10)}
        assert found.area == pytest.approx(np.repeat([worst[30], worst[10]], [30, 10]))
        assert np.all(found.area < np.repeat([29 / 39, 9 / 39], [30, 10]))
        assert found.silhouette == pytest.approx(np.zeros(40))
    assert retrieval_scores(np.ones((40, 2)), labels).silhouette_sums == pytest.approx(np.zeros(40))


def _step(k, irrelevant):
    """Mean precision over the step to relevant object k when all irrelevant ones come first."""
    return 0.5 * (k / (irrelevant + k) + (k + 1) / (irrelevant + k + 1))


def test_ties_put_irrelevant_objects_first_wherever_they_are():
    rng = np.random.default_rng(5)
    distances = rng.integers(0, 6, size=(200, 30)).astype(float)
    distances[distances == 0] = rng.choice([0.0, -0.0], size=(distances == 0).sum())
    relevant = rng.random((200, 30)) < 0.4
    relevant[:, 0] = True
    # Later by less than the distances differ.
    untied = np.abs(distances) + 1e-3 * relevant + 1e-6 * rng.random((200, 30))
    assert precision_recall_areas(distances, relevant) == pytest.approx(precision_recall_areas(untied, relevant))
    order = rng.permutation(30)
    assert np.array_equal(
        precision_recall_areas(distances[:, order], relevant[:, order]), precision_recall_areas(distances, relevant)
    )


def test_areas_by_hand():
    relevant = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0], [1, 1, 1]], dtype=bool)
    found = precision_recall_areas(np.tile([1.0, 2.0, 3.0], (4, 1)), relevant)
    # From recall 0 at the precision of the first object; trapezoids.
    assert found[[0, 1, 3]] == pytest.approx([0.5 * 1 + 0.5 * (1 / 2 + 2 / 3) / 2, (0 + 1 / 2) / 2, 1.0])
    assert np.isnan(found[2])


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_only_rounding_errors_are_equal_distances(size):
    relevant = np.array([[True, False, False]])

    def area(relevant_at, other_at):
        return precision_recall_areas(size * np.array([[relevant_at, other_at, 1.0]]), relevant)[0]

    # Told apart from 2^-36 of the longest distance on; below, and at distance 0, the irrelevant object comes first.
    assert area(0.5, 0.5 + 1e-10) == pytest.approx(1.0)
    assert area(0.5 + 1e-10, 0.5) == pytest.approx(0.25)
    assert area(0.5, 0.5 + 1e-15) == area(0.5 + 1e-15, 0.5) == pytest.approx(0.25)
    assert area(0.0, 1e-15) == area(1e-15, 0.0) == pytest.approx(0.25)


def test_input_is_left_as_it_is():
    distances = squareform(np.random.default_rng(0).random(6))
    before = distances.copy()
    precision_recall_areas(distances, np.eye(4, dtype=bool))
    scores_of_dissimilarities(distances, np.array([0, 0, 1, 1]))
    assert np.array_equal(distances, before)


@pytest.mark.parametrize("n_items", [1, 5, 80])
def test_nearest_items_against_scikit_learn(n_items):
    rng = np.random.default_rng(0)
    queries, database = rng.normal(size=(30, 4)), rng.normal(size=(80, 4))
    distances, indices = NearestNeighbors(n_neighbors=n_items, algorithm="brute").fit(database).kneighbors(queries)
    found = nearest_items(queries, database, n_items)
    assert np.array_equal(found[0], indices)
    assert found[1] == pytest.approx(distances, rel=1e-9)


def test_nearest_items_at_the_same_distance_come_by_their_index():
    rng = np.random.default_rng(1)
    database = rng.integers(0, 3, size=(200, 2)).astype(float)
    queries = database[:20]
    distances = cdist(queries, database)
    for n_items in (1, 3, 50, 200):
        found = nearest_items(queries, database, n_items)[0]
        assert np.array_equal(found, np.argsort(distances, axis=1, kind="stable")[:, :n_items])


def test_class_average():
    values = np.array([1.0, 3.0, np.nan, 10.0, 99.0, np.nan])
    labels = np.array([0, 0, 0, 2, -1, 5])
    assert class_average(values, labels) == pytest.approx((2 + 10) / 2)
    assert np.isnan(class_average([np.nan, 1.0], [0, -1]))


ONES, LINE = np.ones((3, 2)), np.arange(4.0)[:, None]


test_bad_input_is_named = refusals(
    (lambda: retrieval_scores(np.ones((4, 2)), np.zeros(4)), r"integer label for each of 4 .*\(4,\), float64"),
    (lambda: retrieval_scores(np.ones((4, 2)), np.zeros(4, int)), "at least 2 labels .* found 1"),
    (lambda: retrieval_scores(np.ones((4, 2)), np.full(4, -1)), "at least 2 labels .* found 0"),
    (lambda: scores_of_dissimilarities(ONES, np.array([0, 1, 1])), "square table"),
    (lambda: scores_of_dissimilarities(-np.ones((2, 2)), np.array([0, 1])), "0 or more"),
    (lambda: precision_recall_areas(ONES, np.ones((2, 3), bool)), r"\(3, 2\) and \(2, 3\)"),
    (lambda: precision_recall_areas(-ONES, ONES > 0), "finite and 0 or more"),
    (lambda: nearest_items(ONES, np.ones((5, 3)), 1), r"\(3, 2\) and \(5, 3\)"),
    (lambda: nearest_items(ONES, ONES, 4), "between 1 and 3, .* found 4"),
    (lambda: nearest_items(ONES, ONES, 0), "found 0"),
    (lambda: nearest_items(ONES, ONES, 1, labelled_only=True), "labelled_only=True needs labels"),
    (lambda: nearest_items(ONES, ONES, 3, labels=[0, 1, -1], labelled_only=True), "between 1 and 2, .* found 3"),
    (lambda: nearest_items(LINE[:1], LINE, 1, labels=[1]), r"the 4 items .*, found shape \(1,\)"),
    (lambda: nearest_items(LINE, LINE, 1, labels=["1", "-1", "1", "2"], labelled_only=True), 'string "-1"'),
    (lambda: vote_labels([["a", -1, -1]], [[1.0, 2, 3]]), "Labels contain -1 or None"),
    (lambda: vote_labels(np.array([[-1, 1]]), np.ones((1, 2))), "Labels contain -1 or None"),
)


def test_items_without_a_label_are_passed_over_on_request_and_labels_are_predicted():
    generator = np.random.default_rng(0)
    database, queries = generator.normal(size=(60, 3)), generator.normal(size=(20, 3))
    labels = np.where(np.arange(60) % 3 == 0, -1, np.arange(60) % 2)
    found, distances = nearest_items(queries, database, 5, labels=labels, labelled_only=True)
    known = labels >= 0
    assert known[found].all()
    for weights, theirs in (("equal", "uniform"), ("distance", "distance")):
        peer = KNeighborsClassifier(5, weights=theirs).fit(database[known], labels[known])
        winners, shares = vote_labels(labels[found], distances, weights)
        np.testing.assert_array_equal(winners, peer.predict(queries))
        np.testing.assert_allclose(shares, peer.predict_proba(queries).max(axis=1))
    names = np.array(["b", "a", "unsure"])[labels]
    winners = vote_labels(labels[found], distances)[0]
    assert vote_labels(names[found], distances)[0].tolist() == np.array(["b", "a"])[winners].tolist()


@pytest.mark.parametrize(
    "labels",
    [
        [0, np.nan, 1, np.nan],
        ["a", np.nan, "b", np.nan],
        np.array(["a", np.nan, "b", np.nan], dtype=object),
        pd.Series(["a", None, "b", None], dtype="string"),
    ],
)
def test_nan_is_no_label(labels):
    for labelled_only in (True, False):
        with pytest.raises(ValueError, match=r"Labels contain NaN .* 2 of 4"):
            nearest_items([[1.1]], np.arange(4.0)[:, None], 1, labels=labels, labelled_only=labelled_only)
    with pytest.raises(ValueError, match="Labels contain NaN"):
        vote_labels([list(labels)], np.ones((1, 4)))
    unknown = np.array(["a", None, "b", None], dtype=object)
    found, _ = nearest_items([[1.1]], np.arange(4.0)[:, None], 1, labels=unknown, labelled_only=True)
    assert found.tolist() == [[2]]


def test_a_list_of_names_and_unknown_labels_keeps_them_apart():
    labels, database = ["a", -1, -1, "b", "a", -1], np.arange(6.0)[:, None]
    found, _ = nearest_items([[0.0]], database, 3, labels=labels, labelled_only=True)
    assert found.tolist() == [[0, 3, 4]]


def test_of_equal_votes_the_nearest_item_wins():
    winners, shares = vote_labels(np.array([["b", "a", "c"], ["a", "b", "b"]]), np.array([[1.0, 2, 3], [0, 1, 1]]))
    assert winners.tolist() == ["b", "b"]
    np.testing.assert_allclose(shares, [1 / 3, 2 / 3])
    assert vote_labels(np.array([["a", "b", "b"]]), np.array([[0.0, 1, 1]]), "distance")[0].tolist() == ["a"]


def test_a_name_that_says_that_there_is_no_class_is_refused():
    labels = np.array([["unknown", "a", "unknown"]], dtype=object)
    with pytest.raises(ValueError, match="'unknown' as the name of a class"):
        vote_labels(labels, [[1, 2, 3.0]])
    with pytest.raises(ValueError, match="'NA' as the name of a class"):
        nearest_items(np.eye(2), np.eye(2), 1, labels=np.array(["a", "NA"], dtype=object), labelled_only=True)


def test_columns_in_another_order_are_refused():
    database = pd.DataFrame(np.eye(3), columns=["a", "b", "c"])
    assert nearest_items(database, database, 1)[0].ravel().tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="same columns"):
        nearest_items(database[["c", "b", "a"]], database, 1)
