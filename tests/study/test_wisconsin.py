"""Wisconsin sets: rows are read as scikit-learn's copy has them; each bad line gets one error that names it."""

import re

import numpy as np
import pytest
from replication.data.feature_set import read_feature_set
from replication.data.readers.feature_table import FeatureError
from replication.data.wisconsin import (
    FEATURES,
    bundled_diagnostic,
    read_diagnostic,
    read_prognostic,
    read_wisconsin,
)
from sklearn.datasets import load_breast_cancer


def diagnostic_rows(values, codes):
    return [
        ",".join([str(842302 + k), code, *map(repr, row)])
        for k, (row, code) in enumerate(zip(values.tolist(), codes, strict=True))
    ]


def prognostic_rows(values, codes, months, nodes):
    return [
        ",".join([str(8423 + k), code, str(month), *map(repr, row), "2.5", str(node)])
        for k, (row, code, month, node) in enumerate(zip(values.tolist(), codes, months, nodes, strict=True))
    ]


VALUES = np.random.default_rng(0).uniform(0.001, 2000.0, (6, 30))
DIAGNOSTIC = diagnostic_rows(VALUES, "MBBMMB")
PROGNOSTIC = prognostic_rows(VALUES, "NRNNRR", [31, 61, 116, 1, 27, 125], [5, "?", 0, 27, "?", 1])


def changed(rows, k, column, cell):
    cells = rows[k].split(",")
    cells[column] = cell
    return "\n".join([*rows[:k], ",".join(cells), *rows[k + 1 :]]) + "\n"


def test_the_diagnostic_set(write):
    read = read_diagnostic(write("wdbc.data", "\n".join(DIAGNOSTIC) + "\n"))
    np.testing.assert_array_equal(read.values, VALUES)
    np.testing.assert_array_equal(read.labels, [1, -1, -1, 1, 1, -1])
    assert read.classes.tolist() == ["benign", "malignant"]
    assert read.months is None
    assert read.validation is None
    assert (read.values.dtype, read.labels.dtype) == (np.float64, np.int64)


def test_the_prognostic_set_leaves_tumour_size_and_nodes_out(write):
    read = read_prognostic(write("wpbc.data", "\n".join(PROGNOSTIC)))
    np.testing.assert_array_equal(read.values, VALUES)
    np.testing.assert_array_equal(read.labels, [-1, 1, -1, -1, 1, 1])
    np.testing.assert_array_equal(read.months, [31, 61, 116, 1, 27, 125])
    assert read.classes.tolist() == ["no recurrence", "recurrence"]
    assert read.features.tolist() == list(FEATURES)


def test_a_file_in_the_format_of_the_set_equals_the_copy_of_scikit_learn(write):
    """The bundled values, written as the set writes them: same names, same labels, same order."""
    bundle = load_breast_cancer()
    codes = np.array(["M", "B"])[bundle.target]
    read = read_diagnostic(write("wdbc.data", "\n".join(diagnostic_rows(bundle.data, codes)) + "\n"))
    bundled = bundled_diagnostic()
    for part in ("values", "labels", "features", "classes"):
        np.testing.assert_array_equal(getattr(read, part), getattr(bundled, part))
        assert getattr(read, part).dtype.kind == getattr(bundled, part).dtype.kind


def test_the_bundled_copy():
    bundled = bundled_diagnostic()
    assert bundled.values.shape == (569, 30)
    assert np.count_nonzero(bundled.labels == 1) == 212
    assert bundled.labels.dtype == np.int64
    assert bundled.features[[0, 10, 20, 27]].tolist() == [
        *("mean radius", "radius error", "worst radius", "worst concave points"),
    ]
    malignant = bundled.labels == 1
    assert bundled.values[malignant, 0].mean() > bundled.values[~malignant, 0].mean()
    read = read_feature_set({"name": "s1", "scikit_learn": "breast_cancer"}, halve_gisette=False)
    np.testing.assert_array_equal(read.values, bundled.values)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r": expected a line per sample, found none"),
        (b"\xff", r" cannot be read: expected plain text, found: "),
        (
            "\n".join([*DIAGNOSTIC[:2], "842304,M,1,2"]),
            r", line 3: expected 32 cells, found 4\. Delete the file and fetch it again; .*cut off",
        ),
        ("\n".join(PROGNOSTIC), r", line 1: expected 32 cells, found 35"),
        (changed(DIAGNOSTIC, 1, 1, "X"), r", line 2: expected the diagnosis B or M, found 'X'"),
        (changed(DIAGNOSTIC, 1, 1, ""), r", line 2: expected the diagnosis B or M, found an empty cell"),
        (changed(DIAGNOSTIC, 4, 2, "?"), r", line 5, mean radius: expected a finite number, found '\?'"),
        (
            changed(DIAGNOSTIC, 0, 31, "nan"),
            r", line 1, worst fractal dimension: expected a finite number, found 'nan'",
        ),
        ("\n".join(DIAGNOSTIC[:3]), r": expected at least 3 samples of class 'benign' \(label -1\), found 2 among 3"),
    ],
)
def test_bad_diagnostic_files(write, content, message):
    path = write("wdbc.data", content)
    with pytest.raises(FeatureError, match=re.escape(str(path)) + message):
        read_diagnostic(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("\n".join(DIAGNOSTIC), r", line 1: expected 35 cells, found 32"),
        (changed(PROGNOSTIC, 1, 1, "M"), r", line 2: expected the outcome N or R, found 'M'"),
        (changed(PROGNOSTIC, 1, 2, "?"), r", line 2, months: expected a finite number, found '\?'"),
        (changed(PROGNOSTIC, 1, 2, "0"), r", sample 2: expected months that are finite and above 0, found 0"),
        (changed(PROGNOSTIC, 2, 3, "x"), r", line 3, mean radius: expected a finite number, found 'x'"),
        (
            changed(PROGNOSTIC, 2, 32, ""),
            r", line 3, worst fractal dimension: expected a finite number, found an empty",
        ),
    ],
)
def test_bad_prognostic_files(write, content, message):
    path = write("wpbc.data", content)
    with pytest.raises(FeatureError, match=re.escape(str(path)) + message):
        read_prognostic(path)


def test_by_name_the_number_of_samples_is_that_of_the_registry(write, tmp_path):
    path = write("wdbc.data", "\n".join(DIAGNOSTIC))
    with pytest.raises(FeatureError, match=re.escape(str(path)) + r": expected 569 samples, found 6"):
        read_wisconsin("diagnostic", tmp_path)
    write("wpbc.data", "\n".join(prognostic_rows(np.tile(VALUES, (33, 1)), "NRNNRR" * 33, [31] * 198, "?" * 198)))
    assert read_wisconsin("prognostic", tmp_path).values.shape == (198, 30)
    with pytest.raises(FeatureError, match=r"wdbc\.data does not exist or is not a file"):
        read_wisconsin("diagnostic", tmp_path / "absent")
