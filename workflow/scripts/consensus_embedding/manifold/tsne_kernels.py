"""The loops of t-SNE, compiled: affinities of a row, forces, loss, and the descent."""

from __future__ import annotations

import numpy as np
from numba import njit

# Sums may be added up in another order, and error_model="numpy" leaves out numba's check of divisions: only so does
# the loop over pairs vectorise, which is ten times as fast. Approximate reciprocals ("arcp" and "afn", which
# fastmath=True has) are not allowed: Intel's and AMD's differ in their last digits, and t-SNE is chaotic.
_FLAGS = {"nnan", "ninf", "nsz", "reassoc", "contract"}
_FAST = {"cache": True, "nogil": True, "fastmath": _FLAGS, "error_model": "numpy"}
# Were it left to the compiler whether a loop is inlined, the last digit of its sums would depend on whether the code
# was just compiled or came from the cache, and a last digit grows into another run.
_INLINED = {**_FAST, "forceinline": True}
_EXPLORATION_ITERATIONS = 250
_CHECK_EVERY = 50


@njit(cache=True, nogil=True)
def conditional_probabilities(squared_distances: np.ndarray, perplexity: float) -> np.ndarray:
    """Row-wise Gaussian affinities whose entropy is log(perplexity), by bisection on the precision."""
    n, k = squared_distances.shape
    result = np.empty((n, k))
    target = np.log(perplexity)
    for i in range(n):
        low, high, beta = 0.0, np.inf, 1.0
        # Distances from the nearest one on: the same probabilities, and no underflow of the whole row.
        nearest = squared_distances[i].min()
        for _ in range(100):
            total, weighted = 0.0, 0.0
            for j in range(k):
                d = squared_distances[i, j] - nearest
                p = np.exp(-beta * d)
                result[i, j] = p
                total += p
                weighted += p * d
            gap = np.log(total) + beta * weighted / total - target
            if abs(gap) <= 1e-5:
                break
            if gap > 0.0:
                low = beta
                beta = beta * 2.0 if high == np.inf else 0.5 * (beta + high)
            else:
                high = beta
                beta = 0.5 * (beta + low)
        for j in range(k):
            result[i, j] /= total
    return result


@njit(**_INLINED)
def repulsion(x: np.ndarray, y: np.ndarray, forces: np.ndarray) -> float:
    """Unnormalised repulsive forces into `forces` (n, 2); returns the normaliser of the similarities."""
    n = len(x)
    half = n // 2
    one = np.float32(1)
    total = 0.0
    for i in range(n):
        xi, yi = x[i], y[i]
        row, fx, fy = np.float32(0), np.float32(0), np.float32(0)
        # Two pairs share one division, the slowest step: 1 / a = b / (a b).
        for j in range(half):
            dx, dy, ex, ey = xi - x[j], yi - y[j], xi - x[half + j], yi - y[half + j]
            a, b = one + dx * dx + dy * dy, one + ex * ex + ey * ey
            both = one / (a * b)
            q, r = both * b, both * a
            row += q + r
            fx += q * q * dx + r * r * ex
            fy += q * q * dy + r * r * ey
        if n % 2:
            dx, dy = xi - x[n - 1], yi - y[n - 1]
            q = one / (one + dx * dx + dy * dy)
            row += q
            fx += q * q * dx
            fy += q * q * dy
        total += row
        forces[i, 0], forces[i, 1] = fx, fy
    return total - n


@njit(**_INLINED)
def attraction(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, x: np.ndarray, y: np.ndarray, forces: np.ndarray
) -> None:
    """Attractive forces into `forces` (n, 2); each edge is met from both its ends, so that rows are sums alone."""
    one = np.float32(1)
    for i in range(len(x)):
        xi, yi, fx, fy = x[i], y[i], np.float32(0), np.float32(0)
        neighbors, pulls = indices[indptr[i] : indptr[i + 1]], weights[indptr[i] : indptr[i + 1]]
        for k in range(len(neighbors)):
            j = np.uint32(neighbors[k])
            dx, dy = xi - x[j], yi - y[j]
            w = pulls[k] / (one + dx * dx + dy * dy)
            fx += w * dx
            fy += w * dy
        forces[i, 0], forces[i, 1] = fx, fy


@njit(**_INLINED)
def divergence(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, x: np.ndarray, y: np.ndarray, total: float
) -> float:
    """Kullback-Leibler divergence over the edges, each met from both its ends."""
    result = 0.0
    for i in range(len(x)):
        for k in range(indptr[i], indptr[i + 1]):
            p = np.float64(weights[k])
            if p <= 0.0:
                continue
            j = indices[k]
            dx, dy = x[i] - x[j], y[i] - y[j]
            result += p * np.log(p * total * (1.0 + dx * dx + dy * dy))
    return result


@njit(**_FAST)
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
) -> tuple[float, int]:
    """Gradient descent with momentum and gains, in place; an early phase with exaggerated attraction."""
    n = len(xy)
    x, y = np.empty(n, np.float32), np.empty(n, np.float32)
    pull, push = np.empty((n, 2), np.float32), np.empty((n, 2), np.float32)
    update, gains = np.empty((n, 2), np.float32), np.empty((n, 2), np.float32)
    iteration = 0
    for phase in range(2):
        factor = exaggeration if phase == 0 else np.float32(1)
        momentum = np.float32(0.5) if phase == 0 else np.float32(0.8)
        last = min(_EXPLORATION_ITERATIONS, max_iter) if phase == 0 else max_iter
        wait = _EXPLORATION_ITERATIONS if phase == 0 else patience
        best, best_iteration = np.float64(np.finfo(np.float64).max), iteration
        update[:] = np.float32(0)
        gains[:] = np.float32(1)
        while iteration < last:
            x[:], y[:] = xy[:, 0], xy[:, 1]
            total = repulsion(x, y, push)
            attraction(indptr, indices, weights, x, y, pull)
            checking = (iteration + 1) % _CHECK_EVERY == 0
            if checking:
                error = divergence(indptr, indices, weights, x, y, total)
            scale = np.float32(1.0 / total)
            norm = 0.0
            for i in range(n):
                for c in range(2):
                    gradient = np.float32(4) * (factor * pull[i, c] - scale * push[i, c])
                    norm += np.float64(gradient) * np.float64(gradient)
                    gain = gains[i, c]
                    if update[i, c] * gradient < np.float32(0):
                        gain += np.float32(0.2)
                    else:
                        gain *= np.float32(0.8)
                    gain = max(gain, np.float32(0.01))
                    gains[i, c] = gain
                    step = momentum * update[i, c] - rate * gain * gradient
                    update[i, c] = step
                    xy[i, c] += step
            iteration += 1
            if checking:
                if error < best:
                    best, best_iteration = error, iteration
                elif iteration - best_iteration > wait:
                    break
                if np.sqrt(norm) <= min_grad_norm:
                    break
    x[:], y[:] = xy[:, 0], xy[:, 1]
    return divergence(indptr, indices, weights, x, y, repulsion(x, y, push)), iteration
