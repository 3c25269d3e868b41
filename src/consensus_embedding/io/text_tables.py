"""Tables of text with a header, CSV or TSV: their cells, and the numbers in these."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from consensus_embedding.io.memory import require_memory
from consensus_embedding.utils.labels import MISSING_NAMES
from consensus_embedding.utils.text import InputError, require_plain

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
# So many numbers in a line that count the columns, or rise or fall as wavelengths do, are names.
_MANY_NAMES = 10
# Rows that are compared with a line of names.
_COMPARED_ROWS = 100


def read_cells(path: Path, what: str) -> tuple[list[str], np.ndarray, np.ndarray]:
    """
    Read a table, .csv (commas) or .tsv (tabs) in UTF-8, without converting anything: names, cells, lines.

    Names of the columns are without blanks around them and not checked; cells, (n_rows, n_columns), object, are text;
    lines, (n_rows,), int, are those of the rows in the file, from 1. Rows of blank cells are skipped, but not a line of
    "" in a table of one column. An InputError also for rows that differ in length and for a first line of numbers only,
    which may be the first row; `what` says in messages what a row describes.
    """
    if path.suffix.lower() not in _DELIMITERS:
        raise InputError(f"{path}: expected a file name ending in .csv or .tsv; convert the table.")
    require_file(path)
    rows: list[list[str]] = []
    lines = []
    try:
        # As text, in a list and an array, and as numbers.
        require_memory(path, [_count_cells(path)], "V112", remedy="Take fewer rows or columns")
        with path.open(encoding="utf-8-sig", newline="") as file:
            delimiter = _DELIMITERS[path.suffix.lower()]
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            for row in reader:
                require_plain([delimiter.join(row)], f"{path}, line {reader.line_num}")
                # pandas writes "" for a missing value of the only column.
                missing = row == [""] and rows and len(rows[0]) == 1
                if missing or any(cell.strip() for cell in row):
                    rows.append(row)
                    lines.append(reader.line_num)
    except csv.Error as error:
        raise InputError(
            f"{path}, in the row after line {lines[-1] if lines else 0}: expected quotes that close, found: {error}. "
            "Correct the row."
        ) from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}. Check its permissions.") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} cannot be read: expected a table of text in UTF-8 with a header, found: {error}. Export it again."
        ) from error
    if len(rows) < 2:
        raise InputError(f"{path}: expected a header and a row per {what}, found {len(rows)} row(s). Export it again.")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            if len(rows[0]) == 1:
                sign = "commas" if path.suffix.lower() == ".csv" else "tabs"
                raise InputError(
                    f"{path}, line {lines[0]}: expected a header with names separated by {sign}, found one name: "
                    f"{rows[0][0].strip()[:60]!r}. Separate columns by commas in .csv, by tabs in .tsv, write decimals "
                    "with a point, and put nothing above the header."
                )
            raise InputError(
                f"{path}, line {line}: expected {len(rows[0])} cells, as in the header, found {len(row)}. Correct the "
                "row; if it is the last one, the file may be cut off."
            )
    names, cells = [name.strip() for name in rows[0]], np.array(rows[1:], dtype=object)
    _check_header(path, lines[0], names, cells[:_COMPARED_ROWS])
    return names, cells, np.array(lines[1:])


def _check_header(path: Path, line: int, names: Sequence[str], cells: np.ndarray) -> None:
    """Refuse a first line of numbers only, which may be the first row of a table without a header."""
    header = read_numbers(np.array(names, dtype=object))
    missing = [name.lower() in MISSING_NAMES for name in names]
    if np.isnan(header).all() or not (~np.isnan(header) | missing).all():
        return
    below = read_numbers(cells)
    numbers = below[~np.isnan(below)]
    counted = any(list(names) == [str(start + k) for k in range(len(names))] for start in (0, 1))
    many = len(names) >= _MANY_NAMES
    if (
        np.isnan(below).all(axis=0).any()
        or (counted and (many or np.mean(numbers != np.rint(numbers)) > 0.5))
        or (many and _steady(header[None]).all() and _steady(below).mean() < 0.5)
    ):
        return
    raise InputError(
        f"{path}, line {line}: expected the names of the columns, found numbers only: {', '.join(names[:6])}"
        f"{', ...' if len(names) > 6 else ''}, which may be the first row. Write a line with names above it; if these "
        "are the names, put a letter before each."
    )


def _steady(rows: np.ndarray) -> np.ndarray:
    """Which rows rise or fall from column to column."""
    steps = np.diff(rows, axis=1)
    return np.all(steps > 0, axis=1) | np.all(steps < 0, axis=1)


def check_names(path: Path, columns: Sequence[str], others: Sequence[int], remedy: str) -> None:
    """Refuse columns of features without a name, or with the name of another."""
    unnamed = [k for k in others if is_unnamed(columns[k])]
    if unnamed:
        raise InputError(
            f"{path}: expected a name for every column, found none for column {unnamed[0] + 1}, which may be the "
            f"numbers of the rows. Write the table without them (index=False in pandas), or {remedy}."
        )
    name, count = Counter(columns[k] for k in others).most_common(1)[0] if others else ("", 0)
    if count > 1:
        raise InputError(
            f"{path}: expected names that differ, found '{name}' for {count} columns. Rename or remove one of them."
        )


def _count_cells(path: Path) -> int:
    """How many cells a table has at most, without keeping any."""
    ends = b"\n", _DELIMITERS[path.suffix.lower()].encode()
    with path.open("rb") as file:
        return 1 + sum(block.count(end) for block in iter(lambda: file.read(1 << 20), b"") for end in ends)


def read_numbers(cells: np.ndarray) -> np.ndarray:
    """Numbers of cells of text."""

    def number(cell: str) -> float:
        """NaN for what is none."""
        # Python takes 1_007 for a number; in a table it is a name.
        try:
            return float(cell.replace("_", "no number"))
        except ValueError:
            return np.nan

    return np.array([number(cell) for cell in cells.ravel()], dtype=np.float64).reshape(cells.shape)


def finite_cells(
    path: Path, cells: np.ndarray, columns: Sequence[str], lines: np.ndarray, remedy: str, largest: float = np.inf
) -> np.ndarray:
    """Numbers of cells of text, (n_rows, n_columns); one that is none, not finite or too large is refused."""
    values = read_numbers(cells)
    wrong = np.argwhere(~(np.isfinite(values) & (np.abs(values) <= largest)))
    if len(wrong):
        row, column = wrong[0]
        cell, limit = cells[row, column], f" up to {largest:g}" if largest < np.inf else ""
        raise InputError(
            f"{path}, line {lines[row]}, column '{columns[column]}': expected a finite number{limit}, found "
            f"{shown(cell)} ({len(wrong)} such cells in all). {remedy}.{decimal_advice(cell)}"
        )
    return values


def unique_names(path: Path, cells: Iterable[str], lines: np.ndarray, what: str, remedy: str) -> tuple[str, ...]:
    """Names of what the rows describe; one that is empty or that of another row is refused."""
    first: dict[str, int] = {}
    for cell, line in zip(cells, lines.tolist(), strict=True):
        name = str(cell).strip()
        if not name or name in first:
            fault = f"'{name}', as in line {first[name]}" if name else "an empty cell"
            raise InputError(f"{path}, line {line}: expected names of {what} that differ, found {fault}. {remedy}.")
        first[name] = line
    require_plain(first, path)
    return tuple(first)


def is_unnamed(column: str) -> bool:
    """Whether a column has no name, or the one that pandas writes for a column without a name, such as an index."""
    return not column.strip() or re.fullmatch(r"Unnamed: \d+", column.strip()) is not None


def decimal_advice(cell: str) -> str:
    """What to add to a message about a cell that should be a number: advice if it has commas, else nothing."""
    comma = re.fullmatch(r"[+-]?\d*(,\d+|(,\d{3})+(\.\d+)?)(e[+-]?\d+)?", cell.strip(), re.IGNORECASE)
    return " Write decimals with a point, and thousands without a comma." if comma else ""


def shown(cell: str) -> str:
    """Quote a cell for a message; cut it if it is long, say so if it is empty."""
    text = cell.strip()
    return f"'{_short(text)}'" if text else "an empty cell"


def some(names: Sequence[str]) -> str:
    """List names for a message, only the first six if there are more."""
    listed = ", ".join(f"'{_short(name)}'" for name in names[:6])
    return listed if len(names) <= 6 else f"{listed} ... ({len(names)} in all)"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def require_file(path: Path) -> None:
    """Refuse a path at which there is no file."""
    if not path.is_file():
        raise InputError(f"{path} does not exist or is not a file; check the path.")
