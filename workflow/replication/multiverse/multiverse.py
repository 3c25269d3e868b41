"""
One claim under many choices: universes that differ in the details the papers leave open.

A family is a group of experiments of one paper that share their open details. Its factors are the rows of choices.tsv
that list levels for it; level 0 is the default, and universe 0 has every default. Universes run at a reduced size, from
the same seed, so that they differ by their choices alone. The claims are judged on the saved metrics, by the rules of
the ledger: another claim runs no universe again.

A family's module, ``universe_<family>``, has one public function ``study(config, files, seed)``, which returns
experiment -> tidy metrics, of those experiments that the family declares.
"""

from __future__ import annotations

import gzip
import importlib
import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from io import StringIO
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from consensus_embedding.utils.seeds import stream_seed
from consensus_embedding.utils.threads import one_blas_thread
from scipy.stats import qmc

from replication.catalogue.papers import PAPERS
from replication.multiverse.universe_families import FAMILIES, PAPER_OF, universe_module
from replication.platform.configuration import ConfigurationError
from replication.platform.files import complete_file
from replication.shared.tidy import LEADING, TRAILING, as_read, as_text, read_table

NAME = "multiverse"
CONDITIONS = ["paper", "family", "universe", "claim", "choice", "level"]
COLUMNS = [*LEADING, *CONDITIONS, *TRAILING]
DEFAULT = "default"
# A level may also name another metric that replaces one that the claims are judged on.
METRIC = "metrics."


@dataclass(frozen=True)
class Factor:
    """An open detail and its levels."""

    choice: str  # Its id in choices.tsv.
    # Dotted key of the configuration -> value; the first is the default and changes nothing.
    levels: tuple[dict[str, Any], ...]

    def words(self, level: int) -> str:
        """A level in words, such as "image_embedding.window = 3"."""
        return "; ".join(f"{key} = {value}" for key, value in self.levels[level].items()) or DEFAULT


@dataclass(frozen=True)
class Universe:
    """A universe that was run."""

    row: int  # Of the design; 0 has every default.
    levels: list[dict[str, Any]]  # Rows of the tidy metrics on the level of each choice.
    metrics: dict[str, pd.DataFrame]  # Experiment -> its tidy metrics, as `read_table` gives them.


def read_levels(choices: pd.DataFrame) -> dict[str, list[Factor]]:
    """The factors of each family, from the column `levels` of choices.tsv."""
    factors: dict[str, list[Factor]] = {family: [] for family in FAMILIES}
    for row in choices.itertuples():
        # The table may keep the rows of a paper whose folder was deleted.
        if not isinstance(row.levels, str) or not row.levels or row.paper not in PAPERS:
            continue
        try:
            listed = json.loads(row.levels)
        except json.JSONDecodeError as error:
            raise ValueError(f"choices.tsv, {row.id}: the levels are not valid JSON: {error}.") from error
        if not isinstance(listed, dict):
            raise ValueError(f"choices.tsv, {row.id}: expected levels by family, found {row.levels}.")
        for family, levels in listed.items():
            if family not in FAMILIES or PAPER_OF[family] != row.paper:
                known = [name for name in FAMILIES if PAPER_OF[name] == row.paper]
                raise ValueError(
                    f"choices.tsv, {row.id}: expected a family of {row.paper}, {' or '.join(known)}; found {family}."
                )
            if not (isinstance(levels, list) and levels and all(isinstance(level, dict) and level for level in levels)):
                raise ValueError(
                    f"choices.tsv, {row.id}, {family}: expected a list of levels, each with keys and values; found "
                    f"{json.dumps(levels)}."
                )
            factors[family].append(Factor(row.id, ({}, *levels)))
    return factors


def active_factors(factors: Sequence[Factor], base: Mapping[str, Any]) -> list[Factor]:
    """Factors without levels that only repeat the default of a study; without those that then have none left."""
    kept = []
    for factor in factors:
        levels = [level for level in factor.levels[1:] if _differs(level, base, factor.choice)]
        if levels:
            kept.append(Factor(factor.choice, ({}, *levels)))
    return kept


def _differs(level: Mapping[str, Any], base: Mapping[str, Any], choice: str) -> bool:
    current = {key: None if key.startswith(METRIC) else _value_at(base, key, choice) for key in level}
    return current != dict(level)


def _value_at(base: Mapping[str, Any], key: str, choice: str) -> Any:
    value: Any = base
    for step in key.split("."):
        if not isinstance(value, Mapping) or step not in value:
            raise ConfigurationError(
                f"choices.tsv, levels of {choice}: expected keys of the sections {', '.join(base)}, found {key}"
            )
        value = value[step]
    return value


def design(factors: Sequence[Factor], n: int, seed: int) -> np.ndarray:
    """
    Which levels the universes take.

    All combinations if there are no more than asked for; else a Latin hypercube of low discrepancy over the levels, in
    which each level of a factor is about as frequent as any other. No two rows are the same, since the same choices
    from the same seed give the same numbers.
    """
    counts = np.array([len(factor.levels) for factor in factors], dtype=int)
    default = np.zeros((1, len(factors)), dtype=int)
    if not len(factors):
        return default
    if float(np.prod(counts, dtype=float)) <= n + 1:
        return np.array(list(product(*map(range, counts))), dtype=int)
    sampler = qmc.LatinHypercube(len(factors), optimization="random-cd", rng=seed)
    rows = np.vstack([default, np.floor(sampler.random(n) * counts).astype(int)])
    _, first = np.unique(rows, axis=0, return_index=True)
    return rows[np.sort(first)]


