"""Settings that protect less than they seem to are named at the start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmark.operations.apps import weak_settings

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
def test_what_is_weak_is_named(settings: Any, token: str | None, hosts: list[str], named: list[str]) -> None:
    settings.METRICS_TOKEN, settings.ALLOWED_HOSTS = token, hosts
    assert [message.id for message in weak_settings()] == named


def test_the_web_process_says_it_when_it_starts_and_repeats_no_secret(tmp_path: Path) -> None:
    environment = os.environ | {"METRICS_TOKEN": "geheim", "ALLOWED_HOSTS": "*", "VECBOARD_VAR": str(tmp_path)}
    command = [sys.executable, "-c", "import benchmark.wsgi"]
    said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stderr
    assert "METRICS_TOKEN can be guessed" in said
    assert "ALLOWED_HOSTS=* lets the site answer" in said
    assert "geheim" not in said
