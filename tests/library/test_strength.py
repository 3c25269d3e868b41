"""Embedding strength and class triplets: by hand, by brute force, against chance; bad input."""

from itertools import combinations

import numpy as np
import pytest
from consensus_embedding.consensus.strength import CHANCE_STRENGTH, class_triplet_accuracy, embedding_strength
from refusals import refusals
from scipy.spatial.distance import pdist, squareform


def _distances(X):
    return squareform(pdist(X))


@pytest.fixture
def spaces():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    return _distances(X), _distances(X[:, :2])


def _closest(distances, triplet):
    """The pair that is strictly the closest of three, or None: Definition 1, written out."""
    pairs = sorted(combinations(triplet, 2), key=lambda pair: distances[pair])
    return pairs[0] if distances[pairs[0]] < distances[pairs[1]] else None


def _by_definition(original, embedding):
    counted = [t for t in combinations(range(len(original)), 3) if _closest(original, t) is not None]
    return np.mean([_closest(original, t) == _closest(embedding, t) for t in counted]), len(counted)


def test_by_hand():
    # Objects a to d at 0, 1, 3, 7: the closest pairs of abc, abd, acd and bcd are ab, ab, ac and bc. With c at -5
    # three of them stay, but b is as far from c as from d: that tie loses the fourth.
    original, embedding = _distances([[0.0], [1.0], [3.0], [7.0]]), _distances([[0.0], [1.0], [-5.0], [7.0]])
    assert embedding_strength(original, embedding).value == pytest.approx(3 / 4)
    assert embedding_strength(original, embedding).n_triplets == 4


def test_exact_count_follows_the_definition_also_with_ties(spaces):
    rng = np.random.default_rng(1)
    tied = [_distances(rng.integers(0, 4, size=(25, 2))) for _ in range(2)]
    for original, embedding in (spaces, tied, tied[::-1]):
        found = embedding_strength(original, embedding)
        value, counted = _by_definition(original, embedding)
        assert found.value == pytest.approx(value)
        assert found.n_triplets == counted


def test_only_the_order_of_distances_and_not_that_of_objects_matters(spaces):
    original, embedding = spaces
    found = embedding_strength(original, embedding).value
    assert 1 / 3 < found < 1
    assert embedding_strength(original**3, np.sqrt(embedding)).value == found
    order = np.random.default_rng(0).permutation(40)
    assert embedding_strength(original[np.ix_(order, order)], embedding[np.ix_(order, order)]).value == found


def test_class_triplets_follow_the_definition(spaces):
    _, embedding = spaces
    for labels in (np.arange(40) < 15, np.arange(40) % 3, np.array(["a", "b"] * 20)):
        kept = []
        for triplet in combinations(range(40), 3):
            same = [(i, j) for i, j in combinations(triplet, 2) if labels[i] == labels[j]]
            if len(same) == 1:
                kept.append(_closest(embedding, triplet) == same[0])
        found = class_triplet_accuracy(labels, embedding)
        assert found.value == pytest.approx(np.mean(kept))
        assert found.n_triplets == len(kept)


def test_class_triplets_of_separate_classes_and_of_none():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 2))
    assert class_triplet_accuracy(labels, _distances(X + 100 * labels[:, None])).value == 1
    assert class_triplet_accuracy(labels, np.zeros((40, 40))).value == 0
    values = [class_triplet_accuracy(rng.permutation(labels), _distances(X)).value for _ in range(100)]
    assert np.mean(values) == pytest.approx(CHANCE_STRENGTH, abs=3 * np.std(values) / np.sqrt(99))


D = _distances(np.arange(40.0)[:, None] ** 2)
test_bad_input_is_refused = refusals(
    (lambda: embedding_strength(D, D[:39, :39]), "found 40 in the original space and 39"),
    (lambda: embedding_strength(D[:2, :2], D[:2, :2]), r"at least 3 objects, found shape \(2, 2\)"),
    (lambda: embedding_strength(np.triu(D), D), "must be symmetric"),
    (lambda: embedding_strength(D, np.triu(D) * 1e-9), r"embedding .* symmetric, .* object \d+ to \d+"),
    (lambda: embedding_strength(1 - np.eye(40), D), "all tied"),
    (lambda: class_triplet_accuracy(np.zeros(40), D), "found 1 classes of at most 40"),
    (lambda: class_triplet_accuracy(np.arange(40), D), "No class triplet: found 40 classes"),
)
