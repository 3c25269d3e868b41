"""Tables as European spreadsheets and other programs write them: each reader says what to do about the format."""

import numpy as np
import pytest
from consensus_embedding.io.embedding_table import read_labels, read_points
from consensus_embedding.utils.text import InputError
from replication.data.feature_set import read_feature_set
from replication.data.readers.expression_table import read_expression
from replication.data.readers.item_table import read_items
from replication.data.readers.spectra import read_own_study

READERS = {
    "points": lambda path: read_points(path, id="item", label="label"),
    "genes": lambda path: read_expression(path, label="label", drop=["item"]),
    "items": lambda path: read_items({"name": "mine", "table": path}),
    "spectra": lambda path: read_own_study({"name": "mine", "table": path}),
}


def read_own_features(path, **options):
    item = {"name": "mine", "table": path, "label": "label", "drop": ["item"], **options}
    return read_feature_set(item, halve_gisette=False)


def table(decimal, separator, reader):
    rows = [["item", "label", "g", "h"], *([f"s{k}", "ab"[k % 2], f"{k}.5", f"{k * k}.25"] for k in range(12))]
    if reader == "spectra":
        rows = [["x", "y", "z", "1.5"], *([f"{k}", "0", "0", f"{k}.5"] for k in range(12))]
    return "\n".join(separator.join(cell.replace(".", decimal) for cell in row) for row in rows) + "\n"


def numbered(reader, before):
    """A table whose rows are numbered in the first column, as pandas does, or in the last."""
    header, *rows = table(".", ",", reader).splitlines()
    if before:
        return "\n".join([f"Unnamed: 0,{header}", *(f"{k},{row}" for k, row in enumerate(rows))]) + "\n"
    return "\n".join([f"{header},X", *(f"{row},{k}" for k, row in enumerate(rows, 1))]) + "\n"


TABLES = ["points", "genes", "items"]
COMMAS = r"t\.csv.*(?i:separate columns by commas in \.csv, by tabs in \.tsv)"
ONE_TO_TWELVE = r"column 'X': .* numbers of the rows \(1, 2 \.\.\. 12\)"
FAULTS = {
    "semicolons": (READERS, "t.csv", lambda reader: table(".", ";", reader), COMMAS),
    "semicolons and decimal commas": (READERS, "t.csv", lambda reader: table(",", ";", reader), COMMAS),
    "decimal commas": (READERS, "t.tsv", lambda reader: table(",", "\t", reader), r"t\.tsv.*decimals with a point"),
    "commas in thousands": (
        [*TABLES, "features"],
        "t.csv",
        lambda reader: table(".", ",", reader).replace("121.25", '"1,210,121.25"'),
        "and thousands without a comma",
    ),
    "a comment": (TABLES, "t.csv", lambda reader: "#a\n" + table(".", ",", reader), "line 1: .*'#a'"),
    "a word below a blank line": (
        [*READERS, "features"],
        "t.csv",
        lambda reader: table(".", ",", reader).replace("\n", "\n\n", 1).replace("11.5", "high"),
        "line 14, .*'high'",
    ),
    "numbers without a name": (TABLES, "t.csv", lambda reader: numbered(reader, True), "the numbers of the rows"),
    "numbers with a name": ([*TABLES, "features"], "t.csv", lambda reader: numbered(reader, False), ONE_TO_TWELVE),
    "two columns of one name": (
        TABLES,
        "t.csv",
        lambda reader: table(".", ",", reader).replace("h\n", "g\n", 1),
        "'g'",
    ),
}


@pytest.mark.parametrize(("fault", "reader"), [(fault, reader) for fault in FAULTS for reader in FAULTS[fault][0]])
def test_what_spreadsheets_and_other_programs_write_is_refused_with_what_to_do(tmp_path, fault, reader):
    _, name, content, words = FAULTS[fault]
    (tmp_path / name).write_text(content(reader))
    with pytest.raises(InputError, match=words):
        READERS.get(reader, read_own_features)(tmp_path / name)


def test_the_numbers_of_the_rows_may_be_months_labels_or_dissimilarities(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(numbered("genes", False))
    assert read_own_features(path, months="X", positive="a").months.tolist() == list(range(1, 13))
    names = [f"s{k}" for k in range(12)]
    line = [
        ["item", "label", *names],
        *([name, "ab"[k % 2], *(str(abs(k - j)) for j in range(12))] for k, name in enumerate(names)),
    ]
    path.write_text("\n".join(map(",".join, line)) + "\n")
    assert read_items({"name": "mine", "dissimilarities": path}).values[0].tolist() == list(range(12))


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("control", ["\x1b[2J", "\x07", "\u202e", "\u2066", "\x9b"])
@pytest.mark.parametrize("where", ["header", "row"])
def test_characters_that_a_terminal_or_a_browser_would_obey_are_refused(tmp_path, reader, control, where):
    header, first, *rows = table(".", ",", reader).splitlines()
    header, first = (header + control, first) if where == "header" else (header, control + first)
    (tmp_path / "t.csv").write_text("\n".join([header, first, *rows]) + "\n", encoding="utf-8")
    words = r"t\.csv, line [12]: expected text without control characters, found \\"
    with pytest.raises(InputError, match=words) as raised:
        READERS[reader](tmp_path / "t.csv")
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("reader", READERS)
def test_a_carriage_return_in_quotes_is_refused_where_it_would_end_a_line_of_results(tmp_path, reader):
    header, first, *rows = table(".", ",", reader).splitlines()
    for lines in ([f'"a\rb",{header}', f"1,{first}"], [header, f'"a\rb",{first.split(",", 1)[1]}']):
        (tmp_path / "t.csv").write_bytes("\n".join([*lines, *rows]).encode())
        with pytest.raises(InputError, match=r"t\.csv, line [23]: expected text without control .* found \\r"):
            READERS[reader](tmp_path / "t.csv")


def test_a_cell_may_have_several_lines(tmp_path):
    for end in "\n", "\r\n":
        (tmp_path / "t.csv").write_bytes(
            f'item,label,x,note{end}a,k,1,"of{end}two"{end}b,l,3,{end}c,k,6,{end}'.encode()
        )
        assert read_points(tmp_path / "t.csv", id="item", label="label", drop=["note"]).values.tolist() == [
            [1],
            [3],
            [6],
        ]


def test_control_characters_in_labels_of_arrays_are_refused(tmp_path):
    np.save(tmp_path / "labels.npy", np.array(["a", "b\x1b[31m", "a"]))
    with pytest.raises(InputError, match=r"labels\.npy: expected text without control characters, found .x1b"):
        read_labels(tmp_path / "labels.npy")
