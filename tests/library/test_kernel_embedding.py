"""Kernel embeddings against scikit-learn's PCA, Isomap, LLE and spectral embedding, and against the equations."""

import tracemalloc

import numpy as np
import pytest
from consensus_embedding import KernelEmbedding
from consensus_embedding.features.feature_importance import fine_scores
from consensus_embedding.manifold.sample_kernels import REDUCTIONS, Samples, reconstruction_weights
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.datasets import make_swiss_roll
from sklearn.decomposition import PCA, KernelPCA
from sklearn.manifold import Isomap, LocallyLinearEmbedding, spectral_embedding
from sklearn.neighbors import kneighbors_graph
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module")
def roll():
    return make_swiss_roll(120, noise=0.3, random_state=4)[0]


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(3)
    return rng.normal(size=(40, 3)) @ rng.normal(size=(3, 300)) + 0.3 * rng.normal(size=(40, 300)) + 5.0


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_a_fitted_embedding_does_not_change_with_the_table_it_was_fitted_to(roll, reduction):
    X = roll.copy()
    model = KernelEmbedding(2, reduction=reduction).fit(X)
    before = model.transform(roll[:20] + 0.1)
    X *= 5
    np.testing.assert_array_equal(model.transform(roll[:20] + 0.1), before)


def same_up_to_sign(found, expected, tolerance=1e-8):
    signs = np.sign((found * expected).sum(axis=0))
    return found * signs == pytest.approx(expected, abs=tolerance * np.abs(expected).max())


def same_up_to_sign_and_scale(found, expected, tolerance=1e-7):
    return same_up_to_sign(*(table / np.linalg.norm(table, axis=0) for table in (found, expected)), tolerance)


def union_graph(X, k):
    near = kneighbors_graph(X, k).toarray() > 0
    return near | near.T


def heat_affinity(X, k, alpha):
    distances, edges = squareform(pdist(X)), union_graph(X, k)
    sigma = alpha * np.median(distances[np.triu(edges)])
    return np.where(edges, np.exp(-np.square(distances) / (2 * sigma**2)), 0.0)


@pytest.mark.parametrize("which", ["wide", "roll"])
def test_pca(which, request):
    X = request.getfixturevalue(which)
    found = KernelEmbedding(3).fit(X)
    expected = PCA(3, svd_solver="full").fit(X)
    assert same_up_to_sign(found.embedding_, expected.transform(X), 1e-12)
    assert same_up_to_sign(found.embedding_, KernelPCA(3, kernel="linear").fit_transform(X), 1e-10)
    assert found.eigenvalues_ == pytest.approx(expected.explained_variance_ * (len(X) - 1), rel=1e-12)
    assert found.distances_ == pytest.approx(squareform(pdist(X)))
    assert found.rank_ == min(X.shape[1], len(X) - 1)
    new = X[::3] + 0.1
    assert same_up_to_sign(found.transform(new), expected.transform(new), 1e-10)


