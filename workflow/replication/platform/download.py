"""Fetch the files of the registry.

A file appears at its destination complete and checked, or not at all. What has arrived of it is kept in the hidden
``.<name>.part`` next to it, so that the next call resumes. A kill while a copy is checked leaves that copy, hidden.
"""

import contextlib
import fcntl
import os
import re
import ssl
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO
from urllib.parse import quote

import requests
from tqdm import tqdm
from urllib3 import exceptions as http_errors

from replication.platform.integrity import WrongContent, check_and_record
from replication.platform.readable import printable, without_secrets
from replication.platform.registry import DataFile

MIRRORS_VARIABLE = "CONSENSUS_EMBEDDING_MIRRORS"
_CHUNK = 1 << 16
_TIMEOUT = (10.0, 60.0)  # seconds to connect, and until the next bytes
_ATTEMPTS = 4
_BACKOFF = 1.0  # seconds before the second attempt, twice as many before each further one
_LONGEST_WAIT = 30.0  # of those that a server asks for
_LEAST_SPEED = 1000  # bytes a second, over as many seconds as the next bytes may take
_SECONDS_PER_UPDATE = 1.0  # of the bar; what takes less has none
_HEADERS = {
    "User-Agent": f"consensus-embedding (replication study) {requests.utils.default_user_agent()}",
    # Sizes, ranges and hashes are those of the file itself, not of a compressed transfer of it.
    "Accept-Encoding": "identity",
}


class DataError(RuntimeError):
    """A data file cannot be fetched; the message names it, what was tried, and what to do."""


def mirrors_from(config_mirrors: Iterable[str], environ: Mapping[str, str]) -> tuple[str, ...]:
    """Combine the mirrors of the environment, which come first, with those of the configuration."""
    of_environment = (entry.strip() for entry in environ.get(MIRRORS_VARIABLE, "").split(";"))
    return tuple(dict.fromkeys(entry for entry in (*of_environment, *config_mirrors) if entry))


def fetch(data_file: DataFile, destination: str | os.PathLike[str], mirrors: Sequence[str] = ()) -> str:
    """Put a data file in its place, from a mirror or from its public addresses."""
    destination = Path(destination)
    part = destination.with_name(f".{destination.name}.part")
    try:
        if _is_in_place(data_file, destination):
            return "already present"
        for mirror in mirrors:
            if not _is_url(mirror) and not os.path.isdir(os.path.expanduser(mirror)):
                raise DataError(
                    f"the mirror folder {without_secrets(mirror)} does not exist. "
                    f"Correct or remove it in data: mirrors: of the config or in {MIRRORS_VARIABLE}."
                )
        destination.parent.mkdir(parents=True, exist_ok=True)
        with _open_locked(part, data_file.name) as handle:
            try:
                # Another process may have brought it while this one waited for the lock.
                present = _is_in_place(data_file, destination)
                source = "already present" if present else _from_anywhere(data_file, destination, mirrors, handle)
                handle.truncate(0)
                return source
            finally:
                if not _size(handle):
                    part.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(
            f"{data_file.name}: cannot read or write {error.filename or destination}: {error.strerror or error}; "
            "free some space or correct the permissions there, and run again"
        ) from error


class _Unfit(Exception):
    """A place does not give the file; the message is the reason."""


def _is_in_place(data_file: DataFile, destination: Path) -> bool:
    """Whether the file is there and fits."""
    if not destination.exists():
        return False
    try:
        check_and_record(destination, data_file, destination)
    except WrongContent as reason:
        _say(f"{data_file.name}: the file in place is damaged ({reason}); fetching it again")
        return False
    return True


def _open_locked(part: Path, name: str) -> IO[bytes]:
    """Open a .part for this process alone."""
    while True:
        handle = part.open("a+b")
        _lock(handle, name)
        # Who had the lock before may have deleted the file.
        if part.exists() and os.path.samestat(os.fstat(handle.fileno()), part.stat()):
            return handle
        handle.close()


