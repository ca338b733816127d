"""The vectors of shipped entries, rebuilt by a worker: the same content, or none."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from benchmark import storage
from benchmark.operations.models import Job
from benchmark.shipped.dump import dump_path
from benchmark.shipped.recipes import ShippedVectors, list_path, write_list
from benchmark.shipped.trained import Made, TrainedEntry, make
from benchmark.shipped.vectors import why_without
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from benchmark.submissions.vectors import ask, directory_of
from tasks.suites import DEMO, SUITES
from tests.web_files import FileServer, serving
from tests.workers.factories import ask_and_do, checked, do_job, planned, uploaded
from tests.workers.running_site import small_file
from vecboard.public import PUBLIC, PublicFile
from workers.kinds import files

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
KIND = "rebuild_vectors"
Shipped = Callable[..., Submission]


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short_pauses: None) -> Iterator[FileServer]:
    """The published file of ``small-public``."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with serving(small_file().read_bytes()) as found:
        entry = replace(PUBLIC[0], id="small-public", source=PublicFile(found.address))
        monkeypatch.setattr("vecboard.public.PUBLIC", (entry,))
        yield found


@pytest.fixture
def shipped(settings: Any, tmp_path: Path) -> Shipped:
    """A measured entry as loaded from a dump: with the hash of its vectors but without the file."""

    def make(made_by: str = "small-public", row: Submission | None = None) -> Submission:
        row = row or planned()
        settings.SHIPPED_ROOT = tmp_path
        listed = {row.vectors_sha256: ShippedVectors(made_by)}
        write_list(list_path(dump_path(SUITES[row.suite], tmp_path)), listed)
        shutil.rmtree(directory_of(row))
        storage.delete(row.file_key)
        Submission.objects.filter(pk=row.pk).update(file_key="", file_sha256="", state=State.DONE)
        row.refresh_from_db()
        return row

    return make


def test_published_vectors_are_fetched_and_kept_as_if_uploaded(
    served: FileServer, shipped: Shipped, client: Client
) -> None:
    row = shipped()
    assert ask(row, "the").code == "not-prepared"
    assert row.has_vectors
    ask_and_do("prepare_vectors", row.pk)
    waiting = Job.objects.exclude(kind="run_cell")
    assert set(waiting.values_list("kind", "tries")) == {(KIND, 0), ("prepare_vectors", 0)}
    assert "Waiting for the vectors" in Job.objects.get(kind="prepare_vectors").what
    Job.objects.filter(kind=KIND).update(tries=1)
    do_job("prepare_vectors", row.pk)
    assert Job.objects.get(kind=KIND).tries == 1  # those who wait don't give it new tries
    do_job(KIND, row.pk)
    do_job("prepare_vectors", row.pk)
    assert not waiting.exists()
    row.refresh_from_db()
    word = (directory_of(row) / "words.txt").read_text().split("\n")[0]
    assert len(ask(row, word).neighbours) == 10
    assert row.has_vectors
    assert b"".join(client.get(f"/s/{row.pk}/vectors").streaming_content) == served.content  # type: ignore[attr-defined]
    assert row.vectors_problem == ""


def test_a_kept_file_lays_them_out_again_when_the_prepared_form_is_gone(served: FileServer, shipped: Shipped) -> None:
    row = shipped()
    ask_and_do(KIND, row.pk)
    shutil.rmtree(directory_of(row))
    ask_and_do("prepare_vectors", row.pk)
    assert directory_of(row).is_dir()


def test_other_vectors_than_the_measured_ones_are_not_kept(served: FileServer, shipped: Shipped) -> None:
    row = shipped()
    served.content = small_file(dimensions=6).read_bytes()
    ask_and_do(KIND, row.pk)
    row.refresh_from_db()
    assert (row.file_key, storage.exists(storage.upload_key(row.pk))) == ("", False)
    assert "others than the measured ones" in why_without(row)
    assert not Job.objects.filter(kind=KIND).exists()


