"""The web server: waitress, in several processes that share one socket.

waitress hands a request to a thread once it has arrived whole, and sends by itself the part of an answer that a visitor
is slow to take: a slow visitor costs a connection, never a thread. Added here:

- Limits per address: connections, large bodies arriving at once, and uploads being stored at once.
- Deadlines for visitors who send or read too slowly.
- Threads of their own for uploads and for ``/healthz``, which therefore answers when all other threads are busy.
- A parent process that restarts a process that ends, and stops them all without cutting off an answer.

TLS belongs to the proxy in front.
"""

from __future__ import annotations

import json
import logging
import os
import re
import resource
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from django.conf import settings
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.receiver import ChunkedReceiver, FixedStreamReceiver
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher
from waitress.utilities import BadRequest, Error, RequestEntityTooLarge, RequestHeaderFieldsTooLarge

from benchmark import storage
from benchmark.operations.counting import is_proxy, network_of, share_of, visitor_address
from benchmark.operations.monitoring import HEALTH
from benchmark.operations.space import has_room
from benchmark.submissions.arriving import too_large
from tasks.files import FULL_DISK

PAGE_THREADS, UPLOAD_THREADS = 8, 8
UPLOADS_PER_ADDRESS = share_of(UPLOAD_THREADS)
CONNECTIONS = 900
"""Per process; even where it may open only 1,024 files, some are left for bodies on disk and the database."""
OPEN_FILES = 8192
HEADER_BYTES = 64 * 1024
"""Browsers keep at most 180 cookies per site, of about a hundred bytes here."""
SMALL_BODY_BYTES = 64 * 1024
"""A request with a longer body is an upload, and is kept on disk until it is complete."""
LARGE_BODY_BYTES = 64_000_000
LARGE_BODIES_PER_ADDRESS = 2
CHUNK_LINE_BYTES, TRAILER_BYTES = 1024, 64 * 1024
STOP_SECONDS = 30.0
RESTART_SECONDS = 1.0
SIGNALS = (signal.SIGTERM, signal.SIGINT)
_LONG = re.compile(r"/s/[^/]+/(vectors|upload/finish)|/api/v1/uploads/[^/]+/finish")
"""Downloads that may come from a bucket, and the end of an upload, which reads the whole file again."""
REFUSAL = (
    "HTTP/1.1 {status}\r\nConnection: close\r\nRetry-After: 5\r\nContent-Type: {kind}; charset=utf-8\r\n"
    "Content-Length: {length}\r\n\r\n{text}"
)
BODILESS = ("204", "304")
log = logging.getLogger("vecboard.web")
Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Chunks(ChunkedReceiver):  # type: ignore[misc]
    """A chunked body. waitress keeps the line before a chunk and the trailer without a bound, and copies what it has of
    them for each block that arrives; here, both are bounded.
    """

    error: Error | None

    def received(self, data: bytes) -> int:
        """Take blocks that are too short for a line or trailer beyond the bounds to end in them."""
        consumed = 0
        while consumed < len(data) and not self.completed and self.error is None:
            line, trailer = CHUNK_LINE_BYTES - len(self.control_line), TRAILER_BYTES - len(self.trailer)
            block = data[consumed : consumed + min(self.chunk_remainder + line, trailer)]
            consumed += super().received(block)
            if len(self.control_line) >= CHUNK_LINE_BYTES or len(self.trailer) >= TRAILER_BYTES:
                self.error = BadRequest("The line before a chunk or the trailer of the body is too long")
        return consumed if self.error is None else len(data)


