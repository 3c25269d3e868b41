"""FINE and VIP scores against the equations, PCA and each other, and the selector's contract."""

import warnings

import numpy as np
import pandas as pd
import pytest
from consensus_embedding import (
    FeatureImportanceInEmbeddings,
    KernelEmbedding,
    aggregate_score,
    choose_embedding,
    fine_scores,
    normalized_scores,
    top_features,
    vip_scores,
)
from consensus_embedding.manifold.sample_kernels import REDUCTIONS
from consensus_embedding.utils import progress as waiting
from refusals import refusals
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module")
def planted():
    """Features 3 and 7 carry the class, the others one strong factor and noise."""
    rng = np.random.default_rng(0)
    y = np.repeat([-1, 1], 30)
    X = rng.normal(size=(60, 12)) + rng.normal(size=(60, 1)) * np.arange(12) / 12
    X[:, [3, 7]] += 3.0 * y[:, None]
    return X, y


def plain_vip(T, V, y, form="chong_jun"):
    """Equation 13, term by term."""
    (m, h), centred = V.shape, y - y.mean()
    b = np.linalg.lstsq(T - T.mean(axis=0), centred, rcond=None)[0]
    weights = [b[i] ** 2 * np.square(T[:, i] - T[:, i].mean()).sum() for i in range(h)]
    scores = []
    for j in range(m):
        shares = [abs(V[j, i]) / np.linalg.norm(V[:, i]) for i in range(h)]
        if form == "printed":
            scores.append(sum(w * s for w, s in zip(weights, shares, strict=True)) / sum(weights))
        else:
            scores.append(np.sqrt(m * sum(w * s**2 for w, s in zip(weights, shares, strict=True)) / sum(weights)))
    return np.array(scores)


@pytest.mark.parametrize("form", ["chong_jun", "printed"])
def test_the_equation_of_vip(form):
    rng = np.random.default_rng(1)
    T, V, y = rng.normal(size=(20, 4)) + 2, rng.normal(size=(9, 4)), rng.normal(size=20)
    assert vip_scores(T, V, y, form) == pytest.approx(plain_vip(T, V, y, form), rel=1e-12)


@pytest.mark.parametrize("form", ["chong_jun", "printed"])
@pytest.mark.parametrize(("n", "m", "h"), [(30, 200, 5), (30, 200, 29), (80, 12, 3), (80, 12, 12)])
def test_fine_on_pca_is_vip_on_pca(n, m, h, form):
    rng = np.random.default_rng(h)
    X = rng.normal(size=(n, m)) * rng.uniform(0.5, 2, m) + 3.0
    y = rng.choice([-1, 1], n)
    pca = PCA(h, svd_solver="full").fit(X)
    expected = vip_scores(pca.transform(X), pca.components_.T, y, form)
    assert fine_scores(pca.transform(X), X, y, form) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    ours = KernelEmbedding(h).fit(X)
    assert fine_scores(ours.embedding_, X, y, form) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_the_scale_of_the_columns_drops_out(planted, reduction):
    """K Z Lambda^(-1/2), as extracted K Z^(1/2), or the eigenvectors themselves: the same scores."""
    X, y = planted
    model = KernelEmbedding(6, reduction=reduction, n_neighbors=15).fit(X)
    T, values = model.embedding_, model.eigenvalues_
    expected = fine_scores(T, X, y)
    for other in (T / values, T * values, model.eigenvectors_, -T, T + 5.0, model.kernel_ @ model.eigenvectors_):
        assert fine_scores(other, X, y) == pytest.approx(expected, rel=1e-9)
    assert fine_scores(T * 1e-40 ** np.arange(6), X, y) == pytest.approx(expected, rel=1e-9)
    assert fine_scores(T, X + 100.0, 7.0 * y + 3.0) == pytest.approx(expected, rel=1e-9)
    assert np.square(expected).mean() == pytest.approx(1.0, rel=1e-12)


def test_columns_that_are_not_orthogonal():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(25, 40)), rng.normal(size=25)
    T = rng.normal(size=(25, 4)) @ (np.eye(4) + 0.5) + 1.0
    centred = T - T.mean(axis=0)
    V = (X - X.mean(axis=0)).T @ np.linalg.pinv(centred).T
    assert fine_scores(T, X, y) == pytest.approx(plain_vip(T, V, y), rel=1e-10)


def test_constant_features_score_zero_and_change_no_order(planted):
    X, y = planted
    T = KernelEmbedding(3).fit_transform(X)
    wider = np.column_stack([np.full(60, 0.1), X, np.full(60, 1e9 / 3)])
    scaled = FeatureImportanceInEmbeddings(scaling="standard", n_components=4)
    for score in (lambda X: fine_scores(T, X, y), lambda X: clone(scaled).fit(X, y).scores_):
        assert score(wider)[[0, -1]].tolist() == [0.0, 0.0]
        assert score(wider)[1:-1] == pytest.approx(score(X) * np.sqrt(14 / 12))


