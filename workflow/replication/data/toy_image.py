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
    """A noisy colour image, (size, size, 3), and its truth."""

    rgb: np.ndarray  # not cut off at 0 and 1, for that would turn the noise into spikes
    clean: np.ndarray  # the same without noise
    foreground: np.ndarray  # (size, size), bool


def toy_image(size: int, *, noise: float, red_noise: float = 0.0, seed: int, draw: int = 0) -> ToyImage:
    """
    Draw one noisy image, `size` pixels wide and high.

    `noise` is the SD of the Gaussian noise on green and on blue, in units of the difference in red; `red_noise` the
    same on red, none in the paper. The same draw has the same noise at every level of it, only larger.
    """
    position = np.arange(size) - (size - 1) / 2.0
    foreground = np.hypot(position[:, None], position) <= _RADIUS * size
    clean = np.full((size, size, 3), LEVEL)
    clean[..., 0] = np.where(foreground, FOREGROUND_RED, BACKGROUND_RED)
    sd = (FOREGROUND_RED - BACKGROUND_RED) * np.array([red_noise, noise, noise])
    rgb = clean + sd * stream(seed, "toy_image", size, draw).normal(size=clean.shape)
    return ToyImage(rgb, clean, foreground)
