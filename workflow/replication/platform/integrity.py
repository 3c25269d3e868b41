"""Is a file complete, and the expected one?

A published hash decides. Where there is none, as for a gzip that a site makes on request and that carries its
own time stamp, the hash of the unzipped content takes its place: the one recorded at the first download in
``<name>.sha256``.
"""

import gzip
import hashlib
import os
import re
import zlib
from collections.abc import Iterable
from pathlib import Path

from replication.platform.files import complete_file
from replication.platform.readable import printable
from replication.platform.registry import DataFile

_CHUNK = 1 << 16


class WrongContent(Exception):
    """A file is not the expected one; the message says what was expected and what was found."""


def verify(data_file: DataFile, destination: str | os.PathLike[str]) -> str:
    """Hash a file again: "missing", or what was expected and found, or "" if it is intact; writes nothing."""
    destination = Path(destination)
    if not destination.exists():
        return "missing"
    try:
        _check(destination, data_file, destination)
    except WrongContent as reason:
        return str(reason)
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    return ""


def wrong_sizes(files: Iterable[DataFile], folder: str | os.PathLike[str]) -> dict[str, str]:
    """Files of a folder whose size is wrong; hashes nothing."""
    problems = {}
    for file in files:
        path = Path(folder, file.name)
        if file.bytes is not None and path.is_file() and path.stat().st_size != file.bytes:
            problems[file.name] = f"expected {file.bytes} bytes, found {path.stat().st_size}"
    return problems


def check_and_record(path: Path, data_file: DataFile, destination: Path) -> None:
    """Check a file, and keep the hash of its content if none is published or recorded."""
    sha256 = _check(path, data_file, destination)
    sidecar = _sidecar(destination)
    if data_file.sha256 is None and not sidecar.exists():
        with complete_file(sidecar) as partial:
            partial.write_text(f"{sha256}  {destination.name.removesuffix('.gz')}\n")


def _check(path: Path, data_file: DataFile, destination: Path) -> str:
    """Return the sha256 of a file, or of its content where none is published; raise `WrongContent`."""
    size = path.stat().st_size
    if data_file.bytes not in (None, size):
        raise WrongContent(f"expected {data_file.bytes} bytes, found {size}{_html_title(path)}")
    if data_file.sha256 is not None:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        if sha256 != data_file.sha256:
            raise WrongContent(f"expected sha256 {data_file.sha256}, found {sha256}{_html_title(path)}")
        return sha256
    sha256 = _unzipped_sha256(path, data_file)
    sidecar = _sidecar(destination)
    recorded = sidecar.read_text().partition(" ")[0].strip() if sidecar.exists() else sha256
    if sha256 != recorded:
        raise WrongContent(
            f"expected unzipped sha256 {recorded}, recorded in {sidecar} at the first download, "
            f"found {sha256}; delete that record only if the site says that the data changed"
        )
    return sha256


def _unzipped_sha256(path: Path, data_file: DataFile) -> str:
    """Hash what is inside a gzip file; raise `WrongContent` unless it is complete, of the right size, and not blank."""
    digest, size, expected, blank = hashlib.sha256(), 0, data_file.unzipped_bytes, True
    try:
        with gzip.open(path) as file:
            while size <= expected and (chunk := file.read(_CHUNK)):
                digest.update(chunk)
                size += len(chunk)
                blank = blank and not chunk.strip(b"\0")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        content = _html_title(path).removeprefix(", ") or f"{path.stat().st_size} bytes ({error})"
        raise WrongContent(f"expected complete gzip data, found {content}") from error
    if size != expected:
        unzipped = f"more than {expected}" if size > expected else size
        raise WrongContent(f"expected {expected} bytes when unzipped, found {unzipped}")
    if blank:
        raise WrongContent("expected data when unzipped, found only zeros")
    return digest.hexdigest()


def _html_title(path: Path) -> str:
    """Recognise an error page, which sites send instead of a file, by its beginning."""
    with path.open("rb") as file:
        head = file.read(4096).decode("utf-8", errors="replace").lstrip()
    if not re.match(r"<(!doctype\s+html|html|head)\b", head, re.IGNORECASE):
        return ""
    title = re.search(r"<title>\s*(.*?)\s*</title>", head, re.IGNORECASE | re.DOTALL)
    return f", an HTML page titled '{printable(title[1])}'" if title else ", an HTML page"


def _sidecar(destination: Path) -> Path:
    return destination.with_name(f"{destination.name}.sha256")
