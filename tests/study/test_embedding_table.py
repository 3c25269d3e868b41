"""Points for a check of an embedding: every format gives the same table, and each bad input gets one clear error."""

import csv
import pickle
import sys

import numpy as np
import pytest
from consensus_embedding.io.embedding_table import read_embeddings, read_labels, read_points
from consensus_embedding.utils.text import InputError
from replication.data.readers.expression_table import read_expression
from replication.data.readers.item_table import _label

X = np.random.default_rng(0).normal(size=(6, 3)).round(4)
IDS = ["p1", "007", "<b>", "$x$", 'é "q"', "1e3"]
LABELS = ["T cell", "2", "", "NA", "a & b", "2"]
KNOWN = ["T cell", "2", None, None, "a & b", "2"]
COLUMNS = ["2310009E13", "gene 2", "3"]


def rows(values=X, ids=IDS, labels=LABELS):
    header = ["name", *COLUMNS, "kind"]
    return [header, *([i, *map(repr, x), k] for i, x, k in zip(ids, np.asarray(values).tolist(), labels, strict=True))]


@pytest.fixture
def write(tmp_path):
    """A function that writes rows of cells, or an array, and returns the path."""

    def written(content, name):
        path = tmp_path / name
        if name.endswith(".npy"):
            np.save(path, content)
        elif name.endswith(".parquet"):
            pandas = pytest.importorskip("pandas")
            pytest.importorskip("pyarrow")
            frame = pandas.DataFrame(content[1:], columns=content[0])
            frame.astype(dict.fromkeys(COLUMNS, float)).to_parquet(path)
        else:
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, delimiter="\t" if name.lower().endswith("tsv") else ",").writerows(content)
        return path

    return written


@pytest.mark.parametrize("name", ["t.csv", "t.TSV", "t.tsv", "t.parquet"])
def test_every_format_with_named_columns_gives_the_same_table(write, name):
    read = read_points(write(rows(), name), label="kind", id="name")
    np.testing.assert_array_equal(read.values, X)
    assert read.columns == tuple(COLUMNS)
    assert read.ids == tuple(IDS)
    assert read.labels.tolist() == KNOWN


def test_an_array_gives_the_same_values_and_stays_on_the_disk(write):
    read = read_points(write(X, "t.npy"))
    np.testing.assert_array_equal(read.values, X)
    assert isinstance(read.values, np.memmap)
    assert read.columns == ("column 1", "column 2", "column 3")
    assert read.ids is None
    assert read.labels is None


def test_columns_can_be_left_out(write):
    read = read_points(write(rows(), "t.csv"), drop=["name", "kind", "gene 2"])
    np.testing.assert_array_equal(read.values, X[:, [0, 2]])


def changed(row, column, cell):
    table = [list(one) for one in rows()]
    table[row][column] = cell
    return table


