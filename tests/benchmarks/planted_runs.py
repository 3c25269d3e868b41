"""
Runs in which it is known which points change place, for the comparison of the check with its peers.

Simulated runs have the truth by construction. For real runs of t-SNE and UMAP the truth is counted in 200 other runs:
the probability that a point lies by another group than its usual one. No score is part of it.
"""

from dataclasses import dataclass

import numpy as np
from planted_places import simulate_places
from sklearn.neighbors import NearestNeighbors

N_RUNS, N_TRUTH = 20, 200
N_GROUPS, N_MEMBERS = 8, 40
# Shares of runs that put a planted point by its second group; so many points of each.
SHARES, N_EACH = (0.05, 0.1, 0.25, 0.5), 8
# Groups that swap places among themselves.
N_SWAPPING = 4
# A point moves if it lies by another group in so many of all runs, and stays below the second number (the share that
# the check calls stable is 1 in 40). The few points between are left out.
MOVES, STAYS = 0.1, 0.025


@dataclass(frozen=True)
class PlantedRuns:
    """
    Runs (m, n, 2), data (n, p), group of each point (n,), -1 for planted ones, and the truth.

    elsewhere : share of all runs that put a point by another group than its usual one (n,); NaN is not judged.
    pairs_change : whether the distance of two groups changes from run to run (n_groups, n_groups).
    """

    runs: np.ndarray
    X: np.ndarray
    group: np.ndarray
    elsewhere: np.ndarray
    pairs_change: np.ndarray

    @property
    def moves(self):
        """1 for points that move, 0 for those that stay, -1 for others."""
        return np.select([self.elsewhere >= MOVES, self.elsewhere <= STAYS], [1, 0], -1)


def simulate_runs(kind, seed, n_runs=N_RUNS):
    """
    Groups of 40 points in a plane; a tenth of the variance of a place inside a group is new in each run.

    places : 32 more points, each in one of two groups; a share q of all runs puts them by the second
    noisy : the same, but half of the variance inside a group is new in each run
    swap : four of the eight groups change places with each other, a new permutation in each run
    random : all points are at random places in each run, and one is a million away
    """
    rng = np.random.default_rng([seed, len(kind)])
    group = np.repeat(np.arange(N_GROUPS), N_MEMBERS)
    centres = _apart(rng)
    inside = rng.normal(size=(len(group), 2))
    elsewhere, changes = np.zeros(len(group)), np.zeros((N_GROUPS, N_GROUPS), dtype=bool)
    if kind in ("places", "noisy"):
        shares = np.repeat(SHARES, N_EACH)
        homes = np.array([rng.choice(N_GROUPS, 2, replace=False) for _ in shares])
        places = np.concatenate([centres[group] + inside, centres[homes].mean(axis=1)])
        second = rng.random((n_runs, len(shares))) < shares
        of_planted = np.where(second, homes[:, 1], homes[:, 0])
        where = np.concatenate([np.broadcast_to(group, (n_runs, len(group))), of_planted], axis=1)
        group, elsewhere = np.append(group, np.full(len(shares), -1)), np.append(elsewhere, shares)
        inside = np.concatenate([inside, rng.normal(size=(len(shares), 2))])
    elif kind == "swap":
        places = centres[group] + inside
        orders = np.array(
            [np.append(rng.permutation(N_SWAPPING), np.arange(N_SWAPPING, N_GROUPS)) for _ in range(n_runs)]
        )
        where = orders[:, group]
        changes[:N_SWAPPING] = changes[:, :N_SWAPPING] = True
    elif kind == "random":
        places = centres[group] + inside
        elsewhere = np.append(np.nan, np.full(len(group) - 1, 1 - 1 / N_GROUPS))
        changes[:] = True
    else:
        raise ValueError(f"kind must be places, noisy, swap or random, found {kind}.")
    if kind == "random":
        runs = rng.normal(scale=5.0, size=(n_runs, len(group), 2))
        runs[:, 0] = 1e6
    else:
        new = 0.5 if kind == "noisy" else 0.1
        own = np.sqrt(new) * rng.normal(size=(n_runs, len(group), 2))
        runs = centres[where] + np.sqrt(1 - new) * inside + own
    return PlantedRuns(np.array([_turned(run, rng) for run in runs]), places, group, elsewhere, changes)


def ambiguous_data(seed):
    """
    Ten Gaussian clusters of 30 points in 20 dimensions, five and their mirror images, with 20 planted points.

    Five are on the mirror (`planted_places`), 15 are midpoints of two members of different clusters. Returns X
    (320, 20) and the clusters, -1 for planted points.
    """
    drawn = simulate_places(10, 20, 4.0, seed, n_members=30)
    rng = np.random.default_rng([seed, 1])
    ends = [
        [rng.choice(np.flatnonzero(drawn.cluster == k)) for k in rng.choice(10, 2, replace=False)] for _ in range(15)
    ]
    X = np.concatenate([drawn.X, drawn.X[ends].mean(axis=1)]).astype(np.float32)
    return X, np.append(drawn.cluster, np.full(15, -1))


def share_elsewhere(runs, group, n_neighbors=15):
    """Share of the runs that put a point by another group than its usual one: that of most of its nearest members."""
    member = group >= 0
    by = np.empty(runs.shape[:2], dtype=np.int64)
    for found, run in zip(by, runs, strict=True):
        near = NearestNeighbors(n_neighbors=n_neighbors + 1).fit(run[member]).kneighbors(run)[1]
        near = np.where(member[:, None], near[:, 1:], near[:, :-1])
        found[:] = [np.bincount(groups).argmax() for groups in group[member][near]]
    return 1.0 - np.array([np.bincount(found).max() for found in by.T]) / len(runs)


def _apart(rng, least=8.0):
    """Centres of groups in a square, none nearer to another than `least`."""
    centres = []
    while len(centres) < N_GROUPS:
        centre = rng.uniform(-20, 20, size=2)
        if all(np.linalg.norm(centre - other) >= least for other in centres):
            centres.append(centre)
    return np.array(centres)


def _turned(run, rng):
    """The run, turned and perhaps reflected, as runs of t-SNE are."""
    return run @ np.linalg.qr(rng.normal(size=(2, 2)))[0]
