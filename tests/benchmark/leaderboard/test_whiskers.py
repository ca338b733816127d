"""Intervals of a column share a scale that a few extreme entries do not set."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from benchmark.leaderboard import standing
from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.columns import Column
from benchmark.leaderboard.query import BoardQuery
from benchmark.leaderboard.table import Table, table_of
from benchmark.leaderboard.whiskers import strip_of
from benchmark.submissions.models import Submission
from plots.layouts import STRIP_WIDTH, Strip
from tests.benchmark.reports import SUITE

REDUCTION = Column("x", "X", "Mean", "reduction", "")
CORRELATION = Column("x", "X", "Intrinsic", "correlation", "")


def table(values: list[float], reach: float = 0.01) -> Table:
    return table_of((i, str(i), {"x": [v, v - reach, v + reach, None]}, {}, "en") for i, v in enumerate(values))


def test_two_floors_do_not_set_the_scale_of_the_others() -> None:
    scale = strip_of(table([0.02, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, -0.8, -0.9]), REDUCTION)
    assert (scale.low, scale.high) == pytest.approx((0.0, 0.11))


def test_without_extreme_entries_the_scale_holds_every_interval() -> None:
    scale = strip_of(table([0.3, 0.4, 0.5]), CORRELATION)
    assert (scale.low, scale.high) == pytest.approx((0.29, 0.51))


def test_error_reductions_always_have_zero_in_sight() -> None:
    assert strip_of(table([0.3, 0.4]), REDUCTION).zero == 0
    assert strip_of(table([-0.3, -0.4]), REDUCTION).zero == STRIP_WIDTH
    assert strip_of(table([0.3, 0.4]), CORRELATION).zero is None


def test_entries_that_mostly_agree_cut_off_nobody() -> None:
    assert strip_of(table([0.5] * 9 + [0.1]), CORRELATION).low == pytest.approx(0.09)


def test_a_column_without_a_figure_has_a_scale_all_the_same() -> None:
    assert strip_of(table([]), CORRELATION) == Strip(0.0, 1.0)
    assert strip_of(table([np.nan]), CORRELATION) == Strip(0.0, 1.0)


def test_a_scale_is_the_same_on_every_page_and_under_every_filter(submission: Callable[..., Submission]) -> None:
    for i in range(6):
        submission(name=f"e{i}", shift=0.1 * i)
    standing.recompute(SUITE.id, SUITE.version)
    scales = {
        strip_of(board.table, board.columns[0])
        for query in (BoardQuery(), BoardQuery(text="e3"))
        for board in [board_of(SUITE, query, size=2)]
    }
    assert len(scales) == 1