def test_trained_vectors_whose_last_digits_differ_are_searched_but_neither_measured_nor_offered(
    shipped: Shipped, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    row = shipped("cbow-w5-d50")
    remade = Made(small_file(dimensions=6), tmp_path / "criteria.json")
    monkeypatch.setattr(files, "make", lambda *_: remade)
    ask_and_do(KIND, row.pk)
    row.refresh_from_db()
    assert (row.has_vectors, row.vectors_problem, row.offers_download) == (True, "", False)
    word = (directory_of(row) / "words.txt").read_text().split("\n")[0]
    assert len(ask(row, word).neighbours) == 10
    assert row.held_sha256 != row.vectors_sha256
    Submission.objects.filter(pk=row.pk).update(state=State.RUNNING)
    cell = row.cells.get(task="sim-ws-353-all")
    do_job("run_cell", cell.pk)
    assert "another type of processor" in Job.objects.get(kind="run_cell", subject=cell.pk).reason


def test_a_worker_that_was_taken_over_and_its_successor_do_not_disturb_each_other(
    served: FileServer, shipped: Shipped, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = storage.upload_key(shipped().pk)
    file, publish = small_file(), storage.publish
    drafts: list[Path] = []

    def after_the_other(draft: Path, key: str) -> None:
        drafts.append(draft)
        if len(drafts) == 1:
            files._publish(file, key)
        publish(draft, key)

    monkeypatch.setattr(storage, "publish", after_the_other)
    assert files._publish(file, key) == hashlib.sha256(file.read_bytes()).hexdigest()
    assert len(set(drafts)) == 2
    assert storage.opened(key).read() == file.read_bytes()
    assert not list(storage.incoming().iterdir())


def test_a_source_without_the_file_is_reported_and_not_tried_again(served: FileServer, shipped: Shipped) -> None:
    row = shipped()
    served.statuses = [404]
    ask_and_do(KIND, row.pk)
    row.refresh_from_db()
    assert "HTTP 404" in why_without(row)
    assert not Job.objects.filter(kind=KIND).exists()
    assert not row.has_vectors
    ask_and_do("prepare_vectors", row.pk)
    assert not Job.objects.exclude(kind="run_cell").exists()


def test_a_source_that_does_not_answer_is_tried_again_and_then_reported(served: FileServer, shipped: Shipped) -> None:
    row = shipped()
    served.statuses = [503] * 100
    ask_and_do(KIND, row.pk)
    job = Job.objects.get(kind=KIND)
    assert (job.tries, job.heartbeat_at) == (1, None)
    Job.objects.filter(pk=job.pk).update(tries=100)
    do_job(KIND, row.pk)
    row.refresh_from_db()
    assert "could not be downloaded" in why_without(row)


def test_while_it_waits_the_page_says_so(shipped: Shipped) -> None:
    row = shipped()
    assert "A worker rebuilds them when they are first needed." in why_without(row)
    call_command("rebuild_vectors", row.pk, suite="demo")
    assert "They wait for a worker" in why_without(row)
    assert Job.objects.get(kind=KIND).subject == row.pk


def test_the_command_asks_for_all_and_refuses_entries_that_do_not_ship(shipped: Shipped) -> None:
    other = uploaded()
    row = shipped()
    with pytest.raises(CommandError, match=other.pk):
        call_command("rebuild_vectors", other.pk, suite="demo")
    call_command("rebuild_vectors", suite="demo")
    assert [job.subject for job in Job.objects.filter(kind=KIND)] == [row.pk]


def test_an_entry_that_has_its_file_is_left_alone(served: FileServer) -> None:
    row = planned()
    ask_and_do(KIND, row.pk)
    assert served.asked == []
    assert not Job.objects.filter(kind=KIND).exists()


@pytest.mark.slow
def test_trained_vectors_are_trained_again_and_have_the_same_content(shipped: Shipped, tmp_path: Path) -> None:
    entry = TrainedEntry("svd-ppmi", 50, 5)  # trained fastest
    row = checked(make(entry, DEMO, tmp_path / "first").vectors)
    shipped(entry.id, row)
    ask_and_do(KIND, row.pk)
    row.refresh_from_db()
    assert row.vectors_problem == ""
    assert storage.exists(row.file_key)
