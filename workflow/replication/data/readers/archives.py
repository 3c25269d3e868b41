"""Archives of arrays, as `numpy.savez` writes them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TypeVar
from zipfile import ZipInfo

import numpy as np
from consensus_embedding.io.memory import require_memory
from consensus_embedding.io.text_tables import require_file
from numpy.lib import format as npy

Made = TypeVar("Made")


def read_archive(
    path: Path, make: Callable[[Mapping[str, np.ndarray]], Made], holds: str, error: type[ValueError]
) -> Made:
    """
    Make something of the arrays of an .npz file, by their names, after checking all of them.

    Errors are of the type `error`, and say that the file should contain what it `holds`.
    """
    require_file(path, error)
    require_memory(path, [path.stat().st_size], np.uint8, np.uint8, error=error, remedy="Take fewer rows or columns")
    try:
        with np.load(path, allow_pickle=False) as file:
            # As `numpy.savez` writes it, nothing is compressed, and no small file fills the memory.
            unzipped = sum(member.file_size for member in file.zip.infolist())
            if unzipped > path.stat().st_size:
                raise ValueError(f"compressed arrays of {unzipped} bytes")
            for member in file.zip.infolist():
                with file.zip.open(member) as opened:
                    _require_as_announced(member, opened)
            # An array that is not listed, or by another name, would be one that the file has not.
            damaged = file.zip.testzip()
            if damaged is not None:
                raise ValueError(f"a wrong checksum of {damaged}")
            if len(file.files) != _counted(path):
                raise ValueError(f"{len(file.files)} arrays, and the end of the file counts {_counted(path)}")
            return make(file)
    except Exception as cause:  # a damaged header makes zipfile and NumPy raise almost anything
        raise error(
            f"{path}: expected {holds}, found: {str(cause) or type(cause).__name__}. It is damaged or was written by "
            "something else; delete it and make it again."
        ) from cause


def _require_as_announced(member: ZipInfo, file: IO[bytes]) -> None:
    """NumPy makes room for all values that a header announces, before it reads the first."""
    read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[npy.read_magic(file)]
    shape, _, dtype = read_header(file)
    expected = math.prod(shape) * dtype.itemsize
    # Objects, which are pickled, are refused where they are read.
    if not dtype.hasobject and (not dtype.itemsize or expected != member.file_size - file.tell()):
        raise ValueError(f"{member.filename} of {member.file_size} bytes, which announces shape {shape} of {dtype}")


def _counted(path: Path) -> int:
    """How many members an archive has, as its last 22 bytes say, which zipfile does not look at."""
    with path.open("rb") as file:
        file.seek(-12, os.SEEK_END)
        return int.from_bytes(file.read(2), "little")
