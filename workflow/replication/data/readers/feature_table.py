"""Samples of two classes with their features: what methods of feature selection work on, and its checks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from consensus_embedding.utils.rows import check_features
from consensus_embedding.utils.text import InputError

# Samples of each class that every part must have: variances within a class need two. Without a split, a third one is
# left out for the test.
MIN_SAMPLES = 2


@dataclass(frozen=True, eq=False)
class FeatureSet:
    """Samples of two classes."""

    values: np.ndarray  # (n_samples, n_features), float64: finite, in the units of the source
    labels: np.ndarray  # (n_samples,), int64: -1 or 1
    features: np.ndarray  # (n_features,), str: names, all different
    classes: np.ndarray  # (2,), str: names of the classes -1 and 1
    validation: np.ndarray | None = None  # (n_samples,), bool: the validation part; None if the source has no split
    # (n_samples,), float64: months to the event (label 1), or without it (label -1); above 0.
    months: np.ndarray | None = None
    truth: np.ndarray | None = None  # (n_features,), bool: relevant features; known of planted ones only

    def training_part(self) -> tuple[np.ndarray, np.ndarray]:
        """X and y of the samples to learn from: all of them where there is no split."""
        if self.validation is None:
            return self.values, self.labels
        return self.values[~self.validation], self.labels[~self.validation]

    def validation_part(self) -> tuple[np.ndarray, np.ndarray]:
        """X and y of the samples that the source keeps apart."""
        if self.validation is None:
            raise InputError(
                "expected a set with a validation part, found one without a split. Divide its samples, or take a set "
                "that has a split."
            )
        return self.values[self.validation], self.labels[self.validation]


def generated_names(n_features: int) -> np.ndarray:
    """Make up names of features, "feature 1", "feature 2" ..., as an ndarray of shape (n_features,), str."""
    return np.array([f"feature {k}" for k in range(1, n_features + 1)], dtype=str)


def check_feature_set(feature_set: FeatureSet, where: str, lines: np.ndarray | None = None) -> None:
    """
    Check that a set can be analysed. Single constant features are allowed.

    Messages name samples by their `lines` in a file; without these they count them.
    """
    if 0 in feature_set.values.shape:
        raise InputError(
            f"{where}: expected values of shape (samples, features) with at least one of each, found "
            f"{feature_set.values.shape}. Give one row per sample and one column per feature."
        )
    finite = np.isfinite(feature_set.values)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise InputError(
            f"{where}, {_sample(row, lines)}, feature '{feature_set.features[column]}': expected a finite number, "
            f"found {feature_set.values[row, column]} ({np.count_nonzero(~finite)} of {finite.size} values are not "
            "finite). Fill the gaps, or leave out the feature or the sample."
        )
    odd = feature_set.labels[~np.isin(feature_set.labels, (-1, 1))]
    if len(odd):
        raise InputError(f"{where}: expected labels -1 and 1, found {odd[0]}. Write the two classes as -1 and 1.")
    name, count = Counter(feature_set.features.tolist()).most_common(1)[0]
    if count > 1:
        raise InputError(f"{where}: expected names that differ, found {count} features '{name}'. Rename them.")
    _check_parts(feature_set, where)
    check_features(feature_set.values, feature_set.features, where, "List it under drop, or remove it.")
    if feature_set.months is not None:
        wrong = np.flatnonzero(~(np.isfinite(feature_set.months) & (feature_set.months > 0)))
        if len(wrong):
            raise InputError(
                f"{where}, {_sample(wrong[0], lines)}: expected months that are finite and above 0, found "
                f"{feature_set.months[wrong[0]]:g}. Correct the time, or leave out the sample."
            )


def _sample(row: int, lines: np.ndarray | None) -> str:
    return f"sample {row + 1}" if lines is None else f"line {lines[row]}"


def _check_parts(feature_set: FeatureSet, where: str) -> None:
    """Each part has both classes; the training part has a feature that varies."""
    parts, least = {"": np.ones(len(feature_set.labels), dtype=bool)}, MIN_SAMPLES + 1
    if feature_set.validation is not None:
        least = MIN_SAMPLES
        parts = {", training part": ~feature_set.validation, ", validation part": feature_set.validation}
    for part, rows in parts.items():
        for label, name in zip((-1, 1), feature_set.classes, strict=True):
            count = np.count_nonzero(feature_set.labels[rows] == label)
            if count < least:
                raise InputError(
                    f"{where}{part}: expected at least {least} samples of class '{name}' (label {label}), found "
                    f"{count} among {np.count_nonzero(rows)}. Add samples of this class."
                )
    # Row by row: the first pair that differs ends the search, and a large table is not copied.
    part, rows = next(iter(parts.items()))
    first, *others = np.flatnonzero(rows)
    if all(np.array_equal(feature_set.values[first], feature_set.values[row]) for row in others):
        raise InputError(
            f"{where}{part}: expected features that vary, found all {feature_set.values.shape[1]} constant. Export the "
            "values again."
        )
