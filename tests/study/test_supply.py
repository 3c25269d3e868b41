"""
What comes from outside runs no code and leads to no place outside; rules of ruff refuse code that could do so.

Files between the steps are written whole, and damaged ones are named.
"""

import zipfile

import numpy as np
import pytest
from consensus_embedding.utils.text import InputError
from replication.catalogue.configuration import check_config, read_configuration
from replication.data.feature_set import load_feature_set, save_feature_set
from replication.data.readers.expression import load_split, save_split
from replication.data.readers.expression_table import ExpressionTable, SplitExpression
from replication.data.readers.feature_table import FeatureSet
from replication.data.readers.spectra import SpectraStudy, load_studies, save_studies
from replication.data.readers.volumes import write_nifti
from replication.platform.configuration import ConfigurationError, merge
from replication.platform.files import write_text


class _Planted:
    """Says that it was unpickled."""

    def __reduce__(self):
        return exec, ("raise SystemExit('executed')",)


LOADERS = {"genes": load_split, "spectra": load_studies, "features": load_feature_set}


@pytest.mark.parametrize("kind", LOADERS)
def test_a_pickle_in_an_archive_is_not_executed(tmp_path, kind):
    path = tmp_path / "a.npz"
    planted = np.empty(1, dtype=object)
    planted[0] = _Planted()
    # As names, values and labels alike: whichever is read first.
    names = ("names", "values", "labels", "features", "training_values", "spectra_0")
    np.savez(path, allow_pickle=True, **dict.fromkeys(names, planted))
    with pytest.raises(InputError, match=r"a\.npz: expected"):
        LOADERS[kind](path)


@pytest.mark.parametrize("kind", LOADERS)
def test_an_archive_that_would_fill_the_memory_is_refused(tmp_path, kind):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, names=np.zeros(10_000_000, dtype="u1"))
    assert path.stat().st_size < 20_000
    with pytest.raises(InputError, match="found: compressed arrays of 100001"):
        LOADERS[kind](path)


@pytest.mark.parametrize("kind", LOADERS)
def test_a_member_of_an_archive_that_names_a_place_outside_is_never_written(tmp_path, kind):
    path = tmp_path / "below" / "a.npz"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("../outside.npy", "/outside.npy", "..\\outside.npy"):
            archive.writestr(name, b"\x93NUMPY")
    with pytest.raises(InputError, match=r"a\.npz: expected"):
        LOADERS[kind](path)
    assert [one.name for one in tmp_path.rglob("*")] == ["below", "a.npz"]


# So many that half of a file is in the middle of them.
VALUES, NAMES = np.random.default_rng(0).normal(size=(50, 40)), np.array([f"g{k}" for k in range(40)])


def write_genes(path):
    tables = [ExpressionTable(values, NAMES, np.resize(["a", "b"], len(values))) for values in (VALUES, VALUES[:4])]
    save_split(path, SplitExpression(*tables))


def write_features(path):
    save_feature_set(path, FeatureSet(VALUES, np.resize([-1, 1], 50), NAMES, np.array(["a", "b"])))


def write_spectra(path):
    study = SpectraStudy("mine", VALUES, np.linspace(4, 2, 40), np.argwhere(np.ones((5, 5, 2))))
    np.savez(path, **save_studies([study]))


WRITERS = {"genes": write_genes, "features": write_features, "spectra": write_spectra}


@pytest.mark.parametrize("kind", LOADERS)
def test_an_archive_that_its_writer_did_not_write_is_named(tmp_path, kind):
    load = LOADERS[kind]
    path = tmp_path / "a.npz"
    with pytest.raises(InputError, match=r"a\.npz does not exist or is not a file; check the path"):
        load(path)
    WRITERS[kind](path)
    load(path)
    whole, half = path.read_bytes(), path.stat().st_size // 2
    for content in (b"", b"text", b"PK\x03\x04 no archive", whole[:-30], whole[:half] + bytes(20) + whole[half + 20 :]):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"(?s)a\.npz: expected the arrays .* was written by something else"):
            load(path)
    np.savez(path, other=VALUES)
    with pytest.raises(InputError, match=r"a\.npz: expected the arrays"):
        load(path)
    with path.open("wb") as file:
        np.save(file, VALUES)
    with pytest.raises(InputError, match=r"a\.npz: expected the arrays"):
        load(path)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.npz", write_genes),
        ("a.npz", write_features),
        ("a.nii", lambda path: write_nifti(VALUES, path)),
        ("a.html", lambda path: write_text("new", path)),
    ],
    ids=["genes", "features", "image", "text"],
)
def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch, name, write):
    path = tmp_path / name
    path.write_text("old")

    def full_disk(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("os.replace", full_disk)
    with pytest.raises(OSError, match="No space"):
        write(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


ITEM = {"table": "mine.csv"}
# Where a name becomes part of a path.
NAMED = {
    "study": lambda name: {"study": name},
    "genes.sets[0].name": lambda name: {"genes": {"sets": [{**ITEM, "name": name, "label": "class"}]}},
    "features.sets[0].name": lambda name: {"features": {"sets": [{**ITEM, "name": name, "label": "class"}]}},
    "gland_retrieval.own[0].name": lambda name: {"gland_retrieval": {"own": [{**ITEM, "name": name}]}},
    "spectra.own[0].name": lambda name: {"spectra": {"own": [{**ITEM, "name": name, "role": "training"}]}},
    "own_images[0].name": lambda name: {"own_images": [{"name": name, "image": "a.nii", "mask": "b.nii"}]},
}
OUTSIDE = ["..", "../mine", "/mine", "a/b", "a/../../b", "mine\n", "", ".", ".hidden", "-rf", "a\0b", "~", "a" * 300]


@pytest.mark.slow
@pytest.mark.parametrize("key", NAMED)
def test_a_name_that_leads_elsewhere_is_refused(key):
    quick = read_configuration("quick.yaml")
    for name in OUTSIDE:
        with pytest.raises(ConfigurationError) as refused:
            check_config(merge(quick, NAMED[key](name)))
        expected = f"{key}: expected at most 100 letters, digits, _ and - only, starting with a letter or digit, found"
        assert expected in str(refused.value), name
