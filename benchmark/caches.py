"""Caches that may fail: what they would remember is worked out anew, and nothing is refused for their sake."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as Away
from redis.exceptions import TimeoutError as Silent

log = logging.getLogger(__name__)


class PatientRedisCache(RedisCache):
    """While Redis is away it knows nothing, and believes that what it is told was kept.

    ``incr`` then raises ValueError as for a key that has expired: whoever counts is ready for that.
    """

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self._asked(default, super().get, key, default, version)

    def get_many(self, keys: Any, version: int | None = None) -> dict[Any, Any]:
        return self._asked({}, super().get_many, keys, version)

    def has_key(self, key: Any, version: int | None = None) -> bool:
        return self._asked(False, super().has_key, key, version)

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._asked(True, super().add, key, value, timeout, version)

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        self._asked(None, super().set, key, value, timeout, version)

    def set_many(self, data: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> list[Any]:
        return self._asked([], super().set_many, data, timeout, version)

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return self._asked(False, super().touch, key, timeout, version)

    def delete(self, key: Any, version: int | None = None) -> bool:
        return self._asked(False, super().delete, key, version)

    def delete_many(self, keys: Any, version: int | None = None) -> None:
        self._asked(None, super().delete_many, keys, version)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        found = self._asked(None, super().incr, key, delta, version)
        if found is None:
            raise ValueError(f"Redis is away; {key} was not counted.")
        return int(found)

    @staticmethod
    def _asked(otherwise: Any, ask: Callable[..., Any], *args: Any) -> Any:
        try:
            return ask(*args)
        except (Away, Silent) as problem:
            log.warning("The cache is away (%s): %s", ask.__name__, problem)
            return otherwise


class PatientFileCache(FileBasedCache):
    """Files that are not written when the disk is full; ``incr`` then raises ValueError as for an expired key."""

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        try:
            super().set(key, value, timeout, version)
        except OSError as problem:
            log.warning("The cache cannot write: %s", problem)

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        try:
            return bool(super().touch(key, timeout, version))
        except OSError as problem:
            log.warning("The cache cannot write: %s", problem)
            return False
