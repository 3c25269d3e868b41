"""
AnnData files (.h5ad): points, ready embeddings and labels out of them, and results into a copy.

The files are read and written with h5py after the on-disk specification of AnnData (encodings array, csr_matrix,
csc_matrix, categorical, string-array, nullable-*; versions 0.7 and later), which needs no AnnData and reads only what
is asked for. h5py runs in another process, since HDF5 may hang or crash on a damaged file.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Container, Mapping, Sequence
from functools import wraps
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike
from scipy.sparse import csc_matrix, csr_matrix, issparse
from sklearn.decomposition import PCA

from consensus_embedding.io.embedding_table import PointTable, as_labels
from consensus_embedding.io.hdf5_file import HDF5Error, HDF5File, HDF5MemoryError
from consensus_embedding.io.memory import require_memory
from consensus_embedding.io.text_tables import require_file, some
from consensus_embedding.utils.numbers import dense, real_numbers
from consensus_embedding.utils.rows import check_features
from consensus_embedding.utils.text import InputError, require_plain
from consensus_embedding.utils.threads import one_thread

N_COMPONENTS = 50
# Of a check that names no representation, and what scanpy calls the principal components of X.
DEFAULT, _COMPONENTS = "default", "X_pca"
# What to do about values that do not fit into memory.
_SMALLER = "Take fewer rows or columns"
_SPARSE = {"csr_matrix": csr_matrix, "csc_matrix": csc_matrix}


def _of_a_file(read: Callable) -> Callable:
    """Errors of HDF5, and of parts that are not as AnnData writes them, name the file and say what to do."""

    @wraps(read)
    def reading(path: str | Path, *args: Any, **kwargs: Any) -> Any:
        """As `read`, of a file that is there."""
        require_file(Path(path))
        try:
            return read(Path(path), *args, **kwargs)
        except InputError:
            raise
        except (OSError, KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
            advice = (
                "" if isinstance(error, HDF5MemoryError) else " Write it again with AnnData 0.7 or newer (write_h5ad)."
            )
            raise InputError(f"{path} cannot be read as AnnData: {str(error).rstrip('.')}.{advice}") from error

    return reading


def default_representation(obsm: Container[str]) -> str:
    """What a check takes if nothing is said: scanpy's principal components if they are there, else those of X."""
    return _COMPONENTS if _COMPONENTS in obsm else "X"


@_of_a_file
def read_anndata(
    path: str | Path,
    *,
    representation: str | None = "X",
    components: int | None = None,
    label: str | None = None,
    random_state: int = 0,
) -> PointTable:
    """
    Read the points of an AnnData file; `ids` are the names of obs, `label` is a column of obs.

    `representation`: "X", of which the first `components` principal components are taken, by default `N_COMPONENTS` or
    as many as there are; a key of obsm, of which the first columns are taken, by default all; "default", as by
    `default_representation`; or None for no values. `random_state` is of the randomised singular value decomposition.
    An InputError also for values that are not finite and a column that numbers the rows.
    """
    with HDF5File(path) as file:
        ids = tuple(_index(path, file).tolist())
        require_plain(map(str, ids), f"{path}, names of obs")
        labels = None if label is None else _labels(path, file, label)
        if representation == DEFAULT:
            representation = default_representation(file.names("obsm"))
        if representation is None:
            values, columns = np.empty((len(ids), 0)), ()
        elif representation == "X":
            values = principal_components(path, *_genes(path, file), components, random_state)
            columns = tuple(f"PC{k}" for k in range(1, values.shape[1] + 1))
        else:
            values = _obsm(path, file, representation)
            if components is not None and components > values.shape[1]:
                raise InputError(
                    f"{path}, obsm '{representation}': expected at least {components} components, found "
                    f"{values.shape[1]}. Lower components."
                )
            values = values[:, :components]
            columns = tuple(f"{representation} {k}" for k in range(1, values.shape[1] + 1))
        if len(values) != len(ids):
            raise InputError(f"{path}: expected {len(ids)} rows, as in obs, found {len(values)} in {representation}.")
    if labels is not None and len(labels) != len(ids):
        raise InputError(f"{path}: expected {len(ids)} rows, as in obs, found {len(labels)} in '{label}'.")
    return PointTable(values, columns, ids, labels, representation)


@_of_a_file
def read_obsm(path: str | Path, keys: Sequence[str]) -> list[np.ndarray]:
    """
    Read ready embeddings of an AnnData file, keys of obsm, (n_points, n_dimensions) each.

    An InputError as by `read_anndata`, and if they differ in shape.
    """
    with HDF5File(path) as file:
        runs = [_obsm(path, file, key) for key in keys]
    for key, run in zip(keys, runs, strict=True):
        if run.shape != runs[0].shape:
            raise InputError(
                f"{path}, obsm '{key}': expected shape {runs[0].shape}, as of '{keys[0]}', found {run.shape}. Name "
                "embeddings with the same number of dimensions."
            )
    return runs


