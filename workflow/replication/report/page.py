"""One self-contained HTML page with the answers, verdicts, tables and figures of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, select_autoescape
from markupsafe import Markup

from replication.catalogue.papers import PAPERS
from replication.claims.answers import MARKS, MEASUREMENT, count_answers, counted, data_of, how_many, is_hollow, word_of
from replication.claims.clauses import answer_parts, short_answers
from replication.platform.readable import without_controls
from replication.report.claims import claim_views
from replication.report.pictures import SMALL, picture
from replication.report.text import (
    cell_text,
    chip,
    depends_on,
    link_numbers,
    link_terms,
    measured_words,
    slug,
)
from replication.report.views import Section, choices_of_papers, experiment_view, own_result
from replication.shared.tidy import read_table

TITLES = {name: paper.title for name, paper in PAPERS.items()}


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
    own_results: Mapping[str, str] | None = None,
    made_with: Sequence[str] = (),
    glossary: Sequence[Mapping[str, str]] = (),
    paper_scale: pd.DataFrame | None = None,
) -> str:
    """Render the page."""
    template = Path(template)
    environment = Environment(
        loader=FileSystemLoader(template.parent), autoescape=select_autoescape(default=True), trim_blocks=True
    )
    environment.filters |= {"number": cell_text, "picture": picture, "slug": slug, "link_numbers": link_numbers}
    environment.filters |= {"measured_words": measured_words, "chip": chip, "data_of": data_of}
    environment.filters |= {"word": word_of, "counts": count_answers, "how_many": how_many, "counted": counted}
    environment.tests["hollow"] = is_hollow
    environment.globals |= {"marks": MARKS, "measurement": MEASUREMENT, "depends_on": depends_on, "papers": TITLES}
    environment.globals["short_titles"] = {name: paper.short_title for name, paper in PAPERS.items()}
    rows_of = {row["claim"]: row for row in (rows if rows is not None else pd.DataFrame()).to_dict("records")}
    claims = claim_views(ledger, paper_scale)
    shown = [claim for claim in claims if claim["shown"]]
    at_paper_scale = any(claim["at_paper_scale"] for claim in claims)
    names = [section.name for section in sections]
    views = [
        {**experiment_view(section, claims, rows_of, choices, names), "texts": _texts(section, glossary)}
        for section in sections
    ]
    by_paper, ledger_rows = (_grouped(some, lambda claim: claim["paper"]) for some in (claims, shown))
    order = [paper for paper, _ in by_paper]
    views.sort(key=lambda view: order.index(view["section"].paper) if view["section"].paper in order else len(order))
    page = environment.get_template(template.name).render(
        study=study,
        claims=by_paper,
        ledger_rows=ledger_rows,
        answered=counted(claim["shown"] for claim in shown),
        answers=_answers(ledger_rows, shown, sections, at_paper_scale),
        names=set(names),
        titles={section.name: section.title for section in sections},
        groups=_grouped(views, lambda view: view["section"].paper),
        rows=rows_of,
        sensitivity=sensitivity or {},
        paper_scale=at_paper_scale,
        own_results=[own_result(path, what) for path, what in (own_results or {}).items()],
        choices=(choices if claims else choices_of_papers(choices, sections)).to_dict("records"),
        rerun=rerun,
        versions=versions,
        made_with=made_with,
        glossary=glossary,
    )
    return without_controls(page)


def read_sensitivity(paths: Sequence[str | Path]) -> dict[str, dict]:
    """What the multiverse says of each claim, by the columns of its table."""
    return {row["claim"]: row for path in paths for row in read_table(path).to_dict("records")}


def _answers(
    by_paper: Sequence[tuple[str, list[dict]]],
    claims: Sequence[Mapping],
    sections: Sequence[Section],
    paper_scale: bool,
) -> list[dict]:
    """The cards of the first screen: question, answer and picture of each paper of which an experiment was run."""
    figures = {
        "/".join(Path(path).parts[-3:]): (path, section.name) for section in sections for path in section.figures
    }
    shown = {section.paper for section in sections}
    ledger = {claim["id"]: claim["shown"] for claim in claims}
    cards = []
    for paper, of_paper in by_paper:
        if paper not in shown:
            continue
        declared = PAPERS[paper].answer if paper in PAPERS else None
        path, experiment = figures.get(declared.figure, ("", "")) if declared else ("", "")
        path = declared.paper_scale if declared and paper_scale else path
        cards.append(
            {
                "paper": paper,
                "topic": declared.topic if declared else "",
                "question": declared.question if declared else "",
                "short": short_answers(declared, ledger) if declared else [],
                "answer": answer_parts(declared, ledger) if declared else [],
                "claims": of_paper,
                "picture": picture(path, SMALL) if path else None,
                # At its natural size where no experiment of this study shows it.
                "figure": picture(path) if path and paper_scale else None,
                "experiment": experiment,
            }
        )
    return cards


def _texts(section: Section, glossary: Sequence[Mapping[str, str]]) -> tuple[Markup, list[Markup]]:
    """What an experiment asks, and how it was done: paragraphs with a link for each term once."""
    linked = link_terms(section.text, glossary).split("\n\n")
    return linked[0], linked[1:]


def _grouped(items: Sequence[dict], key: object) -> list[tuple[str, list[dict]]]:
    """Items by paper, in the order in which the papers come first."""
    return [(name, [item for item in items if key(item) == name]) for name in dict.fromkeys(map(key, items))]
