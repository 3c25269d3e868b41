"""Mean-shift centres for a bandwidth, and the bandwidth that leaves the number of centres wanted."""

from __future__ import annotations

import numpy as np
from numba import njit

from consensus_embedding.clustering.mean_shift_kernels import (
    AXES,
    LEAF_SIZE,
    NUMBA,
    Leaves,
    climb_flat,
    climb_gaussian,
    distinct_rows,
    squared_distance,
)
from consensus_embedding.utils.threads import one_blas_thread

SEEDINGS = ("grid", "pixels", "auto")
_MAX_ITER = 300
# The normal kernel is cut at this many standard deviations, where its weight is exp(-8) or 3e-4.
_CUT = 4.0
# The search for a bandwidth is content with this share of the objects asked for.
_ENOUGH = 2 / 3
_SEARCH_STEPS = 12
# With this share of them or less, "auto" looks again from seeds at the pixels, at most so many.
_FEW = 0.1
_MOST_SEEDS = 5000
# No search needs as many: a bandwidth is at most doubled from step to step, and the first is not far below the spread.
_MOST_STEPS = 100
# Where the search starts: a bandwidth that leaves k centres of n pixels has about 3 sqrt(k n) occupied bins, and the
# centres fall with its fifth power. Measured on texture features of brain images; elsewhere the search takes longer.
_BINS_FACTOR, _CENTRES_POWER = 3.0, -5.0


def leaves_of(F: np.ndarray) -> Leaves:
    """Halve the pixels F, (n, p), along the widest principal axis until the parts are small."""
    with one_blas_thread():
        spread = np.cov(F, rowvar=False) if len(F) > 1 else np.zeros(F.shape[1] ** 2)
        _, axes = np.linalg.eigh(spread.reshape(F.shape[1], F.shape[1]))
        rotation = np.ascontiguousarray(axes[:, ::-1])
        rotated = F @ rotation
    order = np.arange(len(F))
    open_parts = [(0, len(F))]
    while open_parts:
        start, stop = open_parts.pop()
        if stop - start <= LEAF_SIZE:
            continue
        part = rotated[order[start:stop]]
        widest = np.ptp(part, axis=0).argmax()
        order[start:stop] = order[start:stop][np.argsort(part[:, widest], kind="stable")]
        # All leaves but the last are full.
        middle = start + (stop - start + LEAF_SIZE) // (2 * LEAF_SIZE) * LEAF_SIZE
        open_parts += [(start, middle), (middle, stop)]
    columns = rotated[order].T.astype(np.float32)
    starts = np.arange(0, len(F), LEAF_SIZE)
    low, high = np.minimum.reduceat(columns, starts, axis=1), np.maximum.reduceat(columns, starts, axis=1)
    # What is not a number is within no distance, not even an infinite one.
    filled = np.zeros((F.shape[1] + -F.shape[1] % AXES, len(starts) * LEAF_SIZE), dtype=np.float32)
    filled[:, len(F) :] = np.nan
    filled[: F.shape[1], : len(F)] = columns
    by_leaf = filled.reshape(len(filled), len(starts), LEAF_SIZE).transpose(1, 0, 2)
    return Leaves(F[order], rotation, np.ascontiguousarray(by_leaf), low, high)


def _bins(F: np.ndarray, bandwidth: float, limit: int) -> np.ndarray:
    """Occupied cells of a grid, in units of its width; one more than `limit` if there are more."""
    cells = np.round(F / bandwidth) + 0.0
    first, _ = distinct_rows(cells.view(np.int64), limit)
    return cells[first]


