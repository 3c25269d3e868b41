"""What the report shows of the ledger: every claim, its verdict at paper scale where it has one, and the answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from replication.catalogue.papers import PAPERS
from replication.claims.clauses import Part, answer_parts
from replication.claims.judging import VERDICTS
from replication.claims.verdict_marks import MARKS


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
    """The claims of a ledger as the template shows them."""
    committed = {row["id"]: row for row in paper_scale.ledger.to_dict("records")} if paper_scale else {}
    views = []
    for row in ledger.to_dict("records"):
        other = committed.get(row["id"])
        shown = other or row
        sources = [source for source in dict.fromkeys(re.split(r",\s*", shown["source"])) if source]
        views.append({**row, "at_paper_scale": other, "main": shown["verdict"], "sources": sources})
    return views


def count_verdicts(claims: Sequence[Mapping], which: str = "main") -> list[tuple[str, int]]:
    """Verdicts of some claims and how many have each, in the order of the vocabulary."""
    verdicts = [claim[which] for claim in claims]
    return [(verdict, verdicts.count(verdict)) for verdict in VERDICTS if verdict in verdicts]


def count_signs(claims: Sequence[Mapping], which: str = "main") -> list[tuple[str, int]]:
    """As `count_verdicts` by the sign: verdicts on a substitute count with those on the paper's data."""
    counts: dict[str, int] = {}
    for verdict, n in count_verdicts(claims, which):
        counts[MARKS[verdict].sign] = counts.get(MARKS[verdict].sign, 0) + n
    order = list(dict.fromkeys(mark.sign for mark in MARKS.values()))
    return sorted(counts.items(), key=lambda item: order.index(item[0]))


def answer_of(paper: str, claims: Sequence[Mapping]) -> list[Part]:
    """What came out for a paper: the parts of its answer that these claims carry."""
    declared = PAPERS[paper].answer if paper in PAPERS else None
    ledger = {claim["id"]: claim["at_paper_scale"] or claim for claim in claims}
    return answer_parts(declared, ledger) if declared else []
