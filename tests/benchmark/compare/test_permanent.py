"""A permanent link of a comparison keeps its verdict, although the board and the reports change later."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from django.test import Client

from benchmark.leaderboard import jobs, ranking_data
from benchmark.leaderboard.models import ComputedBoard
from benchmark.operations.retention import erase
from benchmark.submissions.models import StoredReport, Submission
from tests.benchmark.conftest import Browser, Make
from tests.benchmark.reports import SUITE, report_of
from tests.benchmark.scores import figure

NOISE = np.random.default_rng(7).standard_normal(1000)
ERROR = 0.01


def entered(make: Make, name: str, mean: float, error: float = 0.0, **columns: Any) -> Submission:
    """An entry whose overall mean has this standard error."""
    row = make(name=name, shift=mean, vectors_sha256=f"{name:_<64}", **columns)
    assert row.report is not None
    ranking_data.save(row.report.entry, {"overall": figure(mean, error * NOISE / NOISE.std())}, {})
    return row


@pytest.fixture
def two(submission: Make) -> tuple[Submission, Submission]:
    """Two entries with p near 0.01: clear alone, and not among a dozen."""
    rows = entered(submission, "first", 0.1), entered(submission, "second", 0.1 + 2.58 * ERROR, ERROR)
    jobs.compute(SUITE.id, SUITE.version)
    return rows


def crowd(make: Make, count: int = 10) -> None:
    for number in range(count):
        entered(make, f"entry{number}", 0.1)
    jobs.compute(SUITE.id, SUITE.version)


def query(*rows: Submission) -> str:
    return "&".join(f"e={row.pk}" for row in rows)


def permanent(client: Client, *rows: Submission) -> str:
    answer = client.post(f"/compare/freeze?{query(*rows)}")
    assert answer.status_code == 302, answer.content
    return str(answer["Location"])


def overall(client: Client, of: str) -> dict[str, Any]:
    """The tested difference by the overall mean under a query string."""
    response = client.get(f"/compare/scores.json?{of}")
    assert response.status_code == 200, response.content
    (row,) = (row for row in json.loads(response.content)["rows"] if row["key"] == "overall")
    return dict(row["values"]["difference"])


def test_a_permanent_link_keeps_verdict_and_correction_when_the_board_grows(
    two: tuple[Submission, ...], submission: Make, stranger: Client
) -> None:
    link = permanent(stranger, *two)
    assert overall(stranger, query(*two)) == overall(stranger, urlsplit(link).query)
    crowd(submission)
    then, now = overall(stranger, urlsplit(link).query), overall(stranger, query(*two))
    assert (then["mark"], then["tests"]) == ("clear", 1)
    assert (now["mark"], now["tests"]) == ("", 11)
    assert then["p"] == now["p"]
    page = stranger.get(link).content.decode()
    assert "is clearly better overall" in page.split("<h1>")[1].split("</h1>")[0]
    assert "saved under a permanent link" in page
    assert "on the leaderboard (1 of each entry)" in page
    assert "on the leaderboard (11 of each entry)" in stranger.get(f"/compare?{query(*two)}").content.decode()
    assert f'href="/compare?{query(*two).replace("&", "&amp;")}">Compare today' in page
    assert "Neither is clearly better" in stranger.get(f"/compare?{query(*two)}").content.decode()


@pytest.mark.parametrize("name", ["scores.csv", "scores.json", "scores.md", "scores.tex"])
def test_every_file_of_a_permanent_link_stays_what_it_was(
    two: tuple[Submission, ...], submission: Make, stranger: Client, name: str
) -> None:
    link = permanent(stranger, *two)
    file = link.replace("/compare?", f"/compare/{name}?")
    before = stranger.get(file).content
    assert urlsplit(link).query in before.decode().replace(r"\&", "&")
    assert file.replace("&", "&amp;") in stranger.get(link).content.decode()
    crowd(submission)
    assert stranger.get(file).content == before


def test_of_several_the_links_between_two_lead_to_the_same_board(
    two: tuple[Submission, ...], submission: Make, stranger: Client
) -> None:
    third = entered(submission, "third", 0.2)
    jobs.compute(SUITE.id, SUITE.version)
    page = stranger.get(permanent(stranger, *two, third)).content.decode()
    of_two = page.split("Two of them: ")[1].split("</p>")[0]
    assert of_two.count("as-of=") == 3
    assert page.split("differences")[1].split("</table>")[0].count("as-of=") == 2


def test_an_entry_measured_again_has_its_scores_of_then_and_the_page_says_what_is_lost(
    two: tuple[Submission, ...], stranger: Client
) -> None:
    link = permanent(stranger, *two)
    again = StoredReport.objects.create(submission=two[0], body=report_of(0.5).to_json())
    ranking_data.save(again.entry, {"overall": figure(0.5, 0 * NOISE)}, {})
    jobs.compute(SUITE.id, SUITE.version)
    page = stranger.get(link).content.decode()
    assert "No verdict on" in page
    assert "the outcomes of one entry are no longer stored" in page
    assert "+50.0" not in page
    assert overall(stranger, query(*two))["value"] > 0 > overall(stranger, urlsplit(link).query)["value"]


def test_a_private_entry_has_a_permanent_link_for_its_owner_alone(
    two: tuple[Submission, ...], submission: Make, stranger: Client, owner: Browser
) -> None:
    mine = entered(submission, "mine", 0.1 + 2.58 * ERROR, ERROR, visibility="private")
    link = permanent(owner(mine), mine, two[0])
    crowd(submission)
    assert overall(owner(mine), urlsplit(link).query)["mark"] == "clear"
    assert overall(owner(mine), query(mine, two[0]))["mark"] == ""
    assert stranger.get(link).status_code == 404
    assert stranger.post(f"/compare/freeze?{query(mine, two[0])}").status_code == 404


def test_a_comparison_with_an_erased_entry_is_gone(two: tuple[Submission, ...], stranger: Client) -> None:
    link = permanent(stranger, *two)
    erase(two[1])
    assert stranger.get(link).status_code == 404


def test_a_permanent_link_that_is_cut_off_or_changed_never_shows_other_values(
    two: tuple[Submission, ...], stranger: Client
) -> None:
    link = permanent(stranger, *two)
    parts = urlsplit(link).query.split("&")
    assert stranger.get(link).status_code == 200
    for count in range(1, len(parts)):
        assert stranger.get(f"/compare?{'&'.join(parts[:count])}").status_code == 404, parts[:count]
        assert stranger.get(f"/compare?{'&'.join(parts[count:])}").status_code == 404, parts[count:]
    for wrong in (
        link.replace("report=", "report=9", 1),
        link.replace(f"version={SUITE.version}", "version=99"),
        link + "&report=1",
    ):
        assert wrong != link
        assert stranger.get(wrong).status_code == 404


def test_a_comparison_that_cannot_be_tested_yet_has_no_permanent_link(
    two: tuple[Submission, ...], submission: Make, stranger: Client
) -> None:
    late = submission(name="late")
    answer = stranger.post(f"/compare/freeze?{query(two[0], late)}")
    assert answer.status_code == 404
    assert "tests appear minutes after" in answer.content.decode()
    assert not ComputedBoard.objects.frozen().exists()
    assert stranger.post(f"/compare/freeze?{query(two[0])}").status_code == 404


def test_comparisons_of_one_board_share_its_values_and_the_limit_of_permanent_links(
    two: tuple[Submission, ...], submission: Make, stranger: Client
) -> None:
    third = entered(submission, "third", 0.2)
    jobs.compute(SUITE.id, SUITE.version)
    for rows in (two, (two[0], third), (*two, third)):
        permanent(stranger, *rows)
    stranger.post("/board/freeze")
    assert ComputedBoard.objects.frozen().count() == 1


def test_a_form_of_another_site_makes_no_permanent_link(two: tuple[Submission, ...]) -> None:
    client = Client(enforce_csrf_checks=True)
    address = f"/compare/freeze?{query(*two)}"
    for origin in ("https://other.example", "null"):
        assert client.post(address, headers={"Origin": origin}).status_code == 403
    assert not ComputedBoard.objects.frozen().exists()
    assert client.post(address, headers={"Origin": "http://testserver"}).status_code == 302
