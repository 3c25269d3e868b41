"""What each method calls of the voxels of a study, as arrays by name and as a table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd


def maps_of(pictures: Mapping[str, np.ndarray]) -> dict[str, dict[str, np.ndarray]]:
    """Name of a study -> positions, labels, calls and clusters of its voxels."""
    maps: dict[str, dict[str, np.ndarray]] = {}
    for key, values in pictures.items():
        study, _, name = key.rpartition("/")
        if study:
            maps.setdefault(study, {})[name] = values
    return maps


def calls_table(pictures: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """What each method calls of every voxel that has a map: 1 is cancer; nothing where a method makes no call."""
    tables = []
    for name, maps in maps_of(pictures).items():
        table = pd.DataFrame(maps["positions"], columns=["x", "y", "z"])
        table.insert(0, "study", name)
        labels = {f"label: {key[6:]}": values for key, values in maps.items() if key.startswith("label_")}
        calls = {key[6:]: values for key, values in maps.items() if key.startswith("calls_")}
        tables.append(table.assign(**{key: values.astype(int) for key, values in {**labels, **calls}.items()}))
    return pd.concat(tables, ignore_index=True).convert_dtypes()
