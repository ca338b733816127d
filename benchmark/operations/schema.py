"""Refusal of databases of before migrations were fixed, which ``migrate`` would leave half changed."""

from __future__ import annotations

from typing import Any

from django.core.management import CommandError
from django.db import connection

from benchmark.submissions.models import Submission

ADVICE = (
    "This database is of a site of before 27 November 2026, whose migrations this version doesn't continue. Nothing "
    "was changed. Version 0.1.0 moves it to a new database: see “Upgrade” in docs/operations.md."
)


def refuse_rewritten(**_: Any) -> None:
    """Receiver of ``pre_migrate``; such a database lacks the last column that was added to a landed migration."""
    table, introspection = Submission._meta.db_table, connection.introspection
    with connection.cursor() as cursor:
        if table not in introspection.table_names(cursor):
            return
        columns = {column.name for column in introspection.get_table_description(cursor, table)}
    if "model_bytes" not in columns:
        raise CommandError(ADVICE)
