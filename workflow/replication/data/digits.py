"""Handwritten digits: the table that scikit-learn carries, so nothing is downloaded."""

from __future__ import annotations

from functools import cache

import numpy as np
from sklearn.datasets import load_digits

N_DIGITS = 1797


def read_digits(n_samples: int = N_DIGITS) -> tuple[np.ndarray, np.ndarray]:
    """
    Digits data of Tomo and Yoneoka 2025, Section 5.1: pixels of 8 x 8 images, grey levels 0 to 16, and labels.

    `n_samples` takes the first so many of the 1797 images; the stored order mixes the classes.
    """
    if not 1 <= n_samples <= N_DIGITS:
        raise ValueError(f"digits has {N_DIGITS} images; n_samples must be between 1 and that, found {n_samples}.")
    X, labels = _all_digits()
    return X[:n_samples].copy(), labels[:n_samples].copy()


@cache
def _all_digits() -> tuple[np.ndarray, np.ndarray]:
    return load_digits(return_X_y=True)


def digits_name(n_samples: int) -> str:
    """Name of the data set in tables: a subset never has the name of the full set."""
    return "digits" if n_samples == N_DIGITS else f"digits_first_{n_samples}"


def digits_source(n_samples: int) -> str:
    """Provenance for the `source` column: a part of the images replaces the full set."""
    return "original" if n_samples == N_DIGITS else "public-substitute"


def about_digits(n_samples: int) -> dict[str, str]:
    """Name and source of the first images, as experiments take them."""
    return {"dataset": digits_name(n_samples), "source": digits_source(n_samples)}
