"""Samples of two classes for feature selection, from public sets, planted, or a table of your own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from consensus_embedding.utils.seeds import stream
from consensus_embedding.utils.text import InputError

from replication.data.nips2003 import read_challenge
from replication.data.planted_features import simulate_planted_features
from replication.data.readers.archives import read_archive
from replication.data.readers.expression import load_split
from replication.data.readers.expression_table import read_expression
from replication.data.readers.feature_table import FeatureSet, check_feature_set
from replication.data.wisconsin import bundled_diagnostic, read_wisconsin
from replication.platform.files import complete_file

# Desmedt et al. 2007, as scikit-survival has it: the genes of the signature, and days to distant metastasis.
GSE7390 = {
    "table": "resources/data/gse7390/breast_cancer_GSE7390-metastasis.arff",
    "label": "e.tdm",
    "months": "t.tdm",
    "drop": ["age", "size", "grade", "er"],
}
DAYS_PER_MONTH = 365.25 / 12

_ARRAYS = ("values", "labels", "features", "classes")
_OPTIONAL = ("validation", "months", "truth")


def read_feature_set(item: Mapping[str, Any], *, halve_gisette: bool, seed: int = 0) -> FeatureSet:
    """
    Read or generate the samples of a data set; `seed` is of all that is random.

    An item has one source, as the configuration has checked it; other keys are not looked at.

    - ``nips2003``, ``wisconsin``, ``planted``: see `read_challenge`, `read_wisconsin`, `simulate_planted_features`.
    - ``gse7390``: metastasis, the patients of Desmedt et al. 2007: 76 genes, label 1 is distant metastasis.
    - ``scikit_learn``: breast_cancer, its copy of the diagnostic set.
    - ``expression``: a file of `save_split`. Training and test samples are put together, without a split; genes that
      have a missing value are left out; ``genes`` of the rest, if given, are drawn at random.
    - ``table``: a CSV, TSV or ARFF file, with the columns ``label`` (the last of ARFF if not given), and if wanted
      ``split`` (train or test), ``months`` and ``drop``; ``missing`` and all else as `read_expression`.

    For the last two: the class ``positive`` has label 1; without it, the one that was named when the genes were read,
    or else the second in sorted order. Of more than two classes in a table, ``positive`` is set against all others.
    With months it must be the class that has the event.
    """
    where = f"feature set {item.get('name', 'own')}"
    if "nips2003" in item:
        halve = halve_gisette and item["nips2003"] == "GISETTE"
        return read_challenge(item["nips2003"], halve=halve, seed=seed)
    if "wisconsin" in item:
        return read_wisconsin(item["wisconsin"])
    if "gse7390" in item:
        table = _read_table(GSE7390, where)
        return replace(table, classes=np.array(["none", "metastasis"]), months=table.months / DAYS_PER_MONTH)
    if "planted" in item:
        return simulate_planted_features(item["planted"], seed)
    if "scikit_learn" in item:
        return bundled_diagnostic()
    if "table" in item:
        return _read_table(item, where)
    feature_set = _read_genes(item, where, seed)
    check_feature_set(feature_set, f"{where}, {item['expression']}")
    return feature_set


def save_feature_set(path: str | os.PathLike[str], feature_set: FeatureSet) -> None:
    """Write an .npz file, completely or not at all; the same set gives the same bytes."""
    arrays = {name: getattr(feature_set, name) for name in (*_ARRAYS, *_OPTIONAL)}
    arrays |= {name: arrays[name].astype(str) for name in ("features", "classes")}
    with complete_file(Path(path)) as partial, partial.open("wb") as file:
        np.savez(file, **{name: array for name, array in arrays.items() if array is not None})


def load_feature_set(path: str | os.PathLike[str]) -> FeatureSet:
    """Read what `save_feature_set` wrote."""
    arrays = read_archive(
        Path(path),
        lambda file: {name: file[name] for name in (*_ARRAYS, *_OPTIONAL) if name in file or name in _ARRAYS},
        f"the arrays {', '.join(_ARRAYS)} of save_feature_set",
    )
    feature_set = FeatureSet(**arrays)
    check_feature_set(feature_set, str(path))
    return feature_set


def _read_genes(item: Mapping[str, Any], where: str, seed: int) -> FeatureSet:
    """Both parts of a table of genes as one set, of genes drawn at random."""
    split = load_split(item["expression"])
    values = np.concatenate([split.training.values, split.test.values])
    classes = np.concatenate([split.training.classes, split.test.classes])
    complete = np.flatnonzero(~np.isnan(values).any(axis=0))
    n_genes = item.get("genes")
    if n_genes is not None:
        if not 1 <= n_genes <= len(complete):
            raise InputError(
                f"{where}, genes: expected 1 to {len(complete)}, the number without missing values (of "
                f"{values.shape[1]}), found {n_genes}. Ask for at most that many."
            )
        complete = np.sort(stream(seed, "feature set", "genes").choice(complete, size=n_genes, replace=False))
    positive = item.get("positive")
    labels, names = _label(classes, split.training.positive if positive is None else positive, where)
    return FeatureSet(values[:, complete], labels, split.training.genes[complete], names)


def _tells_events(classes: np.ndarray) -> bool:
    """Whether the names of two classes say which has the event, and it comes second in sorted order."""
    return [str(name).lower() for name in np.unique(classes)] in (["0", "1"], ["false", "true"], ["no", "yes"])


def _read_table(item: Mapping[str, Any], where: str) -> FeatureSet:
    options = {key: item[key] for key in ("label", "split", "missing", "drop", "positive") if item.get(key) is not None}
    table = read_expression(item["table"], **options, kind="feature")
    is_months = np.zeros(len(table.genes), dtype=bool)
    if item.get("months") is not None:
        is_months = table.genes == item["months"]
        if not is_months.any():
            raise InputError(
                f"{where}, months: expected a column of numbers '{item['months']}' in {item['table']}, found none. "
                "Name the column with the times."
            )
    if is_months.any() and item.get("positive") is None and not _tells_events(table.classes):
        raise InputError(
            f"{where}, positive: expected the class that has the event, because months are given; found classes "
            f"{', '.join(map(repr, np.unique(table.classes).tolist()))}. Name it under positive."
        )
    labels, names = _label(table.classes, table.positive, where)
    feature_set = FeatureSet(
        values=table.values[:, ~is_months],
        labels=labels,
        features=table.genes[~is_months],
        classes=names,
        validation=None if table.splits is None else table.splits == "test",
        months=table.values[:, is_months][:, 0] if is_months.any() else None,
    )
    check_feature_set(feature_set, f"{where}, {item['table']}", table.lines)
    return feature_set


def _label(classes: np.ndarray, positive: str | None, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and the names of the classes -1 and 1."""
    names = np.unique(classes)
    if positive is not None:
        if str(positive) not in names:
            raise InputError(
                f"{where}, positive: expected {' or '.join(map(repr, names.tolist()))}, found {positive!r}. Name "
                "one of the two classes."
            )
        names = np.array([*names[names != str(positive)], str(positive)])
    return np.where(classes == names[1], 1, -1), names
