"""The finished cells of an evaluation, kept as they come, so that an interrupted one can go on."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from tasks.base import digest
from tasks.cells import Cell
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.files import whole
from tasks.hashes import task_hash
from tasks.results import Outcomes, TaskResult
from tasks.suite import Suite


class FinishedCells:
    """A folder with a file for each finished cell of one evaluation: the result as JSON, and its outcomes.

    Files are named by all that a number depends on, so what other vectors, data, definitions, seeds, versions of the
    libraries, devices or numbers of threads gave is never taken for it.

    Parameters
    ----------
    folder : made with the first cell.
    data : whose files a cell's number comes from.
    vectors : hash and language of the embedding, and the hashes of its other runs if it has any.
    seeds : as in :func:`tasks.evaluate.evaluate`.
    environment : from :func:`tasks.evaluate.environment`.
    """

    def __init__(
        self,
        folder: Path,
        suite: Suite,
        data: DataStore,
        vectors: Sequence[str],
        seeds: int | None,
        environment: Mapping[str, str | int],
    ) -> None:
        self.folder, self.suite, self.data = folder, suite, data
        self._how = [list(vectors), seeds, dict(environment)]

    def keep(self, result: TaskResult) -> None:
        """Write a cell's result; a file appears whole or not at all."""
        self.folder.mkdir(exist_ok=True)
        text = np.frombuffer(json.dumps(result.as_dict(), allow_nan=False).encode(), dtype=np.uint8)
        arrays = {} if result.outcomes is None else result.outcomes.as_arrays()
        with whole(self._place((result.task, result.mode))) as partial, partial.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, result=text, **arrays)

    def known(self, cells: Sequence[Cell]) -> list[TaskResult]:
        """The results of those of these cells that were finished; a damaged file counts as none."""
        found = []
        for cell in cells:
            try:
                with np.load(self._place(cell), allow_pickle=False) as stored:
                    outcomes = Outcomes.from_arrays(stored) if "values" in stored else None
                    found.append(TaskResult.from_dict(json.loads(stored["result"].tobytes()), outcomes))
            except (OSError, ValueError, KeyError, zipfile.BadZipFile):
                continue
        return found

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
        named = digest([task_hash(self.suite, declared, mode), data, *self._how])
        return self.folder / f"{task}.{mode or 'word'}.{named}.npz"
