"""Image volumes: NIfTI, MINC and headerless files; slices with masks for a user's own images."""

from __future__ import annotations

import gzip
import math
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import nibabel
import numpy as np
from consensus_embedding.io.hdf5_file import HDF5MemoryError
from consensus_embedding.io.memory import require_memory
from consensus_embedding.io.text_tables import require_file
from consensus_embedding.utils.text import InputError
from nibabel.orientations import apply_orientation, inv_ornt_aff, io_orientation
from numpy.typing import DTypeLike

from replication.data.readers.minc2_file import is_minc2, read_minc2
from replication.platform.files import complete_file

FORMATS = (".nii", ".nii.gz", ".mnc")
# The largest number that a class may have: a 32-bit integer, as most programs write them.
_LARGEST_LABEL = 2**31 - 1
# Share of the value inside a mask by which voxels may differ from it, or from 0 outside, as after rounding.
_MASK_ROUNDING = 1e-3
# What to do about an image that does not fit into memory.
_SMALLER = "Crop the image or resample it to larger voxels"


@dataclass(frozen=True)
class Volume:
    """
    An image volume as stored; what the file scales is float64.

    Axes are those of the file. The three of a MINC file are put in the order x, y, z with rising coordinates, as is
    usual in NIfTI files.
    """

    data: np.ndarray  # 2-D to 4-D
    affine: np.ndarray  # (4, 4), from voxel indices to millimetres
    # Whether the file gives the position of the image. If not (NIfTI with both codes 0), `affine` has voxel sizes only.
    placed: bool = True


@dataclass(frozen=True)
class ImageSlice:
    """One slice, ready for analysis."""

    name: str
    image: np.ndarray  # (rows, cols), float64
    mask: np.ndarray  # (rows, cols), bool: the pixels to analyse
    labels: np.ndarray | None = None  # (rows, cols), int: true classes


def read_volume(path: str | os.PathLike[str]) -> Volume:
    """Read the real numbers of a NIfTI or MINC file, whose name ends in .nii, .nii.gz or .mnc."""
    path = Path(path)
    if not path.name.lower().endswith(FORMATS):
        raise InputError(f"{path}: expected a file name ending in {', '.join(FORMATS)}; convert the image to NIfTI.")
    require_file(path)
    try:
        image = _open_minc(path) if path.suffix.lower() == ".mnc" else nibabel.load(path, mmap=False)
        _require_voxels_behind_the_header(image)
        require_as_large_as_announced(path, image, *_types_in_memory(path, image))
        data = np.asarray(image.dataobj)
        axes = image.dataobj.minc_file._dim_names if isinstance(image, nibabel.Minc1Image) else ()
        affine = np.array(image.affine, dtype=np.float64)
        affine[:3] *= _millimetres(image)
        placed = not isinstance(image, nibabel.Nifti1Pair) or any(
            image.header[code] > 0 for code in ("qform_code", "sform_code")
        )
    except InputError:
        raise
    except HDF5MemoryError as error:
        raise InputError(f"{path}, {error}") from error
    except Exception as error:  # a damaged header makes the readers raise almost anything
        raise InputError(
            f"{path} cannot be read: expected a complete {'MINC' if path.suffix.lower() == '.mnc' else 'NIfTI'} file, "
            f"found: {str(error) or type(error).__name__}. Copy or export the file again."
        ) from error
    if data.dtype.kind not in "iufb":
        raise InputError(f"{path}: expected one real number per voxel, found {data.dtype}; export grey levels.")
    if data.size == 0:
        raise InputError(f"{path}: expected an image, found no voxels (shape {data.shape}). Export the file again.")
    # Drop a time axis of length 1. In NIfTI it is the last axis; in MINC its name tells which it is.
    if path.suffix.lower() == ".mnc":
        times = [k for k, name in enumerate(axes) if not name.endswith("space") and data.shape[k] == 1]
        data = data.squeeze(tuple(times))
        if data.ndim == 3:
            data, affine = _in_xyz_order(data, affine)
    else:
        while data.ndim > 3 and data.shape[-1] == 1:
            data = data[..., 0]
    return Volume(data, affine, placed)


def _millimetres(image: nibabel.spatialimages.SpatialImage) -> float:
    """Millimetres of the unit of length in the header; of a file that names none, 1."""
    if not isinstance(image, nibabel.Nifti1Pair):
        return 1.0
    return {"meter": 1e3, "micron": 1e-3}.get(image.header.get_xyzt_units()[0], 1.0)


