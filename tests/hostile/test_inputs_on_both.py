"""Both databases accept and refuse the same: the hostile requests of test_inputs.py on each."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.postgres]


def answers(folder: Path, database_url: str) -> dict[str, dict[str, int]]:
    """Status of every request, by test."""
    folder.mkdir()
    own = {"DATABASE_URL": database_url, "VECBOARD_VAR": str(folder / "var"), "REDIS_URL": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
    done = subprocess.run(
        [*command, "--create-db", "tests/hostile/test_inputs.py"],
        cwd=ROOT,
        env=os.environ | own | {"HOSTILE_STATUSES": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert re.search(r"(\d+) passed", done.stdout)
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def test_both_databases_answer_every_hostile_request_alike(database_url: str, tmp_path: Path) -> None:
    over_sqlite = answers(tmp_path / "sqlite", "")
    over_postgresql = answers(tmp_path / "postgresql", database_url)
    assert over_sqlite.keys() == over_postgresql.keys()
    differing = {
        request: (status, over_postgresql[name].get(request))
        for name, found in over_sqlite.items()
        for request, status in found.items()
        if over_postgresql[name].get(request) != status
    }
    assert not differing, "\n".join(f"{request}: {both}" for request, both in differing.items())
    assert sum(map(len, over_sqlite.values())) > 300
