"""The table of word tasks on the report page, and what has no score."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from benchmark.reports.tables import FOREIGN, WordRow, baseline_of, without_score, word_rows
from tasks.hashes import suite_hash
from tasks.results import Report, TaskResult, Unavailable
from tasks.suites import OPEN_2026
from tests.benchmark.reports import REASON, report_of, result_of

SUITE = {"id": OPEN_2026.id, "version": OPEN_2026.version, "hash": suite_hash(OPEN_2026)}


def report_with(*results: TaskResult, dimensions: int = 100, **changes: Any) -> Report:
    report = report_of(0.1)
    vectors = {**report.vectors, "dimensions": dimensions}
    return replace(report, suite=SUITE, vectors=vectors, results=results, **changes)


def rows(report: Report) -> dict[str, WordRow]:
    return {row.id: row for row in word_rows(report, OPEN_2026)}


def of_the_baseline(task: str) -> TaskResult:
    """The published baseline's result, compared with itself."""
    baseline = baseline_of(OPEN_2026.id, OPEN_2026.version, "en")
    found = baseline.result(task) if baseline else None
    assert found is not None
    return replace(found, baseline=found.score)


@pytest.mark.parametrize(("dimensions", "caveat"), [(100, ""), (300, "not comparable: 100 dimensions")])
def test_qvec_says_where_the_baseline_has_other_dimensions(dimensions: int, caveat: str) -> None:
    found = rows(report_with(of_the_baseline("qvec-en"), of_the_baseline("intrusion"), dimensions=dimensions))
    assert found["qvec-en"].score.caveat == caveat
    assert found["intrusion"].score.caveat == ""


def test_parts_of_the_analogies_stand_beside_the_baselines() -> None:
    found = rows(report_with(of_the_baseline("analogy-google")))
    semantic = found["analogy-google-semantic"].score
    assert semantic.baseline == semantic.text != ""


def test_parts_of_another_baseline_are_not_shown_as_this_ones() -> None:
    other = replace(of_the_baseline("analogy-google"), baseline=0.123)
    assert rows(report_with(other))["analogy-google-semantic"].score.baseline == ""


def test_priming_is_shown_with_its_sign() -> None:
    found = rows(report_with(result_of(OPEN_2026.task("priming-nt-200"), None, 0.0)))
    assert found["priming-nt-200"].metric.startswith("−ρ")
    assert found["sim-ws-353-all"].metric == "Spearman ρ"


def test_what_is_of_another_language_is_reported_once() -> None:
    reasons = {"qvec-da": "Not applicable, da.", "qvec-cca-it": "Not applicable, it.", "20ng": REASON}
    report = report_with(unavailable=tuple(Unavailable(task, reason) for task, reason in reasons.items()))
    assert "qvec-da" not in rows(report)
    assert rows(report)["20ng"].score.reason == REASON
    assert without_score(report, OPEN_2026) == [
        ("20 Newsgroups", REASON),
        ("2 tasks", FOREIGN),
    ]


def test_the_figure_within_targets_stands_beside_the_published_one() -> None:
    primed = replace(result_of(OPEN_2026.task("priming-nt-200"), None, 0.0), secondary={"within_target": 0.081})
    assert rows(report_with(primed))["priming-nt-200"].score.beside == ("0.081 within the pairs of a target",)
