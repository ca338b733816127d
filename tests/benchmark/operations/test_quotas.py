"""A person's daily quota counts everything sent, regardless of its fate. On both databases."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from benchmark.operations import quotas, retention
from benchmark.operations.counting import TooMuch
from benchmark.operations.models import Ticket
from benchmark.operations.retention import erase
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tests.benchmark.conftest import Make
from tests.benchmark.operations.test_gate import code

pytestmark = pytest.mark.django_db


def upload(client: Client, *files: Path) -> Any:
    streams = [file.open("rb") for file in files]
    try:
        return client.post("/api/v1/submissions", {"name": "small", "file": streams})
    finally:
        for stream in streams:
            stream.close()


def begin(client: Client, *sizes: int) -> Any:
    files = [{"name": f"run{n}.gz", "bytes": size} for n, size in enumerate(sizes)]
    return client.post("/submit/begin", {"name": "large", "files": json.dumps(files)})


def delete_all(client: Client, how: str) -> None:
    for row in Submission.objects.all():
        if how == "page":
            assert client.post(f"/s/{row.pk}/delete").status_code == 302
        elif how == "operator":
            erase(row)
        else:
            row.delete()
    assert not Submission.objects.filter(deleted_at=None).exists()


@pytest.mark.parametrize("how", ["page", "operator", "rows"])
def test_deleting_an_entry_does_not_reset_the_quota(settings: Any, vector_file: Path, how: str) -> None:
    settings.VECBOARD_UPLOADS_PER_DAY = 2
    client = Client()
    client.force_login(get_user_model().objects.create_user("ada"))
    assert [begin(client, 100).status_code for _ in range(2)] == [201, 201]
    payers = set(Ticket.objects.values_list("payer", flat=True))
    delete_all(client, how)
    assert set(Ticket.objects.values_list("payer", flat=True)) == payers
    with pytest.raises(TooMuch):
        quotas.authorize_submission(payers.pop())


def test_deleting_gives_back_no_bytes(settings: Any, stranger: Client, vector_file: Path) -> None:
    settings.VECBOARD_BYTES_PER_DAY = 2 * vector_file.stat().st_size
    assert upload(stranger, vector_file).status_code == 202
    erase(Submission.objects.get())
    assert code(upload(stranger, vector_file)) == "too-many-bytes"


def test_a_refused_file_does_not_count_after_deletion_either(
    settings: Any, stranger: Client, vector_file: Path
) -> None:
    settings.VECBOARD_UPLOADS_PER_DAY = 1
    assert upload(stranger, vector_file).status_code == 202
    Submission.objects.update(state=State.REJECTED)
    erase(Submission.objects.get())
    assert upload(stranger, vector_file).status_code == 202


@pytest.mark.parametrize("is_deleted", [False, True])
@pytest.mark.parametrize(
    ("error", "status"),
    [("too-slow", 429), ("crashes-the-reader", 429), ("not-a-number", 202)],
)
def test_a_refused_file_counts_if_it_used_the_whole_limit(
    settings: Any, stranger: Client, vector_file: Path, error: str, status: int, is_deleted: bool
) -> None:
    settings.VECBOARD_UPLOADS_PER_DAY = 1
    assert upload(stranger, vector_file).status_code == 202
    Submission.objects.update(state=State.REJECTED, error={"code": error, "message": "No."})
    if is_deleted:
        erase(Submission.objects.get())
    assert upload(stranger, vector_file).status_code == status


def test_a_deleted_entry_s_ticket_is_forgotten_after_the_day(stranger: Client, vector_file: Path) -> None:
    upload(stranger, vector_file)
    erase(Submission.objects.get())
    retention.tidy()
    assert Ticket.objects.count() == 1
    retention.tidy(timezone.now() + timedelta(days=1, seconds=1))
    assert not Ticket.objects.exists()


def test_further_runs_count_as_files_and_with_their_bytes(settings: Any, stranger: Client, vector_file: Path) -> None:
    assert upload(stranger, vector_file, vector_file, vector_file).status_code == 202
    ticket = Ticket.objects.get()
    assert (ticket.files, ticket.bytes) == (3, 3 * vector_file.stat().st_size)
    settings.VECBOARD_UPLOADS_PER_DAY = 4
    assert code(upload(stranger, vector_file, vector_file)) == "too-many-today"
    assert not list(Submission.objects.all()[1:])
    assert upload(stranger, vector_file).status_code == 202


def test_runs_that_are_announced_count_as_files(settings: Any, stranger: Client) -> None:
    settings.VECBOARD_UPLOADS_PER_DAY = 2
    assert begin(stranger, 100, 100, 100).status_code == 429
    assert begin(stranger, 100, 100).status_code == 201


def test_a_stopped_upload_counts_with_what_it_announced(settings: Any, stranger: Client) -> None:
    settings.VECBOARD_BYTES_PER_DAY = 100_000
    row = begin(stranger, 90_000).json()["id"]
    assert stranger.post(f"/s/{row}/cancel").status_code == 302
    assert begin(stranger, 20_000).status_code == 429
    assert begin(stranger, 10_000).status_code == 201


def test_files_that_are_refused_when_they_are_whole_leave_nothing(
    settings: Any, stranger: Client, vector_file: Path, own_files: Path
) -> None:
    settings.VECBOARD_UPLOADS_PER_DAY = 1
    answer = upload(stranger, vector_file, vector_file)
    assert (answer.status_code, code(answer)) == (429, "too-many-today")
    assert not Submission.objects.exists()
    assert not [file for file in (own_files / "storage").rglob("*") if file.is_file()]


def test_a_tickets_counts_never_decrease(submission: Make) -> None:
    row = submission(State.CHECKING)
    quotas.charge(row, 20, 500)
    quotas.charge(row, 1, 9000)
    ticket = Ticket.objects.get(submission=row)
    assert (ticket.files, ticket.bytes) == (20, 9000)
