"""The bytes of a vector file, block by block within the limits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from tasks.errors import InputError
from tasks.vector_files import problems
from tasks.vector_files.limits import Limits

BLOCK_BYTES = 1 << 20
BEGINNING_BYTES = 1 << 19
"""Enough for a header and the longest line."""


class ByteSource:
    """A file, or a file that is packed in one. Its bytes can be read again, each time from the start.

    Parameters
    ----------
    name : of the file, without its folders.
    limits : bounds, enforced while reading.
    block_bytes : expanded bytes that a format should take at a time; None: as it likes.
    """

    def __init__(self, name: str, limits: Limits, block_bytes: int | None = None) -> None:
        self.name, self.limits, self.block_bytes = name, limits, block_bytes
        self.failure: InputError | None = None

    @property
    def share(self) -> float:
        """Share of the stored bytes read, in [0, 1]."""
        raise NotImplementedError

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Expanded bytes, at most ``block_bytes`` at a time.

        Raises
        ------
        InputError
            ``too-large``, and what unpacking raises.
        """
        raise NotImplementedError

    @cached_property
    def beginning(self) -> bytes:
        """The first bytes; fewer if an error, kept as ``failure``, ends the file before that."""
        beginning = b""
        try:
            for block in self.blocks():
                beginning += block
                if len(beginning) >= BEGINNING_BYTES:
                    break
        except InputError as problem:
            self.failure = problem
        return beginning


class StoredFile(ByteSource):
    """A file on this machine.

    Parameters
    ----------
    path : where it is.
    limits, block_bytes : as of :class:`ByteSource`.
    """

    def __init__(self, path: Path, limits: Limits, block_bytes: int | None = None) -> None:
        super().__init__(path.name, limits, block_bytes)
        self.path = path
        self.stored_bytes = path.stat().st_size
        self._taken = 0

    @property
    def share(self) -> float:
        return min(1.0, self._taken / max(self.stored_bytes, 1))

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        if self.stored_bytes > self.limits.uploaded_bytes:
            raise problems.uploaded_too_large(self.limits.uploaded_bytes)
        self._taken = 0
        with self.path.open("rb", buffering=0) as file:
            while block := file.read(block_bytes):
                self._taken += len(block)
                if self._taken > self.limits.expanded_bytes:
                    raise problems.expanded_too_large(self.limits.expanded_bytes)
                yield block
