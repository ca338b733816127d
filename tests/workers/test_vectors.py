"""Prepared vectors on a worker's machine: rewritten when missing, open vocabularies, eviction."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from benchmark.submissions.vectors import ask, directory_of, prepared_directory
from tasks.datasets.dataset import Plain
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.guess_language import OTHER_LANGUAGE, guess
from tasks.report import describe
from tasks.word_list import word_list
from tests.tasks.formats.models import members, rows, tarred, wordpiece
from tests.workers.factories import DEMO, ask_and_do, checked, do_job, planned, uploaded
from workers import vectors
from workers.vectors import embedding_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


@pytest.fixture
def forms(tmp_path: Path, settings: Any) -> Path:
    """Three prepared forms of 1,000 bytes each, used one after the other."""
    settings.VECBOARD_DISK_LOW_BYTES, settings.VECBOARD_VAR = 0, tmp_path
    root = tmp_path / "prepared"
    for nth, name in enumerate(("old", "middle", "new")):
        (root / name).mkdir(parents=True)
        (root / name / "matrix.npy").write_bytes(b"x" * 998)
        (root / name / "meta.json").write_bytes(b"{}")
        os.utime(root / name / "meta.json", (nth, nth))
    return root


def left(forms: Path) -> set[str]:
    return {form.directory.name for form in vectors.prepared_forms()}


def test_within_its_bound_nothing_goes(forms: Path, settings: Any) -> None:
    settings.VECBOARD_PREPARED_BYTES = 3_000
    vectors.make_room()
    assert left(forms) == {"old", "middle", "new"}


def test_the_least_recently_used_form_is_deleted_first(forms: Path, settings: Any) -> None:
    settings.VECBOARD_PREPARED_BYTES = 2_000
    vectors.mark_used(forms / "old")
    vectors.make_room()
    assert left(forms) == {"old", "new"}


def test_the_form_in_use_stays_even_above_the_limit(forms: Path, settings: Any) -> None:
    settings.VECBOARD_PREPARED_BYTES = 1
    vectors.make_room(keep="middle")
    assert left(forms) == {"middle"}


def test_a_disk_that_runs_low_is_relieved(forms: Path, settings: Any) -> None:
    settings.VECBOARD_DISK_LOW_BYTES = 10**18
    vectors.make_room(keep="new")
    assert left(forms) == {"new"}


def test_partial_forms_of_killed_processes_are_deleted_after_a_day(forms: Path) -> None:
    for name in (".partial-old", ".partial-new"):
        (forms / name).mkdir()
    os.utime(forms / ".partial-old", (0, 0))
    vectors.make_room()
    assert not (forms / ".partial-old").exists()
    assert (forms / ".partial-new").exists()


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
    assert (answer.spelling, len(answer.neighbours)) == (word, 10)


def test_an_entry_whose_file_is_gone_is_left_alone(own_files: Path) -> None:
    row = without_prepared_form()
    Submission.objects.filter(pk=row.pk).update(file_key="")
    ask_and_do("prepare_vectors", row.pk)
    ask_and_do("prepare_vectors", "nobody")
    assert not prepared_directory(row)


@pytest.mark.parametrize("name", ["matrix.npy", "words.txt", "offsets.npy", "meta.json"])
def test_a_damaged_form_is_made_again(name: str) -> None:
    """A crash of the machine may leave truncated or empty files."""
    row = planned()
    word = (directory_of(row) / "words.txt").read_text().split("\n")[0]
    for kept in (0, 100):
        os.truncate(directory_of(row) / name, kept)
        assert not prepared_directory(row)
        assert ask(row, word).code == "not-prepared"
        ask_and_do("prepare_vectors", row.pk)
        assert len(ask(row, word).neighbours) == 10
        assert len(embedding_of(row).words) == row.words
        assert [one.name for one in directory_of(row).parent.iterdir()] == [row.vectors_sha256]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.tar.gz"
    path.write_bytes(tarred(members(wordpiece(), {"embeddings": rows(58)})))
    return path


def test_a_model_is_composed_for_the_list_of_its_suite_and_again_from_its_file(model: Path) -> None:
    row = checked(model)
    assert (row.state, row.read_as) == (State.QUEUED, "static token model in tar in gzip")
    assert row.open_vocabulary
    listed = word_list(DEMO, DataStore.default()).read_text(encoding="utf-8").splitlines()
    words = list(vectors.embedding_of(row).words)
    known = set(words)
    assert 1_000 < len(words) < len(listed)
    assert words == [word for word in listed if word in known]
    for path in sorted(vectors.prepared_root().rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    vectors._opened.cache_clear()
    assert list(vectors.embedding_of(row).words) == words


def test_the_list_of_the_suite_says_nothing_about_a_models_language(model: Path) -> None:
    row = uploaded(model)
    Submission.objects.filter(pk=row.pk).update(language="de")
    do_job("check_submission", row.pk)
    row.refresh_from_db()
    assert guess(vectors.embedding_of(row).words) == "en"
    assert row.likely_language == ""
    stored = {warning["code"] for warning in row.warnings}
    described = {warning.code for warning in describe(vectors.embedding_of(row))["warnings"]}
    assert OTHER_LANGUAGE not in stored | described


def test_without_the_data_for_the_list_it_is_not_the_files_fault(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = REGISTRY["demo-corpus"]
    file = replace(corpus.files[0], recipe=Plain("https://one.example/corpus.bz2"))
    monkeypatch.setitem(REGISTRY, "demo-corpus", replace(corpus, files=(file,)))
    for name in ("VECBOARD_DATA", "VECBOARD_DATA_MIRROR"):
        monkeypatch.setenv(name, str(model.parent / "empty"))
    row = checked(model)
    assert (row.state, row.error) == (State.CHECKING, None)
