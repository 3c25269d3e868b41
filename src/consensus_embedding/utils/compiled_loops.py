"""Where numba keeps compiled loops if it can write to none of its usual folders."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def keep_compiled_loops_somewhere() -> str | None:
    """
    Have numba keep compiled loops in a new folder that ends with the process, if its usual folders cannot be written.

    These are the package and the cache of the user; without any, numba refuses to define a loop that is kept. Call it
    before the first is defined. Returns the folder, or None if it is not needed.
    """
    if os.environ.get("NUMBA_CACHE_DIR") or _is_writable(_PACKAGE) or _is_writable(_cache_of_user()):
        return None
    # A new one, of this user alone: what numba reads from it runs as code.
    folder = tempfile.mkdtemp(prefix="consensus_embedding-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = folder
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = folder
    return folder


def _cache_of_user() -> Path:
    """Folder of the caches of programs, which may not be there yet."""
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))


def _is_writable(folder: Path) -> bool:
    """Whether a folder can be written to, or made."""
    # Path.exists raises where a folder above cannot be entered.
    there = next((one for one in (folder, *folder.parents) if os.path.exists(one)), None)
    return there is not None and os.access(there, os.W_OK | os.X_OK)
