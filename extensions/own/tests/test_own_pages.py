"""Labelled texts are sent on a page; nobody but their owner sees the report, and they are deleted in time."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from benchmark import storage
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.own.models import OwnTexts
from extensions.own.page import OwnPage
from extensions.own.tests import MARK, made_differing, made_report
from extensions.sufficiency.tests.conftest import entry
from extensions.texts.models import TextsState, made_key
from tasks.errors import InputError
from tests.benchmark.conftest import TOKEN
from tests.benchmark.people_accounts import browser_of, person

__all__ = ["entry"]
pytestmark = pytest.mark.django_db
TEXTS = f"text,label\nthe cat sat on the {MARK},animal\nthe car drove on,thing\n".encode()
FIELDS = {"label_field": "label"}
Sent = tuple[Client, OwnTexts]


def post(visitor: Client, entry: Submission, content: bytes = TEXTS, **fields: Any) -> Any:
    file = SimpleUploadedFile(f"{MARK}-tickets.csv", content)
    return visitor.post("/find/own", {"e": [entry.pk], "file": file} | FIELDS | fields)


@pytest.fixture
def sent(entry: Submission) -> Sent:
    """A browser that sent texts, and the row."""
    visitor = Client()
    assert post(visitor, entry).status_code == 302
    return visitor, OwnTexts.objects.get()


@pytest.fixture
def done(sent: Sent, django_capture_on_commit_callbacks: Any) -> Sent:
    """The same, with the report and what it quotes."""
    visitor, row = sent
    with django_capture_on_commit_callbacks(execute=True):
        assert OwnTexts.end(row.pk, TextsState.DONE, report=made_report())
    storage.path_of(made_key(row.file_key)).write_text(json.dumps(made_differing()))
    Job.objects.all().delete()
    row.refresh_from_db()
    return visitor, row


def stored() -> list[str]:
    return [file.key for file in storage.keys("own")]


def addresses(row: OwnTexts) -> list[str]:
    actions = ("cancel", "forget", "delete")
    pages = ("", ".json", ".csv", *(f"/{action}" for action in actions))
    return [*(f"/find/own/{row.pk}{page}" for page in pages), f"/api/v1/own/{row.pk}"]


@pytest.mark.parametrize("query", ["", "?e={}"])
def test_vectors_and_texts_are_chosen_in_one_form(entry: Submission, stranger: Client, query: str) -> None:
    page = stranger.get(f"/find/own{query}".format(entry.pk)).content.decode()
    assert f'name="e" value="{entry.pk}" form="send" checked' in page
    assert 'name="label_field"' in page.split('id="send"')[1]
    assert "30 days after the report" in page
    assert "not a parameter" not in page


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"margin": "0"}, "greater than or equal to 0.01"),
        ({"margin": "inf"}, "write a number"),
        ({"margin": "much"}, "write a number"),
        ({"label_field": "x" * 61}, "Label field: at most 60 characters."),
        ({"e": []}, "Choose at least one entry"),
    ],
)
def test_what_cannot_be_measured_is_refused_at_its_field(
    entry: Submission, stranger: Client, fields: dict[str, Any], message: str
) -> None:
    answer = post(stranger, entry, **fields)
    assert answer.status_code == 400
    assert message in answer.content.decode()
    assert (OwnTexts.objects.count(), stored()) == (0, [])


def test_corpora_and_labelled_texts_share_one_limit(sent: Sent, entry: Submission) -> None:
    file = SimpleUploadedFile("a.txt", b"some text")
    assert sent[0].post("/find/suffices", {"e": [entry.pk], "file": file}).status_code == 429


def test_a_stranger_learns_at_no_address_that_the_report_exists(done: Sent) -> None:
    visitor, row = done
    wrong, other = Client(), browser_of(person("other"))
    wrong.cookies[row.cookie_name(row.pk)] = "x" * 32
    for client in (Client(), wrong, other, browser_of(person("operator", is_staff=True))):
        for path in addresses(row):
            answer = client.get(path)
            assert answer.status_code == 404, path
            assert MARK not in answer.content.decode(), path
            missing = client.get(path.replace(row.pk, "a" * 12))
            assert missing.content.decode().replace("a" * 12, row.pk) == answer.content.decode(), path
        for action in ("cancel", "forget", "delete"):
            assert client.post(f"/find/own/{row.pk}/{action}").status_code == 404
        assert client.delete(f"/api/v1/own/{row.pk}").status_code == 404
    assert Client().get(f"/find/own/{row.pk}/owner/{'x' * 32}").status_code == 404
    assert row.title not in wrong.get("/find/own").content.decode()
    assert OwnTexts.objects.filter(pk=row.pk).exists()
    assert len(stored()) == 2
    assert visitor.get(f"/find/own/{row.pk}").status_code == 200


def test_the_owner_is_the_browser_the_account_or_the_owner_link(entry: Submission) -> None:
    account = browser_of(person("ada"))
    post(account, entry)
    row = OwnTexts.objects.get()
    token = account.cookies[row.cookie_name(row.pk)].value
    by_link = Client()
    by_link.get(f"/find/own/{row.pk}/owner/{token}")
    again = browser_of(row.owner)
    for client in (account, by_link, again):
        page = client.get(f"/find/own/{row.pk}")
        assert (page.status_code, page["Cache-Control"]) == (200, "private, no-store")
    assert row.title in again.get("/find/own").content.decode()


def test_the_report_begins_with_its_verdict_and_says_when_the_texts_are_deleted(done: Sent) -> None:
    visitor, row = done
    page = visitor.get(f"/find/own/{row.pk}").content.decode()
    assert "1 of 2 sets of vectors is not inferior to words alone" in page
    assert row.deleted_on is not None
    assert f"{row.deleted_on:%Y-%m-%d}" in page
    assert row.deleted_on - row.finished_at == timedelta(days=30)


@pytest.mark.parametrize(
    ("sets", "heading"),
    [
        ((("GloVe", 85.0),), "GloVe is not inferior to words alone"),
        ((("GloVe", 80.0),), "GloVe is inferior to words alone"),
        ((("GloVe", 83.0),), "Can’t tell yet whether GloVe is inferior to words alone"),
        ((("A", 85.0), ("B", 86.0)), "Both sets of vectors are not inferior to words alone"),
        ((("A", 80.0), ("B", 79.0)), "Each of these sets is inferior to words alone"),
        ((("A", 83.0), ("B", 79.0)), "No set is certainly as good as words alone"),
    ],
)
def test_the_heading_is_the_verdict_against_words_alone(sets: Any, heading: str) -> None:
    assert OwnPage(made_report(sets)).heading == heading


def test_the_texts_with_the_largest_differences_are_quoted(done: Sent) -> None:
    page = done[0].get(f"/find/own/{done[1].pk}").content.decode()
    table = page.split('<table class="quoted">')[1].split("</table>")[0]
    assert table.count('<th scope="row">') == 50
    assert "text number 0 " in table.split("</tr>")[1]
    assert (
        f'These are the 50 with the largest differences; <a href="/find/own/{done[1].pk}.csv">the CSV</a> has' in page
    )


def test_downloads_have_the_figures_and_the_texts(done: Sent) -> None:
    visitor, row = done
    found = visitor.get(f"/find/own/{row.pk}.json").json()
    assert found == {"report": row.report, "differing": made_differing()}
    lines = visitor.get(f"/find/own/{row.pk}.csv").content.decode().splitlines()
    assert len(lines) == 61
    assert "'=thing" in lines[1]


def test_delete_now_deletes_the_texts_and_everything_that_quotes_them(
    done: Sent, django_capture_on_commit_callbacks: Any
) -> None:
    visitor, row = done
    assert "The figures stay, for you alone." in visitor.get(f"/find/own/{row.pk}/forget").content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        visitor.post(f"/find/own/{row.pk}/forget")
    assert_forgotten(visitor, row)


def test_the_texts_are_deleted_at_the_stated_time(done: Sent, django_capture_on_commit_callbacks: Any) -> None:
    visitor, row = done
    with django_capture_on_commit_callbacks(execute=True):
        OwnTexts.tidy(row.deleted_on - timedelta(hours=1))
    assert len(stored()) == 2
    with django_capture_on_commit_callbacks(execute=True):
        OwnTexts.tidy(row.deleted_on + timedelta(hours=1))
    assert_forgotten(visitor, row)


def assert_forgotten(visitor: Client, row: OwnTexts) -> None:
    assert stored() == []
    values = OwnTexts.objects.filter(pk=row.pk).values().get()
    assert MARK not in str({name: value for name, value in values.items() if name != "title"})
    page = visitor.get(f"/find/own/{row.pk}").content.decode()
    assert "These texts are deleted." in page
    assert "Delete the file now" not in page
    assert "84.00" in page
    assert visitor.get(f"/find/own/{row.pk}.csv").status_code == 404
    assert visitor.get(f"/find/own/{row.pk}.json").json()["differing"] is None


@pytest.mark.parametrize("action", ["cancel", "delete"])
def test_a_cancelled_or_deleted_measurement_leaves_no_text(
    sent: Sent, action: str, django_capture_on_commit_callbacks: Any
) -> None:
    visitor, row = sent
    assert visitor.get(f"/find/own/{row.pk}/{action}").status_code == 200
    with django_capture_on_commit_callbacks(execute=True):
        visitor.post(f"/find/own/{row.pk}/{action}")
    assert (stored(), Job.objects.count()) == ([], 0)
    assert not OwnTexts.end(row.pk, TextsState.DONE, report=made_report())
    assert visitor.get(f"/find/own/{row.pk}").status_code == (200 if action == "cancel" else 404)


@pytest.mark.django_db(transaction=True)
def test_a_backup_has_neither_texts_nor_figures(done: Sent, tmp_path: Any) -> None:
    storage.path_of("uploads/ab/kept.gz").write_bytes(b"vectors")
    call_command("backup", tmp_path / "backups")
    files = [path for path in (tmp_path / "backups").rglob("*") if path.is_file()]
    assert "kept.gz" in {path.name for path in files}
    content = b"".join(path.read_bytes() for path in files)
    assert (MARK.encode() in content, done[1].pk.encode() in content) == (False, False)


def test_no_page_of_the_operator_shows_the_texts_or_their_title(sent: Sent, client: Client) -> None:
    operator = browser_of(person("root", is_staff=True, is_superuser=True))
    job = Job.objects.get()
    for path in ("/operator/", "/operator/operations/job/", f"/operator/operations/job/{job.pk}/change/", "/metrics"):
        page = operator.get(path)
        assert page.status_code in (200, 302, 404)
        assert MARK not in page.content.decode()


def test_requests_log_neither_texts_nor_titles(
    entry: Submission, caplog: pytest.LogCaptureFixture, django_capture_on_commit_callbacks: Any
) -> None:
    caplog.set_level("DEBUG")
    visitor = Client()
    post(visitor, entry, title=f"About {MARK}")
    post(visitor, entry, title=f"About {MARK}", margin="much")
    row = OwnTexts.objects.get()
    with django_capture_on_commit_callbacks(execute=True):
        visitor.post(f"/find/own/{row.pk}/cancel")
    assert "POST /find/own" in caplog.text
    assert MARK not in caplog.text


def test_a_row_without_a_report_is_forgotten_after_a_month(sent: Sent) -> None:
    _, row = sent
    OwnTexts.end(row.pk, TextsState.REFUSED, error={"code": "x", "message": MARK, "field": "file"})
    OwnTexts.tidy(timezone.now() + timedelta(days=31))
    assert not OwnTexts.objects.exists()


def test_a_private_entry_is_measured_for_its_owners_account_alone(entry: Submission, client: Client) -> None:
    ada, eve = person("ada"), person("eve", is_staff=True)
    Submission.objects.filter(pk=entry.pk).update(visibility="private")
    with_secret = Client()
    with_secret.cookies[Submission.cookie_name(entry.pk)] = TOKEN
    assert entry.pk in with_secret.get("/associations").content.decode()
    assert entry.pk not in with_secret.get("/find/own").content.decode()
    Submission.objects.filter(pk=entry.pk).update(owner=ada)
    owner, other = browser_of(ada), browser_of(eve)
    assert entry.pk in owner.get("/find/own").content.decode()
    assert entry.pk not in other.get("/find/own").content.decode()
    assert post(client, entry).status_code == 404
    assert post(other, entry).status_code == 400
    assert not OwnTexts.objects.exists()
    assert post(owner, entry).status_code == 302
    row = OwnTexts.objects.get()
    assert [seen.pk for seen in row.visible_entries] == [entry.pk]
    for owner_id in (None, eve.pk):
        row.owner_id = owner_id
        with pytest.raises(InputError, match="One of the entries"):
            row.visible_entries  # noqa: B018
    row.owner_id = ada.pk
    Submission.objects.filter(pk=entry.pk).update(deleted_at=timezone.now())
    with pytest.raises(InputError, match="One of the entries"):
        row.visible_entries  # noqa: B018
