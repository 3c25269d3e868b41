"""
Words for numbers: judges return phrases, and only `words` turns their values into text.

A field of a template names a format, and its digits if they are not the usual ones: ``{mean:value}``, ``{p:p}``,
``{gap:difference 1}``. Before it, ``interval`` is for two numbers, and ``span`` for the least and largest of several:
``{limits:interval value}``. The format of a list is the text between its items: ``{parts:, }``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from string import Formatter

import numpy as np
import pandas as pd

# Name -> Python's format of a number and its digits, the usual digits, and the factor; "number" is that of tables.
# A value has so many decimals, a size so many significant digits; percent has its unit, points are in percent without.
FORMATS: dict[str, tuple[str, int, float]] = {
    "value": ("{:.{}f}", 3, 1),
    "difference": ("{:+.{}f}", 3, 1),
    "count": ("{:.{}f}", 0, 1),
    "p": ("{:.{}g}", 2, 1),
    "slope": ("{:+.{}g}", 2, 1),
    "size": ("{:.{}g}", 2, 1),
    "setting": ("{:.{}g}", 6, 1),
    "percent": ("{:.{}%}", 0, 1),
    "share": ("{:.{}g} %", 3, 100),
    "points": ("{:.{}f}", 1, 100),
    "point_difference": ("{:+.{}f}", 1, 100),
}


@dataclass(frozen=True)
class Phrase:
    """A template of words, and its values as they were computed: numbers, names, phrases, lists."""

    template: str
    values: Mapping[str, object]


def phrase(template: str, /, **values: object) -> Phrase:
    """`Phrase` with its values by name."""
    return Phrase(template, values)


def sentences(said: Iterable[Phrase | str]) -> Phrase:
    """One paragraph; what is empty is left out."""
    return phrase("{said: }", said=list(said))


def paragraphs(said: Iterable[Phrase | str]) -> Phrase:
    """A paragraph each; what is empty is left out."""
    return phrase("{said:\n\n}", said=list(said))


def words(said: Phrase | str | list) -> str:
    """The text of a phrase."""
    if isinstance(said, list):
        return "; ".join(filter(None, map(words, said)))
    return said if isinstance(said, str) else _FORMATTER.vformat(said.template, (), said.values)


def format_number(value: float) -> str:
    """A number as a table shows it: an integer from 1000 on, else three significant digits, nothing for NaN."""
    if pd.isna(value):
        return ""
    return f"{value:.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.3g}"


class _Formatter(Formatter):
    """Fields by the rules of this module."""

    def format_field(self, value: object, format_spec: str) -> str:
        """Text of one value."""
        if isinstance(value, Phrase | str):
            return words(value)
        several, _, form = format_spec.partition(" ")
        if several in ("interval", "span"):
            ends = value if several == "interval" else (np.nanmin(value), np.nanmax(value))
            low, high = (_number(end, form) for end in ends)
            return low if several == "span" and low == high else f"{low} to {high}"
        if isinstance(value, list):
            return (format_spec or "; ").join(filter(None, (self.format_field(one, "") for one in value)))
        return _number(value, format_spec)


def _number(value: float, form: str) -> str:
    """A number in a named format; integers need none."""
    if not form and isinstance(value, Integral):
        return str(value)
    if form == "number":
        return format_number(value)
    name, _, digits = form.partition(" ")
    if name not in FORMATS:
        raise ValueError(f"A number needs a format of {', '.join([*FORMATS, 'number'])}, found {form!r} for {value!r}.")
    text, usual, factor = FORMATS[name]
    return text.format(factor * value, digits or usual)


_FORMATTER = _Formatter()
