"""Fetching from hostile servers and URLs does no harm to a site."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from benchmark.operations.models import Job
from benchmark.submissions.states import State
from tasks.download import MOST_REDIRECTS
from tests.web_files import file
from tests.workers.factories import do_job
from tests.workers.fetched_files import ENDLESS, arrived, asked, fetched, key, public, web
from tests.workers.running_site import small_file
from tests.workers.web_server import WebServer, certificate, raw, redirect, status, web_server
from workers import public_internet
from workers.kinds import files

__all__ = ["key", "public", "web"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
KEPT_OPEN = b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n"


def drip(head: bytes) -> Any:
    return raw(head, again=b"x", pause=lambda: time.sleep(0.05))


def be_impatient(settings: Any) -> None:
    """A server is too slow after a second."""
    settings.VECBOARD_STALL_SECONDS, settings.VECBOARD_MIN_BYTES_PER_SECOND = 1, 10_000


HOSTILE = {
    "no such file": (status(404), "url-refused"),
    "forbidden": (status(403), "url-refused"),
    "a redirect to http": (redirect("http://localhost/vectors.txt"), "redirect-refused"),
    "a redirect off the list": (redirect("https://127.0.0.1/latest/meta-data"), "redirect-refused"),
    "a redirect to another port": (redirect("https://localhost:1/"), "redirect-refused"),
    "a redirect to a file of this machine": (redirect("file:///etc/passwd"), "redirect-refused"),
    "a redirect to nowhere": (redirect("https://[::1"), "redirect-refused"),
    "a redirect loop": (redirect("/file"), "too-many-redirects"),
    "a redirect with a body without an end": (
        raw(b"HTTP/1.1 302 Found\r\nLocation: /file\r\n\r\n", again=b"x" * 8192),
        "too-many-redirects",
    ),
    "an empty file": (file(b""), "empty-file"),
    "a large file": (file(b"x", length=10**12), "too-large"),
    "an endless body": (ENDLESS, "too-large"),
    "an endless body without a length": (raw(b"HTTP/1.1 200 OK\r\n\r\n", again=b"x" * 8192), "too-large"),
    "a body that drips": (drip(KEPT_OPEN), "fetch-too-slow"),
    "a head that drips": (drip(b"HTTP/1.1 200 OK\r\nX: "), "fetch-too-slow"),
    "a chunk's length that drips": (
        drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;"),
        "fetch-too-slow",
    ),
    "endless interim answers": (raw(again=b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n" * 100), "bad-answer"),
}


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize("case", HOSTILE)
def test_a_misbehaving_server_is_refused_at_once_and_the_file_does_not_count(
    web: WebServer, settings: Any, case: str
) -> None:
    settings.VECBOARD_MAX_UPLOAD_BYTES = 100_000
    settings.VECBOARD_UPLOADS_PER_DAY = 1
    web.answers["/file"], code = HOSTILE[case]
    if code == "fetch-too-slow":
        be_impatient(settings)
    row = fetched(web, "/file")
    assert (row.state, row.error["code"]) == (State.REJECTED, code)
    assert row.error["message"].endswith(".")
    assert not Job.objects.exists()
    assert web.connections <= MOST_REDIRECTS + 1
    assert asked(web.url("/file")).state == State.RECEIVING


@pytest.mark.usefixtures("public")
def test_the_time_for_a_file_is_limited_even_if_bytes_keep_arriving(web: WebServer, settings: Any) -> None:
    settings.VECBOARD_FETCH_SECONDS = 1
    settings.VECBOARD_STALL_SECONDS, settings.VECBOARD_MIN_BYTES_PER_SECOND = 60, 1
    web.answers["/file"] = raw(KEPT_OPEN, again=b"x" * 1000, pause=lambda: time.sleep(0.05))
    row = fetched(web, "/file")
    assert (row.state, row.error["code"]) == (State.REJECTED, "fetch-too-slow")
    assert "within 1 seconds" in row.error["message"]


@pytest.mark.usefixtures("public")
def test_a_silent_server_is_a_broken_connection(web: WebServer, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    be_impatient(settings)
    over = threading.Event()
    monkeypatch.setattr(files, "CONNECTIONS", 1)

    def silent(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(KEPT_OPEN)
        over.wait(120)

    web.answers["/file"] = silent
    row = fetched(web, "/file")
    over.set()
    assert row.state == State.RECEIVING
    assert "does not answer" in Job.objects.get().reason


@pytest.mark.usefixtures("public")
def test_a_length_that_lies_gives_no_more_than_it_says_and_never_passes_for_a_whole_file(web: WebServer) -> None:
    content = small_file().read_bytes()
    web.answers["/short"] = file(content, length=1000)
    row = fetched(web, "/short")
    assert arrived(row) == content[:1000]
    do_job("check_submission", row.pk)
    row.refresh_from_db()
    assert row.state == State.REJECTED
    web.answers["/long"] = file(content, tag="", length=len(content) + 1)
    row = fetched(web, "/long")
    assert row.state == State.RECEIVING  # the connection broke again and again
    assert len([path for path, _ in web.asked if path == "/long"]) == files.CONNECTIONS


@pytest.mark.usefixtures("public")
def test_an_answer_that_is_not_http_counts_as_a_broken_connection(web: WebServer) -> None:
    web.answers["/file"] = file(b"x" * 200_000, length=-5)
    assert fetched(web, "/file").state == State.RECEIVING
    assert web.connections == files.CONNECTIONS


@pytest.mark.usefixtures("public")
def test_a_compressed_bomb_is_left_to_the_reader(web: WebServer, settings: Any) -> None:
    settings.VECBOARD_MAX_EXPANDED_BYTES = 1_000_000
    bomb = gzip.compress(bytes(50_000_000))
    web.answers["/bomb.gz"] = file(bomb)
    row = fetched(web, "/bomb.gz")
    assert arrived(row) == bomb
    do_job("check_submission", row.pk)
    row.refresh_from_db()
    assert row.state == State.REJECTED


def test_an_address_that_is_not_public_is_refused_before_anything_is_sent(web: WebServer) -> None:
    web.answers["/small.txt.gz"] = file(b"secret")
    row = fetched(web)
    assert (row.state, row.error["code"]) == (State.REJECTED, "address-not-public")
    assert web.connections == 0


def look_up(
    monkeypatch: pytest.MonkeyPatch, port: int, *addresses: str, later: tuple[str, ...] | None = None
) -> list[str]:
    """Resolve the listed name to these addresses, and to others after the first time; return the look-ups."""
    known = socket.getaddrinfo
    names: list[str] = []

    def answer(host: str, *arguments: Any, **named: Any) -> Any:
        if not host.replace(".", "").isdigit():
            names.append(host)
        now = addresses if later is None or len(names) == 1 else later
        return [row for address in now for row in known(address, port, type=socket.SOCK_STREAM)]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    return names


def test_one_private_address_among_public_ones_is_enough_to_refuse(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up(monkeypatch, web.port, "93.184.215.14", "127.0.0.1")
    row = fetched(web)
    assert row.error["code"] == "address-not-public"
    assert web.connections == 0


def test_the_other_end_of_the_socket_is_checked_before_anything_is_sent(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that passes the look-up but leads to this machine, here by the address 0.0.0.0."""
    monkeypatch.setattr(public_internet, "is_public", lambda address: address == "0.0.0.0")
    names = look_up(monkeypatch, web.port, "0.0.0.0")
    row = fetched(web)
    assert row.error["code"] == "address-not-public"
    assert names == ["localhost"]
    assert (web.greetings, web.asked) == (0, [])


