"""``manage.py restore BACKUP``: fill a new database and the storage."""

from __future__ import annotations

import shutil
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from benchmark import storage
from benchmark.management.commands.backup import (
    DATABASE,
    MANIFEST,
    backups_in,
    read_manifest,
    run_postgres,
)
from benchmark.operations import schema
from tasks.files import sha256_of


class Command(BaseCommand):
    help = "Restore a backup into a new database and the storage. FOLDER/TIME, or FOLDER for the latest."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("backup", type=Path)

    def handle(self, *args: Any, backup: Path, **options: Any) -> None:
        chosen = next(backups_in(backup), backup)
        database, keys = check(chosen)
        signing_key, of_backup = storage.signing_key_file(), chosen / storage.signing_key_file().name
        if of_backup.exists() and signing_key.exists() and signing_key.read_bytes() != of_backup.read_bytes():
            raise CommandError(f"{signing_key} is another key than the backup's. Move it away, then restore again.")
        if connection.introspection.table_names():
            raise CommandError("The database isn't empty. Restore into a new one: set DATABASE_URL or VECBOARD_VAR.")
        for key in keys:
            draft = storage.path_of(f"incoming/restored-{uuid.uuid4()}")
            shutil.copyfile(chosen / "storage" / key, draft)
            storage.publish(draft, key)
        if of_backup.exists():
            signing_key.parent.mkdir(parents=True, exist_ok=True)
            signing_key.touch(mode=0o600)
            signing_key.write_bytes(of_backup.read_bytes())
        _fill(database)  # last, and whole or not at all: after a failure, the same command can be repeated
        if schema.is_rewritten():
            schema.rebuild()
        self.stdout.write(
            f"{chosen} is restored, with {len(keys)} files. Run migrate, then start web, workers and beat: "
            "open work resumes by itself."
        )


def check(backup: Path) -> tuple[Path, list[str]]:
    """The backup's copy of the database and the keys of its files, once all are found unchanged.

    Raises
    ------
    CommandError
        it isn't a backup, is of another kind of database, or is damaged.
    """
    try:
        manifest = read_manifest(backup)
    except FileNotFoundError:
        raise CommandError(f"{backup} isn't a backup: it has no {MANIFEST}.") from None
    (name,) = manifest["database"]
    if name != DATABASE[connection.vendor]:
        raise CommandError(f"The backup holds {name}; it can only be restored into the kind of database it came from.")
    files = {f"storage/{key}": digest for key, digest in manifest["files"].items()}
    expected = manifest["database"] | files | manifest.get("keys", {})
    for path, digest in expected.items():
        if not (backup / path).is_file() or sha256_of(backup / path) != digest:
            raise CommandError(f"The backup is damaged: {path} is missing or has changed. Nothing was restored.")
    return backup / name, list(manifest["files"])


def _fill(database: Path) -> None:
    if connection.vendor == "postgresql":
        connection.close()
        run_postgres("pg_restore", ["--exit-on-error", "--single-transaction", str(database)])
        return
    target = str(connection.settings_dict["NAME"])
    connection.close()
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
