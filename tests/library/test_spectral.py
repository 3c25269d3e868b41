"""Eigenvectors of graphs: oracles, pieces, equal eigenvalues, agreement of the solvers, unusable matrices."""

import numpy as np
import pytest
from affinities import affinity_matrix, knn_graph_sparse
from consensus_embedding.manifold import spectral
from consensus_embedding.manifold.spectral import graph_eigenvectors
from scipy.linalg import block_diag, eigh
from scipy.sparse import csr_array
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

pytestmark = pytest.mark.usefixtures("one_blas_thread")


@pytest.fixture
def affinity():
    return affinity_matrix(np.random.default_rng(0).normal(size=(80, 3)))


@pytest.fixture(scope="module")
def large():
    """Three overlapping groups of 220 objects, above the size of the dense solver."""
    X = np.random.default_rng(1).normal(size=(660, 3))
    X[:, 0] += 2.5 * (np.arange(660) % 3)
    return X


def _blobs(sizes, seed=0, distance=1e4):
    rng = np.random.default_rng(seed)
    membership = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(size=(len(membership), 3)) + distance * membership[:, None], membership


def _direct(affinity, n_components):
    """All of W y = lambda D y by SciPy, largest first, without the first."""
    values, vectors = eigh(affinity, np.diag(affinity.sum(axis=0)))
    return values[::-1][1 : n_components + 1], vectors[:, ::-1][:, 1 : n_components + 1]


