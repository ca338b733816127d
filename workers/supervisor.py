"""Child processes of the local launcher: start, watch, restart with exponential backoff, and stop them together."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO

from tasks.processes import end_with_parent

Say = Callable[[str], None]


RECENT_SECONDS = 600.0
"""Time after which a death no longer lengthens the pause before a restart."""
LONGEST_PAUSE_SECONDS = 60.0
STOP_SECONDS = 10.0
"""Time for a process to end before it is killed."""


@dataclass
class Child:
    """One process of the site.

    Parameters
    ----------
    name : prefix of its lines.
    command : its arguments.
    stop_signal : asks it to end; a worker does not wait for its jobs, which are resent at the next start.
    may_end : exit status 0 means that its work is done; it is not restarted.
    is_essential : the site ends if its exit status is EX_UNAVAILABLE, as of a taken port.
    after : it is started once this one has done its work.
    longest_pause : before a restart, in seconds.
    """

    name: str
    command: Sequence[str]
    stop_signal: signal.Signals = signal.SIGTERM
    may_end: bool = False
    is_essential: bool = False
    after: Child | None = None
    longest_pause: float = LONGEST_PAUSE_SECONDS
    process: subprocess.Popen[str] | None = None
    deaths: list[float] = field(default_factory=list)
    """Recent ones, by the monotonic clock."""
    starts_at: float | None = None
    """When it is started again, once its death has been noticed."""
    readers: list[threading.Thread] = field(default_factory=list)

    def start(self, environment: Mapping[str, str]) -> None:
        """Start it in its own session, so that Ctrl-C reaches only the launcher and the whole group can be ended."""
        self.starts_at = None
        self.process = subprocess.Popen(
            self.command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            preexec_fn=end_with_parent,
        )
        assert self.process.stdout is not None
        reader = threading.Thread(target=_forward, args=(self.name, self.process.stdout), daemon=True)
        reader.start()
        self.readers.append(reader)

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def is_done(self) -> bool:
        return self.may_end and self.process is not None and self.process.poll() == 0

    @property
    def waits(self) -> bool:
        return self.process is None and self.after is not None and not self.after.is_done

    def ask_to_stop(self) -> None:
        if self.process is not None and self.is_running:
            self.process.send_signal(self.stop_signal)

    def kill(self) -> None:
        """End the whole group, including processes that a dead child left behind."""
        if self.process is not None and not self.is_done:  # the number of one that ended may be another's by now
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                return


class Supervisor:
    """Runs the children until a signal asks to stop, and restarts those that die, after longer and longer pauses."""

    def __init__(self, children: Sequence[Child], environment: Mapping[str, str], say: Say) -> None:
        self.children, self.environment, self.say = children, environment, say
        self._stop = threading.Event()

    def start(self) -> None:
        """Start all that do not run yet, and take over Ctrl-C and SIGTERM."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        for child in self.children:
            if child.process is None and not child.waits:
                child.start(self.environment)

    def watch(self, every: float = 0.5, until: Callable[[], bool] = lambda: False) -> int | None:
        """Block until the end, restarting what dies.

        Exit status 0 after a signal, 1 if an essential child says that it cannot run; None if ``until``.
        """
        while not self._stop.wait(every):
            if until():
                return None
            for child in self.children:
                if child.is_running or child.is_done or child.waits:
                    continue
                if child.process is None:
                    child.start(self.environment)
                elif child.starts_at is None and not self._note_death(child):
                    self.stop()
                    return 1
                elif child.starts_at is not None and time.monotonic() >= child.starts_at:
                    child.start(self.environment)
        self.stop()
        return 0

    def stop(self) -> None:
        """Ask all to end, wait, then kill the rest."""
        self._stop.set()
        for child in self.children:
            child.ask_to_stop()
        deadline = time.monotonic() + STOP_SECONDS
        while any(child.is_running for child in self.children) and time.monotonic() < deadline:
            time.sleep(0.05)
        for child in self.children:
            child.kill()
        for child in self.children:
            for reader in child.readers:
                reader.join(timeout=1)

    def _note_death(self, child: Child) -> bool:
        """Set the time at which a dead child is restarted; False if it cannot run and the site ends."""
        assert child.process is not None
        status, now = child.process.returncode, time.monotonic()
        child.kill()
        child.deaths = [*(death for death in child.deaths if now - death < RECENT_SECONDS), now]
        if child.is_essential and status == os.EX_UNAVAILABLE:
            return False
        pause = min(2.0 ** (len(child.deaths) - 1), child.longest_pause)
        child.starts_at = now + pause
        self.say(f"{child.name} ended with exit status {status}; it is started again in {pause:.0f} s.")
        return True

    def _on_signal(self, number: int, _: object) -> None:
        if self._stop.is_set():
            for child in self.children:
                child.kill()
            return
        self.say("Stopping. Unfinished work resumes at the next start. (Press Ctrl-C again to end everything at once.)")
        self._stop.set()


def run_step(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run a preparing step on this terminal and return its exit status; leave no process behind if interrupted."""
    step = subprocess.Popen(command, env=dict(environment), start_new_session=True, preexec_fn=end_with_parent)
    try:
        return step.wait()
    except BaseException:
        with suppress(ProcessLookupError):  # it ended at the same moment
            os.killpg(step.pid, signal.SIGKILL)
        step.wait()
        raise


def _forward(name: str, lines: IO[str]) -> None:
    for line in lines:
        print(f"{name:<6} | {line.rstrip()}", flush=True)
