"""The one form in which numbers travel: a tidy table, one value a row."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

LEADING = ["experiment", "dataset", "source", "method"]
TRAILING = ["repetition", "metric", "value"]


class Metrics:
    """
    Collector of the rows of one experiment.

    Parameters
    ----------
    experiment, dataset : str
    source : {"original", "public-substitute", "simulated"}
        Where the data come from; shown wherever a number is shown.
    conditions : list of str
        Names of the columns that tell the conditions of this experiment apart.
    """

    def __init__(self, experiment: str, dataset: str, source: str, conditions: list[str]):
        self.fixed = {"experiment": experiment, "dataset": dataset, "source": source}
        self.conditions = conditions
        self.rows: list[dict] = []

    def add(self, method: str, metric: str, value: float, repetition: str | int = "", **conditions: object) -> None:
        """Add one value under its conditions; an unknown condition is an error."""
        unknown = set(conditions) - set(self.conditions)
        if unknown:
            raise KeyError(f"Conditions {sorted(unknown)} are not columns of this experiment.")
        self.rows.append(
            {
                **self.fixed,
                "method": method,
                **conditions,
                "repetition": repetition,
                "metric": metric,
                "value": value,
            }
        )

    def table(self) -> pd.DataFrame:
        """All rows, in the order in which they were added."""
        return pd.DataFrame(self.rows, columns=[*LEADING, *self.conditions, *TRAILING])


def write_table(table: pd.DataFrame, path: str | Path) -> None:
    """Write a table as TSV with ten significant digits, whole or not at all."""
    path = Path(path)
    partial = path.with_name(f".{path.name}.part")
    table.to_csv(partial, sep="\t", index=False, float_format="%.10g", lineterminator="\n")
    os.replace(partial, path)


def read_table(path: str | Path) -> pd.DataFrame:
    """
    Read a table written by `write_table`.

    Returns
    -------
    DataFrame
        Columns of names and labels as text ("" where empty), the others as numbers.
    """
    return pd.read_csv(path, sep="\t", dtype={"repetition": str}, keep_default_na=False, na_values=["nan"])
