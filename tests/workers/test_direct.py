"""Uploads that go past the site into the bucket: by signed addresses, part by part, and compared by the worker."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import Client
from django.utils import timezone

from benchmark import multipart, storage
from benchmark.operations import retention
from benchmark.submissions import chunks
from benchmark.submissions.models import PartialFile, Submission
from benchmark.submissions.states import State
from tests.servers import S3
from tests.workers.factories import do_job
from tests.workers.running_site import small_file
from workers.vectors import arrivals

pytestmark = pytest.mark.django_db
PIECE = 5 * 1024 * 1024
"""The least that S3 takes, the last piece excepted."""
LARGE = b"\x1f\x8b" + hashlib.shake_256(b"large").digest(2 * PIECE)


@pytest.fixture
def direct(bucket: S3, settings: Any, own_files: Path, monkeypatch: pytest.MonkeyPatch) -> S3:
    """The site offers the bucket to browsers, in the smallest pieces."""
    settings.VECBOARD_SUITE = "demo"
    settings.VECBOARD_S3_BROWSER_ENDPOINT = bucket.environment["VECBOARD_S3_ENDPOINT"]
    monkeypatch.setattr(chunks, "PIECE_BYTES", PIECE)
    monkeypatch.setattr("workers.queue.send", lambda *_, **__: None)
    return bucket


def begin(client: Client, *contents: bytes, to_bucket: str = "1") -> dict[str, Any]:
    files = json.dumps([{"name": f"run{n}.gz", "bytes": len(content)} for n, content in enumerate(contents, start=1)])
    begun = client.post("/submit/begin", {"name": "direct", "files": files, "to_bucket": to_bucket})
    assert begun.status_code == 201, begun.content
    return dict(begun.json())


def place(client: Client, upload: str, offset: int, file: int = 1) -> Any:
    return client.get(f"/s/{upload}/upload/place?file={file}&offset={offset}")


def send(client: Client, upload: str, content: bytes, file: int = 1, start: int = 0) -> None:
    for offset in range(start, len(content), PIECE):
        url = place(client, upload, offset, file).json()["url"]
        assert httpx.put(url, content=content[offset : offset + PIECE]).status_code == 200


def digests(*contents: bytes) -> str:
    pieces = [[content[at : at + PIECE] for at in range(0, len(content), PIECE)] for content in contents]
    return json.dumps([[hashlib.sha256(piece).hexdigest() for piece in of] for of in pieces])


def finish(client: Client, upload: str, hashes: str) -> Any:
    return client.post(f"/s/{upload}/upload/finish", {"digests": hashes})


def offset(client: Client, upload: str) -> int:
    return int(client.get(f"/s/{upload}/upload").json()["files"][0]["offset"])


def test_a_file_goes_into_the_bucket_and_the_worker_finds_its_hash(direct: S3, client: Client) -> None:
    content = small_file().read_bytes()
    upload = begin(client, content)
    assert upload["to_bucket"] is True
    send(client, upload["id"], content)
    assert finish(client, upload["id"], digests(content)).json() == {"location": f"/s/{upload['id']}?new=1"}
    row = Submission.objects.get()
    assert (row.state, row.file_sha256, row.file_bytes) == (State.UPLOADED, "", len(content))
    assert not list((storage.root() / "incoming").glob("*"))
    do_job("check_submission", row.pk)
    row.refresh_from_db()
    assert (row.state, row.file_sha256) == (State.QUEUED, hashlib.sha256(content).hexdigest())
    assert not PartialFile.objects.exists()


def test_an_upload_goes_on_with_the_pieces_that_the_bucket_lacks(direct: S3, client: Client) -> None:
    upload = begin(client, LARGE)["id"]
    assert offset(client, upload) == 0
    send(client, upload, LARGE[:PIECE])
    assert offset(client, upload) == PIECE
    send(client, upload, LARGE, start=PIECE)
    assert offset(client, upload) == len(LARGE)
    assert finish(client, upload, digests(LARGE)).status_code == 200
    assert storage.opened(Submission.objects.get().file_key).read() == LARGE


def test_several_files_become_runs_with_hashes_of_their_own(direct: S3, client: Client) -> None:
    first = small_file().read_bytes()
    upload = begin(client, first, LARGE)["id"]
    send(client, upload, first)
    send(client, upload, LARGE, file=2)
    assert finish(client, upload, digests(first, LARGE)).status_code == 200
    row = Submission.objects.get()
    arrivals.confirm(row, lambda *_: None)
    assert row.file_sha256 == hashlib.sha256(first).hexdigest()
    assert row.run_files.get().sha256 == hashlib.sha256(LARGE).hexdigest()


@pytest.mark.parametrize("state", [State.UPLOADED, State.CHECKING])
def test_a_file_that_waits_for_its_check_outlives_a_cancellation(
    direct: S3, client: Client, django_capture_on_commit_callbacks: Any, state: State
) -> None:
    content = small_file().read_bytes()
    upload = begin(client, content)["id"]
    send(client, upload, content)
    finish(client, upload, digests(content))
    Submission.objects.update(state=state)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"/s/{upload}/cancel")
        client.post(f"/s/{upload}/retry")
    do_job("check_submission", upload)
    row = Submission.objects.get()
    assert (row.state, row.file_sha256) == (State.QUEUED, hashlib.sha256(content).hexdigest())


@pytest.mark.parametrize("nth", [0, 1, 2])
def test_a_piece_that_arrived_with_other_bytes_is_found_and_named(direct: S3, client: Client, nth: int) -> None:
    upload = begin(client, LARGE)["id"]
    spoiled = bytearray(LARGE)
    spoiled[min(nth * PIECE + 1000, len(LARGE) - 1)] ^= 1
    send(client, upload, bytes(spoiled))
    finish(client, upload, digests(LARGE))
    do_job("check_submission", upload)
    row = Submission.objects.get()
    assert (row.state, row.error["code"]) == (State.REJECTED, "damaged-upload")
    assert f"piece {nth + 1} of 3" in row.error["message"]


@pytest.mark.parametrize("wrong", ["[]", "[[]]", "[[1]]", '[["x"]]', "{", "5", "[5]"])
def test_without_a_hash_of_every_piece_nothing_is_finished(direct: S3, client: Client, wrong: str) -> None:
    content = small_file().read_bytes()
    upload = begin(client, content)["id"]
    send(client, upload, content)
    assert finish(client, upload, wrong).status_code == 400
    assert Submission.objects.get().state == State.RECEIVING
    assert finish(client, upload, digests(content)).status_code == 200


def test_an_upload_is_not_finished_before_its_last_piece(direct: S3, client: Client) -> None:
    upload = begin(client, LARGE)["id"]
    send(client, upload, LARGE[: 2 * PIECE])
    assert finish(client, upload, digests(LARGE)).status_code == 409


def test_finishing_again_after_a_web_process_died_in_mid_finish_goes_through(direct: S3, client: Client) -> None:
    upload = begin(client, LARGE)["id"]
    send(client, upload, LARGE)
    part = PartialFile.objects.get()
    PartialFile.objects.update(digests=json.loads(digests(LARGE))[0])
    key = storage.upload_key(upload)
    multipart.complete(key, part.bucket_upload, multipart.parts(key, part.bucket_upload))
    assert [finish(client, upload, digests(LARGE)).status_code for _ in range(2)] == [200, 200]
    assert Submission.objects.get().state == State.UPLOADED


def test_a_cancelled_upload_leaves_nothing_in_the_bucket(
    direct: S3, client: Client, django_capture_on_commit_callbacks: Any
) -> None:
    upload = begin(client, LARGE)["id"]
    send(client, upload, LARGE[:PIECE])
    with django_capture_on_commit_callbacks(execute=True):
        client.post(f"/s/{upload}/cancel")
    assert [key for key, *_ in multipart.unfinished() if upload in key] == []
    assert place(client, upload, PIECE).status_code == 404


def test_an_upload_is_forgotten_a_day_after_its_last_piece(direct: S3, client: Client) -> None:
    upload = begin(client, LARGE)["id"]
    send(client, upload, LARGE[:PIECE])
    Submission.objects.update(created_at=timezone.now() - timedelta(days=2))
    chunks.forget_abandoned()
    assert Submission.objects.exists()
    silent = begin(client, LARGE)["id"]
    Submission.objects.filter(pk=silent).update(created_at=timezone.now() - timedelta(days=2))
    chunks.forget_abandoned()
    assert not Submission.objects.filter(pk=silent).exists()


def test_parts_without_a_row_are_given_up_once_a_day(direct: S3, client: Client) -> None:
    going_on = begin(client, LARGE)["id"]
    lost = multipart.begin("uploads/zz/lost.gz")
    retention.tidy()
    left = [(key, upload) for key, upload, _ in multipart.unfinished()]
    assert [key for key, _ in left] == [storage.upload_key(going_on)]
    assert lost not in [upload for _, upload in left]


@pytest.mark.parametrize("at", [-1, 1, PIECE + 1, 3 * PIECE])
def test_no_place_is_signed_where_no_piece_begins(direct: S3, client: Client, at: int) -> None:
    upload = begin(client, LARGE)["id"]
    assert place(client, upload, at).status_code == 409


def test_an_address_is_signed_for_one_piece_of_its_size_and_for_an_hour(direct: S3, client: Client) -> None:
    upload = begin(client, LARGE)["id"]
    url = httpx.URL(place(client, upload, PIECE).json()["url"])
    assert (url.params["partNumber"], url.params["X-Amz-Expires"]) == ("2", "3600")
    assert url.params["X-Amz-SignedHeaders"] == "content-length;host"


def test_a_stranger_gets_no_address(direct: S3, client: Client) -> None:
    upload = begin(client, LARGE)["id"]
    assert place(Client(), upload, 0).status_code == 404
    assert finish(Client(), upload, digests(LARGE)).status_code == 404


def test_pieces_of_a_direct_upload_are_not_taken_by_the_site(direct: S3, client: Client) -> None:
    upload = begin(client, LARGE)["id"]
    sent = client.put(f"/s/{upload}/upload?file=1&offset=0", LARGE[:100], content_type="application/octet-stream")
    assert sent.status_code == 400


@pytest.mark.parametrize(("asked", "endpoint"), [("", "http://127.0.0.1:1"), ("1", None)])
def test_a_browser_that_cannot_or_a_site_that_does_not_offer_it_sends_through_the_site(
    direct: S3, client: Client, settings: Any, asked: str, endpoint: str | None
) -> None:
    settings.VECBOARD_S3_BROWSER_ENDPOINT = endpoint
    content = small_file().read_bytes()
    upload = begin(client, content, to_bucket=asked)
    assert upload["to_bucket"] is False
    client.put(f"/s/{upload['id']}/upload?file=1&offset=0", content, content_type="application/octet-stream")
    assert finish(client, upload["id"], "[]").status_code == 200
    assert Submission.objects.get().file_sha256 == hashlib.sha256(content).hexdigest()


def test_only_the_upload_page_may_connect_to_the_bucket(direct: S3, client: Client, settings: Any) -> None:
    there = f"connect-src 'self' {settings.VECBOARD_S3_BROWSER_ENDPOINT};"
    assert there in client.get("/submit")["Content-Security-Policy"]
    assert "connect-src 'self';" in client.get("/healthz")["Content-Security-Policy"]
