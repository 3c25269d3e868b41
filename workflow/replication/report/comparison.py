"""Compare the numbers behind the verdicts of a study, and the verdicts, with the committed ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

# From this share of the larger one on, two numbers differ; tables hold ten digits. Below the floor all are 0.
MOVED, FLOOR = 1e-6, 1e-12
# Measured anew in every run.
TIMES = ("seconds", "memory")
# The verdicts that are listed by name.
_LISTED = 20


class Compared(NamedTuple):
    """Committed rows of an experiment: all, those that the study lacks, those that moved, and the largest change."""

    rows: int
    absent: int
    moved: int
    largest: float  # As a share of the larger of the two numbers.


def compare_rows(found: pd.DataFrame, committed: pd.DataFrame) -> Compared:
    """Compare the value of each committed row with that of the row of the same conditions, times left out."""
    committed = committed[~committed["metric"].isin(TIMES)]
    missing = [column for column in committed if column not in found]
    old, new = (_with_keys(table.drop(columns=missing, errors="ignore"), committed) for table in (committed, found))
    both = old.merge(new, on=list(old.columns.drop("value")), how="left", suffixes=("", "_found"), indicator=True)
    there = both["_merge"] == "both"
    one, other = (both.loc[there, name].to_numpy(dtype=float) for name in ("value", "value_found"))
    size = np.fmax(np.abs(one), np.abs(other))
    changes = np.where(size > FLOOR, np.abs(one - other) / np.maximum(size, FLOOR), 0.0)
    # A number that is missing in one of the two has changed altogether.
    changes = np.where(np.isnan(one) | np.isnan(other), np.isnan(one) != np.isnan(other), changes)
    return Compared(len(both), int((~there).sum()), int((changes > MOVED).sum()), float(changes.max(initial=0.0)))


def _with_keys(table: pd.DataFrame, committed: pd.DataFrame) -> pd.DataFrame:
    """Conditions as text that is the same whatever other entries their columns have; equal ones are numbered."""
    names = [column for column in committed if column in table and column != "value"]
    keys = {}
    for name in names:
        places, entries = pd.factorize(table[name].astype(object).fillna("").astype(str))
        numbers = pd.to_numeric(entries, errors="coerce")
        shown = [text if np.isnan(number) else f"{number:.10g}" for text, number in zip(entries, numbers, strict=True)]
        keys[name] = np.array(shown, dtype=object)[places] if len(shown) else np.empty(0, dtype=object)
    keyed = pd.DataFrame(keys, index=table.index)
    return keyed.assign(nth=keyed.groupby(names).cumcount(), value=pd.to_numeric(table["value"]))


def moved_verdicts(found: pd.DataFrame, committed: pd.DataFrame, experiments: Collection[str]) -> list[str]:
    """A line for each committed claim about some experiments that has another verdict, or none."""
    committed = committed[committed["experiment"].isin(experiments)]
    old, new = (ledger.set_index("id")["verdict"] for ledger in (committed, found))
    return [f"{name}: {old[name]} -> {new.get(name, 'absent')}" for name in old.index if new.get(name) != old[name]]


def differences(compared: Mapping[str, Compared], verdicts: list[str] | None) -> str:
    """What moved or is missing, in one sentence; empty if all is as committed. `verdicts` as in `describe`."""
    moved, absent = (sum(getattr(one, name) for one in compared.values()) for name in ("moved", "absent"))
    counts = {"numbers moved": moved, "numbers are missing": absent, "verdicts moved": len(verdicts or ())}
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count)


def describe(compared: Mapping[str, Compared], verdicts: list[str] | None) -> str:
    """What a comparison found, a line for each experiment; `verdicts` are `moved_verdicts`, None of a study without."""
    lines = [f"{'experiment':26} {'rows':>7} {'absent':>7} {'moved':>7}  largest change"]
    for name, one in compared.items():
        largest = "" if one.absent == one.rows else f"{100 * one.largest:.3g} %" if one.moved else "none"
        lines.append(f"{name:26} {one.rows:7} {one.absent:7} {one.moved:7}  {largest}")
    if verdicts is None:
        return "\n".join([*lines, "", "No verdicts were compared: the configuration has no claims."])
    lines += ["", f"{len(verdicts)} verdicts differ{':' if verdicts else '.'}", *(f"  {v}" for v in verdicts[:_LISTED])]
    if len(verdicts) > _LISTED:
        lines.append(f"  and {len(verdicts) - _LISTED} more")
    return "\n".join(lines)
