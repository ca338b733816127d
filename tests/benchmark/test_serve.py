"""The web server, as a real process: requests of every legal form are answered, slow or greedy clients cut off."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import httpx
import psutil
import pytest

from benchmark.serve import (
    CHUNK_LINE_BYTES,
    LARGE_BODIES_PER_ADDRESS,
    LARGE_BODY_BYTES,
    TRAILER_BYTES,
    UPLOADS_PER_ADDRESS,
)
from tests.servers import eventually
from tests.slow_clients import SlowClients, connected, slowly
from tests.web import Web

STALL_SECONDS = 2
PROXY = "127.0.0.5"
CONTENT = b"\x1f\x8b" + hashlib.shake_256(b"vectors").digest(700_000)
ADDRESSES = (f"127.0.9.{nth}" for nth in itertools.count(1))


class Served(Web):
    def __init__(self, stall_seconds: int = STALL_SECONDS) -> None:
        super().__init__()
        self.environment |= {
            "VECBOARD_STALL_SECONDS": str(stall_seconds),
            "VECBOARD_CONNECTIONS_PER_ADDRESS": "20",
            "VECBOARD_PROXIES": "1",
            "VECBOARD_PROXY_ADDRESSES": PROXY,
            "WEB_CONCURRENCY": "1",
        }


@pytest.fixture(scope="module")
def web() -> Iterator[Served]:
    with Served() as web:
        yield web


@pytest.fixture(scope="module")
def patient_web() -> Iterator[Served]:
    """A server that calls nobody too slow while a test runs."""
    with Served(stall_seconds=3600) as web:
        yield web


@pytest.fixture
def address() -> str:
    return next(ADDRESSES)


@pytest.fixture
def http(web: Served, address: str) -> Iterator[httpx.Client]:
    """Every request uses a new connection: the server may close an idle one just as it is reused."""
    alone = httpx.Limits(max_keepalive_connections=0)
    transport = httpx.HTTPTransport(local_address=address, limits=alone)
    with httpx.Client(base_url=web.address, transport=transport, timeout=120) as client:
        yield client


def head(web: Served, line: str, *more: str) -> bytes:
    return "\r\n".join([f"{line} HTTP/1.1", f"Host: 127.0.0.1:{web.port}", *more, "", ""]).encode()


def begun(sock: socket.socket, head: bytes) -> bool:
    """Send a head that asks whether to go on; once the server says so, it counts the request as arriving."""
    sock.sendall(head.removesuffix(b"\r\n") + b"Expect: 100-continue\r\n\r\n")
    return sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"


def read_all(sock: socket.socket) -> bytes:
    sock.settimeout(60)
    blocks = []
    while block := sock.recv(65536):
        blocks.append(block)
    return b"".join(blocks)


def form(
    web: Served, path: str, size: int, *more: str, kind: str = "application/x-www-form-urlencoded"
) -> Iterator[bytes]:
    """A form of this size, at 20 MB a second."""
    head_of_it = head(web, f"POST {path}", f"Content-Type: {kind}", f"Content-Length: {size}", *more)
    yield from itertools.chain([head_of_it], slowly(b"a" * size, 20_000_000))


def begin(http: httpx.Client, content: bytes = CONTENT, **headers: str) -> tuple[str, dict[str, str]]:
    announced = {"name": "large", "files": [{"name": "large.txt.gz", "bytes": len(content)}]}
    begun = http.post("/api/v1/uploads", json=announced, headers=headers).json()
    return f"/api/v1/uploads/{begun['id']}", {"Authorization": f"Bearer {begun['token']}"}


def test_requests_in_one_packet_are_answered_in_their_order(web: Served, address: str) -> None:
    with closing(connected(web.port, address)) as sock:
        sock.sendall(
            head(web, "GET /healthz") + head(web, "GET /no-such-page") + head(web, "GET /healthz", "Connection: close")
        )
        assert re.findall(rb"HTTP/1.1 (\d+)", read_all(sock)) == [b"200", b"404", b"200"]


def test_a_request_in_single_bytes_is_answered(web: Served, address: str) -> None:
    with closing(connected(web.port, address)) as sock:
        for byte in head(web, "GET /healthz", "Connection: close"):
            sock.send(bytes([byte]))
        assert b"200 OK" in read_all(sock)


@pytest.mark.parametrize(
    ("path", "size", "kind", "status", "sentence"),
    [
        ("/compare/translate", 2_000_000, "application/x-www-form-urlencoded", b"413", b"too long"),
        ("/account/login/", 6_000_000, "application/x-www-form-urlencoded", b"413", b"too long"),
        ("/compare/people", 25_000_000, "multipart/form-data; boundary=cut", b"413", b"at most 24 MB"),
        ("/api/v1/uploads/none?offset=0", 2_000_000, "application/octet-stream", b"405", b""),
    ],
)
def test_the_client_receives_the_answer_to_a_body_that_is_too_long(
    web: Served, address: str, path: str, size: int, kind: str, status: bytes, sentence: bytes
) -> None:
    with closing(connected(web.port, address)) as sock:
        for block in form(web, path, size, "Connection: close", kind=kind):
            sock.sendall(block)
        answer = read_all(sock)
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert sentence in answer


def test_a_connection_on_which_a_large_form_was_read_takes_the_next_request(web: Served, address: str) -> None:
    with closing(connected(web.port, address)) as sock:
        for block in form(web, "/compare/translate", 200_000):
            sock.sendall(block)
        sock.sendall(head(web, "GET /healthz", "Connection: close"))
        answers = read_all(sock)
    assert re.findall(rb"HTTP/1.1 (\d+)", answers) == [b"403", b"200"]


def test_a_large_piece_on_a_slow_line_arrives_whole(http: httpx.Client) -> None:
    upload, own = begin(http)
    length = {"Content-Length": str(len(CONTENT)), "Content-Type": "application/octet-stream"}
    sent = http.put(upload, params={"offset": 0}, content=slowly(CONTENT, 200_000), headers=own | length)
    assert sent.json() == {"offset": len(CONTENT)}
    assert http.post(f"{upload}/finish", headers=own).status_code == 202


def test_a_client_that_asks_before_sending_may_go_on(web: Served, http: httpx.Client, address: str) -> None:
    upload, own = begin(http)
    asks = ("Expect: 100-continue", f"Content-Length: {len(CONTENT)}", f"Authorization: {own['Authorization']}")
    with closing(connected(web.port, address)) as sock:
        sock.sendall(head(web, f"PUT {upload}?offset=0", *asks, "Connection: close"))
        assert sock.recv(100).startswith(b"HTTP/1.1 100 Continue")
        sock.sendall(CONTENT)
        assert f'"offset": {len(CONTENT)}'.encode() in read_all(sock)


def test_a_piece_that_stops_arriving_does_not_count(web: Served, http: httpx.Client, address: str) -> None:
    # Without keeping its connection, which the server would close as idle at the same moment.
    upload, own = begin(http, Connection="close")
    headers = (f"Content-Length: {len(CONTENT)}", f"Authorization: {own['Authorization']}")
    with closing(connected(web.port, address)) as sock:
        sock.sendall(head(web, f"PUT {upload}?offset=0", *headers) + CONTENT[:600_000])
        assert read_all(sock) == b""
    assert http.head(upload, headers=own).headers["Upload-Offset"] == "0"
    assert http.put(upload, params={"offset": 0}, content=CONTENT, headers=own).json() == {"offset": len(CONTENT)}


def test_connections_that_are_closed_as_stalled_take_no_new_one_with_them(web: Served) -> None:
    """A new connection may get the descriptor of one that is closed in the same round of events."""
    with contextlib.ExitStack() as held:
        stalled = [held.enter_context(closing(connected(web.port, next(ADDRESSES)))) for _ in range(60)]
        for sock in stalled:
            time.sleep(0.02)
            sock.sendall(b"GET /")
        until = time.monotonic() + STALL_SECONDS + 1

        def visit(address: str) -> None:
            while time.monotonic() < until:
                with closing(connected(web.port, address)) as sock:
                    sock.sendall(head(web, "GET /healthz", "Connection: close"))
                    assert read_all(sock).startswith(b"HTTP/1.1 200 ")

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(visit, [next(ADDRESSES) for _ in range(8)]))
        assert [sock.recv(1) for sock in stalled] == [b""] * len(stalled)


def test_one_address_sends_two_large_bodies_at_once(patient_web: Served, address: str) -> None:
    large = head(patient_web, "POST /api/v1/submissions", f"Content-Length: {LARGE_BODY_BYTES + 1}")
    with contextlib.ExitStack() as held:

        def connection(source: str) -> socket.socket:
            return held.enter_context(closing(connected(patient_web.port, source)))

        assert all(begun(connection(address), large) for _ in range(LARGE_BODIES_PER_ADDRESS))
        more = connection(address)
        more.sendall(large + b"a" * 1_000_000)
        assert read_all(more).startswith(b"HTTP/1.1 503 ")
        elsewhere, later = connection(next(ADDRESSES)), connection(next(ADDRESSES))
        assert begun(elsewhere, large)
        later.sendall(head(patient_web, "GET /healthz", "Connection: close"))
        assert b"200 OK" in read_all(later)
        elsewhere.setblocking(False)
        with pytest.raises(BlockingIOError):  # a refusal would have come before that answer
            elsewhere.recv(100)


def test_more_uploads_at_once_than_one_address_has_threads_wait_in_line(http: httpx.Client) -> None:
    """Meanwhile, the same address gets a page."""
    uploads = [begin(http) for _ in range(UPLOADS_PER_ADDRESS + 4)]
    length = {"Content-Length": str(len(CONTENT)), "Content-Type": "application/octet-stream"}
    answers: list[Any] = []

    def send(upload: str, own: dict[str, str]) -> None:
        content = slowly(CONTENT, 300_000)
        answers.append(http.put(upload, params={"offset": 0}, content=content, headers=own | length).json())

    senders = [threading.Thread(target=send, args=upload) for upload in uploads]
    for sender in senders:
        sender.start()
    time.sleep(1)
    assert http.get("/").status_code == 200
    for sender in senders:
        sender.join()
    assert answers == [{"offset": len(CONTENT)}] * len(uploads)


def download(web: Served, http: httpx.Client) -> tuple[bytes, bytes]:
    """A stored file, several times as large as the kernel's send buffer, and the request for it."""
    content = b"\x1f\x8b" + hashlib.shake_256(b"download").digest(6_000_000)
    upload, own = begin(http, content)
    http.put(upload, params={"offset": 0}, content=content, headers=own)
    assert http.post(f"{upload}/finish", headers=own).status_code == 202
    entry, token = upload.rpartition("/")[2], own["Authorization"].removeprefix("Bearer ")
    return content, head(web, f"GET /s/{entry}/vectors", f"Cookie: owner-{entry}={token}", "Connection: close")


