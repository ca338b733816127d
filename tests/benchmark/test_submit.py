from __future__ import annotations

import gzip
import hashlib
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from benchmark import storage
from benchmark.submissions.models import Submission

pytestmark = pytest.mark.django_db


def send(client: Client, file: BytesIO | Path | None, **fields: Any) -> Any:
    form = {"name": "small", **fields}
    if isinstance(file, Path):
        file = BytesIO(file.read_bytes())
    if file is not None:
        file.name = getattr(file, "name", None) or "small.txt.gz"
        form["file"] = file
    return client.post("/submit", form)


def stored_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_the_form_states_the_limits(stranger: Client) -> None:
    page = stranger.get("/submit").content.decode()
    for limit in ("3 GB", "12 GB", "5,000,000 words", "2,000 dimensions"):
        assert limit in page


def test_a_file_is_stored_as_it_came_and_the_uploader_becomes_its_owner(stranger: Client, vector_file: Path) -> None:
    response = send(stranger, vector_file, description="made by hand", track="prescribed", licence="CC0")
    row = Submission.objects.get()
    assert response.url == f"/s/{row.pk}?new=1"
    assert storage.path_of(row.file_key).read_bytes() == vector_file.read_bytes()
    assert row.file_sha256 == hashlib.sha256(vector_file.read_bytes()).hexdigest()
    assert (row.state, row.name, row.track, row.language, row.suite) == (
        "uploaded",
        "small",
        "prescribed",
        "en",
        "demo",
    )
    assert row.is_owned_with(stranger.cookies[f"owner-{row.pk}"].value)


def test_the_check_is_asked_for_once_the_row_is_there(
    stranger: Client, vector_file: Path, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        send(stranger, vector_file)
    assert len(callbacks) == 1
    assert Submission.objects.get().check_enqueued_at is not None


def test_a_hostile_file_name_is_only_shown(stranger: Client, vector_file: Path) -> None:
    file = BytesIO(vector_file.read_bytes())
    file.name = "..\\..\\<script>alert(1)</script>.gz"
    send(stranger, file)
    row = Submission.objects.get()
    assert storage.root().resolve() in storage.path_of(row.file_key).parents
    assert row.file_key == storage.upload_key(row.pk)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"the 1 2 3\n", "The file is not gzipped"),
        (b"", "The file is empty"),
        (b"\x1f", "The file is not gzipped"),
        (b"PK\x03\x04", "The file is not gzipped"),
    ],
)
def test_a_file_that_is_not_gzipped_is_refused_at_its_field(
    stranger: Client, own_files: Path, content: bytes, sentence: str
) -> None:
    response = send(stranger, BytesIO(content))
    assert response.status_code == 400
    assert sentence in response.content.decode()
    assert not Submission.objects.exists()
    response.close()
    assert stored_files(own_files / "storage") == []


def test_no_file_is_told_at_its_field(stranger: Client) -> None:
    response = send(stranger, None)
    assert response.status_code == 400
    assert "No file arrived; choose a gzipped vector file." in response.content.decode()


def test_a_name_of_blanks_is_no_name(stranger: Client, vector_file: Path) -> None:
    response = send(stranger, vector_file, name="  ")
    assert "The name is missing; say what these vectors are called." in response.content.decode()
    assert not Submission.objects.exists()


def test_a_file_past_the_limit_is_refused_while_it_arrives(stranger: Client, own_files: Path, settings: Any) -> None:
    settings.VECBOARD_MAX_UPLOAD_BYTES = 1000
    response = send(stranger, BytesIO(gzip.compress(bytes(range(256)) * 40, 0)))
    assert response.status_code == 413
    assert "The file is larger than 1 kB" in response.content.decode()
    assert not Submission.objects.exists()
    response.close()
    assert stored_files(own_files / "storage") == []


def test_what_is_far_too_large_is_refused_before_a_byte_is_written(
    stranger: Client, own_files: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmark.submissions.receiving.DRAIN_BYTES", 0)
    settings.VECBOARD_MAX_UPLOAD_BYTES = 1000
    assert send(stranger, BytesIO(b"\x1f\x8b" + b"x" * 5000)).status_code == 413
    assert stored_files(own_files / "storage") == []


def test_a_file_of_exactly_the_limit_is_taken(stranger: Client, vector_file: Path, settings: Any) -> None:
    settings.VECBOARD_MAX_UPLOAD_BYTES = vector_file.stat().st_size
    assert send(stranger, vector_file).status_code == 302


def test_another_site_cannot_submit_in_a_visitors_name(vector_file: Path) -> None:
    assert send(Client(enforce_csrf_checks=True), vector_file).status_code == 403
    assert not Submission.objects.exists()


def test_a_script_that_shows_progress_is_told_where_to_go(stranger: Client, vector_file: Path) -> None:
    form = {"name": "small", "file": BytesIO(vector_file.read_bytes())}
    response = stranger.post("/submit", form, headers={"Accept": "application/json"})
    assert response.json()["location"].startswith(f"/s/{Submission.objects.get().pk}")


def test_a_script_that_shows_progress_is_told_the_errors_by_field(stranger: Client) -> None:
    response = stranger.post("/submit", {"name": ""}, headers={"Accept": "application/json"})
    assert response.status_code == 400
    assert set(response.json()["errors"]) == {"name", "file"}


def test_two_files_at_once_are_refused_in_style(vector_file: Path) -> None:
    form = {"name": "small", "file": BytesIO(vector_file.read_bytes()), "more": BytesIO(b"\x1f\x8b")}
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.get("/submit")
    response = client.post("/submit", form)
    assert response.status_code == 400
    assert "held more than one file" in response.content.decode()


@pytest.mark.parametrize("path", ["/submit", "/api/v1/submissions"])
def test_of_an_upload_that_breaks_off_nothing_stays(
    stranger: Client, own_files: Path, vector_file: Path, path: str
) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="small.gz"\r\n\r\n'
    body = head + vector_file.read_bytes()
    response = stranger.post(path, data=body, content_type="multipart/form-data; boundary=b")
    assert response.status_code == 400
    assert not Submission.objects.exists()
    assert stored_files(own_files / "storage") == []
