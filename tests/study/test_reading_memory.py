"""Memory that reading takes is known from the header: small files that promise much are refused at once."""

import time
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import h5py
import nibabel
import numpy as np
import pytest
from consensus_embedding.io import anndata_object, memory
from consensus_embedding.io.anndata_file import read_anndata, read_obsm
from consensus_embedding.io.embedding_table import read_embeddings, read_labels, read_points
from consensus_embedding.io.hdf5_file import HDF5File, HDF5MemoryError
from consensus_embedding.utils.text import InputError
from numpy.lib import format as npy
from replication.data.readers.expression_table import read_expression
from replication.data.readers.item_table import read_items
from replication.data.readers.spectra import read_own_study
from replication.data.readers.volumes import read_raw, read_volume, write_nifti
from test_anndata_file import CELLS
from test_spectra_data import save_spectra, signals
from test_volumes import write_minc, write_minc2


@pytest.fixture
def free(monkeypatch):
    """Set how many bytes of memory are free."""
    return lambda n_bytes: monkeypatch.setattr(memory, "free_memory", lambda: n_bytes)


def write_text(path, text="class,a,b\nx,1,2\ny,3,4\nx,5,6\ny,7,8\n"):
    path.write_text(text)


READERS = {
    "points.csv": (write_text, lambda path: read_points(path, label="class")),
    "points.npy": (lambda path: np.save(path, np.ones((30, 3))), read_points),
    "labels.npy": (lambda path: np.save(path, np.arange(3)), read_labels),
    "genes.csv": (write_text, lambda path: read_expression(path, label="class")),
    "genes.data": (lambda path: write_text(path, "1,2,x\n3,4,y\n" * 9), read_expression),
    "items.csv": (lambda path: write_text(path, "item,label,f\n"), lambda path: read_items({"table": path})),
    "spectra.csv": (write_text, lambda path: read_own_study({"name": "p", "table": path})),
    "image.nii": (lambda path: write_nifti(np.ones((5, 5, 5)), path), read_volume),
    "image.nii.gz": (lambda path: write_nifti(np.ones((5, 5, 5)), path), read_volume),
    "image.mnc": (lambda path: write_minc(path, np.ones((5, 5, 5)), (0,) * 3, (1,) * 3, 1.0), read_volume),
    "image2.mnc": (lambda path: write_minc2(path, np.ones((5, 5, 5), np.uint8)), read_volume),
    "voxels.raw": (lambda path: path.write_bytes(bytes(125)), lambda path: read_raw(path, (5, 5, 5), "u1")),
    "spectra.nii": (lambda path: save_spectra(path, signals()), lambda p: read_own_study({"name": "p", "nifti": p})),
    "cells.h5ad": (lambda path: path.write_bytes(CELLS.read_bytes()), read_anndata),
}


@pytest.mark.parametrize("name", READERS)
def test_every_reader_refuses_what_does_not_fit_into_memory(tmp_path, free, name):
    write, read = READERS[name]
    write(tmp_path / name)
    free(40)
    with pytest.raises(ValueError, match=f"{name}.*expected values that fit into .*more memory") as raised:
        read(tmp_path / name)
    assert type(raised.value) is not ValueError
    assert "again" not in str(raised.value)


@pytest.mark.parametrize("suffix", [".nii", ".nii.gz"])
def test_the_scaling_of_an_image_counts_towards_its_memory(tmp_path, free, suffix):
    """A voxel of one byte becomes a fraction of eight."""
    for slope in (1, 0.5):
        image = nibabel.Nifti1Image(np.ones((50, 50, 40), np.uint8), np.eye(4))
        image.header.set_slope_inter(slope, 0)
        image.to_filename(tmp_path / f"{slope}{suffix}")
    free(500_000)
    assert read_volume(tmp_path / f"1{suffix}").data.dtype == np.uint8
    with pytest.raises(InputError, match=r"50 x 50 x 40 that need 0\.00149 GiB to be read. Crop the image"):
        read_volume(tmp_path / f"0.5{suffix}")


@pytest.mark.parametrize("kind", ["u1", "f4", "f8"])
@pytest.mark.parametrize(
    ("suffix", "slope"), [(".nii", 1), (".nii", 0.5), (".nii.gz", 1), (".nii.gz", 0.5), (".mnc", 1)]
)
def test_an_image_takes_no_more_memory_than_is_asked_for(tmp_path, free, kind, suffix, slope):
    path, stored = tmp_path / f"a{suffix}", np.random.default_rng(0).integers(0, 120, (200, 200, 50)).astype(kind)
    if suffix == ".mnc":
        write_minc2(path, stored)
    else:
        image = nibabel.Nifti1Image(stored, np.eye(4))
        image.header.set_slope_inter(slope, 0)
        image.to_filename(path)
    del stored
    tracemalloc.start()
    read_volume(path)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # What is taken besides voxels is a megabyte or two.
    free(taken - 3e6 if taken > 6e6 else taken / 2)
    with pytest.raises(InputError, match="free memory"):
        read_volume(path)


def header(path, shape, kind, content=b""):
    with path.open("wb") as file:
        npy.write_array_header_1_0(file, {"descr": kind, "fortran_order": False, "shape": shape})
        file.write(content)


