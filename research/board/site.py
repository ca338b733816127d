"""The site that vectors are submitted to: one that is already running, or one started here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tasks.errors import VecboardError
from tasks.suite import Suite
from vecboard import Client

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 900
"""The first start trains a baseline if none is published."""
STOP_SECONDS = 60
LOCAL = ("127.0.0.1", "localhost")


class NoSite(VecboardError):
    """No site is available to submit to, and none can be started."""


def answers(server: str) -> bool:
    """Whether a site is running at this URL."""
    try:
        return httpx.get(f"{server}/healthz", timeout=5).is_success
    except httpx.HTTPError:
        return False


@contextmanager
def running(server: str, suite: str, log: Path, *, without_shipped: bool = False) -> Iterator[None]:
    """A site at this URL while the block runs; if started here, it writes its output to ``log``.

    ``without_shipped``: a site started here begins without the shipped entries.

    Raises
    ------
    NoSite
        nothing answers, and the URL is on another machine or the start failed.
    """
    if answers(server):
        yield
        return
    where = urlsplit(server)
    if where.hostname not in LOCAL:
        raise NoSite(f"{server} does not answer, and a site can only be started on this machine.")
    environment = os.environ | {
        "HOST": "127.0.0.1",
        "PORT": str(where.port or 80),
        "VECBOARD_SUITE": suite,
        "VECBOARD_SHIPPED_BOARD": "0" if without_shipped else "1",
    }
    print(f"Starting the site at {server}; its output goes to {log}.", flush=True)
    command = [sys.executable, "manage.py", "up"]
    with log.open("ab") as lines:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=lines, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        _wait(server, process, log)
        yield
    finally:
        process.send_signal(signal.SIGTERM)  # it ends its own processes, and resumes at the next start
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def check_suite(client: Client, suite: Suite) -> None:
    """Check that the site evaluates with the suite on whose corpus the vectors are trained.

    Raises
    ------
    NoSite
        it uses another suite, or another version.
    """
    there = client.board()["suite"]
    if there["id"] != suite.id:
        raise NoSite(
            f"{client.server} uses the suite {there['id']}, not {suite.id}. Start it with VECBOARD_SUITE={suite.id}, "
            f"name another site with --server, or use its suite with --suite {there['id']}."
        )
    if there["version"] != suite.version:
        raise NoSite(
            f"{client.server} uses version {there['version']} of {suite.id}, but this program has version "
            f"{suite.version}. Use the same version of the program on both, or name another site with --server."
        )


def _wait(server: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(server):
        if process.poll() is not None:
            raise NoSite(f"The site did not start; see the last lines of {log}.")
        if time.monotonic() > deadline:
            raise NoSite(f"The site did not start within {START_SECONDS // 60} minutes; see {log}.")
        time.sleep(0.5)
