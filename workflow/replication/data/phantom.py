"""
Prostate phantom: simulated T2-weighted slices of two glands with lesions in known places.

It replaces the private 4 T ex vivo slices of Viswanath and Madabhushi 2012, Experiment 3. Every parameter comes
from anatomy or MR physics, or is an assumption that says so, and was fixed before any method was scored on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from consensus_embedding.utils.seeds import stream
from scipy.ndimage import gaussian_filter

PERIPHERAL, CENTRAL = 1, 2


@dataclass(frozen=True)
class Tissue:
    """T2 and texture of one tissue."""

    t2: float  # Mean, in ms.
    variation: float  # Coefficient of variation of T2 within the tissue.
    correlation_length: float  # Lag in mm at which the autocorrelation of T2 has fallen to 1/e.


@dataclass(frozen=True)
class Lesion:
    """
    A lesion: an ellipsoid about one place of the gland, cut off at the border of its zone.

    The centre is a share of the half-width and half-height of the gland in each slice, so that it follows the
    outline; y grows towards the rectum.
    """

    zone: int  # PERIPHERAL or CENTRAL.
    x: float
    y: float
    diameter: float  # In mm, in the middle slice of the lesion; the outer slices have less.
    slices: tuple[int, int]  # First and last.


@dataclass(frozen=True)
class Gland:
    """One gland: size of its largest slice, in mm, and what is in it."""

    half_width: float
    half_height: float
    t2_factor: float  # On every T2 of this gland: patients differ.
    lesions: tuple[Lesion, ...]


@dataclass(frozen=True)
class PhantomParameters:
    """All parameters of the phantom; lengths in mm, times in ms."""

    # 256 x 256 as in the paper. Its slices have 15000 to 40000 pixels; with the glands below that asks for 0.2 mm,
    # an ordinary pixel for ex vivo imaging at 4 T.
    shape: tuple[int, int] = (256, 256)
    pixel_size: float = 0.2
    n_slices: int = 8
    # Whole-mount histology is cut every 3 to 5 mm.
    slice_spacing: float = 4.0
    # T2: Simpkin et al. 2013 (Br J Radiol 86:20120469), multi-echo endorectal MRI of 43 patients: peripheral zone
    # 149 +- 49 ms, transition zone 125 +- 26 ms, tumour 97 +- 23 ms.
    # Texture is an assumption from histology: lobules and ducts of the peripheral zone every millimetre or so, nodules
    # of several millimetres in the central gland, dense tumour that is finer and more even than both.
    peripheral: Tissue = Tissue(149.0, 0.20, 1.2)
    central: Tissue = Tissue(125.0, 0.25, 3.0)
    tumour: Tissue = Tissue(97.0, 0.10, 0.6)
    # Keeps the Gaussian tail of the texture physical; far below every tissue.
    shortest_t2: float = 10.0
    # Echo time of a T2-weighted prostate protocol (90 to 130 ms are usual); TR is long, so T1 is left out.
    echo_time: float = 100.0
    # A fresh prostate measures about 40 to 50 mm across, 30 to 35 mm front to back, 40 mm base to apex.
    # t2_factor: one tenth either way, well within the spread between the patients of Simpkin et al.
    # Two thirds or more of cancers arise in the peripheral zone (McNeal et al. 1988): five of the seven lesions here.
    glands: tuple[Gland, ...] = (
        Gland(
            21.0,
            16.0,
            1.1,
            (
                Lesion(PERIPHERAL, -0.55, 0.45, 14.0, (0, 4)),
                Lesion(PERIPHERAL, 0.55, 0.50, 10.0, (3, 7)),
                Lesion(CENTRAL, 0.25, -0.35, 10.0, (2, 4)),
            ),
        ),
        Gland(
            23.5,
            17.5,
            0.9,
            (
                Lesion(PERIPHERAL, 0.45, 0.50, 15.0, (1, 5)),
                Lesion(PERIPHERAL, -0.60, 0.45, 9.0, (0, 2)),
                Lesion(PERIPHERAL, -0.45, 0.45, 11.0, (5, 7)),
                Lesion(CENTRAL, -0.25, -0.45, 12.0, (3, 5)),
            ),
        ),
    )
    # Outline: superellipse, flattened over the rectum, narrower at the ends and at the apex.
    exponent: float = 2.4
    half_length: float = 20.0
    apex_narrowing: float = 0.08
    rectal_depth: float = 2.0
    rectal_width: float = 8.0
    # Central gland: an ellipse, large at the base, small at the apex (shares of the half-width and half-height of the
    # slice). It reaches the front except in the last two slices, where a rim of 0.2 to 0.8 mm is left in front.
    central_y: float = -0.40
    central_base: float = 0.75
    central_apex: float = 0.55
    # Loss of size of a lesion from its middle slice to its outer ones.
    lesion_taper: float = 0.25
    # Endorectal coil: field on the axis of a loop, (1 + (d / r)^2)^(-3/2), r between the half-width (20 mm) and the
    # half-length (40 mm) of a common balloon coil, d from a point behind the gland: balloon wall, rectum and capsule.
    coil_radius: float = 25.0
    coil_gap: float = 6.0
    # Noise SD of each quadrature channel as a share of the signal of the mean peripheral zone at the slice's centre.
    noise: float = 0.05
    # Signal of a tissue without decay at the coil.
    signal_scale: float = 1000.0


@dataclass(frozen=True)
class ProstateSlice:
    """One simulated slice; arrays are (rows, cols)."""

    name: str
    image: np.ndarray  # float64: magnitude; the rectum and the coil lie below.
    mask: np.ndarray  # bool: pixels of the gland.
    lesion: np.ndarray  # bool.
    zones: np.ndarray  # int8: 0 outside, 1 peripheral zone, 2 central gland; a lesion keeps the zone of its host.


PARAMETERS = PhantomParameters()


def prostate_slices(
    gland: int, contrast: float, seed: int, parameters: PhantomParameters = PARAMETERS
) -> list[ProstateSlice]:
    """
    Simulate the slices of one gland, base to apex.

    `contrast`, in [0, 1], is how far T2 and texture of a lesion have moved from those of its host tissue to those of
    tumour; at 0 a lesion cannot be seen. Texture and noise of a slice depend on the seed alone: slices of different
    contrast differ in their lesions only.
    """
    slices = []
    for index in range(parameters.n_slices):
        zones, lesion = anatomy(gland, index, parameters)
        t2 = t2_map(gland, index, contrast, seed, parameters)
        decay = np.zeros(parameters.shape)
        decay[zones > 0] = np.exp(-parameters.echo_time / t2[zones > 0])
        signal = parameters.signal_scale * coil_sensitivity(gland, index, parameters) * decay
        noise = stream(seed, "phantom", gland, index, "noise").normal(size=(2, *parameters.shape))
        noise *= noise_sd(gland, index, parameters)
        image = np.hypot(signal + noise[0], noise[1])
        slices.append(ProstateSlice(f"gland-{gland}-slice-{index}", image, zones > 0, lesion, zones))
    return slices


def anatomy(gland: int, index: int, parameters: PhantomParameters = PARAMETERS) -> tuple[np.ndarray, np.ndarray]:
    """Zones (0 outside, 1 peripheral zone, 2 central gland) and pixels of lesions of one slice."""
    zones = _zones(gland, index, parameters)
    lesion = np.zeros(parameters.shape, dtype=bool)
    for number in range(len(parameters.glands[gland].lesions)):
        lesion |= lesion_mask(gland, number, index, parameters)
    return zones, lesion


def lesion_mask(gland: int, number: int, index: int, parameters: PhantomParameters = PARAMETERS) -> np.ndarray:
    """Pixels of one lesion in one slice; none in slices that it does not reach."""
    lesion = parameters.glands[gland].lesions[number]
    first, last = lesion.slices
    if not first <= index <= last:
        return np.zeros(parameters.shape, dtype=bool)
    middle, reach = (first + last) / 2.0, max((last - first) / 2.0, 0.5)
    diameter = lesion.diameter * (1.0 - parameters.lesion_taper * ((index - middle) / reach) ** 2)
    x, y = _coordinates(parameters)
    a, b = _half_axes(gland, index, parameters)
    inside = np.hypot(x - lesion.x * a, y - lesion.y * b) <= diameter / 2.0
    return inside & (_zones(gland, index, parameters) == lesion.zone)


def t2_map(
    gland: int, index: int, contrast: float, seed: int, parameters: PhantomParameters = PARAMETERS
) -> np.ndarray:
    """
    T2 in ms of each pixel of one slice: T2 of its tissue times one plus a correlated Gaussian field.

    It is 0 outside the gland. The fields of slices are independent; by its correlation length the texture of
    neighbouring slices would correlate a little, by 0.17 in the central gland.
    """
    zones, lesion = anatomy(gland, index, parameters)
    tumour = parameters.tumour
    fields = {
        name: gaussian_field(
            stream(seed, "phantom", gland, index, name), tissue.correlation_length / parameters.pixel_size, zones.shape
        )
        for name, tissue in (("peripheral", parameters.peripheral), ("central", parameters.central), ("tumour", tumour))
    }
    result = np.zeros(parameters.shape)
    # Fields mix so that their variance stays one.
    norm = np.hypot(1.0 - contrast, contrast)
    for zone, name, host in (
        (PERIPHERAL, "peripheral", parameters.peripheral),
        (CENTRAL, "central", parameters.central),
    ):
        normal = host.t2 * (1.0 + host.variation * fields[name])
        mixed = ((1.0 - contrast) * fields[name] + contrast * fields["tumour"]) / norm
        t2 = (1.0 - contrast) * host.t2 + contrast * tumour.t2
        variation = (1.0 - contrast) * host.variation + contrast * tumour.variation
        diseased = t2 * (1.0 + variation * mixed)
        here = zones == zone
        result[here] = np.where(lesion, diseased, normal)[here]
    result *= parameters.glands[gland].t2_factor
    return np.where(zones > 0, np.maximum(result, parameters.shortest_t2), 0.0)


def coil_sensitivity(gland: int, index: int, parameters: PhantomParameters = PARAMETERS) -> np.ndarray:
    """Sensitivity of the coil at each pixel of one slice: 1 at the coil, falling with the distance from it."""
    x, y = _coordinates(parameters)
    _, b = _half_axes(gland, index, parameters)
    distance = np.hypot(x, y - (b + parameters.coil_gap))
    return (1.0 + np.square(distance / parameters.coil_radius)) ** -1.5


def noise_sd(gland: int, index: int, parameters: PhantomParameters = PARAMETERS) -> float:
    """Noise SD of each quadrature channel of one slice, in units of the image."""
    t2 = parameters.peripheral.t2 * parameters.glands[gland].t2_factor
    _, b = _half_axes(gland, index, parameters)
    centre = (1.0 + ((b + parameters.coil_gap) / parameters.coil_radius) ** 2) ** -1.5
    return parameters.noise * parameters.signal_scale * centre * float(np.exp(-parameters.echo_time / t2))


def gaussian_field(rng: np.random.Generator, correlation_length: float, shape: tuple[int, ...]) -> np.ndarray:
    """
    Gaussian random field of mean 0, variance 1 and autocorrelation exp(-(r / correlation_length)^2), lengths in pixels.

    White noise smoothed by a Gaussian of SD s has the autocorrelation exp(-(r / 2 s)^2). The field is periodic at its
    borders.
    """
    sd = correlation_length / 2.0
    return gaussian_filter(rng.normal(size=shape), sd, mode="wrap") / _norm_of_filter(sd, shape)


@lru_cache
def _norm_of_filter(sd: float, shape: tuple[int, ...]) -> float:
    """Euclidean norm of the weights of a periodic Gaussian filter."""
    point = np.zeros(shape)
    point.flat[0] = 1.0
    return float(np.linalg.norm(gaussian_filter(point, sd, mode="wrap")))


def _coordinates(parameters: PhantomParameters) -> tuple[np.ndarray, np.ndarray]:
    """Position of each pixel in mm from the centre of the image, x (1, cols) and y (rows, 1), y to the back."""
    rows, cols = parameters.shape
    x = (np.arange(cols) - (cols - 1) / 2.0) * parameters.pixel_size
    y = (np.arange(rows) - (rows - 1) / 2.0) * parameters.pixel_size
    return x[None, :], y[:, None]


def _half_axes(gland: int, index: int, parameters: PhantomParameters) -> tuple[float, float]:
    """Half-width and half-height of a gland in one slice, in mm."""
    position = (index - (parameters.n_slices - 1) / 2.0) * parameters.slice_spacing / parameters.half_length
    size = max(1.0 - abs(position) ** parameters.exponent, 0.0) ** (1.0 / parameters.exponent)
    size *= 1.0 - parameters.apex_narrowing * position
    return parameters.glands[gland].half_width * size, parameters.glands[gland].half_height * size


def _zones(gland: int, index: int, parameters: PhantomParameters) -> np.ndarray:
    x, y = _coordinates(parameters)
    a, b = _half_axes(gland, index, parameters)
    dent = parameters.rectal_depth / b * np.exp(-np.square(x / parameters.rectal_width))
    stretched = np.where(y > 0, y * (1.0 + dent), y)
    outline = np.abs(x / a) ** parameters.exponent + np.abs(stretched / b) ** parameters.exponent <= 1.0
    share = np.interp(index, [0, parameters.n_slices - 1], [parameters.central_base, parameters.central_apex])
    central = np.hypot(x / (a * share), (y / b - parameters.central_y) / share) <= 1.0
    zones = np.zeros(parameters.shape, dtype=np.int8)
    zones[outline] = PERIPHERAL
    zones[outline & central] = CENTRAL
    return zones
