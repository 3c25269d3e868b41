"""Archives of arrays, as `numpy.savez` writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np
from consensus_embedding.io.text_tables import require_file
from consensus_embedding.utils.text import InputError

Made = TypeVar("Made")


def read_archive(path: Path, make: Callable[[Mapping[str, np.ndarray]], Made], holds: str) -> Made:
    """
    Make something of the arrays of an .npz file, by their names.

    Errors say that the file should contain what it `holds`.
    """
    require_file(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            # As `numpy.savez` writes it, nothing is compressed, and no small file fills the memory.
            unzipped = sum(member.file_size for member in file.zip.infolist())
            if unzipped > path.stat().st_size:
                raise ValueError(f"compressed arrays of {unzipped} bytes")
            return make(file)
    except Exception as error:  # a damaged header makes zipfile and NumPy raise almost anything
        raise InputError(
            f"{path}: expected {holds}, found: {str(error) or type(error).__name__}. It is damaged or was written by "
            "something else; delete it and make it again."
        ) from error
