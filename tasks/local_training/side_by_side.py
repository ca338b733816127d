"""Train in several processes: each run uses one thread, so that its bits stay the same."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import TypeVar

from tasks.errors import InputError
from tasks.processes import end_with_parent

Job = TypeVar("Job")


def train_side_by_side(jobs: Iterable[Job], train: Callable[[Job], None], processes: int) -> Iterator[Job]:
    """Train runs in the order of ``jobs``, ``processes`` at a time; yield each when it is done.

    Closing the iterator stops the running trainings; a killed process leaves no children behind, as each of them
    watches its parent.

    Parameters
    ----------
    jobs : each is named by its ``str()``.
    train : trains one run and stores it; must be picklable.

    Raises
    ------
    InputError
        a training rejected its settings or corpus, as it would have in this process.
    RuntimeError
        a training ended with an error; the message names it. Finished runs are kept.
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
                assert isinstance(sentinel, int)  # what was waited for
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


def _child(train: Callable[[Job], None], job: Job, to_parent: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets Ctrl-C, and stops its children
    end_with_parent()
    try:
        train(job)
    except InputError as error:
        to_parent.send(error)
        sys.exit(1)
