"""Unpack an archive of several runs: each file is written under a name that the caller chooses, gzipped.

Names inside an archive are checked, rejected if they lead out of it, and kept only for display.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, cast

from tasks.errors import InputError
from tasks.magic import GZIP
from tasks.progress import Progress
from tasks.vector_files.formats.gzip import Gzipped
from tasks.vector_files.formats.tar import members_of
from tasks.vector_files.formats.token_model import is_model
from tasks.vector_files.limits import MEGABYTE, Limits
from tasks.vector_files.problems import Problem
from tasks.vector_files.source import ReadOptions, StoredFile, is_odd_bit
from tasks.vector_files.tar import Tar, TarMember, is_tar

_OVERHEAD_BYTES = 16 * MEGABYTE
"""Headers and padding of an archive, besides its files."""
_DAMAGES = ("truncated-gzip", "damaged-gzip", "garbage-after-gzip")


@dataclass(frozen=True)
class Run:
    """One file of an archive.

    Parameters
    ----------
    name : without its folders, for display.
    path : where it was written, gzipped.
    bytes : of the written file.
    sha256 : of the written file.
    """

    name: str
    path: str
    bytes: int
    sha256: str


def is_archive(path: Path, limits: Limits) -> bool:
    """Whether a gzipped file is a tar archive of runs; False for a model, and for what cannot be expanded."""
    source = _source(path, limits)
    if not is_tar(source.beginning):
        return False
    try:
        return not is_model(tuple(members_of(source)))
    except InputError:
        return True  # unpacking meets the error again, and tells more of it


def unpack(path: Path, prefix: Path, limits: Limits, progress: Progress) -> list[Run]:
    """Write the files of an archive to ``<prefix>1``, ``<prefix>2``, …, each gzipped and synced.

    Raises
    ------
    InputError
        the archive is broken, has a name that leads out of it, or does not hold 2 to ``limits.runs`` files.
    """
    source = _source(path, limits)
    tar = Tar(_inflated(source))
    runs: list[Run] = []
    expanded = 0
    for member in tar.members():
        _check_name(member)
        expanded += member.size
        if expanded > limits.expanded_bytes:
            raise Problem.RUNS_TOO_LARGE(limit=limits.expanded_bytes)
        if not member.is_file or is_odd_bit(member.name):
            continue
        if len(runs) == limits.runs:
            raise Problem.TOO_MANY_RUNS(limit=limits.runs)
        pieces = _followed(tar.content(), source, progress, f"Unpacking run {len(runs) + 1}")
        runs.append(_write(pieces, _shown(member.name), Path(f"{prefix}{len(runs) + 1}")))
    if len(runs) < 2:
        raise Problem.ONE_RUN()
    return runs


def _source(path: Path, limits: Limits) -> Gzipped:
    with_overhead = replace(limits, expanded_bytes=limits.expanded_bytes + _OVERHEAD_BYTES)
    return Gzipped(StoredFile(path, ReadOptions(with_overhead)))


def _inflated(source: Gzipped) -> Iterator[bytes]:
    try:
        yield from source.blocks()
    except InputError as error:
        raise (replace(error, code="bad-archive") if error.code in _DAMAGES else error) from None


def _followed(pieces: Iterator[bytes], source: Gzipped, progress: Progress, what: str) -> Iterator[bytes]:
    for piece in pieces:
        progress(source.share, what)
        yield piece


def _check_name(member: TarMember) -> None:
    name = member.name
    if name.startswith("/") or "\\" in name or ".." in PurePosixPath(name).parts:
        raise Problem.OUTSIDE_OF_ARCHIVE(name=name)


def _shown(name: str) -> str:
    """The file's own name, made safe for pages and databases."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in PurePosixPath(name).name)[
        :200
    ]


def _write(pieces: Iterator[bytes], name: str, path: Path) -> Run:
    with path.open("wb") as file:
        _copy(pieces, file)
        file.flush()
        os.fsync(file.fileno())
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return Run(name, str(path), path.stat().st_size, sha256)


def _copy(pieces: Iterator[bytes], file: IO[bytes]) -> None:
    """Write the pieces, gzipped unless they are already."""
    start = b""
    while len(start) < len(GZIP) and (piece := next(pieces, b"")):
        start += piece
    if start.startswith(GZIP):
        file.write(start)
        file.writelines(pieces)
        return
    with cast(IO[bytes], gzip.GzipFile("", "wb", 1, file, 0)) as target:
        target.write(start)
        for piece in pieces:
            target.write(piece)
