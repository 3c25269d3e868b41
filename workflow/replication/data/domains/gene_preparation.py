"""From tables of gene expression to the standardised genes that are embedded: transform, t-statistics, pruning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from consensus_embedding.features.feature_filters import class_moments
from consensus_embedding.utils.numbers import as_array, booleans, real_numbers
from scipy.special import ndtri
from scipy.stats import rankdata

from replication.data.readers.expression_table import SplitExpression

TRANSFORMS = ("none", "log", "rank")
STANDARDIZATIONS = ("split", "training", "none")
PRUNINGS = ("training", "whole")
# Unusable genes that an error names.
_LISTED = 5


@dataclass(frozen=True)
class PreparedGenes:
    """The most informative genes of a training and a test split, standardised; no value is missing."""

    # (n_training, n_genes), in standard deviations (in the unit of the transform with standardization "none").
    training: np.ndarray
    test: np.ndarray  # (n_test, n_genes), in the same unit
    training_positive: np.ndarray  # (n_training,), bool: samples of the positive class
    # (n_test,), bool. For scores only: nothing else here depends on it, unless genes are pruned on the complete set.
    test_positive: np.ndarray
    genes: np.ndarray  # (n_genes,), str: by falling absolute t-statistic
    classes: tuple[str, str]  # the negative and the positive class, as `SplitExpression.classes`
    notes: tuple[str, ...]  # what was left out or filled in, in sentences


def transform_expression(values: np.ndarray, transform: str, *, of: str = "the table") -> np.ndarray:
    """
    Transform each sample by itself; a missing value (NaN) stays missing.

    "log" is the generalised logarithm arcsinh(x / c) with c the median absolute value of the sample, which allows
    negative values and is linear around zero (Huber et al. 2002); of a sample of which more than half is 0, the
    median of what is not.
    "rank" gives normal scores of the ranks of the genes in the sample. `of` names the table in errors.
    """
    if transform not in TRANSFORMS:
        raise ValueError(f"transform must be one of {', '.join(TRANSFORMS)}, found {transform!r}.")
    values = real_numbers(values, of)
    if transform == "none":
        return values
    if transform == "log":
        empty = np.isnan(values).all(axis=1)
        sizes = np.where(empty[:, None], 0.0, np.abs(values))
        scale = np.nanmedian(sizes, axis=1, keepdims=True)
        for row in np.flatnonzero((scale[:, 0] == 0) & (sizes > 0).any(axis=1)):
            scale[row] = np.median(sizes[row][sizes[row] > 0])
        if not (scale > 0).all():
            row = int(np.flatnonzero(~(scale > 0))[0])
            raise ValueError(
                f"Sample {row + 1} of {of} has no scale for a logarithm: expected a value other than 0, "
                f"found {'none' if empty[row] else '0 alone'}; remove the sample or use another transform."
            )
        return np.arcsinh(values / scale)
    ranks = rankdata(values, axis=1, nan_policy="omit")
    return ndtri(ranks / (np.isfinite(values).sum(axis=1, keepdims=True) + 1.0))


def t_statistics(values: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """
    Welch's t-statistic of each gene between two classes (Liu, Li and Wong 2002, t-statistic).

    (mean_1 - mean_0) / sqrt(var_1 / n_1 + var_0 / n_0), over the values (n, n_genes) that are present, not NaN. NaN for
    a gene that is unusable: fewer than two values in a class, or the same value in all samples. Infinite for one that
    is constant in each class, at different values. A ValueError if a value is infinite, `positive` has other entries
    than 0 and 1, or the shapes do not fit.
    """
    values, positive = real_numbers(values, "values"), booleans(positive, "positive")
    if values.ndim != 2 or positive.shape != (len(values),):
        raise ValueError(
            "Expected a table of genes and a class for each of its samples, found shapes "
            f"{values.shape} and {positive.shape}."
        )
    if np.isinf(values).any():
        raise ValueError(
            f"Values contain infinity in {np.isinf(values).sum()} entries; expected a number, or NaN where "
            "one is missing."
        )
    counts, means, squares = class_moments(values, positive)
    error = np.sqrt((squares / np.maximum(counts - 1, 1) / np.maximum(counts, 1)).sum(axis=0))
    difference = means[1] - means[0]
    usable = (counts >= 2).all(axis=0) & ((error > 0) | (difference != 0))
    t = np.divide(difference, error, out=np.copysign(np.inf, difference), where=error > 0)
    return np.where(usable, t, np.nan)


def choose_genes(
    values: np.ndarray, positive: np.ndarray, n_genes: int, names: Sequence[str] | None = None
) -> np.ndarray:
    """
    Columns of the most class-informative genes, by falling absolute t-statistic; equal ones in the order of the table.

    An error lists genes by `names`, or without them by numbers from 0.
    """
    t = t_statistics(values, positive)
    usable = int((~np.isnan(t)).sum())
    if usable < n_genes:
        faults = _faults(as_array(values, "values"), as_array(positive, "positive").astype(bool), t, names)
        remedy = f"lower n_genes, or fix the table. Not usable: {faults}." if faults else "lower n_genes."
        raise ValueError(
            f"Expected at least {n_genes} usable genes (two values or more in each class, not constant), found "
            f"{usable} of {len(t)}; {remedy}"
        )
    return np.argsort(np.where(np.isnan(t), 1.0, -np.abs(t)), kind="stable")[:n_genes]


def _faults(values: np.ndarray, positive: np.ndarray, t: np.ndarray, names: Sequence[str] | None) -> str:
    """The first genes without a t-statistic, each with the reason."""
    faults = []
    for gene in np.flatnonzero(np.isnan(t)):
        present = np.isfinite(values[:, gene].astype(float))
        counts = [int(present[members].sum()) for members in (~positive, positive)]
        # One that is constant as given comes without values.
        fault = "constant" if min(counts) >= 2 else "constant or without values" if not any(counts) else ""
        reason = fault or f"{counts[0]} and {counts[1]} values in the classes"
        faults.append(f"{gene if names is None else names[gene]} ({reason})")
    return ", ".join(faults[:_LISTED]) + (f" and {len(faults) - _LISTED} more" if len(faults) > _LISTED else "")


def prepare_genes(
    split: SplitExpression,
    *,
    n_genes: int,
    pruning: str,
    transform: str,
    standardization: str,
) -> PreparedGenes:
    """
    Transform, prune and standardise a training and a test split (Viswanath and Madabhushi 2012, Experiment 4).

    Missing values do not count in t-statistics, means and standard deviations; then each takes the mean that its
    gene is centred on, which says nothing of a class.

    `pruning`: t-statistics of the "training" split, or of the "whole" set, which lets the test labels leak into the
    choice. `transform`: see `transform_expression`. `standardization`: mean and standard deviation of each "split" by
    itself, those of the "training" split for both, or "none". A ValueError if there are not two classes with two
    training samples or more, or there are fewer usable genes than asked for.
    """
    for name, value, known in (
        ("pruning", pruning, PRUNINGS),
        ("standardization", standardization, STANDARDIZATIONS),
    ):
        if value not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, found {value!r}.")
    truth, raw = _checked_split(split)
    values = [transform_expression(part, transform, of=f"the {name} split") for name, part in raw.items()]
    parts = slice(None) if pruning == "whole" else slice(1)
    given, labels = np.concatenate([*raw.values()][parts]), np.concatenate(truth[parts])
    # A gene that is constant as given is not a measurement, even if ranks among the other genes move it.
    usable = ~np.isnan(t_statistics(given, labels))
    genes = choose_genes(np.where(usable, np.concatenate(values[parts]), np.nan), labels, n_genes, split.training.genes)
    notes = _notes(raw, t_statistics(raw["training"], truth[0]))
    chosen = [part[:, genes] for part in values]
    filled = sum(int(np.isnan(part).sum()) for part in chosen)
    if filled:
        notes.append(f"{filled} missing values of the chosen genes take the mean of their gene")
    tables, flat = standardize(*chosen, standardization)
    if flat:
        notes.append(f"{flat} chosen genes are constant in the samples that scale the test split; they are 0 there")
    return PreparedGenes(*tables, *truth, split.training.genes[genes], split.classes, tuple(notes))


def _checked_split(split: SplitExpression) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
    """Which samples of the training and the test split are positive, and the values of both by name."""
    classes = split.classes
    truth = [part.classes == classes[1] for part in (split.training, split.test)]
    for name, n in zip(classes, (truth[0].size - truth[0].sum(), truth[0].sum()), strict=True):
        if n < 2:
            raise ValueError(
                f"Expected at least 2 training samples of each class, found {n} of {name}; a t-statistic needs them."
            )
    raw = {"training": split.training.values, "test": split.test.values}
    return truth, raw


def standardize(training: np.ndarray, test: np.ndarray, by: str) -> tuple[tuple[np.ndarray, np.ndarray], int]:
    """
    Centre and scale the genes of both splits, and fill in what is missing (NaN).

    Returns the two tables, and how many genes become 0 in the test split because they have no spread in the split that
    scales it.
    """
    means, spreads = zip(*(_mean_and_spread(part) for part in (training, test)), strict=True)
    # A gene without a value in one split takes the mean of the other; only the complete set can choose one that the
    # training split lacks.
    absent = [np.isnan(part).all(axis=0) for part in (training, test)]
    means = np.where(absent[0], means[1], means[0]), np.where(absent[1], means[0], means[1])
    if by == "training":
        means, spreads = (means[0], means[0]), (spreads[0], spreads[0])
    flat = 0 if by == "none" else int((spreads[1] == 0).sum())
    tables = []
    for part, mean, spread in zip((training, test), means, spreads, strict=True):
        known = np.where(np.isfinite(part), part, mean)
        tables.append(known if by == "none" else (known - mean) / np.where(spread > 0, spread, np.inf))
    return (tables[0], tables[1]), flat


def _mean_and_spread(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each gene over the values present; 0 where there is none, or no spread."""
    present = np.isfinite(values)
    n = np.maximum(present.sum(axis=0), 1)
    mean = np.where(present, values, 0.0).sum(axis=0) / n
    spread = np.sqrt(np.where(present, np.square(values - mean), 0.0).sum(axis=0) / n)
    return mean, np.where(spread > 1e-12 * np.abs(mean), spread, 0.0)


def _notes(raw: dict[str, np.ndarray], t: np.ndarray) -> list[str]:
    """What is unusual about the tables, in sentences."""
    notes = []
    unusable = int(np.isnan(t).sum())
    if unusable:
        absent = int(np.isnan(raw["training"]).all(axis=0).sum())
        notes.append(f"{unusable} of {len(t)} genes cannot be used ({absent} have no value in the training split)")
    for name, values in raw.items():
        missing = np.isnan(values).mean(axis=1)
        worst = int(missing.argmax())
        if missing[worst] > 0.25:
            notes.append(f"{name} sample {worst + 1} lacks {missing[worst]:.0%} of its values; it is kept")
    return notes
