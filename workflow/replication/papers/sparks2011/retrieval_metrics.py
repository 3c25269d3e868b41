"""What tables, figures and verdicts on retrieval read from the metrics: names, curves, shares that suffice."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from replication.shared.judgements import ROUNDING, has_value, note_rows
from replication.shared.metric_values import is_blank
from replication.shared.statistics import CONFIDENCE

METHODS = {
    "nm_ge": "NM-GE",
    "ose_ssl": "OSE-SSL",
    "ge": "GE",
    "ssge": "SSGE",
    "recomputed": "recomputed SSGE",
    "dissimilarity": "dissimilarity itself",
    "random": "chance",
}
# Methods that know labels; the others have no labelled share.
LABELLED = ("ose_ssl", "ssge", "recomputed")
METRICS = {
    "si": "SI",
    "si_sums": "SI by sums",
    "auprc": "AUPRC",
    "auprc_queries": "AUPRC over queries",
    "error_relative": "relative error",
    "error_entries": "error by entries",
    "error_l1": "error by L1 norm",
    "same_of_first": "same class among the first items",
}
# How far below a reference a method may stay and still have reached it.
MARGIN = 0.05
# How near a baseline of the substitute data has to come to its printed number: what the claims on such numbers allow.
PRINTED_MARGINS = {"training needed (%)": 10.0, "auprc": 0.05}
OBJECTS = {"all": "all objects", "extrapolated": "extrapolated", "training": "training"}
_SHARES = ["labelled", "training"]
# Shares that differ by no more are the same: files have ten digits.
_SAME_SHARE = 1e-6
_GROUPS = ["metric", "method", "objects", "label"]


def is_share(column: pd.Series, share: float | str) -> pd.Series:
    """Which entries of a column are a share, up to rounding; "" is an empty one, which may be NaN."""
    numbers = pd.to_numeric(column, errors="coerce")
    return numbers.isna() if share == "" else (numbers - float(share)).abs() < _SAME_SHARE


def main_rows(metrics: pd.DataFrame) -> pd.DataFrame:
    """Rows of the main study: no variant, training objects drawn singly, no sweep of the classes' separation."""
    main = is_blank(metrics["variant"])
    if not main.any() and metrics["variant"].nunique() == 1:
        main = ~main
    return metrics[main & (metrics["split"] == "objects") & is_share(metrics["separation"], "")]


def query_rows(metrics: pd.DataFrame, variant: str = "") -> pd.DataFrame:
    """Rows of the draws of the query's cell alone, as if they were the main study; without any, those of the study."""
    queries = changed(metrics, variant=variant, split="queries")
    if queries.empty:
        return changed(metrics, variant=variant) if variant else main_rows(metrics)
    return queries


def class_sizes(metrics: pd.DataFrame) -> pd.Series:
    """Number of objects of each class, by its name; empty if they were not counted."""
    rows = metrics[metrics["metric"] == "n_label"]
    return pd.Series(rows["value"].to_numpy(dtype=float), index=rows["label"])


def labelled_shares(metrics: pd.DataFrame) -> list[float]:
    """Labelled shares of the main study, rising."""
    return sorted(set(pd.to_numeric(main_rows(metrics)["labelled"], errors="coerce").dropna().round(6)))


class MainRows:
    """The main study of one data set, grouped once for the many cells that tables, figures and claims ask for."""

    def __init__(self, metrics: pd.DataFrame):
        self.metrics = metrics
        rows = main_rows(metrics)
        numbers = {share: pd.to_numeric(rows[share], errors="coerce").astype(float) for share in _SHARES}
        keys = {share: values.fillna(0.0).round(6) for share, values in numbers.items()}
        rows = rows.assign(**keys, repetition=rows["repetition"].astype(str), value=pd.to_numeric(rows["value"]))
        names = [rows[name].astype(object).where(~is_blank(rows[name]), "") for name in _GROUPS]
        self._none, self._groups = rows.iloc[:0], dict(iter(rows.groupby(names, sort=False)))
        self._cells: dict[tuple, pd.DataFrame] = {}

    def cells(self, metric: str, method: str, objects: str, label: str = "") -> pd.DataFrame:
        """One metric of one method, a row per draw, a column per labelled share (0: no labels) and training share."""
        key = (metric, method, objects, label)
        rows = note_rows(self._groups.get(key, self._none))
        if key not in self._cells:
            self._cells[key] = rows.pivot(index="repetition", columns=_SHARES, values="value").sort_index(axis=1)
        return self._cells[key].copy()


