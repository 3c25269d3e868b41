"""AnnData files: what AnnData wrote is read, results go into a copy, and each bad input gets one clear error."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np
import pandas as pd
import pytest
from consensus_embedding.io import anndata_object, hdf5_file, hdf5_worker
from consensus_embedding.io.anndata_file import DEFAULT, principal_components, read_anndata, read_obsm, write_results
from consensus_embedding.io.hdf5_file import HDF5Error, HDF5File
from consensus_embedding.utils.text import InputError
from scipy.sparse import csr_matrix

# Written by AnnData itself, see tests/data/README.md.
CELLS = Path(__file__).parents[1] / "data" / "cells.h5ad"
N = 40
KINDS = np.array(["T cell", "B <b>", '$x$ & "q"', "Ω"])[np.arange(N) % 4]


def counts():
    with h5py.File(CELLS) as file:
        parts = [file["X"][name][()] for name in ("data", "indices", "indptr")]
        return csr_matrix(tuple(parts), shape=(N, 8)).toarray()


@pytest.fixture
def copy(tmp_path):
    """A copy that may be changed."""
    return Path(shutil.copy(CELLS, tmp_path / "copy.h5ad"))


def changed(path, changes):
    """The file with other arrays or links under these names, or none."""
    with h5py.File(path, "r+") as file:
        for name, values in changes.items():
            del file[name]
            if values is not None:
                file[name] = values
    return path


def read_all(path):
    """Points, labels and runs."""
    read_anndata(path, components=3, label="kind")
    read_obsm(path, ["X_run_0", "X_run_1"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("kind", KINDS.tolist()),
        ("batch", [str(k % 3) for k in range(N)]),
        ("missing", [None if k % 7 == 0 else "ab"[k % 2] for k in range(N)]),
        ("nullable", [None if k % 5 == 0 else str(k % 3) for k in range(N)]),
    ],
)
def test_names_and_labels_of_every_kind_are_read_as_text(label, expected):
    read = read_anndata(CELLS, representation="X_pca", label=label)
    assert read.ids == tuple(f"cell_{k}" for k in range(N))
    assert read.labels.tolist() == expected


@pytest.mark.slow
def test_a_key_of_obsm_is_read_as_it_is():
    X = counts()[:, :5]
    np.testing.assert_allclose(read_anndata(CELLS, representation="X_pca").values, X - X.mean(axis=0), atol=1e-4)
    assert read_anndata(CELLS, representation="X_pca", components=2).values.shape == (N, 2)
    np.testing.assert_array_equal(read_anndata(CELLS, representation="frame").values, X[:, :2])
    assert [run.shape for run in read_obsm(CELLS, ["X_run_0", "X_run_1", "X_run_2"])] == [(N, 2)] * 3


def with_column(path, source):
    """The file with a column of obs as a third one of the data frame in obsm, under its name there."""
    with h5py.File(path, "r+") as file:
        file.copy(f"obs/{source}", file["obsm/frame"])
        file["obsm/frame"].attrs["column-order"] = ["u", source, "v"]
    return path


def test_columns_of_a_frame_may_be_of_a_type_of_pandas(copy):
    changed(with_column(copy, "nullable"), {"obsm/frame/nullable/mask": np.zeros(N, bool)})
    values = read_anndata(copy, representation="frame").values
    # AnnData wrote 0 where a number was missing.
    whole = np.where(np.arange(N) % 5, np.arange(N) % 3, 0)
    np.testing.assert_array_equal(values, np.column_stack([counts()[:, 0], whole, counts()[:, 1]]))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("kind", "column 'kind': expected numbers, found 'T cell'. Remove the column"),
        ("nullable", "expected finite numbers, found 8 that are not, the first in row 1. Fill the gaps"),
    ],
)
def test_a_column_of_a_frame_that_has_other_entries_than_numbers_is_named(copy, source, words):
    with pytest.raises(InputError, match=rf"copy\.h5ad, obsm 'frame'.* {words}"):
        read_anndata(with_column(copy, source), representation="frame")


@pytest.mark.parametrize("with_components", [True, False])
def test_a_file_and_an_object_are_checked_on_the_same_values(copy, with_components):
    """Without a name: the components that are there, else those of X."""
    if not with_components:
        changed(copy, {"obsm/X_pca": None})
    components = {"X_pca": read_anndata(copy, representation="X_pca").values} if with_components else {}
    X = counts()
    cells = SimpleNamespace(X=X, obsm=components, var_names=[f"gene {k}" for k in range(X.shape[1])])
    from_object, *_ = anndata_object.read(cells, None, None, None, 0)
    from_file = read_anndata(copy, representation=DEFAULT).values
    # Components of X have no sign.
    np.testing.assert_allclose(np.abs(from_file), np.abs(from_object), atol=1e-3)


def test_x_becomes_principal_components_whether_sparse_or_dense(copy):
    X = counts() - counts().mean(axis=0)
    left, sizes, _ = np.linalg.svd(X.astype(float), full_matrices=False)
    for path in (CELLS, changed(copy, {"X": counts()})):
        read = read_anndata(path, components=4)
        assert read.columns == ("PC1", "PC2", "PC3", "PC4")
        np.testing.assert_allclose(np.abs(read.values), np.abs(left * sizes)[:, :4], atol=1e-4)
    # As many as there are, where no number is asked for.
    assert read_anndata(CELLS).values.shape == (N, 7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint16, np.int32])
def test_values_far_from_zero_keep_their_components(dtype):
    """As of 16-bit intensities; scikit-learn's covariance of 10 samples a feature or more is of values as they are."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3)) @ rng.normal(size=(3, 20)) + 0.2 * rng.normal(size=(600, 20))
    X = np.rint(60000 + 5 * X).astype(dtype)
    left, sizes, _ = np.linalg.svd(X - X.mean(axis=0, dtype=np.float64), full_matrices=False)
    found = principal_components("X", X.copy(), np.arange(20), 3, 0)
    np.testing.assert_allclose(np.abs(found), np.abs(left * sizes)[:, :3], atol=2e-3)


