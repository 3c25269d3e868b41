"""The feature selection challenge of NIPS 2003: readers of its dense and sparse tables and of its labels."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from consensus_embedding.io.table_formats import shown
from consensus_embedding.io.text_tables import read_numbers
from consensus_embedding.utils.seeds import stream

from replication.data.readers.feature_table import (
    FeatureError,
    FeatureSet,
    check_feature_set,
    generated_names,
    read_ascii,
)
from replication.platform.registry import DataFile, load_registry

FOLDER = "resources/data/nips2003"

_SPARSE = frozenset({"DEXTER"})
_LABELS = {"-1": -1, "1": 1, "+1": 1}


def read_challenge(
    name: str, folder: str | os.PathLike[str] = FOLDER, *, halve: bool = False, seed: int = 0
) -> FeatureSet:
    """
    Read a set of the challenge: its training samples, then its official validation samples, in the order of the files.

    `folder` has a folder for each set. Halving is for GISETTE only, whose training table cannot always be had: half of
    the validation samples of each class (the larger half if odd), drawn by `seed`, replace the training samples, the
    other half is the validation part. Features are called "feature 1" ..., numbered as the challenge does.
    """
    registry = load_registry()
    read = [_read_part(name, part, Path(folder), registry) for part in (("valid",) if halve else ("train", "valid"))]
    values = np.concatenate([table for table, _ in read]) if len(read) > 1 else read[0][0]
    labels = np.concatenate([labels for _, labels in read])
    n_training = 0 if halve else len(read[0][1])
    validation = ~_random_half(labels, seed) if halve else np.arange(len(labels)) >= n_training
    feature_set = FeatureSet(
        values, labels, generated_names(values.shape[1]), np.array(["-1", "1"]), validation=validation
    )
    check_feature_set(feature_set, name)
    return feature_set


def read_dense(path: str | os.PathLike[str], shape: tuple[int, int]) -> np.ndarray:
    """Read a table with a line per sample: the values of all features, separated by blanks."""
    path, (n_samples, n_features) = Path(path), shape
    values = np.empty(shape)
    for k, line in enumerate(_read_lines(path, n_samples)):
        row = _numbers(line.split(), path, k)
        if len(row) != n_features:
            raise FeatureError(
                f"{path}, line {k + 1}: expected {n_features} values, one per feature, found {len(row)}. Delete "
                "the file and fetch it again; if it is the last line, the file was cut off."
            )
        values[k] = row
    return values


def read_sparse(path: str | os.PathLike[str], shape: tuple[int, int]) -> np.ndarray:
    """Read a table with a line per sample: index:value of the features that are not zero, indices from 1."""
    path, (n_samples, n_features) = Path(path), shape
    values = np.zeros(shape)
    for k, line in enumerate(_read_lines(path, n_samples)):
        pairs = [cell.partition(":") for cell in line.split()]
        indices = [_index(*pair[:2], path, k, n_features) for pair in pairs]
        if len(set(indices)) < len(indices):
            doubled = next(index for index in indices if indices.count(index) > 1)
            raise FeatureError(
                f"{path}, line {k + 1}: expected each index once, found {doubled} {indices.count(doubled)} times. "
                "Delete the file and fetch it again."
            )
        values[k, np.array(indices, dtype=np.int64) - 1] = _numbers([value for _, _, value in pairs], path, k)
    return values


def read_labels(path: str | os.PathLike[str], n_samples: int) -> np.ndarray:
    """Read a file with -1 or 1 in each line."""
    path = Path(path)
    labels = np.empty(n_samples, dtype=np.int64)
    for k, line in enumerate(_read_lines(path, n_samples)):
        cell = line.strip()
        if cell not in _LABELS:
            raise FeatureError(
                f"{path}, line {k + 1}: expected the label -1 or 1, found {shown(cell)}. Delete the file and fetch "
                "it again; your own data may have other labels as a table (table: and label:)."
            )
        labels[k] = _LABELS[cell]
    return labels


def _read_part(name: str, part: str, folder: Path, registry: Mapping[str, DataFile]) -> tuple[np.ndarray, np.ndarray]:
    """Values and labels of the part "train" or "valid", of the shapes in the registry."""
    table, labels = (f"{name}/{name.lower()}_{part}.{kind}" for kind in ("data", "labels"))
    entry = registry[f"nips2003/{table}"]
    if entry.fallback and not (folder / table).is_file():
        raise FeatureError(f"{folder / table} does not exist or is not a file. Fetch it, or {entry.fallback}.")
    read = read_sparse if name in _SPARSE else read_dense
    n_samples = registry[f"nips2003/{labels}"].shape[0]
    return read(folder / table, entry.shape), read_labels(folder / labels, n_samples)


def _random_half(labels: np.ndarray, seed: int) -> np.ndarray:
    """Mark half of each class, the larger half if its number is odd."""
    rng = stream(seed, "nips2003", "halves")
    chosen = np.zeros(len(labels), dtype=bool)
    for label in (-1, 1):
        rows = rng.permutation(np.flatnonzero(labels == label))
        chosen[rows[: (len(rows) + 1) // 2]] = True
    return chosen


def _read_lines(path: Path, n_samples: int) -> list[str]:
    """Lines of a file, which must be as many as samples; blank ones at the end do not count."""
    lines = read_ascii(path).removesuffix("\n").split("\n")
    while len(lines) > n_samples and not lines[-1].strip():
        lines.pop()
    n_lines = len(lines) if any(line.strip() for line in lines) else 0
    if n_lines != n_samples:
        raise FeatureError(
            f"{path}: expected {n_samples} lines, one per sample, found {n_lines}. Delete the file and fetch it again."
        )
    return lines


def _index(cell: str, colon: str, path: Path, k: int, n_features: int) -> int:
    """Index of a pair in line k, from 1."""
    if not (colon and cell.isdecimal()):
        raise FeatureError(
            f"{path}, line {k + 1}: expected pairs index:value, found {shown(cell + colon)}. Delete the file and "
            "fetch it again."
        )
    if not 1 <= int(cell) <= n_features:
        raise FeatureError(
            f"{path}, line {k + 1}: expected indices from 1 to {n_features}, found {int(cell)}. Delete the "
            "file and fetch it again."
        )
    return int(cell)


def _numbers(cells: Sequence[str], path: Path, k: int) -> np.ndarray:
    """Finite numbers in the cells of line k."""
    try:
        numbers = np.array(cells, dtype=np.float64)
        # NumPy takes 1_007 for a number, `read_numbers` does not.
        doubtful = "_" in "".join(cells)
    except ValueError:
        doubtful = True
    if doubtful:
        numbers = read_numbers(np.array(cells, dtype=object))
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        raise FeatureError(
            f"{path}, line {k + 1}: expected finite numbers, found {shown(cells[int(np.argmax(wrong))])}. Delete "
            "the file and fetch it again."
        )
    return numbers
