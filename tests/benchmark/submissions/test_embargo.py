"""An embargo: an entry becomes public by itself at its date, to the second and never before."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from benchmark.features import features
from benchmark.submissions import steering
from benchmark.submissions.forms import DetailsForm
from benchmark.submissions.models import Submission
from tests.benchmark.conftest import Browser, Make
from tests.benchmark.people_accounts import browser_of, person
from tests.benchmark.test_visibility import WRITTEN, everything

END = datetime(2031, 3, 1, 12, 30, tzinfo=UTC)
SECOND = timedelta(seconds=1)
DETAILS = {"name": "Mine", "track": "other", "visibility": "private"}


def listed(client: Client) -> list[str]:
    return [entry["name"] for entry in client.get("/api/v1/leaderboard").json()["entries"]]


@pytest.mark.parametrize("visibility", ["private", "unlisted", "anonymous"])
def test_an_entry_is_public_from_its_date_on_and_not_a_second_before(
    submission: Make, stranger: Client, visibility: str
) -> None:
    with time_machine.travel(END - SECOND, tick=False) as clock:
        row = submission(visibility=visibility, public_from=END, owner=person("ada"), **WRITTEN)
        shown = visibility == "anonymous"
        assert stranger.get(f"/r/{row.pk}").status_code == (404 if visibility == "private" else 200)
        assert listed(stranger) == [f"Anonymous entry {row.pk[:4]}"] * shown
        assert (row.pk in stranger.get("/").content.decode()) == shown
        assert row.pk not in stranger.get("/?q=Zanzibar").content.decode()
        assert "Zanzibar" not in stranger.get("/?sort=name").content.decode()
        clock.move_to(END)
        assert "Zanzibar" in stranger.get(f"/r/{row.pk}").content.decode()
        assert listed(stranger) == ["Zanzibar embeddings"]
        for address in ("/", "/?q=Zanzibar", "/?owner=ada", "/?sort=name"):  # three are cached
            assert "Zanzibar embeddings" in stranger.get(address).content.decode(), address


@pytest.mark.parametrize("visibility", ["private", "unlisted"])
def test_nothing_reveals_an_entry_before_its_date(submission: Make, visibility: str) -> None:
    row = submission(visibility=visibility, public_from=timezone.now() + timedelta(days=1), **WRITTEN)
    submission(name="the public one")
    answers = everything(Client(), row)
    about_it = {path for path, content in answers.items() if b"anzibar" in content and "anzibar" not in path}
    assert all(row.pk in path for path in about_it), about_it
    assert not about_it or visibility == "unlisted"


def test_the_date_itself_is_shown_to_the_owner_alone(submission: Make) -> None:
    owner = person("ada")
    row = submission(visibility="anonymous", public_from=END, owner=owner)
    assert "2031-03-01 12:30" in browser_of(owner).get(f"/s/{row.pk}").content.decode()
    for path, content in everything(Client(), row).items():
        assert b"2031-03-01" not in content, path


@pytest.mark.parametrize(
    ("sent", "end"),
    [
        ("2031-03-01", datetime(2031, 3, 1, tzinfo=UTC)),
        ("2031-03-01T12:30", END),
        ("2031-03-01T00:30:00+02:00", datetime(2031, 2, 28, 22, 30, tzinfo=UTC)),
        ("2031-02-28T23:30:00-05:00", datetime(2031, 3, 1, 4, 30, tzinfo=UTC)),
        ("2031-03-01T12:29:00.000001Z", END),
        ("", None),
    ],
)
def test_a_date_is_in_utc_unless_it_has_an_offset_and_is_never_rounded_down(sent: str, end: datetime | None) -> None:
    with time_machine.travel(END - timedelta(days=90), tick=False):
        form = DetailsForm(DETAILS | {"public_from": sent})
        assert form.is_valid(), form.errors
        assert form.cleaned_data["public_from"] == end
        shown = str(DetailsForm(instance=Submission(public_from=end))["public_from"])
        assert (f'value="{end:%Y-%m-%dT%H:%M}"' in shown) if end else ("value" not in shown)


@pytest.mark.parametrize(
    "sent",
    [
        "2031-03-01T12:30", "2031-03-01T12:29", "2036-03-20", "yesterday", "2031-02-30", "9999-12-31T23:59:00-14:00",
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59",
    ],
)  # fmt: skip
def test_a_date_that_has_passed_or_is_none_is_refused_with_a_reason(sent: str) -> None:
    with time_machine.travel(END, tick=False):
        form = DetailsForm(DETAILS | {"public_from": sent})
        assert form.errors.keys() == {"public_from"}


def test_a_public_entry_has_no_date() -> None:
    with time_machine.travel(END - SECOND, tick=False):
        for visibility in ("public", ""):
            form = DetailsForm(DETAILS | {"visibility": visibility, "public_from": "2031-03-02"})
            assert form.errors.keys() == {"public_from"}


def test_the_history_keeps_every_change_and_the_daily_job_ends_embargoes(submission: Make, owner: Browser) -> None:
    with time_machine.travel(END - timedelta(days=1), tick=False) as clock:
        row = submission(visibility="private")
        later = submission(visibility="private", public_from=END + timedelta(days=1))
        client = owner(row)
        client.post(f"/s/{row.pk}/edit", DETAILS | {"public_from": "2031-03-01T12:30"})
        client.post(f"/s/{row.pk}/edit", DETAILS | {"public_from": "2031-03-01T12:30", "description": "x"})
        clock.move_to(END)
        for feature in features():
            if feature.label == "submissions":
                feature.tidy()
        row.refresh_from_db()
        later.refresh_from_db()
        assert (row.visibility, row.public_from) == ("public", None)
        assert (later.visibility, later.visibility_changes) == ("private", None)
        assert row.visibility_changes == [
            {"at": "2031-02-28 12:30:00", "by": "owner", "visibility": "private, public from 2031-03-01 12:30 UTC"},
            {"at": "2031-03-01 12:30:00", "by": "date", "visibility": "public"},
        ]
        assert "2031-03-01 12:30 UTC: public, by its date" in client.get(f"/s/{row.pk}").content.decode()


def test_an_owner_can_make_an_entry_private_again_after_its_date(
    submission: Make, owner: Browser, stranger: Client
) -> None:
    with time_machine.travel(END, tick=False):
        row = submission(visibility="private", public_from=END)
        assert owner(row).post(f"/s/{row.pk}/edit", DETAILS).status_code == 302
        assert stranger.get(f"/r/{row.pk}").status_code == 404
        row.refresh_from_db()
        assert [change["visibility"] for change in row.visibility_changes or []] == ["public", "private"]


def test_a_withdrawn_entry_stays_off_the_site_at_its_date(submission: Make, stranger: Client) -> None:
    with time_machine.travel(END, tick=False):
        row = submission(visibility="private", public_from=END)
        steering.withdraw(row)
        steering.end_embargoes()
        assert stranger.get(f"/r/{row.pk}").status_code == 404
        assert listed(stranger) == []
