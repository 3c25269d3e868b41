"""Random streams: one per axis of a study, the same for every method."""

from __future__ import annotations

import hashlib
from numbers import Integral

import numpy as np


def stream_seed(root: int, *axes: str | int) -> int:
    """
    Seed of one random stream.

    The method is left out of the axes on purpose: methods that share data set and repetition then see the
    same draws, and tests between them are truly paired.

    Parameters
    ----------
    root : int
        Root seed of the study.
    *axes : str or int
        What the stream belongs to, e.g. ``("digits", "run", 17)``.

    Returns
    -------
    int
        In [0, 2**31), so that it also fits NumPy's older generators.
    """
    text = "/".join([str(root), *map(str, axes)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def stream(root: int, *axes: str | int) -> np.random.Generator:
    """Random generator of one stream; see `stream_seed`."""
    return np.random.default_rng(stream_seed(root, *axes))


def generator(seed: int) -> np.random.Generator:
    """Random generator of a seed of the caller; a ValueError says that it may not be negative."""
    if isinstance(seed, Integral) and seed < 0:
        raise ValueError(f"seed must be an integer of at least 0, found {seed}.")
    return np.random.default_rng(seed)
