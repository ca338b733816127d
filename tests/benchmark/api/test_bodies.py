"""Bodies of requests: what the site would ignore is refused with the nearest name, and nothing is created."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmark.api.api import api
from benchmark.submissions.models import Submission
from extensions.claim.models import MeasuredClaim
from extensions.front.models import SmallerVectors
from extensions.own.models import OwnTexts
from extensions.sufficiency.models import CorpusReport
from extensions.sufficiency.tests.conftest import CORPUS, entry
from tests.benchmark.conftest import Make
from tests.benchmark.reports import TOKEN

__all__ = ["entry"]
pytestmark = pytest.mark.django_db
NEW: dict[str, Any] = {"name": "small", "files": [{"name": "small.gz", "bytes": 1000}]}


def refusal(answer: Any) -> tuple[int, str, str]:
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["field"]


@pytest.mark.parametrize(
    ("form", "code", "field", "sentence"),
    [
        ({"visibilty": "private"}, "unknown-field", "visibilty", "did you mean “visibility”?"),
        ({"private": "yes"}, "unknown-field", "private", "The fields are"),
        ({"visibility": ["private", "public"]}, "given-twice", "visibility", "more than once"),
        ({"window": "true"}, "invalid", "window", "whole number"),
    ],
)
def test_a_form_with_more_than_the_site_reads_is_refused(
    stranger: Client, vector_file: Path, form: dict[str, Any], code: str, field: str, sentence: str
) -> None:
    file = SimpleUploadedFile("small.txt.gz", vector_file.read_bytes())
    answer = stranger.post("/api/v1/submissions", {"name": "small", "file": file} | form)
    assert refusal(answer) == (400, code, field)
    assert sentence in answer.json()["error"]["message"]
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    ("body", "code", "field", "sentence"),
    [
        (NEW | {"visibilty": "private"}, "unknown-field", "visibilty", "did you mean “visibility”?"),
        (NEW | {"colour": "red"}, "unknown-field", "colour", "The fields are"),
        (NEW | {"files": [NEW["files"][0] | {"byte": 1}]}, "unknown-field", "byte", "The fields are name, bytes."),
        (NEW | {"window": True}, "invalid", "window", "valid integer"),
        (NEW | {"window": "5"}, "invalid", "window", "valid integer"),
        (NEW | {"loss": False}, "invalid", "loss", "valid number"),
        (NEW | {"files": [{"name": "small.gz", "bytes": True}]}, "invalid", "bytes", "valid integer"),
    ],
)
def test_json_with_more_than_the_site_reads_is_refused(
    stranger: Client, body: dict[str, Any], code: str, field: str, sentence: str
) -> None:
    answer = stranger.post("/api/v1/uploads", json.dumps(body), content_type="application/json")
    assert refusal(answer) == (400, code, field)
    assert sentence in answer.json()["error"]["message"]
    assert not Submission.objects.exists()


def test_a_field_that_json_names_twice_is_refused(stranger: Client) -> None:
    body = json.dumps(NEW)[:-1] + ', "visibility": "private", "visibility": "public"}'
    answer = stranger.post("/api/v1/uploads", body, content_type="application/json")
    assert refusal(answer) == (400, "given-twice", "visibility")
    assert not Submission.objects.exists()


def test_every_field_of_the_description_is_taken(stranger: Client) -> None:
    more = {"window": 5, "iterations": 3, "loss": 2, "training_minutes": 1.5, "tokens": None, "visibility": "private"}
    answer = stranger.post("/api/v1/uploads", json.dumps(NEW | more), content_type="application/json")
    assert answer.status_code == 201
    row = Submission.objects.get()
    assert (row.window, row.iterations, row.loss, row.training_minutes, row.tokens) == (5, 3, 2.0, 1.5, None)
    assert row.visibility == "private"


def test_a_correction_with_another_field_changes_nothing(submission: Make, stranger: Client) -> None:
    row = submission()
    place, owner = f"/api/v1/submissions/{row.pk}/language", {"Authorization": f"Bearer {TOKEN}"}
    body = json.dumps({"language": "de", "languag": "fr"})
    answer = stranger.post(place, body, content_type="application/json", headers=owner)
    assert refusal(answer) == (400, "unknown-field", "languag")
    assert "did you mean “language”?" in answer.json()["error"]["message"]
    row.refresh_from_db()
    assert row.language == "en"


@pytest.mark.parametrize("address", ["own", "suffices", "front", "claim"])
@pytest.mark.parametrize(
    ("query", "form", "code", "field"),
    [
        ("", {"titel": "Speeches"}, "unknown-field", "titel"),
        ("", {"title": ["Speeches", "Others"]}, "given-twice", "title"),
        ("?title=Speeches", {}, "unknown-parameter", "title"),
    ],
)
def test_texts_with_more_than_the_site_reads_are_refused(
    address: str, entry: Submission, query: str, form: dict[str, Any], code: str, field: str
) -> None:
    file = SimpleUploadedFile("speeches.jsonl", CORPUS)
    answer = Client().post(f"/api/v1/{address}{query}", {"e": [entry.pk], "file": file} | form)
    assert refusal(answer) == (400, code, field)
    assert not any(model.objects.exists() for model in (OwnTexts, CorpusReport, SmallerVectors, MeasuredClaim))


def test_the_description_allows_no_other_fields() -> None:
    types = api.get_openapi_schema()["components"]["schemas"]
    assert all(types[name]["additionalProperties"] is False for name in ("NewUpload", "AnnouncedFile", "LanguageBody"))


def test_head_is_answered_as_get(submission: Make, stranger: Client) -> None:
    row = submission()
    paths = [path for path, methods in api.get_openapi_schema()["paths"].items() if "get" in methods]
    assert len(paths) > 10
    for path in ("/api/v1/", "/api/v1/openapi.json", "/api/v1/nothing", *paths):
        place = path.format(submission_id=row.pk, upload_id=row.pk, report_id=row.pk)
        got, headed = stranger.get(place), stranger.head(place)
        assert headed.status_code == got.status_code, place
        assert headed.headers.keys() == got.headers.keys(), place
