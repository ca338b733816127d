"""Whose finished work counts for whom (docs/protocol.md §8.7)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.states import State

Make = Callable[..., Submission]


def run(row: Submission, state: str, **columns: object) -> TaskRun:
    work = {"task": "pos", "mode": "fixed", "task_hash": "t", "vectors_sha256": "v", "position": 0}
    return TaskRun.objects.create(submission=row, state=state, **(work | columns))


def test_the_same_vectors_and_definition_are_the_same_work(submission: Make) -> None:
    done = run(submission(), "done")
    waiting = run(submission(State.QUEUED), "waiting")
    assert list(TaskRun.objects.same_work_as(waiting)) == [done]


@pytest.mark.parametrize("change", [{"vectors_sha256": "w"}, {"task_hash": "u"}, {"mode": "fine-tuned"}])
def test_another_vector_definition_or_mode_is_other_work(submission: Make, change: dict[str, str]) -> None:
    run(submission(), "done", **change)
    assert not TaskRun.objects.same_work_as(run(submission(State.QUEUED), "waiting")).exists()


def test_unfinished_work_counts_for_nobody(submission: Make) -> None:
    run(submission(), "failed")
    assert not TaskRun.objects.same_work_as(run(submission(State.QUEUED), "waiting")).exists()


def test_vectors_of_another_language_get_no_english_scores(submission: Make) -> None:
    run(submission(), "done")
    spanish = run(submission(State.QUEUED, language="es"), "waiting")
    assert not TaskRun.objects.same_work_as(spanish).exists()
