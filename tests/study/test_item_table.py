"""Items of your own: what is written is read again, and each bad input gets one clear error."""

import csv
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from consensus_embedding.utils.text import InputError
from replication.data.readers.item_table import read_items
from scipy.spatial.distance import cdist

NAMES = ["a", "b 2", "ü", "d", "e", "f"]
LABELS = ["x", "x", "y", "y", "", "z"]
QUERIES = ["", "0", "0", "", "1", "1.0"]
X = np.random.default_rng(0).standard_normal((6, 3))
APART = cdist(X, X)


def feature_rows():
    header = ["item", "label", "query", "u", "v", "w"]
    rows = [[n, k, q, *map(repr, x)] for n, k, q, x in zip(NAMES, LABELS, QUERIES, X.tolist(), strict=True)]
    return [header, *rows]


def distance_rows(apart=APART, names=NAMES):
    rows = [[n, k, *map(repr, row)] for n, k, row in zip(NAMES, LABELS, np.asarray(apart).tolist(), strict=True)]
    return [["item", "label", *names], *rows]


def changed(rows, *changes):
    """Rows with other cells; a change is (row, column, cell)."""
    rows = [list(row) for row in rows]
    for row, column, cell in changes:
        rows[row][column] = cell
    return rows


def symmetric(i, j, value, other=None):
    apart = APART.copy()
    apart[i, j], apart[j, i] = value, value if other is None else other
    return apart


@pytest.fixture
def write(tmp_path):
    """A function that writes rows of cells and returns the path."""

    def written(rows, name="t.csv"):
        path = tmp_path / name
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file, delimiter="\t" if name.endswith("tsv") else ",").writerows(rows)
        return str(path)

    return written


def features(path):
    return read_items({"name": "mine", "table": path})


def dissimilarities(path):
    return read_items({"name": "mine", "dissimilarities": path})


def assert_same(found, values, kind, queries):
    np.testing.assert_array_equal(found.values, values)
    assert found.values.dtype == np.float64
    assert (found.names, found.kind) == (tuple(NAMES), kind)
    assert (found.labels, found.queries) == (tuple(LABELS), tuple(queries))
    assert all(type(query) is bool for query in found.queries)


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.CSV"])
def test_a_table_is_read_as_it_was_written(write, name):
    assert_same(features(write(feature_rows(), name)), X, "features", [False] * 4 + [True] * 2)


def test_columns_may_stand_in_any_order_and_case(write):
    rows = changed(feature_rows(), (0, 0, " Item"), (0, 1, "LABEL"))
    rows = [[row[k] for k in (3, 1, 4, 2, 0, 5)] for row in rows]
    assert_same(features(write(rows)), X, "features", [False] * 4 + [True] * 2)


def test_columns_of_dissimilarities_are_put_in_the_order_of_the_rows(write):
    order = [3, 0, 5, 1, 4, 2]
    rows = distance_rows(APART[:, order], [NAMES[k] for k in order])
    assert_same(dissimilarities(write(rows)), APART, "dissimilarities", [False] * 6)


def test_dissimilarities_that_differ_by_rounding_become_symmetric(write):
    apart = APART * (1 + 1e-10 * np.random.default_rng(1).standard_normal((6, 6))) + 1e-12 * np.eye(6)
    found = dissimilarities(write(distance_rows(apart))).values
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diagonal(found), 0.0)
    np.testing.assert_allclose(found, APART, rtol=1e-9, atol=1e-12)


