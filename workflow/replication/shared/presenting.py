"""Read what the tables and figures of an experiment are made from, and call the functions that make them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from replication.shared.tidy import as_read, read_table


def read_results(files: Mapping[str, str | Iterable[str]]) -> dict[str, Any]:
    """Read the files behind tables and figures."""
    return {name: _read(name, paths) for name, paths in files.items()}


def _read(name: str, paths: str | Iterable[str]) -> Any:
    several = [Path(path) for path in ([paths] if isinstance(paths, str) else paths)]
    if all(path.suffix == ".tsv" for path in several):
        tables = [read_table(path) for path in several]
        # Of several each column is read once more: one that is empty in a file is text there, and numbers in another.
        return tables[0] if len(tables) == 1 else as_read(pd.concat(tables, ignore_index=True))
    if isinstance(paths, str):
        return dict(np.load(paths))
    return {path.stem.removesuffix(f"_{name}"): dict(np.load(path)) for path in several}


def call(function: str, given: Mapping[str, Any]) -> Any:
    """Call a function with what it asks for by the names of its parameters."""
    module, _, name = function.rpartition(".")
    target = getattr(import_module(module), name)
    parameters = signature(target).parameters
    missing = [
        name for name, parameter in parameters.items() if name not in given and parameter.default is parameter.empty
    ]
    if missing:
        raise TypeError(
            f"{function} asks for {', '.join(missing)}, but {', '.join(given)} are given; declare what it reads in "
            "`reads` of its experiment, or name a setting in `given`."
        )
    return target(**{name: given[name] for name in parameters if name in given})
