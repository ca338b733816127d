"""Rows over both databases: a JSON field that keeps the order of keys, ids and secrets, and locks by name."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import connection, models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    Written = TypeVar("Written")
    JsonOf = models.JSONField[Written, Written]
    _JSONField = models.JSONField[Any, Any]
else:
    _JSONField = models.JSONField


class OrderedJSONField(_JSONField):
    """JSON that keeps the order of its keys on every database.

    Django stores JSON as PostgreSQL's ``jsonb``, which sorts keys by length; reports would show categories, partitions
    and cues in a different order. This field stores text. To query a part of it, cast the column:
    ``KeyTransform("seconds", Cast("result", JSONField()))``.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "text" if connection.vendor == "postgresql" else super().db_type(connection)

    def get_db_prep_value(self, value: object, connection: BaseDatabaseWrapper, prepared: bool = False) -> str:
        """ASCII text with escapes, so that both databases can store any word of a vector file."""
        return json.dumps(value, cls=self.encoder)


def new_id() -> str:
    """60 random bits as 12 letters and digits: short enough to read out, too many to guess."""
    return base64.b32encode(secrets.token_bytes(8)).decode("ascii")[:12].lower()


def new_token() -> str:
    """An owner's secret; only its hash is kept."""
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8")).hexdigest()


@contextmanager
def one_at_a_time(*names: str) -> Iterator[None]:
    """A transaction that excludes others with the same names until it is committed.

    PostgreSQL has advisory locks; SQLite's immediate transactions exclude each other anyway.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                for name in sorted(names):  # in one order, to avoid deadlocks
                    cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        yield