def principal_components(
    where: str | Path, X: np.ndarray | csr_matrix, names: np.ndarray, components: int | None, random_state: int
) -> np.ndarray:
    """The first principal components of X, as many as asked for, by default `N_COMPONENTS` or all."""
    entries = np.asarray(X.data if issparse(X) else X)
    if X.ndim != 2 or entries.dtype.kind not in "biuf":
        raise InputError(f"{where}, X: expected a matrix of numbers, found shape {X.shape}, {entries.dtype}.")
    # Row by row: all at once would be as large as X.
    bad = sum(int(np.count_nonzero(~np.isfinite(part))) for part in np.array_split(entries, 100))
    if bad:
        raise InputError(f"{where}, X: expected finite numbers, found {bad} that are not. Fill the gaps.")
    check_features(X, names, f"{where}, X", "Remove it.")
    # One less than rows and columns: what centring leaves, and what the sparse solver can give.
    most = min(X.shape) - 1
    if most < (components or 1):
        raise InputError(
            f"{where}, X: expected at least {components or 1} principal components, found at most {most} of a matrix "
            f"of shape {X.shape}. Lower components, or name a key of obsm."
        )
    if not issparse(X):
        offset = X.mean(axis=0, dtype=np.float64)
        if X.dtype.kind != "f":
            # Single precision has all integers up to 2^24.
            dtype, offset = np.float32 if max(X.max(), -float(X.min())) <= 2**24 else np.float64, np.rint(offset)
            require_memory(f"{where}, X", X.shape, dtype, remedy=_SMALLER)
            X = X.astype(dtype)
        # scikit-learn squares values before it centres them, in their own precision.
        X -= offset.astype(X.dtype)
    # One thread: sums of several depend on their number. Without a copy: X is not used again.
    with one_thread():
        model = PCA(components or min(N_COMPONENTS, most), copy=False, random_state=random_state)
        return model.set_output(transform="default").fit_transform(X)


def write_results(
    source: str | Path,
    path: str | Path,
    picture: np.ndarray,
    columns: pd.DataFrame,
    settings: Mapping[str, Any],
    colours: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """
    Write a copy of an AnnData file with results; complete or not at all. The source stays as it is.

    `picture`, (n_points, 2), becomes obsm["X_consensus"]. `columns` become columns of obs: numbers and categories as
    they are, text as categories, NaN and None as missing. `settings`, text, numbers, lists of text and sections of them
    (others become text), become uns["embedding_check"]; `colours`, of the categories of a column in their order,
    uns["<column>_colors"], which scanpy reads.
    """
    path = Path(path)
    partial = path.with_name(f".{path.name}.part")
    try:
        # No more of the file is in memory than what is written.
        shutil.copyfile(source, partial)
        with HDF5File(partial, "r+") as file:
            _write_results(file, picture, columns, settings)
            for name, of_categories in (colours or {}).items():
                file.write(f"uns/{name}_colors", list(of_categories), "string-array")
        os.replace(partial, path)
    except (HDF5Error, OSError) as error:
        raise InputError(
            f"The results cannot be written into {path}, a copy of {source}: {error}. If the disk has room, write "
            f"{source} again with AnnData 0.7 or newer (write_h5ad)."
        ) from error
    finally:
        partial.unlink(missing_ok=True)


def _write_results(file: HDF5File, picture: np.ndarray, columns: pd.DataFrame, settings: Mapping[str, Any]) -> None:
    there = file.names("/")
    for name in ("obsm", "uns"):
        if name not in there:
            file.create_group(name, "dict", "0.1.0")
    file.write("obsm/X_consensus", picture, "array")
    order = [name for name in _order(file, "obs") if name not in columns.columns]
    for name in columns.columns:
        if columns[name].dtype.kind in "fiub":
            file.write(f"obs/{name}", columns[name].to_numpy(), "array")
        else:
            _write_categories(file, f"obs/{name}", columns[name])
    file.set_attribute("obs", "column-order", [*order, *columns.columns])
    _write_section(file, "uns/embedding_check", settings)


def _matrix(file: HDF5File, path: str) -> np.ndarray | csr_matrix:
    """A dense or sparse matrix; sparse ones by rows."""
    if not file.is_group(path):
        return file.read(path)
    parts = tuple(file.read(f"{path}/{name}") for name in ("data", "indices", "indptr"))
    made = _SPARSE[file.attribute(path, "encoding-type")](parts, shape=tuple(file.attribute(path, "shape")))
    made.check_format(full_check=True)
    if made.format == "csc":
        _require_memory(path, [made.nnz + made.shape[0] + 1], made.dtype, np.int64)
    return made.tocsr()


def _require_memory(path: str, shape: Sequence[int], *types: DTypeLike) -> None:
    require_memory(path, shape, *types, error=HDF5MemoryError, remedy=_SMALLER)


def _genes(path: str | Path, file: HDF5File) -> tuple[np.ndarray | csr_matrix, np.ndarray]:
    """X, and the names of its columns in var."""
    if "X" not in file.names("/") or file.attribute("X", "encoding-type") == "null":
        there = file.names("obsm")
        raise InputError(
            f"{path}: expected values in X, found none. Name a key of obsm as representation: "
            f"{some(there) if there else 'it has none'}."
        )
    X = _matrix(file, "X")
    names = _column(file, f"var/{file.attribute('var', '_index')}")
    if X.ndim == 2 and X.shape[1] != len(names):
        raise InputError(f"{path}: expected {len(names)} columns, as in var, found {X.shape[1]} in X.")
    return X, names


def _obsm(path: str | Path, file: HDF5File, key: str) -> np.ndarray:
    there = file.names("obsm")
    if key not in there:
        raise InputError(
            f"{path}: expected a key '{key}' of obsm, found {some(there) if there else 'none'}. Name one of these."
        )
    node = f"obsm/{key}"
    columns = file.attribute(node, "column-order")
    where = f"{path}, obsm '{key}'"
    if columns is None:
        values = _matrix(file, node)
    else:
        values = np.column_stack([_numbers(where, name, _column(file, f"{node}/{name}")) for name in columns])
    if issparse(values):
        _require_memory(node, values.shape, values.dtype)
    values = dense(values)
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise InputError(f"{where}: expected a matrix of numbers, found shape {values.shape} of {values.dtype}.")
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0, 0])
        raise InputError(
            f"{where}: expected finite numbers, found {np.count_nonzero(~np.isfinite(values))} that are "
            f"not, the first in row {row + 1}. Fill the gaps or leave out the rows."
        )
    names = range(1, values.shape[1] + 1) if columns is None else columns
    check_features(values, names, where, "Remove it.")
    return values