def test_pca_keeps_components_of_little_variance():
    """The eigenvalues of X X' alone would lose a standard deviation of 1e-9 beside one of 1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) * [1.0, 1e-4, 1e-9]
    found = KernelEmbedding(3).fit(X)
    assert found.rank_ == 3
    assert same_up_to_sign_and_scale(found.embedding_, PCA(3, svd_solver="full").fit_transform(X), 1e-5)


@pytest.mark.parametrize("k", [6, 11])
def test_isomap(roll, k):
    found = KernelEmbedding(3, reduction="isomap", n_neighbors=k).fit(roll)
    expected = Isomap(n_neighbors=k, n_components=3, eigen_solver="dense").fit(roll)
    assert found.distances_ == pytest.approx(expected.dist_matrix_, rel=1e-12)
    assert same_up_to_sign(found.embedding_, expected.embedding_, 1e-10)
    new = roll[::5] + 0.2
    signs = np.sign((found.embedding_ * expected.embedding_).sum(axis=0))
    assert found.transform(new) * signs == pytest.approx(expected.transform(new), abs=1e-9)


def test_the_plain_isomap_kernel(roll):
    found = KernelEmbedding(2, reduction="isomap", n_neighbors=8, isomap_kernel="plain").fit(roll)
    n = len(roll)
    centring = np.eye(n) - 1.0 / n
    expected = -0.5 * centring @ found.distances_ @ centring
    assert found.kernel_ == pytest.approx(expected, abs=1e-10)
    assert found.eigenvalues_ == pytest.approx(np.linalg.eigvalsh(expected)[:-3:-1])
    assert found.transform(roll) == pytest.approx(found.embedding_, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "alpha"), [(8, 1.0), (12, 10.0), (20, 0.5)])
def test_laplacian_eigenmaps(roll, k, alpha):
    found = KernelEmbedding(4, reduction="le", n_neighbors=k, alpha=alpha).fit(roll)
    affinity = heat_affinity(roll, k, alpha)
    expected = spectral_embedding(
        affinity, n_components=4, eigen_solver="arpack", norm_laplacian=False, drop_first=True, random_state=0
    )
    assert same_up_to_sign_and_scale(found.embedding_, expected, 1e-6)
    laplacian = np.diag(affinity.sum(axis=0)) - affinity
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    assert found.kernel_ == pytest.approx(inverse, abs=1e-8 * np.abs(inverse).max())
    assert found.eigenvalues_ == pytest.approx(1.0 / np.linalg.eigvalsh(laplacian)[1:5], rel=1e-8)
    lengths = np.where(affinity > 0, squareform(pdist(roll)), 0.0)
    assert found.distances_ == pytest.approx(shortest_path(lengths, directed=False), rel=1e-12)


@pytest.mark.parametrize(("k", "regularization"), [(8, 1e-3), (12, 1e-2)])
def test_locally_linear_embedding(roll, k, regularization):
    found = KernelEmbedding(3, reduction="lle", n_neighbors=k, regularization=regularization).fit(roll)
    expected = LocallyLinearEmbedding(n_neighbors=k, n_components=3, reg=regularization, eigen_solver="dense").fit(roll)
    assert same_up_to_sign_and_scale(found.embedding_, expected.embedding_, 1e-6)
    new = roll[::5] + 0.2
    scale = found.embedding_[0] / expected.embedding_[0]
    assert found.transform(new) == pytest.approx(expected.transform(new) * scale, abs=1e-6)


def lle_costs(X, k, regularization):
    """Eigenvalues of M = (I - W)'(I - W), weights one sample at a time."""
    n = len(X)
    weights = np.zeros((n, n))
    for i, near in enumerate(kneighbors_graph(X, k).toarray() > 0):
        offsets = X[near] - X[i]
        gram = offsets @ offsets.T
        w = np.linalg.solve(gram + regularization * np.trace(gram) * np.eye(k), np.ones(k))
        weights[i, near] = w / w.sum()
    return np.linalg.eigvalsh((np.eye(n) - weights).T @ (np.eye(n) - weights))


def test_the_kernel_of_lle_is_the_largest_cost_less_the_costs(roll):
    found = KernelEmbedding(5, reduction="lle", n_neighbors=9).fit(roll)
    costs = lle_costs(roll, 9, 1e-3)
    assert found.eigenvalues_ == pytest.approx(costs[-1] - costs[1:6], rel=1e-9)
    assert found.rank_ == len(roll) - 2
    assert np.linalg.eigvalsh(found.kernel_)[:2] == pytest.approx([0, 0], abs=1e-10)


