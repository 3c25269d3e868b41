"""
Simulated data in which the place of some points is truly undetermined, and instability scores to tell them by.

The rule by which the score was chosen, written before any of them was computed: of the scores in SCORES, the one with
the highest mean area under the ROC curve (planted points against members of clusters) over the calibration draws wins.
A calibration draw is one of the SETTINGS with a seed of CALIBRATION; the draws on which the winner is judged have the
seeds of JUDGING. If the best is within 0.005 of `neighbor_displacement`, that stays: its value for runs that agree and
for random runs is known (0 and 1), and it costs one pass over the neighbours.

The limit below which a point is called stable is the smallest multiple of 0.05 that at least 90 % of the members of
clusters in the calibration draws are below. The limit above which it is called unstable is 0.5, nearer to random than
to agreement, without regard to any data.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.spatial.distance import pdist, squareform

KINDS = ("mixture", "bridge", "noise")
# Numbers of clusters and dimensions.
SETTINGS = list(product((3, 5, 8), (5, 20, 50)))
CALIBRATION, JUDGING = range(100, 102), range(200, 210)
N_RUNS, N_NEIGHBORS = 20, 15


@dataclass(frozen=True)
class PlantedPlaces:
    """Features (n, p), the cluster of each point (-1 for planted ones), and its kind, "member" or one of KINDS."""

    X: np.ndarray
    cluster: np.ndarray
    kind: np.ndarray


def simulate_places(n_clusters, n_features, seed, n_members=80, n_planted=6, separation=6.0):
    """
    Gaussian clusters, and points that belong to none of them or to two.

    mixture : midpoint of random members of two random clusters
    bridge : on the line between the centres of two clusters, at 0.3 to 0.7 of its length
    noise : far from all, spread over four times the space between the centres

    `separation` is the distance of two centres over the diameter of a cluster (twice its root mean square radius), on
    average; at most half of the planted mixtures of a draw share a pair of clusters.
    """
    rng = np.random.default_rng([seed, n_clusters, n_features])
    centres = rng.normal(size=(n_clusters, n_features))
    centres *= separation * 2.0 * np.sqrt(n_features) / pdist(centres).mean() / 2.0
    spreads = rng.uniform(0.6, 1.4, size=n_clusters)
    members = [c + s * rng.normal(size=(n_members, n_features)) for c, s in zip(centres, spreads, strict=True)]
    pairs = [rng.choice(n_clusters, 2, replace=False) for _ in range(2 * n_planted)]
    mixtures = [(members[a][rng.integers(n_members)] + members[b][rng.integers(n_members)]) / 2 for a, b in pairs[::2]]
    shares = rng.uniform(0.3, 0.7, size=(n_planted, 1))
    bridges = [t * centres[a] + (1 - t) * centres[b] for t, (a, b) in zip(shares, pairs[1::2], strict=True)]
    bridges += 0.3 * rng.normal(size=(n_planted, n_features))
    noise = centres.mean(axis=0) + 2.0 * centres.std(axis=0) * rng.normal(size=(n_planted, n_features))
    kind = ["member"] * (n_clusters * n_members) + [kind for kind in KINDS for _ in range(n_planted)]
    cluster = np.append(np.repeat(np.arange(n_clusters), n_members), np.full(3 * n_planted, -1))
    return PlantedPlaces(np.concatenate([*members, mixtures, bridges, noise]), cluster, np.array(kind))


class Runs:
    """Dense distances, ranks and neighbours of small runs: what the scores below are computed from."""

    def __init__(self, embeddings, n_neighbors=N_NEIGHBORS):
        distances = np.array([squareform(pdist(y)) for y in embeddings])
        self.m, self.n, _ = distances.shape
        self.k = n_neighbors
        self.distances = distances / np.sqrt(np.square(distances).mean(axis=(1, 2), keepdims=True))
        order = np.argsort(self.distances, axis=2, kind="stable")
        self.ranks = np.argsort(order, axis=2)
        self.near = order[:, :, 1 : n_neighbors + 1]
        self.consensus = self.distances.mean(axis=0)

    def across(self, values):
        """Mean of values (m, n, n) over the neighbours of each run, for each pair of runs: (n, m, m)."""
        rows = np.arange(self.n)[:, None]
        return np.array([[values[s][rows, near].mean(axis=1) for s in range(self.m)] for near in self.near]).transpose(
            2, 0, 1
        )

    def near_consensus(self, k):
        return np.argsort(self.consensus, axis=1)[:, 1 : k + 1]


def _displacement(runs, values):
    pairs = runs.across(values)
    own = np.trace(pairs, axis1=1, axis2=2) / runs.m
    cross = (pairs.sum(axis=(1, 2)) - own * runs.m) / (runs.m * (runs.m - 1))
    return own, cross, values.sum(axis=(0, 2)) / runs.m / (runs.n - 1)


def neighbor_displacement(runs):
    own, cross, random = _displacement(runs, runs.distances)
    return (cross - own) / (random - own)


def neighbor_rank_displacement(runs):
    own, cross, random = _displacement(runs, runs.ranks)
    return (cross - own) / (random - own)


def neighbor_expansion(runs):
    own, cross, _ = _displacement(runs, runs.distances)
    return cross / own


def neighbor_turnover(runs, k=None):
    k = k or runs.k
    near = (runs.ranks > 0) & (runs.ranks <= k)
    common = np.einsum("rij,sij->irs", near, near, dtype=np.float32, optimize=True)
    return 1 - (common.sum(axis=(1, 2)) - runs.m * k) / (runs.m * (runs.m - 1) * k)


def wide_neighbor_turnover(runs):
    return neighbor_turnover(runs, min(4 * runs.k, runs.n // 3))


def distance_spread(runs):
    return runs.distances.std(axis=0).mean(axis=1)


def near_distance_spread(runs):
    return np.take_along_axis(runs.distances.std(axis=0), runs.near_consensus(runs.k), axis=1).mean(axis=1)


def near_distance_variation(runs):
    variation = runs.distances.std(axis=0) / np.where(runs.consensus > 0, runs.consensus, 1)
    return np.take_along_axis(variation, runs.near_consensus(runs.k), axis=1).mean(axis=1)


def distance_variation(runs):
    return (runs.distances.std(axis=0) / np.where(runs.consensus > 0, runs.consensus, 1)).mean(axis=1)


def displacement_and_turnover(runs):
    return np.sqrt(neighbor_displacement(runs) * neighbor_turnover(runs))


SCORES = {
    score.__name__: score
    for score in (
        neighbor_displacement,
        neighbor_rank_displacement,
        neighbor_expansion,
        neighbor_turnover,
        wide_neighbor_turnover,
        distance_spread,
        near_distance_spread,
        near_distance_variation,
        distance_variation,
        displacement_and_turnover,
    )
}
