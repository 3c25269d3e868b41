"""The committed numbers of repetitions from which on verdicts stay."""

import re

import pandas as pd
import pytest
from pages import PAGES
from repetitions import REPEATED, TARGET, first_repetitions, repetitions_of, settled_from
from replication.claims.judging import read_claims
from replication.shared.tidy import read_table
from update_readme import REFERENCE


@pytest.mark.parametrize(
    ("verdicts", "settled"),
    [
        ({2: "mixed", 5: "mixed", 10: "mixed"}, (2, "")),
        ({2: "inconclusive", 5: "mixed", 10: "mixed"}, (5, "inconclusive")),
        ({2: "mixed", 5: "inconclusive", 10: "mixed"}, (10, "inconclusive")),
        ({2: "inconclusive", 5: "not reproduced", 10: "mixed"}, (10, "not reproduced")),
    ],
)
def test_a_verdict_is_settled_after_the_last_other_one(verdicts, settled):
    assert settled_from(verdicts) == settled


def test_a_pair_of_repetitions_counts_as_its_later_one_and_a_row_of_all_stays():
    table = pd.DataFrame({"repetition": ["0", "0-1", "", "1-2", "2"]})
    places, n = first_repetitions(table, "repetition")
    assert n == 3
    assert places.fillna(-1).tolist() == [0, 1, -1, 2, 2]


def test_names_that_end_in_a_number_are_counted_in_their_order():
    places, n = first_repetitions(pd.DataFrame({"study": ["judged-2", "judged-10", "judged-2"]}), "study")
    assert (places.tolist(), n) == ([0, 1, 0], 2)
    places, n = first_repetitions(pd.DataFrame({"cohort": [0.0, float("nan"), 10.0]}), "cohort")
    assert (places.fillna(-1).tolist(), n) == ([0, -1, 1], 2)


def test_more_repetitions_settle_a_claim():
    """Rounds that differ by more than the gain, until there are enough of them."""
    gains = [0.3, -0.2, 0.3, 0.0] + [0.2, 0.1] * 8
    rows = [
        ("toy_rgb", str(k), method, "accuracy", 0.5 + gain * (method == "ours"))
        for k, gain in enumerate(gains)
        for method in ("ours", "theirs")
    ]
    table = pd.DataFrame(rows, columns=["experiment", "repetition", "method", "metric", "value"])
    table = table.assign(dataset="rgb", source="original")
    test = {"method": "ours", "against": ["theirs"], "metric": "accuracy", "pair": ["repetition"]}
    claim = read_claims().iloc[:1].assign(id="X", experiment="toy_rgb", dataset="rgb", kind="compare", test=[test])
    found = repetitions_of(claim, "toy_rgb", table).iloc[0]
    assert found["repetitions"] == 20
    assert found["verdict"] == "reproduced"
    assert 4 < found["settled from"] < 20
    assert found["other verdict"] not in ("", "reproduced")


def test_the_committed_table_is_of_the_committed_verdicts():
    table, ledger = read_table(TARGET), read_table(REFERENCE / "claims.tsv").set_index("id")
    # CE-22-brain and CE-27 need every slice.
    expected = set(ledger.index[ledger["experiment"].isin(REPEATED) & (ledger["verdict"] != "not testable")])
    assert expected - set(table["id"]) == {"CE-22-brain", "CE-27"}
    assert set(table["experiment"]) == set(ledger.loc[sorted(expected), "experiment"])
    assert set(table["id"]) <= expected
    assert table["verdict"].tolist() == ledger.loc[table["id"], "verdict"].tolist()
    assert (table["settled from"] <= table["repetitions"]).all()


def test_the_page_names_every_claim_that_is_settled_in_the_second_half():
    table = read_table(TARGET)
    section = PAGES["docs/dependence.md"].partition("## How many repetitions")[2].partition("## ")[0]
    late = 2 * table["settled from"] > table["repetitions"]
    assert re.findall(r"\[([A-Z]+-[^]]+)\]", section) == table.loc[late, "id"].tolist()
    assert section.count("not testable on fewer") == (late & (table["other verdict"] == "")).sum()
