"""What was measured comes back in the order it was measured in. (Also run over PostgreSQL, whose jsonb sorts keys.)"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmark.compare.models import GivenLists
from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.states import State
from tasks.intrinsic.priming import PARTS

pytestmark = pytest.mark.django_db
Make = Callable[..., Submission]
RUN = {"task_hash": "x", "vectors_sha256": "y", "position": 0, "state": TaskRun.State.DONE}
PARTITIONS = {part: {"rho": -0.1} for part in PARTS}


def kept(result: Any, make: Make) -> Any:
    row = make(State.DONE)
    run = TaskRun.objects.create(submission=row, task="priming-ldt-200", result=result, **RUN)
    TaskRun.objects.filter(pk=run.pk).update(result=result)
    TaskRun.objects.bulk_update([run], ["result"])
    return TaskRun.objects.get(pk=run.pk).result


def test_partitions_stay_as_they_were_measured(submission: Make) -> None:
    result = kept({"seconds": 1.5, "secondary": {"partitions": PARTITIONS}}, submission)
    assert list(result["secondary"]["partitions"]) == ["p1_dev", "p1_test", "p2_dev", "p2_test", "p2_train"]


def test_a_job_without_a_result_has_none(submission: Make) -> None:
    assert kept(None, submission) is None
    assert TaskRun.objects.filter(result__isnull=True).count() == 1


def test_cues_of_given_lists_stay_in_the_order_given() -> None:
    words = {"welfare": ["aid"], "tax": ["cut"], "a": ["b"]}
    GivenLists.objects.create(key="k", title="three", words=words)
    assert list(GivenLists.objects.get().words) == list(words)
