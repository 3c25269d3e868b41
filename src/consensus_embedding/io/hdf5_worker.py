"""
Process that works on one HDF5 file for `hdf5_file`; a script.

It is started with a path, a mode, the bytes of memory that it may take, and a time limit in seconds.

On a damaged file the HDF5 library may never return, or crash. So it is called here, each time with a time limit, after
which the process ends itself: also when the process that asked is gone. Requests are lines of JSON on standard input,
answers are lines of JSON on standard output, followed by the bytes of an array where there is one.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from typing import Any, BinaryIO

if sys.platform != "win32":
    import resource

import h5py
import numpy as np

from consensus_embedding.utils.extras import missing_package

# Bytes that one call reads, about.
_BLOCK = 8_000_000
_OF_LIBRARIES = 2**28
# gzip makes at most 1032 bytes out of one; small files may leave out what is the same everywhere.
_MOST_PER_BYTE, _MOST_OF_SMALL = 1032, 1_000_000
# Links on one path that lead elsewhere in the file; more may be a circle.
_MOST_LINKS = 16


class _Worker:
    """Does what it is asked with one file; `answer` sends an answer, and `limited` calls the library."""

    def __init__(self, path: str, mode: str, limit: float, requests: BinaryIO, answers: BinaryIO) -> None:
        self.size, self.limit = os.path.getsize(path), limit
        self.requests, self.answers = requests, answers
        self.file = self.limited(h5py.File, path, mode)

    def limited(self, call: Callable, *arguments: Any) -> Any:
        """Call with a limit of time, after which the process ends."""
        # Watched by a thread in C: it needs no lock that the library keeps.
        faulthandler.dump_traceback_later(self.limit, exit=True)
        try:
            return call(*arguments)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def answer(self, value: Any, content: memoryview | bytes = b"") -> None:
        """Send a value, and the bytes that belong to it."""
        self.answers.write(json.dumps({"value": value}).encode() + b"\n")
        self.answers.write(content)
        self.answers.flush()

    def names(self, path: str) -> None:
        """Members of a group in order; nothing of what is not a group."""
        self.answer(self.limited(lambda: sorted(self._group(path))))

    def _group(self, path: str) -> Any:
        try:
            node = self._node(path)
        except KeyError:
            return ()
        return node if isinstance(node, h5py.Group) else ()

    def _node(self, path: str) -> h5py.Group | h5py.Dataset:
        """What is at a path, link by link: h5py itself would follow a link into any other file, and write there."""
        node, steps, turns = self.file, path.split("/"), 0
        while steps:
            name, *steps = steps
            link = node.get(name, getlink=True) if name and isinstance(node, h5py.Group) else None
            if isinstance(link, h5py.ExternalLink):
                raise ValueError(f"{path} is in another file, {link.filename}, to which a link leads")
            if isinstance(link, h5py.SoftLink):
                turns += 1
                if turns > _MOST_LINKS:
                    raise ValueError(f"{path} leads through more than {_MOST_LINKS} links")
                node = self.file if link.path.startswith("/") else node
                steps = link.path.split("/") + steps
            elif name:
                node = node[name]
        return node

    def kind(self, path: str) -> None:
        """What a node is: the name of its class in h5py."""
        self.answer(self.limited(lambda: type(self._node(path)).__name__))

    def attribute(self, path: str, name: str) -> None:
        """An attribute as a plain value; of a reference the path that it leads to."""
        self.answer(self.limited(self._attribute, path, name))

    def _attribute(self, path: str, name: str) -> Any:
        value = self._node(path).attrs.get(name)
        if isinstance(value, h5py.Reference):
            return self.file[value].name
        return _plain(value)

    def read(self, path: str) -> None:
        """The shape and type, then blocks of rows; text as lists."""
        node, text, blocks = self.limited(self._dataset, path)
        self.answer({"shape": node.shape, "dtype": None if text else node.dtype.str})
        for rows in blocks:
            block = self.limited(_rows, node, text, rows)
            if text:
                self.answer(np.asarray(block, dtype=object).ravel().tolist())
            else:
                content = memoryview(np.ascontiguousarray(block).reshape(-1).view(np.uint8))
                self.answer(len(content), content)

    def _dataset(self, path: str) -> tuple[h5py.Dataset, bool, list]:
        node = self._node(path)
        if not isinstance(node, h5py.Dataset) or node.shape is None:
            raise ValueError(f"expected values in {path}, found none")
        if node.external or node.is_virtual:
            raise ValueError(f"{path} has its values in other files or datasets, expected them in itself")
        created = node.id.get_create_plist()
        for number, *_ in map(created.get_filter, range(created.get_nfilters())):
            if not h5py.h5z.filter_avail(number):
                what = f"{path}, compressed by HDF5 filter {number},"
                raise ValueError(missing_package(what, "hdf5plugin", "compression"))
        text = h5py.check_string_dtype(node.dtype) is not None
        if not text and node.dtype.kind not in "biufc":
            raise ValueError(f"expected numbers or text in {path}, found {node.dtype}")
        # In Python: NumPy's integers overflow in silence.
        announced = node.dtype.itemsize
        for length in node.shape:
            announced *= int(length)
        if announced > _MOST_PER_BYTE * self.size + _MOST_OF_SMALL:
            raise ValueError(f"{path} announces {announced:.3g} bytes, more than a file of {self.size} bytes can have")
        if announced and not node.id.get_storage_size():
            raise ValueError(f"{path} has a shape, and no values were written")
        return node, text, list(_blocks(node)) if announced else []

    def create(self, path: str, encoding: list[str]) -> None:
        """A group in the encoding and version of AnnData; what was there is replaced."""
        self.answer(self.limited(lambda: _encode(h5py.Group.create_group(*self._fresh(path)), encoding)))

    def write(self, path: str, encoding: list[str]) -> None:
        """Values follow; what was there is replaced."""
        values = self._values()
        kind = {"dtype": h5py.string_dtype()} if values.dtype == object else {}
        self.answer(
            self.limited(lambda: _encode(h5py.Group.create_dataset(*self._fresh(path), data=values, **kind), encoding))
        )

    def set_attribute(self, path: str, name: str, value: Any) -> None:
        """Set an attribute; lists are of text."""
        if isinstance(value, list):
            value = np.array(value, dtype=h5py.string_dtype())
        self.answer(self.limited(lambda: self._node(path).attrs.__setitem__(name, value)))

    def close(self) -> None:
        """Close the file."""
        self.answer(self.limited(self.file.close))

    def _fresh(self, path: str) -> tuple[h5py.Group, str]:
        """The group of a path and the name in it, which is free."""
        parent, _, name = path.rpartition("/")
        group = self._node(parent)
        if name in group:
            del group[name]
        return group, name

    def _values(self) -> np.ndarray:
        """That follow a request."""
        sent = json.loads(self.requests.readline())
        if sent["dtype"] is None:
            return np.array(sent["texts"], dtype=object).reshape(sent["shape"])
        content = self.requests.read(sent["bytes"])
        return np.frombuffer(content, dtype=sent["dtype"]).reshape(sent["shape"])


def _rows(node: h5py.Dataset, text: bool, rows: Any) -> np.ndarray | str:
    """A block of rows. HDF5 gives zeros where it does not find a chunk, so each is looked up first."""
    if node.chunks is not None:
        starts = [range(0, length, step) for length, step in zip(node.shape, node.chunks, strict=True)]
        starts[0] = range(rows.start, rows.stop, node.chunks[0])
        for start in product(*starts):
            node.id.read_direct_chunk(start)
    return (node.asstr() if text else node)[rows]


def _blocks(node: h5py.Dataset) -> Iterator[Any]:
    """Rows that are read at once: whole chunks, since each is unpacked as one."""
    if not node.shape:
        yield ()
        return
    chunk = node.chunks[0] if node.chunks else 1
    row = max(1, node.dtype.itemsize * int(np.prod([float(length) for length in node.shape[1:]])))
    step = max(1, _BLOCK // (row * chunk)) * chunk
    for start in range(0, node.shape[0], step):
        yield slice(start, min(start + step, node.shape[0]))


def _plain(value: Any) -> Any:
    """A value of an attribute for JSON."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _encode(node: h5py.Dataset | h5py.Group, encoding: list[str]) -> None:
    node.attrs["encoding-type"], node.attrs["encoding-version"] = encoding


