"""What a run ends with in the terminal: how many claims of each paper hold, and where to look."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import pandas as pd

from replication.catalogue.papers import PAPERS
from replication.claims.answers import MARKS, count_answers, counted, counts_line, how_many
from replication.claims.judging import NOT_RUN, read_claims
from replication.report.claims import claim_views

QUICK = (
    "These are quick sizes: they prove that everything runs, and nothing more. The table has what\n"
    "was found at paper scale, which comes with the project, in resources/paper/claims.tsv."
)
HOLLOW = "In brackets: how many of them were judged on a substitute for the paper's data."


def summary_text(ledger: pd.DataFrame, report: str, manifest: str, paper_scale: pd.DataFrame | None = None) -> str:
    """What a run ends with: a line for each paper, and where the rest is."""
    files = [f"Report:   {report}", f"Manifest: {manifest}"]
    if not len(ledger):
        return "\n".join(files) + "\n"
    claims = [claim for claim in claim_views(ledger, paper_scale) if claim["shown"]]
    at_paper_scale = any(claim["at_paper_scale"] for claim in claims)
    papers = list(dict.fromkeys(claim["paper"] for claim in claims))
    groups = {
        PAPERS[paper].title if paper in PAPERS else paper: [claim for claim in claims if claim["paper"] == paper]
        for paper in papers
    }
    groups |= {"All": claims} if len(groups) > 1 else {}
    wide = max(map(len, groups))
    lines = [QUICK, ""] if at_paper_scale else []
    lines.append(_line("", wide, MARKS))
    lines += [_line(name, wide, _cells(group)) for name, group in groups.items()]
    lines += ["", f"{how_many(counted(claim['shown'] for claim in claims))}. {HOLLOW}"]
    if at_paper_scale:
        lines.append(f"In this quick run: {counts_line(counted(ledger))}.")
    missing = list(dict.fromkeys(c["experiment"] for c in claims if c["reason"].endswith(NOT_RUN)))
    if missing:
        absent = how_many(counted(claim["shown"] for claim in claims if claim["experiment"] in missing))
        lines += ["", f"Of these, {absent} are of experiments that were not run: {_some(missing)}"]
    lines += _own_claims(ledger)
    return "\n".join([*lines, "", *files]) + "\n"


def _own_claims(ledger: pd.DataFrame) -> list[str]:
    """The user's own claims, each with what was found, or why nothing was."""
    shipped = set(read_claims()["id"])
    lines = ["", "Your claims:"]
    for row in ledger[~ledger["id"].isin(shipped)].to_dict("records"):
        text = f"{row['id']}: {row['answer']}; {' '.join(filter(None, [row['measured'], row['reason']]))}"
        lines += textwrap.wrap(text, 110, initial_indent="  ", subsequent_indent="    ")
    return lines if len(lines) > 2 else []


def _cells(claims: Sequence[Mapping]) -> list[str]:
    counts = count_answers(counted(claim["shown"] for claim in claims))
    numbers = [counts.get(word, (0, 0)) for word in MARKS]
    return [f"{n} ({hollow})" if hollow else str(n or "") for n, hollow in numbers]


def _line(name: str, wide: int, cells: Sequence[str]) -> str:
    columns = (f"  {cell:>{max(7, len(word))}}" for word, cell in zip(MARKS, cells, strict=True))
    return (f"{name:<{wide}}" + "".join(columns)).rstrip()


def _some(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