def test_a_download_that_is_read_slowly_is_sent_whole(web: Served, http: httpx.Client, address: str) -> None:
    content, asked = download(web, http)
    with closing(connected(web.port, address)) as sock:
        sock.sendall(asked)
        time.sleep(STALL_SECONDS / 4)
        assert read_all(sock).partition(b"\r\n\r\n")[2] == content


def test_a_download_that_is_not_read_keeps_no_page_waiting(patient_web: Served, address: str) -> None:
    with (
        httpx.Client(base_url=patient_web.address, timeout=120) as http,
        closing(connected(patient_web.port, address)) as sock,
    ):
        content, asked = download(patient_web, http)
        sock.sendall(asked)
        first = sock.recv(1000)
        assert http.get("/").status_code == 200
        assert (first + read_all(sock)).partition(b"\r\n\r\n")[2] == content


def test_a_head_that_never_ends_is_cut_off_at_the_deadline(web: Served, address: str) -> None:
    with SlowClients(web.port, lambda _: b"GET / HTTP/1.1\r\nX-Slow: a", count=5, address=lambda _: address) as slow:
        eventually(lambda: slow.cut_off >= 5)


def test_a_head_that_is_too_long_is_refused_with_its_status(web: Served, address: str) -> None:
    with closing(connected(web.port, address)) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nX-Long: " + b"a" * 70_000)
        answer = read_all(sock)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert b"Delete this site's cookies" in answer


