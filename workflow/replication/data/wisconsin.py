"""The Wisconsin breast cancer sets: nuclear features of fine needle aspirates, diagnostic and prognostic."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from consensus_embedding.io.table_formats import shown
from consensus_embedding.io.text_tables import read_numbers
from sklearn.datasets import load_breast_cancer

from replication.data.readers.feature_table import FeatureError, FeatureSet, check_feature_set, read_ascii
from replication.platform.registry import load_registry

FOLDER = "resources/data/uci"
FILES = {"diagnostic": "wdbc.data", "prognostic": "wpbc.data"}

_MEASURES = (
    *("radius", "texture", "perimeter", "area", "smoothness"),
    *("compactness", "concavity", "concave points", "symmetry", "fractal dimension"),
)
# As scikit-learn calls them; over the nuclei of an image: the mean, its standard error, the mean of the largest three.
FEATURES = tuple(pattern.format(measure) for pattern in ("mean {}", "{} error", "worst {}") for measure in _MEASURES)
_DIAGNOSIS = {"B": "benign", "M": "malignant"}
_OUTCOME = {"N": "no recurrence", "R": "recurrence"}


def read_wisconsin(name: str, folder: str | os.PathLike[str] = FOLDER) -> FeatureSet:
    """Read one of the sets, diagnostic or prognostic, with the number of samples that the registry says."""
    path = Path(folder) / FILES[name]
    feature_set = read_diagnostic(path) if name == "diagnostic" else read_prognostic(path)
    expected = load_registry()[f"uci/{FILES[name]}"].shape[0]
    if len(feature_set.values) != expected:
        raise FeatureError(
            f"{path}: expected {expected} samples, found {len(feature_set.values)}. Delete the file and fetch it again."
        )
    return feature_set


def read_diagnostic(path: str | os.PathLike[str]) -> FeatureSet:
    """
    Read the diagnostic set: identifier, diagnosis (M or B) and the 30 features in each line.

    Label 1 is malignant. Features are `FEATURES`, lengths in the unit of the file.
    """
    path = Path(path)
    labels, numbers = _read_rows(path, _DIAGNOSIS, ("diagnosis", *FEATURES), n_more=0)
    return _checked(path, numbers, labels, _DIAGNOSIS)


def read_prognostic(path: str | os.PathLike[str]) -> FeatureSet:
    """
    Read the prognostic set: identifier, outcome (R or N), months, the 30 features, tumour size and nodes.

    Label 1 is recurrence. `months` is the time to it, or the disease-free time. Tumour size and number of positive
    nodes are left out: they are not features of nuclei, and the second has missing values.
    """
    path = Path(path)
    labels, numbers = _read_rows(path, _OUTCOME, ("outcome", "months", *FEATURES), n_more=2)
    return _checked(path, numbers[:, 1:], labels, _OUTCOME, months=numbers[:, 0])


def bundled_diagnostic() -> FeatureSet:
    """Diagnostic set from the copy that scikit-learn carries, so that nothing is downloaded."""
    bundle = load_breast_cancer()
    labels = np.where(bundle.target_names[bundle.target] == "malignant", 1, -1)
    return FeatureSet(bundle.data, labels, bundle.feature_names.astype(str), _names(_DIAGNOSIS))


def _read_rows(
    path: Path, codes: Mapping[str, str], columns: tuple[str, ...], n_more: int
) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and the numbers of the columns after the class; `n_more` cells at the end are not looked at."""
    labels, rows = [], []
    for k, line in enumerate(read_ascii(path).split("\n"), 1):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != 1 + len(columns) + n_more:
            raise FeatureError(
                f"{path}, line {k}: expected {1 + len(columns) + n_more} cells, found {len(cells)}. Delete the "
                "file and fetch it again; if it is the last line, the file was cut off."
            )
        if cells[1] not in codes:
            raise FeatureError(
                f"{path}, line {k}: expected the {columns[0]} {' or '.join(codes)}, found {shown(cells[1])}. Delete "
                "the file and fetch it again."
            )
        numbers = read_numbers(np.array(cells[2 : 1 + len(columns)], dtype=object))
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if len(wrong):
            raise FeatureError(
                f"{path}, line {k}, {columns[1 + wrong[0]]}: expected a finite number, found "
                f"{shown(cells[2 + wrong[0]])}. Delete the file and fetch it again."
            )
        labels.append(1 if cells[1] == list(codes)[1] else -1)
        rows.append(numbers)
    if not rows:
        raise FeatureError(f"{path}: expected a line per sample, found none. Delete the file and fetch it again.")
    return np.array(labels, dtype=np.int64), np.stack(rows)


def _checked(
    path: Path, values: np.ndarray, labels: np.ndarray, codes: Mapping[str, str], months: np.ndarray | None = None
) -> FeatureSet:
    feature_set = FeatureSet(np.ascontiguousarray(values), labels, np.array(FEATURES), _names(codes), months=months)
    check_feature_set(feature_set, str(path))
    return feature_set


def _names(codes: Mapping[str, str]) -> np.ndarray:
    """Names of the classes -1 and 1."""
    return np.array(list(codes.values()))
