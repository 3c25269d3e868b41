"""Locally linear embedding over many numbers of neighbours, against scikit-learn and against its definition."""

import numpy as np
import pytest
from consensus_embedding import lle_embeddings, locally_linear_embedding
from consensus_embedding.manifold import lle
from consensus_embedding.manifold.lle_kernels import nearest
from refusals import refusals
from scipy.linalg import null_space
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError
from scipy.spatial.distance import cdist, pdist
from sklearn.datasets import make_swiss_roll
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.neighbors import kneighbors_graph


def spectra(n=120, noise=0.03, seed=0):
    """Three peaks of varied height on 64 points."""
    rng = np.random.default_rng(seed)
    x = np.linspace(0, 1, 64)
    heights = rng.random((n, 3))
    peaks = np.exp(-np.square((x - np.array([0.3, 0.55, 0.8])[:, None]) / 0.05))
    return heights @ peaks + noise * rng.normal(size=(n, 64))


def swiss_roll(n=200):
    return make_swiss_roll(n, random_state=0)[0]


def ring(n):
    angles = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angles), np.sin(angles)])


# Seeds of spectra with so many closed groups in one connected graph of 3 neighbours.
CLOSED = {2: 6, 3: 3, 4: 22}


def closed_groups(X, kappa):
    """Closed groups by reachability: objects that all objects within their reach can reach."""
    reach = np.eye(len(X)) + kneighbors_graph(X, kappa).toarray() > 0
    for _ in range(7):
        reach = reach.astype(float) @ reach > 0
    closed = (~reach | reach.T).all(axis=1)
    return [np.flatnonzero(row) for row in np.unique(reach[closed], axis=0)]


def scikit_learn(X, kappa, n_components, reg=1e-3):
    model = LocallyLinearEmbedding(n_neighbors=kappa, n_components=n_components, reg=reg, eigen_solver="dense")
    return model.fit_transform(X)


def dense_weights(X, kappa, regularization=1e-3):
    """W by scikit-learn; no two distances of an object may be equal."""
    # No public part of scikit-learn returns W; another version may have this under another name.
    from sklearn.manifold._locally_linear import barycenter_kneighbors_graph

    return barycenter_kneighbors_graph(X, kappa, reg=regularization).toarray()


def equal_up_to_sign(found, expected, tolerance):
    signs = np.sign((found * expected).sum(axis=0))
    return np.abs(found - expected * signs).max() < tolerance


@pytest.mark.slow
@pytest.mark.parametrize(
    ("X", "kappas", "n_components"),
    [(spectra(), (5, 8, 13, 20, 40), 1), (spectra(), (4, 5, 119), 7), (swiss_roll(), (9, 15, 25), 2)],
)
def test_the_same_embeddings_as_scikit_learn(X, kappas, n_components):
    found = lle_embeddings(X, kappas, n_components)
    assert found.kappas == kappas
    assert set(found.closed_groups.values()) == {1}
    for kappa, embedding in zip(kappas, found.embeddings, strict=True):
        expected = scikit_learn(X, kappa, n_components)
        assert equal_up_to_sign(embedding, expected, 1e-8)
        assert pdist(embedding) == pytest.approx(pdist(expected), abs=1e-9)


@pytest.mark.parametrize("regularization", [1e-1, 1e-5])
def test_the_same_regularisation_as_scikit_learn(regularization):
    X = spectra()
    found = locally_linear_embedding(X, 10, 3, regularization=regularization)
    assert equal_up_to_sign(found, scikit_learn(X, 10, 3, regularization), 1e-8)
    assert not equal_up_to_sign(found, scikit_learn(X, 10, 3), 1e-4)


def test_eigenvalues_are_the_costs_of_centred_orthonormal_columns_and_rise():
    X = swiss_roll()
    found = lle_embeddings(X, (8, 12), 6)
    for kappa, embedding, values in zip(found.kappas, found.embeddings, found.eigenvalues, strict=True):
        residual = embedding - dense_weights(X, kappa) @ embedding
        assert np.square(residual).sum(axis=0) == pytest.approx(values, rel=1e-6)
        assert (np.diff(values) > 0).all()
        assert embedding.T @ embedding == pytest.approx(np.eye(6), abs=1e-12)
        assert np.abs(embedding.sum(axis=0)).max() < 1e-13
        assert (embedding[np.abs(embedding).argmax(axis=0), np.arange(6)] > 0).all()


