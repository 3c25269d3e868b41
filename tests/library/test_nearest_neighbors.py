"""Nearest-neighbour ensemble against scikit-learn and by definition; ties; invariances; bad input."""

import numpy as np
import pandas as pd
import pytest
from consensus_embedding.features.nearest_neighbors import knn_ensemble
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    positive = rng.random(50) < 0.4
    train = rng.normal(size=(50, 40))
    train[positive, :10] += 0.5
    test = rng.normal(size=(23, 40))
    subsets = np.array([rng.choice(40, 8, replace=False) for _ in range(30)])
    return train, positive, test, subsets


def _by_definition(train, positive, test, subsets, k):
    shares = np.empty((len(subsets), len(test)))
    for row, subset in zip(shares, subsets, strict=True):
        squared = np.square(test[:, None, subset] - train[None][:, :, subset]).sum(axis=2)
        row[:] = positive[np.argsort(squared, axis=1, kind="stable")[:, :k]].mean(axis=1)
    return shares.mean(axis=0)


def by_scikit_learn(train, positive, test, subsets, k):
    """Mean probability of one classifier a subset."""
    models = [(KNeighborsClassifier(k).fit(train[:, subset], positive), subset) for subset in subsets]
    return np.mean([model.predict_proba(test[:, subset])[:, 1] for model, subset in models], axis=0)


@pytest.mark.parametrize("k", [1, 3, 4, 15, 50])
def test_against_scikit_learn(data, k):
    assert knn_ensemble(*data, n_neighbors=k) == pytest.approx(by_scikit_learn(*data, k), abs=1e-12)


def test_by_hand():
    train, positive = [[0.0, 5], [1, 5], [2, 0], [9, 0]], [1, 0, 0, 1]
    # Nearest of 0.4 in the first feature: objects 0, 1, 2; of 1 in the second: objects 2, 3, then 0 before 1.
    assert knn_ensemble(train, positive, [[0.4, 1.0]], [[0]], n_neighbors=1).tolist() == [1.0]
    assert knn_ensemble(train, positive, [[0.4, 1.0]], [[0]]).tolist() == [1 / 3]
    assert knn_ensemble(train, positive, [[0.4, 1.0]], [[1]]).tolist() == [2 / 3]
    assert knn_ensemble(train, positive, [[0.4, 1.0]], [[0], [1]]).tolist() == [0.5]


@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_of_equally_near_samples_the_earlier_ones_count(k):
    rng = np.random.default_rng(1)
    for _ in range(20):
        train, test = rng.integers(0, 3, (30, 6)).astype(float), rng.integers(0, 3, (10, 6)).astype(float)
        positive = np.arange(30) % 3 == 0
        subsets = rng.integers(0, 6, (5, 2))
        expected = _by_definition(train, positive, test, subsets, k)
        assert knn_ensemble(train, positive, test, subsets, n_neighbors=k) == pytest.approx(expected, abs=1e-12)


def test_order_of_samples_and_subsets_threads_and_the_unit_do_not_matter(data):
    train, positive, test, subsets = data
    rng = np.random.default_rng(2)
    expected = knn_ensemble(*data)
    order, turn = rng.permutation(50), rng.permutation(23)
    assert np.array_equal(knn_ensemble(train[order], positive[order], test, subsets), expected)
    assert np.array_equal(knn_ensemble(train, positive, test[turn], subsets), expected[turn])
    assert np.array_equal(knn_ensemble(train, positive, test, subsets[::-1]), expected)
    assert knn_ensemble(train, ~positive, test, subsets) == pytest.approx(1 - expected, abs=1e-15)
    with threadpool_limits(1):
        assert np.array_equal(knn_ensemble(*data), expected)
    for unit in (2.0**-1000, 2.0**1000):
        assert np.array_equal(knn_ensemble(train * unit, positive, test * unit, subsets), expected)


def test_columns_of_frames_in_another_order_are_refused(data):
    train, test = pd.DataFrame(data[0]), pd.DataFrame(data[2])
    assert np.array_equal(knn_ensemble(train, data[1], test, data[3]), knn_ensemble(*data))
    with pytest.raises(ValueError, match="the same columns in the same order"):
        knn_ensemble(train, data[1], test[test.columns[::-1]], data[3])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("n_neighbors", 51, "50, found 51"),
        ("n_neighbors", 0, "found 0"),
        ("n_neighbors", 2.5, "n_neighbors must be an integer"),
        ("train_positive", np.ones(50), "All 50 training samples are of one class"),
        ("train_positive", np.zeros(50, dtype=bool), "one class"),
        ("train_positive", np.arange(50), r"0 and 1 \(or booleans\), found \[2, 3, 4, 5, 6\]"),
        ("test", np.ones((3, 39)), "found 40 and 39 columns"),
        ("subsets", [[0, 40]], "40 features, found 0 to 40"),
        ("subsets", [[-1, 3]], "found -1 to 3"),
        ("subsets", np.ones((2, 40), dtype=bool), "table of integers.*bool"),
    ],
)
def test_bad_input_is_refused(data, name, value, message):
    given = dict(zip(("train", "train_positive", "test", "subsets"), data, strict=True))
    with pytest.raises(ValueError, match=message):
        knn_ensemble(**{**given, name: value})
