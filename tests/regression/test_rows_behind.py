"""The committed ledger follows again from the committed rows alone."""

import pytest
from presented import shipped_claims
from replication.shared.judgements import NOT_TESTABLE
from replication.shared.tidy import read_table
from update_readme import REFERENCE, ROWS, judged_from_rows

CLAIMS = shipped_claims()
PARTS = ("direction", "significance", "magnitude")
EXPERIMENTS = sorted(path.name.removesuffix(".tsv.gz") for path in ROWS.glob("*.tsv.gz"))
LEDGER = read_table(REFERENCE / "claims.tsv").astype(str).set_index("id")


def test_every_experiment_with_a_claim_has_its_rows():
    assert sorted(set(CLAIMS["experiment"])) == EXPERIMENTS


def is_as_committed(again, columns):
    again = again.astype(str).set_index("id")
    return again[columns].equals(LEDGER.loc[again.index, columns])


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_verdicts_follow_from_the_rows_behind_them(name):
    """Without new data and other choices, which take most of the time; they are judged by the same code."""
    claims = CLAIMS[CLAIMS["experiment"] == name]
    tests = [{key: test[key] for key in test if key not in ("choices", "new_data")} for test in claims["test"]]
    again = judged_from_rows(claims.assign(test=tests))
    assert is_as_committed(again, ["dataset", "source", "measured", *PARTS, "verdict"])
    # What cannot be tested tells of its other choices why not.
    assert is_as_committed(again[again["verdict"] != NOT_TESTABLE], ["reason"])


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_ledger_follows_from_the_rows_behind_it(name):
    again = judged_from_rows(CLAIMS[CLAIMS["experiment"] == name])
    columns = [column for column in again if column in LEDGER and column != "id"]
    assert {"verdict", "measured", "on_new_data", "other_choices", "reason"} <= set(columns)
    assert is_as_committed(again, columns)
