"""Progress of downloads of data sets: a small file in the data directory, written by the process that fetches them.

Pages, waiting workers and the reason in a blank cell come from it. It lists missing sets only; their files alone decide
whether they are available (:mod:`tasks.datasets.store`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tasks.files import whole

FILE = ".arriving.json"
SILENCE_SECONDS = 120.0
"""Age after which the file counts as left behind by a process that no longer runs."""


@dataclass(frozen=True)
class MissingSet:
    """A data set that has not arrived.

    Parameters
    ----------
    is_coming : worth waiting for: no URL has refused it or failed several times.
    reason : cause of the last failure, a clause; empty without a failure.
    next_try : time of the next try, in seconds since 1970; 0 during a download, or without a next try.
    """

    is_coming: bool
    reason: str = ""
    next_try: float = 0.0


@dataclass(frozen=True)
class Arrival:
    """Progress of a fetch.

    Parameters
    ----------
    reachable : any URL has answered; None: not known yet.
    arrived, total : bytes downloaded, and to download.
    missing : by id of the data set, in download order.
    at : time of writing, in seconds since 1970.
    """

    reachable: bool | None = None
    arrived: int = 0
    total: int = 0
    missing: Mapping[str, MissingSet] = field(default_factory=dict)
    at: float = field(default_factory=time.time)

    @property
    def megabytes(self) -> str:
        """“12 of 96 MB”."""
        return f"{self.arrived / 1e6:,.0f} of {self.total / 1e6:,.0f} MB"

    def is_coming(self, dataset: str) -> bool:
        """True if a missing set is worth waiting for."""
        return dataset in self.missing and self.missing[dataset].is_coming

    def reason(self, dataset: str) -> str:
        """Cause of the last failure for a missing set, a clause; empty without one."""
        return self.missing[dataset].reason if dataset in self.missing else ""

    def write(self, directory: Path) -> None:
        """Replace the file atomically."""
        with suppress(OSError), whole(directory / FILE) as partial:
            partial.write_text(json.dumps(asdict(self)), encoding="utf-8")


def arrival_in(directory: Path) -> Arrival | None:
    """Progress in a data directory; None if no process is fetching into it."""
    try:
        stored = json.loads((directory / FILE).read_text(encoding="utf-8"))
        stored["missing"] = {name: MissingSet(**one) for name, one in stored["missing"].items()}
        found = Arrival(**stored)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return found if abs(time.time() - found.at) < SILENCE_SECONDS else None
