"""Wisconsin sets: rows are read as scikit-learn's copy has them."""

import numpy as np
from replication.data.feature_set import read_feature_set
from replication.data.wisconsin import FEATURES, bundled_diagnostic, read_wisconsin
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


def test_the_diagnostic_set(write):
    read = read_wisconsin("diagnostic", write("wdbc.data", "\n".join(DIAGNOSTIC) + "\n").parent)
    np.testing.assert_array_equal(read.values, VALUES)
    np.testing.assert_array_equal(read.labels, [1, -1, -1, 1, 1, -1])
    assert read.classes.tolist() == ["benign", "malignant"]
    assert read.months is None
    assert read.validation is None
    assert (read.values.dtype, read.labels.dtype) == (np.float64, np.int64)


def test_the_prognostic_set_leaves_tumour_size_and_nodes_out(write):
    read = read_wisconsin("prognostic", write("wpbc.data", "\n".join(PROGNOSTIC)).parent)
    np.testing.assert_array_equal(read.values, VALUES)
    np.testing.assert_array_equal(read.labels, [-1, 1, -1, -1, 1, 1])
    np.testing.assert_array_equal(read.months, [31, 61, 116, 1, 27, 125])
    assert read.classes.tolist() == ["no recurrence", "recurrence"]
    assert read.features.tolist() == list(FEATURES)


def test_a_file_in_the_format_of_the_set_equals_the_copy_of_scikit_learn(write):
    """The bundled values, written as the set writes them: same names, same labels, same order."""
    bundle = load_breast_cancer()
    codes = np.array(["M", "B"])[bundle.target]
    read = read_wisconsin(
        "diagnostic", write("wdbc.data", "\n".join(diagnostic_rows(bundle.data, codes)) + "\n").parent
    )
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
