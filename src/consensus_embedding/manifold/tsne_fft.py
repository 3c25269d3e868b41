"""t-SNE of very many points: repulsive forces by interpolation on a grid and FFT (Linderman et al. 2019)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numba import njit
from scipy import fft

from consensus_embedding.manifold import tsne_kernels as kernels

# Distance of the nodes in a picture that is wide enough: two nodes per unit of the kernels.
SPACING = 0.5
# Smaller pictures get at least so many nodes along their longer side.
_LEAST_NODES = 50
# Grids grow by so many nodes at a time, so that the kernels are seldom transformed again.
_GROWTH = 16
# Most nodes of a padded grid, in all and, beyond a small grid, per pair of points. A wider picture has points far from
# all others, and a tree suits it better.
MOST_NODES = 1 << 23
_NODES_PER_PAIR, _SMALL = 2, 1 << 16
# Free nodes between a picture and its periodic image: the inverse of the spline decays by 0.27 per node.
_GAP = 16
# In place of the grid, Barnes and Hut's trees.
_ANGLE = 0.5
# Attractive forces are shared out in so many blocks of points per thread.
_BLOCKS = 4


class Grid:
    """
    A grid of nodes `spacing` apart, so many in y and in x, and the Fourier transforms of the kernels on it.

    Linderman et al. 2019, Methods, with three changes: cubic splines, not one polynomial per three nodes, so that
    forces do not jump (the filter they need is part of the transforms); nodes keep their places, as a grid that moves
    with the picture makes its errors noise, and gains sink; the forces' own kernel, d / (1 + |d|^2)^2, is transformed
    and the normaliser comes from the spectrum, so that an iteration has three transforms of a grid.
    """

    def __init__(self, spacing: float, shape: tuple[int, int]):
        self.spacing, self.shape = spacing, shape
        self.padded = tuple(fft.next_fast_len(2 * n + _GAP, real=True) for n in shape)
        (y, wave_y), (x, wave_x) = (self._axis(n) for n in self.padded)
        wave_x = wave_x[: self.padded[1] // 2 + 1]
        similarity = 1.0 / (1.0 + np.square(y)[:, None] + np.square(x))
        spline = np.multiply.outer(2 + wave_y, 2 + wave_x) ** 2 / 81
        energy = fft.rfft2(similarity).real / spline
        squared = np.square(similarity)
        self.forces = tuple(
            (fft.rfft2(squared * away).imag / spline).astype(np.float32)
            for away in (_without_farthest(x), _without_farthest(y)[:, None])
        )
        # A point interpolated onto itself has not quite the similarity 1; this is its mean over all places.
        near, overlap = fft.irfft2(energy, self.padded)[:4, :4], np.array([2416, 2382, 240, 2]) / 5040
        self.own = float(overlap @ near @ overlap)
        # Half of the spectrum stands for all of it.
        energy[:, 1 : (self.padded[1] + 1) // 2] *= 2
        self.energy = (energy / np.prod(self.padded)).astype(np.float32)

    def _axis(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Places of n periodic nodes, and the cosines of their frequencies."""
        steps = np.rint(fft.fftfreq(n) * n)
        return steps * self.spacing, np.cos(2 * np.pi * steps / n)

    def repulsion(self, x: np.ndarray, y: np.ndarray, forces: np.ndarray) -> float:
        """As `tsne_kernels.repulsion`."""
        if not (np.ptp(x) or np.ptp(y)):
            # Nothing moves points that are at one place, not even rounding.
            forces[:] = 0
            return len(x) * (len(x) - 1.0)
        py, px = self.padded
        place = np.floor(np.array([x.min(), y.min()], np.float64) / self.spacing) * self.spacing, 1 / self.spacing
        masses = np.zeros(self.shape, np.float32)
        _spread(x, y, *place, masses)
        spectrum = fft.fft(fft.rfft(masses, px, axis=1), py, axis=0, overwrite_x=True)
        spectra = np.empty((2, *spectrum.shape), np.complex64)
        energy = _weigh(spectrum, self.energy, *self.forces, *spectra)
        fields = fft.irfft(fft.ifft(spectra, axis=1, overwrite_x=True)[:, : len(masses)], px, axis=2)
        _gather(x, y, *place, *fields, forces)
        return energy - len(x) * self.own


def _without_farthest(steps: np.ndarray) -> np.ndarray:
    """Half way around, forces from both sides cancel."""
    return np.where(np.abs(steps) == np.abs(steps).max(), 0.0, steps) if len(steps) % 2 == 0 else steps


def grid_of(x: np.ndarray, y: np.ndarray, last: Grid | None = None, widest_spacing: float = SPACING) -> Grid | None:
    """The grid of a picture, `last` if that is it; None if it would have too many nodes."""
    most = min(MOST_NODES, max(_NODES_PER_PAIR * len(x) ** 2, _SMALL))
    sides = [np.float64(values.max()) - np.float64(values.min()) for values in (y, x)]
    # NaN if one of them is.
    widest = np.max(sides)
    if not widest <= widest_spacing * np.sqrt(MOST_NODES):
        return None
    # Halved so often as it takes; without end for a picture that is one place.
    halvings = max(0.0, np.ceil(np.log2(_LEAST_NODES * widest_spacing / max(widest, 1e-12))))
    spacing = widest_spacing / 2.0**halvings
    height, width = (_GROWTH * int(np.ceil((side / spacing + 6) / _GROWTH)) for side in sides)
    shape = height, width
    if last is not None and (last.spacing, last.shape) == (spacing, shape):
        return last
    return Grid(spacing, shape) if 4 * np.prod(shape) <= most else None


