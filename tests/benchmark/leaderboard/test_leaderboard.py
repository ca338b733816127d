from __future__ import annotations

import pytest
from django.test import Client

from benchmark.leaderboard.board import board_of
from benchmark.leaderboard.query import BoardQuery
from benchmark.operations.models import WorkerBeat
from benchmark.submissions.models import StoredReport, Submission
from benchmark.submissions.states import State
from tests.benchmark.conftest import Make
from tests.benchmark.reports import REASON, SUITE, report_of


def names(sort: str) -> list[str]:
    return [row.facts.name for row in board_of(SUITE, BoardQuery(sort=sort)).rows]


@pytest.fixture
def entries(submission: Make) -> None:
    for name, shift in (("middle", 0.1), ("best", 0.3), ("worst", -0.2)):
        submission(name=name, shift=shift)
    blank = submission(State.QUEUED, name="blank")
    StoredReport.objects.create(submission=blank, body=report_of(0.9, missing=["ner"]).to_json())
    Submission.objects.filter(pk=blank.pk).update(state=State.DONE)


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize("key", ["overall", "fixed", "ner.fine-tuned"])
def test_the_best_is_first_and_a_blank_last_in_either_order(key: str) -> None:
    assert names(key) == ["best", "middle", "worst", "blank"]
    assert names(f"-{key}") == ["worst", "middle", "best", "blank"]


@pytest.mark.usefixtures("entries")
def test_an_unknown_column_sorts_by_the_default_one() -> None:
    assert names("no-such-column") == names("overall")
    assert names("name") == ["best", "blank", "middle", "worst"]


@pytest.mark.usefixtures("entries")
def test_page_and_api_show_the_same_order_and_scores(stranger: Client) -> None:
    page = stranger.get("/?sort=fixed").content.decode()
    entries = stranger.get("/api/v1/leaderboard?sort=fixed").json()["entries"]
    places = [page.index(f">{entry['name']}</a>") for entry in entries]
    assert places == sorted(places)
    assert entries[0]["scores"]["fixed"] == pytest.approx(0.3)
    assert "+30.0" in page


@pytest.mark.usefixtures("entries")
def test_a_blank_cell_shows_its_reason_on_the_page_and_in_the_export(stranger: Client) -> None:
    assert REASON in stranger.get("/?view=scores").content.decode()
    blank = next(entry for entry in stranger.get("/api/v1/leaderboard").json()["entries"] if entry["name"] == "blank")
    assert blank["scores"]["ner.fixed"] is None
    assert blank["blank"]["ner.fixed"] == REASON
    assert blank["blank"]["overall"] == "No mean, because ner is missing."


def test_scores_come_from_the_stored_report_only(submission: Make) -> None:
    row = submission(shift=0.25)
    Submission.objects.filter(pk=row.pk).update(overall=0.99)
    (shown,) = board_of(SUITE, BoardQuery(columns=("overall",))).rows
    assert shown.cells[0].value == pytest.approx(0.25)


def test_only_finished_entries_of_the_suite_are_on_the_board(submission: Make) -> None:
    submission(State.RUNNING), submission(State.DONE, suite="open-2026"), submission(State.DONE, name="here")
    assert names("overall") == ["here"]


def test_the_sorted_column_shows_its_direction(submission: Make, stranger: Client) -> None:
    submission()
    assert 'aria-sort="descending"' in stranger.get("/?sort=fixed").content.decode()
    assert 'aria-sort="ascending"' in stranger.get("/?sort=-fixed").content.decode()


@pytest.mark.django_db
def test_an_empty_board_and_a_missing_worker_are_reported(stranger: Client) -> None:
    page = stranger.get("/").content.decode()
    assert "No entries yet." in page
    assert "No worker is running." in page
    WorkerBeat.objects.record("here")
    assert "No worker is running." not in stranger.get("/").content.decode()


def test_an_empty_board_of_another_suite_offers_no_upload(submission: Make, stranger: Client) -> None:
    submission(State.RUNNING)
    page = stranger.get("/?suite=veceval-2016").content.decode()
    assert "This site does not measure with" in page
    assert "Submit the first" not in page
    assert "manage.py" not in page
    assert "in progress" not in page
    assert "1 submission in progress" in stranger.get("/").content.decode()


def test_the_first_entry_is_a_skip_link_away(submission: Make, stranger: Client) -> None:
    submission(name="first"), submission(name="second")
    page = stranger.get("/").content.decode()
    assert page.count('href="#first-entry"') == page.count('id="first-entry"') == 1
    assert 'id="first-entry"' in page.split("<tbody>")[1].split("</a>")[0]


def test_the_demo_suite_is_marked_as_not_comparable(submission: Make, stranger: Client) -> None:
    row = submission()
    for path in ("/", "/submit", f"/r/{row.pk}", "/suites/demo"):
        assert "Not comparable." in stranger.get(path).content.decode()


@pytest.mark.django_db
def test_an_unknown_suite_is_not_found(stranger: Client) -> None:
    assert stranger.get("/?suite=nope").status_code == 404
    assert stranger.get("/api/v1/leaderboard?suite=nope").json()["error"]["code"] == "not-found"
