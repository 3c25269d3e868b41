"""Fetch the files of the registry, and verify them.

A file appears at its destination complete and checked, or not at all. Until then it is the hidden
``.<name>.part`` next to it, which outlives an interrupted transfer, so that the next call resumes.
"""

import contextlib
import fcntl
import http.client
import os
import re
import ssl
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import quote

import requests
from requests.adapters import HTTPAdapter
from tqdm import tqdm
from urllib3 import exceptions as http_errors
from urllib3.util import Retry

from replication.platform.integrity import WrongContent, check_and_record
from replication.platform.readable import printable, without_secrets
from replication.platform.registry import DataFile

MIRRORS_VARIABLE = "CONSENSUS_EMBEDDING_MIRRORS"
_CHUNK = 1 << 16
_TIMEOUT = (10.0, 60.0)  # seconds to connect, and until the next bytes
_ATTEMPTS = 4
_BACKOFF = 1.0  # seconds before the second attempt, twice as many before each further one
_LONGEST_WAIT = 30.0  # seconds between two attempts
_LEAST_SPEED = 1000  # bytes a second, over as many seconds as the next bytes may take
_MOST_REDIRECTS = 10
_SECONDS_PER_LINE = 5.0  # between two lines of progress where there is no terminal for a bar
_HEADERS = {
    "User-Agent": f"consensus-embedding (replication study) {requests.utils.default_user_agent()}",
    # Sizes, ranges and hashes are those of the file itself, not of a compressed transfer of it.
    "Accept-Encoding": "identity",
}
# What OpenSSL calls an answer that is not TLS.
_NOT_TLS = {
    "WRONG_VERSION_NUMBER",
    "RECORD_LAYER_FAILURE",
    "PACKET_LENGTH_TOO_LONG",
    "UNKNOWN_PROTOCOL",
    "HTTP_REQUEST",
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
    try:
        if _is_in_place(data_file, destination):
            return "already present"
    except OSError as error:
        raise DataError(
            f"{data_file.name}: cannot read {destination}: {error.strerror or error}; correct its permissions, or "
            "delete it and run again"
        ) from error
    for mirror in mirrors:
        if not _is_url(mirror) and not os.path.isdir(os.path.expanduser(mirror)):
            raise DataError(
                f"the mirror folder {without_secrets(mirror)} does not exist. "
                f"Correct or remove it in data: mirrors: of the config or in {MIRRORS_VARIABLE}."
            )
    part = destination.with_name(f".{destination.name}.part")
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        with _locked(part, data_file.name) as handle, _session() as session:
            # Another process may have brought it while this one waited for the lock.
            if _is_in_place(data_file, destination):
                handle.truncate(0)
                return "already present"
            source = _Transfer(data_file, destination, part, handle, session).run(mirrors)
            os.replace(part, destination)
            return source
    except OSError as error:
        raise DataError(
            f"{data_file.name}: cannot write to {destination.parent}: {error.strerror or error}; free some space or "
            "correct the permissions there, and run again"
        ) from error


class _Unfit(Exception):
    """A place does not give the file; the message is the reason."""


class _AnnouncedRetry(Retry):
    """The retries of urllib3, which say what they wait for, and not longer than half a minute."""

    def get_retry_after(self, response: object) -> float | None:
        """Seconds that the server asks to wait, cut to what a user would wait without a word."""
        with contextlib.suppress(ValueError, http_errors.HTTPError):
            seconds = super().get_retry_after(response)
            return None if seconds is None else min(seconds, _LONGEST_WAIT)

    def sleep(self, response: object = None) -> None:
        """Wait before the next attempt."""
        last = self.history[-1]
        _say(f"  {_plain(last.error) if last.error else f'HTTP {last.status}'}; trying again")
        super().sleep(response)


class _Progress:
    """A bar on a terminal, a plain line every few seconds elsewhere."""

    def __init__(self, name: str, received: int, total: int | None) -> None:
        self.name, self.received, self.total = name, received, total
        # disable=None: no bar unless stderr is a terminal. delay: no flicker for what is done at once.
        self.bar = tqdm(
            desc=name,
            initial=received,
            total=total,
            unit="B",
            unit_scale=True,
            delay=1,
            leave=False,
            disable=None,
        )
        self.next_line = time.monotonic() + _SECONDS_PER_LINE

    def advance(self, size: int) -> None:
        self.received += size
        self.bar.update(size)
        if self.bar.disable and time.monotonic() >= self.next_line:
            share = f" of {self.total} bytes ({self.received / self.total:.0%})" if self.total else " bytes"
            _say(f"  {self.name}: {self.received}{share}")
            self.next_line += _SECONDS_PER_LINE


@dataclass(frozen=True)
class _Transfer:
    """One file on its way into its .part, which is locked and open as `handle`."""

    data_file: DataFile
    destination: Path
    part: Path
    handle: IO[bytes]
    session: requests.Session

    def run(self, mirrors: Sequence[str]) -> str:
        """Fill the .part with the checked file; return where it came from."""
        if self.part.stat().st_size and self._is_complete():
            return "an earlier download"
        tried = []
        bases = [_below(mirror, self.data_file.name) if _is_url(mirror) else mirror for mirror in mirrors]
        for place in (*bases, *self.data_file.urls):
            try:
                source = self._from_url(place) if _is_url(place) else self._from_folder(place)
            except (_Unfit, WrongContent) as reason:
                tried.append(f"  {without_secrets(place)}: {printable(str(reason))}")
                _say(tried[-1])
            else:
                return source
        raise DataError(self._failure(tried))

    def _from_folder(self, folder: str) -> str:
        """Copy the file out of a mirror folder, where it may have another place or, given a hash, name."""
        reasons = []
        for candidate, by_name in _candidates(Path(os.path.expanduser(folder)), self.data_file):
            try:
                check_and_record(candidate, self.data_file, self.destination)
            except (WrongContent, OSError) as reason:
                if by_name:
                    reasons.append(f"{candidate.name}: {reason}")
                continue
            self.handle.truncate(0)
            self.handle.seek(0)
            for chunk in _chunks(candidate):
                _write_all(self.handle, chunk)
            return printable(str(candidate))
        raise _Unfit("; ".join(reasons) or "no file here has the name, or the size and sha256, of this one")

    def _from_url(self, url: str) -> str:
        """Download, resume after drops, and start once again from zero if what was resumed does not fit."""
        # Of the address its host; a message of failure has all of it.
        _say(f"{self.data_file.name}: asking {'/'.join(without_secrets(url).split('/')[:3])}")
        drops = 0
        while True:
            resumed = self.part.stat().st_size > 0
            try:
                resumed = self._stream(url)
                check_and_record(self.part, self.data_file, self.destination)
                return without_secrets(url)
            except (http_errors.HTTPError, TimeoutError) as error:
                drops += 1
                if drops == _ATTEMPTS:
                    received = self.part.stat().st_size
                    raise _Unfit(f"{_plain(error)} after {received} bytes, {drops} times") from error
                wait = min(_BACKOFF * 2 ** (drops - 1), _LONGEST_WAIT)
                _say(f"  {_plain(error)} after {self.part.stat().st_size} bytes; resuming in {wait:.0f} s")
                time.sleep(wait)
            except WrongContent as reason:
                self.handle.truncate(0)
                if not resumed:
                    raise
                _say(f"  the resumed file does not fit ({reason}); starting again from zero")

    def _stream(self, url: str) -> bool:
        """Append to the .part what the server sends; return whether it went on from an earlier part."""
        offset = self.handle.seek(0, os.SEEK_END)
        headers = {"Range": f"bytes={offset}-"} if offset else {}
        try:
            response = self.session.get(url, headers=headers, stream=True, timeout=_TIMEOUT)
        # A redirect to something other than an address raises errors of urllib3 and of Python themselves.
        except (requests.RequestException, http_errors.HTTPError, ValueError) as error:
            raise _Unfit(_plain(error)) from error
        with response:
            resumed = response.headers.get("Content-Range", "").startswith(f"bytes {offset}-")
            if offset and (response.status_code == 416 or (response.status_code == 206 and not resumed)):
                self.handle.truncate(0)
                return self._stream(url)
            if response.status_code != 200 and not (offset and response.status_code == 206):
                raise _Unfit(f"HTTP {response.status_code} {response.reason or ''}".rstrip())
            offset = offset if response.status_code == 206 else 0
            length = response.headers.get("Content-Length", "")
            offered = offset + int(length) if re.fullmatch("[0-9]{1,18}", length) else None
            expected = self.data_file.bytes
            if expected is not None and offered not in (None, expected):
                html = ", an HTML page" if "html" in response.headers.get("Content-Type", "") else ""
                raise _Unfit(f"expected {expected} bytes, the server offers {offered}{html}")
            self.handle.truncate(offset)
            self.handle.seek(offset)
            progress = _Progress(self.data_file.name, offset, expected or offered)
            most = self._most_bytes()
            watched_since, received_then = time.monotonic(), offset
            with contextlib.closing(progress.bar):
                # Bytes as sent, because .gz files must not be unzipped on the way, and as soon as they come:
                # a full chunk waited for would be lost if the connection stalls.
                while chunk := response.raw.read1(_CHUNK, decode_content=False):
                    _write_all(self.handle, chunk)
                    progress.advance(len(chunk))
                    if progress.received > most:
                        least = "" if expected else "at most "
                        raise WrongContent(f"expected {least}{most} bytes, the server sends more")
                    waited = time.monotonic() - watched_since
                    if waited > _TIMEOUT[1]:
                        if progress.received - received_then < _LEAST_SPEED * waited:
                            raise http_errors.HTTPError(f"slower than {_LEAST_SPEED} bytes a second")
                        watched_since, received_then = time.monotonic(), progress.received
            if progress.received < (expected or offered or 0):
                raise http_errors.ProtocolError("connection closed early")
        return offset > 0

    def _most_bytes(self) -> float:
        """How long the file can be: as published, or hardly longer than its unzipped content."""
        if self.data_file.bytes is not None:
            return self.data_file.bytes
        unzipped = self.data_file.unzipped_bytes
        return float("inf") if unzipped is None else unzipped + unzipped // 1000 + 1000

    def _is_complete(self) -> bool:
        """Whether an earlier process was stopped between the last byte and the rename."""
        try:
            check_and_record(self.part, self.data_file, self.destination)
        except WrongContent:
            return False
        return True

    def _failure(self, tried: Sequence[str]) -> str:
        """The one message: which file, what was tried, what to do."""
        expected = [f"sha256 {self.data_file.sha256}"] if self.data_file.sha256 else []
        expected += [f"{self.data_file.bytes} bytes"] if self.data_file.bytes else []
        lines = [
            f"{self.data_file.name} could not be fetched. Tried:",
            *tried,
            "What to do: check the network and run again;",
            f"  or put the file there by hand: {self.destination.absolute()}",
            *([f"    ({', '.join(expected)})"] if expected else []),
            "    resources/datasets.yaml has its addresses in full;",
            f"  or name a folder or base URL that has it under data: mirrors: in the config, or in {MIRRORS_VARIABLE}",
        ]
        if self.data_file.fallback:
            lines.append(f"  or {self.data_file.fallback}")
        if received := self.part.stat().st_size:
            lines.append(f"The first {received} bytes are kept in {self.part}; the next run resumes there.")
        return "\n".join(lines)


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


def _write_all(file: IO[bytes], data: bytes) -> None:
    """Write to a file without a buffer, which may take a part; on a full disk the next write then says so."""
    while data:
        data = data[file.write(data) :]


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


def _chunks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file of a mirror, whose errors are no errors of the destination."""
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise _Unfit(f"{path.name}: {error.strerror or error}") from error


@contextlib.contextmanager
def _locked(part: Path, name: str) -> Iterator[IO[bytes]]:
    """Open a .part for this process alone; an empty one does not stay behind."""

    def is_ours(handle: IO[bytes]) -> bool:
        try:
            return os.path.samestat(os.fstat(handle.fileno()), part.stat())
        except FileNotFoundError:
            return False

    while True:
        # Unbuffered, so that a kill loses nothing that has arrived.
        with open(os.open(part, os.O_RDWR | os.O_CREAT, 0o666), "r+b", buffering=0) as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                _say(f"{name}: another process is fetching it; waiting")
                fcntl.flock(handle, fcntl.LOCK_EX)
            except OSError as error:
                # Some cluster file systems have no locks. Snakemake's own lock still works there.
                _say(f"{name}: fetching without a lock ({error.strerror})")
            if not is_ours(handle):
                continue  # the process before renamed or removed the file that was opened here
            try:
                yield handle
            finally:
                if is_ours(handle) and part.stat().st_size == 0:
                    part.unlink()
            return


def _session() -> requests.Session:
    """Open a session that retries failed connections and busy servers, but not drops in mid-transfer."""
    session = requests.Session()
    session.max_redirects = _MOST_REDIRECTS
    session.headers.update(_HEADERS)
    retry = _AnnouncedRetry(
        total=_ATTEMPTS - 1,
        status_forcelist=(429, 500, 502, 503, 504),
        backoff_factor=_BACKOFF,
        backoff_max=_LONGEST_WAIT,
        raise_on_status=False,
    )
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(max_retries=retry))
    return session


def _is_url(place: str) -> bool:
    return place.lower().startswith(("http://", "https://"))


def _below(base: str, name: str) -> str:
    """The address of a file on a mirror, whose token may follow its path."""
    path, query = re.fullmatch(r"([^?#]*)(.*)", base, re.DOTALL).groups()
    return f"{path.rstrip('/')}/{quote(name)}{query}"


def _plain(error: BaseException) -> str:
    """A network error in plain words: libraries wrap it in several layers."""
    layers, layer = [], error
    while layer is not None and layer not in layers:
        layers.append(layer)
        inner = [getattr(layer, "reason", None), *layer.args, layer.__cause__]
        layer = next((item for item in inner if isinstance(item, BaseException)), None)
    # Errors of libraries may quote an address.
    last = re.sub(r"\S*//\S*", "...", str(layers[-1]))
    without_tls = any(getattr(item, "reason", None) in _NOT_TLS for item in layers if isinstance(item, ssl.SSLError))
    plain_words = (
        (http_errors.NameResolutionError, "no network: could not resolve host"),
        (ConnectionRefusedError, "connection refused"),
        (http_errors.NewConnectionError, "no network: could not connect"),
        # After the one above, which is a kind of time-out to urllib3.
        ((http_errors.TimeoutError, requests.Timeout, TimeoutError), "timed out"),
        (ssl.SSLCertVerificationError, "the certificate was not accepted"),
        ((ssl.SSLEOFError, ssl.SSLZeroReturnError), "connection dropped"),
        (ssl.SSLError, "answers without TLS: use http://, or correct the port" if without_tls else f"no TLS: {last}"),
        ((http_errors.ProxyError, requests.exceptions.ProxyError), f"the proxy does not help: {last}"),
        (http.client.RemoteDisconnected, "connection dropped"),
        (http.client.BadStatusLine, "the answer is not HTTP"),
        (http_errors.ProtocolError, "connection dropped"),
        # Those of Python quote parts of an address.
        (ValueError, "not a valid address, or a redirect to one that is not"),
    )
    for kind, words in plain_words:
        if any(isinstance(item, kind) for item in layers):
            return words
    return last


def _say(line: str) -> None:
    """Print a message, without breaking a progress bar if there is one."""
    tqdm.write(printable(line), file=sys.stderr)
