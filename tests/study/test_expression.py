"""Gene expression: what is written is read again in every format; each bad table gets one error that names it."""

import csv
import re
import warnings
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from consensus_embedding.utils.text import InputError
from replication.data.domains.gene_preparation import prepare_genes
from replication.data.readers.expression import load_split, read_split, save_split
from replication.data.readers.expression_table import ExpressionTable, SplitExpression, read_expression
from replication.data.readers.planted_expression import planted_expression
from scipy.io import arff

CSV = "class,part,g1,g2\nA,train,1,2\nB,Train,3,4\nA,TEST,5,6\nB,testing,7,8\n"
ARFF = "@relation r\n@attribute g1 numeric\n@attribute g2 numeric\n@attribute c {A,B}\n@data\n1,2,A\n3,4,B\n"
DATA = "1,2,A\n3,4,B\n"


def random_table(seed):
    """Numbers of many sizes, some missing, and names that need quotes."""
    rng = np.random.default_rng(seed)
    n_samples, n_genes = rng.integers(2, 9), rng.integers(1, 12)
    values = rng.standard_normal((n_samples, n_genes)) * 10.0 ** rng.integers(-9, 9, size=(n_samples, n_genes))
    values[:, 1:][rng.random((n_samples, n_genes - 1)) < 0.3] = np.nan
    genes = np.array([f"{k} of {rng.choice(['a b', 'a,b', '3_x', 'é'])}" for k in range(n_genes)])
    classes = rng.permutation(["non-relapse", "re lapse, late"] + ["non-relapse"] * (n_samples - 2))
    return ExpressionTable(values, genes, classes)


def cells_of(table, missing, rng):
    return [
        [str(rng.choice(missing)) if np.isnan(value) else repr(float(value)) for value in row] for row in table.values
    ]


def assert_same(found, expected, genes=None):
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.values.dtype == np.float64
    assert found.genes.tolist() == (expected.genes.tolist() if genes is None else genes)
    assert found.classes.tolist() == expected.classes.tolist()
    assert found.genes.dtype.kind == found.classes.dtype.kind == "U"


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("suffix", "delimiter"), [(".csv", ","), (".TSV", "\t")])
def test_a_delimited_table_is_read_as_it_was_written(tmp_path, seed, suffix, delimiter):
    table, rng = random_table(seed), np.random.default_rng(seed)
    position = int(rng.integers(0, len(table.genes) + 1))
    path = tmp_path / f"table{suffix}"
    with path.open("w", newline="", encoding=rng.choice(["utf-8", "utf-8-sig"])) as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator=rng.choice(["\n", "\r\n"]))
        header = table.genes.tolist()
        writer.writerow([*header[:position], "outcome", *header[position:]])
        for row, name in zip(cells_of(table, ["", "NA", "NaN", "nan", "?", " "], rng), table.classes, strict=True):
            writer.writerow([*row[:position], name, *row[position:]])
    found = read_expression(path, label="outcome")
    assert_same(found, table)
    assert found.splits is None


@pytest.mark.parametrize("seed", range(20))
def test_an_arff_table_is_read_as_it_was_written(tmp_path, seed):
    table, rng = random_table(seed), np.random.default_rng(seed)
    path, end = tmp_path / "table.arff", rng.choice(["\n", "\r\n"])
    quote = str(rng.choice(["'", '"']))
    lines = ["% comment", "@RELATION 'a table' ", ""]
    lines += [f"  @Attribute {quote}{gene}{quote}   {rng.choice(['numeric', 'REAL'])}" for gene in table.genes]
    lines += ["@attribute Class {non-relapse, 're lapse, late'}", "", "@DATA"]
    for row, name in zip(cells_of(table, ["?", ""], rng), table.classes, strict=True):
        lines += ["% a sample", ", ".join([*row, f"'{name}'" if "," in name else name]), ""]
    path.write_bytes(end.join(lines).encode())
    assert_same(read_expression(path), table)


@pytest.mark.parametrize("seed", range(20))
def test_a_data_file_is_read_as_it_was_written(tmp_path, seed):
    table, rng = random_table(seed), np.random.default_rng(seed)
    classes = np.char.replace(table.classes, ",", "")
    path = tmp_path / "table.data"
    rows = zip(cells_of(table, ["100", "100.0", "?", "1e2"], rng), classes, strict=True)
    end = str(rng.choice(["", "\n", "\n\n"]))
    path.write_text("\n".join(",".join([*row, name]) for row, name in rows) + end)
    expected = ExpressionTable(table.values, table.genes, classes)
    assert_same(read_expression(path, missing=100), expected, [f"gene {k + 1}" for k in range(len(table.genes))])


