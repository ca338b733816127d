"""Dumps of entries: details, reports and outcomes, without vectors.

A dump is one zip file per suite version. For every entry it holds ``ID.json`` (its details and the report as served)
and ``ID.npz`` (the outcomes of each score, from which a site computes ranks). The units of the test examples, which all
entries share, are in ``units.npz``. It can be read without a site.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks.errors import VecboardError
from tasks.formats.quantised import Precision
from tasks.hashes import suite_hash
from tasks.results import Outcomes
from tasks.suite import Suite

SHIPPED = Path(__file__).parent
EXCERPT_WORDS = 20_000
EXCERPT_PRECISION: Precision = "int8"
"""Of the excerpts of vectors that ship."""
SUITE_MEMBER = "suite.json"
UNITS_MEMBER = "units.npz"


class OtherVersion(VecboardError):
    """The dump was made under another definition of the suite."""


@dataclass(frozen=True)
class DumpedEntry:
    """One entry of a dump, as stored; ``details`` includes the report as text."""

    pk: str
    details: Mapping[str, Any]
    outcomes: Mapping[str, Outcomes]


def dump_path(suite: Suite, folder: Path = SHIPPED) -> Path:
    return folder / f"{suite.id}-{suite.version}.zip"


def identity(suite: Suite) -> dict[str, Any]:
    """Identity of a suite's definition, which must be equal for a dump and its reader."""
    return {"id": suite.id, "version": suite.version, "hash": suite_hash(suite)}


def stored_entries(suite: Suite, path: Path) -> Iterator[DumpedEntry]:
    """Yield the entries of a dump, in order.

    Raises
    ------
    OtherVersion
        the suite has another definition here.
    """
    with zipfile.ZipFile(path) as archive:
        made_with = json.loads(archive.read(SUITE_MEMBER))
        if made_with != identity(suite):
            raise OtherVersion(
                f"{path.name} was made with {made_with['id']} version {made_with['version']} ({made_with['hash']}), "
                f"but here it is version {suite.version} ({suite_hash(suite)}). Make the board again: make board"
            )
        units = _arrays(archive.read(UNITS_MEMBER))
        for name in archive.namelist():
            pk = name.removesuffix(".json")
            if name != SUITE_MEMBER and pk != name:
                arrays = units | _arrays(archive.read(f"{pk}.npz"))
                outcomes = {key: Outcomes.unpacked(arrays, key) for key in arrays if f"{key}|columns" in arrays}
                yield DumpedEntry(pk, json.loads(archive.read(name)), outcomes)


def _arrays(content: bytes) -> dict[str, NDArray[np.generic]]:
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        return dict(stored)


def outcomes_key(task: str, mode: str | None) -> str:
    """Name of a cell's outcomes in a dump."""
    return f"{task}|{mode or ''}"
