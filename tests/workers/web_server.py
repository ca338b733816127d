"""A web server with TLS whose every answer is written by hand: what a test wants, or what an enemy would send."""

from __future__ import annotations

import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

Answer = Callable[[BaseHTTPRequestHandler], None]
TAG = '"one"'


def certificate(folder: Path, name: str = "localhost") -> Path:
    """A certificate for a name, with its key; it is its own authority."""
    path = folder / f"{name}.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    subprocess.run([*command, "-keyout", path, "-out", f"{path}.crt"], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + Path(f"{path}.crt").read_bytes())
    return path


@dataclass
class WebServer:
    """What each path answers with, what was asked, and how many connections came."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    connections: int = 0
    greetings: int = 0
    port: int = 0

    def url(self, path: str) -> str:
        return f"https://localhost:{self.port}{path}"

    def ranges(self) -> list[str]:
        return [wanted for _, wanted in self.asked]


@contextmanager
def web_server(key: Path) -> Iterator[WebServer]:
    """A server on loopback that shows this certificate."""
    told = WebServer()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(key)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            told.connections += 1
            self.request = context.wrap_socket(self.request, server_side=True)
            told.greetings += 1
            super().setup()

        def do_GET(self) -> None:
            told.asked.append((self.path, self.headers.get("Range", "")))
            self.close_connection = True
            with suppress(OSError):  # the other side has hung up
                told.answers[self.path.partition("?")[0]](self)

        def log_message(self, *arguments: object) -> None:
            """Nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *arguments: object) -> None:
            """A greeting that the other side broke off."""

    server = Server(("127.0.0.1", 0), Handler)
    told.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()


def head(handler: BaseHTTPRequestHandler, status: int = 200, **headers: str | int) -> None:
    """Status line and headers; an underscore in a name is a hyphen."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), str(value))
    handler.end_headers()


def file(content: bytes, *, tag: str = TAG, cuts: list[int] | None = None, length: int | None = None) -> Answer:
    """A file, and the rest of it for who asks with its tag.

    Parameters
    ----------
    cuts : after so many bytes of its body each of the first answers breaks off.
    length : what ``Content-Length`` says instead of the truth.
    """

    def answer(handler: BaseHTTPRequestHandler) -> None:
        wanted = handler.headers.get("Range", "")
        is_same = bool(tag) and handler.headers.get("If-Range") == tag
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and is_same else 0
        rest = content[start:]
        told: dict[str, str | int] = {"Content_Length": len(rest) if length is None else length}
        if start:
            told["Content_Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        head(handler, 206 if start else 200, **told, **({"ETag": tag} if tag else {}))
        handler.wfile.write(rest[: cuts.pop(0)] if cuts else rest)

    return answer


def unsized(content: bytes, *, cut: bool = False) -> Answer:
    """A file whose size is not said: it ends with the connection, by TLS's own farewell unless it is cut off."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        head(handler)
        handler.wfile.write(content)
        if not cut and isinstance(handler.request, ssl.SSLSocket):
            handler.request.unwrap()

    return answer


def redirect(location: str, status: int = 302) -> Answer:
    return lambda handler: head(handler, status, Location=location, Content_Length=0)


def status(code: int) -> Answer:
    return lambda handler: head(handler, code, Content_Length=0)


def raw(*blocks: bytes, again: bytes = b"", pause: Callable[[], object] = lambda: None) -> Answer:
    """Bytes as they are; then others again and again until the other side hangs up, each after a pause."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        for block in blocks:
            handler.wfile.write(block)
        while again:
            handler.wfile.write(again)
            pause()

    return answer
