"""Downloads against a server that misbehaves: what arrives is whole, and what fails says why."""

import errno
import gzip
import hashlib
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from misbehaving_server import (
    drip,
    drop_after,
    misbehaving_server,
    raw,
    redirect,
    serve,
    serve_chunked,
    serve_ignoring_range,
    serve_without_length,
    stall_after,
    status,
)
from replication.platform import download
from replication.platform.download import DataError, fetch, mirrors_from
from replication.platform.integrity import check_and_record, verify
from replication.platform.registry import DataFile

CONTENT = bytes(range(256)) * 1000  # 256000 bytes: several chunks
OTHER = CONTENT[::-1]
SHA256 = hashlib.sha256(CONTENT).hexdigest()
IMPATIENT = {"_TIMEOUT": (0.5, 0.5), "_ATTEMPTS": 2, "_BACKOFF": 0.01}


def published(*urls, **changes):
    """A file with a published hash and size."""
    known = {"sha256": SHA256, "bytes": len(CONTENT)} | changes
    fallback = "set the image source to another_set"
    return DataFile.model_construct(name="some_set/table.data", urls=urls, fallback=fallback, **known)


def zipped(*urls):
    """A file of which only the size of the unzipped content is known."""
    hashless = published(*urls, sha256=None, bytes=None, unzipped_bytes=len(CONTENT))
    return hashless.replace(name="some_set/volume.raw.gz")


@pytest.fixture(autouse=True)
def impatient_and_without_proxy(monkeypatch):
    for name, value in IMPATIENT.items():
        monkeypatch.setattr(f"replication.platform.download.{name}", value)
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def server():
    with misbehaving_server() as state:
        yield state


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "data" / "some_set" / "table.data"


@pytest.fixture
def part(destination):
    destination.parent.mkdir(parents=True)
    return destination.with_name(".table.data.part")


@pytest.fixture
def volume(destination):
    """The place of a zipped file."""
    destination.parent.mkdir(parents=True)
    return destination.with_name("volume.raw.gz")


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


def files_beside(destination):
    return sorted(path.name for path in destination.parent.iterdir())


# What arrives


def test_a_good_server_gives_the_file_and_nothing_else(server, destination):
    url = server.on("/there", serve(CONTENT))
    assert fetch(published(url), destination) == url
    assert destination.read_bytes() == CONTENT
    assert files_beside(destination) == ["table.data"]
    assert server.headers[0]["User-Agent"].startswith("consensus-embedding")
    assert server.headers[0]["Accept-Encoding"] == "identity"
    destination.unlink()
    fetch(published(server.on("/here", redirect("/there"))), destination)
    assert destination.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("behaviours", "ranges"),
    [
        ([status(429), serve(CONTENT)], [None, None]),
        ([status(500), serve(CONTENT)], [None, None]),
        ([status(503), serve(CONTENT)], [None, None]),
        ([status(503, Retry_After="some \x1b[31m time"), serve(CONTENT)], [None, None]),
        ([drop_after(CONTENT, 100_000), serve(CONTENT)], [None, "bytes=100000-"]),
        ([serve_without_length(CONTENT[:1000]), serve(CONTENT)], [None, "bytes=1000-"]),
        ([drop_after(CONTENT, 100_000), serve_ignoring_range(CONTENT)], [None, "bytes=100000-"]),
        ([stall_after(CONTENT, 50_000, seconds=5), serve(CONTENT)], [None, "bytes=50000-"]),
    ],
    ids=["429", "500", "503", "no wait", "dropped", "ends early", "ignores ranges", "stalled"],
)
def test_what_fails_once_is_asked_again_from_where_it_was(server, destination, behaviours, ranges):
    start = time.monotonic()
    fetch(published(server.on("/table", *behaviours)), destination)
    assert time.monotonic() - start < 3
    assert server.ranges("/table") == ranges
    assert destination.read_bytes() == CONTENT
    assert files_beside(destination) == ["table.data"]