def test_arff_agrees_with_scipy(write):
    """scipy.io.arff reads the same file; it is the reference for what the format means."""
    rng = np.random.default_rng(0)
    header = "@relation x\n" + "".join(f"@attribute a{k} real\n" for k in range(7)) + "@attribute c {u,v}\n@data\n"
    rows = "".join(",".join([*(f"{x:.5g}" for x in rng.normal(size=7)), "uv"[k % 2]]) + "\n" for k in range(9))
    path = write("t.arff", header + rows.replace("u\n", "u\n%\n", 1))
    reference, _ = arff.loadarff(path)
    found = read_expression(path)
    np.testing.assert_array_equal(found.values, np.array(reference[[f"a{k}" for k in range(7)]].tolist()))
    assert found.classes.tolist() == [name.decode() for name in reference["c"]]


def test_the_class_and_the_split_of_an_arff_file_may_stand_anywhere(write):
    text = (
        "@relation r\n@attribute c{'A', B}\n@attribute who string\n@attribute part {train,test}\n"
        "@attribute g\\1 integer % measured\n@data\n'A','x, y',train,1\nB,\"z\",test,2\nB,,test,3\n"
    )
    found = read_expression(write("t.arff", text), label="c", split="part", drop=["who"])
    assert found.genes.tolist() == ["g\\1"]
    assert found.values.tolist() == [[1], [2], [3]]
    assert found.splits.tolist() == ["train", "test", "test"]
    assert found.classes.tolist() == ["A", "B", "B"]


