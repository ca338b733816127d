"""Separate files for each test, and a reader in this process."""

from __future__ import annotations

from collections.abc import Callable
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
from workers import sweeper, vectors
from workers.kinds import baseline

Sweep = Callable[..., list[tuple[str, Any]]]
Commit = Callable[..., AbstractContextManager[list[Callable[[], Any]]]]


@pytest.fixture
def own_files(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Separate files for each test; no sweep asks for the corpus for download, or for the baseline's vectors."""
    monkeypatch.setattr(baseline, "can_be_trained", lambda _: False)
    settings.VECBOARD_VAR = tmp_path
    settings.STORAGE_ROOT = tmp_path / "storage"
    text_path(current_suite()).touch()
    describe(current_suite(), CorpusFile("", 0, 0, 0))
    return tmp_path


@pytest.fixture(autouse=True)
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read files in this process, as starting another takes much longer than reading a small file.

    ``test_reading.py`` tests the process that sites start.
    """

    def outcome(request: child.Request, progress: Progress) -> child.Step | child.Outcome:
        progress(0.0, "reading")
        return child.decoded(child.encoded(child._outcome(request, no_progress)))

    monkeypatch.setattr(vectors, "_outcome", outcome)


@pytest.fixture
def bucket(s3: S3, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> S3:
    """An empty bucket that this process uses as its storage."""
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
    own_files: Path, django_capture_on_commit_callbacks: Commit, messages: Callable[[], list[tuple[str, str]]]
) -> Sweep:
    """Sweep, and return the messages."""

    def sweep(now: Any = None) -> list[tuple[str, Any]]:
        with django_capture_on_commit_callbacks(execute=True):
            sweeper.sweep(now or timezone.now())
        return messages()

    return sweep
