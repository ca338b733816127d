"""A migration may run while processes of the version before it still serve: they don't know the additions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import models
from django.db.migrations import operations as ops
from django.db.migrations.loader import MigrationLoader

ROOMS = ("benchmark.", "extensions.")
TAKES_AWAY = (ops.RemoveField, ops.RenameField, ops.RenameModel, ops.DeleteModel, ops.AlterModelTable)


def added() -> Iterator[tuple[tuple[str, str], Any, set[str]]]:
    """Every operation of this site's migrations, with the tables that the same migration creates."""
    for (app, name), migration in sorted(MigrationLoader(None).disk_migrations.items()):
        if migration.__module__.startswith(ROOMS):
            made = {step.name.lower() for step in migration.operations if isinstance(step, ops.CreateModel)}
            for step in migration.operations:
                yield (app, name), step, made


def breaks(step: Any, made: set[str]) -> str:
    """Reason for which processes of the previous version fail after this operation; empty if they work."""
    if isinstance(step, TAKES_AWAY):
        return "removes something that they query: release a version that does not query it first"
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
def test_the_rule_recognises_breaking_operations(step: Any, does: bool) -> None:
    assert bool(breaks(step, {"new"})) == does
