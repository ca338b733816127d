"""Training the study's runs in several processes: each run is one thread's work, so that its bits stay the same."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from typing import Any

from tasks.political.study.grid import Setting


@dataclass(frozen=True)
class Job:
    """One run of a setting, counted from 0."""

    setting: Setting
    run: int


Train = Callable[[Job], None]


def train_side_by_side(jobs: Iterable[Job], train: Train, processes: int) -> Iterator[Job]:
    """Train runs, so many at a time, in the order of ``jobs``; each is given out when it is done.

    Whoever stops listening (or is stopped) stops the trainings that go on; a process that was killed leaves no child
    behind, as each of them watches for its parent.

    Parameters
    ----------
    train : trains one run and keeps it; can be pickled.

    Raises
    ------
    RuntimeError
        a training ended with an error; names it. What the others had finished is kept.
    """
    waiting, running = iter(jobs), dict[Any, tuple[SpawnProcess, Job]]()
    spawn = multiprocessing.get_context("spawn")
    try:
        while True:
            for job in islice(waiting, processes - len(running)):
                process = spawn.Process(target=_child, args=(train, job), daemon=True)
                process.start()
                running[process.sentinel] = process, job
            if not running:
                return
            for sentinel in wait(list(running)):
                process, job = running.pop(sentinel)
                process.join()
                if process.exitcode != 0:
                    raise RuntimeError(f"{job.setting.id}, run {job.run + 1}: its training ended with an error.")
                yield job
    finally:
        for process, _ in running.values():
            process.terminate()
            process.join()


def _child(train: Train, job: Job) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C, and stops its children
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    train(job)


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
