"""A backup of a site is restored unchanged into a new database, hostile rows included."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from benchmark import storage
from benchmark.management.commands.backup import DATABASE, MANIFEST, backups_in, run_postgres
from benchmark.management.commands.restore import check
from tests.benchmark.full_disk import room_for
from tests.benchmark.sites import Site
from tests.databases import begin_with_sqlite
from tests.servers import Postgres

FILL_AND_BACK_UP = """
import sys, django; django.setup()
from datetime import datetime, UTC
from django.contrib.sessions.models import Session
from django.core.management import call_command
from benchmark import storage
from benchmark.accounts.models import Mail
from extensions.people.models import GivenLists
from extensions.people.models import Kind, Source, Study
from benchmark.submissions.models import Measurement, StoredReport, RunFile, Submission, SubmissionCell
from tests.benchmark.reports import report_of
storage.path_of("uploads/ho/ho.gz").write_bytes(b"the file")
storage.path_of("outcomes/ab/cd.npz").write_bytes(b"the outcomes")
storage.signing_key_file().write_text("the secret of the signing key")
storage.signing_key_file().chmod(0o600)
moment = datetime(2026, 5, 4, 3, 2, 1, 999_999, tzinfo=UTC)
row = Submission.objects.create(pk="hostilehosti", name="𝕨𝕠𝕣𝕕 \\u202eelif\\u202c", suite="demo", state="done",
    description="=cmd|' /C calc'!A1\\n\\x1b[2J", vectors_sha256="a" * 64, warnings=[{"word": "\\x07"}],
    tokens=2**63 - 1, created_at=moment, file_key="uploads/ho/ho.gz")
Submission.objects.create(pk="seconddddddd", name="second", suite="demo", state="queued")
StoredReport.objects.create(submission=row, body=report_of(0.1).to_json())
run = {"task_hash": "x", "vectors_sha256": "y", "mode": "fixed", "position": 0, "outcomes_key": "outcomes/ab/cd.npz"}
result = {"z": "\\x00", "a": "\\ud800", "metric": "accuracy", "score": 0.5}
measured = Measurement.objects.create(submission=row, result=result)
SubmissionCell.objects.create(submission=row, task="pos", measurement=measured, **run)
RunFile.objects.create(submission=row, position=2, original_name="x", key="uploads/ho/none.gz")
study = Study.objects.create(pk="studystudyst", kind=Kind.FREE_ASSOCIATIONS, owner_token_hash="x", title="t",
    cues=["c"], consent="Fine?", questions=[{"question": "a", "options": ["b", "c"]}])
Source.objects.create(study=study, kind="list", name="n", words={"\\u202ecue": ["\\x1b[2J", "word"]})
GivenLists.objects.create(key="k" * 64, title="t", words={"c": ["\\x00"]})
Mail.objects.create(recipient="ada@vectors.example", sender="s", subject="Reset", content=b"/reset/key/secret")
Session.objects.create(session_key="x", session_data="of ada@vectors.example", expire_date=moment)
call_command("backup", sys.argv[1])
"""
RESTORE_AND_LOOK = """
import sys, django; django.setup()
from django.core.management import call_command
call_command("restore", sys.argv[1])
call_command("migrate", verbosity=0)
from django.db import transaction
from django.test import Client
from benchmark.submissions.models import StoredReport, Submission, SubmissionCell
row = Submission.objects.get(pk="hostilehosti")
result = SubmissionCell.objects.get().measurement.result
print(row.tokens, row.created_at.isoformat(), list(result), ascii(result["a"]))
with transaction.atomic():  # a new row gets a number after the restored ones
    body = StoredReport.objects.get().body
    StoredReport.objects.create(submission=Submission.objects.get(pk="seconddddddd"), body=body)
    transaction.set_rollback(True)