def test_a_numeric_label_is_a_name(write):
    rows = changed(feature_rows(), *((k, 1, str(k % 2)) for k in range(1, 7)))
    assert features(write(rows)).labels == ("1", "0", "1", "0", "1", "0")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (changed(feature_rows(), (0, 0, "")), r"t\.csv: expected a column item .*, found '', 'label', 'query'"),
        (changed(feature_rows(), (0, 1, "class")), "expected a column label with their labels"),
        (changed(feature_rows(), (0, 3, "Label")), "expected one column label, found several"),
        (changed(feature_rows(), (0, 3, "")), "found none for column 4, which may be the numbers of the rows"),
        (changed(feature_rows(), (2, 1, "-1")), "line 3, column 'label': expected a name of a class, found -1"),
        (changed(feature_rows(), (2, 1, "-1.0")), "line 3, column 'label': expected a name of a class, found -1.0"),
        (changed(feature_rows(), (4, 0, "b 2")), "line 5: .* items that differ, found 'b 2', as in line 3"),
        (changed(feature_rows(), (2, 0, " ")), "line 3: expected names of items that differ, found an empty"),
        (changed(feature_rows(), (3, 2, "yes")), "line 4, column 'query': expected 1, 0 or .* found 'yes'"),
        (changed(feature_rows(), (3, 2, "2")), "column 'query': .* found '2'"),
        (changed(feature_rows(), (4, 4, "high")), "line 5, column 'v': expected a finite number .* found 'high'"),
        (changed(feature_rows(), (4, 4, "1_0")), "found '1_0'.*the one with the class must be called label"),
        (changed(feature_rows(), (4, 4, "")), "line 5, column 'v': expected a finite number .* found an empty"),
        (changed(feature_rows(), (6, 3, "NaN")), "line 7, column 'u': .* found 'NaN'"),
        (changed(feature_rows(), (6, 3, "-inf")), "line 7, column 'u': .* found '-inf'"),
        ([row[:3] for row in feature_rows()], "expected columns of features .* found none"),
        (
            distance_rows(),
            "expected columns of features, found one column per item, .*Give the file as dissimilarities",
        ),
        (feature_rows()[:1], "expected a header and a row per item, found 1"),
        ([*feature_rows(), ["g", "x"]], "line 8: expected 6 cells, as in the header, found 2"),
        (
            changed(feature_rows(), (2, 1, "w")),
            r"at least 2 labels with at least 2 items each, besides queries, found 'w' \(1\), 'x' \(1\), 'y' \(2\)",
        ),
        # The second item of label y is asked for.
        (changed(feature_rows(), (4, 2, "1")), r"found 'x' \(2\), 'y' \(1\)"),
        (changed(feature_rows(), *((k, 1, "") for k in range(1, 7))), "found none. Label more items"),
    ],
)
def test_a_bad_table_of_features_is_refused(write, rows, message):
    with pytest.raises(InputError, match=message):
        features(write(rows))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (changed(distance_rows(), (0, 3, "B2")), "found the columns 'B2', which no row has.*features go in a table"),
        ([[*row, "1"] for row in distance_rows()], "found the columns '1', which no row has"),
        ([row[:-2] for row in distance_rows()], "expected a column for each item.*found none for 'e', 'f'"),
        (distance_rows()[:-1], "found the columns 'f', which no row has"),
        (changed(distance_rows(), (0, 3, "a")), "found 'a' for columns 3 and 4"),
        (changed(distance_rows(), (5, 3, "far")), "line 6, column 'b 2': expected a finite number .* found 'far'"),
        (changed(distance_rows(), (5, 3, "nan")), "line 6, column 'b 2': .* found 'nan'"),
        (distance_rows(symmetric(3, 1, -0.5)), "of 0 or more, found -0.5 from 'b 2' to 'd'"),
        (distance_rows(symmetric(2, 4, 1.5, 1.25)), "found 1.5 from 'ü' to 'e' and 1.25 from 'e' to 'ü'"),
        (distance_rows(APART + 0.01 * np.eye(6)), "0 of an item to itself, found 0.01 for 'a'.*similarities"),
        (distance_rows(symmetric(2, 4, 1 + 1e-6, 1)), "expected a symmetric table of dissimilarities"),
        # A huge value elsewhere, such as one that marks a missing pair, allows no more.
        (changed(distance_rows(symmetric(2, 4, 7, 0.1)), (1, 3, "1e9"), (2, 2, "1e9")), "found 7 from 'ü' to 'e'"),
    ],
)
def test_bad_dissimilarities_are_refused(write, rows, message):
    with pytest.raises(InputError, match=message):
        dissimilarities(write(rows))


def test_files_that_are_no_tables_are_named(write, tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"none\.csv does not exist"):
        features(tmp_path / "none.csv")
    with pytest.raises(InputError, match=r"ending in \.csv or \.tsv"):
        features(write(feature_rows(), "t.txt"))
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"bytes\.csv cannot be read: expected a table of text in UTF-8"):
        features(tmp_path / "bytes.csv")
    (tmp_path / "quotes.csv").write_text('item,label,u\n"a,x,1\n')
    with pytest.raises(InputError, match=r"quotes\.csv, in the row after line 1: expected quotes that close"):
        features(tmp_path / "quotes.csv")
    path = write(feature_rows(), "locked.csv")
    monkeypatch.setattr(Path, "open", Mock(side_effect=PermissionError(13, "Permission denied")))
    with pytest.raises(InputError, match=r"locked\.csv cannot be read: Permission denied\. Check its permissions"):
        features(path)
