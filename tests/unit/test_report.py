"""Figures are drawn and show what they should; the report is one page that needs nothing else."""

import re
from html.parser import HTMLParser
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from consensus_embedding import figures, report
from consensus_embedding.claims import judge_claims, read_claims
from consensus_embedding.report import Section, render_report, write_text

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "workflow" / "report" / "report.html.j2"


@pytest.fixture
def labels():
    return np.repeat(np.arange(10), 4)


def distances_table(paper):
    rows = [
        {"distance": distance, "m": m, "mean": 100 / m, "SD": 5, "band 5 %": 90 / m, "band 95 %": 110 / m,
         "paper": paper, "mean on the picture": 120 / m}
        for distance in ("distance to reference", "pairwise distance")
        for m in (1, 10, 100)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_distances_are_labelled_with_units_and_show_the_paper_only_where_there_is_one():
    for paper, series in ((50.0, 4), (float("nan"), 3)):
        figure = figures.draw_distances(distances_table(paper))
        axes = figure.axes[0]
        assert axes.get_xlabel() == "t-SNE runs combined, m"
        assert "t-SNE units" in axes.get_ylabel()
        assert len(axes.get_legend_handles_labels()[1]) == series
        assert axes.get_ylim()[0] == 0
        plt.close(figure)


def test_repetitions_get_a_panel_each_on_one_scale(labels):
    pictures = {"reference": np.zeros((40, 2)), "m1": np.random.default_rng(0).normal(size=(3, 40, 2))}
    pictures["m10"] = pictures["m1"] * 2
    figure = figures.draw_repetitions(pictures, labels)
    assert len(figure.axes) == 6
    assert len({axes.get_xlim() for axes in figure.axes}) == 1
    assert [axes.get_title() for axes in figure.axes[:3]] == [f"repetition {r}" for r in (1, 2, 3)]
    plt.close(figure)


def test_reference_names_every_class(labels):
    figure = figures.draw_reference(np.random.default_rng(0).normal(size=(40, 2)), labels, 100)
    assert {text.get_text() for text in figure.axes[0].texts} == set("0123456789")
    plt.close(figure)


def test_figures_are_the_same_files_each_time_and_leave_the_style_alone(tmp_path):
    before = plt.rcParams["font.size"]
    for name in ("first", "second"):
        figure = figures.draw_distances(distances_table(50.0))
        figures.save_figure(figure, tmp_path / f"{name}.png", tmp_path / f"{name}.pdf")
    for suffix in ("png", "pdf"):
        first, second = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("first", "second"))
        assert first == second
        assert len(first) > 5000
    assert plt.rcParams["font.size"] == before


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.tags = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.found += [value for name, value in attributes if name in ("src", "href")]


def test_the_report_opens_offline_and_holds_every_claim(tmp_path):
    figure = tmp_path / "figure.png"
    figures.save_figure(figures.draw_distances(distances_table(50.0)), figure)
    ledger = judge_claims(read_claims(ROOT / "config" / "claims.tsv"), {})
    section = Section(
        "mce_convergence", "What it asks.", "original", "digits",
        tables={"numbers": pd.DataFrame({"m": [1], "<b>": [0.12345]})},
        figures={str(figure): "What it shows."}, seconds=12.0,
    )  # fmt: skip
    choices = pd.DataFrame(
        [dict.fromkeys(("id", "detail left open", "default", "where it is set", "why", "alternatives"), "x")]
    )
    page = render_report(TEMPLATE, "toy", ledger, [section], choices, "run {experiment}", {"numpy": "2"})
    links = _Links()
    links.feed(page)
    assert "script" not in links.tags
    assert all(link.startswith(("data:image/png;base64,", "#")) for link in links.found)
    anchors = set(re.findall(r'id="([^"]+)"', page))
    assert {link[1:] for link in links.found if link.startswith("#")} <= anchors
    assert all(claim_id in anchors for claim_id in ledger["id"])
    assert "What it shows." in page
    assert "0.123" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page


def test_text_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    write_text("old", path)

    def fail(*args):
        raise OSError("disk full")

    monkeypatch.setattr(report.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_text("new", path)
    assert path.read_text() == "old"
