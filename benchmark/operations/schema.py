"""Databases of before migrations were fixed: ``migrate`` refuses them, ``restore`` moves their rows to new tables."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management import CommandError, call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import ForeignKey, Model

from benchmark.submissions.models import StoredReport, Submission
from benchmark.submissions.states import AT_WORK, State

ADVICE = (
    "This database is of an earlier version, whose migrations this one doesn't continue. Nothing was changed. Run "
    "`python manage.py backup FOLDER`, and `restore` it into a new database: see “Upgrade” in docs/operations.md."
)
EARLIER = "earlier"
"""Schema of the earlier tables while their rows are moved."""
EARLIER_NAMES = {"people_freeassociation": "people_association"}
LEFT_BEHIND = {"contenttypes.ContentType", "auth.Permission", "operations.Job"}
"""Models whose rows ``migrate`` or the sweeper makes again."""


def table_columns() -> dict[str, set[str]]:
    describe = connection.introspection.get_table_description
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        return {table: {column.name for column in describe(cursor, table)} for table in tables}


def is_rewritten() -> bool:
    """Whether its tables lack the last column that was added to a migration which sites had applied."""
    columns = table_columns().get(Submission._meta.db_table)
    return columns is not None and "model_bytes" not in columns


def refuse_rewritten(**_: Any) -> None:
    """Receiver of ``pre_migrate``."""
    if is_rewritten():
        raise CommandError(ADVICE)


def rebuild() -> None:
    """Give the database the tables of this version, with the earlier rows in them.

    Tables stay empty if they need rows of a table that wasn't there, such as reports of versions that stored them in
    another form. Their submissions are checked and measured again; those without a file are deleted.
    """
    earlier, name = table_columns(), str(connection.settings_dict["NAME"])
    is_sqlite = connection.vendor == "sqlite"
    aside = Path(f"{name}.{EARLIER}")
    if is_sqlite:
        connection.close()
        Path(name).rename(aside)
    else:
        _execute(f"ALTER SCHEMA public RENAME TO {EARLIER}", "CREATE SCHEMA public")
    call_command("migrate", interactive=False, verbosity=0)
    if is_sqlite:
        quoted = str(aside).replace("'", "''")
        _execute(f"ATTACH DATABASE '{quoted}' AS {EARLIER}")
    with connection.constraint_checks_disabled(), transaction.atomic():
        _copy_rows(earlier)
        connection.check_constraints()
    if is_sqlite:
        connection.close()
        aside.unlink()
    else:
        _execute(f"DROP SCHEMA {EARLIER} CASCADE")


def _execute(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _copy_rows(earlier: dict[str, set[str]]) -> None:
    source = {model: _earlier_table(model, earlier) for model in apps.get_models(include_auto_created=True)}
    copied = {model for model, table in source.items() if table in earlier and model._meta.label not in LEFT_BEHIND}
    while orphans := {model for model in copied if any(not key.null for key in _keys_outside(model, copied))}:
        copied -= orphans
    for model in copied:
        filled = earlier[source[model]] - {key.column for key in _keys_outside(model, copied)}
        fields = model._meta.local_concrete_fields
        columns = ", ".join(f'"{field.column}"' for field in fields if field.column in filled)
        into, of = f'"{model._meta.db_table}"', f'{EARLIER}."{source[model]}"'
        _execute(f"DELETE FROM {into}", f"INSERT INTO {into} ({columns}) SELECT {columns} FROM {of}")  # nosec B608
    _execute(*connection.ops.sequence_reset_sql(no_style(), list(copied)))
    if StoredReport not in copied:
        unreported = Submission.objects.filter(state__in=(State.CHECKING, *AT_WORK, State.DONE))
        unreported.filter(file_key="").delete()
        unreported.update(state=State.UPLOADED)


def _earlier_table(model: type[Model], earlier: Container[str]) -> str:
    table = model._meta.db_table
    return table if table in earlier else EARLIER_NAMES.get(table, table)


def _keys_outside(model: type[Model], models: set[type[Model]]) -> list[ForeignKey[Any, Any]]:
    keys = [field for field in model._meta.local_concrete_fields if isinstance(field, ForeignKey)]
    return [key for key in keys if key.related_model._meta.concrete_model not in models]
