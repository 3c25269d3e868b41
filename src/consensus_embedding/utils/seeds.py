"""Random streams: one per axis of a study, the same for every method."""

from __future__ import annotations

import hashlib

import numpy as np

from consensus_embedding.utils.parameters import SEED, as_text


def stream_seed(root: int, *axes: str | int) -> int:
    """
    Seed of one random stream.

    The method is left out of the axes on purpose: methods that share data set and repetition then see the
    same draws, and tests between them are truly paired.
    """
    text = "/".join([str(_allowed(root)), *map(str, axes)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def stream(root: int, *axes: str | int) -> np.random.Generator:
    """Random generator of one stream; see `stream_seed`."""
    return np.random.default_rng(stream_seed(root, *axes))


def generator(seed: int) -> np.random.Generator:
    """Random generator of a seed of the caller; a ValueError says that it is out of range."""
    return np.random.default_rng(_allowed(seed))


def _allowed(seed: int) -> int:
    if isinstance(seed, int | np.integer) and seed not in SEED:
        raise ValueError(f"seed must be {SEED}, found {as_text(seed)}.")
    return seed
