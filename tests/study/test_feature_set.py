"""Sets of features: what is written is read again, from every source; each bad set gets one error that names it."""

import dataclasses

import numpy as np
import pytest
from consensus_embedding.utils.text import InputError
from replication.data import feature_set as module
from replication.data.feature_set import load_feature_set, read_feature_set, save_feature_set
from replication.data.readers.expression import load_split, save_split
from replication.data.readers.expression_table import ExpressionTable, SplitExpression
from replication.data.readers.feature_table import FeatureSet, check_feature_set

CSV = (
    "patient,state,part,time,f1,f2\n"
    "p1,well,train,10,1,2\np2,ill,train,3.5,2,1\np3,ill,Training,4,3,5\np4,well,train,20,5,5\n"
    "p5,well,test,11,7,1\np6,ill,test,5,8,2\np7,ill,test,6,9,3\np8,well,testing,9,1,1\n"
)
OPTIONS = {"label": "state", "drop": ["patient"]}


def small_set(**changes):
    """Eight samples of three features."""
    rng = np.random.default_rng(0)
    parts = {
        "values": rng.standard_normal((8, 3)),
        "labels": np.array([1, -1, 1, -1, 1, -1, 1, -1]),
        "features": np.array(["a", "b", "größe"]),
        "classes": np.array(["no", "yes"]),
    }
    return FeatureSet(**{**parts, **changes})


FULL = {
    "validation": np.arange(8) >= 4,
    "months": np.arange(1.0, 9.0),
    "truth": np.array([True, False, True]),
}


def assert_same(found, expected):
    for field in dataclasses.fields(FeatureSet):
        one, other = getattr(found, field.name), getattr(expected, field.name)
        if other is None:
            assert one is None
        else:
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype


def read(item, seed=0):
    return read_feature_set({"name": "mine", **item}, halve_gisette=False, seed=seed)


# Parts, and the file.


def test_parts():
    data = small_set(**FULL)
    for (X, y), rows in ((data.training_part(), slice(4)), (data.validation_part(), slice(4, None))):
        np.testing.assert_array_equal(X, data.values[rows])
        np.testing.assert_array_equal(y, data.labels[rows])
    mixed = small_set(validation=np.array([0, 1, 0, 1, 1, 0, 1, 0], dtype=bool))
    np.testing.assert_array_equal(mixed.validation_part()[0], mixed.values[[1, 3, 4, 6]])
    np.testing.assert_array_equal(mixed.training_part()[1], mixed.labels[[0, 2, 5, 7]])


def test_without_a_split_all_samples_are_for_training():
    data = small_set()
    assert data.training_part()[0].shape == (8, 3)
    with pytest.raises(InputError, match=r"expected a set with a validation part, found one without a split"):
        data.validation_part()


@pytest.mark.parametrize("parts", [{}, FULL, {"months": FULL["months"]}])
def test_what_is_saved_is_loaded(tmp_path, parts):
    data = small_set(**parts)
    path = tmp_path / "new" / "set.npz"
    save_feature_set(path, data)
    assert_same(load_feature_set(path), data)
    first = path.read_bytes()
    save_feature_set(path, data)
    assert path.read_bytes() == first
    assert [entry.name for entry in path.parent.iterdir()] == ["set.npz"]


def test_names_given_as_objects_need_no_pickles(tmp_path):
    save_feature_set(tmp_path / "set.npz", small_set(features=np.array(["a", "b", "c"], dtype=object)))
    assert load_feature_set(tmp_path / "set.npz").features.tolist() == ["a", "b", "c"]


def test_other_labels_in_a_file_are_refused(tmp_path):
    save_feature_set(tmp_path / "bad.npz", small_set(labels=np.array([0, 1] * 4)))
    with pytest.raises(InputError, match=r"bad\.npz: expected labels -1 and 1, found 0"):
        load_feature_set(tmp_path / "bad.npz")


# Checks.


