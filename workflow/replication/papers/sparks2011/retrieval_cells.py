"""Cells of training shares and labelled shares that a claim on extrapolated embeddings asks for, and words for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np
import pandas as pd

from replication.papers.sparks2011.retrieval_metrics import (
    METHODS,
    METRICS,
    OBJECTS,
    MainRows,
    differences,
)
from replication.shared.judgements import NotTestable
from replication.shared.wording import joined, percent

NAMES = {**METHODS, "zero": "a zero matrix"}
# Groups of objects that are judged if a claim names none.
JUDGED_OBJECTS = ("all", "extrapolated")


def data_sets(table: pd.DataFrame) -> Iterator[tuple[str, MainRows]]:
    """The main study of each data set, with its name as a prefix if there are several."""
    names = list(table["dataset"].unique())
    for name in names:
        yield f"{name}: " if len(names) > 1 else "", MainRows(table[table["dataset"] == name])


def chosen_cells(
    rows: MainRows,
    test: dict,
    metric: str,
    method: str,
    objects: str,
    least: int = 1,
    *,
    label: str = "",
    whole: bool = False,
) -> pd.DataFrame:
    """Values in the cells of a claim that have any."""
    cells = rows.cells(metric, method, objects, label).dropna(axis="columns", how="all")
    cells = _asked_for(cells, test, whole)
    if cells.empty:
        raise _without_values(test, metric, method, objects)
    if (cells.count() < least).any():
        raise NotTestable(f"fewer than two draws with {METRICS[metric]} of {NAMES[method]}")
    return cells


def gaps(rows: MainRows, test: dict, metric: str, objects: str) -> pd.DataFrame:
    """How far the method of a claim is below the one it is compared with: `differences` in the cells of the claim."""
    below = differences(rows, metric, test["method"], test["against"], objects=objects)
    below = _asked_for(below, test, whole=False)
    if below.empty:
        raise _without_values(test, metric, test["method"], objects)
    if (below.count() < 2).any():
        pair = f"{NAMES[test['method']]} and {NAMES[test['against']]}"
        raise NotTestable(f"fewer than two draws with {METRICS[metric]} of {pair} in each cell ({OBJECTS[objects]})")
    return below


def _asked_for(cells: pd.DataFrame, test: dict, whole: bool) -> pd.DataFrame:
    training, labelled = (cells.columns.get_level_values(name) for name in ("training", "labelled"))
    chosen = is_asked_for(training, test.get("training", {})) & ((training < 1) | whole)
    return cells.loc[:, chosen & (is_asked_for(labelled, test.get("labelled", {})) | (labelled == 0))]


def _without_values(test: dict, metric: str, method: str, objects: str) -> NotTestable:
    shares = [f"{name} {shares_text(test[name])}" for name in ("training", "labelled") if test.get(name)]
    group = f" ({OBJECTS[objects]})" if objects else ""
    return NotTestable(f"no {METRICS[metric]} of {NAMES[method]}{group}{' at ' if shares else ''}{', '.join(shares)}")


def is_asked_for(shares: pd.Index, wanted: dict) -> np.ndarray:
    """Which shares a claim asks for."""
    shares = shares.to_numpy(dtype=float)
    known = {
        "at": np.isclose,
        "from": lambda share, limit: share >= limit - 1e-9,
        "above": lambda share, limit: share > limit + 1e-9,
        "below": lambda share, limit: share < limit - 1e-9,
    }
    if set(wanted) - set(known):
        raise ValueError(
            f"A claim must give its shares as 'at', 'from', 'above' or 'below', found {wanted}; fix it in the file of "
            "claims."
        )
    return np.all([np.ones(len(shares), bool), *(known[key](shares, limit) for key, limit in wanted.items())], axis=0)


def shares_text(wanted: dict) -> str:
    """The shares a claim asks for, in words."""
    return " ".join(percent(share) if key == "at" else f"{key} {percent(share)}" for key, share in wanted.items())


def cell_name(labelled: float, training: float) -> str:
    """A cell."""
    return f"training {percent(training)}, {f'labelled {percent(labelled)}' if labelled else 'no labels'}"


def reported_phrases(rows: MainRows, test: dict, name: str, tell: Callable[[MainRows, dict], str]) -> list[str]:
    """What is reported with a verdict and not judged; what has no values is left out."""
    listed = []
    for method, against in test.get("reported", []):
        with suppress(NotTestable):
            text = tell(rows, {**test, "method": method, "against": against})
            listed.append(f"{name}{NAMES[method]} against {NAMES[against]} {text}")
    return listed


def by_metric(test: dict, tell: Callable[[str, str], str]) -> str:
    """What is said of each metric and group of objects of a claim."""
    listed = []
    for metric in test["metrics"]:
        phrases = [tell(metric, objects) for objects in test.get("objects", JUDGED_OBJECTS)]
        listed.append(f"{METRICS[metric]} {joined(phrases, ', ')}")
    return joined(listed)


def not_judged(beside: list[str]) -> str:
    """End of a sentence with what is reported but not judged, empty if there is nothing."""
    return f"; not judged: {joined(beside)}" if beside else ""


def mean_phrases(
    rows: MainRows, test: dict, metric: str, methods: list[str], objects: str, label: str = ""
) -> list[str]:
    """Means of methods over the chosen cells; those without values are left out."""
    listed = []
    for method in methods:
        with suppress(NotTestable):
            mean = chosen_cells(rows, test, metric, method, objects, label=label).mean().mean()
            listed.append(f"{NAMES[method]} {mean:.3f}")
    return listed
