"""The committed ledger follows again from the committed rows alone."""

import pytest
from replication.claims.judging import read_claims
from replication.shared.tidy import read_table
from update_readme import REFERENCE, ROWS, judged_from_rows

EXPERIMENTS = sorted(path.name.removesuffix(".tsv.gz") for path in ROWS.glob("*.tsv.gz"))
LEDGER = read_table(REFERENCE / "claims.tsv").astype(str).set_index("id")


def test_every_experiment_with_a_claim_has_its_rows():
    assert sorted(set(read_claims()["experiment"])) == EXPERIMENTS


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_verdicts_follow_from_the_rows_behind_them(name):
    again = judged_from_rows(name).astype(str).set_index("id")
    columns = [column for column in again if column in LEDGER]
    assert {"verdict", "measured", "on_new_data", "other_choices", "reason"} <= set(columns)
    assert again[columns].equals(LEDGER.loc[again.index, columns])
