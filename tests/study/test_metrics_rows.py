"""Verdicts lead back to the lines of metrics.tsv that they come from."""

import pandas as pd
import pytest
from replication.claims.metrics_rows import line_ranges, lines_in, rows_table
from replication.shared.judgements import note_rows, recorded_rows, select_rows
from replication.shared.tidy import Metrics, read_table, write_table


@pytest.fixture
def metrics(tmp_path):
    found = Metrics("toy", "set_a", "simulated", ["noise", "training", "classifier"])
    for noise in (0.5, 3):
        for method in ("features", "graph_embedding", "consensus"):
            for metric in ("accuracy", "silhouette"):
                for r in range(2):
                    found.add(method, metric, r + noise, repetition=r, noise=noise, training=0.8)
    found.add("fine_pca", "auc", 0.7, classifier="LR")
    write_table(found.table(), tmp_path / "metrics.tsv")
    return read_table(tmp_path / "metrics.tsv")


def lines_of(metrics, **conditions):
    """Lines of the file by reading it, the first line being the header."""
    rows = metrics
    for column, value in conditions.items():
        rows = rows[rows[column] == value]
    return [row + 2 for row in rows.index]


def test_lines_are_written_as_ranges_and_read_again():
    assert line_ranges([3, 0, 1, 2, 43]) == "2-5, 45"
    assert lines_in("2-5, 45") == [2, 3, 4, 5, 45]
    assert line_ranges([]) == ""
    assert lines_in("") == []


def test_the_lines_are_those_of_the_file(metrics, tmp_path):
    lines = (tmp_path / "metrics.tsv").read_text().splitlines()
    found = lines_in(line_ranges(metrics.index[metrics["method"] == "fine_pca"]))
    assert [lines[line - 1].split("\t")[3] for line in found] == ["fine_pca"]


def test_selected_rows_are_recorded_with_their_place_in_the_file(metrics):
    with recorded_rows() as found:
        rows = select_rows(metrics[metrics["noise"] == 3], "accuracy")
        used = note_rows(rows[rows["method"] == "consensus"], chosen_from=rows)
    assert [list(index) for index in found] == [list(used.index)]
    assert [row + 2 for row in used.index] == lines_of(metrics, noise=3, metric="accuracy", method="consensus")
    with recorded_rows() as found:
        pass
    assert found == []
    select_rows(metrics, "accuracy")
    assert found == []


def test_the_table_of_rows_names_claim_experiment_and_lines():
    table = rows_table({"A": pd.Index([0, 1, 4])}, {"A": "toy"})
    assert table.to_dict("records") == [{"claim": "A", "experiment": "toy", "rows": 3, "lines": "2-3, 6"}]
