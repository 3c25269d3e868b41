"""Points for a check of an embedding: tables of features, ready embeddings and labels, as text, NPY or Parquet."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from consensus_embedding.io.memory import TEXT, require_memory
from consensus_embedding.io.text_tables import check_names, finite_cells, read_cells, require_file, some, unique_names
from consensus_embedding.utils.extras import missing_package
from consensus_embedding.utils.labels import UNKNOWN_NAMES
from consensus_embedding.utils.rows import check_features
from consensus_embedding.utils.text import InputError, require_plain

TEXT_FORMATS = (".csv", ".tsv")
FORMATS = (*TEXT_FORMATS, ".npy", ".parquet")
# Fewer points have no neighbours to compare.
MIN_POINTS = 3
# What to do about a table that does not fit into memory.
_SMALLER = "Take fewer points or columns"


_names = partial(unique_names, what="points", remedy="Correct it, or name no id")


@dataclass(frozen=True, eq=False)
class PointTable:
    """Points and what is known of them."""

    # (n_points, n_columns), float64 or the type that a binary file has: finite, in the units of the file; read-only and
    # mapped from the disk for NPY.
    values: np.ndarray
    columns: tuple[str, ...]  # "column 1", "column 2" ... for NPY
    ids: tuple[str, ...] | None = None  # names of the points, all different
    labels: np.ndarray | None = None  # (n_points,), object: text, None where missing
    representation: str | None = None  # of an AnnData file, what the values are: X or a key of obsm


def read_points(
    path: str | Path, *, label: str | None = None, id: str | None = None, drop: Sequence[str] = ()
) -> PointTable:
    """
    Read a table with a row per point; columns other than `label`, `id` and `drop` are numbers.

    .csv (commas) and .tsv (tabs) are UTF-8 with a header; .npy has two axes, no pickled objects and none of these
    columns; .parquet needs pyarrow (else an ImportError). Labels of `UNKNOWN_NAMES` are missing, in any case. An
    InputError also for fewer than `MIN_POINTS` points, a number that is not finite, a column that numbers the rows,
    names that are empty or repeated, and if no label is known.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise InputError(
            f"{path}: expected a file name ending in {', '.join(FORMATS)}, found '{suffix}'. Convert the table."
        )
    if suffix == ".npy":
        if label or id or drop:
            raise InputError(
                f"{path}: an NPY file has no column names, so label, id and drop cannot name one. Give the "
                "labels in a file of their own (labels)."
            )
        values = _finite(path, read_npy(path, 2))
        table = PointTable(values, tuple(f"column {k}" for k in range(1, values.shape[1] + 1)))
    elif suffix == ".parquet":
        table = _from_parquet(path, label, id, drop)
    else:
        table = _from_text(path, label, id, drop)
    if len(table.values) < MIN_POINTS or not table.values.shape[1]:
        raise InputError(
            f"{path}: expected at least {MIN_POINTS} points and 1 column of numbers, found {len(table.values)} and "
            f"{table.values.shape[1]}. Give a row per point and a column per feature; check the separator."
        )
    remedy = "Save the array without it." if suffix == ".npy" else "List it under id or drop, or remove it."
    check_features(table.values, table.columns, str(path), remedy)
    return table


def read_embeddings(
    paths: Sequence[str | Path], *, id: str | None = None, drop: Sequence[str] = ()
) -> list[PointTable]:
    """
    Read ready embeddings of the same points, one file per run, each as `read_points` reads it.

    With `id` the runs are put in the order of the first. Without it, and in NPY files, which have no names, the rows
    must be in the same order, which cannot be checked. An InputError if two runs differ in their points or dimensions.
    """
    runs: list[PointTable] = []
    nameless = [str(path) for path in paths if Path(path).suffix.lower() == ".npy"]
    if id is not None and 0 < len(nameless) < len(paths):
        raise InputError(
            f"{nameless[0]}: expected names of points, because id is {id!r}, found an NPY file, which has none. Save "
            "it as CSV or Parquet with that column, or give all runs as NPY."
        )
    for path in paths:
        named: dict[str, Any] = {} if Path(path).suffix.lower() == ".npy" else {"id": id, "drop": drop}
        run = read_points(path, **named)
        if runs:
            run = in_order_of(run, runs[0].ids, str(path), str(paths[0]))
            if run.values.shape != runs[0].values.shape:
                raise InputError(
                    f"{path}: expected {_shape(runs[0].values)}, as in {paths[0]}, found {_shape(run.values)}. Give "
                    "embeddings of the same points with the same number of dimensions."
                )
        runs.append(run)
    return runs


