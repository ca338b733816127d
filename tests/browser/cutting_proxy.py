"""A network that breaks: passes connections on to a site, and cuts them when the test says so."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

ABRUPTLY = struct.pack("ii", 1, 0)
"""SO_LINGER that makes closing a reset, as when a cable is pulled."""


class CuttingProxy:
    """Forward to a port of this machine.

    Parameters
    ----------
    cut_after : bytes from the browser after which every connection is reset, once; the network works again then.
    """

    def __init__(self, port: int, cut_after: int) -> None:
        self.target, self.left = port, cut_after
        self.cuts = 0
        self.down = False
        self.stays_down = False
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Reset everything that is open."""
        for connection in self._open:
            with suppress(OSError):
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABRUPTLY)
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        self._open.clear()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                browser, _ = self._listener.accept()
                if self.down:
                    browser.close()
                    continue
                site = socket.create_connection(("127.0.0.1", self.target))
                self._open += [browser, site]
                threading.Thread(target=self._pass_on, args=(browser, site, True), daemon=True).start()
                threading.Thread(target=self._pass_on, args=(site, browser, False), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, counted: bool) -> None:
        with suppress(OSError):
            while block := source.recv(65536):
                target.sendall(block)
                if counted:
                    self._count(len(block))
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def _count(self, arrived: int) -> None:
        if self.cuts:
            return
        self.left -= arrived
        if self.left <= 0:
            self.cuts += 1
            self.down = self.stays_down
            self.cut()
