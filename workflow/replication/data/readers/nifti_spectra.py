"""Spectra from NIfTI-MRS files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import nibabel
import numpy as np
from consensus_embedding.io.text_tables import require_file
from consensus_embedding.utils.text import InputError

from replication.data.readers.volumes import inside_mask, read_volume, require_as_large_as_announced

if TYPE_CHECKING:
    from nifti_mrs.nifti_mrs import NIFTI_MRS

PathLike = str | os.PathLike[str]


def read_nifti_spectra(
    path: PathLike, mask: PathLike | None = None, box: PathLike | None = None, truth: PathLike | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None, np.ndarray | None]:
    """
    Read the proton spectra of a NIfTI-MRS file (Clarke et al. 2022, Magn Reson Med 88:2358), one per voxel.

    The file contains the signal in time; its Fourier transform is taken without any filter, and the real part kept. So
    the spectra must have been phased, and corrected for frequency, before they were written. ppm = 4.65 + f / f0, or as
    the header says otherwise.

    `mask`, a NIfTI image as for `inside_mask`, chooses voxels; without it all with a signal are read. `box` (potential
    cancer space) and `truth` (cancer) are NIfTI images with 0 and 1. All are on the grid of the spectra.

    Returns spectra (n_voxels, n_points); the full band of ppm, rising; positions (n_voxels, 3) from 0, x right to left,
    y anterior to posterior, z base to apex, as the orientation in the header says; box and truth (n_voxels,), bool.
    """
    path = Path(path)
    file, signal = _open(path)
    if any(size > 1 for size in signal.shape[4:]):
        raise InputError(
            f"{path}: expected one spectrum per voxel, found {' x '.join(map(str, signal.shape[4:]))} of them "
            f"({', '.join(str(tag) for tag in file.dim_tags if tag)}). Combine coils and average repetitions first."
        )
    signal = signal.reshape(signal.shape[:4])
    given = None if mask is None else _read_image(mask, "mask", path, file)
    inside = signal.any(axis=-1) if given is None else inside_mask(given, f"mask {mask}")
    if not inside.any():
        raise InputError(
            f"{'the signal of' if mask is None else 'mask'} {mask or path} is empty: expected voxels other than 0. "
            "Draw the voxels to analyse."
        )
    spectra = np.fft.fftshift(np.fft.fft(signal[inside].astype(np.complex128), axis=-1), axes=-1).real
    labels = [
        None if image is None else _read_label(image, name, path, file, inside)
        for image, name in ((box, "box"), (truth, "truth"))
    ]
    return spectra, np.asarray(file.axes.ppmAxisShift), _positions(inside, file.getAffine("voxel", "world")), *labels


def _open(path: Path) -> tuple[NIFTI_MRS, np.ndarray]:
    """Open a NIfTI-MRS file of protons; the file and its signals."""
    require_file(path)
    from nifti_mrs.nifti_mrs import NIFTI_MRS

    try:
        image = nibabel.load(path, mmap=False)
        # The signals, and their transform in double precision.
        require_as_large_as_announced(path, image, image.get_data_dtype(), *[np.complex128] * 3)
        file = NIFTI_MRS(path)
        signal = np.asarray(file[:])
    except InputError:
        raise
    except Exception as error:  # the reader raises errors of many kinds, none of them its own base class
        raise InputError(
            f"{path}: expected a NIfTI-MRS file, found: {str(error) or type(error).__name__}. Convert the spectra to "
            "NIfTI-MRS, or give them as a table."
        ) from error
    if not np.iscomplexobj(signal) or signal.ndim < 4:
        raise InputError(
            f"{path}: expected complex signals over time along axis 4, found {signal.dtype} of shape {signal.shape}. "
            "Convert the spectra again."
        )
    if file.nucleus[0] != "1H":
        raise InputError(f"{path}: expected spectra of 1H, found {file.nucleus[0]}. Give proton spectra.")
    return file, signal


def _read_image(image: PathLike, name: str, path: Path, file: NIFTI_MRS) -> np.ndarray:
    """An image on the grid of the spectra."""
    volume = read_volume(image)
    data, shape = volume.data, file.shape[:3]
    if data.ndim == 2:
        data = data[:, :, None]
    if data.shape != shape:
        raise InputError(
            f"{name} {image}: expected the grid of {path}, {shape}, found {data.shape}. Resample it to the spectra."
        )
    if not np.isfinite(data).all():
        raise InputError(f"{name} {image}: expected finite numbers, found NaN or infinity. Put 0 there.")
    affine = file.getAffine("voxel", "world")
    if volume.placed and not np.allclose(volume.affine, affine, atol=0.01 * np.abs(affine[:3, :3]).max()):
        raise InputError(
            f"{name} {image}: expected the position and orientation of {path}, found another affine matrix. Resample "
            "it to the spectra."
        )
    return data


def _read_label(image: PathLike, name: str, path: Path, file: NIFTI_MRS, inside: np.ndarray) -> np.ndarray:
    values = _read_image(image, name, path, file)[inside]
    wrong = ~np.isin(values, (0, 1))
    if wrong.any():
        raise InputError(
            f"{name} {image}: expected 0 or 1 in each voxel, found {values[wrong][0]:g}. Correct the image."
        )
    return values == 1


def _positions(inside: np.ndarray, affine: np.ndarray) -> np.ndarray:
    """Grid positions along left, posterior and inferior, whatever the order of the axes in the file."""
    wanted = nibabel.orientations.axcodes2ornt(("L", "P", "I"))
    turn = nibabel.orientations.ornt_transform(nibabel.orientations.io_orientation(affine), wanted)
    indices = np.argwhere(inside)
    positions = np.empty_like(indices)
    for axis, (target, flip) in enumerate(turn):
        along = indices[:, axis]
        positions[:, int(target)] = along if flip > 0 else inside.shape[axis] - 1 - along
    return positions
