"""A visitor's connection: what arrived of the next request, and what is still to be sent of the last answer."""

from __future__ import annotations

import errno
import os
import select
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import IO, Any, NamedTuple

from django.conf import settings
from gunicorn.workers.gthread import TConn

from benchmark.web.head import Head

BLOCK_BYTES = 64 * 1024
FILE_BLOCK_BYTES = 512 * 1024
UNSENT_BYTES = 4_000_000
"""An answer that a thread of uploads makes while it is sent waits for the visitor when so much of it is in memory."""


class Patience:
    """The seconds that a visitor may still keep the site waiting.

    At first, and at most, VECBOARD_STALL_SECONDS. Waiting uses them up, and every VECBOARD_MIN_BYTES_PER_SECOND bytes
    give one back. A visitor who keeps up that rate is never cut off; one who pauses is, and so is one who
    sends a byte now and then. What the site itself takes does not count.
    """

    def __init__(self) -> None:
        self.seconds = float(settings.VECBOARD_STALL_SECONDS)

    def waited(self, seconds: float, moved: int) -> None:
        left = self.seconds - seconds + moved / settings.VECBOARD_MIN_BYTES_PER_SECOND
        self.seconds = max(0.0, min(float(settings.VECBOARD_STALL_SECONDS), left))


class FilePart(NamedTuple):
    """A part of an open file that is to be sent."""

    file: int
    offset: int
    size: int


class VisitorSocket(socket.socket):
    """The socket that gunicorn's threads see. They wait for a visitor only where ``may_wait`` says so.

    Reading gives what the loop has read; then it waits, if it may. Sending takes everything at once; what the visitor
    does not take now is sent by the loop, from memory, or of a file from the disk.
    """

    def __init__(self, accepted: socket.socket) -> None:
        super().__init__(fileno=accepted.detach())
        super().setblocking(False)
        self.received = bytearray()
        self.unsent: deque[memoryview | FilePart] = deque()
        self.unsent_bytes = 0
        self.patience = Patience()
        self.may_wait = False

    def setblocking(self, flag: bool, /) -> None:
        """It never blocks; gunicorn asks for it before a thread reads."""

    def settimeout(self, value: float | None, /) -> None:
        """Patience decides."""

    def read_ahead(self) -> bool:
        """Read what has arrived; False at the end. Of the loop."""
        block = super().recv(BLOCK_BYTES)
        self.received += block
        return bool(block)

    def recv(self, bufsize: int, flags: int = 0, /) -> bytes:
        if self.received:
            block = bytes(self.received[:bufsize])
            del self.received[:bufsize]
            return block
        began = self._wait(select.POLLIN)
        block = super().recv(bufsize, flags)
        self.patience.waited(time.monotonic() - began, len(block))
        return block

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        while self.may_wait and self.unsent_bytes > UNSENT_BYTES:
            began, before = self._wait(select.POLLOUT), self.unsent_bytes
            self.push()
            self.patience.waited(time.monotonic() - began, before - self.unsent_bytes)
        self.unsent.append(memoryview(data))
        self.unsent_bytes += len(data)
        self.push()

    def sendfile(self, file: IO[bytes], offset: int = 0, count: int | None = None) -> int:  # type: ignore[override]
        """The loop sends it, from a descriptor of its own: the view's file is closed by then."""
        size = os.fstat(file.fileno()).st_size - offset if count is None else count
        self.unsent.append(FilePart(os.dup(file.fileno()), offset, size))
        self.push()
        return size

    def push(self, most: int = sys.maxsize) -> int:
        """Send what the visitor takes at once, about ``most`` bytes; how many that were."""
        sent = 0
        try:
            while self.unsent and sent < most:
                sent += self._push_one()
        except BlockingIOError:
            pass
        return sent

    def _push_one(self) -> int:
        part = self.unsent[0]
        if isinstance(part, FilePart):
            sent = os.sendfile(self.fileno(), part.file, part.offset, min(part.size, FILE_BLOCK_BYTES))
            rest = FilePart(part.file, part.offset + sent, part.size - sent)
            if rest.size and sent:
                self.unsent[0] = rest
            else:  # all of it, or the file became shorter
                os.close(part.file)
                self.unsent.popleft()
            return sent
        sent = super().send(part)
        self.unsent_bytes -= sent
        if sent < len(part):
            self.unsent[0] = part[sent:]
        else:
            self.unsent.popleft()
        return sent

    def _wait(self, event: int) -> float:
        """Wait until the visitor sends or takes something; when it began.

        Raises
        ------
        ConnectionResetError
            it took too long, or this thread is not one that waits.
        """
        began = time.monotonic()
        poll = select.poll()
        poll.register(self, event)
        if not poll.poll(self.patience.seconds * 1000 if self.may_wait else 0):
            raise ConnectionResetError(errno.ECONNRESET, "The visitor is too slow.")
        return began

    def close(self) -> None:
        for part in self.unsent:
            if isinstance(part, FilePart):
                os.close(part.file)
        self.unsent.clear()
        super().close()


class Connection(TConn):  # type: ignore[misc]
    """What the loop knows of a connection.

    Attributes
    ----------
    visitor : whose bound it counts in; empty while it belongs to a proxy.
    head : of the request that is arriving or being answered.
    deadline : when the loop stops waiting for the visitor.
    discarded : bytes that came after the last answer.
    """

    def __init__(
        self, cfg: object, sock: VisitorSocket, client: object, server: object, closed: Callable[..., None]
    ) -> None:
        super().__init__(cfg, sock, client, server)
        self.sock: VisitorSocket
        self.peer = str(client[0]) if isinstance(client, tuple) else ""
        self.visitor = ""
        self.head: Head | None = None
        self.began = self.deadline = 0.0
        self.discarded = 0
        self.answer: Future[object] | None = None
        self.data_ready = True  # a thread gets it when the request is here
        self._closed = closed

    def next_request(self) -> None:
        """Forget the last request; what was read beyond it belongs to the next one."""
        self.head = self.answer = None
        if self.parser is not None:
            self.sock.received[:0] = self.parser.unreader.take_buffered()
        self.sock.may_wait = False
        self.sock.patience = Patience()

    def close(self, graceful: bool = False) -> None:
        """At once: the loop has waited already for the visitor to close first."""
        super().close()
        self._closed(self)
