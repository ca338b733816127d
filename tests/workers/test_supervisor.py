"""The launcher's children: restarted within bounds, stopped together, gone with the launcher."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from tests.servers import eventually
from tests.workers.running_site import ROOT
from workers import supervisor
from workers.supervisor import Child, Supervisor

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]
STUBBORN = """
import pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""
LAUNCH = """
import os, sys, time
from workers.supervisor import Child
child = Child("child", [sys.executable, "-c", "import time; time.sleep(600)"])
child.start(os.environ)
print(child.process.pid, flush=True)
time.sleep(600)
"""


def supervise(*children: Child) -> tuple[Supervisor, list[str]]:
    said: list[str] = []
    return Supervisor(children, os.environ, said.append), said


def test_a_child_that_keeps_dying_is_restarted_a_few_times_then_all_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "MOST_RESTARTS", 1)
    dying, sound = Child("dying", [sys.executable, "-c", "raise SystemExit(3)"]), Child("sound", SLEEP)
    watch, said = supervise(dying, sound)
    for child in (dying, sound):
        child.start(os.environ)
    assert watch.watch(every=0.05) == 1
    assert not sound.is_running
    assert "exit status 3" in said[0]
    assert "2 times" in said[1]


def test_a_child_that_does_not_listen_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "STOP_SECONDS", 0.2)
    ready = tmp_path / "ready"
    stubborn = Child("stubborn", [sys.executable, "-c", STUBBORN, str(ready)])
    watch, _ = supervise(stubborn)
    stubborn.start(os.environ)
    eventually(ready.exists, every=0.02)
    watch.stop()
    assert stubborn.process is not None
    assert stubborn.process.wait(60) == -9


def test_lines_carry_the_name_of_the_child(capsys: pytest.CaptureFixture[str]) -> None:
    child = Child("web", [sys.executable, "-c", "print('listening')"])
    child.start(os.environ)
    assert child.process is not None
    child.process.wait(60)
    child.readers[0].join(60)
    assert "web    | listening" in capsys.readouterr().out


def test_a_signal_stops_all_and_is_not_a_failure() -> None:
    child = Child("child", SLEEP)
    watch, said = supervise(child)
    child.start(os.environ)
    threading.Timer(0.2, watch._on_signal, (15, None)).start()
    assert watch.watch(every=0.05) == 0
    assert not child.is_running
    assert said[0].startswith("Stopping")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a child that its parent died")
def test_a_launcher_that_is_killed_takes_its_children_with_it(tmp_path: Path) -> None:
    launcher = subprocess.Popen([sys.executable, "-c", LAUNCH], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert launcher.stdout is not None
    child = int(launcher.stdout.readline())
    launcher.kill()
    launcher.wait()
    for _ in range(100):
        if not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.05)
    pytest.fail("the child outlived its launcher")
