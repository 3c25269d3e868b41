"""Numbers that callers hand over: arrays of float64, or a message that says what they are instead."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse


def real_numbers(values: object, name: str) -> np.ndarray:
    """
    Array of real numbers.

    NumPy itself would drop the imaginary part of complex numbers, take dates for numbers, and drop the mask of masked
    ones, without a word that stops anybody.

    Parameters
    ----------
    values : array-like
    name : str
        What they are, for messages.

    Returns
    -------
    ndarray, float64
        `values` itself if it is one. NaN and infinity are let through; None is NaN.

    Raises
    ------
    ValueError
        If it is sparse, ragged, has masked entries, or holds something else than real numbers.
    """
    if issparse(values):
        raise ValueError(f"{name} must be a dense array, found a sparse one; convert it by its method toarray.")
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must not have masked entries; fill them or leave them out.")
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be an array of real numbers, found {type(values).__name__} with rows of different lengths or "
            "entries that are no numbers."
        ) from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, found {array.dtype}.")
    return np.asarray(array, dtype=np.float64)
