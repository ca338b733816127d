"""Limits on writes, uploads and space: refused with a sentence, before the body is read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from benchmark import storage
from benchmark.operations.gate import FORM_BYTES, of_the_site
from benchmark.operations.models import Ticket
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from extensions.people.study_pages import MOST_ANSWERS_BYTES
from tests.benchmark.conftest import Make
from tests.benchmark.full_disk import room_for

pytestmark = pytest.mark.django_db


def upload(client: Client, file: Path, **headers: Any) -> Any:
    with file.open("rb") as stream:
        return client.post("/api/v1/submissions", {"name": "small", "file": stream}, headers=headers or None)


def code(answer: Any) -> str:
    return str(answer.json()["error"]["code"])


def test_every_upload_has_a_ticket_of_its_sender(stranger: Client, vector_file: Path) -> None:
    assert upload(stranger, vector_file).status_code == 202
    assert upload(stranger, vector_file, x_forwarded_for="198.51.100.7").status_code == 202
    first, second = Ticket.objects.all()
    assert first.payer.startswith("address:")
    assert first.payer == second.payer  # without trusted proxies, anyone can forge that header
    assert "127.0.0.1" not in first.payer


def test_behind_a_proxy_its_header_gives_the_address(settings: Any, stranger: Client, vector_file: Path) -> None:
    settings.VECBOARD_PROXIES = 1
    for forwarded in ("198.51.100.7", "203.0.113.5, 198.51.100.7", "198.51.100.8"):
        upload(stranger, vector_file, x_forwarded_for=forwarded)
    first, second, third = Ticket.objects.order_by("pk")
    assert first.payer == second.payer != third.payer


def test_too_many_open_files_of_one_person_are_refused(settings: Any, stranger: Client, vector_file: Path) -> None:
    settings.VECBOARD_OPEN_UPLOADS = 2
    assert [upload(stranger, vector_file).status_code for _ in range(3)] == [202, 202, 429]
    assert code(upload(stranger, vector_file)) == "too-many-open"
    Submission.objects.update(state=State.DONE)
    assert upload(stranger, vector_file).status_code == 202


@pytest.mark.parametrize(("state", "status"), [("done", 429), ("failed", 202), ("rejected", 202), ("cancelled", 429)])
def test_our_failures_and_refused_files_do_not_count(
    settings: Any, stranger: Client, vector_file: Path, state: str, status: int
) -> None:
    settings.VECBOARD_UPLOADS_PER_DAY = 1
    upload(stranger, vector_file)
    Submission.objects.update(state=state)
    answer = upload(stranger, vector_file)
    assert answer.status_code == status
    if status == 429:
        assert code(answer) == "too-many-today"
        assert 86_000 < int(answer["Retry-After"]) <= 86_400


def test_uploads_are_possible_again_after_a_day(settings: Any, stranger: Client, vector_file: Path) -> None:
    settings.VECBOARD_UPLOADS_PER_DAY = 1
    upload(stranger, vector_file)
    Submission.objects.update(state=State.DONE)
    Ticket.objects.update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    assert upload(stranger, vector_file).status_code == 202


def test_the_bytes_of_a_day_are_bounded(settings: Any, stranger: Client, vector_file: Path) -> None:
    settings.VECBOARD_BYTES_PER_DAY = 2 * vector_file.stat().st_size
    upload(stranger, vector_file)
    assert code(upload(stranger, vector_file)) == "too-many-bytes"


def test_uploads_are_refused_when_the_disk_is_nearly_full(settings: Any, stranger: Client, vector_file: Path) -> None:
    settings.VECBOARD_DISK_STOP_BYTES = 10**18
    answer = upload(stranger, vector_file)
    assert (answer.status_code, code(answer)) == (507, "no-space")
    assert not Submission.objects.exists()


def test_a_file_that_would_fill_the_disk_is_refused(
    settings: Any, stranger: Client, vector_file: Path, free_space: Callable[[int], None]
) -> None:
    settings.VECBOARD_DISK_STOP_BYTES = 1_000_000
    free_space(1_000_500)
    answer = upload(stranger, vector_file)
    assert (answer.status_code, code(answer)) == (507, "no-space")
    assert "up to" in answer.json()["error"]["message"]


def begin(client: Client, path: str, size: int) -> Any:
    files = [{"name": "large.gz", "bytes": size}]
    if path.startswith("/api/"):
        return client.post(path, {"name": "large", "files": files}, content_type="application/json")
    return client.post(path, {"name": "large", "files": json.dumps(files)}, headers={"Accept": "application/json"})


@pytest.mark.parametrize("path", ["/submit/begin", "/api/v1/uploads"])
def test_an_upload_in_pieces_begins_within_the_same_bounds(settings: Any, stranger: Client, path: str) -> None:
    settings.VECBOARD_BYTES_PER_DAY, settings.VECBOARD_OPEN_UPLOADS = 1000, 1
    assert begin(stranger, path, 1001).status_code == 429
    assert begin(stranger, path, 1000).status_code == 201
    again = begin(stranger, path, 1000)
    assert (again.status_code, int(again["Retry-After"])) == (429, 600)


@pytest.mark.parametrize("path", ["/submit/begin", "/api/v1/uploads"])
def test_an_upload_in_pieces_that_would_fill_the_disk_does_not_begin(
    settings: Any, stranger: Client, path: str, free_space: Callable[[int], None]
) -> None:
    settings.VECBOARD_DISK_STOP_BYTES = 1_000_000
    free_space(2_000_000)
    assert begin(stranger, path, 500_001).status_code == 507  # half of the space stays free for others
    assert begin(stranger, path, 500_000).status_code == 201


@pytest.mark.parametrize("path", ["/submit", "/api/v1/submissions"])
def test_a_disk_that_is_full_in_mid_upload_is_reported_and_nothing_stays(stranger: Client, path: str) -> None:
    file = BytesIO(b"\x1f\x8b" + bytes(3_000_000))
    file.name = "large.gz"
    with room_for(1_000_000):
        answer = stranger.post(path, {"name": "large", "file": file})
    assert answer.status_code == 507
    assert "no room for more files" in answer.content.decode()
    assert list(storage.incoming().iterdir()) == []
    assert not Submission.objects.exists()


def test_a_page_shows_the_refusal(settings: Any, stranger: Client, vector_file: Path) -> None:
    settings.VECBOARD_DISK_STOP_BYTES = 10**18
    with vector_file.open("rb") as stream:
        answer = stranger.post("/submit", {"name": "small", "file": stream})
    assert answer.status_code == 507
    assert "no room for more files" in answer.content.decode()


@pytest.mark.usefixtures("stopped_clock")
def test_writes_of_one_person_within_a_minute_are_bounded(
    settings: Any, stranger: Client, submission: Make, owner: Callable[[Submission], Client]
) -> None:
    settings.VECBOARD_WRITES_PER_MINUTE = 5
    client = owner(submission(State.DONE))
    statuses = [client.post("/s/none/withdraw").status_code for _ in range(7)]
    assert 429 in statuses[5:]
    assert 429 not in statuses[:5]
    assert client.get("/").status_code == 200


def test_the_rate_of_logins_is_bounded(stranger: Client) -> None:
    """allauth's limit: five failed tries within five minutes for one name and address."""
    answers = [
        stranger.post("/account/login/", {"login": "nobody@example.org", "password": "wrong word"}) for _ in range(12)
    ]
    assert any(answer.status_code == 429 or "Too many failed" in answer.content.decode() for answer in answers)