def main() -> None:
    """Answer requests until there are no more; a request that fails ends the process."""
    path, mode, memory, limit = sys.argv[1:]
    if sys.platform != "win32":
        # No header says how long the texts of a file are. Next to what the libraries take themselves.
        limit_of_all, hardest = _OF_LIBRARIES + int(float(memory)), resource.getrlimit(resource.RLIMIT_DATA)[1]
        if hardest != resource.RLIM_INFINITY:
            limit_of_all = min(limit_of_all, hardest)
        resource.setrlimit(resource.RLIMIT_DATA, (limit_of_all, hardest))
    if find_spec("hdf5plugin"):
        # Registers the compression filters that HDF5 has not itself.
        import_module("hdf5plugin")
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # What a library may print is not an answer.
    sys.stdout = sys.stderr
    try:
        worker = _Worker(path, mode, float(limit), requests, answers)
        worker.answer(None)
        for line in iter(requests.readline, b""):
            name, *arguments = json.loads(line)
            getattr(worker, name)(*arguments)
    except BrokenPipeError:
        os._exit(1)
    except Exception as error:
        text = str(error) if not isinstance(error, KeyError) else str(error.args[0])
        memory = isinstance(error, MemoryError) or "memory allocation failed" in text
        text = "the HDF5 library needs more memory than is free" if memory else text or type(error).__name__
        answers.write(json.dumps({"error": text, "memory": memory}).encode() + b"\n")
        answers.flush()
    # At once: closing a damaged file may hang, too.
    os._exit(0)


if __name__ == "__main__":
    main()
