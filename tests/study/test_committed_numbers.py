"""Pages of the site take their numbers from committed tables."""

from pathlib import Path

import committed_numbers
import pytest
import result_tables  # noqa: F401  # gives the pages further functions
from committed_numbers import render
from replication.claims.answers import counted, summary_line
from replication.shared.tidy import read_table

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def tables(tmp_path, monkeypatch):
    """A folder of committed tables with two small tables."""
    (tmp_path / "runs.tsv").write_text("data set\tm\terror\nroll\t1\t0.25\nroll\t10\t0.125 ± 0.01\nrings\t1\t\n")
    (tmp_path / "claims.tsv").write_text("id\tmeasured\nAB-01\tlung: mean 0.62 (n = 5); breast: mean -0.4 (n = 10)\n")
    monkeypatch.setattr(committed_numbers, "COMMITTED", tmp_path)
    monkeypatch.setattr(committed_numbers, "ROOT", tmp_path)
    committed_numbers.committed.cache_clear()
    yield
    committed_numbers.committed.cache_clear()


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("{{ -0.001|fixed(2) }}", "0.00"),
        ("{{ 0.125|signed(2) }} {{ -0.125|signed(2) }} {{ 0|signed(1) }}", "+0.13 -0.13 +0.0"),
        ('```\n{{ value("runs") }}\n```\n', '```\n{{ value("runs") }}\n```\n'),
        ('```{note}\n{{ value("runs", "m", m=10) }}\n```\n', "```{note}\n10\n```\n"),
        ('# Title {#anchor}\n\n{"a": {"b": 1}}\n', '# Title {#anchor}\n\n{"a": {"b": 1}}\n'),
    ],
)
def test_numbers_are_rounded_and_code_stays_as_it_is(written, shown):
    assert render(written) == shown


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('{{ value("runs", "error", m=1) }}', r"'runs' has 2 rows with \(\) and {'m': 1}"),
        ('{{ value("runs", "error", m=7) }}', r"'runs' has no row with \(\) and {'m': 7}"),
        ('{{ value("runs", "errors", m=10) }}', "'runs' has no column 'errors'. Columns: data set, m, error"),
        ('{{ value("runs", "error", n=10) }}', "'runs' has no column 'n'"),
        ('{{ value("run", "error", m=10) }}', "no table 'run' .* Tables: claims, runs"),
        ('{{ show("runs", m=7) }}', r"has no row with \(\) and {'m': 7}"),
        ('{{ num("runs", "error", "roll") }}', "has 2 rows"),
        ('{{ num("runs", "error", "liver") }}', "has no row"),
        ('{{ num("runs", "data set", "10") }}', "column 'data set': 'roll' is not a number"),
        ('{{ nums("runs", "auc", "roll") }}', "no column 'auc'"),
        ('{{ measured("AB-01", "median #") }}', "is not in"),
        ('{{ measured("AB-01", "mean # (", 2) }}', "is not in"),
        ('{{ claim("AB-03") }}', "has no row"),
        ('{{ config("mce_convergence.repetition") }}', "has no mce_convergence.repetition"),
    ],
)
def test_a_missing_number_is_an_error_that_names_table_and_conditions(written, message):
    with pytest.raises(ValueError, match=message):
        render(written)


def test_counts_are_those_of_the_ledger(monkeypatch):
    folder = ROOT / "resources" / "paper"
    monkeypatch.setattr(committed_numbers, "COMMITTED", folder)
    ledger = read_table(folder / "claims.tsv")
    assert ledger["reading_of"].astype(bool).any()
    answers, of_one = (counted(rows) for rows in (ledger, ledger[ledger["paper"] == "tomo2025"]))
    assert render("{{ counts() }}") == summary_line(answers)
    assert render('{{ counts("tomo2025") }}') == summary_line(of_one)
    assert summary_line(answers) != summary_line(of_one)