@pytest.mark.parametrize("cookies", [160, 300])
def test_a_browser_with_many_entries_of_its_own_sees_every_page(http: httpx.Client, cookies: int) -> None:
    kept = "; ".join(f"owner-{nth:012d}={'s' * 32}" for nth in range(cookies))
    for page in ("/", "/submit", "/mine", "/compare", "/static/css/base.css"):
        assert http.get(page, headers={"Cookie": kept}).status_code == 200


def test_a_new_connection_takes_the_place_of_the_slowest_of_its_address(
    http: httpx.Client, web: Served, address: str
) -> None:
    with contextlib.ExitStack() as held:

        def hold(count: int) -> None:
            for _ in range(count):
                held.enter_context(closing(connected(web.port, address))).sendall(head(web, "GET /")[:-2])

        hold(100)
        for _ in range(10):
            assert http.get("/healthz", headers={"Connection": "close"}).status_code == 200
            hold(1)


def test_connections_that_are_only_kept_give_way_to_new_ones(web: Served, address: str) -> None:
    with contextlib.ExitStack() as kept:
        for _ in range(60):
            sock = kept.enter_context(closing(connected(web.port, address)))
            sock.sendall(head(web, "GET /healthz"))
            assert sock.recv(100).startswith(b"HTTP/1.1 200 ")


