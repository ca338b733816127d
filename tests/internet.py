"""The internet for tests: a proxy on loopback that serves the bytes of the declared public addresses, and their faults.

A program under test reaches it through ``HTTPS_PROXY`` and trusts it through ``SSL_CERT_FILE``, so that it runs exactly
as it would elsewhere. The content of each address is listed in ``../shared/internet/INDEX.json``.
"""

from __future__ import annotations

import gzip
import json
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.web_files import Answer, file, head
from tests.workers.web_server import certificate

SHARED = Path(__file__).resolve().parents[2] / "shared"
Fault = Callable[[bytes], Answer]
"""A host's faulty answer, given the file."""


def refuse(status: int, **headers: str | int) -> Fault:
    """Every request is answered with a status."""
    return lambda _: lambda handler: head(handler, status, Content_Length=0, **headers)


def cut(content: bytes) -> Answer:
    """Every transfer breaks off in the middle of the file, and can be resumed there."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        is_rest = "Range" in handler.headers
        file(content, tag=f'"{len(content)}"', cuts=None if is_rest else [len(content) // 2])(handler)
        handler.close_connection = True

    return answer


def spoil(content: bytes) -> Answer:
    """Every file has different content of the same size."""
    return file(bytes(len(content)))


def keep_silent(_: bytes) -> Answer:
    """Connections are accepted, and nothing is ever sent."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.connection.settimeout(600)
        with suppress(OSError):
            handler.connection.recv(1)
        handler.close_connection = True

    return answer


@dataclass
class Internet:
    """Served content, faults of each host, and requests received.

    Parameters
    ----------
    contents : gives the bytes of an address; KeyError for one that nobody declared.
    faults : by the beginning of the address, without ``https://``: a host, or a part of one.
    environment : for the program under test.
    seconds_a_file : each answer takes at least this long.
    """

    contents: Callable[[str], bytes]
    environment: Mapping[str, str]
    faults: dict[str, Fault] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    seconds_a_file: float = 0.0

    def answer_of(self, url: str) -> Fault:
        place = url.removeprefix("https://")
        return next((fault for start, fault in self.faults.items() if place.startswith(start)), file)

    def asked_of(self, host: str) -> int:
        """Requests to a host."""
        return sum(count for url, count in self.asked.items() if urlsplit(url).hostname == host)


@lru_cache(maxsize=1)
def index() -> dict[str, dict[str, str]]:
    """File and compression of every declared address; skips the test if it is missing."""
    path = SHARED / "internet" / "INDEX.json"
    if not path.is_file():
        pytest.skip("the bytes of the public addresses (../shared/internet) are not here")
    found: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def published(url: str) -> bytes:
    """The bytes that an address serves."""
    entry = index()[url]
    stored = (SHARED / entry["file"]).read_bytes()
    return gzip.decompress(stored) if entry["gzip"] else stored


def hosts() -> list[str]:
    return sorted({str(urlsplit(url).hostname) for url in index()})


@contextmanager
def internet(
    folder: Path, contents: Callable[[str], bytes] = published, names: list[str] | None = None
) -> Iterator[Internet]:
    """Serve these addresses until the end of the block."""
    key = certificate(folder, *(names or hosts()))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(key)

    class Site(BaseHTTPRequestHandler):
        """The server behind a connection: ``host`` is the requested one."""

        protocol_version = "HTTP/1.1"
        host = ""

        def do_GET(self) -> None:
            url = f"https://{self.host}{self.path}"
            state.asked[url] += 1
            time.sleep(state.seconds_a_file)
            try:
                content = state.contents(url)
            except KeyError:
                head(self, 404, Content_Length=0)
                return
            with suppress(OSError):  # the other side has disconnected
                state.answer_of(url)(content)(self)

        def log_message(self, *arguments: object) -> None:
            """Nothing."""

    class Proxy(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            self.send_response(200)
            self.end_headers()
            named = type("Named", (Site,), {"host": self.path.rpartition(":")[0]})
            with suppress(OSError):
                secure = context.wrap_socket(self.connection, server_side=True)
                named(secure, self.client_address, self.server)
            self.close_connection = True

        def log_message(self, *arguments: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    server.daemon_threads = True
    state = Internet(
        contents,
        {
            "HTTPS_PROXY": f"http://127.0.0.1:{server.server_port}",
            "SSL_CERT_FILE": f"{key}.crt",
            "NO_PROXY": "127.0.0.1,localhost",
        },
    )
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
