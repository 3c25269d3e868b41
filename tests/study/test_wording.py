"""Numbers become words: what Python's formats lack."""

import numpy as np
import pandas as pd
import pytest
from replication.shared.wording import condition, format_number, interval, joined, percent, span

NAN, INF = float("nan"), float("inf")


def test_an_interval_gives_both_ends_and_a_span_one_where_they_look_alike():
    assert interval((0.1, 0.10004), ".3f") == "0.100 to 0.100"
    assert span([0.1, 0.10004], ".3f") == "0.100"
    assert interval((-0.0004, INF), "+.3f") == "-0.000 to +inf"
    assert interval((0, 1), ".0%") == "0% to 100%"
    assert span(pd.Series([0.3, NAN, -0.2, 0.1]), "+.2f") == "-0.20 to +0.30"
    assert interval((0.05, 0.8), percent) == "5 % to 80 %"


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (np.float64(0.8), "0.8"),
        (np.int64(12), "12"),
        ("objects", "objects"),
        (np.False_, "False"),
        ((0.1 + 0.2, "noise", ""), "0.3/noise"),
    ],
)
def test_a_condition_is_a_number_a_text_a_flag_or_several(at, text):
    assert condition(at) == text


@pytest.mark.parametrize(("share", "text"), [(1.0, "100 %"), (1 / 3, "33.3 %"), (0.0, "0 %"), (NAN, "nan %")])
def test_a_share_is_in_percent_with_three_digits(share, text):
    assert percent(share) == percent(np.float64(share)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.12345, "0.123"), (12.0, "12"), (999.4, "999"), (-999.6, "-1000"), (1234.5, "1234"), (NAN, "")],
)
def test_a_number_of_a_table(value, text):
    assert format_number(value) == text


def test_what_is_empty_is_left_out_of_a_list():
    assert joined(["a", "", "b"]) == "a; b"
    assert joined([3, np.int64(0)], " or ") == "3 or 0"
    assert joined([]) == ""
