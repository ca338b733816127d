"""Redis may be away: pages are made anew, counters refuse nobody, and what is stored stays stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from benchmark.leaderboard import kept
from benchmark.people.limits import Limit, spend
from benchmark.submissions.models import Submission
from tests.benchmark.reports import SUITE

NOBODY_THERE = "redis://127.0.0.1:1/0"


@pytest.fixture
def redis_is_away(settings: Any) -> Iterator[None]:
    one = {"BACKEND": "benchmark.caches.PatientRedisCache", "LOCATION": NOBODY_THERE}
    settings.CACHES = settings.CACHES | {"default": one}
    yield
    cache.close()


@pytest.mark.usefixtures("redis_is_away")
def test_nothing_is_known_and_nothing_fails() -> None:
    cache.set("key", 1)
    assert cache.get("key") is None
    assert cache.get("key", 7) == 7
    assert cache.get_many(["key"]) == {}
    assert "key" not in cache
    assert cache.add("key", 1)
    assert not cache.delete("key")
    with pytest.raises(ValueError, match="away"):
        cache.incr("key")


@pytest.mark.usefixtures("redis_is_away", "db")
def test_the_board_is_made_anew_and_an_entry_is_stored() -> None:
    row = Submission.objects.create(name="stored", suite=SUITE.id)
    assert Submission.objects.filter(pk=row.pk).exists()
    assert Client().get("/").status_code == 200
    assert kept.mark() != kept.mark()


@pytest.mark.usefixtures("redis_is_away")
def test_whoever_counts_refuses_nobody() -> None:
    assert all(spend(Limit("tries", most=1, seconds=60), "somebody") for _ in range(3))
