"""What a run ends with in the terminal: counts of verdicts, a line a paper, and where to look."""

from __future__ import annotations

import pandas as pd

from replication.catalogue.papers import PAPERS
from replication.claims.judging import NOT_RUN
from replication.claims.verdict_marks import OF_DATA
from replication.report.claims import PaperScale, claim_views, count_signs

QUICK = (
    "These are quick sizes: they prove that everything runs, and nothing more. What was found is in the columns at\n"
    "paper scale; these verdicts come with the project, in resources/paper/claims.tsv."
)
_SIGNS = [mark.sign for mark in OF_DATA.values()]
_CELL = 4


def summary_text(ledger: pd.DataFrame, report: str, manifest: str, paper_scale: PaperScale | None = None) -> str:
    """What a run ends with: the verdicts of each paper by their sign, what the signs mean, and where the rest is."""
    files = [f"Report:   {report}", f"Manifest: {manifest}"]
    if not len(ledger):
        return "\n".join(files) + "\n"
    claims = claim_views(ledger, paper_scale)
    columns = {"main": "at paper scale", "verdict": "quick sizes"} if paper_scale else {"verdict": ""}
    papers = list(dict.fromkeys(claim["paper"] for claim in claims))
    names = {paper: PAPERS[paper].title if paper in PAPERS else paper for paper in papers}
    wide = max(map(len, [*names.values(), f"All {len(claims)} claims"])) + 2
    width = _CELL * len(_SIGNS)
    heads = "".join(f"      {name}".ljust(width + 4) for name in columns.values())
    lines = [QUICK, "", (" " * wide + heads).rstrip()] if paper_scale else []
    lines += [_line("", wide, [_SIGNS] * len(columns))]
    groups = [(names[paper], [claim for claim in claims if claim["paper"] == paper]) for paper in papers]
    for name, group in [*groups, (f"All {len(claims)} claims", claims)] if len(groups) > 1 else groups:
        lines.append(_line(name, wide, [_cells(group, which) for which in columns]))
    missing = list(dict.fromkeys(c["experiment"] for c in claims if c["reason"].endswith(NOT_RUN)))
    if missing:
        n = sum(claim["experiment"] in missing for claim in claims)
        lines += ["", f"{n} of these claims are of experiments that were not run: {_some(missing)}"]
    legend = ", ".join(f"{mark.sign} {verdict}" for verdict, mark in OF_DATA.items())
    return "\n".join([*lines, "", f"Verdicts: {legend}", *files]) + "\n"


def _cells(claims: list[dict], which: str) -> list[str]:
    counts = dict(count_signs(claims, which))
    return [str(counts.get(sign, "")) for sign in _SIGNS]


def _line(name: str, wide: int, blocks: list[list[str]]) -> str:
    cells = ("    " + "".join(f"{cell:>{_CELL}}" for cell in block) for block in blocks)
    return (f"{name:<{wide}}" + "".join(cells)).rstrip()


def _some(names: list[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
