"""Formats of the NIPS 2003 challenge: what is written is read again."""

import numpy as np
import pytest
from consensus_embedding.utils.text import InputError
from replication.data import nips2003
from replication.data.feature_set import read_feature_set
from replication.data.nips2003 import read_challenge, read_sparse
from replication.platform.registry import DataFile, load_registry
from sklearn.datasets import dump_svmlight_file, load_svmlight_file


def dense_text(values, end=" \n"):
    return "".join(" ".join(map(repr, row)) + end for row in values.tolist())


def sparse_text(values):
    return "".join(" ".join(f"{j + 1}:{float(row[j])!r}" for j in np.flatnonzero(row)) + " \n" for row in values)


def test_sparse_agrees_with_scikit_learn(tmp_path):
    rng = np.random.default_rng(2)
    values = np.where(rng.random((15, 40)) < 0.1, rng.standard_normal((15, 40)), 0.0)
    values[3], values[14] = 0.0, 0.0  # samples without any feature, one of them the last
    labels = rng.choice([-1, 1], 15)
    dump_svmlight_file(values, labels, str(tmp_path / "with_labels"), zero_based=False)
    expected = load_svmlight_file(str(tmp_path / "with_labels"), n_features=40, zero_based=False)[0].toarray()
    lines = (tmp_path / "with_labels").read_text().splitlines()
    bare = "".join(line.partition(" ")[2] + "\n" for line in lines if not line.startswith("#"))
    (tmp_path / "a.data").write_text(bare)
    read = read_sparse(tmp_path / "a.data", (15, 40))
    np.testing.assert_array_equal(read, expected)
    assert read.dtype == np.float64


def test_sparse_indices_count_from_one_and_come_in_any_order(write):
    read = read_sparse(write("a.data", "3:7 1:5 \n\n2:-0.5\n"), (3, 3))
    np.testing.assert_array_equal(read, [[5, 0, 7], [0, 0, 0], [0, -0.5, 0]])


# A whole set: small files, and a registry that says so.

SHAPES = {"MADELON": (8, 6, 5), "DEXTER": (6, 4, 9), "GISETTE": (20, 12, 4)}


def challenge(folder, name):
    """Write a set of the given shape; its values and labels, training samples first."""
    n_training, n_validation, n_features = SHAPES[name]
    rng = np.random.default_rng(3)
    shape = (n_training + n_validation, n_features)
    values = rng.standard_normal(shape) * 10.0 ** rng.integers(-9, 9, shape)  # read to the last bit
    labels = np.where(np.arange(len(values)) % 2 == 0, 1, -1)
    (folder / name).mkdir()
    text = sparse_text if name == "DEXTER" else dense_text
    for part, rows in (("train", slice(n_training)), ("valid", slice(n_training, None))):
        start = folder / name / f"{name.lower()}_{part}"
        start.with_suffix(".data").write_text(text(values[rows]))
        start.with_suffix(".labels").write_text("".join(f"{label}\n" for label in labels[rows]))
    return values, labels


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Registry of the small sets, and the folder that holds them."""
    registry = {}
    for name, (n_training, n_validation, n_features) in SHAPES.items():
        for part, n in (("train", n_training), ("valid", n_validation)):
            for kind, shape in (("data", (n, n_features)), ("labels", (n,))):
                path = f"nips2003/{name}/{name.lower()}_{part}.{kind}"
                lone = name == "GISETTE" and (part, kind) == ("train", "data")
                registry[path] = DataFile.model_construct(shape=shape, fallback="leave it out" if lone else None)
    monkeypatch.setattr(nips2003, "load_registry", lambda: registry)
    return tmp_path


@pytest.mark.parametrize("name", SHAPES)
def test_a_set_has_its_training_samples_and_the_official_validation_samples(small, name):
    values, labels = challenge(small, name)
    n_training = SHAPES[name][0]
    read = read_challenge(name, small)
    for (X, y), rows in ((read.training_part(), slice(n_training)), (read.validation_part(), slice(n_training, None))):
        np.testing.assert_array_equal(X, values[rows])
        np.testing.assert_array_equal(y, labels[rows])
    assert read.features.tolist() == [f"feature {k}" for k in range(1, values.shape[1] + 1)]
    assert read.classes.tolist() == ["-1", "1"]
    assert read.values.dtype == np.float64
    assert read.labels.dtype == np.int64
    assert read.months is None
    assert read.truth is None


def test_halves_of_gisette(small):
    values, labels = challenge(small, "GISETTE")
    for part in ("data", "labels"):
        (small / "GISETTE" / f"gisette_train.{part}").unlink()
    read = read_challenge("GISETTE", small, halve=True, seed=1)
    np.testing.assert_array_equal(read.values, values[20:])
    np.testing.assert_array_equal(read.labels, labels[20:])
    for part in (read.training_part(), read.validation_part()):
        assert sorted(part[1].tolist()) == [-1, -1, -1, 1, 1, 1]
    again, other = (read_challenge("GISETTE", small, halve=True, seed=seed).validation for seed in (1, 2))
    np.testing.assert_array_equal(read.validation, again)
    assert (read.validation != other).any()


def test_the_larger_half_of_an_odd_class_is_for_training(small):
    challenge(small, "GISETTE")
    (small / "GISETTE" / "gisette_valid.labels").write_text("1\n" * 5 + "-1\n" * 7)
    read = read_challenge("GISETTE", small, halve=True)
    assert sorted(read.training_part()[1].tolist()) == [-1] * 4 + [1] * 3


def test_the_one_entrance_halves_gisette_alone(small, monkeypatch):
    values, _ = challenge(small, "MADELON")
    gisette, _ = challenge(small, "GISETTE")
    (small / "resources" / "data").mkdir(parents=True)
    (small / "resources" / "data" / "nips2003").symlink_to(small)
    monkeypatch.chdir(small)
    read = read_feature_set({"name": "madelon", "nips2003": "MADELON"}, halve_gisette=True)
    np.testing.assert_array_equal(read.values, values)
    for halve, n_samples in ((True, 12), (False, 32)):
        read = read_feature_set({"name": "gisette", "nips2003": "GISETTE"}, halve_gisette=halve)
        np.testing.assert_array_equal(read.values, gisette[-n_samples:])


@pytest.mark.parametrize(
    ("name", "file", "content", "message"),
    [
        (
            "MADELON",
            "madelon_valid.data",
            "1 2 3 4 5 6\n" * 6,
            r"madelon_valid\.data: expected 6 samples of 5 features",
        ),
        ("MADELON", "madelon_train.labels", "1\n" * 8, "MADELON, training part: .* class '-1' .*found 0"),
        ("GISETTE", "gisette_train.data", None, r"gisette_train\.data does not exist.* or leave it out"),
    ],
)
def test_a_set_that_cannot_be_used_is_refused(small, name, file, content, message):
    challenge(small, name)
    path = small / name / file
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_challenge(name, small)


@pytest.mark.parametrize(
    ("name", "shape"),
    [("MADELON", (2000, 600, 500)), ("ARCENE", (100, 100, 10000)), ("DEXTER", (300, 300, 20000)),
     ("GISETTE", (6000, 1000, 5000))],
)  # fmt: skip
def test_the_registry_says_what_the_paper_says(name, shape):
    """Table I of Ginsburg et al. 2016."""
    registry = load_registry()
    n_training, n_validation, n_features = shape
    for part, n in (("train", n_training), ("valid", n_validation)):
        start = f"nips2003/{name}/{name.lower()}_{part}"
        assert registry[f"{start}.data"].shape == (n, n_features)
        assert registry[f"{start}.labels"].shape == (n,)
