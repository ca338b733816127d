"""The web process alone on a port of its own, with a database of its own: for tests that need no worker."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.databases import ROOT, begin_with_sqlite
from tests.servers import Server, wait_for_answer

START_SECONDS = 120


class Web(Server):
    """The web server as ``make run`` starts it.

    Parameters
    ----------
    database_url : of a migrated database; empty for a SQLite file of its own.
    """

    def __init__(self, database_url: str = "") -> None:
        super().__init__("web")
        own = {"VECBOARD_VAR": str(self.directory / "var"), "DATABASE_URL": database_url, "VECBOARD_SUITE": "demo"}
        cleared = {"REDIS_URL": "", "VECBOARD_STORAGE": "", "DEBUG": "", "LOG_LEVEL": "WARNING"}
        self.environment = own | cleared | {"PYTHONPATH": str(ROOT)}

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
        """Run Python with the site's settings; what it prints."""
        environment = os.environ | self.environment | {"DJANGO_SETTINGS_MODULE": "benchmark.settings"}
        done = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
        return done.stdout
