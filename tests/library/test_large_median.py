"""The median consensus of very many points: the numbers of the square table, without one."""

import numpy as np
import pytest
from consensus_embedding import (
    BarnesHutTSNE,
    FourierTSNE,
    MedianConsensusEmbedding,
    classical_mds,
    median_consensus,
    smacof,
)
from consensus_embedding.consensus import large_median
from consensus_embedding.manifold import large_mds as large_scaling
from consensus_embedding.manifold import tsne
from consensus_embedding.manifold.distance_matrices import _first_pair, combined_distances
from consensus_embedding.manifold.large_mds import ConsensusPairs, landmark_scaling, large_classical, large_smacof
from consensus_embedding.manifold.tsne import ExactTSNE
from scipy.sparse.linalg import ArpackNoConvergence
from scipy.spatial.distance import pdist, squareform

WEIGHTS = np.array([0.3, 0.0, 0.5, 0.2])


@pytest.fixture(scope="module")
def embeddings():
    """Four embeddings of 700 points in five groups, which lie elsewhere in each; single precision, as of t-SNE."""
    rng = np.random.default_rng(0)
    group, places = np.arange(700) % 5, rng.normal(size=(5, 2)) * 30
    shape = rng.normal(size=(700, 2)) * 5
    return np.array(
        [(places + rng.normal(size=(5, 2)) * 10)[group] + shape + rng.normal(size=(700, 2)) for _ in range(4)],
        dtype=np.float32,
    )


@pytest.fixture(scope="module")
def table(embeddings):
    return squareform(combined_distances(embeddings, WEIGHTS))


@pytest.fixture
def few_are_many(monkeypatch):
    """More than 100 points count as very many."""
    monkeypatch.setattr(large_median, "TABLE_POINTS", 100)
    monkeypatch.setattr(tsne, "MOST_EXACT_POINTS", 100)


def _difference(found, expected):
    """Relative difference of two centred pictures, up to rotation and reflection."""
    left, _, right = np.linalg.svd(found.T @ expected)
    return np.linalg.norm(found @ left @ right - expected) / np.linalg.norm(expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("large", "small"), [(large_classical, classical_mds), (large_smacof, smacof)], ids=["classical", "smacof"]
)
def test_the_pictures_are_those_of_the_square_table(embeddings, table, large, small):
    expected = small(table)
    kept, again = (large(ConsensusPairs(embeddings, WEIGHTS, keep=keep)) for keep in (True, False))
    assert _difference(kept, expected) < 1e-6
    assert np.array_equal(kept, again)
    assert np.array_equal(kept, large(ConsensusPairs(embeddings, WEIGHTS, n_jobs=3)))
    assert np.linalg.norm(pdist(kept) - squareform(table)) == pytest.approx(
        np.linalg.norm(pdist(expected) - squareform(table)), rel=1e-6
    )


@pytest.mark.parametrize("p", [1, 3])
def test_pictures_of_other_dimensions(embeddings, table, p):
    pairs = ConsensusPairs(embeddings, WEIGHTS)
    assert _difference(large_classical(pairs, p), classical_mds(table, p)) < 1e-6
    points = np.random.default_rng(1).normal(size=(p, 700)) * 20
    moved, stress, size, total = pairs.guttman(points)
    expected = smacof(table, p, 1, tolerance=0.0, start=points.T)
    assert (moved.T - moved.mean(axis=1)) == pytest.approx(expected, abs=1e-5)
    assert stress == pytest.approx(np.square(pdist(points.T) - squareform(table)).sum(), rel=1e-6)
    assert size == pytest.approx(np.square(pdist(points.T)).sum())
    assert total == pytest.approx(np.square(squareform(table)).sum(), rel=1e-6)


@pytest.mark.slow
def test_landmarks_are_classical_scaling_with_all_points_and_exact_where_the_distances_are_of_a_plane(
    embeddings, table
):
    everything = landmark_scaling(ConsensusPairs(embeddings, WEIGHTS, keep=False), n_landmarks=700)
    assert _difference(everything, classical_mds(table)) < 1e-9
    one = embeddings[0].astype(np.float64)
    few = landmark_scaling(ConsensusPairs(one[None], np.ones(1), keep=False), n_landmarks=10)
    assert pdist(few) == pytest.approx(pdist(one), rel=1e-6, abs=1e-6)
    assert few[:, 0].std() > few[:, 1].std()