def held_by(visitor: str, web: Served) -> Callable[[int], bytes]:
    return lambda _: head(web, "POST /account/login/", f"X-Forwarded-For: {visitor}", "Content-Length: 9")


def test_through_a_proxy_each_visitor_has_a_bound_of_its_own(patient_web: Served) -> None:
    """A hundred connections of one visitor, none too slow yet; the proxy's own are not bounded, so another visitor is
    answered."""
    opening = held_by("198.51.100.1", patient_web)
    transport = httpx.HTTPTransport(local_address=PROXY)
    with (
        SlowClients(patient_web.port, opening, count=100, address=lambda _: PROXY) as slow,
        httpx.Client(base_url=patient_web.address, transport=transport, timeout=120) as other,
    ):
        eventually(lambda: slow.cut_off >= 80)
        assert other.get("/", headers={"X-Forwarded-For": "198.51.100.2"}).status_code == 200


def test_a_body_above_the_limit_is_refused_at_its_head_with_the_limit(web: Served, address: str) -> None:
    with closing(connected(web.port, address)) as sock:
        sock.sendall(head(web, "POST /api/v1/submissions", "Content-Length: 9999999999") + b"a" * 1000)
        answer = read_all(sock)
    assert answer.startswith(b"HTTP/1.1 413 ")
    error = json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
    assert error["code"] == "too-large"
    assert "the limit on this site" in error["message"]


def test_an_unreadable_request_is_answered_after_the_one_before_it(web: Served, address: str) -> None:
    with closing(connected(web.port, address)) as sock:
        sock.sendall(head(web, "GET /healthz") + b"GET / HTTP/1.1\r\n no: name\r\n\r\n")
        assert re.findall(rb"HTTP/1.\d (\d+)", read_all(sock)) == [b"200", b"400"]


