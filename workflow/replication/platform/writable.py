"""Whether there is leave to write where a run has to: a mounted archive has none."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def why_not_written(folders: Iterable[str]) -> str | None:
    """Why folders, which need not be there yet, cannot be written to; None if they can."""
    for folder in map(Path, folders):
        there = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
        if not there.is_dir():
            return f"Expected a folder or nothing, found a file or a link to nothing: {there}. Move it away."
        if not os.access(there, os.W_OK):
            return (
                f"Nothing can be written to {folder}. Snakemake and its jobs leave their records there, even if they "
                "only look at results. Copy the whole folder to where you may write, or mount it writable, and run "
                "the same command there."
            )
    return None