@njit(cache=True, nogil=True, error_model="numpy", forceinline=True)
def _splines(value: float, corner: float, scale: float, weights: np.ndarray) -> int:
    """First of the four nodes around a value; the cubic B-splines there into `weights`."""
    place = (value - corner) * scale + 1.0
    node = int(place)
    a = np.float32(place - node)
    b = np.float32(1) - a
    sixth, half, two = np.float32(1 / 6), np.float32(0.5), np.float32(2 / 3)
    weights[0], weights[3] = sixth * b * b * b, sixth * a * a * a
    weights[1], weights[2] = two - a * a * (np.float32(1) - half * a), two - b * b * (np.float32(1) - half * b)
    return node - 1


@njit(**kernels.FAST)
def _spread(x: np.ndarray, y: np.ndarray, corner: np.ndarray, scale: float, masses: np.ndarray) -> None:
    """Add a mass of 1 per point to the nodes around it, in the order of the points."""
    in_x, in_y = np.empty(4, np.float32), np.empty(4, np.float32)
    for i in range(len(x)):
        column, row = _splines(x[i], corner[0], scale, in_x), _splines(y[i], corner[1], scale, in_y)
        for k in range(4):
            for m in range(4):
                masses[row + k, column + m] += in_y[k] * in_x[m]


@njit(**kernels.FAST)
def _weigh(
    spectrum: np.ndarray, energy: np.ndarray, in_x: np.ndarray, in_y: np.ndarray, x: np.ndarray, y: np.ndarray
) -> float:
    """Spectra of the forces into `x` and `y`; returns the energy of the masses."""
    total = 0.0
    for k in range(len(spectrum)):
        row = np.float32(0)
        for m in range(spectrum.shape[1]):
            a, b = spectrum[k, m].real, spectrum[k, m].imag
            row += (a * a + b * b) * energy[k, m]
            x[k, m] = complex(-b * in_x[k, m], a * in_x[k, m])
            y[k, m] = complex(-b * in_y[k, m], a * in_y[k, m])
        total += row
    return total


@njit(**kernels.FAST)
def _gather(
    x: np.ndarray,
    y: np.ndarray,
    corner: np.ndarray,
    scale: float,
    field_x: np.ndarray,
    field_y: np.ndarray,
    forces: np.ndarray,
) -> None:
    """Forces on the points from those at the nodes around them."""
    in_x, in_y = np.empty(4, np.float32), np.empty(4, np.float32)
    for i in range(len(x)):
        column, row = _splines(x[i], corner[0], scale, in_x), _splines(y[i], corner[1], scale, in_y)
        fx, fy = np.float32(0), np.float32(0)
        for k in range(4):
            for m in range(4):
                weight = in_y[k] * in_x[m]
                fx += weight * field_x[row + k, column + m]
                fy += weight * field_y[row + k, column + m]
        forces[i, 0], forces[i, 1] = fx, fy


def descend(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    xy: np.ndarray,
    rate: float,
    exaggeration: float,
    max_iter: int,
    min_grad_norm: float,
    patience: int,
    threads: int = 1,
) -> int:
    """
    As `tsne_kernels.descend`, with repulsive forces by the grid.

    Attractive forces are computed while one thread computes the repulsive ones; the threads do not change them.
    """
    n, one, edges = len(xy), np.float32(1), (indptr, indices, weights)
    pull, push = np.empty((n, 2), np.float32), np.empty((n, 2), np.float32)
    update, gains = np.empty((n, 2), np.float32), np.empty((n, 2), np.float32)
    blocks = list(pairwise(np.linspace(0, n, 1 + (1 if threads == 1 else _BLOCKS * threads), dtype=int)))
    grid, iteration = None, 0

    def repel(x: np.ndarray, y: np.ndarray) -> float:
        nonlocal grid
        grid = grid_of(x, y, grid)
        return kernels.approximate_repulsion(x, y, push, _ANGLE) if grid is None else grid.repulsion(x, y, push)

    with ThreadPoolExecutor(threads) as pool:
        for phase in range(2):
            factor, momentum = (exaggeration, np.float32(0.5)) if phase == 0 else (one, np.float32(0.8))
            last = min(kernels.EXPLORATION_ITERATIONS, max_iter) if phase == 0 else max_iter
            wait = kernels.EXPLORATION_ITERATIONS if phase == 0 else patience
            best, best_iteration = np.inf, iteration
            update[:], gains[:] = 0, 1
            while iteration < last:
                x, y = xy.T.copy()
                tasks = [pool.submit(repel, x, y)]
                tasks += [
                    pool.submit(kernels.attraction, indptr, indices, weights, x, y, pull, first, end)
                    for first, end in blocks
                ]
                total, *_ = (task.result() for task in tasks)
                checking = (iteration + 1) % kernels.CHECK_EVERY == 0
                error = kernels.divergence(*edges, xy, total) if checking else 0.0
                norm = kernels.move(xy, pull, push, total, factor, momentum, rate, update, gains)
                iteration += 1
                if checking:
                    if error < best:
                        best, best_iteration = error, iteration
                    elif iteration - best_iteration > wait:
                        break
                    if norm <= min_grad_norm:
                        break
    return iteration


def loss(indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, xy: np.ndarray) -> float:
    """As `tsne_kernels.loss`, by a grid finer than that of the forces, or by the tree of a picture that has none."""
    (x, y), room = xy.T.copy(), np.empty(xy.shape, np.float32)
    grid = grid_of(x, y, None, SPACING / 2) or grid_of(x, y)
    total = kernels.approximate_repulsion(x, y, room, _ANGLE) if grid is None else grid.repulsion(x, y, room)
    return kernels.divergence(indptr, indices, weights, xy, total)
