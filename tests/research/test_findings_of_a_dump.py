"""From entries in a database to the page: dumped, read without a site, and reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from benchmark import evidence
from benchmark.shipped.dump import OtherVersion
from benchmark.submissions.models import Measurement, StoredReport, Submission, SubmissionCell
from benchmark.submissions.states import State
from research.board.entries import entries
from research.board.write import dump
from research.findings.page import findings
from tasks.baseline.published import published
from tasks.metrics import metric_named
from tasks.report import assemble
from tasks.results import CellResult, Outcomes, plain
from tasks.suites import DEMO, OPEN_2026

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_files(settings: Any, tmp_path: Path) -> None:
    settings.VECBOARD_VAR = tmp_path
    settings.STORAGE_ROOT = tmp_path / "storage"


def worse(result: CellResult, share: float, seed: int) -> CellResult:
    """The baseline's result with a share of its right answers made wrong."""
    assert result.outcomes is not None
    values = result.outcomes.values.copy()
    for column in ("correct", "tp"):
        if column in result.outcomes.columns:
            lost = np.random.default_rng(seed).random(len(values)) < share
            values[lost, result.outcomes.columns.index(column)] = 0
    outcomes = Outcomes(result.outcomes.columns, values)
    metric = metric_named(result.metric)
    worse_score = metric.of(outcomes) if metric.is_of_sums else result.score
    return replace(result, outcomes=outcomes, score=worse_score)


def finished(nth: int, algorithm: str) -> None:
    """An entry as the worker leaves it; later ones are worse."""
    baseline = published(DEMO)
    assert baseline is not None
    sha = f"{nth:064d}"
    results = [worse(result, 0.02 * nth, nth) for result in baseline.results]
    entry = Submission.objects.create(
        name=f"{algorithm} {nth}", algorithm=algorithm, window=5 + nth, suite=DEMO.id, suite_version=DEMO.version,
        state=State.DONE, vectors_sha256=sha, words=100, dimensions=50, finished_at=timezone.now(), track="prescribed",
    )  # fmt: skip
    vectors = {"name": entry.name, "sha256": sha, "words": 100, "dimensions": 50, "language": "en", "warnings": ()}
    report = assemble(DEMO, vectors, results, [], {})
    StoredReport.objects.create(submission=entry, body=report.to_json())
    for position, result in enumerate(results):
        assert result.outcomes is not None
        key = evidence.key(sha, result.task_hash, result.mode or "")
        evidence.save(key, result.outcomes)
        SubmissionCell.objects.create(
            submission=entry, task=result.task, mode=result.mode or "", task_hash=result.task_hash, vectors_sha256=sha,
            position=position, state=SubmissionCell.State.DONE, outcomes_key=key,
            measurement=Measurement.objects.create(submission=entry, result=plain(result)),
        )  # fmt: skip


@pytest.fixture
def dumped(tmp_path: Path) -> Path:
    for nth, algorithm in enumerate(["skip-gram", "skip-gram", "cbow", "glove", "fasttext", "random"], start=1):
        finished(nth, algorithm)
    path = tmp_path / "demo.zip"
    assert dump(DEMO, path) == 6
    return path


def test_a_dump_gives_the_baseline_and_every_entry_with_its_outcomes_to_its_suite_only(dumped: Path) -> None:
    known = entries(DEMO, dumped)
    assert [entry.is_baseline for entry in known] == [True] + [False] * 6
    assert [entry.name for entry in known if entry.is_floor] == ["random 6"]
    assert all(entry.result("pos", "fixed").outcomes is not None for entry in known)  # type: ignore[union-attr]
    with pytest.raises(OtherVersion, match="make board"):
        entries(OPEN_2026, dumped)


def test_every_claim_has_an_answer_from_the_available_data(dumped: Path) -> None:
    text = findings(DEMO, dumped)
    assert "From 7 entries of `demo`" in text
    assert "cannot be compared with any others" in text
    assert "Of 21 pairs of 7 entries the overall mean tells" in text
    assert "6 entries, without controls" in text
    assert text.index("## What holds") < text.index("## Which word score predicts practice?")
    assert "No entry has been measured on reaction times." in text
    assert "nan" not in text


def test_without_a_dump_the_command_that_makes_one_is_named(tmp_path: Path) -> None:
    text = findings(OPEN_2026, tmp_path / "none.zip")
    assert text.startswith("No entries of `open-2026`")
    assert "`make board`" in text
