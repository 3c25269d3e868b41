"""The report is one page that needs nothing else, says all of it without scripts, and leads back to the numbers."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import yaml
from replication.catalogue.experiments import EXPERIMENTS
from replication.catalogue.papers import PAPERS
from replication.claims.answers import (
    MARKS,
    MEASUREMENT,
    ON_SUBSTITUTE,
    count_answers,
    counted,
    counts_line,
    how_many,
    is_hollow,
    word_of,
)
from replication.claims.clauses import answer_parts, short_answers
from replication.claims.judging import judge_claims, read_claims
from replication.claims.metrics_rows import rows_table
from replication.report.ledger_figure import draw_ledger, draw_sign, save_ledger
from replication.report.page import read_sensitivity, render_report
from replication.report.sections import section_of
from replication.report.summary import summary_text
from replication.report.text import depends_on, link_numbers, link_terms, measured_words, slug
from replication.report.views import CELLS, Section, shown_rows
from replication.shared.tidy import Metrics, read_table, write_table

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "workflow" / "report" / "report.html.j2"
GLOSSARY = yaml.safe_load((ROOT / "workflow" / "report" / "glossary.yaml").read_text())
COMMITTED = read_table(ROOT / "resources" / "paper" / "claims.tsv")
SIGNS = " ".join(["", *(mark.sign for mark in MARKS.values())])
LONG = CELLS // 2 + 25
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
        "claim": "MC-10", "choice": "CH-21", "detail": "tolerance", "share": 0.31, "p (Holm)": 0.004,
    }
}  # fmt: skip


class Page(HTMLParser):
    """Links, anchors and tags of a page, and what it says outside of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.links, self.states, self.anchors, self.tags, self.text = [], [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.links += [attributes[name] for name in ("src", "href") if name in attributes]
        self.states += [attributes["data-state"]] if "data-state" in attributes else []
        self.anchors += [attributes["id"]] if "id" in attributes else []

    def handle_data(self, data):
        self.text += data if self.tags and self.tags[-1] not in ("script", "style") else ""


def claims_of(page):
    """Id of a claim -> the heading of each column of the ledger and what its cell says."""
    table = re.search(r'class="ledger".*?<table>(.*?)</table>', page, re.S)[1]
    rows = [re.split(r"<t[hd]\b[^>]*>", row)[1:] for row in table.split("<tr>")[1:]]
    head, *rows = [[Page(f"<p>{cell}").text.strip() for cell in row] for row in rows]
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows}


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
    ledger = judge_claims(read_claims(), {"mce_convergence": metrics}, rows)
    return ledger, rows_table(rows, dict(zip(ledger["id"], ledger["experiment"], strict=True)))


@pytest.fixture
def render(tmp_path, metrics, ledger_and_rows):
    figure = tmp_path / "figure.png"
    save_ledger(draw_ledger(ledger_and_rows[0].head(3)), figure)
    table = pd.DataFrame({"m": [1, 10], "distance to reference": [109.5, 19.5], "<b>": [0.12345, float("nan")]})
    long = pd.DataFrame({"k": range(LONG), "word": "w"})

    def render(metrics=metrics, **changes):
        section = Section(
            "mce_convergence", "Does it settle?", "What MCE asks.", "original", "digits", paper="tomo2025",
            metrics=metrics,
            tables={"tables/numbers.tsv": table, "tables/long.tsv": long},
            figures={str(figure): "What it shows."}, seconds=12.0,
        )  # fmt: skip
        given = {"rows": ledger_and_rows[1], "glossary": GLOSSARY} | changes
        ledger = given.pop("ledger", ledger_and_rows[0])
        return render_report(TEMPLATE, "toy", ledger, [section], CHOICES, "run {experiment}", {"numpy": "2"}, **given)

    return render


