"""What a reader should remember of each paper, in sentences written from the metrics."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from replication.ledger.papers import takeaways
from replication.shared.tidy import write_table
from replication.shared.values import NotMeasuredError
from replication.shared.wording import words


def takeaways_table(metrics: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """
    What to remember of every paper whose experiments were run.

    Parameters
    ----------
    metrics : mapping
        Experiment -> its tidy metrics.

    Returns
    -------
    DataFrame
        Columns paper and takeaway. A paper is left out if a number is missing that its text needs: a study of a part
        of the experiments, or of one's own data, has no such text.
    """
    rows = []
    for paper, write in takeaways().items():
        try:
            rows.append({"paper": paper, "takeaway": words(write(metrics))})
        except NotMeasuredError:
            continue
    return pd.DataFrame(rows, columns=["paper", "takeaway"])


def write_takeaways(metrics: Mapping[str, pd.DataFrame], path: str | Path) -> dict[str, str]:
    """Write `takeaways_table` to a file, and return it as paper -> text."""
    table = takeaways_table(metrics)
    write_table(table, path)
    return dict(zip(table["paper"], table["takeaway"], strict=True))
