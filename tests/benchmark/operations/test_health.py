"""Readiness, liveness and metrics of the site, and warnings about weak settings."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from benchmark.operations import monitoring
from benchmark.operations.apps import weak_settings
from benchmark.operations.models import WorkerBeat
from benchmark.submissions.models import SubmissionCell
from benchmark.submissions.states import State
from tests.benchmark.conftest import Make

pytestmark = pytest.mark.django_db


def metrics(client: Client) -> dict[tuple[str, str], float]:
    page = client.get("/metrics").content.decode()
    samples = [sample for family in text_string_to_metric_families(page) for sample in family.samples]
    return {(sample.name, " ".join(sorted(sample.labels.values()))): sample.value for sample in samples}


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


def test_strangers_see_neither_the_parts_nor_the_metrics(settings: Any) -> None:
    elsewhere = Client(REMOTE_ADDR="198.51.100.7")
    assert "parts" not in elsewhere.get("/readyz").json()
    assert elsewhere.get("/metrics").status_code == 404
    proxied = Client(headers={"X-Forwarded-For": "198.51.100.7"})
    assert proxied.get("/metrics").status_code == 404


def test_a_metrics_token_opens_the_metrics_and_its_lack_closes_them(settings: Any, stranger: Client) -> None:
    settings.METRICS_TOKEN = "a-long-token-of-the-operator"
    assert stranger.get("/metrics").status_code == 404
    assert stranger.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 404
    allowed = stranger.get("/metrics", headers={"Authorization": f"Bearer {settings.METRICS_TOKEN}"})
    assert allowed.status_code == 200


def test_metrics_match_the_rows(stranger: Client, submission: Make) -> None:
    now = timezone.now()
    done = submission(State.DONE, file_bytes=1_000)
    submission(State.REJECTED, file_bytes=500, error={"code": "nul-byte", "message": "…"})
    for position, seconds in enumerate((0.5, 30)):
        began = now - timedelta(seconds=seconds)
        run = {"task": "pos", "mode": ("fixed", "fine-tuned")[position], "task_hash": "x", "vectors_sha256": "y"}
        SubmissionCell.objects.create(
            submission=done, position=position, state="done", started_at=began, finished_at=now, **run
        )
    values = metrics(stranger)
    assert values["vecboard_submissions", "done"] == 1
    assert values["vecboard_failures_total", "nul-byte rejected"] == 1
    assert values["vecboard_upload_bytes_total", ""] == 1_500
    assert values["vecboard_job_seconds_sum", "fine-tuned pos"] == pytest.approx(30)
    assert values["vecboard_job_seconds_bucket", "15 fine-tuned pos"] == 0
    assert values["vecboard_job_seconds_bucket", "60 fine-tuned pos"] == 1
    assert values["vecboard_queue_messages", ""] >= 0
    assert values["vecboard_storage_free_bytes", ""] > 0


def test_every_metric_is_in_the_documentation_and_no_other(stranger: Client, submission: Make) -> None:
    page = (Path(__file__).parents[3] / "docs" / "operations.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `(vecboard_\w+)", page, re.MULTILINE))
    helps = re.findall(r"^# TYPE (\w+) ", stranger.get("/metrics").content.decode(), re.MULTILINE)
    assert len(documented) == 10
    assert set(helps) == documented


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