def test_the_report_opens_offline_and_holds_every_claim(render, ledger_and_rows):
    page = Page(render())
    # Figures are inside; other links lead to anchors or to the results in the folder of the page.
    assert "link" not in page.tags
    files = {link for link in page.links if not link.startswith(("data:image/png;base64,", "#"))}
    own = {"metrics.tsv", "tables/numbers.tsv", "tables/long.tsv", "figures/figure.png"}
    assert files == {"claims.tsv", "claim_rows.tsv", "manifest.json"} | {f"mce_convergence/{name}" for name in own}
    linked = {link[1:] for link in page.links if link.startswith("#")}
    assert linked <= set(page.anchors)
    # What a script makes of links to the verdicts.
    assert set(page.states) == {f"answer={quote(word)}" for word in count_answers(ledger_and_rows[0]["answer"])}
    assert len(page.anchors) == len(set(page.anchors))
    assert list(claims_of(render())) == list(ledger_and_rows[0]["id"])
    assert "What it shows." in page.text
    assert "Does it settle?" in page.text
    assert "0.123" in page.text


def test_text_is_escaped(render, ledger_and_rows):
    ledger = ledger_and_rows[0].copy()
    ledger["measured"] = "<i>1</i> & 2 \x1b[31m \u202e"
    page = render(ledger=ledger)
    assert "\\x1b[31m \\u202e" in page
    assert not {"\x1b", "\u202e"} & set(page)
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "<i>" not in page


def test_without_scripts_every_claim_is_shown_and_no_filter_is(render):
    page = render()
    without = re.sub(r"<script>.*?</script>", "", page, flags=re.S)
    assert not re.search(r"<[^>]* hidden>", without)
    assert "rows shown" not in without
    filters = re.search(r'data-filter="([^"]+)"', page)[1].split(",")
    (columns,) = {tuple(claim) for claim in claims_of(page).values()}
    assert set(filters) - set(columns) == {"at quick sizes"}


def test_the_ledger_says_on_whose_data_a_claim_was_judged(render):
    claims = claims_of(render(ledger=COMMITTED))
    for row in COMMITTED.itertuples():
        expected = "a substitute" if row.answer.endswith(ON_SUBSTITUTE) else "the paper's"
        assert claims[row.id]["data"] == ("" if row.answer == MEASUREMENT else expected)
        assert claims[row.id]["verdict"] == row.verdict


def test_the_quick_study_shows_both_answers_to_a_claim_and_counts_those_of_the_paper_scale(render, ledger_and_rows):
    committed = COMMITTED.set_index("id")["answer"].map(word_of)
    page = render(paper_scale=COMMITTED)
    claims = claims_of(page)
    quick = ledger_and_rows[0].set_index("id")["answer"].map(word_of)
    for column, answers in (("answer", committed), ("at quick sizes", quick)):
        assert {name: claim[column].lstrip(SIGNS) for name, claim in claims.items()} == answers.to_dict()
    top = Page(page[: page.index('id="ledger"')]).text
    counts = " ".join(top[top.index(how_many(counted(COMMITTED))) :].split())
    for word, (n, hollow) in count_answers(counted(COMMITTED)).items():
        assert re.search(rf"{word} {n}(?: \({hollow} |(?! \())", counts)
    # Another study shows its own.
    own = render()
    assert "paper scale" not in Page(own[: own.index("<script>")]).text
    assert not any("at quick sizes" in claim for claim in claims_of(own).values())


@pytest.fixture(scope="module")
def own_claims(ledger_and_rows):
    """Claims of a user about papers whose names have no letters from a to z."""
    return ledger_and_rows[0].iloc[:2].assign(id=["MY-01", "MY-02"], paper=["論文", "研究"], reading_of="")


