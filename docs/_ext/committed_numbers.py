"""
Numbers of the committed tables in the text of a page.

A template writes `{{ value("distances", "mean", m=10, format=".0f") }}`; the page shows the number of the row with
m = 10 in resources/paper/distances.tsv. No number of the study is typed, so none goes stale. Code blocks are not
changed.
"""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = ROOT / "resources" / "paper"
sys.path += [str(ROOT / "src"), str(ROOT / "workflow")]

from replication.claims.answers import counted, summary_line  # noqa: E402
from replication.shared.tables import to_markdown  # noqa: E402

CODE = re.compile(r"^(`{3,}|~{3,})(?!\{).*?^\1$", flags=re.DOTALL | re.MULTILINE)


@functools.cache
def committed(name: str) -> pd.DataFrame:
    """
    A committed table, all cells as text.

    Parameters
    ----------
    name : str
        A table of resources/paper without its ending, or the path of a TSV file from the root of the repository.

    Raises
    ------
    ValueError
        There is no such table.
    """
    path = ROOT / name if "/" in name else COMMITTED / f"{name}.tsv"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in COMMITTED.glob("*.tsv")))
        raise ValueError(f"There is no table {name!r} ({path.relative_to(ROOT)}). Tables: {known}.")
    return pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)


def matching(name: str, conditions: dict[str, Any]) -> pd.DataFrame:
    """Rows of a table whose cells equal the conditions: the same text or number, one of a list, empty for None."""
    rows = committed(name)
    known_columns(name, conditions)
    for column, wanted in conditions.items():
        options = wanted if isinstance(wanted, list | tuple) else [wanted]
        rows = rows[rows[column].map(lambda cell, options=options: any(is_same(cell, option) for option in options))]
    return rows


def known_columns(name: str, columns: Any) -> None:
    """Raise a ValueError if the table lacks one of the columns."""
    present = list(committed(name))
    if unknown := [column for column in columns if column not in present]:
        raise ValueError(f"Table {name!r} has no column {unknown[0]!r}. Columns: {', '.join(present)}.")


def is_same(cell: str, wanted: Any) -> bool:
    """Whether the text of a cell is this text, or writes this number."""
    if wanted is None:
        return cell == ""
    if cell == str(wanted):
        return True
    try:
        return float(cell) == float(wanted)
    except ValueError:
        return False


def value(name: str, column: str, *, format: str = "", **conditions: Any) -> str:
    """
    The one cell of a table in a column under conditions.

    Parameters
    ----------
    name : str
        The table, as in `committed`.
    column : str
    format : str
        How Python formats the number, e.g. ".1f" or ".0%"; by default the cell is shown as committed.
    **conditions
        Columns and what their cells are. A column with a blank in its name is written
        `**{"data set": "leukemia"}`.

    Raises
    ------
    ValueError
        Not exactly one row meets the conditions, or the cell cannot be formatted as a number.
    """
    cell = single(name, column, conditions)
    if not format:
        return cell
    return f"{as_number(cell, name, column):{format}}"


def number(name: str, column: str, **conditions: Any) -> float:
    """The same cell as a number, to compute with: `{{ "%.0f" % (100 * number(...)) }}`."""
    return as_number(single(name, column, conditions), name, column)


def single(name: str, column: str, conditions: dict[str, Any]) -> str:
    """The cell of the one row under the conditions."""
    known_columns(name, [column])
    rows = matching(name, conditions)
    if len(rows) != 1:
        raise ValueError(f"Table {name!r} has {len(rows)} rows with {conditions}; one is needed.")
    return rows[column].iloc[0]


def as_number(cell: str, name: str, column: str) -> float:
    """The number that a cell begins with: the mean of "0.971 ± 0.006"."""
    try:
        return float(cell.partition(" ± ")[0])
    except ValueError:
        raise ValueError(f"Table {name!r}, column {column!r}: {cell!r} is not a number.") from None


def table(name: str, *, columns: list[str] | dict[str, str] | None = None, **conditions: Any) -> str:
    """
    Rows of a table under conditions, in Markdown.

    Parameters
    ----------
    name : str
        The table, as in `committed`.
    columns : list of str, or dict of column -> heading
        Which columns, in this order; all by default.
    **conditions
        As in `value`.

    Raises
    ------
    ValueError
        No row meets the conditions, or a column is unknown.
    """
    rows = matching(name, conditions)
    if rows.empty:
        raise ValueError(f"Table {name!r} has no rows with {conditions}.")
    if columns is not None:
        known_columns(name, columns)
        rows = rows[list(columns)]
    return to_markdown(rows.rename(columns=columns if isinstance(columns, dict) else {}))


def counts(paper: str | None = None) -> str:
    """How many claims of a paper, by default of all, hold: "10 claims: holds 8 (2 on a substitute), partly 2"."""
    return summary_line(counted(matching("claims", {} if paper is None else {"paper": paper})))


FUNCTIONS: dict[str, Any] = {"value": value, "number": number, "table": table, "counts": counts}
# Further filters of pages, and functions above, come from result_tables.py.
FILTERS: dict[str, Any] = {}


def render(text: str) -> str:
    """
    Text of a page with its numbers filled in; code blocks stay as they are.

    Raises
    ------
    ValueError
        A table, a column or a row is missing.
    jinja2.TemplateError
        An expression cannot be read, or names something unknown.
    """
    if "{{" not in text and "{%" not in text:
        return text
    # `{#` opens an anchor in Markdown, so that comments of templates get another sign.
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        comment_start_string="{{#",
        comment_end_string="#}}",
        autoescape=False,
    )
    environment.globals |= FUNCTIONS
    environment.filters |= FILTERS
    return environment.from_string(CODE.sub(r"{% raw %}\g<0>{% endraw %}", text)).render()
