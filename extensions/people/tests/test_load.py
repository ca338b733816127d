"""Raters who answer at once on real servers; research/performance/people_load.py measures the speed."""

from __future__ import annotations

import pytest

from research.performance.people_load import run
from tests.web import Web

pytestmark = pytest.mark.slow
few_and_many = pytest.mark.parametrize("raters", [50, pytest.param(200, marks=pytest.mark.exhaustive)])
"""Both are more than the web server has threads: 16."""


def no_answer_is_lost(address: str, raters: int) -> None:
    load = run(address, raters)
    assert load.failures == []
    assert (load.finished, load.lost, load.too_many) == (raters, 0, 0)
    assert set(load.sessions.values()) == {13}


@few_and_many
def test_raters_at_once_lose_no_answer_on_sqlite(raters: int) -> None:
    with Web() as web:
        no_answer_is_lost(web.address, raters)


@few_and_many
def test_raters_at_once_lose_no_answer_on_postgresql(raters: int, database_url: str) -> None:
    with Web(database_url) as web:
        no_answer_is_lost(web.address, raters)
