"""A server of one file, which breaks off or refuses as told."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONTENT = bytes(range(256)) * 20_000


@dataclass
class FileServer:
    """Serves one file; ``cuts`` says after how many bytes each of the first answers breaks off."""

    content: bytes = CONTENT
    tag: str = '"one"'
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    address: str = ""


def handler(served: FileServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range", "")
            served.asked.append(wanted)
            if served.statuses:
                self.send_error(served.statuses.pop(0))
                return
            start = int(wanted[6:-1]) if wanted and self.headers.get("If-Range") == served.tag else 0
            body = served.content[start:]
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(served.content) - 1}/{len(served.content)}")
            self.send_header("Content-Length", str(len(body)))
            if served.tag:
                self.send_header("ETag", served.tag)
            self.end_headers()
            self.wfile.write(body[: served.cuts.pop(0)] if served.cuts else body)

        def log_message(self, *arguments: object) -> None:
            """Nothing."""

    return Handler


@contextmanager
def serving(content: bytes = CONTENT) -> Iterator[FileServer]:
    """Serve it under any path; ``address`` is that of a ``vectors.txt.gz``."""
    found = FileServer(content)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(found))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found.address = f"http://127.0.0.1:{server.server_port}/some/vectors.txt.gz?version=2"
    yield found
    server.shutdown()
    server.server_close()
