"""The one form in which numbers travel: a tidy table, one value a row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd

from replication.platform.files import complete_file

LEADING = ["experiment", "dataset", "source", "method"]
TRAILING = ["repetition", "metric", "value"]
# Columns of names, which may come from a user: they stay text, whatever they look like.
NAMES = frozenset({*LEADING, "repetition", "metric", "study", "class", "feature", "data set", "class of the query"})
NAMES |= {"label", "query", "item", "label_of_query", "predicted_label"}
FORM = {"sep": "\t", "index": False, "float_format": "%.10g", "lineterminator": "\n"}
# What a spreadsheet runs, if it is not a number, one with its interval, or an arrow.
_FORMULA = re.compile(r"'*[=+\-@]")
_NO_FORMULA = re.compile(r"[+-](?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?%?(?:\s*[(±][^=|!]*)?|->.*|[+-]|[+-]?(?:inf|nan)", re.I)
_ESCAPED = re.compile(r"^'(?='*[=+\-@])")


class Metrics:
    """
    Collector of the rows of one experiment, with the names of the columns that identify its conditions.

    Where the data come from is shown wherever a number is: original, public-substitute, simulated or own.
    """

    def __init__(self, experiment: str, dataset: str, source: str, conditions: list[str]):
        self.fixed = {"experiment": experiment, "dataset": dataset, "source": source}
        self.conditions = conditions
        self.rows: list[dict] = []

    def add(self, method: str, metric: str, value: float, repetition: str | int = "", **conditions: object) -> None:
        """Add one value under its conditions; an unknown condition is an error."""
        unknown = set(conditions) - set(self.conditions)
        if unknown:
            raise KeyError(
                f"Conditions {sorted(unknown)} are not columns of this experiment, which has {self.conditions}."
            )
        self.rows.append(
            {
                **self.fixed,
                "method": method,
                **conditions,
                "repetition": repetition,
                "metric": metric,
                "value": value,
            }
        )

    def table(self) -> pd.DataFrame:
        """All rows, in the order in which they were added."""
        return pd.DataFrame(self.rows, columns=[*LEADING, *self.conditions, *TRAILING])


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table as TSV with ten significant digits, completely or not at all."""
    with complete_file(path) as partial:
        partial.write_text(as_text(table), encoding="utf-8", newline="")


def write_results(results: Mapping[str, Any], paths: Any) -> None:
    """Write what a step returns: tables as TSV, several one below the other, and arrays as .npz."""
    for name, result in results.items():
        if isinstance(result, Mapping):
            with complete_file(paths[name]) as partial, open(partial, "wb") as file:
                np.savez(file, **result)
        else:
            tables = result if isinstance(result, list) else [result]
            frames = [table.table() if isinstance(table, Metrics) else table for table in tables]
            write_table(frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True), paths[name])


def as_read(table: pd.DataFrame) -> pd.DataFrame:
    """The table as `read_table` reads it once it is written, without a file: what is judged in memory as well."""
    return read_table(StringIO(as_text(table)))


def as_text(table: pd.DataFrame) -> str:
    """
    The table as `write_table` writes it.

    A text that a spreadsheet would run as a formula, such as =1+1 or -x, gets an apostrophe in front, which
    `read_table` takes off again; numbers, also with their interval, stay as they are.
    """
    safe = table.rename(columns=_no_formula)
    for column in safe.select_dtypes(exclude=["number", "bool"]).columns:
        places, entries = pd.factorize(safe[column])
        changed = [_no_formula(entry) for entry in entries]
        if changed != list(entries):
            safe[column] = np.array([*changed, None], dtype=object)[places]
    return safe.to_csv(**FORM)


def _no_formula(entry: object) -> object:
    formula = isinstance(entry, str) and _FORMULA.match(entry) and not _NO_FORMULA.fullmatch(entry)
    return f"'{entry}" if formula else entry


def read_table(path: str | Path | TextIO) -> pd.DataFrame:
    """Read a table written by `write_table`."""
    table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    table = table.rename(columns=lambda name: _ESCAPED.sub("", name))
    for column in table.columns:
        # Each different entry once: most columns of a long table have few.
        places, entries = pd.factorize(table[column])
        if any(map(_ESCAPED.match, entries)):
            table[column] = np.array([_ESCAPED.sub("", entry) for entry in entries], dtype=object)[places]
            continue
        if column in NAMES:
            continue
        numbers = np.asarray(pd.to_numeric(entries, errors="coerce"))
        filled = np.asarray(entries != "")
        if filled.any() and not np.isnan(numbers[filled]).any():
            table[column] = numbers[places]
    return table
