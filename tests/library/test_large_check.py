"""The check of very many points: with landmarks nearly the numbers of all pairs, with all points as landmarks these."""

import tracemalloc
from dataclasses import fields

import numpy as np
import pytest
from consensus_embedding import check_embedding
from consensus_embedding.diagnostics import embedding_check, fidelity, point_stability
from consensus_embedding.diagnostics.embedding_check import _of_one_size
from consensus_embedding.diagnostics.point_stability import _with_all_labels, run_distances
from consensus_embedding.manifold.large_mds import place_by_landmarks
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

N = 1500


def _runs(n=N, m=8):
    """
    Runs in which groups move a little and every third point is with another group in some runs.

    A label is rare and a few points have none.
    """
    rng = np.random.default_rng(0)
    group, other = rng.choice(6, n, p=[0.3, 0.25, 0.2, 0.15, 0.07, 0.03]), rng.integers(6, size=n)
    share = np.where(np.arange(n) % 3 == 0, rng.beta(0.3, 3.0, n), 0.0)
    centres, shape = 25 * rng.normal(size=(6, 2)), 3 * rng.normal(size=(n, 2))
    runs = []
    for _ in range(m):
        now = np.where(rng.random(n) < share, other, group)
        runs.append((centres + 2 * rng.normal(size=(6, 2)))[now] + shape + 0.2 * rng.normal(size=(n, 2)))
    labels = group.astype(object)
    labels[:20] = None
    return np.array(runs, dtype=np.float32), labels


RUNS, LABELS = _runs()


@pytest.fixture(scope="module")
def exact():
    return check_embedding(embeddings=RUNS, labels=LABELS, random_state=0)


@pytest.fixture
def few_are_many(monkeypatch):
    """More than 1000 points count as very many, with 500 landmarks."""
    monkeypatch.setattr(embedding_check, "EXACT_POINTS", 1000)
    monkeypatch.setattr(embedding_check, "N_LANDMARKS", 500)


@pytest.fixture
def large(few_are_many):
    return check_embedding(embeddings=RUNS, labels=LABELS, random_state=0)


def test_points_are_those_of_all_pairs(exact, large):
    assert spearmanr(large.points.instability, exact.points.instability).statistic > 0.98
    assert (large.points.category != exact.points.category).mean() <= 0.01
    # There is something to tell apart.
    assert exact.points.category.value_counts().min() > N / 50
    assert (large.points.neighbor_turnover == exact.points.neighbor_turnover).all()
    ratio = large.points.distance_spread / exact.points.distance_spread
    assert ratio.to_numpy() == pytest.approx(np.ones(N), abs=0.15)


def test_labels_are_those_of_all_pairs(exact, large):
    """Up to what 200 points of a label, all of a smaller one, leave open."""
    assert large.label_pairs.distance.to_numpy() == pytest.approx(exact.label_pairs.distance.to_numpy(), rel=0.05)
    assert large.label_pairs.instability.to_numpy() == pytest.approx(exact.label_pairs.instability.to_numpy(), abs=0.02)
    for column in ("same_label", "chance"):
        assert (large.label_groups[column] == exact.label_groups[column]).all()
    assert large.label_groups.silhouette.to_numpy() == pytest.approx(exact.label_groups.silhouette.to_numpy(), abs=0.03)


def test_consensus_is_that_of_all_pairs(exact, large):
    assert large.consensus.distances is None
    assert large.consensus.stress == pytest.approx(exact.consensus.stress, rel=0.05)
    assert large.consensus.median.distances == pytest.approx(exact.consensus.median.distances, rel=0.2)
    assert (large.n_landmarks, exact.n_landmarks) == (500, 0)
    texts = [" ".join(check.summary()) for check in (large, exact)]
    assert ["500 points drawn at random" in text for text in texts] == [True, False]
    curves = (check.convergence.curve.distance.to_numpy() for check in (large, exact))
    assert next(curves) == pytest.approx(next(curves), rel=0.15)
    pictures = [check.consensus.embedding - check.consensus.embedding.mean(axis=0) for check in (large, exact)]
    left, _, right = np.linalg.svd(pictures[0].T @ pictures[1])
    assert np.linalg.norm(pictures[0] @ left @ right - pictures[1]) < 0.1 * np.linalg.norm(pictures[1])


def test_points_do_not_depend_on_labels(large):
    points = check_embedding(embeddings=RUNS, random_state=0).points
    assert points.equals(large.points.drop(columns="label"))


