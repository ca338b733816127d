"""Run the cells of one evaluation: one after the other, or in several processes."""

from __future__ import annotations

import multiprocessing
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from pathlib import Path
from queue import Empty
from typing import Any

from tasks.baseline.published import published
from tasks.cells import Cell, CellProgress, OnProgress, attempt_cell
from tasks.datasets import DataStore
from tasks.prepared import open_prepared, store
from tasks.results import TaskResult, Unavailable
from tasks.suite import Suite
from tasks.vectors import Embedding

Finished = list[TaskResult | Unavailable]
_POLL_SECONDS = 0.2


def run_here(
    embedding: Embedding,
    suite: Suite,
    cells: Sequence[Cell],
    data: DataStore,
    workers: int,
    how: Mapping[str, Any],
    tell: OnProgress,
) -> Finished:
    """One cell after the other, in this process."""
    return [_run_cell(embedding, suite, cell, data, how, tell) for cell in cells]


def _run_cell(
    embedding: Embedding, suite: Suite, cell: Cell, data: DataStore, how: Mapping[str, Any], tell: OnProgress
) -> TaskResult | Unavailable:
    task, mode = cell
    tell(CellProgress(task, mode, 0.0, "starting"))
    result = attempt_cell(
        embedding,
        suite,
        suite.task(task),
        mode,
        data=data,
        progress=lambda share, what: tell(CellProgress(task, mode, share, what)),
        **how,
    )
    tell(CellProgress(task, mode, 1.0, "done", result))
    return result


def longest_first(suite: Suite, cells: Sequence[Cell]) -> list[Cell]:
    """Order of work for several processes: by the baseline's seconds if known, else fine-tuned first."""
    baseline = published(suite)
    seconds = {(r.task, r.mode): r.seconds for r in baseline.results} if baseline else {}
    return sorted(cells, key=lambda cell: (-seconds.get(cell, 0.0), cell[1] != "fine-tuned", cells.index(cell)))


_child: dict[str, Any] = {}


def _start_child(directory: str, name: str, language: str, suite: Suite, data: DataStore, messages: Any) -> None:
    """Open the memory-mapped matrix, which all processes share."""
    _child["embedding"] = open_prepared(Path(directory), name=name, language=language)
    _child["suite"], _child["data"], _child["messages"] = suite, data, messages


def _run_in_child(cell: Cell, how: Mapping[str, Any]) -> TaskResult | Unavailable:
    return _run_cell(_child["embedding"], _child["suite"], cell, _child["data"], how, _child["messages"].put)


def run_in_processes(
    embedding: Embedding,
    suite: Suite,
    cells: Sequence[Cell],
    data: DataStore,
    workers: int,
    how: Mapping[str, Any],
    tell: OnProgress,
) -> Finished:
    """Run the longest cells first, ``workers`` at a time; return results in the order of ``cells``."""
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="vecboard-") as scratch:
        directory = store(embedding, Path(scratch))
        messages = spawn.Queue()
        setup = (str(directory), embedding.name, embedding.language, suite, data, messages)
        with ProcessPoolExecutor(workers, spawn, _start_child, setup) as pool:
            futures = {cell: pool.submit(_run_in_child, cell, how) for cell in longest_first(suite, cells)}
            try:
                _forward(messages, list(futures.values()), tell)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            return [futures[cell].result() for cell in cells]


def _forward(messages: Any, futures: list[Future[TaskResult | Unavailable]], tell: OnProgress) -> None:
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
