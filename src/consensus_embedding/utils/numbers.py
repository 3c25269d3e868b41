"""Numbers from callers as arrays of float64, or an error that says what they are instead."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse


def as_array(values: object, name: str) -> np.ndarray:
    """Convert values to an array, whatever their type."""
    if issparse(values):
        raise ValueError(f"{name} must be a dense array, found a sparse one; convert it by its method toarray.")
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must not have masked entries; fill them or leave them out.")
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be an array, found {type(values).__name__} with rows that differ.") from None


def dense(table: Any) -> Any:
    """A sparse table as an array; what is not sparse as it is."""
    return table.toarray() if issparse(table) else table


def real_numbers(values: object, name: str) -> np.ndarray:
    """
    Convert values to an array of real numbers.

    NumPy itself would drop the imaginary part of complex numbers, take dates for numbers, and drop the mask of masked
    ones, without an error.
    """
    array = as_array(values, name)
    if array.dtype.kind == "O":
        other = next((entry for entry in array.flat if not isinstance(entry, Real | Decimal | np.bool_ | None)), None)
        if other is not None:
            raise ValueError(
                f"{name} must contain real numbers, found {type(values).__name__} with {other!r} among its entries."
            )
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must contain real numbers, found {array.dtype}.")
    return np.asarray(array, dtype=np.float64)


def booleans(values: object, name: str) -> np.ndarray:
    """
    Convert values that say yes or no to booleans.

    NumPy itself would take every name, NaN and all numbers other than 0 for yes.
    """
    array = as_array(values, name)
    if array.dtype == bool:
        return array.copy()
    if array.dtype.kind == "O":
        # NumPy cannot compare what pandas has for missing.
        known = [isinstance(entry, Real | np.bool_) and entry in (0, 1) for entry in array.flat]
        wrong = array[~np.array(known, dtype=bool).reshape(array.shape)]
    else:
        wrong = array[~np.isin(array, (0, 1))]
    if wrong.size:
        raise ValueError(
            f"{name} must contain 0 and 1 (or booleans), found {wrong[:5].tolist()}; make it from labels by a "
            "comparison, such as labels == 3."
        )
    return array.astype(bool)


def require_finite(array: np.ndarray, start: str, remedy: str) -> None:
    """Refuse NaN and infinity."""
    bad = ~np.isfinite(array)
    if bad.any():
        first = ", ".join(map(str, np.argwhere(bad)[0]))
        raise ValueError(
            f"{start} NaN or infinity in {np.count_nonzero(bad)} of {bad.size} entries, the first at index {first} "
            f"(from 0); {remedy}."
        )


def require_symmetric(table: np.ndarray | csr_array, name: str, tolerance: float = 1e-6) -> None:
    """
    Refuse a table, (n, n), that is not symmetric; the message names the pair that differs most.

    NaN and infinity are let through. `name` says what the entries are. `tolerance` is the share of the largest entry by
    which two entries that should be equal may differ; by default a little more than the rounding of single precision.
    """
    # Most are symmetric to the last bit, which is found sooner.
    if not issparse(table) and np.array_equal(table, table.T):
        return
    with np.errstate(invalid="ignore"):
        apart = abs(table - table.T)
    if apart.max() > tolerance * abs(table).max():
        i, j = np.unravel_index(apart.argmax(), table.shape)
        raise ValueError(
            f"{name} must be symmetric, found {table[i, j]:.6g} from object {i} to {j} and {table[j, i]:.6g} from "
            f"{j} to {i}; use the mean of both if they should be equal."
        )


def unusual_exponents(sizes: np.ndarray | float, low: float, high: float) -> np.ndarray:
    """Exponents of the powers of two over which unusual sizes are about 1; division by them rounds nothing."""
    usual = (sizes == 0) | ((sizes > low) & (sizes < high))
    return np.where(usual, 0, np.frexp(sizes)[1])


def with_squares(X: np.ndarray, axis: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Numbers in a unit in which their squares neither overflow nor vanish, for what does not depend on the unit."""
    if not X.size:
        return X
    # In double precision, as 1e100 is infinite in single.
    largest = np.maximum(X.max(axis=axis, keepdims=True), -X.min(axis=axis, keepdims=True), dtype=np.float64)
    exponents = unusual_exponents(largest, 1e-100, 1e100)
    return np.ldexp(X, -exponents) if exponents.any() else X


def large_offsets(X: np.ndarray) -> np.ndarray:
    """
    What to subtract from columns before they are cut to single precision, for what no offset changes.

    Of X, (n, p): (p,), float64, the median of a column whose mean distance from it is less than 0.001 of it, so that
    values that differ could become equal; 0 for other columns, and where X is of single precision.
    """
    if X.dtype == np.float32 or not len(X):
        return np.zeros(X.shape[1])
    middle = np.median(X, axis=0)
    return np.where(np.abs(X - middle).mean(axis=0) < 1e-3 * np.abs(middle), middle, 0.0)
