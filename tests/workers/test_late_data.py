"""Data sets that arrive after a file: its cells wait, or are measured later."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import pytest
import time_machine
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from benchmark import data
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission, SubmissionCell
from benchmark.submissions.states import State
from tasks.datasets.dataset import Plain
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import Arrival, DataStore, MissingSet
from tasks.suites import SUITES
from tests.workers.factories import ask_and_do, cell, do_job, end_all, uploaded
from tests.workers.running_site import small_file
from workers import sweeper
from workers.kinds import planning

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
LATE, TASK = "demo-wordsim", "sim-ws-353-all"
WHY = "one.example answers HTTP 403"


Arrives = Literal["coming", "given up", "here", "damaged"]


@pytest.fixture
def arriving(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Arrives], None]:
    """Put this machine into a state of one demo set, which is fetched in these tests instead of packaged.

    Each state has a data directory of its own, as a store keeps what it has read.
    """
    small_file()  # its words are from this set
    content = DataStore.default().path(LATE).read_bytes()
    empty = tmp_path / "no mirror"
    monkeypatch.setenv("VECBOARD_DATA_MIRROR", str(empty))
    packaged = REGISTRY[LATE]

    def declare(content: bytes) -> None:
        recipe, sha256 = Plain("https://one.example/late.tsv"), hashlib.sha256(content).hexdigest()
        file = replace(packaged.files[0], recipe=recipe, bytes=len(content), sha256=sha256)
        monkeypatch.setitem(REGISTRY, LATE, replace(packaged, files=(file,)))

    def arrive(state: Arrives) -> None:
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        monkeypatch.setenv("VECBOARD_DATA", str(folder))
        declare(b"\xff\xfe\n" if state == "damaged" else content)
        if state in ("here", "damaged"):
            path = folder / packaged.files[0].path
            path.parent.mkdir(parents=True)
            path.write_bytes(b"\xff\xfe\n" if state == "damaged" else content)
        else:
            missing = MissingSet(state == "coming", "" if state == "coming" else WHY)
            Arrival(True, 12_000_000, 96_000_000, {LATE: missing}).write(folder)

    return arrive


def checked() -> Submission:
    row = uploaded()
    do_job("check_submission", row.pk)
    do_job("start_cells", row.pk)
    return row


def jobs_of(row: Submission) -> set[str]:
    subjects = row.jobs.filter(kind="run_cell").values_list("subject", flat=True)
    return set(SubmissionCell.objects.filter(pk__in=map(int, subjects)).values_list("task", flat=True))


def test_a_file_is_checked_at_once_and_only_cells_whose_data_is_coming_wait(
    arriving: Callable[[Arrives], None],
) -> None:
    arriving("coming")
    row = checked()
    assert cell(row, TASK).state == "waiting"
    assert TASK not in jobs_of(row)
    assert "pos" in jobs_of(row)
    assert row.pk not in planning.unplanned()


def test_it_is_queued_by_the_sweep_when_the_data_is_here(arriving: Callable[[Arrives], None]) -> None:
    arriving("coming")
    row = checked()
    arriving("here")
    sweeper.queue_owed()
    do_job("start_cells", row.pk)
    assert TASK in jobs_of(row)


def test_a_set_that_was_given_up_blanks_only_its_own_tasks_with_the_true_reason(
    arriving: Callable[[Arrives], None],
) -> None:
    arriving("given up")
    row = checked()
    do_job("run_cell", cell(row, TASK).pk)
    late = cell(row, TASK)
    assert (late.state, late.lacks_data) == ("unavailable", True)
    assert WHY in late.reason
    do_job("run_cell", cell(row, "sim-simlex-999").pk)
    assert cell(row, "sim-simlex-999").state == "done"


def test_a_cell_given_up_for_lack_of_data_is_measured_when_it_arrives(arriving: Callable[[Arrives], None]) -> None:
    arriving("given up")
    row = checked()
    do_job("run_cell", cell(row, TASK).pk)
    end_all(row)
    ask_and_do("finish", row.pk)
    row.refresh_from_db()
    assert row.state == State.DONE
    assert row.pk not in planning.unplanned()
    arriving("here")
    sweeper.queue_owed()
    row.refresh_from_db()
    assert row.state == State.QUEUED
    do_job("start_cells", row.pk)
    do_job("run_cell", cell(row, TASK).pk)
    assert (cell(row, TASK).state, cell(row, TASK).lacks_data) == ("done", False)


def test_a_cell_whose_data_was_here_all_the_time_lacked_it_on_another_machine_and_is_tried_once_a_day(
    arriving: Callable[[Arrives], None],
) -> None:
    arriving("given up")
    row = checked()
    do_job("run_cell", cell(row, TASK).pk)
    end_all(row)
    ask_and_do("finish", row.pk)
    arriving("here")
    ended = timezone.now() + timedelta(hours=1)  # after the file came to this machine
    row.cells.update(finished_at=ended)
    with time_machine.travel(ended + planning.DAY / 2):
        assert row.pk not in planning.unplanned()
    with time_machine.travel(ended + 2 * planning.DAY):
        assert row.pk in planning.unplanned()


def test_a_cell_that_cannot_be_read_for_another_reason_is_never_queued_again(
    arriving: Callable[[Arrives], None],
) -> None:
    arriving("damaged")
    row = checked()
    do_job("run_cell", cell(row, TASK).pk)
    assert (cell(row, TASK).state, cell(row, TASK).lacks_data) == ("unavailable", False)


def test_a_claimed_cell_whose_data_turns_out_to_be_coming_goes_back_without_using_up_a_try(
    arriving: Callable[[Arrives], None],
) -> None:
    row = checked()
    arriving("coming")
    do_job("run_cell", cell(row, TASK).pk)
    assert cell(row, TASK).state == "waiting"
    assert Job.objects.get(kind="run_cell", subject=str(cell(row, TASK).pk)).tries == 0


def test_pages_show_how_much_has_arrived_and_why_not(arriving: Callable[[Arrives], None], settings: Any) -> None:
    settings.VECBOARD_SUITE = "demo"
    arriving("coming")
    for address in ("/", "/submit", "/data-arrival"):
        assert "Data sets are arriving: 12 of 96 MB." in Client().get(address).content.decode(), address
    arriving("given up")
    page = Client().get("/data-arrival").content.decode()
    assert "Some data sets have not arrived." in page
    assert f": {WHY}." in page
    arriving("here")
    assert Client().get("/data-arrival").content.strip() == b""


def test_pages_say_once_why_several_sets_are_late() -> None:
    late = [data.LateSet(f"Set {i}", WHY, None) for i in range(5)] + [data.LateSet("Other", "no space", None)]
    shown = data.DataNotice("", False, tuple(late), cut_off=False, is_forbidden=False, installation="")
    page = render_to_string("_data.html", {"data": shown})
    assert page.count("<li>") == 2
    assert f"<li>5 data sets: {WHY}.</li>" in page
    assert "<li>Other: no space.</li>" in page


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> Path:
    """The data directory of a site without any data, whose operator has chosen no suite."""
    for name in ("VECBOARD_DATA", "VECBOARD_DATA_MIRROR"):
        monkeypatch.setenv(name, str(tmp_path))
    settings.VECBOARD_SUITE, settings.VECBOARD_SUITE_IS_CHOSEN = "open-2026", False
    return tmp_path


@pytest.mark.parametrize(
    ("reachable", "suite"), [(True, "open-2026"), (None, "open-2026"), (False, "demo")], ids=["yes", "unknown", "no"]
)
def test_only_without_any_network_are_new_files_measured_with_demo(
    bare: Path, reachable: bool | None, suite: str
) -> None:
    missing = {name: MissingSet(reachable is not False, "") for name in SUITES["open-2026"].datasets}
    Arrival(reachable, 0, 96_000_000, missing).write(bare)
    assert data.suite_for_new_files().id == suite
    page = Client().get("/").content.decode()
    assert "Open 2026" in page
    assert ("This machine cannot reach the network." in page) == (suite == "demo")


def test_an_operator_who_has_chosen_a_suite_keeps_it_without_the_network(bare: Path, settings: Any) -> None:
    Arrival(False, 0, 1, {"ud-ewt": MissingSet(False, "no network")}).write(bare)
    assert data.suite_for_new_files().id == "demo"
    settings.VECBOARD_SUITE_IS_CHOSEN = True
    assert data.suite_for_new_files().id == "open-2026"


@pytest.mark.usefixtures("bare")
def test_a_site_that_may_not_use_the_network_measures_with_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VECBOARD_OFFLINE", "1")
    assert data.suite_for_new_files().id == "demo"
