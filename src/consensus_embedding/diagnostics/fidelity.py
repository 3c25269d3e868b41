"""How faithful embeddings are to the data: neighbourhoods and distances, in blocks of points."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist, pdist
from scipy.stats import hypergeom

from consensus_embedding.diagnostics.point_stability import mean_over_runs
from consensus_embedding.diagnostics.run_kernels import points_nearer

# Points in one block, whatever the number of threads.
_BLOCK = 128
# Distances in a block of very many points.
_BLOCK_PAIRS = 2**22
# Points whose neighbours are judged, of very many.
N_JUDGED = 2000
# Pairs of points over which distances are ranked: all pairs if there are no more, else so many drawn with the seed.
N_PAIRS = 500_000
# Metric -> its name in words.
METRICS = {
    "trustworthiness": "trustworthiness",
    "continuity": "continuity",
    "neighbor_recall": "neighbour recall",
    "distance_correlation": "distance correlation",
}

Rows = Callable[[int, int], np.ndarray]


def fidelity_table(
    X: np.ndarray,  # (n, n_features), or if `precomputed` the distances between the points, (n, n)
    embeddings: np.ndarray,  # (m, n, p)
    neighbors: np.ndarray,  # (n, m, k): nearest neighbours of each point in each run; k is less than n / 2
    # Condensed. None for very many points: the neighbours of `N_JUDGED` points are judged, drawn at random.
    consensus_distances: np.ndarray | None,
    picture: np.ndarray,  # (n, 2)
    # Draws the pairs over which distances are ranked, where there are too many, and the points that are judged.
    random_state: np.random.RandomState,
    n_jobs: int = 1,  # threads, on which the result does not depend
    # (m,), without consensus distances: they are the weighted means of those in the embeddings.
    weights: np.ndarray | None = None,
    *,
    precomputed: bool = False,
) -> pd.DataFrame:
    """Fidelity of single runs, consensus distances and picture; the columns are described in `EmbeddingCheck`."""
    n, m, k = neighbors.shape
    if consensus_distances is None:
        # The points that are judged come first.
        order = random_state.permutation(n)
        places = np.empty(n, dtype=np.int64)
        places[order] = np.arange(n)
        neighbors = places[neighbors[order[:N_JUDGED]]]
        X = X[np.ix_(order, order)] if precomputed else X[order]
        embeddings, picture = embeddings[:, order], picture[order]
    values = fidelity_values(
        X, embeddings, neighbors, consensus_distances, picture, random_state, n_jobs, weights, precomputed=precomputed
    )
    data = _rows_of_data(X, precomputed=precomputed)
    chance = _chance_of_ties(data, len(neighbors), n, k, n_jobs) if _has_ties(data, n) else _chance(n, k)
    return _table(values, m, chance)


def fidelity_values(
    X: np.ndarray,
    embeddings: np.ndarray,
    neighbors: np.ndarray,
    consensus_distances: np.ndarray | None,
    picture: np.ndarray,
    random_state: np.random.RandomState,
    n_jobs: int = 1,
    weights: np.ndarray | None = None,
    *,
    precomputed: bool = False,
) -> dict[str, np.ndarray]:
    """
    Metric -> its values for the m embeddings, the consensus distances and the picture, (m + 2,).

    Arguments as for `fidelity_table`; there may be no embeddings, m = 0. `neighbors` may be those of the first points
    only, which then are judged.
    """
    (n_judged, m, k), n = neighbors.shape, len(X)
    data = _rows_of_data(X, precomputed=precomputed)
    spaces = [_rows_of_points(np.asarray(y, dtype=np.float64)) for y in embeddings]
    if consensus_distances is None:
        spaces += [_rows_of_mean(spaces[:], weights)]  # type: ignore[arg-type]  # given without distances
    else:
        spaces += [_rows_of_condensed(consensus_distances, n)]
    spaces += [_rows_of_points(picture)]
    block = _block(n)
    sums = np.zeros((3, len(spaces)))

    def part(start: int) -> np.ndarray:
        """Ranks beyond the k nearest in the data and in each space, and neighbours in common, of a block of points."""
        stop = min(start + block, n_judged)
        from_data = data(start, stop)
        near, tied = _nearest(from_data, start, k)
        in_spaces = np.empty((stop - start, len(spaces), k), dtype=np.int64)
        in_spaces[:, :m] = neighbors[start:stop]
        # Ranks of the neighbours of the data in each space, and of those of each space in the data.
        ranks_in_spaces = np.empty((stop - start, len(spaces), k))
        for s, space in enumerate(spaces):
            distances = space(start, stop)
            if s >= m:
                in_spaces[:, s] = _nearest(distances, start, k)[0]
            # Of equally near points of the data, those that the space has nearer count. Equally near points of the
            # space share their ranks, so that points at one place say nothing.
            for row, n_nearer, equal in tied:
                near[row, n_nearer:] = equal[np.argsort(distances[row, equal], kind="stable")[: k - n_nearer]]
            nearer, equal = points_nearer(distances, start, near)
            ranks_in_spaces[:, s] = 1 + nearer + equal / 2
        nearer, _ = points_nearer(from_data, start, in_spaces.reshape(len(in_spaces), -1))
        ranks_in_data = 1 + nearer.reshape(in_spaces.shape)
        excess = [np.maximum(ranks - k, 0).sum(axis=(0, 2)) for ranks in (ranks_in_data, ranks_in_spaces)]
        return np.stack([*excess, (ranks_in_data <= k).sum(axis=(0, 2))])

    first, second = _pairs(n, random_state)
    with ThreadPoolExecutor(max(1, n_jobs)) as pool:
        for result in pool.map(part, range(0, n_judged, block)):
            sums += result
        points = [*([] if precomputed else [X]), *embeddings, picture]
        pair_distances = [X[first, second]] if precomputed else []
        pair_distances += pool.map(lambda y: _pair_distances(y, first, second), points)
        order, ordered_ranks = _ranks(pair_distances.pop(0))
        data_ranks = np.empty(len(first))
        data_ranks[order] = ordered_ranks
        data_square = np.square(data_ranks).sum()
        if consensus_distances is None:
            pair_distances.insert(m, weights @ np.array(pair_distances[:m]))
        else:
            positions = n * first - first * (first + 1) // 2 + second - first - 1
            pair_distances.insert(m, consensus_distances[positions])
        correlations = list(pool.map(lambda d: _rank_correlation(data_ranks, data_square, d), pair_distances))
    worst = n_judged * k * (2 * n - 3 * k - 1) / 2
    return dict(
        zip(
            METRICS,
            (1 - sums[0] / worst, 1 - sums[1] / worst, sums[2] / (n_judged * k), np.array(correlations)),
            strict=True,
        )
    )


def _table(values: dict[str, np.ndarray], m: int, chance: dict[str, float]) -> pd.DataFrame:
    nan = float("nan")
    rows = []
    for metric in METRICS:
        runs, consensus, picture = values[metric][:m], values[metric][m], values[metric][m + 1]
        mean, low, high = mean_over_runs(runs, chance[metric])
        rows.append(("single run", metric, mean, low, high, float(runs.std(ddof=1)), chance[metric]))
        rows.append(("consensus distances", metric, consensus, nan, nan, nan, chance[metric]))
        rows.append(("picture", metric, picture, nan, nan, nan, chance[metric]))
    table = pd.DataFrame(rows, columns=["of", "metric", "value", "low", "high", "sd", "chance"])
    return table.sort_values(
        "of",
        key=lambda column: column.map({"single run": 0, "consensus distances": 1, "picture": 2}),
        kind="stable",
        ignore_index=True,
    )


def _chance(n: int, k: int) -> dict[str, float]:
    """Expected values for points placed at random, without ties: ranks are uniform on 1, ..., n - 1."""
    ranks = 1 - (n - 1 - k) * (n - k) / ((n - 1) * (2 * n - 3 * k - 1))
    return {"trustworthiness": ranks, "continuity": ranks, "neighbor_recall": k / (n - 1), "distance_correlation": 0.0}


def _has_ties(data: Rows, n: int) -> bool:
    """Whether points are equally far from one of fifty points; copies, and answers of few kinds, are from all."""
    return any(
        len(np.unique(np.delete(data(i, i + 1), i))) < n - 1 for i in np.linspace(0, n - 1, 50, dtype=int).tolist()
    )


def _chance_of_ties(data: Rows, n_judged: int, n: int, k: int, n_jobs: int) -> dict[str, float]:
    """
    As `_chance`, with the ranks and neighbours that count where points are equally far in the data.

    Of `equal` points at the distance of the last neighbour those count that the picture has nearest. It has `inside` of
    them among its k nearest, which is hypergeometric; the ranks of the others are uniform, so that the `left` first of
    them, which count too, are beyond k by 1, 2, ..., `left` steps on average.
    """
    chance, block, inside = _chance(n, k), _block(n), np.arange(k)
    # Largest mean rank beyond k, and that of random points.
    worst = n - 1.5 * k - 0.5
    beyond = (1 - chance["continuity"]) * worst

    def part(start: int) -> np.ndarray:
        """Sums over a block: mean ranks beyond k in the data and in the picture, share of neighbours in common."""
        stop = min(start + block, n_judged)
        others = data(start, stop).copy()
        others[np.arange(stop - start), np.arange(start, stop)] = np.inf
        others.sort(axis=1)
        begins = np.diff(others[:, :-1], axis=1, prepend=-1.0) > 0
        nearer = np.maximum.accumulate(np.where(begins, np.arange(n - 1, dtype=np.int32), 0), axis=1)
        in_data = np.maximum(nearer + 1 - k, 0).mean(axis=1)
        before, near = nearer[:, k - 1 : k], (nearer < k).sum(axis=1, keepdims=True)
        equal, left = near - before, np.maximum(k - before - inside, 0)
        steps = hypergeom.pmf(inside, n - 1, equal, k) * (n - k) / (np.maximum(equal - inside, 0) + 1)
        in_picture = (before[:, 0] * beyond + (steps * left * (left + 1) / 2).sum(axis=1)) / k
        return np.stack([in_data, in_picture, near[:, 0] / (n - 1)]).sum(axis=1)

    with ThreadPoolExecutor(max(1, n_jobs)) as pool:
        in_data, in_picture, common = np.sum([*pool.map(part, range(0, n_judged, block))], axis=0) / n_judged
    return dict(zip(METRICS, (1 - in_data / worst, 1 - in_picture / worst, common, 0.0), strict=True))


def _block(n: int) -> int:
    """Points in one block: of very many fewer, so that their distances to all take no more memory."""
    return max(1, min(_BLOCK, _BLOCK_PAIRS // n))


def _rows_of_data(X: np.ndarray, *, precomputed: bool) -> Rows:
    return _rows_of_distances(X) if precomputed else _rows_of_points(X)


def _rows_of_points(points: np.ndarray) -> Rows:
    return lambda start, stop: cdist(points[start:stop], points)


def _rows_of_distances(distances: np.ndarray) -> Rows:
    return lambda start, stop: distances[start:stop]


def _rows_of_mean(spaces: list[Rows], weights: np.ndarray) -> Rows:
    def rows(start: int, stop: int) -> np.ndarray:
        """Weighted sum of the rows of each space."""
        return sum(weight * space(start, stop) for space, weight in zip(spaces, weights, strict=True) if weight > 0)

    return rows


def _rows_of_condensed(distances: np.ndarray, n: int) -> Rows:
    def rows(start: int, stop: int) -> np.ndarray:
        """Rows of the square table."""
        i, j = np.arange(start, stop)[:, None], np.arange(n)
        low, high = np.minimum(i, j), np.maximum(i, j)
        positions = n * low - low * (low + 1) // 2 + high - low - 1
        return np.where(i == j, 0.0, distances[np.clip(positions, 0, len(distances) - 1)])

    return rows


def _nearest(distances: np.ndarray, start: int, k: int) -> tuple[np.ndarray, list[tuple[int, int, np.ndarray]]]:
    """
    Nearest neighbours of a block of points, (b, k), of equally far ones the lower numbers.

    And the rows that leave such out: number of the row, how many points are nearer, and those that are equally far.
    """
    others = distances.copy()
    others[np.arange(len(others)), start + np.arange(len(others))] = np.inf
    near = np.argpartition(others, k - 1, axis=1)[:, :k]
    reach = np.take_along_axis(others, near, axis=1).max(axis=1, keepdims=True)
    tied = []
    for row in np.flatnonzero((others <= reach).sum(axis=1) > k).tolist():
        nearer, equal = (np.flatnonzero(found) for found in (others[row] < reach[row], others[row] == reach[row]))
        near[row] = np.concatenate([nearer, equal[: k - len(nearer)]])
        tied.append((row, len(nearer), equal))
    return near, tied


def _pairs(n: int, random_state: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of points, or so many with first < second drawn with repeats."""
    if n * (n - 1) // 2 <= N_PAIRS:
        return np.triu_indices(n, 1)
    first = random_state.randint(n, size=N_PAIRS)
    second = (first + random_state.randint(1, n, size=N_PAIRS)) % n
    return np.minimum(first, second), np.maximum(first, second)


