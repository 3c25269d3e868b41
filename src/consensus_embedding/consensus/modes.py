"""Modes of a few values each, column by column: half-sample, of a kernel density, and of a histogram."""

from __future__ import annotations

import numpy as np
from numba import njit

from consensus_embedding.utils.numbers import real_numbers

# Steps uphill at most, and the step, in bandwidths, after which a peak counts as reached.
_MAX_STEPS = 1000
_STEP = 1e-9
# Least curvature, as a share of the density, for a step of Newton, which is then at most four times that of the shift.
_CURVED = 0.25
_COMPILED = {"cache": True, "nogil": True, "error_model": "numpy"}


def half_sample_mode(values: np.ndarray) -> np.ndarray:
    """
    Half-sample mode of each column.

    Repeatedly keeps the half of the sorted values that spans the least, the lower one of equal spans, until at most
    three are left (Robertson and Cryer 1974; Bickel and Fruehwirth 2006). Spans are compared to the last bit.

    Parameters
    ----------
    values : ndarray of shape (m, k)

    Returns
    -------
    ndarray of shape (k,)
    """
    return _half_sample_mode(_sorted_columns(values))


def kernel_density_mode(values: np.ndarray) -> np.ndarray:
    """
    Peak of a Gaussian kernel density estimate of each column, (m, k); (k,).

    The bandwidth is 0.9 min(standard deviation, interquartile range / 1.34) m^(-1/5) (Silverman 1986, Eq. 3.31). The
    density is taken at every value, and from the densest one (the smallest, if several) the peak is reached uphill, by
    steps of Newton or of the mean shift (Comaniciu and Meer 2002). Where the middle half of a column coincides, that
    value, as there is no bandwidth.
    """
    return _kernel_density_mode(_sorted_columns(values))


def histogram_mode(values: np.ndarray) -> np.ndarray:
    """
    Centre of the fullest bin of a histogram of each column, (m, k); (k,).

    The bins divide the range equally; their number is the range over 2 * interquartile range * m^(-1/3), rounded up
    (Freedman and Diaconis 1981), as in ``numpy.histogram(bins="fd")``. Of several fullest bins the one with its centre
    nearest to the median counts, the lower one if two are as near. Where the middle half of a column coincides, that
    value, as there is no width.
    """
    return _histogram_mode(_sorted_columns(values))


def _sorted_columns(values: np.ndarray) -> np.ndarray:
    """Columns as sorted rows (k, m); sorted in place, as NumPy is faster on rows that lie in one piece."""
    values = real_numbers(values, "values")
    if values.ndim != 2 or not values.size:
        raise ValueError(f"Values must be a table, one column for each mode, found shape {values.shape}.")
    rows = np.array(values.T, order="C")
    if not np.isfinite(rows).all():
        raise ValueError("Values contain NaN or infinity, which have no mode; leave them out.")
    rows.sort(axis=1)
    return rows


@njit(**_COMPILED)
def _half_sample_mode(ordered: np.ndarray) -> np.ndarray:
    result = np.empty(len(ordered))
    for row in range(len(ordered)):
        x = ordered[row]
        first, size = 0, len(x)
        while size > 3:
            half = (size + 1) // 2
            best, least = first, x[first + half - 1] - x[first]
            for start in range(first + 1, first + size - half + 1):
                # Written as choices, not as a branch, which the processor could only guess.
                span = x[start + half - 1] - x[start]
                best = start if span < least else best
                least = span if span < least else least
            first, size = best, half
        if size == 3:
            left, right = x[first + 1] - x[first], x[first + 2] - x[first + 1]
            first += 0 if left < right else 1
            size = 1 if left == right else 2
        total = 0.0
        for k in range(first, first + size):
            total += x[k]
        result[row] = total / size
    return result


@njit(**_COMPILED)
def _quantile(x: np.ndarray, share: float) -> float:
    """Quantile of sorted values, linear between them."""
    place = share * (len(x) - 1)
    below = int(place)
    above = min(below + 1, len(x) - 1)
    return x[below] + (place - below) * (x[above] - x[below])


@njit(**_COMPILED)
def _kernel_density_mode(ordered: np.ndarray) -> np.ndarray:
    m = ordered.shape[1]
    result = np.empty(len(ordered))
    u, density = np.empty(m), np.empty(m)
    for row in range(len(ordered)):
        x = ordered[row]
        median, spread = _quantile(x, 0.5), (_quantile(x, 0.75) - _quantile(x, 0.25)) / 1.34
        if spread <= 0:
            result[row] = median
            continue
        bandwidth = 0.9 * min(spread, np.std(x) * np.sqrt(m / (m - 1.0))) * m**-0.2
        for k in range(m):
            u[k] = (x[k] - median) / bandwidth
        density[:] = 1.0
        for k in range(m):
            for j in range(k):
                share = np.exp(-0.5 * (u[k] - u[j]) ** 2)
                density[k] += share
                density[j] += share
        result[row] = median + bandwidth * _uphill(u, u[density.argmax()])
    return result


@njit(**_COMPILED)
def _uphill(u: np.ndarray, peak: float) -> float:
    """Peak of the sum of unit Gaussians at u that is reached from a start."""
    for _ in range(_MAX_STEPS):
        weight, slope, curvature = 0.0, 0.0, 0.0
        for value in u:
            offset = value - peak
            share = np.exp(-0.5 * offset * offset)
            weight += share
            slope += share * offset
            curvature += share * (1.0 - offset * offset)
        # Newton's step where the density curves down, the shorter one of the mean shift elsewhere.
        step = slope / (curvature if curvature > _CURVED * weight else weight)
        peak += step
        if abs(step) <= _STEP:
            break
    return peak


@njit(**_COMPILED)
def _bin(value: float, start: float, width: float, n_bins: float) -> float:
    """Bin of a value, from 0; the last one includes its upper edge."""
    place = min(np.floor((value - start) / width), n_bins - 1.0)
    # The quotient of a value on an edge may be rounded to the other side; the edges decide, as in NumPy.
    if value < place * width + start:
        return place - 1.0
    return place + 1.0 if place < n_bins - 1.0 and value >= (place + 1.0) * width + start else place


@njit(**_COMPILED)
def _histogram_mode(ordered: np.ndarray) -> np.ndarray:
    m = ordered.shape[1]
    result = np.empty(len(ordered))
    for row in range(len(ordered)):
        x = ordered[row]
        median = _quantile(x, 0.5)
        width = 2.0 * (_quantile(x, 0.75) - _quantile(x, 0.25)) * m ** (-1.0 / 3.0)
        if width <= 0:
            result[row] = median
            continue
        n_bins = np.ceil((x[-1] - x[0]) / width)
        width = (x[-1] - x[0]) / n_bins
        # Distances to the median that differ by less are equal, but for rounding.
        rounding = 1e-9 * width
        fullest, mode = 0, median
        first = 0
        while first < m:
            place = _bin(x[first], x[0], width, n_bins)
            last = first + 1
            while last < m and _bin(x[last], x[0], width, n_bins) == place:
                last += 1
            centre = x[0] + (place + 0.5) * width
            if last - first > fullest or (
                last - first == fullest and abs(centre - median) < abs(mode - median) - rounding
            ):
                fullest, mode = last - first, centre
            first = last
        result[row] = mode
    return result