def test_threads_change_nothing(large):
    again = check_embedding(embeddings=RUNS, labels=LABELS, random_state=0, n_jobs=3)
    assert again.consensus.embedding.tobytes() == large.consensus.embedding.tobytes()
    assert again.consensus.stress == large.consensus.stress
    for table in ("points", "label_pairs", "label_groups"):
        assert getattr(again, table).equals(getattr(large, table))
    assert again.convergence.curve.equals(large.convergence.curve)


def test_memory_and_distances_grow_with_the_points_and_not_with_their_pairs(large, monkeypatch):
    n_distances, compute = [], point_stability.distances_over_runs

    def counting(*given):
        landmarks, spread = given[5], given[-5]
        n_distances.append(len(spread) * len(landmarks))
        compute(*given)

    monkeypatch.setattr(point_stability, "distances_over_runs", counting)
    peaks, counts = [], []
    for n in (4000, 8000):
        runs, labels = _runs(n, 3)
        n_distances.clear()
        tracemalloc.start()
        check_embedding(embeddings=runs, labels=labels, random_state=0)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        counts.append(sum(n_distances))
    # A value of each pair has 8 bytes.
    assert peaks[1] < 8 * 8000**2 / 2 / 10
    assert peaks[1] < 2.2 * peaks[0]
    assert 0 < counts[1] < 2.2 * counts[0]


def test_all_points_as_landmarks_give_the_numbers_of_all_pairs():
    codes = np.where(LABELS == None, -1, LABELS).astype(int)  # noqa: E711
    exact, found = (run_distances(RUNS[:, :400], codes[:400], 10, 1, marks) for marks in (None, np.arange(400)))
    for field in fields(exact):
        assert getattr(found, field.name).tobytes() == getattr(exact, field.name).tobytes()


def test_every_label_has_landmarks():
    codes = np.repeat([0, 1, 2, -1], [1000, 120, 2, 50])
    landmarks = np.arange(0, 1000, 2)
    found = _with_all_labels(landmarks, codes, 3)
    assert (found[:500] == landmarks).all()
    assert len(set(found)) == len(found)
    assert np.bincount(codes[found]).tolist() == [500, 120, 2]


def test_points_of_a_plane_are_placed_where_they_are():
    picture = RUNS[0].astype(float)
    landmarks = np.arange(0, N, 10)
    placed = place_by_landmarks(RUNS[:1], np.ones(1), landmarks, picture[landmarks])
    assert placed == pytest.approx(picture - picture.mean(axis=0), abs=0.005)


def test_a_point_is_placed_where_no_place_near_it_fits_better():
    landmarks = np.arange(0, N, 10)
    weights = np.full(len(RUNS), 1 / len(RUNS))
    placed = place_by_landmarks(RUNS, weights, landmarks, RUNS[0][landmarks].astype(float))
    marks = placed[landmarks]
    for point in range(1, N, 70):
        distances = np.mean([cdist(run[[point]], run[landmarks])[0] for run in RUNS], axis=0)
        around = placed[point] + 0.1 * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
        misfits = np.square(cdist(around, marks) - distances).sum(axis=1)
        assert misfits.argmin() == 0


def test_fidelity_by_weights_of_all_points_is_that_of_the_distances(monkeypatch):
    """All points are judged, in another order."""
    few = RUNS[:, :400]
    X, consensus = few[0].astype(float), check_embedding(embeddings=few, random_state=0).consensus
    runs = _of_one_size(few, "unit_norm")
    neighbors = run_distances(runs, np.full(400, -1), 15).neighbors
    monkeypatch.setattr(fidelity, "N_PAIRS", 400**2)
    first, second = (
        fidelity.fidelity_table(
            X, runs, neighbors, distances, consensus.embedding, np.random.RandomState(0), 1, consensus.median.weights
        )
        for distances in (consensus.distances, None)
    )
    assert second.value.to_numpy() == pytest.approx(first.value.to_numpy(), abs=1e-6)


def test_fidelity_of_some_points_is_that_of_all(few_are_many, monkeypatch):
    X = RUNS[0].astype(float)
    monkeypatch.setattr(fidelity, "N_JUDGED", 500)
    found = check_embedding(X, embeddings=RUNS, random_state=0).fidelity
    monkeypatch.setattr(embedding_check, "EXACT_POINTS", N)
    expected = check_embedding(X, embeddings=RUNS, random_state=0).fidelity
    assert found.value.to_numpy() == pytest.approx(expected.value.to_numpy(), abs=0.02)
