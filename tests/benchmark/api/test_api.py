from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from benchmark.api.api import api, parameters_of
from benchmark.api.schema import PARAMETERS, SENTENCES, upload_body
from benchmark.submissions.models import Submission
from benchmark.submissions.states import FINAL, OPEN, State
from tasks.answers import (
    STATES,
)
from tests.benchmark.conftest import Make
from tests.benchmark.reports import TOKEN

API = "/api/v1/submissions"
OWNER = {"Authorization": f"Bearer {TOKEN}"}


def upload(path: Path) -> BytesIO:
    file = BytesIO(path.read_bytes())
    file.name = "small.txt.gz"
    return file


@pytest.mark.django_db
def test_the_root_of_the_api_links_to_its_description(stranger: Client) -> None:
    links = stranger.get("/api/v1/").json()
    assert all(
        stranger.get(links[name]).status_code == 200
        for name in ("documentation", "reference", "openapi", "leaderboard")
    )


@pytest.mark.django_db
def test_endpoints_are_grouped_by_what_they_are_about(stranger: Client) -> None:
    paths = stranger.get("/api/v1/openapi.json").json()["paths"]
    assert paths["/api/v1/submissions/{submission_id}"]["get"]["tags"] == ["submissions"]
    assert all(len(operation["tags"]) == 1 for methods in paths.values() for operation in methods.values())


@pytest.mark.django_db
def test_an_upload_is_accepted_with_its_place_and_its_token(stranger: Client, vector_file: Path) -> None:
    response = stranger.post(API, {"name": "small", "file": upload(vector_file)})
    row = Submission.objects.get()
    assert response.status_code == 202
    assert response["Location"] == f"{API}/{row.pk}"
    assert response.json()["state"] == "uploaded"
    assert row.is_owned_with(response.json()["token"])
    assert stranger.get(response["Location"]).json()["id"] == row.pk


@pytest.mark.django_db
def test_the_file_to_read_in_an_archive_is_named(stranger: Client, vector_file: Path) -> None:
    stranger.post(API, {"name": "small", "member": "glove.50d.txt", "file": upload(vector_file)})
    assert Submission.objects.get().member == "glove.50d.txt"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("written", "meant"), [("no", False), ("false", False), ("0", False), ("", False), ("on", True), ("true", True)]
)
def test_programs_may_write_yes_and_no_as_they_like(
    stranger: Client, vector_file: Path, written: str, meant: bool
) -> None:
    form = {"name": "small", "trained_on_task_data": written, "file": upload(vector_file)}
    assert stranger.post(API, form).status_code == 202
    assert Submission.objects.get().trained_on_task_data is meant


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("form", "code", "field"),
    [
        ({"name": "small"}, "no-file", "file"),
        ({"name": "small", "file": b""}, "empty-file", "file"),
        ({"file": b"\x1f\x8b"}, "missing", "name"),
        ({"name": "x" * 81, "file": b"\x1f\x8b"}, "too-long", "name"),
        ({"name": "small", "language": "xx", "file": b"\x1f\x8b"}, "unknown-choice", "language"),
        ({"name": "small", "track": "mine", "file": b"\x1f\x8b"}, "unknown-choice", "track"),
        ({"name": "small", "file": b"\x1f\x8b" + b"x" * 3000}, "too-large", "file"),
    ],
)
def test_a_bad_upload_is_refused_with_code_and_field(
    stranger: Client, settings: Any, form: dict[str, Any], code: str, field: str
) -> None:
    settings.VECBOARD_MAX_UPLOAD_BYTES = 2000
    if "file" in form:
        file = BytesIO(form["file"])
        file.name = "vectors.gz"
        form = form | {"file": file}
    response = stranger.post(API, form)
    error = response.json()["error"]
    assert 400 <= response.status_code < 500
    assert (error["code"], error["field"]) == (code, field)
    assert error["message"].endswith(".")
    assert not Submission.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("content_type", ["application/json", "multipart/form-data", "text/plain"])
def test_a_body_that_is_not_a_form_is_refused_and_breaks_nothing(stranger: Client, content_type: str) -> None:
    response = stranger.post(API, data=b'{"name": "small"}', content_type=content_type)
    assert response.status_code == 400
    assert "message" in response.json()["error"]


@pytest.mark.parametrize("state", list(State))
def test_retry_after_is_sent_while_open_only(submission: Make, stranger: Client, state: State) -> None:
    response = stranger.get(f"{API}/{submission(state).pk}")
    assert response.json()["state"] == state
    assert ("Retry-After" in response) is (state in OPEN)


@pytest.mark.parametrize("state", [state for state in State if state != State.DONE])
def test_there_is_no_report_until_done(submission: Make, stranger: Client, state: State) -> None:
    response = stranger.get(f"{API}/{submission(state).pk}/report")
    assert response.status_code == 409
    assert response.json()["state"] == state


