"""Nystroem's method: plain NumPy, scikit-learn and the eigenproblem itself as references, and bad input."""

import numpy as np
import pytest
from affinities import affinity_matrix
from consensus_embedding.manifold.graphs import semi_supervised_affinity
from consensus_embedding.manifold.nystroem import approximation_error, isolated_rows, nystroem_extension
from consensus_embedding.manifold.spectral import graph_eigenvectors
from refusals import refusals
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.decomposition import KernelPCA


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(80, 3))


def _gamma(X, Y, scale=1.5):
    return np.exp(-cdist(X, Y) / scale)


@pytest.mark.parametrize("floor", [0.0, 0.01])
@pytest.mark.parametrize("divide", [True, False])
def test_against_a_plain_loop(X, floor, divide):
    W, B = _gamma(X[:60], X[:60]), _gamma(X[60:], X[:60])
    B[B < 0.05] = 0
    values, y = graph_eigenvectors(W, 3, floor=floor)
    expected = np.empty((20, 3))
    for i in range(20):
        for k in range(3):
            weights = [B[i, j] + floor for j in range(60)]
            total = sum(weight * y[j, k] for j, weight in enumerate(weights))
            expected[i, k] = total / (values[k] * (sum(weights) if divide else 1))
    for affinity in (B, csr_array(B), np.asfortranarray(B)):
        found = nystroem_extension(affinity, y, values, floor=floor, divide=divide)
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-13)


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_training_objects_get_their_place_and_as_printed_their_place_times_their_degree(X, labelled, sparse):
    gamma = affinity_matrix(X, floor=0.0)
    if labelled:
        gamma = semi_supervised_affinity(gamma, np.arange(80) % 3 - 1)
    W = csr_array(gamma) if sparse else gamma
    values, y = graph_eigenvectors(W, 3, floor=1e-6)
    degrees = gamma.sum(axis=1) + 80e-6
    assert nystroem_extension(W, y, values, floor=1e-6) == pytest.approx(y, abs=1e-11)
    printed = nystroem_extension(W, y, values, floor=1e-6, divide=False)
    assert printed == pytest.approx(y * degrees[:, None], abs=1e-10)
    assert np.abs(printed - y).max() > np.abs(y).max()


def test_against_kernel_pca_where_all_degrees_are_equal():
    """On a circle D is a multiple of 1 and centring moves nothing but the trivial eigenvector."""

    def circle(angles):
        return np.column_stack([np.cos(angles), np.sin(angles)])

    angles = 2 * np.pi * np.arange(40) / 40
    train, new = circle(angles), circle(np.random.default_rng(0).random(15) * 2 * np.pi)
    W, B = _gamma(train, train), _gamma(new, train)
    values, y = graph_eigenvectors(W, 4)
    found = nystroem_extension(B, y, values, divide=False) * np.sqrt(values)
    pca = KernelPCA(4, kernel="precomputed", eigen_solver="dense").fit(W)
    expected = pca.transform(B)
    # Eigenvalues come in pairs: products do not depend on the basis.
    assert found @ found.T == pytest.approx(expected @ expected.T, abs=1e-10)


def test_isolated_objects_are_found_and_refused(X):
    B = _gamma(X[60:], X[:60])
    B[[3, 11]] = 0
    values, y = graph_eigenvectors(_gamma(X[:60], X[:60]), 3)
    for affinity in (B, csr_array(B)):
        assert np.flatnonzero(isolated_rows(affinity)).tolist() == [3, 11]
        for divide in (True, False):
            with pytest.raises(ValueError, match=r"2 of 20 .* first is number 3"):
                nystroem_extension(affinity, y, values, divide=divide)
        # The floor alone ties to all alike.
        assert nystroem_extension(affinity, y, values, floor=1e-3)[3] == pytest.approx(y.mean(axis=0) / values)
    assert isolated_rows(csr_array((2, 5))).tolist() == [True, True]


def _error(training, between, new):
    return np.linalg.norm(new - between @ np.linalg.pinv(training, hermitian=True) @ between.T)