def changed(array, index, value):
    copy = array.copy()
    copy[index] = value
    return copy


def test_one_constant_feature_is_allowed():
    assert check_feature_set(small_set(values=changed(small_set().values, (slice(None), 1), 4.0)), "set") is None


VALUES, LABELS, HALVES = small_set().values, small_set().labels, FULL["validation"]
SPLITS = {
    one: np.isin(np.arange(8), rows) for one, rows in {"few ill": [5, 6, 7], "few to learn": [2, 4, 5, 6, 7]}.items()
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"values": np.zeros((8, 0))}, r"values of shape .* found \(8, 0\)"),
        ({"values": changed(VALUES, ([2, 5], [1, 0]), np.nan)}, "sample 3, feature 'b': .* found nan .2 of 24 values"),
        ({"values": changed(VALUES, (7, 2), -np.inf)}, "sample 8, feature 'größe': .* found -inf"),
        ({"labels": changed(LABELS, 3, 2)}, "labels -1 and 1, found 2"),
        ({"features": np.array(["a", "b", "a"])}, "found 2 features 'a'"),
        ({"labels": np.array([1] + [-1] * 7)}, "at least 3 .* 'yes' .label 1., found 1 among 8"),
        ({"labels": np.array([1, 1] + [-1] * 6)}, "at least 3 .* 'yes' .label 1., found 2 among 8"),
        ({"labels": np.ones(8, dtype=int)}, "at least 3 .* 'no' .label -1., found 0 among 8"),
        ({"validation": SPLITS["few ill"]}, "validation part: .*at least 2 .* 'yes' .label 1., found 1 among 3"),
        ({"validation": SPLITS["few to learn"]}, "training part: .*at least 2 .* 'yes' .label 1., found 1 among 3"),
        ({"validation": np.zeros(8, dtype=bool)}, "validation part: .* found 0 among 0"),
        ({"values": np.tile([1.0, 2.0, 3.0], (8, 1))}, "found all 3 constant"),
        ({"values": changed(VALUES, slice(4), 1.0), "validation": HALVES}, "training part: .* all 3 constant"),
        ({"months": changed(FULL["months"], 2, 0.0)}, "sample 3: expected months .* found 0"),
        ({"months": changed(FULL["months"], 4, np.nan)}, "sample 5: expected months .* found nan"),
    ],
)
def test_bad_sets(changes, message):
    with pytest.raises(InputError, match=f"^set.*{message}"):
        check_feature_set(small_set(**changes), "set")


# Tables.


def test_a_table_with_all_its_columns(write):
    data = read({"table": str(write("t.csv", CSV)), **OPTIONS, "split": "part", "months": "time", "positive": "ill"})
    np.testing.assert_array_equal(data.values, [[1, 2], [2, 1], [3, 5], [5, 5], [7, 1], [8, 2], [9, 3], [1, 1]])
    np.testing.assert_array_equal(data.labels, [-1, 1, 1, -1, -1, 1, 1, -1])
    np.testing.assert_array_equal(data.validation, np.arange(8) >= 4)
    np.testing.assert_array_equal(data.months, [10, 3.5, 4, 20, 11, 5, 6, 9])
    assert data.features.tolist() == ["f1", "f2"]
    assert data.classes.tolist() == ["well", "ill"]
    assert (data.values.dtype, data.labels.dtype) == (np.float64, np.int64)


def test_only_names_in_sorted_order_say_which_class_has_the_event(write):
    def of(well, ill):
        content = CSV.replace("well", well).replace("ill", ill)
        return read({"table": str(write("t.csv", content)), **OPTIONS, "split": "part", "months": "time"})

    assert of("No", "yes").classes.tolist() == ["No", "yes"]
    # Capitals sort first: "no" would have the event.
    with pytest.raises(InputError, match="expected the class that has the event"):
        of("no", "Yes")


