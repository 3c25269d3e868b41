"""The committed ledger follows again from the committed rows alone."""

import gzip
from io import StringIO

import pytest
from replication.catalogue.stages import STAGES
from replication.claims.judging import judge_claims, read_claims
from replication.shared.tidy import read_table
from update_readme import REFERENCE, ROWS

CLAIMS, LEDGER = read_claims(), read_table(REFERENCE / "claims.tsv").astype(str).set_index("id")
FILES = {path.name.removesuffix(".tsv.gz"): path for path in sorted(ROWS.glob("*.tsv.gz"))}


def test_every_experiment_with_a_claim_has_its_rows():
    assert set(FILES) == set(CLAIMS["experiment"])


@pytest.mark.parametrize("name", FILES)
def test_verdicts_follow_from_the_rows_behind_them(name):
    rows = read_table(StringIO(gzip.decompress(FILES[name].read_bytes()).decode()))
    again = judge_claims(CLAIMS[CLAIMS["experiment"] == name], {name: rows}, stages=STAGES).astype(str).set_index("id")
    columns = [column for column in again if column in LEDGER]
    assert {"verdict", "measured", "on_new_data", "other_choices", "reason"} <= set(columns)
    assert again[columns].equals(LEDGER.loc[again.index, columns])
