"""Log lines and reports of errors: they carry ids, and neither secrets nor users' texts."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import sentry_sdk
import structlog
from django.db import connection
from django.test import Client

from benchmark.operations.apps import QUIET, scrubbed
from benchmark.operations.logs import cut_out_secrets, logging_config, text_line
from tests.databases import ROOT

pytestmark = pytest.mark.django_db


def line_of(record: logging.LogRecord) -> dict[str, Any]:
    """The line that a collector receives."""
    config = logging_config("json", "INFO")["formatters"]["line"]
    formatter = structlog.stdlib.ProcessorFormatter(
        processors=config["processors"], foreign_pre_chain=config["foreign_pre_chain"]
    )
    line: dict[str, Any] = json.loads(formatter.format(record))
    return line


def test_every_answer_has_a_request_id_and_a_proxys_is_kept(stranger: Client) -> None:
    given = stranger.get("/healthz", headers={"X-Request-ID": "proxy-0123456789"})
    assert given["X-Request-ID"] == "proxy-0123456789"
    made = stranger.get("/healthz", headers={"X-Request-ID": "bad id\twith spaces"})
    assert len(made["X-Request-ID"]) == 32


def test_a_json_line_has_the_ids_of_its_request() -> None:
    with structlog.contextvars.bound_contextvars(request_id="abc", submission="xyz"):
        line = line_of(logging.LogRecord("workers.kinds.cells", logging.INFO, __file__, 1, "%s done", ("pos",), None))
    assert (line["event"], line["request_id"], line["submission"]) == ("pos done", "abc", "xyz")


def test_the_owners_secret_is_not_logged(stranger: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "vecboard.request"):
        stranger.post("/s/abc/owner/the-secret")
    assert "the-secret" not in caplog.text
    assert "/owner/…" in caplog.text


def test_the_owners_secret_is_removed_from_lines_of_other_loggers() -> None:
    """For example Django's, when the page behind the link fails."""
    said = "Internal Server Error: %s"
    line = line_of(
        logging.LogRecord("django.request", logging.ERROR, __file__, 1, said, ("/s/abc/owner/secret",), None)
    )
    assert line["event"] == "Internal Server Error: /s/abc/owner/…"


@pytest.fixture
def reports(settings: Any) -> Iterator[list[dict[str, Any]]]:
    """Events for Sentry, with the settings of a site that uses it."""
    sent: list[dict[str, Any]] = []

    def keep(event: Any, hint: Any) -> None:
        sent.append(scrubbed(event, hint))

    sentry_sdk.init(dsn="http://key@127.0.0.1:9/1", before_send=keep, **QUIET)  # keep() forwards nothing
    yield sent
    sentry_sdk.init()


def test_a_report_of_an_error_has_neither_secret_nor_form_nor_cookie(reports: list[dict[str, Any]]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("alter table people_study rename to lost")
    client = Client(raise_request_exception=False)
    client.cookies["study-abc"] = "the-cookie"
    assert client.get("/people/abc/owner/the-secret").status_code == 500
    form = {"title": "what-she-wrote", "kind": "associations", "language": "en", "cues": "tax", "raters_wanted": 5}
    assert client.post("/people/new", form | {"licence": "x", "retention_days": 9}).status_code == 500
    assert len(reports) >= 2
    assert "no such table: people_study" in str(reports)
    for secret in ("the-secret", "what-she-wrote", "the-cookie"):
        assert secret not in str(reports)


def test_a_url_cannot_forge_log_lines_or_control_a_terminal() -> None:
    event = {"timestamp": "T", "level": "info", "logger": "x", "event": "GET /a\nT ERROR fake: \x1b[2J\u202e"}
    line = text_line(None, "", cut_out_secrets(None, "", event))
    assert line == r"T INFO x: GET /a\nT ERROR fake: \x1b[2J\u202e"


@pytest.mark.parametrize(
    "command", [["manage.py", "serve"], ["-m", "celery", "--app", "workers.app", "worker"]], ids=["web", "worker"]
)
@pytest.mark.parametrize("form", ["json", "text"])
def test_a_setting_that_cannot_be_read_is_one_line_in_the_form_of_the_log(command: list[str], form: str) -> None:
    own = {"LOG_FORMAT": form, "VECBOARD_MAX_WORDS": "many"}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=os.environ | own, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    said = json.loads(line)["event"] if form == "json" else line
    assert said == "VECBOARD_MAX_WORDS is 'many', which is not an integer."