def curve(
    rows: MainRows, metric: str, method: str, *, objects: str, labelled: float | str = "", label: str = ""
) -> pd.DataFrame:
    """One metric of one method over the training share, in the main study."""
    cells = rows.cells(metric, method, objects, label)
    return _of_labelled(cells, 0.0 if labelled == "" else round(float(labelled), 6))


def differences(rows: MainRows, metric: str, method: str, reference: str, *, objects: str) -> pd.DataFrame:
    """How far a method is below a reference, draw by draw and cell by cell: reference - method."""
    ours, others = (rows.cells(metric, name, objects) for name in (method, reference))
    if set(ours.columns.unique("labelled")) == {0.0} and not others.empty:
        bare = _of_labelled(ours, 0.0)
        ours = pd.concat(dict.fromkeys(others.columns.unique("labelled"), bare), axis=1, names=_SHARES)
    below = others - ours
    return below.loc[:, below.columns.get_level_values("training") < 1]


def upper_bounds(values: pd.DataFrame) -> pd.Series:
    """One-sided 95 % t bound from above of the mean of each column."""
    n = values.count()
    return values.mean() + stdtrit((n - 1).where(n > 1), CONFIDENCE) * values.std(ddof=1) / np.sqrt(n)


def needed_by_labelled(rows: MainRows, metric: str, method: str, reference: str, *, objects: str) -> pd.Series:
    """
    Labelled share -> smallest training share from which on a method is at most a margin below a reference.

    At this share and at every larger one below 1 the one-sided 95 % bound (t, over draws) of the mean paired
    difference reference - method is at most the margin.
    """
    below = differences(rows, metric, method, reference, objects=objects)
    bounds = upper_bounds(below.dropna(axis="columns", how="all"))
    ours = rows.cells(metric, method, objects).columns.unique("labelled")
    sufficient = {
        labelled: _sufficient(bounds[bounds.index.get_level_values("labelled") == labelled])
        for labelled in (below.columns.unique("labelled") if set(ours) == {0.0} else ours)
    }
    return pd.Series(sufficient, dtype=float)


def _of_labelled(cells: pd.DataFrame, labelled: float) -> pd.DataFrame:
    """The columns of one labelled share, by training share."""
    return cells.loc[:, cells.columns.get_level_values("labelled") == labelled].droplevel("labelled", axis=1)


def _sufficient(bounds: pd.Series) -> float:
    """Smallest training share from which on the bounds, by rising share, stay within the margin."""
    if bounds.empty or bounds.isna().any():
        return float("nan")
    beyond = np.flatnonzero(bounds.to_numpy() > MARGIN + ROUNDING)
    first = beyond[-1] + 1 if len(beyond) else 0
    return float(bounds.index.get_level_values("training")[first]) if first < len(bounds) else 1.0


class QueryCell(NamedTuple):
    """Shares of training objects and of labels."""

    training: float
    labelled: float


def query_cell(metrics: pd.DataFrame) -> QueryCell | None:
    """The shares at which classes are separated and details varied; None if there are none."""
    rows = main_rows(metrics)
    rows = rows[~is_blank(rows["label"]) & (rows["method"] == "ose_ssl")]
    if rows.empty:
        return None
    return QueryCell(*(round(float(rows[name].iloc[0]), 6) for name in ("training", "labelled")))


def at_cell(
    metrics: pd.DataFrame, cell: QueryCell, metric: str, *, objects: str = "extrapolated", label: str = ""
) -> pd.DataFrame:
    """One metric at given shares, a row per draw and a column per method."""
    rows = main_rows(metrics[(metrics["metric"] == metric) & is_share(metrics["training"], cell.training)])
    labelled = rows["method"].isin(LABELLED)
    share = is_share(rows["labelled"], cell.labelled).where(labelled, is_share(rows["labelled"], ""))
    rows = rows[has_value(rows["label"], label) & share & (rows["objects"] == objects) & rows["method"].isin(METHODS)]
    rows = rows.assign(value=rows["value"].astype(float), repetition=rows["repetition"].astype(str))
    wide = rows.pivot(index="repetition", columns="method", values="value")
    return wide[[method for method in METHODS if method in wide]]


def changed(
    metrics: pd.DataFrame, *, variant: str = "", separation: float | None = None, split: str = "objects"
) -> pd.DataFrame:
    """Rows of one variant, separation or kind of split, written as if they were the main ones, for `curve`."""
    chosen = has_value(metrics["variant"], variant)
    chosen &= is_share(metrics["separation"], "" if separation is None else separation)
    return metrics[chosen & (metrics["split"] == split)].assign(variant="", separation="", split="objects")
