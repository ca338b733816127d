"""Responses of a file server, and a server of one file that breaks off or refuses as instructed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[[BaseHTTPRequestHandler], None]
TAG = '"one"'
CONTENT = bytes(range(256)) * 20_000


@dataclass
class FileServer:
    """Serves one file; ``cuts`` are the numbers of bytes after which the first answers break off."""

    content: bytes = CONTENT
    tag: str = TAG
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    address: str = ""


def head(handler: BaseHTTPRequestHandler, status: int = 200, **headers: str | int) -> None:
    """Status line and headers; an underscore in a name is a hyphen."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), str(value))
    handler.end_headers()


def file(content: bytes, *, tag: str = TAG, cuts: list[int] | None = None, length: int | None = None) -> Answer:
    """A file, or the rest of it for a request with its tag.

    Parameters
    ----------
    cuts : numbers of body bytes after which the first answers break off.
    length : a false ``Content-Length``.
    """

    def answer(handler: BaseHTTPRequestHandler) -> None:
        wanted = handler.headers.get("Range", "")
        is_same = bool(tag) and handler.headers.get("If-Range") == tag
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and is_same else 0
        rest = content[start:]
        headers: dict[str, str | int] = {"Content_Length": len(rest) if length is None else length}
        if start:
            headers["Content_Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        head(handler, 206 if start else 200, **headers, **({"ETag": tag} if tag else {}))
        handler.wfile.write(rest[: cuts.pop(0)] if cuts else rest)

    return answer


def handler(served: FileServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.headers.get("Range", ""))
            if served.statuses:
                self.send_error(served.statuses.pop(0))
                return
            with suppress(OSError):  # the other side has disconnected
                file(served.content, tag=served.tag, cuts=served.cuts)(self)

        def log_message(self, *arguments: object) -> None:
            """Nothing."""

    return Handler


@contextmanager
def serving(content: bytes = CONTENT) -> Iterator[FileServer]:
    """Serve the file under any path; ``address`` is the URL of a ``vectors.txt.gz``."""
    found = FileServer(content)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(found))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    found.address = f"http://127.0.0.1:{server.server_port}/some/vectors.txt.gz?version=2"
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
