"""Simulated proton density images of a head: tissue mixture, point spread, field, Rician noise.

A voxel's signal is the mean of the tissues' values weighted by their fractions, blurred by a point spread. The image
is the magnitude of field x signal plus complex Gaussian noise. The field is 1 + p/100 (F - 5) at p per cent, so 0.9
to 1.1 over the brain at 20 %; the standard deviation of the noise is given in per cent of the value of cerebrospinal
fluid: BrainWeb's own definitions for proton density (Kwan, Evans and Pike 1999).

Labels: 0 background, 1 cerebrospinal fluid, 2 grey matter, 3 white matter, 4 fat, 5 muscle, 6 skin, 7 skull, 8 glial
matter, 9 connective tissue.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import distance_transform_edt, gaussian_filter

FLUID, GREY, WHITE, GLIAL = 1, 2, 3, 8

# By label; fitted to the head in three official slices of BrainWeb, in bytes of that volume. A refit by least squares
# gives 34 for the skull, which matters little within the brain. Fluid at 212.8 agrees with the noise of those slices:
# 6.4 in bytes, which is 3 %.
TISSUE_VALUES = np.array([0.0, 212.8, 186.3, 157.4, 190.7, 156.6, 193.0, 41.6, 186.3, 159.2])


@dataclass(frozen=True, eq=False)
class Anatomy:
    """What the simulator needs to know of a head."""

    labels: np.ndarray  # (x, y, z), uint8
    fractions: np.ndarray  # (x, y, z, 3), uint8: grey matter, white matter, cerebrospinal fluid, in 1/255
    field: Callable[[int], np.ndarray]  # from z to field F of that slice, (x, y)
    point_spread: float  # standard deviation in voxels


def add_field_and_noise(
    signal: np.ndarray, field: np.ndarray, inhomogeneity: float, noise_sd: float, rng: np.random.Generator
) -> np.ndarray:
    """
    Magnitude image of a signal under a field, with Gaussian noise in both channels (so with Rician pixels).

    The field F is 5 where it leaves the signal as it is. The inhomogeneity is in per cent, the noise SD, of each
    channel, in units of the signal.
    """
    # Far outside the head the field would turn negative at high percentages.
    received = np.maximum(1 + inhomogeneity / 100 * (field - 5), 0) * signal
    if noise_sd == 0:
        return received
    real, imaginary = rng.standard_normal((2, *signal.shape)) * noise_sd
    return np.hypot(received + real, imaginary)


def noise_free_signal(anatomy: Anatomy, z: int) -> np.ndarray:
    """Signal of one slice without field and noise."""
    if anatomy.point_spread == 0:
        return _tissue_mixture(anatomy, z)
    reach = math.ceil(4 * anatomy.point_spread)
    last = anatomy.labels.shape[2] - 1
    around = [_tissue_mixture(anatomy, min(max(near, 0), last)) for near in range(z - reach, z + reach + 1)]
    return gaussian_filter(np.stack(around, axis=2), anatomy.point_spread, mode="nearest")[:, :, reach]


def _tissue_mixture(anatomy: Anatomy, z: int) -> np.ndarray:
    """Tissue values weighted by fractions.

    The fractions know grey and white matter and fluid only. The rest of a voxel takes the value of its label or, if
    that is one of these or glial matter, of the nearest other label in the slice: what the brain borders on there.
    """
    labels = anatomy.labels[:, :, z]
    fractions = anatomy.fractions[:, :, z] / 255.0
    rest = np.maximum(1 - fractions.sum(axis=-1), 0)
    brain = np.isin(labels, (FLUID, GREY, WHITE, GLIAL))
    if brain.any() and not brain.all():
        nearest = distance_transform_edt(brain, return_distances=False, return_indices=True)
        labels = labels[tuple(nearest)]
    return fractions @ TISSUE_VALUES[[GREY, WHITE, FLUID]] + rest * TISSUE_VALUES[labels]
