"""The feature selection challenge of NIPS 2003: its dense and sparse tables and its labels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from consensus_embedding.utils.seeds import stream
from consensus_embedding.utils.text import InputError

from replication.data.readers.expression import random_half
from replication.data.readers.feature_table import FeatureSet, check_feature_set, generated_names
from replication.platform.registry import DataFile, load_registry

FOLDER = "resources/data/nips2003"


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
    validation = np.arange(len(labels)) >= n_training
    if halve:
        validation = ~random_half(labels, stream(seed, "nips2003", "halves"))
    feature_set = FeatureSet(
        values, labels, generated_names(values.shape[1]), np.array(["-1", "1"]), validation=validation
    )
    check_feature_set(feature_set, name)
    return feature_set


def read_sparse(path: str | os.PathLike[str], shape: tuple[int, int]) -> np.ndarray:
    """Read a table with a line per sample: index:value of the features that are not zero, indices from 1."""
    values = np.zeros(shape)
    for row, line in zip(values, Path(path).read_text(encoding="ascii").splitlines(), strict=True):
        for pair in line.split():
            index, value = pair.split(":")
            row[int(index) - 1] = float(value)
    return values


def _read_part(name: str, part: str, folder: Path, registry: Mapping[str, DataFile]) -> tuple[np.ndarray, np.ndarray]:
    """Values and labels of the part "train" or "valid", of the shapes in the registry."""
    table, labels = (f"{name}/{name.lower()}_{part}.{kind}" for kind in ("data", "labels"))
    entry = registry[f"nips2003/{table}"]
    if entry.fallback and not (folder / table).is_file():
        raise InputError(f"{folder / table} does not exist or is not a file. Fetch it, or {entry.fallback}.")
    table, labels = folder / table, folder / labels
    values = read_sparse(table, entry.shape) if name == "DEXTER" else np.loadtxt(table, ndmin=2)
    if values.shape != entry.shape:
        raise InputError(
            f"{table}: expected {entry.shape[0]} samples of {entry.shape[1]} features, found shape {values.shape}. "
            "Delete the file and fetch it again."
        )
    return values, np.loadtxt(labels, dtype=np.int64)