@pytest.mark.parametrize("path", ["/account/login/", "/people/new", "/compare/people", "/nowhere"])
def test_only_pages_that_take_vectors_take_a_large_file(stranger: Client, path: str) -> None:
    answer = stranger.generic(
        "POST", path, b"--x--\r\n", "multipart/form-data; boundary=x", CONTENT_LENGTH=str(FORM_BYTES + 1)
    )
    assert answer.status_code == 413
    page = answer.content.decode()
    assert "<h1>Too large</h1>" in page
    assert "takes at most 24 MB" in page
    assert stranger.post(path, {"file": BytesIO(bytes(MOST_ANSWERS_BYTES))}).status_code != 413


@pytest.mark.parametrize(("statement", "code"), [("BEGIN IMMEDIATE", "busy"), ("SELECT * FROM nothing", None)])
def test_a_locked_database_is_busy_and_a_wrong_statement_is_not(
    tmp_path: Path, statement: str, code: str | None
) -> None:
    writer = sqlite3.connect(tmp_path / "db", isolation_level=None)
    other = sqlite3.connect(tmp_path / "db", timeout=0, isolation_level=None)
    with closing(writer), closing(other):
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError) as raised, connection.wrap_database_errors:
            other.execute(statement)
    found = of_the_site(raised.value)
    assert (found.code if found else None) == code
