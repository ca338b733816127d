"""Storage of the study's results: small ones that are committed, large ones that can be recreated."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.study.grid import Setting
from tasks.files import whole


@dataclass(frozen=True)
class Similarities:
    """Cosines of the study's cues with a vocabulary.

    Parameters
    ----------
    words : V words.
    political, random : float32, shape (cues, V); NaN rows for cues that are unknown.
    """

    words: NDArray[np.str_]
    political: NDArray[np.float32]
    random: NDArray[np.float32]


class Results:
    """Files of the study.

    Parameters
    ----------
    results : directory of the committed JSON files.
    work : directory of the runs' similarities.
    """

    def __init__(self, results: Path, work: Path) -> None:
        self.results, self.work = results, work
        for directory in (results / "cells", work):
            directory.mkdir(parents=True, exist_ok=True)

    def read(self, name: str) -> dict[str, Any] | None:
        """A committed result; None if it does not exist yet."""
        path = self.results / f"{name}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None

    def write(self, name: str, found: dict[str, Any]) -> None:
        """Write a result completely or not at all."""
        with whole(self.results / f"{name}.json") as partial:
            partial.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def cell(self, setting: Setting) -> dict[str, Any] | None:
        """The result of a setting."""
        return self.read(f"cells/{setting.id}")

    def run(self, setting: Setting, run: int) -> tuple[dict[str, Any], Similarities] | None:
        """Criteria and similarities of a run; None if it is not on this machine."""
        path = self._run_path(setting, run)
        if not path.is_file():
            return None
        with np.load(path, allow_pickle=False) as stored:
            criteria: dict[str, Any] = json.loads(str(stored["criteria"]))
            return criteria, Similarities(stored["words"], stored["political"], stored["random"])

    def write_run(self, setting: Setting, run: int, criteria: dict[str, Any], found: Similarities) -> None:
        """Store a run, so that an interrupted study resumes with the next one."""
        with whole(self._run_path(setting, run)) as partial, partial.open("wb") as file:
            np.savez(file, allow_pickle=False, criteria=np.array(json.dumps(criteria)), **vars(found))

    def _run_path(self, setting: Setting, run: int) -> Path:
        return self.work / f"{setting.id}-run{run + 1}.npz"
