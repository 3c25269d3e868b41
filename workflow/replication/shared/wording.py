"""Words for numbers: what Python's formats lack."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Real

import numpy as np
import pandas as pd

# A format of Python, or a function.
Form = str | Callable[[float], str]


def joined(parts: Iterable[object], by: str = "; ") -> str:
    """Parts of a sentence; what is empty is left out."""
    return by.join(str(part) for part in parts if part != "")


def condition(at: object) -> str:
    """The value of a condition, or of several, of numbers, texts and flags: "0.8/noise"."""
    parts = at if isinstance(at, tuple) else (at,)
    return joined(
        (f"{part:.6g}" if isinstance(part, Real) and not isinstance(part, bool) else part for part in parts), "/"
    )


def interval(ends: Iterable[float], form: Form) -> str:
    """Two numbers: "0.1 to 0.3"."""
    return " to ".join(_number(end, form) for end in ends)


def span(values: Iterable[float], form: Form) -> str:
    """The least and the largest of some numbers, or one of them if they look the same."""
    values = np.asarray(list(values), dtype=float)
    low, high = (_number(end, form) for end in (np.nanmin(values), np.nanmax(values)))
    return low if low == high else f"{low} to {high}"


def _number(value: float, form: Form) -> str:
    return form(value) if callable(form) else f"{value:{form}}"


def percent(share: float) -> str:
    """A share in percent with three significant digits: "12.5 %"."""
    return f"{100 * share:.3g} %"


def format_number(value: float) -> str:
    """A number as a table shows it: an integer from 1000 on, else three significant digits, nothing for NaN."""
    if pd.isna(value):
        return ""
    return f"{value:.0f}" if abs(value) >= 999.5 or value == int(value) else f"{value:.3g}"
