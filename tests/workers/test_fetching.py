"""Files that the site fetches from a real TLS server."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from benchmark import storage
from benchmark.operations import quotas
from benchmark.operations.kinds import NotNow, most_tries
from benchmark.operations.models import Job, Ticket
from benchmark.operations.retention import erase, tidy
from benchmark.submissions import fetching, receiving, steering
from benchmark.submissions.models import PartialFile, Submission, move
from benchmark.submissions.states import Actor, State
from tests.web_files import file
from tests.workers.factories import do_job
from tests.workers.fetched_files import ENDLESS, arrived, asked, fetched, key, public, web
from tests.workers.running_site import small_file
from tests.workers.web_server import WebServer, raw, redirect, status, unsized
from workers import runner
from workers.heartbeat import Stopped
from workers.kinds import files as fetch_job

__all__ = ["key", "public", "web"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
Commit = Callable[..., Any]


@pytest.mark.usefixtures("public")
def test_a_fetched_file_is_stored_checked_and_named_like_a_sent_one(web: WebServer) -> None:
    content = small_file().read_bytes()
    web.answers["/small.txt.gz"] = file(content)
    row = fetched(web, "/small.txt.gz?version=2")
    assert arrived(row) == content
    stored = (row.original_name, row.file_bytes, row.file_sha256)
    assert stored == ("small.txt.gz", len(content), hashlib.sha256(content).hexdigest())
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
def test_a_file_of_unknown_size_that_is_cut_off_does_not_pass_for_whole(web: WebServer) -> None:
    content = small_file().read_bytes()
    answers = iter([unsized(content[:1000], cut=True), unsized(content)])
    web.answers["/small.txt.gz"] = lambda handler: next(answers)(handler)
    assert arrived(fetched(web)) == content


@pytest.mark.usefixtures("public")
def test_as_many_bytes_as_are_reserved_for_an_unknown_size_are_not_the_file(web: WebServer, settings: Any) -> None:
    content = small_file().read_bytes()
    settings.VECBOARD_MAX_UPLOAD_BYTES = len(content)
    web.answers["/small.txt.gz"] = unsized(content)
    row = asked(web.url("/small.txt.gz"))
    part = row.partial_files.get()
    part.path.write_bytes(b"x" * len(content))  # the connection broke here, before the rest
    PartialFile.objects.update(bytes=len(content))
    do_job("fetch", row.pk)
    row.refresh_from_db()
    assert arrived(row) == content


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
    web.answers["/small.txt.gz"] = file(content, cuts=[1000, *[0] * (most_tries() * fetch_job.CONNECTIONS - 1)])
    row = asked(web.url("/small.txt.gz"))
    for _ in range(most_tries()):
        row.refresh_from_db()
        assert row.state == State.RECEIVING
        do_job("fetch", row.pk)
    row.refresh_from_db()
    assert row.state == State.FAILED
    assert "in 3 tries" in row.error["message"]
    assert len(web.asked) == most_tries() * fetch_job.CONNECTIONS
    quotas.authorize_bytes(row.ticket.payer, len(content))  # a failure doesn't count
    steering.retry(row, Actor.OWNER)
    do_job("fetch", row.pk)
    row.refresh_from_db()
    assert arrived(row) == content
    assert web.ranges()[-1] == "bytes=1000-"


@pytest.mark.usefixtures("public")
def test_of_a_fetch_that_failed_nothing_outlives_its_erasure(web: WebServer) -> None:
    web.answers["/small.txt.gz"] = file(small_file().read_bytes(), cuts=[1000, *[0] * fetch_job.CONNECTIONS])
    row = fetched(web)
    part = row.partial_files.get().path
    move(row, State.FAILED, Actor.WORKER)
    assert part.exists()
    erase(row)
    assert not part.exists()


@pytest.mark.usefixtures("public")
def test_no_log_line_has_the_signature_of_a_url(web: WebServer, caplog: pytest.LogCaptureFixture) -> None:
    web.answers["/small.txt.gz"] = file(small_file().read_bytes(), cuts=[1000])
    arrived(fetched(web, "/small.txt.gz?signature=secret"))
    assert caplog.text
    assert "secret" not in caplog.text


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
def test_arrived_bytes_count_although_the_file_is_refused(web: WebServer, settings: Any) -> None:
    settings.VECBOARD_MAX_UPLOAD_BYTES = 100_000
    web.answers["/file"] = ENDLESS
    row = fetched(web, "/file")
    assert row.ticket.bytes == 100_000
    assert PartialFile.objects.reserved_bytes() == 0


@pytest.mark.usefixtures("public")
def test_room_is_reserved_as_soon_as_the_size_is_known(web: WebServer) -> None:
    web.answers["/file"] = file(bytes(5_000_000), cuts=[100_000] * 99)
    fetched(web, "/file")
    assert PartialFile.objects.reserved_bytes() == 5_000_000 - fetch_job.CONNECTIONS * 100_000


def test_files_are_fetched_in_turn_everybodys_first_before_anybodys_second(web: WebServer, settings: Any) -> None:
    settings.VECBOARD_FETCHES_AT_ONCE = 2
    clients = [Client(), Client()]
    for nth, client in enumerate(clients):
        client.force_login(get_user_model().objects.create_user(f"user{nth}"))
    rows = [asked(web.url(f"/{n}"), clients[0]) for n in range(3)]
    rows.append(asked(web.url("/3"), clients[1]))
    queued = [job.subject for job in Job.objects.order_by("pk")]
    assert queued == [rows[0].pk, rows[3].pk]  # one person gets half of the turns, although another was free
    Job.objects.all().delete()
    assert fetching.due() == [rows[0].pk, rows[3].pk]


def test_the_next_in_turn_is_queued_when_one_ends(web: WebServer, django_capture_on_commit_callbacks: Commit) -> None:
    first, second = (asked(web.url(f"/{n}")) for n in range(2))
    with django_capture_on_commit_callbacks(execute=True):
        do_job("fetch", first.pk)  # refused: not a public address
    assert [job.subject for job in Job.objects.all()] == [second.pk]


def test_the_next_in_turn_is_queued_when_one_is_cancelled(
    web: WebServer, django_capture_on_commit_callbacks: Commit
) -> None:
    first, second = (asked(web.url(f"/{n}")) for n in range(2))
    with django_capture_on_commit_callbacks(execute=True):
        steering.cancel(first, Actor.OWNER)
    assert [job.subject for job in Job.objects.all()] == [second.pk]


def test_a_file_waiting_to_be_fetched_is_never_abandoned(web: WebServer) -> None:
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
        fetch_job.bring(part, progress)
    row.refresh_from_db()
    assert row.state == State.CANCELLED
    assert not part.path.exists()
    assert not PartialFile.objects.exists()


@pytest.mark.usefixtures("public")
def test_a_submission_that_was_cancelled_at_the_last_moment_keeps_no_file(web: WebServer) -> None:
    web.answers["/small.txt.gz"] = file(small_file().read_bytes())
    row = asked(web.url("/small.txt.gz"))
    part = PartialFile.objects.get()
    fetch_job.bring(part, lambda *_: None)
    stored = receiving.store([part])
    steering.cancel(Submission.objects.get(pk=row.pk), Actor.OWNER)
    fetch_job._take(part.submission, stored)
    assert not storage.exists(storage.upload_key(row.pk))


def test_two_workers_never_write_the_same_file(web: WebServer) -> None:
    part = asked(web.url("/file")).partial_files.get()
    with fetch_job.ReservedPart(part).opened(), pytest.raises(NotNow):
        fetch_job.bring(part, lambda *_: None)


@pytest.mark.usefixtures("public")
def test_its_page_shows_how_far_it_is_and_strangers_read_no_name(web: WebServer) -> None:
    owner = Client()
    row = asked(web.url("/my-own-vectors.gz"), owner, visibility="anonymous")
    assert "my-own-vectors.gz is waiting for its turn to be downloaded." in owner.get(f"/s/{row.pk}").content.decode()
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


def test_a_fetched_file_can_neither_be_sent_nor_finished(web: WebServer) -> None:
    owner = Client()
    row = asked(web.url("/file"), owner)
    sent = owner.put(f"/s/{row.pk}/upload?file=1&offset=0", b"abc", content_type="application/octet-stream")
    assert sent.status_code == 400
    assert owner.post(f"/s/{row.pk}/upload/finish").status_code == 409
    row.refresh_from_db()
    assert row.state == State.RECEIVING
    assert Ticket.objects.get().files == 1
