"""One visitor requests all of a shared budget, and another one is still served."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from benchmark.leaderboard import table
from benchmark.leaderboard.models import ComputedBoard
from benchmark.operations import counting
from benchmark.operations.counting import TooMuch, computing, current_payer
from benchmark.operations.models import Ticket
from benchmark.submissions import fetching, vectors
from benchmark.submissions.models import PartialFile, Submission
from benchmark.submissions.states import State
from extensions.associations import answers
from extensions.pictures import image

Ask = Callable[[str], bool]
"""Make a request as this payer; return whether it was granted."""
FIRST, SECOND = "203.0.113.1", "203.0.113.2"
TRIES = 40

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stopped_clock")]


@pytest.fixture
def held() -> Iterator[ExitStack]:
    with ExitStack() as held:
        yield held


def granted_to(payer: str, step: Callable[[], object]) -> bool:
    token = current_payer.set(payer)
    try:
        step()
    except TooMuch:
        return False
    finally:
        current_payer.reset(token)
    return True


def computations(held: ExitStack, what: str, most: int) -> Ask:
    """Computations that begin at the same moment and do not end."""
    return lambda payer: granted_to(payer, lambda: held.enter_context(computing(what, most, "busy")))


@pytest.fixture
def look_ups(held: ExitStack) -> Ask:
    return computations(held, "look-ups", vectors.OF_ALL)


@pytest.fixture
def association_tests(held: ExitStack) -> Ask:
    return computations(held, "associations", answers.OF_ALL)


@pytest.fixture
def board_pictures(held: ExitStack) -> Ask:
    return computations(held, "board-pictures", image.OF_ALL)


def freezes(size: int | None = None) -> Ask:
    """Permanent links, each to another board; with a size, every one counts as that large and was made before today."""
    versions = itertools.count(1)

    def freeze() -> None:
        body = os.urandom(100)
        digest = hashlib.sha256(body).hexdigest()
        row = ComputedBoard.objects.create(
            suite="demo", version=next(versions), digest=digest, size=len(body), body=body
        )
        table.freeze(row.suite, row.version)
        if size is not None:
            ComputedBoard.objects.filter(pk=row.pk).update(size=size, kept_at=timezone.now() - timedelta(days=2))

    return lambda payer: granted_to(payer, freeze)


@pytest.fixture
def frozen_boards_a_day() -> Ask:
    return freezes()


@pytest.fixture
def bytes_of_frozen_boards() -> Ask:
    return freezes(size=table.MOST_BYTES // 10)


@pytest.fixture
def room_for_uploads(settings: Any, free_space: Callable[[int], None]) -> Ask:
    settings.VECBOARD_DISK_STOP_BYTES = 1_000_000
    free_space(2_000_000)
    announced = {"name": "large", "files": [{"name": "large.gz", "bytes": 100_000}]}

    def ask(payer: str) -> bool:
        sent = Client().post("/api/v1/uploads", announced, content_type="application/json", REMOTE_ADDR=payer)
        return sent.status_code == 201

    return ask


@pytest.fixture
def turns_to_fetch(settings: Any) -> Ask:
    settings.VECBOARD_FETCHES_AT_ONCE = 5

    def ask(payer: str) -> bool:
        row = Submission.objects.create(suite="demo", state=State.RECEIVING)
        Ticket.objects.filter(submission=row).update(payer=payer)
        PartialFile.objects.create(submission=row, position=1, name="x", bytes=0, url="https://example.org/x")
        fetching.take_turns()
        return row.jobs.exists()

    return ask


BUDGETS = [
    *("look_ups", "association_tests", "board_pictures", "frozen_boards_a_day", "bytes_of_frozen_boards"),
    *("room_for_uploads", "turns_to_fetch"),
]


@pytest.mark.parametrize("budget", BUDGETS)
def test_one_visitor_cannot_use_up_a_shared_budget(budget: str, request: pytest.FixtureRequest) -> None:
    ask: Ask = request.getfixturevalue(budget)
    granted = sum(ask(FIRST) for _ in range(TRIES))
    assert 1 <= granted < TRIES
    assert ask(SECOND)


def test_used_time_stays_counted_and_unused_time_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "thread_time", itertools.count().__next__)  # every computation takes a second

    def compute() -> None:
        with computing("anything", 8_000, "busy"):
            pass

    assert [sum(granted_to(payer, compute) for _ in range(9)) for payer in (FIRST, SECOND, "")] == [4, 4, 0]
    monkeypatch.setattr(counting, "thread_time", lambda: 0)  # none takes any time
    with computing("another", 8_000, "busy"):
        pass
    assert counting.count("another", 60, 0) == 0
