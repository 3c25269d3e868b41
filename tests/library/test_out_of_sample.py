"""Embeddings that take new samples in: training samples come back, new ones as the formula says, bad input."""

import pickle

import numpy as np
import pandas as pd
import pytest
from affinities import affinity_matrix
from consensus_embedding.manifold.graph_embedding import SCALINGS, GraphEmbedding, scale_eigenvectors
from consensus_embedding.manifold.graphs import KERNELS, semi_supervised_affinity
from consensus_embedding.manifold.out_of_sample import NystroemGraphEmbedding, SemiSupervisedGraphEmbedding
from consensus_embedding.manifold.spectral import graph_eigenvectors
from scipy.spatial.distance import cdist
from sklearn.base import clone

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def _table(seed):
    """Plain, with coinciding samples, on a lattice (many equal distances), and too many for a dense solution."""
    rng = np.random.default_rng(seed)
    return {
        0: rng.normal(size=(90, 3)),
        1: np.repeat(rng.normal(size=(40, 3)), rng.integers(1, 5, size=40), axis=0),
        2: 0.1 * rng.integers(0, 5, size=(100, 3)),
        3: np.concatenate([rng.normal(size=(300, 3)), rng.normal(size=(260, 3)) + 3]),
    }[seed % 4]


def _labels(X, seed):
    """Some known, the same for coinciding samples; seed decides how many."""
    rng = np.random.default_rng(seed)
    _, places = np.unique(X, axis=0, return_inverse=True)
    labels = rng.choice(3, size=places.max() + 1)
    labels[rng.random(len(labels)) > (0.1, 0.5, 1.0)[seed % 3]] = -1
    labels[:2] = [0, 1]
    return labels[places]


def _fit(X, labels, **options):
    estimator = NystroemGraphEmbedding if labels is None else SemiSupervisedGraphEmbedding
    return estimator(2, **options).fit(X, labels)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Eigenvalues .* are equal:RuntimeWarning")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed", range(8))
