"""Parallel trainings: each one kept, errors attributed to a run, and none that outlives its parent process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from extensions.training.measure.side_by_side import train_side_by_side
from research.study.store import Job, settings
from tasks.errors import InputError

ROOT = Path(__file__).resolve().parents[3]
JOBS = [Job(settings()[0], run) for run in range(3)]
PATIENCE = 120
PARENT = """
from pathlib import Path
from extensions.training.tests.test_side_by_side import JOBS, Trainer
from extensions.training.measure.side_by_side import train_side_by_side
if __name__ == "__main__":
    list(train_side_by_side(JOBS, Trainer(Path("."), sleeps=600), 2))
"""


@dataclass(frozen=True)
class Trainer:
    """Records its process id; then sleeps, or fails at one run."""

    folder: Path
    sleeps: float = 0
    fails_at: int = -1
    refuses: bool = False

    def __call__(self, job: Job) -> None:
        if job.run == self.fails_at:
            raise InputError("no-words", "As asked.") if self.refuses else ValueError("as asked")
        (self.folder / f"{job.run}.part").write_text(str(os.getpid()))
        (self.folder / f"{job.run}.part").replace(self.folder / f"{job.run}.pid")
        time.sleep(self.sleeps)


def processes(folder: Path, count: int) -> list[int]:
    """Ids of the training processes, once the given number has begun."""
    deadline = time.monotonic() + PATIENCE
    while len(found := list(folder.glob("*.pid"))) < count:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return [int(path.read_text()) for path in found]


def all_end(numbers: list[int]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{number}").exists() for number in numbers):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def test_every_run_is_trained_in_a_process_of_its_own(tmp_path: Path) -> None:
    done = list(train_side_by_side(JOBS, Trainer(tmp_path), 2))
    assert sorted(job.run for job in done) == [0, 1, 2]
    assert len({*processes(tmp_path, 3), os.getpid()}) == 4


def test_an_error_names_its_run_and_what_was_kept_stays(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=f"{JOBS[0].setting.id}, run 2: its training ended with an error"):
        list(train_side_by_side(JOBS, Trainer(tmp_path, fails_at=1), 1))
    assert [path.name for path in tmp_path.glob("*.pid")] == ["0.pid"]


def test_what_a_training_refuses_is_reported_as_if_it_were_here(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="As asked") as refused:
        list(train_side_by_side(JOBS, Trainer(tmp_path, fails_at=0, refuses=True), 1))
    assert refused.value.code == "no-words"


@pytest.mark.slow
def test_who_stops_listening_stops_the_trainings(tmp_path: Path) -> None:
    done = train_side_by_side(JOBS, Trainer(tmp_path, sleeps=600), 2)
    with pytest.raises(KeyboardInterrupt):
        _interrupted_after(done, tmp_path)
    assert all_end(processes(tmp_path, 2))


def _interrupted_after(done: object, folder: Path) -> None:
    """Send Ctrl-C while the trainings run."""
    pid = os.getpid()
    # Tests started in the background may ignore SIGINT.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    waits = (
        f"import os, pathlib, time\nwhile len(list(pathlib.Path({str(folder)!r}).glob('*.pid'))) < 2: time.sleep(.1)"
    )
    try:
        with subprocess.Popen([sys.executable, "-c", f"{waits}\nos.kill({pid}, {int(signal.SIGINT)})"]):
            next(done)  # type: ignore[call-overload]
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_no_training_behind(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen([sys.executable, str(script)], cwd=tmp_path, env=environment)
    children = processes(tmp_path, 2)
    parent.kill()
    parent.wait()
    assert all_end(children)
