"""A claim and its corpus are sent on a page; the owner alone sees the answer."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmark import storage
from benchmark.operations.models import Job
from benchmark.submissions.models import Submission
from extensions.claim.models import MeasuredClaim
from extensions.claim.tests import made_report
from extensions.sufficiency.tests.conftest import entry
from extensions.texts.models import TextsState
from tests.benchmark.people_accounts import browser_of, person

__all__ = ["entry"]
pytestmark = pytest.mark.django_db
FORM = "/find/claim"
SECRET = "quixotic"
CORPUS = f"text,party,who\nshe said {SECRET} things,D,ada\nhe left,R,ben\n".encode()
CLAIM = {
    "kind": "association",
    "targets_x": "she, mother, maid",
    "targets_y": "he; father",
    "attributes_a": "home family",
    "attributes_b": "office",
}
Done = tuple[Client, MeasuredClaim]


def post(visitor: Client, **fields: Any) -> Any:
    return visitor.post(FORM, {"file": SimpleUploadedFile(f"{SECRET}.csv", CORPUS)} | CLAIM | fields)


@pytest.fixture
def done(stranger: Client, django_capture_on_commit_callbacks: Any) -> Done:
    """A browser with a finished report."""
    assert post(stranger, by="party", group_by="who").status_code == 302
    row = MeasuredClaim.objects.get()
    with django_capture_on_commit_callbacks(execute=True):
        assert MeasuredClaim.end(row.pk, TextsState.DONE, report=made_report())
    Job.objects.all().delete()
    row.refresh_from_db()
    return stranger, row


def test_a_row_of_study_texts_leads_to_a_form_in_which_nothing_is_ticked(entry: Submission, stranger: Client) -> None:
    assert f'href="{FORM}"' in stranger.get("/study").content.decode()
    page = stranger.get(FORM).content.decode()
    assert f'name="e" value="{entry.pk}" form="send">' in page
    assert "at most 5,000,000 words</dd>" in page
    assert "at most 100,000,000 words in all models: with the 99 models below, 1,010,101 words of text" in page
    assert "may quote values of records that were left out" in page
    assert re.search(r'value="association" [^>]*checked', page)
    assert '<a href="/study" aria-current="true">Study texts</a>' in page


def test_a_claim_is_stored_with_its_lists_groups_and_plan(stranger: Client) -> None:
    sent = post(stranger, by="party", at="1980", windows="2, 5", dimensions="50", samples="8", words="not of this kind")
    assert sent.status_code == 302
    row = MeasuredClaim.objects.get()
    assert row.lists == [["she", "mother", "maid"], ["he", "father"], ["home", "family"], ["office"]]
    assert (row.kind, row.by, row.at, row.between, row.entries) == ("association", "party", 1980, "", [])
    assert (row.windows, row.dimensions, row.samples, row.minimum_count) == ([2, 5], [50], 8, 10)
    page = stranger.get(f"{FORM}/{row.pk}").content.decode()
    assert "18 models: of the whole corpus and 8 samples, windows 2, 5; 50 dimensions" in page
    assert "trained on the corpus" in page
    expected = f"claim {SECRET}.csv --association she,mother,maid he,father home,family office, --windows 2,5"
    assert expected in row.command
    assert row.command.endswith("--dimensions 50 --samples 8 --by party --at 1980.0")


@pytest.mark.parametrize("fields", [{}, {"kind": "groups", "word": "tax", "by": "party"}])
def test_a_plan_is_that_of_the_command_by_default(stranger: Client, fields: dict[str, str]) -> None:
    assert post(stranger, **fields).status_code == 302
    row = MeasuredClaim.objects.get()
    assert (row.windows, row.dimensions, row.samples, row.models_of_plan) == ([2, 5, 10], [50, 100, 200], 32, 99)
    assert "--windows" not in row.command


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": ""}, "Choose the kind of claim."),
        ({"kind": "sympathy"}, "“sympathy” isn’t a kind of claim; the kinds are association, axis,"),
        ({"targets_y": " , "}, "Write words, separated by commas or spaces."),
        ({"kind": "nearest", "word": "climate change", "near_it": "crisis"}, "Write one word."),
        ({"kind": "drift", "word": "tax"}, "Name the field that tells the two groups or periods."),
        ({"at": "1980"}, "Name the field that tells the two groups or periods."),
        ({"by": "year", "at": "nan"}, "At: write a number, such as 1980."),
        ({"targets_x": " ".join(f"w{i}" for i in range(97))}, "The lists have 102 words; the limit is 100."),
        ({"windows": "2, 50"}, "Write at most 5 whole numbers from 1 to 15, such as 2, 5, 10."),
        ({"windows": "1 2 3 4 5 6"}, "Write at most 5 whole numbers"),
        ({"dimensions": "all"}, "Write at most 5 whole numbers from 2 to 300, such as 50, 100, 200."),
        ({"samples": "1"}, "greater than or equal to 2"),
        ({"samples": "1000"}, "less than or equal to 100"),
        ({"minimum_count": "0"}, "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_measured_is_refused_at_its_field(
    stranger: Client, fields: dict[str, str], message: str
) -> None:
    answer = post(stranger, **fields)
    assert answer.status_code == 400
    assert message in answer.content.decode()
    assert (MeasuredClaim.objects.count(), list(storage.keys("claims"))) == (0, [])


def test_a_plan_with_too_many_analyses_is_refused_with_what_to_lower(entry: Submission, stranger: Client) -> None:
    listed = " ".join(f"w{i}" for i in range(95))
    plan = {"windows": "2,3", "dimensions": "50,60,70", "samples": "61", "targets_x": listed}
    # 124 models × 3 dimensions × (1 + 100 words) = 37,572; an entry more has 50,096
    answer = post(stranger, **plan, e=[entry.pk])
    assert answer.status_code == 400
    assert "up to 50,096 analyses; the limit here is 50,000. Lower the samples" in answer.content.decode()
    assert MeasuredClaim.objects.count() == 0
    assert post(stranger, **plan).status_code == 302


def test_no_word_is_read_as_the_name_of_a_file_or_list(stranger: Client) -> None:
    post(stranger, kind="nearest", word="government", near_it="state")
    row = MeasuredClaim.objects.get()
    assert row.lists == [["government"], ["state"]]
    assert "--nearest government state," in row.command


def test_a_claim_shares_the_limits_of_other_texts_and_a_refused_one_returns_to_its_form(
    entry: Submission, stranger: Client
) -> None:
    post(stranger, e=[entry.pk], by="party", windows="2,5")
    assert post(stranger).status_code == 429
    row = MeasuredClaim.objects.get()
    assert row.entries == [entry.pk]
    error: dict[str, str | int] = {"code": "x", "message": "Too rare.", "field": "lists"}
    MeasuredClaim.end(row.pk, TextsState.REFUSED, error=error)
    page = stranger.get(f"{FORM}?again={row.pk}&e={entry.pk}").content.decode()
    for typed in ("she, mother, maid", "office", "2, 5", "party", "Too rare."):
        assert typed in page


def test_nobody_else_learns_of_the_report(done: Done) -> None:
    visitor, row = done
    places = ["", ".json", ".csv", "/cancel", "/forget", "/delete"]
    for client in (Client(), browser_of(person("operator", is_staff=True))):
        assert {client.get(f"{FORM}/{row.pk}{place}").status_code for place in places} == {404}
        assert client.delete(f"/api/v1/claim/{row.pk}").status_code == 404
    assert {visitor.get(f"{FORM}/{row.pk}{place}").status_code for place in places} == {200}


def test_the_report_has_the_answer_then_the_curve_then_p_then_the_command(done: Done) -> None:
    visitor, row = done
    page = visitor.get(f"{FORM}/{row.pk}").content.decode()
    parts = [
        "<h1>The finding isn’t shown</h1>",
        "In 92 of 108 analyses (18 models) the sign is the same.",
        'aria-labelledby="claim-title claim-desc"',
        "p = 0.2250",
        "Target words dealt at random to the two lists give as much in 22.5 % of the deals.",
        "Too rare in the corpus: maid.",
        "1 left out: Line 3.",
        f"python -m tasks claim {SECRET}.csv --association",
    ]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert "It says nothing about other documents" in page


def test_the_form_lists_own_reports_without_reading_them(done: Done) -> None:
    visitor, row = done
    with CaptureQueriesContext(connection) as queries:
        page = visitor.get(FORM).content.decode()
    assert f"{FORM}/{row.pk}" in page
    listed = [query["sql"] for query in queries if f'FROM "{row._meta.db_table}"' in query["sql"]]
    assert listed
    assert not [sql for sql in listed if '"report"' in sql]


def test_downloads_are_the_stored_report(done: Done) -> None:
    visitor, row = done
    assert visitor.get(f"{FORM}/{row.pk}.json").json() == row.report
    head, *lines = visitor.get(f"{FORM}/{row.pk}.csv").content.decode().splitlines()
    assert (head, len(lines)) == ("start,window,dimensions,sample,without,effect", 108)


def test_the_corpus_is_deleted_with_the_report_there(done: Done) -> None:
    assert (list(storage.keys("claims")), done[1].file_key) == ([], "")
    assert visitor_sees_no_corpus(*done)


def visitor_sees_no_corpus(visitor: Client, row: MeasuredClaim) -> bool:
    page = visitor.get(f"{FORM}/{row.pk}").content.decode()
    return "Delete the corpus now" not in page and visitor.get(f"{FORM}/{row.pk}/corpus").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_backup_has_neither_corpus_nor_report(done: Done, tmp_path: Any) -> None:
    storage.path_of("uploads/ab/kept.gz").write_bytes(b"vectors")
    call_command("backup", tmp_path / "backups")
    files = [path for path in (tmp_path / "backups").rglob("*") if path.is_file()]
    assert "kept.gz" in {path.name for path in files}
    content = b"".join(path.read_bytes() for path in files)
    assert (SECRET.encode() in content, done[1].pk.encode() in content) == (False, False)
