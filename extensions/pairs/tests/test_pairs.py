"""Ranking correlations of two entries, each computed once."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.pairs.cues import DRIFT, EVERY, RANDOM, TYPED, Cues
from extensions.pairs.models import PairCorrelation
from tests.workers.factories import ask_and_do, do_job, planned, uploaded
from tests.workers.running_site import write_vectors
from workers import queue, vectors

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def pair_of(row: Submission, cues: Cues, **columns: Any) -> PairCorrelation:
    sides = {"left": row, "right": row, "left_sha256": row.vectors_sha256, "right_sha256": row.vectors_sha256}
    return PairCorrelation.objects.create(cues=cues.stored, cues_key=cues.key, **(sides | columns))


def some_cues(row: Submission) -> Cues:
    return Cues(TYPED, "some", (*vectors.embedding_of(row).words[:3], "nowhere"))


def test_a_pair_is_computed_from_the_prepared_vectors() -> None:
    row = planned()
    pair = pair_of(row, some_cues(row))
    ask_and_do("correlate", pair.pk)
    pair.refresh_from_db()
    assert pair.figures["mean"] == pytest.approx(1.0)
    assert pair.figures["n"] == 3
    assert "closely" not in pair.figures


def test_random_words_are_drawn_from_what_both_know() -> None:
    row = planned()
    pair = pair_of(row, RANDOM)
    ask_and_do("correlate", pair.pk)
    pair.refresh_from_db()
    assert pair.figures["n"] == 100


def test_a_close_look_has_every_cue_its_neighbours_and_what_is_unknown() -> None:
    row = planned()
    pair = pair_of(row, some_cues(row), figures={"mean": 0.5})
    ask_and_do("compare", pair.pk)
    pair.refresh_from_db()
    assert pair.figures["closely"]["unknown"] == ["nowhere"]
    assert pair.figures["closely"]["cues"]["nowhere"] is None
    assert pair.figures["closely"]["jaccard"]["full"]["10"] == 1.0
    assert pair.figures["mean"] == pytest.approx(1.0)


def test_every_word_has_its_distribution_and_the_words_that_moved() -> None:
    row = planned()
    pair = pair_of(row, EVERY)
    ask_and_do("compare", pair.pk)
    pair.refresh_from_db()
    known = len(vectors.embedding_of(row).words)
    assert sum(pair.figures["closely"]["histogram"]["counts"]) == pair.figures["n"] == known
    assert len(pair.figures["closely"]["moved"]["most"]) == 20


def test_words_that_moved_have_the_floor_of_an_entry_with_runs(tmp_path: Path) -> None:
    row = planned()
    pair = pair_of(row, DRIFT)
    ask_and_do("compare", pair.pk)
    pair.refresh_from_db()
    found = pair.figures["closely"]
    assert pair.figures["common_words"] == found["asked"] == len(vectors.embedding_of(row).words)
    assert found["median"] == pytest.approx(0, abs=1e-5)
    assert len(found["most"]) == 10
    assert (found["floor"], found["floor_of"], found["over_trainings"]) == (None, "", False)
    several = uploaded(archive(tmp_path, vectors.embedding_of(row).words))
    do_job("check_submission", several.pk)
    several.refresh_from_db()
    pair = pair_of(row, DRIFT, right=several, right_sha256=several.vectors_sha256)
    ask_and_do("compare", pair.pk)
    pair.refresh_from_db()
    assert pair.figures["closely"]["floor_of"] == several.vectors_sha256
    assert 0 < pair.figures["closely"]["floor"]["neighbours"] <= 1


def archive(folder: Path, words: Sequence[str]) -> Path:
    """An archive of two runs with these words."""
    path = folder / "runs.tar.gz"
    with tarfile.open(path, "w:gz") as made:
        for dimensions in (10, 11):  # same seed: only different dimensions make different numbers
            run = write_vectors(folder / f"run{dimensions}.txt.gz", list(words), dimensions)
            made.add(run, run.name)
    return path


def test_vectors_that_are_gone_leave_the_reason() -> None:
    row = planned()
    baseline = Submission.objects.create(name="b", suite="veceval-2016", is_baseline=True, vectors_sha256="f" * 64)
    pair = pair_of(row, RANDOM, right=baseline, right_sha256=baseline.vectors_sha256)
    ask_and_do("compare", pair.pk)
    pair.refresh_from_db()
    assert pair.figures["mean"] is None
    assert pair.figures["reason"]


@pytest.mark.parametrize("kind", ["correlate", "compare"])
def test_lacking_memory_is_reported_and_tried_again_but_not_forever(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row = planned()
    pair = pair_of(row, some_cues(row))
    queue.enqueue(kind, pair.pk)
    with monkeypatch.context() as broken:
        broken.setattr(vectors, "embedding_of", lambda *_: np.ones(1 << 50))
        for tries in (1, 2):
            do_job(kind, pair.pk)
            job = Job.objects.about(kind, pair.pk).get()
            assert (job.tries, job.heartbeat_at) == (tries, None)
            assert "needed more memory" in job.reason
        do_job(kind, pair.pk)
    assert not Job.objects.about(kind, pair.pk).exists()
    pair.refresh_from_db()
    assert "needed more memory" in pair.figures["reason"]
    assert pair.figures["mean"] is None
    ask_and_do(kind, pair.pk)
    pair.refresh_from_db()
    assert pair.figures["mean"] == pytest.approx(1.0)


def test_a_pair_that_is_gone_is_not_an_error() -> None:
    ask_and_do("correlate", 12345)
    ask_and_do("compare", 12345)
