"""Tests of unusual queries, again over PostgreSQL; all other tests here run over SQLite."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

ROOT = Path(__file__).resolve().parents[2]
SAME_TESTS = (
    "tests/benchmark/accounts/test_outbox.py",  # bytes of messages, deleted with their jobs
    "tests/benchmark/leaderboard/test_computing.py",  # the latest row of each version; locks by name
    "tests/benchmark/test_rows.py",  # values that PostgreSQL refuses; JSON as text, and numbers read from it
    "tests/benchmark/operations/test_health.py",  # metrics: durations, and reasons read from JSON
    "tests/benchmark/operations/test_page_jobs.py",  # locks by name; keys as text
    "tests/benchmark/operations/test_quotas.py",  # tickets that outlive their submissions
    "tests/benchmark/submissions/test_sending.py",  # two simultaneous finishes, under the lock of their sender
    "tests/benchmark/people/test_association_session.py",  # owners of sessions, under the lock of the study
    "tests/benchmark/people/test_life_of_a_study.py",  # cascades of a deletion, and known raters
)

pytestmark = [pytest.mark.slow, pytest.mark.postgres]


def test_they_pass_over_postgresql(database_url: str, tmp_path: Path) -> None:
    own = {"DATABASE_URL": database_url, "VECBOARD_VAR": str(tmp_path), "REDIS_URL": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--create-db", "--reuse-db", *SAME_TESTS]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= 60
    assert "skipped" not in done.stdout
    # --reuse-db leaves their database behind, which shows that they did not fall back to SQLite.
    name = urlsplit(database_url).path.strip("/")
    with psycopg.connect(database_url.replace(f"/{name}", f"/test_{name}")) as connection:
        found = connection.execute("SELECT count(*) FROM django_migrations").fetchone()
    assert found is not None
    assert found[0] > 20
