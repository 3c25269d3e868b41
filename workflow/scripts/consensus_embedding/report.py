"""One self-contained HTML page with the verdicts, tables and figures of a study."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, select_autoescape

from consensus_embedding.claims import VERDICTS, summary_line
from consensus_embedding.tables import format_number


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
    finding : str
        What follows from the numbers, in sentences; may be empty.
    tables : mapping
        Caption -> table.
    figures : mapping
        Path of a PNG file -> caption.
    seconds : float or None
        Run time of its jobs.
    """

    name: str
    text: str
    source: str
    dataset: str
    finding: str = ""
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
) -> str:
    """
    Render the page.

    Parameters
    ----------
    template : path-like
        A Jinja template.
    study : str
    ledger : DataFrame
        Of `judge_claims`.
    sections : sequence of Section
    choices : DataFrame
        Details the papers leave open, and what was chosen.
    rerun : str
        Command that reruns one experiment, with "{experiment}" in it.
    versions : mapping
        Package -> version.

    Returns
    -------
    str
        HTML that opens offline: figures are embedded, there are no scripts and no links to other files.
    """
    template = Path(template)
    environment = Environment(
        loader=FileSystemLoader(template.parent), autoescape=select_autoescape(default=True), trim_blocks=True
    )
    environment.filters["number"] = lambda v: format_number(v) if isinstance(v, int | float) else str(v)
    environment.filters["embed"] = _data_url
    environment.filters["slug"] = lambda text: str(text).replace(" ", "-")
    return environment.get_template(template.name).render(
        study=study,
        ledger=ledger.to_dict("records"),
        counts=[(v, n) for v in VERDICTS if (n := int((ledger["verdict"] == v).sum()))],
        summary=summary_line(ledger),
        sections=sections,
        choices=choices.to_dict("records"),
        rerun=rerun,
        versions=versions,
    )


def write_text(text: str, path: str | Path) -> None:
    """Write a text file, whole or not at all."""
    path = Path(path)
    partial = path.with_name(f".{path.name}.part")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


def _data_url(path: str | Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(Path(path).read_bytes()).decode()}"
