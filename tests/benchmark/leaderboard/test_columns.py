"""Columns: means at equal size and as used, and the scale of intervals, which a few extreme entries do not set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from benchmark.leaderboard import jobs
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.columns import MEANS, Column, by_group, columns_of, scores_of
from benchmark.leaderboard.markup import strip_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.leaderboard.table import ReportRow, Table, table_of
from benchmark.submissions.models import StoredReport
from plots.layouts import STRIP_WIDTH, Strip
from tasks.report import figures_of
from tasks.results import Aggregates, ErrorReduction, Report
from tasks.suites import DEMO, OPEN_2026
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE, report_of
from tests.tasks import test_report
from tests.tasks.statistics.uncertain import SUITE as SUITE_OF_ONE
from tests.tasks.statistics.uncertain import VECTORS, report

USED = Aggregates(0.05, -0.02, 0.01, intervals={"overall": (-0.01, 0.03)})
REDUCTION = Column("x", "X", "Mean", "reduction", "")
CORRELATION = Column("x", "X", "Intrinsic", "correlation", "")
KEYS = ["overall-as-used", "fixed-as-used", "fine-tuned-as-used"]


def test_only_a_suite_with_baselines_of_several_sizes_has_columns_as_used() -> None:
    columns = columns_of(OPEN_2026)
    assert [column.key for column in columns if column.group == "As used"][:4] == [*KEYS, "pos.fixed-as-used"]
    assert "of as many dimensions" in columns[0].explanation
    assert "for vectors of all sizes" in next(column for column in columns if column.key == KEYS[0]).explanation
    assert not [column for column in columns_of(DEMO) if column.group == "As used"]
    assert columns_of(DEMO)[0] == MEANS[0]


def test_a_permanent_link_from_before_keeps_its_columns() -> None:
    columns = columns_of(OPEN_2026, ("overall", "equal-overall", "pos.fixed"))
    assert [column.key for column in columns[:4]] == ["overall", "fixed", "fine-tuned", "equal-overall"]
    assert [group for group, _ in by_group(columns)][:3] == ["Mean", "Equal dimensions", "Fixed"]
    assert "for vectors of all sizes" in columns[0].explanation
    assert "of as many dimensions" in columns[3].explanation
    assert not [column for column in columns if column.key.endswith("-as-used") or column.group == "Earlier tasks"]


def test_the_columns_scores_are_the_reports() -> None:
    measured = replace(report_of(0.1), as_used=USED)
    cells = (replace(measured.results[0], as_used=ErrorReduction(0.2, (0.1, 0.3))), *measured.results[1:])
    scores, _ = scores_of(replace(measured, results=cells))
    assert scores["overall-as-used"] == [0.01, -0.01, 0.03, None]
    assert scores["fine-tuned-as-used"] == [-0.02, None, None, None]
    assert scores["pos.fixed-as-used"] == [0.2, 0.1, 0.3, cells[0].coverage.tokens]
    assert scores["overall"][0] == 0.1
    blank = Aggregates(None, None, None, dict.fromkeys(("fixed", "fine_tuned", "overall"), "No baseline."))
    assert scores_of(replace(measured, as_used=blank))[1]["fixed-as-used"] == "No baseline."
    assert not set(KEYS) & set(scores_of(report_of(0.1))[0])


def test_figures_are_drawn_against_both_baselines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VECBOARD_BASELINE_SCORES", str(tmp_path))
    test_report.publish(report(0.5, 2, "the baseline"))
    test_report.publish(report(0.6, 2, "the small baseline"), 2)
    results = list(report(0.8, 1).results)
    figures = figures_of(test_report.SIZES, VECTORS, results)
    assert figures["overall"].value == pytest.approx(0.5, abs=0.1)
    assert figures["overall-as-used"].value > figures["overall"].value
    assert figures["pos.fixed-as-used"].value > figures["pos.fixed"].value
    assert not [key for key in figures_of(SUITE_OF_ONE, VECTORS, results) if key.endswith("-as-used")]


@pytest.mark.django_db
def test_the_report_states_it_below_the_means(submission: Make, stranger: Client) -> None:
    def page(measured: Report) -> str:
        entry = submission()
        StoredReport.publish(entry, measured)
        return stranger.get(reverse("reports:report", args=[entry.pk])).content.decode()

    assert "as used" not in page(report_of(0.1))
    measured = replace(report_of(0.1), as_used=USED, baseline="7 dimensions, interpolated between 5 and 9")
    body = page(measured)
    assert "as used: +1.00&nbsp;%" in body
    assert "against SVD-PPMI of 7 dimensions, interpolated between 5 and 9" in body
    of_size = replace(measured, vectors={**measured.vectors, "dimensions": DEMO.baseline_dimensions})
    assert "as used" not in page(of_size)


def test_the_cells_of_the_means_come_first_and_every_other_group_once() -> None:
    columns = [column for column in columns_of(OPEN_2026) if column.kind == "reduction"]
    groups = [group for group, _ in by_group(columns)]
    assert groups == ["Mean", "Fixed", "Fine-tuned", "Few examples", "Not in the means", "As used"]
    assert [column.key for column in columns if column.group == "Few examples"] == [
        "sentiment-500.fixed",
        "ner-500.fixed",
    ]
    assert len({column.key for column in columns}) == len(columns)


def table(values: list[float], reach: float = 0.01) -> Table:
    return table_of(
        [ReportRow(i, str(i), "en", {"x": [v, v - reach, v + reach, None]}, {}) for i, v in enumerate(values)]
    )


def test_two_controls_do_not_set_the_scale_of_the_others() -> None:
    scale = strip_of(table([0.02, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, -0.8, -0.9]), REDUCTION)
    assert (scale.low, scale.high) == pytest.approx((0.0, 0.11))


def test_without_extreme_entries_the_scale_holds_every_interval() -> None:
    scale = strip_of(table([0.3, 0.4, 0.5]), CORRELATION)
    assert (scale.low, scale.high) == pytest.approx((0.29, 0.51))


def test_scales_of_error_reductions_always_include_zero() -> None:
    assert strip_of(table([0.3, 0.4]), REDUCTION).zero == 0
    assert strip_of(table([-0.3, -0.4]), REDUCTION).zero == STRIP_WIDTH
    assert strip_of(table([0.3, 0.4]), CORRELATION).zero is None


def test_entries_that_mostly_agree_cut_off_nobody() -> None:
    assert strip_of(table([0.5] * 9 + [0.1]), CORRELATION).low == pytest.approx(0.09)


def test_a_column_without_a_score_has_a_scale_all_the_same() -> None:
    assert strip_of(table([]), CORRELATION) == Strip(0.0, 1.0)
    assert strip_of(table([np.nan]), CORRELATION) == Strip(0.0, 1.0)


def test_a_scale_is_the_same_on_every_page_and_under_every_filter(submission: Make) -> None:
    for i in range(6):
        submission(name=f"e{i}", shift=0.1 * i)
    jobs.compute(SUITE.id, SUITE.version)
    scales = {
        strip_of(board.table, board.columns[0])
        for query in (BoardQuery(), BoardQuery(text="e3"))
        for board in [board_of(SUITE, query, size=2)]
    }
    assert len(scales) == 1