def universe_config(
    base: Mapping[str, Any],
    factors: Sequence[Factor],
    row: Sequence[int],
    name: str = "universe",
) -> dict[str, Any]:
    """The configuration of a universe."""
    changed = deepcopy(dict(base))
    for factor, level in zip(factors, row, strict=True):
        for key, value in factor.levels[level].items():
            if key.startswith(METRIC):
                continue
            *steps, last = key.split(".")
            section = changed
            for step in steps:
                section = section[step]
            section[last] = deepcopy(value)
    # Imported by name: no number comes from it, so that another experiment runs no universe again.
    problems = importlib.import_module("replication.catalogue.configuration").section_problems(changed, changed)
    if problems:
        chosen = [
            f"{factor.choice}: {factor.words(level)}" for factor, level in zip(factors, row, strict=True) if level
        ]
        where = f"{name} ({', '.join(chosen) or 'multiverse.reduced, every default'})"
        raise ConfigurationError("\n".join(f"{where}: {line}" for line in problems))
    return changed


def run_universes(
    family: str,
    base: Mapping[str, Any],
    choices: pd.DataFrame,
    files: Mapping[str, str | list[str]],
    *,
    n_universes: int,
    rows: range,
    seed: int = 0,
    progress: Callable[[int], None] = lambda finished: None,
) -> list[Universe]:
    """Run some universes of a family."""
    factors = active_factors(read_levels(choices)[family], base)
    levels = design(factors, n_universes, stream_seed(seed, NAME, family))
    rows = [row for row in rows if row < len(levels)]
    names = {row: f"{family}, universe {row}" for row in rows}
    configs = {row: universe_config(base, factors, levels[row], names[row]) for row in rows}
    study = importlib.import_module(universe_module(family)).study
    universes = []
    for finished, row in enumerate(rows, 1):
        words = [factor.words(level) for factor, level in zip(factors, levels[row], strict=True)]
        # Odd settings are the purpose here, so that warnings of them say nothing new.
        with one_blas_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                metrics = study(configs[row], files, seed)
            except Exception as error:
                chosen = [
                    f"{factor.choice}: {text}" for factor, text in zip(factors, words, strict=True) if text != DEFAULT
                ]
                raise RuntimeError(f"{names[row]} ({', '.join(chosen) or 'every default'}): {error}") from error
        metrics = {name: as_read(table) for name, table in metrics.items()}
        metrics = _with_other_metrics(metrics, factors, levels[row])
        universes.append(Universe(row, _level_rows(factors, levels[row], words, metrics), metrics))
        progress(finished)
    return universes


def save_universes(universes: Sequence[Universe], path: str | PathLike[str]) -> None:
    """Write universes to a compressed JSON file, completely or not at all; equal universes give equal bytes."""
    saved = [
        {
            "row": universe.row,
            "levels": universe.levels,
            "metrics": {k: as_text(table) for k, table in universe.metrics.items()},
        }
        for universe in universes
    ]
    with complete_file(path) as partial:
        partial.write_bytes(gzip.compress(json.dumps(saved).encode(), mtime=0))


def load_universes(path: str | PathLike[str]) -> list[Universe]:
    """Read what `save_universes` wrote."""
    saved = json.loads(gzip.decompress(Path(path).read_bytes()))
    return [
        Universe(
            universe["row"],
            universe["levels"],
            {k: read_table(StringIO(text)) for k, text in universe["metrics"].items()},
        )
        for universe in saved
    ]


def judge_universes(
    family: str, path: str | PathLike[str], judge: Callable[[Mapping[str, pd.DataFrame]], pd.DataFrame]
) -> pd.DataFrame:
    """Judge the claims of a family in each of its universes in a file of `save_universes`."""
    tables = []
    for universe in load_universes(path):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            judged = judge(universe.metrics)
        tables += [table.assign(universe=universe.row) for table in (pd.DataFrame(universe.levels), judged)]
    rows = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    fixed = {"experiment": NAME, "method": family, "family": family, "paper": PAPER_OF[family]}
    words = [name for name in COLUMNS if name != "value"]
    return (
        rows.assign(**fixed)
        .reindex(columns=COLUMNS)
        .astype(dict.fromkeys(words, object))
        .fillna(dict.fromkeys(words, ""))
    )


def _with_other_metrics(
    metrics: Mapping[str, pd.DataFrame], factors: Sequence[Factor], row: Sequence[int]
) -> dict[str, pd.DataFrame]:
    """The metrics with those that a level names in place of others."""
    swapped = {
        key.removeprefix(METRIC): other
        for factor, level in zip(factors, row, strict=True)
        for key, other in factor.levels[level].items()
        if key.startswith(METRIC)
    }
    if not swapped:
        return dict(metrics)
    changed = {}
    for experiment, table in metrics.items():
        names = {other: name for name, other in swapped.items() if (table["metric"] == other).any()}
        kept = table[~table["metric"].isin(list(names.values()))]
        changed[experiment] = kept.assign(metric=kept["metric"].replace(names))
    return changed


def _level_rows(
    factors: Sequence[Factor], row: Sequence[int], words: Sequence[str], metrics: Mapping[str, pd.DataFrame]
) -> list[dict[str, Any]]:
    """The levels of a universe, under the names of the data that it runs on."""
    data = pd.concat([table[["dataset", "source"]] for table in metrics.values()]).drop_duplicates()
    named = {name: ", ".join(dict.fromkeys(map(str, data[name]))) for name in ("dataset", "source")}
    return [
        {**named, "choice": factor.choice, "level": text, "metric": "level", "value": float(level)}
        for factor, level, text in zip(factors, row, words, strict=True)
    ]
