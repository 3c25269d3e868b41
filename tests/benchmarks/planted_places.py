"""
Simulated data in which the place of some points is truly undetermined, and instability scores to tell them by.

The rule by which the score was chosen, written before any of them was computed: of the scores in SCORES, the one with
the highest mean area under the ROC curve (planted points against members of clusters) over the calibration draws wins.
Calibration draws have the seeds of CALIBRATION, the draws on which the winner is judged those of JUDGING. If the best
is within 0.005 of `neighbor_displacement`, that stays: its value for runs that agree and for random runs is known (0
and 1), and it costs one pass over the neighbours.

The limit below which a point is called stable is the smallest multiple of 0.05 that at least 90 % of the members of
clusters in the calibration draws are below. The limit above which it is called unstable is 0.5, nearer to random than
to agreement, without regard to any data.

Changed three times after calibrations had been seen; rule and scores are unchanged. In all of them
`neighbor_displacement` had the highest mean area of the ten, alone or with others.

1. Planted were midpoints of random members of two of 3, 5 or 8 clusters of unequal width, points at 0.3 to 0.7 of the
   way between two centres, and wide Gaussian noise. Mean area 0.75 (the spread of all distances: 0.33). Most planted
   points had over 80 % of their 30 nearest neighbours in one cluster, the tighter one, where every run put them.
2. Planted were points where two or three of 6, 10 or 15 clusters had equal shares of the 30 nearest members. Mean area
   0.84 (all distances: 0.24). Of 60 planted points looked at, 42 were in the same cluster in 12 of 12 runs: either the
   affinities of t-SNE were still unequal (0.6 and 0.3), or planted points were nearest to each other and formed a
   group. Data can be ambiguous where every run decides alike; a comparison of runs cannot see that.
3. The truth is now one that can be proved: the data are their own mirror image. With clusters 6 radii apart, six of the
   ten scores had an area of 1.000 in each draw, so that nothing was told apart; the distance is now 2.5, 4 or 6.
   90 % of the members were below 0.004 and planted points at 0.13 to 0.5: a point that is at either of two places has
   at most half of the value of random points. No point of them would be called unstable above 0.5. The limits are now
   read as shares of runs: a point that a share q of the runs puts among other, random neighbours has 2 q (1 - q).
   Stable is below 0.05 (one run in 40), the rule above; unstable is above 0.1 (one run in 20).
4. On the calibration draws as they are now `neighbor_turnover` had 0.980 and `neighbor_displacement` 0.972 (2.5 radii
   apart: 0.940 and 0.915; else both 1.000). By the rule `neighbor_turnover` wins. It does not lead the check, against
   the rule: in calibrations 1 and 2 it had 0.47 and 0.68 against 0.75 and 0.84, and its value depends on how firmly the
   inside of a cluster is arranged, so that no limit between stable and unstable would suit all data. It is a column of
   the result, and the fresh draws judge both.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist, squareform

KINDS = ("mixture", "bridge", "noise")
# Numbers of clusters and dimensions; the distance between clusters takes turns, so that each meets each.
SETTINGS = [(k, p, (2.5, 4.0, 6.0)[(i + j) % 3]) for i, k in enumerate((8, 12, 16)) for j, p in enumerate((5, 20, 50))]
CALIBRATION, JUDGING = range(130, 148), range(200, 210)
N_RUNS, N_NEIGHBORS = 20, 15


@dataclass(frozen=True)
class PlantedPlaces:
    """Features (n, p), the cluster of each point (-1 for planted ones), and its kind, "member" or one of KINDS."""

    X: np.ndarray
    cluster: np.ndarray
    kind: np.ndarray


def draw(seed):
    """Planted places of one draw: the settings take turns."""
    return simulate_places(*SETTINGS[seed % len(SETTINGS)], seed)


def simulate_places(n_clusters, n_features, separation, seed, n_members=40):
    """
    Gaussian clusters, each with its mirror image, and one point per such pair that is its own mirror image.

    A point on the mirror has the same distance to each member of a cluster and to the image of that member. No
    embedding that looks at distances has a reason to put it with the one or the other: its place is undetermined.

    mixture : midpoint between a member and its image
    bridge : midpoint between the centres of a cluster and its image
    noise : on the mirror, as far from the nearest centre as another centre is

    `separation` is the distance of a centre to its image, and on average to the others, over the mean radius of a
    cluster (root mean square). The coordinates are rotated at random.
    """
    rng = np.random.default_rng([seed, n_clusters, n_features])
    n_pairs = n_clusters // 2
    radius = np.sqrt(n_features)
    on_mirror = rng.normal(size=(n_pairs, n_features))
    on_mirror[:, 0] = 0.0
    on_mirror *= separation * radius / pdist(on_mirror).mean()
    off_mirror = np.eye(n_features)[0] * separation * radius / 2
    spreads = rng.uniform(0.6, 1.4, size=(n_pairs, 1, 1))
    members = (on_mirror + off_mirror)[:, None] + spreads * rng.normal(size=(n_pairs, n_members, n_features))
    mirror = np.append(-1.0, np.ones(n_features - 1))
    kind = np.resize(KINDS, n_pairs)
    planted = np.where((kind == "mixture")[:, None], members[:, 0] * (mirror > 0), on_mirror)
    away = rng.normal(size=planted.shape) * (mirror > 0)
    away *= separation * radius / 2 / np.linalg.norm(away, axis=1, keepdims=True)
    planted += away * (kind == "noise")[:, None]
    points = np.concatenate([*members, *(members * mirror), planted])
    rotation = np.linalg.qr(rng.normal(size=(n_features, n_features)))[0]
    cluster = np.append(np.repeat(np.arange(2 * n_pairs), n_members), np.full(n_pairs, -1))
    return PlantedPlaces(points @ rotation, cluster, np.append(np.full(2 * n_pairs * n_members, "member"), kind))


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
