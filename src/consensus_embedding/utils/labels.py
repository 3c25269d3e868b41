"""Labels of objects as numbers of their classes, and labels that are missing."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from numbers import Real

import numpy as np
import pandas as pd

from consensus_embedding.utils.numbers import as_array

# Cells of tables, in lower case, that are missing in every reader.
MISSING_NAMES = frozenset({"", "?", "na", "n/a", "#n/a", "<na>", "nan", "nat", "none", "null"})
# And what spreadsheets write where a formula fails.
MISSING_NAMES |= {"#nv", "#ref!", "#value!", "#name?", "#div/0!", "#num!", "#null!"}
# Names of classes that can only mean that there is none.
UNKNOWN_NAMES = MISSING_NAMES | {"unknown", "unlabelled", "unlabeled"}

# Share of the letters that are the same, as difflib counts them, from which a name may be another one misspelt.
_ALIKE = 0.85
MARK_UNKNOWN = "Mark unknown labels by -1, or by None in an array of dtype object."


def label_array(labels: object, name: str = "Labels") -> np.ndarray:
    """
    Convert labels to an array that keeps names apart from -1 and from labels that are missing.

    NumPy itself would turn a list of names and NaN, or -1, into strings, and "nan" would count as a class.
    """
    array = as_array(labels, name)
    if array.dtype.kind not in "US" or isinstance(labels, np.ndarray):
        return array
    given = np.asarray(labels, dtype=object)
    return array if all(isinstance(label, str | bytes) for label in given.flat) else given


def label_codes(labels: np.ndarray, n: int) -> np.ndarray:
    """
    Labels as numbers of their classes, which are in order, (n,), int; -1 is unknown.

    Labels are numbers, -1 for unknown; or names, where the number -1 and None are unknown: in a list, or in an array or
    Series of dtype object. In other arrays NumPy has turned -1 into a string, which is refused by a ValueError, as are
    fewer than two classes, NaN, and a name such as "unknown".
    """
    labels = label_array(labels)
    if labels.shape != (n,):
        raise ValueError(f"Expected one label for each of the {n} objects, found labels of shape {labels.shape}.")
    known = known_labels(labels)
    classes, codes = classes_of(labels[known])
    refuse_unknown_names(classes)
    if len(classes) < 2:
        raise ValueError(
            f"Labels must name at least 2 classes other than -1 (unknown), found {len(classes)}; "
            "label objects of another class, or use GraphEmbedding, which needs no labels."
        )
    result = np.full(n, -1, dtype=np.int64)
    result[known] = codes
    return result


def refuse_unknown_names(classes: np.ndarray) -> None:
    """Refuse classes with a name that can only mean that there is none."""
    doubtful = [
        label for label in classes.tolist() if isinstance(label, str) and label.strip().lower() in UNKNOWN_NAMES
    ]
    if doubtful:
        raise ValueError(
            f"Labels contain {doubtful[0]!r} as the name of a class; expected the number -1 or None where a label is "
            f"unknown. Replace it, as in np.where(labels == {doubtful[0]!r}, None, labels)."
        )


def spelling(name: str) -> str:
    """What names of one class have in common: letters without case and blanks, or the number, as of "1" and "1.0"."""
    try:
        return repr(float(name))
    except ValueError:
        return " ".join(name.casefold().split())


def warn_of_alike_names(labels: Iterable[object], where: str) -> None:
    """
    Warn of names that may be one class in two spellings, such as "Benign" or "benin" next to "benign".

    They differ in case or blanks alone, or are one number; or one occurs once, both have more than three letters and
    the same digits, and nearly all letters are the same.
    """
    counts = Counter(str(label) for label in labels if isinstance(label, str))
    spellings: dict[str, list[str]] = {}
    for name, _ in counts.most_common():
        spellings.setdefault(spelling(name), []).append(name)
    alike = [(name, first) for first, *others in spellings.values() for name in others]
    repeated = [name for name, n in counts.most_common() if n > 1 and len(name) > 3]
    for name in (name for name, n in counts.items() if n == 1 and len(name) > 3):
        same = (other for other in repeated if re.findall(r"\d", other) == re.findall(r"\d", name))
        meant = next((other for other in same if SequenceMatcher(None, name, other).ratio() > _ALIKE), None)
        if meant is not None and (name, meant) not in alike:
            alike.append((name, meant))
    if alike:
        listed = ", ".join(f"{name!r} ({counts[name]}) and {other!r} ({counts[other]})" for name, other in alike[:3])
        more = f", and {len(alike) - 3} more" if len(alike) > 3 else ""
        warnings.warn(
            f"{where}: perhaps one class in two spellings: {listed}{more}. If so, write them in the same way.",
            stacklevel=3,
        )


def known_labels(labels: np.ndarray) -> np.ndarray:
    """
    Which labels are known, (n,), bool: not -1, nor None or the number -1 in an array of dtype object.

    A ValueError for NaN, NA and NaT, which may be unknown or a mistake, and for the string "-1".
    """
    if labels.dtype.kind in "USO" and any(
        isinstance(label, str | bytes) and label in ("-1", b"-1") for label in labels
    ):
        raise ValueError(
            'The string "-1" among the labels does not mark an unknown label; use the number -1 or None '
            "in an array or Series of dtype object, such as np.array(labels, dtype=object)."
        )
    known = np.ones(len(labels), dtype=bool)
    if labels.dtype.kind == "O":
        known = ~np.array([label is None or (isinstance(label, Real) and label == -1) for label in labels], dtype=bool)
        labels = np.where(known, labels, -1)
    elif labels.dtype.kind in "biuf":
        known = labels != -1
    check_labels_present(labels, MARK_UNKNOWN)
    return known


def classes_of(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Classes in order, and the index of each label among them, (n,), int.

    A ValueError if they cannot be put in order, as names and numbers together.
    """
    try:
        return np.unique(labels, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in labels})
        raise ValueError(
            f"Labels must be of one kind, all names or all numbers, apart from -1 and None (unknown), found {kinds}."
        ) from error


def check_labels_of_pandas(labels: object) -> None:
    """Refuse missing labels in the types of pandas, where None is like any other missing value."""
    if isinstance(labels, pd.Series | pd.api.extensions.ExtensionArray) and labels.dtype != object:
        check_labels_present(np.asarray(labels, dtype=object), MARK_UNKNOWN)


def check_labels_present(labels: np.ndarray, remedy: str) -> None:
    """
    Refuse labels that are missing, which would count as a class: None, NaN, and pandas' NA and NaT.

    `remedy` is a sentence that says what to do about it.
    """
    missing = pd.isna(labels)
    if missing.any():
        raise ValueError(
            f"Labels contain NaN or None for {missing.sum()} of {len(labels)} objects, the first is number "
            f"{missing.argmax()}, counted from 0. {remedy}"
        )
