"""Deviations from people's lists, each computed once."""

from __future__ import annotations

import pytest

from benchmark.operations.models import Job
from extensions.people.models import ListDeviation
from tasks.political.human import human_deviation
from tests.workers.factories import ask_and_do, do_job, planned
from workers import queue, vectors

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def test_the_site_has_the_figures_of_the_measurement() -> None:
    row = planned()
    words = list(vectors.embedding_of(row).words)
    lists = {words[0]: words[5:15], words[1]: [*words[20:25], "nowhere"], "nowhere": words[:3]}
    waiting = ListDeviation.objects.create(
        submission=row, vectors_sha256=row.vectors_sha256, lists_key="k", words=lists
    )
    ask_and_do("deviate", waiting.pk)
    waiting.refresh_from_db()
    assert waiting.figures == {**human_deviation(vectors.embedding_of(row), lists), "reason": ""}
    assert waiting.figures["cues"]["nowhere"] is None
    assert waiting.words is None


def test_lists_of_which_nothing_is_known_say_so() -> None:
    row = planned()
    columns = {"vectors_sha256": row.vectors_sha256, "lists_key": "k", "words": {"nowhere": ["neither"]}}
    waiting = ListDeviation.objects.create(submission=row, **columns)
    ask_and_do("deviate", waiting.pk)
    waiting.refresh_from_db()
    assert waiting.figures["full"] is None
    assert "None of the cues is in the vocabulary" in waiting.figures["reason"]


def test_a_disk_that_is_full_is_reported_and_the_lists_wait_for_the_last_try(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(vectors, "embedding_of", full)
    row = planned()
    columns = {"vectors_sha256": row.vectors_sha256, "lists_key": "k", "words": {"nowhere": ["neither"]}}
    waiting = ListDeviation.objects.create(submission=row, **columns)
    queue.enqueue("deviate", waiting.pk)
    for words in (columns["words"], columns["words"], None):
        do_job("deviate", waiting.pk)
        waiting.refresh_from_db()
        assert waiting.words == words
    assert "disk" in waiting.figures["reason"]
    assert not Job.objects.about("deviate", waiting.pk).exists()


def test_known_and_deleted_entries_are_left_alone() -> None:
    row = planned()
    known = ListDeviation.objects.create(submission=row, vectors_sha256="a", lists_key="k", figures={"full": None})
    for pk in (known.pk, 12345):
        ask_and_do("deviate", pk)
    known.refresh_from_db()
    assert known.figures == {"full": None}
