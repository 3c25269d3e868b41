"""A real HTTP server on the loopback interface that misbehaves on request."""

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Behaviour = Callable[["_Handler"], None]


@dataclass
class MisbehavingServer:
    """The server: what it does on each path, and what it was asked.

    `behaviours[path]` is a list: the n-th request to the path gets the n-th behaviour, later ones the last.
    """

    address: str
    behaviours: dict[str, list[Behaviour]] = field(default_factory=dict)
    requests: list[tuple[str, str | None]] = field(default_factory=list)  # path, Range header
    headers: list[dict[str, str]] = field(default_factory=list)

    def on(self, path: str, *behaviours: Behaviour) -> str:
        """Set what happens on a path; return its URL."""
        self.behaviours[path] = list(behaviours)
        return self.address + path

    def ranges(self, path: str) -> list[str | None]:
        return [asked for requested, asked in self.requests if requested == path]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_state: MisbehavingServer

    def do_GET(self) -> None:
        state = self.server_state
        earlier = len(state.ranges(self.path))
        state.requests.append((self.path, self.headers.get("Range")))
        state.headers.append(dict(self.headers))
        behaviours = state.behaviours.get(self.path, [status(404)])
        behaviours[min(earlier, len(behaviours) - 1)](self)

    def log_message(self, *_: object) -> None:
        """Keep the test output quiet."""


@contextlib.contextmanager
def misbehaving_server() -> Iterator[MisbehavingServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), None)
    server.daemon_threads = True
    server.block_on_close = False
    state = MisbehavingServer(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = type("Handler", (_Handler,), {"server_state": state})
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def _head(handler: _Handler, code: int, length: int | None, **headers: str) -> None:
    handler.send_response(code)
    if length is not None:
        handler.send_header("Content-Length", str(length))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


def _hang_up(handler: _Handler) -> None:
    handler.wfile.flush()
    handler.close_connection = True


def serve(content: bytes, content_type: str = "application/octet-stream") -> Behaviour:
    """As it should be, with Range."""

    def behave(handler: _Handler) -> None:
        asked = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
        start = int(asked[1]) if asked else 0
        if start >= len(content):
            _head(handler, 416, 0)
        elif asked:
            rest = f"bytes {start}-{len(content) - 1}/{len(content)}"
            _head(handler, 206, len(content) - start, Content_Range=rest, Content_Type=content_type)
            handler.wfile.write(content[start:])
        else:
            _head(handler, 200, len(content), Content_Type=content_type)
            handler.wfile.write(content)

    return behave


def serve_ignoring_range(content: bytes) -> Behaviour:
    def behave(handler: _Handler) -> None:
        _head(handler, 200, len(content))
        handler.wfile.write(content)

    return behave


def serve_without_length(content: bytes) -> Behaviour:
    """The end of the content is the end of the connection, as old CGI programs do it."""

    def behave(handler: _Handler) -> None:
        _head(handler, 200, None, Connection="close")
        handler.wfile.write(content)
        _hang_up(handler)

    return behave


def serve_chunked(content: bytes, drop_after: int | None = None) -> Behaviour:
    """In chunks of unannounced number, perhaps hanging up before the last."""

    def behave(handler: _Handler) -> None:
        _head(handler, 200, None, Transfer_Encoding="chunked")
        for start in range(0, len(content) if drop_after is None else drop_after, 1000):
            chunk = content[start : start + 1000]
            handler.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
        if drop_after is None:
            handler.wfile.write(b"0\r\n\r\n")
        _hang_up(handler)

    return behave


def drop_after(content: bytes, size: int) -> Behaviour:
    """Promise all of it, send the beginning, hang up."""

    def behave(handler: _Handler) -> None:
        _head(handler, 200, len(content))
        handler.wfile.write(content[:size])
        _hang_up(handler)

    return behave


def stall_after(content: bytes, size: int, seconds: float) -> Behaviour:
    """Promise all of it, send the beginning, say nothing more."""

    def behave(handler: _Handler) -> None:
        _head(handler, 200, len(content))
        handler.wfile.write(content[:size])
        handler.wfile.flush()
        time.sleep(seconds)
        _hang_up(handler)

    return behave


def drip(content: bytes, pause: float) -> Behaviour:
    """A byte at a time."""

    def behave(handler: _Handler) -> None:
        _head(handler, 200, len(content))
        with contextlib.suppress(OSError):
            for k in range(len(content)):
                handler.wfile.write(content[k : k + 1])
                handler.wfile.flush()
                time.sleep(pause)
        _hang_up(handler)

    return behave


def raw(answer: bytes) -> Behaviour:
    """Bytes as they are."""

    def behave(handler: _Handler) -> None:
        handler.wfile.write(answer)
        _hang_up(handler)

    return behave


def status(code: int, **headers: str) -> Behaviour:
    return lambda handler: _head(handler, code, 0, **headers)


def redirect(address: str) -> Behaviour:
    return status(302, Location=address)
