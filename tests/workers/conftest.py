"""Files and a broker of a test's own, and a reader that is not a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.utils import timezone

from benchmark.data import current_suite
from benchmark.env import file_storage
from benchmark.protocol.views import CorpusFile, describe, text_path
from tasks.formats import child
from tasks.processes import Progress, no_progress
from tests.servers import S3
from workers import broker, sweeper, vectors
from workers.app import app

Commit = Callable[..., AbstractContextManager[list[Callable[[], Any]]]]


@pytest.fixture
def own_files(settings: Any, tmp_path: Path) -> Path:
    """Files of this test only; the corpus for download is made already, so that no sweep asks for it."""
    settings.VECBOARD_VAR = tmp_path
    settings.STORAGE_ROOT = tmp_path / "storage"
    text_path(current_suite()).touch()
    describe(current_suite(), CorpusFile("", 0, 0, 0))
    return tmp_path


@pytest.fixture(autouse=True)
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in this process: to start another takes much longer than to read a small file.

    The process that sites start for it is tested in ``test_reading.py``, which says so.
    """

    def outcome(request: child.Request, progress: Progress) -> child.Step | child.Outcome:
        progress(0.0, "reading")
        return child.decoded(child.encoded(child._outcome(request, no_progress)))

    monkeypatch.setattr(vectors, "_outcome", outcome)


@pytest.fixture
def bucket(s3: S3, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> S3:
    """This process keeps its files in the bucket, which is empty."""
    s3.empty()
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    settings.STORAGE_ROOT = tmp_path / "storage"
    settings.VECBOARD_S3_BUCKET, settings.VECBOARD_S3_REGION = s3.bucket, "us-east-1"
    endpoint = s3.environment["VECBOARD_S3_ENDPOINT"]
    settings.STORAGES = settings.STORAGES | {"default": file_storage(tmp_path, s3.bucket, endpoint, "us-east-1")}
    assert type(storages["default"]).__name__ == "S3Storage"
    return s3


@pytest.fixture
def sent(
    own_files: Path, django_capture_on_commit_callbacks: Commit, tmp_path: Any
) -> Iterator[Callable[..., list[tuple[str, Any]]]]:
    """Sweep, and see which messages really lie in a broker of this test's own."""
    before = {key: app.conf[key] for key in ("broker_url", "broker_transport_options")}
    app.conf.update(broker.broker_settings(None, tmp_path))
    app._after_fork()  # forget the connections to the broker before

    def sweep(now: Any = None) -> list[tuple[str, Any]]:
        with django_capture_on_commit_callbacks(execute=True):
            sweeper.sweep(now or timezone.now())
        return messages()

    def messages() -> list[tuple[str, Any]]:
        found = []
        for name in (broker.AT_ONCE_QUEUE, broker.QUEUE):
            with app.connection() as connection, connection.SimpleQueue(name) as queue:
                while queue.qsize():
                    message = queue.get_nowait()
                    found.append((message.headers["task"].rpartition(".")[2], message.payload[0][0]))
                    message.ack()
        return found

    yield sweep
    app.conf.update(before)
    app._after_fork()  # forget the connections to the broker before