def centres_of(
    leaves: Leaves, F: np.ndarray, offset: np.ndarray, bandwidth: float, kernel: str, *, on_grid: bool
) -> np.ndarray:
    """
    Mean-shift centres for a bandwidth, (n_centres, p), by falling mass.

    `leaves` are of `leaves_of`; the seeds are the occupied cells of a grid, or pixels. `offset`, (p,), was taken off
    the features F, (n, p); the grid is that of the features as given. No centres if no seed has a pixel within the
    bandwidth.
    """
    seeds = F[:: -(-len(F) // _MOST_SEEDS)]
    if on_grid:
        seeds = _bins(F + offset, bandwidth, len(F)) * bandwidth - offset
        if len(seeds) == len(F):
            seeds = F
    if kernel == "flat":
        ends, masses = climb_flat(leaves, seeds, bandwidth, _MAX_ITER)
    else:
        precision = (F.shape[1] + 2) / bandwidth**2
        ends, masses = climb_gaussian(leaves, seeds, bandwidth, _CUT / np.sqrt(precision), precision, _MAX_ITER)
    ends, masses = ends[masses > 0], masses[masses > 0]
    falling = np.lexsort((*ends.T[::-1], masses))[::-1]
    ends = ends[falling]
    return ends[_apart(ends, bandwidth)]


@njit(**NUMBA)
def _apart(points: np.ndarray, radius: float) -> np.ndarray:
    """Indices of the points, first come first kept, that are farther than a radius from all kept before."""
    kept, n_kept = np.empty(len(points), np.int64), 0
    for i in range(len(points)):
        alone = True
        for k in range(n_kept):
            if squared_distance(points[kept[k]], points[i]) <= radius * radius:
                alone = False
                break
        if alone:
            kept[n_kept] = i
            n_kept += 1
    return kept[:n_kept]


def seeded_centres(
    F: np.ndarray, offset: np.ndarray, max_objects: int, kernel: str, seeding: str, bandwidth: float | None
) -> tuple[float, np.ndarray]:
    """
    Bandwidth and centres, (n_centres, p).

    Without a bandwidth, one that leaves at most `max_objects` centres and not many fewer. See `mean_shift_objects`;
    `offset` as in `centres_of`. A ValueError if no bandwidth is found.
    """
    leaves = leaves_of(F)

    def centres(*, on_grid: bool) -> tuple[float, np.ndarray]:
        if bandwidth is None:
            return _search_bandwidth(leaves, F, offset, max_objects, kernel, on_grid=on_grid)
        return bandwidth, centres_of(leaves, F, offset, bandwidth, kernel, on_grid=on_grid)

    if seeding != "auto":
        return centres(on_grid=seeding == "grid")
    try:
        from_grid = centres(on_grid=True)
    except ValueError:
        return centres(on_grid=False)
    if len(from_grid[1]) > _FEW * max_objects:
        return from_grid
    return max(from_grid, centres(on_grid=False), key=lambda found: len(found[1]))


def _search_bandwidth(
    leaves: Leaves, F: np.ndarray, offset: np.ndarray, max_objects: int, kernel: str, *, on_grid: bool
) -> tuple[float, np.ndarray]:
    """Bandwidth that leaves at most `max_objects` centres and not many fewer, and those centres."""
    aim = 0.5 * (1.0 + _ENOUGH) * max_objects
    log_h, goal = np.log(_start_bandwidth(F, aim)), np.log(aim)
    many, few, best, steps = None, None, None, 0
    while best is None or (steps < _SEARCH_STEPS and len(best[1]) < _ENOUGH * max_objects):
        steps += 1
        bandwidth = float(np.exp(log_h))
        centres = centres_of(leaves, F, offset, bandwidth, kernel, on_grid=on_grid)
        # Where no seed has a pixel within it, the bandwidth is too narrow as well.
        point = (log_h, np.log(len(centres) or len(F)))
        if 1 <= len(centres) <= max_objects:
            few = point
            if best is None or len(centres) > len(best[1]):
                best = bandwidth, centres
        elif steps == _MOST_STEPS and best is None:
            raise ValueError(
                f"No bandwidth leaves between 1 and max_objects = {max_objects} centres of {len(F)} pixels: {steps} "
                f"were tried, the last one left {len(centres)}. Look for fill values far beyond the other features, "
                "scale the features, or give a bandwidth."
            )
        else:
            many = point
        if many and few:
            log_h = many[0] + np.clip((many[1] - goal) / (many[1] - few[1]), 0.1, 0.9) * (few[0] - many[0])
        else:
            log_h += np.clip((goal - point[1]) / _CENTRES_POWER, -0.7, 0.7)
    return best


def _start_bandwidth(F: np.ndarray, n_centres: float) -> float:
    """Bandwidth near which that many centres are to be expected."""
    bins = int(min(0.9 * len(F), _BINS_FACTOR * np.sqrt(n_centres * len(F))))
    high = 2.0 * np.abs(F).max()
    low = high * 1e-4
    for _ in range(12):
        middle = np.sqrt(low * high)
        if len(_bins(F, middle, bins)) > bins:
            low = middle
        else:
            high = middle
    return high
