"""The experiments swiss_roll and gland_retrieval on few objects, for one universe of choices (OS-01 to OS-15)."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from replication.papers.sparks2011 import swiss_roll
from replication.papers.sparks2011.gland_retrieval import run_made_set
from replication.papers.sparks2011.retrieval_grid import OutOfSample
from replication.papers.sparks2011.swiss_roll import SwissRollSettings
from replication.platform.settings import settings_of
from replication.platform.steps import Work


def study(config: Mapping, files: Mapping[str, str | list[str]], seed: int) -> dict[str, pd.DataFrame]:
    """Extrapolation and retrieval."""
    grid, retrieval = settings_of(OutOfSample, config["out_of_sample"], "out_of_sample"), config["gland_retrieval"]
    work = Work(seed=seed)
    roll = swiss_roll.run(settings_of(SwissRollSettings, config["swiss_roll"], "swiss_roll"), grid, work=work)
    # What queries return is scored of the glands alone.
    parameters = {"glands": retrieval, "digits": {**retrieval, "query_draws": 0}}
    scored = [
        run_made_set(name, grid, simulator=config["glands"], parameters=parameters[name], work=work)[0]
        for name in retrieval["sets"]
    ]
    tables = {"gland_retrieval": pd.concat(scored, ignore_index=True)} if scored else {}
    return {"swiss_roll": roll, **tables}
