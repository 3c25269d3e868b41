"""The average anatomy ICBM152 (Fonov et al. 2011), whose tissue maps nilearn carries: nothing is downloaded."""

from __future__ import annotations

import numpy as np

ORIGIN = (-98, -134, -72)  # millimetres of voxel (0, 0, 0); slice z is at z - 72 mm, as in BrainWeb


def read_icbm152() -> tuple[np.ndarray, np.ndarray]:
    """
    Labels, (197, 233, 189), and tissue fractions, with a last axis of 3, on the 1 mm grid.

    A label is the tissue of the largest fraction: 1 cerebrospinal fluid, 2 grey matter, 3 white matter; 0 outside the
    brain. Fractions are of grey matter, white matter and cerebrospinal fluid, in 1/255. The maps give the first two;
    fluid is what they leave of the brain mask.
    """
    from nilearn.datasets import load_mni152_brain_mask, load_mni152_gm_template, load_mni152_wm_template

    brain = np.asarray(load_mni152_brain_mask(resolution=1).dataobj) > 0
    fractions = np.zeros((*brain.shape, 3), dtype=np.uint8)
    for tissue, load in enumerate((load_mni152_gm_template, load_mni152_wm_template)):
        fractions[..., tissue] = np.rint(np.asarray(load(resolution=1).dataobj) * 255) * brain
    fractions[..., 2] = np.maximum(255 - fractions[..., 0].astype(np.int16) - fractions[..., 1], 0) * brain
    labels = np.array([2, 3, 1], dtype=np.uint8)[fractions.argmax(axis=-1)] * brain
    return labels, fractions


def stand_in_field(brain: np.ndarray, lowest: float, highest: float) -> np.ndarray:
    """
    A smooth field in place of BrainWeb's field C, which no package carries.

    A quadratic in the coordinates, shaped after field C (a least squares fit, which explains 99 % of the variance of C
    over grey and white matter) and stretched to a given range over the brain, a mask on the 1 mm grid.
    """
    x, y, z = np.ogrid[tuple(slice(0, length) for length in brain.shape)]
    x, y, z = (((axis + start) / 50.0).astype(np.float32) for axis, start in zip((x, y, z), ORIGIN, strict=True))
    field = 0.219 * z + 0.104 * y + 0.037 * x - 0.179 * x**2 - 0.061 * y**2 - 0.124 * z**2
    field = field + (0.018 * x * z - 0.033 * x * y - 0.062 * y * z)
    inside = field[brain]
    return lowest + (highest - lowest) * (field - inside.min()) / (inside.max() - inside.min())
