"""The report is one page that needs nothing else, says all of it without scripts, and leads back to the numbers."""

import re
from html.parser import HTMLParser
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from replication.ledger.claims import NOT_RUN, judge_claims, read_claims
from replication.ledger.ledger_figure import draw_ledger, save_ledger
from replication.ledger.metrics_rows import rows_table
from replication.ledger.report import (
    OF_A_CLAIM,
    SHOWN,
    Section,
    depends_on,
    link_numbers,
    read_sensitivity,
    render_report,
    summary_text,
)
from replication.ledger.verdict_marks import MARKS, PART_MARKS, PARTS
from replication.shared.tidy import Metrics, read_table, write_table

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "workflow" / "report" / "report.html.j2"
CHOICES = pd.DataFrame(
    [
        {"id": "CH-21", "paper": "tomo2025", "where it is set": "median_consensus.tolerance"},
        {"id": "CH-34", "paper": "tomo2025", "where it is set": "column space of mce_convergence/metrics.tsv"},
        {"id": "CH-99", "paper": "tomo2025", "where it is set": "toy_rgb"},
        {"id": "CH-01", "paper": "viswanath2012", "where it is set": "image_embedding.features"},
    ]
).assign(**dict.fromkeys(("detail left open", "default", "why", "alternatives"), "x"))
SENSITIVITY = {
    "MC-10": {
        "universes": 65, "holds": 0.8, "low": 0.69, "high": 0.88,
        "choice": "CH-21", "detail": "tolerance", "share": 0.31, "p": 0.004,
    }
}  # fmt: skip