def test_claims_of_the_user_are_not_among_those_at_paper_scale(render, ledger_and_rows, own_claims):
    ledger = pd.concat([ledger_and_rows[0], own_claims])
    page = render(ledger=ledger, paper_scale=COMMITTED)
    assert f"<strong>{how_many(counted(COMMITTED))} at paper scale:</strong>" in page
    assert 'class="cell' in page
    assert not re.search('class="cell[^>]*#MY-', page)
    claims = claims_of(page)
    for row in own_claims.itertuples():
        shown = {name: claims[row.id][name].lstrip(SIGNS) for name in ("answer", "at quick sizes", "data", "verdict")}
        quick = word_of(row.answer)
        assert shown == {"answer": "not at paper scale", "at quick sizes": quick, "data": "", "verdict": ""}
    text = summary_text(ledger, "report.html", "manifest.json", COMMITTED)
    assert f"\n{how_many(counted(COMMITTED))}." in text
    assert "論文" not in text
    # With none but these nothing is at paper scale.
    alone = render(ledger=own_claims, paper_scale=COMMITTED)
    assert "paper scale" not in Page(alone[: alone.index("<script>")]).text
    assert "paper scale" not in summary_text(own_claims, "report.html", "manifest.json", COMMITTED)


def test_claims_of_the_user_have_cells_of_their_own_and_are_of_no_paper(render, ledger_and_rows, own_claims):
    text = render(ledger=pd.concat([ledger_and_rows[0], own_claims]))
    page = Page(text)
    assert len(page.anchors) == len(set(page.anchors))
    assert len(re.findall('class="cell[^>]*#MY-', text)) == 2
    assert f"{len(PAPERS)} papers on stable low-dimensional embeddings" in page.text


@pytest.mark.parametrize(
    ("where", "printed", "margin", "shown"),
    [
        ("Fig. 1", "0.5", "above 0", "Fig. 1: 0.5. Rule: above 0."),
        ("Sec. 6", "", "", "Sec. 6."),
        ("", "", "above 0 & sure", "Rule: above 0 &amp; sure."),
        ("", "", "", None),
    ],
)
def test_a_claim_shows_what_it_has_of_its_place_number_and_rule(render, own_claims, where, printed, margin, shown):
    page = render(ledger=own_claims.head(1).assign(where=where, paper_value=printed, margin=margin))
    assert re.findall("<dt>The claim</dt><dd>(.*?)</dd>", page) == ([shown] if shown else [])


@pytest.mark.parametrize("measured", ["", "a difference"])
def test_a_claim_gives_its_reason_whether_or_not_something_was_measured(render, own_claims, measured):
    page = render(ledger=own_claims.head(1).assign(measured=measured, reason="about 9 units would decide"))
    assert page.count("about 9 units would decide") == 1


def test_one_row_is_not_called_rows(render, own_claims, metrics):
    page = render(ledger=own_claims.head(1), metrics=metrics.head(1), rows=None)
    assert page.count(" 1 row") == 2
    assert " 1 rows" not in page


def test_claims_of_no_paper_name_their_data_and_where_their_margins_are(render, ledger_and_rows, own_claims):
    of_paper = ledger_and_rows[0]
    for ledger, papers, own in ((of_paper, True, False), (own_claims, False, True)):
        page = render(ledger=ledger)
        assert ("<dt>The paper</dt>" in page) == ("papers/*/claims.yaml" in page) == ("rule_log.md" in page) == papers
        assert ("of the configuration names" in page) == own
    judged = own_claims.assign(dataset="mine", source="own", answer="holds")
    both = render(ledger=pd.concat([of_paper, judged]))
    assert "The margins of the papers" in both
    assert "The margins of other claims" in both
    assert {claims_of(both)[name]["data"] for name in judged["id"]} == {"mine (own)"}


