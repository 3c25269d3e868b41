"""Graph embedding, with labels and without, and PCA: oracles, properties, the scikit-learn contract, bad input."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from affinities import affinity_matrix
from consensus_embedding import KernelEmbedding, NystroemGraphEmbedding
from consensus_embedding.consensus.subset_embeddings import embed_subsets
from consensus_embedding.manifold import graph_embedding as module
from consensus_embedding.manifold.graph_embedding import (
    SCALINGS,
    GraphEmbedding,
    graph_embedding,
    pca_embedding,
)
from consensus_embedding.manifold.graphs import KERNELS, SPARSE_KERNELS, semi_supervised_affinity
from consensus_embedding.manifold.out_of_sample import SemiSupervisedGraphEmbedding
from consensus_embedding.manifold.spectral import graph_eigenvectors
from scipy.spatial.distance import pdist
from scipy.stats import ortho_group
from sklearn.base import clone
from sklearn.datasets import make_swiss_roll
from sklearn.decomposition import PCA
from sklearn.manifold import SpectralEmbedding

pytestmark = pytest.mark.usefixtures("one_blas_thread")


@pytest.mark.parametrize("kernel", KERNELS)
def test_against_scikit_learn(X, kernel):
    W = affinity_matrix(X, kernel=kernel, radius=2.5, floor=1e-4, self_affinity=0)
    np.fill_diagonal(W, 0)  # that class ignores the diagonal
    expected = SpectralEmbedding(3, affinity="precomputed", eigen_tol=1e-12, random_state=0).fit_transform(W)
    found = graph_embedding(X, 3, kernel=kernel, radius=2.5, floor=1e-4, self_affinity=0, scaling="none")
    correlations = [abs(np.corrcoef(found[:, k], expected[:, k])[0, 1]) for k in range(3)]
    # A floor on the diagonal is all that remains between them.
    assert np.min(correlations) > 1 - 1e-5


def test_scalings_against_their_definitions(X):
    values, y = graph_eigenvectors(affinity_matrix(X), 3)
    rows = graph_embedding(X)
    assert rows == pytest.approx(y / np.linalg.norm(y, axis=1, keepdims=True), abs=1e-9)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(120))
    assert graph_embedding(X, scaling="none") == pytest.approx(y, abs=1e-9)
    assert graph_embedding(X, scaling="eigenvalue") == pytest.approx(y * values, abs=1e-9)
    assert graph_embedding(X, scaling="diffusion") == pytest.approx(y / np.sqrt(1 - values), abs=1e-9)


@pytest.mark.parametrize("n", [120, 600])
@pytest.mark.parametrize("kernel", ["knn", "gaussian"])
def test_rows_of_a_single_component_stay_as_they_are(n, kernel):
    X = np.random.default_rng(1).normal(size=(n, 4))
    found = graph_embedding(X, 1, kernel=kernel, scaling="rows")
    assert np.array_equal(found, graph_embedding(X, 1, kernel=kernel, scaling="none"))
    assert len(np.unique(found)) == n
    assert np.array_equal(GraphEmbedding(1, kernel=kernel).fit_transform(X), found)
    subset = np.arange(3)[None]
    assert len(np.unique(embed_subsets(X, subset, n_components=1, options={"kernel": kernel}))) == n


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scaling", SCALINGS)
def test_order_and_rotation_of_objects_and_features_do_not_matter(X, kernel, scaling):
    options = {"kernel": kernel, "radius": 2.5, "scaling": scaling}
    distances = pdist(graph_embedding(X, **options))
    order = np.random.default_rng(1).permutation(120)
    reordered = np.empty((120, 3))
    reordered[order] = graph_embedding(X[order], **options)
    assert pdist(reordered) == pytest.approx(distances, abs=1e-8)
    assert pdist(graph_embedding(X[:, [3, 1, 0, 2]], **options)) == pytest.approx(distances, abs=1e-8)
    turned = X @ ortho_group.rvs(4, random_state=2) - 3
    assert pdist(graph_embedding(turned, **options)) == pytest.approx(distances, abs=1e-8)


def test_far_groups_coincide_and_lie_far_apart_on_a_circle_when_rows_are_normalised(X):
    X[40:80] += 1000
    X[80:, 0] -= 3000
    found = graph_embedding(X, 2)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(120), abs=1e-12)
    assert found == pytest.approx(np.repeat(found[::40], 40, axis=0), abs=1e-5)
    # More than a quarter of the circle.
    assert (np.triu(found[::40] @ found[::40].T, k=1) < 0).sum() == 3


@pytest.mark.parametrize("kernel", KERNELS)
def test_outliers_do_not_hide_the_groups_if_objects_are_not_tied_to_themselves(X, kernel):
    X[[5, 25, 90]] = np.random.default_rng(3).normal(size=(3, 4)) * 60
    found = graph_embedding(X, kernel=kernel, radius=4.0, self_affinity=0)
    inside = np.setdiff1d(np.arange(120), [5, 25, 90])
    truth = inside >= 60
    centres = np.array([found[inside[truth == k]].mean(axis=0) for k in (False, True)])
    nearest = np.linalg.norm(found[inside][:, None] - centres, axis=2).argmin(axis=1)
    assert (nearest == truth).mean() > 0.9


def _awkward(X):
    return {
        "outlier": np.vstack([X[:1] * 1e8, X[1:]]),
        "pairs": np.repeat(X[::2], 2, axis=0),
        "tens": np.repeat(X[::10], 10, axis=0),
        "all equal": np.ones((120, 3)),
        "constant features": np.column_stack([X[:, :1], np.ones((120, 3))]),
        "four objects": X[:4],
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Eigenvalues .* are equal:RuntimeWarning")
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", _awkward(np.ones((120, 4))))
def test_awkward_tables_and_extreme_sigma_give_finite_embeddings(X, name, kernel):
    X = _awkward(X)[name]
    options = {"kernel": kernel, "radius": 2 * np.abs(X).max()}
    for sigma in (1e-6, 1e-2, 1.0, 1e6):
        for floor in (0.0, 1e-6):
            for scaling in SCALINGS:
                found = graph_embedding(X, 3, sigma=sigma, floor=floor, scaling=scaling, **options)
                assert found.shape == (len(X), 3)
                assert np.isfinite(found).all()


def test_objects_without_direction_stay_at_the_origin():
    # Three pieces beside a large one: two eigenvectors cannot tell all pieces from each other.
    X = np.random.default_rng(4).normal(size=(40, 2)) + 1e5 * np.repeat([0, 1, 2, 3], 10)[:, None]
    with pytest.warns(RuntimeWarning, match="are equal"):
        lengths = np.linalg.norm(graph_embedding(X, 2, n_neighbors=4, floor=0.0), axis=1)
    assert np.all((lengths == 0) | (np.abs(lengths - 1) < 1e-12))
    vectors = np.random.default_rng(4).normal(size=(6, 2)) * np.array([1, 1, 1e-17, 1, 0, 1e-5])[:, None]
    lengths = np.linalg.norm(module.scale_eigenvectors(np.ones(2), vectors, "rows"), axis=1)
    assert lengths == pytest.approx([1, 1, 0, 1, 0, 1], abs=1e-12)


@pytest.mark.parametrize("kernel", SPARSE_KERNELS)
def test_sparse_and_dense_way_agree(monkeypatch, kernel):
    roll, _ = make_swiss_roll(800, random_state=0)
    model = GraphEmbedding(n_neighbors=10, kernel=kernel, radius=5.0)
    sparse = clone(model).fit(roll)
    monkeypatch.setattr(module, "DENSE_SIZE", 1000)
    monkeypatch.setattr("consensus_embedding.manifold.spectral.DENSE_SIZE", 1000)
    dense = clone(model).fit(roll)
    assert sparse.eigenvalues_ == pytest.approx(dense.eigenvalues_, abs=1e-11)
    assert sparse.embedding_ == pytest.approx(dense.embedding_, abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", SPARSE_KERNELS)
def test_many_objects_need_no_dense_matrix(monkeypatch, kernel):
    def refuse(*args, **kwargs):
        raise AssertionError("dense")

    monkeypatch.setattr("consensus_embedding.manifold.graphs._MAX_DENSE", 1000)
    monkeypatch.setattr("consensus_embedding.manifold.spectral.dense_eigenpairs", refuse)
    X = np.random.default_rng(5).normal(size=(6000, 4))
    X[3000:, 1] += 8
    # Within a radius some stand alone: not tied to themselves, they hang on the others by the floor, on either side.
    found = GraphEmbedding(kernel=kernel, radius=1.0, self_affinity=float(kernel == "knn")).fit(X)
    assert found.embedding_.shape == (6000, 3)
    first = found.embedding_[:, 0] > 0
    apart = abs(first[:3000].mean() - first[3000:].mean())
    assert apart > (0.99 if kernel == "knn" else 0.98)


@pytest.mark.parametrize("weights", ["zhao", (2, 0.5)])
@pytest.mark.parametrize("kernel", ["gaussian", "knn"])
def test_label_weights_enter_as_the_formula_says(X, labels, kernel, weights):
    model = SemiSupervisedGraphEmbedding(2, kernel=kernel, scaling="none", label_weights=weights).fit(X, labels)
    gamma = affinity_matrix(X, kernel=kernel, floor=0)
    values, vectors = graph_eigenvectors(semi_supervised_affinity(gamma, labels, weights=weights) + 1e-6, 2)
    assert model.eigenvalues_ == pytest.approx(values, abs=1e-12)
    assert model.embedding_ == pytest.approx(vectors, abs=1e-9)
    default = SemiSupervisedGraphEmbedding(2, kernel=kernel, scaling="none").fit(X, labels)
    assert np.array_equal(model.embedding_, default.embedding_) == (weights == "zhao")


@pytest.mark.parametrize("n", [300, 800])
def test_labels_turn_the_first_component_to_what_they_tell_apart_the_further_the_stronger_they_are(n):
    # A sheet a little longer the one way: without labels that way comes first, with labels the other.
    rng = np.random.default_rng(6)
    X = rng.random((n, 2)) * [1.0, 1.3]
    labels = np.where(rng.random(n) < 0.9, X[:, 0] > 0.5, -1).astype(int)

    def follows(weights):
        model = SemiSupervisedGraphEmbedding(1, scaling="none", sigma=10.0, label_weights=weights)
        embedding = model.fit_transform(X, labels)[:, 0]
        return [abs(np.corrcoef(embedding, X[:, k])[0, 1]) for k in (0, 1)]

    (short, long), zhao, strong, stronger = map(follows, [(1, 1), "zhao", (2, 0.5), (4, 0.25)])
    assert long > 0.9 > 0.4 > short
    assert zhao[0] > 0.85 > 0.4 > zhao[1]
    if n == 300:
        assert 0.7 < strong[0] < stronger[0]


@pytest.mark.filterwarnings("error")
def test_pca_against_scikit_learn(X):
    expected = PCA(3).fit_transform(X)
    found = pca_embedding(X)
    assert np.abs(found) == pytest.approx(np.abs(expected), abs=1e-10)
    assert np.all(found[np.abs(found).argmax(axis=0), np.arange(3)] > 0)
    assert pca_embedding(np.ones((10, 4)), 2) == pytest.approx(np.zeros((10, 2)))
    for n_components in (5, 0, "two"):
        with pytest.raises(ValueError, match="between 1 and 4"):
            pca_embedding(X, n_components)


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_components", value) for value in (120, 0, 1.5)]
    + [("sigma", value) for value in (0, np.inf, "auto")]
    + [("n_neighbors", value) for value in (0, 2.5)]
    + [("radius", value) for value in (0, np.inf, "far")]
    + [("self_affinity", 2), ("kernel", "cosine"), ("metric", "cosine"), ("scaling", "columns")],
)
def test_bad_parameters_are_named(X, name, value):
    """Those of the estimator; `test_every_parameter_is_checked_and_named` gives each of them four wrong values more."""
    with pytest.raises(ValueError, match=f"{name}.* found '?{value}"):
        graph_embedding(X, **{name: value})


def test_embeddings_in_threads_leave_warnings_as_they_were():
    """Filters of warnings belong to the process, whichever thread ends last."""
    X = np.random.default_rng(0).normal(size=(40, 6))
    equal = np.ones((40, 2))
    with warnings.catch_warnings(), ThreadPoolExecutor(4) as pool:
        warnings.simplefilter("ignore", UserWarning)
        before = list(warnings.filters)
        for _ in range(10):
            # Not `fit`: scikit-learn's check of an array changes filters, too, and in threads leaves them changed.
            list(pool.map(lambda k: GraphEmbedding(2)._embed(equal if k % 2 else X), range(16)))
            assert warnings.filters == before


def test_a_changed_result_changes_no_place_of_a_new_sample():
    X, new = (np.random.default_rng(seed).normal(size=(20, 3)) for seed in (0, 1))
    for model in (
        NystroemGraphEmbedding(2, scaling="none"),
        KernelEmbedding(2, reduction="le"),
        KernelEmbedding(2, reduction="lle"),
    ):
        embedding = model.fit_transform(X)
        before = model.transform(new)
        embedding *= 100
        np.testing.assert_array_equal(model.transform(new), before)