class Page(HTMLParser):
    """Links, anchors and tags of a page, and what it says outside of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.tags, self.text, self.rows = [], [], [], "", {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.links += [attributes[name] for name in ("src", "href") if name in attributes]
        self.anchors += [attributes["id"]] if "id" in attributes else []
        if "data-verdict" in attributes and tag == "tr":
            self.rows[attributes["id"]] = attributes

    def handle_data(self, data):
        self.text += data if self.tags and self.tags[-1] not in ("script", "style") else ""


@pytest.fixture(scope="module")
def metrics():
    found = Metrics("mce_convergence", "digits", "original", ["space", "n_embeddings"])
    for m in (1, 10):
        for r in range(20):
            found.add("mce", "distance_to_reference", 100 / m + r, repetition=r, space="consensus", n_embeddings=m)
        found.add("mce", "picture_gap", 0.001 * m, space="picture", n_embeddings=m)
    return found.table()


@pytest.fixture(scope="module")
def ledger_and_rows(metrics):
    rows = {}
    ledger = judge_claims(read_claims(ROOT / "config" / "claims.tsv"), {"mce_convergence": metrics}, rows)
    return ledger, rows_table(rows, dict(zip(ledger["id"], ledger["experiment"], strict=True)))


@pytest.fixture
def render(tmp_path, metrics, ledger_and_rows):
    figure, picture = tmp_path / "figure.png", tmp_path / "ledger.png"
    save_ledger(draw_ledger(ledger_and_rows[0].head(3)), figure, picture)
    table = pd.DataFrame({"m": [1, 10], "distance to reference": [109.5, 19.5], "<b>": [0.12345, float("nan")]})
    long = pd.DataFrame({"k": range(SHOWN + 25), "word": "w"})

    def render(**changes):
        section = Section(
            "mce_convergence", "What it asks.", "original", "digits", paper="tomo2025", metrics=metrics,
            tables={"tables/numbers.tsv": table, "tables/long.tsv": long},
            figures={str(figure): "What it shows."}, seconds=12.0,
        )  # fmt: skip
        given = {"rows": ledger_and_rows[1], "picture": picture} | changes
        ledger = given.pop("ledger", ledger_and_rows[0])
        return render_report(TEMPLATE, "toy", ledger, [section], CHOICES, "run {experiment}", {"numpy": "2"}, **given)

    return render


def test_the_report_opens_offline_and_holds_every_claim(render, ledger_and_rows):
    page = Page(render())
    # Figures are inside; other links lead to anchors or to the results beside the page.
    assert "link" not in page.tags
    files = {link for link in page.links if not link.startswith(("data:image/png;base64,", "#"))}
    own = {"mce_convergence/metrics.tsv", "mce_convergence/tables/numbers.tsv", "mce_convergence/tables/long.tsv"}
    assert files == {"claims.tsv", "claim_rows.tsv", "manifest.json"} | own
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.anchors)
    assert len(page.anchors) == len(set(page.anchors))
    assert list(page.rows) == list(ledger_and_rows[0]["id"])
    assert "What it shows." in page.text
    assert "0.123" in page.text


def test_text_is_escaped(render, ledger_and_rows):
    ledger = ledger_and_rows[0].copy()
    ledger["measured"] = "<i>1</i> & 2"
    page = render(ledger=ledger)
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "<i>" not in page


def test_without_scripts_every_claim_is_shown_and_no_filter_is(render):
    page = render()
    assert re.search(r'<form class="filters" id="filters" hidden>', page)
    without = re.sub(r"<script>.*?</script>", "", page, flags=re.S)
    assert not re.search(r"<tr[^>]* hidden", without)
    assert "of experiments" not in without
    # Each of the filters finds what the rows carry.
    for name in ("paper", "verdict", "source"):
        options = set(re.findall(r'<option value="([^"]+)"', re.search(rf'name="{name}">(.*?)</select>', page)[1]))
        assert options == {row[f"data-{name}"] for row in Page(page).rows.values()} - {""}


def test_a_claim_leads_to_its_rows_and_these_to_their_lines(render, ledger_and_rows, metrics):
    page = Page(render())
    judged = ledger_and_rows[1].set_index("claim").loc["MC-10"]
    assert judged["rows"] == 2
    assert judged["lines"] == "22, 43"
    assert "#rows-MC-10" in page.links
    # The second and the last row of the file hold the gaps of the pictures.
    assert metrics["metric"].iloc[[20, 41]].tolist() == ["picture_gap"] * 2
    assert {"mce_convergence-L22", "mce_convergence-L43"} <= set(page.anchors)


def test_a_number_in_a_table_links_to_the_first_of_its_rows(render):
    page = render()
    assert re.search(r'href="#mce_convergence-L2" title="20 rows: lines 2-21">110</a>|>109.5</a>|>110</a>', page)
    assert re.search(r'href="#mce_convergence-L23" title="20 rows: lines 23-42">19.5</a>', page)
    # A table of which no number can be told leads to the file.
    assert re.search(r'long\.tsv</a> <span class="soft">\(numbers: <a href="mce_convergence/metrics.tsv">', page)


def test_only_some_rows_of_a_claim_are_on_the_page(render, ledger_and_rows):
    rows = ledger_and_rows[1].copy()
    rows.loc[rows["claim"] == "MC-10", ["rows", "lines"]] = [30, "2-31"]
    page = render(rows=rows)
    assert f"And {30 - OF_A_CLAIM} more" in page
    assert "judged on 30 rows" in page


def test_a_long_table_is_cut_and_the_rest_can_be_reached(render):
    page = render()
    assert f"All rows of tables/long.tsv: {SHOWN + 1} to {SHOWN + 25} of {SHOWN + 25}" in page
    assert page.count("<td>w</td>") == SHOWN + 25


def test_choices_of_the_paper_are_listed_but_for_those_of_other_experiments(render):
    page = render()
    start = page.index("choices that the paper leaves open")
    listed = page[start : page.index("</details>", start)]
    assert "CH-21" in listed
    assert "CH-34" in listed
    assert "CH-01" not in listed
    assert {"CH-01", "CH-21", "CH-34", "CH-99"} <= set(Page(page).anchors)


def test_what_a_verdict_depends_on_is_a_column_only_if_it_was_studied(render, tmp_path):
    assert "Depends on" not in render()
    page = render(sensitivity=SENSITIVITY)
    assert "Depends on" in page
    assert "<strong>80 %</strong> of 65 universes (95 % interval 69 to 88 %)" in page
    assert "(31 % of the variance of its score, p = 0.004)" in page
    assert "moved" not in depends_on({**SENSITIVITY["MC-10"], "choice": ""})


def test_the_table_of_the_multiverse_is_read(tmp_path):
    row = {"claim": "MC-10", "p (Holm)": 0.004, **{k: v for k, v in SENSITIVITY["MC-10"].items() if k != "p"}}
    write_table(pd.DataFrame([row]), tmp_path / "sensitivity.tsv")
    assert read_sensitivity([tmp_path / "sensitivity.tsv"]) == SENSITIVITY
    assert read_sensitivity([]) == {}


def test_numbers_in_words_link_and_names_do_not():
    text = str(link_numbers("k_means2 of CE-02: -0.5 (95 % interval 1.2e-05 to 3)", "rows-x"))
    assert re.findall(r">([^<]+)</a>", text) == ["-0.5", "95 %", "1.2e-05", "3"]
    assert re.sub(r"<[^>]+>", "", text) == "k_means2 of CE-02: -0.5 (95 % interval 1.2e-05 to 3)"
    assert "<a" not in str(link_numbers("5 of 6", ""))


def test_a_run_ends_with_a_line_a_claim_within_the_width(ledger_and_rows):
    ledger = ledger_and_rows[0]
    text = summary_text(ledger, "results/toy/report.html", "results/toy/manifest.json", width=100)
    *lines, verdicts, report, manifest = text.splitlines()
    assert verdicts.startswith("Verdicts: ")
    assert verdicts.endswith(f"(of {len(ledger)} claims)")
    assert report == "Report:   results/toy/report.html"
    assert manifest == "Manifest: results/toy/manifest.json"
    assert max(len(line) for line in lines) <= 100
    judged = ledger[~ledger["reason"].str.endswith(NOT_RUN)]
    assert len(judged) == 9  # of mce_convergence; MC-09 is of another experiment
    for claim in judged.itertuples():
        assert sum(f" {claim.id} " in line and f" {claim.verdict} " in line for line in lines) == 1
    assert sum("of experiments that were not run" in line for line in lines) == 5
    assert "Tomo and Yoneoka 2025, 16 claims: i 1, – 15" in lines


def test_the_picture_shows_each_claim_with_its_mark_and_is_the_same_file_each_time(tmp_path):
    # Every verdict and every word of a part, whatever the last study found.
    ledger = read_table(ROOT / "tests" / "regression" / "paper" / "claims.tsv")
    ledger["verdict"] = [list(MARKS)[k % len(MARKS)] for k in range(len(ledger))]
    for part in PARTS:
        ledger[part] = [["", *PART_MARKS][k % (1 + len(PART_MARKS))] for k in range(len(ledger))]
    figure = draw_ledger(ledger, {"MC-01": 0.5})
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert set(ledger["id"]) <= set(texts)
    for verdict, n in ledger["verdict"].value_counts().items():
        assert f"{n}  {verdict}" in texts
        assert MARKS[verdict].sign in texts
    width, height = figure.get_size_inches()
    assert width == 9
    assert height <= 7
    figure.draw_without_rendering()
    page = figure.bbox
    assert all(page.y0 <= end <= page.y1 for text in figure.axes[0].texts for end in text.get_window_extent().intervaly)
    plt.close(figure)
    for name in ("first", "second"):
        save_ledger(draw_ledger(ledger), tmp_path / f"{name}.png", tmp_path / f"{name}.svg")
    for suffix in ("png", "svg"):
        assert (tmp_path / f"first.{suffix}").read_bytes() == (tmp_path / f"second.{suffix}").read_bytes()


def test_verdicts_are_told_apart_without_colour():
    looks = {(mark.sign, mark.substitute) for mark in MARKS.values()}
    assert len(looks) == len(MARKS)


def test_an_unknown_verdict_is_refused(ledger_and_rows):
    ledger = ledger_and_rows[0].head(1).assign(verdict="maybe")
    with pytest.raises(ValueError, match="'maybe'"):
        draw_ledger(ledger)