LABEL, PART = {"label": "class"}, {"label": "class", "split": "part"}
# Name, content, options, and what the message names.
BAD_TABLES = [
    ("t.xlsx", "x", {}, r"\.data, \.arff, \.csv, \.tsv"),
    ("t.csv", "", LABEL, "expected a header and a row per sample, found 0"),
    ("t.data", " \n\n", {}, "empty file"),
    ("t.csv", b"class,g\nA,\xe9\n", LABEL, "UTF-8 .* found: .* byte 0xe9 in position 10"),
    ("t.data", b"1,A\n\xe9,B\n", {}, "UTF-8, found byte 0xe9 at position 4"),
    ("t.csv", CSV.replace("3,4", "3"), PART, "line 3: expected 4 cells.* found 3"),
    ("t.csv", CSV.replace("3,4", "3,4,9"), PART, "line 3: expected 4 cells.* found 5"),
    ("t.data", "1,2,A\n\n3,B\n", {}, "line 3: expected 3 cells, as in line 1, found 2"),
    ("t.arff", ARFF.replace("3,4,B", "3,B"), {}, "line 7: expected 3 cells, .* found 2"),
    ("t.data", "1,2,A\n3,4x,B\n", {}, "line 2, column 'gene 2': .* found '4x'"),
    ("t.data", "g1,g2,class\n1,2,A\n", {}, r"line 1, column 'gene 1': .* found 'g1'.* header.* \.csv"),
    ("t.data", "1,1_007,A\n3,4,B\n", {}, "line 1, column 'gene 2': .* found '1_007'"),
    ("t.arff", ARFF.replace("3,4,B", "3,four,B"), {}, "line 7, column 'g2': .* found 'four'"),
    ("t.csv", CSV, LABEL, "line 2, column 'part': .* found 'train'.* drop"),
    ("t.data", "1,1e160,A\n3,4,B\n", {}, r"line 1, column 'gene 2': .* up to 1e\+100, found 1e\+160"),
    ("t.data", "1,inf,A\n3,4,B\n", {}, "line 1, column 'gene 2': .* found inf"),
    ("t.data", "1,2,A\n3,-1e999,B\n", {}, "line 2, column 'gene 2': .* found -inf"),
    ("t.data", "1,2,A\n?,,B\n", {}, "line 2: .* all 2 missing"),
    ("t.data", "1,2,A\n7,7,B\n", {"missing": 7}, "line 2: .* all 2 missing"),
    ("t.data", DATA, {"missing": float("nan")}, "missing: .* found nan"),
    ("t.data", "1,2,A\n3,4,\n", {}, "line 2, column 'class': .* empty cell"),
    ("t.data", "1,2,?\n3,4,B\n", {}, r"line 1, column 'class': .* found '\?'"),
    ("t.csv", "g,c\n1,A\n2,NA\n", {"label": "c"}, "line 3, column 'c': .* found 'NA'"),
    ("t.data", "1,2,A\n3,4,A\n", {}, r"column 'class': .* found 1: 'A' \(2\)"),
    ("t.data", "1,A\n3,B\n4,C\n5,A\n", {}, r"found 3: 'A' \(2\), 'B' \(1\), 'C' \(1\).* positive"),
    ("t.data", "1,A\n3,B\n4,C\n", {"positive": "D"}, "'A'.* as positive, found 'D'"),
    ("t.data", "1,2,A\n3,4,A\n", {"positive": "B"}, r"found 1: 'A' \(2\)"),
    ("t.data", "A\nB\n", {}, "found only 'class'"),
    ("t.data", DATA, LABEL, "label, split and drop"),
    ("t.data", DATA, {"drop": ["gene 1"]}, "label, split and drop"),
    ("t.csv", CSV, {}, "label.*'class', 'part'"),
    ("t.csv", CSV, {"label": "clas"}, "label: .* 'clas', .*did you mean 'class'"),
    ("t.csv", CSV, {"label": "zzz"}, "label: .* 'zzz', .* 'class', 'part', 'g1'"),
    ("t.csv", CSV, LABEL | {"split": "parts"}, "split: .* 'parts'.*did you mean 'part'"),
    ("t.csv", CSV, LABEL | {"drop": ["prt"]}, "drop: .* 'prt'.*did you mean 'part'"),
    ("t.csv", CSV, LABEL | {"split": "class"}, "found 'class' twice"),
    ("t.tsv", CSV, LABEL, r"'class,part,g1,g2'.*tabs in \.tsv"),
    ("t.csv", "class,part\nA,train\nB,test\n", PART, "found only 'class', 'part'"),
    ("t.csv", "class,g\n", LABEL, "expected a header and a row per sample, found 1"),
    ("t.csv", ",g,class\n1,2,A\n", LABEL, "expected a name for every column, found ''"),
    ("t.csv", "class,g,h,g\nA,1,2,3\n", LABEL, "'g' for columns 2 and 4"),
    ("t.csv", 'class,g\n"A,1\nB,2\n', LABEL, "in the row after line 1: expected quotes that close"),
    ("t.csv", CSV.replace("Train", "both"), PART, "line 3, column 'part': .* 'both'"),
    ("t.csv", CSV.replace("TEST", ""), PART, "line 4, column 'part': .* empty cell"),
    ("t.csv", "class,part,g\nA,test,1\nB,Test,2\n", PART, "column 'part': .* found test in all 2 rows"),
    ("t.arff", ARFF.replace("g2", "g1"), {}, "'g1' for columns 1 and 2"),
    ("t.arff", ARFF.replace("1,2,A", "{0 1, 2 A}"), {}, "line 6: .*sparse"),
    ("t.arff", ARFF.replace("4,B", "4,C"), {}, "line 7, column 'c': .* 'A', 'B', .* found 'C'"),
    ("t.arff", ARFF.replace("{A,B}", "numeric"), {}, "expected the name of the column with the class"),
    ("t.arff", ARFF.replace("g2 numeric", "g2 string"), {}, "numeric attributes .* found 'g2'"),
    ("t.arff", ARFF.replace("g2 numeric", "g2"), {}, "line 3: .*'@attribute name numeric'.*'@attribute g2'"),
    ("t.arff", ARFF.replace("g2 numeric", "g 2 numeric"), {}, "line 3: .*blanks in quotes"),
    ("t.arff", ARFF.partition("@data")[0], {}, "'@data', found none"),
    ("t.arff", "@relation r\n@data\n1,A\n", {}, "line 2: .*@attribute lines before @data"),
    ("t.arff", ARFF.partition("1,2")[0], {}, "found none"),
]


