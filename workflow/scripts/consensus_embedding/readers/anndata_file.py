"""
AnnData files (.h5ad): points, ready embeddings and labels out of them, and results into a copy.

The files are read and written with h5py after the on-disk specification of AnnData (encodings array, csr_matrix,
csc_matrix, categorical, string-array, nullable-*; versions 0.7 and later), which needs no AnnData and reads only what
is asked for.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
from scipy.sparse import csc_matrix, csr_matrix, issparse
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

from consensus_embedding.readers.embedding_table import EmbeddingDataError, PointTable, as_labels
from consensus_embedding.readers.expression_formats import some
from consensus_embedding.readers.text_tables import require_file

N_COMPONENTS = 50
_SPARSE = {"csr_matrix": csr_matrix, "csc_matrix": csc_matrix}


def _of_a_file(read: Callable) -> Callable:
    """Errors of HDF5, and of parts that are not as AnnData writes them, name the file and say what to do."""

    @wraps(read)
    def reading(path: str | Path, *args: Any, **kwargs: Any) -> Any:
        require_file(Path(path), EmbeddingDataError)
        try:
            return read(Path(path), *args, **kwargs)
        except EmbeddingDataError:
            raise
        except (OSError, KeyError, ValueError, TypeError, RuntimeError, IndexError, AttributeError) as error:
            raise EmbeddingDataError(
                f"{path} cannot be read as AnnData: {error}. Write it again with AnnData 0.7 or newer (write_h5ad)."
            ) from error

    return reading


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
    Read the points of an AnnData file.

    Parameters
    ----------
    path : path-like
    representation : str or None
        "X", whose principal components are taken; a key of obsm; or None for no values.
    components : int, optional
        Principal components of X, `N_COMPONENTS` or as many as there are if not given. Of a key of obsm: its first
        columns, all if not given.
    label : str, optional
        Column of obs.
    random_state : int
        Of the randomised singular value decomposition behind the principal components.

    Returns
    -------
    PointTable
        `ids` are the names of obs.

    Raises
    ------
    EmbeddingDataError
        If the file is not AnnData; a key is absent (the message lists those that are there); a value is not finite; a
        matrix has more or fewer rows than obs; or there are fewer components than asked for.
    """
    with h5py.File(path, "r") as file:
        ids = tuple(_index(file).tolist())
        labels = None if label is None else _labels(path, file, label)
        if representation is None:
            values, columns = np.empty((len(ids), 0)), ()
        elif representation == "X":
            values = _principal_components(path, _matrix(file["X"]), components, random_state)
            columns = tuple(f"PC{k}" for k in range(1, values.shape[1] + 1))
        else:
            values = _obsm(path, file, representation)
            if components is not None and components > values.shape[1]:
                raise EmbeddingDataError(
                    f"{path}, obsm '{representation}': expected at least {components} components, found "
                    f"{values.shape[1]}. Lower components."
                )
            values = values[:, :components]
            columns = tuple(f"{representation} {k}" for k in range(1, values.shape[1] + 1))
        if len(values) != len(ids):
            raise EmbeddingDataError(
                f"{path}: expected {len(ids)} rows, as in obs, found {len(values)} in {representation}."
            )
    return PointTable(values, columns, ids, labels)


@_of_a_file
def read_obsm(path: str | Path, keys: Sequence[str]) -> list[np.ndarray]:
    """
    Read ready embeddings of an AnnData file.

    Parameters
    ----------
    path : path-like
    keys : sequence of str
        Of obsm.

    Returns
    -------
    list of ndarray of shape (n_points, n_dimensions)

    Raises
    ------
    EmbeddingDataError
        As `read_anndata`; if they differ in shape.
    """
    with h5py.File(path, "r") as file:
        runs = [_obsm(path, file, key) for key in keys]
    for key, run in zip(keys, runs, strict=True):
        if run.shape != runs[0].shape:
            raise EmbeddingDataError(
                f"{path}, obsm '{key}': expected shape {runs[0].shape}, as of '{keys[0]}', found {run.shape}. Name "
                "embeddings with the same number of dimensions."
            )
    return runs


