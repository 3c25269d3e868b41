"""What tables, figures and judges of several papers read from tidy metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from replication.shared.statistics import Comparison, paired_comparison


def is_blank(column: pd.Series) -> pd.Series:
    """Which entries of a column are empty."""
    return column.isna() | (column == "")


def variant_names(metrics: pd.DataFrame) -> list[str]:
    """Details that are changed one at a time, in the order of the file."""
    return list(dict.fromkeys(metrics["variant"][~is_blank(metrics["variant"])]))


def is_picked(picks: pd.DataFrame) -> pd.Series:
    """Which rows of a table of picks are picked: true or false in memory, text once they are read from a file."""
    return picks["picked"].astype(str) == "True"


def sources(metrics: pd.DataFrame) -> str:
    """Where the data come from."""
    return ", ".join(map(str, metrics["source"].unique()))


def compared(wide: pd.DataFrame, first: str, second: str) -> Comparison | None:
    """Paired t-test (alternative: the first is higher) over the studies that have both; None of fewer than two."""
    if not {first, second} <= set(wide):
        return None
    both = wide[[first, second]].dropna()
    return paired_comparison(both[first], both[second], alternative="greater") if len(both) > 1 else None


def is_beyond_chance(comparison: Comparison | None) -> bool | None:
    """Whether the 95 % interval over studies leaves out 0; None where there is no interval."""
    if comparison is None or comparison.ci_low == comparison.ci_high != 0:
        return None
    return not comparison.ci_low <= 0 <= comparison.ci_high


def highest(wide: pd.DataFrame, methods: Iterable[str]) -> list[str]:
    """The methods by their mean over studies, highest first."""
    means = wide.reindex(columns=list(methods)).mean().dropna()
    return list(means.sort_values(ascending=False, kind="stable").index)


def name_of(value: object) -> str:
    """A value of a column as text; files turn columns that are all numbers into numbers."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def per_set(metrics: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Name, source and rows of each data set, in the order of the file."""
    for dataset, rows in metrics.groupby("dataset", sort=False):
        yield str(dataset), sources(rows), rows
