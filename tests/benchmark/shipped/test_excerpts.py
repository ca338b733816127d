"""The excerpt of one entry's vectors: its uses, and that it never replaces the measured ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from benchmark.operations.kinds import JobContext, NotNow
from benchmark.operations.models import Job
from benchmark.shipped.dump import dump_path
from benchmark.shipped.load import lay_out
from benchmark.shipped.recipes import Excerpt, ShippedVectors, list_path, write_list
from benchmark.submissions.models import Submission
from benchmark.submissions.vectors import ask, prepare_vectors
from tasks.formats import read
from tasks.prepared import open_prepared, store
from tasks.suites import DEMO
from tasks.vectors import Embedding
from tests.benchmark.conftest import Make

WORDS = [f"word{i}" for i in range(150)]
MATRIX = np.random.default_rng(5).normal(size=(150, 6)).astype(np.float32)


@pytest.fixture
def excerpt(tmp_path: Path, settings: Any) -> Excerpt:
    """120 of 150 words."""
    settings.SHIPPED_ROOT = tmp_path
    np.savez(tmp_path / "small.npz", words=np.array(WORDS[:120]), vectors=MATRIX[:120].astype(np.float16))
    return Excerpt("small.npz", read(tmp_path / "small.npz").sha256, 120)


@pytest.fixture
def entry(submission: Make, excerpt: Excerpt, tmp_path: Path) -> Submission:
    """A shipped entry with that excerpt, and without its vectors."""
    write_list(list_path(dump_path(DEMO, tmp_path)), {"ab" * 32: ShippedVectors("skip-gram-w5-d50", excerpt)})
    return submission(vectors_sha256="ab" * 32, file_key="")


def being_made(row: Submission) -> Embedding:
    raise NotNow


def no_runs(row: Submission) -> list[Path]:
    raise AssertionError("An excerpt has no other runs.")


def do_prepare(row: Submission) -> None:
    context = JobContext(lambda share, what: None, being_made, no_runs)
    with pytest.raises(NotNow):  # the whole vectors come later
        prepare_vectors(Job(kind="prepare_vectors", subject=row.pk), context)


def test_words_are_looked_up_in_it_and_the_page_says_so(entry: Submission, excerpt: Excerpt, stranger: Client) -> None:
    lay_out(excerpt)
    page = stranger.get(f"/entries/{entry.pk}/neighbours?word=word7").content.decode()
    assert page.count("first 120 words of the file, in 8-bit numbers") == 2
    assert excerpt.sha256 in page
    assert "Only the report of this entry ships with the program, not its vectors." in page
    asked = stranger.get(f"/api/v1/entries/{entry.pk}/neighbours?words=word7").json()
    assert asked["among"] == "the first 120 words of the file, in 8-bit numbers"
    assert len(asked["words"][0]["neighbours"]) == 10


def test_a_word_beyond_it_is_reported_as_such(entry: Submission, excerpt: Excerpt, stranger: Client) -> None:
    lay_out(excerpt)
    page = stranger.get(f"/entries/{entry.pk}/neighbours?word=word140").content.decode()
    assert "is not among the 120 words kept" in page


def test_its_vectors_have_sixteen_bits_and_a_hash_of_their_own(entry: Submission, excerpt: Excerpt) -> None:
    lay_out(excerpt)
    found = open_prepared(excerpt.directory, name="excerpt")
    assert list(found.words) == WORDS[:120]
    assert np.array_equal(found.matrix, MATRIX[:120].astype(np.float16).astype(np.float32))
    assert found.sha256 == excerpt.sha256 != entry.vectors_sha256


def test_an_association_test_says_that_it_is_measured_on_it(
    entry: Submission, excerpt: Excerpt, stranger: Client
) -> None:
    lay_out(excerpt)
    lists = {side: " ".join(WORDS[8 * i : 8 * i + 8]) for i, side in enumerate("xyab")}
    form = {"e": entry.pk, **{f"words_{side}": words for side, words in lists.items()}}
    page = stranger.post("/associations", form, follow=True).content.decode()
    assert "Measured on the first 120 words of the file" in page
    assert f'action="{reverse("associations:prepare")}"' in page  # the whole may know more words
    Submission.objects.filter(pk=entry.pk).update(vectors_problem="They can’t be trained here.")
    answer = stranger.get("/api/v1/associations", {"e": entry.pk, **lists}).json()["entries"][0]
    assert (answer["among"], answer["d"] is None) == ("first 120 words of the file, in 8-bit numbers", False)


def test_rankings_and_downloads_never_use_it(entry: Submission, excerpt: Excerpt, stranger: Client) -> None:
    lay_out(excerpt)
    assert stranger.get(f"/s/{entry.pk}/vectors").status_code == 404


def test_the_measured_vectors_take_its_place_once_they_are_here(
    entry: Submission, excerpt: Excerpt, settings: Any
) -> None:
    lay_out(excerpt)
    directory = store(Embedding("e", WORDS, MATRIX, "e"), Path(settings.VECBOARD_VAR) / "prepared")
    directory.rename(directory.with_name(entry.vectors_sha256))
    answer = ask(entry, "word140")
    assert (answer.spelling, answer.excerpt) == ("word140", None)


def test_an_excerpt_deleted_for_space_is_prepared_again_on_request(
    entry: Submission, excerpt: Excerpt, stranger: Client
) -> None:
    page = stranger.get(f"/entries/{entry.pk}/neighbours?word=word7").content.decode()
    assert "first 120 words of the file, in 8-bit numbers, which ship with the program" in page
    stranger.post(f"/entries/{entry.pk}/prepare")
    assert [(job.kind, job.subject) for job in Job.objects.order_by("pk")] == [("prepare_vectors", entry.pk)]
    do_prepare(entry)
    assert ask(entry, "word7").excerpt == excerpt
    stranger.post(f"/entries/{entry.pk}/prepare")
    assert Job.objects.count() == 1


def test_a_file_that_is_not_the_listed_one_is_never_used(entry: Submission, excerpt: Excerpt) -> None:
    np.savez(excerpt.path, words=np.array(WORDS[:120]), vectors=MATRIX[:120].astype(np.float16) * 2)
    with pytest.raises(RuntimeError, match=r"small\.npz does not contain the vectors"):
        do_prepare(entry)
    assert ask(entry, "word7").code == "not-prepared"