def test_without_more_words_the_second_class_in_sorted_order_is_positive(write):
    table = str(write("t.csv", CSV))
    data = read({"table": table, "label": "state", "drop": ["patient", "part"]})
    assert data.classes.tolist() == ["ill", "well"]
    np.testing.assert_array_equal(data.labels, [1, -1, -1, 1, 1, -1, -1, 1])
    assert data.features.tolist() == ["time", "f1", "f2"]
    assert data.validation is None
    assert data.months is None


def test_other_formats(write):
    tsv = write("t.tsv", "c\tf 1\n1\t2\n1\t3\n0\t4\n0\t5\n1\t6\n0\t7\n")
    data = read({"table": str(tsv), "label": "c", "positive": 0})
    assert data.classes.tolist() == ["1", "0"]
    np.testing.assert_array_equal(data.labels, [-1, -1, 1, 1, -1, 1])
    lines = [f"{k},{'xy'[k % 2]}\n" for k in range(6)]
    arff = write("t.arff", "".join(["@relation r\n@attribute f numeric\n@attribute c {x,y}\n@data\n", *lines]))
    np.testing.assert_array_equal(read({"table": str(arff)}).labels, [-1, 1, -1, 1, -1, 1])


EVENTS = {"months": "time", "positive": "ill"}


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (("2,1\n", "2,\n"), {}, r"feature set mine, \S+/t\.csv, line 3, feature 'f2': .* found nan"),
        (("2,1\n", "2,99\n"), {"missing": 99}, "line 3, feature 'f2': .* found nan"),
        (("2,1\n", "2,high\n"), {}, "line 3, column 'f2': .* found 'high'.* drop"),
        (("2,1\n", "2,inf\n"), {}, "found inf"),
        (None, {"months": "time"}, "positive: expected the class that has the event, .* 'ill', 'well'"),
        (("3.5", "?"), EVENTS, "line 3: expected months .* found nan"),
        (("3.5", "-1"), EVENTS, "line 3: expected months .* found -1"),
        (None, {"drop": ["patient", "part", "time", "f1", "f2"]}, "found only 'state', 'patient'"),
        (None, EVENTS | {"drop": ["patient", "part", "f1", "f2"]}, r"found \(8, 0\)"),
        (None, {"months": "years"}, r"months: .* 'years' in .*t\.csv, found none"),
        (None, {"positive": "dead"}, "'state': .* 'ill', 'well' as positive, found 'dead'"),
        (None, {"label": "status"}, "'status', found none; did you mean 'state'"),
        (
            ("p5,well,test", "p5,ill,test"),
            {"split": "part", "drop": ["patient"]},
            "validation part: .* found 1 among 4",
        ),
        (("p2,ill", "p2,dying"), {}, "expected two classes, found 3"),
        (("test", "train"), {"split": "part", "drop": ["patient"]}, "rounds that are tested on the samples"),
    ],
)
def test_bad_tables(write, change, options, message):
    content = CSV.replace(*change) if change else CSV
    item = {"table": str(write("t.csv", content)), "label": "state", "drop": ["patient", "part"], **options}
    with pytest.raises(ValueError, match=message):
        read(item)


# Genes.


@pytest.fixture
def genes(tmp_path):
    """A file of genes, three of ten with a missing value; its values, training samples first, and its path."""
    rng = np.random.default_rng(1)
    values = rng.standard_normal((7, 10))
    values[1, 2], values[6, 5], values[0, 9] = np.nan, np.nan, np.nan
    classes = np.array(["relapse", "non-relapse", "relapse", "non-relapse", "relapse", "relapse", "non-relapse"])
    names = np.array([f"g{k}" for k in range(10)])
    parts = (ExpressionTable(values[rows], names, classes[rows]) for rows in (slice(4), slice(4, None)))
    save_split(tmp_path / "genes.npz", SplitExpression(*parts))
    return values, classes, str(tmp_path / "genes.npz")


