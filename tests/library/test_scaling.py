"""Eigen-solver and multidimensional scaling: known answers, degenerate input."""

import numpy as np
import pytest
from consensus_embedding import classical_mds, smacof
from consensus_embedding.manifold import spectral
from consensus_embedding.manifold.spectral import canonical_signs, largest_eigenpairs
from refusals import refusals
from scipy.sparse.linalg import ArpackNoConvergence
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import smacof as sklearn_smacof


@pytest.fixture
def matrix():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(600, 600))
    return half + half.T


def test_eigenpairs_against_numpy_and_the_dense_solver(matrix, monkeypatch):
    expected = np.linalg.eigvalsh(matrix)[::-1][:5]
    values, vectors = largest_eigenpairs(matrix, 5)
    assert values == pytest.approx(expected, rel=1e-9)
    assert matrix @ vectors == pytest.approx(vectors * values, abs=1e-7)
    assert vectors.T @ vectors == pytest.approx(np.eye(5), abs=1e-10)
    monkeypatch.setattr(spectral, "DENSE_SIZE", 1000)
    dense = largest_eigenpairs(matrix, 5)
    assert values == pytest.approx(dense[0])
    assert vectors == pytest.approx(dense[1], abs=1e-7)


def test_lanczos_that_does_not_converge_falls_back_to_the_dense_solver(matrix, monkeypatch):
    def refuse(*args, **kwargs):
        raise ArpackNoConvergence("no", np.empty(0), np.empty((0, 0)))

    expected = largest_eigenpairs(matrix, 2)
    monkeypatch.setattr(spectral, "eigsh", refuse)
    found = largest_eigenpairs(matrix, 2)
    assert found[0] == pytest.approx(expected[0])
    assert found[1] == pytest.approx(expected[1], abs=1e-7)


def test_signs_do_not_depend_on_the_solver():
    vectors = np.array([[0.1, -0.9], [-0.8, 0.2], [0.3, 0.0]])
    expected = [[-0.1, 0.9], [0.8, -0.2], [-0.3, 0.0]]
    assert canonical_signs(vectors) == pytest.approx(np.array(expected))
    assert canonical_signs(-vectors) == pytest.approx(np.array(expected))
    assert canonical_signs(np.zeros((3, 1))) == pytest.approx(np.zeros((3, 1)))


test_unusable_matrices_are_refused = refusals(
    (lambda: largest_eigenpairs(np.zeros((2, 3)), 1), "square matrix"),
    (lambda: largest_eigenpairs(np.full((3, 3), np.nan), 1), "NaN"),
    (lambda: largest_eigenpairs(np.eye(3), 4), "between 1 and 3"),
)


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 700])
def test_classical_scaling_recovers_points_up_to_a_rigid_motion(n):
    points = np.random.default_rng(1).normal(size=(n, 2)) * [3, 1]
    found = classical_mds(squareform(pdist(points)))
    assert pdist(found) == pytest.approx(pdist(points), abs=1e-8)
    assert found.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)
    assert found[:, 0].std() > found[:, 1].std()


def test_dimensions_that_the_distances_lack_are_zero():
    line = np.arange(6.0)[:, None]
    found = classical_mds(squareform(pdist(line)), 3)
    assert pdist(found) == pytest.approx(pdist(line), abs=1e-7)
    assert found[:, 1:] == pytest.approx(np.zeros((6, 2)), abs=1e-6)
    assert classical_mds(np.zeros((4, 4))) == pytest.approx(np.zeros((4, 2)))
    assert pdist(classical_mds(np.array([[0, 2.0], [2, 0]]))) == pytest.approx([2.0])


@pytest.mark.parametrize("scale", [classical_mds, smacof])
def test_what_are_no_distances_is_refused(scale):
    distances = squareform(pdist(np.random.default_rng(3).normal(size=(10, 2))))
    with pytest.raises(ValueError, match=r"square table of distances, found a list of 45; make .*squareform"):
        scale(squareform(distances))
    # Rounding errors are none.
    rounded = distances * (1 + 1e-15 * np.arange(100).reshape(10, 10))
    assert pdist(scale(rounded)) == pytest.approx(pdist(scale(distances)), abs=1e-6)


@pytest.mark.parametrize(("max_iter", "tolerance"), [(1, 1e-6), (40, 0.0), (300, 1e-3), (300, 1e-6)])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_smacof_takes_the_steps_of_scikit_learn_and_stops_where_it_does(max_iter, tolerance, p):
    rng = np.random.default_rng(7)
    distances = squareform(pdist(rng.normal(size=(40, 5))) ** 1.3)
    start = rng.normal(size=(40, p))
    found = smacof(distances, p, max_iter, tolerance=tolerance, start=start)
    expected, _ = sklearn_smacof(
        distances, n_components=p, init=start, n_init=1, max_iter=max_iter, eps=tolerance, normalized_stress=False
    )
    assert found == pytest.approx(expected - expected.mean(axis=0), abs=1e-9)


def test_smacof_keeps_points_that_coincide_together_and_leaves_its_input_alone():
    points = np.array([[0.0, 0], [0, 0], [3, 4], [3, 0]])
    distances, start = squareform(pdist(points)), points + 1.0
    found = smacof(distances, start=start)
    assert pdist(found) == pytest.approx(pdist(points), abs=1e-9)
    assert found.mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
    assert np.array_equal(start, points + 1.0)
    with pytest.raises(ValueError, match=r"start must have shape \(4, 3\), found \(4, 2\)"):
        smacof(distances, 3, start=start)
    for scaling in (classical_mds, smacof):
        with pytest.raises(ValueError, match=r"n_components .* of at least 1, found 0"):
            scaling(distances, 0)


def test_a_start_at_one_place_is_refused():
    distances = squareform(pdist(np.eye(4)))
    with pytest.raises(ValueError, match="start must have points that differ"):
        smacof(distances, 2, start=np.ones((4, 2)))
