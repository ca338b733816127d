"""What has landed: the migrations, which never change, and small databases of the last ten landings that changed them.

    python -m tests.benchmark.landings            a landing with a new migration: the working tree
    python -m tests.benchmark.landings COMMIT     an earlier one

The command notes the hash of every migration in ``landed.json``, and lets the commit's own code migrate a database of
each kind and write a row of each of its models, which it keeps as SQL. So upgrades of landings can be tested without
the repository's history. Landings with the migrations of the one before need nothing.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import uuid
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

import psycopg

from tests.scratch import scratch
from tests.servers import Postgres

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).parent
RECORD = HERE / "landed.json"
ROOMS = ("benchmark", "extensions")
KEPT = 10
FILL = (HERE / "fill.txt").read_text(encoding="utf-8")


class Landed(TypedDict):
    """``landings``: commit and date of each, the earliest first."""

    migrations: dict[str, str]
    landings: dict[str, str]


def landed() -> Landed:
    record: Landed = json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def hashes(root: Path) -> dict[str, str]:
    """SHA-256 of each migration below a checkout."""
    files = sorted(path for room in ROOMS for path in root.glob(f"{room}/*/migrations/[0-9]*.py"))
    return {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def dump_of(landing: str, vendor: str) -> Path:
    return HERE / f"{landing}.{vendor}.sql.gz"


def load(landing: str, var: Path, url: str = "") -> None:
    """Put a landing's database where a site with these settings looks for it."""
    script = gzip.decompress(dump_of(landing, "postgresql" if url else "sqlite").read_bytes()).decode("utf-8")
    if url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(script.encode())
        return
    with closing(sqlite3.connect(var / "vecboard.sqlite3")) as database:
        database.executescript(script)


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def add(commit: str) -> None:
    """Record a commit, or the working tree as its latest commit's successor."""
    root = ROOT
    if commit:
        root = scratch("landing")
        subprocess.run(["tar", "-x"], cwd=root, input=_git("archive", commit), check=True)
    name = _git("rev-parse", "--short=8", commit or "HEAD").decode().strip()
    day = _git("show", "-s", "--format=%cs", commit).decode().strip() if commit else f"{datetime.now(UTC):%Y-%m-%d}"
    record = landed()
    migrations = hashes(root)
    if not commit:
        rewritten = [path for path, digest in record["migrations"].items() if migrations.get(path) != digest]
        if rewritten:
            names = ", ".join(rewritten)
            sys.exit(f"Sites have {names}: write a new migration. If they haven't landed, take landed.json back first.")
        record["migrations"] = migrations
    record["landings"][name] = day
    for vendor in ("sqlite", "postgresql"):
        dump_of(name, vendor).write_bytes(gzip.compress(_dump(root, vendor).encode(), mtime=0))
    while len(record["landings"]) > KEPT:
        oldest = next(iter(record["landings"]))
        del record["landings"][oldest]
        for vendor in ("sqlite", "postgresql"):
            dump_of(oldest, vendor).unlink()
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _dump(root: Path, vendor: str) -> str:
    """A database made by the code below ``root``, as SQL."""
    var = scratch("var")
    if vendor == "sqlite":
        _fill(root, {"VECBOARD_VAR": str(var), "DATABASE_URL": ""})
        with closing(sqlite3.connect(var / "vecboard.sqlite3")) as database:
            return "\n".join(database.iterdump())
    server = Postgres()
    server.start()
    try:
        url = server.create_empty(f"landing_{uuid.uuid4().hex[:8]}")
        _fill(root, {"VECBOARD_VAR": str(var), "DATABASE_URL": url})
        command = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", "--dbname", url]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return re.sub(r"^(--.*|\\.*|SET .*|SELECT pg_catalog.set_config.*|)\n", "", text, flags=re.MULTILINE)
    finally:
        server.stop()


def _fill(root: Path, environment: dict[str, str]) -> None:
    own = {"DJANGO_SETTINGS_MODULE": "benchmark.settings", "REDIS_URL": "", "VECBOARD_SUITE": "demo"}
    subprocess.run([sys.executable, "-c", FILL], cwd=root, env=os.environ | own | environment, check=True)