def _pair_distances(points: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    n = len(points)
    if len(first) == n * (n - 1) // 2:
        return pdist(points)
    step = max(1, 2**22 // points.shape[1])
    return np.concatenate(
        [
            np.linalg.norm(points[first[c : c + step]].astype(np.float64) - points[second[c : c + step]], axis=1)
            for c in range(0, len(first), step)
        ]
    )


def _rank_correlation(ranks: np.ndarray, square: float, values: np.ndarray) -> float:
    """Correlation of `_ranks`, with the sum of their squares, with those of values; 0 if one has no spread."""
    order, own = _ranks(values)
    products = ranks[order]
    products *= own
    # Not inner products, for which every thread would start threads of its own.
    size = np.sqrt(square * np.square(own, out=own).sum())
    return float(np.clip(products.sum() / size, -1, 1)) if size > 0 else 0.0


def _ranks(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Order of values, and in this order their mean ranks less the mean of all.

    `scipy.stats.rankdata` sorts stably, which takes five times as long.
    """
    order = np.argsort(values)
    ordered, n = values[order], len(values)
    differ = ordered[1:] != ordered[:-1]
    ranks = np.arange((1 - n) / 2, n / 2)
    if not differ.all():
        begins = np.flatnonzero(np.append(True, differ))
        counts = np.diff(begins, append=n)
        ranks = np.repeat(ranks[begins] + (counts - 1) / 2, counts)
    return order, ranks