@pytest.mark.slow
def test_the_consensus_of_very_many_points_is_that_of_few(embeddings, few_are_many, monkeypatch, capsys):
    large = median_consensus(embeddings)
    kept = median_consensus(embeddings, keep_distances=True, n_jobs=2, verbose=True)
    printed = capsys.readouterr()
    monkeypatch.setattr(large_median, "TABLE_POINTS", 700)
    small = median_consensus(embeddings)
    assert np.array_equal(large.median.weights, small.median.weights)
    assert _difference(large.embedding, small.embedding) < 1e-6
    assert large.stress == pytest.approx(small.stress, rel=1e-6)
    assert np.array_equal(kept.embedding, large.embedding)
    assert kept.distances == pytest.approx(small.distances, rel=1e-6)
    assert "median consensus: inner products" in printed.err
    assert printed.out == ""
    assert large.distances is None
    with pytest.raises(ValueError, match="keep_distances=True"):
        _ = large.distance_matrix
    assert median_consensus(embeddings, keep_distances=False).distances is None


def test_the_stress_is_the_error_of_the_picture(embeddings):
    """Root of the sum of squared misfits over that of squared distances; landmarks show theirs."""
    stress = {}
    for mds in ("smacof", "classical", "landmark"):
        found = median_consensus(embeddings, mds=mds, keep_distances=True)
        misfit = np.linalg.norm(pdist(found.embedding) - found.distances)
        assert found.stress == pytest.approx(misfit / np.linalg.norm(found.distances), rel=1e-6)
        stress[mds] = found.stress
    assert stress["smacof"] < stress["classical"]
    assert median_consensus(np.zeros((2, 5, 2))).stress == 0


def test_too_little_memory_is_said_and_changes_no_number(embeddings, few_are_many):
    expected = median_consensus(embeddings, mds="classical").embedding
    with pytest.warns(RuntimeWarning, match=r"max_memory_gb = 1e-05.*landmark"):
        found = median_consensus(embeddings, mds="classical", max_memory_gb=1e-5)
    assert np.array_equal(found.embedding, expected)


def test_very_many_samples_are_embedded_by_barnes_hut_or_on_a_grid(few_are_many, monkeypatch):
    monkeypatch.setattr(tsne, "MOST_TREE_POINTS", 120)
    own = tsne.tsne_runs
    monkeypatch.setattr(tsne, "tsne_runs", lambda *given, **options: own(*given, **options | {"max_iter": 60}))
    X = np.random.default_rng(0).normal(size=(140, 5))
    for n, base in ((100, ExactTSNE()), (120, BarnesHutTSNE()), (140, FourierTSNE())):
        model = MedianConsensusEmbedding(n_embeddings=2, random_state=0).fit(X[:n])
        named = MedianConsensusEmbedding(base, n_embeddings=2, random_state=0).fit(X[:n])
        assert np.array_equal(model.embeddings_, named.embeddings_)
        assert (model.distances_ is None) == (n > 100)
        assert 0 < model.stress_ < 1


def test_dimensions_that_cannot_be_found_are_an_error_that_says_what_to_do(embeddings, monkeypatch):
    def refuse(*args, **kwargs):
        raise ArpackNoConvergence("no", np.empty(1), np.empty((700, 1)))

    pairs = ConsensusPairs(embeddings, WEIGHTS)
    with pytest.raises(ValueError, match=r"from 1 to 699, .* found 700"):
        large_classical(pairs, 700)
    monkeypatch.setattr(large_scaling, "eigsh", refuse)
    with pytest.raises(RuntimeError, match="found 1 of n_components = 2"):
        large_classical(pairs)


def test_points_that_all_coincide_stay_one_point():
    pairs = ConsensusPairs(np.ones((2, 700, 2)), np.array([0.5, 0.5]))
    assert np.array_equal(large_classical(pairs, 2), np.zeros((700, 2)))


def test_the_pair_at_a_position_is_exact_for_any_number_of_points():
    assert [_first_pair(5, k) for k in range(10)] == [(i, j) for i in range(5) for j in range(i + 1, 5)]
    for n in (50_001, 3_000_000):
        for i in (0, 1, n // 3, n - 1000, n - 3, n - 2):
            start = i * (2 * n - i - 1) // 2
            assert _first_pair(n, start) == (i, i + 1)
            assert _first_pair(n, start + n - i - 2) == (i, n - 1)
