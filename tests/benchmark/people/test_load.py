"""Two hundred raters answer at once on real servers; research/performance/people_load.py measures the speed."""

from __future__ import annotations

import pytest

from research.performance.people_load import run
from tests.servers import Postgres
from tests.web import Web

pytestmark = pytest.mark.slow
RATERS = 200


def no_answer_is_lost(address: str) -> None:
    load = run(address, RATERS)
    assert load.failures == []
    assert (load.finished, load.lost, load.too_many) == (RATERS, 0, 0)
    assert set(load.sessions.values()) == {13}


def test_two_hundred_raters_at_once_lose_no_answer_on_sqlite() -> None:
    with Web() as web:
        no_answer_is_lost(web.address)


def test_two_hundred_raters_at_once_lose_no_answer_on_postgresql() -> None:
    with Postgres() as postgres, Web(postgres.create("people")) as web:
        no_answer_is_lost(web.address)
