"""What the report shows of the ledger: every claim, its verdict at paper scale where it has one, and what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from replication.catalogue.papers import PAPERS
from replication.claims.clauses import Part, answer_parts, short_answers


@dataclass(frozen=True)
class PaperScale:
    """
    Committed results of the paper-scale study, which the report of the quick study shows next to its own.

    Attributes
    ----------
    ledger : DataFrame
        Of `judge_claims`.
    """

    ledger: pd.DataFrame


def claim_views(ledger: pd.DataFrame, paper_scale: PaperScale | None = None) -> list[dict]:
    """The claims of a ledger as the template shows them; `shown` is the row at paper scale, if there is one."""
    committed = {row["id"]: row for row in paper_scale.ledger.to_dict("records")} if paper_scale else {}
    views = []
    for row in ledger.to_dict("records"):
        other = committed.get(row["id"])
        views.append({**row, "at_paper_scale": other, "shown": other or row})
    return views


def answer_of(paper: str, claims: Sequence[Mapping]) -> tuple[list[tuple[str, str]], list[Part]]:
    """What came out for a paper, in a few words and in sentences: the parts of its answer that these claims carry."""
    declared = PAPERS[paper].answer if paper in PAPERS else None
    ledger = {claim["id"]: claim["shown"] for claim in claims}
    return (short_answers(declared, ledger), answer_parts(declared, ledger)) if declared else ([], [])
