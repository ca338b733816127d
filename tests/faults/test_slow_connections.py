"""Visitors who send a byte now and then, or never read: pages, the health check and honest uploads still work."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator

import httpx
import psutil
import pytest

from tests.faults.conftest import Fault
from tests.servers import eventually
from tests.slow_clients import HonestUploader, SlowClients, percentile
from tests.workers.running_site import Site

STALL_SECONDS, WATCHED_SECONDS, PATIENCE_SECONDS = 2, 7, 120
LEAST_ANSWERS = 3
"""Requests answered while no slow client is cut off: a site that waits for slow clients answers none."""
PROXY = "127.0.0.5"
HONEST = 16
CONTENT = b"\x1f\x8b" + hashlib.shake_256(b"honest").digest(300_000)
PROXIED, POSTGRESQL = "behind a proxy", "over PostgreSQL"


@pytest.fixture(
    scope="module",
    params=[
        "direct",
        pytest.param(PROXIED, marks=pytest.mark.slow),
        pytest.param(POSTGRESQL, marks=[pytest.mark.slow, pytest.mark.postgres]),
    ],
)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Behind a proxy, all connections come from its address, and the visitor's address is in a header."""
    settings = {"VECBOARD_STALL_SECONDS": str(STALL_SECONDS)}
    if request.param == PROXIED:
        settings |= {"VECBOARD_PROXIES": "1", "VECBOARD_PROXY_ADDRESSES": PROXY}
    database = request.getfixturevalue("postgres").create("slow") if request.param == POSTGRESQL else ""
    site = Site(tmp_path_factory.mktemp("site"), database_url=database, **settings)
    site.manage("load_baseline")
    url = site.start_web()
    site.wait_until(lambda: httpx.get(f"{url}/healthz", timeout=60).status_code == 200)
    yield site
    site.kill_all()


def is_proxied(site: Site) -> bool:
    return "VECBOARD_PROXIES" in site.environment and site.environment["VECBOARD_PROXIES"] == "1"


def source(site: Site, address: str) -> str:
    return PROXY if is_proxied(site) else address


def head(site: Site, line: str, address: str, *more: str) -> bytes:
    forwarded = [f"X-Forwarded-For: {address}"] if is_proxied(site) else []
    return "\r\n".join([f"{line} HTTP/1.1", f"Host: 127.0.0.1:{site.port}", *forwarded, *more, ""]).encode()


def heads(site: Site, who: str) -> bytes:
    return head(site, "GET /", who) + b"X-Slow: a"


def small_bodies(site: Site, who: str) -> bytes:
    form = ("Content-Type: application/x-www-form-urlencoded", "Content-Length: 5000")
    return head(site, "POST /account/login/", who, *form) + b"\r\nlogin=a"


def large_bodies(site: Site, who: str) -> bytes:
    form = ("Content-Type: multipart/form-data; boundary=b", "Content-Length: 5000000")
    part = b'\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.gz"\r\n\r\n\x1f\x8b'
    return head(site, "POST /api/v1/submissions", who, *form) + part


def pieces(site: Site, who: str) -> bytes:
    announced = {"name": "slow", "files": [{"name": "slow.txt.gz", "bytes": 8_000_000}]}
    where = httpx.HTTPTransport(local_address=source(site, who))
    with httpx.Client(transport=where, headers={"X-Forwarded-For": who} if is_proxied(site) else {}) as http:
        begun = http.post(f"http://127.0.0.1:{site.port}/api/v1/uploads", json=announced, timeout=60).json()
    own = (f"Authorization: Bearer {begun['token']}", "Content-Length: 8000000")
    return head(site, f"PUT /api/v1/uploads/{begun['id']}?offset=0", who, *own) + b"\r\n\x1f\x8b"


def unread_answers(site: Site, who: str) -> bytes:
    """A file larger than the kernel's buffers for a client that does not read."""
    content = b"\x1f\x8b" + hashlib.shake_256(b"download").digest(8_000_000)
    where = httpx.HTTPTransport(local_address=source(site, who))
    with httpx.Client(transport=where, base_url=f"http://127.0.0.1:{site.port}", timeout=60) as http:
        files = {"file": ("large.txt.gz", content, "application/gzip")}
        sent = http.post("/api/v1/submissions", data={"name": "large"}, files=files).json()
    return head(site, f"GET /s/{sent['id']}/vectors", who, f"Cookie: owner-{sent['id']}={sent['token']}") + b"\r\n"


ATTACKS = {
    "heads": heads,
    "small bodies": small_bodies,
    "large bodies": large_bodies,
    "pieces": pieces,
    "unread answers": unread_answers,
}


