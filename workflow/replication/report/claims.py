"""What the report shows of the ledger: every claim, and its verdict at paper scale where it has one."""

from __future__ import annotations

import pandas as pd


def claim_views(ledger: pd.DataFrame, paper_scale: pd.DataFrame | None = None) -> list[dict]:
    """
    The claims of a ledger as the template shows them.

    Next to its own results the report of the quick study shows the committed ones of the paper-scale study, if given.
    `shown` is the row that is counted: at paper scale if any claim has one, then None for a claim without one, such as
    one of the user's own; else the row of the study.
    """
    committed = {} if paper_scale is None else {row["id"]: row for row in paper_scale.to_dict("records")}
    rows = ledger.to_dict("records")
    others = [committed.get(row["id"]) for row in rows]
    return [
        {**row, "at_paper_scale": other, "shown": other if any(others) else row}
        for row, other in zip(rows, others, strict=True)
    ]
