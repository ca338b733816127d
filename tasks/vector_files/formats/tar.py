"""A tar archive: of a model; or of several runs, which :mod:`tasks.vector_files.archive` unpacks before."""

from __future__ import annotations

from collections.abc import Iterator

from tasks.vector_files.formats.token_model import is_model
from tasks.vector_files.problems import Problem
from tasks.vector_files.reading import Format
from tasks.vector_files.source import BLOCK_BYTES, ByteSource, Folder
from tasks.vector_files.tar import Tar, is_tar


class TarredFile(ByteSource):
    """A file in an archive, which is read from its start to get there.

    Parameters
    ----------
    packed : the archive.
    name : of the file.
    place : of the file among all members.
    """

    def __init__(self, packed: ByteSource, name: str, place: int) -> None:
        super().__init__(name, packed.options)
        self._packed, self._place = packed, place

    @property
    def share(self) -> float:
        return self._packed.share

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """
        Raises
        ------
        InputError
            ``bad-archive``, and what reading the archive raises.
        """
        tar = Tar(self._packed.blocks(block_bytes))
        for place, _ in enumerate(tar.members()):
            if place == self._place:
                yield from tar.content()
                return


def members_of(packed: ByteSource) -> dict[str, TarredFile]:
    """The files of an archive by name; all of it is read.

    Raises
    ------
    InputError
        ``bad-archive``, ``too-many-files``, and what reading the archive raises.
    """
    blocks = packed.blocks()
    members = enumerate(Tar(blocks).members())
    found = {member.name: TarredFile(packed, member.name, place) for place, member in members if member.is_file}
    for _ in blocks:  # to the end, where a checksum may be
        pass
    return found


def _recognise(beginning: bytes, names: tuple[str, ...]) -> bool:
    return is_tar(beginning)


def _read(source: ByteSource) -> ByteSource:
    members = members_of(source)
    if not is_model(tuple(members)):
        raise Problem.SEVERAL_RUNS()
    return Folder(source, members)


TAR = Format("tar", "", _recognise, _read)
