"""The site's default suite on real data: shipped baseline scores, real learning, independence of scale."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from research.floors import majority_class
from tasks import suites
from tasks.baseline.published import published
from tasks.cells import evaluate_cell
from tasks.datasets.store import DataStore
from tasks.extrinsic.examples import columns
from tasks.formats.reading import read
from tasks.hashes import suite_hash, task_hash
from tasks.results import Mode
from tasks.suite import Suite
from tasks.vectors import Embedding

OPEN = suites.OPEN_2026
TRAINED = [(task.id, mode) for task, mode in OPEN.cells() if mode is not None]
QUICKEST = [("questions", "fine-tuned"), ("ner-500", "fixed"), ("lexical-inference", "fixed")]
"""A cell of each kind of classifier: of a sentence, a word in its window, and two words."""
GOLDEN = Path(__file__).resolve().parents[3] / "shared" / "golden" / "sg-wiki-50.txt.gz"


@pytest.fixture(scope="module")
def golden(store: DataStore) -> Embedding:
    missing = [task.data for task in OPEN.extrinsic_tasks if not store.status(task.data).available]
    if missing or not GOLDEN.exists():
        pytest.skip(f"not there: {', '.join(missing) or GOLDEN.name}; set VECBOARD_DATA_MIRROR")
    return read(GOLDEN)


@pytest.mark.parametrize("suite", [suites.OPEN_2026, suites.DEMO], ids=lambda suite: suite.id)
def test_the_shipped_baseline_scores_are_those_of_todays_definitions(suite: Suite) -> None:
    report = published(suite)
    assert report is not None
    assert report.suite["hash"] == suite_hash(suite)
    hashes = {(task.id, mode): task_hash(suite, task, mode) for task, mode in suite.cells()}
    measured = {(r.task, r.mode): r.task_hash for r in report.results}
    missing = {(item.task, item.mode): hashes[item.task, item.mode] for item in report.unavailable}
    assert measured | missing == hashes
    assert {(task.id, mode) for task in suite.extrinsic_tasks for mode in task.modes} <= set(measured)
    assert all(result.outcomes is not None for result in report.results if result.mode is not None)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(("task", "mode"), [("questions", "fixed"), ("sentence-inference", "fixed")])
def test_a_real_file_learns_real_tasks(task: str, mode: Mode, golden: Embedding, store: DataStore) -> None:
    result = evaluate_cell(golden, OPEN, OPEN.task(task), mode, data=store, seeds=1)
    assert result.score > majority_class(OPEN.task(task), columns(OPEN.task(task), store)) + 0.05
    assert result.coverage.tokens > 0.8


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(
    "cells", [QUICKEST, pytest.param(TRAINED, marks=pytest.mark.exhaustive)], ids=["quickest", "all"]
)
def test_vectors_times_100_score_within_half_a_point(
    cells: Sequence[tuple[str, Mode]], golden: Embedding, store: DataStore
) -> None:
    larger = Embedding("times 100", golden.words, golden.matrix * np.float32(100), "times 100")
    points = {}
    for task, mode in cells:
        one, other = (evaluate_cell(file, OPEN, OPEN.task(task), mode, data=store) for file in (golden, larger))
        points[task, mode] = 100 * (other.score - one.score)
    assert {cell: difference for cell, difference in points.items() if abs(difference) > 0.5} == {}


def test_the_suite_trains_17_cells() -> None:
    assert len(TRAINED) == 17
    assert set(QUICKEST) < set(TRAINED)
