"""How much the position of each point, and the relation of labels, changes from run to run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist
from scipy.stats import t as student
from sklearn.neighbors import NearestNeighbors

from consensus_embedding.diagnostics.run_kernels import distances_over_runs, neighbors_in_other_runs
from consensus_embedding.utils.colours import STABILITY
from consensus_embedding.utils.threads import few_openmp_threads

# Points in one task of a thread; fixed, and summed in order, so that the number of threads does not matter.
_BLOCK = 256
# Of each label at least so many points, or all, are landmarks: the first number of few labels, the second of many, and
# between them so many that there are 6000 in all. On 10,000 points with 30 labels, 200 moved the mean distance of two
# labels by 1 to 2 % at most and their mean silhouettes by 0.04; 50 by 4 % and 0.09.
_LABEL_LANDMARKS, _FEWEST_LANDMARKS, _ALL_LANDMARKS = 200, 50, 6000
# Instability of a point, from 0 (every run alike) to 1 (points placed at random). If a share q of the runs puts it at
# one other place, as far away as random points, it is 2 q (1 - q): 0.05 is one run in 40, 0.1 is one run in 20.
POINT_LIMITS = 0.05, 0.1
# Instability of the distance between two labels: 1 is the variation of the distances between two random points, of
# which labels that change places on a grid have 0.65. Below 0.15 the distance varies by less than about 7 %.
PAIR_LIMITS = 0.15, 0.3
# Corrected share of neighbours with the same label, from 0 (labels at random) to 1.
TOGETHER, SCATTERED = 0.8, 0.2
# A point is far in a run if it is so many times further from the middle than three quarters of all points are.
# Distances end there: one point at 1e6 must not decide what "as far as random points" means for all others.
_FAR = 10.0
# Runs that intervals count in addition to those made, at one end as placed at random, at the other as perfect: what no
# run shows is in no other interval. The least of 0, 0.05, 0.1, 0.15 and 0.25 with which at most 2 % of the points
# called stable have an instability above 0.05, with 10 and 20 runs of eight data sets. What the intervals cover is in
# docs/check_validation.md.
_UNSEEN_RUNS = 0.1
# Upper quantile of intervals of 95 %.
_UPPER = 0.975
# Fewer points with a label can be neighbours by chance, and are then neighbours in all runs. Of labels put at random on
# two of 40 or 150 points 28 % and 7 % were called together, on four 1.7 % and 0.1 %, on five 0.5 % and 0.01 %.
FEWEST_POINTS = 5


@dataclass(frozen=True)
class RunDistances:
    """What the distances in m runs give, without any matrix of them; distances are in units of the size of the run."""

    neighbors: np.ndarray  # (n, m, k), int: nearest neighbours of each point in each run, sorted by number
    spread: np.ndarray  # (n,): mean over the other points of the variance over runs of the distance
    means: np.ndarray  # (n, m): mean distance to the other points
    squares: np.ndarray  # (n, m): mean square of it
    # (n_labels, n_labels, m): mean distance between the points of two labels; diagonal NaN for a label of one point.
    between: np.ndarray
    silhouettes: np.ndarray  # (n, m)
    # (n, m), of `neighbors_in_other_runs`.
    own: np.ndarray
    cross: np.ndarray
    shared: np.ndarray
    far: np.ndarray  # (n,), bool: far from all others in a run or more, see `_FAR`


def run_distances(
    embeddings: np.ndarray,
    codes: np.ndarray,
    n_neighbors: int,
    n_jobs: int = 1,
    landmarks: np.ndarray | None = None,
) -> RunDistances:
    """
    Compare the distances in several runs, (m, n, p).

    `codes`, (n,), int, are labels from 0; -1 is missing. With `landmarks`, points drawn at random, means over all other
    points are estimated by means over these, and those over a label with few of them by some more of its points; the
    neighbours and what they give are exact either way. `n_jobs` are threads, on which the result does not depend.
    """
    m, n, _ = embeddings.shape
    n_labels = int(codes.max(initial=-1)) + 1
    stack = embeddings.astype(np.float64)
    centred = stack - stack.mean(axis=1, keepdims=True)
    far, reach = far_points(stack)
    # A far point would move the middle, and make the run large, so that all others seem near each other.
    for run in np.flatnonzero(far.any(axis=1)).tolist():
        centred[run] = stack[run] - stack[run, ~far[run]].mean(axis=0)
    # Root mean square of the distances between two points, from the coordinates alone.
    radii = np.where(far, 0.0, np.square(centred).sum(axis=2))
    sizes = np.sqrt(2.0 * radii.sum(axis=1) / np.maximum((~far).sum(axis=1) - 1, 1))
    sizes[sizes == 0] = 1.0
    limits = reach / sizes
    points = np.ascontiguousarray(centred.transpose(1, 0, 2))
    # Of equally near points the first are neighbours; in this order they do not come by label, as rows often do.
    order = np.random.default_rng(0).permutation(n)
    places = np.argsort(order)
    # Not in threads: scikit-learn's searches warn there.
    with few_openmp_threads(n):
        run_neighbors = [order[_nearest(y[order], n_neighbors)[places]] for y in centred]
    neighbors = np.ascontiguousarray(np.sort(np.stack(run_neighbors), axis=2).transpose(1, 0, 2))
    drawn = np.arange(n) if landmarks is None else landmarks
    others = drawn if landmarks is None else _with_all_labels(landmarks, codes, n_labels)
    if far.any():
        # Far points stand for no others, unless there are no others; the means over a label count them, as far as the
        # reach.
        near = drawn[~far[:, drawn].any(axis=0)]
        drawn = near if len(near) > 1 else drawn
        others = np.concatenate([drawn, np.setdiff1d(others, drawn)])
    # Of very many points larger blocks, as each has its sums for all pairs of labels.
    step = max(_BLOCK, n // 1000)
    coordinates, counts, chosen = points[others], _of_labels(codes, n_labels), _of_labels(codes[others], n_labels)
    spread, blocks = np.empty(n), range(0, n, step)
    means, squares, silhouettes, own, cross, shared = (np.empty((n, m)) for _ in range(6))
    with ThreadPoolExecutor(max(1, n_jobs)) as pool:

        def part(start: int) -> np.ndarray:
            """Fill in a block of points; returns its sums of distances between labels."""
            part = slice(start, start + step)
            sums = np.zeros((n_labels, n_labels, m))
            distances_over_runs(
                points,
                sizes,
                limits,
                codes,
                counts,
                others,
                coordinates,
                chosen,
                len(drawn),
                start,
                spread[part],
                means[part],
                squares[part],
                sums,
                silhouettes[part],
            )
            neighbors_in_other_runs(points, sizes, limits, neighbors, start, own[part], cross[part], shared[part])
            return sums

        between = np.zeros((n_labels, n_labels, m))
        for sums in pool.map(part, blocks):
            between += sums
    pairs = (counts[:, None] * counts - np.diag(counts)).astype(np.float64)
    between /= np.where(pairs > 0, pairs, np.nan)[:, :, None]
    return RunDistances(
        neighbors, spread, means, squares, between, silhouettes, own, cross, shared, np.any(far, axis=0)
    )


def _nearest(points: np.ndarray, k: int) -> np.ndarray:
    """Nearest neighbours of each point, (n, k), of equally near ones the first; k is less than n / 2."""
    distances, near = NearestNeighbors(n_neighbors=k).fit(points).kneighbors(n_neighbors=k + 1)
    near = near[:, :k]
    # The search takes any of them, others in the same picture turned round.
    tied = np.flatnonzero(distances[:, k - 1] == distances[:, k])
    if not len(tied):
        return near
    # Points at one place have the same neighbours, but for themselves.
    places, one, which = np.unique(points[tied], axis=0, return_index=True, return_inverse=True)
    reach = distances[tied[one], k] * (1 + 1e-9)
    first = np.empty((len(places), k + 1), dtype=np.int64)
    tree = KDTree(points)
    # One place at a time: many points may be near each.
    for p, place in enumerate(places):
        found = np.array(tree.query_ball_point(place, reach[p], return_sorted=True))
        order = np.argsort(cdist(place[None], points[found])[0], kind="stable")
        first[p] = found[order[: k + 1]]
    first = first[which.ravel()]
    others = first != tied[:, None]
    others[others.all(axis=1), k] = False
    near[tied] = first[others].reshape(-1, k)
    return near


def _of_labels(codes: np.ndarray, n_labels: int) -> np.ndarray:
    """Number of points of each label."""
    return np.bincount(codes[codes >= 0], minlength=n_labels)


def _with_all_labels(landmarks: np.ndarray, codes: np.ndarray, n_labels: int) -> np.ndarray:
    """The landmarks, and more points of labels of which they have few, the same in each call."""
    wanted = max(_FEWEST_LANDMARKS, min(_LABEL_LANDMARKS, _ALL_LANDMARKS // max(n_labels, 1)))
    chosen = np.zeros(len(codes), dtype=bool)
    chosen[landmarks] = True
    rng, more = np.random.default_rng(0), [landmarks]
    for code in range(n_labels):
        members = codes == code
        left = np.flatnonzero(members & ~chosen)
        more.append(rng.permutation(left)[: max(0, wanted - np.count_nonzero(members & chosen))])
    return np.concatenate(more)


def far_points(embeddings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Points that are far from all others in each run, (m, n), bool, and the reach of each run, (m,).

    The reach is the distance from the middle beyond which a point is far; infinite in runs without such points.
    """
    radii = np.linalg.norm(embeddings - np.median(embeddings, axis=1, keepdims=True), axis=2)
    reach = _FAR * np.quantile(radii, 0.75, axis=1)
    reach[reach == 0] = np.inf
    far = radii > reach[:, None]
    return far, np.where(far.any(axis=1), reach, np.inf)


