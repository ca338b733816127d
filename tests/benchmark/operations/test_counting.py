"""What is counted within a window of time ends with it, on every cache, however often it is counted."""

from __future__ import annotations

from pathlib import Path
from time import time
from typing import Any

import pytest

from benchmark.operations import counting
from benchmark.operations.counting import count


class Clock:
    now = 1_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(counting, "time", clock)
    return clock


@pytest.fixture(autouse=True)
def files(settings: Any, tmp_path: Path) -> None:
    one = {"BACKEND": "benchmark.caches.JsonFileCache", "LOCATION": str(tmp_path)}
    settings.CACHES = settings.CACHES | {"default": one}


def test_every_use_of_a_window_counts_and_those_of_others_do_not(clock: Clock) -> None:
    assert [count("a", 60) for _ in range(3)] == [1, 2, 3]
    assert count("b", 60) == 1


def test_several_count_at_once_and_nothing_asks_how_many_there_were(clock: Clock) -> None:
    assert [count("a", 60, more) for more in (0, 500, 0, 250)] == [0, 500, 500, 750]


def test_a_person_who_never_stops_gets_a_new_window_all_the_same(clock: Clock) -> None:
    counted = []
    for _ in range(6):
        counted.append(count("a", 60))
        clock.now += 30
    assert max(counted) == 2


def test_a_window_longer_than_the_caches_own_time_is_not_forgotten_in_between(clock: Clock, tmp_path: Path) -> None:
    count("a", 3600)
    count("a", 3600)
    (kept,) = tmp_path.glob("*.djcache")
    assert float(kept.read_text().splitlines()[0]) - time() > 3600
