"""Choosing entries: which hold vectors, what is ticked beforehand, and what is said if nothing was ticked."""

from __future__ import annotations

import re
from typing import cast

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client

from benchmark.compare import entries
from benchmark.features import Feature
from benchmark.shipped import recipes
from benchmark.shipped.recipes import ShippedVectors
from benchmark.submissions.models import Submission
from tests.benchmark.conftest import Browser, Make
from tests.benchmark.people_accounts import browser_of, person

NEED_VECTORS = ["/compare/heat", "/compare/pair", "/compare/people", "/compare/translate", "/associations"]


@pytest.fixture
def board(submission: Make) -> dict[str, Submission]:
    """Two entries with vectors below two with reports alone."""
    return {
        name: submission(name=name, vectors_sha256=name[0] * 64, file_key=key, shift=shift, dimensions=dimensions)
        for name, key, shift, dimensions in (
            ("first", "", 0.4, 100),
            ("gone", "", 0.3, 100),
            ("kept", "uploads/k.gz", 0.2, 100),
            ("also", "uploads/a.gz", 0.1, 300),
        )
    }


def boxes(page: str) -> dict[str, str]:
    """The attributes of each box by the entry's id."""
    return dict(re.findall(r'<input type="checkbox" name="e" value="(\w+)"([^>]*)>', page))


@pytest.mark.parametrize("path", NEED_VECTORS)
def test_pages_that_need_vectors_offer_and_tick_the_entries_that_hold_them(
    board: dict[str, Submission], stranger: Client, path: str
) -> None:
    page = stranger.get(path).content.decode()
    found = boxes(page)
    assert list(found) == [board["kept"].pk, board["also"].pk]
    ticked = {"/compare/heat": 2, "/compare/pair": 2}.get(path, 1)
    assert [mark.strip() for mark in found.values()] == ["checked"] * ticked + [""] * (2 - ticked)
    assert "2 entries without vectors on this site" in page
    assert "<bdi>gone</bdi>" in page


def test_entries_with_vectors_are_offered_however_low_they_rank(
    board: dict[str, Submission], stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "FOUND", 2)
    monkeypatch.setattr("extensions.associations.views.MOST", 2)
    found = boxes(stranger.get("/associations").content.decode())
    assert set(found) == {board["kept"].pk, board["also"].pk}


def test_where_scores_suffice_every_entry_is_offered_and_those_with_vectors_are_marked(
    board: dict[str, Submission], stranger: Client
) -> None:
    page = stranger.get("/compare").content.decode()
    assert set(boxes(page)) == {row.pk for row in board.values()}
    assert not any("checked" in mark for mark in boxes(page).values())
    assert page.count("with vectors</small>") == 2


def test_shipped_entries_can_be_chosen_though_their_files_are_not_here(
    submission: Make, stranger: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "_read_once", lambda path: dict.fromkeys(("a" * 64, "b" * 64), ShippedVectors("any")))
    shipped = [submission(vectors_sha256=name * 64, file_key="") for name in "ab"]
    submission(vectors_sha256="c" * 64, file_key="")
    assert set(boxes(stranger.get("/compare/pair").content.decode())) == {row.pk for row in shipped}
    Submission.objects.filter(pk=shipped[0].pk).update(vectors_problem="The server does not answer.")
    page = stranger.get("/compare/pair").content.decode()
    assert "2 entries without vectors on this site" in page
    cast(Feature, apps.get_app_config("submissions")).tidy()
    assert len(boxes(stranger.get("/compare/pair").content.decode())) == 2


def test_a_single_entry_with_vectors_is_named_and_not_offered_to_a_page_that_needs_two(
    submission: Make, stranger: Client
) -> None:
    submission(name="gone", vectors_sha256="a" * 64, file_key="")
    kept = submission(name="kept", vectors_sha256="b" * 64, file_key="uploads/b.gz")
    page = stranger.get("/compare/heat").content.decode()
    assert "only <bdi>kept</bdi> has them." in page
    assert 'type="checkbox"' not in page
    page = stranger.get(f"/compare/heat?e={kept.pk}").content.decode()
    assert "none of the others has them" in page
    assert "Choose at least one more" not in page