def read_labels(path: str | Path, *, label: str | None = None, id: str | None = None) -> PointTable:
    """
    Read the labels of points from a file: CSV or TSV with a header, or NPY with one axis of numbers or text.

    The result has labels, names if `id` is given, and no values. `label` is needed where there are several columns,
    else an InputError.
    """
    path = Path(path)
    if path.suffix.lower() == ".npy":
        values = read_npy(path, 1, text=True)
        return PointTable(np.empty((len(values), 0)), (), None, as_labels(values.tolist(), str(path)))
    columns, cells, lines = read_cells(path, "point")
    others = [name for name in columns if name != id]
    if label is None and len(others) > 1:
        raise InputError(f"{path}: expected the key label to name one of {some(others)}. Add it.")
    position = _positions(path, columns, [label or (others or [""])[0], *([id] if id else [])])
    ids = _names(path, cells[:, position[id]], lines) if id else None
    labels = as_labels(cells[:, position[label or others[0]]], f"{path}, column '{label or others[0]}'")
    return PointTable(np.empty((len(cells), 0)), (), ids, labels)


def in_order_of(table: PointTable, ids: tuple[str, ...] | None, path: str, other: str) -> PointTable:
    """
    Put points in the order of the names `ids`, where both have names; else they stay as they are.

    An InputError if the names differ; `path` and `other` say in its message where both come from.
    """
    if ids is None or table.ids is None or table.ids == ids:
        return table
    place = {name: k for k, name in enumerate(table.ids)}
    wanted = set(ids)
    if len(wanted) < len(ids):
        repeated = pd.Index(ids)[pd.Index(ids).duplicated()][0]
        raise InputError(
            f"{other}: expected names of points that differ, found '{repeated}' more than once, so that {path} cannot "
            "be matched by them. Make the names unique, or leave out id if the rows are in the same order."
        )
    wrong = [name for name in ids if name not in place] or [name for name in table.ids if name not in wanted]
    if wrong:
        raise InputError(
            f"{path}: expected the same points as in {other}, found {some(wrong)} in one of them only. Give all files "
            "the same points."
        )
    rows = [place[name] for name in ids]
    labels = None if table.labels is None else table.labels[rows]
    return replace(table, values=table.values[rows], ids=ids, labels=labels)


def as_labels(values: Sequence[object] | np.ndarray, where: str) -> np.ndarray:
    """
    Labels as text, (n,), object; None where missing: None, NaN and the text of `UNKNOWN_NAMES`.

    Values may be text, also as bytes, numbers, None or NaN; an InputError if all are missing. If all are whole numbers,
    they are without a decimal point: in a column with gaps they are floats.
    """
    labels = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        value = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
        text = "" if value is None or value is pd.NaT or value is pd.NA else str(value).strip()
        labels[k] = None if text.lower() in UNKNOWN_NAMES else text
    names = set(labels) - {None}
    require_plain(names, where)
    if not names:
        raise InputError(f"{where}: expected labels, found only missing ones. Fill them in, or name no label.")
    if all(re.fullmatch(r"-?\d+\.0", name) for name in names):
        labels[:] = [label and label.removesuffix(".0") for label in labels]
    return labels


def read_npy(path: Path, n_axes: int, *, text: bool = False) -> np.ndarray:
    """
    Read an array of numbers without unpickling anything; read-only, it stays on the disk until it is used.

    An InputError if it has not `n_axes` axes, has text without `text`, or is longer or shorter than its header says.
    """
    require_file(path)
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        complete = array.size == 0 or array.offset + array.nbytes == path.stat().st_size
    except (OSError, ValueError, EOFError, SyntaxError, AttributeError, OverflowError, tokenize.TokenError) as error:
        raise InputError(
            f"{path} cannot be read: expected an NPY file of numbers without pickled objects, found: {error}. Save the "
            "array again with numpy.save, as numbers."
        ) from error
    kinds = "biufUS" if text else "biuf"
    # Without values there may be any number of columns.
    if array.ndim != n_axes or array.dtype.kind not in kinds or not complete or not array.nbytes:
        fault = f"shape {array.shape} of {array.dtype}" if complete else "more bytes than its header says"
        raise InputError(
            f"{path}: expected an array of {'numbers or text' if text else 'numbers'} with {n_axes} "
            f"{'axis' if n_axes == 1 else 'axes (points, columns)'}, found {fault}. Save it again."
        )
    # The names of columns, or the labels; and whether each value is finite.
    require_memory(path, array.shape[-1:], TEXT, remedy=_SMALLER)
    require_memory(path, array.shape, np.bool_, remedy=_SMALLER)
    return array


