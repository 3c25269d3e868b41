"""Tables that are written are read again as they were, and run nothing in a spreadsheet."""

import numpy as np
import pandas as pd
import pytest
from replication.shared.tidy import Metrics, as_read, read_table, write_results, write_table

FORMULAS = ["=1+1", "@x", "-x", "+cmd|' /C calc'!A0", "-2+3", "'=1", "+1+1", "-1 (=2)"]
PLAIN = ["-1.5", "+1", "-1e-07", "-> 1", "-0.044 (-0.375 to +0.287)", "-0.05 ± 0.004", "-", "'a", "a=1", "-inf"]


@pytest.mark.parametrize("column", ["class", "label"])
def test_formulas_in_names_get_an_apostrophe_and_are_read_without_it(tmp_path, column):
    table = pd.DataFrame({column: [*FORMULAS, *PLAIN], "value": range(len(FORMULAS + PLAIN))})
    write_table(table, tmp_path / "a.tsv")
    cells = [line.split("\t")[0] for line in (tmp_path / "a.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    assert cells == [*(f"'{name}" for name in FORMULAS), *PLAIN]
    for read in (read_table(tmp_path / "a.tsv"), as_read(table)):
        assert read[column].tolist() == [*FORMULAS, *PLAIN]
        assert read["value"].tolist() == table["value"].tolist()


def test_a_name_of_a_column_is_no_formula_either_and_numbers_stay_numbers(tmp_path):
    table = pd.DataFrame({"=1+1": [-1.5, None], "text": ["-1.5", "+2"], "missing": [None, "=a"]})
    write_table(table, tmp_path / "a.tsv")
    assert (tmp_path / "a.tsv").read_text() == "'=1+1\ttext\tmissing\n-1.5\t-1.5\t\n\t+2\t'=a\n"
    read = read_table(tmp_path / "a.tsv")
    assert read["=1+1"].iloc[0] == -1.5
    assert read["text"].tolist() == [-1.5, 2]
    assert read["missing"].tolist() == ["", "=a"]


def test_names_that_look_like_numbers_stay_as_they_are(tmp_path):
    names = {"query": ["0012", "1.10"], "item": ["1.1", "00417"], "label": ["01", "1"], "predicted_label": ["1e5", ""]}
    write_table(pd.DataFrame(names), tmp_path / "t.tsv")
    assert read_table(tmp_path / "t.tsv").to_dict("list") == names


def test_results_are_written_by_what_they_are(tmp_path):
    metrics = Metrics("grid", "brainweb", "original", [])
    metrics.add("features", "accuracy", 0.5)
    one, two = pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]})
    results = {"scores": metrics, "joined": [one, two], "maps": {"0/truth": np.eye(2)}}
    paths = {"scores": tmp_path / "scores.tsv", "joined": tmp_path / "joined.tsv", "maps": tmp_path / "maps.npz"}
    write_results(results, paths)
    assert read_table(paths["scores"])["value"].tolist() == [0.5]
    assert read_table(paths["joined"])["a"].tolist() == [1, 2]
    assert np.array_equal(np.load(paths["maps"])["0/truth"], np.eye(2))
    assert sorted(tmp_path.iterdir()) == sorted(paths.values())
