"""No process outlives its parent."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.workers.running_site import small_file

PATIENCE = 120


def children(pid: int) -> set[int]:
    """Running children of a process."""
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


@pytest.mark.slow
def test_a_killed_evaluation_leaves_no_process_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tasks", "evaluate", str(small_file()), "--suite", "demo", "--workers", "2"]
    with (tmp_path / "log").open("w") as log:
        parent = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | {"VECBOARD_VAR": str(tmp_path)})
    deadline = time.monotonic() + PATIENCE
    while "fixed: " not in (tmp_path / "log").read_text():  # the first score
        assert parent.poll() is None, (tmp_path / "log").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    begun = children(parent.pid)
    assert len(begun) >= 2
    parent.kill()
    parent.wait()
    while left := {child for child in begun if Path(f"/proc/{child}").exists()}:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
