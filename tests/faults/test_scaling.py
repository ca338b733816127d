"""The number of workers follows the number of waiting rows, by deploy/kubernetes/scaling.yaml: 0, 4 and 0 again."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.deploy.scaling import scaled
from tests.faults.conftest import Fault
from tests.workers.running_site import IMPATIENT, Site, scores, scores_of_the_script, small_file

COOLDOWN_SECONDS = 3.0
"""Five minutes in the manifest."""
LIMIT_SECONDS = 600.0


@dataclass
class Autoscaler:
    """KEDA and Kubernetes with the manifest: count rows, start workers, stop those that are no longer needed."""

    site: Site
    wanted_since: float = 0.0
    started: int = 0
    running: list[str] = field(default_factory=list)
    stopping: list[str] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)

    def look_until(self, condition: Callable[[], bool]) -> None:
        """Count and scale until the condition holds, at least once."""
        deadline = time.monotonic() + LIMIT_SECONDS
        self.look()
        while not condition():
            assert time.monotonic() < deadline, self.site.log()
            time.sleep(0.2)
            self.look()

    def look(self) -> None:
        manifest = scaled("worker-cpu")
        (rows,) = self.site.rows(manifest.query)[0]
        wanted = manifest.workers(rows)
        self.seen.append(wanted)
        if wanted >= len(self.running):
            self.wanted_since = time.monotonic()
        while len(self.running) < wanted:
            self.started += 1
            name = f"worker{self.started}"
            self.site.start_worker(name)
            self.running.append(name)
        if time.monotonic() > self.wanted_since + COOLDOWN_SECONDS:
            while len(self.running) > wanted:
                self.stopping.append(self.running.pop(0))
                self.site.processes[self.stopping[-1]].send_signal(signal.SIGTERM)
        for name in [name for name in self.stopping if self.site.processes[name].poll() is not None]:
            self.stopping.remove(name)
            assert self.site.processes.pop(name).returncode == 0, self.site.log()


@pytest.mark.redis
@pytest.mark.postgres
def test_from_none_to_four_workers_and_back_no_cell_is_lost_or_doubled(
    redis_url: str, database_url: str, tmp_path: Path, fault: Fault
) -> None:
    """One file starts the first workers, a second arrives while they work, and a third when all are gone again."""
    site = Site(tmp_path / "site", redis_url, database_url, **IMPATIENT)
    scaler = Autoscaler(site)
    submissions: dict[int, str] = {}
    try:
        site.start_beat()
        for widths in ((8, 9), (10,)):
            submissions[widths[0]] = site.submit(small_file(widths[0]))
            scaler.look_until(lambda: len(scaler.running) > 0)
            submissions |= {more: site.submit(small_file(more)) for more in widths[1:]}
            scaler.look_until(lambda: scaler.seen[-1] == 0 and not scaler.running and not scaler.stopping)
            assert all(site.is_over(submission) for submission in submissions.values())
        assert max(scaler.seen) == 4
        for dimensions, submission in submissions.items():
            assert scores(site.report(submission)) == scores_of_the_script(dimensions)
            measured = site.rows(
                "select tries, state from submissions_submissioncell where submission_id = ?", submission
            )
            assert set(measured) == {(1, "done")}, site.log()
    finally:
        site.kill_all()
    cells = sum(site.runs(submission, "done") for submission in submissions.values())
    fault("workers are started and stopped by waiting rows: 0 → 4 → 0", cells, "every cell measured once; same reports")
