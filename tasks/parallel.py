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

from tasks.baseline.published import published
from tasks.cells import Cell, CellProgress, How, OnProgress, attempt_cell
from tasks.prepared import open_prepared, store
from tasks.processes import end_with_parent
from tasks.results import TaskResult, Unavailable
from tasks.suite import Suite
from tasks.vectors import Embedding

Finished = list[TaskResult | Unavailable]
_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Evaluation:
    """What the cells of one evaluation share; ``tell`` is called at every step of a cell."""

    embedding: Embedding
    suite: Suite
    how: How
    tell: OnProgress

    def run_cell(self, cell: Cell) -> TaskResult | Unavailable:
        """Evaluate a cell; a missing score is returned with its reason."""
        task, mode = cell
        self.tell(CellProgress(task, mode, 0.0, "starting"))
        result = attempt_cell(
            self.embedding,
            self.suite,
            self.suite.task(task),
            mode,
            progress=lambda share, what: self.tell(CellProgress(task, mode, share, what)),
            **self.how,
        )
        self.tell(CellProgress(task, mode, 1.0, "done", result))
        return result


def run_here(evaluation: Evaluation, cells: Sequence[Cell]) -> Finished:
    """One cell after the other, in this process."""
    return [evaluation.run_cell(cell) for cell in cells]


def longest_first(suite: Suite, cells: Sequence[Cell]) -> list[Cell]:
    """Order of work for several processes: by the baseline's seconds if known, else fine-tuned first."""
    baseline = published(suite)
    seconds = {(r.task, r.mode): r.seconds for r in baseline.results} if baseline else {}
    return sorted(cells, key=lambda cell: (-seconds.get(cell, 0.0), cell[1] != "fine-tuned", cells.index(cell)))


def quick_first(suite: Suite, cells: Sequence[Cell]) -> list[Cell]:
    """Order of work while somebody watches: word tasks, the shortest first; then trained cells, the longest first."""
    ordered = longest_first(suite, cells)
    words = [cell for cell in reversed(ordered) if cell[1] is None]
    return [*words, *(cell for cell in ordered if cell[1] is not None)]


_of_child: Evaluation


def _start_child(
    directory: str, name: str, language: str, suite: Suite, how: How, messages: Queue[CellProgress]
) -> None:
    """Open the memory-mapped matrix, which all processes share."""
    end_with_parent()
    global _of_child
    embedding = open_prepared(Path(directory), name=name, language=language)
    _of_child = Evaluation(embedding, suite, how, messages.put)


def _run_in_child(cell: Cell) -> TaskResult | Unavailable:
    return _of_child.run_cell(cell)


def run_in_processes(evaluation: Evaluation, cells: Sequence[Cell], workers: int) -> Finished:
    """Run the longest cells first, ``workers`` at a time; return results in the order of ``cells``."""
    embedding, suite = evaluation.embedding, evaluation.suite
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="vecboard-") as scratch:
        directory = store(embedding, Path(scratch))
        messages = spawn.Queue()
        setup = (str(directory), embedding.name, embedding.language, suite, evaluation.how, messages)
        with ProcessPoolExecutor(workers, spawn, _start_child, setup) as pool:
            futures = {cell: pool.submit(_run_in_child, cell) for cell in longest_first(suite, cells)}
            try:
                _forward(messages, list(futures.values()), evaluation.tell)
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