def test_two_classes_of_any_name(planted):
    X, y = planted
    T = KernelEmbedding(3).fit_transform(X)
    expected = fine_scores(T, X, y)
    for labels in (y == 1, np.where(y == 1, "late", "early"), np.where(y == 1, 0, 5)):
        assert fine_scores(T, X, labels) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("digits", [0, 9])
def test_labels_that_are_numbers_may_be_of_type_object(digits):
    y = RNG.random(20).round(digits)
    assert np.array_equal(scores(y=y.astype(object)), scores(y=y))


def test_units_of_embedding_and_features_are_free():
    assert scores(1e-90 * T, 1e250 * FEATURES) == pytest.approx(scores(), rel=1e-12)


def test_threads_do_not_matter():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5000)), rng.choice([-1, 1], 60)
    T = rng.normal(size=(60, 20))
    with threadpool_limits(2):
        first = fine_scores(T, X, y)
    with threadpool_limits(1):
        assert np.array_equal(fine_scores(T, X, y), first)


def test_normalised_and_aggregate_scores(planted):
    X, y = planted
    scores = fine_scores(KernelEmbedding(5).fit_transform(X), X, y)
    shares = normalized_scores(scores)
    assert shares == pytest.approx(np.square(scores) / 12)
    assert shares.sum() == pytest.approx(1.0, abs=1e-15)
    assert aggregate_score(scores, [3, 7]) == pytest.approx(shares[3] + shares[7])
    assert aggregate_score(scores, range(12)) == pytest.approx(1.0)
    assert aggregate_score(scores, []) == 0.0
    assert aggregate_score(scores, [3.0, 7.0]) == aggregate_score(scores, [3, 7])
    assert normalized_scores([3e200, 4e200]) == pytest.approx([9 / 25, 16 / 25])


def test_top_features_are_in_order_and_ties_go_to_the_lower_index():
    assert top_features([1.0, 3.0, 2.0, 3.0, np.inf], 4).tolist() == [4, 1, 3, 2]
    assert top_features(np.zeros(2000), 5).tolist() == [0, 1, 2, 3, 4]
    assert top_features([0.0, -0.0, 0.0], 3).tolist() == [0, 1, 2]


def test_the_informative_features_are_found(planted):
    X, y = planted
    for reduction in REDUCTIONS:
        model = FeatureImportanceInEmbeddings(2, reduction=reduction, n_neighbors=20).fit(X, y)
        assert model.get_support(indices=True).tolist() == [3, 7]


RNG = np.random.default_rng(0)
T, FEATURES, CLASSES = RNG.normal(size=(20, 2)), RNG.normal(size=(20, 5)), np.tile([-1, 1], 10)
EYE, ALTERNATING = np.eye(4)[:, :2], np.tile([1.0, -1.0], 4)[:, None]


def scores(T=T, X=FEATURES, y=CLASSES, form="chong_jun"):
    return fine_scores(T, X, y, form)


test_refusals_of_scores = refusals(
    (lambda: scores(y=np.ones(20)), r"All 20 labels are 1\.0"),
    (lambda: scores(y=np.array(list("abc" * 6 + "ab"))), "two classes, found 3"),
    (lambda: scores(T=np.ones((20, 2))), "Component 1 of 2 is constant"),
    (lambda: scores(X=np.ones((20, 5))), "Component 1 of 2 has no loadings"),
    (lambda: scores(X=np.where(np.eye(20, 5) > 0, np.nan, 1.0)), "NaN or infinity, in 5 of 5 features"),
    (lambda: scores(form="other"), "form .* found 'other'"),
    (lambda: scores(ALTERNATING, ALTERNATING, np.repeat([-1, 1], 4)), "varies with the labels"),
    (lambda: vip_scores(EYE, np.ones((3, 3)), [1, 1, 0, 0]), r"shape \(features, 2\)"),
    (lambda: normalized_scores([0.0, 0.0]), "not all 0"),
    (lambda: aggregate_score([1.0, 2.0], [0, 0]), "without repeats"),
    (lambda: aggregate_score([1.0, 2.0], [2]), "from 0 to 1, found 2"),
    (lambda: aggregate_score([1.0, 2.0], [0.5, 1.2]), r"integers, found float64 \(0\.5, 1\.2\)"),
    (lambda: aggregate_score([1.0, 2.0], [np.inf]), "from 0 to 1, found inf"),
    (lambda: aggregate_score([1.0, 2.0], [True, False]), "integers, found bool .*flatnonzero"),
    (lambda: top_features([1.0, 2.0], 3), "from 1 to 2, found 3"),
    (lambda: top_features([1.0, 2.0], 0), "found 0"),
)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_the_selector_is_its_parts(planted, reduction):
    X, y = planted
    model = FeatureImportanceInEmbeddings(4, reduction=reduction, scaling="standard", max_components=6).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    chosen = choose_embedding(scaled, reduction, max_components=6)
    assert model.n_components_ == chosen.n_components
    assert model.n_neighbors_ == chosen.n_neighbors
    assert model.alpha_ == chosen.alpha
    assert model.residual_variance_ == pytest.approx(chosen.residual_variance)
    assert model.scores_ == pytest.approx(fine_scores(chosen.estimator.embedding_, scaled, y))
    assert model.normalized_scores_.sum() == pytest.approx(1.0)
    best = top_features(model.scores_, 12)
    assert model.ranking_[best].tolist() == list(range(1, 13))
    assert model.get_support(indices=True).tolist() == sorted(best[:4])
    assert np.array_equal(model.transform(X), X[:, sorted(best[:4])])
    assert model.classes_.tolist() == [-1, 1]


