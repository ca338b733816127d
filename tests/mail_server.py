"""Mail servers on this machine: one that accepts or refuses mail, and one that never answers."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class MailServer(socketserver.ThreadingTCPServer):
    """The part of SMTP that a client needs to deliver messages."""

    allow_reuse_address = daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.answer_to_recipients = "250 OK"
        self.received: list[tuple[str, str]] = []
        """The recipient line and the text of each message."""

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Session(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        recipient = ""
        self._say("220 mail.test")
        while line := self.rfile.readline().decode().strip():
            match line[:4].upper():
                case "RCPT":
                    recipient = line
                    self._say(self.server.answer_to_recipients)
                case "DATA":
                    self._say("354 go on")
                    text = b"".join(iter(self.rfile.readline, b".\r\n"))
                    self.server.received.append((recipient, text.decode()))
                    self._say("250 OK")
                case "QUIT":
                    self._say("221 bye")
                    return
                case _:
                    self._say("250 OK")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """A running mail server."""
    with MailServer() as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


@contextmanager
def silent_server() -> Iterator[socket.socket]:
    """A port that accepts connections and never answers. ``accept`` does not wait."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening
