"""HDF5 files that may be damaged: the library reads and writes them in another process, which may hang or crash."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from consensus_embedding.io import memory
from consensus_embedding.io.memory import TEXT, require_memory
from consensus_embedding.utils.extras import missing_package

# Of one call of the library: whatever the size of the file, and what the slowest disk needs for all of it.
SECONDS = 15.0
BYTES_PER_SECOND = 2e6
# What to do about values that do not fit into memory.
_SMALLER = "Take fewer rows or columns"


class HDF5Error(ValueError):
    """The HDF5 library cannot read or write a file, did not return, or crashed; the message says which."""


class HDF5MemoryError(HDF5Error):
    """The file may be intact and does not fit into the memory of this machine."""


class HDF5File:
    """
    A file as a context, with mode "r" or "r+"; its process ends with it.

    An HDF5Error here and by all methods if the library cannot do what is asked, crashes, or does not return within
    `SECONDS`, and one more per `BYTES_PER_SECOND` of the file. The process is a plain interpreter with a script:
    nothing of the calling program is imported or run again. No array is in both processes: blocks of some megabytes
    pass through a pipe.
    """

    def __init__(self, path: str | Path, mode: str = "r") -> None:
        try:
            from consensus_embedding.io import hdf5_worker
        except ImportError as error:
            raise missing_package(f"{path}, an HDF5 file,", "h5py", "anndata") from error
        self._limit = SECONDS + os.path.getsize(path) / BYTES_PER_SECOND
        # What the process may take at once: a block of values, unpacked, and as much again on this side of the pipe.
        most = str(min(memory.free_memory() / 4, 2**62))
        # The same packages; -P: and no others, from the folder of the script.
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", hdf5_worker.__file__, os.path.abspath(path), mode, most, str(self._limit)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        try:
            self._answer()
        except BaseException:
            self._end()
            raise

    def __enter__(self) -> HDF5File:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._ask("close")
        finally:
            self._end()

    def names(self, path: str) -> list[str]:
        """List the members of a group."""
        return self._ask("names", path)

    def is_group(self, path: str) -> bool:
        """Whether a path is a group; other paths are values."""
        return self._ask("kind", path) == "Group"

    def attribute(self, path: str, name: str) -> Any:
        """Read an attribute."""
        return self._ask("attribute", path, name)

    def read(self, path: str) -> np.ndarray:
        """Read all values."""
        sent = self._ask("read", path)
        shape = tuple(sent["shape"])
        require_memory(path, shape, sent["dtype"] or TEXT, error=HDF5MemoryError, remedy=_SMALLER)
        if sent["dtype"] is None:
            texts: list[str] = []
            while len(texts) < np.prod(shape):
                texts += (block := self._answer())
                # No header says how long texts are: the next ones may be as long.
                require_memory(path, [sum(map(len, block))], np.uint8, error=HDF5MemoryError, remedy=_SMALLER)
            values = np.empty(len(texts), dtype=object)
            values[:] = texts
            return values.reshape(shape)
        values = np.empty(shape, dtype=sent["dtype"])
        rest = memoryview(values.reshape(-1).view(np.uint8))
        while len(rest):
            length = self._answer()
            self._fill(rest[:length])
            rest = rest[length:]
        return values

    def create_group(self, path: str, kind: str, version: str) -> None:
        """Create a group, in place of what was there."""
        self._ask("create", path, [kind, version])

    def write(self, path: str, values: np.ndarray | list[str] | str | float, kind: str) -> None:
        """Write values, in place of what was there."""
        values = np.asarray(values, dtype=object if isinstance(values, str | list) else None)
        sent: dict[str, Any] = {"shape": values.shape, "dtype": None}
        content = b""
        if values.dtype == object:
            sent["texts"] = values.ravel().tolist()
        else:
            content = np.ascontiguousarray(values).tobytes()
            sent |= {"dtype": values.dtype.str, "bytes": len(content)}
        self._ask("write", path, [kind, "0.2.0"], follows=json.dumps(sent).encode() + b"\n" + content)

    def set_attribute(self, path: str, name: str, value: bool | Sequence[str]) -> None:
        """Write an attribute."""
        self._ask("set_attribute", path, name, value)

    def _ask(self, *request: Any, follows: bytes = b"") -> Any:
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n" + follows)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._reason() from None
        return self._answer()

    def _answer(self) -> Any:
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._reason()
        answer = json.loads(line)
        if "error" in answer:
            if answer["memory"]:
                raise HDF5MemoryError(f"{answer['error']}. {_SMALLER}, or use a machine with more memory.")
            raise HDF5Error(answer["error"])
        return answer["value"]

    def _fill(self, rest: memoryview) -> None:
        while len(rest):
            length = self._process.stdout.readinto(rest)
            if not length:
                raise self._reason()
            rest = rest[length:]

    def _reason(self) -> HDF5Error:
        """Why the process has ended before its time."""
        code = self._process.wait()
        message = self._process.stderr.read().decode(errors="replace").strip()
        if message.startswith("Timeout ("):
            return HDF5Error(
                f"the HDF5 library did not return within {self._limit:.0f} s, the limit for a file of this size, as "
                "happens with damaged files"
            )
        if code == -signal.SIGKILL:
            return HDF5MemoryError(
                "the process that reads it was killed, as happens where memory runs out. "
                f"{_SMALLER}, or use a machine with more memory."
            )
        if code < 0:
            return HDF5Error(f"the HDF5 library crashed ({signal.Signals(-code).name}), as happens with damaged files")
        return HDF5Error(f"the process that reads it ended with exit code {code}: {message.splitlines()[-1:]}")

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        self._process.stderr.close()
        # What was not sent has no reader any more.
        with suppress(BrokenPipeError):
            self._process.stdin.close()
