"""One self-contained HTML page with the verdicts, tables and figures of a study, and its end in a few lines."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, select_autoescape
from markupsafe import Markup, escape

from replication.ledger.claims import NOT_RUN, VERDICTS, summary_line
from replication.ledger.metrics_rows import RowFinder, line_ranges, lines_in
from replication.ledger.verdict_marks import MARKS, PAPERS, PARTS
from replication.shared.tables import format_number
from replication.shared.tidy import read_table

# Rows of a table that are shown at once, that are on the page at all, and rows of the metrics of a claim and of an
# experiment that are on the page; the files hold the others.
SHOWN, HELD, OF_A_CLAIM, OF_AN_EXPERIMENT = 15, 150, 8, 250
WIDTH = 110
# What `depends_on` takes -> column of the table of the multiverse.
SENSITIVITY = {
    "universes": "universes",
    "holds": "holds",
    "low": "low",
    "high": "high",
    "choice": "choice",
    "detail": "detail",
    "share": "share",
    "p": "p (Holm)",
}
_NUMBER = re.compile(r"(?<![\w.\-])[+\-−]?\d+(?:[.,]\d+)*(?:e[+\-]?\d+)?(?:\s?%)?(?![\w.])")


@dataclass(frozen=True)
class Section:
    """
    One experiment in the report.

    Attributes
    ----------
    name : str
        As in the config.
    text : str
        What the experiment asks, in a sentence or two.
    source, dataset : str
        Provenance of the data, shown beside the numbers.
    paper : str
        As in config/claims.tsv; empty if it is of none.
    finding : str
        What follows from the numbers, in sentences; may be empty.
    metrics : DataFrame
        Its tidy metrics; numbers link to their rows.
    tables : mapping
        Path of a file below the folder of the experiment -> table.
    figures : mapping
        Path of a PNG file -> caption.
    seconds : float or None
        Run time of its jobs.
    """

    name: str
    text: str
    source: str
    dataset: str
    paper: str = ""
    finding: str = ""
    metrics: pd.DataFrame = field(default_factory=pd.DataFrame)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    figures: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None


def render_report(
    template: str | Path,
    study: str,
    ledger: pd.DataFrame,
    sections: Sequence[Section],
    choices: pd.DataFrame,
    rerun: str,
    versions: Mapping[str, str],
    *,
    rows: pd.DataFrame | None = None,
    sensitivity: Mapping[str, Mapping[str, object]] | None = None,
    picture: str | Path | None = None,
    takeaways: Mapping[str, str] | None = None,
    own_results: Mapping[str, str] | None = None,
    made_with: Sequence[str] = (),
) -> str:
    """
    Render the page.

    Parameters
    ----------
    template : path-like
        A Jinja template; its style and script stand beside it.
    study : str
    ledger : DataFrame
        Of `judge_claims`; empty where nothing was judged.
    sections : sequence of Section
    choices : DataFrame
        Details the papers leave open, and what was chosen.
    rerun : str
        Command that reruns one experiment, with "{experiment}" in it.
    versions : mapping
        Package -> version.
    rows : DataFrame, optional
        Of `rows_table`: lines of the metrics behind every verdict.
    sensitivity : mapping, optional
        Claim -> what `depends_on` takes.
    picture : path-like, optional
        PNG file with the picture of the ledger.
    takeaways : mapping, optional
        Paper -> what a reader should remember of it.
    own_results : mapping, optional
        Table (TSV) or figure (PNG) of the user's own data, in the folder of an experiment -> what it shows; the page
        opens with them.
    made_with : sequence of str, optional
        Arithmetic and processors of the jobs; see `trail.made_with`.

    Returns
    -------
    str
        HTML that opens offline: figures, style and script are embedded; all can be read without the script. Links to
        other files are relative, to the results beside the page.
    """
    template = Path(template)
    environment = Environment(
        loader=FileSystemLoader(template.parent), autoescape=select_autoescape(default=True), trim_blocks=True
    )
    environment.filters |= {"number": _text, "embed": _data_url, "slug": _class_name, "link_numbers": link_numbers}
    environment.filters["exact"] = _exact
    environment.globals |= {"marks": MARKS, "parts": PARTS, "depends_on": depends_on, "papers": PAPERS}
    found = {row["claim"]: row for row in (rows if rows is not None else pd.DataFrame()).to_dict("records")}
    views = [_view(section, ledger, found, choices, sections) for section in sections]
    counts = ledger["verdict"].value_counts() if len(ledger) else {}
    return environment.get_template(template.name).render(
        study=study,
        ledger=ledger.to_dict("records"),
        counts=[(verdict, int(counts[verdict])) for verdict in VERDICTS if verdict in counts],
        listed={name: list(dict.fromkeys(ledger[name])) for name in ("paper", "verdict", "source") if len(ledger)},
        sections=views,
        names={section.name for section in sections},
        groups=_by_paper(views),
        rows=found,
        sensitivity=sensitivity or {},
        picture=picture,
        takeaways=takeaways or {},
        own_results=[_own_result(path, of) for path, of in (own_results or {}).items()],
        shown=SHOWN,
        choices=(choices if len(ledger) else _choices_of_papers(choices, sections)).to_dict("records"),
        rerun=rerun,
        versions=versions,
        made_with=made_with,
    )


def summary_text(ledger: pd.DataFrame, report: str, manifest: str, width: int = WIDTH) -> str:
    """
    What a run ends with: a line a claim, the counts by paper and in all, and where the rest stands.

    Parameters
    ----------
    ledger : DataFrame
        Of `judge_claims`; empty where nothing was judged.
    report, manifest : str
        Their paths.
    width : int
        Of the terminal, in characters; statements are cut to it.

    Returns
    -------
    str
    """
    files = [f"Report:   {report}", f"Manifest: {manifest}"]
    if not len(ledger):
        return "\n".join(files) + "\n"
    ids, verdicts = (int(ledger[column].str.len().max()) for column in ("id", "verdict"))
    lines = []
    for paper, claims in ledger.groupby("paper", sort=False):
        number = f"{len(claims)} claim{'' if len(claims) == 1 else 's'}"
        lines += [f"{PAPERS.get(paper, paper)}, {number}: {_signs(claims['verdict'])}"]
        was_run = ~claims["reason"].str.endswith(NOT_RUN)
        for claim in claims[was_run].to_dict("records"):
            start = f"  {MARKS[claim['verdict']].sign} {claim['id']:<{ids}}  {claim['verdict']:<{verdicts}}  "
            lines += [start + _cut(claim["statement"], width - len(start))]
        if not was_run.all():
            names = ", ".join(dict.fromkeys(claims["experiment"][~was_run]))
            lines += [_cut(f"  {(~was_run).sum()} of experiments that were not run: {names}", width)]
        lines += [""]
    return "\n".join([*lines, f"Verdicts: {summary_line(ledger)}", *files]) + "\n"


def read_sensitivity(paths: Sequence[str | Path]) -> dict[str, dict]:
    """
    What the multiverse says of each claim.

    Parameters
    ----------
    paths : sequence of path-like
        The table sensitivity.tsv of the experiment multiverse, or nothing if the study did not run it.

    Returns
    -------
    dict
        Claim -> what `depends_on` takes.
    """
    found = {}
    for path in paths:
        for row in read_table(path).to_dict("records"):
            found[row["claim"]] = {ours: row[theirs] for ours, theirs in SENSITIVITY.items()}
    return found


def depends_on(found: Mapping[str, object]) -> Markup:
    """
    How a verdict depends on what the paper leaves open, in words.

    Parameters
    ----------
    found : mapping
        With universes, holds, low and high (shares), choice, detail, share (of the variance) and p (after Holm);
        choice may be empty.

    Returns
    -------
    Markup
    """
    holds, low, high = (f"{100 * float(found[name]):.0f}" for name in ("holds", "low", "high"))
    text = Markup("holds in <strong>{} %</strong> of {} universes (95 % interval {} to {} %)").format(
        holds, f"{float(found['universes']):.0f}", low, high
    )
    choice, share = found["choice"], found["share"]
    if choice and not pd.isna(choice) and not pd.isna(share):
        words = "; most moved by <a href='#{}'>{}</a>, {} ({:.0f} % of the variance of its score, p = {:.2g})"
        text += Markup(words).format(choice, choice, found["detail"], 100 * float(share), float(found["p"]))
    return text


def link_numbers(text: str, target: str) -> Markup:
    """A text whose numbers link to an anchor; with no target, as it is."""
    if not target:
        return escape(text)
    parts, end = [], 0
    for found in _NUMBER.finditer(text):
        link = Markup('<a class="num" href="#{}">{}</a>').format(target, found[0])
        parts += [escape(text[end : found.start()]), link]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def write_text(text: str, path: str | Path) -> None:
    """Write a text file, whole or not at all."""
    path = Path(path)
    partial = path.with_name(f".{path.name}.part")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


def _view(
    section: Section, ledger: pd.DataFrame, rows: Mapping[str, dict], choices: pd.DataFrame, all_: Sequence[Section]
) -> dict:
    """What the template shows of an experiment."""
    lines: dict[int, None] = {}
    claims = []
    for claim in ledger[ledger["experiment"] == section.name].to_dict("records") if len(ledger) else []:
        found = rows.get(claim["id"])
        listed = lines_in(found["lines"]) if found else []
        lines |= dict.fromkeys(listed[:OF_A_CLAIM])
        claims.append({**claim, "n": len(listed), "lines": listed[:OF_A_CLAIM], "ranges": _short(listed)})
    finder = RowFinder(section.metrics) if len(section.metrics) else None
    tables = [_table(section.name, path, table, finder, lines) for path, table in section.tables.items()]
    metrics = section.metrics.drop(columns="experiment", errors="ignore")
    # A row that holds nothing in a column of conditions is shown without it.
    kept = [line for line in sorted(lines) if line - 2 < len(metrics)]
    return {
        "section": section,
        "claims": claims,
        "tables": tables,
        "columns": list(metrics.columns),
        "rows": {line: metrics.iloc[line - 2].tolist() for line in kept},
        "size": len(metrics),
        "choices": _choices_of(section, choices, [other.name for other in all_]),
    }


def _table(name: str, path: str, table: pd.DataFrame, finder: RowFinder | None, lines: dict[int, None]) -> dict:
    """Cells of a table with their links; `lines` collects the lines that they point at, up to a number."""
    body = []
    for row in table.head(HELD).to_dict("records"):
        cells = []
        for header, value in row.items():
            text = _text(value)
            found = finder.lines(row, header) if finder and re.match(r"[+\-−]?\d", text) else []
            if found and (found[0] in lines or len(lines) < OF_AN_EXPERIMENT):
                lines[found[0]] = None
                cells.append((text, value, f"{name}-L{found[0]}", f"{_count(len(found))}: {_short(found)}"))
            else:
                cells.append((text, value, "", ""))
        body.append(cells)
    linked = any(cell[2] for cells in body for cell in cells)
    return {"path": path, "columns": list(table.columns), "rows": body, "size": len(table), "linked": linked}


def _choices_of_papers(choices: pd.DataFrame, sections: Sequence[Section]) -> pd.DataFrame:
    """Choices of the papers on the page; of all papers, if an experiment is of all or there is nothing to go by."""
    found = {section.paper for section in sections}
    return choices[choices["paper"].isin(found)] if "paper" in choices and found and "" not in found else choices


def _own_result(path: str, of: str) -> dict:
    """A table or a figure that the page opens with."""
    name, _, file = path.rpartition("/tables/")
    table = _table(name, f"tables/{file}", read_table(path), None, {}) if file.endswith(".tsv") and name else None
    return {"path": path, "of": of, "link": "/".join(Path(path).parts[2:]), "table": table}


def _choices_of(section: Section, choices: pd.DataFrame, experiments: Sequence[str]) -> list[dict]:
    """Choices of the paper of an experiment, but for those that are set for other experiments alone."""
    found = []
    for choice in choices[choices["paper"] == section.paper].to_dict("records") if "paper" in choices else []:
        words = set(re.findall(r"\w+", choice["where it is set"]))
        named = words & set(experiments)
        if not named or section.name in named:
            found.append(choice)
    return found


def _by_paper(views: Sequence[dict]) -> list[tuple[str, list[dict]]]:
    papers = dict.fromkeys(view["section"].paper for view in views)
    return [(paper, [view for view in views if view["section"].paper == paper]) for paper in papers]


def _count(n: int) -> str:
    return f"{n} row{'' if n == 1 else 's'}"


def _short(lines: Sequence[int]) -> str:
    """Lines as ranges, the first few of them."""
    parts = line_ranges(line - 2 for line in lines).split(", ")
    return f"line{'' if len(lines) == 1 else 's'} {', '.join(parts[:4])}{' …' if len(parts) > 4 else ''}"


def _signs(verdicts: pd.Series) -> str:
    """Counts of the verdicts by their sign, those on a substitute apart."""
    counts = verdicts.value_counts()
    groups = []
    for substitute, words in ((False, ""), (True, "on a substitute ")):
        found = [v for v in VERDICTS if v in counts and MARKS[v].substitute == substitute]
        if found:
            groups.append(words + ", ".join(f"{MARKS[v].sign} {counts[v]}" for v in found))
    return "; ".join(groups)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: max(width - 1, 0)].rstrip()}…"


def _text(value: object) -> str:
    return format_number(value) if isinstance(value, int | float) else str(value)


def _class_name(text: object) -> str:
    return re.sub(r"[^a-z0-9]+", "-", str(text).lower()).strip("-")


def _exact(value: object) -> str:
    """A value of the metrics with six digits; nothing where a condition does not apply."""
    if not isinstance(value, int | float):
        return str(value)
    return "" if value != value else f"{value:.6g}"


def _data_url(path: str | Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(Path(path).read_bytes()).decode()}"
