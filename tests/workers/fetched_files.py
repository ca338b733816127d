"""A server with TLS that a site may fetch files from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from benchmark import storage
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tests.workers.factories import do_job
from tests.workers.web_server import WebServer, certificate, raw, web_server
from workers import public_internet

ENDLESS = raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", again=b"2000\r\n" + b"x" * 0x2000 + b"\r\n")
"""A body without an end."""


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("tls"), "localhost")


@pytest.fixture
def web(key: Path, settings: Any, monkeypatch: pytest.MonkeyPatch, short_pauses: None) -> Iterator[WebServer]:
    """A listed server at a non-public address: every fetch from it is refused unless a test allows it."""
    settings.VECBOARD_SUITE = "demo"
    monkeypatch.setenv("SSL_CERT_FILE", f"{key}.crt")
    with web_server(key) as server:
        settings.VECBOARD_FETCH_HOSTS = (("localhost", server.port),)
        yield server


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loopback counts as public in this process and test only; no setting can do this."""
    monkeypatch.setattr(public_internet, "is_public", lambda address: address in ("127.0.0.1", "::1"))


def asked(url: str, client: Client | None = None, **fields: str) -> Submission:
    """A submission whose file is to be fetched, requested on the page."""
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
