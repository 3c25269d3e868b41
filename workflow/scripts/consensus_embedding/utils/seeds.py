"""Random streams: one per axis of a study, the same for every method."""

from __future__ import annotations

import hashlib

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
