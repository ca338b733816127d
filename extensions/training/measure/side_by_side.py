"""Trainings side by side, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Generator, Iterable
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import TypeVar

from tasks.errors import InputError
from tasks.processes import end_with_parent

Job = TypeVar("Job")


def train_side_by_side(jobs: Iterable[Job], train: Callable[[Job], None], processes: int) -> Generator[Job, None, None]:
    """Train runs in the order of ``jobs``, ``processes`` at a time; yield each when it is done.

    Closing the iterator stops the running trainings. Children end with a killed parent, which they watch.

    Parameters
    ----------
    jobs : with a ``str()`` for messages.
    train : trains and stores one run; must be picklable.

    Raises
    ------
    InputError
        a training rejected its settings or corpus.
    RuntimeError
        a training ended with an error; the message names the job. Finished runs are kept.
    """
    waiting, running = iter(jobs), dict[int, tuple[SpawnProcess, Job, Connection]]()
    spawn = multiprocessing.get_context("spawn")
    try:
        while True:
            for job in islice(waiting, processes - len(running)):
                refusals, to_parent = spawn.Pipe(duplex=False)
                process = spawn.Process(target=_child, args=(train, job, to_parent), daemon=True)
                process.start()
                to_parent.close()
                running[process.sentinel] = process, job, refusals
            if not running:
                return
            for sentinel in wait(list(running)):
                assert isinstance(sentinel, int)  # the kind of object passed to wait()
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
        message = refusals.recv()
    except EOFError:
        return None
    return message if isinstance(message, InputError) else None


def _child(train: Callable[[Job], None], job: Job, to_parent: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and stops its children
    end_with_parent()
    try:
        train(job)
    except InputError as error:
        to_parent.send(error)
        sys.exit(1)
