"""Cells and tables that a person can read, derived from tidy metrics; for any paper."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from replication.shared.metric_values import compared
from replication.shared.wording import format_number


def mean_sd_table(metrics: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Mean and standard deviation of every metric over repetitions, one row per combination of `by`."""
    grouped = metrics.groupby([*by, "metric"], sort=False, dropna=False)["value"].agg(["mean", "std"])
    text = [
        format_number(mean) if pd.isna(std) else f"{format_number(mean)} ± {format_number(std)}"
        for mean, std in grouped.itertuples(index=False)
    ]
    # Not by unstack(sort=False), which mixes up the cells before pandas 3.
    cells = grouped.index.to_frame(index=False)
    rows = cells.groupby(by, sort=False, dropna=False).ngroup()
    wide = cells.assign(row=rows, text=text).pivot(index="row", columns="metric", values="text").fillna("")
    wide = wide[cells["metric"].unique()].rename(columns=lambda metric: str(metric).replace("_", " "))
    return cells.loc[~rows.duplicated(), by].reset_index(drop=True).join(wide)


def to_markdown(table: pd.DataFrame) -> str:
    """A table in GitHub's Markdown, numbers by `format_number`."""
    cells = [[format_number(v) if isinstance(v, int | float) else str(v) for v in row] for row in table.to_numpy()]
    lines = [list(map(str, table.columns)), ["---"] * len(table.columns), *cells]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines) + "\n"


def difference_cells(wide: pd.DataFrame, first: str, second: str, unit: float, name: str) -> dict[str, float]:
    """
    Cells of a paired difference: its mean and 95 % interval in `unit`, and the p-value where the table shows one.

    Differences that are all equal have no variance and so no interval; of a single study only the difference is given.
    """
    cells = dict.fromkeys([name, "CI low", "CI high", "p"], np.nan)
    comparison = compared(wide, first, second)
    if {first, second} <= set(wide):
        cells[name] = unit * (wide[first] - wide[second]).mean()
    if comparison is not None and comparison.ci_high > comparison.ci_low:
        cells |= {"CI low": unit * comparison.ci_low, "CI high": unit * comparison.ci_high, "p": comparison.p_value}
    return {key: rounded(value) for key, value in cells.items()}


def rounded(value: float) -> float:
    """A number to six decimals; of a smaller one, such as a p-value, two digits."""
    return round(value, 6) or float(f"{value:.1e}")


def difference_words(wide: pd.DataFrame, first: str, second: str) -> str:
    """A paired difference and its 95 % interval in words; without the interval where all are equal, or there is one."""
    cells = difference_cells(wide, first, second, 1.0, "difference")
    if np.isnan(cells["difference"]):
        return ""
    low, high = cells["CI low"], cells["CI high"]
    interval = "" if np.isnan(low) else f" ({low:+.3g} to {high:+.3g})"
    return f"{cells['difference']:+.3g}{interval}"


def mean_sd(values: Iterable[float], unit: float = 1.0, digits: int = 2) -> str:
    """Mean ± SD, the mean alone of one value, nothing of none."""
    values = unit * pd.Series(values, dtype=float).dropna()
    if not len(values):
        return ""
    mean = f"{values.mean():.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ± {values.std():.{digits}f}"
