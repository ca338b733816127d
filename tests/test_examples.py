"""``examples/measure.py``, written without the product, gives the product's numbers."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tasks.baseline.svd_ppmi import train_for
from tasks.cli.tables import report_table
from tasks.datasets.store import DataStore
from tasks.evaluate import evaluate
from tasks.formats import read
from tasks.results import Report
from tasks.statistics.intervals import log_error_ratio, relative_error_reduction
from tasks.suites import DEMO

SCRIPT = Path(__file__).resolve().parents[1] / "examples" / "measure.py"
ROUNDING = 0.02
"""Trained scores may differ by this much, as sums in another order change the last bits of every step. On the machine
that this was written on, they are equal, and so are the printed rows."""


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("example_of_a_measurement", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # for its dataclasses
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty dimensions of the demo baseline's vectors as text, every number as exact as in memory."""
    embedding = train_for(DEMO, DataStore.default(), lambda share, what: None)
    path = tmp_path_factory.mktemp("vectors") / "vectors.txt"
    rows = zip(embedding.words, embedding.matrix[:, :20], strict=True)
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def rows(example: ModuleType, file: Path) -> list[Any]:
    measured: list[Any] = example.measure(file)
    return measured


@pytest.fixture(scope="module")
def report(rows: list[Any], file: Path) -> Report:
    return evaluate(read(file), DEMO, tasks=[row.task for row in rows], modes=["fixed"])


def test_word_tasks_have_the_products_scores_and_intervals(rows: list[Any], report: Report) -> None:
    of_words = [row for row in rows if not row.of_seeds]
    assert [row.task for row in of_words] == [task.id for task in DEMO.tasks if not task.extrinsic]
    for row in of_words:
        result = report.result(row.task)
        assert result is not None
        assert row.score == pytest.approx(result.score, abs=1e-12)
        assert row.coverage == result.coverage.tokens
        assert row.interval == pytest.approx(result.interval, abs=1e-6)


def test_trained_tasks_have_the_products_scores_and_error_reductions(rows: list[Any], report: Report) -> None:
    for row in rows[:4]:
        result = report.result(row.task, "fixed")
        assert result is not None
        assert row.of_seeds == pytest.approx([seed["test"] for seed in result.training["seeds"]], abs=ROUNDING)
        assert (row.tested, row.coverage, row.baseline) == (result.n, result.coverage.tokens, result.baseline)
        of_reduction = ROUNDING / (1 - row.baseline)
        assert row.reduction == pytest.approx(result.relative_error_reduction, abs=of_reduction)
        assert row.interval == pytest.approx(result.relative_error_reduction_interval, abs=2 * of_reduction)


def test_means_are_the_products(example: ModuleType, rows: list[Any]) -> None:
    trained = rows[:4]
    reductions = [relative_error_reduction(row.score, row.baseline) or 0.0 for row in trained]
    ratios = [log_error_ratio(row.score, row.baseline, row.tested) or 0.0 for row in trained]
    assert example.means(trained) == pytest.approx((np.mean(reductions), -np.expm1(-np.mean(ratios))))


def test_the_table_is_that_of_the_command(example: ModuleType, rows: list[Any], report: Report) -> None:
    """Without the seconds, the last column."""
    of_command = [line.split()[:-1] for line in report_table(report).splitlines()]
    head, *lines = (line.split() for line in example.printed(rows).splitlines())
    assert head in of_command
    assert all(line in of_command for line in lines[4:7])
    trained = [line for line in of_command if line[1:2] == ["fixed"]]
    assert [line[:3] for line in lines[:4]] == [line[:3] for line in trained]
    assert [line[5] for line in lines[:4]] == [line[5] for line in trained]
