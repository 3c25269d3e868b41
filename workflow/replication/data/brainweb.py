"""Proton density images of the brain, from three sources.

``brainweb``
    The official volumes of BrainWeb (Collins et al. 1998, Kwan et al. 1999): the images of Viswanath and
    Madabhushi 2012, Experiment 1.
``brainweb_resimulated``
    The same images simulated again from BrainWeb's crisp labels, tissue fractions and field C. It allows any noise
    level, and several draws of it.
``icbm152``
    The average anatomy ICBM152 that nilearn carries, through the same simulator; nothing is downloaded. Field C is
    not part of any package: a smooth analytic field with the range that C has over BrainWeb's brain takes its place.

The simulator was fitted to the three official slices that are publicly at hand (3 %, 20 %); `compare_with_real` sets
the two side by side.

All images are (x, y): the first axis runs from left to right, the second from back to front.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from consensus_embedding.utils.seeds import stream
from consensus_embedding.utils.text import InputError
from scipy.io import loadmat
from scipy.ndimage import map_coordinates

from replication.data.icbm152 import read_icbm152, stand_in_field
from replication.data.mri_simulator import (
    FLUID,
    GREY,
    TISSUE_VALUES,
    WHITE,
    Anatomy,
    add_field_and_noise,
    noise_free_signal,
)
from replication.data.readers.volumes import ImageSlice, read_raw, read_volume

SHAPE = (181, 217, 181)
REAL_SLICES = (90, 91, 92)
REAL_NOISE, REAL_INHOMOGENEITY = 3, 20
OFFICIAL_NOISE = (0, 1, 3, 5, 7, 9)
OFFICIAL_INHOMOGENEITY = (0, 20, 40)

FIELD_RANGE = (4.485, 5.499)  # of field C over the brain

# source: (name of the data set, provenance)
SOURCES = {
    "brainweb": ("brainweb", "original"),
    "brainweb_resimulated": ("brainweb_resimulated", "simulated"),
    "icbm152": ("icbm152_simulated", "simulated"),
}

_CRISP = "brainweb/phantom_1.0mm_normal_crisp.rawb.gz"
_OFFICIAL = "brainweb/pd_icbm_normal_1mm_pn{noise:g}_rf{field:g}.raws.gz"
_LABELS = "brainweb/brainweb.mat"
_FRACTIONS = "brainweb/possum_brain.nii.gz"
_FIELD = "brainweb/rf100_C.nii"
_REAL = "brainweb/BrainProtonDensity3Slices.raw"


def about_subject(source: str) -> dict[str, str]:
    """Name of the data set in tables, which says if it is simulated, and provenance for the column source."""
    return dict(zip(("dataset", "source"), SOURCES[source], strict=True))


def brain_slices(
    source: str,
    noise: float,
    inhomogeneity: float,
    slices: Sequence[int],
    *,
    data_folder: str | Path | None = None,
    seed: int,
    draw: int = 0,
) -> list[ImageSlice]:
    """
    Axial slices of a proton density image, with the crisp labels; the mask has the pixels of grey and white matter.

    The noise is the standard deviation in per cent of the value of cerebrospinal fluid, the inhomogeneity the intensity
    non-uniformity in per cent. Slice z, counted from 0, is at z - 72 mm. `data_folder` has the folder ``brainweb``;
    icbm152 needs none. A slice's noise depends on source, noise level, draw, z and the root seed of the study alone:
    not on the other slices asked for, nor on the inhomogeneity. The official volumes have one draw only, 0.
    """
    validate_slices(source, noise, inhomogeneity, slices, data_folder=data_folder)
    folder = None if source == "icbm152" else Path(data_folder).resolve()
    if source == "brainweb":
        labels = read_crisp_labels(folder)
        volume = _official_volume(folder, noise, inhomogeneity)
        images = [volume[:, :, z].astype(np.float64) for z in slices]
    else:
        anatomy = load_anatomy(source, folder)
        labels = anatomy.labels
        noise_sd = noise / 100 * TISSUE_VALUES[FLUID]
        images = [
            add_field_and_noise(
                _cached_signal(source, folder, z),
                anatomy.field(z),
                inhomogeneity,
                noise_sd,
                stream(seed, source, "noise", f"{noise:g}", draw, z),
            )
            for z in slices
        ]
    return [_image_slice(z, image, labels[:, :, z]) for z, image in zip(slices, images, strict=True)]


def validate_slices(
    source: str,
    noise: float,
    inhomogeneity: float,
    slices: Sequence[int],
    *,
    data_folder: str | Path | None = None,
) -> None:
    """Check a request, arguments as for `brain_slices`, before anything is read but the labels."""
    if source == "brainweb":
        _validate_official(noise, inhomogeneity)
    labels = _labels_of(source, data_folder, noise, inhomogeneity)
    for z in slices:
        if not 0 <= z < labels.shape[2]:
            raise InputError(f"slice {z} is out of range: {source} has slices 0 to {labels.shape[2] - 1}.")
        present = np.isin((GREY, WHITE), labels[:, :, z])
        if not present.all():
            raise InputError(
                f"slice {z} of {source} lacks {' and '.join(np.array(['grey', 'white'])[~present])} matter; "
                "choose one nearer the middle of the brain, e.g. 90."
            )


@lru_cache(maxsize=2)
def load_anatomy(source: str, data_folder: Path | None = None) -> Anatomy:
    """Anatomy of a simulated source; icbm152 needs no data folder."""
    if source == "icbm152":
        labels, fractions = read_icbm152()
        field = stand_in_field(labels > 0, *FIELD_RANGE)
        return Anatomy(labels, fractions, lambda z: field[:, :, z], point_spread=0.0)
    stored = read_volume(data_folder / _FRACTIONS).data
    fractions = np.rint(stored[::-1].astype(np.float32) * 255).astype(np.uint8)  # stored from right to left
    # The committed numbers come from a field in single precision.
    coarse = read_volume(data_folder / _FIELD)
    origin = np.array([-90.0, -126.0, -72.0])  # millimetres of voxel (0, 0, 0) of BrainWeb
    to_coarse = np.linalg.inv(coarse.affine)
    field = partial(
        _resampled_field,
        coarse.data.astype(np.float32),
        np.diag(to_coarse)[:3],
        to_coarse[:3, :3] @ origin + to_coarse[:3, 3],
    )
    return Anatomy(_mat_labels(data_folder), fractions, field, point_spread=0.5)


def _resampled_field(coarse: np.ndarray, step: np.ndarray, start: np.ndarray, z: int) -> np.ndarray:
    """Field of slice z on the 1 mm grid, linear between the points of the coarse one."""
    x, y = np.ogrid[: SHAPE[0], : SHAPE[1]]
    points = np.broadcast_arrays(*(first + delta * at for first, delta, at in zip(start, step, (x, y, z), strict=True)))
    return map_coordinates(coarse, points, output=np.float64, order=1, mode="nearest")


@lru_cache(maxsize=64)
def _cached_signal(source: str, data_folder: Path | None, z: int) -> np.ndarray:
    return noise_free_signal(load_anatomy(source, data_folder), z)


def _mat_labels(data_folder: Path) -> np.ndarray:
    path = data_folder / _LABELS
    try:
        labels = np.asarray(loadmat(path, squeeze_me=True, struct_as_record=False)["brainweb"].typemap)
    except Exception as error:  # a damaged file makes the reader raise almost anything
        raise InputError(f"{path} cannot be read: {error}. Delete the file and fetch it again.") from error
    if labels.shape != SHAPE or labels.dtype.kind not in "iuf":
        raise InputError(
            f"{path}: expected labels of shape {SHAPE}, found {labels.dtype} of shape {labels.shape}. Delete the file "
            "and fetch it again."
        )
    return labels


@lru_cache(maxsize=2)
def read_crisp_labels(data_folder: Path) -> np.ndarray:
    """Labels of the official phantom, ndarray of shape (181, 217, 181), uint8."""
    return read_raw(data_folder / _CRISP, SHAPE, np.uint8)


@lru_cache(maxsize=1)
def _official_volume(data_folder: Path, noise: float, inhomogeneity: float) -> np.ndarray:
    data = read_raw(data_folder / _OFFICIAL.format(noise=noise, field=inhomogeneity), SHAPE, "<i2")
    # Values fill 12 bits, so that the wrong byte order shows as far larger ones.
    return min(data, data.byteswap(), key=lambda volume: np.abs(volume.astype(np.int32)).max())


def real_slices(data_folder: str | Path) -> list[ImageSlice]:
    """Slices z = 90, 91, 92 of an official volume (3 % noise, 20 % inhomogeneity), in bytes, with the crisp labels."""
    folder = Path(data_folder)
    _require_files("brainweb_resimulated", folder, (_LABELS, _REAL))
    labels = _mat_labels(folder)
    images = read_raw(folder / _REAL, (*SHAPE[:2], len(REAL_SLICES)), np.uint8)
    return [_image_slice(z, images[:, :, k].astype(np.float64), labels[:, :, z]) for k, z in enumerate(REAL_SLICES)]


def compare_with_real(
    real: Sequence[ImageSlice], simulated: Sequence[ImageSlice], data_folder: str | Path
) -> list[dict[str, object]]:
    """
    Compare slices of `real_slices` with those of `brain_slices` at REAL_SLICES, REAL_NOISE and REAL_INHOMOGENEITY.

    A row has the mean and noise SD of one slice and tissue, real and simulated, and their ratios; that of all of the
    brain also the correlation of the pixels. The noise is estimated alike in both: the standard deviation of the
    difference of neighbours along x and y, over the square root of two, over pairs that are both pure, i.e. of one
    label that fills both voxels; field and mean drop out. Structure does not: without noise fluid reads about 5, grey
    and white matter about 1, so that noise in fluid is overestimated at low levels. Simulated pixels are rounded as the
    real ones are.
    """
    fractions = load_anatomy("brainweb_resimulated", Path(data_folder).resolve()).fractions
    rows = []
    for z, truth, image in zip(REAL_SLICES, real, simulated, strict=True):
        pair = truth.image, np.rint(image.image)
        filled = fractions[:, :, z].max(axis=-1) == 255
        for tissue, labels in {"CSF": [FLUID], "GM": [GREY], "WM": [WHITE], "brain": [FLUID, GREY, WHITE]}.items():
            inside = np.isin(truth.labels, labels)
            means = [values[inside].mean() for values in pair]
            pure = np.where(inside & filled, truth.labels, 0)
            noise = [_neighbour_noise(values, pure) for values in pair]
            row = {"slice": z, "tissue": tissue, "n_pixels": int(inside.sum())}
            row |= {"real_mean": means[0], "simulated_mean": means[1], "mean_ratio": means[1] / means[0]}
            row |= {"real_noise": noise[0], "simulated_noise": noise[1], "noise_ratio": noise[1] / noise[0]}
            row["correlation"] = (
                np.corrcoef(*(values[inside] for values in pair))[0, 1] if tissue == "brain" else math.nan
            )
            rows.append(row)
    return rows


def _neighbour_noise(image: np.ndarray, pure: np.ndarray) -> float:
    """Noise from differences of neighbours of one pure tissue; `pure` has its label, elsewhere 0."""
    differences = []
    for axis in (0, 1):
        size = image.shape[axis]
        both = [np.take(pure, range(first, size - 1 + first), axis) for first in (0, 1)]
        differences.append(np.diff(image, axis=axis)[(both[0] == both[1]) & (both[0] > 0)])
    return float(np.concatenate(differences).std() / math.sqrt(2))


def _image_slice(z: int, image: np.ndarray, labels: np.ndarray) -> ImageSlice:
    return ImageSlice(f"z{z:03d}", image, np.isin(labels, (GREY, WHITE)), labels.astype(np.int64))


def _labels_of(source: str, data_folder: str | Path | None, noise: float, inhomogeneity: float) -> np.ndarray:
    """Labels of a source whose files are all there."""
    if source == "icbm152":
        return load_anatomy(source, None).labels
    folder = Path(data_folder).resolve()
    if source == "brainweb":
        _require_files(source, folder, (_CRISP, _OFFICIAL.format(noise=noise, field=inhomogeneity)))
        return read_crisp_labels(folder)
    _require_files(source, folder, (_LABELS, _FRACTIONS, _FIELD))
    return load_anatomy(source, folder).labels


def _validate_official(noise: float, inhomogeneity: float) -> None:
    for name, percent, offered in (
        ("noise", noise, OFFICIAL_NOISE),
        ("inhomogeneity", inhomogeneity, OFFICIAL_INHOMOGENEITY),
    ):
        if percent not in offered:
            raise InputError(
                f"BrainWeb offers {name} of {', '.join(map(str, offered))} per cent, found {percent}; "
                "set brain.source: brainweb_resimulated for any other."
            )


def _require_files(source: str, folder: Path, names: Sequence[str]) -> None:
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        instead = {
            "brainweb": "brainweb_resimulated, which simulates the same images from public parts",
            "brainweb_resimulated": "icbm152, which needs no download",
        }[source]
        raise InputError(
            f"brain.source: {source} needs {', '.join(missing)}, not found in {folder}; "
            f"fetch the data set {source}, or set brain.source: {instead}."
        )
