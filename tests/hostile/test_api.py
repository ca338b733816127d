"""The API against its own description, with requests that nobody would send on purpose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.cache import cache
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_site(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    settings.VECBOARD_VAR = tmp_path / "var"
    settings.STORAGE_ROOT = tmp_path / "storage"
    settings.VECBOARD_SUITE = "demo"
    settings.VECBOARD_WRITES_PER_MINUTE = settings.VECBOARD_UPLOADS_PER_DAY = settings.VECBOARD_OPEN_UPLOADS = 0
    monkeypatch.setattr("workers.queue.send", lambda *_, **__: None)
    cache.clear()


@schema.parametrize()
@settings(
    max_examples=12,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_request_makes_the_site_fail_or_answer_other_than_it_says(case: Any) -> None:
    case.call_and_validate(checks=CHECKS)
