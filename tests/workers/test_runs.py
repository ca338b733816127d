"""Several runs of one setting: an archive is unpacked without trusting its file names."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from benchmark import storage
from benchmark.operations import quotas
from benchmark.storage import incoming
from benchmark.submissions.models import RunFile, Submission
from benchmark.submissions.states import State
from tasks.datasets.registry import REGISTRY
from tasks.political.cues import operators_file
from tasks.prepared import open_prepared
from tasks.processes import no_progress
from tasks.suites import SUITES
from tests.workers.factories import checked, do_job, uploaded
from tests.workers.running_site import write_vectors
from workers import vectors
from workers.kinds import files, planning

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
WORDS = [f"word{n}" for n in range(150)]


def entry(name: str, size: int = 0, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info


def archive(path: Path, *entries: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as made:
        for info, content in entries:
            info.size = len(content)
            made.addfile(info, io.BytesIO(content))
    return path


def run_files(folder: Path, count: int) -> list[bytes]:
    """Files with equal words and different numbers; every second one is uncompressed."""
    contents = []
    for n in range(count):
        content = write_vectors(folder / f"run{n}.txt.gz", WORDS, 4 + n).read_bytes()
        contents.append(gzip.decompress(content) if n % 2 else content)
    return contents


def test_an_archive_becomes_runs_in_order(tmp_path: Path) -> None:
    contents = run_files(tmp_path, 3)
    names = ("out/run-1.txt.gz", "out/run-2.txt", "out/run-3.txt.gz")
    folder = (entry("out/", kind=tarfile.DIRTYPE), b"")
    row = checked(
        archive(tmp_path / "runs.tar.gz", folder, *((entry(n), c) for n, c in zip(names, contents, strict=True)))
    )
    assert row.state == State.QUEUED, row.error
    assert (row.original_name, row.dimensions) == ("run-1.txt.gz", 4)
    assert [(run.position, run.original_name) for run in row.run_files.all()] == [(2, "run-2.txt"), (3, "run-3.txt.gz")]
    assert [open_prepared(folder, name="run").dimensions for folder in vectors.run_directories(row)] == [5, 6]
    assert {file.key for file in storage.keys("uploads")} == {
        row.file_key,
        *RunFile.objects.values_list("key", flat=True),
    }


def test_a_run_that_was_evicted_is_prepared_again(tmp_path: Path) -> None:
    contents = run_files(tmp_path, 2)
    row = checked(archive(tmp_path / "runs.tar.gz", *((entry(f"{n}.gz"), c) for n, c in enumerate(contents))))
    shutil.rmtree(vectors.prepared_root())
    assert len(vectors.run_directories(row)) == 1
    assert all((folder / "meta.json").exists() for folder in vectors.run_directories(row))


def test_of_many_runs_as_many_are_prepared_as_are_wanted(tmp_path: Path) -> None:
    contents = run_files(tmp_path, 3)
    row = checked(archive(tmp_path / "runs.tar.gz", *((entry(f"{n}.gz"), c) for n, c in enumerate(contents))))
    shutil.rmtree(vectors.prepared_root())
    (first,) = vectors.run_directories(row, most=1)
    assert open_prepared(first, name="run").dimensions == 5
    assert [folder.name for folder in vectors.prepared_root().iterdir() if folder.is_dir()] == [first.name]


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "/etc/passwd", "a/../../x.txt", "..\\..\\x.txt"])
def test_a_name_that_leads_out_of_the_archive_is_refused(tmp_path: Path, name: str) -> None:
    row = checked(
        archive(tmp_path / "runs.tar.gz", (entry("a.gz"), run_files(tmp_path, 1)[0]), (entry(name), b"x 1 2"))
    )
    assert (row.state, row.error["code"]) == (State.REJECTED, "bad-archive")
    assert [file.key for file in storage.keys("uploads")] == [row.file_key]


@pytest.mark.parametrize(("count", "code"), [(1, "one-run"), (21, "too-many-files")])
def test_an_archive_holds_two_to_twenty_files(tmp_path: Path, count: int, code: str) -> None:
    content = run_files(tmp_path, 1)[0]
    row = checked(archive(tmp_path / "runs.tar.gz", *((entry(f"{n}.gz"), content) for n in range(count))))
    assert (row.state, row.error["code"]) == (State.REJECTED, code)


def test_a_bad_run_is_named_with_its_line(tmp_path: Path) -> None:
    good = run_files(tmp_path, 1)[0]
    lines = gzip.decompress(good).splitlines()
    bad = b"\n".join([*lines[:77], b"word77 1 2", *lines[78:]])
    row = checked(archive(tmp_path / "runs.tar.gz", (entry("good.gz"), good), (entry("bad.txt"), bad)))
    assert row.state == State.REJECTED
    assert row.error["message"].startswith("Run 2 (bad.txt): ")
    assert row.error["line"] == 78


def test_a_cut_archive_is_rejected_not_tried_again(tmp_path: Path) -> None:
    whole = archive(tmp_path / "runs.tar.gz", *((entry(f"{n}.gz"), c) for n, c in enumerate(run_files(tmp_path, 3))))
    whole.write_bytes(whole.read_bytes()[:-3000])
    row = checked(whole)
    assert (row.state, row.error["code"]) == (State.REJECTED, "bad-archive")


def test_an_archive_that_breaks_off_within_a_file_leaves_no_draft_behind(tmp_path: Path) -> None:
    path = tmp_path / "runs.tar.gz"
    header = entry("a.txt", 3_000_000).tobuf()
    path.write_bytes(gzip.compress(header + b"x 1 2\n" * 300_000))
    row = checked(path)
    assert (row.state, row.error["code"]) == (State.REJECTED, "bad-archive")
    assert list(incoming().glob("run-*")) == []


def test_files_that_are_too_large_together_are_refused(tmp_path: Path, settings: object) -> None:
    settings.VECBOARD_MAX_EXPANDED_BYTES = 10_000  # type: ignore[attr-defined]
    contents = [bytes(9_000)] * 2
    row = checked(archive(tmp_path / "runs.tar.gz", *((entry(f"{n}.txt"), c) for n, c in enumerate(contents))))
    assert (row.state, row.error["code"]) == (State.REJECTED, "too-large-expanded")


def test_a_result_over_all_runs_is_reused_only_for_the_same_runs(tmp_path: Path) -> None:
    stability = SUITES["open-2026"].task("stability")
    first, second = (uploaded() for _ in range(2))
    for row in (first, second):
        Submission.objects.filter(pk=row.pk).update(vectors_sha256="a" * 64)
        row.refresh_from_db()
    RunFile.objects.create(submission=second, position=2, key="k", vectors_sha256="b" * 64)
    assert planning.identity(first, stability) == "a" * 64
    assert planning.identity(second, stability) != "a" * 64
    assert planning.identity(second, SUITES["open-2026"].task("sim-ws-353-all")) == "a" * 64


def test_word_groups_of_the_same_vectors_in_another_language_are_other_work() -> None:
    suite = SUITES["open-2026"]
    row = uploaded()
    row.vectors_sha256 = "a" * 64
    found = {}
    for row.language in ("en", "de"):
        found[row.language] = [planning.identity(row, suite.task(task)) for task in ("odd-one-out", "sim-ws-353-all")]
    assert found["en"][0] != found["de"][0]
    assert found["en"][1] == found["de"][1] == "a" * 64


def test_a_result_is_not_reused_once_the_operator_has_put_another_file_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = uploaded()
    for name in ("VECBOARD_DATA", "VECBOARD_DATA_MIRROR"):
        monkeypatch.setenv(name, str(tmp_path))
    row.vectors_sha256 = "a" * 64
    cells = SUITES["open-2026"].task("political-es"), SUITES["veceval-2016"].task("ner")
    assert [planning.identity(row, task) for task in cells] == ["a" * 64] * 2  # no form exists to reuse
    found = []
    for content in (b"one", b"another"):
        operators_file(cells[0], tmp_path).parent.mkdir(exist_ok=True)
        operators_file(cells[0], tmp_path).write_bytes(content)
        for file in REGISTRY["conll2003"].files:
            (tmp_path / file.path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file.path).write_bytes(content)
        found.append([planning.identity(row, task) for task in cells])
    assert all(len({"a" * 64, *of_task}) == 3 for of_task in zip(*found, strict=True))
    os.utime(operators_file(cells[0], tmp_path), ns=(1, 1))  # the same file on another machine
    assert planning.identity(row, cells[0]) == found[-1][0]


def test_a_plain_file_is_left_as_it_is() -> None:
    row = uploaded()
    before = row.file_key, storage.size(row.file_key)
    files.check_and_prepare(row, no_progress)
    row.refresh_from_db()
    assert (row.file_key, storage.size(row.file_key)) == before
    assert not row.run_files.exists()


def test_the_bytes_and_runs_of_an_archive_count_against_the_day(tmp_path: Path) -> None:
    members = [(entry(f"run-{n}.gz"), content) for n, content in enumerate(run_files(tmp_path, 3))]
    file = archive(tmp_path / "runs.tar.gz", *members)
    row = uploaded(file)
    quotas.charge(row, 1, file.stat().st_size)
    do_job("check_submission", row.pk)
    row.refresh_from_db()
    stored = row.file_bytes + sum(row.run_files.values_list("bytes", flat=True))
    assert (row.ticket.files, row.ticket.bytes) == (3, max(stored, file.stat().st_size))
