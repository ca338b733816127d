"""Caches that all processes share: JSON only, so that write access to one cannot make a process run anything.

Redis may be away, a disk may be full: what a cache would remember is recomputed, and no request fails because of it.
"""

from __future__ import annotations

import json
import logging
import os
import random
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, ParamSpec, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as Away
from redis.exceptions import TimeoutError as Silent

log = logging.getLogger(__name__)
Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


class JsonSerializer:
    """For Redis. A number is written as Redis counts it."""

    def dumps(self, value: object) -> bytes:
        return json.dumps(value).encode()

    def loads(self, written: bytes) -> object:
        """None, as for what is not there, where something else than JSON was put into Redis."""
        with suppress(ValueError, RecursionError):
            return json.loads(written)
        return None


class JsonFileCache(FileBasedCache):
    """A directory of files, each with its expiry time on the first line; one that cannot be read counts as missing.

    Beyond MAX_ENTRIES, give or take a hundredth, what has expired is deleted first, then others at random down to two
    thirds. On a full disk nothing is kept; ``incr`` then raises ValueError as for a key that has expired.
    """

    _key_to_file: Callable[[str, int | None], str]
    _delete: Callable[[str], None]
    _list_cache_files: Callable[[], list[str]]
    _dir: str
    _max_entries: int

    def set(self, key: str, value: object, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        try:
            super().set(key, value, timeout, version)
        except OSError as problem:
            log.warning("The cache cannot write: %s", problem)

    def _write_content(self, file: IO[bytes], timeout: float | None, value: object) -> None:
        ends = self.get_backend_timeout(timeout)
        file.write(f"{json.dumps(ends)}\n{json.dumps(value)}".encode())

    def get(self, key: str, default: object = None, version: int | None = None) -> object:
        with (
            suppress(FileNotFoundError, ValueError, RecursionError),
            Path(self._key_to_file(key, version)).open("rb") as file,
        ):
            if not self._is_expired(file):
                return json.loads(file.read())
        return default

    def touch(self, key: str, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        missing = object()
        value = self.get(key, missing, version)
        if value is missing:
            return False
        self.set(key, value, timeout, version)
        return True

    def _cull(self) -> None:
        """Before a write. To count thousands of files takes longer than to write one, so that not every write does."""
        if random.randrange(max(1, self._max_entries // 100)):
            return
        with os.scandir(self._dir) as found:
            if sum(1 for _ in found) < self._max_entries:
                return
        alive = [path for path in self._list_cache_files() if not self._is_over(path)]
        spare = len(alive) - self._max_entries * 2 // 3
        for path in random.sample(alive, max(0, spare)):
            self._delete(path)

    def _is_over(self, path: str) -> bool:
        """Deleted already, or now."""
        try:
            with Path(path).open("rb") as file:
                return self._is_expired(file)
        except FileNotFoundError:
            return True

    def _is_expired(self, file: IO[bytes]) -> bool:
        try:
            ends: float | None = json.loads(file.readline())
        except ValueError:  # of an earlier version of this program, or damaged
            ends = 0.0
        over = ends is not None and ends < time.time()
        if over:
            file.close()
            self._delete(file.name)
        return over


class PatientRedisCache(RedisCache):
    """While Redis is down, reads find nothing and writes are assumed to succeed.

    ``incr`` then raises ValueError as for a key that has expired: callers that count handle that.
    """

    def get(self, key: str, default: object = None, version: int | None = None) -> object:
        return self._asked(default, super().get, key, default, version)

    def get_many(self, keys: Iterable[str], version: int | None = None) -> dict[str, object]:
        return self._asked({}, super().get_many, keys, version)

    def has_key(self, key: str, version: int | None = None) -> bool:
        return self._asked(False, super().has_key, key, version)

    def add(self, key: str, value: object, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._asked(True, super().add, key, value, timeout, version)

    def set(self, key: str, value: object, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        self._asked(None, super().set, key, value, timeout, version)

    def set_many(
        self, data: dict[str, object], timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> list[str]:
        return self._asked([], super().set_many, data, timeout, version)

    def touch(self, key: str, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._asked(False, super().touch, key, timeout, version)

    def delete(self, key: str, version: int | None = None) -> bool:
        return self._asked(False, super().delete, key, version)

    def delete_many(self, keys: Iterable[str], version: int | None = None) -> None:
        self._asked(None, super().delete_many, keys, version)

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        found: int | None = self._asked(None, super().incr, key, delta, version)
        if found is None:
            raise ValueError(f"Redis is unavailable; {key} was not counted.")
        return int(found)

    @staticmethod
    def _asked(otherwise: Answer, ask: Callable[Asked, Answer], *args: Asked.args, **kwargs: Asked.kwargs) -> Answer:
        try:
            return ask(*args, **kwargs)
        except (Away, Silent) as problem:
            log.warning("The cache is unavailable (%s): %s", ask.__name__, problem)
            return otherwise
