"""Files that are written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def complete_file(path: str | Path) -> Iterator[Path]:
    """Give a file to write that appears at the path when it is complete, or not at all; its folder is made."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # One name, so that the next attempt overwrites what a killed process left.
    partial = path.with_name(f".{path.name}.part")
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write_text(text: str, path: str | Path) -> None:
    """Write a text file."""
    with complete_file(path) as partial:
        partial.write_text(text, encoding="utf-8")