@pytest.mark.parametrize(
    ("path", "least"),
    [
        ("/compare", "at least two entries"),
        ("/compare/heat", "at least two entries"),
        ("/associations", "at least one entry"),
    ],
)
def test_a_form_without_a_tick_says_at_the_field_what_to_choose(
    board: dict[str, Submission], stranger: Client, path: str, least: str
) -> None:
    assert "Nothing was ticked" not in stranger.get(path).content.decode()
    page = stranger.get(f"{path}?e=").content.decode()
    assert f"Nothing was ticked. Tick {least}." in page
    assert 'aria-describedby="tick-error"' in page
    assert page.index('id="tick-error"') < page.index('class="found"')


def test_an_entry_that_was_chosen_before_stays_and_one_more_is_asked_for(
    board: dict[str, Submission], stranger: Client
) -> None:
    page = stranger.get(f"/compare?e={board['kept'].pk}&e=").content.decode()
    assert "Nothing was ticked. Tick at least one entry." in page
    both = stranger.get(f"/compare?e={board['kept'].pk}&e=&e={board['also'].pk}")
    assert both.status_code == 200
    assert "Nothing was ticked" not in both.content.decode()
    assert "Comparing <strong" in both.content.decode()


def test_a_second_entry_of_other_dimensions_cannot_be_chosen_for_a_translation(
    board: dict[str, Submission], submission: Make, stranger: Client
) -> None:
    same = submission(name="same", vectors_sha256="5" * 64, file_key="uploads/5.gz", dimensions=100)
    found = boxes(stranger.get(f"/compare/translate?e={board['kept'].pk}").content.decode())
    assert "disabled" in found[board["also"].pk]
    assert "checked" in found[same.pk]


@pytest.fixture
def private(board: dict[str, Submission], submission: Make) -> Submission:
    """A measured private entry below all others, and a checked one without a report."""
    columns = {"vectors_sha256": "9" * 64, "file_key": "uploads/p.gz", "visibility": "private", "dimensions": 100}
    submission("running", name="coming", owner=person("eve"), **columns)
    return submission(name="Xanadu", shift=-0.5, owner=person("ada"), **columns)


@pytest.mark.parametrize("address", ["/compare", "/compare/heat", "/associations", "/associations/axes"])
def test_own_private_entries_are_offered_to_their_owner_alone(
    private: Submission, owner: Browser, stranger: Client, address: str
) -> None:
    for browser in (browser_of(private.owner), owner(private)):  # by the account, and by the secret
        response = browser.get(address)
        page = response.content.decode()
        listed = Submission.objects.filter(pk__in=boxes(page), visibility="public")
        assert list(boxes(page)).index(private.pk) == listed.count()
        assert "yours, private" in page
        assert "no-store" in response["Cache-Control"]
        assert "Xanadu" in browser.get(f"{address}?q=xANA").content.decode()
        assert "Xanadu" not in browser.get(f"{address}?q=zzz").content.decode()
    for other in (stranger, browser_of(User.objects.get(username="eve"))):
        for query in ("", "?q=Xanadu"):
            assert private.pk not in other.get(address + query).content.decode()


def test_an_own_entry_without_a_report_is_chosen_for_its_vectors_but_not_for_its_scores(private: Submission) -> None:
    coming, browser = Submission.objects.get(name="coming"), browser_of(User.objects.get(username="eve"))
    page = browser.get("/compare").content.decode()
    assert ("disabled" in boxes(page)[coming.pk], "no report yet" in page) == (True, True)
    page = browser.get("/compare/heat").content.decode()
    assert ("disabled" in boxes(page)[coming.pk], "no report yet" in page) == (False, False)