def test_all_kappas_at_once_give_what_each_gives_alone_to_the_last_bit():
    X = spectra()
    together = lle_embeddings(X, (12, 5, 30), 4)
    assert np.array_equal(together.embeddings, lle_embeddings(X, (12, 5, 30), 4).embeddings)
    for kappa, embedding in zip((12, 5, 30), together.embeddings, strict=True):
        assert np.array_equal(embedding, locally_linear_embedding(X, kappa, 4))


def test_fewer_components_are_the_first_columns_of_more():
    X = spectra()
    most = lle_embeddings(X, (6, 10), 7).embeddings
    for m in (1, 3, 6):
        assert lle_embeddings(X, (6, 10), m).embeddings == pytest.approx(most[:, :, :m], abs=1e-10)


def test_invariant_to_rotation_shift_scale_and_order():
    X = spectra()
    rng = np.random.default_rng(1)
    expected = locally_linear_embedding(X, 9, 3)
    rotation, _ = np.linalg.qr(rng.normal(size=(64, 64)))
    assert pdist(locally_linear_embedding(X @ rotation + 5.0, 9, 3)) == pytest.approx(pdist(expected), abs=1e-9)
    assert np.array_equal(locally_linear_embedding(np.ldexp(X, 900), 9, 3), expected)
    order = rng.permutation(len(X))
    assert pdist(locally_linear_embedding(X[order], 9, 3)) == pytest.approx(pdist(expected[order]), abs=1e-10)


@pytest.mark.parametrize("n_groups", CLOSED)
def test_closed_groups_give_columns_without_cost_and_no_trace_of_the_constant(n_groups):
    X = spectra(seed=CLOSED[n_groups])
    found = lle_embeddings(X, (3,), 6)
    assert found.closed_groups == {3: n_groups}
    embedding, free = found.embeddings[0], n_groups - 1
    weights = dense_weights(X, 3)
    costless = null_space(np.eye(len(X)) - weights, rcond=1e-9)
    assert costless.shape[1] == len(closed_groups(X, 3)) == n_groups
    assert (found.eigenvalues[0] == 0).sum() == free
    assert np.abs(embedding[:, :free] - weights @ embedding[:, :free]).max() < 1e-12
    for members in closed_groups(X, 3):
        assert np.ptp(embedding[members, :free], axis=0).max() < 1e-13
    # The columns without cost and the constant span the whole null space, and all columns are centred.
    spanned = np.column_stack([np.full(len(X), len(X) ** -0.5), embedding[:, :free]])
    assert spanned @ spanned.T == pytest.approx(costless @ costless.T, abs=1e-9)
    assert embedding.T @ embedding == pytest.approx(np.eye(6), abs=1e-12)
    assert np.abs(embedding.mean(axis=0)).max() < 1e-14
    # The others are what scikit-learn finds beyond the null space.
    assert equal_up_to_sign(embedding[:, free:], scikit_learn(X, 3, 6)[:, free:], 1e-7)


def test_fewer_components_than_directions_without_cost_are_refused():
    X = spectra(seed=CLOSED[4])
    assert lle_embeddings(X, (3,), 3).eigenvalues[0].tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match=r"4 closed groups .* 2 components"):
        lle_embeddings(X, (3,), 2)
    found = lle_embeddings(X, (3, 20), 2, on_disconnected="skip")
    assert found.kappas == (20,)
    assert "4 closed groups" in found.skipped[3]
    assert found.closed_groups == {3: 4, 20: 1}


def parted(seed=2):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(size=(30, 3)), rng.normal(size=(12, 3)) + 40, rng.normal(size=(8, 3)) - 40])


def n_pieces(X, kappa):
    return connected_components(kneighbors_graph(X, kappa), directed=False)[0]


