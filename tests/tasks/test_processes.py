"""No process outlives its parent, and no temporary folder its process for longer than until the next start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tasks.files import temporary_folder
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


WAITS = """
from tasks.files import temporary_folder
with temporary_folder() as folder:
    (folder / "matrix.npy").write_bytes(bytes(1000))
    print(folder, flush=True)
    input()
"""


def test_the_folder_of_a_killed_process_goes_with_the_next_start_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "vecboard-of-another-program").mkdir()
    pipe = subprocess.PIPE
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    begun = [subprocess.Popen([sys.executable, "-c", WAITS], stdin=pipe, stdout=pipe, env=environment) for _ in "ab"]
    folders = [Path(one.stdout.readline().decode().strip()) for one in begun if one.stdout]
    begun[0].kill()
    begun[0].wait()
    with temporary_folder() as own:
        assert set(tmp_path.iterdir()) == {own, folders[1], tmp_path / "vecboard-of-another-program"}
        assert (folders[1] / "matrix.npy").exists()
    begun[1].communicate(b"\n")
    assert not own.exists()
    assert not folders[1].exists()