def test_large_integers_in_x_stay_apart(copy):
    X = np.random.default_rng(0).integers(0, 4, size=(N, 8))
    read = [read_anndata(changed(copy, {"X": X + offset}), components=3).values for offset in (0, 2**27)]
    np.testing.assert_allclose(*np.abs(read), atol=1e-4)


def test_a_column_that_numbers_the_rows_is_refused_in_x_and_in_obsm(copy):
    numbered = counts()
    numbered[:, 2] = np.arange(N)
    sparse = csr_matrix(numbered)
    with h5py.File(copy) as file:
        gene = file["var"][file["var"].attrs["_index"]].asstr()[2]
    changed(copy, {f"X/{part}": getattr(sparse, part) for part in ("data", "indices", "indptr")})
    with pytest.raises(InputError, match=f"X, column '{gene}'.* numbers of the rows"):
        read_anndata(copy)
    changed(copy, {"X": numbered, "obsm/X_run_0": numbered[:, 1:3].astype(np.float32)})
    with pytest.raises(InputError, match=f"X, column '{gene}'.* numbers of the rows"):
        read_anndata(copy)
    with pytest.raises(InputError, match=r"obsm 'X_run_0', column '2'.* numbers of the rows"):
        read_obsm(copy, ["X_run_0"])


@pytest.mark.slow
def test_results_go_into_a_copy_and_the_file_itself_stays(tmp_path):
    before = CELLS.read_bytes()
    columns = pd.DataFrame({"instability": np.linspace(0, 1, N), "stability": ["stable", "unstable"] * (N // 2)})
    columns.loc[3, ["instability", "stability"]] = [np.nan, None]
    picture = np.random.default_rng(1).normal(size=(N, 2))
    stability = columns["stability"].replace({np.nan: None}).tolist()
    settings = {"embedder": "umap.UMAP", "n_embeddings": 20, "parameters": {"min_dist": 0.3, "metric": None}}
    result, again = tmp_path / "result.h5ad", tmp_path / "again.h5ad"
    write_results(CELLS, result, picture, columns, settings)
    # Once more on its own result: nothing is there twice.
    write_results(result, again, picture, columns, settings)
    assert CELLS.read_bytes() == before
    for path in (result, again):
        np.testing.assert_array_equal(read_obsm(path, ["X_consensus"])[0], picture)
        for label, expected in {"stability": stability, "kind": KINDS.tolist()}.items():
            assert read_anndata(path, representation="X_pca", label=label).labels.tolist() == expected
        with h5py.File(path) as file:
            order = list(file["obs"].attrs["column-order"])
            assert order[-2:] == ["instability", "stability"]
            assert len(order) == len(set(order)) == 7
            np.testing.assert_array_equal(file["obs/instability"][()], columns["instability"])
            assert file["uns/embedding_check/embedder"].asstr()[()] == "umap.UMAP"
            assert file["uns/embedding_check/parameters/min_dist"][()] == 0.3
            assert file["uns/title"].asstr()[()] == "made"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_colours_belong_to_the_categories_in_their_order_also_to_those_without_points(tmp_path):
    kinds = pd.Categorical(["z", None] * (N // 2), categories=["z", "m", "a"])
    colours = {"kind_2": ["#000000", "#111111", "#222222"]}
    for _ in range(2):
        write_results(CELLS, tmp_path / "r.h5ad", np.zeros((N, 2)), pd.DataFrame({"kind_2": kinds}), {}, colours)
    with h5py.File(tmp_path / "r.h5ad") as file:
        assert file["obs/kind_2/categories"].asstr()[()].tolist() == ["z", "m", "a"]
        assert file["obs/kind_2/codes"][()].tolist() == [0, -1] * (N // 2)
        assert file["uns/kind_2_colors"].asstr()[()].tolist() == colours["kind_2"]
        assert dict(file["uns/kind_2_colors"].attrs) == dict(file["obs/kind/categories"].attrs)


def test_what_is_written_is_encoded_as_anndata_encodes_it(tmp_path):
    """The encodings that AnnData itself gave to values of the same kinds in the same file."""
    columns = pd.DataFrame({"instability": np.zeros(N), "stability": ["stable", "unstable"] * (N // 2)})
    settings = {"text": "a", "names": ["X_1", "X_2"], "section": {"number": 1}}
    write_results(CELLS, tmp_path / "r.h5ad", np.zeros((N, 2)), columns, settings)
    twins = {"obsm/X_consensus": "obsm/X_run_0", "obs/instability": "obs/score", "obs/stability": "obs/kind",
             "obs/stability/codes": "obs/kind/codes", "obs/stability/categories": "obs/kind/categories",
             "uns/embedding_check": "uns", "uns/embedding_check/text": "uns/title",
             "uns/embedding_check/names": "obs/kind/categories"}  # fmt: skip
    with h5py.File(tmp_path / "r.h5ad") as file:
        for ours, theirs in twins.items():
            assert dict(file[ours].attrs) == dict(file[theirs].attrs), ours


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda path: read_anndata(path, label="knd"), "'knd' of obs, found 'kind', 'batch'"),
        (lambda path: read_anndata(path, representation="X_umap"), "'X_umap' of obsm, found 'X_pca'"),
        (lambda path: read_obsm(path, ["X_run_0", "wide"]), r"obsm 'wide'.*\(40, 2\).*'X_run_0'"),
        (lambda path: read_anndata(path, components=9), "at least 9 principal components, found at most 7"),
        (lambda path: read_anndata(path, representation="wide", components=9), "at least 9 components"),
    ],
)
def test_a_wrong_key_gets_one_clear_error(call, words):
    with pytest.raises(InputError, match=words) as raised:
        call(CELLS)
    assert str(CELLS) in str(raised.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": np.full((N, 8), np.nan)}, "X: expected finite numbers"),
        ({"X": None}, "expected values in X, found none. Name a key of obsm as representation: 'X_pca'"),
        ({"X": np.zeros((N - 1, 8))}, "40 rows.*, found 39 in X"),
        ({"X": np.zeros((N, 12))}, "8 columns.*, found 12 in X"),
        ({"X": np.zeros(N)}, r"X: .* found shape \(40,\)"),
        ({"X/indices": np.full(142, 99)}, "cannot be read as AnnData"),
        ({"obs": np.zeros(3)}, "version 0.7 or newer"),
        ({"obs/kind/codes": np.full(N, -2, dtype="i1")}, "codes of 4 categories"),
        ({"obs/kind/codes": np.zeros(3, dtype="i1")}, "40 rows.*, found 3"),
        ({"obs/kind": np.zeros((N, 2))}, "obs/kind, found shape"),
        ({"obsm/X_run_1": np.where(np.eye(N, 2, k=-3) > 0, np.inf, 1.0)}, "'X_run_1': .* found 2 .*first in row 4"),
    ],
)
def test_wrong_content_gets_one_clear_error(copy, change, words):
    changed(copy, change)
    with pytest.raises(InputError, match=words) as raised:
        read_all(copy)
    assert "copy.h5ad" in str(raised.value)


@pytest.mark.parametrize("damage", [lambda path: path.write_text("no HDF5"), lambda path: changed(path, {"obs": None})])
def test_another_file_is_no_anndata(copy, damage):
    damage(copy)
    with pytest.raises(InputError, match=r"copy\.h5ad cannot be read as AnnData"):
        read_anndata(copy)


# Damages for which HDF5 itself has no error: zeros from byte 4544 make it search a tree without end, one bit of the key
# of a chunk makes it give zeros instead of the values.
DAMAGES = {
    "hang": (slice(4544, 4592), bytes(48), "did not return within 2 s"),
    "zeros": (slice(63443, 63444), b"\x02", "chunk storage is not allocated"),
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_that_hdf5_does_not_notice_gets_one_clear_error(copy, damage, monkeypatch):
    monkeypatch.setattr(hdf5_file, "SECONDS", 2.0)
    where, change, words = DAMAGES[damage]
    content = bytearray(copy.read_bytes())
    content[where] = bytes(a ^ b for a, b in zip(content[where], change, strict=True)) if damage == "zeros" else change
    copy.write_bytes(content)
    start = time.monotonic()
    with pytest.raises(InputError, match=words) as raised:
        read_all(copy)
    assert "copy.h5ad" in str(raised.value)
    assert "write_h5ad" in str(raised.value)
    assert time.monotonic() - start < 60


@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGSEGV, "crashed .SIGSEGV"), (signal.SIGKILL, "was killed, .* memory")],
)
def test_a_crash_of_hdf5_is_an_error_and_not_a_crash(number, words):
    file = HDF5File(CELLS)
    file._process.send_signal(number)
    file._process.wait()
    with pytest.raises(HDF5Error, match=words), file:
        file.read("X/data")


def test_the_limit_grows_with_the_file(tmp_path, monkeypatch):
    """A disk that reads two megabytes a second is slow, and no fault of the file."""
    limits = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: limits.append(float(command[-1])) or 1 / 0)
    for size in (0, 300_000_000):
        (tmp_path / "a.h5ad").touch()
        os.truncate(tmp_path / "a.h5ad", size)
        with pytest.raises(ZeroDivisionError):
            HDF5File(tmp_path / "a.h5ad")
    assert limits == [15, 165]


@pytest.mark.slow
def test_a_file_is_read_under_a_limit_of_memory():
    """As a batch system sets it."""
    script = (
        "from consensus_embedding.io.anndata_file import read_obsm\n"
        f"print(read_obsm({str(CELLS)!r}, ['X_run_0'])[0].shape)"
    )
    command = f"ulimit -d 2500000; exec {sys.executable} -c {shlex.quote(script)}"
    environment = os.environ | {"PYTHONPATH": str(Path(hdf5_worker.__file__).parents[2])}
    done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout == "(40, 2)\n", done.stderr


def test_the_process_ends_with_the_one_that_asked():
    command = [sys.executable, hdf5_worker.__file__, CELLS, "r", "1e9", "15"]
    assert subprocess.run(command, input=b"", capture_output=True, timeout=60).stdout == b'{"value": null}\n'


@pytest.mark.slow
def test_a_script_without_a_guard_and_its_workers_read_once(write):
    """The other process imports nothing of the program that calls."""
    script = write(
        "script.py",
        "import joblib\n"
        "from consensus_embedding.io.anndata_file import read_obsm\n"
        "print('started')\n"
        f"read = joblib.delayed(lambda: read_obsm({str(CELLS)!r}, ['X_run_0'])[0].shape)\n"
        "print(joblib.Parallel(2)(read() for _ in range(2)), read()[0]())\n",
    )
    environment = os.environ | {"PYTHONPATH": str(Path(hdf5_worker.__file__).parents[2])}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout == "started\n[(40, 2), (40, 2)] (40, 2)\n", done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"chunks": (100, 300), "compression": "gzip", "compression_opts": 1}])
