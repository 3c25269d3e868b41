"""Functions that fill in the pages of results."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_ext"))

import committed_numbers
import result_tables
from committed_numbers import render
from replication.catalogue.papers import PAPERS
from replication.platform.declarations import Clause

CLAIMS = pd.DataFrame(
    {
        "id": ["AB-01", "AB-02"],
        "paper": ["one2000", "two2001"],
        "where": ["Table 1", "Fig. 2"],
        "experiment": ["first_one", "second"],
        "statement": ["x_1 < y | over 3 draws", "b"],
        "paper_value": ["0.5-0.7; 3 of 4", "0.1"],
        "margin": ["within 0.1", ""],
        "dataset": ["set", "set"],
        "source": ["original", "simulated"],
        "measured": ["lung: mean 0.62 (n = 5); breast: mean -0.4 (n = 10)", ""],
        "on_new_data": ["", ""],
        "measured_on_new_data": ["mean 0.3", ""],
        "reason": ["", "not run"],
        "verdict": ["mixed", "not testable"],
        "answer": ["partly", "nothing to test"],
        "other_choices": ["CH-03, otherwise: reproduced", ""],
        "decided_by": ["CH-03", ""],
    }
)
SCORES = pd.DataFrame(
    {"data set": ["lung", "lung", "breast"], "method": ["a", "b", "a"], "accuracy": ["0.825 ± 0.1", "0.5", "0.75"]}
)


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    """Committed tables `claims` and `scores` that are made up."""
    made_up = {"claims": CLAIMS, "scores": SCORES}
    for module in (committed_numbers, result_tables):
        monkeypatch.setattr(module, "committed", made_up.__getitem__)


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ('{{ num("scores", "accuracy", "lung", "a")|fixed(2) }}', "0.83"),
        ('{{ num("scores", "accuracy", "lung", method="b")|percent }}', "50"),
        ('{{ nums("scores", "accuracy", "a")|span(2) }}', "0.75 to 0.83"),
        ('{{ nums("scores", "accuracy", ["lung", "breast"])|mean|fixed(3) }}', "0.692"),
        ('{{ nums("scores", "accuracy", method="b")|span(1) }}', "0.5"),
        ("{{ -0.001|fixed(2) }}", "0.00"),
        ("{{ 0.125|signed(2) }} {{ -0.125|signed(2) }} {{ 0|signed(1) }}", "+0.13 -0.13 +0.0"),
        ('{{ measured("AB-01", "mean # (") }}', "0.62"),
        ('{{ measured("AB-01", "mean # (", 1) }}', "-0.4"),
        ('{{ measured("AB-01", "breast: ...n = #)") }}', "10"),
        ('{{ measured("AB-01", "mean #", column="measured_on_new_data") }}', "0.3"),
        ('{{ printed("AB-01") }} {{ printed("AB-01", 1) }} {{ printed("AB-01", 3) }}', "0.5 0.7 4"),
        ('{{ claim("AB-01", "x/") }}', "[AB-01](x/one2000.md#ab-01)"),
        ('{{ papers()|join(" ") }}', "one2000 two2001"),
        ('{{ config("mce_convergence.repetitions") }}', "5"),
    ],
)
def test_what_a_page_shows(template, shown):
    assert render(template) == shown


@pytest.mark.parametrize(
    ("template", "error"),
    [
        ('{{ num("scores", "accuracy", "lung") }}', "has 2 rows"),
        ('{{ num("scores", "accuracy", "liver") }}', "has no row"),
        ('{{ num("scores", "method", "lung", "a") }}', "is not a number"),
        ('{{ nums("scores", "auc", "lung") }}', "no column 'auc'"),
        ('{{ measured("AB-01", "median #") }}', "is not in"),
        ('{{ measured("AB-01", "mean # (", 2) }}', "is not in"),
        ('{{ claim("AB-03") }}', "has no row"),
        ('{{ config("mce_convergence.repetition") }}', "has no mce_convergence.repetition"),
    ],
)
def test_a_number_that_is_not_there_is_an_error(template, error):
    with pytest.raises(ValueError, match=error):
        render(template)


def test_the_table_of_verdicts_has_an_anchor_and_what_was_measured():
    head, rule, row = result_tables.verdict_table("one2000").splitlines()
    assert head.count("|") == rule.count("|") == row.replace(r"\|", "").count("|") == 3
    assert '<span id="ab-01"></span>**AB-01**<br>partly' in row
    assert "<b>Verdict</b>: mixed" in row
    assert r"x\_1 &lt; y \| over 3 draws" in row
    assert "<b>Measured</b>: lung: mean 0.62" in row
    assert "<b>With other choices</b>: [CH-03](../choices.md#ch-03), otherwise" in row
    assert "<b>Data</b>: set (the paper's data)" in row
    assert "Reason" not in row


def test_the_ledger_has_a_row_for_each_claim(monkeypatch):
    papers = {name: SimpleNamespace(short_title=name.upper()) for name in CLAIMS["paper"]}
    monkeypatch.setattr(result_tables, "PAPERS", papers)
    head, _, *lines = result_tables.ledger_table().splitlines()
    rows = [dict(zip(head.split(" | "), line.split(" | "), strict=True)) for line in lines]
    assert [row["verdict"] for row in rows] == ["mixed", "not testable"]
    assert [re.sub("<.*?>", "", row["answer"]) for row in rows] == ["◐ partly", "– nothing to test"]
    assert [row["data"] for row in rows] == ["the paper's", "the paper's"]
    assert rows[0]["paper"] == "[ONE2000](results/one2000.md)"
    assert rows[0]["decided by"] == "[CH-03](choices.md#ch-03)"
    assert "rows/first_one.tsv.gz" in lines[0]


def test_a_table_is_shown_with_names_and_decimals():
    shown = result_tables.show("scores", {"method": "m", "accuracy": "AUC"}, 1, **{"data set": "lung"})
    assert shown.splitlines() == ["| m | AUC |", "| --- | --- |", "| a | 0.825 ± 0.1 |", "| b | 0.5 |"]
    assert len(result_tables.show(["scores", "scores"]).splitlines()) == 8


def test_p_values_have_two_digits_and_columns_may_stay_as_committed(monkeypatch):
    scores = pd.DataFrame({"method": ["a", "b"], "used": ["32.1", "85"], "equivalence p value": ["4.8871e-17", ""]})
    monkeypatch.setattr(committed_numbers, "committed", {"scores": scores}.__getitem__)
    shown = result_tables.show("scores", decimals=3, as_committed=["used"]).splitlines()
    assert shown[2:] == ["| a | 32.1 | 4.9e-17 |", "| b | 85 |  |"]


def test_a_page_has_the_caption_of_the_report():
    caption = result_tables.EXPERIMENTS["mce_convergence"].figures["distances"].caption
    assert render('{{ caption("mce_convergence", "distances") }}') == result_tables._cell(caption)


def test_a_paper_has_the_question_of_the_report(monkeypatch, tmp_path):
    monkeypatch.setattr(result_tables, "TEMPLATES", tmp_path)
    (tmp_path / "tomo2025.md").write_text("# Tomo 2025\n\ntext\n")
    assert result_tables.title("tomo2025") == "Tomo 2025"
    assert result_tables.question("tomo2025") == PAPERS["tomo2025"].answer.question


def test_an_answer_links_the_rows_behind_it(monkeypatch):
    clause = Clause("it does", "holds", ("A-1", "A-1 with CH-03"), unless=Clause("but not both", "partly", ("A-2",)))
    paper = SimpleNamespace(answer=SimpleNamespace(sentences=((clause,),)))
    monkeypatch.setattr(result_tables, "PAPERS", {"p": paper})
    monkeypatch.setattr(result_tables, "claim", "<{}>".format)
    assert result_tables.answer("p") == "**It does** (<A-1>, <A-1> with CH-03), **but not both** (<A-2>)."
    assert result_tables.answer("p", cited=False) == "**It does**, **but not both**."
