"""From a verdict, or a number in a table, back to the lines of metrics.tsv that it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

import numpy as np
import pandas as pd

# The first line of a file has the names of the columns.
_FIRST_LINE = 2
# A cell that fits more rows than this refers to the complete file.
_MOST_ROWS = 2000
# Headers of tables that mean a column of the metrics, with its name there.
_COLUMNS = {
    "data_set": ["dataset"],
    "non_uniformity": ["inhomogeneity"],
    "m": ["training", "n_embeddings", "n_components"],
    "s": ["labelled"],
    "n": ["n_samples"],
    "features": ["n_features"],
    "pixels": ["n_pixels"],
    "samples": ["n_samples"],
    "training_drawn_as": ["split"],
    "changed": ["variant"],
    "left_out": ["scheme"],
    "score": ["metric"],
    "distance": ["metric"],
}
# Names in tables that mean a value of the metrics.
_VALUES = {
    "ge": ["ge", "graph_embedding"],
    "consensus_ge": ["consensus"],
    "f": ["features"],
    "si": ["si"],
    "all_objects": ["all"],
    "single_objects": ["objects"],
    "picture": ["picture"],
}
_NOT_CONDITIONS = ("experiment", "value")


def slug(text: object) -> str:
    """A name in lower case, its words joined by "_", without what is in brackets."""
    bare = re.sub(r"\([^)]*\)", " ", str(text).lower())
    return re.sub(r"[^a-z0-9.]+", "_", bare).strip("_")


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


class RowFinder:
    """
    Finds the rows of the tidy metrics of an experiment, as read from its file, behind a cell of a table.

    The row of a table names conditions: a cell whose header is a column of the metrics, or means one, and whose
    value occurs there. The header of the cell names a metric, a method, or a value of another column. The rows that
    fit all of these are the cell's, if at least the metric or the method is named.
    """

    def __init__(self, metrics: pd.DataFrame):
        # Tables ask for the same cells and headers again and again.
        self._condition, self._of_header = cache(self._find_condition), cache(self._read_header)
        self.masks: dict[str, dict[str, np.ndarray]] = {}
        for column in metrics.columns.difference(_NOT_CONDITIONS, sort=False):
            codes, values = pd.factorize(metrics[column], use_na_sentinel=True)
            # Repetitions by the hundred identify no cell of a table.
            if column == "repetition" or len(values) > 400:
                continue
            keys = [_key(value) for value in values]
            # What two values may be called is neither; as it is written a value is found before what it may be called.
            self.masks[column] = {
                key: codes == code for code, key in enumerate(keys) if key and keys.count(key) == 1
            } | {_exact(value): codes == code for code, value in enumerate(values) if value != ""}

    def lines(self, row: Mapping[str, object], header: str) -> list[int]:
        """Lines of metrics.tsv behind a cell."""
        conditions: dict[str, np.ndarray] = {}
        for name, cell in row.items():
            if name != header and (condition := self._condition(name, cell)):
                conditions[condition[0]] = condition[1]
        conditions |= self._of_header(str(header))
        if not {"metric", "method"} & set(conditions):
            return []
        rows = np.flatnonzero(np.logical_and.reduce(list(conditions.values())))
        return (rows + _FIRST_LINE).tolist() if 0 < len(rows) <= _MOST_ROWS else []

    def _find_condition(self, name: str, cell: object) -> tuple[str, np.ndarray] | None:
        """Column of the metrics that a cell is a value of, and the rows that have it."""
        bare = slug(name)
        for column in [bare, *_COLUMNS.get(bare, [])]:
            exact = [_exact(cell)] if isinstance(cell, str) else []
            for key in [*exact, *_keys(cell, percent="%" in str(name))]:
                if key in self.masks.get(column, {}):
                    return column, self.masks[column][key]
        return None

    def _read_header(self, header: str) -> dict[str, np.ndarray]:
        """Columns of the metrics that a header names a value of: as a whole, without its end, or in two parts."""
        first, *_ = str(header).split(",")
        whole = self._named(slug(header)) or self._named(slug(first))
        if whole:
            return whole
        words = slug(first).split("_")
        for cut in range(len(words) - 1, 0, -1):
            parts = [self._named("_".join(words[:cut])), self._named("_".join(words[cut:]))]
            if all(parts):
                return parts[0] | parts[1]
        return {}

    def _named(self, text: str) -> dict[str, np.ndarray]:
        """The column that has a value of this name, metrics and methods first."""
        for key in [text, *_VALUES.get(text, [])]:
            for column in dict.fromkeys(["metric", "method", *self.masks]):
                if key and key in self.masks.get(column, {}) and not _is_number(key):
                    return {column: self.masks[column][key]}
        return {}


def _keys(cell: object, percent: bool) -> list[str]:
    """What a cell may be called in the metrics."""
    key = _key(cell)
    keys = [key, *_VALUES.get(key, [])]
    if percent and _is_number(key):
        keys.insert(0, _key(float(key) / 100))
    return [key for key in keys if key]


def _exact(value: object) -> str:
    """A value as it is written, apart from all slugs."""
    return f"={value}"


def _key(value: object) -> str:
    """A value as it is compared: numbers by six digits, words as slugs."""
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return "" if pd.isna(value) else f"{float(value):.6g}"
    return f"{float(value):.6g}" if _is_number(str(value)) else slug(value)


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", text))
