"""The one file of an archive, or the one that was requested."""

from __future__ import annotations

from pathlib import PurePosixPath

from tasks.vector_files.problems import Problem
from tasks.vector_files.reading import Format
from tasks.vector_files.source import ByteSource, Folder


def _recognise(beginning: bytes, names: tuple[str, ...]) -> bool:
    """Whatever archive no other format recognises."""
    return bool(names)


def _read(source: ByteSource) -> ByteSource:
    assert isinstance(source, Folder)
    asked, names = source.options.member, source.names
    if asked and asked not in names:
        raise Problem.NO_SUCH_MEMBER(member=asked, names=names)
    if not asked and len(names) > 1:
        of_projector = len(names) == 2 and all(name.endswith(".tsv") for name in names)
        if of_projector and sum("meta" in PurePosixPath(name).name for name in names) == 1:
            raise Problem.PROJECTOR_FILES()
        raise Problem.WHICH_MEMBER(names=names)
    return source.members[asked or names[0]]


MEMBER = Format("", "", _recognise, _read)
