"""What the report shows of the ledger: every claim, its verdict at paper scale where it has one, and what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from replication.catalogue.papers import PAPERS
from replication.claims.clauses import Part, answer_parts, short_answers


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


def answer_of(paper: str, claims: Sequence[Mapping]) -> tuple[list[tuple[str, str, str]], list[Part]]:
    """What came out for a paper, in a few words and in sentences: the parts of its answer that these claims carry."""
    declared = PAPERS[paper].answer if paper in PAPERS else None
    ledger = {claim["id"]: claim["shown"] for claim in claims}
    return (short_answers(declared, ledger), answer_parts(declared, ledger)) if declared else ([], [])
