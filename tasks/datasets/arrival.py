"""How far the data sets of this machine have arrived: a small file that the process which fetches them keeps current.

Everything else reads it: pages, workers that wait for data, and the sentence in a blank cell. It holds only what is
missing; whether a set is there is decided by its files alone (:mod:`tasks.datasets.store`).
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
"""A file that is older was left by a process that no longer runs, and says nothing."""


@dataclass(frozen=True)
class MissingSet:
    """A data set that has not arrived.

    Parameters
    ----------
    is_coming : worth waiting for: its addresses have not refused it, nor failed several times.
    reason : why the last try failed, a clause; empty while nothing has failed.
    next_try : when it is tried again, in seconds since 1970; 0 if it is being downloaded now, or never tried again.
    """

    is_coming: bool
    reason: str = ""
    next_try: float = 0.0


@dataclass(frozen=True)
class Arrival:
    """What has arrived of the data sets that were missing.

    Parameters
    ----------
    reachable : whether any address has answered; None: not known yet.
    arrived, total : bytes of what is downloaded.
    missing : by the id of the data set, in the order in which they are fetched.
    at : when this was written, in seconds since 1970.
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
        """Whether a set that is missing is worth waiting for."""
        return dataset in self.missing and self.missing[dataset].is_coming

    def reason(self, dataset: str) -> str:
        """Why a missing set has not arrived, a clause; empty if nothing has failed."""
        return self.missing[dataset].reason if dataset in self.missing else ""

    def write(self, directory: Path) -> None:
        """Replace the file in one step."""
        with suppress(OSError), whole(directory / FILE) as partial:
            partial.write_text(json.dumps(asdict(self)), encoding="utf-8")


def arrival_in(directory: Path) -> Arrival | None:
    """What the file in a data directory says; None if nobody is fetching data sets into it."""
    try:
        stored = json.loads((directory / FILE).read_text(encoding="utf-8"))
        stored["missing"] = {name: MissingSet(**one) for name, one in stored["missing"].items()}
        found = Arrival(**stored)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return found if abs(time.time() - found.at) < SILENCE_SECONDS else None
