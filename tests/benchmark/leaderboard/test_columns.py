"""Columns: means at equal dimensions, and the scale of intervals, which a few extreme entries do not set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from benchmark.leaderboard import jobs
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.columns import Column, by_group, columns_of, scores_of
from benchmark.leaderboard.markup import strip_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.leaderboard.table import ReportRow, Table, table_of
from benchmark.submissions.models import StoredReport
from plots.layouts import STRIP_WIDTH, Strip
from tasks.results import Aggregates, Report
from tasks.suites import DEMO, OPEN_2026
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE, report_of
from tests.tasks import test_report
from tests.tasks.statistics.uncertain import report

EQUAL = Aggregates(0.05, -0.02, 0.01, intervals={"overall": (-0.01, 0.03)})
REDUCTION = Column("x", "X", "Mean", "reduction", "")
CORRELATION = Column("x", "X", "Intrinsic", "correlation", "")
KEYS = ["equal-overall", "equal-fixed", "equal-fine-tuned"]


def test_only_a_suite_with_further_baselines_has_the_columns() -> None:
    assert [column.key for column in columns_of(OPEN_2026) if column.group == "Equal dimensions"] == KEYS
    assert not [column for column in columns_of(DEMO) if column.group == "Equal dimensions"]


def test_the_columns_scores_are_the_reports() -> None:
    scores, _ = scores_of(replace(report_of(0.1), equal_dimensions=EQUAL))
    assert scores["equal-overall"] == [0.01, -0.01, 0.03, None]
    assert scores["equal-fine-tuned"] == [-0.02, None, None, None]
    assert scores["overall"][0] == 0.1
    blank = Aggregates(None, None, None, dict.fromkeys(("fixed", "fine_tuned", "overall"), "No baseline."))
    assert scores_of(replace(report_of(0.1), equal_dimensions=blank))[1]["equal-fixed"] == "No baseline."
    assert not set(KEYS) & set(scores_of(report_of(0.1))[0])


def test_ranks_are_drawn_against_that_baseline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VECBOARD_BASELINE_SCORES", str(tmp_path))
    test_report.publish(report(0.6, 2, "the small baseline"), 10)
    suite, results = replace(test_report.SUITE, further_baselines=(10,)), list(report(0.8, 1).results)
    found = jobs._at_equal_dimensions(suite, results, "the vectors", 10, "en")
    assert sorted(found) == sorted(KEYS)
    assert found["equal-overall"].value == pytest.approx(0.5, abs=0.1)
    assert jobs._at_equal_dimensions(suite, results, "the vectors", 11, "en") == {}
    assert jobs._at_equal_dimensions(test_report.SUITE, results, "the vectors", 10, "en") == {}


@pytest.mark.django_db
def test_the_report_states_it_in_a_line(submission: Make, stranger: Client) -> None:
    def page(measured: Report) -> str:
        entry = submission()
        StoredReport.publish(entry, measured)
        return stranger.get(reverse("reports:report", args=[entry.pk])).content.decode()

    assert "equal dimensions" not in page(report_of(0.1))
    body = page(replace(report_of(0.1), equal_dimensions=EQUAL))
    assert "+1.00&nbsp;% at equal dimensions" in body
    assert "the SVD-PPMI baseline with 10 dimensions" in body
    why = "No baseline with 10 dimensions is published; there are baselines with 50, 100, 300."
    blank = Aggregates(None, None, None, dict.fromkeys(("fixed", "fine_tuned", "overall"), why))
    assert why in page(replace(report_of(0.1), equal_dimensions=blank))


def test_the_cells_of_the_means_come_first_and_every_other_group_once() -> None:
    columns = [column for column in columns_of(OPEN_2026) if column.kind == "reduction"]
    groups = [group for group, _ in by_group(columns)]
    assert groups == ["Mean", "Equal dimensions", "Fixed", "Fine-tuned", "Few examples", "Not in the means"]
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
