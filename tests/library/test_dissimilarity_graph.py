"""Graphs of dissimilarities: formulas, the same graphs as from features, rows of further objects, bad input."""

import numpy as np
import pytest
from affinities import affinity_matrix
from consensus_embedding.manifold.dissimilarity_graph import (
    check_dissimilarities,
    median_scale,
)
from consensus_embedding.manifold.graphs import KERNELS, dissimilarity_affinity, kernel_graph
from scipy.sparse import issparse
from scipy.spatial.distance import cdist, pdist, squareform


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(90, 3)) * [1, 2, 0.5]


@pytest.fixture
def A(X):
    return squareform(pdist(X))


def test_usable_dissimilarities_stay_as_they_are_but_for_rounding_errors(A):
    assert check_dissimilarities(A) is A
    assert check_dissimilarities([[0, 1], [1, 0]]).dtype == np.float64
    rough = A * (1 + 1e-13 * np.random.default_rng(1).normal(size=A.shape)) + 1e-12
    found = check_dissimilarities(rough)
    assert np.array_equal(found, found.T)
    assert not np.diagonal(found).any()
    assert found == pytest.approx(A, abs=1e-11)


def with_entry(i, j, value):
    def change(A):
        A[i, j] = value
        return A

    return change


@pytest.mark.parametrize("use", [check_dissimilarities, dissimilarity_affinity])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda A: A[:, 1:], r"found shape \(90, 89\)"),
        (with_entry(3, 7, np.nan), "nan between objects 3 and 7"),
        (with_entry(3, 7, -0.5), r"-0\.5 between objects 3 and 7"),
        (with_entry(4, 4, 2.5), r"2\.5 for object 4"),
        (with_entry(3, 7, 9.25), r"9\.25 from object 3 to 7 and [\d.]+ from 7 to 3"),
    ],
)
def test_what_cannot_be_dissimilarities_is_refused(A, use, change, message):
    with pytest.raises(ValueError, match=message):
        use(change(A))


@pytest.mark.parametrize("sigma", [0.3, 1.0, 2.0])
def test_affinities_of_all_pairs_against_the_formula(X, A, sigma):
    found, scale = dissimilarity_affinity(A, sigma=sigma)
    assert scale == pytest.approx(sigma * np.median(pdist(X)))
    assert found == pytest.approx(np.exp(-A / scale), rel=1e-14)
    assert np.array_equal(found, found.T)
    assert np.all(np.diagonal(found) == 1)
    assert found == pytest.approx(affinity_matrix(X, kernel="exponential", sigma=sigma, floor=0), rel=1e-13)


@pytest.mark.parametrize("radius", [0.5, 2.0, 100.0])
def test_affinities_within_a_radius_against_the_formula(X, A, radius):
    inside = radius > A
    scale = 0.7 * np.median(A[np.triu(inside, k=1)])
    found, found_scale = dissimilarity_affinity(A, sigma=0.7, radius=radius)
    assert issparse(found)
    assert found.nnz == inside.sum()
    assert found_scale == pytest.approx(scale)
    assert found.toarray() == pytest.approx(np.where(inside, np.exp(-A / scale), 0.0), rel=1e-14)
    assert np.array_equal(found.toarray(), found.toarray().T)
    assert found.toarray() == pytest.approx(
        affinity_matrix(X, kernel="radius", radius=radius, sigma=0.7, floor=0), rel=1e-13
    )
    printed, printed_scale = dissimilarity_affinity(A, sigma=0.7, radius=radius, outside="one")
    assert printed_scale == found_scale
    assert printed == pytest.approx(np.where(inside, np.exp(-A / scale), 1.0), rel=1e-14)


def test_a_pair_at_the_radius_is_outside():
    A = np.array([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]])
    assert dissimilarity_affinity(A, radius=2.0)[0].nnz == 3 + 2
    assert dissimilarity_affinity(A, radius=np.nextafter(2.0, 3))[0].nnz == 3 + 4


def test_coinciding_objects_do_not_make_the_scale_zero():
    A = np.zeros((6, 6))
    A[5, :5] = A[:5, 5] = 4.0
    gamma, scale = dissimilarity_affinity(A)
    assert scale == 4
    assert gamma[0, 5] == pytest.approx(np.exp(-1))
    assert median_scale(np.zeros(3), 0.5) == 0.5
    assert 0 < median_scale(np.full(3, 1e-300), 1e-300) < median_scale(np.full(3, 1e300), 1e300) < np.inf


@pytest.mark.parametrize(
    ("options", "message"),
    [({"sigma": value}, f"sigma .* found {value}") for value in (0.0, np.nan)]
    + [({"radius": value}, f"radius .* found {value}") for value in (0, -3.0, np.inf)]
    + [
        ({"radius": 1e-3}, r"90 objects .* 0\.001, .* is 0\.1"),
        ({"outside": "none"}, "outside .*'none'"),
    ],
)
def test_bad_parameters_are_named(A, options, message):
    with pytest.raises(ValueError, match=message):
        dissimilarity_affinity(A, **{"radius": 1.0, **options})
    with pytest.raises(ValueError, match="at least 3 objects, found 2"):
        dissimilarity_affinity(A[:2, :2])


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("copies", [1, 3])
def test_distances_make_the_graph_that_features_make(X, kernel, copies):
    X = np.repeat(X, copies, axis=0)
    options = {"kernel": kernel, "n_neighbors": 6, "radius": 1.5, "sigma": 0.6, "self_affinity": 0.5}
    features = affinity_matrix(X, **options)
    assert affinity_matrix(cdist(X, X), metric="precomputed", **options) == pytest.approx(features, rel=1e-9)


@pytest.mark.parametrize("kernel", ["knn", "radius"])
def test_sparse_graph_of_dissimilarities_is_the_dense_one(A, kernel):
    options = {"kernel": kernel, "n_neighbors": 6, "radius": 1.5, "metric": "precomputed"}
    sparse, _ = kernel_graph(A, sparse=True, **options)
    dense, _ = kernel_graph(A, **options)
    assert issparse(sparse)
    assert np.array_equal(sparse.toarray(), dense)


def test_dissimilarities_need_be_no_distances():
    """Of several objects at 0 from each other, each keeps the neighbours that its own row names."""
    A = np.random.default_rng(3).integers(0, 9, size=(40, 40)).astype(float)
    A = np.triu(A, k=1) + np.triu(A, k=1).T
    reach = np.sort(A + np.diag(np.full(40, -1.0)), axis=1)[:, 10]
    kept = (reach[:, None] >= A) | (reach >= A)
    found = affinity_matrix(A, n_neighbors=10, metric="precomputed", floor=0)
    scale = np.median(A[np.triu(kept, k=1)])
    assert found == pytest.approx(np.where(kept, np.exp(-A / scale), 0))
