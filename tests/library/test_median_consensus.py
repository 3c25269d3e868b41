"""Median consensus: against the direct iteration, an optimiser, and hand-made cases; its invariances; bad input."""

import numpy as np
import pandas as pd
import pytest
from consensus_embedding import (
    MedianConsensusEmbedding,
    check_embedding,
    geometric_median,
    median_consensus,
)
from consensus_embedding.consensus.geometric_median import subset_medians
from consensus_embedding.manifold.distance_matrices import (
    combination_distances,
    combined_distances,
    distance_block,
    distance_gram,
    normalize_embeddings,
    validate_embeddings,
)
from consensus_embedding.manifold.tsne import ExactTSNE
from refusals import refusals
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits


@pytest.fixture
def embeddings():
    """Seven noisy copies of one picture of 40 points, and two outliers, each turned and shifted."""
    rng = np.random.default_rng(0)
    base = rng.normal(size=(40, 2)) * [5, 2]
    noisy = [base + rng.normal(scale=0.4, size=base.shape) for _ in range(7)]
    return [_turn(y, rng) for y in [*noisy, rng.normal(size=(40, 2)) * 6, rng.normal(size=(40, 2)) * 9]]


def _turn(embedding, rng):
    rotation, _ = np.linalg.qr(rng.normal(size=(embedding.shape[1],) * 2))
    return embedding @ rotation + rng.normal(size=embedding.shape[1]) * 10


def _direct(embeddings, tolerance=1e-10):
    """Algorithm 1 of the paper, written out on stored full distance matrices."""
    X = np.array([squareform(pdist(y)) for y in embeddings])
    x = X.mean(axis=0)
    for _ in range(10000):
        w = 1.0 / (np.linalg.norm(X - x, axis=(1, 2)) + 1e-15)
        moved = np.tensordot(w / w.sum(), X, axes=1)
        if np.linalg.norm(moved - x) < tolerance:
            return moved
        x = moved
    raise AssertionError("the direct iteration did not converge")


def test_same_median_as_the_direct_iteration(embeddings):
    found = median_consensus(embeddings, tolerance=1e-10, max_iter=10000)
    expected = _direct(embeddings)
    assert np.linalg.norm(found.distance_matrix - expected) <= 1e-8 * np.linalg.norm(expected)
    distances = [np.linalg.norm(squareform(pdist(y)) - expected) for y in embeddings]
    assert found.median.distances == pytest.approx(distances, rel=1e-6)
    assert found.median.converged


def test_the_median_resists_outliers_where_the_mean_does_not(embeddings):
    X = np.array([squareform(pdist(y)) for y in embeddings])
    good = X[:7].mean(axis=0)
    median = median_consensus(embeddings).distance_matrix
    assert np.linalg.norm(median - good) < 0.5 * np.linalg.norm(X.mean(axis=0) - good)


@pytest.mark.parametrize("seed", range(5))
def test_geometric_median_minimises_the_sum_of_distances(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(6, 3)) * rng.uniform(0.1, 4, size=(6, 1))

    def cost(x):
        return np.linalg.norm(points - x, axis=1).sum()

    best = minimize(cost, points.mean(axis=0), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    found = geometric_median(points @ points.T, tolerance=1e-12, max_iter=100000)
    assert found.weights.sum() == pytest.approx(1.0)
    assert found.weights.min() >= 0
    assert cost(found.weights @ points) == pytest.approx(best.fun, rel=1e-7)


@pytest.mark.parametrize("size", [1, 2, 7])
def test_medians_of_subsets_are_those_of_each_subset(size):
    rng = np.random.default_rng(size)
    points = rng.normal(size=(9, 4))
    # Two points that coincide are a median that the iteration hits.
    points[3] = points[5]
    gram = points @ points.T
    subsets = np.array([np.sort(rng.choice(9, size, replace=False)) for _ in range(30)])
    found = subset_medians(gram, subsets)
    for weights, subset in zip(found, subsets, strict=True):
        alone = geometric_median(gram[np.ix_(subset, subset)]).weights
        np.testing.assert_allclose(weights[subset], alone, rtol=0, atol=1e-12)
        assert not np.delete(weights, subset).any()


def test_an_iterate_on_an_input_that_is_not_the_median_moves_on():
    # The mean, where the iteration starts, is the first point; the plain iteration would stay there for ever.
    points = np.array([[0.0, 0], [3, 0], [-1, 1], [-1, -1], [-1, 0]])
    found = geometric_median(points @ points.T, tolerance=1e-12, max_iter=100000)
    best = minimize(
        lambda x: np.linalg.norm(points - x, axis=1).sum(), [-0.5, 0.1], method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-13},
    )  # fmt: skip
    assert np.linalg.norm(points - found.weights @ points, axis=1).sum() == pytest.approx(best.fun, rel=1e-8)
    assert found.weights @ points != pytest.approx(points[0], abs=1e-3)


