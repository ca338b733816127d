"""Word tasks and association tests on the report page: rows, parts, dots and tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.template.loader import render_to_string

from benchmark.leaderboard.columns import columns_of
from benchmark.reports.page import ReportPage
from benchmark.reports.sections.word_tasks import associations, word_tasks
from benchmark.reports.tables import FOREIGN, WordRow, baseline_of, without_score, word_rows
from benchmark.submissions.models import Submission
from extensions.practice.predictors import split
from tasks.hashes import suite_hash
from tasks.results import CellResult, Report, Unavailable
from tasks.secondary import AssociationFigures
from tasks.suites import DEMO, OPEN_2026
from tests.benchmark.reports import REASON, report_of, result_of

SUITE = {"id": OPEN_2026.id, "version": OPEN_2026.version, "hash": suite_hash(OPEN_2026)}


def report_with(*results: CellResult, dimensions: int = 100, **changes: Any) -> Report:
    report = report_of(0.1)
    vectors = {**report.vectors, "dimensions": dimensions}
    return replace(report, suite=SUITE, vectors=vectors, results=results, **changes)


def rows(report: Report) -> dict[str, WordRow]:
    return {row.id: row for row in word_rows(report, OPEN_2026)}


def of_the_baseline(task: str) -> CellResult:
    """The published baseline's result, compared with itself."""
    baseline = baseline_of(OPEN_2026.id, OPEN_2026.version, "en")
    found = baseline.result(task) if baseline else None
    assert found is not None
    return replace(found, baseline=found.score)


def test_sets_of_verbs_in_an_older_result_are_not_compared_with_reaction_times() -> None:
    primed = [of_the_baseline(f"priming-{condition}") for condition in ("ldt-200", "ldt-1200", "nt-200", "nt-1200")]
    for result in primed:
        sets = result.secondary["similarity_sets"]
        result.secondary["similarity_sets"] = {**sets, "simverb-3500": sets["men-tr-3k"]}
    section = word_tasks(ReportPage(report_with(*primed), Submission(), OPEN_2026, "")) or {}
    assert [name for name, *_ in section["similarity_sets"]] == ["men-tr-3k", "mturk-771", "simlex-999", "ws-353-all"]


@pytest.mark.parametrize(
    ("dimensions", "caveat"),
    [(100, ""), (150, ""), (601, "not comparable: 600 dimensions, the most that are published")],
)
def test_qvec_says_where_no_baseline_is_near_enough(dimensions: int, caveat: str) -> None:
    found = rows(report_with(of_the_baseline("qvec-en"), of_the_baseline("intrusion"), dimensions=dimensions))
    assert found["qvec-en"].score.caveat == caveat
    assert found["intrusion"].score.caveat == ""


def test_parts_of_the_analogies_are_next_to_the_baselines() -> None:
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


def test_tasks_in_other_languages_are_reported_once() -> None:
    reasons = {"qvec-da": "Not applicable, da.", "qvec-cca-it": "Not applicable, it.", "20ng": REASON}
    report = report_with(unavailable=tuple(Unavailable(task, reason) for task, reason in reasons.items()))
    assert "qvec-da" not in rows(report)
    assert rows(report)["20ng"].score.reason == REASON
    assert without_score(report, OPEN_2026) == [
        ("20 Newsgroups", REASON),
        ("2 tasks", FOREIGN),
    ]


def test_the_score_within_targets_is_next_to_the_published_one() -> None:
    primed = replace(result_of(OPEN_2026.task("priming-nt-200"), None, 0.0), secondary={"within_target": 0.081})
    assert rows(report_with(primed))["priming-nt-200"].score.beside == ("0.081 within the pairs of a target",)


FIGURES = AssociationFigures(
    known=99, words=100, missing=["axe"], p=0.00001, partitions=100_000, exact=False, single={}, runs=[0.5, 0.3, None]
)


def report() -> Report:
    measured = replace(result_of(OPEN_2026.task("weat-2"), None, 0.0), secondary=FIGURES, baseline=-0.4)
    missing = Unavailable("weat-3", "The file lacks 6 of the 32 words of “names”: Aisha, Jamal.")
    return replace(report_of(0.1), results=(measured,), unavailable=(missing,))


def shown(found: Report, language: str = "en") -> str:
    section = associations(ReportPage(found, Submission(language=language), OPEN_2026, ""))
    assert section is not None
    return render_to_string("reports/sections/associations.html", {"section": section, "report": found})


def test_a_row_has_d_interval_p_runs_and_what_is_unknown() -> None:
    row = shown(report()).split('id="task-weat-2"')[1].split("</tr>")[0]
    for part in (
        "0.50",
        "0.48 to 0.52",
        "&lt; 0.0001",
        "mean of 2 runs 0.40, 95 % interval −0.87 to 1.67",  # 0.4 ± 12.71 × 0.1
        "−0.40",
        "99 of 100",
        "without <bdi>axe",
    ):
        assert part in row


def test_a_test_without_a_score_names_the_words_and_the_page_says_what_it_does_not_show() -> None:
    text = shown(report())
    assert "Aisha, Jamal" in text
    assert "Ethayarajh et al. 2019" in text
    assert "Goldfarb-Tarrant et al. 2021" in text


def test_a_report_without_association_results_has_no_section() -> None:
    assert associations(ReportPage(replace(report(), results=()), Submission(), OPEN_2026, "")) is None
    assert associations(ReportPage(report(), Submission(), DEMO, "")) is None


def test_they_are_descriptive_columns_of_their_own_group_outside_word_tasks_and_practice() -> None:
    columns = [column for column in columns_of(OPEN_2026) if column.group == "Associations"]
    assert [column.key for column in columns] == [f"weat-{n}" for n in range(1, 11)]
    assert {(column.best, column.arrow) for column in columns} == {("", "")}
    assert not {row.id for row in word_rows(report(), OPEN_2026)} & {column.key for column in columns}
    assert not set(columns) & set(split(columns_of(OPEN_2026))[0])
