"""What the numbers of an experiment mean for the paper's claim, in sentences written from the metrics."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from replication.ledger.arena_reports import ARENA_FINDINGS
from replication.ledger.papers import findings
from replication.ledger.sensitivity import SENSITIVITY_FINDINGS
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


FINDINGS: dict[str, Callable[[pd.DataFrame], Phrase | str]] = {**findings(), **SENSITIVITY_FINDINGS, **ARENA_FINDINGS}
