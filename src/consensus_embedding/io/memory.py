"""Memory that reading a file takes, known from its header before anything is read."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from consensus_embedding.utils.text import InputError

# A short text as an object of Python, with what points to it.
TEXT = np.dtype("V80")


def require_memory(
    where: str | Path, shape: Sequence[int], *types: DTypeLike, error: type[ValueError] = InputError, remedy: str
) -> None:
    """Refuse values that do not fit into the memory that is free."""
    needed = math.prod(map(int, shape)) * sum(np.dtype(kind).itemsize for kind in types)
    found = f"{' x '.join(map(str, shape))} that need {{}} to be read"
    require_bytes(where, needed, "values", found, error=error, remedy=remedy)


def require_bytes(
    where: str | Path, needed: float, what: str, found: str, *, error: type[ValueError] = ValueError, remedy: str
) -> None:
    """Refuse what does not fit into the memory that is free; `found` has braces for what it needs."""
    free = free_memory()
    if needed > free:
        raise error(
            f"{where}: expected {what} that fit into the {free / 2**30:.3g} GiB of free memory, found "
            f"{found.format(f'{needed / 2**30:.3g} GiB')}. {remedy}, or use a machine with more memory."
        )


def free_memory() -> float:
    """Bytes that may still be taken: on Linux those of the machine or the container; elsewhere all of the machine."""
    bounds = [math.inf]
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", ()):
        bounds.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    bounds += [1024 * kibibytes for kibibytes in _numbers(Path("/proc/meminfo"), "MemAvailable:")]
    group = Path("/sys/fs/cgroup")
    bounds += [
        limit - taken for limit in _numbers(group / "memory.max") for taken in _numbers(group / "memory.stat", "anon")
    ]
    return max(0.0, min(bounds))


def _numbers(path: Path, name: str = "") -> list[int]:
    """The number behind a name in a file of the system, or at its start: one, or none where there is none."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return []
    words = [line.removeprefix(name).split()[0] for line in lines if line.split()[:1] == [name] or not name]
    return [int(text) for text in words[:1] if text.isdigit()]