def write_results(
    source: str | Path, path: str | Path, picture: np.ndarray, columns: pd.DataFrame, settings: Mapping[str, Any]
) -> None:
    """
    Write a copy of an AnnData file with results; complete or not at all. The source stays as it is.

    Parameters
    ----------
    source, path : path-like
    picture : ndarray of shape (n_points, 2)
        Becomes obsm["X_consensus"].
    columns : DataFrame of n_points rows
        Become columns of obs: numbers as they are, text as categories, NaN and None as missing.
    settings : mapping
        Becomes uns["embedding_check"]; text, numbers and sections of them. Values of other types become text.

    Notes
    -----
    The file is copied, then opened: no more of it is in memory than what is written.
    """
    path = Path(path)
    partial = path.with_name(f".{path.name}.part")
    shutil.copyfile(source, partial)
    with h5py.File(partial, "r+") as file:
        for name in ("obsm", "uns"):
            if name not in file:
                _encode(file.create_group(name), "dict", "0.1.0")
        _write_array(file["obsm"], "X_consensus", picture)
        obs = file["obs"]
        order = [name for name in _texts(obs.attrs["column-order"]) if name not in columns.columns]
        for name in columns.columns:
            if columns[name].dtype.kind in "fiub":
                _write_array(obs, name, columns[name].to_numpy())
            else:
                _write_categories(obs, name, columns[name])
        obs.attrs["column-order"] = np.array([*order, *columns.columns], dtype=h5py.string_dtype())
        _write_section(file["uns"], "embedding_check", settings)
    os.replace(partial, path)


def _matrix(node: h5py.Dataset | h5py.Group) -> np.ndarray | csr_matrix:
    """A dense or sparse matrix; sparse ones by rows."""
    if isinstance(node, h5py.Dataset):
        return node[()]
    made = _SPARSE[_text(node.attrs["encoding-type"])](
        (node["data"][()], node["indices"][()], node["indptr"][()]), shape=tuple(node.attrs["shape"])
    )
    made.check_format(full_check=True)
    return made.tocsr()


def _principal_components(
    path: Path, X: np.ndarray | csr_matrix, components: int | None, random_state: int
) -> np.ndarray:
    entries = X.data if issparse(X) else X
    if X.ndim != 2 or entries.dtype.kind not in "biuf":
        raise EmbeddingDataError(f"{path}, X: expected a matrix of numbers, found shape {X.shape}, {entries.dtype}.")
    # Row by row: all at once would be as large as X.
    bad = sum(int(np.count_nonzero(~np.isfinite(part))) for part in np.array_split(entries, 100))
    if bad:
        raise EmbeddingDataError(f"{path}, X: expected finite numbers, found {bad} that are not. Fill the gaps.")
    # One less than rows and columns: what centring leaves, and what the sparse solver can give.
    most = min(X.shape) - 1
    if most < (components or 1):
        raise EmbeddingDataError(
            f"{path}, X: expected at least {components or 1} principal components, found at most {most} of a matrix of "
            f"shape {X.shape}. Lower components, or name a key of obsm."
        )
    if not issparse(X) and X.dtype.kind != "f":
        X = X.astype(np.float32)
    # One thread: sums of several depend on their number. Without a copy: X is not used again.
    with threadpool_limits(1):
        return PCA(components or min(N_COMPONENTS, most), copy=False, random_state=random_state).fit_transform(X)


