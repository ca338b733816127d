"""The launcher's children: restarted within limits, stopped together, ended with the launcher."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from tests.servers import eventually
from tests.workers.running_site import ROOT
from workers import supervisor
from workers.supervisor import Child, Supervisor

SLEEP = ["sleep", "600"]
STUBBORN = """
import pathlib, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""
LAUNCH = """
import os, sys, time
from workers.supervisor import Child
child = Child("child", ["sleep", "600"])
child.start(os.environ)
print(child.process.pid, flush=True)
time.sleep(600)
"""


def supervise(*children: Child) -> tuple[Supervisor, list[str]]:
    said: list[str] = []
    return Supervisor(children, os.environ, said.append), said


DYING = ["sh", "-c", "exit 3"]


def test_a_port_that_is_taken_meanwhile_ends_the_site_at_once() -> None:
    dying = Child("web", ["sh", "-c", f"exit {os.EX_UNAVAILABLE}"], is_essential=True, longest_pause=0)
    watch, said = supervise(dying)
    dying.start(os.environ)
    assert watch.watch(every=0.05) == 1
    assert len(dying.deaths) == 1
    assert said == []


def test_a_child_is_started_once_the_one_before_it_has_succeeded(tmp_path: Path) -> None:
    """The first fails once."""
    tried = tmp_path / "tried"
    first = Child(
        "first", ["sh", "-c", f"[ -e {tried} ] || {{ touch {tried}; exit 2; }}"], may_end=True, longest_pause=0
    )
    second = Child("second", ["touch", str(tmp_path / "begun")], may_end=True, after=first)
    watch, said = supervise(first, second)
    first.start(os.environ)
    assert second.waits
    assert watch.watch(every=0.05, until=(tmp_path / "begun").exists) is None
    assert said == ["first ended with exit status 2; it is started again in 0 s."]
    watch.stop()


def test_the_site_outlives_any_number_of_deaths() -> None:
    dying, sound = Child("web", DYING, longest_pause=0), Child("sound", SLEEP)
    watch, said = supervise(dying, sound)
    for child in (dying, sound):
        child.start(os.environ)
    thread = threading.Thread(target=watch.watch, kwargs={"every": 0.02})
    thread.start()
    eventually(lambda: len(said) > 7, every=0.02)
    assert sound.is_running
    assert set(said) == {"web ended with exit status 3; it is started again in 0 s."}
    watch._on_signal(15, None)
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.parametrize(("within", "pauses"), [(600.0, [1, 2, 4, 8, 16, 32, 60, 60]), (0.0, [1] * 8)])
def test_pauses_grow_while_a_child_keeps_dying(
    within: float, pauses: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "RECENT_SECONDS", within)
    dying = Child("dying", DYING)
    watch, said = supervise(dying)
    for _ in pauses:
        dying.start(os.environ)
        assert dying.process is not None
        dying.process.wait(60)
        watch._note_death(dying)
    assert [line.rpartition(" in ")[2] for line in said] == [f"{pause} s." for pause in pauses]


def test_a_child_that_has_done_its_work_is_not_started_again() -> None:
    done, sound = Child("done", ["true"], may_end=True), Child("sound", SLEEP)
    watch, said = supervise(done, sound)
    for child in (done, sound):
        child.start(os.environ)
    assert done.process is not None
    done.process.wait(60)
    threading.Timer(0.3, watch._on_signal, (15, None)).start()
    assert watch.watch(every=0.02) == 0
    assert [line for line in said if "started again" in line] == []


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
    child = Child("web", ["echo", "listening"])
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
    eventually(lambda: has_ended(child), every=0.05)


def has_ended(process: int) -> bool:
    try:
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
