"""Studies of MR spectra: one spectrum per voxel, with positions and, where known, the truth about each voxel."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from consensus_embedding.io.text_tables import decimal_advice, finite_cells, read_cells, read_numbers
from consensus_embedding.utils.rows import check_features
from consensus_embedding.utils.text import InputError

from replication.data.readers.archives import read_archive
from replication.data.readers.nifti_spectra import read_nifti_spectra

MIN_VOXELS = 10
MIN_POINTS = 8
# The part of a full band that is kept, and the part that must be there.
PROSTATE_PPM = (1.8, 4.25)
METABOLITES_PPM = (2.45, 3.3)

_POSITION = ("x", "y", "z")
_MOST_POSITION = 1_000_000
_LABELS = ("box", "truth")
_OPTIONAL = ("box", "truth", "tissue")


@dataclass(frozen=True, eq=False)
class SpectraStudy:
    """
    Spectra of the voxels of one organ.

    Rising ppm given to the constructor are turned round, with the spectra.
    """

    name: str
    spectra: np.ndarray  # (n_voxels, n_points), float64: real part of the phased spectra, in any unit
    ppm: np.ndarray  # (n_points,), float64: chemical shift of the points, falling
    # (n_voxels, 3), int64: grid positions x (right to left), y (anterior to posterior), z (base to apex)
    positions: np.ndarray
    box: np.ndarray | None = None  # (n_voxels,), bool: inside a potential cancer space, the partial truth
    truth: np.ndarray | None = None  # (n_voxels,), bool: voxel is cancer
    # (n_voxels, 3), float64: shares of glandular, stromal and cancer tissue; known of simulated studies only
    tissue: np.ndarray | None = None

    def __post_init__(self) -> None:
        ppm = np.asarray(self.ppm, dtype=np.float64)
        spectra = np.asarray(self.spectra, dtype=np.float64)
        if ppm.ndim == 1 and len(ppm) > 1 and ppm[0] < ppm[-1]:
            ppm, spectra = ppm[::-1], spectra[..., ::-1]
        object.__setattr__(self, "ppm", np.ascontiguousarray(ppm))
        object.__setattr__(self, "spectra", np.ascontiguousarray(spectra))
        object.__setattr__(self, "positions", np.asarray(self.positions))


def check_study(study: SpectraStudy) -> None:
    """Check that a study can be analysed."""
    where = f"study {study.name}"
    n_voxels, n_points = study.spectra.shape
    if n_voxels < MIN_VOXELS or n_points < MIN_POINTS:
        raise InputError(
            f"{where}: expected at least {MIN_VOXELS} voxels and {MIN_POINTS} points, found {n_voxels} voxels and "
            f"{n_points} points. Widen the mask or the ppm range, or give more data."
        )
    _check_ppm(study.ppm, where)
    spectra = study.spectra
    for bad, fault in (
        (~np.isfinite(spectra).all(axis=1), "with NaN or infinity"),
        (np.ptp(np.where(np.isfinite(spectra), spectra, 0.0), axis=1) == 0, "that is constant"),
    ):
        if bad.any():
            raise InputError(
                f"{where}: expected finite spectra that vary, found one {fault} at {_place(study, bad)} ({bad.sum()} "
                f"of {len(bad)} voxels). Leave these voxels out, or export their spectra again."
            )
    _, first, counts = np.unique(study.positions, axis=0, return_index=True, return_counts=True)
    if (counts > 1).any():
        doubled = np.zeros(len(spectra), dtype=bool)
        doubled[first[counts > 1]] = True
        raise InputError(
            f"{where}: expected one voxel per position, found several at {_place(study, doubled)}. Remove the doubled "
            "rows, or make a study of each examination."
        )
    for label, what in (("box", "inside the potential cancer space"), ("truth", "with cancer")):
        marked = getattr(study, label)
        if marked is not None and marked.all() != (not marked.any()):
            count = "no voxel" if not marked.any() else f"all {len(marked)} voxels"
            raise InputError(
                f"{where}, {label}: expected voxels {what} and others, found {count} {what}. Correct {label}, or leave "
                "it out."
            )


def save_studies(studies: Sequence[SpectraStudy]) -> dict[str, np.ndarray]:
    """
    Arrays of studies, to be written by `numpy.savez`.

    They are "names", and for study k "spectra_k", "ppm_k", "positions_k" and those of box, truth and tissue it has.
    """
    arrays = {"names": np.array([study.name for study in studies], dtype=str)}
    for k, study in enumerate(studies):
        for part in ("spectra", "ppm", "positions", *_OPTIONAL):
            values = getattr(study, part)
            if values is not None:
                arrays[f"{part}_{k}"] = values
    return arrays


def load_studies(path: str | os.PathLike[str]) -> list[SpectraStudy]:
    """Read an .npz file with the arrays of `save_studies`; other arrays in it are not looked at."""
    return read_archive(Path(path), _studies, "the arrays of save_studies")


def _studies(arrays: Mapping[str, np.ndarray]) -> list[SpectraStudy]:
    return [
        SpectraStudy(
            str(name),
            *(arrays[f"{part}_{k}"] for part in ("spectra", "ppm", "positions")),
            **{part: arrays[f"{part}_{k}"] for part in _OPTIONAL if f"{part}_{k}" in arrays},
        )
        for k, name in enumerate(arrays["names"])
    ]


def read_own_study(item: Mapping[str, Any]) -> SpectraStudy:
    """
    Read and check a user's own study: ``name`` and one of two forms, as the configuration has checked it.

    ``table``: a CSV or TSV file with a row per voxel; columns x, y, z with integer numbers, optional columns box and
    truth with 0 or 1, all others named by their ppm. ``nifti``: a NIfTI-MRS file (see `read_nifti_spectra`), with
    optional NIfTI images ``mask``, ``box`` and ``truth`` on the same grid. Both take ``ppm: [low, high]``, the range to
    keep; if not given, all of a table and `PROSTATE_PPM` of NIfTI-MRS, because the full band contains water and fat.

    An InputError if a file cannot be read or used, the study fails `check_study`, or its ppm miss choline, creatine or
    citrate.
    """
    name, is_table = item["name"], "table" in item
    if is_table:
        study = _read_table(name, Path(item["table"]))
    else:
        study = SpectraStudy(name, *read_nifti_spectra(item["nifti"], *(item.get(k) for k in ("mask", *_LABELS))))
    if "ppm" in item or not is_table:
        study = _crop(study, *item.get("ppm", PROSTATE_PPM))
    check_study(study)
    low, high = METABOLITES_PPM
    if study.ppm[-1] > low or study.ppm[0] < high:
        raise InputError(
            f"study {name}, ppm: expected spectra that cover choline, creatine and citrate ({low} to {high} ppm), "
            f"found {study.ppm[-1]:.2f} to {study.ppm[0]:.2f}. Widen the range, or export more of the spectra."
        )
    return study


def _check_ppm(ppm: np.ndarray, where: str) -> None:
    """A falling axis, without doubles; the message names the first point that breaks it."""
    steps = np.diff(ppm)
    if np.isfinite(ppm).all() and (steps < 0).all():
        return
    doubled = np.flatnonzero(steps == 0)
    if not np.isfinite(ppm).all():
        fault = "NaN or infinity"
    elif len(doubled):
        fault = f"{ppm[doubled[0]]:g} twice"
    else:
        turn = int(np.flatnonzero(steps > 0)[0])
        fault = f"{ppm[turn]:g} next to {ppm[turn + 1]:g}"
    raise InputError(
        f"{where}: expected ppm that fall (or rise) from point to point, found {fault}. Sort the points by ppm and "
        "remove doubled ones."
    )


def _place(study: SpectraStudy, marked: np.ndarray) -> str:
    row = int(np.flatnonzero(marked)[0])
    x, y, z = study.positions[row]
    return f"x {x}, y {y}, z {z} (row {row + 1})"


def _crop(study: SpectraStudy, low: float, high: float) -> SpectraStudy:
    keep = (study.ppm >= low) & (study.ppm <= high)
    if keep.sum() < MIN_POINTS:
        raise InputError(
            f"study {study.name}, ppm: expected at least {MIN_POINTS} points from {low:g} to {high:g}, found "
            f"{keep.sum()}; the spectra reach from {study.ppm.min():g} to {study.ppm.max():g}. Widen the range."
        )
    return SpectraStudy(
        study.name, study.spectra[:, keep], study.ppm[keep], study.positions, study.box, study.truth, study.tissue
    )


def _read_table(name: str, path: Path) -> SpectraStudy:
    """A study from a table whose cells are still text."""
    names, cells, lines = read_cells(path, "voxel")
    lower = [column.lower() for column in names]
    absent = [column for column in _POSITION if column not in lower]
    if absent:
        shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
        raise InputError(
            f"{path}: expected the columns x, y and z with positions in the grid, found no {' and no '.join(absent)} "
            f"among {shown}. Add them; separate columns by commas in .csv, by tabs in .tsv."
        )
    special = (*_POSITION, *_LABELS)
    repeated = [column for column in special if lower.count(column) > 1]
    if repeated:
        raise InputError(f"{path}: expected one column {repeated[0]}, found several. Remove or rename the others.")
    points = [k for k, column in enumerate(lower) if column not in special]
    ppm = read_numbers(np.array([names[k] for k in points], dtype=object))
    if np.isnan(ppm).any():
        odd = names[points[int(np.flatnonzero(np.isnan(ppm))[0])]]
        raise InputError(
            f"{path}: expected columns x, y, z, box, truth and columns named by their ppm, found '{odd}'. Remove this "
            f"column, or name it by its ppm.{decimal_advice(odd)}"
        )
    if len(ppm) > 2 and any(np.array_equal(ppm, np.arange(len(ppm)) + first) for first in (0, 1)):
        raise InputError(
            f"{path}: expected columns named by their ppm, found {ppm[0]:g}, {ppm[1]:g} ... {ppm[-1]:g}, which count "
            "the points. Write the ppm of each point in the header."
        )
    values = finite_cells(path, cells, names, lines, "Correct the cell, or remove the voxel")
    names_of_points = [names[k] for k in points]
    check_features(values[:, points], names_of_points, str(path), "Remove it from the spectra.")
    columns = {column: values[:, lower.index(column)] for column in special if column in lower}
    _check_positions(path, columns, lines)
    positions = np.stack([columns[column] for column in _POSITION], axis=1).astype(np.int64)
    labels = {label: columns[label] == 1 for label in _LABELS if label in columns}
    if len(ppm) > 1:
        steps = np.diff(ppm)
        _check_ppm(ppm[::-1] if (steps > 0).sum() > len(steps) / 2 else ppm, str(path))
    return SpectraStudy(name, values[:, points], ppm, positions, **labels)


def _check_positions(path: Path, columns: Mapping[str, np.ndarray], lines: np.ndarray) -> None:
    """Refuse positions that are not integers of a grid and labels other than 0 and 1."""
    for column, values in columns.items():
        expected = "0 or 1" if column in _LABELS else f"an integer below {_MOST_POSITION:,}, the position in the grid"
        far = (values != np.rint(values)) | (np.abs(values) >= _MOST_POSITION)
        wrong = ~np.isin(values, (0, 1)) if column in _LABELS else far
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise InputError(
                f"{path}, line {lines[row]}, column '{column}': expected {expected}, found {values[row]:g}. Correct it."
            )