@pytest.mark.parametrize(
    ("behaviour", "waits"),
    [
        (status(503), [1, 2, 4]),
        (drop_after(CONTENT, 1000), [1, 2, 4]),
        (status(429, Retry_After="3"), [3, 3, 4]),
        (status(429, Retry_After="900"), [30, 30, 30]),
    ],
    ids=["busy", "dropped", "busy for 3 s", "busy for long"],
)
def test_a_server_that_fails_has_twice_the_time_before_each_further_attempt_or_what_it_asks(
    server, destination, monkeypatch, capsys, behaviour, waits
):
    pauses = []
    monkeypatch.setattr("replication.platform.download._ATTEMPTS", 4)
    monkeypatch.setattr("replication.platform.download._BACKOFF", 1.0)
    monkeypatch.setattr("replication.platform.download.time.sleep", pauses.append)
    fetch(published(server.on("/table", *[behaviour] * 3, serve(CONTENT))), destination)
    assert pauses == waits
    assert f"asking again in {waits[-1]} s, after " in capsys.readouterr().err


def test_a_server_that_resumes_nothing_and_has_another_file_is_asked_once(server, destination, part):
    part.write_bytes(CONTENT[:1000])
    with pytest.raises(DataError):
        fetch(published(server.on("/table", serve_ignoring_range(CONTENT[::-1]))), destination)
    assert server.ranges("/table") == ["bytes=1000-"]


def test_who_waited_for_a_part_that_was_deleted_has_another(part):
    with ThreadPoolExecutor(1) as pool, download._open_locked(part, "table") as first:
        waiting = pool.submit(download._open_locked, part, "table")
        time.sleep(0.2)
        part.unlink()
        first.close()
        with waiting.result(10) as second:
            assert part.stat().st_ino == os.fstat(second.fileno()).st_ino


@pytest.mark.parametrize("size", [5000, len(CONTENT), len(CONTENT) + 7], ids=["short", "as long", "longer"])
@pytest.mark.parametrize("behaviour", [serve, serve_ignoring_range])
def test_an_unfit_beginning_is_dropped_and_the_file_fetched_from_zero(server, destination, part, size, behaviour):
    part.write_bytes(b"\xff" * size)
    fetch(published(server.on("/table", behaviour(CONTENT))), destination)
    assert destination.read_bytes() == CONTENT
    assert server.ranges("/table")[-1] is None or behaviour is serve_ignoring_range


def test_a_part_that_only_lacked_its_name_needs_no_network(destination, part, no_network):
    part.write_bytes(CONTENT)
    fetch(published("http://127.0.0.1:9/table"), destination)
    assert destination.read_bytes() == CONTENT
    assert not part.exists()


def test_a_long_download_shows_life_without_a_terminal(server, destination, monkeypatch, capsys):
    monkeypatch.setattr("replication.platform.download._SECONDS_PER_UPDATE", 0)
    fetch(published(server.on("/table", serve(CONTENT))), destination)
    assert re.search(r"some_set/table.data: 100%.* 256k/256k ", capsys.readouterr().err)


def test_a_file_in_place_needs_no_network_unless_it_is_damaged(server, destination):
    destination.parent.mkdir(parents=True)
    destination.write_bytes(CONTENT)
    url = server.on("/table", serve(CONTENT))
    assert fetch(published(url), destination, [server.address]) == "already present"
    assert server.requests == []
    destination.write_bytes(CONTENT[:-1])
    assert fetch(published(url), destination) == url
    assert destination.read_bytes() == CONTENT


def test_two_processes_on_one_file_download_it_once(server, destination):
    url = server.on("/table", stall_after(CONTENT, 1000, seconds=0.2), serve(CONTENT))
    failures = []

    def run():
        try:
            fetch(published(url), destination)
        except DataError as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert destination.read_bytes() == CONTENT
    assert server.ranges("/table") == [None, "bytes=1000-"]
    assert files_beside(destination) == ["table.data"]


