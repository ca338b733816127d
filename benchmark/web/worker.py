"""gunicorn's threaded worker, in which a thread of the pages never waits for a visitor.

In gthread a thread reads the request and sends the answer: sixteen visitors who send a byte now and then have them all.
Here the loop, which waits for all connections at once, reads a request until it is whole and hands it to a thread then;
what the visitor does not take of the answer at once is sent by the loop again. A slow visitor costs a descriptor and
the bytes that are on their way, for as long as VECBOARD_STALL_SECONDS and VECBOARD_MIN_BYTES_PER_SECOND allow.

Uploads are too large to wait for in memory, and what has arrived must be on the disk. Threads of their own read
them while they arrive, with the same patience; one address has half of these threads at most, the rest of its uploads
wait in line. ``/healthz`` has a thread of its own, so a site whose threads are all at work answers it.

An address holds VECBOARD_CONNECTIONS_PER_ADDRESS connections to a process. One more takes the place of one that is
only kept for a next request, or else of the one that has been arriving or in line for longest. So a neighbour behind
the same address gets in as well; in a flood of new connections perhaps only at the second try. Other addresses do not
notice.
Behind the site's own proxies the visitor's address counts, from the moment the head of a request names it.

An answer that comes before the whole body says that the connection closes. The loop never blocks: where gunicorn waits
two seconds for a visitor to close the connection first, it lingers, and reads what is still being sent.
"""

from __future__ import annotations

import errno
import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connections
from gunicorn.http.body import ChunkedReader, EOFReader, LengthReader
from gunicorn.workers.gthread import ThreadWorker

from benchmark.operations.counting import is_proxy, network_of, share_of, visitor_address
from benchmark.web.connection import Connection, VisitorSocket
from benchmark.web.head import HEALTH, MOST_BYTES, read_head
from benchmark.web.heaps import share_heaps

TRANSFER_THREADS = 24
TRANSFERS_PER_ADDRESS = share_of(TRANSFER_THREADS)
IN_LINE_SECONDS = 300.0
LINGER_SECONDS = 2.0
LINGER_BYTES = 64_000_000
"""Bytes of a refused body that are read and discarded: most programs read an answer only after sending everything."""
STEP_BYTES = 1_000_000
"""The loop sends so much to one visitor before it looks at the others."""
SWEEP_SECONDS = 0.5
SPARE_CONNECTIONS = 10
GONE = (errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED)
REFUSAL = (
    "HTTP/1.1 {status}\r\nConnection: close\r\nRetry-After: 5\r\nContent-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: {length}\r\n\r\n{sentence}"
)


Step = Callable[[Connection], None]