@pytest.mark.slow
def test_a_clause_of_an_answer_is_shown_with_links_where_its_rows_carry_it(render):
    answer = PAPERS["tomo2025"].answer
    first, *_, last = answer_parts(answer)
    assert answer.question in render()
    assert first.text not in render()
    shown = render(paper_scale=COMMITTED)
    for part in (first, last):
        links = ", ".join(f'<a href="#{row.split()[0]}">{row}</a>' for row in part.rows)
        text = f"<strong>{part.text}</strong>" if part.main else part.text
        assert f'{text} <span class="soft">({links})</span>{part.after.strip()}' in shown
    short = short_answers(answer, COMMITTED.set_index("id", drop=False).T.to_dict())
    line = r'<span class="hidden">([a-z ]+): </span></span> <span>([^<]+): <strong>([a-z]+)</strong></span></li>'
    assert set(short) <= set(re.findall(line, shown))
    contradicted = COMMITTED.copy()
    contradicted.loc[contradicted["id"] == first.rows[0], "verdict"] = "mixed"
    shown = render(paper_scale=contradicted)
    assert first.text not in shown
    assert short[0][1] not in [words for _, words, _ in re.findall(line, shown)]
    assert last.text in shown


def test_a_study_may_have_the_name_of_one_of_its_experiments(tmp_path):
    study, metrics = tmp_path / "results/gene_expression", Metrics("gene_expression", "lung", "planted", [])
    metrics.add("PCA", "accuracy", 1.0)
    made = {"gene_expression": ["accuracy", "views"], "gene_calibration": ["calibration"]}
    for name in made:
        write_table(metrics.table(), study / name / "metrics.tsv")
        write_table(metrics.table(), study / name / "tables/shown.tsv")
    figures = [str(study / name / f"figures/{stem}.png") for name, stems in made.items() for stem in stems]
    tables = [str(study / name / "tables/shown.tsv") for name in made]
    for name, stems in made.items():
        section = section_of(name, str(study / name / "metrics.tsv"), figures, tables, None)
        assert [Path(path).stem for path in section.figures] == stems
        assert list(section.tables) == ["tables/shown.tsv"]


def test_the_pictures_of_the_answers_exist():
    for answer in (declared.answer for declared in PAPERS.values()):
        assert (ROOT / answer.paper_scale).is_file()
        experiment, _, file = answer.figure.split("/")
        assert file.removesuffix(".png") in EXPERIMENTS[experiment].figures


def test_abbreviations_lead_to_the_glossary_once_in_a_text(render):
    page = Page(render())
    assert {"#term-mce"} <= set(page.links)
    linked = str(link_terms("GE of MDS, not GEO; GE again & <i>", GLOSSARY))
    assert re.findall(r'href="#([^"]+)"', linked) == ["term-ge", "term-mds"]
    assert re.sub(r"<[^>]+>", "", linked) == "GE of MDS, not GEO; GE again &amp; &lt;i&gt;"
    assert str(link_terms("OSE-SSL", GLOSSARY)).count("<a") == 1
    assert str(link_terms("a < b", [])) == "a &lt; b"


def test_a_claim_leads_to_its_rows_and_these_to_their_lines(render, ledger_and_rows, metrics):
    page = Page(render())
    judged = ledger_and_rows[1].set_index("claim").loc["MC-10"]
    assert judged["rows"] == 2
    assert judged["lines"] == "22, 43"
    assert "#rows-MC-10" in page.links
    # The second and the last row of the file hold the gaps of the pictures.
    assert metrics["metric"].iloc[[20, 41]].tolist() == ["picture_gap"] * 2
    assert {"mce_convergence-L22", "mce_convergence-L43"} <= set(page.anchors)


def test_rows_that_claims_share_are_on_the_page_once(render, ledger_and_rows):
    rows = pd.DataFrame(
        {"claim": ["MC-01", "MC-10"], "experiment": "mce_convergence", "rows": [3, 3], "lines": ["2-4", "2-4"]}
    )
    page = render(rows=rows)
    assert page.count('id="mce_convergence-L3"') == 1
    assert "The same as for other claims: lines" in page


