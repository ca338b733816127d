"""A web server with TLS and handwritten answers, also hostile ones."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.web_files import Answer, head


def certificate(folder: Path, *names: str) -> Path:
    """A self-signed certificate for these names, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
    builder = x509.CertificateBuilder(named, named, key.public_key(), x509.random_serial_number())
    now = datetime.now(UTC)
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    for extension in (
        x509.SubjectAlternativeName([x509.DNSName(name) for name in names]),
        x509.BasicConstraints(ca=True, path_length=None),
        x509.SubjectKeyIdentifier.from_public_key(key.public_key()),
    ):
        builder = builder.add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
    signed = builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)
    path = folder / f"{names[0]}.pem"
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + signed)
    Path(f"{path}.crt").write_bytes(signed)
    return path


@dataclass
class WebServer:
    """Answers by path, received requests, and the number of connections."""

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
    """A server on loopback with this certificate."""
    state = WebServer()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(key)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            state.connections += 1
            self.request = context.wrap_socket(self.request, server_side=True)
            state.greetings += 1
            super().setup()

        def do_GET(self) -> None:
            state.asked.append((self.path, self.headers.get("Range", "")))
            self.close_connection = True
            with suppress(OSError):  # the client has disconnected
                state.answers[self.path.partition("?")[0]](self)

        def log_message(self, *arguments: object) -> None:
            """Nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *arguments: object) -> None:
            """Ignore a handshake that the client aborted."""

    server = Server(("127.0.0.1", 0), Handler)
    state.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def unsized(content: bytes, *, cut: bool = False) -> Answer:
    """A file of undeclared size: it ends with the connection, by a TLS close unless it is cut off."""

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
    """Send bytes as they are, then others repeatedly until the client disconnects, each after a pause."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        for block in blocks:
            handler.wfile.write(block)
        while again:
            handler.wfile.write(again)
            pause()

    return answer
