"""Asking the site to fetch a file, by form and API; accepted and refused URLs."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from benchmark.submissions.fetching import web_file
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tasks.errors import InputError

pytestmark = pytest.mark.django_db
HOSTS = (("files.example.org", 443), ("other.example.org", 8443))
URL = "https://files.example.org/glove.6B.zip"


@pytest.fixture
def listed(settings: Any) -> None:
    settings.VECBOARD_FETCH_HOSTS = HOSTS


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize(
    ("url", "kept", "name"),
    [
        (URL, URL, "glove.6B.zip"),
        (" HTTPS://Files.Example.ORG:443/a%20b.txt#part ", "https://files.example.org/a%20b.txt", "a b.txt"),
        ("https://other.example.org:8443/v?x=1&y=a/b", "https://other.example.org:8443/v?x=1&y=a/b", "v"),
        ("https://files.example.org", "https://files.example.org/", "vectors"),
        ("https://files.example.org/é ü", "https://files.example.org/%C3%A9%20%C3%BC", "é ü"),
        ("https://files.example.org/a\r\nX: y", "https://files.example.org/aX:%20y", "aX: y"),
        ("https://files.example.org/../../etc/passwd", "https://files.example.org/../../etc/passwd", "passwd"),
    ],
)
def test_a_url_on_the_list_is_taken(url: str, kept: str, name: str) -> None:
    found = web_file(url)
    assert (found.url, found.name) == (kept, name)


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize(
    "url",
    [
        *("", "glove.zip", "http://files.example.org/a", "ftp://files.example.org/a", "file:///etc/passwd"),
        *("https://", "https:///a", "https://[::1/a", "https://files.example.org:x/a", "https://files.example.org:0/a"),
        *("https://evil.example/a", "https://files.example.org.evil.example/a", "https://evil.files.example.org/a"),
        *("https://files.example.org@evil.example/a", "https://evil.example#@files.example.org/a"),
        *("https://user:secret@files.example.org/a", "https://files.example.org./a", "https://127.0.0.1/a"),
        *("https://files.example.org:8443/a", "https://other.example.org/a", "https://[::1]/a"),
        *("https://evil.example\\@files.example.org/a", "//files.example.org/a", "javascript:alert(1)"),
        *("https://files.example.org/" + "a" * 2000, "https://ｆiles.example.org/a"),
    ],
)
def test_any_other_url_is_refused_in_a_sentence(stranger: Client, url: str) -> None:
    with pytest.raises(InputError, match=r"files\.example\.org"):
        web_file(url)
    if url:
        response = stranger.post("/submit", {"name": "Fetched", "url": url})
        assert response.status_code == 400
        assert 'class="field wrong" id="field-url"' in response.content.decode()
    assert not Submission.objects.exists()


@pytest.mark.usefixtures("listed")
def test_the_form_says_from_where_and_makes_a_submission_that_waits(stranger: Client) -> None:
    page = stranger.get("/submit").content.decode()
    assert 'name="url"' in page
    assert "from: files.example.org, other.example.org:8443" in page
    response = stranger.post("/submit", {"name": "Fetched", "url": URL, "member": "glove.6B.50d.txt"})
    row = Submission.objects.get()
    assert response.url == f"/s/{row.pk}?new=1"
    assert row.is_owned_with(stranger.cookies[f"owner-{row.pk}"].value)
    assert (row.state, row.member, row.web_file.url) == (State.RECEIVING, "glove.6B.50d.txt", URL)


@pytest.mark.usefixtures("listed")
def test_the_api_takes_a_url_in_the_place_of_a_file(stranger: Client) -> None:
    response = stranger.post("/api/v1/submissions", {"name": "Fetched", "url": URL})
    assert response.status_code == 202
    body = response.json()
    key = {"Authorization": f"Bearer {body['token']}"}
    upload = stranger.get(f"/api/v1/uploads/{body['id']}", headers=key).json()
    assert upload["files"] == [{"position": 1, "name": "glove.6B.zip", "bytes": 0, "offset": 0}]
    refused = stranger.post("/api/v1/submissions", {"name": "Fetched", "url": "https://evil.example/"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "host-not-listed")
    assert refused.json()["error"]["field"] == "url"


@pytest.mark.usefixtures("listed")
def test_a_file_and_a_url_together_are_refused(stranger: Client, vector_file: Path, own_files: Path) -> None:
    file = BytesIO(vector_file.read_bytes())
    file.name = "small.txt.gz"
    response = stranger.post("/api/v1/submissions", {"name": "Both", "url": URL, "file": file})
    assert response.json()["error"]["code"] == "file-and-url"
    response.close()
    assert not [path for path in (own_files / "storage").rglob("*") if path.is_file()]


@pytest.mark.usefixtures("listed")
def test_neither_a_file_nor_a_url_is_reported_at_the_file(stranger: Client) -> None:
    response = stranger.post("/submit", {"name": "Nothing", "url": ""})
    assert "No file was sent; choose a vector file." in response.content.decode()


def test_without_a_list_there_is_no_field_and_no_fetching(stranger: Client) -> None:
    assert 'name="url"' not in stranger.get("/submit").content.decode()
    response = stranger.post("/api/v1/submissions", {"name": "Fetched", "url": URL})
    assert (response.status_code, response.json()["error"]["code"]) == (400, "fetch-off")
    assert not Submission.objects.exists()


@pytest.mark.usefixtures("listed")
def test_files_that_wait_count_as_open(stranger: Client, settings: Any) -> None:
    settings.VECBOARD_OPEN_UPLOADS = 2
    for _ in range(2):
        assert stranger.post("/api/v1/submissions", {"name": "Fetched", "url": URL}).status_code == 202
    assert stranger.post("/api/v1/submissions", {"name": "Fetched", "url": URL}).status_code == 429
