"""The filters against SciPy, scikit-learn's one-level trees and brute force."""

import numpy as np
import pytest
from consensus_embedding import fisher_scores, gini_scores, t_scores
from scipy.stats import ttest_ind
from sklearn.feature_selection import SelectKBest
from sklearn.tree import DecisionTreeClassifier

FILTERS = [t_scores, fisher_scores, gini_scores]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40)) + rng.normal(size=40) * 10
    X[:, 10:20] = np.round(X[:, 10:20])
    X[:, 20:30] *= rng.random((60, 10)) < 0.1
    y = np.repeat([-1, 1], [25, 35])
    X[:, ::3] += 0.8 * y[:, None]
    return X, y


def impurity(labels):
    return 1.0 - sum(np.mean(labels == c) ** 2 for c in np.unique(labels)) if len(labels) else 0.0


def test_t_scores(table):
    X, y = table
    expected = ttest_ind(X[y == 1], X[y == -1], equal_var=True).statistic
    assert t_scores(X, y) == pytest.approx(np.abs(expected), rel=1e-10)


def test_fisher_scores(table):
    X, y = table
    one, two = X[y == 1], X[y == -1]
    expected = np.square(one.mean(axis=0) - two.mean(axis=0)) / (one.var(axis=0, ddof=1) + two.var(axis=0, ddof=1))
    assert fisher_scores(X, y) == pytest.approx(expected, rel=1e-10)
    # They rank as t does where classes are of one size.
    assert fisher_scores(X[:50], y[:50]) * 25 == pytest.approx(np.square(t_scores(X[:50], y[:50])))


def gini_of_trees(X, y):
    """Decrease of impurity by a tree of one level for each feature."""
    scores = []
    for j in range(X.shape[1]):
        tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X[:, [j]], y).tree_
        share = tree.weighted_n_node_samples / len(y)
        scores.append(tree.impurity[0] - (share[1:] * tree.impurity[1:]).sum() if tree.node_count > 1 else 0.0)
    return np.array(scores)


@pytest.mark.parametrize("counts", [None, (1, 1), (1, 6), (2, 2)])
def test_gini_scores_are_those_of_trees_of_one_level(table, counts):
    X, y = table
    if counts:
        y = np.repeat([0, 1], counts)
        X = np.random.default_rng(1).integers(0, 3, (len(y), 30)).astype(float)
    assert gini_scores(X, y) == pytest.approx(gini_of_trees(X, y), abs=1e-12)


def test_equal_splits_have_equal_scores():
    """Features that order the classes alike, or the other way round, in any unit."""
    rng = np.random.default_rng(3)
    x, y = rng.permutation(31).astype(float), rng.choice([0, 1], 31)
    X = np.column_stack([x, -x, 1e-9 * x, np.exp(x / 5), x**3 - 7])
    assert len(set(gini_scores(X, y).tolist())) == 1
    perfect = gini_scores(np.column_stack([y, -y, 1e-300 * y]), y)
    assert perfect == pytest.approx(np.full(3, impurity(y)))


@pytest.mark.parametrize("score", FILTERS)
def test_what_all_filters_share(table, score):
    X, y = table
    expected = score(X, y)
    assert expected.shape == (40,)
    assert (expected >= 0).all()
    shuffled = np.random.default_rng(0).permutation(60)
    assert score(X[shuffled], y[shuffled]) == pytest.approx(expected, rel=1e-10)
    assert score(X, np.where(y == 1, "a", "b")) == pytest.approx(expected, rel=1e-10)
    assert score(np.asfortranarray(X), y) == pytest.approx(expected, rel=1e-12)
    assert score(X.tolist(), y.tolist()) == pytest.approx(expected, rel=1e-12)
    assert score(-7.0 * X + 2.0, y) == pytest.approx(expected, rel=1e-8)
    chosen = SelectKBest(score, k=4).fit(X, y)
    assert set(chosen.get_support(indices=True)) == set(np.argsort(-expected, kind="stable")[:4])


@pytest.mark.parametrize("score", FILTERS)
def test_constant_features_score_zero_and_those_constant_in_each_class_the_most(table, score):
    X, y = table
    wider = np.column_stack([np.full(60, 0.1), X, np.full(60, 1e12), np.zeros(60)])
    found = score(wider, y)
    assert found[[0, -2, -1]].tolist() == [0.0, 0.0, 0.0]
    assert found[1:-2] == pytest.approx(score(X, y))
    most = impurity(y) if score is gini_scores else np.inf
    assert score(np.column_stack([y * 0.1, np.where(y == 1, 1e8, 1e8 + 1), y]), y) == pytest.approx(np.full(3, most))


@pytest.mark.parametrize("score", FILTERS)
def test_a_constant_feature_of_many_samples_scores_zero(score):
    """The mean of as many values has an error above 1e-12 of them."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat([0, 1], [70_001, 29_999]))
    X = np.column_stack([np.full(len(y), 0.1), np.where(y == 1, 0.1, 0.1 + 2**-56), y * 0.1])
    if score is gini_scores:
        assert score(X, y)[0] == 0
    else:
        assert score(X, y).tolist() == [0.0, 0.0, np.inf]


@pytest.mark.parametrize("score", [t_scores, fisher_scores])
@pytest.mark.parametrize("offset", [1e8, -1e11, 1e12, 1e14])
def test_features_far_from_zero_have_the_score_of_their_differences(score, offset):
    y = np.arange(40) % 2
    X = np.random.default_rng(0).normal(size=(40, 2)) + 3 * y[:, None] + offset
    assert score(X, y) == pytest.approx(score(X - offset, y), rel=1e-12)


@pytest.mark.parametrize("score", FILTERS)
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((4, 2)), [1, 1, 1, 1], r"found 1 \(1\)"),
        (np.ones((4, 2)), [1, 2, 3, 3], r"found 3 \(1, 2, 3\)"),
        (np.full((4, 2), np.nan), [1, 2, 1, 2], "NaN or infinity in 2 of its features"),
    ],
)
def test_refusals(score, X, y, message):
    with pytest.raises(ValueError, match=message):
        score(X, y)


def test_a_variance_needs_two_samples():
    X, y = np.arange(6.0).reshape(3, 2), [0, 1, 1]
    for score in (t_scores, fisher_scores):
        with pytest.raises(ValueError, match=r"at least 2 samples of each class, found 1 of class 0"):
            score(X, y)
    assert gini_scores(X, y) == pytest.approx([4 / 9, 4 / 9])