def test_equal_eigenvalues_of_lle_give_the_same_vectors_in_any_order_of_samples():
    # Samples far out in directions of their own are nobody's neighbours and share the same three: M has 1 as an
    # eigenvalue many times over, and its eigenvectors are whatever rounding makes of them.
    rng = np.random.default_rng(0)
    X = np.zeros((35, 18))
    X[:20, :3] = rng.normal(size=(20, 3))
    X[20:, 3:] = np.diag(rng.uniform(8, 12, 15))
    order = rng.permutation(35)
    here, there = (KernelEmbedding(30, reduction="lle", n_neighbors=5).fit(table) for table in (X, X[order]))
    gaps = -np.diff(here.eigenvalues_)
    assert (gaps < 1e-13 * here.eigenvalues_[0]).sum() >= 9
    assert there.eigenvalues_ == pytest.approx(here.eigenvalues_, rel=1e-10)
    assert np.abs(there.eigenvectors_) == pytest.approx(np.abs(here.eigenvectors_[order]), abs=1e-5)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_what_all_reductions_share(roll, reduction):
    model = KernelEmbedding(3, reduction=reduction)
    T = model.fit_transform(roll)
    assert T is model.embedding_
    assert pytest.approx(model.eigenvectors_ * np.sqrt(model.eigenvalues_)) == T
    assert model.kernel_ @ model.eigenvectors_ == pytest.approx(model.eigenvectors_ * model.eigenvalues_)
    assert T.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-9 * np.abs(T).max())
    gram = T.T @ T
    assert gram == pytest.approx(np.diag(model.eigenvalues_), abs=1e-8 * model.eigenvalues_[0])
    assert (np.diff(model.eigenvalues_) <= 0).all()
    leading = np.abs(model.eigenvectors_).argmax(axis=0)
    assert (model.eigenvectors_[leading, range(3)] > 0).all()
    assert np.array_equal(model.distances_, model.distances_.T)
    again = clone(model)
    with threadpool_limits(1):
        assert np.array_equal(again.fit_transform(roll), T)
    assert np.array_equal(again.transform(roll[:7]), model.transform(roll[:7]))
    shuffled = np.random.default_rng(0).permutation(len(roll))
    assert same_up_to_sign(KernelEmbedding(3, reduction=reduction).fit_transform(roll[shuffled]), T[shuffled], 1e-6)
    assert same_up_to_sign_and_scale(KernelEmbedding(3, reduction=reduction).fit_transform(1e3 * roll - 7), T, 1e-6)


@pytest.mark.parametrize("reduction", ["isomap", "le", "lle"])
def test_many_new_samples_are_placed_as_a_few_and_need_no_table_of_all(reduction):
    rng = np.random.default_rng(0)
    model = KernelEmbedding(2, reduction=reduction, n_neighbors=20).fit(rng.normal(size=(150, 5)))
    new = rng.normal(size=(10_000, 5))
    few = model.transform(new[-9:])
    tracemalloc.start()
    assert model.transform(new)[-9:] == pytest.approx(few, abs=1e-12)
    # All distances at once are 12 MB.
    assert tracemalloc.get_traced_memory()[1] < 8e6
    tracemalloc.stop()
    new[700] = 1e200
    with pytest.raises(ValueError, match="index 700,"):
        model.transform(new)


def test_transform_of_eigenmaps_is_the_weighted_mean_of_the_nearest(roll):
    model = KernelEmbedding(2, reduction="le", n_neighbors=3, alpha=2.0).fit(roll)
    new = roll[10] + [0.3, -0.2, 0.1]
    lengths = np.linalg.norm(roll - new, axis=1)
    near = np.argsort(lengths)[:3]
    edges = union_graph(roll, 3)
    sigma = 2.0 * np.median(squareform(pdist(roll))[np.triu(edges)])
    expected = np.average(model.embedding_[near], axis=0, weights=np.exp(-np.square(lengths[near]) / (2 * sigma**2)))
    assert model.transform(new[None])[0] == pytest.approx(expected)
    # Far from all training samples the weights alone would all be 0.
    far = model.transform(roll[:1] + 1e4)
    assert np.isfinite(far).all()
    assert (np.abs(far) <= np.abs(model.embedding_).max()).all()