client = Client(raise_request_exception=False, SERVER_NAME="127.0.0.1")
print([client.get(path).status_code for path in ("/", "/s/hostilehosti", "/r/hostilehosti", "/people/", "/board.csv")])
"""
LEFT_OUT = ("django_session", "operations_workerbeat", "django_admin_log", "accounts_mail")


def drill(site: Site, new: Site, folder: Path) -> None:
    """Back up one site, restore it as another, and compare the two."""
    site.run(FILL_AND_BACK_UP, folder)
    restored, *looked = new.run(RESTORE_AND_LOOK, folder).splitlines()
    assert "Run migrate" in restored
    before, after = site.rows(), new.rows()
    assert before["accounts_mail"] != []
    assert after == before | {table: [] for table in LEFT_OUT}
    assert (new.folder / "storage/uploads/ho/ho.gz").read_bytes() == b"the file"
    assert (new.folder / "storage/outcomes/ab/cd.npz").read_bytes() == b"the outcomes"
    assert (new.folder / "signing-key").read_text() == "the secret of the signing key"
    assert (new.folder / "signing-key").stat().st_mode & 0o077 == 0
    assert looked == [
        f"{2**63 - 1} 2026-05-04T03:02:01.999999+00:00 ['z', 'a', 'metric', 'score'] '\\ud800'",
        "[200, 200, 200, 200, 200]",
    ]


def test_a_site_over_sqlite_is_restored_row_for_row_and_byte_for_byte(tmp_path: Path) -> None:
    site = Site(tmp_path / "old")
    begin_with_sqlite(site.environment)
    drill(site, Site(tmp_path / "new"), tmp_path / "backups")
    copy = next(backups_in(tmp_path / "backups")) / "database.sqlite3"
    assert b"ada@vectors.example" not in copy.read_bytes()
    assert copy.stat().st_mode & 0o077 == 0


@pytest.mark.slow
@pytest.mark.postgres
def test_a_site_over_postgresql_is_restored_row_for_row_and_byte_for_byte(
    database_url: str, postgres: Postgres, tmp_path: Path
) -> None:
    empty = postgres.create_empty(f"test_{uuid.uuid4().hex[:12]}")
    drill(Site(tmp_path / "old", database_url), Site(tmp_path / "new", empty), tmp_path / "backups")


@pytest.fixture
def backup(tmp_path: Path) -> Callable[[], Path]:
    """Make a backup of a site with one file, in this process."""
    storage.path_of("uploads/ab/ab.gz").write_bytes(b"the file")

    def make() -> Path:
        call_command("backup", tmp_path / "backups", verbosity=0)
        return next(backups_in(tmp_path / "backups"))

    return make


@pytest.mark.django_db(transaction=True)
def test_it_is_not_restored_over_a_site_that_exists(backup: Callable[[], Path]) -> None:
    with pytest.raises(CommandError, match="isn't empty"):
        call_command("restore", backup())


@pytest.mark.django_db(transaction=True)
def test_another_signing_key_is_not_overwritten(backup: Callable[[], Path]) -> None:
    storage.signing_key_file().parent.mkdir(exist_ok=True)
    storage.signing_key_file().write_text("the secret of the backup's key")
    folder = backup()
    storage.signing_key_file().write_text("the secret of another key")
    with pytest.raises(CommandError, match="another key than the backup's"):
        call_command("restore", folder)
    assert storage.signing_key_file().read_text() == "the secret of another key"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("spoiled", ["file", "database", "manifest", "kind"])
def test_a_backup_that_is_damaged_or_of_another_database_is_refused(backup: Callable[[], Path], spoiled: str) -> None:
    made = backup()
    manifest = made / MANIFEST
    if spoiled == "file":
        (made / "storage/uploads/ab/ab.gz").write_bytes(b"other bytes")
    elif spoiled == "kind":
        content = json.loads(manifest.read_text())
        manifest.write_text(json.dumps(content | {"database": {"database.other": "x"}}))
    else:
        (manifest if spoiled == "manifest" else next(made.glob("database.*"))).unlink()
    says = {"file": "storage/uploads/ab/ab.gz is missing or has changed", "kind": "the kind of database it came from"}
    with pytest.raises(CommandError, match=says.get(spoiled, "isn't a backup|database.* is missing")):
        check(made)


@pytest.mark.django_db(transaction=True)
def test_files_that_the_previous_backup_has_are_not_copied_again(backup: Callable[[], Path]) -> None:
    first = backup()
    storage.path_of("uploads/ab/new.gz").write_bytes(b"another")
    latest = backup()
    assert latest > first
    assert (first / "storage/uploads/ab/ab.gz").samefile(latest / "storage/uploads/ab/ab.gz")
    database, keys = check(latest)
    assert (database.name in DATABASE.values(), keys) == (True, ["uploads/ab/ab.gz", "uploads/ab/new.gz"])


@pytest.mark.django_db(transaction=True)
def test_a_backup_that_fails_leaves_nothing(backup: Callable[[], Path], tmp_path: Path) -> None:
    with room_for(1000), pytest.raises((OSError, sqlite3.Error, CommandError)):
        backup()
    assert list((tmp_path / "backups").iterdir()) == []


def test_a_missing_program_of_postgresql_is_named() -> None:
    with pytest.raises(CommandError, match="pg_missing isn't installed"):
        run_postgres("pg_missing", [])
