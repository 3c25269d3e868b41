"""Tables of gene expression: samples of two classes, read from a file and checked."""

from __future__ import annotations

import difflib
import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from consensus_embedding.io.table_formats import Columns, Rows, open_table
from consensus_embedding.io.text_tables import decimal_advice, is_unnamed, shown, some
from consensus_embedding.utils.labels import MISSING_NAMES, UNKNOWN_NAMES, spelling, warn_of_alike_names
from consensus_embedding.utils.rows import check_features
from consensus_embedding.utils.text import InputError

# Squares of larger numbers overflow.
LARGEST = 1e100
# What else to do about a cell that is not a number.
_OR_MISSING = {
    "gene": ", or leave it empty if it is missing",
    "feature": "; if it is missing, fill it in, or leave out the sample or the feature",
}
# What leaving out the split is for.
_UNSPLIT = {"gene": "random halves", "feature": "rounds that are tested on the samples they leave out"}
_PARTS = {"train": "train", "training": "train", "test": "test", "testing": "test"}


@dataclass(frozen=True)
class ExpressionTable:
    """Gene expression of samples of two classes."""

    values: np.ndarray  # (n_samples, n_genes), float64: in the units of the file, NaN where it is missing
    genes: np.ndarray  # (n_genes,), str: names; "gene 1", "gene 2" ... where the file has none
    classes: np.ndarray  # (n_samples,), str
    splits: np.ndarray | None = None  # (n_samples,), str: "train" or "test", if a split column was asked for
    lines: np.ndarray | None = None  # (n_samples,), int: line in the file, if it was read from one table
    positive: str | None = None  # the class that was named as positive, if one was
    named: bool = True  # whether the file names its genes


@dataclass(frozen=True)
class SplitExpression:
    """Two tables, without `splits`, with the same genes in the same order and the same two classes."""

    training: ExpressionTable
    test: ExpressionTable

    @property
    def classes(self) -> tuple[str, str]:
        """Negative and positive class of the training samples; positive is the one named, or the second by name."""
        names, positive = [str(name) for name in np.unique(self.training.classes)], self.training.positive
        if len(names) != 2:
            raise ValueError(
                f"Expected two classes in the training split, found {len(names)} ({', '.join(names)}); "
                "keep the samples of two classes."
            )
        _check_positive(names, positive, "the training split")
        return tuple(sorted(names, key=lambda name: name == positive))


def read_expression(path: str | os.PathLike[str], **options: Any) -> ExpressionTable:
    """
    Read a table with one row per sample, one column per gene, and a column with the class.

    The suffix gives the format. ``.data``: comma-separated, no header, class last, as in the Kent Ridge repository.
    ``.arff``: dense, numeric attributes. ``.csv``, ``.tsv``: with a header. All in UTF-8. Samples and genes are in the
    order of the file. An InputError if the file cannot be used. Options:

    - label: column with the class, by default the last attribute of an ARFF file; CSV and TSV need it.
    - split: column that says train (or training) or test (or testing) of each sample, in any case; both must be there.
    - missing: a number that marks a missing value. An empty cell, ?, NA and NaN are always missing.
    - drop: columns to leave out, for example the names of the samples.
    - kind: what messages call a column, by default "gene", or "feature". They advise to leave a missing value empty
      only of genes, which have a rule for it.
    - positive: the positive class; without it, of two classes the second in sorted order. More than two classes need
      it: it is set against all others, which are then called "not <positive>".
    """
    return read_expressions([path], **options)[0]


def read_expressions(
    paths: Sequence[str | os.PathLike[str]], *, positive: str | None = None, **options: Any
) -> list[ExpressionTable]:
    """
    Read tables of the same classes, such as training and test samples, with the arguments of `read_expression`.

    If one of the tables has more than two classes, `positive` is set against all others in every table.
    """
    positive = None if positive is None else str(positive)
    read = [_read_table(Path(path), **options) for path in paths]
    names = [np.unique(table.classes).tolist() for table, _ in read]
    for (table, where), class_names in zip(read, names, strict=True):
        with_it = [other for (_, other), others in zip(read, names, strict=True) if positive in others]
        if positive is not None and positive not in class_names and with_it:
            raise InputError(
                f"{where}: expected samples of the positive class '{positive}', as in {with_it[0]}, found the classes "
                f"{some(class_names)}. Add some, or write the class in the same way."
            )
        if len(class_names) < 2:
            check_classes(table.classes, where)
        _check_positive(class_names, positive, where)
    against_rest = positive is not None and any(len(class_names) > 2 for class_names in names)
    tables = []
    for table, where in read:
        if against_rest:
            _check_spellings(table.classes, str(positive), where)
        warn_of_alike_names(table.classes, where)
        classes = np.where(table.classes == positive, positive, f"not {positive}") if against_rest else table.classes
        check_classes(classes, where)
        tables.append(replace(table, classes=classes, positive=positive))
    return tables