def test_a_long_table_is_cut_and_the_rest_can_be_reached(render):
    page = render()
    assert f"Table: Long, {LONG} rows" in page
    assert f'">mce_convergence/tables/long.tsv</a>; this page shows {CELLS // 2} of its {LONG} rows' in page
    assert page.count("<td>w<") == CELLS // 2


def test_a_table_that_is_cut_keeps_the_first_rows_of_each_group():
    most = CELLS // 2
    table = pd.DataFrame({"data set": ["a"] * 3 + ["b"] * LONG + ["c"] * LONG, "value": range(3 + 2 * LONG)})
    shown = shown_rows(table)
    each = (most - 3) // 2
    assert shown["data set"].value_counts().to_dict() == {"a": 3, "b": each, "c": each}
    assert shown["value"].tolist() == [*range(3), *range(3, 3 + each), *range(3 + LONG, 3 + LONG + each)]
    distinct = pd.DataFrame({"row": range(LONG), "value": 0})
    assert shown_rows(distinct)["row"].tolist() == list(range(most))
    pd.testing.assert_frame_equal(shown_rows(table.head(most)), table.head(most))


def test_what_a_verdict_depends_on_is_a_column_only_if_it_was_studied(render):
    assert "Depends on" not in render()
    page = render(sensitivity=SENSITIVITY)
    assert "Depends on" in page
    assert re.search("80 %.* of 65 universes .*69 to 88 %.*31 % .*p = 0.004", page, re.S)
    assert "31 %" not in depends_on({**SENSITIVITY["MC-10"], "choice": ""})


def test_the_table_of_the_multiverse_is_read(tmp_path):
    write_table(pd.DataFrame(SENSITIVITY.values()), tmp_path / "sensitivity.tsv")
    assert read_sensitivity([tmp_path / "sensitivity.tsv"]) == SENSITIVITY
    assert read_sensitivity([]) == {}


def test_numbers_in_words_link_and_names_do_not():
    text = str(link_numbers("k_means2 of CE-02: -0.5 (95 % interval 1.2e-05 to 3)", "rows-x"))
    assert re.findall(r">([^<]+)</a>", text) == ["-0.5", "95 %", "1.2e-05", "3"]
    assert re.sub(r"<[^>]+>", "", text) == "k_means2 of CE-02: -0.5 (95 % interval 1.2e-05 to 3)"
    assert "<a" not in str(link_numbers("5 of 6", ""))


def test_no_name_of_the_metrics_is_left_in_what_was_measured():
    for text in [*COMMITTED["measured"], *COMMITTED["measured_on_new_data"]]:
        assert not re.search("[a-z]_[a-z]", measured_words(text)), text


@pytest.mark.slow
def test_the_picture_shows_each_claim_with_its_sign_and_is_the_same_file_each_time(tmp_path):
    # Every answer, whatever the last study found; readings of a claim have no cell of their own.
    ledger = COMMITTED[COMMITTED["reading_of"] == ""].copy()
    answers = [MEASUREMENT, *MARKS, *(word + ON_SUBSTITUTE for word in MARKS)]
    ledger["answer"] = [answers[k % len(answers)] for k in range(len(ledger))]
    figure = draw_ledger(ledger, {"MC-01": 0.5})
    texts = [text.get_text() for text in figure.axes[0].texts]
    is_claim = ledger["answer"] != MEASUREMENT
    shown = {text.replace("\n", "") for text in texts}
    assert set(ledger.loc[is_claim, "id"]) <= shown
    assert not set(ledger.loc[~is_claim, "id"]) & shown
    for answer, n in ledger.loc[is_claim, "answer"].value_counts().items():
        assert f"{n}  {word_of(answer)}" in texts
    for word, (n, _) in count_answers(ledger["answer"]).items():
        # A sign in each cell, and two in the legend.
        assert texts.count(MARKS[word].sign) == n + 2
    for drawn in (figure, draw_ledger(ledger)):
        width, height = drawn.get_size_inches()
        assert width == 9
        assert height <= 7
        drawn.draw_without_rendering()
        inside = drawn.bbox.intervaly
        shown = [*drawn.axes[0].texts, *drawn.axes[0].patches]
        assert all(inside[0] <= end <= inside[1] for one in shown for end in one.get_window_extent().intervaly)
        plt.close(drawn)
    for name in ("first", "second"):
        save_ledger(draw_ledger(ledger), tmp_path / f"{name}.png", tmp_path / f"{name}.svg")
    for suffix in ("png", "svg"):
        assert (tmp_path / f"first.{suffix}").read_bytes() == (tmp_path / f"second.{suffix}").read_bytes()


