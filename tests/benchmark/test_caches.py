"""Without Redis, pages are rendered again, counters refuse nobody, and stored values stay."""

from __future__ import annotations

import os
import pickle
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache, caches
from django.core.cache.backends.base import BaseCache
from django.test import Client

from benchmark.caches import JsonFileCache
from benchmark.leaderboard import page_cache
from benchmark.operations.counting import Limit, spend
from benchmark.submissions.models import Submission
from tests.benchmark.reports import SUITE

REDIS_OPTIONS = {"serializer": "benchmark.caches.JsonSerializer"}
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
    with pytest.raises(ValueError, match="unavailable"):
        cache.incr("key")


@pytest.mark.usefixtures("redis_is_away", "db")
def test_the_board_is_made_again_and_an_entry_is_stored() -> None:
    row = Submission.objects.create(name="stored", suite=SUITE.id)
    assert Submission.objects.filter(pk=row.pk).exists()
    assert Client().get("/").status_code == 200
    assert page_cache.mark() != page_cache.mark()


@pytest.mark.usefixtures("redis_is_away")
def test_counting_alone_refuses_nobody() -> None:
    assert all(spend(Limit("tries", most=1, seconds=60), "somebody") for _ in range(3))


# A folder has a bound, and what is still true is the last to go


def small(folder: Path) -> JsonFileCache:
    return JsonFileCache(str(folder), {"OPTIONS": {"MAX_ENTRIES": 30}})


def test_what_has_expired_makes_room_for_what_has_not(tmp_path: Path) -> None:
    kept_here = small(tmp_path)
    for nth in range(15):
        kept_here.set(f"alive-{nth}", nth, 600)
    for nth in range(300):
        kept_here.set(f"over-{nth}", nth, -1)
    assert [kept_here.get(f"alive-{nth}") for nth in range(15)] == list(range(15))
    assert len(list(tmp_path.glob("*.djcache"))) <= 30


def test_a_folder_full_of_what_is_still_true_stays_within_its_bound(tmp_path: Path) -> None:
    kept_here = small(tmp_path)
    for nth in range(300):
        kept_here.set(f"alive-{nth}", nth, 600)
        assert len(list(tmp_path.glob("*.djcache"))) <= 30
    assert kept_here.get("alive-299") == 299


# What is kept is JSON: nothing that is put into a cache by others is run


class Spiteful:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.target,)

    def __init__(self, target: str) -> None:
        self.target = target


VALUES: tuple[Any, ...] = (0, 7, -1.5, "näïve", True, None, [1, "a", None], {"needed": {"raters": 20}})


def caches_of_json(settings: Any, folder: Path, redis_url: str) -> Iterator[BaseCache]:
    for one in (
        {"BACKEND": "benchmark.caches.JsonFileCache", "LOCATION": str(folder)},
        {"BACKEND": "benchmark.caches.PatientRedisCache", "LOCATION": redis_url, "OPTIONS": REDIS_OPTIONS},
    ):
        settings.CACHES = settings.CACHES | {"default": one}
        yield caches["default"]


def test_what_was_kept_comes_back(settings: Any, tmp_path: Path, redis_url: str) -> None:
    for kept_here in caches_of_json(settings, tmp_path, redis_url):
        for value in VALUES:
            kept_here.set("key", value, 60)
            assert kept_here.get("key", "nothing") == value
        kept_here.set("count", 0, 60)
        assert [kept_here.incr("count") for _ in range(2)] == [1, 2]
        assert not kept_here.add("count", 9)
        assert kept_here.touch("count", 60)
        assert kept_here.get("count") == 2
        kept_here.set("over", 1, 0.01)
        time.sleep(0.05)
        assert kept_here.get("over") is None
        with pytest.raises(TypeError, match="JSON"):
            kept_here.set("key", {"a set"}, 60)


def test_a_pickle_that_somebody_put_there_is_not_loaded(settings: Any, tmp_path: Path, redis_url: str) -> None:
    target = tmp_path / "was-run"
    spite = pickle.dumps(Spiteful(str(target)))
    for kept_here in caches_of_json(settings, tmp_path / "cache", redis_url):
        kept_here.set("key", "x", 60)
        if isinstance(kept_here, JsonFileCache):
            Path(kept_here._key_to_file("key")).write_bytes(pickle.dumps(time.time() + 60) + zlib.compress(spite))
        else:
            kept_here._cache.get_client().set(kept_here.make_key("key"), spite)  # type: ignore[attr-defined]
        assert kept_here.get("key") is None
    assert not target.exists()
