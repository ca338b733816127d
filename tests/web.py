"""The web process alone on a port of its own, with a database of its own: for tests that need no worker."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.error
import urllib.request
from time import monotonic, sleep

from tests.databases import ROOT, begin_with_sqlite
from tests.servers import Server

START_SECONDS = 120


class Web(Server):
    """gunicorn as ``make run`` starts it.

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
        web = ["-m", "gunicorn", "benchmark.wsgi:application", "--bind", f"127.0.0.1:{self.port}"]
        return [
            "env",
            *variables,
            sys.executable,
            *web,
            "--chdir",
            str(ROOT),
            "--config",
            str(ROOT / "gunicorn.conf.py"),
        ]

    def python(self, *arguments: str) -> str:
        """What Python prints that runs beside the site, with its settings and its database."""
        environment = os.environ | self.environment | {"DJANGO_SETTINGS_MODULE": "benchmark.settings"}
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout

    def start(self) -> None:
        if not self.environment["DATABASE_URL"]:
            begin_with_sqlite(self.environment)
        super().start()
        self._wait()

    def _wait(self) -> None:
        deadline = monotonic() + START_SECONDS
        while monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.address}/healthz", timeout=5).close()
                return
            except (urllib.error.URLError, OSError):
                sleep(0.3)
        raise TimeoutError((self.directory / "server.log").read_text()[-3000:])
