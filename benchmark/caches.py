"""Caches shared by all processes. They hold JSON only, so that write access to one can't run code.

If Redis is down or the disk is full, values are recomputed, and no request fails.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import IO, NamedTuple, ParamSpec, TypeVar

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as Away
from redis.exceptions import TimeoutError as Silent

from tasks.errors import class_of

log = logging.getLogger(__name__)
LOCKS, MOST_LOCKS = "locks", 64
"""Folder and number of lock files in a file cache; keys share them by hash."""
Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


class JsonSerializer:
    """Serializer for Redis, which can increment JSON integers."""

    def dumps(self, value: object) -> bytes:
        return json.dumps(value).encode()

    def loads(self, written: bytes) -> object:
        """The value; None, as for a missing key, if the content isn't JSON."""
        with suppress(ValueError, RecursionError):
            return json.loads(written)
        return None


class JsonFileCache(FileBasedCache):
    """A directory of files, each with its expiry time on the first line. Unreadable files count as missing.

    Locks serialize changes of a key, also between processes, so that no count is lost. Beyond MAX_ENTRIES (±1 %),
    expired files are deleted first, then random ones, down to two thirds. On a full disk nothing is stored, and
    ``incr`` raises ValueError as for an expired key.
    """

    _key_to_file: Callable[[str, int | None], str]
    _delete: Callable[[str], bool]
    _list_cache_files: Callable[[], list[str]]
    _dir: str
    _max_entries: int

    def add(self, key: str, value: object, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        with self._locked(key, version):
            if self.has_key(key, version):
                return False
            self._keep(key, value, timeout, version)
            return True

    def set(self, key: str, value: object, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        with self._locked(key, version):
            self._keep(key, value, timeout, version)

    def touch(self, key: str, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        with self._locked(key, version):
            entry = self._entry(key, version)
            if entry is not None:
                self._keep(key, entry.value, timeout, version)
        return entry is not None

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """Add to a number without changing its expiry, as in Redis."""
        with self._locked(key, version):
            entry = self._entry(key, version)
            if entry is None or not isinstance(entry.value, int):
                raise ValueError(f"The key {key} does not hold a number.")
            left = None if entry.expires is None else entry.expires - time.time()
            self._keep(key, entry.value + delta, left, version)
            return entry.value + delta

    def delete(self, key: str, version: int | None = None) -> bool:
        with self._locked(key, version):
            return self._delete(self._key_to_file(key, version))

    def get(self, key: str, default: object = None, version: int | None = None) -> object:
        entry = self._entry(key, version)
        return default if entry is None else entry.value

    def has_key(self, key: str, version: int | None = None) -> bool:
        return self._entry(key, version) is not None

    @contextmanager
    def _locked(self, key: str, version: int | None) -> Iterator[None]:
        """Exclude other changes of this key. A full disk may prevent the lock, but then also the change."""
        name = Path(self._key_to_file(key, version)).name
        locks = Path(self._dir, LOCKS)
        with ExitStack() as stack:
            try:
                locks.mkdir(mode=0o700, parents=True, exist_ok=True)
                file = stack.enter_context((locks / f"{int(name[:2], 16) % MOST_LOCKS}").open("ab"))
                fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
            except OSError as problem:
                log.warning("The cache cannot lock: %s", class_of(problem))
            yield

    def _keep(self, key: str, value: object, timeout: float | None, version: int | None) -> None:
        try:
            super().set(key, value, timeout, version)
        except OSError as problem:
            log.warning("The cache cannot write: %s", class_of(problem))

    def _write_content(self, file: IO[bytes], timeout: float | None, value: object) -> None:
        ends = self.get_backend_timeout(timeout)
        file.write(f"{json.dumps(ends)}\n{json.dumps(value)}".encode())

    def _entry(self, key: str, version: int | None) -> _Entry | None:
        with (
            suppress(FileNotFoundError, ValueError, RecursionError),
            Path(self._key_to_file(key, version)).open("rb") as file,
        ):
            expires = _expiry(file)
            return None if _is_over(expires) else _Entry(json.loads(file.read()), expires)
        return None

    def _cull(self) -> None:
        """Cull on 1 % of writes, because counting thousands of files is slow."""
        if random.randrange(max(1, self._max_entries // 100)):
            return
        with os.scandir(self._dir) as entries:
            if sum(1 for _ in entries) <= self._max_entries:  # the folder of locks is one
                return
        alive = []
        for path in self._list_cache_files():
            with suppress(FileNotFoundError), Path(path).open("rb") as file:
                if _is_over(_expiry(file)):
                    self._delete(path)
                else:
                    alive.append(path)
        spare = len(alive) - self._max_entries * 2 // 3
        for path in random.sample(alive, max(0, spare)):
            self._delete(path)


class _Entry(NamedTuple):
    """A stored value and its expiry time."""

    value: object
    expires: float | None


def _expiry(file: IO[bytes]) -> float | None:
    """The expiry time on the first line; damaged files have expired."""
    with suppress(ValueError):
        expires: float | None = json.loads(file.readline())
        return expires
    return 0.0


def _is_over(expires: float | None) -> bool:
    return expires is not None and expires < time.time()


def _patient(method: Callable[Arguments, Answer], otherwise: Answer) -> Callable[Arguments, Answer]:
    """A method with this answer while Redis is away."""

    @wraps(method)
    def ask(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        try:
            return method(*args, **kwargs)
        except (Away, Silent) as problem:
            log.warning("The cache is unavailable (%s): %s", method.__name__, problem)
            return otherwise

    return ask


class PatientRedisCache(RedisCache):
    """While Redis is down, reads find nothing and writes are assumed to succeed.

    ``incr`` then raises ValueError as for a key that has expired: callers that count handle that.
    """

    add = _patient(RedisCache.add, True)
    set = _patient(RedisCache.set, None)
    touch = _patient(RedisCache.touch, False)
    delete = _patient(RedisCache.delete, False)
    delete_many = _patient(RedisCache.delete_many, None)
    has_key = _patient(RedisCache.has_key, False)
    get_many, set_many = BaseCache.get_many, BaseCache.set_many  # key by key, with the methods above and below

    def get(self, key: str, default: object = None, version: int | None = None) -> object:
        return _patient(super().get, default)(key, default, version)

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        count: int | None = _patient(super().incr, None)(key, delta, version)
        if count is None:
            raise ValueError(f"Redis is unavailable; {key} was not counted.")
        return int(count)
