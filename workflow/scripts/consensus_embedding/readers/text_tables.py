"""Tables of text with a header, CSV or TSV: their cells, and the numbers in these."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def read_cells(path: Path, what: str, error: type[ValueError]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """
    Read a table without converting anything.

    Parameters
    ----------
    path : Path
        Ends in .csv (commas) or .tsv (tabs), in any case; UTF-8.
    what : str
        What a row describes, for messages.
    error : type of ValueError
        What is raised.

    Returns
    -------
    names : list of str
        Of the columns, without blanks around them; not checked.
    cells : ndarray of shape (n_rows, n_columns), object
        Cells as text. Blank lines are skipped.
    lines : ndarray of shape (n_rows,), int
        Line of each row in the file, from 1.

    Raises
    ------
    ValueError
        Of type `error`: if the file is missing, of another format, no text, without a row below the header, or has
        rows that differ in length.
    """
    if path.suffix.lower() not in _DELIMITERS:
        raise error(f"{path}: expected a file name ending in .csv or .tsv; convert the table.")
    require_file(path, error)
    rows, lines = [], []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=_DELIMITERS[path.suffix.lower()], strict=True)
            for row in reader:
                if any(cell.strip() for cell in row):
                    rows.append(row)
                    lines.append(reader.line_num)
    except (OSError, UnicodeDecodeError, csv.Error) as found:
        raise error(
            f"{path} cannot be read: expected a table of text in UTF-8 with a header, found: {found}. Export it again."
        ) from found
    if len(rows) < 2:
        raise error(f"{path}: expected a header and a row per {what}, found {len(rows)} row(s). Export it again.")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(rows[0]):
            if len(rows[0]) == 1:
                sign = "commas" if path.suffix.lower() == ".csv" else "tabs"
                raise error(
                    f"{path}, line {lines[0]}: expected a header with names separated by {sign}, found one name: "
                    f"{rows[0][0].strip()[:60]!r}. Separate columns by commas in .csv, by tabs in .tsv, write decimals "
                    "with a point, and put nothing above the header."
                )
            raise error(
                f"{path}, line {line}: expected {len(rows[0])} cells, as in the header, found {len(row)}. Correct the "
                "row; if it is the last one, the file may be cut off."
            )
    return [name.strip() for name in rows[0]], np.array(rows[1:], dtype=object), np.array(lines[1:])


def read_numbers(cells: np.ndarray) -> np.ndarray:
    """
    Numbers of cells of text.

    Parameters
    ----------
    cells : ndarray of str or object

    Returns
    -------
    ndarray, float64
        Of the shape of `cells`; NaN where a cell is not a number.
    """

    def number(cell: str) -> float:
        # Python takes 1_007 for a number; in a table it is a name.
        try:
            return float(cell.replace("_", "no number"))
        except ValueError:
            return np.nan

    return np.array([number(cell) for cell in cells.ravel()], dtype=np.float64).reshape(cells.shape)


def is_unnamed(column: str) -> bool:
    """Whether a column has no name, or the one that pandas writes for a column without a name, such as an index."""
    return not column.strip() or re.fullmatch(r"Unnamed: \d+", column.strip()) is not None


def decimal_advice(cell: str) -> str:
    """What to add to a message about a cell that should be a number: advice if it has a decimal comma, else nothing."""
    comma = re.fullmatch(r"[+-]?\d*,\d+(e[+-]?\d+)?", cell.strip(), re.IGNORECASE)
    return " Write decimals with a point, not with a comma." if comma else ""


def require_file(path: Path, error: type[ValueError]) -> None:
    """Raise an error of type `error` if there is no file at the path."""
    if not path.is_file():
        raise error(f"{path} does not exist or is not a file; check the path.")
