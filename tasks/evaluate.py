"""From vectors to a report: evaluate every cell of a suite, in one process or several, and keep the finished ones.

The site's workers call :func:`tasks.cells.evaluate_cell` and :func:`tasks.report.assemble`; the script calls
:func:`evaluate`, which calls the same two, so both give the same numbers.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import platform
import shutil
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.queues import Queue
from pathlib import Path
from queue import Empty

import numpy as np
import scipy

from tasks.base import digest
from tasks.baseline.published import published, seconds_of_cells
from tasks.cells import Cell, CellProgress, How, OnProgress, attempt_cell
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.files import Damaged, read_arrays, temporary_folder, whole
from tasks.hashes import task_hash
from tasks.prepared import open_prepared, store
from tasks.processes import device_name, end_with_parent, resolve_device
from tasks.report import assemble, describe
from tasks.results import CellResult, Mode, Outcomes, Report, Unavailable, plain, typed
from tasks.suite import Suite
from tasks.vectors import Embedding

Finished = list[CellResult | Unavailable]
_POLL_SECONDS = 0.2


def select_cells(suite: Suite, tasks: Iterable[str] | None = None, modes: Iterable[Mode] | None = None) -> list[Cell]:
    """The suite's cells of these tasks and modes (word tasks have no mode: only ``tasks`` excludes them)."""
    chosen = [suite.task(task).id for task in tasks] if tasks is not None else [task.id for task in suite.tasks]
    chosen_modes = set(modes) if modes is not None else None
    return [
        (task.id, mode)
        for task, mode in suite.cells()
        if task.id in chosen and (mode is None or chosen_modes is None or mode in chosen_modes)
    ]


def evaluate(
    embedding: Embedding,
    suite: Suite,
    *,
    tasks: Iterable[str] | None = None,
    modes: Iterable[Mode] | None = None,
    seeds: int | None = None,
    first_seed: int = 0,
    device: str = "cpu",
    threads: int = 1,
    workers: int = 1,
    data: DataStore | None = None,
    on_progress: OnProgress | None = None,
    runs: Sequence[Path] = (),
    earlier: Sequence[CellResult] = (),
) -> Report:
    """Evaluate the chosen cells and assemble the report.

    Parameters
    ----------
    tasks, modes : None: all of the suite's.
    workers : processes that share the cells; the numbers do not depend on it. Always one on a GPU.
    on_progress : called at every step.
    runs : directories of prepared vectors: other runs of the same settings.
    earlier : results of cells that need not be measured again.
    """
    store = data or DataStore.default()
    chosen = select_cells(suite, tasks, modes)
    measured = {(result.task, result.mode): result for result in earlier}
    cells = [cell for cell in chosen if cell not in measured]
    tell = on_progress or (lambda _: None)
    device = resolve_device(device)
    how: How = {
        "data": store, "seeds": seeds, "first_seed": first_seed, "device": device, "threads": threads,
        "runs": tuple(runs),
    }  # fmt: skip
    evaluation = Evaluation(embedding, suite, how, tell)
    many = workers > 1 and device == "cpu" and len(cells) > 1
    finished = run_in_processes(evaluation, cells, workers) if many else [evaluation.run_cell(cell) for cell in cells]
    results = [item for item in finished if isinstance(item, CellResult)]
    return assemble(
        suite,
        describe(embedding),
        [*results, *(measured[cell] for cell in chosen if cell in measured)],
        [item for item in finished if isinstance(item, Unavailable)],
        environment(device, threads),
    )


def over_seeds(results: Sequence[CellResult]) -> CellResult:
    """A cell's score, deviation and outcomes over several seeds; on a CPU, the bits are those of one joint training.

    Parameters
    ----------
    results : of one seed each, in their order, with outcomes; details that enter no comparison are left out.
    """
    if len(results) == 1:
        return results[0]
    scores = [result.score for result in results]
    return replace(
        results[0],
        score=float(np.mean(scores)),
        sd=float(np.std(scores, ddof=1)),
        seeds=len(results),
        seconds=sum(result.seconds for result in results),
        secondary={},
        training=None,
        outcomes=Outcomes.averaged([result.outcomes for result in results if result.outcomes is not None]),
    )


def environment(device: str, threads: int) -> dict[str, str | int]:
    """Versions and hardware behind the numbers: two reports are bit-equal only if these agree."""
    import torch

    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "torch": torch.__version__,
        "device": device_name(device),
        "threads": threads,
    }


@dataclass(frozen=True)
class Evaluation:
    """State that the cells of one evaluation share; ``tell`` is called at every step of a cell."""

    embedding: Embedding
    suite: Suite
    how: How
    tell: OnProgress

    def run_cell(self, cell: Cell) -> CellResult | Unavailable:
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