class Worker(ThreadWorker):  # type: ignore[misc]
    """See the module."""

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        super().check_config(cfg, log)
        if cfg.is_ssl:
            raise RuntimeError("TLS is the proxy's: take certfile and keyfile out of gunicorn's settings.")

    def init_process(self) -> None:
        share_heaps()
        self.transfers = ThreadPoolExecutor(TRANSFER_THREADS, "transfer")
        self.health = ThreadPoolExecutor(1, "health")
        self.waiting: dict[Connection, Step] = {}
        self.held: Counter[str] = Counter()
        self.transferring: Counter[str] = Counter()
        self.swept = 0.0
        super().init_process()

    # A connection comes

    def accept(self, listener: Any) -> None:
        try:
            accepted, client = listener.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self._give_up_oldest()
            elif error.errno not in GONE:
                raise
            return
        self.nr_conns += 1
        conn = Connection(self.cfg, VisitorSocket(accepted), client, listener.getsockname(), self._closed)
        if self.nr_conns > self.worker_connections - SPARE_CONNECTIONS:
            self._give_up_oldest()
        if is_proxy(conn.peer) or self._admit(conn, network_of(conn.peer)):
            self.enqueue_req(conn)

    def _admit(self, conn: Connection, visitor: str) -> bool:
        """Count a connection as this visitor's; refused if there are too many that are not just arriving."""
        most = settings.VECBOARD_CONNECTIONS_PER_ADDRESS
        if most and self.held[visitor] >= most and not self._give_up_oldest(visitor, conn):
            self._refuse(conn, "503 Service Unavailable", "Too many connections from your address; try again soon.")
            return False
        self._count(conn, visitor)
        return True

    def _count(self, conn: Connection, visitor: str) -> None:
        if conn.visitor:
            one_less(self.held, conn.visitor)
        conn.visitor = visitor
        if visitor:
            self.held[visitor] += 1

    def _closed(self, conn: Connection) -> None:
        self._count(conn, "")

    def _give_up_oldest(self, visitor: str = "", but: Connection | None = None) -> bool:
        """Close a connection, this visitor's or anybody's, for which no thread is at work: the one that has been idle,
        else lingering, else arriving, else in line for longest."""
        oldest = (
            next((conn for conn in self.keepalived_conns if visitor in ("", conn.visitor)), None)
            or self._first(self._lingering, visitor, but)
            or self._first(self._arriving, visitor, but)
            or self._first(self._in_line, visitor, but)
        )
        if oldest:
            self._drop(oldest)
        return oldest is not None

    def _first(self, step: Step, visitor: str = "", but: Connection | None = None) -> Connection | None:
        """Who has been waiting in this state for longest."""
        of_theirs = (conn for conn, now in self.waiting.items() if now == step and visitor in ("", conn.visitor))
        return next((conn for conn in of_theirs if conn is not but), None)

    # The loop waits

    def _wait(self, conn: Connection, event: int, step: Step, seconds: float) -> None:
        conn.began = time.monotonic()
        conn.deadline = conn.began + seconds
        self.waiting[conn] = step
        if event:
            self.poller.register(conn.sock, event, partial(self._happened, conn))

    def _happened(self, conn: Connection, _: object) -> None:
        step = self.waiting.get(conn)
        if step is None:  # it was given up for another one a moment ago
            return
        try:
            step(conn)
        except BlockingIOError:
            return
        except OSError:
            self._drop(conn)

    def _stop_waiting(self, conn: Connection) -> None:
        if conn in self.keepalived_conns:
            self.keepalived_conns.remove(conn)
            self.poller.unregister(conn.sock)
        elif self.waiting.pop(conn, None) not in (None, self._in_line):
            self.poller.unregister(conn.sock)

    def _drop(self, conn: Connection) -> None:
        self._stop_waiting(conn)
        self.nr_conns -= 1
        conn.close()

    def murder_pending(self) -> None:
        """Close connections that are too slow. gunicorn calls this in every round of the loop."""
        now = time.monotonic()
        if now < self.swept + SWEEP_SECONDS:
            return
        self.swept = now
        for conn, step in list(self.waiting.items()):
            stops = not self.alive and step == self._arriving and now > conn.began + LINGER_SECONDS
            if stops or now > conn.deadline:
                self._drop(conn)

    # A request arrives

    def on_client_socket_readable(self, conn: Connection, client: object) -> None:
        if conn in self.keepalived_conns:  # it was not given up for another one a moment ago
            super().on_client_socket_readable(conn, client)

    def enqueue_req(self, conn: Connection) -> None:
        """Wait for the next request of a connection; gunicorn's own would give it to a thread now."""
        conn.next_request()
        self._wait(conn, selectors.EVENT_READ, self._arriving, settings.VECBOARD_STALL_SECONDS)
        if conn.sock.received:  # sent together with the last one
            self._look(conn)

    def _arriving(self, conn: Connection) -> None:
        if conn.sock.read_ahead():
            self._look(conn)
        else:
            self._drop(conn)

    def _look(self, conn: Connection) -> None:
        """Give the request to a thread if it is here."""
        if conn.head is None:
            conn.head = read_head(conn.sock.received)
            if conn.head is None:
                if len(conn.sock.received) > MOST_BYTES:
                    self._refuse(conn, "431 Request Header Fields Too Large", "The head of the request is too long.")
                return
            if is_proxy(conn.peer):
                visitor = network_of(visitor_address(conn.peer, conn.head.forwarded))
                if visitor != network_of(conn.peer) and not self._admit(conn, visitor):
                    return
        if conn.head.end is not None and len(conn.sock.received) < conn.head.end:
            return
        if conn.head.is_transfer:
            self._begin_transfer(conn)
        else:
            self._begin(conn, self.health if conn.head.path == HEALTH else self.tpool, self.handle)

    def _begin_transfer(self, conn: Connection) -> None:
        who = conn.visitor
        if who and self.transferring[who] >= TRANSFERS_PER_ADDRESS:
            self._stop_waiting(conn)
            self._wait(conn, 0, self._in_line, IN_LINE_SECONDS)
            return
        self.transferring[who] += 1
        conn.sock.may_wait = True
        self._begin(conn, self.transfers, self._transfer)

    def _in_line(self, conn: Connection) -> None:
        """Of uploads that wait until others from the same address are over; their bytes wait on the way here."""
        self._begin_transfer(conn)

    def handle_request(self, req: Any, conn: Connection) -> object:
        """Answer; what is left of a small body is here already, and gunicorn discards it."""
        if conn.sock.may_wait:
            asks_to_close = req.should_close
            req.should_close = lambda: asks_to_close() or not is_read(req.body.reader)
        return super().handle_request(req, conn)

    def _transfer(self, conn: Connection) -> object:
        try:
            return self.handle(conn)
        finally:
            connections.close_all()  # threads that are seldom used keep none of the database's connections

    def _begin(self, conn: Connection, pool: Any, work: Callable[[Connection], Any]) -> None:
        self._stop_waiting(conn)
        future = pool.submit(work, conn)
        future.add_done_callback(lambda done: self.method_queue.defer(self.finish_request, conn, done))

    # The answer goes

    def finish_request(self, conn: Connection, fs: Future[object]) -> None:
        """A thread is done; what the visitor has not taken yet is sent before the connection is closed or kept."""
        if conn.sock.may_wait:
            one_less(self.transferring, conn.visitor)
            next_one = self._first(self._in_line, conn.visitor) if conn.visitor else None
            if next_one:
                self._begin_transfer(next_one)
        conn.sock.may_wait = False
        conn.answer = fs
        self._leave(conn)

    def _refuse(self, conn: Connection, status: str, sentence: str) -> None:
        """Answer without a thread, and close."""
        self._stop_waiting(conn)
        conn.answer = None
        try:
            conn.sock.sendall(REFUSAL.format(status=status, length=len(sentence), sentence=sentence).encode())
        except OSError:
            self._drop(conn)
            return
        self._leave(conn)

    def _sending(self, conn: Connection) -> None:
        sent = conn.sock.push(STEP_BYTES)
        conn.sock.patience.waited(time.monotonic() - conn.began, sent)
        self._stop_waiting(conn)
        self._leave(conn)

    def _leave(self, conn: Connection) -> None:
        """Nothing is left to compute: send the rest, then wait for the next request or for the visitor to close."""
        if conn.sock.fileno() < 0:  # gunicorn closed it: the view failed in the middle of its answer
            self._drop(conn)
        elif conn.sock.unsent:
            self._wait(conn, selectors.EVENT_WRITE, self._sending, conn.sock.patience.seconds)
        elif conn.answer is not None and conn.answer.exception() is None and conn.answer.result():
            if is_proxy(conn.peer):
                self._count(conn, "")
            if conn.sock.received:
                self.enqueue_req(conn)
            else:
                super().finish_request(conn, conn.answer)
        else:
            self._linger(conn)

    def _linger(self, conn: Connection) -> None:
        """A visitor who is still sending would lose the answer if the connection were closed at once. One that no
        bound counts is: it was refused for having too many."""
        if not conn.visitor and not is_proxy(conn.peer):
            self._drop(conn)
            return
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(conn)
            return
        conn.sock.received.clear()
        conn.discarded = 0
        self._wait(conn, selectors.EVENT_READ, self._lingering, LINGER_SECONDS)

    def _lingering(self, conn: Connection) -> None:
        is_open, arrived, now = conn.sock.read_ahead(), len(conn.sock.received), time.monotonic()
        conn.sock.received.clear()
        conn.discarded += arrived
        if not is_open or conn.discarded > LINGER_BYTES:
            self._drop(conn)
            return
        conn.sock.patience.waited(now - conn.began, arrived)
        conn.began, conn.deadline = now, now + conn.sock.patience.seconds

    # The end

    def handle_quit(self, sig: int, frame: object) -> None:
        for pool in (self.transfers, self.health):
            pool.shutdown(wait=False)
        super().handle_quit(sig, frame)


def is_read(reader: LengthReader | ChunkedReader | EOFReader) -> bool:
    """Whether a body was read to its end. Of one without a length, this is known once nothing more could be read."""
    return bool(reader.length == 0 if isinstance(reader, LengthReader) else not getattr(reader, "parser", True))


def one_less(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]
