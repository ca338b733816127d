"""The API against its own description, by strangers and by those who may: with requests that nobody sends on purpose,
and with valid ones, so that what is behind the checks is reached."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import schemathesis
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import Client
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from benchmark import storage
from benchmark.accounts.models import ApiToken
from benchmark.submissions.models import PartialFile, Submission
from benchmark.submissions.states import State
from tests.benchmark.conftest import submission
from tests.benchmark.reports import TOKEN

__all__ = ["submission"]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())
pytestmark = pytest.mark.django_db
FILE = gzip.compress(b"".join(b"word%d 0.1 0.2 0.3\n" % nth for nth in range(120)), mtime=0)
TEXTS = {"suffices": {}, "own": {}, "front": {"budget": 5}, "claim": {"kind": "groups", "word": "tax", "by": "party"}}
"""Addresses to which files are sent, with other fields that they need."""
OWN = (State.DONE, State.FAILED, State.QUEUED, State.RECEIVING)
EXAMPLES = min(30, settings.default.max_examples)
answered: Counter[tuple[str, int]] = Counter()
"""Number of answers by method, path and status."""


class Known(NamedTuple):
    """A valid secret, entries by their state, and reports on texts by address."""

    secret: str
    ids: dict[State, str]
    other: str
    reports: dict[str, str]


@pytest.fixture(autouse=True)
def connection_of_the_test() -> Iterator[None]:
    """Requests share the test's transaction, as with Django's client: on PostgreSQL it ends with its connection."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def known(settings: Any, tmp_path: Path, submission: Callable[..., Submission]) -> Known:
    settings.VECBOARD_VAR = tmp_path / "var"
    settings.STORAGE_ROOT = tmp_path / "storage"
    settings.VECBOARD_SUITE = "demo"
    settings.VECBOARD_WRITES_PER_MINUTE = settings.VECBOARD_UPLOADS_PER_DAY = settings.VECBOARD_OPEN_UPLOADS = 0
    settings.VECBOARD_CORPORA_PER_DAY = settings.VECBOARD_OPEN_CORPORA = settings.VECBOARD_DISK_STOP_BYTES = 0
    settings.VECBOARD_FETCH_HOSTS = (("files.example.org", 443),)
    cache.clear()
    user = get_user_model().objects.create_user("owner", "owner@example.org")
    _, secret = ApiToken.objects.issue(user, "generated", ApiToken.Scope.WRITE)
    ids = {state: new_one(submission, user, state) for state in OWN}
    other = new_one(submission, user, State.DONE)
    Submission.objects.filter(pk=other).update(file_key="uploads/x.gz")
    reports = {}
    for address in TEXTS:
        file = SimpleUploadedFile("corpus.txt.gz", FILE)
        sent = Client().post(
            f"/api/v1/{address}", measured(address, file, other), headers={"Authorization": f"Bearer {secret}"}
        )
        reports[address] = sent.json()["id"]
    return Known(secret, ids, other, reports)


def measured(address: str, file: object, entries: object) -> dict[str, object]:
    """Fields that ask for a measurement; smaller vectors are of a file or an entry."""
    return {"file": file, **TEXTS[address]} | ({} if address == "front" else {"e": entries})


def new_one(submission: Callable[..., Submission], user: Any, state: State) -> str:
    row = submission(state, owner=user, vectors_sha256="ab" * 32)
    if state == State.RECEIVING:
        PartialFile.objects.create(submission=row, position=1, name="a.gz", bytes=len(FILE))
    return str(row.pk)


@schema.given(who=st.sampled_from(["stranger", "account", "secret of the entry"]), state=st.sampled_from(OWN))
@schema.parametrize()
@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
def test_no_request_makes_the_site_fail_or_answer_other_than_it_says(
    case: Any, who: str, state: State, known: Known, submission: Callable[..., Submission]
) -> None:
    """Strangers send generated requests. Owners use their secret on their own entries, and send valid files."""
    if who != "stranger":
        secret = known.secret if who == "account" else TOKEN
        case.headers = dict(case.headers or {}) | {"Authorization": f"Bearer {secret}"}
        made_valid(case, known, state)
    response = case.call_and_validate(checks=CHECKS)
    answered[f"{case.method} {case.path}", response.status_code] += 1


def made_valid(case: Any, known: Known, state: State) -> None:
    """The request with real ids, and a file if one is needed; all other fields as generated."""
    for name in case.path_parameters or {}:
        of_entry = known.ids[State.RECEIVING if name == "upload_id" else state]
        case.path_parameters[name] = known.reports[case.path.split("/")[3]] if name == "report_id" else of_entry
    if case.path.endswith("/uploads") and isinstance(case.body, dict):
        case.body["files"] = [{"name": "a.gz", "bytes": len(FILE)}]
    elif case.path.endswith("/language") and isinstance(case.body, dict):
        case.body["language"] = "de"
    elif case.path.endswith("/submissions") and isinstance(case.body, dict):
        if "url" in case.body:
            case.body["url"] = "https://files.example.org/a.gz"
            case.body.pop("file", None)
        else:
            case.body["file"] = [FILE]
    elif case.path.endswith(tuple(TEXTS)) and isinstance(case.body, dict):
        case.body = measured(case.path.rpartition("/")[2], FILE, [known.other])
    elif case.path.endswith("/neighbours"):
        case.query = {"words": "king,queen", "top": 3}
    elif case.path.endswith("/compare"):
        case.query = {"e": [known.ids[State.DONE], known.other], "pairs": "yes"}
    elif case.path.endswith("/associations"):
        case.query = {"e": [known.ids[State.DONE]], "test": "parties-morality"}
    elif case.method == "PUT":
        case.query = dict(case.query or {}) | {"offset": 0, "file": 1}
        case.body = FILE
    elif case.path.endswith("/finish"):
        part = PartialFile.objects.filter(submission=known.ids[State.RECEIVING]).first()
        if part is not None:
            storage.path_of(f"incoming/{part.submission_id}-1.part").write_bytes(FILE)


def test_everything_that_the_api_offers_was_reached() -> None:
    """Runs after the others: every operation succeeded at least once."""
    operations = {f"{found.ok().method.upper()} {found.ok().path}" for found in schema.get_all_operations()}
    if {operation for operation, _ in answered} < operations:
        pytest.skip("only some of the operations were asked in this run")
    succeeded = {operation for operation, status in answered if status < 300}
    assert operations - succeeded == set()
