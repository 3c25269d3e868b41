"""What the numbers of an experiment mean for the paper's claim, in sentences written from the metrics."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pandas as pd

from replication.ledger.experiments import finding_functions
from replication.ledger.papers import findings
from replication.shared.wording import Phrase, words


def finding(experiment: str, metrics: pd.DataFrame) -> str:
    """
    A short text on what follows from an experiment, or "" where the verdicts say it all.

    Parameters
    ----------
    experiment : str
    metrics : DataFrame
        Its tidy metrics.

    Returns
    -------
    str
    """
    return words(FINDINGS[experiment](metrics)) if experiment in FINDINGS else ""


def _declared() -> dict[str, Callable[[pd.DataFrame], Phrase | str]]:
    names = {experiment: name.rpartition(".") for experiment, name in finding_functions().items()}
    return {experiment: getattr(import_module(module), name) for experiment, (module, _, name) in names.items()}


FINDINGS: dict[str, Callable[[pd.DataFrame], Phrase | str]] = {**findings(), **_declared()}