def _numbers(where: str, name: str, column: np.ndarray) -> np.ndarray:
    """A column of a data frame of numbers, NaN where missing."""
    try:
        return column if column.dtype.kind in "biuf" else real_numbers(column, "")
    except ValueError:
        other = next(entry for entry in column if not isinstance(entry, Real | None))
        raise InputError(
            f"{where}, column '{name}': expected numbers, found {other!r}. Remove the column, or write it as numbers."
        ) from None


def _index(path: str | Path, file: HDF5File) -> np.ndarray:
    if not file.is_group("obs"):
        raise InputError(
            f"{path}: expected an AnnData file of version 0.7 or newer, found an older one. Open it with AnnData and "
            "write it again."
        )
    return _column(file, f"obs/{file.attribute('obs', '_index')}")


def _labels(path: str | Path, file: HDF5File, label: str) -> np.ndarray:
    there = _order(file, "obs")
    if label not in there:
        raise InputError(
            f"{path}: expected a column '{label}' of obs, found {some(there) if there else 'none'}. Name one of these."
        )
    return as_labels(_column(file, f"obs/{label}").tolist(), f"{path}, obs '{label}'")


def _order(file: HDF5File, path: str) -> list[str]:
    order = file.attribute(path, "column-order")
    if not isinstance(order, list):
        raise HDF5Error(f"expected the attribute column-order of {path}, a list, found {order!r}")
    return order


def _column(file: HDF5File, path: str) -> np.ndarray:
    """Entries of a column, None where missing."""
    if not file.is_group(path):
        # Version 0.7 keeps the categories apart.
        categories = file.attribute(path, "categories")
        values = file.read(path)
        values = values if categories is None else _of_codes(values, _column(file, categories))
    elif "codes" in file.names(path):
        values = _of_codes(file.read(f"{path}/codes"), _column(file, f"{path}/categories"))
    else:
        mask, values = file.read(f"{path}/mask"), _column(file, f"{path}/values")
        if mask.shape != values.shape or mask.dtype.kind != "b":
            raise ValueError(f"expected a mask of shape {values.shape} in {path}, found {mask.shape}, {mask.dtype}")
        values = values.astype(object)
        values[mask] = None
    if values.ndim != 1:
        raise ValueError(f"expected a column in {path}, found shape {values.shape}")
    return values


def _of_codes(codes: np.ndarray, categories: np.ndarray) -> np.ndarray:
    if codes.dtype.kind not in "iu" or not np.isin(codes, np.arange(-1, len(categories))).all():
        raise ValueError(f"expected codes of {len(categories)} categories, found others")
    return np.append(categories.astype(object), [None])[codes]


def _write_categories(file: HDF5File, path: str, column: pd.Series) -> None:
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, categories = column.cat.codes.to_numpy(), column.cat.categories
    else:
        codes, categories = pd.factorize(column.to_numpy(dtype=object, na_value=None), sort=True)
    file.create_group(path, "categorical", "0.2.0")
    file.set_attribute(path, "ordered", False)
    file.write(f"{path}/codes", codes.astype(np.int32), "array")
    file.write(f"{path}/categories", [str(category) for category in categories], "string-array")


def _write_section(file: HDF5File, path: str, section: Mapping[str, Any]) -> None:
    file.create_group(path, "dict", "0.1.0")
    for key, value in section.items():
        if isinstance(value, Mapping):
            _write_section(file, f"{path}/{key}", value)
        elif isinstance(value, bool | int | float):
            file.write(f"{path}/{key}", value, "numeric-scalar")
        elif isinstance(value, list | tuple):
            file.write(f"{path}/{key}", [str(entry) for entry in value], "string-array")
        elif value is not None:
            file.write(f"{path}/{key}", str(value), "string")
