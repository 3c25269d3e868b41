"""Parts of a verdict on a claim, and what every kind of test needs to reach one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np
import pandas as pd

from replication.shared.wording import Phrase, words

REPRODUCED, PARTLY, NOT_REPRODUCED = "reproduced", "partly", "not reproduced"
INCONCLUSIVE, NOT_TESTABLE = "inconclusive", "not testable"
# A number that is reported beside the paper's and judged by nobody, such as a run time on another machine.
CONTEXT = "context"
CONFIDENCE = 0.95
# Means that differ by no more are equal: the tables hold ten digits.
ROUNDING = 1e-9


# Rows that were selected since `recorded_rows` was entered; None outside of it.
_RECORD: ContextVar[list[pd.Index] | None] = ContextVar("record", default=None)


class NotTestable(Exception):
    """The metrics do not hold what a claim needs; the message says what is missing."""


@dataclass(frozen=True)
class Judgement:
    """Parts of a verdict ("" where the claim has no such part) and what was found: phrases that hold the numbers."""

    found: Phrase | str | list
    direction: str = ""
    significance: str = ""
    magnitude: str = ""

    @property
    def measured(self) -> str:
        """What was found, in words."""
        return words(self.found)

    @property
    def verdict(self) -> str:
        """
        The verdict that follows from the parts.

        All the same: that. Else partly if any is reproduced or partly, and not reproduced if none is. A judgement
        without a part says nothing: ValueError.
        """
        parts = {part for part in (self.direction, self.significance, self.magnitude) if part}
        if not parts:
            raise ValueError(f"A verdict needs a direction, a significance or a magnitude, found none: {self.measured}")
        if len(parts) == 1:
            return parts.pop()
        return PARTLY if parts & {REPRODUCED, PARTLY} else NOT_REPRODUCED


def has_value(column: pd.Series, value: object) -> pd.Series:
    """Which entries of a column are a value; "" is an empty one, which is NaN among numbers."""
    return (column == "") | column.isna() if value == "" else column == value


@contextmanager
def recorded_rows() -> Iterator[list[pd.Index]]:
    """Collect the index of all rows that are selected inside, in a list, one entry a selection."""
    record: list[pd.Index] = []
    token = _RECORD.set(record)
    try:
        yield record
    finally:
        _RECORD.reset(token)


def note_rows(rows: pd.DataFrame, among: pd.DataFrame | None = None) -> pd.DataFrame:
    """
    Tell `recorded_rows` which rows a verdict rests on, and return them.

    Parameters
    ----------
    rows : DataFrame
        Rows of the metrics, with their index.
    among : DataFrame, optional
        An earlier selection that these rows are the used part of; they take its place.

    Returns
    -------
    DataFrame
        The same rows.
    """
    record = _RECORD.get()
    if record is not None:
        if among is not None and record and record[-1] is among.index:
            record.pop()
        record.append(rows.index)
    return rows


def select_rows(table: pd.DataFrame, metric: str, **conditions: object) -> pd.DataFrame:
    """Rows of one metric under conditions ("": empty); none is a claim that cannot be tested."""
    chosen = table[table["metric"] == metric]
    for column, value in conditions.items():
        chosen = chosen[has_value(chosen[column], value)]
    if chosen.empty:
        where = ", ".join(f"{column} = {value}" for column, value in conditions.items() if value != "")
        raise NotTestable(f"no value of {metric}{' with ' if where else ''}{where} in this study")
    return note_rows(chosen)


def part_of_share(share: float) -> str:
    """Part reproduced if it holds in 95 % of the draws, not reproduced if its contrary does."""
    if share >= CONFIDENCE:
        return REPRODUCED
    return NOT_REPRODUCED if share <= 1 - CONFIDENCE else INCONCLUSIVE


def all_of(flags: list[bool]) -> str:
    """Part reproduced if all flags are true, partly if some are."""
    if all(flags):
        return REPRODUCED
    return PARTLY if any(flags) else NOT_REPRODUCED


def methods_of(test: dict) -> list[str]:
    """
    Names of the one or several methods of a claim.

    Raises
    ------
    ValueError
        If there is none: a statement about no method would hold.
    """
    methods = [test["method"]] if isinstance(test["method"], str) else list(test["method"])
    if not methods:
        raise ValueError("A claim needs at least one method, found an empty list; mend config/claims.tsv.")
    return methods


def combined(parts: list[str]) -> str:
    """One part from those of several cases."""
    if len(set(parts)) == 1:
        return parts[0]
    return PARTLY if {REPRODUCED, PARTLY} & set(parts) else NOT_REPRODUCED


def case_of(holds: np.ndarray, contradicts: np.ndarray) -> str:
    """A case from its cells: reproduced if all hold, not reproduced if any contradicts, else inconclusive."""
    return REPRODUCED if np.all(holds) else NOT_REPRODUCED if np.any(contradicts) else INCONCLUSIVE