def jackknife_interval(value: np.ndarray, without: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Interval (low, high) over runs by the jackknife, which leaves out one run at a time.

    `without`, (..., m), is the value, (...), without each run; Student's t with m - 1 degrees of freedom. The bootstrap
    draws some runs twice; a pair of equal runs has no difference, so that it would make what compares pairs of runs
    look more stable than it is.
    """
    m = without.shape[-1]
    error = np.sqrt((m - 1) / m * np.square(without - without.mean(axis=-1, keepdims=True)).sum(axis=-1))
    reach = student.ppf(_UPPER, m - 1) * error
    return value - reach, value + reach


def point_table(runs: RunDistances, picture: np.ndarray, labels: np.ndarray | None) -> pd.DataFrame:
    """Stability of each point, shown in a picture (n, 2); the columns are described in `EmbeddingCheck`."""
    n, m = runs.own.shape
    k = runs.neighbors.shape[2]
    # Each ordered pair of runs is in the sums of both.
    total = runs.cross.sum(axis=1) / 2
    value = _share(total / (m * (m - 1)), runs.own.mean(axis=1), runs.means.mean(axis=1))
    without = _share(
        (total[:, None] - runs.cross) / ((m - 1) * (m - 2)), _mean_without(runs.own), _mean_without(runs.means)
    )
    low, high = jackknife_interval(value, without)
    # A share q of the runs is in 2 q of the pairs.
    unseen = 2.0 * _UNSEEN_RUNS / (m - 1 + 2.0 * _UNSEEN_RUNS)
    low = np.maximum(low - unseen * value, 0.0)
    high += unseen * np.maximum(1.0 - value, 0.0)
    within = np.square(_variation_within(runs)[1]).mean()
    turnover = 1.0 - runs.shared.sum(axis=1) / (m * (m - 1))
    table = pd.DataFrame(
        {
            "point": np.arange(n),
            "x": picture[:, 0],
            "y": picture[:, 1],
            "instability": value,
            "instability_low": low,
            "instability_high": high,
            "distance_spread": np.sqrt(runs.spread / within) if within > 0 else np.zeros(n),
            "neighbor_turnover": turnover / (1.0 - k / (n - 1)),
            "category": categories(low, high, POINT_LIMITS),
        }
    )
    if labels is not None:
        table.insert(1, "label", labels)
    return table


def categories(low: np.ndarray, high: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Names of instabilities by their intervals; what is between, or has too wide an interval, is uncertain."""
    return np.select([high < limits[0], low > limits[1]], ["stable", "unstable"], "uncertain")


def label_pair_table(runs: RunDistances, names: np.ndarray, codes: np.ndarray, scattered: np.ndarray) -> pd.DataFrame:
    """
    Stability of the relation of each pair of labels, a row each; columns are described in `EmbeddingCheck`.

    `codes`, (n,), are numbers of `names`, (n_labels,); `scattered`, (n_labels,), bool, tells whose points are not
    together.
    """
    first, second = np.triu_indices(len(names), 1)
    counts = _of_labels(codes, len(names))
    distances = runs.between[first, second] / runs.means.mean(axis=0)
    m = distances.shape[1]
    # As if the labels changed places at random: two points of the same run.
    chance = _variation_within(runs)[0]
    spread = _variation(distances)
    without = np.stack([_variation(np.delete(distances, r, axis=1)) for r in range(m)], axis=1)
    spread, without = (values / chance if chance > 0 else np.zeros_like(values) for values in (spread, without))
    low, high = _interval_of_variation(spread, without, np.sqrt(m) / chance if chance > 0 else 1.0)
    high = np.sqrt(np.square(high) + _UNSEEN_RUNS / (m + _UNSEEN_RUNS))
    return pd.DataFrame(
        {
            "first": names[first],
            "second": names[second],
            "n_first": counts[first],
            "n_second": counts[second],
            "distance": distances.mean(axis=1),
            "instability": spread,
            "instability_low": low,
            "instability_high": high,
            "category": np.where(scattered[first] | scattered[second], "scattered", categories(low, high, PAIR_LIMITS)),
        }
    )


def label_group_table(runs: RunDistances, names: np.ndarray, codes: np.ndarray, stability: np.ndarray) -> pd.DataFrame:
    """
    Whether the points of each label keep together, a row each; columns are described in `EmbeddingCheck`.

    `codes`, (n,), are numbers of `names`, (n_labels,); `stability`, (n,), has the category of each point.
    """
    n, _, k = runs.neighbors.shape
    rows = []
    for code, name in enumerate(names):
        members = np.flatnonzero(codes == code)
        reachable = min(k, len(members) - 1)
        row = {"label": name, "n_points": len(members)}
        row |= {f"n_{category}": int((stability[members] == category).sum()) for category in STABILITY}
        if reachable == 0:
            rows.append({**row, "category": "not judged"})
            continue
        same = (codes[runs.neighbors[members]] == code).sum(axis=2).mean(axis=0) / reachable
        chance = k * (len(members) - 1) / (n - 1) / reachable
        share = mean_over_runs(same, chance)
        corrected = [(value - chance) / (1.0 - chance) if chance < 1 else 1.0 for value in share]
        silhouette = mean_over_runs(runs.silhouettes[members].mean(axis=0))
        category = "together" if corrected[1] > TOGETHER else "scattered" if corrected[2] < SCATTERED else "mixed"
        if len(members) < FEWEST_POINTS or len(members) == n:
            category = "not judged"
        rows.append(
            row
            | dict(zip(("same_label", "same_label_low", "same_label_high"), share, strict=True))
            | {"chance": chance}
            | dict(zip(("silhouette", "silhouette_low", "silhouette_high"), silhouette, strict=True))
            | {"category": category}
        )
    columns = ["label", "n_points", *(f"n_{category}" for category in STABILITY)]
    columns += ["same_label", "same_label_low", "same_label_high", "chance"]
    columns += ["silhouette", "silhouette_low", "silhouette_high", "category"]
    return pd.DataFrame(rows, columns=columns)


def mean_over_runs(values: np.ndarray, random: float = 0.0) -> tuple[float, float, float]:
    """
    Mean over runs of one number per run, (m,), at most 1, and its interval: mean, low, high.

    Student's t, and a part of a run that was not made, at one end as the mean or as points at random places, whose
    value is `random`, at the other as perfect.
    """
    m, mean = len(values), float(values.mean())
    reach = float(student.ppf(_UPPER, m - 1) * values.std(ddof=1) / np.sqrt(m))
    unseen = _UNSEEN_RUNS / (m + _UNSEEN_RUNS)
    high = mean + reach + unseen * (1.0 - mean)
    return mean, mean - reach - unseen * max(mean - random, 0.0), min(high, 1.0)


def _share(cross: np.ndarray, own: np.ndarray, random: np.ndarray) -> np.ndarray:
    """Where a distance lies between that in the own run (0) and that of random points (1)."""
    reach = random - own
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(reach > 1e-12 * random, np.maximum(cross - own, 0.0) / reach, 0.0)


def _mean_without(values: np.ndarray) -> np.ndarray:
    """Mean over the runs without each run."""
    return (values.sum(axis=1, keepdims=True) - values) / (values.shape[1] - 1)


def _variation(values: np.ndarray) -> np.ndarray:
    """Coefficient of variation over runs."""
    means = values.mean(axis=1)
    return np.where(means > 0, values.std(axis=1, ddof=1) / np.where(means > 0, means, 1.0), 0.0)


def _interval_of_variation(value: np.ndarray, without: np.ndarray, largest: float) -> tuple[np.ndarray, np.ndarray]:
    """
    Jackknife interval of coefficients of variation, by their logarithms.

    Of the coefficients themselves, it has the true one above it too often: of 10 runs with normal distances it covers
    91 %, by the logarithms 94 %. None is above `largest`.
    """
    tiny = np.finfo(np.float64).tiny
    low, high = jackknife_interval(np.log(np.maximum(value, tiny)), np.log(np.maximum(without, tiny)))
    low, high = (np.where(value > 0, np.exp(np.minimum(end, np.log(largest))), 0.0) for end in (low, high))
    return low, high


def _variation_within(runs: RunDistances) -> tuple[float, np.ndarray]:
    """Coefficient of variation of the distances within a run, mean over runs; their standard deviation in each run."""
    means = runs.means.mean(axis=0)
    deviations = np.sqrt(np.maximum(runs.squares.mean(axis=0) - np.square(means), 0.0))
    return float(np.mean(deviations / np.where(means > 0, means, 1.0))), deviations
