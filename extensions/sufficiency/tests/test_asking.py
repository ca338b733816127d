"""A corpus is sent on a page, and its report has an owner, an address and an end."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmark import storage
from benchmark.operations import fair_queue
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.sufficiency.models import CorpusReport
from extensions.sufficiency.tests import made_report
from extensions.sufficiency.tests.conftest import CORPUS, Send, stored
from extensions.texts.models import TextsState

pytestmark = pytest.mark.django_db


def address_of(row: CorpusReport) -> str:
    return f"/find/suffices/{row.pk}"


@pytest.fixture
def sent(send: Send) -> tuple[Client, CorpusReport]:
    """A browser that sent a corpus, and the report."""
    visitor = Client()
    assert send(visitor, group_by="speaker", cues="cat, dog dog").status_code == 302
    return visitor, CorpusReport.objects.get()


def finish(row: CorpusReport, commit: Any, **columns: Any) -> None:
    with commit(execute=True):
        assert CorpusReport.end(row.pk, TextsState.DONE, report=made_report())
    row.refresh_from_db()


@pytest.mark.parametrize(
    ("path", "command"), [("/find/suffices", "suffices CORPUS --pretrained"), ("/find/own", "own DATA")]
)
def test_where_vectors_are_missing_the_page_says_how_to_get_some(
    path: str, command: str, submission: Any, stranger: Client
) -> None:
    submission(vectors_sha256="a" * 64, file_key="")
    page = stranger.get(path).content.decode()
    assert "No vectors are on this site yet" in page
    assert page.count(f"python -m tasks {command} glove.txt.gz") == 1
    assert page.index('href="/submit"', page.index("<h1>")) < page.index('id="texts"')


def test_the_baseline_can_be_measured_without_a_file_and_is_ticked(submission: Any, stranger: Client) -> None:
    row = submission(is_baseline=True, vectors_sha256="a" * 64, file_key="")
    page = stranger.get("/find/suffices").content.decode()
    assert re.search(rf'value="{row.pk}" form="send" checked', page)
    assert "No vectors are on this site yet" not in page


def test_a_corpus_waits_behind_every_file_of_the_board(sent: tuple[Client, CorpusReport]) -> None:
    visitor, row = sent
    job = Job.objects.get(kind="suffices")
    assert (job.subject, job.level, bool(job.payer)) == (row.pk, fair_queue.ASKED, True)
    assert (row.cues, row.group_by, row.text_field, row.title) == (["cat", "dog"], "speaker", "text", "speeches")
    assert stored() == [row.file_key]
    page = visitor.get(address_of(row)).content.decode()
    assert "It is the next one." in page


@pytest.mark.parametrize(
    ("content", "name", "fields", "code"),
    [
        (b"", "a.txt", {}, "The file is empty"),
        (
            CORPUS,
            "a.jsonl",
            {"cues": " ".join(f"w{n}" for n in range(101))},
            "The list has 101 cues; the limit is 100.",
        ),
        (CORPUS, "a.jsonl", {"language": "klingon"}, "Unknown language klingon"),
        (CORPUS, "a.jsonl", {"text_field": "x" * 61}, "Text field: at most 60 characters."),
        (CORPUS, "a.jsonl", {"e": []}, "Choose at least one entry"),
    ],
)
def test_what_cannot_be_measured_is_refused_at_its_field(
    send: Send, stranger: Client, content: bytes, name: str, fields: Any, code: str
) -> None:
    answer = send(stranger, content, name, **fields)
    assert answer.status_code == 400
    assert code in answer.content.decode()
    assert not CorpusReport.objects.exists()
    assert stored() == []


@pytest.mark.parametrize(
    ("path", "setting"), [("/find/suffices", "VECBOARD_MAX_CORPUS_BYTES"), ("/find/own", "VECBOARD_MAX_OWN_BYTES")]
)
def test_texts_that_are_too_large_are_refused_before_and_after_they_arrived(
    entry: Submission, stranger: Client, settings: Any, path: str, setting: str
) -> None:
    setattr(settings, setting, 50)
    for reserve, status, message in (
        (settings.DATA_UPLOAD_MAX_MEMORY_SIZE, 400, "the limit is"),
        (0, 413, "larger than"),
    ):
        settings.DATA_UPLOAD_MAX_MEMORY_SIZE = reserve
        answer = stranger.post(path, {"e": [entry.pk], "file": SimpleUploadedFile("a.jsonl", CORPUS)})
        assert (answer.status_code, f"{message} 50 bytes" in answer.content.decode()) == (status, True)
    assert (stored(), list(storage.keys("own"))) == ([], [])


@pytest.mark.parametrize("columns", [{"visibility": "private"}, {"file_key": ""}])
def test_an_entry_must_be_public_and_have_vectors(
    entry: Submission, send: Send, owner: Any, columns: dict[str, str]
) -> None:
    Submission.objects.filter(pk=entry.pk).update(**columns)
    answer = send(owner(entry))
    assert answer.status_code == 400
    assert not CorpusReport.objects.exists()


def test_one_person_has_one_corpus_at_a_time(sent: tuple[Client, CorpusReport], send: Send) -> None:
    assert send(sent[0]).status_code == 429
    assert CorpusReport.objects.count() == 1


@pytest.mark.parametrize(("code", "status"), [("few-groups", 302), ("too-slow", 429), ("too-much-memory", 429)])
def test_a_day_has_a_limit_which_a_refused_corpus_uses_only_by_its_time_or_memory(
    send: Send, stranger: Client, settings: Any, code: str, status: int
) -> None:
    settings.VECBOARD_CORPORA_PER_DAY = 1
    cache.clear()
    send(stranger)
    row = CorpusReport.objects.get()
    Job.objects.all().delete()
    assert send(stranger).status_code == 429
    error: dict[str, str | int] = {"code": code, "message": "It has no text.", "field": "text_field"}
    CorpusReport.end(row.pk, TextsState.REFUSED, error=error)
    assert send(stranger).status_code == status


def test_a_refused_corpus_leads_back_to_the_form_with_its_error_at_the_field(sent: tuple[Client, CorpusReport]) -> None:
    visitor, row = sent
    CorpusReport.end(
        row.pk, TextsState.REFUSED, error={"code": "x", "message": "No such column.", "field": "text_field"}
    )
    again = f"/find/suffices?again={row.pk}&e={row.entries[0]}"
    assert "No such column." in visitor.get(address_of(row)).content.decode()
    page = visitor.get(again).content.decode()
    assert '<p class="error" id="text_field-error">No such column.' in page
    assert "cat, dog" in page
    for stranger_sees in (Client().get(address_of(row)), Client().get(again)):
        assert "No such column." not in stranger_sees.content.decode()


def test_the_corpus_is_deleted_with_the_report_there(
    sent: tuple[Client, CorpusReport], django_capture_on_commit_callbacks: Any
) -> None:
    _, row = sent
    finish(row, django_capture_on_commit_callbacks)
    assert (stored(), row.file_key) == ([], "")


def test_a_kept_corpus_is_its_owners_until_it_is_deleted(send: Send, django_capture_on_commit_callbacks: Any) -> None:
    visitor = Client()
    send(visitor, keeps_corpus="on")
    row = CorpusReport.objects.get()
    finish(row, django_capture_on_commit_callbacks)
    address = f"{address_of(row)}/corpus"
    assert b"".join(visitor.get(address).streaming_content) == CORPUS
    assert Client().get(address).status_code == 404
    with django_capture_on_commit_callbacks(execute=True):
        visitor.post(f"{address_of(row)}/forget")
    assert (visitor.get(address).status_code, stored()) == (404, [])
    assert visitor.get(address_of(row)).status_code == 200


def test_who_knows_the_address_reads_the_report_and_nothing_else(
    sent: tuple[Client, CorpusReport], django_capture_on_commit_callbacks: Any
) -> None:
    visitor, row = sent
    finish(row, django_capture_on_commit_callbacks)
    wrong = Client()
    wrong.cookies[row.cookie_name(row.pk)] = "x" * 32
    for client in (Client(), wrong):
        page = client.get(address_of(row))
        assert "GloVe suffices for speeches" in page.content.decode()
        assert "Delete permanently" not in page.content.decode()
        assert page["Cache-Control"] == "private, no-store"
        for action in ("cancel", "forget", "delete"):
            assert client.post(f"{address_of(row)}/{action}").status_code == 404
    assert "Delete permanently" in visitor.get(address_of(row)).content.decode()


def test_downloads_are_the_stored_report(
    sent: tuple[Client, CorpusReport], django_capture_on_commit_callbacks: Any
) -> None:
    _, row = sent
    assert Client().get(f"{address_of(row)}.json").status_code == 404
    finish(row, django_capture_on_commit_callbacks)
    assert Client().get(f"{address_of(row)}.json").json() == row.report
    lines = Client().get(f"{address_of(row)}.csv").content.decode().splitlines()
    assert lines[1].startswith("word0,1,40,glove,0.7,-0.05,,")
    assert len(lines) == 1 + 60 * 3


@pytest.mark.parametrize(("path", "read_by_all"), [("/api/v1/suffices", 200), ("/api/v1/own", 404)])
def test_programs_send_read_and_delete_with_a_secret(entry: Submission, path: str, read_by_all: int) -> None:
    answer = Client().post(path, {"e": [entry.pk], "file": SimpleUploadedFile("speeches.jsonl", CORPUS)})
    assert answer.status_code == 202
    address, secret = f"{path}/{answer.json()['id']}", {"Authorization": f"Bearer {answer.json()['token']}"}
    assert Client().get(address, headers=secret).json()["state"] == "waiting"
    assert (Client().get(address).status_code, Client().delete(address).status_code) == (read_by_all, 404)
    unknown = Client().get(address, {"invented-name": "1"}, headers=secret)
    assert (unknown.status_code, "invented-name" in unknown.json()["error"]["message"]) == (400, True)
    assert Client().delete(address, headers=secret).status_code == 204
    assert Client().get(address, headers=secret).status_code == 404
    refused = Client().post(path, {"e": [entry.pk]})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "no-file")


@pytest.mark.parametrize(
    "rest", ["", "?again=aaaaaaaaaaaa", "/aaaaaaaaaaaa", "/aaaaaaaaaaaa.json", "/aaaaaaaaaaaa/owner/x"]
)
@pytest.mark.parametrize("name", ["own", "suffices"])
def test_old_addresses_lead_to_the_same_page(stranger: Client, name: str, rest: str) -> None:
    response = stranger.get(f"/{name}{rest}")
    assert (response.status_code, response["Location"]) == (301, f"/find/{name}{rest}")
