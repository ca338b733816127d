"""A tar archive, which holds several runs: unpacked by :mod:`tasks.vector_files.archive`, not a vector file itself."""

from __future__ import annotations

from tasks.vector_files import problems
from tasks.vector_files.reading import Format
from tasks.vector_files.source import ByteSource
from tasks.vector_files.tar import is_tar


def _recognise(beginning: bytes, names: tuple[str, ...]) -> bool:
    return is_tar(beginning)


def _read(source: ByteSource) -> ByteSource:
    raise problems.several_runs()


TAR = Format("tar", "", _recognise, _read)