def test_where_there_are_no_locks_another_process_spoils_no_file(server, destination, part, monkeypatch):
    """As of another checkout, with a link to the same data on a cluster file system."""

    def no_locks(*_args):
        raise OSError(errno.ENOLCK, "No locks available")

    def checked(path, *others):
        check_and_record(path, *others)
        part.write_bytes(OTHER)

    monkeypatch.setattr("fcntl.flock", no_locks)
    monkeypatch.setattr("replication.platform.download.check_and_record", checked)
    fetch(published(server.on("/table", serve(CONTENT))), destination)
    assert destination.read_bytes() == CONTENT
    assert files_beside(destination) == ["table.data"]


def test_a_killed_download_leaves_no_file_and_is_resumed(server, destination, part):
    url = server.on("/table", stall_after(CONTENT, 100_000, seconds=10), serve(CONTENT))
    program = textwrap.dedent(f"""
        from replication.platform.download import fetch
        from test_download import published
        fetch(published({url!r}), {str(destination)!r})
    """)
    folders = [Path(__file__).parent, *(path for path in sys.path if path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    process = subprocess.Popen([sys.executable, "-c", program], env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 15
    while not (part.exists() and part.stat().st_size == 100_000) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert files_beside(destination) == [".table.data.part"]

    fetch(published(url), destination)
    assert server.ranges("/table") == [None, "bytes=100000-"]
    assert destination.read_bytes() == CONTENT
    assert files_beside(destination) == ["table.data"]


# What fails says why


def failure(data_file, destination, mirrors=()):
    with pytest.raises(DataError) as caught:
        fetch(data_file, destination, mirrors)
    assert not destination.exists()
    return str(caught.value)


def test_the_message_names_the_file_every_address_and_what_to_do(server, destination):
    urls = [server.on("/one", status(404)), server.on("/two", status(503))]
    message = failure(published(*urls), destination)
    named = ["some_set/table.data", f"{urls[0]}: HTTP 404", f"{urls[1]}: HTTP 503", str(destination), SHA256]
    named += ["256000 bytes", "mirrors:", "CONSENSUS_EMBEDDING_MIRRORS", "set the image source to another_set"]
    assert [name for name in named if name not in message] == []
    assert "kept" not in message
    assert files_beside(destination) == []


def test_wrong_bytes_are_named_and_not_kept(server, destination):
    message = failure(published(server.on("/table", serve(OTHER))), destination)
    assert f"expected sha256 {SHA256}, found {hashlib.sha256(OTHER).hexdigest()}" in message
    assert files_beside(destination) == []
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("behaviour", "found"),
    [
        (serve(CONTENT[:1234]), "the server offers 1234"),
        (serve(b"<!doctype html><title>Sorry</title>", "text/html"), "the server offers 35"),
        (serve_without_length(CONTENT * 3), "the server sends more"),
    ],
    ids=["truncated, with a matching length", "a page of HTML", "without end"],
)
def test_a_file_of_another_size_is_named_and_not_kept(server, destination, behaviour, found):
    message = failure(published(server.on("/table", behaviour)), destination)
    assert f"expected 256000 bytes, {found}" in message
    assert files_beside(destination) == []


def test_an_interrupted_file_is_kept_and_the_message_says_so(server, destination, part):
    message = failure(published(server.on("/table", drop_after(CONTENT, 100_000))), destination)
    assert "connection dropped" in message
    assert f"100000 bytes are kept in {part}" in message
    assert part.read_bytes() == CONTENT[:100_000]


def test_a_zipped_file_of_unknown_size_is_cut_off_too(server, volume):
    url = server.on("/volume", serve_without_length(os.urandom(2 * len(CONTENT))))
    message = failure(zipped(url), volume)
    assert "expected at most 257256 bytes, the server sends more" in message


@pytest.mark.parametrize("behaviour", [drip(CONTENT, 0.01), redirect("/slow")], ids=["a byte at a time", "in a circle"])
def test_an_answer_without_end_gives_way_to_the_next(server, destination, behaviour):
    slow, good = server.on("/slow", behaviour), server.on("/good", serve(CONTENT))
    start = time.monotonic()
    assert fetch(published(slow, good), destination) == good
    assert time.monotonic() - start < 5
    assert destination.read_bytes() == CONTENT


@pytest.mark.parametrize("length", ["\xb2", "9" * 5000, "-1"], ids=["a raised 2", "5000 digits", "below zero"])
def test_a_length_that_is_no_number_is_passed_over(server, destination, length):
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n".encode("latin-1")
    fetch(published(server.on("/table", raw(head + CONTENT))), destination)
    assert destination.read_bytes() == CONTENT


@pytest.mark.parametrize("address", ["http://[", "http://a:port/", "//", "http://%zz/", "gopher://a/b"])
def test_a_redirect_to_no_address_gives_way_to_the_next(server, destination, address):
    wrong, good = server.on("/wrong", redirect(address)), server.on("/good", serve(CONTENT))
    assert fetch(published(wrong, good), destination) == good


def test_a_silent_server_times_out(server, destination):
    start = time.monotonic()
    message = failure(published(server.on("/table", lambda _handler: time.sleep(3))), destination)
    assert "/table: timed out" in message
    assert time.monotonic() - start < 2.5


def test_a_closed_port_is_named(destination):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/table"
        assert f"{url}: [Errno {errno.ECONNREFUSED}] Connection refused" in failure(published(url), destination)


def test_a_machine_without_network_is_told_so(destination, monkeypatch):
    def unresolvable(*_args, **_kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unresolvable)
    message = failure(published("http://data.example.org/table"), destination)
    assert "http://data.example.org/table: no network: could not resolve host" in message


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    blocked = tmp_path / "data"
    blocked.write_text("a file where a folder should be")
    with pytest.raises(DataError, match=rf"some_set/table.data: cannot read or write {blocked}: "):
        fetch(published("http://127.0.0.1:9/table"), blocked / "table.data")


def test_a_destination_that_cannot_be_read_is_named(destination, no_network):
    destination.mkdir(parents=True)
    with pytest.raises(DataError, match=rf"some_set/table.data: cannot read or write {destination}: Is a directory"):
        fetch(published("http://127.0.0.1:9/table"), destination)


@pytest.mark.parametrize("from_folder", [True, False])
def test_a_disk_without_room_is_named_and_no_part_of_a_file_is_put_in_place(server, tmp_path, from_folder):
    """A write takes what there is room for, and says so; the next one fails."""
    mirror = tmp_path / "mirror"
    (mirror / "some_set").mkdir(parents=True)
    (mirror / "some_set/table.data").write_bytes(CONTENT)
    url = server.on("/table", *[serve(CONTENT)] * 5)
    place = f"mirrors=({str(mirror)!r},)" if from_folder else "mirrors=()"
    code = (
        "import resource, signal, sys\n"
        f"sys.path[:0] = {[str(Path(__file__).parent)]!r}\n"
        "from test_download import *\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
        f"fetch(published({url!r}), {str(tmp_path / 'data/table.data')!r}, {place})\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"cannot read or write {tmp_path / 'data/table.data'}: File too large; free some space" in done.stderr
    assert not (tmp_path / "data/table.data").exists()


SECRET = "hunter2"
WITH_SECRET = [
    "http://me:hunter2@{host}/table",
    "http://hunter2@{host}/table",
    "http://{host}/table?token=hunter2",
    "http://{host}/table#hunter2",
    "http://me:hun/hunter2@{host}/table",
    "http://me:hunter2@[{host}/table",
    "https://me:hunter2@{host}/table?token=hunter2",
    "HTTP://me:hunter2@{host}/table",
    "ftp://me:hunter2@{host}/table",
    "http:/me:hunter2@{host}/table",
    "me:hunter2@{host}/table",
]


@pytest.mark.parametrize("address", WITH_SECRET)
@pytest.mark.parametrize(
    "behaviour", [status(404), status(302, Location="http://me:hunter2@[/?hunter2")], ids=["missing", "redirected"]
)
def test_a_password_or_token_in_an_address_is_never_shown(server, destination, capfd, address, behaviour):
    address = address.format(host=server.address.removeprefix("http://"))
    server.on("/table", behaviour)
    server.on("/table?token=hunter2", behaviour)
    shown = ["http://127.0.0.1:9/other"]
    shown += [failure(published(address), destination)] if address.lower().startswith("http") else []
    shown += [failure(published("http://127.0.0.1:9/other"), destination, [address])]
    assert SECRET not in "\n".join([*shown, *capfd.readouterr()])


def test_a_source_is_named_without_password_and_token(server, destination):
    server.on("/mirror/some_set/table.data?token=hunter2", serve(CONTENT))
    mirror = f"http://me:hunter2@{server.address.removeprefix('http://')}/mirror?token=hunter2"
    source = fetch(published(), destination, [mirror])
    assert source == f"{server.address}/mirror/some_set/table.data?..."
    assert server.headers[0]["Authorization"].startswith("Basic ")


ESCAPE = "\x1b]0;owned\x07\x9b31m"


def test_escape_codes_of_a_server_do_not_reach_the_terminal(server, destination, volume, capfd):
    answers = {
        "/reason": f"HTTP/1.1 404 {ESCAPE}\r\n\r\n",
        "/redirect": f"HTTP/1.1 302 a\r\nLocation: {ESCAPE}://a\r\n\r\n",
        "/protocol": f"{ESCAPE}\r\n\r\n",
        "/header": f"HTTP/1.1 404 a\r\n{ESCAPE}\r\n\r\n",
        "/type": f"HTTP/1.1 200 a\r\nContent-Length: 1\r\nContent-Type: {ESCAPE}\r\n\r\na",
    }
    urls = [server.on(path, raw(answer.encode("latin-1"))) for path, answer in answers.items()]
    message = failure(published(*urls), destination)
    page = f"<html><title>{ESCAPE}\n</title></html>".encode()
    message += failure(zipped(server.on("/page", serve(page))), volume)
    assert "owned" in message
    assert not {"\x1b", "\x07", "\x9b"} & set("".join([message, *capfd.readouterr()]))


def test_escape_codes_of_a_mirror_do_not_reach_the_terminal(tmp_path, destination, capfd):
    folder = tmp_path / ESCAPE
    copy = folder / "elsewhere" / "table.data"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(OTHER)
    shown = failure(published(), destination, [str(folder)]) + failure(published(), destination, [f"{folder}2"])
    copy.write_bytes(CONTENT)
    shown += fetch(published(), destination, [str(folder)])
    assert shown.count("owned") == 3
    assert not {"\x1b", "\x07", "\x9b"} & set("".join([shown, *capfd.readouterr()]))


def test_plain_http_where_https_was_asked_is_named(server, destination):
    server.on("/table", serve(CONTENT))
    message = failure(published(f"https://{server.address.removeprefix('http://')}/table"), destination)
    assert "without TLS" in message
    assert "certificate" not in message


def test_a_certificate_that_is_not_accepted_is_named(server, destination, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: expired")

    monkeypatch.setattr(ssl.SSLContext, "wrap_socket", refuse)
    message = failure(published(f"https://{server.address.removeprefix('http://')}/table"), destination)
    assert "the certificate was not accepted" in message


def test_another_protocol_is_named(server, destination):
    assert "not HTTP" in failure(published(server.on("/table", raw(b"220 ftp.example.org ready\r\n"))), destination)


def test_a_proxy_that_refuses_is_quoted(server, destination, monkeypatch):
    monkeypatch.setattr("misbehaving_server._Handler.do_CONNECT", status(407), raising=False)
    monkeypatch.setenv("HTTPS_PROXY", server.address)
    monkeypatch.setenv("NO_PROXY", "")
    message = failure(published("https://data.example/table"), destination)
    assert "proxy" in message
    assert "407" in message


# Files without a published hash


def test_the_hash_of_the_content_is_recorded_and_holds(server, volume):
    url = server.on("/volume", serve(gzip.compress(CONTENT, mtime=1)))
    fetch(zipped(url), volume)
    sidecar = volume.with_name("volume.raw.gz.sha256")
    assert sidecar.read_text() == f"{SHA256}  volume.raw\n"

    # The same content zipped at another time is the same content ...
    volume.unlink()
    server.on("/volume", serve(gzip.compress(CONTENT, mtime=2)))
    fetch(zipped(url), volume)
    assert gzip.decompress(volume.read_bytes()) == CONTENT

    # ... and other content is not, to fetch as to verify.
    volume.write_bytes(gzip.compress(OTHER))
    found = verify(zipped(), volume)
    assert f"expected unzipped sha256 {SHA256}" in found
    assert hashlib.sha256(OTHER).hexdigest() in found
    volume.unlink()
    server.on("/volume", serve(gzip.compress(OTHER)))
    assert f"expected unzipped sha256 {SHA256}" in failure(zipped(url), volume)


def test_a_file_put_there_by_hand_is_checked_and_recorded(volume, no_network):
    volume.write_bytes(gzip.compress(CONTENT))
    fetch(zipped("http://127.0.0.1:9/volume"), volume)
    assert volume.with_name("volume.raw.gz.sha256").read_text().startswith(SHA256)


def test_a_volume_made_on_request_survives_a_drop_between_chunks(server, volume):
    zip_file = gzip.compress(os.urandom(1000) + CONTENT[1000:], compresslevel=1)
    url = server.on("/volume", serve_chunked(zip_file, drop_after=1000), serve_chunked(zip_file))
    fetch(zipped(url), volume)
    assert server.ranges("/volume") == [None, "bytes=1000-"]
    assert volume.read_bytes() == zip_file


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"<!DOCTYPE html><html><head><title>Refused</title></head></html>", "found an HTML page titled 'Refused'"),
        (gzip.compress(CONTENT, mtime=0)[:-20], "expected complete gzip data"),
        (gzip.compress(CONTENT[:999]), "expected 256000 bytes when unzipped, found 999"),
        (gzip.compress(CONTENT * 2), "expected 256000 bytes when unzipped, found more than 256000"),
        (gzip.compress(bytes(len(CONTENT))), "found only zeros"),
    ],
    ids=["a page", "cut short", "too small", "too large", "blank"],
)
def test_gzip_that_is_not_whole_is_refused(server, volume, content, complaint):
    assert complaint in failure(zipped(server.on("/volume", serve(content))), volume)
    assert files_beside(volume) == []


# Mirrors


def test_mirrors_of_the_environment_come_first():
    environ = {"CONSENSUS_EMBEDDING_MIRRORS": "/first; https://second.org ;;"}
    assert mirrors_from(["/third", "/first"], environ) == ("/first", "https://second.org", "/third")
    assert mirrors_from([], {}) == ()


@pytest.mark.parametrize("place", ["some_set/table.data", "elsewhere/table.data", "elsewhere/renamed.bin"])
def test_a_mirror_folder_is_searched_by_path_name_and_hash(tmp_path, destination, place, no_network):
    copy = tmp_path / "mirror" / place
    copy.parent.mkdir(parents=True)
    copy.write_bytes(CONTENT)
    source = fetch(published("http://127.0.0.1:9/table"), destination, [str(tmp_path / "mirror")])
    assert source == str(copy)
    assert destination.read_bytes() == CONTENT
    assert copy.exists()


def test_a_mirror_with_other_content_is_passed_over_and_named(tmp_path, destination, server):
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "table.data").write_bytes(OTHER)
    (mirror / "of_the_same_size").write_bytes(OTHER)
    url = server.on("/table", serve(CONTENT), status(404))
    assert fetch(published(url), destination, [str(mirror)]) == url
    assert destination.read_bytes() == CONTENT

    destination.unlink()
    message = failure(published(url), destination, [str(mirror)])
    assert f"{mirror}: table.data: expected sha256 {SHA256}, found" in message


