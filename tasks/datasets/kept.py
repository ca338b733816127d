"""Arrays computed from a data set once per machine and kept in the data directory.

Parsing a suite's data sets takes seconds, loading the arrays milliseconds. A file's name is a hash of all inputs, so it
is never out of date; it holds plain arrays without pickles, and processes may read and write it concurrently.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from tasks.base import Task, digest
from tasks.datasets.store import DataStore
from tasks.files import whole

FOLDER = "kept"
Arrays = Mapping[str, NDArray[np.generic]]


def kept_arrays(kind: str, revision: int, task: Task, data: DataStore, make: Callable[[], Arrays]) -> Arrays:
    """The arrays that ``make`` computes from a task's data set, cached in a file.

    Parameters
    ----------
    kind : name of the computation, with the part of the data set if that varies.
    revision : increased when the computation changes.
    task : with a data set; its options and its family's revision enter the hash.
    make : called if the file is missing or damaged.

    Raises
    ------
    DataUnavailable
        the data set is missing.
    """
    content = data.content_sha256(task.data)
    definition = [kind, revision, content, dict(task.options), task.family.id, task.family.revision]
    path = data.data_dir / FOLDER / f"{digest(definition)}.npz"
    if data.status(task.data).available:
        with suppress(OSError, ValueError, KeyError, zipfile.BadZipFile), np.load(path, allow_pickle=False) as stored:
            return dict(stored)
    found = make()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as partial, partial.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **found)
    return found


def as_bytes(words: Sequence[str]) -> NDArray[np.uint8]:
    """Words without white space as one array of UTF-8 bytes."""
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def from_bytes(stored: NDArray[np.generic]) -> list[str]:
    """Inverse of :func:`as_bytes`."""
    text = stored.tobytes().decode()
    return text.split("\n") if text else []
