"""Number of queries of a page: at most nine, for any number of entries."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from benchmark.leaderboard import page_cache
from benchmark.operations.models import WorkerBeat
from tests.benchmark.conftest import Make
from tests.benchmark.people_accounts import browser_of, person

MOST = 9
PAGES = (
    "/", "/?sort=name&q=e&view=heat&track=other", "/?after=0.1~x", "/embed", "/board.csv", "/board.json", "/board.tex",
    "/board.md", "/board.svg", "/board.png", "/practice", "/practice?y=pos.fixed&dimensions=10", "/compare",
    "/compare?e={e}", "/r/{e}", "/r/{e}/v1", "/badge/{e}.svg", "/compare?e={e}&e={o}",
    "/r/{e}/v1/table.csv", "/compare/scores.csv?e={e}&e={o}", "/compare/words.csv?e={e}&e={o}",
    "/suites/demo", "/associations?e={e}&e={o}&test=parties-state", "/associations/axes?e={e}&e={o}&formula=king",
    "/find", "/find/own?e={e}", "/find/suffices?e={e}", "/find/front?e={e}", "/find/claim?e={e}",
)  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_a_page_asks_at_most_nine_times(
    submission: Make, stranger: Client, django_assert_max_num_queries: Any, path: str
) -> None:
    entries = [submission(name=f"entry {i}", shift=0.1 * i, owner=person(f"p{i}")) for i in range(6)]
    WorkerBeat.objects.record("here")
    page_cache.mark()  # once after a change, for all pages: a query for the next end of an embargo
    with django_assert_max_num_queries(MOST):
        answer = stranger.get(path.format(e=entries[0].pk, o=entries[1].pk))
    assert answer.status_code == 200


def test_a_list_of_own_entries_asks_as_often_for_many_as_for_one(
    submission: Make, django_assert_max_num_queries: Any
) -> None:
    ada = person("ada")
    client = browser_of(ada)
    for i in range(6):
        submission(name=f"entry {i}", owner=ada)
    with django_assert_max_num_queries(MOST + 2):  # the session and its account
        assert client.get("/mine").status_code == 200
