"""Association tests in a report, on the board and in its downloads: described, never ranked."""

from __future__ import annotations

from dataclasses import replace

from django.template.loader import render_to_string

from benchmark.compare.practice import split
from benchmark.leaderboard.columns import columns_of
from benchmark.reports.page import ReportPage
from benchmark.reports.sections.word_tasks import associations
from benchmark.reports.tables import word_rows
from benchmark.submissions.models import Submission
from tasks.associations.figures import AssociationFigures
from tasks.results import Report, Unavailable
from tasks.suites import DEMO, OPEN_2026
from tests.benchmark.reports import report_of, result_of

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