def _check_spellings(classes: np.ndarray, positive: str, where: str) -> None:
    """Refuse the positive class written in another way, which would count as its opposite."""
    alike = [name for name in np.unique(classes) if spelling(name) == spelling(positive)]
    if len(alike) > 1:
        other = next(name for name in alike if name != positive)
        raise InputError(
            f"{where}: expected the positive class written as '{positive}' throughout, found also '{other}', which "
            "would count as its opposite. Write the class in the same way in all samples."
        )


def check_classes(classes: np.ndarray, where: str) -> None:
    """Check that there are exactly two classes."""
    counts = Counter(classes.tolist())
    if len(counts) != 2:
        listed = [f"{shown(name)} ({count})" for name, count in sorted(counts.items())]
        more = ", ..." if len(listed) > 6 else ""
        hint = (
            "Give one of them as positive, to set it against all others; or keep the samples of two classes"
            if len(counts) > 2
            else "Add samples of the other class"
        )
        raise InputError(f"{where}: expected two classes, found {len(counts)}: {', '.join(listed[:6])}{more}. {hint}.")


def _read_table(
    path: Path,
    *,
    label: str | None = None,
    split: str | None = None,
    missing: float | None = None,
    drop: Sequence[str] = (),
    kind: str = "gene",
) -> tuple[ExpressionTable, str]:
    """A table with the classes as they are in the file, and where they are, for messages."""
    if missing is not None and not math.isfinite(missing):
        raise InputError(f"{path}: missing: expected a finite number, found {missing}; NaN is always missing.")
    columns, rows = open_table(path)
    if path.suffix.lower() == ".data" and (label is not None or split is not None or len(drop)):
        raise InputError(
            f"{path}: label, split and drop need names of columns, and .data files have none (the class is the last "
            "column); leave them out, or convert the table to CSV with a header."
        )
    if label is None and columns.label is None:
        raise InputError(
            f"{path}: expected the name of the column with the class, found none; give it as label. "
            f"Columns: {some(columns.names)}."
        )
    roles = _find_roles(path, columns, columns.label if label is None else label, split, drop, kind)
    table = _read_rows(path, rows, columns, roles, split, missing, kind)
    return table, f"{path}, column '{next(iter(roles))}'"


def _check_positive(names: Sequence[str], positive: str | None, where: str) -> None:
    if positive is not None and positive not in names:
        raise InputError(
            f"{where}: expected one of the classes {some(names)} as positive, found '{positive}'. Correct the name."
        )


def _find_roles(
    path: Path, columns: Columns, label: str, split: str | None, drop: Sequence[str], kind: str
) -> dict[str, int]:
    """Positions of the columns that are not genes, by name; the label first."""
    position: dict[str, int] = {}
    for k, name in enumerate(columns.names):
        if position.setdefault(name, k) != k:
            raise InputError(
                f"{path}: expected names that differ, found '{name}' for columns {position[name] + 1} and {k + 1}. "
                "Rename or remove one of them."
            )
    wanted = [("label", label), *([] if split is None else [("split", split)]), *(("drop", name) for name in drop)]
    roles: dict[str, int] = {}
    for role, name in wanted:
        if name not in position:
            raise InputError(f"{path}: {role}: expected a column '{name}', found none; {_meant(name, columns)}")
        if name in roles:
            raise InputError(
                f"{path}: expected different columns for label, split and drop, found '{name}' twice. Name it once."
            )
        roles[name] = position[name]
    text = [name for name in columns.text if name not in roles]
    if text:
        raise InputError(
            f"{path}: expected numeric attributes besides the class, found '{text[0]}', which is declared otherwise. "
            "List it under drop, or remove it."
        )
    unnamed = [name for name in columns.names if name not in roles and is_unnamed(name)]
    if unnamed:
        raise InputError(
            f"{path}: expected a name for every column, found '{unnamed[0]}', which pandas writes for a column without "
            "one, such as the numbers of the rows. Remove it, list it under drop, or rename it if it has values."
        )
    if len(roles) == len(position):
        raise InputError(
            f"{path}: expected columns of {kind}s, found only {some(list(roles))}. Check the separator of the columns."
        )
    return roles


def _meant(name: str, columns: Columns) -> str:
    """What may have been meant by a column that is not there."""
    if len(columns.names) == 1:
        return f"the only one is {shown(columns.names[0])}. Separate columns by commas in .csv, by tabs in .tsv."
    near = difflib.get_close_matches(name, columns.names, n=1)
    return f"did you mean '{near[0]}'?" if near else f"columns: {some(columns.names)}."


