"""Run the cells of one evaluation: one after the other, or in several processes."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing.queues import Queue
from pathlib import Path
from queue import Empty

from tasks.cells import Cell, CellProgress, How, OnProgress, attempt_cell
from tasks.results import TaskResult, Unavailable
from tasks.suite import Suite
from tasks.vectors import Embedding

Finished = list[TaskResult | Unavailable]
_POLL_SECONDS = 0.2


def run_here(
    embedding: Embedding,
    suite: Suite,
    cells: Sequence[Cell],
    workers: int,
    how: How,
    tell: OnProgress,
) -> Finished:
    """One cell after the other, in this process."""
    return [_run_cell(embedding, suite, cell, how, tell) for cell in cells]


def _run_cell(embedding: Embedding, suite: Suite, cell: Cell, how: How, tell: OnProgress) -> TaskResult | Unavailable:
    task, mode = cell
    tell(CellProgress(task, mode, 0.0, "starting"))
    result = attempt_cell(
        embedding,
        suite,
        suite.task(task),
        mode,
        progress=lambda share, what: tell(CellProgress(task, mode, share, what)),
        **how,
    )
    tell(CellProgress(task, mode, 1.0, "done", result))
    return result


def longest_first(suite: Suite, cells: Sequence[Cell]) -> list[Cell]:
    """Order of work for several processes: by the baseline's seconds if known, else fine-tuned first."""
    from tasks.baseline.published import published

    baseline = published(suite)
    seconds = {(r.task, r.mode): r.seconds for r in baseline.results} if baseline else {}
    return sorted(cells, key=lambda cell: (-seconds.get(cell, 0.0), cell[1] != "fine-tuned", cells.index(cell)))


@dataclass(frozen=True)
class _Child:
    """What the cells of a child process share."""

    embedding: Embedding
    suite: Suite
    how: How
    messages: Queue[CellProgress]


_child: _Child


def _start_child(
    directory: str, name: str, language: str, suite: Suite, how: How, messages: Queue[CellProgress]
) -> None:
    """Open the memory-mapped matrix, which all processes share."""
    from tasks.prepared import open_prepared

    global _child
    _child = _Child(open_prepared(Path(directory), name=name, language=language), suite, how, messages)


def _run_in_child(cell: Cell) -> TaskResult | Unavailable:
    return _run_cell(_child.embedding, _child.suite, cell, _child.how, _child.messages.put)


def run_in_processes(
    embedding: Embedding,
    suite: Suite,
    cells: Sequence[Cell],
    workers: int,
    how: How,
    tell: OnProgress,
) -> Finished:
    """Run the longest cells first, ``workers`` at a time; return results in the order of ``cells``."""
    from tasks.prepared import store

    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="vecboard-") as scratch:
        directory = store(embedding, Path(scratch))
        messages = spawn.Queue()
        setup = (str(directory), embedding.name, embedding.language, suite, how, messages)
        with ProcessPoolExecutor(workers, spawn, _start_child, setup) as pool:
            futures = {cell: pool.submit(_run_in_child, cell) for cell in longest_first(suite, cells)}
            try:
                _forward(messages, list(futures.values()), tell)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            return [futures[cell].result() for cell in cells]


def _forward(messages: Queue[CellProgress], futures: list[Future[TaskResult | Unavailable]], tell: OnProgress) -> None:
    """Pass on the children's messages until all have finished; raise the first failure at once."""
    while True:
        pending = wait(futures, timeout=0).not_done
        for future in futures:
            if future.done():
                future.result()
        try:
            while True:
                tell(messages.get(timeout=_POLL_SECONDS if pending else 0.05))
        except Empty:
            if not pending:
                return
