"""Databases of before migrations were fixed, which ``migrate`` refuses."""

from __future__ import annotations

from typing import Any

from django.core.management import CommandError
from django.db import connection

from benchmark.submissions.models import Submission

ADVICE = (
    "This database is of before 27 November 2026, and this version doesn't continue its migrations. Nothing was "
    "changed. Back it up, restore it into a new database with commit 1a011ab6, and upgrade that: see “Upgrade” in "
    "docs/operations.md."
)


def refuse_rewritten(**_: Any) -> None:
    """Receiver of ``pre_migrate``: refuse tables without the last column of a migration that sites had applied."""
    table, introspection = Submission._meta.db_table, connection.introspection
    with connection.cursor() as cursor:
        is_there = table in introspection.table_names(cursor)
        columns = introspection.get_table_description(cursor, table) if is_there else []
    if is_there and "model_bytes" not in {column.name for column in columns}:
        raise CommandError(ADVICE)