@pytest.mark.parametrize("n", [3, 20, 60])
@pytest.mark.parametrize("labelled", [False, True])
def test_approximation_error_against_its_formula(X, n, labelled):
    W, B, N = _gamma(X[:n], X[:n]), _gamma(X[n:], X[:n]), _gamma(X[n:], X[n:])
    if labelled:
        W = semi_supervised_affinity(W, np.arange(n) % 3 - 1)
    norm, size = _error(W, B, N), np.linalg.norm(N)
    for parts in ((W, B, N), (csr_array(W), csr_array(B), csr_array(N))):
        found = approximation_error(*parts)
        assert found.relative == pytest.approx(norm / size, rel=1e-8)
        assert found.entries == pytest.approx(norm / n**2, rel=1e-8)
        assert found.l1 == pytest.approx(norm / np.abs(W).sum(), rel=1e-8)
        assert found.zero_entries == pytest.approx(size / n**2)
        assert found.zero_l1 == pytest.approx(size / np.abs(W).sum())


@pytest.mark.filterwarnings("error")
def test_a_singular_matrix_has_a_pseudo_inverse(X):
    """Coinciding training objects add nothing, so that the error is that of the objects without their copies."""
    once = approximation_error(_gamma(X[:30], X[:30]), _gamma(X[60:], X[:30]), _gamma(X[60:], X[60:]))
    T = np.concatenate([X[:30], X[:10], X[:3]])
    W, B, N = _gamma(T, T), _gamma(X[60:], T), _gamma(X[60:], X[60:])
    assert approximation_error(W, B, N).relative == pytest.approx(once.relative, rel=1e-8)


ONE_SIDED, NEW = np.triu(np.ones((3, 3))), np.ones((2, 3))
SYMMETRIC = "must be symmetric, found 1 from object 0 to 1 and 0 from 1 to 0"


test_bad_parts_are_named = refusals(
    *[
        (lambda: approximation_error(np.eye(3), np.ones((2, 4)), np.eye(2)), r"\(3, 3\), \(2, 4\) and \(2, 2\)"),
        (lambda: approximation_error(np.full((3, 3), np.nan), NEW, np.eye(2)), "training affinities contain NaN"),
        (lambda: approximation_error(np.eye(3), NEW, np.zeros((2, 2))), "must not all be 0"),
        (lambda: approximation_error(np.zeros((3, 3)), NEW, np.eye(2)), "3 training objects must not all be 0"),
        (lambda: approximation_error(ONE_SIDED, NEW, np.eye(2)), SYMMETRIC),
        (lambda: approximation_error(csr_array(ONE_SIDED), NEW, np.eye(2)), SYMMETRIC),
        (lambda: nystroem_extension([1.0, 0.5], [[1.0], [-1]], [0.5]), r"found shapes \(2,\) and \(1,\)"),
        (lambda: nystroem_extension(NEW, np.ones((4, 2)), [0.5, 0.4]), r"shape \(3, 2\), found \(4, 2\)"),
    ]
    + [
        (lambda value=value: nystroem_extension(NEW, np.ones((3, 2)), [0.5, value]), "positive, found .* component 2")
        for value in (0.0, -0.2, 1e-12, np.nan)
    ],
)


def test_a_narrow_graph_has_the_error_of_its_dense_matrix():
    apart = np.abs(np.subtract.outer(*[np.sort(np.random.default_rng(3).random(120))] * 2))
    affinity = np.where(apart < 0.05, np.exp(-20 * apart), 0.0)
    training, new = np.arange(0, 120, 2), np.arange(1, 120, 2)
    blocks = [affinity[np.ix_(*pair)] for pair in ((training, training), (new, training), (new, new))]
    found, expected = approximation_error(*map(csr_array, blocks)), approximation_error(*blocks)
    assert vars(found) == pytest.approx(vars(expected), rel=1e-9)
    # An object twice: singular, so that the pseudo-inverse takes over.
    blocks = [affinity[np.ix_(*pair)] for pair in (([0, 0, 2], [0, 0, 2]), (new, [0, 0, 2]), (new, new))]
    found, expected = approximation_error(*map(csr_array, blocks)), approximation_error(*blocks)
    assert vars(found) == pytest.approx(vars(expected), rel=1e-9)
