"""The whole site as ``make run`` starts it: web, worker and sweeper over the embedded broker."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.web import ROOT

START_SECONDS = 240


@contextmanager
def whole_site(folder: Path, suite: str) -> Iterator[str]:
    """Its address, while it runs."""
    port = _free_port()
    own = {"VECBOARD_VAR": str(folder / "var"), "VECBOARD_SUITE": suite, "HOST": "127.0.0.1", "PORT": str(port)}
    cleared = {"DATABASE_URL": "", "REDIS_URL": "", "VECBOARD_STORAGE": "", "DEBUG": ""}
    log = folder / "site.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up"],
            cwd=ROOT,
            env=os.environ | own | cleared,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
    try:
        _wait_until_up(f"http://127.0.0.1:{port}", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_up(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, f"the site ended at its start:\n{log.read_text()[-3000:]}"
        try:
            urllib.request.urlopen(f"{address}/healthz", timeout=2).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    pytest.fail(f"the site did not answer in {START_SECONDS} s:\n{log.read_text()[-3000:]}")
