"""The lists for which a study waits arrive, regardless of lost messages and workers."""

from __future__ import annotations

import gzip
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from benchmark import storage
from benchmark.operations.kinds import most_tries
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.people import lists
from extensions.people.models import Comparison, Kind, Source, SourceKind, Study
from tests.workers.conftest import Sweep
from tests.workers.factories import do_job
from workers import runner
from workers.vectors import prepare_file

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
LATER = timedelta(minutes=10)


@pytest.fixture
def waiting(own_files: Path) -> Study:
    """A draft with requested lists: uploaded lists against an entry with real vectors."""
    lines = [f"{word} {n} {150 - n}" for n, word in enumerate(["cue", *(f"near{n}" for n in range(149))])]
    entry = Submission(name="vectors", suite="demo", state="done")
    entry.file_key = storage.upload_key(entry.pk)
    storage.path_of(entry.file_key).write_bytes(gzip.compress("\n".join(lines).encode()))
    entry.vectors_sha256 = prepare_file(entry.file_key, entry.file_sha256).sha256
    entry.save()
    study = Study.objects.create(kind=Kind.TRIADS, title="words", cues=["cue"], owner_token_hash="0" * 64)
    words = {"cue": [f"near{n}" for n in range(50, 60)]}
    Source.objects.create(study=study, kind=SourceKind.LIST, name="people", is_baseline=True, words=words)
    Source.objects.create(study=study, kind=SourceKind.ENTRY, name="vectors", position=1, submission=entry)
    lists.refresh(study)
    return Study.objects.get()


def break_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(lists, "make_lists", fail)


def test_lists_that_are_there_are_waited_for_no_longer(waiting: Study) -> None:
    assert waiting.awaits_lists
    do_job("make_lists", waiting.pk)
    waiting.refresh_from_db()
    assert not waiting.awaits_lists
    assert len(Comparison.objects.get().lists["cue"][0]) == 10


def test_lists_that_take_down_every_worker_are_given_up_with_a_reason(waiting: Study, sent: Sweep) -> None:
    runner.claim("make_lists", waiting.pk)
    Job.objects.update(tries=most_tries())
    assert sent(timezone.now() + LATER) == []
    assert "out of memory" in Comparison.objects.get().reason
    assert not Study.objects.get().awaits_lists


def test_a_failure_is_tried_again_and_then_reported(waiting: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    break_it(monkeypatch)
    for _ in range(most_tries() - 1):
        do_job("make_lists", waiting.pk)
    assert Study.objects.get().awaits_lists
    do_job("make_lists", waiting.pk)
    assert not Study.objects.get().awaits_lists
    assert "more memory than the worker has" in Comparison.objects.get().reason


def test_asking_again_gives_a_new_set_of_tries(waiting: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        break_it(broken)
        for _ in range(most_tries()):
            do_job("make_lists", waiting.pk)
    lists.refresh(waiting)
    do_job("make_lists", waiting.pk)
    assert Comparison.objects.get().reason == ""


def test_ranks_that_could_not_be_made_say_why_at_their_entry(waiting: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    Study.objects.update(kind=Kind.FREE_ASSOCIATIONS)
    Source.objects.filter(kind=SourceKind.LIST).delete()
    break_it(monkeypatch)
    for _ in range(most_tries()):
        do_job("make_lists", waiting.pk)
    assert "more memory than the worker has" in Source.objects.get().reason