CASES = {
    "text": (changed(2, 2, "high"), {}, "line 3, column 'gene 2': .* found 'high'"),
    "NaN": (changed(2, 2, "nan"), {}, "line 3, column 'gene 2': .* found 'nan'"),
    "an empty cell": (changed(6, 1, ""), {}, "line 7, column '2310009E13': .* found an empty"),
    "infinity": (changed(1, 3, "-inf"), {}, "line 2, column '3': .* found '-inf'"),
    "one row": (rows()[:2], {}, "at least 3 points and 1 column of numbers, found 1 and 3"),
    "no row": (rows()[:1], {}, "found 1 row"),
    "a misspelt label": (rows(), {"label": "kid"}, "'kid', found none among 'name', '2310009E13'"),
    "a column twice": ([[*one, "1"] for one in changed(0, 4, "1")], {"label": "1"}, "one column '1', found 2"),
    "a name twice": (changed(3, 0, "p1"), {}, "line 4: .* found 'p1', as in line 2"),
    "no label at all": (rows(labels=["?"] * 6), {}, "column 'kind': .* found only missing ones"),
    "the numbers of the rows": (changed(0, 1, ""), {}, "found none for column 2, .* numbers of the rows"),
    "nothing but names": ([[one[0], one[4]] for one in rows()], {}, "found 6 and 0"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_table_gets_one_clear_error(write, case):
    content, named, words = CASES[case]
    path = write(content, "t.csv")
    with pytest.raises(InputError, match=words) as raised:
        read_points(path, **{"label": "kind", "id": "name", **named})
    assert str(path) in str(raised.value)


ARRAYS = {
    "NaN": (np.where(np.eye(6, 3), np.nan, X), r"row 1, column 1: .* found nan \(3 such values"),
    "one axis": (X.ravel(), r"found shape \(18,\) of float64"),
    "text": (X.astype(str), "an array of numbers with 2 axes"),
    "complex numbers": (X * 1j, "an array of numbers with 2 axes"),
    "one row": (X[:1], "at least 3 points .* found 1 and 3"),
    "objects": (X.astype(object), "without pickled objects"),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_a_wrong_array_gets_one_clear_error(write, case):
    content, words = ARRAYS[case]
    with pytest.raises(InputError, match=words):
        read_points(write(content, "t.npy"))
    with pytest.raises(InputError, match="labels in a file of their own"):
        read_points(write(X, "t.npy"), label="kind")


class Unpickled:
    """Says so when it is unpickled."""

    def __reduce__(self):
        return print, ("unpickled",)


def test_a_pickle_that_is_called_npy_is_refused_and_not_run(tmp_path, capsys):
    (tmp_path / "t.npy").write_bytes(pickle.dumps(Unpickled()))
    with pytest.raises(InputError, match="without pickled objects"):
        read_points(tmp_path / "t.npy")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("size", [-8, 8])
def test_an_array_of_another_length_than_its_header_says_is_refused(write, size):
    path = write(X, "t.npy")
    content = path.read_bytes()
    path.write_bytes(content[:size] if size < 0 else content + bytes(size))
    with pytest.raises(InputError, match=r"t\.npy"):
        read_points(path)


@pytest.mark.parametrize("missing", ["None", "null", "N/A", "n/a", "<NA>", "NaN", "nan", " ? ", "NaT"])
def test_one_list_says_what_is_missing_in_labels_of_points_items_and_classes(write, missing):
    path = write(rows(labels=["a", "b", missing, "a", "b", "a"]), "t.csv")
    assert list(read_points(path, label="kind", id="name").labels) == ["a", "b", None, "a", "b", "a"]
    assert _label(missing) == ""
    with pytest.raises(InputError, match="expected a class"):
        read_expression(path, kind="feature", label="kind", drop=["name"])


def test_an_unknown_format_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(InputError, match=r"expected a file name ending in \.csv, \.tsv, \.npy, \.parquet"):
        read_points(tmp_path / "t.xlsx")
    with pytest.raises(InputError, match="does not exist"):
        read_points(tmp_path / "t.csv")


def test_parquet_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"t\.parquet.*pip install \"consensus-embedding\[parquet\]\""):
        read_points(tmp_path / "t.parquet")


def test_ready_embeddings_with_names_are_put_in_the_order_of_the_first(write):
    shuffled = [0, 3, 1, 6, 2, 5, 4]
    paths = [write(rows(), "a.csv"), write([rows()[k] for k in shuffled], "b.tsv")]
    first, second = read_embeddings(paths, id="name", drop=["kind"])
    np.testing.assert_array_equal(first.values, second.values)
    assert first.ids == second.ids


def test_ready_embeddings_of_other_points_are_refused(write):
    paths = [write(rows(), "a.csv"), write(rows(ids=[*IDS[:-1], "other"]), "b.csv"), write(X[:-1], "c.npy")]
    with pytest.raises(InputError, match="found '1e3' in one of them only"):
        read_embeddings(paths[:2], id="name", drop=["kind"])
    with pytest.raises(InputError, match=r"6 points with 3 columns, .* found 5 points with 3"):
        read_embeddings([write(X, "d.npy"), paths[2]])


def test_numbers_that_count_the_columns_or_rise_are_names(write):
    wavelengths, ppm = ([f"{start + step * k:g}" for k in range(12)] for start, step in ((400, 0.5), (4, -0.1)))
    for names in (["0", "1", "2"], wavelengths, ppm):
        values = np.random.default_rng(0).normal(size=(6, len(names)))
        assert read_points(write([names, *(map(repr, x) for x in values.tolist())], "t.csv")).columns == tuple(names)


HEADERS = {
    "fractions": [["0.5", "1.5"], ["0.3", "2.5"], ["0.1", "0.5"]],
    "integers": [["5", "3"], ["1", "2"], ["7", "4"]],
    "integers that count the columns above integers": [["0", "1"], ["5", "2"], ["3", "4"]],
    "a missing number": [["0.5", "NA"], ["0.3", "2.5"], ["0.1", "0.5"]],
    "one column": [["4"], ["2"], ["9"]],
    "curves that all rise": [[str(k * rate + rate) for k in range(12)] for rate in (3, 1, 2)],
}


@pytest.mark.parametrize("case", HEADERS)
@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
def test_a_first_line_of_numbers_only_is_refused_and_no_point_is_lost(write, case, name):
    path = write(HEADERS[case] * 4, name)
    with pytest.raises(InputError, match=r"line 1: .* found numbers only"):
        read_points(path)
    with pytest.raises(InputError, match="found numbers only"):
        read_labels(path, label=HEADERS[case][0][0])


def test_a_first_line_of_numbers_is_the_header_where_the_rows_tell(write):
    fractions = [["0", "1"], *([f"{k}.5", f"{k * k}.25"] for k in range(12))]
    assert len(read_points(write(fractions, "t.csv")).values) == 12
    pixels = [[str(k) for k in range(16)], *([str(k * j % 5) for k in range(16)] for j in range(12))]
    assert len(read_points(write(pixels, "p.csv")).values) == 12
    # Names of genes as numbers, next to a column with a name; and text below a number.
    assert read_points(
        write([["1017", "7157", "kind"], *([f"{k}.5", "1", "a"] for k in range(12))], "g.csv"), label="kind"
    ).columns == ("1017", "7157")
    assert read_labels(write([["7"], ["b"], ["c"]], "l.csv")).labels.tolist() == ["b", "c"]


NUMBERED = np.column_stack([np.random.default_rng(1).normal(size=30), np.arange(30)])


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("name", ["t.csv", "t.npy"])
def test_a_column_that_numbers_the_rows_is_refused_whatever_its_name(write, name, start):
    table = NUMBERED + np.array([0, start])
    content = table if name == "t.npy" else [["g", "age"], *table.tolist()]
    with pytest.raises(InputError, match=r"column '(age|column 2)': expected a feature, found the numbers of"):
        read_points(write(content, name))
    if name == "t.csv":
        assert read_points(write(content, name), drop=["age"]).columns == ("g",)
        assert read_points(write(content, name), id="age").columns == ("g",)
    with pytest.raises(InputError, match="the numbers of the rows"):
        read_embeddings([write(content, name)] * 3)


def test_a_column_that_counts_few_rows_or_in_another_order_is_a_feature(write):
    for table in (NUMBERED[:9], NUMBERED[::-1], NUMBERED + 2, NUMBERED[1::2]):
        assert read_points(write(table, "t.npy")).values.shape == table.shape


def test_an_empty_cell_alone_is_a_blank_line_of_a_table_of_several_columns(write):
    table = write([[""], ["g", "age"], ["1", "2"], [""], ["3", "5"], ["6", "9"]], "t.csv")
    assert read_points(table).values.tolist() == [[1, 2], [3, 5], [6, 9]]


def test_names_are_needed_in_all_embeddings_or_in_none(write):
    paths = [write(X, "a.npy"), write(rows(), "b.csv")]
    with pytest.raises(InputError, match=r"a\.npy: expected names of points.*'name'"):
        read_embeddings(paths, id="name", drop=["kind"])
    assert len(read_embeddings([paths[0], write(X, "c.npy")], id="name")) == 2


def test_labels_come_from_a_file_of_their_own(write):
    table = [[one[0], one[4]] for one in rows()]
    assert read_labels(write(table, "l.csv"), id="name").labels.tolist() == KNOWN
    assert read_labels(write([["kind"], ["b"], ["c"], ["b"]], "m.csv")).labels.tolist() == ["b", "c", "b"]
    assert read_labels(write(np.array([1.0, 2.0, np.nan]), "l.npy")).labels.tolist() == ["1", "2", None]
    for cells, expected in (
        (["1.0", "NA", "12.0"], ["1", None, "12"]),
        (["1.0", "2.5"], ["1.0", "2.5"]),
        # Written as "", unlike a blank line.
        (["a", "", "b", "a"], ["a", None, "b", "a"]),
    ):
        assert read_labels(write([["kind"], *([cell] for cell in cells)], "f.csv")).labels.tolist() == expected
    assert read_labels(write(np.array(["a", "ü"]), "t.npy")).labels.tolist() == ["a", "ü"]
    assert read_labels(write(np.array([b"a", "ü".encode(), b""]), "b.npy")).labels.tolist() == ["a", "ü", None]
    with pytest.raises(InputError, match=r"label .* 'name', 'kind'"):
        read_labels(write(table, "l.csv"))
