"""A permanent link shows the values of its day, without entries that were withdrawn or hidden since."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from benchmark.leaderboard import jobs, table
from benchmark.leaderboard.models import ComputedBoard
from benchmark.operations.retention import erase
from benchmark.submissions.models import StoredReport, Submission
from tests.benchmark.conftest import Make
from tests.benchmark.reports import SUITE, report_of
from tests.benchmark.scores import measured_with

FORMS = ["/", "/board.csv", "/board.json", "/board.tex", "/board.svg", "/embed", "/api/v1/leaderboard"]


@pytest.fixture
def entry(submission: Make) -> Submission:
    row = submission(name="kept", shift=0.1234)
    submission(name="other", shift=0.05)
    jobs.compute(SUITE.id, SUITE.version)
    return row


def freeze(client: Client, view: str = "", **sent: str) -> str:
    answer = client.post(f"/board/freeze{view}", **sent)
    assert answer.status_code == 302, answer.content
    return str(answer["Location"])


def change(row: Submission) -> None:
    StoredReport.objects.create(submission=row, body=report_of(0.5).to_json())
    jobs.compute(SUITE.id, SUITE.version)


def test_a_permanent_link_keeps_the_values_that_it_was_made_with(entry: Submission, stranger: Client) -> None:
    link = freeze(stranger, "?c=overall&sort=-overall")
    change(entry)
    assert "+50.0" in stranger.get("/?c=overall").content.decode()
    then = stranger.get(link).content.decode()
    assert "+12.3" in then
    assert "+50.0" not in then
    assert f"version={SUITE.version}" in link
    assert "sort=-overall" in link
    assert link.rpartition("as-of=")[2] in then


@pytest.mark.parametrize("path", [*FORMS, "/board.png"])
def test_every_form_of_the_board_shows_the_linked_values(entry: Submission, stranger: Client, path: str) -> None:
    view = freeze(stranger, "?c=overall").partition("?")[2]
    before = stranger.get(f"{path}?{view}").content
    change(entry)
    assert stranger.get(f"{path}?{view}").content == before
    assert stranger.get(f"{path}?c=overall").content != before


def test_the_same_values_are_kept_once(entry: Submission, stranger: Client) -> None:
    assert freeze(stranger) == freeze(stranger)
    assert ComputedBoard.objects.frozen().count() == 1
    assert freeze(stranger, "?sort=name").rpartition("=")[2] == freeze(stranger).rpartition("=")[2]


@pytest.mark.parametrize("gone", [{"visibility": "private"}, {"hidden_at": timezone.now()}])
def test_entries_hidden_since_are_left_out(entry: Submission, stranger: Client, gone: dict[str, object]) -> None:
    link = freeze(stranger)
    assert ">kept<" in stranger.get(link).content.decode()
    Submission.objects.filter(pk=entry.pk).update(**gone)
    assert ">kept<" not in stranger.get(link).content.decode()
    entry.delete()
    assert ">other<" in stranger.get(link).content.decode()


def test_nobody_is_shown_anything_of_an_entry_erased_since(entry: Submission, stranger: Client) -> None:
    view = freeze(stranger, "?c=overall&rows=roomy").partition("?")[2]
    traces = (entry.pk, "kept", "12.34", "0.1234")
    queries = {path: view.replace("&rows=roomy", "") if path.startswith("/api/") else view for path in FORMS}
    assert all(any(trace in stranger.get(f"{p}?{q}").content.decode() for trace in traces) for p, q in queries.items())
    erase(entry)
    for path, query in queries.items():
        shown = stranger.get(f"{path}?{query}").content.decode()
        assert "other" in shown
        assert not [trace for trace in traces if trace in shown], path


def test_a_later_entry_is_not_on_an_earlier_board(entry: Submission, submission: Make, stranger: Client) -> None:
    link = freeze(stranger)
    submission(name="later", shift=0.9)
    assert ">later<" in stranger.get("/").content.decode()
    assert ">later<" not in stranger.get(link).content.decode()


def others(count: int, **columns: Any) -> None:
    """Permanent links made by others."""
    rows = (ComputedBoard(suite="demo", version=1, digest=f"{n:064}", payer="others", **columns) for n in range(count))
    ComputedBoard.objects.bulk_create(rows)


def test_no_visitor_fills_the_database(entry: Submission, stranger: Client) -> None:
    now = timezone.now()
    others(table.MOST_A_DAY - 2, kept_at=now, size=9, body=b"")
    for shift in (0.2, 0.3):
        freeze(stranger, REMOTE_ADDR=f"192.0.2.{shift * 10:.0f}")
        measured_with(entry, {"overall": [shift, None, None, None]})
        jobs.compute(SUITE.id, SUITE.version)
    answer = stranger.post("/board/freeze")
    assert answer.status_code == 429
    assert "at most 24 permanent links a day, 12 of them for one person" in answer.content.decode()
    assert ComputedBoard.objects.frozen().count() == table.MOST_A_DAY
    ComputedBoard.objects.frozen().delete()
    others(1, kept_at=now - timedelta(days=2), size=table.MOST_BYTES, body=b"")
    assert "no room for more permanent links" in stranger.post("/board/freeze").content.decode()


@pytest.mark.usefixtures("entry")
def test_a_broken_permanent_link_never_shows_other_values(stranger: Client) -> None:
    digits = stranger.post("/board/freeze").url.partition("as-of=")[2]
    for path in ("/", "/embed", "/board.csv", "/board.png", "/api/v1/leaderboard"):
        assert stranger.get(f"{path}?as-of={digits}").status_code == 200
        for wrong in ("0" * 16, digits[:-1], "yesterday"):
            assert stranger.get(f"{path}?as-of={wrong}").status_code == 404
    assert stranger.get("/board/freeze").status_code == 405


def test_a_board_without_ranks_has_no_permanent_link(submission: Make, stranger: Client) -> None:
    submission()
    assert stranger.post("/board/freeze").status_code == 404


def test_a_form_of_another_site_makes_no_permanent_link(entry: Submission) -> None:
    client = Client(enforce_csrf_checks=True)
    for origin in ("https://other.example", "null"):
        assert client.post("/board/freeze", headers={"Origin": origin}).status_code == 403
    assert not ComputedBoard.objects.frozen().exists()
    assert client.post("/board/freeze", headers={"Origin": "http://testserver"}).status_code == 302
