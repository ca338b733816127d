"""The metrics: what they count, and who may read them."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from benchmark.submissions.models import SubmissionCell
from benchmark.submissions.states import State
from tests.benchmark.conftest import Make

pytestmark = pytest.mark.django_db


def metrics(client: Client) -> dict[tuple[str, str], float]:
    page = client.get("/metrics").content.decode()
    samples = [sample for family in text_string_to_metric_families(page) for sample in family.samples]
    return {(sample.name, " ".join(sorted(sample.labels.values()))): sample.value for sample in samples}


@pytest.mark.parametrize("elsewhere", [{"REMOTE_ADDR": "198.51.100.7"}, {"HTTP_X_FORWARDED_FOR": "198.51.100.7"}])
def test_strangers_do_not_see_the_metrics(stranger: Client, elsewhere: dict[str, Any]) -> None:
    assert stranger.get("/metrics").status_code == 200
    assert Client(**elsewhere).get("/metrics").status_code == 404


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
