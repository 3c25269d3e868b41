"""
Simulated outlines of prostate glands: benign, Gleason grade 3 and Gleason grade 4.

They replace the private glands of Sparks and Madabhushi 2011. Every parameter was fixed from what pathology says
of such glands, or is an assumption that says so, before any method was scored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from consensus_embedding.utils.seeds import stream

from replication.data.settings import GlandClass, GlandSimulator, Segmentation

# Numbers of a gland that are drawn, in this order.
SHAPE = ("radius_um", "excess_aspect", "bend_degrees", "lobulation", "folding", "spectrum_exponent")
LOBES, FOLDS = (2, 4), (5, 20)
# Harmonics of the error of the segmentation, and side of the square that glands lie in.
_ERROR_HARMONICS = 64
_FIELD_UM = 1000.0
# Points of the curve that outlines are sampled from, per point of the outline.
_OVERSAMPLING = 8
# A bent axis must not close on itself, nor the inner side of a gland fold over: limits of the angle in radians, and of
# half the width over the radius of the bend.
_LARGEST_BEND, _LARGEST_CURVATURE = 5.0, 0.9


def shape(numbers: GlandClass) -> np.ndarray:
    """Medians and spreads of `SHAPE`, shape (len(SHAPE), 2)."""
    return np.array([getattr(numbers, key) for key in SHAPE])


@dataclass(frozen=True, eq=False)
class Glands:
    """Outlines of glands."""

    # (n_glands, n_points), complex128: x + iy in micrometres. Closed simple curves, counter-clockwise, with points
    # equally spaced along them; starting point, rotation and place are random.
    outlines: np.ndarray
    labels: np.ndarray  # (n_glands,), int64: class, as an index into `names`
    # (n_glands,), int64: region of tissue, counted from 0 over all classes; a region has one class.
    regions: np.ndarray
    names: tuple[str, ...]  # of the classes


def simulate_glands(
    parameters: GlandSimulator, seed: int, *, separation: float = 1.0, role: str = "evaluation"
) -> Glands:
    """
    Draw the glands of all classes, in random order.

    An ellipse whose logarithm of the radius gets random harmonics (lobes and folds) is bent along its axis. The
    harmonics leave it star-shaped, and stretching and bending map the plane one to one, so an outline never crosses
    itself. The numbers of a gland are log-normal about the medians of its class; part of their variance is that of its
    region.

    `separation` is how far the medians of the classes are moved apart, in the logarithm: at 0 all are those of the
    middle of the classes, at 1 as given. Spreads stay those of the class. Random numbers do not depend on it:
    conditions are paired. Glands of different roles, which say what they are for, are independent.
    """
    classes = dict(parameters.classes)
    middle = np.mean([_log_medians(numbers) for numbers in classes.values()], axis=0)
    outlines, regions, n_regions = [], [], 0
    for name, numbers in classes.items():
        log_medians = middle + separation * (_log_medians(numbers) - middle)
        region = _draw_regions(numbers, stream(seed, "glands", role, name, "regions"))
        shapes = _draw_shapes(numbers, log_medians, region, parameters.between_regions, (seed, role, name))
        outlines.append(_draw_outlines(shapes, parameters, stream(seed, "glands", role, name, "outlines")))
        regions.append(n_regions + region)
        n_regions += numbers.n_regions
    labels = np.repeat(np.arange(len(classes)), [len(part) for part in regions])
    order = stream(seed, "glands", role, "order").permutation(len(labels))
    return Glands(np.concatenate(outlines)[order], labels[order], np.concatenate(regions)[order], tuple(classes))


def _log_medians(numbers: GlandClass) -> np.ndarray:
    return np.log(shape(numbers)[:, 0])


def _draw_regions(numbers: GlandClass, rng: np.random.Generator) -> np.ndarray:
    """Region of each gland: each has one, the other glands fall anywhere."""
    n_glands, n_regions = numbers.n_glands, numbers.n_regions
    return np.concatenate([np.arange(n_regions), rng.integers(n_regions, size=n_glands - n_regions)])


def _draw_shapes(
    numbers: GlandClass,
    log_medians: np.ndarray,
    region: np.ndarray,
    between: float,
    axes: tuple[int, str, str],
) -> np.ndarray:
    """Numbers of each gland, shape (n_glands, len(SHAPE))."""
    seed, role, name = axes
    spreads = shape(numbers)[:, 1]
    shared = stream(seed, "glands", role, name, "region shapes").standard_normal((numbers.n_regions, len(SHAPE)))
    own = stream(seed, "glands", role, name, "gland shapes").standard_normal((len(region), len(SHAPE)))
    return np.exp(log_medians + spreads * (np.sqrt(between) * shared[region] + np.sqrt(1.0 - between) * own))


def _draw_outlines(shapes: np.ndarray, parameters: GlandSimulator, rng: np.random.Generator) -> np.ndarray:
    """Outlines of glands with given numbers, shape (n_glands, n_points)."""
    n_points = parameters.n_points
    outlines = np.empty((len(shapes), n_points), dtype=np.complex128)
    for k, shape in enumerate(shapes):
        gland = dict(zip(SHAPE, shape, strict=True))
        curve = _curve(gland, parameters.segmentation, _OVERSAMPLING * n_points, rng)
        start, angle, x, y = rng.random(4)
        curve = equally_spaced(curve, n_points, start)
        outlines[k] = curve * np.exp(2j * np.pi * angle) + _FIELD_UM * (x + 1j * y)
    return outlines


def _curve(gland: Mapping[str, float], segmentation: Segmentation, n: int, rng: np.random.Generator) -> np.ndarray:
    """Closed curve of a gland, n points, long axis along x."""
    radius = gland["radius_um"]
    coefficients = np.zeros(n // 2 + 1, dtype=np.complex128)
    for (first, last), size in ((LOBES, gland["lobulation"]), (FOLDS, gland["folding"])):
        harmonics = np.arange(first, last + 1)
        draws = rng.standard_normal((2, len(harmonics))) * harmonics ** (-gland["spectrum_exponent"] / 2.0)
        coefficients[first : last + 1] = _harmonics(draws, size)
    draws = rng.standard_normal((2, _ERROR_HARMONICS))
    waves = np.arange(1, _ERROR_HARMONICS + 1) * segmentation.correlation_um / radius
    expected = np.exp(-np.square(waves) / 4.0)
    # Its expected variance, not that of the draw, is set; `_bent` takes back the shift along the long axis, and a
    # short outline has no room for the whole correlation: small glands get less of both.
    error = (draws[0] + 1j * draws[1]) * np.sqrt(expected / expected.sum()) / 2.0
    coefficients[1 : _ERROR_HARMONICS + 1] += segmentation.sd_um / radius * error
    log_radius = np.fft.irfft(coefficients * n, n)
    curve = np.exp(log_radius) * _circle(n)
    stretch = np.sqrt(1.0 + gland["excess_aspect"])
    curve = _bent(curve.real * stretch, curve.imag / stretch, np.radians(gland["bend_degrees"]))
    return curve * radius * np.sqrt(np.pi / enclosed_area(curve))


@cache
def _circle(n: int) -> np.ndarray:
    """Points at equal angles on the unit circle."""
    return np.exp(2j * np.pi * np.arange(n) / n)


def _harmonics(draws: np.ndarray, size: float) -> np.ndarray:
    """Coefficients of a real series with the given root mean square."""
    coefficients = draws[0] + 1j * draws[1]
    return coefficients * size / np.sqrt(2.0 * np.square(np.abs(coefficients)).sum())


def _bent(x: np.ndarray, y: np.ndarray, angle: float) -> np.ndarray:
    """Bend the x axis into an arc; one to one while the arc does not close and its centre is beyond all points."""
    x = x - (x.max() + x.min()) / 2.0
    angle = min(angle, _LARGEST_BEND, _LARGEST_CURVATURE * np.ptp(x) / np.abs(y).max())
    curvature = angle / np.ptp(x)
    return 1j / curvature - 1j * (1.0 / curvature - y) * np.exp(1j * curvature * x)


def enclosed_area(outlines: np.ndarray) -> np.ndarray:
    """Area within closed polygons, complex of shape (..., n_points); negative if they run clockwise."""
    return (outlines.conj() * np.roll(outlines, -1, axis=-1)).imag.sum(axis=-1) / 2.0


def equally_spaced(curve: np.ndarray, n_points: int, start: float = 0.0) -> np.ndarray:
    """Points at equal distances along a closed polygon; the first at `start`, a share of its length."""
    closed = np.append(curve, curve[0])
    length = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(closed)))])
    places = (start + np.arange(n_points) / n_points) % 1.0 * length[-1]
    return np.interp(places, length, closed.real) + 1j * np.interp(places, length, closed.imag)