class Request(HTTPRequestParser):  # type: ignore[misc]
    """A request. waitress ignores a length beside chunks, and chunks in HTTP/1.0; a proxy may decide otherwise, and so
    find the next request elsewhere.
    """

    body_rcv: Chunks | FixedStreamReceiver | None

    def received(self, data: bytes) -> int:
        consumed = int(super().received(data))
        if self.error is not None:
            self.expect_continue = False  # waitress would ask for the body
        return consumed

    def parse_header(self, header_plus: bytes) -> None:
        """
        Raises
        ------
        ParsingError
            the end of the body is ambiguous.
        """
        super().parse_header(header_plus)
        if "TRANSFER_ENCODING" in self.headers:  # waitress has removed it from HTTP/1.1
            raise ParsingError("Only HTTP/1.1 has a Transfer-Encoding")
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Send Content-Length or Transfer-Encoding, not both")
        if self.chunked and self.body_rcv is not None:
            self.body_rcv = Chunks(self.body_rcv.getbuf())


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection.

    Attributes
    ----------
    visitor : address that its limits count for; empty while a proxy's request has not named one.
    arriving_since : start of the request that is arriving.
    unread_since : start of the answer that the client has not yet taken whole.
    is_served : a thread is at work on a request.
    is_refused : everything that still arrives is discarded, so that the client receives the answer.
    upload_of : address whose share of the upload threads the running request takes; empty for pages.
    """

    server: Server
    request: Request | None
    parser_class = Request

    def __init__(self, server: Server, sock: socket.socket, addr: Any, adj: Any, map: Any = None) -> None:
        super().__init__(server, sock, addr, adj, map)
        self.peer = str(addr[0])
        self.visitor = "" if is_proxy(self.peer) else network_of(self.peer)
        self.arriving_since = time.time()
        self.unread_since = self.arriving_since
        self.is_served = self.is_refused = False
        self.upload_of = ""
        if self.visitor:
            server.limit_connections(self)

    def received(self, data: bytes) -> bool:
        """Take bytes of a request, and apply the limits as soon as its head is complete."""
        if self.is_refused:
            return True
        had_head = self.request is not None and self.request.headers_finished
        try:
            consumed = bool(super().received(data))
        except OSError as error:
            if error.errno not in FULL_DISK:
                raise
            self.refuse("507 Insufficient Storage", "This site currently has no room for more files.", "no-space")
            return True
        if not had_head and self.request is not None and self.request.headers_finished:
            self.server.examine(self, self.request)
        if self.request is not None and self.request.chunked and self.request.body_bytes_received > LARGE_BODY_BYTES:
            self.refuse("411 Length Required", "Send a body of this size with its Content-Length.")
        return consumed

    def service(self) -> None:
        upload_of, self.upload_of = self.upload_of, ""
        self.is_served = True
        try:
            super().service()
        finally:
            self.is_served = False
            self.arriving_since = time.time()
            if is_proxy(self.peer):
                self.visitor = ""
            self.server.finished(upload_of)

    def refuse(self, status: str, sentence: str, code: str = "bad-request") -> None:
        """Answer without a thread, then discard what still arrives until the client closes."""
        kind, text = "text/plain", sentence
        request = self.request or next(iter(self.requests), None)
        if str(getattr(request, "path", "")).startswith("/api/"):
            kind, text = "application/json", json.dumps({"error": {"code": code, "message": sentence}})
        self.is_refused, self.arriving_since = True, time.time()
        self.requests: list[Request] = []
        if self.request is not None:
            with suppress(OSError):  # on a full disk, the rest of its buffer cannot be written
                self.request.close()
            self.request = None
        answer = REFUSAL.format(status=status, kind=kind, length=len(text), text=text)
        try:
            self.socket.send(answer.encode())
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.will_close = True

    @property
    def is_idle(self) -> bool:
        """Whether nothing of a request or an answer is under way."""
        return self.request is None and not self.requests and not self.total_outbufs_len


class Server(TcpWSGIServer):  # type: ignore[misc]
    """One process's part of the web server, on a socket that all processes share."""

    channel_class = Channel

    def __init__(self, application: Application, sock: socket.socket) -> None:
        self._lock = threading.Lock()
        self._ending: set[Channel] = set()
        self._uploading: Counter[str] = Counter()
        self._in_line: dict[str, deque[Channel]] = {}
        self._uploads, self._health = threads(UPLOAD_THREADS), threads(1)
        adjustments = Adjustments(
            sockets=[sock],
            connection_limit=CONNECTIONS,
            channel_timeout=settings.VECBOARD_STALL_SECONDS,
            cleanup_interval=1,
            max_request_header_size=HEADER_BYTES,
            max_request_body_size=settings.VECBOARD_MAX_UPLOAD_BYTES + 1_000_000,  # the form's other fields
            inbuf_overflow=SMALL_BODY_BYTES,
            asyncore_use_poll=True,
            clear_untrusted_proxy_headers=False,  # benchmark/operations/counting.py decides whom to trust
            ident=None,
        )
        sockinfo = (sock.family, sock.type, sock.proto, sock.getsockname())
        super().__init__(
            completed(application),
            {},
            True,
            sock,
            dispatcher=threads(PAGE_THREADS),
            adj=adjustments,
            bind_socket=False,
            sockinfo=sockinfo,
        )

    def run_until(self, stops: threading.Event) -> None:
        """Serve until the event is set or the parent ends; then answer begun requests, for STOP_SECONDS at most."""
        parent = os.getppid()
        while not stops.is_set() and os.getppid() == parent:
            self.poll(1)
        self.accepting = False
        self.del_channel(self._map)
        end = time.monotonic() + STOP_SECONDS
        while time.monotonic() < end and any(not channel.is_idle for channel in self.active_channels.values()):
            self.poll(0.1)

    def poll(self, seconds: float) -> None:
        """One round of events, then the closing of connections.

        A new connection may get the descriptor of one that is closed during a round, and then its events.
        """
        wasyncore.loop(timeout=seconds, map=self._map, use_poll=True, count=1)
        while self._ending:
            self._ending.pop().handle_close()

    # Limits

    def limit_connections(self, new: Channel) -> None:
        """If an address has too many connections, close its oldest waiting one, or else refuse the new one."""
        most = settings.VECBOARD_CONNECTIONS_PER_ADDRESS
        staying = set(self.active_channels.values()) - self._ending
        same = [channel for channel in staying if channel.visitor == new.visitor]
        if not most or len(same) <= most:
            return
        waiting = [channel for channel in same if channel is not new and not channel.requests]
        oldest = min(waiting, key=lambda channel: (not channel.is_idle, channel.last_activity), default=None)
        if oldest is not None:
            self._ending.add(oldest)
        else:
            new.refuse("503 Service Unavailable", "Too many connections from your address; try again soon.")

    def examine(self, channel: Channel, request: Request) -> None:
        """Apply the limits that need the head of a request."""
        if is_proxy(channel.peer):
            channel.visitor = visitor_of(channel, request)
            self.limit_connections(channel)
        if request.content_length <= LARGE_BODY_BYTES or channel.is_refused:
            return
        if not has_room(2 * request.content_length):  # here until it has arrived, then in the storage
            sentence = "This site currently has no room for a file of this size."
            channel.refuse("507 Insufficient Storage", sentence, "no-space")
            return
        arriving = sum(
            other.visitor == channel.visitor and other.request is not None
            and other.request.content_length > LARGE_BODY_BYTES
            for other in self.active_channels.values()
        )  # fmt: skip
        if arriving > LARGE_BODIES_PER_ADDRESS:
            channel.refuse("503 Service Unavailable", "Other large files from your address are still arriving.")

    def maintenance(self, now: float) -> None:
        """Close idle connections, and those of visitors who are too slow; called every second."""
        stall, rate = settings.VECBOARD_STALL_SECONDS, settings.VECBOARD_MIN_BYTES_PER_SECOND
        for channel in list(self.active_channels.values()):
            if not channel.is_refused and (channel.request is None or channel.requests):
                channel.arriving_since = now
            body_bytes = 0 if channel.is_refused or channel.request is None else channel.request.body_bytes_received
            is_sending_slowly = now > channel.arriving_since + stall + body_bytes / rate
            if not channel.total_outbufs_len:
                channel.unread_since = now
            is_reading_slowly = now > max(channel.unread_since, channel.last_activity) + stall
            is_silent = not channel.requests and not channel.is_served and now > channel.last_activity + stall
            if is_sending_slowly or is_reading_slowly or is_silent:
                self._ending.add(channel)  # will_close would wait for a client that reads

    # Threads

    def add_task(self, channel: Channel) -> None:
        """Give a complete request to the threads of its kind. An address has half of those for uploads at most."""
        request = channel.requests[0]
        if channel.is_refused:  # the rest of a refused body, read as a request
            channel.requests = []
            return
        if request.error is not None:
            if channel.is_served or channel.total_outbufs_len:  # the answer to an earlier request goes first
                self.task_dispatcher.add_task(channel)
            else:
                channel.refuse(f"{request.error.code} {request.error.reason}", *reason_of(request.error))
            return
        path = request.path
        if path == HEALTH:
            self._health.add_task(channel)
        elif request.content_length > SMALL_BODY_BYTES or _LONG.fullmatch(path):
            self._upload(channel, visitor_of(channel, request))
        else:
            self.task_dispatcher.add_task(channel)

    def _upload(self, channel: Channel, visitor: str) -> None:
        with self._lock:
            channel.upload_of = visitor
            if self._uploading[visitor] >= UPLOADS_PER_ADDRESS:
                self._in_line.setdefault(visitor, deque()).append(channel)
                return
            self._uploading[visitor] += 1
        self._uploads.add_task(channel)

    def finished(self, upload_of: str) -> None:
        """Let the next upload of the same address begin."""
        if not upload_of:
            return
        with self._lock:
            line = self._in_line.get(upload_of)
            following = line.popleft() if line else None
            if not line:
                self._in_line.pop(upload_of, None)
            if following is None:
                self._uploading[upload_of] -= 1
                if not self._uploading[upload_of]:
                    del self._uploading[upload_of]
        if following is not None:
            self._uploads.add_task(following)


