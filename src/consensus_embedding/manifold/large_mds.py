"""
Multidimensional scaling of very many points, whose distances are a weighted mean over embeddings.

No square table is made. The distances are kept once each, in single precision, or computed again in every pass over
the pairs, with the same numbers. All sums are in double precision and in one order, whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from scipy.spatial.distance import cdist

from consensus_embedding.manifold.distance_matrices import _segment, combined_distances
from consensus_embedding.manifold.mds import classical_mds
from consensus_embedding.manifold.spectral import ARPACK_SEED, canonical_signs, start_vector
from consensus_embedding.utils.threads import one_blas_thread

# The rows are cut into this many parts of about as many pairs, whatever the number of cores; their sums are added in
# order.
_PARTS = 32
# Rows and columns of the pairs that are worked on together, small enough for the cache.
_STRIP, _TILE = 64, 512
# Lanczos to this share of the largest eigenvalue; where eigenvalues lie so near each other that it does not get there,
# to the second one, which is enough for a start.
_TOLERANCES = (1e-10, 1e-2)
# The default of `smacof`.
_STRESS_TOLERANCE = 1e-6
_RESTARTS = 20
# Points whose distances to all others are used by `landmark_scaling`.
N_LANDMARKS = 1000
# Steps of `place_by_landmarks`, and a step, as a share of the distances, after which a point is placed.
_PLACE_STEPS, _PLACED = 100, 1e-5
# Points whose distances to the landmarks are kept at a time.
_BLOCK = 1024

Progress = Callable[[str], None]


def silent(message: str) -> None:
    """Say nothing of the progress."""


class ConsensusPairs:
    """
    Weighted means of the distances in several embeddings, for passes over all pairs of points.

    Embeddings (m, n, p) are of `validate_embeddings`, weights (m,). With `keep` the distances are kept, 2 n (n - 1)
    bytes, else each pass computes them again, with the same numbers. No result depends on `n_jobs` (threads).
    """

    def __init__(self, embeddings: np.ndarray, weights: np.ndarray, *, keep: bool = True, n_jobs: int = 1):
        used = np.flatnonzero(weights)
        self.n_points, self.n_jobs = embeddings.shape[1], max(1, n_jobs)
        self.embeddings, self.weights = embeddings[used], np.asarray(weights, dtype=np.float64)[used]
        self._coordinates = np.ascontiguousarray(self.embeddings.transpose(0, 2, 1), dtype=np.float64)
        self.condensed = np.empty(0, dtype=np.float32)
        if keep:
            self.condensed = combined_distances(
                self.embeddings, self.weights, n_jobs=self.n_jobs, dtype=np.dtype(np.float32)
            )
        rows = np.arange(self.n_points, dtype=np.int64)
        before = rows * (2 * self.n_points - rows - 1) // 2
        self._bounds = np.searchsorted(before, np.linspace(0, before[-1], _PARTS + 1)).astype(np.int64)

    def between(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Distances of the points `rows` to the points `columns`, (len(rows), len(columns)), float64."""
        total = np.zeros((len(rows), len(columns)))
        for embedding, weight in zip(self.embeddings, self.weights, strict=True):
            total += weight * cdist(embedding[rows], embedding[columns])
        return total

    def guttman(self, points: np.ndarray) -> tuple[np.ndarray, float, float, float]:
        """
        One Guttman transform of points (p, n): the points moved, (p, n), stress, size and total.

        Sums over the pairs: the stress of squared differences between the distances and those of the points given, the
        size of the squared distances of the points given, the total of the squared distances.
        """

        def part(first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
            """Sums over the pairs of some points."""
            moved, sums = np.zeros_like(points), np.zeros(3)
            _pull(self.condensed, self._coordinates, self.weights, points, first, last, moved, sums)
            return moved, sums

        moved, sums = self._sum(part)
        return moved / self.n_points, *map(float, sums)

    def squares_times(self, vector: np.ndarray) -> np.ndarray:
        """Product (n,) of the table of squared distances and a vector (n,)."""

        def part(first: int, last: int) -> tuple[np.ndarray]:
            """Sums over the pairs of some points."""
            image = np.zeros(self.n_points)
            _add_squares(self.condensed, self._coordinates, self.weights, vector, first, last, image)
            return (image,)

        return self._sum(part)[0]

    def _sum(self, part: Callable[[int, int], tuple[np.ndarray, ...]]) -> list[np.ndarray]:
        """Sums over the parts of the rows, in their order."""
        with ThreadPoolExecutor(self.n_jobs) as pool:
            parts = pool.map(part, self._bounds[:-1], self._bounds[1:])
            totals = list(next(parts))
            for terms in parts:
                for total, term in zip(totals, terms, strict=True):
                    total += term
        return totals


def large_classical(pairs: ConsensusPairs, n_components: int = 2, progress: Progress = silent) -> np.ndarray:
    """
    As `classical_mds`, (n, n_components), by Lanczos' method: some forty passes over the pairs, no table.

    A RuntimeError if it does not converge, because the distances have fewer dimensions or none dominates.
    """
    n = pairs.n_points
    if not 1 <= n_components < n:
        raise ValueError(f"n_components must be from 1 to {n - 1}, one less than the points, found {n_components}.")
    if not np.ptp(pairs.embeddings, axis=1).any():
        return np.zeros((n, n_components))
    passes = 0

    def apply(vector: np.ndarray) -> np.ndarray:
        """Product of the doubly centred squares with a vector."""
        nonlocal passes
        passes += 1
        progress(f"classical scaling: pass {passes} over the pairs")
        image = pairs.squares_times(vector.ravel() - vector.mean())
        return -0.5 * (image - image.mean())

    operator = LinearOperator((n, n), matvec=apply, dtype=np.float64)
    for tolerance in _TOLERANCES:
        try:
            values, vectors = eigsh(
                operator, k=n_components, which="LA", v0=start_vector(n), ncv=min(n, max(2 * n_components + 1, 20)),
                maxiter=_RESTARTS, tol=tolerance, **ARPACK_SEED,
            )  # fmt: skip
            break
        except ArpackNoConvergence as error:
            reason = error
    else:
        raise RuntimeError(
            f"Classical scaling of {n} points found {len(reason.eigenvalues)} of n_components = {n_components} "
            f"dimensions in {passes} passes: the distances have fewer, or many that are equally long. Lower "
            'n_components, or choose mds="landmark".'
        ) from reason
    order = np.argsort(-values, kind="stable")
    return canonical_signs(vectors[:, order]) * np.sqrt(np.maximum(values[order], 0.0))


def large_smacof(
    pairs: ConsensusPairs, n_components: int = 2, max_iter: int = 300, progress: Progress = silent
) -> np.ndarray:
    """Stress majorisation from classical scaling, steps and stopping rule of `smacof`: (n, n_components), centred."""
    points, old = np.ascontiguousarray(large_classical(pairs, n_components, progress).T), np.inf
    for step in range(max_iter + 1):
        moved, stress, size, total = pairs.guttman(points)
        progress(f"SMACOF: step {step} of at most {max_iter}, stress {relative_stress(stress, total):.6f}")
        if step == max_iter or (step > 1 and old - stress < _STRESS_TOLERANCE * size):
            break
        points, old = moved, stress
    return points.T - points.mean(axis=1)


def landmark_scaling(pairs: ConsensusPairs, n_components: int = 2, n_landmarks: int = N_LANDMARKS) -> np.ndarray:
    """
    Classical scaling of some points, and the position of each other point by its distances to these.

    Coordinates (n, n_components), centred, columns by falling variance. The points that are scaled are drawn at random,
    the same in each call; with all points it is classical scaling. V. de Silva and J. B. Tenenbaum, Sparse
    multidimensional scaling using landmark points, Stanford University, 2004, Section 2.2.
    """
    n = pairs.n_points
    landmarks = np.sort(np.random.default_rng(0).permutation(n)[:n_landmarks])
    table = pairs.between(landmarks, landmarks)
    scaled, means = classical_mds(table, n_components), np.square(table).mean(axis=0)
    squares = (scaled**2).sum(axis=0)
    # The columns are orthogonal: this is the pseudo-inverse. A dimension that the landmarks lack has none.
    inverse = np.divide(scaled, squares, out=np.zeros_like(scaled), where=squares > 1e-12 * squares.max(initial=0.0))
    blocks = [np.arange(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK)]
    with one_blas_thread(), ThreadPoolExecutor(pairs.n_jobs) as pool:
        parts = pool.map(lambda rows: -0.5 * (np.square(pairs.between(rows, landmarks)) - means) @ inverse, blocks)
        placed = np.concatenate(list(parts))
    placed -= placed.mean(axis=0)
    _, vectors = np.linalg.eigh(placed.T @ placed)
    return canonical_signs(placed @ vectors[:, ::-1])


def place_by_landmarks(
    embeddings: np.ndarray, weights: np.ndarray, landmarks: np.ndarray, picture: np.ndarray, n_jobs: int = 1
) -> np.ndarray:
    """
    Complete the picture (l, n_components) of landmarks (l,), each other point by its distances to these alone.

    Distances are means of those in the embeddings (m, n, p) by the weights (m,). A point is where the sum of the
    squared differences between its distances in the picture and these is least, by the steps of SMACOF, doubled (de
    Leeuw and Heiser 1980), from the nearest landmark by the distances. Returns (n, n_components), centred, in which the
    landmarks lie as in the picture. `n_jobs`, threads, changes no result.
    """
    used = np.flatnonzero(weights)
    coordinates = np.ascontiguousarray(embeddings[used].transpose(0, 2, 1), dtype=np.float64)
    references = np.ascontiguousarray(coordinates[:, :, landmarks])
    columns = np.ascontiguousarray(picture.T, dtype=np.float64)
    placed = np.empty((coordinates.shape[2], picture.shape[1]))

    def part(start: int) -> None:
        """Place a block of points."""
        _place(coordinates, references, weights[used], columns, start, placed[start : start + _BLOCK])

    with ThreadPoolExecutor(max(1, n_jobs)) as pool:
        list(pool.map(part, range(0, len(placed), _BLOCK)))
    placed[landmarks] = picture
    return placed - placed.mean(axis=0)


def relative_stress(stress: float, total: float) -> float:
    """Kruskal's stress: root of the share that the misfits have in the squared distances; 0 if there are none."""
    return float(np.sqrt(stress / total)) if total > 0 else 0.0


# The row sums may be added up in another order, so that they vectorise. Distances may not: kept or computed again, they
# have to be the same. Functions are inlined always, or the last digits would depend on the compiler's choice.
_SUMS = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _row(
    condensed: np.ndarray, coordinates: np.ndarray, weights: np.ndarray, i: int, first: int, scratch: np.ndarray,
    total: np.ndarray, row: np.ndarray,
) -> None:  # fmt: skip
    """Distances of point i to the points `first`, ... as many as `row` has, of single precision."""
    if len(condensed) > 0:
        start = i * (2 * coordinates.shape[2] - i - 1) // 2 + first - i - 1
        row[:] = condensed[start : start + len(row)]
        return
    total[:] = 0.0
    for k in range(len(weights)):
        _segment(coordinates[k], i, first, scratch)
        for c in range(len(row)):
            total[c] += weights[k] * scratch[c]
    row[:] = total


@njit(**_SUMS)
def _pull(
    condensed: np.ndarray, coordinates: np.ndarray, weights: np.ndarray, points: np.ndarray, first: int, last: int,
    moved: np.ndarray, sums: np.ndarray,
) -> None:  # fmt: skip
    """Add to `moved` (p, n) what the pairs of the rows first, ..., last - 1 pull, and their stress and squares."""
    p, n = points.shape
    row, scratch, total = np.empty(_TILE, np.float32), np.empty(_TILE), np.empty(_TILE)
    squared, pull = np.empty(_TILE), np.empty(_TILE)
    for strip in range(first, last, _STRIP):
        for tile in range(strip + 1, n, _TILE):
            stop = min(tile + _TILE, n)
            for i in range(strip, min(strip + _STRIP, last)):
                start = max(tile, i + 1)
                width = stop - start
                if width <= 0:
                    continue
                _row(condensed, coordinates, weights, i, start, scratch[:width], total[:width], row[:width])
                squared[:width] = 0.0
                for d in range(p):
                    others, here = points[d, start:stop], points[d, i]
                    for c in range(width):
                        difference = others[c] - here
                        squared[c] += difference * difference
                stress, size, squares = 0.0, 0.0, 0.0
                for c in range(width):
                    distance, length = np.float64(row[c]), np.sqrt(squared[c])
                    gap = distance - length
                    stress += gap * gap
                    size += squared[c]
                    squares += distance * distance
                    pull[c] = distance / length if length > 0.0 else 0.0
                sums[0] += stress
                sums[1] += size
                sums[2] += squares
                for d in range(p):
                    others, here, pulled, force = points[d, start:stop], points[d, i], moved[d, start:stop], 0.0
                    for c in range(width):
                        part = pull[c] * (others[c] - here)
                        pulled[c] += part
                        force += part
                    moved[d, i] -= force


@njit(**_SUMS)
def _place(
    coordinates: np.ndarray, references: np.ndarray, weights: np.ndarray, picture: np.ndarray, start: int,
    placed: np.ndarray,
) -> None:  # fmt: skip
    """Places of the points start, start + 1, ... as many as `placed` has; the other arrays are by column."""
    dimensions, n = picture.shape
    distances, squared, pull = np.empty(n), np.empty(n), np.empty(n)
    here, moved = np.empty(dimensions), np.empty(dimensions)
    middle = np.empty(dimensions)
    for d in range(dimensions):
        middle[d] = picture[d].mean()
    for b in range(len(placed)):
        distances[:] = 0.0
        for k in range(len(weights)):
            squared[:] = 0.0
            for d in range(references.shape[1]):
                own, others = coordinates[k, d, start + b], references[k, d]
                for c in range(n):
                    difference = others[c] - own
                    squared[c] += difference * difference
            for c in range(n):
                distances[c] += weights[k] * np.sqrt(squared[c])
        nearest, size = np.argmin(distances), 0.0
        for d in range(dimensions):
            here[d] = picture[d, nearest]
        for c in range(n):
            size += distances[c] * distances[c]
        for _ in range(_PLACE_STEPS):
            squared[:] = 0.0
            for d in range(dimensions):
                others, own = picture[d], here[d]
                for c in range(n):
                    difference = own - others[c]
                    squared[c] += difference * difference
            for c in range(n):
                pull[c] = distances[c] / np.sqrt(squared[c]) if squared[c] > 0.0 else 0.0
            step = 0.0
            for d in range(dimensions):
                others, own, force = picture[d], here[d], 0.0
                for c in range(n):
                    force += pull[c] * (own - others[c])
                moved[d] = middle[d] + force / n
                step += (moved[d] - own) ** 2
            for d in range(dimensions):
                here[d] = 2.0 * moved[d] - here[d]
            if step * n <= _PLACED * _PLACED * size:
                break
        placed[b] = moved


@njit(**_SUMS)
def _add_squares(
    condensed: np.ndarray, coordinates: np.ndarray, weights: np.ndarray, vector: np.ndarray, first: int, last: int,
    image: np.ndarray,
) -> None:  # fmt: skip
    """Add to `image` the squared distances of the pairs of the rows first, ..., last - 1 times the vector."""
    n = len(vector)
    row, scratch, total = np.empty(_TILE, np.float32), np.empty(_TILE), np.empty(_TILE)
    for strip in range(first, last, _STRIP):
        for tile in range(strip + 1, n, _TILE):
            stop = min(tile + _TILE, n)
            for i in range(strip, min(strip + _STRIP, last)):
                start = max(tile, i + 1)
                width = stop - start
                if width <= 0:
                    continue
                _row(condensed, coordinates, weights, i, start, scratch[:width], total[:width], row[:width])
                others, images, here, product = vector[start:stop], image[start:stop], vector[i], 0.0
                for c in range(width):
                    square = np.float64(row[c]) * np.float64(row[c])
                    images[c] += square * here
                    product += square * others[c]
                image[i] += product
