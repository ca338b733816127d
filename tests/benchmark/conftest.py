"""Three fixed people, and submissions in every state."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from benchmark.operations.counting import Limit, count
from benchmark.submissions.models import Submission
from tests.benchmark.entries import submitted
from tests.benchmark.reports import TOKEN

Make = Callable[..., Submission]
Browser = Callable[[Submission], Client]


@pytest.fixture(autouse=True)
def own_files(settings: Any, tmp_path: Path) -> Path:
    """Separate storage for each test, with the demo suite."""
    settings.VECBOARD_VAR = tmp_path / "var"
    settings.STORAGE_ROOT = tmp_path / "storage"
    settings.VECBOARD_SUITE = "demo"
    cache.clear()
    return tmp_path


@pytest.fixture
def submission(db: None) -> Make:
    """Make a submission; a finished one has a report."""

    return submitted


@pytest.fixture
def free_space(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Set the free space that the operating system reports for every disk."""

    def report(free: int) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=10 * free, used=9 * free, free=free))

    return report


@pytest.fixture
def stopped_clock() -> Iterator[time_machine.Traveller]:
    """A clock that stands still unless a test shifts it, so that no window of a limit ends in the middle."""
    with time_machine.travel(timezone.now(), tick=False) as clock:
        yield clock


@pytest.fixture
def leave(stopped_clock: time_machine.Traveller) -> Callable[[Limit, str | int, int], None]:
    """Use up a person's limit except for some uses."""

    def use(limit: Limit, who: str | int, uses: int) -> None:
        name = f"{limit.name}:{who}"
        count(name, limit.seconds, limit.most - uses - count(name, limit.seconds, 0))

    return use


@pytest.fixture
def stranger() -> Client:
    """A visitor who knows only the URL."""
    return Client()


@pytest.fixture
def owner() -> Browser:
    """The uploader in the same browser."""

    def browser(row: Submission) -> Client:
        client = Client()
        client.cookies[row.cookie_name(row.pk)] = TOKEN
        return client

    return browser


@pytest.fixture
def other() -> Browser:
    """A visitor with a wrong secret, for example that of another submission."""

    def browser(row: Submission) -> Client:
        client = Client()
        client.cookies[row.cookie_name(row.pk)] = "x" * len(TOKEN)
        return client

    return browser