def test_training_samples_get_their_place(kernel, seed):
    X = _table(seed)
    D = cdist(X, X)
    options = {"kernel": kernel, "n_neighbors": 6, "radius": np.quantile(D[D > 0], 0.15)}
    options |= {"floor": (1e-6, 0.0)[seed % 2], "self_affinity": (1.0, 0.5)[seed // 4]}
    for known in (None, _labels(X, seed), _labels(X, seed + 1)):
        for metric, data in (("euclidean", X), ("precomputed", D)):
            model = _fit(data, known, metric=metric, scaling="none", **options)
            assert model.eigenvalues_.min() > 0.01
            for scaling in SCALINGS if seed < 4 else ("rows",):
                scaled = model if scaling == "none" else _fit(data, known, metric=metric, scaling=scaling, **options)
                error = np.abs(scaled.transform(data) - scaled.embedding_).max()
                assert error < 1e-8 * np.abs(scaled.embedding_).max()


@pytest.mark.parametrize("scaling", SCALINGS)
def test_training_samples_get_their_place_on_a_single_component(X, labels, scaling):
    for model in (NystroemGraphEmbedding(1, scaling=scaling), SemiSupervisedGraphEmbedding(1, scaling=scaling)):
        model.fit(X, labels)
        assert model.transform(X) == pytest.approx(model.embedding_, abs=1e-12)
        assert len(np.unique(model.embedding_)) == 120


@pytest.mark.parametrize("weights", ["zhao", (2.0, 0.5)])
def test_training_samples_get_their_place_with_any_label_weights(X, labels, weights):
    model = SemiSupervisedGraphEmbedding(label_weights=weights, sigma=3.0, kernel="exponential").fit(X, labels)
    assert model.transform(X) == pytest.approx(model.embedding_, abs=1e-9)
    words = np.array(["grey", "white"])[(np.arange(120) >= 60).astype(int)]
    model.fit(X, words)
    assert model.transform(X) == pytest.approx(model.embedding_, abs=1e-9)


def test_objects_at_dissimilarity_zero_keep_their_own_neighbours():
    """Dissimilarities that are no distances: two objects may be at 0 and lie elsewhere."""
    rng = np.random.default_rng(1)
    A = rng.integers(0, 40, size=(70, 70)).astype(float)
    A = np.triu(A, k=1) + np.triu(A, k=1).T
    assert (A == 0).sum() > 70
    for kernel in KERNELS:
        model = NystroemGraphEmbedding(2, kernel=kernel, n_neighbors=8, radius=12.0, metric="precomputed", sigma=0.5)
        assert model.fit(A).transform(A) == pytest.approx(model.embedding_, abs=1e-9)


def test_rounding_errors_on_the_diagonal_do_not_make_other_samples(X, labels):
    """As of 1 minus a cosine."""
    A = cdist(X, X) + np.diag(np.random.default_rng(0).random(120) * 1e-12)
    for kernel in KERNELS:
        model = SemiSupervisedGraphEmbedding(2, kernel=kernel, radius=3.0, metric="precomputed", self_affinity=0.5)
        assert model.fit(A, labels).transform(A) == pytest.approx(model.embedding_, abs=1e-8)


def test_of_coinciding_samples_the_first_with_a_label_is_meant(X, labels):
    X[[3, 5, 7]] = X[0]
    labels[[0, 3, 5, 7]] = [-1, 1, 0, -1]
    model = SemiSupervisedGraphEmbedding(kernel="exponential", scaling="none").fit(X, labels)
    assert np.abs(model.embedding_[3] - model.embedding_[[0, 5]]).max(axis=1).min() > 1e-4
    found = model.transform(X[[0, 3, 5, 7]])
    assert found == pytest.approx(np.tile(model.embedding_[3], (4, 1)), abs=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("labelled", [False, True])
def test_new_samples_are_placed_as_the_formula_says(X, labels, kernel, labelled):
    """Affinities of all, cut to the training samples, where they do not depend on the new ones: one at a time."""
    options = {"kernel": kernel, "n_neighbors": 10, "radius": 3.0, "sigma": 0.8}
    train = np.arange(120) % 5 > 0
    model = _fit(X[train], labels[train] if labelled else None, scaling="none", **options)
    gamma = affinity_matrix(X[train], floor=0.0, **options)
    if labelled:
        gamma = semi_supervised_affinity(gamma, labels[train])
    values, vectors = graph_eigenvectors(gamma, 2, floor=1e-6)
    assert model.eigenvalues_ == pytest.approx(values)
    weights = _weights(X[~train], X[train], kernel)
    expected = (weights + 1e-6) @ vectors / (values * (weights + 1e-6).sum(axis=1, keepdims=True))
    assert model.transform(X[~train]) == pytest.approx(expected, abs=1e-10)
    precomputed = clone(model).set_params(metric="precomputed")
    precomputed.fit(cdist(X[train], X[train]), labels[train])
    assert precomputed.transform(cdist(X[~train], X[train])) == pytest.approx(expected, abs=1e-9)
    for unit in (1e-200, 1e200):
        model.set_params(radius=3.0 * unit).fit(X[train] * unit, labels[train])
        assert model.transform(X[~train] * unit) == pytest.approx(expected, abs=1e-9)


def _weights(new, train, kernel):
    apart, d = cdist(train, train), cdist(new, train)
    pairs = apart[np.triu_indices(len(train), k=1)]
    if kernel == "local_scaling":
        own, theirs = np.sort(d, axis=1)[:, [6]], np.sort(apart, axis=1)[:, 7]
        return np.exp(-(d**2) / (0.8**2 * own * theirs))
    if kernel in ("exponential", "gaussian"):
        return np.exp(-((d / (0.8 * np.median(pairs))) ** (1 if kernel == "exponential" else 2)))
    if kernel == "radius":
        near, scale = d < 3.0, np.median(pairs[pairs < 3.0])
    else:
        theirs = np.sort(apart, axis=1)[:, 10]
        kept = (theirs[:, None] >= apart) | (apart <= theirs)
        near, scale = (np.sort(d, axis=1)[:, [9]] >= d) | (d <= theirs), np.median(apart[np.triu(kept, k=1)])
    return np.where(near, np.exp(-d / (0.8 * scale)), 0.0)


def test_a_new_sample_near_a_training_sample_carries_no_label(X, labels):
    model = SemiSupervisedGraphEmbedding(kernel="exponential", scaling="none").fit(X, labels)
    plain = np.exp(-cdist(X[:1], X) / (np.median(cdist(X, X)[np.triu_indices(120, k=1)]))) + 1e-6
    unlabelled = plain @ model._vectors / (model.eigenvalues_ * plain.sum())
    assert labels[0] == 0
    near = model.transform(X[:1] + 1e-9)
    assert near == pytest.approx(unlabelled, abs=1e-9)
    assert np.abs(near - model.embedding_[0]).max() > 1e-4
    assert model.transform(X[:1]) == pytest.approx(model.embedding_[:1], abs=1e-11)


@pytest.mark.parametrize("scaling", SCALINGS)
def test_scaling_is_that_of_the_training_samples(X, scaling):
    plain = NystroemGraphEmbedding(2, scaling="none").fit(X[::2])
    model = NystroemGraphEmbedding(2, scaling=scaling).fit(X[::2])
    expected = scale_eigenvectors(model.eigenvalues_, plain.transform(X[1::2]), scaling)
    assert model.transform(X[1::2]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
def test_rows_do_not_depend_on_each_other(kernel, monkeypatch):
    X = np.random.default_rng(3).normal(size=(400, 3))
    model = NystroemGraphEmbedding(2, kernel=kernel, radius=2.5).fit(X[:100])
    whole = model.transform(X)
    assert np.array_equal([model.transform(row[None])[0] for row in X], whole)
    monkeypatch.setattr("consensus_embedding.manifold.out_of_sample._ROWS", 7)
    assert np.array_equal(model.transform(X), whole)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).transform(X), whole)


def test_without_labels_it_is_graph_embedding(X):
    expected = GraphEmbedding(2).fit(X)
    for model in (NystroemGraphEmbedding(2), SemiSupervisedGraphEmbedding(2, label_weights=(1.0, 1.0))):
        model.fit(X, np.arange(120) % 2)
        assert np.array_equal(model.embedding_, expected.embedding_)
        assert np.array_equal(model.eigenvalues_, expected.eigenvalues_)


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("floor", [0.0, 1e-6])
def test_samples_outside_every_neighbourhood(X, scaling, floor):
    model = NystroemGraphEmbedding(2, kernel="radius", radius=3.0, scaling=scaling, floor=floor).fit(X)
    new = X[:5] + 0.01
    expected = model.transform(new)
    new[[1, 3]] = [X[100] + [900, 0, 0, 0], X[7] - [900, 0, 0, 0]]
    with pytest.raises(ValueError, match=r'2 of 5 samples .* first is number 1, .* isolated="nearest"'):
        model.transform(new)
    found = model.set_params(isolated="nearest").transform(new)
    nearest = cdist(new, X).argmin(axis=1)
    assert np.array_equal(found[[0, 2, 4]], expected[[0, 2, 4]])
    assert found[[1, 3]] == pytest.approx(model.embedding_[nearest[[1, 3]]], abs=1e-14)
    # Far beyond what an exponential can tell from 0, though it has nearest neighbours.
    model = NystroemGraphEmbedding(2, floor=floor).fit(X)
    with pytest.raises(ValueError, match="1 of 1 samples have no affinity"):
        model.transform(X[:1] + 1e9)


@pytest.mark.filterwarnings("ignore:Eigenvalues .* are equal:RuntimeWarning")
def test_a_training_sample_without_neighbours_keeps_its_place(X):
    X[5] += 900
    for self_affinity in (0.0, 1.0):
        model = NystroemGraphEmbedding(3, kernel="radius", radius=3.0, self_affinity=self_affinity, scaling="none")
        assert model.fit(X).transform(X) == pytest.approx(model.embedding_, abs=1e-8)


def test_dissimilarities_that_do_not_fit_are_refused(X, labels):
    A, rows = cdist(X, X), np.arange(120)
    for model in (NystroemGraphEmbedding(metric="precomputed"), SemiSupervisedGraphEmbedding(metric="precomputed")):
        with pytest.raises(ValueError, match="symmetric"):
            model.fit(A + np.triu(A), labels)
        model.fit(A, labels)
        with pytest.raises(ValueError, match=r"119 features, .* 120"):
            model.transform(A[:, 1:])
        with pytest.raises(ValueError, match="-2 of new sample 1 to training sample 4"):
            model.transform(np.where((rows == 4) & (rows[:, None] == 1), -2.0, A))


def test_eigenvalues_that_are_not_positive_are_refused_by_transform_alone(X):
    model = NystroemGraphEmbedding(110, n_neighbors=3, self_affinity=0.0).fit(X)
    assert model.eigenvalues_.min() < 0
    first = np.flatnonzero(model.eigenvalues_ <= 1e-7)[0] + 1
    with pytest.raises(ValueError, match=f"positive, found .* component {first};"):
        model.transform(X)


def test_names_beside_unknown_labels(X, labels):
    expected = SemiSupervisedGraphEmbedding(2).fit(X, labels)
    names = np.where(labels == -1, -1, np.array(["a", "b", "c"], dtype=object)[labels])
    for unknown in (names, pd.Series(names), names.tolist(), [None if name == -1 else name for name in names]):
        found = SemiSupervisedGraphEmbedding(2).fit(X, unknown)
        assert np.array_equal(found.embedding_, expected.embedding_)
        assert np.array_equal(found.transform(X), expected.transform(X))


@pytest.mark.parametrize("name", ["unknown", " Unlabelled", "?"])
def test_a_name_for_an_unknown_label_is_refused(name):
    X = np.random.default_rng(0).normal(size=(30, 3))
    labels = np.where(np.arange(30) % 3 == 0, name, np.where(np.arange(30) % 2, "cat", "dog"))
    with pytest.raises(ValueError, match="the number -1 or None"):
        SemiSupervisedGraphEmbedding(2).fit(X, labels)
    known = np.where(labels == name, None, labels)
    assert SemiSupervisedGraphEmbedding(2).fit(X, known).embedding_.shape == (30, 2)


@pytest.mark.parametrize("dtype", ["str", "string", "category"])
def test_missing_labels_of_pandas_are_refused_with_what_to_do(dtype):
    X, y = np.random.default_rng(0).normal(size=(30, 3)), pd.Series([None, "a", "b"] * 10, dtype=dtype)
    with pytest.raises(ValueError, match=r"10 of 30 objects.*Mark unknown labels by -1, or by None"):
        SemiSupervisedGraphEmbedding(2).fit(X, y)
    unknown = pd.Series([None, "a", "b"] * 10, dtype=object)
    assert SemiSupervisedGraphEmbedding(2).fit(X, unknown).embedding_.shape == (30, 2)