def test_what_cannot_be_looked_at_in_a_mirror_folder_is_passed_over(tmp_path, destination, no_network):
    """Such as a file in a folder that may be listed but not entered; here a link whose target has too long a name."""
    mirror = tmp_path / "mirror"
    for name in ("some_set", "other_set"):
        (mirror / name).mkdir(parents=True)
        (mirror / name / "table.data").symlink_to("x" * 300)
    (mirror / "renamed.bin").write_bytes(CONTENT)
    fetch(published("http://127.0.0.1:9/table"), destination, [str(mirror)])
    assert destination.read_bytes() == CONTENT


def test_a_mirror_whose_file_goes_away_gives_way_to_the_next(tmp_path, destination, part, server, monkeypatch):
    """As where a network drive is lost after its file was checked: the disk here is not to blame, its part stays."""
    copy = tmp_path / "mirror" / "table.data"
    copy.parent.mkdir()

    def checked(path, *others):
        check_and_record(path, *others)
        copy.unlink(missing_ok=True)

    monkeypatch.setattr("replication.platform.download.check_and_record", checked)
    url = server.on("/table", status(404), serve(CONTENT))
    copy.write_bytes(CONTENT)
    part.write_bytes(CONTENT[:1000])
    message = failure(published(url), destination, [str(copy.parent)])
    assert f"{copy.parent}: table.data: [Errno 2] No such file" in message
    copy.write_bytes(CONTENT)
    assert fetch(published(url), destination, [str(copy.parent)]) == url
    assert server.ranges("/table") == ["bytes=1000-"] * 2
    assert destination.read_bytes() == CONTENT