def test_genes_of_both_parts_without_missing_values(genes):
    values, classes, path = genes
    data = read({"expression": path})
    whole = [0, 1, 3, 4, 6, 7, 8]
    np.testing.assert_array_equal(data.values, values[:, whole])
    assert data.features.tolist() == [f"g{k}" for k in whole]
    np.testing.assert_array_equal(data.labels, np.where(classes == "relapse", 1, -1))
    assert data.classes.tolist() == ["non-relapse", "relapse"]
    assert data.validation is None
    other = read({"expression": path, "positive": "non-relapse"})
    np.testing.assert_array_equal(other.labels, -data.labels)
    split = load_split(path)
    training = dataclasses.replace(split.training, positive="non-relapse")
    save_split(path, SplitExpression(training, split.test))
    np.testing.assert_array_equal(read({"expression": path}).labels, -data.labels)
    np.testing.assert_array_equal(read({"expression": path, "positive": "relapse"}).labels, data.labels)
    with pytest.raises(InputError, match=r"positive: expected 'non-relapse' or 'relapse', found 'dead'"):
        read({"expression": path, "positive": "dead"})


def test_genes_are_drawn_and_kept_in_the_order_of_the_file(genes):
    values, _, path = genes
    draws = [read({"expression": path, "genes": 4}, seed) for seed in range(12)]
    for data in draws:
        positions = [int(name[1:]) for name in data.features]
        assert positions == sorted(set(positions))
        assert set(positions) <= {0, 1, 3, 4, 6, 7, 8}
        np.testing.assert_array_equal(data.values, values[:, positions])
    drawn = [tuple(data.features) for data in draws]
    assert len(set(drawn)) > 1
    assert set(np.concatenate(drawn)) == {f"g{k}" for k in (0, 1, 3, 4, 6, 7, 8)}
    np.testing.assert_array_equal(read({"expression": path, "genes": 4}, 3).features, drawn[3])
    np.testing.assert_array_equal(read({"expression": path, "genes": 7}).values, read({"expression": path}).values)


@pytest.mark.parametrize("n_genes", [0, 8])
def test_as_many_genes_as_there_are(genes, n_genes):
    with pytest.raises(InputError, match=f"feature set mine, genes: expected 1 to 7, .*found {n_genes}"):
        read({"expression": genes[2], "genes": n_genes})


# Sources.


def test_the_patients_of_gse7390(tmp_path, monkeypatch):
    """Genes are features, clinical columns are not; label 1 is metastasis, days become months."""
    lines = [
        "@relation tdm.data",
        *("@attribute age numeric", "@attribute size numeric", "@attribute grade {well,poor}"),
        *("@attribute er {no,yes}", "@attribute t.tdm numeric", "@attribute e.tdm {0,1}"),
        *("@attribute X219340_s_at numeric", "@attribute b numeric"),
        "@data",
        *("57,3,well,no,365.25,1,7.0,9.9", "44,2,poor,yes,730.5,0,7.5,6.5"),
        *("39,1,poor,yes,1461,1,8.5,6.0", "40,1,poor,yes,2922,0,8.0,6.1"),
        *("41,1,poor,yes,365.25,1,9.0,5.0", "42,1,poor,yes,365.25,0,9.5,5.1"),
    ]
    path = tmp_path / module.GSE7390["table"]
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines) + "\n")
    monkeypatch.chdir(tmp_path)
    found = read_feature_set({"name": "m", "gse7390": "metastasis"}, halve_gisette=False)
    np.testing.assert_array_equal(
        found.values, [[7.0, 9.9], [7.5, 6.5], [8.5, 6.0], [8.0, 6.1], [9.0, 5.0], [9.5, 5.1]]
    )
    np.testing.assert_array_equal(found.labels, [1, -1, 1, -1, 1, -1])
    np.testing.assert_allclose(found.months, [12, 24, 48, 96, 12, 12])
    assert found.features.tolist() == ["X219340_s_at", "b"]
    assert found.classes.tolist() == ["none", "metastasis"]
