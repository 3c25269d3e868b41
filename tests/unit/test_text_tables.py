"""Tables as European spreadsheets and other programs write them: each reader says what to do about the format."""

import numpy as np
import pytest
from consensus_embedding.io.embedding_table import EmbeddingDataError, read_labels, read_points
from replication.data.feature_set import read_feature_set
from replication.data.readers.expression import ExpressionError, read_expression
from replication.data.readers.feature_table import FeatureError
from replication.data.readers.item_table import ItemError, read_items
from replication.data.readers.spectra import SpectraError, read_own_study

READERS = {
    "points": (EmbeddingDataError, lambda path: read_points(path, id="item", label="label")),
    "genes": (ExpressionError, lambda path: read_expression(path, label="label", drop=["item"])),
    "items": (ItemError, lambda path: read_items({"name": "mine", "table": path})),
    "spectra": (SpectraError, lambda path: read_own_study({"name": "mine", "table": path})),
}


def read_own_features(path, **options):
    item = {"name": "mine", "table": path, "label": "label", "drop": ["item"], **options}
    return read_feature_set(item, halve_gisette=False)


def table(decimal, separator, reader):
    rows = [["item", "label", "g", "h"], *([f"s{k}", "ab"[k % 2], f"{k}.5", f"{k * k}.25"] for k in range(12))]
    if reader == "spectra":
        rows = [["x", "y", "z", "1.5"], *([f"{k}", "0", "0", f"{k}.5"] for k in range(12))]
    return "\n".join(separator.join(cell.replace(".", decimal) for cell in row) for row in rows) + "\n"


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("decimal", [".", ","])
def test_columns_separated_by_semicolons_get_the_advice_to_separate_them_by_commas(tmp_path, reader, decimal):
    error, read = READERS[reader]
    path = tmp_path / "t.csv"
    path.write_text(table(decimal, ";", reader))
    with pytest.raises(error, match=r"t\.csv.*(?i:separate columns by commas in \.csv, by tabs in \.tsv)"):
        read(path)


@pytest.mark.parametrize("reader", ["points", "items"])
def test_a_comment_above_the_header_is_named(tmp_path, reader):
    error, read = READERS[reader]
    path = tmp_path / "t.csv"
    path.write_text("# exported today\n" + table(".", ",", reader))
    with pytest.raises(error, match=r"line 1: .*'# exported today'"):
        read(path)


@pytest.mark.parametrize("reader", ["points", "genes", "items"])
def test_the_numbers_of_the_rows_that_pandas_wrote_and_read_again_are_no_feature(tmp_path, reader):
    error, read = READERS[reader]
    path = tmp_path / "t.csv"
    header, *rows = table(".", ",", reader).splitlines()
    path.write_text("\n".join([f"Unnamed: 0,{header}", *(f"{k},{row}" for k, row in enumerate(rows))]) + "\n")
    with pytest.raises(error, match="the numbers of the rows"):
        read(path)


@pytest.mark.parametrize("reader", ["points", "genes", "items"])
def test_two_columns_of_one_name_are_refused(tmp_path, reader):
    error, read = READERS[reader]
    path = tmp_path / "t.csv"
    path.write_text(table(".", ",", reader).replace("label,g,h", "label,g,g"))
    with pytest.raises(error, match=r"expected names that differ, found 'g' for .*columns"):
        read(path)


@pytest.mark.parametrize("reader", ["points", "genes", "items", "features"])
def test_a_column_that_numbers_the_rows_is_no_feature_whatever_its_name(tmp_path, reader):
    error, read = READERS[reader] if reader != "features" else (FeatureError, read_own_features)
    path = tmp_path / "t.csv"
    header, *rows = table(".", ",", reader).splitlines()
    path.write_text("\n".join([f"{header},X", *(f"{row},{k + 1}" for k, row in enumerate(rows))]) + "\n")
    with pytest.raises(error, match=r"column 'X': .* numbers of the rows \(1, 2 \.\.\. 12\)"):
        read(path)


def test_the_numbers_of_the_rows_may_be_months_labels_or_dissimilarities(tmp_path):
    path = tmp_path / "t.csv"
    header, *rows = table(".", ",", "genes").splitlines()
    path.write_text("\n".join([f"{header},X", *(f"{row},{k + 1}" for k, row in enumerate(rows))]) + "\n")
    assert read_own_features(path, months="X", positive="a").months.tolist() == list(range(1, 13))
    names = [f"s{k}" for k in range(12)]
    line = [
        ["item", "label", *names],
        *([name, "ab"[k % 2], *(str(abs(k - j)) for j in range(12))] for k, name in enumerate(names)),
    ]
    path.write_text("\n".join(map(",".join, line)) + "\n")
    assert read_items({"name": "mine", "dissimilarities": path}).values[0].tolist() == list(range(12))


@pytest.mark.parametrize("reader", READERS)
def test_a_decimal_comma_gets_the_advice_to_write_a_point(tmp_path, reader):
    error, read = READERS[reader]
    path = tmp_path / "t.tsv"
    path.write_text(table(",", "\t", reader))
    with pytest.raises(error, match=r"t\.tsv.*Write decimals with a point, not with a comma\."):
        read(path)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("control", ["\x1b[2J", "\x07", "\u202e", "\u2066", "\x9b"])
@pytest.mark.parametrize("where", ["header", "row"])
def test_characters_that_a_terminal_or_a_browser_would_obey_are_refused(tmp_path, reader, control, where):
    error, read = READERS[reader]
    header, first, *rows = table(".", ",", reader).splitlines()
    header, first = (header + control, first) if where == "header" else (header, control + first)
    (tmp_path / "t.csv").write_text("\n".join([header, first, *rows]) + "\n", encoding="utf-8")
    with pytest.raises(error, match=r"t\.csv, line [12]: expected text without control characters, found \\") as raised:
        read(tmp_path / "t.csv")
    assert str(raised.value).isprintable()


def test_control_characters_in_labels_of_arrays_are_refused(tmp_path):
    np.save(tmp_path / "labels.npy", np.array(["a", "b\x1b[31m", "a"]))
    with pytest.raises(EmbeddingDataError, match=r"labels\.npy: expected text without control characters, found .x1b"):
        read_labels(tmp_path / "labels.npy")