@pytest.mark.parametrize(("name", "content", "options", "message"), BAD_TABLES)
def test_a_bad_table_gets_one_clear_error(write, name, content, options, message):
    path = write(name, content)
    with pytest.raises(InputError, match=message) as caught:
        read_expression(path, **options)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path / "folder.csv"):
        (tmp_path / "folder.csv").mkdir(exist_ok=True)
        with pytest.raises(InputError, match=f"{re.escape(str(path))} does not exist or is not a file"):
            read_expression(path, label="c")


def test_the_genes_of_the_test_file_are_put_in_the_order_of_the_training_file(write):
    training = write("train.csv", "c,g1,g2,g3\nA,1,2,3\nB,4,5,6\n")
    test = write("test.csv", "g3,c,g1,g2\n30,A,10,20\n60,B,40,50\n")
    split = read_split({"training": str(training), "test": str(test), "label": "c"})
    assert split.test.values.tolist() == [[10, 20, 30], [40, 50, 60]]
    assert split.test.genes.tolist() == split.training.genes.tolist() == ["g1", "g2", "g3"]


def test_names_of_one_file_serve_for_both(write):
    named, bare = write("a.arff", ARFF), write("b.data", "5,6,B\n7,8,A\n")
    for training, test in ((named, bare), (bare, named)):
        split = read_split({"training": training, "test": test})
        assert split.training.genes.tolist() == split.test.genes.tolist() == ["g1", "g2"]
    assert split.test.values.tolist() == [[1, 2], [3, 4]]


def test_genes_called_as_those_without_a_name_are_matched_by_name(write):
    """A CSV names its genes, whatever it calls them."""
    training = write("a.csv", "c,gene 1,gene 2\nA,1,2\nB,3,4\n")
    split = read_split({"training": training, "test": write("b.csv", "c,gene 2,gene 1\nA,2,1\nB,4,3\n"), "label": "c"})
    assert split.test.values.tolist() == split.training.values.tolist()
    with pytest.raises(InputError, match="without 'gene 1'"):
        read_split({"training": training, "test": write("c.csv", "c,TP53,ESR1\nA,2,1\nB,4,3\n"), "label": "c"})


def test_options_reach_both_files(write):
    text = "id,c,g1,g2\ns,A,100,2\nt,B,4,5\n"
    files = {"training": write("a.csv", text), "test": write("b.csv", text)}
    split = read_split({"name": "own", **files, "label": "c", "missing": 100, "drop": ["id"]})
    for table in (split.training, split.test):
        np.testing.assert_array_equal(table.values, [[np.nan, 2], [4, 5]])
        assert table.splits is None


@pytest.mark.parametrize(
    ("training", "test", "message"),
    [
        ("c,g1,g2\nA,1,2\nB,3,4\n", "c,g1,g9\nA,1,2\nB,3,4\n", r"test\.csv: expected the 2 genes.*without 'g2'"),
        ("c,g1,g2\nA,1,2\nB,3,4\n", "c,g1\nA,1\nB,3\n", r"test\.csv: expected the 2 genes.*found 1, without 'g2'"),
        ("c,g1\nA,1\nB,3\n", "c,g1,g2\nA,1,2\nB,3,4\n", r"train\.csv: expected the 2 genes.*found 1, without 'g2'"),
        ("c,g1\nA,1\nB,3\n", "c,g1\nA,1\nb,3\n", r"test\.csv: .* 'A' and 'B'.*found 'A' and 'b'"),
        ("c,g1\nA,1\nB,3\n", "c,g1\nA,1\nA,3\n", r"test\.csv, column 'c': expected two classes, found 1"),
        ("c,g1\nB,1\nB,3\n", "c,g1\nA,1\nB,3\n", r"train\.csv, column 'c': expected two classes, found 1"),
    ],
)
def test_sets_that_do_not_fit_are_refused(write, training, test, message):
    item = {"training": write("train.csv", training), "test": write("test.csv", test), "label": "c"}
    with pytest.raises(InputError, match=message):
        read_split(item)


def test_unnamed_sets_of_different_width_are_refused(write):
    item = {"training": write("a.data", DATA), "test": write("b.data", "1,A\n2,B\n")}
    with pytest.raises(InputError, match=r"b\.data: expected 2 genes, .*a\.data, found 1"):
        read_split(item)