@pytest.mark.usefixtures("public")
def test_a_name_is_looked_up_once_for_a_connection(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    content = small_file().read_bytes()
    web.answers["/small.txt.gz"] = file(content)
    names = look_up(monkeypatch, web.port, "127.0.0.1")
    assert arrived(fetched(web)) == content
    assert names == ["localhost"]


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize("first", ["breaks off", "redirects"])
def test_a_name_whose_address_changes_during_a_fetch_leads_nowhere(
    web: WebServer, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """In this test, 127.0.0.1 is public and 127.0.0.2, where the same server listens, is not."""
    content = small_file().read_bytes()
    answers = {"breaks off": file(content, length=len(content) + 1), "redirects": redirect("/again")}
    web.answers |= {"/small.txt.gz": answers[first], "/again": file(content)}
    names = look_up(monkeypatch, web.port, "127.0.0.1", later=("127.0.0.2",))
    row = fetched(web)
    assert (row.state, row.error["code"]) == (State.REJECTED, "address-not-public")
    assert names == ["localhost"] * 2
    assert [path for path, _ in web.asked] == ["/small.txt.gz"]
    assert web.connections == 1


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        *("100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
        *("192.0.0.8", "192.88.99.1", "3fff::1", "3fff:fff::1", "5f00::1", "100:0:0:1::1", "::ffff:192.0.0.8"),
        *("::", "::1", "fe80::1", "fe80::1%1", "fc00::1", "fec0::1", "ff02::1", "2001:db8::1", "::7f00:1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001::1"),
    ],
)
def test_these_addresses_are_not_public(address: str) -> None:
    assert not public_internet.is_public(address)


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "8.8.8.8", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_these_addresses_are_public(address: str) -> None:
    assert public_internet.is_public(address)


@pytest.mark.usefixtures("public")
def test_a_certificate_for_another_name_is_refused(
    web: WebServer, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = certificate(tmp_path, "elsewhere.example")
    monkeypatch.setenv("SSL_CERT_FILE", f"{key}.crt")
    with web_server(key) as other:
        settings.VECBOARD_FETCH_HOSTS = (("localhost", other.port),)
        row = fetched(other)
        assert row.error["code"] == "bad-certificate"
        assert other.asked == []


@pytest.mark.usefixtures("public")
def test_proxies_of_the_environment_are_not_used(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    content = small_file().read_bytes()
    web.answers["/small.txt.gz"] = file(content)
    assert arrived(fetched(web)) == content