def watched(
    site: Site, path: str, http: httpx.Client, seconds: float, slow_ones: Callable[[], int] = lambda: 1
) -> list[float]:
    """Seconds of each request; a new connection each, as those of new visitors.

    Some are answered while no slow client is cut off.

    Parameters
    ----------
    slow_ones : another number once one of the slow clients has been cut off, and 0 when none is left.
    """
    took: list[float] = []
    meanwhile, began = 0, time.monotonic()
    while time.monotonic() < began + seconds or meanwhile < LEAST_ANSWERS:
        assert time.monotonic() < began + PATIENCE_SECONDS, f"{path} is answered only when slow clients are cut off"
        before, asked = slow_ones(), time.monotonic()
        answer = http.get(f"http://127.0.0.1:{site.port}{path}", headers={"Connection": "close"})
        took.append(time.monotonic() - asked)
        assert answer.status_code == 200, answer.text
        meanwhile += 0 < before == slow_ones()
        time.sleep(0.05)
    return took


def still_held(site: Site, address: str) -> int:
    """Connections from there that a process of the site holds: a visitor who never reads does not see them close."""
    known = [conn for conn in psutil.net_connections("tcp") if conn.pid and conn.raddr]
    return sum(conn.laddr.port == site.port and conn.raddr.ip == address for conn in known)


@pytest.mark.parametrize("what", ATTACKS)
def test_slow_clients_and_slow_uploaders_stop_neither_pages_nor_the_health_check(
    what: str, site: Site, fault: Fault
) -> None:
    who = f"127.0.1.{list(ATTACKS).index(what) + 1}"
    opening = ATTACKS[what](site, who)
    url = f"http://127.0.0.1:{site.port}"
    forwarded = [{"X-Forwarded-For": f"127.0.2.{nth}"} if is_proxied(site) else {} for nth in range(1, HONEST + 1)]
    uploaders = [
        HonestUploader(url, source(site, f"127.0.2.{nth}"), CONTENT, 50_000, **forwarded[nth - 1])
        for nth in range(1, HONEST + 1)
    ]
    with httpx.Client(timeout=PATIENCE_SECONDS) as http:
        alone = watched(site, "/", http, 2)
    slow = SlowClients(
        site.port, lambda _: opening, address=lambda _: source(site, who), reading=what == "unread answers"
    )

    def slow_ones() -> int:
        return 1 + slow.cut_off if what != "unread answers" else still_held(site, source(site, who))

    def cut_off() -> int:
        return slow.cut_off if what != "unread answers" else slow.count - still_held(site, source(site, who))

    with slow, httpx.Client(timeout=PATIENCE_SECONDS) as http:
        for uploader in uploaders:
            uploader.start()
        page = watched(site, "/", http, WATCHED_SECONDS, slow_ones)
        health = watched(site, "/healthz", http, 1)
        for uploader in uploaders:
            uploader.join(120)
        # Those that wait in line for a thread of uploads hold none, and are left in peace.
        least = slow.count if what in ("heads", "small bodies") else slow.count // 4
        eventually(lambda: cut_off() >= least)  # clients that keep the site waiting are cut off
    assert [uploader.status for uploader in uploaders] == [202] * HONEST
    p99, before, worst = (1000 * value for value in (percentile(page, 0.99), percentile(alone, 0.99), max(health)))
    print(f"\n{what}: board p99 {p99:.0f} ms (alone {before:.0f} ms); healthz at most {worst:.0f} ms")
    fault(
        "64 slow clients (heads, bodies, pieces, unread answers) beside 16 uploads of 50 kB/s",
        slow.count,
        "the board and `/healthz` answer; all uploads arrive",
    )


def tries_until_answered(site: Site, http: httpx.Client) -> int:
    """Number of requests until the board is answered."""
    for tries in range(1, 11):
        with contextlib.suppress(httpx.TransportError):
            if http.get(f"http://127.0.0.1:{site.port}/", headers={"Connection": "close"}).status_code == 200:
                return tries
        time.sleep(0.1)
    raise AssertionError("ten tries were in vain")


def test_one_visitor_with_many_connections_shuts_nobody_out(site: Site, fault: Fault) -> None:
    """Nobody from elsewhere notices. A neighbour behind the same address gets in too, but may have to ask again: a new
    connection takes the place of the oldest that has sent no request yet, and that may be the neighbour's."""
    who = "127.0.3.1"
    slow = SlowClients(site.port, lambda _: heads(site, who), count=600, address=lambda _: source(site, who))
    neighbour = httpx.HTTPTransport(local_address=source(site, who))
    named = {"X-Forwarded-For": who} if is_proxied(site) else {}
    with (
        slow,
        httpx.Client(timeout=PATIENCE_SECONDS) as elsewhere,
        httpx.Client(timeout=PATIENCE_SECONDS, transport=neighbour, headers=named) as beside,
    ):
        page = watched(site, "/", elsewhere, 3)
        watched(site, "/healthz", elsewhere, 1)
        tries = [tries_until_answered(site, beside) for _ in range(20)]
    print(
        f"\n600 connections: board at most {1000 * max(page):.0f} ms elsewhere; neighbour's tries at most {max(tries)}"
    )
    fault(
        "600 slow connections from one address",
        600,
        "visitors elsewhere notice nothing; neighbours get in",
    )
