"""Files that the site fetches itself: from a real server with TLS, and from servers that mean harm."""

from __future__ import annotations

import gzip
import hashlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from benchmark import storage
from benchmark.operations import quotas
from benchmark.operations.kinds import NotNow, most_tries
from benchmark.operations.models import Job, Ticket
from benchmark.operations.retention import tidy
from benchmark.submissions import chunks, fetching, steering
from benchmark.submissions.models import PartialFile, Submission
from benchmark.submissions.reservations import part_path, reserved_bytes
from benchmark.submissions.states import Actor, State
from tests.web_files import file
from tests.workers.factories import do_job
from tests.workers.running_site import small_file
from tests.workers.web_server import WebServer, certificate, raw, redirect, status, web_server
from workers.fetching import connection, download
from workers.kinds import fetching as fetch_job
from workers.run import runner
from workers.run.heartbeat import Stopped

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
Commit = Callable[..., Any]
KEPT_OPEN = b"HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n"


@pytest.fixture(autouse=True)
def no_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.queue.send", lambda *_, **__: None)


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def web(key: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    """A listed server. Its machine is not public: every fetch from it is refused unless a test says otherwise."""
    settings.VECBOARD_SUITE = "demo"
    settings.VECBOARD_STALL_SECONDS, settings.VECBOARD_MIN_BYTES_PER_SECOND = 1, 10_000
    monkeypatch.setenv("SSL_CERT_FILE", f"{key}.crt")
    monkeypatch.setattr(download, "PAUSE_SECONDS", 0)
    with web_server(key) as server:
        settings.VECBOARD_FETCH_HOSTS = (("localhost", server.port),)
        yield server


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loopback counts as public: in this process and this test only, as no setting can make it so."""
    monkeypatch.setattr(connection, "is_public", lambda address: address in ("127.0.0.1", "::1"))


def asked(url: str, client: Client | None = None, **fields: str) -> Submission:
    """A submission whose file is to be fetched, asked for on the page."""
    response = (client or Client()).post("/submit", {"name": "Fetched", "url": url, **fields})
    assert response.status_code == 302, response.content.decode()
    return Submission.objects.get(pk=response.url.split("/")[2].partition("?")[0])


def fetched(web: WebServer, path: str = "/small.txt.gz", **fields: str) -> Submission:
    """The same, after the job ran once."""
    row = asked(web.url(path), **fields)
    do_job("fetch", row.pk)
    row.refresh_from_db()
    return row


def arrived(row: Submission) -> bytes:
    assert row.state == State.UPLOADED, row.error
    return storage.path_of(row.file_key).read_bytes()


@pytest.mark.usefixtures("public")
def test_a_fetched_file_is_stored_checked_and_named_like_a_sent_one(web: WebServer) -> None:
    content = small_file().read_bytes()
    web.answers["/small.txt.gz"] = file(content)
    row = fetched(web, "/small.txt.gz?version=2")
    assert arrived(row) == content
    told = (row.original_name, row.file_bytes, row.file_sha256)
    assert told == ("small.txt.gz", len(content), hashlib.sha256(content).hexdigest())
    assert row.uploaded_at is not None
    assert not row.partial_files.exists()
    assert row.ticket.bytes == len(content)
    do_job("check_submission", row.pk)
    row.refresh_from_db()
    assert row.state == State.QUEUED


@pytest.mark.usefixtures("public")
def test_a_redirect_on_the_list_is_followed_and_a_server_need_not_say_how_large_a_file_is(web: WebServer) -> None:
    content = small_file().read_bytes()
    web.answers["/old"] = redirect("/new?signed=1", 307)
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(content), content)
    web.answers["/new"] = raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunked)
    row = fetched(web, "/old")
    assert arrived(row) == content
    assert row.ticket.bytes == len(content)


@pytest.mark.usefixtures("public")
def test_a_broken_connection_is_resumed_where_it_broke(web: WebServer) -> None:
    content = small_file().read_bytes()
    web.answers["/small.txt.gz"] = file(content, cuts=[1000])
    assert arrived(fetched(web)) == content
    assert web.ranges() == ["", "bytes=1000-"]


@pytest.mark.usefixtures("public")
def test_a_file_that_changed_meanwhile_is_fetched_from_its_start(web: WebServer) -> None:
    content = small_file().read_bytes()
    answers = iter([file(b"x" * 5000, cuts=[1000]), file(content, tag='"two"')])
    web.answers["/small.txt.gz"] = lambda handler: next(answers)(handler)
    assert arrived(fetched(web)) == content
    assert web.ranges() == ["", "bytes=1000-"]


@pytest.mark.usefixtures("public")
def test_without_a_reliable_tag_nothing_is_resumed(web: WebServer) -> None:
    content = small_file().read_bytes()
    web.answers["/small.txt.gz"] = file(content, tag='W/"weak"', cuts=[1000])
    assert arrived(fetched(web)) == content
    assert web.ranges() == ["", ""]


@pytest.mark.usefixtures("public")
def test_a_server_that_is_down_is_asked_again_within_bounds_and_its_owner_can_try_later(
    web: WebServer, settings: Any
) -> None:
    content = small_file().read_bytes()
    settings.VECBOARD_BYTES_PER_DAY = len(content)
    web.answers["/small.txt.gz"] = file(content, cuts=[1000, *[0] * (most_tries() * download.CONNECTIONS - 1)])
    row = asked(web.url("/small.txt.gz"))
    for _ in range(most_tries()):
        row.refresh_from_db()
        assert row.state == State.RECEIVING
        do_job("fetch", row.pk)
    row.refresh_from_db()
    assert row.state == State.FAILED
    assert "in 3 tries" in row.error["message"]
    assert len(web.asked) == most_tries() * download.CONNECTIONS
    quotas.authorize_bytes(row.ticket.payer, len(content))  # a failure counts nothing
    steering.retry(row, Actor.OWNER)
    do_job("fetch", row.pk)
    row.refresh_from_db()
    assert arrived(row) == content
    assert web.ranges()[-1] == "bytes=1000-"


@pytest.mark.usefixtures("public")
@pytest.mark.parametrize("code", [429, 500, 503])
def test_a_busy_server_is_asked_again(web: WebServer, code: int) -> None:
    content = small_file().read_bytes()
    answers = iter([status(code), file(content)])
    web.answers["/small.txt.gz"] = lambda handler: next(answers)(handler)
    assert arrived(fetched(web)) == content


def drip(head: bytes) -> Any:
    return raw(head, again=b"x", pause=lambda: time.sleep(0.05))


HOSTILE = {
    "no such file": (status(404), "url-refused"),
    "forbidden": (status(403), "url-refused"),
    "a redirect to http": (redirect("http://localhost/vectors.txt"), "redirect-refused"),
    "a redirect off the list": (redirect("https://127.0.0.1/latest/meta-data"), "redirect-refused"),
    "a redirect to another port": (redirect("https://localhost:1/"), "redirect-refused"),
    "a redirect to a file of this machine": (redirect("file:///etc/passwd"), "redirect-refused"),
    "a redirect to nowhere": (redirect("https://[::1"), "redirect-refused"),
    "a redirect loop": (redirect("/file"), "too-many-redirects"),
    "an empty file": (file(b""), "empty-file"),
    "a large file": (file(b"x", length=10**12), "too-large"),
    "a length that is no number": (file(b"x" * 200_000, length=-5), "too-large"),
    "an endless body": (
        raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", again=b"2000\r\n" + b"x" * 0x2000 + b"\r\n"),
        "too-large",
    ),
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
def test_what_a_server_must_not_do_is_refused_at_once_and_does_not_count(
    web: WebServer, settings: Any, case: str
) -> None:
    settings.VECBOARD_MAX_UPLOAD_BYTES = 100_000
    settings.VECBOARD_UPLOADS_PER_DAY = 1
    web.answers["/file"], code = HOSTILE[case]
    row = fetched(web, "/file")
    assert (row.state, row.error["code"]) == (State.REJECTED, code)
    assert row.error["message"].endswith(".")
    assert not Job.objects.exists()
    assert web.connections <= download.MOST_REDIRECTS + 1
    assert asked(web.url("/file")).state == State.RECEIVING


@pytest.mark.usefixtures("public")
def test_the_time_for_a_file_is_bounded_however_steadily_it_comes(web: WebServer, settings: Any) -> None:
    settings.VECBOARD_FETCH_SECONDS = 1
    web.answers["/file"] = raw(KEPT_OPEN, again=b"x" * 1000, pause=lambda: time.sleep(0.05))
    row = fetched(web, "/file")
    assert (row.state, row.error["code"]) == (State.REJECTED, "fetch-too-slow")
    assert "within 1 seconds" in row.error["message"]


@pytest.mark.usefixtures("public")
def test_a_silent_server_is_a_broken_connection(web: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(download, "CONNECTIONS", 1)

    def silent(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(KEPT_OPEN)
        over.wait(20)

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
    assert row.state == State.RECEIVING  # it broke off, again and again
    assert len([path for path, _ in web.asked if path == "/long"]) == download.CONNECTIONS


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


def look_up(monkeypatch: pytest.MonkeyPatch, port: int, *addresses: str) -> list[str]:
    """From now on the listed name has these addresses; what was looked up."""
    known = socket.getaddrinfo
    names: list[str] = []

    def answer(host: str, *arguments: Any, **named: Any) -> Any:
        names.append(host)
        return [row for address in addresses for row in known(address, port, type=socket.SOCK_STREAM)]

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
    """A name that passes the first look and leads to this machine: here the address 0.0.0.0, which connects to it."""
    monkeypatch.setattr(connection, "is_public", lambda address: address == "0.0.0.0")
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


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        *("100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "fe80::1", "fe80::1%1", "fc00::1", "fec0::1", "ff02::1", "2001:db8::1", "::7f00:1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001::1"),
    ],
)
def test_these_addresses_are_not_public(address: str) -> None:
    assert not connection.is_public(address)


@pytest.mark.parametrize(
    "address", ["93.184.215.14", "8.8.8.8", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_these_addresses_are_public(address: str) -> None:
    assert connection.is_public(address)


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


@pytest.mark.usefixtures("public")
def test_a_full_disk_is_our_fault(web: WebServer, settings: Any) -> None:
    web.answers["/small.txt.gz"] = file(small_file().read_bytes())
    row = asked(web.url("/small.txt.gz"))
    settings.VECBOARD_DISK_STOP_BYTES = 1 << 60
    for _ in range(most_tries()):
        do_job("fetch", row.pk)
    row.refresh_from_db()
    assert row.state == State.FAILED
    assert "disk" in row.error["message"]


@pytest.mark.usefixtures("public")
def test_the_bytes_of_a_day_are_bounded_as_for_files_that_are_sent(web: WebServer, settings: Any) -> None:
    settings.VECBOARD_BYTES_PER_DAY = 1000
    web.answers["/small.txt.gz"] = file(small_file().read_bytes())
    row = fetched(web)
    assert (row.state, row.error["code"]) == (State.REJECTED, "too-many-bytes")


@pytest.mark.usefixtures("public")
def test_bytes_that_came_count_although_the_file_is_refused(web: WebServer, settings: Any) -> None:
    settings.VECBOARD_MAX_UPLOAD_BYTES = 100_000
    web.answers["/file"] = HOSTILE["an endless body"][0]
    row = fetched(web, "/file")
    assert row.ticket.bytes == 100_000
    assert reserved_bytes() == 0


@pytest.mark.usefixtures("public")
def test_room_is_reserved_as_soon_as_the_size_is_known(web: WebServer) -> None:
    web.answers["/file"] = file(bytes(5_000_000), cuts=[100_000] * 99)
    fetched(web, "/file")
    assert reserved_bytes() == 5_000_000 - download.CONNECTIONS * 100_000


def test_files_are_fetched_in_turn_everybodys_first_before_anybodys_second(web: WebServer, settings: Any) -> None:
    settings.VECBOARD_FETCHES_AT_ONCE = 2
    clients = [Client(), Client()]
    for nth, client in enumerate(clients):
        client.force_login(get_user_model().objects.create_user(f"user{nth}"))
    rows = [asked(web.url(f"/{n}"), clients[0]) for n in range(3)]
    rows.append(asked(web.url("/3"), clients[1]))
    queued = [job.subject for job in Job.objects.order_by("pk")]
    assert queued == [rows[0].pk, rows[1].pk]
    Job.objects.filter(subject=rows[0].pk).delete()
    assert fetching.due() == [rows[3].pk]


def test_the_next_in_turn_is_queued_when_one_ends(web: WebServer, django_capture_on_commit_callbacks: Commit) -> None:
    first, second = (asked(web.url(f"/{n}")) for n in range(2))
    with django_capture_on_commit_callbacks(execute=True):
        do_job("fetch", first.pk)  # refused: not a public address
    assert [job.subject for job in Job.objects.all()] == [second.pk]


def test_what_waits_for_its_turn_is_never_abandoned(web: WebServer) -> None:
    row = asked(web.url("/file"))
    Submission.objects.update(created_at=timezone.now() - timedelta(days=3))
    tidy()
    assert Submission.objects.filter(pk=row.pk).exists()


@pytest.mark.usefixtures("public")
def test_a_cancelled_submission_stops_and_leaves_nothing(
    web: WebServer, django_capture_on_commit_callbacks: Commit
) -> None:
    web.answers["/file"] = file(bytes(3_000_000))
    row = asked(web.url("/file"))
    job = runner.claim("fetch", row.pk)
    assert job is not None
    part = PartialFile.objects.get()

    def progress(share: float, what: str) -> None:
        if share > 0.5:
            with django_capture_on_commit_callbacks(execute=True):
                steering.cancel(row, Actor.OWNER)
            assert not runner.beat(job, share, what)
            raise Stopped

    with pytest.raises(Stopped):
        download.fetch(part, progress)
    row.refresh_from_db()
    assert row.state == State.CANCELLED
    assert not part_path(part).exists()
    assert not PartialFile.objects.exists()


@pytest.mark.usefixtures("public")
def test_a_submission_that_was_cancelled_at_the_last_moment_keeps_no_file(web: WebServer) -> None:
    web.answers["/small.txt.gz"] = file(small_file().read_bytes())
    row = asked(web.url("/small.txt.gz"))
    part = PartialFile.objects.get()
    download.fetch(part, lambda *_: None)
    whole = chunks.Whole(part)
    whole.keep(storage.upload_key(row.pk))
    steering.cancel(Submission.objects.get(pk=row.pk), Actor.OWNER)
    fetch_job._take(part.submission, whole)
    assert not storage.exists(storage.upload_key(row.pk))


def test_two_workers_never_write_the_same_file(web: WebServer) -> None:
    part = asked(web.url("/file")).partial_files.get()
    with download._alone(part), pytest.raises(NotNow):
        download.fetch(part, lambda *_: None)


@pytest.mark.usefixtures("public")
def test_its_page_shows_how_far_it_is_and_strangers_read_no_name(web: WebServer) -> None:
    owner = Client()
    row = asked(web.url("/my-own-vectors.gz"), owner, visibility="anonymous")
    assert "will download my-own-vectors.gz when it is its turn" in owner.get(f"/s/{row.pk}").content.decode()
    job = runner.claim("fetch", row.pk)
    assert job is not None
    runner.beat(job, 0.25, "1 MB of 4 MB")
    page = owner.get(f"/s/{row.pk}").content.decode()
    assert "is downloading my-own-vectors.gz. 1 MB of 4 MB" in page
    assert '<progress max="1" value="0.250"' in page
    assert "Resume the upload" not in page
    stranger = Client().get(f"/s/{row.pk}").content.decode()
    assert "is downloading the file. 1 MB of 4 MB" in stranger
    assert "my-own-vectors" not in stranger


@pytest.mark.usefixtures("public")
def test_the_owner_of_a_refused_url_finds_it_on_the_next_form(web: WebServer) -> None:
    owner = Client()
    web.answers["/gone.txt"] = status(404)
    row = asked(web.url("/gone.txt"), owner)
    do_job("fetch", row.pk)
    page = owner.get(f"/s/{row.pk}").content.decode()
    assert "answers HTTP 404; check the URL." in page
    assert "python -m tasks check" not in page
    assert web.url("/gone.txt") in owner.get(f"/submit?again={row.pk}").content.decode()
    assert web.url("/gone.txt") not in Client().get(f"/submit?again={row.pk}").content.decode()


def test_nobody_else_can_send_or_finish_a_file_that_is_fetched(web: WebServer) -> None:
    owner = Client()
    row = asked(web.url("/file"), owner)
    sent = owner.put(f"/s/{row.pk}/upload?file=1&offset=0", b"abc", content_type="application/octet-stream")
    assert sent.status_code == 400
    assert owner.post(f"/s/{row.pk}/upload/finish").status_code == 409
    row.refresh_from_db()
    assert row.state == State.RECEIVING
    assert Ticket.objects.get().files == 1
