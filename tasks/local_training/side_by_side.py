"""Trainings in several processes: each run is one thread's work, so that its bits stay the same."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

from tasks.errors import InputError

Job = TypeVar("Job")


def train_side_by_side(jobs: Iterable[Job], train: Callable[[Job], None], processes: int) -> Iterator[Job]:
    """Train runs, so many at a time, in the order of ``jobs``; each is given out when it is done.

    Whoever stops listening (or is stopped) stops the trainings that go on; a process that was killed leaves no child
    behind, as each of them watches for its parent.

    Parameters
    ----------
    jobs : ``str()`` names one.
    train : trains one run and keeps it; can be pickled.

    Raises
    ------
    InputError
        a training refused what it was given, as it would have here.
    RuntimeError
        a training ended with an error; names it. What the others had finished is kept.
    """
    waiting, running = iter(jobs), dict[Any, tuple[SpawnProcess, Job, Connection]]()
    spawn = multiprocessing.get_context("spawn")
    try:
        while True:
            for job in islice(waiting, processes - len(running)):
                refusals, told = spawn.Pipe(duplex=False)
                process = spawn.Process(target=_child, args=(train, job, told), daemon=True)
                process.start()
                told.close()
                running[process.sentinel] = process, job, refusals
            if not running:
                return
            for sentinel in wait(list(running)):
                process, job, refusals = running.pop(sentinel)
                process.join()
                if process.exitcode != 0:
                    raise _refusal(refusals) or RuntimeError(f"{job}: its training ended with an error.")
                yield job
    finally:
        for process, _, _ in running.values():
            process.terminate()
            process.join()


def _refusal(refusals: Connection) -> InputError | None:
    try:
        said = refusals.recv()
    except EOFError:
        return None
    return said if isinstance(said, InputError) else None


def _child(train: Callable[[Job], None], job: Job, told: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C, and stops its children
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    try:
        train(job)
    except InputError as error:
        told.send(error)
        sys.exit(1)


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
