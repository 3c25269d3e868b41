"""Toy image of Viswanath and Madabhushi 2012, Fig. 1: two regions that differ in red only, noise on green and blue."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from consensus_embedding.utils.seeds import stream

# The paper does not print its colours: two reds about one middle level, which green and blue have everywhere.
BACKGROUND_RED, FOREGROUND_RED, LEVEL = 0.25, 0.75, 0.5
# Radius of the foreground as a share of the side of the image: the disc covers 38 % of it.
_RADIUS = 0.35


@dataclass(frozen=True)
class ToyImage:
    """
    A noisy colour image and its truth.

    Parameters
    ----------
    rgb : ndarray of shape (size, size, 3)
        Colours; not cut off at 0 and 1, for that would turn the noise into spikes.
    clean : ndarray of shape (size, size, 3)
        The same without noise.
    foreground : ndarray of shape (size, size), bool
    """

    rgb: np.ndarray
    clean: np.ndarray
    foreground: np.ndarray


def toy_image(size: int, *, noise: float, red_noise: float = 0.0, seed: int, draw: int = 0) -> ToyImage:
    """
    Draw one noisy image.

    The same draw has the same noise at every level of it, only larger.

    Parameters
    ----------
    size : int
        Side of the image in pixels, at least 4.
    noise : float
        SD of the Gaussian noise on green and on blue, in units of the difference in red.
    red_noise : float
        The same on red; none in the paper.
    seed, draw : int

    Returns
    -------
    ToyImage

    Raises
    ------
    ValueError
        If the image is too small for two regions, or a noise level is negative.
    """
    if size < 4:
        raise ValueError(f"size must be at least 4 pixels, found {size}.")
    if noise < 0 or red_noise < 0:
        raise ValueError(f"Noise levels must not be negative, found noise {noise} and red_noise {red_noise}.")
    position = np.arange(size) - (size - 1) / 2.0
    foreground = np.hypot(position[:, None], position) <= _RADIUS * size
    clean = np.full((size, size, 3), LEVEL)
    clean[..., 0] = np.where(foreground, FOREGROUND_RED, BACKGROUND_RED)
    sd = (FOREGROUND_RED - BACKGROUND_RED) * np.array([red_noise, noise, noise])
    rgb = clean + sd * stream(seed, "toy_image", size, draw).normal(size=clean.shape)
    return ToyImage(rgb, clean, foreground)
