"""Uploads in pieces: by the page with a cookie, by the API with a token; both end in the same submission."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.http.request import UnreadablePostError
from django.test import Client, RequestFactory
from django.utils import timezone

from benchmark import storage
from benchmark.operations.models import Ticket
from benchmark.storage import incoming
from benchmark.submissions import receiving
from benchmark.submissions.arriving import OffsetMismatch
from benchmark.submissions.models import PartialFile, Submission
from benchmark.submissions.states import State
from tests.benchmark.full_disk import room_for

pytestmark = pytest.mark.django_db
API = "/api/v1/uploads"


@pytest.fixture
def file(vector_file: Path) -> bytes:
    return vector_file.read_bytes()


def begin(client: Client, *sizes: int, **form: Any) -> Any:
    files = json.dumps([{"name": f"run{n}.gz", "bytes": size} for n, size in enumerate(sizes, start=1)])
    return client.post("/submit/begin", {"name": "in pieces", "files": files} | form)


def put(client: Client, upload: str, body: bytes, offset: int, file: int = 1) -> Any:
    address = f"/s/{upload}/upload?file={file}&offset={offset}"
    return client.put(address, body, content_type="application/octet-stream")


def pieces(content: bytes, size: int) -> Iterator[tuple[int, bytes]]:
    for offset in range(0, len(content), size):
        yield offset, content[offset : offset + size]


def test_a_file_in_pieces_becomes_the_same_submission_as_in_one(stranger: Client, file: bytes) -> None:
    upload = begin(stranger, len(file)).json()["id"]
    assert Submission.objects.get().state == State.RECEIVING
    for offset, piece in pieces(file, 1000):
        assert put(stranger, upload, piece, offset).json() == {"offset": offset + len(piece)}
    assert stranger.post(f"/s/{upload}/upload/finish").json() == {"location": f"/s/{upload}?new=1"}
    row = Submission.objects.get()
    assert (row.state, row.name, row.original_name) == (State.UPLOADED, "in pieces", "run1.gz")
    assert row.file_sha256 == hashlib.sha256(file).hexdigest()
    assert storage.opened(row.file_key).read() == file
    assert list(incoming().iterdir()) == []


def test_several_files_become_runs(stranger: Client, file: bytes) -> None:
    upload = begin(stranger, len(file), len(file)).json()["id"]
    for number in (2, 1):
        put(stranger, upload, file, 0, number)
    stranger.post(f"/s/{upload}/upload/finish")
    assert storage.opened(Submission.objects.get().run_files.get().key).read() == file


def test_arrived_files_are_kept_while_the_others_of_a_slow_upload_arrive(stranger: Client, file: bytes) -> None:
    """Leftovers in the same folder are deleted after a day; these files are not, although no byte arrived since."""
    upload = begin(stranger, len(file), len(file)).json()["id"]
    put(stranger, upload, file, 0, 1)
    long_ago = time.time() - storage.STALE_SECONDS - 3600
    os.utime(PartialFile.objects.get(position=1).path, (long_ago, long_ago))
    Submission.objects.update(created_at=timezone.now() - timedelta(days=2))
    put(stranger, upload, file, 0, 2)
    incoming()
    receiving.forget_abandoned()
    assert stranger.post(f"/s/{upload}/upload/finish").status_code == 200


def test_room_stays_reserved_for_files_that_a_slow_upload_has_not_begun(stranger: Client, file: bytes) -> None:
    upload = begin(stranger, len(file), 5_000).json()["id"]
    Submission.objects.update(created_at=timezone.now() - timedelta(hours=2))
    assert PartialFile.objects.reserved_bytes() == 0  # silent for an hour
    put(stranger, upload, file[:500], 0)
    assert PartialFile.objects.reserved_bytes() == len(file) - 500 + 5_000


def test_a_piece_must_begin_where_the_last_one_ended(stranger: Client, file: bytes) -> None:
    upload = begin(stranger, len(file)).json()["id"]
    put(stranger, upload, file[:100], 0)
    for wrong in (0, 50, 200, -1):
        response = put(stranger, upload, file[100:200], wrong)
        assert (response.status_code, response.json()) == (409, {"offset": 100})
    assert put(stranger, upload, file[100:200], 100).json() == {"offset": 200}


def test_blocks_that_were_written_before_an_error_are_kept(stranger: Client, file: bytes) -> None:
    class Broken:
        """A body that cannot be read beyond its first block."""

        def __init__(self) -> None:
            self.left = [file[:700]]

        def read(self, size: int) -> bytes:
            if not self.left:
                raise UnreadablePostError("the disk failed")
            return self.left.pop()

    upload = begin(stranger, len(file)).json()["id"]
    request = RequestFactory().put("/")
    request.read = Broken().read  # type: ignore[method-assign]
    with pytest.raises(UnreadablePostError):
        receiving.receive(PartialFile.objects.get(), 0, request)
    assert stranger.get(f"/s/{upload}/upload").json()["files"][0]["offset"] == 700


def test_of_two_connections_that_send_the_same_piece_one_writes(stranger: Client, file: bytes) -> None:
    upload = begin(stranger, len(file)).json()["id"]
    part = PartialFile.objects.get()
    slow = RequestFactory().put("/")
    bodies = [file[:100], file[100:200]]

    def read(size: int) -> bytes:
        if len(bodies) == 1:  # meanwhile the sender considered this connection dead and used another one
            put(stranger, upload, file[100:300], 100)
        return bodies.pop(0) if bodies else b""

    slow.read = read  # type: ignore[method-assign]
    with pytest.raises(OffsetMismatch):
        receiving.receive(part, 0, slow)
    assert part.path.read_bytes() == file[:300]


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ((), "No file was announced"),
        ((0,), "The file is empty"),
        ((1,) * 21, "21 files were sent"),
        ((2_000_000,), "larger than 1 MB"),
        ((600_000, 600_000), "larger than 1 MB"),
    ],
)
def test_an_unacceptable_upload_is_refused_before_a_byte_is_sent(
    stranger: Client, settings: Any, sizes: tuple[int, ...], sentence: str
) -> None:
    settings.VECBOARD_MAX_UPLOAD_BYTES = 1_000_000
    response = begin(stranger, *sizes)
    assert response.status_code in (400, 413)
    assert sentence in response.json()["errors"]["file"]
    assert not Submission.objects.exists()


def test_the_errors_of_the_form_are_reported_by_field(stranger: Client) -> None:
    assert set(begin(stranger, 100, name="", window="x").json()["errors"]) == {"name", "window"}


def test_more_than_was_announced_is_refused(stranger: Client, file: bytes) -> None:
    upload = begin(stranger, 500).json()["id"]
    assert "announced with 500 bytes" in put(stranger, upload, file, 0).json()["errors"]["file"]
    assert stranger.get(f"/s/{upload}/upload").json()["files"][0]["offset"] == 0


def test_an_upload_is_not_finished_before_its_last_byte(stranger: Client, file: bytes) -> None:
    upload = begin(stranger, len(file)).json()["id"]
    put(stranger, upload, file[:-1], 0)
    response = stranger.post(f"/s/{upload}/upload/finish")
    assert response.status_code == 409
    assert "is not complete" in response.json()["errors"]["file"]
    put(stranger, upload, file[-1:], len(file) - 1)
    assert [stranger.post(f"/s/{upload}/upload/finish").status_code for _ in range(2)] == [200, 200]


def test_another_site_sends_no_piece_in_a_visitors_name(file: bytes) -> None:
    client = Client(enforce_csrf_checks=True)
    upload = begin(Client(), len(file)).json()["id"]
    assert put(client, upload, file, 0).status_code == 403
    assert begin(client, len(file)).status_code == 403


def test_a_cancelled_upload_leaves_nothing(
    stranger: Client, file: bytes, django_capture_on_commit_callbacks: Any
) -> None:
    upload = begin(stranger, len(file)).json()["id"]
    put(stranger, upload, file[:500], 0)
    with django_capture_on_commit_callbacks(execute=True):
        stranger.post(f"/s/{upload}/cancel")
    assert Submission.objects.get().state == State.CANCELLED
    assert list(incoming().iterdir()) == []
    assert put(stranger, upload, file[500:], 500).status_code == 404


def test_an_upload_that_is_cancelled_while_it_is_finished_leaves_no_file(
    stranger: Client, file: bytes, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    upload = begin(stranger, len(file)).json()["id"]
    put(stranger, upload, file, 0)
    publish = storage.publish

    def cancelled_meanwhile(draft: Path, key: str) -> None:
        publish(draft, key)
        with django_capture_on_commit_callbacks(execute=True):
            Client().post(f"/api/v1/submissions/{upload}/cancel", headers=bearer(token))

    token = stranger.cookies[f"owner-{upload}"].value
    monkeypatch.setattr(storage, "publish", cancelled_meanwhile)
    answer = stranger.post(f"/s/{upload}/upload/finish")
    assert (answer.status_code, Submission.objects.get().state) == (409, State.CANCELLED)
    assert list(storage.keys("uploads")) == []


def test_a_full_disk_within_a_piece_is_reported_and_the_arrived_part_is_kept(stranger: Client) -> None:
    large = b"\x1f\x8b" + bytes(3_000_000)
    upload = begin(stranger, len(large)).json()["id"]
    with room_for(1_000_000):
        answer = put(stranger, upload, large, 0)
    assert answer.status_code == 507
    assert "no room for the rest" in answer.json()["errors"]["file"]
    assert stranger.get(f"/s/{upload}/upload").json()["files"][0]["offset"] == 1_000_000
    assert put(stranger, upload, large[1_000_000:], 1_000_000).json() == {"offset": len(large)}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_a_program_sends_in_pieces_with_the_token_that_it_received(stranger: Client, file: bytes) -> None:
    body = {"name": "by program", "visibility": "unlisted", "files": [{"name": "v.gz", "bytes": len(file)}]}
    begun = stranger.post(API, body, content_type="application/json")
    assert begun.status_code == 201
    place, headers = begun["Location"], bearer(begun.json()["token"])
    for offset, piece in pieces(file, 3000):
        where = stranger.head(place, headers=headers)
        assert (where["Upload-Offset"], where["Upload-Length"]) == (str(offset), str(len(file)))
        sent = stranger.put(f"{place}?offset={offset}", piece, content_type="application/octet-stream", headers=headers)
        assert sent.status_code == 200
    done = stranger.post(f"{place}/finish", headers=headers)
    assert (done.status_code, done.json()["state"]) == (202, "uploaded")
    assert Submission.objects.get().visibility == "unlisted"


def test_a_program_gets_the_offset_at_which_to_resume(stranger: Client, file: bytes) -> None:
    body = {"name": "by program", "files": [{"name": "v.gz", "bytes": len(file)}]}
    begun = stranger.post(API, body, content_type="application/json").json()
    place, headers = f"{API}/{begun['id']}", bearer(begun["token"])
    kind = "application/octet-stream"
    assert stranger.put(f"{place}?offset=7", file, content_type=kind, headers=headers).status_code == 409
    assert stranger.put(f"{place}?offset=0", file, content_type=kind).status_code == 401
    assert stranger.put(f"{place}?offset=0&file=2", file, content_type=kind, headers=headers).status_code == 404
    assert stranger.post(f"{place}/finish", headers=headers).status_code == 409
    assert stranger.delete(place, headers=headers).status_code == 204
    assert Submission.objects.get().state == State.CANCELLED


def test_an_abandoned_upload_is_deleted_after_a_day(stranger: Client, file: bytes) -> None:
    upload = begin(stranger, len(file)).json()["id"]
    put(stranger, upload, file[:500], 0)
    old = timezone.now() - timedelta(days=2)
    Submission.objects.update(created_at=old)
    os.utime(PartialFile.objects.get().path, (old.timestamp(), old.timestamp()))
    begin(stranger, 100)
    assert not Submission.objects.filter(pk=upload).exists()


def test_two_requests_that_finish_an_upload_at_once_both_succeed(
    stranger: Client, file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = begin(stranger, len(file)).json()["id"]
    put(stranger, upload, file, 0)
    publish, answers = storage.publish, []

    def twice(draft: Path, key: str) -> None:
        monkeypatch.setattr(storage, "publish", publish)
        answers.append(stranger.post(f"/s/{upload}/upload/finish"))
        publish(draft, key)

    monkeypatch.setattr(storage, "publish", twice)
    answers.append(stranger.post(f"/s/{upload}/upload/finish"))
    assert [answer.status_code for answer in answers] == [200, 200]
    row = Submission.objects.get()
    assert (row.state, row.file_sha256) == (State.UPLOADED, hashlib.sha256(file).hexdigest())
    assert storage.opened(row.file_key).read() == file


def test_a_finish_that_was_interrupted_after_the_file_was_stored_goes_through(stranger: Client, file: bytes) -> None:
    upload = begin(stranger, len(file)).json()["id"]
    put(stranger, upload, file, 0)
    receiving.store(PartialFile.objects.all())
    assert stranger.get(f"/s/{upload}/upload").json()["files"][0]["offset"] == len(file)
    assert stranger.post(f"/s/{upload}/upload/finish").status_code == 200
    assert Submission.objects.get().file_sha256 == hashlib.sha256(file).hexdigest()


@pytest.mark.parametrize("path", ["/submit", "/api/v1/submissions"])
def test_a_whole_file_that_cannot_be_entered_leaves_nothing_and_does_not_count(
    stranger: Client, vector_file: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken, vector_file.open("rb") as content:
        broken.setattr("workers.queue.enqueue_check", full)
        assert stranger.post(path, {"name": "whole", "file": content}).status_code == 507
    assert not Submission.objects.exists()
    assert not Ticket.objects.exists()
    assert list(incoming().iterdir()) == list(storage.keys("uploads")) == []
