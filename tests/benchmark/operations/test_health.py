"""Readiness and liveness of the site, and warnings about weak settings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from benchmark.operations import monitoring
from benchmark.operations.apps import weak_settings
from benchmark.operations.models import WorkerBeat

pytestmark = pytest.mark.django_db


def test_healthz_makes_no_query(stranger: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        response = stranger.get("/healthz")
    assert response.json() == {"status": "ok"}
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize("tls", [False, True])
def test_healthz_answers_by_address_on_a_site_that_has_a_name(settings: Any, stranger: Client, tls: bool) -> None:
    """The request of the image's health check."""
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["vecboard.example"], tls
    settings.SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
    answers = {
        path: stranger.get(path, headers={"Host": "127.0.0.1:8000"}) for path in ("/healthz", "/readyz", "/metrics")
    }
    assert [answer.status_code for answer in answers.values()] == [200, 400, 400]
    assert "X-Request-ID" in answers["/healthz"]


def test_readyz_says_which_part_is_missing(stranger: Client) -> None:
    response = stranger.get("/readyz")
    assert response.status_code == 503
    assert response.json()["parts"] == {
        "database": "ok",
        "broker": "ok",
        "storage": "ok",
        "worker": "none seen recently",
    }


def test_readyz_is_ready_when_a_worker_was_seen(stranger: Client) -> None:
    WorkerBeat.objects.record("one", "cpu")
    response = stranger.get("/readyz")
    assert (response.status_code, response.json()["status"]) == (200, "ready")


@pytest.mark.usefixtures("dead_broker")
def test_readyz_notices_a_broker_that_does_not_answer() -> None:
    assert monitoring.broker() == "does not answer"


def test_strangers_do_not_see_the_parts() -> None:
    assert "parts" not in Client(REMOTE_ADDR="198.51.100.7").get("/readyz").json()


ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("token", "hosts", "named"),
    [
        (None, ["vecboard.example"], []),
        ("4f1d0c9b7a3e5d2f8c6b1a0e", ["vecboard.example"], []),
        ("secret", ["vecboard.example"], ["vecboard.W001"]),
        ("a" * 40, ["vecboard.example"], ["vecboard.W001"]),
        (None, ["vecboard.example", "*"], ["vecboard.W002"]),
    ],
)
def test_weak_settings_are_named(settings: Any, token: str | None, hosts: list[str], named: list[str]) -> None:
    settings.METRICS_TOKEN, settings.ALLOWED_HOSTS = token, hosts
    assert [message.id for message in weak_settings()] == named


def test_the_web_process_warns_at_its_start_without_secrets(tmp_path: Path) -> None:
    environment = os.environ | {"METRICS_TOKEN": "geheim", "ALLOWED_HOSTS": "*", "VECBOARD_VAR": str(tmp_path)}
    command = [sys.executable, "-c", "import benchmark.wsgi"]
    said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stderr
    assert "METRICS_TOKEN can be guessed" in said
    assert "ALLOWED_HOSTS=* lets the site answer" in said
    assert "geheim" not in said


def test_a_management_command_neither_checks_the_program_nor_repeats_the_warnings(tmp_path: Path) -> None:
    environment = os.environ | {"METRICS_TOKEN": "geheim", "ALLOWED_HOSTS": "*", "VECBOARD_VAR": str(tmp_path)}
    command = [sys.executable, "-X", "importtime", "manage.py", "makemigrations", "--check", "--dry-run"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert "METRICS_TOKEN" not in done.stderr
    assert "benchmark.submissions.models\n" in done.stderr
    assert "benchmark.urls\n" not in done.stderr


@pytest.mark.parametrize(
    ("state", "said"), [("running", "are still being installed"), ("failed", "could not be installed")]
)
def test_pages_and_health_name_an_installation_until_it_is_over(
    stranger: Client, settings: Any, tmp_path: Path, state: str, said: str
) -> None:
    settings.VECBOARD_VAR = tmp_path
    (tmp_path / "installation").write_text(state)
    assert stranger.get("/healthz").json() == {"status": "ok", "installation": state}
    for page in ("/", "/data-arrival"):
        text = stranger.get(page).content.decode()
        assert said in text
        assert "have not arrived" not in text
    (tmp_path / "installation").unlink()
    assert stranger.get("/healthz").json() == {"status": "ok"}
    assert said not in stranger.get("/data-arrival").content.decode()