def test_a_table_is_divided_by_its_split_column(write):
    split = read_split({"table": write("t.csv", CSV), "label": "class", "split": "part"})
    assert split.training.values.tolist() == [[1, 2], [3, 4]]
    assert split.test.values.tolist() == [[5, 6], [7, 8]]
    assert split.test.classes.tolist() == ["A", "B"]


@pytest.mark.parametrize(("part", "row"), [("train", 3), ("test", 5)])
def test_a_class_that_one_set_lacks_is_refused(write, part, row):
    lines = CSV.splitlines()
    lines[row - 1] = lines[row - 1].replace("B", "A")
    with pytest.raises(InputError, match=rf"the samples for {part}: expected two classes, found 1: 'A' \(2\)"):
        read_split({"table": write("t.csv", "\n".join(lines)), "label": "class", "split": "part"})


@pytest.mark.parametrize("seed", range(8))
def test_without_a_split_column_half_of_each_class_is_for_training(write, seed):
    n_first, n_second = np.random.default_rng(seed).integers(2, 12, size=2)
    names = np.random.default_rng(seed).permutation(["A"] * n_first + ["B"] * n_second)
    path = write("t.csv", "c,g\n" + "".join(f"{name},{k + 0.5}\n" for k, name in enumerate(names)))
    split = read_split({"table": path, "label": "c"}, seed=seed)
    rows = [table.values[:, 0].astype(int) for table in (split.training, split.test)]
    assert sorted(np.concatenate(rows)) == list(range(len(names)))
    for table, chosen in zip((split.training, split.test), rows, strict=True):
        assert (np.diff(chosen) > 0).all()
        assert table.classes.tolist() == names[chosen].tolist()
    assert Counter(split.training.classes.tolist()) == {"A": (n_first + 1) // 2, "B": (n_second + 1) // 2}
    again = read_split({"table": path, "label": "c"}, seed=seed)
    np.testing.assert_array_equal(again.training.values, split.training.values)


def test_other_seeds_draw_other_halves(write):
    path = write("t.csv", "c,g\n" + "".join(f"{'AB'[k % 2]},{40 - k}\n" for k in range(40)))
    halves = {tuple(read_split({"table": path, "label": "c"}, seed=seed).training.values[:, 0]) for seed in range(5)}
    assert len(halves) == 5


def test_a_class_of_one_sample_cannot_be_halved(write):
    path = write("t.csv", "c,g\nA,1\nA,2\nB,3\n")
    with pytest.raises(InputError, match="expected at least two samples of class 'B' for random halves, found 1"):
        read_split({"table": path, "label": "c"})


def test_a_planted_item_takes_the_seed_of_the_study_unless_it_has_one():
    settings = {"n_genes": 5, "n_informative": 2, "effect": 1.0, "training": [2, 3], "test": [3, 2]}
    expected = planted_expression(**settings, seed=3)
    for found in (read_split({"planted": settings}, seed=3), read_split({"planted": {**settings, "seed": 3}}, seed=9)):
        np.testing.assert_array_equal(found.test.values, expected.test.values)


@pytest.fixture
def split():
    training, test = random_table(3), random_table(4)
    test = ExpressionTable(np.resize(test.values, (5, len(training.genes))), training.genes, np.resize(["é", "B"], 5))
    return SplitExpression(training, test)


def test_a_split_is_loaded_as_it_was_saved(tmp_path, split):
    """Twice the same bytes, without pickles, and nothing else in the folder."""
    paths = [tmp_path / "new" / name for name in ("a.npz", "b.npz")]
    for path in paths:
        save_split(path, split)
        loaded = load_split(path)
        assert_same(loaded.training, split.training)
        assert_same(loaded.test, split.test)
    assert sorted(file.name for file in paths[0].parent.iterdir()) == ["a.npz", "b.npz"]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with np.load(paths[0], allow_pickle=False) as arrays:
        assert {arrays[name].dtype.kind for name in arrays.files} == {"f", "U"}


def graded(write, names, name="t.csv"):
    """A table of twelve samples whose grades repeat the names."""
    rows = [f"{k}.5,{k * k % 7},{names[k % len(names)]}" for k in range(12)]
    return write(name, "\n".join(["a,b,grade", *rows]) + "\n")


@pytest.mark.parametrize("names", [["cancer", "normal"], ["cancer", "normal", "other"]])
@pytest.mark.parametrize("form", ["files", "column", "halves"])
def test_the_class_that_is_named_is_the_positive_one(tmp_path, names, form):
    """Whatever its first letter, also after the split was saved."""
    path = tmp_path / "t.csv"
    rows = [f"{names[k % len(names)]},{24 - k},{k * k % 7},{'test' if k >= 12 else 'train'}" for k in range(24)]
    path.write_text("\n".join(["class,a,b,part", *rows]) + "\n")
    item = {
        "files": {"training": path, "test": path, "drop": ["part"]},
        "column": {"table": path, "split": "part"},
        "halves": {"table": path, "drop": ["part"]},
    }[form] | {"label": "class"}
    for positive in (*names, None) if len(names) == 2 else names:
        split = read_split(item | {"positive": positive})
        save_split(tmp_path / "split.npz", split)
        for found in (split, load_split(tmp_path / "split.npz")):
            genes = prepare_genes(found, n_genes=1, pruning="training", transform="none", standardization="split")
            assert genes.classes == found.classes
            assert genes.classes[1] == (positive or "normal")
            np.testing.assert_array_equal(genes.training_positive, split.training.classes == genes.classes[1])
            np.testing.assert_array_equal(genes.test_positive, split.test.classes == genes.classes[1])
    with pytest.raises(InputError, match=r"column 'class': expected one of the classes 'cancer', 'normal'"):
        read_split(item | {"positive": "typo"})


@pytest.mark.parametrize("name", ["n/a", "Unknown", "unlabelled", "NA", "?"])
def test_a_class_that_is_unknown_does_not_count_as_another_than_the_positive_one(write, name):
    with pytest.raises(InputError, match=rf"line 4, column 'grade': .* found '{re.escape(name)}'"):
        read_expression(graded(write, ["x", "y", name]), label="grade", positive="x")


def test_the_positive_class_in_two_spellings_is_refused_or_warned_of(write):
    names = ["benign"] * 6 + ["malignant"] * 5
    with pytest.raises(InputError, match="'benign' throughout, found also 'Benign'"):
        read_expression(graded(write, [*names, "Benign"]), label="grade", positive="benign")
    with pytest.raises(InputError, match=r"'1' throughout, found also '1\.0'"):
        read_expression(graded(write, ["1", "1.0", "0"] * 3), label="grade", positive="1")
    with pytest.warns(UserWarning, match=r"'benin' \(1\) and 'benign' \(6\)"):
        read_expression(graded(write, [*names, "benin"]), label="grade", positive="benign")
    with pytest.warns(UserWarning, match=r"'Yes' \(6\) and 'yes' \(6\)"):
        read_expression(graded(write, ["yes", "Yes"]), label="grade")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_expression(graded(write, [*names, "other"]), label="grade", positive="benign")


def training_and_test(write, training, test):
    files = {"training": graded(write, training, "training.csv"), "test": graded(write, test, "test.csv")}
    return {**files, "label": "grade", "positive": "A"}


@pytest.mark.parametrize(("training", "test"), [("ABC", "AB"), ("ABC", "AC"), ("AB", "ABC"), ("ABC", "BCAD")])
def test_one_class_is_set_against_all_others_in_both_files_if_either_has_more_than_two(write, training, test):
    split = read_split(training_and_test(write, training, test))
    assert split.classes == ("not A", "A")
    for table, names in ((split.training, training), (split.test, test)):
        assert table.classes.tolist() == ["A" if names[k % len(names)] == "A" else "not A" for k in range(12)]


@pytest.mark.parametrize(
    ("training", "test", "message"),
    [
        ("AB", "Ab", r"test\.csv: .* 'A' and 'B', as in .* 'A' and 'b'"),
        ("ABC", "BC", r"test\.csv, column 'grade': .* 'A', as in .* 'B', 'C'"),
        ("BC", "ABC", r"training\.csv, column 'grade': .* 'A', as in .* 'B', 'C'"),
    ],
)
def test_a_file_without_the_classes_of_the_other_is_named(write, training, test, message):
    with pytest.raises(InputError, match=message):
        read_split(training_and_test(write, training, test))


def test_a_positive_class_that_a_split_lacks_is_refused(split):
    with pytest.raises(ValueError, match=r"expected one of the classes 'non-relapse', .* as positive, found 'typo'"):
        _ = replace(split, training=replace(split.training, positive="typo")).classes
