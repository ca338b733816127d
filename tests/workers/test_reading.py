"""Uploaded files are read in a separate process: its limits, its end, and the blame for it."""

from __future__ import annotations

import gzip
import os
import re
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import pytest

from benchmark import storage
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tasks.errors import DataUnavailable, InputError
from tasks.formats import Limits, ReadRequest
from tasks.formats.child import ArchiveFound, encoded
from tasks.processes import no_progress
from tests.servers import eventually
from tests.tasks.formats.models import WORDS, members, rows, word_list, wordpiece, zipped
from tests.workers.factories import do_job, uploaded
from tests.workers.running_site import small_file
from workers import vectors
from workers.heartbeat import Stopped

pytestmark = pytest.mark.usefixtures("own_files")


def readers() -> list[psutil.Process]:
    """The reading processes started by this one."""
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # ended meanwhile
            if "tasks.formats.child" in child.cmdline():
                found.append(child)
    return found


def readers_that_wait() -> list[psutil.Process]:
    """Reading processes that have set their limits and begun."""
    return [reader for reader in readers() if limits_of(reader)["address space"] != "unlimited"]


def limits_of(process: psutil.Process) -> dict[str, str]:
    text = Path(f"/proc/{process.pid}/limits").read_text(encoding="ascii")
    return {name.strip().lower(): soft for name, soft in re.findall(r"^Max (.{20,22}?)  +(\S+)", text, re.MULTILINE)}


@pytest.fixture
def read_here() -> None:
    """Restore reading in a separate process, as on a site."""


@pytest.fixture
def endless(own_files: Path) -> Path:
    """A file whose first byte never arrives: its reader waits in the kernel and cannot be interrupted."""
    path = own_files / "endless.gz"
    os.mkfifo(path)
    return path


def endless_submission() -> Submission:
    row = uploaded()
    storage.path_of(row.file_key).unlink()
    os.mkfifo(storage.path_of(row.file_key))
    return row


def checked(row: Submission) -> Submission:
    do_job("check_submission", row.pk)
    row.refresh_from_db()
    return row


def read(path: Path, progress: Any = no_progress) -> Any:
    return vectors.read_in_process(ReadRequest(path, limits=vectors.site_limits()), progress)


