"""Database of a site that a test starts: migrated once per run and then copied, because migrating takes seconds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.scratch import scratch

ROOT = Path(__file__).resolve().parents[1]
NAME = "vecboard.sqlite3"


def migrate(environment: Mapping[str, str]) -> None:
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=os.environ | environment, check=True)


def begin_with_sqlite(environment: Mapping[str, str]) -> None:
    """Put a migrated database where a site looks for it; migrate an existing one."""
    place = Path(environment["VECBOARD_VAR"], NAME)
    if place.exists():
        migrate(environment)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(_migrated(), place)


@cache
def _migrated() -> Path:
    """A SQLite file with the site's tables, and only the rows that migrations write."""
    folder = scratch("migrated")
    migrate({"VECBOARD_VAR": str(folder), "DATABASE_URL": "", "REDIS_URL": ""})
    return folder / NAME