def _lock(handle: IO[bytes], name: str) -> None:
    """Wait for another process that fetches the same file, such as one of another checkout that shares the data."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _say(f"{name}: another process is fetching it; waiting")
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:
        pass  # Some cluster file systems have no locks. `_put` lets no wrong file pass there either.


def _from_anywhere(data_file: DataFile, destination: Path, mirrors: Sequence[str], part: IO[bytes]) -> str:
    """Put the file in place from the first that has it; return where it came from."""
    # An earlier process may have been stopped after the last byte.
    with contextlib.suppress(WrongContent):
        _put(_content(part), data_file, destination)
        return "an earlier download"
    tried = []
    bases = [_below(mirror, data_file.name) if _is_url(mirror) else mirror for mirror in mirrors]
    for place in (*bases, *data_file.urls):
        try:
            if _is_url(place):
                return _from_url(place, data_file, destination, part)
            return _from_folder(place, data_file, destination)
        except (_Unfit, WrongContent) as reason:
            tried.append(f"  {without_secrets(place)}: {printable(str(reason))}")
            _say(tried[-1])
    raise DataError(_failure(data_file, destination, tried, part))


def _put(content: bytes, data_file: DataFile, destination: Path) -> None:
    """Put content in its place, if it fits: what is checked is a copy that no other process can change."""
    with tempfile.TemporaryDirectory(prefix=f".{destination.name}.", dir=destination.parent) as own:
        copy = Path(own, destination.name)
        copy.write_bytes(content)
        check_and_record(copy, data_file, destination)
        os.replace(copy, destination)


def _from_folder(folder: str, data_file: DataFile, destination: Path) -> str:
    """Copy the file out of a mirror folder, where it may have another place or, given a hash, name."""
    reasons = []
    for candidate, by_name in _candidates(Path(os.path.expanduser(folder)), data_file):
        try:
            check_and_record(candidate, data_file, destination)
            content = candidate.read_bytes()
        except (WrongContent, OSError) as reason:
            if by_name:
                reasons.append(f"{candidate.name}: {reason}")
        else:
            _put(content, data_file, destination)
            return printable(str(candidate))
    raise _Unfit("; ".join(reasons) or "no file here has the name, or the size and sha256, of this one")


def _candidates(folder: Path, data_file: DataFile) -> Iterator[tuple[Path, bool]]:
    """Yield files of a mirror folder that may be the wanted one, and whether their name said so."""
    exact = folder / data_file.name
    # Unlike `Path.is_file` this passes over what cannot be looked at.
    if os.path.isfile(exact):
        yield exact, True
    everything = sorted(Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    others = [path for path in everything if path != exact and os.path.isfile(path)]
    yield from ((path, True) for path in others if path.name == exact.name)
    if data_file.sha256 is not None and data_file.bytes is not None:
        same_size = (path for path in others if path.name != exact.name and path.stat().st_size == data_file.bytes)
        yield from ((path, False) for path in same_size)


def _from_url(url: str, data_file: DataFile, destination: Path, part: IO[bytes]) -> str:
    """Download, resume after drops, and start again from zero if what was resumed does not fit."""
    # Of the address its host; a message of failure has all of it.
    _say(f"{data_file.name}: asking {'/'.join(without_secrets(url).split('/')[:3])}")
    waits = [_BACKOFF * 2**k for k in range(_ATTEMPTS - 1)]
    while True:
        offset = _size(part)
        resumed = offset > 0
        try:
            resumed = _stream(url, data_file, part, offset)
            _put(_content(part), data_file, destination)
            return without_secrets(url)
        except WrongContent as reason:
            part.truncate(0)
            if not resumed:
                raise
            _say(f"  the resumed file does not fit ({reason}); starting again from zero")
        # A redirect to something other than an address raises errors of urllib3 and of Python themselves.
        except (requests.RequestException, http_errors.HTTPError, TimeoutError, ValueError) as error:
            if isinstance(error, ValueError | requests.TooManyRedirects) or not waits:
                raise _Unfit(_plain(error)) from error
            wait = max(waits.pop(0), _asked_wait(error))
            _say(f"  {_plain(error)}; asking again in {wait:.0f} s, after {_size(part)} bytes")
            time.sleep(wait)


def _asked_wait(error: Exception) -> float:
    """Seconds that a busy server asks to wait."""
    answer = getattr(error, "response", None)
    asked = answer.headers.get("Retry-After", "") if answer is not None else ""
    return min(float(asked), _LONGEST_WAIT) if re.fullmatch("[0-9]{1,9}", asked) else 0.0


def _stream(url: str, data_file: DataFile, part: IO[bytes], offset: int) -> bool:
    """Append what the server sends after the offset to the .part, or replace all; return whether it appended."""
    headers = _HEADERS | ({"Range": f"bytes={offset}-"} if offset else {})
    with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT) as response:
        status = f"HTTP {response.status_code} {response.reason or ''}".rstrip()
        resumes = response.headers.get("Content-Range", "").startswith(f"bytes {offset}-")
        match response.status_code:
            case 200:
                offset = 0
            case 206 if offset and resumes:
                pass
            case 206 | 416 if offset:
                raise WrongContent("the server has no such bytes")
            case 429 | 500 | 502 | 503 | 504:
                raise requests.HTTPError(status, response=response)
            case _:
                raise _Unfit(status)
        length = response.headers.get("Content-Length", "")
        offered = offset + int(length) if re.fullmatch("[0-9]{1,18}", length) else None
        expected = data_file.bytes
        if expected is not None and offered not in (None, expected):
            html = ", an HTML page" if "html" in response.headers.get("Content-Type", "") else ""
            raise _Unfit(f"expected {expected} bytes, the server offers {offered}{html}")
        # A file of unknown size is hardly longer than its unzipped content.
        unzipped = data_file.unzipped_bytes
        most = expected or (unzipped + unzipped // 1000 + 1000 if unzipped else float("inf"))
        part.truncate(offset)
        received = received_then = offset
        watched_since = time.monotonic()
        with tqdm(
            desc=data_file.name,
            initial=offset,
            total=expected or offered,
            unit="B",
            unit_scale=True,
            mininterval=_SECONDS_PER_UPDATE,
            miniters=1,
            delay=_SECONDS_PER_UPDATE,
            leave=False,
        ) as bar:
            # Bytes as sent, because .gz files must not be unzipped on the way, and as soon as they come:
            # a full chunk waited for would be lost if the connection stalls.
            while chunk := response.raw.read1(_CHUNK, decode_content=False):
                part.write(chunk)
                part.flush()  # A kill loses nothing that has arrived.
                bar.update(len(chunk))
                received += len(chunk)
                if received > most:
                    part.truncate(offset)
                    raise (WrongContent if offset else _Unfit)(
                        f"expected {'' if expected else 'at most '}{most} bytes, the server sends more"
                    )
                waited = time.monotonic() - watched_since
                if waited > _TIMEOUT[1]:
                    if received - received_then < _LEAST_SPEED * waited:
                        raise http_errors.HTTPError(f"slower than {_LEAST_SPEED} bytes a second")
                    watched_since, received_then = time.monotonic(), received
        if received < (expected or offered or 0):
            raise http_errors.HTTPError(f"the connection ended after {received} bytes")
    return offset > 0


def _failure(data_file: DataFile, destination: Path, tried: Sequence[str], part: IO[bytes]) -> str:
    """The one message: which file, what was tried, what to do."""
    expected = [f"sha256 {data_file.sha256}"] if data_file.sha256 else []
    expected += [f"{data_file.bytes} bytes"] if data_file.bytes else []
    lines = [
        f"{data_file.name} could not be fetched. Tried:",
        *tried,
        "What to do: check the network and run again;",
        f"  or put the file there by hand: {destination.absolute()}",
        *([f"    ({', '.join(expected)})"] if expected else []),
        "    resources/datasets.yaml has its addresses in full;",
        f"  or name a folder or base URL that has it under data: mirrors: in the config, or in {MIRRORS_VARIABLE}",
    ]
    if data_file.fallback:
        lines.append(f"  or {data_file.fallback}")
    if received := _size(part):
        lines.append(f"The first {received} bytes are kept in {part.name}; the next run resumes there.")
    return "\n".join(lines)


def _size(file: IO[bytes]) -> int:
    return file.seek(0, os.SEEK_END)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _is_url(place: str) -> bool:
    return place.lower().startswith(("http://", "https://"))


def _below(base: str, name: str) -> str:
    """The address of a file on a mirror, whose token may follow its path."""
    path, query = re.fullmatch(r"([^?#]*)(.*)", base, re.DOTALL).groups()
    return f"{path.rstrip('/')}/{quote(name)}{query}"


def _plain(error: BaseException) -> str:
    """A network error in plain words: libraries wrap it in several layers, of which the innermost is the plainest."""
    layers = [error]
    while inner := [item for item in (layers[-1].__cause__, *layers[-1].args) if isinstance(item, BaseException)]:
        layers.append(inner[0])
    # Errors of libraries may quote an address.
    last = re.sub(r"\S*//\S*", "...", str(layers[-1]))
    plain_words = (
        ((http_errors.ProxyError, requests.exceptions.ProxyError), f"the proxy does not help: {last}"),
        (http_errors.NameResolutionError, f"no network: could not resolve host ({last})"),
        (ssl.SSLCertVerificationError, f"the certificate was not accepted: {last}"),
        (ssl.SSLError, f"TLS failed ({last}); the address of a server without TLS begins with http://"),
        (http_errors.ProtocolError, f"connection dropped, or not HTTP: {last}"),
        # Those of Python quote parts of an address.
        (ValueError, "not a valid address, or a redirect to one that is not"),
    )
    return next((words for kind, words in plain_words if any(isinstance(item, kind) for item in layers)), last)


def _say(line: str) -> None:
    """Print a message, without breaking a progress bar if there is one."""
    tqdm.write(printable(line), file=sys.stderr)