@contextmanager
def reader_of(fifo: Path, after: psutil.Process | None = None) -> Iterator[psutil.Process]:
    """The reader, or the one that follows another, once it has announced its start and opened its file, which stays
    empty until the end of the block."""
    writers: list[int] = []

    def is_open() -> bool:
        with suppress(OSError):  # a pipe that nobody reads takes no writer
            writers.append(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
        return bool(writers)

    eventually(lambda: readers() not in ([], [after]), every=0.02)
    eventually(is_open, every=0.02)
    try:
        yield readers()[0]
    finally:
        os.close(writers[0])


@pytest.fixture
def at_the_reader() -> Iterator[Callable[[Path, Callable[[psutil.Process], None]], None]]:
    """Act on the reader of a file in another thread, whose errors fail the test."""

    def wait_and_do(fifo: Path, deed: Callable[[psutil.Process], None]) -> None:
        with reader_of(fifo) as reader:
            deed(reader)

    with ThreadPoolExecutor(1) as thread:
        deeds = []
        yield lambda fifo, deed: deeds.append(thread.submit(wait_and_do, fifo, deed))
        for done in deeds:
            done.result()


@pytest.mark.django_db
def test_a_reader_that_stands_still_is_killed_and_the_file_is_checked_again_later(settings: Any) -> None:
    """As on a disk that doesn't answer: the file isn't to blame."""
    settings.VECBOARD_PARSE_SECONDS = 2
    row = checked(endless_submission())
    assert (row.state, row.error, row.check_tries) == (State.CHECKING, None, 1)
    job = row.check_job
    assert job is not None
    assert "stood still for 2 seconds" in job.reason
    assert readers() == []


@dataclass
class FakeReader:
    """A reader that answers after some polls; its processor time grows by a share of the clock's."""

    clock: Iterator[float]
    share: float
    polls: int
    used: float = 0.0

    def lines(self) -> Iterator[bytes | None]:
        yield from [None] * self.polls
        yield encoded(ArchiveFound(()))

    def processor_seconds(self) -> float:
        self.used += self.share
        return self.used


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.9, "too-slow"), (0.04, ArchiveFound(())), (0.0, "the process that reads files stood still for 30 seconds")],
)
def test_a_file_is_to_blame_for_processor_time_only(
    share: float, expected: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """600 seconds on machines that leave a reader 90 % of them, 4 % and nothing."""
    clock = (float(second) for second in count())
    monkeypatch.setattr(vectors.time, "monotonic", lambda: next(clock))
    request = ReadRequest(small_file(), scratch=tmp_path)
    found = vectors._followed(FakeReader(clock, share, polls=300), no_progress, request)  # type: ignore[arg-type]
    assert getattr(found, "code", getattr(found, "message", found)) == expected
    if expected == "too-slow":
        assert "30 seconds of processor time" in getattr(found, "message", "")


@pytest.mark.django_db
def test_a_file_that_uses_too_much_processor_time_is_refused(settings: Any, tmp_path: Path) -> None:
    settings.VECBOARD_PARSE_SECONDS = 1  # less than the packages need that are imported first
    file = tmp_path / "words.gz"
    file.write_bytes(gzip.compress(b"".join(b"a%d 1 2\n" % n for n in range(2_000_000)), 1))
    row = checked(uploaded(file))
    assert (row.state, row.error["code"], row.check_tries) == (State.REJECTED, "too-slow", 1)
    assert readers() == []


@pytest.mark.django_db
def test_a_file_that_needs_too_much_memory_is_refused(settings: Any, tmp_path: Path) -> None:
    settings.VECBOARD_PARSE_MEMORY_MB = 64
    words = b"".join(b"a-rather-long-word-with-number-%d 1 2\n" % n for n in range(700_000))
    file = tmp_path / "words.gz"
    file.write_bytes(gzip.compress(words, 1))
    row = checked(uploaded(file))
    assert (row.state, row.error["code"], row.check_tries) == (State.REJECTED, "too-much-memory", 1)


def test_time_is_allowed_by_what_was_read(tmp_path: Path) -> None:
    file, folder = tmp_path / "file", tmp_path / "folder"
    folder.mkdir()
    file.write_bytes(b"x" * 2_000_000)
    (folder / "matrix.npy").write_bytes(b"x" * 3_000_000)
    request = ReadRequest(file, scratch=folder)
    assert [vectors._allowed(request, share, 30) for share in (0, 0.5, 1)] == [33, 34, 35]
    bounded = replace(request, limits=Limits(seconds=20))
    assert vectors._allowed(bounded, 1, 30) == 20


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("number", "state", "code"),
    [
        (signal.SIGKILL, State.REJECTED, "too-much-memory"),
        (signal.SIGXCPU, State.REJECTED, "too-slow"),
        (signal.SIGTRAP, State.CHECKING, None),
    ],
)
def test_a_reader_that_the_kernel_ends(
    number: signal.Signals, state: State, code: str | None, at_the_reader: Any
) -> None:
    """The kernel kills a process that exhausts memory: the file's fault. Any other end is ours, and retried."""
    row = endless_submission()
    at_the_reader(storage.path_of(row.file_key), lambda reader: reader.send_signal(number))
    checked(row)
    assert (row.state, (row.error or {}).get("code"), row.check_tries) == (state, code, 1)


@pytest.mark.django_db
@pytest.mark.parametrize("number", [signal.SIGSEGV, pytest.param(signal.SIGABRT, marks=pytest.mark.slow)])
def test_a_file_that_crashes_its_reader_twice_is_refused(number: signal.Signals, at_the_reader: Any) -> None:
    row = endless_submission()
    fifo = storage.path_of(row.file_key)

    def crash_both(first: psutil.Process) -> None:
        first.send_signal(number)
        with reader_of(fifo, after=first) as second:
            second.send_signal(number)

    at_the_reader(fifo, crash_both)
    checked(row)
    assert (row.state, row.error["code"], row.check_tries) == (State.REJECTED, "crashes-the-reader", 1)
    assert readers() == []


@pytest.mark.django_db
def test_after_one_crash_the_file_is_read_again(at_the_reader: Any) -> None:
    row = endless_submission()
    fifo = storage.path_of(row.file_key)

    def crash_once(reader: psutil.Process) -> None:
        fifo.unlink()
        fifo.write_bytes(small_file().read_bytes())
        reader.send_signal(signal.SIGSEGV)

    at_the_reader(fifo, crash_once)
    assert checked(row).state == State.QUEUED


