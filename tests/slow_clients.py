"""Clients on slow lines, hostile and honest, each with a socket and a loopback address of its own."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Self

import httpx

EVERY_SECONDS = 0.5


def connected(port: int, address: str) -> socket.socket:
    """A connection from one of this machine's loopback addresses."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.settimeout(60)
    sock.bind((address, 0))
    sock.connect(("127.0.0.1", port))
    return sock


class SlowClients:
    """Connections that begin a request and then send a byte now and then. One that is cut off reconnects at once.

    Parameters
    ----------
    opening : first bytes of each, by its number.
    address : source of each, by its number.
    reading : they send a whole request and never read the answer.
    """

    def __init__(
        self,
        port: int,
        opening: Callable[[int], bytes],
        *,
        count: int = 64,
        address: Callable[[int], str] = lambda _: "127.0.0.66",
        reading: bool = False,
    ) -> None:
        self.port, self.opening, self.address, self.reading = port, opening, address, reading
        self.count, self.cut_off = count, 0
        self._sockets: dict[int, socket.socket] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        for nth in range(self.count):
            self._open(nth)
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._over.set()
        self._thread.join()
        for sock in self._sockets.values():
            sock.close()

    def _open(self, nth: int) -> None:
        with contextlib.suppress(OSError):
            sock = connected(self.port, self.address(nth))
            sock.setblocking(False)
            self._sockets[nth] = sock
            sock.send(self.opening(nth))

    def _run(self) -> None:
        while not self._over.wait(EVERY_SECONDS):
            for nth in range(self.count):
                if nth not in self._sockets or self._is_closed(self._sockets[nth]):
                    self.cut_off += 1
                    self._sockets.pop(nth, socket.socket()).close()
                    self._open(nth)

    def _is_closed(self, sock: socket.socket) -> bool:
        try:
            if self.reading:
                return bool(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
            sock.send(b"a")
            return not sock.recv(4096)
        except BlockingIOError:
            return False
        except OSError:
            return True


def slowly(content: bytes, bytes_per_second: int) -> Iterator[bytes]:
    """The content at the speed of a slow line."""
    step = bytes_per_second // 5
    began = time.monotonic()
    for start in range(0, len(content), step):
        yield content[start : start + step]
        time.sleep(max(0.0, began + (start + step) / bytes_per_second - time.monotonic()))


class HonestUploader(threading.Thread):
    """Sends a file in one piece, and the rest again when the site is busy. ``status`` is that of the last answer."""

    def __init__(self, url: str, address: str, content: bytes, bytes_per_second: int, **headers: str) -> None:
        super().__init__()
        self.http = httpx.Client(
            base_url=f"{url}/api/v1", transport=httpx.HTTPTransport(local_address=address), timeout=60, headers=headers
        )
        self.content, self.rate = content, bytes_per_second
        self.status = 0

    def run(self) -> None:
        announced = {"name": "honest", "files": [{"name": "honest.txt.gz", "bytes": len(self.content)}]}
        begun = self.http.post("/uploads", json=announced).json()
        upload, headers = f"/uploads/{begun['id']}", {"Authorization": f"Bearer {begun['token']}"}
        offset = 0
        while offset < len(self.content):
            rest = self.content[offset:]
            length = {"Content-Length": str(len(rest)), "Content-Type": "application/octet-stream"}
            with contextlib.suppress(httpx.HTTPError):
                self.http.put(
                    upload, params={"offset": offset}, content=slowly(rest, self.rate), headers=headers | length
                )
            offset = int(self.http.head(upload, headers=headers).headers["Upload-Offset"])
        self.status = self.http.post(f"{upload}/finish", headers=headers).status_code


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
