"""A restore drill between both databases, with rows that an earlier version let in: SQLite → PostgreSQL → SQLite."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.postgres]

FILL = """
import django; django.setup()
from benchmark.compare.models import GivenLists, PairCorrelation
from benchmark.people.models import Kind, Source, Study
from benchmark.submissions.models import Report, RunFile, Submission, TaskRun
from tests.benchmark.reports import report_of
row = Submission.objects.create(pk="hostilehosti", name="𝕨𝕠𝕣𝕕 \\u202eelif\\u202c", suite="demo", state="done",
    description="=cmd|' /C calc'!A1\\n\\x1b[2J", vectors_sha256="a" * 64, warnings=[{"word": "\\x07"}],
    tokens=2**63 - 1)
other = Submission.objects.create(pk="seconddddddd", name="second", suite="demo", vectors_sha256="b" * 64)
Report.objects.create(submission=row, body=report_of(0.1).to_json())
run = {"task_hash": "x", "vectors_sha256": "y", "mode": "fixed", "position": 0}
TaskRun.objects.create(submission=row, task="pos", result={"z": "\\x00", "a": "\\ud800", "score": 0.5}, **run)
RunFile.objects.create(submission=row, position=2, original_name="x", key="uploads/ho/none.gz")
study = Study.objects.create(pk="studystudyst", kind=Kind.FREE_ASSOCIATIONS, owner_token_hash="x", title="t",
    cues=["c"], consent="Fine?", questions=[{"question": "a", "options": ["b", "c"]}])
Source.objects.create(study=study, kind="list", name="n", words={"\\u202ecue": ["\\x1b[2J", "word"]})
GivenLists.objects.create(key="k" * 64, title="t", words={"c": ["\\x00"]})
PairCorrelation.objects.create(left=row, right=other, left_sha256="a" * 64, right_sha256="b" * 64, cues=["c"],
    cues_key="c" * 64)
"""
BEFORE_THE_RULES = (
    "update submissions_submission set window = 4294967296, iterations = 9223372036854775807,"
    " original_name = 'a' || char(0) || 'b.gz', hidden_reason = printf('%.*c', 300, 'r') where id = 'hostilehosti'",
    "update submissions_submission set error = '{\"message\": \"a\\u0000b\\ud800\"}' where id = 'hostilehosti'",
    "update submissions_runfile set original_name = char(0)",
    'update people_study set title = \'a\' || char(0), questions = \'[{"question": "\\u0000", "options": ["b"]}]\','
    " raters_wanted = 4294967296",
    "update compare_givenlists set title = char(0) || printf('%.*c', 90, 't')",
    "update compare_paircorrelation set cues = '[\"\\u0000\"]'",
)
"""What earlier versions over SQLite took from visitors, as it lies in their tables."""
LOOK = """
import django; django.setup()
from django.test import Client
from benchmark.submissions.models import Submission
row = Submission.objects.get(pk="hostilehosti")
print(row.window, row.iterations, row.tokens, ascii(row.original_name), len(row.hidden_reason))
client = Client(raise_request_exception=False, SERVER_NAME="127.0.0.1")
print([client.get(path).status_code for path in ("/", "/s/hostilehosti", "/r/hostilehosti", "/people/", "/board.csv")])
"""


class Copy:
    """A site of its own: a database and a folder."""

    def __init__(self, folder: Path, database: str = "") -> None:
        folder.mkdir()
        own = {"VECBOARD_VAR": str(folder), "DATABASE_URL": database, "REDIS_URL": "", "VECBOARD_SUITE": "demo"}
        self.environment = os.environ | own | {"DJANGO_SETTINGS_MODULE": "benchmark.settings", "LOG_LEVEL": "error"}
        self.run("manage.py", "migrate", "--verbosity", "0")

    def run(self, *arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        return done.stdout

    def back_up(self, folder: Path) -> Path:
        self.run("manage.py", "backup", str(folder))
        return folder


def rows(backup: Path) -> dict[str, list[object]]:
    """As values: PostgreSQL's ``jsonb`` keeps the keys of some columns in an order of its own."""
    files = sorted(backup.glob("2*/*.jsonl.gz"))
    return {path.name: [json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8")] for path in files}


def test_a_site_with_hostile_rows_moves_to_postgresql_and_back(database_url: str, tmp_path: Path) -> None:
    first = Copy(tmp_path / "first")
    first.run("-c", FILL)
    with sqlite3.connect(tmp_path / "first" / "vecboard.sqlite3") as connection:
        for statement in BEFORE_THE_RULES:
            assert connection.execute(statement).rowcount == 1
    connection.close()
    original = first.back_up(tmp_path / "backup-1")

    second = Copy(tmp_path / "second", database_url)
    output = second.run("manage.py", "restore", str(original))
    assert output.count("repaired") == 5, output
    assert "submission hostilehosti: window, iterations, original_name, error, hidden_reason" in output
    moved = second.back_up(tmp_path / "backup-2")

    third = Copy(tmp_path / "third")
    output = third.run("manage.py", "restore", str(moved))
    assert "repaired" not in output
    assert rows(third.back_up(tmp_path / "backup-3")) == rows(moved)
    for site in (second, third):
        assert site.run("-c", LOOK).splitlines() == [
            f"None None {2**63 - 1} 'a\\ufffdb.gz' 200",
            "[200, 200, 200, 200, 200]",
        ]

    # Mended alike: the same backup, restored over SQLite, gives the same rows.
    fourth = Copy(tmp_path / "fourth")
    fourth.run("manage.py", "restore", str(original))
    assert rows(fourth.back_up(tmp_path / "backup-4")) == rows(moved)