def test_a_mirror_folder_gives_a_file_without_hash_by_its_name_only(tmp_path, volume):
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "other_name.gz").write_bytes(gzip.compress(CONTENT))
    assert f"{mirror}: no file here" in failure(zipped(), volume, [str(mirror)])
    (mirror / "other_name.gz").rename(mirror / "volume.raw.gz")
    fetch(zipped(), volume, [str(mirror)])
    assert gzip.decompress(volume.read_bytes()) == CONTENT


def test_a_base_url_is_asked_for_the_name_and_falls_through(server, destination):
    public = server.on("/public", serve(CONTENT))
    server.on("/mirror/some_set/table.data", serve(OTHER), serve(CONTENT))
    base = f"{server.address}/mirror/"
    assert fetch(published(public), destination, [base]) == public

    destination.unlink()
    assert fetch(published(public), destination, [base]) == f"{base}some_set/table.data"


@pytest.mark.parametrize("missing", ["no_such_folder", "~no_such_user/data", "x" * 300])
def test_a_mirror_folder_that_does_not_exist_is_named(missing, destination, no_network):
    message = failure(published("http://127.0.0.1:9/table"), destination, [missing])
    assert f"the mirror folder {missing} does not exist" in message
    assert "CONSENSUS_EMBEDDING_MIRRORS" in message


# verify


def test_verify_tells_missing_whole_and_damaged_files_apart(destination):
    assert verify(published(), destination) == "missing"
    destination.parent.mkdir(parents=True)
    destination.write_bytes(CONTENT)
    assert verify(published(), destination) == ""
    destination.write_bytes(CONTENT[:-1])
    assert verify(published(), destination) == "expected 256000 bytes, found 255999"
    destination.write_bytes(OTHER)
    assert verify(published(), destination).startswith(f"expected sha256 {SHA256}, found ")


def test_verify_writes_nothing(volume):
    volume.write_bytes(gzip.compress(CONTENT))
    assert verify(zipped(), volume) == ""
    assert files_beside(volume) == ["volume.raw.gz"]