def test_a_large_body_states_its_length(web: Served, address: str) -> None:
    block = b"f4240\r\n" + b"a" * 1_000_000 + b"\r\n"
    with closing(connected(web.port, address)) as sock, contextlib.suppress(ConnectionError):
        sock.sendall(head(web, "POST /api/v1/submissions", "Transfer-Encoding: chunked"))
        for _ in range(LARGE_BODY_BYTES // 1_000_000 + 2):
            sock.sendall(block)
        assert read_all(sock).startswith(b"HTTP/1.1 411 ")


CHUNKED = ("Transfer-Encoding: chunked", "Content-Type: application/octet-stream")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"0" * (CHUNK_LINE_BYTES - 3) + b"5\r\nhello\r\n0\r\n\r\n", b"405"),
        (b"0" * (CHUNK_LINE_BYTES - 2) + b"5\r\nhello\r\n0\r\n\r\n", b"400"),
        (b"5\r\nhello\r\n5;" + b"a" * CHUNK_LINE_BYTES + b"\r\n", b"400"),
        (b"0\r\n" + b"X: y\r\n" * 10_000 + b"\r\n", b"405"),
        (b"0\r\n" + b"X: y\r\n" * 11_000 + b"\r\n", b"400"),
    ],
    ids=["longest line", "line too long", "extension too long", "longest trailer", "trailer too long"],
)
@pytest.mark.parametrize("block", [None, 700])
def test_lines_before_chunks_and_trailers_have_a_bound(
    web: Served, address: str, body: bytes, status: bytes, block: int | None
) -> None:
    sent = head(web, "POST /api/v1/me", *CHUNKED, "Connection: close") + body
    with closing(connected(web.port, address)) as sock, contextlib.suppress(ConnectionError):
        for start in range(0, len(sent), block or len(sent)):
            sock.sendall(sent[start : start + (block or len(sent))])
        assert read_all(sock).startswith(b"HTTP/1.1 " + status)


@pytest.mark.parametrize("ending", [b"", b"5\r\nhello\r\n", b"0\r\n"], ids=["first line", "later line", "trailer"])
def test_bytes_without_an_end_are_refused_and_the_connection_is_closed(
    patient_web: Served, address: str, ending: bytes
) -> None:
    opening = head(patient_web, "POST /api/v1/me", *CHUNKED) + ending
    with closing(connected(patient_web.port, address)) as sock, contextlib.suppress(ConnectionError):
        sock.sendall(opening + b"1" * TRAILER_BYTES)
        answer = read_all(sock)
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert b"is too long" in answer


@pytest.mark.parametrize(
    ("version", "more", "reason"),
    [
        ("1.1", ("Content-Length: 5",), b"not both"),
        ("1.0", (), b"Only HTTP/1.1"),
        ("1.0", ("Content-Length: 5", "Connection: keep-alive"), b"Only HTTP/1.1"),
    ],
)
def test_a_body_with_two_possible_ends_is_refused_with_all_that_follows(
    web: Served, address: str, version: str, more: tuple[str, ...], reason: bytes
) -> None:
    smuggled = b"0\r\n\r\n" + head(web, "GET /healthz", "Connection: close")
    opening = head(web, "POST /api/v1/me", *CHUNKED, *more).replace(b"HTTP/1.1", f"HTTP/{version}".encode(), 1)
    with closing(connected(web.port, address)) as sock:
        sock.sendall(opening + smuggled)
        answer = read_all(sock)
    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"400"]
    assert reason in answer


def test_a_client_that_asks_before_sending_too_much_is_refused_at_once(web: Served, address: str) -> None:
    with closing(connected(web.port, address)) as sock:
        sock.sendall(head(web, "POST /api/v1/submissions", "Content-Length: 9999999999", "Expect: 100-continue"))
        assert read_all(sock).startswith(b"HTTP/1.1 413 ")


def test_a_process_that_is_killed_is_replaced(web: Served, http: httpx.Client) -> None:
    assert web.process is not None
    (child,) = psutil.Process(web.process.pid).children()
    child.kill()
    child.wait(60)
    eventually(lambda: psutil.Process(web.process.pid).children() != [])
    assert http.get("/healthz").status_code == 200


def test_a_request_that_has_arrived_is_answered_before_the_server_stops(web: Served) -> None:
    """The last test of this server."""
    with closing(connected(web.port, "127.0.0.1")) as sock:
        assert begun(sock, head(web, "POST /account/login/", "Content-Length: 5"))
        sock.sendall(b"log")
        stopping = threading.Thread(target=web.stop)
        stopping.start()
        time.sleep(0.5)
        sock.sendall(b"in")
        assert sock.recv(100).startswith(b"HTTP/1.1 403 ")
        sock.close()
        stopping.join(60)
        assert not stopping.is_alive()
