"""A new version of a small suite: two tasks, one of which version 4 changes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from django.core.management import call_command
from django.test import Client

from benchmark.submissions.models import StoredReport, Submission
from tasks.results import json_text
from tasks.suite import Suite
from tasks.suites import SUITES
from tests.workers.factories import DEMO, ask_and_do, do_job, planned

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
KEPT, CHANGED = DEMO.task("sim-ws-353-all"), DEMO.task("sim-simlex-999")
VERSION_3 = replace(DEMO, version=3, tasks=(KEPT, CHANGED))
_REVISED = replace(CHANGED.family, revision=CHANGED.family.revision + 1)
VERSION_4 = replace(DEMO, version=4, tasks=(KEPT, replace(CHANGED, family=_REVISED)))


def measure(submission: Submission) -> list[str]:
    """Run the waiting cells, the report and the ranks; return the cells' tasks."""
    waiting = list(submission.cells.waiting())
    for run in waiting:
        do_job("run_cell", run.pk)
    ask_and_do("finish", submission.pk)
    submission.refresh_from_db()
    ask_and_do("rank", f"{submission.suite}/{submission.suite_version}")
    return [run.task for run in waiting]


def lists(version: Suite) -> bool:
    """Whether the board of a version lists the entry."""
    page = Client().get(f"/?suite=demo&version={version.version}&c={KEPT.id}").content.decode()
    return ">small<" in page


def test_a_new_version_measures_only_what_changed_and_the_earlier_board_and_report_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(SUITES, "demo", VERSION_3)
    submission = planned()
    assert measure(submission) == [KEPT.id, CHANGED.id]
    address = f"/api/v1/submissions/{submission.pk}/report"
    first = Client().get(address).content
    assert lists(VERSION_3)

    monkeypatch.setitem(SUITES, "demo", VERSION_4)
    assert Client().get(address).content == first
    assert lists(VERSION_3)
    assert not lists(VERSION_4)

    call_command("reevaluate", suite="demo", verbosity=0)
    do_job("start_cells", submission.pk)
    assert measure(submission) == [CHANGED.id]
    assert Client().get(f"{address}?version=1").content == first
    assert lists(VERSION_3)
    assert lists(VERSION_4)
    before, after = json.loads(first)["results"], json.loads(Client().get(address).content)["results"]
    assert before[0] == after[0]
    assert before[1]["task_hash"] != after[1]["task_hash"]
    call_command("reevaluate", suite="demo", verbosity=0)
    submission.refresh_from_db()
    assert submission.state == "done"


def test_a_report_of_the_first_form_is_assembled_again_without_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SUITES, "demo", VERSION_3)
    submission = planned()
    measure(submission)
    assert submission.report is not None
    earlier = submission.report.content | {"equal_dimensions": submission.report.content["aggregates"]}
    StoredReport.objects.create(submission=submission, body=json_text(earlier))
    call_command("reevaluate", suite="demo", verbosity=0)
    do_job("start_cells", submission.pk)
    assert measure(submission) == []
    assert submission.report.version == 3
    assert not submission.report.is_of_first_form
    assert submission.state == "done"