def _open_minc(path: Path) -> nibabel.Minc1Image:
    """MINC 1, which is never compressed, or MINC 2; with its voxels in memory."""
    if is_minc2(path):
        return read_minc2(path)
    require_memory(path, [path.stat().st_size], np.uint8, remedy=_SMALLER)
    return nibabel.load(path, mmap=False)


def _types_in_memory(path: Path, image: nibabel.spatialimages.SpatialImage) -> tuple[DTypeLike, ...]:
    """Of the copies of all voxels that nibabel and `read_volume` have at the same time."""
    stored = image.get_data_dtype()
    if isinstance(image, nibabel.Minc1Image):
        return stored, np.float64, np.float64
    if (image.dataobj.slope, image.dataobj.inter) != (1, 0):
        return np.float64, np.float64
    return (stored,) * (2 if path.suffix.lower() == ".gz" or stored.kind == "f" else 1)


def unzipped_size(path: Path) -> int:
    """Bytes of a file. A zipped one is read to its end, where its checksum is: a reader of voxels stops earlier."""
    if path.suffix.lower() != ".gz":
        return path.stat().st_size
    size = 0
    with gzip.open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            size += len(chunk)
            require_memory(path, [size], np.uint8, remedy=_SMALLER)
    return size


def require_as_large_as_announced(path: Path, image: nibabel.spatialimages.SpatialImage, *types: DTypeLike) -> None:
    """Memory is taken for all voxels that the header announces, of these types, before the first of them is read."""
    require_memory(path, image.shape, *types, remedy=_SMALLER)
    announced = math.prod(image.shape) * image.get_data_dtype().itemsize
    # MINC has been read.
    if isinstance(image, nibabel.Nifti1Image) and announced > (size := unzipped_size(path)):
        raise ValueError(f"{size} bytes, and a header that announces {announced} bytes of voxels")


def _require_voxels_behind_the_header(image: nibabel.spatialimages.SpatialImage) -> None:
    if isinstance(image, nibabel.Nifti1Image):
        header_size, offset = image.header.single_vox_offset, image.dataobj.offset
        if offset < header_size:
            raise ValueError(f"voxels from byte {offset} on, inside the header of {header_size} bytes")


