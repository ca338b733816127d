"""The commands of Dockerfile and compose.yaml, run on this machine against a real PostgreSQL and a real Redis."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.deploy.compose import compose, words
from tests.servers import Postgres, eventually, free_port, wait_for_port
from tests.workers.running_site import ROOT, small_file

pytestmark = [pytest.mark.slow, pytest.mark.redis, pytest.mark.postgres]
COMPOSE = compose(VECBOARD_SUITE="demo")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


class Machine:
    """Runs the services of compose.yaml, with this machine's addresses in place of the containers' names."""

    def __init__(self, folder: Path, database_url: str, redis_url: str) -> None:
        self.port = free_port()
        self.folder = folder
        here = {
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            "VECBOARD_VAR": str(folder / "var"),
            "VECBOARD_STATIC_ROOT": str(folder / "static"),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PORT": str(self.port),
            "VECBOARD_OFFLINE": "1",
        }
        self.environment = (
            {"HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"} | COMPOSE["x-vecboard"]["environment"] | here
        )
        self.running: list[subprocess.Popen[bytes]] = []

    def command(self, service: str) -> list[str]:
        text = COMPOSE["services"][service]["command"]
        return words(text.replace("0.0.0.0:8000", f"127.0.0.1:{self.port}"))

    def run(self, command: list[str]) -> str:
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False, timeout=600
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return done.stdout

    def start(self, service: str) -> None:
        log = (self.folder / f"{service}-{len(self.running)}.log").open("wb")
        self.running.append(
            subprocess.Popen(self.command(service), cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        )

    def stop(self) -> None:
        for process in self.running:
            process.terminate()
        for process in self.running:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()

    def logs(self) -> str:
        return "\n".join(path.read_text(errors="replace")[-3000:] for path in sorted(self.folder.glob("*.log")))


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres, redis: Any) -> Iterator[Machine]:
    redis.empty()
    machine = Machine(tmp_path_factory.mktemp("machine"), postgres.create_empty("compose"), redis.url)
    machine.run(["python", "manage.py", "collectstatic", "--noinput"])
    machine.run(machine.command("prepare"))
    machine.run(machine.command("data"))  # the demo suite needs no download
    machine.start("web")
    for service in ("worker-cpu", "worker-cpu", "worker-checks", "beat"):
        machine.start(service)
    wait_for_port(machine.port)
    eventually(lambda: answers(machine), 180)
    yield machine
    machine.stop()


def answers(machine: Machine) -> bool:
    """Whether the site answers: the port is open before the processes behind it are ready."""
    try:
        return get(machine, "/healthz").status_code == 200
    except httpx.HTTPError:
        return False


def get(machine: Machine, path: str) -> httpx.Response:
    return httpx.get(f"http://127.0.0.1:{machine.port}{path}", timeout=60)


def test_an_upload_becomes_a_report(machine: Machine) -> None:
    with small_file().open("rb") as stream:
        address = f"http://127.0.0.1:{machine.port}/api/v1/submissions"
        accepted = httpx.post(address, data={"name": "small"}, files={"file": stream}, timeout=60)
    assert accepted.status_code == 202, accepted.text + machine.logs()
    deadline = time.monotonic() + 400
    state = ""
    while state not in ("done", "failed", "rejected"):
        assert time.monotonic() < deadline, f"{state}\n{machine.logs()}"
        time.sleep(1)
        state = get(machine, accepted.headers["Location"]).json()["state"]
    assert state == "done", machine.logs()
    report = get(machine, f"/api/v1/submissions/{accepted.json()['id']}/report").json()
    assert len(report["results"]) >= 12
    parts = dict.fromkeys(("database", "broker", "storage", "worker"), "ok")
    assert get(machine, "/readyz").json() == {"status": "ready", "parts": parts}


def test_the_health_check_of_the_image_passes(machine: Machine) -> None:
    written = re.search(r"HEALTHCHECK .*?CMD (\[.*?\])$", DOCKERFILE, re.DOTALL | re.MULTILINE)
    assert written is not None
    machine.run(json.loads(written[1]))


def test_collected_files_are_served_under_names_with_a_content_hash(machine: Machine) -> None:
    page = get(machine, "/").text
    sheet = re.search(r'href="(/static/css/base\.[0-9a-f]{12}\.css)"', page)
    assert sheet is not None, page[:2000]
    with urllib.request.urlopen(f"http://127.0.0.1:{machine.port}{sheet[1]}") as answer:
        assert "immutable" in answer.headers["Cache-Control"]


class Socket(Postgres):
    """A server that listens on its socket alone, as during the first start of compose.yaml's image."""

    def command(self) -> list[str]:
        by_tcp, socket = "listen_addresses=127.0.0.1", "unix_socket_directories="
        here = {by_tcp: "listen_addresses=", socket: f"{socket}{self.directory}"}
        return [here.get(part, part) for part in super().command()]

    def start(self) -> None:
        self.process = subprocess.Popen(self.command(), cwd=self.directory, preexec_fn=self.become)
        eventually(self.is_ready)

    def is_ready(self, *words: str) -> bool:
        """Without a host among the words, of the socket."""
        command = [str(self.bin / "pg_isready"), "--quiet", *words, "--port", str(self.port)]
        return subprocess.run(command, env=os.environ | {"PGHOST": str(self.directory)}, check=False).returncode == 0


def test_a_database_that_is_still_being_made_is_not_healthy() -> None:
    program, *words = COMPOSE["services"]["postgres"]["healthcheck"]["test"][1:]
    assert program == "pg_isready"
    with Socket() as server:
        assert not server.is_ready(*words)


def test_installed_packages_match_the_lock_file() -> None:
    locks = [ROOT / "requirements.txt", ROOT / "requirements-extras.txt"]
    pins = [pin for lock in locks for pin in re.findall(r"^([\w.-]+)==(\S+)", lock.read_text("utf-8"), re.MULTILINE)]
    assert len(pins) > 40
    assert {name: version(name).split("+")[0] for name, _ in pins} == dict(pins)
