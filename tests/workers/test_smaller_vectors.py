"""Vectors are made smaller by a worker in a process of its own, with the figures of the script."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from benchmark import storage
from benchmark.operations.counting import count, spend
from benchmark.operations.models import Job
from benchmark.operations.quotas import texts_a_day
from benchmark.submissions.models import Submission
from extensions.front.models import SmallerVectors
from extensions.front.tests import made_report
from extensions.texts.child import MADE
from extensions.texts.models import TextsState, made_key
from tasks.cli import main
from tasks.datasets.store import DataStore
from tasks.formats.quantised import write_npz
from tasks.formats.reading import prepare, read
from tasks.suites import DEMO
from tasks.word_list import listed_words
from tests.workers.factories import do_job

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_files")]
BUDGET = 0.16
"""Megabytes: two variants fit."""


@pytest.fixture
def vectors(tmp_path: Path, settings: Any) -> Path:
    """A file with random vectors of the demo suite's words, on a site of that suite."""
    settings.VECBOARD_SUITE = "demo"
    words = listed_words(DEMO, DataStore.default())
    path = tmp_path / "vectors.npz"
    write_npz(path, words, np.random.default_rng(1).standard_normal((len(words), 8)).astype(np.float32), "float32")
    return path


def asked(content: bytes = b"", **columns: Any) -> SmallerVectors:
    row = SmallerVectors(title="made", payer="address:x", file_bytes=len(content), budget=BUDGET, margin=20.0)
    for name, value in columns.items():
        setattr(row, name, value)
    row.file_key = f"front/{row.pk[:2]}/{row.pk}"
    if content:
        row.file_name = "vectors.npz"
        storage.path_of(row.file_key).write_bytes(content)
    row.save()
    SmallerVectors.enqueue(row.pk)
    return row


def ended(row: SmallerVectors) -> SmallerVectors:
    do_job("front", row.pk)
    row.refresh_from_db()
    return row


def entry_of(path: Path, **columns: Any) -> Submission:
    directory = prepare(path, storage.prepared_root()).directory
    about = {"vectors_sha256": directory.name, "words": 1, "dimensions": 8, "file_key": "uploads/x.gz"} | columns
    return Submission.objects.create(state="done", name="made", suite="demo", finished_at=timezone.now(), **about)


def test_the_site_has_the_figures_and_the_file_of_the_script(vectors: Path, tmp_path: Path, capsys: Any) -> None:
    row = ended(asked(entries=[entry_of(vectors, offers_download=True).pk]))
    assert (row.error, row.state) == (None, TextsState.DONE)
    small = tmp_path / "small.npz"
    command = ["front", str(vectors), "--suite", "demo", "--budget", f"{BUDGET}MB", "--margin", "20", "--probes-only"]
    assert main([*command, "--write", str(small), "--json"]) == 0
    assert row.report == json.loads(capsys.readouterr().out.replace("vectors.npz", "made"))
    assert len(row.report["variants"]) == 3
    assert row.download is not None
    assert storage.path_of(made_key(row.file_key)).read_bytes() == small.read_bytes()
    assert len(read(small).words) == 10_000
    assert (Job.objects.count(), list(SmallerVectors.scratch().iterdir())) == (0, [])


def test_a_file_is_made_smaller_too_and_deleted_with_the_report(vectors: Path) -> None:
    row = ended(asked(vectors.read_bytes()))
    assert (row.error, row.state, row.language) == (None, TextsState.DONE, "en")
    assert [file.key for file in storage.keys("front")] == [made_key(row.file_key)]
    SmallerVectors.erase(row.pk)
    assert list(storage.keys("front")) == []


def test_vectors_of_which_every_variant_may_be_worse_leave_no_file(vectors: Path) -> None:
    row = ended(asked(vectors.read_bytes(), margin=0.01))
    assert (row.error, row.state, row.file_key) == (None, TextsState.DONE, "")
    assert row.report["verdict"] != "not inferior"
    assert (list(storage.keys("front")), list(storage.incoming().iterdir())) == ([], [])


def spent() -> int:
    day = texts_a_day()
    return count(f"{day.name}:address:x", day.seconds, 0)


@pytest.mark.parametrize(("columns", "counted"), [({"budget": 0.02}, 1), ({"language": "de"}, 0)])
def test_a_refusal_after_the_vectors_were_read_counts_against_the_limit(
    vectors: Path, columns: dict[str, Any], counted: int
) -> None:
    row = asked(vectors.read_bytes(), **columns)
    spend(texts_a_day(), row.payer)
    row = ended(row)
    assert (row.state, spent(), row.counts) == (TextsState.REFUSED, counted, bool(counted))


def test_a_report_is_not_there_before_its_file(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*about: Any) -> dict[str, Any]:
        (about[2] / MADE).write_bytes(b"small")
        return {"report": made_report(), "language": "en"}

    monkeypatch.setattr("extensions.texts.jobs.measured", made)
    row = asked(vectors.read_bytes())
    with monkeypatch.context() as broken:
        broken.setattr(storage, "publish", lambda *_: 1 / 0)
        row = ended(row)
    assert (row.state, row.report) == (TextsState.WAITING, None)
    assert storage.path_of(row.file_key).is_file()


@pytest.mark.parametrize(
    ("content", "columns", "field", "message"),
    [
        (b"not vectors at all", {}, "file", ""),
        (gzip.compress(b"a" * 40_000_000), {}, "file", ""),
        (b"PK\x03\x04 a broken archive", {}, "file", ""),
        (None, {"budget": 0.02}, "budget", "No variant fits the budget"),
        (None, {"language": "de"}, "file", "No probe for vectors in this language"),
    ],
)
def test_what_cannot_be_made_smaller_is_refused_at_a_field_and_deleted(
    vectors: Path, content: bytes | None, columns: dict[str, Any], field: str, message: str
) -> None:
    row = ended(asked(vectors.read_bytes() if content is None else content, **columns))
    assert row.error is not None
    assert (row.state, row.error["field"]) == (TextsState.REFUSED, field)
    assert message in str(row.error["message"])
    assert (list(storage.keys("front")), Job.objects.count()) == ([], 0)


def test_an_entry_whose_owner_no_longer_offers_the_vectors_is_refused(vectors: Path) -> None:
    error = ended(asked(entries=[entry_of(vectors).pk])).error
    assert error is not None
    assert error["code"] == "no-vectors"
