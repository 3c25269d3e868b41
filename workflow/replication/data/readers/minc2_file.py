"""MINC 2 files, which are HDF5: nibabel interprets what the guarded reader of HDF5 finds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from consensus_embedding.io.hdf5_file import HDF5File
from nibabel.minc2 import Minc2File, Minc2Image

_IMAGE = "minc-2.0/image/0"


class _Variable(np.ndarray):
    """Values with attributes, as a data set of h5py has them."""

    attrs: dict[str, object]


def is_minc2(path: Path) -> bool:
    """Whether a file is MINC 2: called .mnc, and HDF5 by its first bytes."""
    with path.open("rb") as file:
        return path.suffix.lower() == ".mnc" and file.read(4) == b"\x89HDF"


def read_minc2(path: Path) -> Minc2Image:
    """
    Read all voxels of a MINC 2 file into memory; the array proxy of the image scales them.

    Parts that HDF5 cannot read, that were never written or that are in another file raise HDF5Error. If the parts are
    not those of a MINC 2 file with three spatial axes, nibabel raises errors of any kind.
    """
    with HDF5File(path) as file:
        image = _variable(file, f"{_IMAGE}/image", ("dimorder", "valid_range"))
        parts = {"image": image, "image-min": None, "image-max": None}
        if image.dtype.kind != "f":
            # Only integers are scaled by them.
            parts |= {name: _variable(file, f"{_IMAGE}/{name}", ("dimorder",)) for name in ("image-min", "image-max")}
        # Of the axes only the attributes are written.
        axes = {
            name: SimpleNamespace(
                attrs=_attributes(
                    file, f"minc-2.0/dimensions/{name}", ("start", "step", "spacing", "direction_cosines")
                )
            )
            for name in image.attrs.get("dimorder", b"").decode().split(",")[: image.ndim]
        }
    minc = Minc2File({"minc-2.0": {"image": {"0": parts}, "dimensions": axes}})
    affine = minc.get_affine()
    if affine.shape != (4, 4):
        raise ValueError(f"expected three spatial axes, found the axes {', '.join(axes)}")
    header = Minc2Image.header_class(minc.get_data_dtype(), minc.get_data_shape(), minc.get_zooms())
    return Minc2Image(Minc2Image.ImageArrayProxy(minc), affine, header)


def _variable(file: HDF5File, path: str, attributes: Sequence[str]) -> _Variable:
    variable = file.read(path).view(_Variable)
    variable.attrs = _attributes(file, path, attributes)
    return variable


def _attributes(file: HDF5File, path: str, names: Sequence[str]) -> dict[str, object]:
    """Attributes that there are; text as bytes, which nibabel expects."""
    attributes = {name: file.attribute(path, name) for name in names}
    return {
        name: value.encode() if isinstance(value, str) else np.asarray(value)
        for name, value in attributes.items()
        if value is not None
    }
