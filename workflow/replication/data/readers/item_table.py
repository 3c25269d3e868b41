"""Items of your own for retrieval: a table of features, or dissimilarities of all pairs, with labels of some items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from consensus_embedding.io.text_tables import check_names, finite_cells, read_cells, read_numbers, some, unique_names
from consensus_embedding.utils.labels import UNKNOWN_NAMES, warn_of_alike_names
from consensus_embedding.utils.rows import check_features
from consensus_embedding.utils.text import InputError

from replication.data.readers.expression_table import LARGEST

# Labels, and items of each, that there must be.
MIN_LABELS, MIN_ITEMS = 2, 2

_KINDS = {"table": "features", "dissimilarities": "dissimilarities"}
_SPECIAL = ("item", "label", "query")
# Share of the largest dissimilarity by which entries that should be equal may differ.
_TOLERANCE = 1e-8


@dataclass(frozen=True, eq=False)
class Items:
    """Items with what is known of them."""

    names: tuple[str, ...]
    # float64: features (n_items, n_features) in the units of the file, or dissimilarities (n_items, n_items), exactly
    # symmetric with a zero diagonal.
    values: np.ndarray
    kind: str  # "features" or "dissimilarities"
    labels: tuple[str, ...]  # "" where the label is unknown
    queries: tuple[bool, ...]  # whether an item is one that is asked for


def read_items(item: Mapping[str, Any]) -> Items:
    """
    Read and check a user's own items, in the order of the rows of their file.

    `item` names a CSV or TSV file as ``table`` or as ``dissimilarities``, one of them, as the configuration has checked
    it; other keys are not looked at. The file has a row per item: the column item with its name, the column label
    (empty, NA or unknown where it is unknown), and if wanted the column query with 1 for items that are asked for, 0 or
    nothing for others. All other columns contain numbers: features, or the dissimilarities to the items that the
    columns are named by, in any order.

    An InputError if the file cannot be used, or fewer than `MIN_LABELS` labels have `MIN_ITEMS` items each (queries,
    whose labels are not used, do not count).
    """
    ((path, kind),) = ((Path(item[form]), kind) for form, kind in _KINDS.items() if form in item)
    columns, cells, lines = read_cells(path, "item")
    special = _special_columns(path, columns)
    names = unique_names(path, cells[:, special["item"]], lines, "items", "Correct it")
    labels = tuple(_label(cell) for cell in cells[:, special["label"]])
    unknown = next((label for label in labels if label in ("-1", "-1.0")), None)
    if unknown:
        line = lines[labels.index(unknown)]
        raise InputError(
            f"{path}, line {line}, column 'label': expected a name of a class, found {unknown}, which marks an unknown "
            "label in other tools. Leave the cell empty if it is unknown, or rename the class."
        )
    queries = _read_queries(path, cells[:, special["query"]], lines) if "query" in special else (False,) * len(names)
    known = [label for label, query in zip(labels, queries, strict=True) if label and not query]
    _check_labels(path, known)
    warn_of_alike_names(known, f"{path}, column 'label'")
    others = [k for k in range(len(columns)) if k not in special.values()]
    if kind == "dissimilarities":
        others = _columns_of_items(path, columns, others, names)
    elif len(others) == len(names) and {columns[k] for k in others} == set(names):
        raise InputError(
            f"{path}: expected columns of features, found one column per item, named as in the column item, which is a "
            "table of dissimilarities. Give the file as dissimilarities in place of table."
        )
    check_names(path, columns, others, "name the column")
    values = _read_values(path, cells[:, others], [columns[k] for k in others], lines, kind)
    if kind == "dissimilarities":
        values = _symmetric(path, values, names)
    else:
        check_features(values, [columns[k] for k in others], str(path), "Remove it.")
    return Items(names, values, kind, labels, queries)


def _special_columns(path: Path, columns: Sequence[str]) -> dict[str, int]:
    """Positions of the columns item, label and query; the last may be absent."""
    lower = [column.lower() for column in columns]
    for name in _SPECIAL:
        if lower.count(name) > 1:
            raise InputError(f"{path}: expected one column {name}, found several. Remove or rename the others.")
    special = {name: lower.index(name) for name in _SPECIAL if name in lower}
    for name, what in (("item", "the names of the items"), ("label", "their labels, empty where unknown")):
        if name not in special:
            raise InputError(
                f"{path}: expected a column {name} with {what}, found {some(columns)}. Add or rename it; separate "
                "columns by commas in .csv, by tabs in .tsv."
            )
    return special


def _label(cell: str) -> str:
    return "" if cell.strip().lower() in UNKNOWN_NAMES else cell.strip()


def _read_queries(path: Path, cells: np.ndarray, lines: np.ndarray) -> tuple[bool, ...]:
    marks = read_numbers(np.array([cell.strip() or "0" for cell in cells], dtype=object))
    wrong = np.flatnonzero(~np.isin(marks, (0, 1)))
    if len(wrong):
        raise InputError(
            f"{path}, line {lines[wrong[0]]}, column 'query': expected 1, 0 or an empty cell, found "
            f"'{cells[wrong[0]]}'. Correct it."
        )
    return tuple((marks == 1).tolist())


def _check_labels(path: Path, labels: Sequence[str]) -> None:
    counts = Counter(labels)
    if sum(count >= MIN_ITEMS for count in counts.values()) < MIN_LABELS:
        listed = [f"'{label}' ({count})" for label, count in sorted(counts.items())]
        more = ", ..." if len(listed) > 6 else ""
        raise InputError(
            f"{path}, column 'label': expected at least {MIN_LABELS} labels with at least {MIN_ITEMS} items each, "
            f"besides queries, found {', '.join(listed[:6]) or 'none'}{more}. Label more items."
        )


def _columns_of_items(path: Path, columns: Sequence[str], others: Sequence[int], names: Sequence[str]) -> list[int]:
    """Positions of the columns that items name, in the order of the items."""
    position: dict[str, int] = {}
    for k in others:
        if position.setdefault(columns[k], k) != k:
            raise InputError(
                f"{path}: expected one column per item, found '{columns[k]}' for columns {position[columns[k]] + 1} "
                f"and {k + 1}. Remove one of them."
            )
    rows = set(names)
    unknown = [columns[k] for k in others if columns[k] not in rows]
    absent = [name for name in names if name not in position]
    if unknown or absent:
        fault = f"the columns {some(unknown)}, which no row has" if unknown else f"none for {some(absent)}"
        raise InputError(
            f"{path}: expected a column for each item, named as in the column item, besides item, label and query, "
            f"found {fault}. Rename, remove or add columns; features go in a table."
        )
    return [position[name] for name in names]


def _read_values(path: Path, cells: np.ndarray, columns: Sequence[str], lines: np.ndarray, kind: str) -> np.ndarray:
    """Finite numbers, in at least one column."""
    if not len(columns):
        raise InputError(
            f"{path}: expected columns of features besides item, label and query, found none. Add them, or check the "
            "separator of the columns."
        )
    remedy = "Correct the cell, or remove the item"
    if kind == "features":
        remedy += "; remove the column if it is not a feature (the one with the class must be called label)"
    return finite_cells(path, cells, columns, lines, remedy, LARGEST)


def _symmetric(path: Path, values: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Checked dissimilarities, exactly symmetric with a zero diagonal."""

    def pair(entry: int) -> tuple[int, int, str]:
        i, j = divmod(int(entry), len(names))
        return i, j, f"from '{names[i]}' to '{names[j]}'"

    if values.min() < 0:
        i, j, which = pair(values.argmin())
        raise InputError(
            f"{path}: expected dissimilarities of 0 or more, found {values[i, j]:.6g} {which}. Correct it; if these "
            "are similarities, convert them."
        )
    # One huge value, such as one that marks a missing pair, allows no more.
    allowed = _TOLERANCE * min(values.max(), 1000.0 * np.median(values[values > 0])) if values.any() else 0.0
    own = np.diagonal(values)
    if own.max() > allowed:
        i = own.argmax()
        raise InputError(
            f"{path}: expected dissimilarity 0 of an item to itself, found {own[i]:.6g} for '{names[i]}'. Correct it; "
            "if these are similarities, convert them."
        )
    apart = np.abs(values - values.T)
    if apart.max() > allowed:
        i, j, which = pair(apart.argmax())
        raise InputError(
            f"{path}: expected a symmetric table of dissimilarities, found {values[i, j]:.6g} {which} and "
            f"{values[j, i]:.6g} from '{names[j]}' to '{names[i]}'. Correct one of them, or take the mean of both."
        )
    values = values / 2.0 + values.T / 2.0
    np.fill_diagonal(values, 0.0)
    return values