@pytest.mark.parametrize(
    ("read", "shape", "kind"),
    [
        (read_points, (0, 100_000_000), "<f8"),
        (read_points, (100_000_000, 0), "<f8"),
        (read_points, (3, 10**12), "|b1"),
        (read_labels, (10**9,), "<U0"),
        (read_labels, (10**9,), "|S0"),
    ],
)
def test_an_array_that_promises_much_and_has_nothing_is_refused_at_once(tmp_path, read, shape, kind):
    header(tmp_path / "a.npy", shape, kind)
    start = time.monotonic()
    with pytest.raises(InputError, match=r"a\.npy.*expected an"):
        read(tmp_path / "a.npy")
    assert time.monotonic() - start < 2


def test_names_of_columns_need_memory_too(tmp_path, free):
    """Names are longer than numbers of one byte."""
    np.save(tmp_path / "a.npy", np.ones((3, 100_000), bool))
    free(5e6)
    with pytest.raises(InputError, match="Take fewer points or columns"):
        read_points(tmp_path / "a.npy")


def test_a_wide_header_is_read_in_time_that_grows_with_its_length(tmp_path):
    names = [f"c{k}" for k in range(100_000)]
    rows = [["x", *["1"] * len(names)], ["y", *["2"] * len(names)]] * 3
    (tmp_path / "a.csv").write_text("\n".join(",".join(row) for row in [["class", *names], *rows]))
    start = time.monotonic()
    assert read_points(tmp_path / "a.csv", label="class").values.shape == (6, 100_000)
    assert read_expression(tmp_path / "a.csv", label="class").values.shape == (6, 100_000)
    with pytest.raises(InputError, match="expected a column 'clas'"):
        read_expression(tmp_path / "a.csv", label="clas")
    assert time.monotonic() - start < 30


def test_a_point_too_many_is_found_in_time_that_grows_with_their_number(tmp_path):
    for extra in (0, 1):
        rows = [f"p{k},{k % 7},{k % 5}" for k in range(30_000 + extra)]
        (tmp_path / f"{extra}.csv").write_text("\n".join(["item,a,b", *rows]))
    start = time.monotonic()
    with pytest.raises(InputError, match="found 'p30000' in one of them only"):
        read_embeddings([tmp_path / "0.csv", tmp_path / "1.csv"], id="item")
    assert time.monotonic() - start < 20


def test_a_sparse_matrix_that_is_small_in_the_file_only_is_refused(tmp_path):
    path = tmp_path / "a.h5ad"
    path.write_bytes(CELLS.read_bytes())
    with h5py.File(path, "r+") as file:
        group = file.create_group("obsm/wide_sparse")
        group.attrs.update({"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": (40, 10**12)})
        for name, values in {"data": [1.0], "indices": [7], "indptr": [0] * 40 + [1]}.items():
            group[name] = values
    with pytest.raises(InputError, match=r"40 x 1000000000000 that need .*more memory\.$"):
        read_obsm(path, ["wide_sparse"])


# A sparse matrix in a file, as AnnData has it; it must not be read.
BACKED = SimpleNamespace(group={"data": np.ones(1000, "f4"), "indices": np.ones(1000, "i4")}, to_memory=None)


@pytest.mark.parametrize(
    ("X", "room"),
    [
        (np.ones((50, 20), np.float32), 3999),
        # Whole numbers fit, and their components need numbers of single precision.
        (np.arange(1000, dtype=np.int8).reshape(50, 20), 3999),
        (BACKED, 7999),
    ],
)
def test_x_of_an_object_that_does_not_fit_is_refused_before_it_is_copied(free, X, room):
    cells = SimpleNamespace(X=X, obsm={}, var_names=[f"gene {k}" for k in range(20)])
    free(room)
    with pytest.raises(InputError, match=r"^AnnData, X: expected values that fit .* need .*Take fewer"):
        anndata_object.read(cells, None, None, None, 0)


def test_texts_that_share_their_bytes_do_not_fill_the_memory(tmp_path, free):
    """Each of 16 bytes points to the same text of a megabyte."""
    path, n = tmp_path / "a.h5", 5000
    with h5py.File(path, "w") as file:
        texts = file.create_dataset("a", (n,), h5py.string_dtype())
        texts[:] = ["x" * 1_000_000] + ["y"] * (n - 1)
        start = texts.id.get_offset()
    content = bytearray(path.read_bytes())
    content[start : start + 16 * n] = content[start : start + 16] * n
    path.write_bytes(content)
    free(1e9)
    with pytest.raises(HDF5MemoryError, match="more memory"), HDF5File(path) as file:
        file.read("a")


def test_the_memory_of_a_container_is_what_its_limit_leaves(monkeypatch):
    texts = {"/proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    4000000 kB\n"}
    texts |= {"/sys/fs/cgroup/memory.max": "3000000000\n", "/sys/fs/cgroup/memory.stat": "anon 1000000000\nfile 7\n"}
    monkeypatch.setattr(Path, "read_text", lambda path: texts[str(path)])
    assert memory.free_memory() == 2e9
    texts["/sys/fs/cgroup/memory.max"] = "max\n"
    assert memory.free_memory() == 4_096_000_000
