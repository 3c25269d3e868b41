"""The experiments swiss_roll and gland_retrieval on few objects, for one universe of choices (OS-01 to OS-15)."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from replication.papers.sparks2011 import gland_retrieval, swiss_roll


def study(config: Mapping, files: Mapping[str, str | list[str]], seed: int) -> dict[str, pd.DataFrame]:
    """
    Extrapolation and retrieval.

    Parameters
    ----------
    config : mapping
        The sections out_of_sample, swiss_roll, glands and gland_retrieval; without sets of glands or digits the Swiss
        roll alone is run.
    files : mapping
        None is read: rolls and glands are simulated, the digits come with scikit-learn.
    seed : int

    Returns
    -------
    dict
        swiss_roll and, if it has sets, gland_retrieval -> tidy metrics.
    """
    grid, retrieval = config["out_of_sample"], config["gland_retrieval"]
    roll, _ = swiss_roll.run(config["swiss_roll"], grid, seed=seed)
    runs = {"glands": gland_retrieval.run_glands, "digits": gland_retrieval.run_digits}
    scored = [runs[name](retrieval, config["glands"], grid, seed=seed)[0] for name in retrieval["sets"]]
    found = {"gland_retrieval": pd.concat(scored, ignore_index=True)} if scored else {}
    return {"swiss_roll": roll, **found}
