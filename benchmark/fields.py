"""Rows over both databases: a JSON field that keeps the order of keys, and locks by name."""

from __future__ import annotations

import json
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
    """JSON whose keys come back in the order they were given in, on every database.

    PostgreSQL's ``jsonb``, which Django's field is stored as, sorts keys by their length: a report put together from it
    would have its categories, partitions and cues in another order than the measurement gave them. So the text is kept.
    To ask for a part of it, cast the column: ``KeyTransform("seconds", Cast("result", JSONField()))``.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "text" if connection.vendor == "postgresql" else super().db_type(connection)

    def get_db_prep_value(self, value: object, connection: BaseDatabaseWrapper, prepared: bool = False) -> str:
        """As text, every character beyond ASCII escaped: so both databases hold any word of a vector file."""
        return json.dumps(value, cls=self.encoder)


@contextmanager
def one_at_a_time(*names: str) -> Iterator[None]:
    """A transaction for which all others of the same names wait, until it is committed.

    PostgreSQL has locks by name; SQLite's transactions are immediate here and wait for each other anyway.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                for name in sorted(names):  # in one order, so that no two wait for each other
                    cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        yield
