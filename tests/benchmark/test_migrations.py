"""Migrations may run while processes of the previous version still serve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import models
from django.db.migrations import operations as ops
from django.db.migrations.loader import MigrationLoader

ROOMS = "benchmark."
TAKES_AWAY = (ops.RemoveField, ops.RenameField, ops.RenameModel, ops.DeleteModel, ops.AlterModelTable)


def added() -> Iterator[tuple[tuple[str, str], Any, set[str]]]:
    """Every operation of this site's migrations, with the names of the tables that the same migration makes."""
    for (app, name), migration in sorted(MigrationLoader(None).disk_migrations.items()):
        if migration.__module__.startswith(ROOMS):
            made = {step.name.lower() for step in migration.operations if isinstance(step, ops.CreateModel)}
            for step in migration.operations:
                yield (app, name), step, made


def breaks(step: Any, made: set[str]) -> str:
    """Why processes of the version before fail once this was done; empty if they go on."""
    if isinstance(step, TAKES_AWAY):
        return "takes away what they ask for: first a version that does not ask, then the migration"
    if not isinstance(step, ops.AddField) or step.model_name_lower in made:
        return ""
    column = step.field
    fills_itself = column.null or column.has_db_default() or column.many_to_many
    return "" if fills_itself else "their rows lack it: give it null=True or db_default"


def test_no_migration_breaks_the_version_before_it() -> None:
    steps = list(added())
    assert len(steps) > 30
    assert not {
        migration: f"{step.describe()}: {why}" for migration, step, made in steps if (why := breaks(step, made))
    }


@pytest.mark.parametrize(
    ("step", "does"),
    [
        (ops.AddField("row", "count", models.IntegerField(default=0)), True),
        (ops.AddField("row", "count", models.IntegerField(default=0, db_default=0)), False),
        (ops.AddField("row", "count", models.IntegerField(null=True)), False),
        (ops.RemoveField("row", "count"), True),
        (ops.AddField("new", "count", models.IntegerField(default=0)), False),
    ],
)
def test_the_rule_knows_what_breaks(step: Any, does: bool) -> None:
    assert bool(breaks(step, {"new"})) == does