def test_a_graph_in_pieces_is_refused_with_the_number_of_neighbours_that_connects_it():
    X, pairs = parted(), np.repeat(np.arange(20.0) ** 2, 2)[:, None] + [[0.0], [0.1]] * 20
    for table, kappas, words in (
        (X, (20, 5, 6), "5 neighbours .* 3 unconnected pieces of 30, 12, 8 .* is 12; use it, or pass on_disconnected"),
        # There is no other to leave it out for.
        (X, (9,), r"9 neighbours .* 2 unconnected pieces of 38, 12 .* is 12; use it\.$"),
        (pairs, (1,), r"of 2, 2, 2, 2, 2, 2, \.\.\. objects"),
    ):
        with pytest.raises(ValueError, match=words):
            lle_embeddings(table, kappas, 1)


@pytest.mark.parametrize("seed", range(4))
def test_the_number_of_neighbours_that_connects_by_trying_all(seed):
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(size=(size, 2)) + place for size, place in ((9, 0), (14, 7), (5, 19), (20, 30))])
    smallest = next(kappa for kappa in range(1, 48) if n_pieces(X, kappa) == 1)
    assert smallest > 5
    for kappa in range(1, smallest):
        with pytest.raises(ValueError, match=f"is {smallest};"):
            locally_linear_embedding(X, kappa, 2)
    assert lle_embeddings(X, (smallest,), 2).kappas == (smallest,)


def test_numbers_of_neighbours_that_part_the_graph_are_left_out_if_asked_for():
    X = parted()
    found = lle_embeddings(X, (5, 9, 12, 20), 2, on_disconnected="skip")
    assert found.kappas == (12, 20)
    assert found.embeddings.shape == (2, 50, 2)
    assert found.closed_groups[5] >= 3
    assert list(found.skipped) == [5, 9]
    assert np.array_equal(found.embeddings, lle_embeddings(X, (12, 20), 2).embeddings)
    with pytest.raises(ValueError, match=r"neighbours 9, 5 .* is 12"):
        lle_embeddings(X, (9, 5), 2, on_disconnected="skip")


@pytest.mark.parametrize("dense_size", [1000, 10])
def test_equal_eigenvalues_at_the_cut_are_refused(monkeypatch, dense_size):
    monkeypatch.setattr(lle, "_DENSE_SIZE", dense_size)
    X = ring(61)
    found = lle_embeddings(X, (4,), 2)
    assert found.eigenvalues[0, 0] == pytest.approx(found.eigenvalues[0, 1], rel=1e-9)
    # A regular ring is embedded as a ring.
    assert np.linalg.norm(found.embeddings[0], axis=1) == pytest.approx(np.full(61, (2 / 61) ** 0.5), rel=1e-9)
    with pytest.raises(ValueError, match="eigenvalues 3 and 4 are equal"):
        lle_embeddings(X, (4,), 3)


@pytest.mark.parametrize("seed", [0, *CLOSED.values()])
def test_the_solver_for_many_objects_finds_the_same(monkeypatch, seed):
    X = spectra(seed=seed)
    expected = lle_embeddings(X, (3, 10), 5)
    monkeypatch.setattr(lle, "_DENSE_SIZE", 10)
    monkeypatch.setattr(lle, "dense_eigenpairs", None)
    found = lle_embeddings(X, (3, 10), 5)
    assert found.embeddings == pytest.approx(expected.embeddings, abs=1e-9)
    assert found.eigenvalues == pytest.approx(expected.eigenvalues, rel=1e-8, abs=1e-14)
    assert np.array_equal(found.embeddings, lle_embeddings(X, (3, 10), 5).embeddings)


def test_the_dense_solver_takes_over_where_lanczos_does_not_converge(monkeypatch):
    def fail(*args, **kwargs):
        raise ArpackError(-9999)

    X = spectra()
    expected = lle_embeddings(X, (10,), 3).embeddings
    monkeypatch.setattr(lle, "_DENSE_SIZE", 10)
    monkeypatch.setattr(lle, "lanczos_eigenpairs", fail)
    assert np.array_equal(lle_embeddings(X, (10,), 3).embeddings, expected)


