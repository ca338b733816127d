"""Owners' actions: edit the details, choose the ranked entry, offer the file, delete."""

from __future__ import annotations

from typing import Any

from django.test import Client

from benchmark import storage
from benchmark.submissions.models import Submission
from benchmark.submissions.states import State
from tests.benchmark.conftest import Browser, Make
from tests.benchmark.people_accounts import browser_of, person

DETAILS = {"name": "renamed", "track": "other", "visibility": "public"}


def stored(row: Submission) -> Submission:
    row.file_key = storage.upload_key(row.pk)
    storage.path_of(row.file_key).write_bytes(b"\x1f\x8bvectors")
    row.save()
    return row


def test_a_new_name_is_the_name_everywhere_at_once(submission: Make, owner: Browser, stranger: Client) -> None:
    row = submission(State.DONE, name="old name")
    assert owner(row).post(f"/s/{row.pk}/edit", DETAILS).status_code == 302
    for path in (f"/r/{row.pk}", f"/s/{row.pk}", "/", "/api/v1/leaderboard", f"/api/v1/submissions/{row.pk}"):
        page = stranger.get(path).content.decode()
        assert "renamed" in page, path
        assert "old name" not in page, path


def test_editing_keeps_columns_that_a_worker_wrote(submission: Make, owner: Browser) -> None:
    row = submission(State.RUNNING)
    client = owner(row)
    client.get(f"/s/{row.pk}/edit")
    Submission.objects.filter(pk=row.pk).update(state=State.DONE, overall=0.5)
    client.post(f"/s/{row.pk}/edit", DETAILS)
    row.refresh_from_db()
    assert (row.state, row.overall, row.name) == (State.DONE, 0.5, "renamed")


def test_language_and_file_cannot_be_edited(submission: Make, owner: Browser) -> None:
    row = submission(State.DONE, original_name="a.gz")
    owner(row).post(f"/s/{row.pk}/edit", DETAILS | {"language": "de", "original_name": "b.gz", "state": "failed"})
    row.refresh_from_db()
    assert (row.language, row.original_name, row.state) == ("en", "a.gz", State.DONE)


def test_an_error_stands_at_its_field_and_the_old_name_above(submission: Make, owner: Browser) -> None:
    row = submission(State.DONE, name="old name")
    response = owner(row).post(f"/s/{row.pk}/edit", DETAILS | {"name": ""})
    assert response.status_code == 400
    assert "The name is missing" in response.content.decode()
    assert "old name" in response.content.decode()


def test_my_submissions_has_only_own_entries(submission: Make) -> None:
    ada = person("ada")
    submission(State.DONE, owner=ada, name="of ada", visibility="private")
    submission(State.DONE, owner=person("eve"), name="of eve")
    submission(State.DONE, name="of nobody")
    page = browser_of(ada).get("/mine").content.decode()
    assert "of ada" in page
    assert "of eve" not in page
    assert "of nobody" not in page


def test_a_choice_of_the_ranked_entry_holds_for_the_suite_and_for_later_entries(submission: Make) -> None:
    ada = person("ada")
    first, second = (submission(State.DONE, owner=ada) for _ in range(2))
    elsewhere = submission(State.DONE, owner=ada, suite="open-2026")
    foreign = submission(State.DONE)
    client = browser_of(ada)
    client.post(f"/s/{first.pk}/rank")
    ranked = set(Submission.objects.filter(ranked=True))
    assert ranked == {first, elsewhere, foreign}
    client.post(f"/s/{second.pk}/rank-all")
    assert Submission.objects.filter(ranked=True).count() == 4


def test_a_later_file_is_not_ranked_once_one_was_chosen(submission: Make, vector_file: Any) -> None:
    from io import BytesIO

    ada = person("ada")
    first, _ = (submission(State.DONE, owner=ada) for _ in range(2))
    client = browser_of(ada)
    client.post(f"/s/{first.pk}/rank")
    client.post("/submit", {"name": "later", "file": BytesIO(vector_file.read_bytes())})
    assert Submission.objects.get(name="later").ranked is False


def test_a_file_is_offered_to_all_only_when_its_owner_says_so(
    submission: Make, owner: Browser, stranger: Client
) -> None:
    row = stored(submission(State.DONE))
    assert stranger.get(f"/s/{row.pk}/vectors").status_code == 404
    owner(row).post(f"/s/{row.pk}/edit", DETAILS | {"offers_download": "on", "licence": "CC0"})
    assert f'href="/s/{row.pk}/vectors"' in stranger.get(f"/r/{row.pk}").content.decode()
    response = stranger.get(f"/s/{row.pk}/vectors")
    assert b"".join(response.streaming_content) == b"\x1f\x8bvectors"
    assert response["Content-Disposition"] == f'attachment; filename="renamed-{row.pk}.gz"'


def test_an_owner_always_gets_the_own_file(submission: Make, owner: Browser) -> None:
    row = stored(submission(State.DONE, visibility="private"))
    assert owner(row).get(f"/s/{row.pk}/vectors").status_code == 200


def test_without_an_account_my_submissions_are_those_of_this_browser(submission: Make, owner: Browser) -> None:
    mine, other = submission(name="sent from here"), submission(name="of another", owner_token_hash="0" * 64)
    page = owner(mine).get("/mine").content.decode()
    assert "sent from here" in page
    assert f"/s/{other.pk}" not in page


def test_a_browser_that_sent_nothing_is_asked_to_sign_in(submission: Make, stranger: Client) -> None:
    submission()
    assert stranger.get("/mine").url == "/account/login/?next=/mine"


def test_a_wrong_secret_lists_nothing(submission: Make, other: Browser) -> None:
    row = submission(name="not for you")
    assert "not for you" not in other(row).get("/mine").content.decode()
