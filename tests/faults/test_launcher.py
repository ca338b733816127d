"""The local launcher is killed while jobs run: the next start continues them, and nothing is lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.servers import free_port
from tests.workers.running_site import ROOT, Site, scores_of_the_script, small_file

pytestmark = pytest.mark.slow


class Launched(Site):
    """A site whose processes are started by ``manage.py up``."""

    def up(self) -> None:
        port = str(free_port())
        log = (self.var / "up.log").open("wb")
        command = [sys.executable, "manage.py", "up", "--port", port]
        self.processes["up"] = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
        self.wait_until(lambda: "Vecboard is at" in (self.var / "up.log").read_text(errors="replace"))

    def kill_launcher(self) -> list[psutil.Process]:
        """Kill only the launcher; return the processes that it had started."""
        launcher = self.processes.pop("up")
        children = psutil.Process(launcher.pid).children(recursive=True)
        launcher.kill()
        launcher.wait()
        return children


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Launched]:
    site = Launched(tmp_path / "site")
    site.environment["VECBOARD_OFFLINE"] = "1"
    yield site
    if "up" in site.processes:
        site.processes["up"].terminate()
        site.processes["up"].wait()


def numbers(results: list[dict[str, Any]]) -> list[tuple[str, str | None, float]]:
    return [(result["task"], result["mode"], result["score"]) for result in results]


def test_after_a_killed_launcher_the_next_start_finishes_the_work(site: Launched) -> None:
    site.up()
    submission = site.submit(small_file())
    site.wait_until(lambda: site.runs(submission, "done") >= 1 and site.runs(submission, "running") >= 1)
    children = site.kill_launcher()
    assert len(children) >= 3
    assert psutil.wait_procs(children, timeout=60)[1] == []
    site.up()
    site.wait_until(lambda: site.state(submission) in ("done", "failed"))
    assert numbers(site.report(submission)["results"]) == numbers(scores_of_the_script())
    site.processes["up"].terminate()
    assert site.processes["up"].wait(60) == 0