def _read_rows(
    path: Path,
    rows: Rows,
    columns: Columns,
    roles: Mapping[str, int],
    split: str | None,
    missing: float | None,
    kind: str,
) -> ExpressionTable:
    """Read all rows, check each, then check the table."""
    label = next(iter(roles))
    genes = [name for name in columns.names if name not in roles]
    backwards = sorted(roles.items(), key=lambda role: role[1], reverse=True)
    values, classes, parts, lines = [], [], [], []
    for line, cells in rows:
        if len(cells) != len(columns.names):
            raise InputError(
                f"{path}, line {line}: expected {len(columns.names)} cells, as in {columns.said_by}, found "
                f"{len(cells)}. Correct the row; if it is the last one, the file may be cut off: delete it and "
                "fetch it again."
            )
        taken = {name: cells.pop(position).strip() for name, position in backwards}
        classes.append(_read_class(path, line, taken[label], label, columns))
        if split is not None:
            parts.append(_read_part(path, line, taken[split], split))
        values.append(_read_numbers(path, line, cells, genes, kind))
        lines.append(line)
    if not values:
        raise InputError(f"{path}: expected one row per sample, found none. Export the table again.")
    table = ExpressionTable(
        values=np.stack(values),
        genes=np.array(genes, dtype=str),
        classes=np.array(classes, dtype=str),
        splits=None if split is None else np.array(parts, dtype=str),
        lines=np.array(lines),
        named=path.suffix.lower() != ".data",
    )
    _check_values(path, table, missing, kind)
    if split is not None and len(set(parts)) < 2:
        other = "test" if parts[0] == "train" else "train"
        raise InputError(
            f"{path}, column '{split}': expected train and test, found {parts[0]} in all {len(parts)} rows. Write "
            f"{other} in some, or leave out split for {_UNSPLIT[kind]}."
        )
    return table


def _read_class(path: Path, line: int, cell: str, label: str, columns: Columns) -> str:
    # Next to a class that is named as positive, samples whose class is unknown would count as its opposite.
    if cell.strip().lower() in UNKNOWN_NAMES:
        raise InputError(
            f"{path}, line {line}, column '{label}': expected a class, found {shown(cell)}. Fill it in, or remove the "
            "sample."
        )
    declared = columns.text.get(label)
    if declared is not None and cell not in declared:
        raise InputError(
            f"{path}, line {line}, column '{label}': expected one of {some(sorted(declared))}, as declared, found "
            f"{shown(cell)}. Correct the class, or declare it in the @attribute line."
        )
    return cell


def _read_part(path: Path, line: int, cell: str, split: str) -> str:
    if cell.lower() not in _PARTS:
        raise InputError(
            f"{path}, line {line}, column '{split}': expected train (or training) or test (or testing), found "
            f"{shown(cell)}. Correct the cell."
        )
    return _PARTS[cell.lower()]


def _read_numbers(path: Path, line: int, cells: Sequence[str], genes: Sequence[str], kind: str) -> np.ndarray:
    """Convert the cells of a row to numbers, NaN where one is missing."""
    # Python takes 1_007 for a number; in a table of samples it is a name.
    if "_" not in ",".join(cells):
        try:
            return np.array(cells, dtype=np.float64)
        except ValueError:
            pass  # some cells are missing or wrong: look at each
    values = np.full(len(cells), np.nan)
    for k, cell in enumerate(cells):
        if cell.strip().lower() in MISSING_NAMES:
            continue
        try:
            values[k] = float(cell.replace("_", "no number"))
        except ValueError:
            raise InputError(
                f"{path}, line {line}, column '{genes[k]}': expected a number, found {shown(cell)}. Correct the cell"
                f"{_OR_MISSING[kind]}; {_other_advice(path, kind)}.{decimal_advice(cell)}"
            ) from None
    return values


def _other_advice(path: Path, kind: str) -> str:
    if path.suffix.lower() == ".data":
        return "if the file has a header, call it .csv"
    return f"if the column is not a {kind}, remove it or list it under drop"


def _check_values(path: Path, table: ExpressionTable, missing: float | None, kind: str) -> None:
    """Put NaN for the missing value; refuse infinite values, samples without any, and numbers of the samples."""
    values, lines = table.values, table.lines
    huge = np.argwhere(np.abs(values) > LARGEST)
    if len(huge):
        row, gene = huge[0]
        raise InputError(
            f"{path}, line {lines[row]}, column '{table.genes[gene]}': expected a finite number up to {LARGEST:g}, "
            f"found {values[row, gene]:g}. Correct the cell{_OR_MISSING[kind]}."
        )
    if missing is not None:
        values[values == missing] = np.nan
    bare = np.flatnonzero(np.isnan(values).all(axis=1))
    if len(bare):
        raise InputError(
            f"{path}, line {lines[bare[0]]}: expected values, found all {values.shape[1]} missing. Remove the sample."
        )
    # Of features, some may be months, which may count the samples.
    if kind == "gene":
        check_features(values, table.genes, str(path), "List it under drop, or remove it.")
