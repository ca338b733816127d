"""Neither an answer nor a line of the log holds a path of the server, or what a visitor wrote in a file or its name.

Requests are watched where they are judged (``judging.leaks``); these are the jobs behind them.
"""

from __future__ import annotations

import errno
import gzip
from pathlib import Path

import pytest
from django.test import Client

from benchmark import storage
from benchmark.submissions.models import Submission
from tasks.errors import Fault
from tests.benchmark.conftest import own_files
from tests.hostile.judging import leaks, logged_lines
from tests.hostile.values import MARK
from tests.workers.factories import do_job, uploaded
from workers import runner

__all__ = ["own_files"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
LINES = [f"word{n} 0.{n} 0.2 0.3" for n in range(200)]
FILES: dict[str, bytes] = {
    "a number that is none": "\n".join([*LINES, f"word {MARK} 0.1"]).encode(),
    "a bad archive": b"PK\x03\x04" + MARK.encode() * 50,
    "a truncated gzip": gzip.compress("\n".join([*LINES, MARK]).encode())[:-20],
    "no vectors": (MARK + "\n").encode() * 300,
    "words twice": "\n".join([*LINES, *[f"{MARK.replace(' ', '_')} 1 2 3"] * 90]).encode(),
}


def sent(content: bytes, folder: Path) -> Submission:
    path = folder / f"{MARK}.txt"
    path.write_bytes(content)
    row = uploaded(path)
    Submission.objects.filter(pk=row.pk).update(original_name=path.name, name=MARK)
    return row


def answers_about(submission: Submission) -> bytes:
    paths = (f"/s/{submission.pk}", f"/api/v1/submissions/{submission.pk}")
    return b"".join(Client().get(path).content for path in paths)


@pytest.mark.parametrize("what", FILES)
def test_the_log_of_a_refused_file_has_its_code_only(what: str, tmp_path: Path) -> None:
    row = sent(FILES[what], tmp_path)
    with logged_lines() as lines:
        do_job("check_submission", row.pk)
        content = answers_about(row)
    assert leaks(content, lines) == []


def test_a_file_that_the_storage_lost_is_reported_without_its_path(tmp_path: Path) -> None:
    row = sent("\n".join(LINES).encode(), tmp_path)
    storage.path_of(row.file_key).unlink()
    with logged_lines() as lines:
        for _ in range(runner.KINDS["check_submission"].tries()):
            do_job("check_submission", row.pk)
        content = answers_about(row)
    assert "FileNotFoundError: No such file or directory" in content.decode()
    assert any("workers/kinds/files.py" in line for line in lines)
    assert leaks(content, lines) == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENAMETOOLONG, "File name too long", f"/srv/{MARK}"), "OSError: File name too long"),
        (ValueError(f"could not convert {MARK}"), "ValueError"),
        (RuntimeError(f"/srv/vecboard/{MARK}"), "RuntimeError"),
    ],
)
def test_a_failure_is_named_by_its_class(error: Exception, said: str) -> None:
    assert runner.in_words(error) == f"{said}; the worker’s log says where"


def test_a_failure_with_a_message_for_people_keeps_it() -> None:
    assert runner.in_words(Fault("the process ended with SIGSEGV")) == "the process ended with SIGSEGV"
