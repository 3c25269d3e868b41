"""A clause of an answer is shown where its rows carry it; the committed ledger carries all of them."""

from dataclasses import replace
from pathlib import Path

import pytest
from replication.catalogue.papers import PAPERS
from replication.claims.clauses import WORDS, answer_parts, answer_text, is_carried, short_answers, words_of
from replication.claims.judging import NOT_RUN, SUBSTITUTE
from replication.platform.declarations import Answer, Clause
from replication.shared.judgements import CONTEXT, NOT_TESTABLE
from replication.shared.tidy import read_table

COMMITTED = {
    row["id"]: row
    for row in read_table(Path(__file__).parents[2] / "resources" / "paper" / "claims.tsv").to_dict("records")
}
LEDGER = {
    "A-1": {"verdict": "reproduced", "reason": "", "on_new_data": "inconclusive", "other_choices": ""},
    "A-2": {
        "verdict": "mixed on the substitute",
        "answer": "partly on the substitute",
        "reason": "",
        "on_new_data": "",
        "other_choices": "CH-03, 16: 4: not reproduced; CH-03, 32: does not hold on the substitute; CH-09, x: mixed",
    },
    "A-3": {
        "verdict": "not testable",
        "reason": f"the experiment x {NOT_RUN}",
        "on_new_data": "not testable",
        "other_choices": "",
    },
    "A-4": {"verdict": "not testable", "reason": "a baseline is out of reach", "on_new_data": "", "other_choices": ""},
}
HOLDS, CONTROL = Clause("one", "holds", ("A-1",)), Clause("but not two", "does not hold", ("A-2 with CH-03",))


@pytest.mark.parametrize("paper", PAPERS)
def test_the_committed_ledger_carries_every_clause(paper):
    clauses = [clause for sentence in PAPERS[paper].answer.sentences for clause in sentence]
    for clause in [*clauses, *(clause.unless for clause in clauses if clause.unless)]:
        assert {row: words_of(row, COMMITTED) for row in clause.rows} == {row: {clause.word} for row in clause.rows}
        assert {COMMITTED[row.split()[0]]["paper"] for row in clause.rows} == {paper}


def test_every_judged_verdict_has_a_word():
    assert {*SUBSTITUTE, *SUBSTITUTE.values(), NOT_TESTABLE} - {CONTEXT} <= set(WORDS)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("A-1", {"holds"}),
        ("A-1 on new data", {"undecided"}),
        ("A-2", {"partly"}),
        ("A-2 over all choices", {"partly"}),
        ("A-2 with CH-03", {"does not hold"}),
        ("A-2 with CH-09", {"partly"}),
        ("A-2 with CH-99", set()),
        ("A-3", set()),
        ("A-3 on new data", set()),
        ("A-4", {"nothing to test"}),
        ("A-5", set()),
    ],
)
def test_a_row_says_one_word_or_none(row, words):
    assert words_of(row, LEDGER) == words


def test_a_clause_is_left_out_with_its_rows_or_its_control():
    overturned = LEDGER | {"A-2": LEDGER["A-2"] | {"other_choices": "CH-03, 16: reproduced; CH-03, 32: not reproduced"}}
    clause = Clause("one", "holds", ("A-1",), unless=CONTROL)
    assert is_carried(clause, LEDGER)
    assert not is_carried(clause, overturned)
    assert not is_carried(clause, {"A-1": LEDGER["A-1"]})
    assert not is_carried(Clause("one", "holds", ("A-1", "A-2")), LEDGER)


def test_clauses_make_sentences():
    not_run = Clause("three", "nothing to test", ("A-3",))
    controlled = Clause("four", "nothing to test", ("A-4",), unless=CONTROL)
    answer = Answer("it", "Why?", ((HOLDS, not_run, controlled), (not_run,), (HOLDS,)), "", "")
    shown = answer_text(answer_parts(answer, LEDGER), str.lower)
    assert shown == "**One** (a-1); four (a-4), but not two (a-2 with ch-03). One (a-1)."
    # The main point is the first clause, with what could overturn it.
    overturned = Answer("it", "Why?", ((controlled, HOLDS),), "", "")
    shown = answer_text(answer_parts(overturned, LEDGER), str)
    assert shown == "**Four** (A-4), **but not two** (A-2 with CH-03); one (A-1)."
    assert answer_text(answer_parts(answer)).endswith("Three. One.")


@pytest.mark.parametrize("paper", PAPERS)
def test_what_could_overturn_a_short_answer_has_one_too(paper):
    clauses = [clause for sentence in PAPERS[paper].answer.sentences for clause in sentence]
    assert all(bool(clause.short) == bool(clause.unless.short) for clause in clauses if clause.unless)


def test_a_short_answer_is_hollow_where_a_row_is_on_a_substitute_and_left_out_where_its_clause_is():
    answers = {"A-1": "holds", "A-2": "partly on the substitute", "A-3": "nothing to test", "A-4": "nothing to test"}
    ledger = {name: row | {"answer": answers[name]} for name, row in LEDGER.items()}
    control = replace(CONTROL, short="c")
    said, not_carried = replace(HOLDS, unless=control, short="h"), Clause("", "undecided", ("A-1",), short="u")
    answer = Answer("it", "Why?", ((HOLDS, said), (not_carried,)), "", "")
    assert short_answers(answer, ledger) == [("holds", "h", "yes"), ("does not hold on the substitute", "c", "no")]
