"""Random forests of small samples beside scikit-learn's."""

import numpy as np
import pytest
import sklearn
from consensus_embedding.features import forests
from consensus_embedding.features.forests import SmallForest, has_known_builder
from sklearn.ensemble import RandomForestClassifier


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(12, 1), (36, 5), (100, 30)])
@pytest.mark.parametrize("seed", [0, 7, 2**31])
@pytest.mark.parametrize("grows_itself", [True, False])
def test_same_as_scikit_learn_to_the_last_bit(monkeypatch, n, m, seed, grows_itself):
    monkeypatch.setattr(forests, "_grows_itself", grows_itself)
    rng = np.random.default_rng([n, m])
    X, unseen = rng.normal(size=(n, m)), rng.normal(size=(200, m))
    y = np.where(X[:, 0] + rng.normal(size=n) > 0, 1, -1)
    theirs = RandomForestClassifier(20, random_state=seed).fit(X, y)
    ours = SmallForest(20, seed).fit(X, y)
    np.testing.assert_array_equal(ours.predict_proba(unseen), theirs.predict_proba(unseen))
    np.testing.assert_array_equal(ours.predict(unseen), theirs.predict(unseen))
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)


@pytest.mark.parametrize(
    ("version", "known"),
    [("1.5.2", False), ("1.6.0", True), ("1.9.1", True), ("1.10.dev0", False), ("1.10.0", False), ("2.0", False)],
)
def test_another_version_of_scikit_learn_grows_its_own_forests(version, known):
    assert has_known_builder(version) == known
    # If not, and the first test passes with grows_itself, raise the last known version.
    assert has_known_builder(sklearn.__version__)


def test_the_seed_matters():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), np.repeat([-1, 1], 15)
    one, other = (SmallForest(20, seed).fit(X, y).predict_proba(X) for seed in (1, 2))
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("value", "classes", "message"),
    [(0.0, [1, 1, 1, 1], "two classes, found 1")]
    + [(value, [-1, 1, -1, 1], "finite values") for value in (np.nan, np.inf, 1e39)],
)
def test_one_class_and_values_that_single_precision_does_not_hold_are_refused(value, classes, message):
    X = np.zeros((4, 2))
    X[1, 1] = value
    with pytest.raises(ValueError, match=message), np.errstate(over="ignore"):
        SmallForest(5, 0).fit(X, np.array(classes))


def test_a_large_offset_does_not_merge_values_that_differ():
    """In single precision 900 values around 1e7 would be 3."""
    rng = np.random.default_rng(0)
    # What is added and taken away again is exact.
    X = np.round(rng.normal(0, 0.3, size=(900, 3)) * 2**20) / 2**20
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    found = SmallForest(5, 0).fit(X[:600] + 2.0**23, y[:600]).predict(X[600:] + 2.0**23)
    expected = SmallForest(5, 0).fit(X[:600], y[:600]).predict(X[600:])
    assert (found == expected).mean() > 0.95
    assert (found == y[600:]).mean() > 0.9