def test_coinciding_objects_are_embedded_and_no_object_is_its_own_neighbour():
    X = spectra(80)
    doubled = np.concatenate([X, X[:20], X[:10], X[:10]])
    found = lle_embeddings(doubled, (3, 4, 10), 4, on_disconnected="skip")
    assert np.isfinite(found.embeddings).all()
    # Three copies lie nearer than all else: four coinciding objects are a closed group with three neighbours.
    assert found.closed_groups[3] >= 10
    assert 10 in found.kappas
    neighbors = nearest(np.ascontiguousarray(doubled.T), 10)
    assert (neighbors != np.arange(len(doubled))[:, None]).all()
    assert all(len(set(row)) == 10 for row in neighbors.tolist())


def test_neighbours_by_brute_force_the_earlier_one_first_among_equals():
    X = np.random.default_rng(3).integers(0, 4, size=(60, 3)).astype(float)
    distances = cdist(X, X, "sqeuclidean")
    np.fill_diagonal(distances, np.inf)
    expected = np.argsort(distances, axis=1, kind="stable")[:, :-1]
    assert np.array_equal(nearest(np.ascontiguousarray(X.T), 59), expected)


def test_weights_solve_the_constrained_least_squares():
    X = swiss_roll(50)
    neighbors = nearest(np.ascontiguousarray(X.T), 12)
    found = lle._reconstruction_weights(X, neighbors, np.array([2, 7, 12]), 1e-3)
    for kappa, weights in zip((2, 7, 12), found, strict=True):
        assert not weights[:, kappa:].any()
        for i in range(50):
            offsets = X[neighbors[i, :kappa]] - X[i]
            gram = offsets @ offsets.T
            solution = np.linalg.solve(gram + 1e-3 * np.trace(gram) * np.eye(kappa), np.ones(kappa))
            assert weights[i, :kappa] == pytest.approx(solution / solution.sum(), abs=1e-11)
    # Identical neighbours share the weight.
    X = np.array([[0.0, 0]] * 4 + [[1, 1]])
    weights = lle._reconstruction_weights(X, nearest(np.ascontiguousarray(X.T), 3), np.array([3]), 1e-3)[0]
    assert weights[[0, 4]] == pytest.approx(np.full((2, 3), 1 / 3))


def test_one_neighbour_and_all_others_as_neighbours():
    X = np.array([[0.0], [1.0], [2.5], [4.5]])
    one = lle_embeddings(X, (1,), 2)
    assert one.closed_groups == {1: 1}
    # Each object copies its neighbour: a point, and columns for what does not fit.
    assert np.isfinite(one.embeddings).all()
    assert equal_up_to_sign(lle_embeddings(X, (3,), 1).embeddings[0], scikit_learn(X, 3, 1), 1e-9)


test_unusable_input_gets_one_clear_error = refusals(
    (lambda: lle_embeddings(ring(10), (3, 10), 2), "between 1 and 9, .* found 10"),
    (lambda: lle_embeddings(ring(10), (0,), 2), "found 0"),
    (lambda: lle_embeddings(ring(10), (2.5,), 2), "found 2.5"),
    (lambda: lle_embeddings(ring(10), (4, 3, 4), 2), r"found \[4, 3, 4\]"),
    (lambda: lle_embeddings(ring(10), (4,), 10), "n_components .* found 10"),
    (lambda: lle_embeddings(ring(10), (4,), 2, regularization=0.0), r"regularization .* found 0\.0"),
    (lambda: lle_embeddings(ring(10), (4,), 2, on_disconnected="warn"), "on_disconnected .* found 'warn'"),
    (lambda: lle_embeddings(ring(2), (1,), 1), "at least 3 objects, found 2"),
    (lambda: lle_embeddings(np.zeros((10001, 1)), (4,), 2), "at most 10000 objects, found 10001"),
    (lambda: lle_embeddings(np.arange(30.0)[:, None] ** 2, (4,), 2, regularization=1e-30), "1e-30 is too small"),
)
