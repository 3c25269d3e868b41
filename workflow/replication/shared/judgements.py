"""Parts of a verdict on a claim, and what every kind of test needs to reach one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
import pandas as pd

from replication.shared.metric_values import is_blank
from replication.shared.wording import joined

# Words of parts and of verdicts. Mixed: some hold and some are contradicted, or do not hold.
REPRODUCED, MIXED, NOT_REPRODUCED, INCONCLUSIVE = "reproduced", "mixed", "not reproduced", "inconclusive"
# Of several cases some hold, the others are inconclusive, none is contradicted: a part, and a verdict.
IN_PART = "in part"
# Verdicts alone. What contradicts is that the effect is smaller than the smallest one of interest.
NO_EFFECT = "no effect"
# The sign is right, beyond chance or of the stated size it is not shown, and nothing is contradicted.
DIRECTION_ONLY = "direction only"
# It holds, and on these data it could not have failed.
TRIVIALLY_TRUE = "trivially true"
NOT_TESTABLE = "not testable"
# A number that is shown next to the paper's and not judged, such as a run time on another machine.
CONTEXT = "context"
# Means that differ by no more are equal: the tables have ten digits.
ROUNDING = 1e-9

# Rows that were selected since `recorded_rows` was entered; None outside of it. Judges select rows in some fifty
# places, most of them several calls deep: passed as an argument or returned with each value, the record would be in all
# of those signatures. A judge that selects by the functions below cannot forget a row, and its tests need no record.
_RECORD: ContextVar[list[pd.Index] | None] = ContextVar("record", default=None)


class NotTestable(Exception):
    """The metrics lack what a claim needs; the message says what is missing."""


@dataclass(frozen=True)
class Judgement:
    """What was found, and the parts of a verdict: a word each, "" where the claim has no such part."""

    words: str | list[str]
    direction: str = ""
    significance: str = ""
    magnitude: str = ""
    trivial: bool = False  # Whether no data of this kind could have contradicted the claim, as where no value varies.
    # Whether what contradicts the claim is an effect below the smallest one of interest, not one the other way.
    small: bool = False
    units: float = 0.0  # About how many units would decide what is undecided; 0 if that is not known.

    @property
    def measured(self) -> str:
        """What was found, in words."""
        return self.words if isinstance(self.words, str) else joined(self.words)

    @property
    def verdict(self) -> str:
        """
        The verdict that follows from the parts, as docs/verdicts.md says.

        A judgement without a part says nothing: ValueError.
        """
        if not (self.direction or self.significance or self.magnitude):
            raise ValueError(f"A verdict needs a direction, a significance or a magnitude, found none: {self.measured}")
        verdict = _verdict_of(_sign_of(self.direction, self.significance), self.magnitude, bool(self.significance))
        if self.small and verdict == NOT_REPRODUCED and self.magnitude in ("", NOT_REPRODUCED):
            return NO_EFFECT
        return TRIVIALLY_TRUE if self.trivial and verdict == REPRODUCED else verdict


def is_open(verdict: str, significance: str, magnitude: str) -> bool:
    """Whether more units could decide a part of a verdict, which may be one on a substitute."""
    undecided = (INCONCLUSIVE, IN_PART)
    return verdict.startswith(undecided) or (
        verdict.startswith(DIRECTION_ONLY) and bool({significance, magnitude} & set(undecided))
    )


def _sign_of(direction: str, significance: str) -> str:
    """One word of direction and significance; a sign within chance is inconclusive, whichever way it points."""
    if not direction or significance == INCONCLUSIVE:
        return significance
    if significance in ("", REPRODUCED):
        return direction
    if significance == IN_PART:
        # Nothing is contradicted beyond chance.
        return DIRECTION_ONLY if direction == REPRODUCED else IN_PART
    if significance == NOT_REPRODUCED and direction in (NOT_REPRODUCED, INCONCLUSIVE):
        return NOT_REPRODUCED
    return MIXED


def _verdict_of(sign: str, size: str, tested: bool) -> str:
    """The verdict of a sign and a magnitude; one of them may be ""."""
    if not size:
        return DIRECTION_ONLY if sign == REPRODUCED and not tested else sign
    if not sign:
        return size
    if MIXED in (sign, size):
        # Right in some cases, and of the stated size in none: not one case is confirmed.
        return NOT_REPRODUCED if size == NOT_REPRODUCED else MIXED
    if sign in (REPRODUCED, DIRECTION_ONLY):
        return sign if size == REPRODUCED else MIXED if size == NOT_REPRODUCED else DIRECTION_ONLY
    if sign == NOT_REPRODUCED:
        return MIXED if size in (REPRODUCED, IN_PART) else NOT_REPRODUCED
    if size == NOT_REPRODUCED:
        return MIXED if sign == IN_PART else NOT_REPRODUCED
    return IN_PART if IN_PART in (sign, size) else INCONCLUSIVE


def has_value(column: pd.Series, value: object) -> pd.Series:
    """Which entries of a column are a value, or one of a list; "" is an empty one, which is NaN among numbers."""
    if isinstance(value, list):
        return pd.concat([has_value(column, entry) for entry in value], axis=1).any(axis=1)
    return is_blank(column) if value == "" else column == value


@contextmanager
def recorded_rows() -> Iterator[list[pd.Index]]:
    """Collect the index of all rows that are selected inside, in a list, one entry a selection."""
    record: list[pd.Index] = []
    token = _RECORD.set(record)
    try:
        yield record
    finally:
        _RECORD.reset(token)


def note_rows(rows: pd.DataFrame, chosen_from: pd.DataFrame | None = None) -> pd.DataFrame:
    """Report to `recorded_rows` the rows that a verdict rests on, and return them."""
    record = _RECORD.get()
    if record is not None:
        if chosen_from is not None and record and record[-1] is chosen_from.index:
            record.pop()
        record.append(rows.index)
    return rows


def select_rows(table: pd.DataFrame, metric: str, /, **conditions: object) -> pd.DataFrame:
    """Rows of one metric under conditions ("": empty; a list: any of it); none is a claim that cannot be tested."""
    chosen = table[table["metric"] == metric]
    for column, value in conditions.items():
        chosen = chosen[has_value(chosen[column], value)]
    if chosen.empty:
        shown = {column: value for column, value in conditions.items() if value != "" and not isinstance(value, list)}
        where = ", ".join(f"{column} = {_quoted(value, table[column])}" for column, value in shown.items())
        if not (table["metric"] == metric).any():
            metric += f" ({unknown(metric, table['metric'])})"
        raise NotTestable(f"no value of {metric}{' with ' if where else ''}{where} in this study")
    return note_rows(chosen)


def _quoted(value: object, column: pd.Series) -> str:
    """A value that a claim asks for; text is marked where the column has numbers, and a number where it has text."""
    if isinstance(value, str) != pd.api.types.is_numeric_dtype(column) or is_blank(column).all():
        return str(value)
    if isinstance(value, str):
        return f"'{value}' (text, where this column has numbers)"
    return f"{value} (a number, where this column has text; put it in quotes)"


def unknown(name: str, known: pd.Series) -> str:
    """What there is in place of a name that is not there."""
    names = sorted({str(one) for one in known})
    near = get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(names[:8])}{', ...' * (len(names) > 8)}"


def measured_values(table: pd.DataFrame, metric: str, /, **conditions: object) -> pd.Series:
    """Values of the rows that `select_rows` finds; a missing one is a claim that cannot be tested."""
    values = pd.to_numeric(select_rows(table, metric, **conditions)["value"])
    if values.isna().any():
        raise NotTestable(f"{values.isna().sum()} of {len(values)} values of {metric} are missing in this study")
    return values


def all_of(flags: list[bool]) -> str:
    """Part reproduced if all flags are true, mixed if some are."""
    if all(flags):
        return REPRODUCED
    return MIXED if any(flags) else NOT_REPRODUCED


def methods_of(test: dict) -> list[str]:
    """Names of the one or several methods of a claim."""
    return [test["method"]] if isinstance(test["method"], str) else test["method"]


def combined(parts: list[str]) -> str:
    """
    One part from those of several cases, which all have to hold.

    The common one; mixed if some hold and some are contradicted, in part if some hold and the others are inconclusive;
    not reproduced if none holds and some are contradicted.
    """
    kinds = set(parts)
    if len(kinds) == 1:
        return kinds.pop()
    holds, fails = kinds & {REPRODUCED, IN_PART}, NOT_REPRODUCED in kinds
    if MIXED in kinds or (holds and fails):
        return MIXED
    return IN_PART if holds else NOT_REPRODUCED


def case_of(holds: np.ndarray, contradicts: np.ndarray) -> str:
    """A case from its cells: reproduced if all hold, not reproduced if any contradicts, else inconclusive."""
    return REPRODUCED if np.all(holds) else NOT_REPRODUCED if np.any(contradicts) else INCONCLUSIVE