def test_an_input_that_is_the_median_is_found_exactly():
    points = np.array([[0.0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
    found = geometric_median(points @ points.T)
    assert found.converged
    assert np.array_equal(found.weights, [1.0, 0, 0, 0, 0])


def test_a_majority_of_equal_embeddings_is_the_median(embeddings):
    rng = np.random.default_rng(3)
    same = [_turn(embeddings[0], rng) for _ in range(4)]
    for inputs in ([*same, *embeddings[1:4]], [y.astype(np.float32) for y in [*same, *embeddings[1:4]]]):
        found = median_consensus(inputs, max_iter=5000)
        expected = pdist(embeddings[0])
        assert np.linalg.norm(found.distances - expected) <= 1e-5 * np.linalg.norm(expected)


def test_one_embedding_or_copies_of_it_are_their_own_consensus_and_two_give_the_mean(embeddings):
    for n in (1, 4):
        found = median_consensus([embeddings[0]] * n)
        assert found.distances == pytest.approx(pdist(embeddings[0]))
        assert pdist(found.embedding) == pytest.approx(pdist(embeddings[0]))
        assert found.median.distances == pytest.approx(np.zeros(n), abs=1e-6)
    two = median_consensus(embeddings[:2])
    assert two.distances == pytest.approx((pdist(embeddings[0]) + pdist(embeddings[1])) / 2)


def test_embeddings_may_differ_in_dimension(embeddings):
    flat = [np.column_stack([y, np.zeros(40)]) for y in embeddings[:2]] + embeddings[2:]
    assert median_consensus(flat).distances == pytest.approx(median_consensus(embeddings).distances, rel=1e-9)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_gram_matrix_against_its_definition(dimensions):
    rng = np.random.default_rng(2)
    stack = rng.normal(size=(5, 120, dimensions))
    X = np.array([squareform(pdist(y)) for y in stack])
    centred = (X - X.mean(axis=0)).reshape(5, -1)
    assert distance_gram(stack) == pytest.approx(centred @ centred.T, rel=1e-10, abs=1e-8)


def test_gram_matrix_is_the_same_to_the_last_bit_on_any_number_of_threads():
    stack = np.random.default_rng(2).normal(size=(30, 400, 2)).astype(np.float32)
    one, three = distance_gram(stack, n_jobs=1), distance_gram(stack, n_jobs=3)
    assert np.array_equal(one, three)
    assert np.array_equal(one, one.T)


@pytest.mark.parametrize("mds", ["smacof", "classical"])
def test_a_consensus_is_the_same_to_the_last_bit_on_any_number_of_threads_of_blas(mds):
    stack, found = np.random.default_rng(0).normal(size=(4, 700, 2)), []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(median_consensus(stack, mds=mds).embedding)
    assert np.array_equal(*found)


def test_pair_order_is_that_of_scipy():
    stack = np.random.default_rng(4).normal(size=(3, 50, 2))
    weights = np.array([0.2, 0.0, 0.8])
    expected = 0.2 * pdist(stack[0]) + 0.8 * pdist(stack[2])
    assert combined_distances(stack, weights, n_jobs=2) == pytest.approx(expected)
    assert distance_block(stack, 100, 777)[1] == pytest.approx(pdist(stack[1])[100:777])


def test_combination_distances_against_explicit_ones(embeddings):
    X = np.array([squareform(pdist(y)) for y in embeddings])
    weights = np.random.default_rng(5).dirichlet(np.ones(9), size=4)
    explicit = np.array([[np.linalg.norm(np.tensordot(a - b, X, 1)) for b in weights] for a in weights])
    assert combination_distances(distance_gram(validate_embeddings(embeddings)), weights) == pytest.approx(
        explicit, rel=1e-8, abs=1e-8
    )


Y = np.random.default_rng(0).normal(size=(40, 2))
HOLED = np.where(np.arange(80).reshape(40, 2) == 3, np.nan, Y)


test_unusable_embeddings_get_one_clear_error = refusals(
    (lambda: median_consensus([]), "found none"),
    (lambda: median_consensus({"a": Y, "b": Y}), r"found dict; pass list\(embeddings\.values\(\)\)"),
    (lambda: median_consensus(pd.DataFrame(Y)), "needs a list of embeddings, found DataFrame"),
    (lambda: check_embedding(embeddings=pd.DataFrame(Y)), "needs a list of embeddings, found DataFrame"),
    (lambda: median_consensus([Y, Y[:-1]]), "Embedding 0 has 40, Embedding 1 has 39"),
    (lambda: median_consensus([Y, HOLED]), "Embedding 1 contains NaN"),
    (lambda: median_consensus([Y[:1]]), "at least 2 points, found 1"),
    (lambda: median_consensus([Y], mds="umap"), "mds .*, found 'umap'"),
    (lambda: median_consensus([Y], n_components=0), r"n_components .* of at least 1, found 0"),
    (lambda: normalize_embeddings([Y], "max"), "normalize .* found 'max'"),
    (lambda: geometric_median(np.zeros((0, 0))), "Gram matrix"),
)


def test_unit_norm_makes_embeddings_of_any_scale_count_alike(embeddings):
    rescaled = [y * scale + 3 for y, scale in zip(embeddings, np.geomspace(0.01, 100, 9), strict=True)]
    expected = median_consensus([(y - y.mean(axis=0)) / np.linalg.norm(y - y.mean(axis=0)) for y in embeddings])
    found = median_consensus(rescaled, normalize="unit_norm")
    assert found.distances == pytest.approx(expected.distances, rel=1e-6)
    plain = median_consensus(rescaled)
    assert plain.distances.max() > 10 * found.distances.max()
    model = MedianConsensusEmbedding(PCA(2), n_embeddings=2, normalize="unit_norm").fit(load_iris().data)
    # Two equal runs: the consensus is the run, at norm 1.
    assert np.linalg.norm(model.embedding_) == pytest.approx(1, rel=1e-6)
    assert np.linalg.norm(model.embeddings_[0]) > 10


@pytest.mark.parametrize("unit", [1e-310, 1e-170, 1e160, 1e300])
def test_unit_norm_of_a_very_small_or_large_embedding(unit):
    """Each by itself, and no warning for embeddings in single precision, whose squares always are numbers."""
    y = np.random.default_rng(0).normal(size=(20, 2)) + 3
    expected = normalize_embeddings([y, y], "unit_norm")
    np.testing.assert_allclose(normalize_embeddings([y, y * unit], "unit_norm"), expected, rtol=1e-10, atol=1e-14)
    for single in (1e-30, 1e37):
        with np.errstate(all="raise"):
            scaled = normalize_embeddings([np.float32(y * single)], "unit_norm")
        assert scaled.dtype == np.float32
        np.testing.assert_allclose(scaled, expected[:1], rtol=1e-4)


def test_unit_norm_of_integers_of_a_list_and_without_spread():
    whole = [np.array([[0, 0], [300, 400]]), np.array([[10, 10], [50, 90]]), np.ones((2, 2), int)]
    scaled = normalize_embeddings(whole, "unit_norm")
    np.testing.assert_allclose(np.linalg.norm(scaled, axis=(1, 2)), [1, 1, 0])
    np.testing.assert_allclose(scaled[0], np.array([[-3, -4], [3, 4]]) / np.sqrt(50))
    assert np.array_equal(normalize_embeddings(whole, "none"), whole)


def test_estimator_combines_its_runs():
    X = load_iris().data
    base = ExactTSNE(perplexity=10, max_iter=260)
    model = MedianConsensusEmbedding(base, n_embeddings=4, random_state=0).fit(X)
    again = MedianConsensusEmbedding(base, n_embeddings=4, random_state=0, n_jobs=2).fit_transform(X)
    assert np.array_equal(model.embedding_, again)
    assert model.embeddings_.shape == (4, 150, 2)
    assert model.weights_.sum() == pytest.approx(1.0)
    assert model.distances_ == pytest.approx(median_consensus(list(model.embeddings_)).distances)


def test_the_estimator_warns_when_it_did_not_converge():
    base = ExactTSNE(perplexity=10, max_iter=250)
    model = MedianConsensusEmbedding(base, n_embeddings=4, tolerance=1e-300, max_iter=2, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter = 2 steps"):
        model.fit(load_iris().data)
    assert model.n_iter_ == 2
    with pytest.warns(ConvergenceWarning, match="max_iter = 1 steps"):
        median_consensus(model.embeddings_, max_iter=1)


@pytest.mark.parametrize("offset", [1e5, 1e6, 1e7])
def test_the_geometric_median_does_not_depend_on_the_origin(offset):
    P = np.random.default_rng(1).normal(size=(7, 2))
    expected = geometric_median(P @ P.T).weights @ P
    far = P + offset
    found = geometric_median(far @ far.T)
    assert found.converged
    np.testing.assert_allclose(found.weights @ P, expected, atol=20 * np.finfo(float).eps * offset**2)


def test_equal_points_are_centred_only():
    for n in (3, 7):
        assert not normalize_embeddings([np.full((n, 2), 0.1)], "unit_norm").any()
