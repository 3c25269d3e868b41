"""Consensus clustering: the steps written out, planted clusters, and what it does at the edges."""

from itertools import combinations

import numpy as np
import pytest
from consensus_embedding import consensus_clusters
from consensus_embedding.clustering.clustering import kmeans_runs, replicated_kmeans
from consensus_embedding.utils.seeds import stream_seed
from refusals import refusals
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score


@pytest.fixture(scope="module")
def overlapping():
    """Four blobs that run into each other, to be split in three."""
    return make_blobs(120, centers=4, cluster_std=2.5, n_features=4, random_state=1)[0]


def written_out(X, n_clusters, n_runs, seed):
    """Tiwari 2008, Section 3.3, step by step: runs, votes, scaling, k-means."""
    runs = kmeans_runs(X, n_clusters, n_runs, seed=stream_seed(seed, "runs"))
    n = len(X)
    votes = np.sum([[[a == b for b in clusters] for a in clusters] for clusters in runs], axis=0)
    centring = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centring @ np.square(1.0 - votes / n_runs) @ centring)
    places = vectors[:, ::-1][:, :n_clusters] * np.sqrt(np.maximum(values[::-1][:n_clusters], 0.0))
    return replicated_kmeans(places, n_clusters, seed=stream_seed(seed, "final"))


def test_the_steps_of_the_paper(overlapping):
    found = consensus_clusters(overlapping, 3, 20, 5)
    assert found.tolist() == written_out(overlapping, 3, 20, 5).tolist()
    assert found.shape == (120,)
    assert found[0] == 0
    assert set(found) == {0, 1, 2}


def test_repetitions_agree_better_than_single_runs_of_k_means(overlapping):
    def agreement(clusterings):
        return np.mean([adjusted_rand_score(a, b) for a, b in combinations(clusterings, 2)])

    single = kmeans_runs(overlapping, 3, 12)
    consensus = [consensus_clusters(overlapping, 3, seed=seed) for seed in range(12)]
    assert agreement(consensus) > agreement(single) + 0.1


def test_the_same_for_the_same_seed_and_for_turned_mirrored_or_shifted_objects(overlapping):
    expected = consensus_clusters(overlapping, 3, seed=2)
    assert np.array_equal(consensus_clusters(overlapping, 3, seed=2), expected)
    rotation, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))
    assert np.array_equal(consensus_clusters(overlapping @ rotation + 7.0, 3, seed=2), expected)
    assert np.array_equal(consensus_clusters(overlapping * [-1, 1, 1, 1], 3, seed=2), expected)


def test_fewer_places_than_clusters():
    assert consensus_clusters(np.ones((7, 2)), 3).tolist() == [0] * 7
    assert consensus_clusters(np.repeat([[0.0], [5.0]], 4, axis=0), 3).tolist() == [0] * 4 + [1] * 4
    assert consensus_clusters(np.arange(6.0)[:, None], 1).tolist() == [0] * 6
    assert consensus_clusters(np.arange(4.0)[:, None], 4).tolist() == [0, 1, 2, 3]


LINE = np.arange(5.0)[:, None]
test_impossible_numbers_are_refused = refusals(
    (lambda: consensus_clusters(LINE, n_clusters=6), "6"),
    (lambda: consensus_clusters(LINE, n_clusters="3"), "n_clusters .*found '3'"),
    (lambda: consensus_clusters(LINE, n_runs=0), "n_runs .*found 0"),
)
