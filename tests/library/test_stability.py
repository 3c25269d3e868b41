"""Procrustes alignment, distances between embeddings, neighbourhood preservation; seeds; per-pair consensus."""

import tracemalloc

import numpy as np
import pytest
from consensus_embedding import embedding_distances, neighborhood_preservation, procrustes_align
from consensus_embedding.consensus.pairwise import pairwise_consensus
from consensus_embedding.consensus.stability import condensed_distance, nearest_neighbors
from consensus_embedding.manifold.distance_matrices import distance_gram
from consensus_embedding.utils.seeds import stream, stream_seed
from refusals import refusals
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist, squareform


@pytest.fixture
def pair():
    rng = np.random.default_rng(0)
    reference = rng.normal(loc=[4, -2], size=(30, 2))
    angle = 1.1
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    mirrored = reference * [1, -1] @ rotation + [100, 7]
    return mirrored, reference


def test_alignment_undoes_rotation_reflection_and_shift(pair):
    moved, reference = pair
    assert procrustes_align(moved, reference) == pytest.approx(reference, abs=1e-10)
    assert procrustes_align(moved * 3, reference, scaling=True) == pytest.approx(reference, abs=1e-10)


def test_alignment_with_scaling_is_that_of_scipy(pair):
    moved, reference = pair
    noisy = moved + np.random.default_rng(1).normal(size=moved.shape)
    expected_reference, expected, _ = procrustes(reference, noisy)
    size = np.linalg.norm(reference - reference.mean(axis=0))
    found = (procrustes_align(noisy, reference, scaling=True) - reference.mean(axis=0)) / size
    assert found == pytest.approx(expected, abs=1e-10)
    assert (reference - reference.mean(axis=0)) / size == pytest.approx(expected_reference)


POINTS = np.random.default_rng(0).normal(size=(30, 2))
NEAR = nearest_neighbors(squareform(pdist(POINTS)), 5)


test_bad_input_is_refused = refusals(
    (lambda: procrustes_align(POINTS, POINTS[1:]), r"found \(30, 2\) and \(29, 2\)"),
    (lambda: procrustes_align(np.empty((0, 2)), np.empty((0, 2))), "not empty"),
    (lambda: neighborhood_preservation(NEAR, NEAR[:, :4]), r"found \(30, 5\) and \(30, 4\)"),
    (lambda: nearest_neighbors(np.zeros((4, 4)), 0), "between 1 and 3 for 4 points, found 0"),
    (lambda: nearest_neighbors(np.zeros((4, 4)), 4), "found 4"),
    (lambda: pairwise_consensus(np.zeros((2, 3, 2)), "midrange"), "found 'midrange'"),
)


def test_distances_between_embeddings_are_frobenius_norms(pair):
    moved, reference = pair
    other = np.random.default_rng(2).normal(size=(30, 2))
    found = embedding_distances([moved, reference, other])
    expected = np.linalg.norm(squareform(pdist(reference)) - squareform(pdist(other)))
    assert found[0, 1] == pytest.approx(0, abs=1e-5)
    assert found[1, 2] == pytest.approx(expected)
    assert condensed_distance(pdist(reference), pdist(other)) == pytest.approx(expected)
    assert np.array_equal(np.diag(found), np.zeros(3))


def test_near_embeddings_of_single_precision_are_compared_in_double():
    rng = np.random.default_rng(0)
    one, other = rng.normal(scale=30, size=(2, 200, 2)).astype(np.float32)
    single = np.array([one, one + rng.normal(scale=1e-3, size=(200, 2)).astype(np.float32), other])
    double = embedding_distances(single.astype(np.float64))
    found = embedding_distances(single)
    assert double[0, 1] > 0.2
    assert found[0, 1] == pytest.approx(double[0, 1], rel=1e-3)
    # All others keep the arithmetic of single precision, to the last bit.
    gram = distance_gram(single)
    assert np.array_equal(found[2, :2], np.sqrt(gram[2, 2] + np.diag(gram)[:2] - 2.0 * gram[2, :2]))


def test_neighbourhood_preservation_by_hand():
    line = squareform(pdist([[0.0], [1], [3], [7]]))
    swapped = squareform(pdist([[0.0], [1], [7], [3]]))
    first, second = nearest_neighbors(line, 1), nearest_neighbors(swapped, 1)
    assert first.ravel().tolist() == [1, 0, 1, 2]
    assert second.ravel().tolist() == [1, 0, 3, 1]
    assert neighborhood_preservation(first, second) == 0.5
    assert neighborhood_preservation(first, first) == 1.0


def test_neighbourhood_preservation_of_many_points_needs_no_table_of_all_pairs():
    rng = np.random.default_rng(0)
    first, second = (np.array([rng.choice(2999, 5, replace=False) for _ in range(3000)]) for _ in range(2))
    # No point is a neighbour of its own.
    first, second = (table + (table >= np.arange(3000)[:, None]) for table in (first, second))
    expected = np.mean([len(set(a) & set(b)) for a, b in zip(first.tolist(), second.tolist(), strict=True)]) / 5
    tracemalloc.start()
    assert neighborhood_preservation(first, second) == pytest.approx(expected, abs=1e-12)
    assert tracemalloc.get_traced_memory()[1] < 3000**2 / 2
    tracemalloc.stop()


@pytest.mark.parametrize(("n", "k"), [(8, 3), (300, 5), (300, 20), (300, 299)])
def test_of_equally_near_points_those_of_the_lower_index_are_neighbours(n, k):
    distances = squareform(pdist(np.random.default_rng(n + k).integers(0, 6, size=(n, 2)).astype(float)))
    found = nearest_neighbors(distances, k)
    for i in range(n):
        others = sorted((distances[i, j], j) for j in range(n) if j != i)
        assert sorted(found[i]) == sorted(j for _, j in others[:k])
    assert sorted(nearest_neighbors(np.zeros((n, n)), k)[0]) == list(range(1, k + 1))


def test_streams_depend_on_every_axis_and_on_nothing_else():
    seeds = {stream_seed(1, "a", 0), stream_seed(1, "a", 1), stream_seed(1, "b", 0), stream_seed(2, "a", 0)}
    assert len(seeds) == 4
    assert stream_seed(20121, "digits", "run", 0) == 748809672
    assert stream(1, "a").random() == stream(1, "a").random()


def test_points_among_their_own_neighbours_are_refused():
    """scikit-learn's kneighbors(X) has each point first: it would be a common neighbour of any two embeddings."""
    neighbors = np.array([[1, 2], [0, 2], [0, 1]])
    assert neighborhood_preservation(neighbors, neighbors) == 1.0
    with pytest.raises(ValueError, match=r"second: .* their own neighbours"):
        neighborhood_preservation(neighbors, np.array([[1, 2], [0, 1], [0, 1]]))
    with pytest.raises(ValueError, match=r"second: .* a neighbour twice"):
        neighborhood_preservation(neighbors, np.array([[1, 1], [0, 2], [0, 1]]))
