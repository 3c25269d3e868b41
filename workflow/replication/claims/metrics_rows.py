"""From a verdict back to the lines of metrics.tsv that it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

# The first line of a file has the names of the columns.
_FIRST_LINE = 2


def line_ranges(index: Iterable[int]) -> str:
    """Lines of metrics.tsv with some rows, as ranges."""
    runs: list[list[int]] = []
    for line in sorted({int(position) + _FIRST_LINE for position in index}):
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in runs)


def lines_in(ranges: str) -> list[int]:
    """Lines named by `line_ranges`, rising."""
    lines: list[int] = []
    for part in filter(None, str(ranges).split(", ")):
        first, _, last = part.partition("-")
        lines += range(int(first), int(last or first) + 1)
    return lines


def rows_table(rows: Mapping[str, Iterable[int]], experiments: Mapping[str, str]) -> pd.DataFrame:
    """Table of the rows behind every verdict."""
    records = [
        {"claim": claim, "experiment": experiments[claim], "rows": len(list(index)), "lines": line_ranges(index)}
        for claim, index in rows.items()
    ]
    return pd.DataFrame(records, columns=["claim", "experiment", "rows", "lines"])