def _same_up_to_sign(found, expected, tolerance):
    signs = np.sign((found * expected).sum(axis=0))
    return np.abs(found - signs * expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("kernel", ["knn", "exponential", "gaussian", "local_scaling"])
@pytest.mark.parametrize("n", [3, 12, 80])
def test_against_the_generalised_problem_of_scipy(kernel, n):
    W = affinity_matrix(np.random.default_rng(0).normal(size=(n, 3)), kernel=kernel, n_neighbors=6)
    k = min(n - 1, 5)
    values, vectors = graph_eigenvectors(W, k)
    expected_values, expected = _direct(W, k)
    assert values == pytest.approx(expected_values, abs=1e-12)
    assert _same_up_to_sign(vectors, expected, 1e-8)


@pytest.mark.filterwarnings("error")
def test_all_but_the_trivial_one(affinity):
    values, vectors = graph_eigenvectors(affinity, 79)
    degrees = affinity.sum(axis=0)
    assert values == pytest.approx(_direct(affinity, 79)[0], abs=1e-12)
    assert (vectors.T * degrees) @ vectors == pytest.approx(np.eye(79), abs=1e-9)
    assert degrees @ vectors == pytest.approx(np.zeros(79), abs=1e-10)
    assert affinity @ vectors == pytest.approx(degrees[:, None] * vectors * values, abs=1e-10)
    assert np.all(vectors[np.abs(vectors).argmax(axis=0), np.arange(79)] > 0)


@pytest.mark.parametrize("seed", [{}, {"rng": 0}], ids=["older SciPy", "newer SciPy"])
def test_the_seed_of_lanczos_is_given_where_scipy_knows_it(large, monkeypatch, seed):
    asked = []

    def solver(matrix, rng=None, **options):
        asked.append(rng)
        return eigsh(matrix, **options)

    monkeypatch.setattr(spectral, "eigsh", solver)
    monkeypatch.setattr(spectral, "ARPACK_SEED", seed)
    graph_eigenvectors(knn_graph_sparse(large), 4, floor=1e-6)
    assert set(asked) == {seed.get("rng")}


@pytest.mark.parametrize("floor", [0.0, 1e-6, 1e-2])
def test_sparse_lanczos_dense_lanczos_and_dense_solver_agree(large, floor, monkeypatch):
    graph = knn_graph_sparse(large)
    sparse = graph_eigenvectors(graph, 3, floor=floor)
    assert np.array_equal(graph_eigenvectors(graph, 3, floor=floor)[1], sparse[1])
    on_dense = graph_eigenvectors(graph.toarray() + floor, 3)
    monkeypatch.setattr(spectral, "DENSE_SIZE", 1000)
    dense = graph_eigenvectors(graph, 3, floor=floor)
    for values, vectors in (sparse, on_dense):
        assert values == pytest.approx(dense[0], abs=1e-12)
        assert vectors == pytest.approx(dense[1], abs=1e-9)


@pytest.mark.parametrize(("sizes", "floor"), [((40, 70), 1e-6), ((40, 70), 0.0), ((300, 350), 1e-6), ((300, 350), 0.0)])
def test_two_pieces_are_split_exactly_by_the_first_eigenvector(sizes, floor):
    X, membership = _blobs(sizes)
    values, vectors = graph_eigenvectors(knn_graph_sparse(X), 2, floor=floor)
    first = vectors[:, 0] * (1 if vectors[0, 0] < 0 else -1)
    assert values[0] > 1 - 1e-3 - 1e-9
    assert np.array_equal(first > 0, membership == 1)
    within = [np.ptp(first[membership == k]) for k in (0, 1)]
    assert max(within) < 1e-2 * (first[membership == 1].min() - first[membership == 0].max())


@pytest.mark.parametrize("sizes", [(20, 30, 25, 40, 35), (150, 130, 140, 120, 160)])
def test_many_pieces_without_a_floor_give_as_many_eigenvalues_of_one(sizes):
    X, membership = _blobs(sizes)
    values, vectors = graph_eigenvectors(knn_graph_sparse(X, n_neighbors=5), 4, floor=0.0)
    assert values == pytest.approx(np.ones(4), abs=1e-9)
    for k in range(5):
        assert np.ptp(vectors[membership == k], axis=0) == pytest.approx(np.zeros(4), abs=1e-8)
    centres = np.array([vectors[membership == k].mean(axis=0) for k in range(5)])
    assert np.linalg.matrix_rank(centres, tol=1e-3 * np.abs(centres).max()) == 4


def test_basis_of_equal_eigenvalues_does_not_depend_on_the_order_of_objects():
    X, _ = _blobs((20, 33, 25, 41))
    order = np.random.default_rng(6).permutation(len(X))
    graph = affinity_matrix(X, n_neighbors=5, floor=0.0)
    values, vectors = graph_eigenvectors(graph, 3)
    assert np.ptp(values) < 1e-12
    assert np.abs(graph_eigenvectors(graph[np.ix_(order, order)], 3)[1]) == pytest.approx(
        np.abs(vectors[order]), abs=1e-8
    )


def test_lanczos_does_not_miss_copies_of_equal_eigenvalues(monkeypatch):
    part = affinity_matrix(np.random.default_rng(7).normal(size=(150, 2)), n_neighbors=6)
    copies = csr_array(block_diag(part, part, part, part))
    lanczos = graph_eigenvectors(copies, 7)
    monkeypatch.setattr(spectral, "DENSE_SIZE", 1000)
    dense = graph_eigenvectors(copies, 7)
    # Three of 1 (the fourth is the trivial one) and four copies of the second eigenvalue of a part.
    assert lanczos[0] == pytest.approx(dense[0], abs=1e-10)
    assert lanczos[0][:3] == pytest.approx(np.ones(3), abs=1e-10)
    assert np.ptp(lanczos[0][3:7]) < 1e-10


@pytest.mark.parametrize("n", [200, 600])
def test_eigenvalues_that_are_all_equal_give_a_warning_and_finite_vectors(n):
    with pytest.warns(RuntimeWarning, match="Eigenvalues 3 and 4 of the graph are equal"):
        values, vectors = graph_eigenvectors(np.eye(n), 3, floor=1e-6)
    assert values == pytest.approx(np.full(3, 1 / (1 + n * 1e-6)))
    assert vectors.T @ vectors * (1 + n * 1e-6) == pytest.approx(np.eye(3), abs=1e-8)
    assert vectors.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-8)


def test_a_group_that_ends_with_the_last_component_is_not_cut():
    # A star of equal arms: every eigenvalue between the first and the last is the same.
    star = np.zeros((6, 6))
    star[0, 1:] = star[1:, 0] = 1.0
    values, vectors = graph_eigenvectors(star, 4)
    assert values == pytest.approx(np.zeros(4), abs=1e-12)
    assert vectors[0] == pytest.approx(np.zeros(4), abs=1e-12)
    assert graph_eigenvectors(star, 5)[0][4] == pytest.approx(-1.0)