def longest_first(suite: Suite, cells: Sequence[Cell]) -> list[Cell]:
    """Order of work for several processes: by the baseline's seconds if known, else fine-tuned first."""
    baseline = published(suite)
    seconds = {(r.task, r.mode): r.seconds for r in baseline.results} if baseline else {}
    return sorted(cells, key=lambda cell: (-seconds.get(cell, 0.0), cell[1] != "fine-tuned", cells.index(cell)))


def quick_first(suite: Suite, cells: Sequence[Cell]) -> list[Cell]:
    """Order of work for interactive use: word tasks, the shortest first; windows, fixed before fine-tuned; sentences.

    Comparisons with the baseline's vectors, which may have to be trained, are the last word tasks. Within each of the
    groups of trained cells, the longest come first.
    """
    seconds = seconds_of_cells(suite, suite.baseline_dimensions)

    def turn(cell: Cell) -> tuple[bool, bool, bool, float]:
        task, took = suite.task(cell[0]), seconds.get(cell, math.inf)
        if not task.extrinsic:
            return False, False, task.compares_with_baseline, took
        is_window = task.family.id == "window"
        return True, not is_window, is_window and cell[1] == "fine-tuned", -took

    return sorted(cells, key=turn)


_of_child: Evaluation


def _start_child(
    directory: str, name: str, language: str, suite: Suite, how: How, messages: Queue[CellProgress]
) -> None:
    """Open the memory-mapped matrix, which all processes share."""
    end_with_parent()
    global _of_child
    embedding = open_prepared(Path(directory), name=name, language=language)
    _of_child = Evaluation(embedding, suite, how, messages.put)


def _run_in_child(cell: Cell) -> CellResult | Unavailable:
    return _of_child.run_cell(cell)


def run_in_processes(evaluation: Evaluation, cells: Sequence[Cell], workers: int) -> Finished:
    """Run the longest cells first, ``workers`` at a time; return results in the order of ``cells``."""
    embedding, suite = evaluation.embedding, evaluation.suite
    spawn = multiprocessing.get_context("spawn")
    with temporary_folder() as scratch:
        directory = store(embedding, scratch)
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


def _forward(messages: Queue[CellProgress], futures: list[Future[CellResult | Unavailable]], tell: OnProgress) -> None:
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


@dataclass(frozen=True)
class FinishedCells:
    """A folder with a file for each finished cell of one evaluation: the result as JSON, and its outcomes.

    File names are hashes of everything that a number depends on, so results of other vectors, data, definitions, seeds,
    versions of the libraries, devices or numbers of threads are never reused.

    Parameters
    ----------
    folder : created with the first cell.
    data : the data sets of the cells.
    vectors : hash and language of the embedding, and the hashes of its other runs if it has any.
    seeds : as in :func:`tasks.evaluate.evaluate`.
    environment : from :func:`tasks.evaluate.environment`.
    """

    folder: Path
    suite: Suite
    data: DataStore
    vectors: Sequence[str]
    seeds: int | None
    environment: Mapping[str, str | int]

    def keep(self, result: CellResult) -> None:
        """Write a cell's result; a file appears whole or not at all."""
        self.folder.mkdir(exist_ok=True)
        text = np.frombuffer(json.dumps(plain(result), allow_nan=False).encode(), dtype=np.uint8)
        arrays = {} if result.outcomes is None else result.outcomes.as_arrays()
        with whole(self._place((result.task, result.mode))) as partial, partial.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, result=text, **arrays)

    def among(self, cells: Sequence[Cell]) -> list[CellResult]:
        """Results of the finished ones among these cells; damaged files are ignored."""
        results = []
        for cell in cells:
            with suppress(OSError, ValueError, KeyError, Damaged), self._place(cell).open("rb") as file:
                stored = read_arrays(file, file.name)
                outcomes = Outcomes.from_arrays(stored) if "values" in stored else None
                result = typed(CellResult, json.loads(stored["result"].tobytes()))
                results.append(replace(result, outcomes=outcomes))
        return results

    def forget(self) -> None:
        """Remove the folder: the report is written."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _place(self, cell: Cell) -> Path:
        task, mode = cell
        declared = self.suite.task(task)
        data = None
        if declared.dataset is not None:
            with suppress(DataUnavailable):
                data = self.data.content_sha256(declared.dataset)
        how = [list(self.vectors), self.seeds, dict(self.environment)]
        named = digest([task_hash(self.suite, declared, mode), data, *how])
        return self.folder / f"{task}.{mode or 'word'}.{named}.npz"
