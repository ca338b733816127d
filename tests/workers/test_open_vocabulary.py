"""Models of open vocabulary on a site: composed for its suite's list of words, which workers make when they need it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tasks.datasets.store import DataStore
from tasks.guess_language import OTHER_LANGUAGE, guess
from tasks.report import describe
from tasks.word_list import word_list
from tests.tasks.formats.models import members, rows, tarred, wordpiece
from tests.workers.factories import DEMO, do_job, uploaded
from workers import vectors

pytestmark = [pytest.mark.usefixtures("own_files"), pytest.mark.django_db]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.tar.gz"
    path.write_bytes(tarred(members(wordpiece(), {"embeddings": rows(58)})))
    return path


def checked(file: Path) -> Submission:
    row = uploaded(file)
    do_job("check_submission", row.pk)
    row.refresh_from_db()
    return row


def test_a_model_is_composed_for_the_list_of_its_suite(model: Path) -> None:
    row = checked(model)
    assert (row.state, row.read_as) == (State.QUEUED, "static token model in tar in gzip")
    assert row.open_vocabulary
    listed = word_list(DEMO, DataStore.default()).read_text(encoding="utf-8").splitlines()
    words = list(vectors.embedding_of(row).words)
    known = set(words)
    assert 1_000 < len(words) < len(listed)
    assert words == [word for word in listed if word in known]


def test_the_list_of_the_suite_says_nothing_about_a_models_language(model: Path) -> None:
    row = uploaded(model)
    Submission.objects.filter(pk=row.pk).update(language="de")
    do_job("check_submission", row.pk)
    row.refresh_from_db()
    assert guess(vectors.embedding_of(row).words) == "en"
    assert row.likely_language == ""
    warned = [*row.warnings, *describe(vectors.embedding_of(row))["warnings"]]
    assert OTHER_LANGUAGE not in {warning["code"] for warning in warned}


def test_a_model_is_prepared_again_from_its_file(model: Path) -> None:
    row = checked(model)
    before = list(vectors.embedding_of(row).words)
    for path in sorted(vectors.prepared_root().rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    vectors._opened.cache_clear()
    assert list(vectors.embedding_of(row).words) == before


def test_without_the_data_for_the_list_it_is_not_the_files_fault(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any) -> Path:
        raise RuntimeError("no corpus")

    monkeypatch.setattr("tasks.word_list.word_list", missing)
    row = checked(model)
    assert (row.state, row.error) == (State.CHECKING, None)
