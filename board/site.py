"""The site that the vectors are submitted to: one that runs already, or one started for the purpose."""

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

from tasks.suite import Suite
from vecboard import Client

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 900
"""The first start trains a baseline where none is published."""
STOP_SECONDS = 60
LOCAL = ("127.0.0.1", "localhost")


class NoSite(Exception):
    """There is no site that the entries could be submitted to, and none can be started."""


def answers(server: str) -> bool:
    """Whether a site is up at this address."""
    try:
        return httpx.get(f"{server}/healthz", timeout=5).is_success
    except httpx.HTTPError:
        return False


@contextmanager
def running(server: str, suite: str, log: Path, *, anew: bool = False) -> Iterator[None]:
    """A site at this address for as long as the block runs; one that is started here writes its lines to ``log``.

    ``anew``: a site that is started here begins without the entries that ship.

    Raises
    ------
    NoSite
        nothing answers, and it is another machine or the start failed.
    """
    if answers(server):
        yield
        return
    where = urlsplit(server)
    if where.hostname not in LOCAL:
        raise NoSite(f"{server} does not answer, and a site can be started on this machine only.")
    environment = os.environ | {
        "HOST": "127.0.0.1",
        "PORT": str(where.port or 80),
        "VECBOARD_SUITE": suite,
        "VECBOARD_SHIPPED_BOARD": "0" if anew else "1",
    }
    print(f"Starting the site at {server}; its lines are in {log}.", flush=True)
    command = [sys.executable, "manage.py", "up"]
    with log.open("ab") as lines:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=lines, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        _wait(server, process, log)
        yield
    finally:
        process.send_signal(signal.SIGTERM)  # it ends its own processes, and goes on from here at the next start
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def check_suite(client: Client, suite: Suite) -> None:
    """Whether the site measures with the suite whose corpus the vectors are trained on.

    Raises
    ------
    NoSite
        it measures with another one, or with another version.
    """
    there = client.board()["suite"]
    if there["id"] != suite.id:
        raise NoSite(
            f"{client.server} measures with {there['id']}, not with {suite.id}. Start it with "
            f"VECBOARD_SUITE={suite.id}, name another site with --server, or with its own suite: --suite {there['id']}."
        )
    if there["version"] != suite.version:
        raise NoSite(
            f"{client.server} measures with version {there['version']} of {suite.id}, and here it is version "
            f"{suite.version}. Bring both to one version of the program, or name another site with --server."
        )


def _wait(server: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(server):
        if process.poll() is not None:
            raise NoSite(f"The site did not start; the last lines of {log} say why.")
        if time.monotonic() > deadline:
            raise NoSite(f"The site did not start within {START_SECONDS // 60} minutes; see {log}.")
        time.sleep(0.5)