def _obsm(path: Path, file: h5py.File, key: str) -> np.ndarray:
    there = sorted(file["obsm"]) if "obsm" in file else []
    if key not in there:
        raise EmbeddingDataError(
            f"{path}: expected a key '{key}' of obsm, found {some(there) if there else 'none'}. Name one of these."
        )
    node = file["obsm"][key]
    if isinstance(node, h5py.Group) and "column-order" in node.attrs:
        values = np.column_stack([node[name][()] for name in _texts(node.attrs["column-order"])])
    else:
        values = _matrix(node)
    values = values.toarray() if issparse(values) else values
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise EmbeddingDataError(
            f"{path}, obsm '{key}': expected a matrix of numbers, found shape {values.shape} of {values.dtype}."
        )
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0, 0])
        raise EmbeddingDataError(
            f"{path}, obsm '{key}': expected finite numbers, found {np.count_nonzero(~np.isfinite(values))} that are "
            f"not, the first in row {row + 1}. Fill the gaps or leave out the rows."
        )
    return values


def _index(file: h5py.File) -> np.ndarray:
    obs = file["obs"]
    if not isinstance(obs, h5py.Group):
        raise EmbeddingDataError(
            f"{file.filename}: expected an AnnData file of version 0.7 or newer, found an older one. Open it with "
            "AnnData and write it again."
        )
    return _column(obs[_text(obs.attrs["_index"])])


def _labels(path: Path, file: h5py.File, label: str) -> np.ndarray:
    obs = file["obs"]
    there = _texts(obs.attrs["column-order"])
    if label not in there:
        raise EmbeddingDataError(
            f"{path}: expected a column '{label}' of obs, found {some(there) if there else 'none'}. Name one of these."
        )
    return as_labels(_column(obs[label]).tolist(), f"{path}, obs '{label}'")


def _column(node: h5py.Dataset | h5py.Group) -> np.ndarray:
    """Entries of a column, None where missing."""
    if isinstance(node, h5py.Dataset):
        values = node.asstr()[()] if h5py.check_string_dtype(node.dtype) else node[()]
        # Version 0.7 keeps the categories apart.
        return _of_codes(values, node.file[node.attrs["categories"]]) if "categories" in node.attrs else values
    if "codes" in node:
        return _of_codes(node["codes"][()], node["categories"])
    return np.where(node["mask"][()], None, _column(node["values"]).astype(object))


def _of_codes(codes: np.ndarray, categories: h5py.Dataset | h5py.Group) -> np.ndarray:
    return np.append(_column(categories).astype(object), None)[codes]


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _texts(values: Sequence[str | bytes]) -> list[str]:
    return [_text(value) for value in values]


def _encode(node: h5py.Dataset | h5py.Group, kind: str, version: str = "0.2.0") -> None:
    node.attrs["encoding-type"], node.attrs["encoding-version"] = kind, version


def _fresh(group: h5py.Group, name: str) -> None:
    """A result of an earlier check is replaced."""
    if name in group:
        del group[name]


def _write_array(group: h5py.Group, name: str, values: np.ndarray) -> None:
    _fresh(group, name)
    _encode(group.create_dataset(name, data=values), "array")


def _write_texts(group: h5py.Group, name: str, texts: Sequence[str]) -> None:
    _encode(group.create_dataset(name, data=np.array(texts, dtype=object), dtype=h5py.string_dtype()), "string-array")


def _write_categories(group: h5py.Group, name: str, column: pd.Series) -> None:
    _fresh(group, name)
    codes, categories = pd.factorize(column.to_numpy(dtype=object, na_value=None), sort=True)
    made = group.create_group(name)
    _encode(made, "categorical")
    made.attrs["ordered"] = False
    _write_array(made, "codes", codes.astype(np.int32))
    _write_texts(made, "categories", [str(one) for one in categories])


def _write_section(group: h5py.Group, name: str, section: Mapping[str, Any]) -> None:
    _fresh(group, name)
    made = group.create_group(name)
    _encode(made, "dict", "0.1.0")
    for key, value in section.items():
        if isinstance(value, Mapping):
            _write_section(made, str(key), value)
        elif isinstance(value, bool | int | float):
            _encode(made.create_dataset(str(key), data=value), "numeric-scalar")
        elif value is not None:
            _encode(made.create_dataset(str(key), data=str(value), dtype=h5py.string_dtype()), "string")