def test_the_report_is_served_as_stored_with_a_strong_etag(submission: Make, stranger: Client) -> None:
    row = submission()
    response = stranger.get(f"{API}/{row.pk}/report")
    assert response.content == row.report.body.encode()
    assert response["ETag"] == f'"{row.report.etag}"'
    again = stranger.get(f"{API}/{row.pk}/report", headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_rejection_carries_the_error_object(submission: Make, stranger: Client) -> None:
    error = {
        "code": "nul-byte",
        "message": "Line 3 has a NUL byte; remove it.",
        "line": 3,
        "word": "a",
        "field": "file",
    }
    row = submission(State.REJECTED, error=error)
    assert stranger.get(f"{API}/{row.pk}").json()["error"] == error


def test_the_owner_steers_with_the_token_in_the_header(submission: Make, stranger: Client) -> None:
    row = submission(State.RUNNING)
    assert stranger.post(f"{API}/{row.pk}/cancel", headers=OWNER).json()["state"] == "cancelled"
    assert stranger.post(f"{API}/{row.pk}/cancel", headers=OWNER).status_code == 409
    assert stranger.post(f"{API}/{row.pk}/withdraw", headers=OWNER).status_code == 200
    assert stranger.get(f"{API}/{row.pk}").status_code == 404


def test_only_a_failed_run_is_tried_again(submission: Make, stranger: Client) -> None:
    assert stranger.post(f"{API}/{submission(State.FAILED).pk}/retry", headers=OWNER).json()["state"] == "queued"
    assert stranger.post(f"{API}/{submission(State.DONE).pk}/retry", headers=OWNER).status_code == 409


def test_errors_of_state_and_rights_have_codes_of_their_own(submission: Make, stranger: Client) -> None:
    row = submission(State.DONE)

    def code(headers: dict[str, str], action: str = "retry") -> str:
        return str(stranger.post(f"{API}/{row.pk}/{action}", headers=headers).json()["error"]["code"])

    assert [code(OWNER), code(OWNER, "cancel")] == ["wrong-state", "wrong-state"]
    assert [code({}), code({"Authorization": "Bearer of another"})] == ["no-token", "not-owner"]
    stopped = stranger.delete(f"/api/v1/uploads/{row.pk}", headers=OWNER)
    assert (stopped.status_code, stopped.json()["error"]["code"]) == (409, "wrong-state")


def test_the_description_has_every_url(stranger: Client) -> None:
    paths = stranger.get("/api/v1/openapi.json").json()["paths"]
    assert {"/api/v1/submissions", "/api/v1/leaderboard", "/api/v1/submissions/{submission_id}/report"} <= set(paths)
    assert "multipart/form-data" in paths["/api/v1/submissions"]["post"]["requestBody"]["content"]


def test_the_description_is_valid_openapi() -> None:
    validator = pytest.importorskip("openapi_spec_validator")
    validator.validate(json.loads(json.dumps(api.get_openapi_schema())))


def test_every_field_and_every_parameter_is_described_and_nothing_else() -> None:
    types = api.get_openapi_schema()["components"]["schemas"]
    fields = {f"{name}.{field}": of for name, node in types.items() for field, of in node.get("properties", {}).items()}
    assert [name for name, of in fields.items() if not of.get("description")] == []
    form = upload_body()["requestBody"]["content"]["multipart/form-data"]["schema"]["properties"]  # type: ignore[index]
    assert [name for name, of in form.items() if not of["description"]] == []
    parts = [part for _, operation in operations() for part in operation.get("parameters", ())]
    assert [part["name"] for part in parts if not part.get("description")] == []
    assert set(PARAMETERS) - {part["name"] for part in parts} == set()


def test_every_state_has_its_meaning_and_is_one_of_the_site() -> None:
    state = api.get_openapi_schema()["components"]["schemas"]["SubmissionState"]
    assert state["enum"] == list(STATES) == State.values
    assert state["x-enum-descriptions"] == STATES
    final = {name for name, text in STATES.items() if "Final" in text}
    assert final == set(FINAL)
    assert all(text.endswith(".") for text in STATES.values())


def test_the_description_says_where_the_api_is_and_who_needs_a_token() -> None:
    assert api.get_openapi_schema()["servers"] == [{"url": "/", "description": "this site"}]
    assert api.get_openapi_schema()["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    needed = {place for place, operation in operations() if {} not in operation["security"]}
    assert "get /api/v1/me" in needed
    without = {place for place, operation in operations() if 401 in operation["responses"]} - needed
    of_features = {"post /api/v1/own", "post /api/v1/suffices", "post /api/v1/front", "post /api/v1/claim"}
    assert without - of_features == {"post /api/v1/submissions", "post /api/v1/uploads"}


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["leaderboard", "me", "", "openapi.json", "submissions/x/report", "compare"])
def test_a_parameter_with_an_unknown_name_is_refused_with_the_nearest(path: str, stranger: Client) -> None:
    response = stranger.get(f"/api/v1/{path}", {"versio": "3"})
    error = response.json()["error"]
    assert (response.status_code, error["code"], error["field"]) == (400, "unknown-parameter", "versio")
    assert ("did you mean “version”?" in error["message"]) is (path in ("leaderboard", "submissions/x/report"))


def test_an_endpoint_takes_the_parameters_that_are_described() -> None:
    for place, operation in operations():
        method, path = place.split()
        known = parameters_of(re.sub(r"{(\w+)}", r"<\1>", path[1:]), method.upper())
        described = {part["name"] for part in operation.get("parameters", ()) if part["in"] == "query"}
        assert set(known or ()) == described, place


def operations() -> list[tuple[str, Any]]:
    """Every operation with its method and path."""
    paths = api.get_openapi_schema()["paths"]
    return [(f"{method} {path}", of) for path, methods in paths.items() for method, of in methods.items()]


def test_the_page_lists_every_code_of_an_error(stranger: Client) -> None:
    page = stranger.get("/api").content.decode()
    assert [code for code in SENTENCES if f"<code>{code}</code>" not in page] == []
    assert "`" not in page


def test_the_reference_shows_the_description(stranger: Client) -> None:
    assert 'data-description="/api/v1/openapi.json"' in stranger.get("/api/v1/reference").content.decode()