@pytest.mark.parametrize("failures", [1, 99])
@pytest.mark.parametrize("floor", [0.0, 1e-6])
def test_where_lanczos_fails_the_inverse_or_the_dense_solver_takes_over(large, monkeypatch, failures, floor):
    graph = knn_graph_sparse(large)
    expected = graph_eigenvectors(graph, 3, floor=floor)
    calls = []

    def sometimes(*args, **kwargs):
        calls.append(1)
        if len(calls) <= failures:
            raise ArpackNoConvergence("no", np.empty(0), np.empty((0, 0)))
        return working(*args, **kwargs)

    working = spectral.eigsh
    monkeypatch.setattr(spectral, "eigsh", sometimes)
    found = graph_eigenvectors(graph, 3, floor=floor)
    assert found[0] == pytest.approx(expected[0], abs=1e-11)
    assert found[1] == pytest.approx(expected[1], abs=1e-8)
    assert len(calls) == (2 if failures == 99 else 3)
    calls.clear()
    assert graph_eigenvectors(graph.toarray(), 3, floor=floor)[0] == pytest.approx(expected[0], abs=1e-11)


def test_when_all_fails_on_a_large_graph_the_error_says_what_to_do(large, monkeypatch):
    def refuse(*args, **kwargs):
        raise ArpackNoConvergence("no", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr(spectral, "eigsh", refuse)
    monkeypatch.setattr(spectral, "_DENSE_FALLBACK", 600)
    with pytest.raises(RuntimeError, match=r"660 objects .*raise sigma.*at most 600 objects"):
        graph_eigenvectors(knn_graph_sparse(large), 3, floor=1e-6)


def test_dense_solver_that_returns_too_few_pairs_or_fails_is_replaced(affinity, monkeypatch):
    expected = graph_eigenvectors(affinity, 3)

    def broken(matrix, **kwargs):
        return (*dsyevr(matrix, **kwargs)[:2], *outcome)

    dsyevr = spectral.lapack.dsyevr
    monkeypatch.setattr(spectral.lapack, "dsyevr", broken)
    for outcome in ((4, None, 7), (2, None, 0)):  # noqa: B007
        found = graph_eigenvectors(affinity, 3)
        assert found[0] == pytest.approx(expected[0], abs=1e-12)
        assert found[1] == pytest.approx(expected[1], abs=1e-9)


def _isolated(W):
    W[4] = W[:, 4] = 0
    return W


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize(
    ("entries", "value", "message"),
    [
        (([2, 6], [6, 2]), np.nan, "NaN or infinity"),
        (([2, 6], [6, 2]), np.inf, "NaN or infinity"),
        (([2, 6], [6, 2]), -0.1, "negative entries"),
        ((3, 5), 0.9, "not symmetric"),
    ],
)
def test_unusable_matrices_are_refused(affinity, kind, entries, value, message):
    with pytest.raises(ValueError, match="square affinity matrix, found shape"):
        graph_eigenvectors(kind(affinity[:5]), 2)
    with pytest.raises(ValueError, match="1 of 80 objects have no affinity"):
        graph_eigenvectors(kind(_isolated(affinity.copy())), 2)
    affinity[entries] = value
    with pytest.raises(ValueError, match=message):
        graph_eigenvectors(kind(affinity), 2)


def test_an_isolated_object_is_tied_to_the_others_by_the_floor(affinity):
    _, vectors = graph_eigenvectors(_isolated(affinity), 3, floor=1e-6)
    assert np.isfinite(vectors).all()
    # It is no piece of its own: the eigenvectors hardly know it.
    assert np.abs(vectors[4]).max() < 0.05 * np.abs(vectors).max()


def test_a_graph_of_a_narrow_band_is_solved_by_its_inverse_at_once(monkeypatch):
    # A strip: Lanczos alone takes some thousand products with it.
    X = np.random.default_rng(7).random((700, 2)) * [60.0, 1.0]
    strip = knn_graph_sparse(X, n_neighbors=8)
    assert spectral.is_narrow(strip)
    assert not spectral.is_narrow(knn_graph_sparse(np.random.default_rng(7).normal(size=(700, 20)), n_neighbors=8))
    expected = graph_eigenvectors(strip.toarray(), 4, floor=1e-6)
    calls = []
    lanczos = spectral.lanczos_eigenpairs
    monkeypatch.setattr(spectral, "lanczos_eigenpairs", lambda *a, **k: calls.append(k["max_iter"]) or lanczos(*a, **k))
    found = graph_eigenvectors(strip, 4, floor=1e-6)
    assert calls == [30]
    assert found[0] == pytest.approx(expected[0], abs=1e-12)
    assert found[1] == pytest.approx(expected[1], abs=1e-8)
