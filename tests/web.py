"""The web server alone, on a free port with its own database: for tests without a worker."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.databases import ROOT, begin_with_sqlite
from tests.servers import Server, wait_for_answer

START_SECONDS = 120


def environment_of(var: Path, database_url: str = "", suite: str = "demo") -> dict[str, str]:
    """Settings of a site with its files in ``var``; whatever else the tests were started with is cleared."""
    own = {"VECBOARD_VAR": str(var), "DATABASE_URL": database_url, "VECBOARD_SUITE": suite}
    cleared = {"REDIS_URL": "", "VECBOARD_STORAGE": "", "DEBUG": "", "LOG_LEVEL": "WARNING"}
    return own | cleared | {"PYTHONPATH": str(ROOT)}


def run_python(environment: Mapping[str, str], *arguments: str) -> str:
    """Run Python with a site's settings; return its output."""
    own = os.environ | environment | {"DJANGO_SETTINGS_MODULE": "benchmark.settings"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=own, stdout=subprocess.PIPE, text=True, check=True).stdout


class Web(Server):
    """The web server as ``make run`` starts it.

    Parameters
    ----------
    database_url : of a migrated database; empty for a SQLite file of its own.
    suite : of the site.
    var : files and SQLite database to begin with, which are copied.
    """

    def __init__(self, database_url: str = "", suite: str = "demo", var: Path | None = None) -> None:
        super().__init__("web")
        self.environment = environment_of(self.directory / "var", database_url, suite)
        if var is not None:
            shutil.copytree(var, self.directory / "var")

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        return [
            "env",
            *variables,
            sys.executable,
            str(ROOT / "manage.py"),
            "serve",
            "--bind",
            f"127.0.0.1:{self.port}",
        ]

    def start(self) -> None:
        if not self.environment["DATABASE_URL"]:
            begin_with_sqlite(self.environment)
        super().start()
        assert self.process is not None
        wait_for_answer(f"{self.address}/healthz", self.process, self.directory / "server.log", START_SECONDS)

    def python(self, *arguments: str) -> str:
        """Run Python with the site's settings; return its output."""
        return run_python(self.environment, *arguments)
