"""Laying an entry's vectors out again, so that pages can look words up."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from benchmark.explore.neighbours import ask, directory_of, is_prepared
from benchmark.submissions.models import Submission
from tests.workers.factories import ask_and_do, planned
from workers.vectors import embedding_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def without_prepared_form() -> Submission:
    row = planned()
    shutil.rmtree(directory_of(row))
    return row


def test_a_worker_lays_them_out_again_and_words_are_found() -> None:
    row = without_prepared_form()
    assert ask(row, "the").code == "not-prepared"
    ask_and_do("prepare_vectors", row.pk)
    word = (directory_of(row) / "words.txt").read_text().split("\n")[0]
    answer = ask(row, word)
    assert (answer.found, len(answer.neighbours)) == (word, 10)


def test_twice_is_harmless() -> None:
    row = without_prepared_form()
    ask_and_do("prepare_vectors", row.pk)
    ask_and_do("prepare_vectors", row.pk)
    assert is_prepared(row)


def test_an_entry_whose_file_is_gone_is_left_alone(own_files: Path) -> None:
    row = without_prepared_form()
    Submission.objects.filter(pk=row.pk).update(file_key="")
    ask_and_do("prepare_vectors", row.pk)
    ask_and_do("prepare_vectors", "nobody")
    assert not is_prepared(row)


@pytest.mark.parametrize("name", ["matrix.npy", "words.txt", "offsets.npy", "meta.json"])
@pytest.mark.parametrize("kept", [0, 100])
def test_a_damaged_form_is_made_again(name: str, kept: int) -> None:
    """A machine that crashes may leave files cut short or empty."""
    row = planned()
    word = (directory_of(row) / "words.txt").read_text().split("\n")[0]
    os.truncate(directory_of(row) / name, kept)
    assert not is_prepared(row)
    assert ask(row, word).code == "not-prepared"
    ask_and_do("prepare_vectors", row.pk)
    assert len(ask(row, word).neighbours) == 10
    assert len(embedding_of(row).words) == row.words
    assert [one.name for one in directory_of(row).parent.iterdir()] == [row.vectors_sha256]
