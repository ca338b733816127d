"""The whole site as ``make run`` starts it: web, worker and sweeper over the embedded broker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers import free_port, wait_for_answer
from tests.web import ROOT

START_SECONDS = 240


@contextmanager
def whole_site(folder: Path, suite: str, *options: str, **environment: str) -> Iterator[str]:
    """Its address, while it runs; without a suite, it uses the default one. Its output is in ``site.log``."""
    port = free_port()
    own = {"VECBOARD_VAR": str(folder / "var"), "VECBOARD_SUITE": suite, "HOST": "127.0.0.1", "PORT": str(port)}
    own |= {"WEB_CONCURRENCY": "1", "VECBOARD_CONCURRENCY": "1"}  # each process loads the program for seconds
    cleared = {"DATABASE_URL": "", "REDIS_URL": "", "VECBOARD_STORAGE": "", "DEBUG": ""}
    log = folder / "site.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", *options],
            cwd=ROOT,
            env=os.environ | own | cleared | environment,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
    try:
        wait_for_answer(f"http://127.0.0.1:{port}/healthz", process, log, START_SECONDS)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
