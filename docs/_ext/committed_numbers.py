"""
Numbers of the committed tables in the text of a page.

A template writes `{{ value("distances", "mean", m=10) }}`; the page shows the number of the row with
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

CODE = re.compile(r"^(`{3,}|~{3,})(?!\{).*?^\1$", flags=re.DOTALL | re.MULTILINE)


@functools.cache
def committed(name: str) -> pd.DataFrame:
    """
    A table of resources/paper by its name, or a TSV file by its path from the root, all cells as text.

    A ValueError if there is none.
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


def rows(name: str, *keys: object, **where: object) -> pd.DataFrame:
    """
    Rows of a committed table in which every key is the entry of some column; a ValueError if none is left.

    `where` is column -> entry, with a blank in its name `**{"data set": "leukemia"}`. A list stands for any of its
    entries.
    """
    kept = matching(name, where)
    for key in keys:
        kept = kept[kept.isin([str(entry) for entry in several(key)]).any(axis=1)]
    if kept.empty:
        raise ValueError(f"Table {name!r} has no row with {keys} and {where}.")
    return kept


def several(value: object) -> list[Any]:
    """A list of entries, or one entry as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]


def value(name: str, column: str, *keys: object, **where: object) -> str:
    """The one cell in a column under the keys of `rows`, as committed."""
    found = rows(name, *keys, **where)
    known_columns(name, [column])
    if len(found) != 1:
        raise ValueError(f"Table {name!r} has {len(found)} rows with {keys} and {where}; one is needed.")
    return found[column].iloc[0]


def as_number(cell: str, name: str, column: str) -> float:
    """The number that a cell begins with: the mean of "0.971 ± 0.006"."""
    try:
        return float(cell.partition(" ± ")[0])
    except ValueError:
        raise ValueError(f"Table {name!r}, column {column!r}: {cell!r} is not a number.") from None


def counts(paper: str | None = None) -> str:
    """How many claims of a paper, by default of all, hold: "10 claims: holds 8 (2 on a substitute), partly 2"."""
    return summary_line(counted(matching("claims", {} if paper is None else {"paper": paper})))


FUNCTIONS: dict[str, Any] = {"value": value, "rows": rows, "counts": counts}
# Further filters of pages, and functions above, come from result_tables.py.
FILTERS: dict[str, Any] = {}


def render(text: str) -> str:
    """
    Text of a page with its numbers filled in; code blocks stay as they are.

    A ValueError if a table, a column or a row is missing; a jinja2.TemplateError if an expression cannot be read.
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
