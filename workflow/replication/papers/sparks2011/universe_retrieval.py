"""The experiments swiss_roll and gland_retrieval on few objects, for one universe of choices (OS-01 to OS-15)."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from replication.data.glands import GlandSimulator
from replication.papers.sparks2011 import swiss_roll
from replication.papers.sparks2011.gland_retrieval import GlandRetrieval, run_digits, run_glands
from replication.papers.sparks2011.retrieval_grid import OutOfSample
from replication.papers.sparks2011.retrieval_sets import class_counts
from replication.papers.sparks2011.settings import EmbeddedDigits
from replication.papers.sparks2011.swiss_roll import SwissRollSettings
from replication.platform.settings import settings_of


def study(config: Mapping, files: Mapping[str, str | list[str]], seed: int) -> dict[str, pd.DataFrame]:
    """Extrapolation and retrieval."""
    grid, retrieval = settings_of(OutOfSample, config["out_of_sample"], "out_of_sample"), config["gland_retrieval"]
    roll = swiss_roll.run(settings_of(SwissRollSettings, config["swiss_roll"], "swiss_roll"), grid, seed=seed)
    scored = [_scored(name, retrieval, config["glands"], grid, seed) for name in retrieval["sets"]]
    tables = {"gland_retrieval": pd.concat(scored, ignore_index=True)} if scored else {}
    return {"swiss_roll": roll, **tables}


def _scored(name: str, retrieval: Mapping, glands: Mapping, grid: OutOfSample, seed: int) -> pd.DataFrame:
    """Metrics of a set of gland_retrieval."""
    if name == "digits":
        settings = settings_of(EmbeddedDigits, retrieval["digits"], "gland_retrieval.digits")
        return run_digits(settings, retrieval["variants"], class_counts(glands), grid, seed=seed)[0]
    read = {key: retrieval[key] for key in GlandRetrieval.model_fields}
    parameters = settings_of(GlandRetrieval, read, "gland_retrieval")
    return run_glands(parameters, settings_of(GlandSimulator, glands, "glands"), grid, seed=seed)[0]