def _shape(values: np.ndarray) -> str:
    return f"{values.shape[0]} points with {values.shape[1]} columns"


def _from_text(path: Path, label: str | None, id: str | None, drop: Sequence[str]) -> PointTable:
    columns, cells, lines = read_cells(path, "point")
    position = _positions(path, columns, [name for name in (label, id, *drop) if name])
    others = [k for k in range(len(columns)) if k not in position.values()]
    names = tuple(columns[k] for k in others)
    check_names(path, columns, others, "name the column and list it under id or drop")
    remedy = "Correct the cell or leave out the row; name a column that is not a feature under label, id or drop"
    values = finite_cells(path, cells[:, others], names, lines, remedy)
    ids = _names(path, cells[:, position[id]], lines) if id else None
    labels = as_labels(cells[:, position[label]], f"{path}, column '{label}'") if label else None
    return PointTable(values, names, ids, labels)


def _from_parquet(path: Path, label: str | None, id: str | None, drop: Sequence[str]) -> PointTable:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise missing_package(f"{path}, a Parquet file,", "pyarrow", "parquet") from error
    require_file(path)
    try:
        announced = parquet.read_metadata(path)
        shape = announced.num_rows, announced.num_columns
        # In Arrow, in pandas, the columns that are kept, and all of one type.
        require_memory(path, shape, *[np.float64] * 4, remedy=_SMALLER)
        frame = parquet.read_table(path).to_pandas(ignore_metadata=True)
    except InputError:
        raise
    except (OSError, ValueError, ArrowException) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}. Export it again.") from error
    # The index of pandas, which Parquet keeps as a column; the numbers of the rows are not features.
    columns = [str(name) for name in frame.columns]
    require_plain(columns, path)
    unnamed = [name for name in columns if name.startswith("__index_level_")]
    position = _positions(path, columns, [name for name in (label, id, *drop, *unnamed) if name])
    others = [k for k in range(len(columns)) if k not in position.values()]
    for k in others:
        if frame.dtypes.iloc[k].kind not in "biuf":
            raise InputError(
                f"{path}, column '{columns[k]}': expected numbers, found {frame.dtypes.iloc[k]}. Name a column that is "
                "not a feature under label, id or drop."
            )
    values = frame.iloc[:, others].to_numpy(np.float64, na_value=np.nan)
    names = tuple(columns[k] for k in others)
    # Rows as in text: the header is line 1.
    lines = np.arange(2, len(frame) + 2)
    ids = _names(path, frame.iloc[:, position[id]].astype(str).to_numpy(), lines) if id else None
    labels = as_labels(frame.iloc[:, position[label]].tolist(), f"{path}, column '{label}'") if label else None
    return PointTable(_finite(path, values, names), names, ids, labels)


def _positions(path: Path, columns: Sequence[str], named: Sequence[str]) -> dict[str, int]:
    for name in named:
        if columns.count(name) != 1:
            raise InputError(
                f"{path}: expected one column '{name}', found {columns.count(name) or 'none'} among {some(columns)}. "
                "Correct the name; separate columns by commas in .csv, by tabs in .tsv."
            )
    return {name: columns.index(name) for name in named}


def _finite(path: Path, values: np.ndarray, columns: Sequence[str] | None = None) -> np.ndarray:
    bad = ~np.isfinite(values)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        where = f"column '{columns[column]}'" if columns else f"column {column + 1}"
        raise InputError(
            f"{path}, row {row + 1}, {where}: expected a finite number, found {values[row, column]} "
            f"({np.count_nonzero(bad)} such values in all). Fill the gaps or leave out the row or the column."
        )
    return values
