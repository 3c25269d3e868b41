"""Distances between closed outlines that do not depend on position, rotation and starting point."""

from __future__ import annotations

import numpy as np
from consensus_embedding.utils.threads import one_blas_thread
from numba import njit

# Contains at least 99.7 % of the power of each outline of `simulate_glands`, which 15 do not.
N_HARMONICS = 20
# A distance is at most so much above the minimum, as a share of the sizes of both outlines.
_TOLERANCE = 1e-9
# Grid over the starting point: points per harmonic.
_GRID = 8
# Newton's steps at most; the error after one is about the square of that before.
_NEWTON, _CONVERGED, _ROUNDING = 8, 1e-6, 1e-13
# Pairs of outlines whose values on the grid are found together.
_BLOCK = 64
# Intervals that wait to be looked at, one per halving; after 60 halvings doubles cannot resolve the ends.
_DEPTH = 128


def shape_distances(outlines: np.ndarray, *, size: str = "kept") -> np.ndarray:
    """
    Distances between all pairs of outlines.

    Root of the mean squared distance between points at the same share of the length, at the best translation,
    rotation and starting point; that is, of the elliptic Fourier descriptors of both (Kuhl and Giardina 1982, Comput
    Graph Image Process 18:236), of 20 harmonics or as many as the points determine, (n_points - 1) // 2. A mirrored
    outline is another shape.

    Outlines (n, n_points) are x + iy of points that are equally spaced along a closed curve, counter-clockwise as
    `simulate_glands` draws them; the last joins the first. Distances (n, n) are in their unit, or with `size` "removed"
    without unit: outlines are first scaled to root mean squared distance 1 of their points from the mean. A ValueError
    if outlines contain NaN or infinity, or are so large or small that powers of their sizes are not numbers.

    Translation and rotation have closed forms. Over the starting point the distance is minimised on a grid, and from
    its best point by Newton's method. Then every interval that may contain a smaller value is halved, by bounds on
    the second and third derivative, so that no minimum is missed: the result is above the true one by at most 1e-9 of
    the sizes of both outlines (rounding may make it 1e-8 where there are several minima close to zero).
    """
    spectra = _spectra(outlines, size)
    largest = np.abs(spectra).max()
    # Beyond, fourth powers are infinite or NaN, with which the search leaves its arrays.
    if not 1e-50 < largest < 1e50:
        raise ValueError(f"outlines: expected sizes between 1e-50 and 1e50, found {largest:g}. Simulate other glands.")
    distances = np.zeros((len(spectra), len(spectra)))
    with one_blas_thread():
        _fill_triangle(spectra, *_starting_points(spectra.shape[1] // 2), distances)
    return distances


def _spectra(outlines: np.ndarray, size: str) -> np.ndarray:
    """Fourier coefficients 1 to h, then -1 to -h, of each outline; shape (n, 2h)."""
    n_points = outlines.shape[1]
    centred = outlines - outlines.mean(axis=1, keepdims=True)
    if size == "removed":
        centred /= np.sqrt(np.square(np.abs(centred)).mean(axis=1, keepdims=True))
    h = min(N_HARMONICS, (n_points - 1) // 2)
    coefficients = np.fft.fft(centred, axis=1) / n_points
    return np.ascontiguousarray(np.concatenate([coefficients[:, 1 : h + 1], coefficients[:, : -h - 1 : -1]], axis=1))


def _starting_points(h: int) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and sines of harmonics 1 to h at the first half of the starting points of the grid, (h, n / 2 + 1)."""
    n = _GRID * (h + 1)
    turns = np.arange(1, h + 1)[:, None] * np.arange(n // 2 + 1) % n * (2.0 * np.pi / n)
    return np.cos(turns), np.sin(turns)


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_triangle(spectra: np.ndarray, cosines: np.ndarray, sines: np.ndarray, distances: np.ndarray) -> None:
    """Distances of every row to all later rows, and their mirror images."""
    for i in range(len(spectra)):
        _fill_row(spectra[i], spectra[i + 1 :], cosines, sines, distances[i, i + 1 :])
        for j in range(i + 1, len(spectra)):
            distances[j, i] = distances[i, j]


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_row(one: np.ndarray, others: np.ndarray, cosines: np.ndarray, sines: np.ndarray, row: np.ndarray) -> None:
    """Distances of one outline to others, by their spectra; in blocks, whose grids are products of matrices."""
    h, half = cosines.shape
    intervals = np.empty((_DEPTH, 4))
    products, values = np.empty((_BLOCK, 2 * h), np.complex128), np.empty(2 * half - 2)
    # Two rows for each pair: real and imaginary part.
    sums, differences = np.empty((2 * _BLOCK, h)), np.empty((2 * _BLOCK, h))
    even, odd = np.empty((2 * _BLOCK, half)), np.empty((2 * _BLOCK, half))
    for start in range(0, len(others), _BLOCK):
        size = min(_BLOCK, len(others) - start)
        for j in range(size):
            a, b = _in_order(one, others[start + j])
            for k in range(2 * h):
                products[j, k] = a[k] * np.conj(b[k])
            for k in range(h):
                forward, backward = products[j, k], products[j, h + k]
                sums[2 * j, k], sums[2 * j + 1, k] = (forward + backward).real, (forward + backward).imag
                differences[2 * j, k], differences[2 * j + 1, k] = (forward - backward).imag, (forward - backward).real
        np.dot(sums[: 2 * size], cosines, even[: 2 * size])
        np.dot(differences[: 2 * size], sines, odd[: 2 * size])
        for j in range(size):
            pair = slice(2 * j, 2 * j + 2)
            _fill_grid(even[pair], odd[pair], values)
            row[start + j] = _distance(one, others[start + j], products[j], values, intervals)


@njit(cache=True, nogil=True, error_model="numpy")
def _order(a: np.ndarray, b: np.ndarray) -> int:
    """-1, 0 or 1: which of two spectra comes first."""
    for k in range(len(a)):
        if a[k].real != b[k].real:
            return -1 if a[k].real < b[k].real else 1
        if a[k].imag != b[k].imag:
            return -1 if a[k].imag < b[k].imag else 1
    return 0


@njit(cache=True, nogil=True, error_model="numpy")
def _in_order(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two spectra in one order, in which sums are the same to the last bit whichever is first."""
    return (b, a) if _order(a, b) > 0 else (a, b)


@njit(cache=True, nogil=True, error_model="numpy")
def _distance(a: np.ndarray, b: np.ndarray, products: np.ndarray, values: np.ndarray, intervals: np.ndarray) -> float:
    """
    Distance of two outlines by their spectra, the products of these and the values on the grid.

    With b begun at t and turned by the best angle, the squared distance is |a|^2 + |b|^2 - 2 |g(t)|, where
    g(t) = sum_k a_k conj(b_k) exp(-ikt).
    """
    if _order(a, b) == 0:
        return 0.0
    a, b = _in_order(a, b)
    power_a, power_b = 0.0, 0.0
    for k in range(len(a)):
        power_a += a[k].real ** 2 + a[k].imag ** 2
        power_b += b[k].real ** 2 + b[k].imag ** 2
    slack = _TOLERANCE * (np.sqrt(power_a) + np.sqrt(power_b))
    start = _best_start(products, power_a + power_b, slack, values, intervals)
    return _residual(a, b, products, start)


@njit(cache=True, nogil=True, error_model="numpy")
def _residual(a: np.ndarray, b: np.ndarray, products: np.ndarray, start: float) -> float:
    """Distance at a starting point, from the differences themselves, which do not cancel."""
    h = len(a) // 2
    g = _correlation(products, start)
    turn = g / abs(g) if abs(g) > 0 else 1.0 + 0.0j
    step = np.exp(1j * start)
    power, squared = 1.0 + 0.0j, 0.0
    for k in range(h):
        power *= step
        for other, moved in ((a[k], turn * power * b[k]), (a[h + k], turn * np.conj(power) * b[h + k])):
            squared += (other.real - moved.real) ** 2 + (other.imag - moved.imag) ** 2
    return np.sqrt(squared)


@njit(cache=True, nogil=True, error_model="numpy")
def _correlation(products: np.ndarray, start: float) -> complex:
    """Correlation g at one starting point."""
    h = len(products) // 2
    step = np.exp(-1j * start)
    power, g = 1.0 + 0.0j, 0.0 + 0.0j
    for k in range(h):
        power *= step
        g += products[k] * power + products[h + k] * np.conj(power)
    return g


@njit(cache=True, nogil=True, error_model="numpy")
def _peak(products: np.ndarray, start: float, value: float, bend: float) -> tuple[float, float, float]:
    """
    Maximum of |g|^2 by Newton's method from where it has a value, its own, and how far around it nothing is higher.

    With `bend` a bound on the third derivative the function is concave as far as that cannot have used up the second.
    Where the steps do not converge, or to a lower place, the starting point itself and no surroundings.
    """
    h = len(products) // 2
    there = start
    for _ in range(_NEWTON):
        step = np.exp(-1j * there)
        power, g, slope, curve = 1.0 + 0.0j, 0.0 + 0.0j, 0.0 + 0.0j, 0.0 + 0.0j
        for k in range(h):
            power *= step
            forward, backward = products[k] * power, products[h + k] * np.conj(power)
            g += forward + backward
            slope -= 1j * (k + 1) * (forward - backward)
            curve -= (k + 1) ** 2 * (forward + backward)
        # Half of the second derivative, and then of the first.
        second = (slope * np.conj(slope) + curve * np.conj(g)).real
        if second >= 0:
            break
        change = (slope * np.conj(g)).real / second
        there -= change
        if abs(change) <= _CONVERGED:
            height = g.real**2 + g.imag**2
            if height >= value * (1.0 - _ROUNDING):
                return there, max(height, value), -2.0 * second / bend
            break
    return start, value, 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _squared_correlation(products: np.ndarray, start: float) -> float:
    g = _correlation(products, start)
    return g.real**2 + g.imag**2


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_grid(even: np.ndarray, odd: np.ndarray, values: np.ndarray) -> None:
    """
    |g|^2 on the grid, from its parts that are even and odd functions of the starting point.

    Points t and n - t share their cosines, and their sines except for the sign: half the grid serves both.
    """
    n, half = len(values), even.shape[1]
    for t in range(half):
        values[t] = (even[0, t] + odd[0, t]) ** 2 + (even[1, t] - odd[1, t]) ** 2
    for t in range(1, n - half + 1):
        values[n - t] = (even[0, t] - odd[0, t]) ** 2 + (even[1, t] + odd[1, t]) ** 2


@njit(cache=True, nogil=True, error_model="numpy")
def _derivative_bounds(products: np.ndarray) -> tuple[float, float]:
    """
    Bounds on the second and third derivative of |g|^2 over all starting points.

    |g|^2 is that of g(t) exp(imt) for any m, which is slow if m is the strongest harmonic; then, with
    s_j = sum_k |k - m|^j |g_k|, |(|g|^2)''| <= 2 (s_1^2 + s_0 s_2) and |(|g|^2)'''| <= 2 (s_0 s_3 + 3 s_1 s_2).
    """
    h = len(products) // 2
    sizes = np.sqrt(products.real**2 + products.imag**2)
    strongest = np.argmax(sizes)
    m = strongest + 1 if strongest < h else h - strongest - 1
    zeroth, first, second, third = 0.0, 0.0, 0.0, 0.0
    for k in range(2 * h):
        size = sizes[k]
        distance = abs((k + 1 if k < h else h - k - 1) - m)
        zeroth += size
        first += distance * size
        second += distance * distance * size
        third += distance * distance * distance * size
    return 2.0 * (first * first + zeroth * second), 2.0 * (zeroth * third + 3.0 * first * second)


@njit(cache=True, nogil=True, error_model="numpy")
def _pruning_level(best: float, power: float, slack: float) -> float:
    """What |g|^2 must exceed to shorten the distance by more than the slack."""
    distance = np.sqrt(max(power - 2.0 * np.sqrt(best), 0.0))
    shorter = max(distance - slack, 0.0)
    return max(((power - shorter * shorter) / 2.0) ** 2, best)


@njit(cache=True, nogil=True, error_model="numpy")
def _best_start(
    products: np.ndarray,
    power: float,
    slack: float,
    values: np.ndarray,
    intervals: np.ndarray,
) -> float:
    """
    Starting point of the largest |g|^2: the grid, the peak at its best point, then branch and bound around the circle.

    What lies about the peak, where nothing is higher, is passed over.
    """
    n = len(values)
    width = 2.0 * np.pi / n
    # Over an interval the function is at most so much, times the squared width, above its ends.
    second, third = _derivative_bounds(products)
    bend, third = second / 8.0, max(third, np.finfo(np.float64).tiny)
    top = np.argmax(values)
    start, best, reach = _peak(products, top * width, values[top], third)
    level = _pruning_level(best, power, slack)
    t = top - 1
    for _ in range(n):
        t = t + 1 if t + 1 < n else 0
        low, high = values[t], values[t + 1 if t + 1 < n else 0]
        if max(low, high) + bend * width * width <= level:
            continue
        depth = 0
        intervals[0, 0], intervals[0, 1], intervals[0, 2], intervals[0, 3] = t * width, width, low, high
        while depth >= 0:
            left, wide, low, high = intervals[depth]
            depth -= 1
            if max(low, high) + bend * wide * wide <= level:
                continue
            beyond = left - start
            beyond -= 2.0 * np.pi * np.rint(beyond / (2.0 * np.pi))
            if -reach < beyond and beyond + wide < reach:
                continue
            middle = left + wide / 2.0
            value = _squared_correlation(products, middle)
            if value > best:
                start, best, reach = _peak(products, middle, value, third)
                level = _pruning_level(best, power, slack)
            # The half with the higher end is looked at first.
            for far in (1, 0) if low > high else (0, 1):
                depth += 1
                intervals[depth, 0] = middle if far else left
                intervals[depth, 1] = wide / 2.0
                intervals[depth, 2] = value if far else low
                intervals[depth, 3] = high if far else value
    return start
