"""Sites of their own, on which a test runs code in another process."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg

from tests.databases import ROOT


class Site:
    """A separate site: a database without migrations, and a folder."""

    def __init__(self, folder: Path, database: str = "") -> None:
        self.folder, self.database = folder, database
        own = {"VECBOARD_VAR": str(folder), "DATABASE_URL": database, "REDIS_URL": "", "VECBOARD_SUITE": "demo"}
        self.environment = os.environ | own | {"DJANGO_SETTINGS_MODULE": "benchmark.settings", "LOG_LEVEL": "error"}

    def run(self, code: str, backups: Path) -> str:
        command = [sys.executable, "-c", code, str(backups)]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        return done.stdout

    def rows(self) -> dict[str, list[Any]]:
        """The rows of all tables as text, except those that backups leave out."""
        if self.database:
            query = "select tablename from pg_tables where schemaname = 'public'"
            with psycopg.connect(self.database) as connection:
                tables = {name for (name,) in connection.execute(query)}
                select = "select t::text from {} t order by 1"
                return {t: connection.execute(select.format(t)).fetchall() for t in tables}  # type: ignore[call-overload]
        with closing(sqlite3.connect(self.folder / "vecboard.sqlite3")) as connection:
            names = connection.execute("select name from sqlite_master where type = 'table'").fetchall()
            return {name: sorted(map(repr, connection.execute(f'select * from "{name}"'))) for (name,) in names}