def reason_of(error: Error) -> tuple[str, str]:
    """Sentence and code for a request that waitress refuses."""
    if error.code == RequestEntityTooLarge.code:
        refusal = too_large()
        return refusal.message, refusal.code
    if error.code == RequestHeaderFieldsTooLarge.code:
        return "The head of the request is too long. Delete this site's cookies, or send fewer headers.", "too-large"
    return f"The request cannot be read: {error.body}.", "bad-request"


def threads(count: int) -> ThreadedTaskDispatcher:
    dispatcher = ThreadedTaskDispatcher()
    dispatcher.set_thread_count(count)
    return dispatcher


def visitor_of(channel: Channel, request: Request) -> str:
    """The address that a request's limits count for."""
    return network_of(visitor_address(channel.peer, request.headers.get("X_FORWARDED_FOR", "")))


def completed(application: Application) -> Application:
    """Add a missing length, without which waitress ends the connection, and omit the body of an answer to HEAD."""

    def wrapped(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        started: list[tuple[str, list[tuple[str, str]]]] = []
        answer = application(environ, lambda status, headers, *_: started.append((status, headers)))
        ((status, headers),) = started
        content = getattr(answer, "content", None)
        if content is not None and not status.startswith(BODILESS) and "content-length" not in names(headers):
            headers.append(("Content-Length", str(len(content))))
        start_response(status, headers)
        if environ["REQUEST_METHOD"] != "HEAD":
            return answer
        close = getattr(answer, "close", None)
        if close is not None:
            close()
        return []

    return wrapped


def names(headers: list[tuple[str, str]]) -> set[str]:
    return {name.lower() for name, _ in headers}


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens at an address.

    Raises
    ------
    OSError
        the address cannot be used.
    """
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((host, port))
    sock.listen(1024)
    sock.setblocking(False)
    return sock


def serve(application: Application, sock: socket.socket, processes: int) -> int:
    """Run the processes until SIGTERM or SIGINT; an exit status."""
    stops = threading.Event()
    running: dict[int, float] = {}

    def stop(number: int, _: object) -> None:
        stops.set()
        for child in list(running):
            os.kill(child, signal.SIGTERM)

    for number in SIGNALS:
        signal.signal(number, stop)
    while True:
        while not stops.is_set() and len(running) < processes:
            signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until the child has its own handlers and is known here
            child = os.fork()
            if child == 0:
                _serve_here(application, sock)
            running[child] = time.monotonic()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        if not running:
            return 0
        ended, status = os.wait()
        began = running.pop(ended)
        if not stops.is_set():
            code = os.waitstatus_to_exitcode(status)
            log.error("Web process %d ended with status %d; starting another.", ended, code)
            time.sleep(max(0.0, began + RESTART_SECONDS - time.monotonic()))


def _serve_here(application: Application, sock: socket.socket) -> None:
    """Serve in this process; never returns."""
    stops = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stops.set())
    signal.signal(signal.SIGINT, lambda *_: None)  # of a terminal's Ctrl-C; the parent sends SIGTERM
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = OPEN_FILES if most == resource.RLIM_INFINITY else min(most, OPEN_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    tempfile.tempdir = str(storage.incoming())  # large bodies: on the disk that uploads are stored on, never in memory
    try:
        Server(application, sock).run_until(stops)
    except BaseException:
        log.exception("The web process failed.")
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)
