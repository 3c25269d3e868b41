"""Gene expression for a study: training and test samples of two classes, from files or planted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from consensus_embedding.utils.seeds import stream
from consensus_embedding.utils.text import InputError

from replication.data.readers.archives import read_archive
from replication.data.readers.expression_table import (
    ExpressionTable,
    SplitExpression,
    check_classes,
    read_expression,
    read_expressions,
)
from replication.data.readers.planted_expression import planted_expression
from replication.platform.files import complete_file

_ARRAYS = ("genes", "training_values", "training_classes", "test_values", "test_classes")


def read_split(item: Mapping[str, Any], *, seed: int = 0) -> SplitExpression:
    """
    Read or generate the training and the test samples of a data set.

    `item` has one of three forms, as the configuration has checked it. ``{training: path, test: path}``, two files.
    ``{table: path, label: column, split: column}``, one file with a split column; without ``split`` a random half
    of each class is for training, the larger half if their number is odd. ``{planted: {...}}``, the arguments of
    `planted_expression`. The first two take ``label``, ``positive``, ``missing`` and ``drop`` of `read_expression`.
    Other keys are not looked at. `seed` is of the random halves, and of a planted set that has no seed of its own.

    Genes are in the order of the training file; if only one of two files names its genes, the other is taken to have
    them in the same order. An InputError if a file cannot be read, the sets have different genes or classes, or a class
    is too small to be halved.
    """
    if "planted" in item:
        return planted_expression(**{"seed": seed, **item["planted"]})
    options = {key: item[key] for key in ("label", "missing", "drop", "positive") if item.get(key) is not None}
    if "table" in item:
        return _split_table(item["table"], item.get("split"), options, seed)
    names = {part: str(item[part]) for part in ("training", "test")}
    tables = dict(zip(names, read_expressions(list(names.values()), **options), strict=True))
    classes = {part: sorted(set(table.classes.tolist())) for part, table in tables.items()}
    if classes["training"] != classes["test"]:
        raise InputError(
            f"{names['test']}: expected the classes {_listed(classes['training'])}, as in {names['training']}, found "
            f"{_listed(classes['test'])}. Write classes in the same way in both files."
        )
    return _with_same_genes(tables["training"], tables["test"], names)


def save_split(path: str | os.PathLike[str], split: SplitExpression) -> None:
    """Write an .npz file, completely or not at all; the same tables give the same bytes."""
    arrays = {"genes": split.training.genes.astype(str)}
    for part, table in (("training", split.training), ("test", split.test)):
        arrays[f"{part}_values"] = np.asarray(table.values, dtype=np.float64)
        arrays[f"{part}_classes"] = table.classes.astype(str)
    if split.training.positive is not None:
        arrays["positive"] = np.array(split.training.positive)
    with complete_file(Path(path)) as partial, partial.open("wb") as file:
        np.savez(file, **arrays)


def load_split(path: str | os.PathLike[str]) -> SplitExpression:
    """Read what `save_split` wrote."""
    arrays = read_archive(
        Path(path),
        lambda file: {name: file[name] for name in (*_ARRAYS, "positive") if name in file or name in _ARRAYS},
        f"the arrays of save_split ({', '.join(_ARRAYS)})",
    )
    positive = str(arrays["positive"]) if "positive" in arrays else None
    training, test = (
        ExpressionTable(arrays[f"{part}_values"], arrays["genes"], arrays[f"{part}_classes"], positive=positive)
        for part in ("training", "test")
    )
    return SplitExpression(training=training, test=test)


def _split_table(path: str, column: str | None, options: Mapping[str, Any], seed: int) -> SplitExpression:
    """Divide one table by its split column, or into random halves."""
    table = read_expression(path, split=column, **options)
    if column is None:
        name, n = Counter(table.classes.tolist()).most_common()[-1]
        if n < 2:
            raise InputError(
                f"{path}: expected at least two samples of class '{name}' for random halves, found {n}. Add samples, "
                "or name a split column."
            )
        chosen = random_half(table.classes, stream(seed, "expression", "halves"))
    else:
        chosen = table.splits == "train"
    parts = {}
    for part, rows in (("train", chosen), ("test", ~chosen)):
        check_classes(table.classes[rows], f"{path}, the samples for {part}")
        parts[part] = replace(table, values=table.values[rows], classes=table.classes[rows], splits=None, lines=None)
    return SplitExpression(training=parts["train"], test=parts["test"])


def random_half(classes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Choose half of each class, the larger half if the number is odd."""
    chosen = np.zeros(len(classes), dtype=bool)
    for name in np.unique(classes):
        rows = rng.permutation(np.flatnonzero(classes == name))
        chosen[rows[: (len(rows) + 1) // 2]] = True
    return chosen


def _with_same_genes(training: ExpressionTable, test: ExpressionTable, files: Mapping[str, str]) -> SplitExpression:
    """Put the genes of the test table in the order of the training table."""
    counts = [len(table.genes) for table in (training, test)]
    if training.named and test.named:
        for part, own, other in (("training", training, test), ("test", test, training)):
            absent = own.genes[~np.isin(own.genes, other.genes)]
            if len(absent):
                lacking = files["test" if part == "training" else "training"]
                raise InputError(
                    f"{lacking}: expected the {len(own.genes)} genes of {files[part]}, found {len(other.genes)}, "
                    f"without '{absent[0]}'. Keep in both files the genes that both have."
                )
        order = np.argsort(test.genes)[np.searchsorted(np.sort(test.genes), training.genes)]
        return SplitExpression(training, replace(test, values=test.values[:, order], genes=training.genes))
    if counts[0] != counts[1]:
        raise InputError(
            f"{files['test']}: expected {counts[0]} genes, as in {files['training']}, found {counts[1]}. Keep in both "
            "files the genes that both have."
        )
    genes = test.genes if test.named else training.genes
    return SplitExpression(replace(training, genes=genes), replace(test, genes=genes))


def _listed(names: list[str]) -> str:
    return " and ".join(f"'{name}'" for name in names)
