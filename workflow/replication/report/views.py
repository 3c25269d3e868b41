"""What the report shows of an experiment: its claims, the rows that these lead to, and its tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from replication.claims.metrics_rows import line_ranges, lines_in
from replication.report.text import cell_text, exact_text, in_words
from replication.shared.tidy import read_table

# Cells of a table that are on the page, in full rows and at least so many; rows of the metrics of a claim. The files
# have the others.
CELLS, LEAST_ROWS, OF_A_CLAIM = 200, 8, 5
# Cells of a table of the user's own data, which is what the page is opened for.
OWN_CELLS = 5000


@dataclass(frozen=True)
class Section:
    """One experiment in the report."""

    name: str
    title: str
    text: str  # What the experiment asks, in paragraphs.
    source: str
    dataset: str
    paper: str = ""  # As in the files of claims; empty if it is of none.
    metrics: pd.DataFrame = field(default_factory=pd.DataFrame)  # Claims link to their rows.
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)  # Path below the experiment's folder -> table.
    figures: Mapping[str, str] = field(default_factory=dict)  # Path of a PNG file -> caption.
    seconds: float | None = None  # Run time of its jobs.


def experiment_view(
    section: Section,
    claims: Sequence[Mapping],
    rows: Mapping[str, Mapping],
    choices: pd.DataFrame,
    experiments: Sequence[str],
) -> dict:
    """What the template shows of an experiment."""
    lines: set[int] = set()
    metrics = section.metrics.drop(columns="experiment", errors="ignore")
    judged = []
    for claim in (claim for claim in claims if claim["experiment"] == section.name):
        listed = lines_in(rows[claim["id"]]["lines"]) if claim["id"] in rows else []
        shown = [line for line in listed[:OF_A_CLAIM] if line - 2 < len(metrics)]
        # A row is on the page once: claims that share it link to it.
        own, shared = ([line for line in shown if (line in lines) == others] for others in (False, True))
        lines |= set(own)
        view = {"n": len(listed), "ranges": _short(listed), "table": _metrics_rows(metrics, own), "shared": shared}
        judged.append({**claim, **view})
    return {
        "section": section,
        "claims": judged,
        "tables": [table_view(path, table) for path, table in section.tables.items()],
        "size": len(metrics),
        "choices": _choices_of(section, choices, experiments),
    }


def table_view(path: str, table: pd.DataFrame, n_cells: int = CELLS) -> dict:
    """At most so many cells of a table, each with its text and its value."""
    records = shown_rows(table, n_cells).to_dict("records")
    rows = [[(cell_text(value), value) for value in row.values()] for row in records]
    title = in_words(Path(path).stem)
    return {"title": title, "path": path, "columns": list(table.columns), "rows": rows, "size": len(table)}


def shown_rows(table: pd.DataFrame, n_cells: int = CELLS) -> pd.DataFrame:
    """Rows of a table on the page: all, or of a long table the first ones of each value of its first column."""
    most = max(LEAST_ROWS, n_cells // max(1, len(table.columns)))
    if len(table) <= most:
        return table
    groups = table.groupby(table.columns[0], sort=False, dropna=False)
    rank, sizes = groups.cumcount(), groups.size()
    # Groups smaller than their share leave room for the others.
    each = max(n for n in range(most + 1) if sizes.clip(upper=n).sum() <= most)
    return table[rank < each] if each else table.head(most)


def own_result(path: str, what: str) -> dict:
    """A table or a figure of the user's own data, with which the page opens: its path and what it shows."""
    name, _, file = path.rpartition("/tables/")
    is_table = file.endswith(".tsv") and name
    table = table_view(f"tables/{file}", read_table(path), OWN_CELLS) if is_table else None
    return {"path": path, "what": what, "link": "/".join(Path(path).parts[2:]), "table": table}


def choices_of_papers(choices: pd.DataFrame, sections: Sequence[Section]) -> pd.DataFrame:
    """Choices of the papers on the page; of all papers, if an experiment is of all or there is nothing to go by."""
    papers = {section.paper for section in sections}
    return choices[choices["paper"].isin(papers)] if "paper" in choices and papers and "" not in papers else choices


def _metrics_rows(metrics: pd.DataFrame, lines: Sequence[int]) -> dict:
    """Rows of the metrics by their lines in the file, without the columns that are empty in all of them."""
    cells = [[exact_text(value) for value in metrics.iloc[line - 2]] for line in lines]
    kept = [k for k in range(len(metrics.columns)) if any(row[k] for row in cells)]
    numeric = [pd.api.types.is_numeric_dtype(metrics.dtypes.iloc[k]) for k in kept]
    return {
        "columns": [metrics.columns[k] for k in kept],
        "rows": [
            (line, [(row[k], number) for k, number in zip(kept, numeric, strict=True)])
            for line, row in zip(lines, cells, strict=True)
        ],
    }


def _choices_of(section: Section, choices: pd.DataFrame, experiments: Sequence[str]) -> list[dict]:
    """Choices of the paper of an experiment, except those that are set for other experiments alone."""
    listed = []
    for choice in choices[choices["paper"] == section.paper].to_dict("records") if "paper" in choices else []:
        named = set(re.findall(r"\w+", choice["where it is set"])) & set(experiments)
        if not named or section.name in named:
            listed.append(choice)
    return listed


def _short(lines: Sequence[int]) -> str:
    """Lines as ranges, the first four of them."""
    parts = line_ranges(line - 2 for line in lines).split(", ")
    return f"line{'' if len(lines) == 1 else 's'} {', '.join(parts[:4])}{' …' if len(parts) > 4 else ''}"