@pytest.mark.parametrize(
    ("paper", "shown"),
    [
        ("Kobak & Berens, The art of t-SNE", "Kobak & Berens, The art of\nt-SNE"),
        (
            "A long name of a paper on embeddings of single-cell data",
            "A long name of a paper on\nembeddings of single-cell…",
        ),
    ],
)
def test_the_name_of_a_paper_of_the_user_ends_before_its_cells(own_claims, paper, shown):
    figure = draw_ledger(own_claims.assign(paper=paper, answer="holds"))
    figure.draw_without_rendering()
    axes = figure.axes[0]
    name = axes.texts[0]
    assert name.get_text() == f"{shown}\n2 claims"
    assert name.get_window_extent().x1 <= axes.patches[0].get_window_extent().x0
    plt.close(figure)


@pytest.mark.parametrize("answer", [*MARKS, *(word + ON_SUBSTITUTE for word in MARKS)])
def test_the_sign_of_an_answer_is_that_of_the_ledger_and_committed(answer):
    sign = draw_sign(answer)
    assert [text.get_text() for text in sign.axes[0].texts] == [MARKS[word_of(answer)].sign]
    assert len(sign.axes[0].patches) == 1 + is_hollow(answer)
    plt.close(sign)
    assert (ROOT / "resources" / "signs" / f"{slug(answer)}.svg").is_file()


def test_the_quick_study_ends_with_the_answers_at_paper_scale_and_the_counts_of_its_own(ledger_and_rows):
    own = counted(ledger_and_rows[0])
    text = summary_text(ledger_and_rows[0], "report.html", "manifest.json", COMMITTED)
    for paper, start in [("tomo2025", "Tomo and Yoneoka 2025"), (None, "All")]:
        (row,) = [line.removeprefix(start) for line in text.splitlines() if line.startswith(start)]
        counts = count_answers(counted(COMMITTED[COMMITTED["paper"].eq(paper) | (paper is None)]))
        assert re.findall(r"\d+(?: \(\d+\))?", row) == [f"{n} ({k})" if k else str(n) for n, k in counts.values()]
    assert how_many(counted(COMMITTED)) in text
    assert counts_line(own) in text


def test_claims_of_experiments_that_were_not_run_are_counted_as_all_are(ledger_and_rows):
    ledger = ledger_and_rows[0].assign(reason="the experiment was not run in this study")
    text = summary_text(ledger, "report.html", "manifest.json")
    assert f"Of these, {how_many(counted(ledger))} are of experiments that were not run" in text


def test_a_run_ends_with_the_users_own_claims_and_what_came_of_them(ledger_and_rows):
    ledger = ledger_and_rows[0]
    own = {"id": ["MY-01", "MY-02"], "answer": ["holds", "nothing to test"]}
    own |= {"measured": ["0.9 against 0.8", ""], "reason": ["", "no value of consens in this study"]}
    text = summary_text(pd.concat([ledger, ledger.iloc[:2].assign(**own)]), "report.html", "manifest.json")
    assert "  MY-01: holds; 0.9 against 0.8\n  MY-02: nothing to test; no value of consens in this study\n" in text
    assert "MY-" not in summary_text(ledger, "report.html", "manifest.json")
