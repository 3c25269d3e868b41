"""The five words of a reader: every verdict has one, signs can be read, and counts leave measurements out."""

import re
from pathlib import Path

import pytest
from matplotlib.colors import to_rgb
from replication.claims.answers import (
    ANSWERS,
    MARKS,
    MEASUREMENT,
    ON_SUBSTITUTE,
    answer_to,
    count_answers,
    how_many,
    is_hollow,
    summary_line,
    with_choices,
    word_of,
)
from replication.claims.judging import SUBSTITUTE
from replication.shared.judgements import NOT_TESTABLE

PAGE = (Path(__file__).parents[2] / "docs" / "verdicts.md").read_text()


def contrast(one, other):
    """Of two colours, as WCAG defines it."""
    light, dark = sorted(map(luminance, (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(
    ("answer", "others", "after"),
    [
        ("holds", ["not reproduced"], "partly"),
        ("holds", ["no effect", "reproduced"], "partly"),
        ("holds", ["mixed", "in part", "inconclusive", "trivially true"], "holds"),
        ("does not hold on the substitute", ["inconclusive", "reproduced"], "partly on the substitute"),
        # Right by its direction, with nothing against it.
        ("does not hold", ["direction only"], "partly"),
        ("does not hold", ["in part"], "partly"),
        ("does not hold", ["mixed", "inconclusive", "not testable"], "does not hold"),
        ("does not hold", [], "does not hold"),
        ("undecided", ["reproduced", "not reproduced"], "partly"),
        ("undecided", ["not reproduced", "mixed"], "undecided"),
        ("partly", ["reproduced", "not reproduced"], "partly"),
    ],
)
def test_what_another_choice_turns_round_is_partly(answer, others, after):
    assert with_choices(answer, others) == after


@pytest.mark.parametrize(
    ("others", "after"),
    [
        ([], "nothing to test"),
        (["trivially true", "not testable"], "nothing to test"),
        (["reproduced", "inconclusive", "trivially true"], "holds"),
        (["reproduced", "mixed"], "partly"),
        (["reproduced", "not reproduced"], "partly"),
        (["no effect"], "does not hold"),
        (["inconclusive"], "undecided"),
    ],
)
def test_what_leaves_nothing_to_test_yields_to_choices_that_do(others, after):
    assert with_choices("nothing to test", others) == after
    assert with_choices("nothing to test on the substitute", others) == f"{after} on the substitute"
    assert with_choices("nothing to test", others, identity=True) == "nothing to test"


def test_every_verdict_has_a_word_and_every_word_a_mark():
    assert set(ANSWERS) == {*SUBSTITUTE, NOT_TESTABLE}
    assert set(ANSWERS.values()) == {*MARKS, MEASUREMENT}


@pytest.mark.parametrize("verdict", ANSWERS)
def test_an_answer_says_its_data_except_of_a_measurement(verdict):
    word = ANSWERS[verdict]
    assert answer_to(verdict, True) == word_of(answer_to(verdict, False)) == word
    assert not is_hollow(answer_to(verdict, True))
    assert is_hollow(answer_to(verdict, False)) == (word != MEASUREMENT)


def test_the_page_of_verdicts_has_the_same_words():
    table = re.findall(
        r"^\| (\S+) ([a-z ]+) \| ([a-z, ]+) \|$", PAGE.partition("## From a claim")[0], flags=re.MULTILINE
    )
    assert [(sign, word) for sign, word, _ in table] == [(mark.sign, word) for word, mark in MARKS.items()]
    listed = {verdict: word for _, word, verdicts in table for verdict in verdicts.split(", ")}
    assert listed == {verdict: word for verdict, word in ANSWERS.items() if word != MEASUREMENT}


def test_counts_leave_measurements_out_and_say_how_many_are_on_a_substitute():
    answers = ["partly", "holds", MEASUREMENT, "partly" + ON_SUBSTITUTE, "undecided" + ON_SUBSTITUTE, "partly"]
    assert count_answers(answers) == {"holds": (1, 0), "partly": (3, 1), "undecided": (1, 1)}
    assert list(count_answers(answers)) == ["holds", "partly", "undecided"]
    assert how_many(answers) == "5 claims and 1 measurement"
    assert summary_line(iter(answers)) == (
        "5 claims and 1 measurement: holds 1, partly 3 (1 on a substitute), undecided 1 (1)"
    )
    assert summary_line(["holds"]) == "1 claim: holds 1"
    assert summary_line([MEASUREMENT] * 2) == "2 measurements"


def test_signs_differ_and_their_colours_can_be_read():
    assert len({mark.sign for mark in MARKS.values()}) == len(MARKS)
    assert all(contrast(mark.colour, "white") >= 4.5 for mark in MARKS.values())
    assert all(contrast(mark.ink, mark.fill) >= 4.5 for mark in MARKS.values())