def test_copies_of_samples_are_exactly_at_distance_zero():
    """As in a bootstrap with replacement; so also with many features of any size."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 500)) + 1e6
    X = X[np.r_[0:30, 0:15]]
    for reduction in ("isomap", "le", "lle"):
        model = KernelEmbedding(3, reduction=reduction, n_neighbors=8).fit(X)
        assert (np.diag(model.distances_[30:, :15]) == 0).all()
        if reduction == "isomap":
            assert model.embedding_[30:] == pytest.approx(model.embedding_[:15], rel=1e-9)
    assert reconstruction_weights(np.zeros((1, 4)), np.zeros((1, 4, 4)), 1e-3) == pytest.approx(np.full((1, 4), 0.25))


def test_weights_of_neighbours_from_distances_are_those_from_coordinates():
    rng = np.random.default_rng(1)
    points, centre = rng.normal(size=(5, 7)), rng.normal(size=7)
    gram = (points - centre) @ (points - centre).T
    expected = np.linalg.solve(gram + 0.01 * np.trace(gram) * np.eye(5), np.ones(5))
    squared = np.square(points - centre).sum(axis=1)[None]
    found = reconstruction_weights(squared, squareform(pdist(points, "sqeuclidean"))[None], 0.01)[0]
    assert found == pytest.approx(expected / expected.sum())


def test_smallest_number_of_neighbours_that_connects():
    rng = np.random.default_rng(5)
    for _ in range(8):
        X = rng.normal(size=(14, 2)) + 4.0 * rng.integers(0, 3, (14, 1))
        samples = Samples(X)
        pieces = [
            np.isinf(shortest_path(np.where(union_graph(X, k), 1.0, 0.0), directed=False)).any() for k in range(1, 14)
        ]
        assert samples.smallest_connecting == 1 + pieces.index(False)
        assert not any(pieces[samples.smallest_connecting - 1 :])


def test_of_neighbours_at_the_same_distance_the_earlier_one_is_nearer():
    X = np.array([[0.0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
    assert Samples(X).neighbors[0].tolist() == [1, 2, 3, 4]
    assert Samples(X[::-1].copy()).neighbors[4].tolist() == [0, 1, 2, 3]
    assert Samples(X[[0, 0, 0, 1]]).neighbors[:, 0].tolist() == [1, 0, 0, 0]


def test_a_graph_in_pieces(roll):
    X = np.concatenate([roll[:40], roll[40:80] + 1e4, roll[80:] - 1e4])
    for reduction in ("isomap", "le", "lle"):
        with pytest.raises(ValueError, match=r"= 10 .* 120 .* 3 unconnected pieces; .* is 40"):
            KernelEmbedding(reduction=reduction).fit(X)
        assert KernelEmbedding(reduction=reduction, n_neighbors=40, alpha=1e3).fit(X).embedding_.shape == (120, 2)
    KernelEmbedding().fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 4}, "4 is above the rank of the kernel, 3, of 120"),
        ({"reduction": "isomap", "n_neighbors": 120}, "n_neighbors must be less than .* 120"),
        ({"reduction": "le", "alpha": 1e-3}, r"alpha = 0\.001 .* raise alpha"),
    ],
)
def test_refusals(roll, parameters, message):
    with pytest.raises(ValueError, match=message):
        KernelEmbedding(**parameters).fit(roll)
    with pytest.raises(ValueError, match="overflow"):
        KernelEmbedding().fit(roll * 1e200)


@pytest.mark.parametrize("reduction", ["pca", "isomap", "le", "lle"])
def test_the_power_of_the_eigenvalues_scales_columns_and_no_score(reduction):
    """T = K Z; b_i and the loadings of column i scale against it (CH-29). Training samples get their place back."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 6)) * np.arange(1, 7)
    y = np.where(X[:, 0] + X[:, 5] > 0, 1, -1)
    usual, product = (
        KernelEmbedding(3, reduction=reduction, n_neighbors=8, eigenvalue_power=power).fit(X) for power in (0.5, 1)
    )
    np.testing.assert_allclose(product.embedding_, product.kernel_ @ product.eigenvectors_, rtol=1e-6, atol=1e-8)
    scores = [fine_scores(one.embedding_, X, y) for one in (usual, product)]
    np.testing.assert_allclose(*scores, rtol=1e-8)
    if reduction in ("pca", "isomap"):
        np.testing.assert_allclose(product.transform(X), product.embedding_, rtol=1e-6, atol=1e-8)
