"""The Redis of compose.yaml: no access without the password, and with it every command that the site needs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.compose import SECRETS, compose
from tests.servers import Redis, wait_for_port
from tests.workers.running_site import Site, small_file

pytestmark = [pytest.mark.slow, pytest.mark.redis]
REDIS = compose()["services"]["redis"]
PASSWORD = SECRETS["REDIS_PASSWORD"]


class Guarded(Redis):
    """Started by the command of compose.yaml."""

    def command(self) -> list[str]:
        return [*REDIS["command"], "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.directory)]

    @property
    def url(self) -> str:
        return f"redis://vecboard:{PASSWORD}@127.0.0.1:{self.port}/0"

    def ask(self, *words: str, password: str = "") -> tuple[int, str]:
        environment = os.environ | ({"REDISCLI_AUTH": password} if password else {})
        command = ["redis-cli", "-e", "-p", str(self.port), *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def guarded() -> Iterator[Guarded]:
    with Guarded() as server:
        wait_for_port(server.port)
        yield server


def test_redis_refuses_clients_without_the_password(guarded: Guarded) -> None:
    for words in (["ping"], ["keys", "*"]):
        status, said = guarded.ask(*words)
        assert status != 0
        assert "NOAUTH" in said
    for password in (PASSWORD, "wrong"):  # the default user is disabled, with any password
        status, said = guarded.ask("ping", password=password)
        assert status != 0
        assert "WRONGPASS" in said


def test_the_health_check_passes(guarded: Guarded) -> None:
    test = [part for part in REDIS["healthcheck"]["test"] if part not in ("CMD", "redis-cli", "-e")]
    assert guarded.ask(*test, password=PASSWORD) == (0, "PONG\n")
    status, said = guarded.ask("--user", "vecboard", "config", "get", "dir", password=PASSWORD)
    assert status != 0
    assert "NOPERM" in said, "the site needs no administrative commands"


def test_a_file_is_measured_over_this_redis(guarded: Guarded, tmp_path: Path) -> None:
    site = Site(tmp_path / "site", redis_url=guarded.url)
    try:
        submission = site.submit(small_file())
        site.start_worker()
        site.wait_until(lambda: site.is_over(submission))
        assert site.state(submission) == "done", site.log()
        said = "from django.core.cache import cache; cache.set('a', 1); cache.incr('a'); print(cache.get('a'))"
        assert site.python(f"{said}\nfrom workers.queue import length; print(length())").split()[0] == "2"
    finally:
        site.kill_all()