def test_a_matrix_of_several_blocks_is_read_as_it_is(tmp_path, options):
    values = np.random.default_rng(0).normal(size=(1210, 1990))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("a", data=values, **options)
        file["none"] = np.empty((0, 3))
        file["texts"] = ["a", "Ω"]
    with HDF5File(tmp_path / "a.h5") as file:
        np.testing.assert_array_equal(file.read("a"), values)
        assert file.read("none").shape == (0, 3)
        assert file.read("texts").tolist() == ["a", "Ω"]


def test_a_filter_that_h5py_has_not_names_the_extra(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        created.set_chunk((4,))
        # A number of no filter; what it would make is written as it is.
        created.set_filter(32767, h5py.h5z.FLAG_OPTIONAL)
        space = h5py.h5s.create_simple((4,))
        h5py.h5d.create(file.id, b"a", h5py.h5t.NATIVE_DOUBLE, space, created).write_direct_chunk((0,), b"packed")
    extra = r"^a, compressed by HDF5 filter 32767, .*consensus-embedding\[compression\]"
    with pytest.raises(HDF5Error, match=extra), HDF5File(tmp_path / "a.h5") as file:
        file.read("a")


def test_a_link_inside_the_file_is_followed(copy):
    with h5py.File(copy, "r+") as file:
        file.move("obsm/X_run_0", "elsewhere")
        file["obsm/X_run_0"] = h5py.SoftLink("/elsewhere")
    np.testing.assert_array_equal(read_obsm(copy, ["X_run_0"]), read_obsm(CELLS, ["X_run_0"]))


def test_values_in_another_file_are_not_read_and_results_not_written_there(copy, tmp_path):
    """No hash of the file would cover them."""
    other = Path(shutil.copy(CELLS, tmp_path / "other.h5ad"))
    changed(copy, {"obsm": h5py.ExternalLink("other.h5ad", "obsm")})
    with pytest.raises(InputError, match=r"copy\.h5ad cannot be read as AnnData: obsm.* another file"):
        read_obsm(copy, ["X_run_0"])
    with pytest.raises(InputError, match=r"obsm.* in another file, other"):
        write_results(copy, tmp_path / "result.h5ad", np.zeros((N, 2)), pd.DataFrame({"a": np.zeros(N)}), {})
    assert other.read_bytes() == CELLS.read_bytes()


def test_results_that_cannot_be_written_leave_nothing(copy, tmp_path):
    with h5py.File(copy, "r+") as file:
        del file["obs"].attrs["column-order"]
    result = tmp_path / "result" / "a.h5ad"
    result.parent.mkdir()
    with pytest.raises(InputError, match=r"a\.h5ad, a copy of .*copy\.h5ad.*column-order") as raised:
        write_results(copy, result, np.zeros((N, 2)), pd.DataFrame({"a": np.zeros(N)}), {})
    assert "write_h5ad" in str(raised.value)
    assert list(result.parent.iterdir()) == []
