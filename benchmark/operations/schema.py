"""Databases whose migrations were rewritten later: ``migrate`` refuses them, ``restore`` moves their rows."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management import CommandError, call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.models import ForeignKey, Model

from benchmark.features import features
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
    with connection.cursor() as cursor:
        describe = connection.introspection.get_table_description
        return {
            table: {column.name for column in describe(cursor, table)}
            for table in connection.introspection.table_names(cursor)
        }


def is_rewritten() -> bool:
    """Whether the site's tables lack a column that the recorded migrations, as they are now, would have made."""
    loader, columns = MigrationLoader(connection), table_columns()
    recorded = [key for key in loader.applied_migrations if key in loader.graph.nodes]
    models = loader.project_state(recorded).apps.get_models(include_auto_created=True)
    own = {feature.label for feature in features()}
    return any(
        field.column not in columns.get(model._meta.db_table, ())
        for model in models
        if model._meta.app_label in own
        for field in model._meta.local_concrete_fields
    )


def refuse_rewritten(**_: Any) -> None:
    """Receiver of ``pre_migrate``."""
    if is_rewritten():
        raise CommandError(ADVICE)


def rebuild() -> None:
    """Give the database the tables of this version, with the earlier rows in them.

    Without rows are tables that need rows which no earlier table has, such as reports of versions that stored them in
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
        _execute(f"ATTACH DATABASE '{aside}' AS {EARLIER}")
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
    kept = {model for model, table in source.items() if table in earlier and model._meta.label not in LEFT_BEHIND}
    while orphans := {model for model in kept if any(not key.null for key in _keys_outside(model, kept))}:
        kept -= orphans
    with connection.cursor() as cursor:
        for model in kept:
            names, values, parameters = [], [], []
            for field in set(model._meta.local_concrete_fields) - set(_keys_outside(model, kept)):
                if field.column in earlier[source[model]]:
                    values.append(f'"{field.column}"')
                elif not field.null and not field.has_db_default():
                    values.append("%s")
                    parameters.append(field.get_db_prep_save(field.get_default(), connection))
                else:
                    continue
                names.append(f'"{field.column}"')
            table = model._meta.db_table
            rows = f'SELECT {", ".join(values)} FROM {EARLIER}."{source[model]}"'  # nosec B608 - own names
            cursor.execute(f'DELETE FROM "{table}"')  # nosec B608
            cursor.execute(f'INSERT INTO "{table}" ({", ".join(names)}) {rows}', parameters)  # nosec B608
        for statement in connection.ops.sequence_reset_sql(no_style(), list(kept)):
            cursor.execute(statement)
    if StoredReport not in kept:
        unreported = Submission.objects.filter(state__in=(State.CHECKING, *AT_WORK, State.DONE))
        unreported.filter(file_key="").delete()
        unreported.update(state=State.UPLOADED)


def _earlier_table(model: type[Model], earlier: Container[str]) -> str:
    table = model._meta.db_table
    return table if table in earlier else EARLIER_NAMES.get(table, table)


def _keys_outside(model: type[Model], kept: set[type[Model]]) -> list[ForeignKey[Any, Any]]:
    keys = [field for field in model._meta.local_concrete_fields if isinstance(field, ForeignKey)]
    return [key for key in keys if key.related_model._meta.concrete_model not in kept]
