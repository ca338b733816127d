"""Where an entry's vectors are: one answer for its pages, the pickers and the first page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from django.test import Client

from benchmark.operations.kinds import JobContext
from benchmark.operations.models import Job
from benchmark.shipped import recipes
from benchmark.shipped.recipes import Excerpt, ShippedVectors
from benchmark.submissions import vectors as places
from benchmark.submissions.models import Submission
from benchmark.submissions.vectors import Place, ask, place_of
from tasks.datasets.store import DataStore
from tasks.prepared import store
from tasks.vectors import Embedding, content_hash
from tests.benchmark.conftest import Make

WORDS = [f"word{i}" for i in range(30)]
MATRIX = np.random.default_rng(2).standard_normal((30, 4)).astype(np.float32)
TRAINED = Embedding("baseline", WORDS, MATRIX, content_hash(WORDS, MATRIX))


@pytest.fixture
def baseline(submission: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Submission:
    """The baseline of a site on which it has not been trained."""
    data = DataStore(tmp_path / "data")
    monkeypatch.setattr(DataStore, "default", classmethod(lambda cls: data))
    return submission(name="base", is_baseline=True, file_key="", vectors_sha256=TRAINED.sha256, dimensions=4)


def train(row: Submission) -> None:
    """Do the job that the page requests."""

    def trained(_: Submission) -> Embedding:
        store(TRAINED, DataStore.default().data_dir / "baseline-vectors")
        return TRAINED

    context = JobContext(lambda share, what: None, trained, lambda row: [])
    places.prepare_vectors(Job(kind="prepare_vectors", subject=row.pk), context)


def test_a_baseline_that_is_not_trained_yet_is_described_alike_everywhere(
    baseline: Submission, submission: Make, stranger: Client
) -> None:
    submission(name="kept", vectors_sha256="a" * 64, file_key="uploads/a.gz")
    said = "A worker trains the baseline’s vectors on the prescribed corpus when they are first needed."
    assert place_of(baseline) == Place.TRAINABLE
    for path in ("/compare/heat", "/compare/pair", "/associations"):
        page = stranger.get(path).content.decode()
        assert "With vectors on this site, or made when first needed" in page
        assert "· made when first needed" in page
    page = stranger.get(f"/entries/{baseline.pk}/neighbours?word=word3").content.decode()
    assert said in page
    assert "does not keep the vectors" not in page
    assert "Make them now" in page
    assert 'id="look-up-word"' in stranger.get(f"/r/{baseline.pk}").content.decode()
    assert ask(baseline, "word3").problem == said
    assert said in stranger.get(f"/associations?e={baseline.pk}&test=parties-state").content.decode()


def test_words_are_looked_up_in_a_baseline_once_a_worker_has_trained_it(
    baseline: Submission, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger.post(f"/entries/{baseline.pk}/prepare", {"word": "word3"})
    assert [(job.kind, job.subject) for job in Job.objects.order_by("pk")] == [("prepare_vectors", baseline.pk)]
    train(baseline)
    assert place_of(baseline) == Place.HERE
    assert len(ask(baseline, "word3").neighbours) == 10
    assert "or made when" not in stranger.get("/compare/pair").content.decode()


def test_a_baseline_trained_on_another_processor_is_looked_up_and_the_page_says_so(
    baseline: Submission, stranger: Client
) -> None:
    Submission.objects.filter(pk=baseline.pk).update(vectors_sha256="cd" * 32)
    train(baseline)
    page = stranger.get(f"/entries/{baseline.pk}/neighbours?word=word3").content.decode()
    assert page.count("<tr><td") == 10
    assert "changed their last digits" in page


def test_entries_with_vectors_here_are_ticked_before_a_baseline_that_needs_training(
    baseline: Submission, submission: Make, stranger: Client
) -> None:
    kept = submission(name="kept", vectors_sha256="a" * 64, file_key="uploads/a.gz", shift=-0.3)
    page = stranger.get("/associations").content.decode()
    assert f'value="{kept.pk}" checked' in page
    assert f'value="{baseline.pk}" checked' not in page


def test_a_picker_says_which_vectors_are_made_when_first_needed(
    submission: Make, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    excerpt = Excerpt("small.npz", "e" * 64, 120)
    listed = {"a" * 64: ShippedVectors("cbow-w5-d50", excerpt), "b" * 64: ShippedVectors("cbow-w5-d100")}
    monkeypatch.setattr(recipes, "_read_once", lambda path: listed)
    part, none, gone = (submission(vectors_sha256=name * 64, file_key="") for name in "abc")
    assert [place_of(row) for row in (part, none, gone)] == [Place.EXCERPT, Place.TRAINABLE, Place.GONE]
    page = stranger.get("/compare/pair").content.decode()
    assert page.count("· made when first needed") == 2
