"""Vectors are chosen or sent on a page; their owner alone sees the report and downloads the smaller ones."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmark import storage
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.front.models import SmallerVectors
from extensions.front.tests import made_report
from extensions.shared.measure.texts import TextLimits
from extensions.sufficiency.tests.conftest import entry
from extensions.texts.child import MeasureRequest, too_much_memory, too_slow
from extensions.texts.models import TextsState, made_key
from tests.benchmark.people_accounts import browser_of, person

__all__ = ["entry"]
pytestmark = pytest.mark.django_db
FORM = "/find/front"
Done = tuple[Client, SmallerVectors]


def post(visitor: Client, **fields: Any) -> Any:
    return visitor.post(FORM, {"budget": "5"} | fields)


def a_file(content: bytes = b"some vectors") -> SimpleUploadedFile:
    return SimpleUploadedFile("glove.txt", content)


@pytest.fixture
def offered(entry: Submission) -> Submission:
    """An entry whose vectors everybody may download."""
    Submission.objects.filter(pk=entry.pk).update(offers_download=True, licence="CC0")
    return entry


@pytest.fixture
def done(offered: Submission) -> Done:
    """A browser with a finished report and its file."""
    visitor = Client()
    assert post(visitor, e=[offered.pk]).status_code == 302
    return visitor, finished()


def finished(verdict: str = "not inferior") -> SmallerVectors:
    row = SmallerVectors.objects.get()
    assert SmallerVectors.end(row.pk, TextsState.DONE, report=made_report(verdict))
    storage.path_of(made_key(row.file_key)).write_bytes(b"small")
    Job.objects.all().delete()
    row.refresh_from_db()
    return row


def test_the_card_leads_to_a_form_in_which_nothing_is_ticked(offered: Submission, stranger: Client) -> None:
    assert 'href="/find/front"' in stranger.get("/find").content.decode()
    page = stranger.get(FORM).content.decode()
    assert f'name="e" value="{offered.pk}" form="send">' in page
    assert "checked" not in page.split("<fieldset")[1].split("</fieldset>")[0]


def test_only_vectors_that_one_may_download_are_made_smaller(entry: Submission, stranger: Client) -> None:
    assert entry.pk not in stranger.get(FORM).content.decode()
    answer = post(stranger, e=[entry.pk])
    assert (answer.status_code, "offer the vectors for download" in answer.content.decode()) == (400, True)
    ada, eve = person("ada"), person("eve", is_staff=True)
    Submission.objects.filter(pk=entry.pk).update(visibility="private", owner=ada)
    owner, other = browser_of(ada), browser_of(eve)
    assert post(stranger, e=[entry.pk]).status_code == 404
    assert post(other, e=[entry.pk]).status_code == 400
    assert not SmallerVectors.objects.exists()
    assert entry.pk in owner.get(FORM).content.decode()
    assert post(owner, e=[entry.pk]).status_code == 302


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"file": None}, "Tick vectors above or choose a file, one of them."),
        ({"e": True}, "Tick vectors above or choose a file, not both."),
        ({"budget": ""}, "Budget: write a number of megabytes"),
        ({"budget": "nan"}, "Budget: write a number of megabytes"),
        ({"budget": "0"}, "greater than or equal to 0.01"),
        ({"budget": "1e9"}, "less than or equal to 500"),
        ({"margin": "0"}, "greater than or equal to 0.01"),
    ],
)
def test_what_cannot_be_measured_is_refused_at_its_field(
    offered: Submission, stranger: Client, fields: dict[str, Any], message: str
) -> None:
    sent = {"file": a_file()} | fields | ({"e": [offered.pk]} if "e" in fields else {})
    answer = post(stranger, **{name: value for name, value in sent.items() if value is not None})
    assert answer.status_code == 400
    assert message in answer.content.decode()
    assert (SmallerVectors.objects.count(), list(storage.keys("front"))) == (0, [])


def test_a_file_is_stored_until_it_is_cancelled(stranger: Client, django_capture_on_commit_callbacks: Any) -> None:
    assert post(stranger, file=a_file()).status_code == 302
    row = SmallerVectors.objects.get()
    assert [file.key for file in storage.keys("front")] == [row.file_key]
    page = stranger.get(f"{FORM}/{row.pk}").content.decode()
    assert "Waiting: " in page
    assert "glove.txt" in page
    assert post(stranger, file=a_file()).status_code == 429
    with django_capture_on_commit_callbacks(execute=True):
        stranger.post(f"{FORM}/{row.pk}/cancel")
    assert (list(storage.keys("front")), Job.objects.count()) == ([], 0)


def test_nobody_else_learns_of_the_report_or_gets_the_file(done: Done) -> None:
    visitor, row = done
    places = ["", ".json", ".csv", "/file", "/cancel", "/forget", "/delete"]
    for client in (Client(), browser_of(person("operator", is_staff=True))):
        assert {client.get(f"{FORM}/{row.pk}{place}").status_code for place in places} == {404}
        assert client.delete(f"/api/v1/front/{row.pk}").status_code == 404
    assert {visitor.get(f"{FORM}/{row.pk}{place}").status_code for place in places} == {200}


def test_the_report_begins_with_the_answer_and_the_file_is_downloaded_until_it_is_deleted(
    done: Done, django_capture_on_commit_callbacks: Any
) -> None:
    visitor, row = done
    page = visitor.get(f"{FORM}/{row.pk}").content.decode()
    assert "An answer." in page.split("</h1>")[0].split("<h1>")[1]
    assert "10,000 words, 12 d, int4" in page.split('<h2 id="variants">')[1]
    assert f'href="{FORM}/{row.pk}/file"' in page
    file = visitor.get(f"{FORM}/{row.pk}/file")
    assert (b"".join(file.streaming_content), ".npz" in file["Content-Disposition"]) == (b"small", True)
    assert visitor.get(f"{FORM}/{row.pk}.json").json() == row.report
    assert len(visitor.get(f"{FORM}/{row.pk}.csv").content.decode().splitlines()) == 5
    assert row.deleted_on is not None
    with django_capture_on_commit_callbacks(execute=True):
        SmallerVectors.tidy(row.deleted_on + timedelta(hours=1))
    assert list(storage.keys("front")) == []
    assert visitor.get(f"{FORM}/{row.pk}/file").status_code == 404
    assert "An answer." in visitor.get(f"{FORM}/{row.pk}").content.decode()


@pytest.mark.parametrize("verdict", ["inferior", "can't tell"])
def test_what_may_be_worse_is_not_offered(offered: Submission, stranger: Client, verdict: str) -> None:
    post(stranger, e=[offered.pk])
    row = finished(verdict)
    page = stranger.get(f"{FORM}/{row.pk}").content.decode()
    assert "Allow a larger file" in page
    assert "Download the" not in page
    assert stranger.get(f"{FORM}/{row.pk}/file").status_code == 404


def test_warnings_are_on_the_page(done: Done) -> None:
    visitor, row = done
    assert (
        '<p class="notice">The words are in alphabetical order.</p>' in visitor.get(f"{FORM}/{row.pk}").content.decode()
    )
    SmallerVectors.objects.update(report={name: value for name, value in row.report.items() if name != "warnings"})
    assert visitor.get(f"{FORM}/{row.pk}").status_code == 200


def test_a_file_that_is_lost_is_not_found(done: Done) -> None:
    visitor, row = done
    storage.delete(made_key(row.file_key))
    assert visitor.get(f"{FORM}/{row.pk}/file").status_code == 404


def test_the_sent_file_is_deleted_with_the_report_and_the_page_says_so(
    stranger: Client, django_capture_on_commit_callbacks: Any
) -> None:
    assert "The file that you send is deleted as soon as the report is ready" in stranger.get(FORM).content.decode()
    post(stranger, file=a_file())
    row = SmallerVectors.objects.get()
    assert "stored until the report is ready" in stranger.get(f"{FORM}/{row.pk}").content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        finished()
    assert [file.key for file in storage.keys("front")] == [made_key(row.file_key)]
    assert (
        "The file that you sent is deleted. The smaller one is deleted on"
        in stranger.get(f"{FORM}/{row.pk}").content.decode()
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [("budget", "it counts against your daily limit"), ("bad-row", "doesn’t count against your daily limit")],
)
def test_a_refusal_says_whether_it_counts(stranger: Client, error: str, said: str) -> None:
    post(stranger, file=a_file())
    row = SmallerVectors.objects.get()
    SmallerVectors.end(row.pk, TextsState.REFUSED, error={"code": error, "message": "No."})
    assert said in stranger.get(f"{FORM}/{row.pk}").content.decode()


def test_limits_name_measurements(stranger: Client, settings: Any) -> None:
    settings.VECBOARD_CORPORA_PER_DAY = 1
    post(stranger, file=a_file())
    assert "One of your measurements is waiting or running" in post(stranger, file=a_file()).content.decode()
    SmallerVectors.objects.get().cancel()
    assert "You asked for 1 measurement today" in post(stranger, file=a_file()).content.decode()


@pytest.mark.parametrize(
    ("path", "advice", "field"),
    [("vectors.txt", "Send a part of the file", "file"), ("", "Tick smaller vectors", "entries")],
)
def test_too_much_work_is_refused_with_advice_for_what_was_sent(path: str, advice: str, field: str) -> None:
    request = MeasureRequest(path, None, (), TextLimits(1, 0, 2**30, 3600))
    for error in (too_much_memory(request), too_slow(request)):
        assert f"{advice}, or use the command." in error.message
        assert error.field == field
