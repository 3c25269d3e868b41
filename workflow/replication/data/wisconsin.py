"""The Wisconsin breast cancer sets: nuclear features of fine needle aspirates, diagnostic and prognostic."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer

from replication.data.readers.feature_table import FeatureSet, check_feature_set

FOLDER = "resources/data/uci"
FILES = {"diagnostic": "wdbc.data", "prognostic": "wpbc.data"}

_MEASURES = (
    *("radius", "texture", "perimeter", "area", "smoothness"),
    *("compactness", "concavity", "concave points", "symmetry", "fractal dimension"),
)
# As scikit-learn calls them; over the nuclei of an image: the mean, its standard error, the mean of the largest three.
FEATURES = tuple(pattern.format(measure) for pattern in ("mean {}", "{} error", "worst {}") for measure in _MEASURES)
_CLASSES = {"diagnostic": ("benign", "malignant"), "prognostic": ("no recurrence", "recurrence")}


def read_wisconsin(name: str, folder: str | os.PathLike[str] = FOLDER) -> FeatureSet:
    """
    Read one of the sets, diagnostic or prognostic: identifier, class and the 30 features in each line.

    Label 1 is malignant, or recurrence. Features are `FEATURES`, lengths in the unit of the file. The prognostic set
    has `months` before the features: the time to recurrence, or the disease-free time. Tumour size and number of
    positive nodes, after them, are left out: they are not features of nuclei, and the second has missing values.
    """
    path = Path(folder) / FILES[name]
    cells = np.loadtxt(path, dtype=str, delimiter=",")
    first = 2 if name == "diagnostic" else 3
    feature_set = FeatureSet(
        np.ascontiguousarray(cells[:, first : first + len(FEATURES)], dtype=np.float64),
        np.where(np.isin(cells[:, 1], ("M", "R")), 1, -1),
        np.array(FEATURES),
        np.array(_CLASSES[name]),
        months=None if name == "diagnostic" else cells[:, 2].astype(np.float64),
    )
    check_feature_set(feature_set, str(path))
    return feature_set


def bundled_diagnostic() -> FeatureSet:
    """Diagnostic set from the copy that scikit-learn carries, so that nothing is downloaded."""
    bundle = load_breast_cancer()
    labels = np.where(bundle.target_names[bundle.target] == "malignant", 1, -1)
    return FeatureSet(bundle.data, labels, bundle.feature_names.astype(str), np.array(_CLASSES["diagnostic"]))
