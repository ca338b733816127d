"""Ranking correlations of two entries, computed once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmark.compare.cues import EVERY, RANDOM, TYPED, Cues
from benchmark.compare.models import PairCorrelation
from benchmark.submissions.models import Submission
from tests.workers.factories import planned
from workers import pairs, vectors

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def pair_of(row: Submission, cues: Cues, **columns: Any) -> PairCorrelation:
    told = {"left": row, "right": row, "left_sha256": row.vectors_sha256, "right_sha256": row.vectors_sha256}
    return PairCorrelation.objects.create(cues=cues.stored, cues_key=cues.key, **(told | columns))


def some_cues(row: Submission) -> Cues:
    return Cues(TYPED, "some", (*vectors.embedding_of(row).words[:3], "nowhere"))


def test_a_pair_is_computed_from_the_prepared_vectors() -> None:
    row = planned()
    pair = pair_of(row, some_cues(row))
    pairs.correlate(pair.pk)
    pair.refresh_from_db()
    assert pair.figures["mean"] == pytest.approx(1.0)
    assert pair.figures["n"] == 3
    assert "closely" not in pair.figures


def test_random_words_are_drawn_from_what_both_know() -> None:
    row = planned()
    pair = pair_of(row, RANDOM)
    pairs.correlate(pair.pk)
    pair.refresh_from_db()
    assert pair.figures["n"] == 100


def test_a_close_look_has_every_cue_its_neighbours_and_what_is_unknown() -> None:
    row = planned()
    pair = pair_of(row, some_cues(row), figures={"mean": 0.5})
    pairs.compare(pair.pk)
    pair.refresh_from_db()
    assert pair.figures["closely"]["unknown"] == ["nowhere"]
    assert pair.figures["closely"]["cues"]["nowhere"] is None
    assert pair.figures["closely"]["jaccard"]["full"]["10"] == 1.0
    assert pair.figures["mean"] == pytest.approx(1.0)


def test_every_word_has_its_distribution_and_the_words_that_moved() -> None:
    row = planned()
    pair = pair_of(row, EVERY)
    pairs.compare(pair.pk)
    pair.refresh_from_db()
    known = len(vectors.embedding_of(row).words)
    assert sum(pair.figures["closely"]["histogram"]["counts"]) == pair.figures["n"] == known
    assert len(pair.figures["closely"]["moved"]["most"]) == 20


def test_vectors_that_are_gone_leave_the_reason() -> None:
    row = planned()
    baseline = Submission.objects.create(name="b", suite="veceval-2016", is_baseline=True, vectors_sha256="f" * 64)
    pair = pair_of(row, RANDOM, right=baseline, right_sha256=baseline.vectors_sha256)
    pairs.compare(pair.pk)
    pair.refresh_from_db()
    assert pair.figures["mean"] is None
    assert pair.figures["reason"]


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What would be sent."""
    found: list[tuple[str, str]] = []
    monkeypatch.setattr("workers.queue.enqueue_page_job", lambda job, subject, *_: found.append((job, subject)))
    return found


@pytest.mark.parametrize(("job", "name"), [(pairs.correlate, "correlate"), (pairs.compare, "compare")])
def test_lacking_memory_is_told_and_tried_again_but_not_for_ever(
    job: Any, name: str, monkeypatch: pytest.MonkeyPatch, messages: list[tuple[str, str]]
) -> None:
    row = planned()
    pair = pair_of(row, some_cues(row))
    with monkeypatch.context() as broken:
        broken.setattr(pairs, "opened", lambda _: np.ones(1 << 50))
        for _ in range(3):
            job(pair.pk)
    pair.refresh_from_db()
    assert "needed more memory" in pair.figures["reason"]
    assert pair.figures["mean"] is None
    assert messages == [(name, str(pair.pk))] * 2
    job(pair.pk)
    pair.refresh_from_db()
    assert pair.figures["mean"] == pytest.approx(1.0)


def test_a_pair_that_is_gone_is_no_error() -> None:
    pairs.correlate(12345)
    pairs.compare(12345)
