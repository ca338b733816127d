"""Where files are: data directory, mirror directory, download. (To be filled.)"""
from __future__ import annotations

from tasks.datasets.examples import Parts


class DataStore:
    def load(self, dataset: str, part: str | None = None) -> Parts:
        raise KeyError(dataset)