def test_a_reader_is_bounded_before_it_opens_the_file(endless: Path, settings: Any, at_the_reader: Any) -> None:
    settings.VECBOARD_PARSE_SECONDS, settings.VECBOARD_MAX_EXPANDED_BYTES = 3_000, 1_000_000
    settings.VECBOARD_PARSE_MEMORY_MB = 1_000
    found: dict[str, str] = {}
    had: list[int] = []
    environment: dict[str, str] = {}

    def look(reader: psutil.Process) -> None:
        found.update(limits_of(reader))
        had.append(reader.memory_info().vms)
        environment.update(reader.environ())
        reader.kill()

    at_the_reader(endless, look)
    with pytest.raises(InputError):
        read(endless)
    assert int(found["cpu time"]) == 3_000
    assert int(found["file size"]) == vectors.site_limits().written_bytes < 50_000_000
    assert int(found["address space"]) == pytest.approx(had[0] + 1_000 * 2**20, rel=0.1)
    assert not {"SECRET_KEY", "DATABASE_URL", "HOME", "DJANGO_SETTINGS_MODULE"} & set(environment)


def test_a_reader_ends_when_its_job_is_cancelled(endless: Path) -> None:
    def unwanted(share: float, what: str) -> None:
        if readers_that_wait():
            raise Stopped

    with pytest.raises(Stopped):
        read(endless, unwanted)
    assert readers() == []


def test_signals_that_stop_a_worker_do_not_stop_its_reader(endless: Path, at_the_reader: Any) -> None:
    """A stopping worker first finishes its job; Ctrl-C reaches the whole group."""

    def ask(reader: psutil.Process) -> None:
        reader.send_signal(signal.SIGINT)
        reader.terminate()
        with pytest.raises(psutil.TimeoutExpired):
            reader.wait(0.5)
        reader.kill()

    at_the_reader(endless, ask)
    with pytest.raises(InputError) as killed:
        read(endless)
    assert killed.value.code == "too-much-memory"


def broken_module(folder: Path) -> Path:
    folder.mkdir()
    (folder / "isal.py").write_text("raise ImportError('not installed rightly')")
    return folder


@pytest.mark.django_db
@pytest.mark.parametrize("fault", ["no program", "no folder", "broken packages"])
def test_a_reader_that_cannot_be_started_is_our_fault(
    fault: str, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if fault == "no program":
        monkeypatch.setattr("sys.executable", "/bin/false")
    elif fault == "no folder":
        settings.BASE_DIR = tmp_path / "nowhere"
    else:
        monkeypatch.setenv("PYTHONPATH", str(broken_module(tmp_path / "packages")))
    row = checked(uploaded())
    assert (row.state, row.check_tries) == (State.CHECKING, 1)
    job = row.check_job
    assert job is not None
    assert (job.heartbeat_at, job.what) == (None, "Waiting for another try")


def test_a_refused_file_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "bad.gz"
    file.write_bytes(gzip.compress(b"".join(b"word%d 1 2\n" % n for n in range(50_000)) + b"last 1 x\n"))
    with pytest.raises(InputError) as refused:
        read(file)
    assert (refused.value.line, refused.value.word) == (50_001, "last")
    assert list(vectors.prepared_root().iterdir()) == []


def test_the_progress_of_a_reader_is_passed_on(tmp_path: Path) -> None:
    file = tmp_path / "good.gz"
    file.write_bytes(gzip.compress(b"".join(b"word%d %f %f\n" % (n, n / 7, n / 9) for n in range(1, 300_001)), 1))
    progress: list[tuple[float, str]] = []
    prepared = read(file, lambda share, what: progress.append((share, what)))
    assert prepared.words == 300_000
    assert prepared.directory == vectors.prepared_root() / prepared.sha256
    shares = [share for share, _ in progress]
    assert len(set(shares)) > 3
    assert shares == sorted(shares)


def test_a_reader_asks_once_for_the_words_of_an_open_vocabulary(tmp_path: Path) -> None:
    """The file is read once: the reader waits for the list and continues with it."""
    file, asked = tmp_path / "model.zip", []
    file.write_bytes(zipped(members(wordpiece(), {"embeddings": rows(58)})))

    def words() -> Path:
        asked.append(readers())
        return word_list(tmp_path, WORDS)

    request = ReadRequest(file, limits=vectors.site_limits(), words=words)
    prepared = vectors.read_in_process(request, no_progress)
    assert (prepared.words, prepared.open_vocabulary) == (len(WORDS), True)
    assert [len(waiting) for waiting in asked] == [1]


def test_a_reader_ends_when_there_is_no_list_of_words_for_it(tmp_path: Path) -> None:
    def words() -> Path:
        raise DataUnavailable("corpus", "The corpus is missing.")

    file = tmp_path / "model.zip"
    file.write_bytes(zipped(members(wordpiece(), {"embeddings": rows(58)})))
    with pytest.raises(DataUnavailable):
        vectors.read_in_process(ReadRequest(file, limits=vectors.site_limits(), words=words), no_progress)
    assert readers() == []
    assert list(vectors.prepared_root().iterdir()) == []
