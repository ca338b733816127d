"""A backup holds everything, and comes back as it was in an empty database."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmark import storage
from benchmark.operations.backups import Unusable, back_up, backups_in, kept_models, restore
from benchmark.people import rating
from benchmark.people.models import Choice, Rater, Study
from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.states import State
from tests.benchmark.people.conftest import finish, study

__all__ = ["study"]
pytestmark = pytest.mark.django_db
Make = Callable[..., Submission]


def stored(key: str, content: bytes) -> str:
    storage.path_of(key).write_bytes(content)
    return key


@pytest.fixture
def a_site(submission: Make, study: Callable[..., Study]) -> Submission:
    """A report with its file and outcomes, an open submission, and a study that somebody answered."""
    finish(rating.begin(study()))
    done = submission(State.DONE, file_key=stored("uploads/ab/ab.gz", b"the file"), name="näïve 词向量")
    outcomes = stored("outcomes/ab/cd.npz", b"the outcomes")
    run = {"task": "pos", "mode": "fixed", "task_hash": "x", "vectors_sha256": "y", "position": 0}
    TaskRun.objects.create(submission=done, state="done", result={"score": 0.5}, outcomes_key=outcomes, **run)
    submission(State.QUEUED)
    return done


def quiet(_: str) -> None: ...


def rows(backup: Path) -> dict[str, bytes]:
    return {path.name: gzip.decompress(path.read_bytes()) for path in sorted(backup.glob("*.jsonl.gz"))}


def empty_everything() -> None:
    Submission.objects.update(report=None)
    Rater.objects.all().delete()
    for model in kept_models():
        model._base_manager.all().delete()
    shutil.rmtree(storage.root(), ignore_errors=True)


def test_what_was_backed_up_is_restored_row_for_row_and_byte_for_byte(a_site: Submission, tmp_path: Path) -> None:
    first = back_up(tmp_path / "backups", quiet)
    empty_everything()
    restore(first, quiet)
    second = back_up(tmp_path / "again", quiet)
    assert rows(first) == rows(second)
    assert sum(map(len, rows(first).values())) > 1_000
    assert storage.path_of("uploads/ab/ab.gz").read_bytes() == b"the file"
    assert storage.path_of("outcomes/ab/cd.npz").read_bytes() == b"the outcomes"
    assert Submission.objects.get(pk=a_site.pk).report.body
    assert Choice.objects.count() == len(Rater.objects.get().plan) > 10


@pytest.mark.parametrize("microseconds", [0, 1, 999, 1_000, 123_456, 999_999])
def test_a_time_comes_back_to_the_microsecond(submission: Make, tmp_path: Path, microseconds: int) -> None:
    when = datetime(2026, 5, 4, 3, 2, 1, microseconds, tzinfo=UTC)
    Submission.objects.filter(pk=submission(State.QUEUED).pk).update(created_at=when)
    backup = back_up(tmp_path, quiet)
    empty_everything()
    restore(backup, quiet)
    assert Submission.objects.get().created_at == when


def test_new_rows_after_a_restore_do_not_collide(a_site: Submission, submission: Make, tmp_path: Path) -> None:
    backup = back_up(tmp_path, quiet)
    empty_everything()
    restore(backup, quiet)
    assert submission(State.DONE).report.pk not in (None, a_site.report.pk)


def test_a_backup_of_an_earlier_version_may_have_columns_that_are_gone(a_site: Submission, tmp_path: Path) -> None:
    backup = back_up(tmp_path, quiet)
    path = backup / "submissions.submission.jsonl.gz"
    entries = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    for entry in entries:
        entry["fields"] |= {"check_share": 0.5, "check_heartbeat_at": None}
    path.write_bytes(gzip.compress("\n".join(json.dumps(entry) for entry in entries).encode()))
    empty_everything()
    restore(backup, quiet)
    assert Submission.objects.filter(pk=a_site.pk).exists()


def test_it_is_not_restored_over_a_site_that_has_rows(a_site: Submission, tmp_path: Path) -> None:
    backup = back_up(tmp_path, quiet)
    with pytest.raises(Unusable, match="not empty"):
        restore(backup, quiet)


@pytest.mark.parametrize("spoil", ["file", "rows", "manifest"])
def test_a_damaged_backup_changes_nothing(a_site: Submission, tmp_path: Path, spoil: str) -> None:
    backup = back_up(tmp_path, quiet)
    broken = {
        "file": tmp_path / "files" / "uploads/ab/ab.gz",
        "rows": backup / "submissions.submission.jsonl.gz",
        "manifest": backup / "manifest.json",
    }[spoil]
    broken.write_bytes(b"other bytes") if spoil == "file" else broken.unlink()
    empty_everything()
    with pytest.raises(Unusable):
        restore(backup, quiet)
    assert not Submission.objects.exists()


def test_files_that_an_earlier_backup_has_are_not_copied_again(a_site: Submission, tmp_path: Path) -> None:
    back_up(tmp_path, quiet)
    copied = (tmp_path / "files" / "uploads/ab/ab.gz").stat().st_ino
    latest = back_up(tmp_path, quiet)
    assert (tmp_path / "files" / "uploads/ab/ab.gz").stat().st_ino == copied
    assert next(backups_in(tmp_path)) == latest
