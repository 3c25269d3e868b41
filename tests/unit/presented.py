"""Tables and figures of an experiment as the study makes them, by its declaration."""

import pandas as pd
from matplotlib.figure import Figure
from replication.ledger.experiments import functions
from replication.shared.presenting import call


def tables_of(experiment: str, **given: object) -> dict[str, pd.DataFrame]:
    """Table -> its rows, from what the functions ask for by name."""
    made = {}
    for name, function in functions(experiment)[0].items():
        made[name] = given[f"{name}_table"] = call(function, given)
    return made


def figures_of(experiment: str, **given: object) -> dict[str, Figure]:
    """Figure -> the drawing; tables that figures ask for are given as <name>_table."""
    return {name: call(function, given) for name, function in functions(experiment)[1].items()}
