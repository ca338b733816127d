"""``manage.py backup FOLDER``: the database by its own tools, and every stored file, from a running site.

``FOLDER/TIME/`` holds ``database.sqlite3`` or ``database.dump``, ``storage/``, ``signing-key`` if the site has one, and
``manifest.json`` with the SHA-256 of each file. A stored file never changes: one that the previous backup has is linked
instead of copied.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.backends.postgresql.client import DatabaseClient

from benchmark import storage
from benchmark.features import features
from tasks.files import sha256_of

MANIFEST = "manifest.json"
DATABASE = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
"""The database's file in a backup, by its kind."""
FOLDERS = ("uploads", "outcomes")
"""Folders of the storage that nothing else could recreate."""
LEFT_OUT = ("sessions.Session", "operations.WorkerBeat", "admin.LogEntry", "accounts.Mail")
"""Models whose rows stay out of backups: they expire soon, or may hold links that set a password."""


class Command(BaseCommand):
    help = "Copy the database and the stored files to a folder, as one backup that `restore` reads."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        previous = next(backups_in(folder), None)
        target = folder / datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
        draft = target.with_name(f".{target.name}.part")
        draft.mkdir(parents=True, mode=0o700)
        try:
            # The rows come first: every file that they name is in the storage by then.
            database = draft / DATABASE[connection.vendor]
            copy_database(database)
            files = _copy_files(draft, previous)
            keys = {}
            if storage.signing_key_file().exists():
                copy = Path(shutil.copy(storage.signing_key_file(), draft))
                keys[copy.name] = sha256_of(copy)
            manifest = {"database": {database.name: sha256_of(database)}, "files": files, "keys": keys}
            (draft / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
            draft.rename(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        self.stdout.write(f"The backup is {target}: the database and {len(files)} files.")


def copy_database(target: Path) -> None:
    """Write a consistent copy of the database, without the rows of ``LEFT_OUT`` and of features’ private models."""
    private = (name for feature in features() for name in feature.out_of_backups)
    tables = {apps.get_model(name)._meta.db_table for name in (*LEFT_OUT, *private)}
    tables &= set(connection.introspection.table_names())  # an earlier version has fewer
    if connection.vendor == "postgresql":
        leave_out = [f"--exclude-table-data={table}" for table in tables]
        run_postgres("pg_dump", ["--format=custom", f"--file={target}", *leave_out])
        return
    connection.ensure_connection()
    with closing(sqlite3.connect(target, isolation_level=None)) as copy:
        connection.connection.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        for table in tables:
            copy.execute(f'DELETE FROM "{table}"')  # nosec B608 - the names of our own tables
        copy.execute("VACUUM")  # deleted rows are gone from the file, too


def run_postgres(program: str, arguments: list[str]) -> None:
    """Run one of PostgreSQL's client programs on the site's database.

    Raises
    ------
    CommandError
        it is not installed, or fails; the message is its own.
    """
    (_, *options, name), environment = DatabaseClient.settings_to_cmd_args_env(connection.settings_dict, [])
    command = [program, "--no-owner", "--no-privileges", *options, "--dbname", name, *arguments]
    try:
        done = subprocess.run(
            command, env=os.environ | (environment or {}), capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        raise CommandError(f"{program} isn't installed; install PostgreSQL's client of the server's version.") from None
    if done.returncode:
        raise CommandError(f"{program} failed. {done.stderr.strip()}")


def _copy_files(draft: Path, previous: Path | None) -> dict[str, str]:
    """Copy every stored file, or link it to the previous backup's; the SHA-256 of each by its key."""
    hashes = read_manifest(previous)["files"] if previous else {}
    files = {}
    for key in (stored.key for folder in FOLDERS for stored in storage.keys(folder)):
        copy = draft / "storage" / key
        copy.parent.mkdir(parents=True, exist_ok=True)
        if previous is not None and key in hashes:
            with suppress(OSError):  # files may lack hard links, or the previous copy is gone
                os.link(previous / "storage" / key, copy)
                files[key] = hashes[key]
                continue
        with suppress(FileNotFoundError), storage.opened(key) as source:  # it may have been deleted meanwhile
            with copy.open("wb") as target:
                shutil.copyfileobj(source, target)
            files[key] = sha256_of(copy)
    return files


def read_manifest(backup: Path) -> dict[str, dict[str, str]]:
    manifest: dict[str, dict[str, str]] = json.loads((backup / MANIFEST).read_text(encoding="utf-8"))
    return manifest


def backups_in(folder: Path) -> Iterator[Path]:
    """Complete backups, the latest first."""
    return (path.parent for path in sorted(folder.glob(f"[0-9]*/{MANIFEST}"), reverse=True))
