"""Steps that only one process may do at a time: asking whether there is room, and taking it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


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