def test_given_parameters_are_used(planted):
    X, y = planted
    parameters = {"n_components": 3, "n_neighbors": 14, "alpha": 2.0}
    model = FeatureImportanceInEmbeddings(reduction="le", **parameters).fit(X, y)
    assert (model.n_components_, model.n_neighbors_, model.alpha_) == (3, 14, 2.0)
    assert {name: model.embedding_.get_params()[name] for name in parameters} == parameters


def test_fewer_features_than_asked_for_are_all_selected(planted):
    selector = FeatureImportanceInEmbeddings(13, scaling="standard")
    with pytest.warns(UserWarning, match="13 .* features, 12 .* all are selected"):
        assert selector.fit(*planted).get_support().all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 13}, "13 is above the rank of the kernel, 12"),
        ({"reduction": "isomap", "n_neighbors": 1}, r"n_neighbors = 1 .* pieces; .* is \d+"),
        ({"reduction": "lle", "n_neighbors": 60}, "n_neighbors .* samples, 60"),
    ],
)
def test_refusals_of_the_selector(planted, parameters, message):
    with pytest.raises(ValueError, match=message):
        FeatureImportanceInEmbeddings(**parameters).fit(*planted)
    frame = pd.DataFrame(planted[0][:, :4], columns=list("abac"))
    with pytest.raises(ValueError, match="names that differ, found 2 columns 'a'"):
        FeatureImportanceInEmbeddings().fit(frame, planted[1])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.full(60, 5), r"found 1 class \(5\)"),
        (np.array(list("abc" * 20)), r"found 3 classes \(a, b, c\).* fit\(X, y == 'a'\)"),
        (np.arange(60) % 3, r"found 3 classes .* fit\(X, y == 0\)"),
    ],
)
def test_labels_of_other_than_two_classes_are_refused(planted, labels, message):
    with pytest.raises(ValueError, match=message):
        FeatureImportanceInEmbeddings().fit(planted[0], labels)


def test_features_chosen_for_their_variance_are_warned_of():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(UserWarning, match='scaling="standard"'):
        FeatureImportanceInEmbeddings(4, reduction="pca").fit(X[:100], y[:100])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FeatureImportanceInEmbeddings(4, reduction="pca", scaling="standard").fit(X[:100], y[:100])


@pytest.mark.parametrize("unit", [1e-170, 1e170])
def test_standardised_features_have_their_scores_in_any_unit(planted, unit):
    X, y = planted
    selector = FeatureImportanceInEmbeddings(4, reduction="pca", scaling="standard")
    expected = selector.fit(X, y).scores_
    changed = np.where(np.arange(X.shape[1]) == expected.argmax(), X * unit, X)
    np.testing.assert_allclose(selector.fit(changed, y).scores_, expected, rtol=1e-9)


def test_a_large_run_is_announced_before_its_memory_is_taken(monkeypatch):
    class Begun(Exception):
        """The embedding has begun."""

    def begin(*args, **kwargs):
        raise Begun

    monkeypatch.setattr("consensus_embedding.features.importance_selector.choose_embedding", begin)
    X, y = np.random.default_rng(0).normal(size=(20_000, 2)), np.arange(20_000) % 2
    for reduction, memory in (("pca", 16), ("lle", 61)):
        with (
            pytest.warns(waiting.LongRunWarning, match=f"{memory} GB of memory"),
            pytest.raises(Begun),
        ):
            FeatureImportanceInEmbeddings(2, reduction=reduction).fit(X, y)


@pytest.mark.parametrize("unit", [1.0, 0.1, 0.3])
def test_labels_that_have_no_part_in_the_embedding_are_refused_in_any_unit(unit):
    """Each row is there once with each label: what is left is rounding."""
    X = np.repeat(np.random.default_rng(0).normal(size=(20, 6)), 2, axis=0) * unit
    with pytest.raises(ValueError, match="No component of the embedding varies with the labels"):
        FeatureImportanceInEmbeddings(2, n_components=3).fit(X, np.array([0, 1] * 20))