def _in_xyz_order(data: np.ndarray, affine: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """MINC keeps z first; axis 2 shall mean the same slice in both formats."""
    orientation = io_orientation(affine)
    affine = affine @ inv_ornt_aff(orientation, data.shape[:3])
    return np.ascontiguousarray(apply_orientation(data, orientation)), affine


def read_raw(path: str | os.PathLike[str], shape: Sequence[int], dtype: str | np.dtype) -> np.ndarray:
    """
    Read a file of numbers without header, x fastest, zipped if its name ends in .gz.

    `shape` counts voxels along x, y, z; `dtype` is that of one number, with byte order, such as "<i2".
    """
    path, dtype = Path(path), np.dtype(dtype)
    require_file(path)
    require_memory(path, shape, dtype, remedy=_SMALLER)
    expected = int(np.prod(shape)) * dtype.itemsize
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rb") as handle:
            content = handle.read(expected + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{path} cannot be read: {error}. It is damaged or cut off. Delete the file and fetch it again."
        ) from error
    if len(content) != expected:
        size = f"{len(content)}" if len(content) < expected else "more"
        raise InputError(
            f"{path}: expected {expected} bytes ({' x '.join(map(str, shape))} numbers of type {dtype}), "
            f"found {size}. Delete the file and fetch it again."
        )
    return np.frombuffer(content, dtype=dtype).reshape(tuple(shape), order="F")


def write_nifti(
    array: np.ndarray, path: str | os.PathLike[str], *, affine: np.ndarray | None = None, placed: bool = True
) -> None:
    """
    Write a NIfTI file, completely or not at all; the same array gives the same bytes.

    The array has 2 to 4 axes; bool is stored as uint8, int64 as int32. `affine` leads from voxel indices to
    millimetres; without it a voxel is 1 mm wide. Of an affine that is not `placed` the file has the voxel sizes only.
    """
    path, array = Path(path), np.asarray(array)
    if array.dtype == np.bool_:
        array = array.astype(np.uint8)
    elif array.dtype.kind in "iu" and array.dtype.itemsize > 4:
        array = array.astype(np.int32)
    image = nibabel.Nifti1Image(array, np.eye(4) if affine is None else affine)
    image.header.set_xyzt_units("mm")
    if not placed:
        image.set_sform(None)
    content = image.to_bytes()
    if path.suffix == ".gz":
        content = gzip.compress(content, compresslevel=6, mtime=0)
    with complete_file(path) as partial:
        partial.write_bytes(content)


def take_slice(volume: Volume, index: int, axis: int = 2) -> np.ndarray:
    """
    Slice `index` (from 0) across `axis`; the other two axes keep their order.

    An image of two axes is its own slice 0 across axis 2.
    """
    data = _three_axes(volume.data, "the volume")
    if not 0 <= index < data.shape[axis]:
        raise InputError(
            f"slice {index} is out of range: axis {axis} has slices 0 to {data.shape[axis] - 1} (shape {data.shape})."
        )
    return np.take(data, index, axis=axis)


def inside_mask(data: np.ndarray, what: str) -> np.ndarray:
    """Voxels inside a mask, which is 0 outside and has one value above 0 inside, both to 0.001 of that value."""
    if not np.isfinite(data).all():
        raise InputError(f"{what}: expected finite numbers, found NaN or infinity. Put 0 there.")
    largest = float(data.max())
    rounding = _MASK_ROUNDING * abs(largest)
    inside = (data >= largest - rounding) & (data > 0)
    other = ~inside & ((data > rounding) | (data < -rounding))
    if inside.any() and other.any():
        raise InputError(
            f"{what}: expected 0 outside and one value above 0 inside, found {data[other][0]:.6g} next to "
            f"{largest:.6g} ({np.count_nonzero(other)} voxels have other values). Threshold it (mask > 0.5), resample "
            "it by nearest neighbour, or keep one region of a label image (labels == 2)."
        )
    return inside


def slice_axis(shape: Sequence[int]) -> int:
    """Axis across which slices are cut: 2, or the only axis of one voxel, as in a single sagittal or coronal slice."""
    shape = list(shape)
    return shape.index(1) if shape.count(1) == 1 else 2


def load_image_and_mask(
    image_path: str | os.PathLike[str],
    mask_path: str | os.PathLike[str],
    labels_path: str | os.PathLike[str] | None = None,
    *,
    slices: Sequence[int] | None = None,
    min_pixels: int = 3,
) -> list[ImageSlice]:
    """
    Slices of a user's own image, from NIfTI or MINC files of two or three axes on the same grid.

    The mask is as for `inside_mask`. Labels are integers, above 0 in the class of interest; some slices may contain one
    class only. `slices` count across `slice_axis`; without them all are read in which the mask has pixels. A slice with
    fewer than `min_pixels` of the mask is refused; a graph needs three.
    """
    paths = {"image": Path(image_path), "mask": Path(mask_path)}
    if labels_path is not None:
        paths["labels"] = Path(labels_path)
    volumes = {}
    for role, path in paths.items():
        volume = read_volume(path)
        volumes[role] = replace(volume, data=_three_axes(volume.data, str(path)))
        _require_same_grid(role, paths, volumes)
    mask = inside_mask(volumes["mask"].data, f"mask {paths['mask']}")
    volumes["mask"] = replace(volumes["mask"], data=mask)
    axis = slice_axis(mask.shape)
    if slices is None:
        slices = np.flatnonzero(mask.any(axis=tuple(other for other in range(3) if other != axis))).tolist()
        if not slices:
            raise InputError(f"mask {paths['mask']} is empty: expected pixels above 0. Draw the region to analyse.")
    checked = [_checked_slice(paths, volumes, int(index), axis, min_pixels) for index in slices]
    _require_two_classes(paths, checked)
    return checked


def _require_same_grid(role: str, paths: dict[str, Path], volumes: dict[str, Volume]) -> None:
    """A voxel of the mask or the labels has to lie where that of the image lies, if both files say where."""
    volume, image = volumes[role], volumes["image"]
    if volume.data.shape != image.data.shape:
        raise InputError(
            f"{role} and image differ in shape: {paths[role]} has {volume.data.shape}, {paths['image']} has "
            f"{image.data.shape}. Both must be on the same grid; resample the {role} to the image."
        )
    corners = np.array([[*corner, 1] for corner in np.ndindex(2, 2, 2)]) * [*(n - 1 for n in image.data.shape), 1]
    apart = np.linalg.norm(corners @ (volume.affine - image.affine).T, axis=1).max()
    voxel = np.linalg.norm(image.affine[:3, :3], axis=0).min()
    if volume.placed and image.placed and not apart <= 0.1 * voxel:
        raise InputError(
            f"{role} and image have different positions: corners of {paths[role]} are up to {apart:.3g} mm from those "
            f"of {paths['image']} (affine {_rows(volume.affine)}, image {_rows(image.affine)}). Both must lie on the "
            f"same grid; resample the {role} to the image, or, if its voxels are those of the image, copy the image's "
            "affine to it."
        )


def _rows(affine: np.ndarray) -> str:
    return str(np.round(affine[:3], 3).tolist())


def _require_two_classes(paths: dict[str, Path], slices: Sequence[ImageSlice]) -> None:
    """A slice of a volume may hold one class only; labels that do so in all of them tell nothing."""
    if "labels" not in paths or not slices:
        return
    classes = [np.unique(image.labels[image.mask]) for image in slices]
    if not any((labels > 0).any() and (labels <= 0).any() for labels in classes):
        listed = "; ".join(
            f"{', '.join(map(str, labels[:6]))}{', ...' if len(labels) > 6 else ''} in {image.name}"
            for image, labels in zip(slices[:6], classes, strict=False)
        )
        raise InputError(
            f"labels {paths['labels']}: expected two classes inside the mask of a slice, 0 and above 0 (the class of "
            f"interest), found {listed}{'; ...' if len(slices) > 6 else ''}. Choose another slice, widen the mask, set "
            "the other classes to 0, or leave the labels out."
        )


def _checked_slice(
    paths: dict[str, Path], volumes: dict[str, Volume], index: int, axis: int, min_pixels: int
) -> ImageSlice:
    """One slice whose image, mask and labels can be analysed."""
    cut = {role: take_slice(volume, index, axis) for role, volume in volumes.items()}
    where, mask = f"slice {index} of axis {axis}", cut["mask"]
    if not mask.any():
        raise InputError(
            f"mask {paths['mask']} is empty in {where}; leave this slice out with `slices:`, or draw its region."
        )
    if mask.sum() < min_pixels:
        raise InputError(
            f"mask {paths['mask']}, {where}: expected {min_pixels} pixels or more, found {mask.sum()}. Leave this "
            "slice out with `slices:`, or draw a larger region."
        )
    image = cut["image"].astype(np.float64)
    bad = int(np.count_nonzero(~np.isfinite(image[mask])))
    if bad:
        raise InputError(
            f"image {paths['image']}, {where}: {bad} of {mask.sum()} pixels inside the mask are NaN or infinite; "
            "fill them, or take them out of the mask."
        )
    if np.ptp(image[mask]) == 0:
        raise InputError(
            f"image {paths['image']}, {where}: constant inside the mask (all {mask.sum()} pixels are "
            f"{image[mask][0]:g}); expected grey levels that vary. Check that the mask belongs to the image."
        )
    labels = None
    if "labels" in cut:
        labels = _whole_numbers(cut["labels"], f"labels {paths['labels']}, {where}")
    stem = paths["image"].name.removesuffix(".gz").rpartition(".")[0]
    name = stem if volumes["image"].data.shape[axis] == 1 else f"{stem}_{'xyz'[axis]}{index:03d}"
    # Outside the mask a value may be missing; windows that reach there shall not carry it in.
    return ImageSlice(name, np.where(np.isfinite(image), image, 0.0), mask, labels)


def _whole_numbers(array: np.ndarray, what: str) -> np.ndarray:
    rounded = np.rint(array)
    if not np.isfinite(array).all() or np.abs(array - rounded).max() > 1e-3:
        raise InputError(f"{what}: expected integers, one per class, found fractions, NaN or infinity.")
    largest = np.abs(rounded.astype(np.float64)).max()
    if largest > _LARGEST_LABEL:
        raise InputError(f"{what}: expected numbers of classes up to {_LARGEST_LABEL}, found {largest:.3g}.")
    return rounded.astype(np.int64)


def _three_axes(data: np.ndarray, what: str) -> np.ndarray:
    if data.ndim == 2:
        return data[:, :, None]
    if data.ndim != 3:
        raise InputError(f"{what}: expected an image of two or three axes, found shape {data.shape}; save one volume.")
    return data
