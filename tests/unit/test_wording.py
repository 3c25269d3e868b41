"""Numbers become words in one place: each named format, what a template may hold, and that judges only compute."""

import ast
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from replication.shared.comparison_judges import judge_units
from replication.shared.wording import FORMATS, paragraphs, phrase, sentences, words

REPLICATION = Path(__file__).parents[2] / "workflow" / "replication"
SPEAKING = sorted(path for kind in ("judges", "cells") for path in REPLICATION.rglob(f"*_{kind}.py"))
NAN, INF = float("nan"), float("inf")


def say(form, value):
    return words(phrase(f"{{value:{form}}}", value=value))


@pytest.mark.parametrize(
    ("form", "cases"),
    [
        ("value", {0.12345: "0.123", 2: "2.000", -0.0004: "-0.000", NAN: "nan", -INF: "-inf"}),
        ("value 1", {0.25: "0.2", 0.96: "1.0"}),
        ("difference", {0.1: "+0.100", 0.0: "+0.000", 0.0004: "+0.000", -0.0004: "-0.000", NAN: "+nan", INF: "+inf"}),
        ("difference 2", {-0.125: "-0.12"}),
        ("count", {12.5: "12", 13.5: "14", 0.4: "0", NAN: "nan", INF: "inf"}),
        ("p", {0.0499: "0.05", 0.04: "0.04", 3.24e-17: "3.2e-17", 0.0: "0", 1.0: "1", NAN: "nan"}),
        ("slope", {0.0123: "+0.012", -3e-7: "-3e-07", 0.0: "+0", NAN: "+nan"}),
        ("slope 3", {0.012345: "+0.0123"}),
        ("setting", {40.0: "40", 0.15: "0.15", 1e6: "1e+06", INF: "inf"}),
        ("size 3", {0.0123456: "0.0123", 1234.0: "1.23e+03", 0.0: "0", NAN: "nan"}),
        ("size", {0.996: "1"}),
        ("percent", {1.0: "100%", 0.996: "100%", 0.004: "0%", -0.004: "-0%", 1.5: "150%", NAN: "nan%"}),
        ("percent 1", {0.9996: "100.0%", 0.999: "99.9%"}),
        ("share", {1.0: "100 %", 0.8: "80 %", 1 / 3: "33.3 %", 0.0: "0 %", NAN: "nan %"}),
        ("points", {0.8412: "84.1", 1.0: "100.0", -0.0004: "-0.0", NAN: "nan"}),
        ("point_difference", {0.014: "+1.4", -0.0004: "-0.0", NAN: "+nan", INF: "+inf"}),
        ("number", {0.12345: "0.123", 12.0: "12", 1234.5: "1234", NAN: ""}),
    ],
)
def test_a_named_format(form, cases):
    for value, expected in cases.items():
        assert say(form, value) == expected
        assert say(form, np.float64(value)) == expected


def test_every_format_is_tested():
    marks = test_a_named_format.pytestmark[0].args[1]
    assert {form.split()[0] for form, _ in marks} == {*FORMATS, "number"}


def test_an_interval_gives_both_ends_and_a_span_one_where_they_read_alike():
    assert say("interval value", (0.1, 0.10004)) == "0.100 to 0.100"
    assert say("span value", [0.1, 0.10004]) == "0.100"
    assert say("interval difference", (-0.0004, INF)) == "-0.000 to +inf"
    assert say("interval percent", (0, 1)) == "0% to 100%"
    assert say("span difference 2", pd.Series([0.3, NAN, -0.2, 0.1])) == "-0.20 to +0.30"
    assert say("span p", [0.04]) == "0.04"


def test_whole_numbers_and_names_need_no_format():
    assert words(phrase("{n} of {of} in {name}", n=np.int64(3), of=7, name="a {b}")) == "3 of 7 in a {b}"


@pytest.mark.parametrize("form", ["", "valeu", "+.3f", "interval", "span"])
def test_a_number_without_a_known_format_is_named(form):
    with pytest.raises(ValueError, match=r"needs a format of value, .*, number, found .*0\.5"):
        say(form, (0.5, 0.5) if form in ("interval", "span") else 0.5)


def test_a_missing_value_is_named():
    with pytest.raises(KeyError, match="mean"):
        words(phrase("{mean:value}", means=1.0))


def test_values_may_be_parts_of_what_was_computed():
    means = pd.Series({"a": 0.25, "b": 0.5})
    text = "{of[b]:{form}}, {pair[1]:p}, {x.imag:value 0}"
    assert words(phrase(text, of=means, form="value 2", pair=(1, 2), x=3j)) == "0.50, 2, 3"


def test_phrases_hold_phrases_and_lists_and_what_is_empty_is_left_out():
    parts = [phrase("a {x:value 1}", x=1.0), "", phrase("{nothing}", nothing=""), "b", 3]
    assert words(phrase("{parts:, }!", parts=parts)) == "a 1.0, b, 3!"
    assert words(phrase("{parts: and }", parts=[])) == ""
    assert words(phrase("{parts}", parts=["a", "b"])) == words(["a", "", phrase("b")]) == "a; b"
    assert words(paragraphs([sentences(["One.", "", "Two."]), "", "Three."])) == "One. Two.\n\nThree."


def test_a_judge_returns_numbers_and_their_words():
    rows = [{"metric": "accuracy", "method": name, "unit": unit, "value": value + 0.01 * unit * (name == "new")}
            for name, value in (("new", 0.7), ("old", 0.5)) for unit in range(4)]  # fmt: skip
    judgement = judge_units(pd.DataFrame(rows), {"method": "new", "against": ["old"], "pair": ["unit"]})
    (difference,) = judgement.found
    test = difference.values["found"]
    assert (round(test.mean_difference, 6), test.n, difference.values["p"]) == (0.215, 4, test.p_value)
    assert judgement.measured == words(judgement.found)
    assert judgement.measured.startswith("new - old +0.215 (95 % interval 0.194 to 0.236; p = ")


@pytest.mark.parametrize("path", SPEAKING, ids=lambda path: path.stem)
def test_judges_leave_the_form_of_numbers_to_wording(path):
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        name = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            found.append(f"{node.lineno}: {ast.unparse(node)}")
        elif name in ("format", "format_number") or (name == "phrase" and isinstance(node.args[0], ast.JoinedStr)):
            found.append(f"{node.lineno}: {name}")
    assert found == []


def test_all_judges_are_looked_at():
    assert {"comparison_judges", "fine_set_judges", "retrieval_cells"} <= {p.stem for p in SPEAKING}
