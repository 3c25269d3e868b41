"""A study is compared with the committed rows: which numbers moved, which are missing."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from replication.report.comparison import Compared, compare_rows, describe, differences, moved_verdicts
from replication.shared.tidy import read_table, write_table

SCRIPT = str(Path(__file__).parents[2] / "workflow/scripts/compare_study.py")
ROWS = pd.DataFrame(
    {
        "experiment": "toy_rgb",
        "method": ["a", "a", "b", "b"],
        "kappa": ["", "5", "", "5"],
        "repetition": [0, 1, 0, 1],
        "metric": "accuracy",
        "value": [0.5, 0.25, 0.75, np.nan],
    }
)


def changed(**values):
    """The rows with another value in the row of a number."""
    return ROWS.assign(value=[values.get(f"row_{k}", value) for k, value in enumerate(ROWS["value"])])


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (ROWS, Compared(4, 0, 0, 0.0)),
        (ROWS.iloc[::-1], Compared(4, 0, 0, 0.0)),
        (ROWS.iloc[:3], Compared(4, 1, 0, 0.0)),
        (changed(row_1=0.25 * (1 + 1e-9)), Compared(4, 0, 0, pytest.approx(1e-9, rel=1e-3))),
        (changed(row_1=0.2), Compared(4, 0, 1, pytest.approx(0.2))),
        (changed(row_1=-0.25), Compared(4, 0, 1, pytest.approx(2.0))),
        (changed(row_3=0.5), Compared(4, 0, 1, 1.0)),
        (changed(row_0=np.nan), Compared(4, 0, 1, 1.0)),
    ],
)
def test_each_committed_row_is_found_by_its_conditions(found, expected):
    assert compare_rows(found, ROWS) == expected


def test_rounding_around_zero_is_no_change():
    assert compare_rows(changed(row_0=1e-17), changed(row_0=0.0)).moved == 0


def test_times_are_not_compared():
    assert compare_rows(changed(row_0=9.0).assign(metric="seconds"), ROWS.assign(metric="seconds")).rows == 0


def test_conditions_are_the_same_whatever_else_their_column_has(tmp_path):
    """A column of numbers alone is read as numbers; in a part of the rows it may have no other entry."""
    write_table(ROWS, tmp_path / "all.tsv")
    write_table(ROWS[ROWS["kappa"] == "5"], tmp_path / "some.tsv")
    found, committed = read_table(tmp_path / "all.tsv"), read_table(tmp_path / "some.tsv")
    assert compare_rows(found, committed)[:3] == compare_rows(committed, found.iloc[[1, 3]])[:3] == (2, 0, 0)


def test_equal_conditions_are_compared_one_by_one():
    twice = pd.concat([ROWS.iloc[:1], ROWS.iloc[:1].assign(value=0.6)])
    assert compare_rows(twice, twice) == (2, 0, 0, 0.0)
    assert compare_rows(twice.iloc[:1], twice).absent == 1


def test_an_experiment_without_numbers_misses_all_but_times():
    committed = ROWS.assign(metric=["seconds", *ROWS["metric"][1:]])
    assert compare_rows(committed.iloc[:0], committed) == (len(ROWS) - 1, len(ROWS) - 1, 0, 0.0)


@pytest.mark.parametrize(
    ("one", "verdicts", "said"),
    [
        (Compared(4, 0, 0, 1e-9), [], ""),
        (Compared(4, 1, 0, 0.0), [], "1 numbers are missing"),
        (Compared(4, 0, 2, 0.1), [], "2 numbers moved"),
        (Compared(4, 0, 0, 0.0), ["A: mixed -> reproduced"], "1 verdicts moved"),
        (Compared(4, 1, 2, 0.1), ["A: mixed"], "2 numbers moved, 1 numbers are missing, 1 verdicts moved"),
    ],
)
def test_a_study_differs_by_what_moved_and_by_what_is_missing(one, verdicts, said):
    assert differences({"toy_rgb": one}, verdicts) == said


def test_a_verdict_that_differs_is_named():
    old = pd.DataFrame({"id": ["A", "B", "C"], "verdict": ["mixed", "reproduced", "mixed"]})
    old["experiment"] = ["toy_rgb", "toy_rgb", "swiss_roll"]
    new = pd.DataFrame({"id": ["B", "A", "MY-01"], "verdict": ["not reproduced", "mixed", "mixed"]})
    lines = moved_verdicts(new, old, ["toy_rgb"])
    assert lines == ["B: reproduced -> not reproduced"]
    # A claim about an experiment that was to run and is in no ledger has moved too.
    assert moved_verdicts(new, old, ["toy_rgb", "swiss_roll"])[1:] == ["C: mixed -> absent"]
    said = describe({"toy_rgb": Compared(4, 1, 1, 0.2), "swiss_roll": Compared(3, 3, 0, 0.0)}, lines)
    assert "toy_rgb                          4       1       1  20 %" in said
    assert said.endswith("1 verdicts differ:\n  B: reproduced -> not reproduced")


@pytest.mark.parametrize(
    ("has_ledger", "judged", "said"),
    [
        (True, True, "0 verdicts differ."),
        (False, True, "1 verdicts differ:\n  A: mixed -> absent"),
        (False, False, "No verdicts were compared"),
    ],
)
def test_verdicts_that_a_study_was_to_have_are_missing(tmp_path, monkeypatch, capsys, has_ledger, judged, said):
    """A run may have stopped between the numbers and the claims."""
    monkeypatch.chdir(tmp_path)
    ledger = pd.DataFrame({"id": ["A"], "experiment": ["toy_rgb"], "verdict": ["mixed"]})
    for path, table in {"rows/toy_rgb.tsv.gz": ROWS, "s/toy_rgb/metrics.tsv": ROWS, "ledger.tsv": ledger}.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        table.to_csv(path, sep="\t", index=False)
    if has_ledger:
        ledger.to_csv("s/claims.tsv", sep="\t", index=False)
    params = {"results": "s", "sizes": "paper", "experiments": ["toy_rgb"], "rows": "rows", "ledger": "ledger.tsv"}
    script = SimpleNamespace(params=SimpleNamespace(**params, judged=judged), log=["compare.log"])
    try:
        runpy.run_path(SCRIPT, {"snakemake": script})
        printed, failed = capsys.readouterr().out, False
    except SystemExit as end:
        printed, failed = str(end), True
    assert said in printed
    assert failed == ("absent" in said)
