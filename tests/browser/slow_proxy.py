"""A slow line: passes requests on to a site, and its pages come back a piece at a time."""

from __future__ import annotations

import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

PIECES = 12
PAUSE_SECONDS = 0.1
"""Between two pieces: longer than a browser waits before it paints what it has."""


class SlowProxy:
    """Forward GET requests to a site; style sheets and scripts come whole, so that every piece of a page is painted."""

    def __init__(self, site: str) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                with urllib.request.urlopen(site + self.path) as answer:
                    body, kind = answer.read(), answer.headers["Content-Type"]
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                size = -(-len(body) // PIECES) if kind.startswith("text/html") else len(body)
                for start in range(0, len(body), size):
                    time.sleep(PAUSE_SECONDS if start else 0)
                    self.wfile.write(body[start : start + size])

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
