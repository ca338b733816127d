"""A file compressed with gzip: one member or several, one after the other."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from isal import isal_zlib

from tasks.magic import GZIP
from tasks.vector_files.problems import Problem
from tasks.vector_files.reading import Format, begins_with
from tasks.vector_files.source import BLOCK_BYTES, ByteSource

_COMPRESSED_BLOCK_BYTES = 1 << 18
_WINDOW = 31  # zlib's name for "a gzip member with its header and checksum"


class Gzipped(ByteSource):
    """The file that is compressed in another one.

    Parameters
    ----------
    packed : the compressed bytes.
    """

    def __init__(self, packed: ByteSource) -> None:
        super().__init__(packed.name.removesuffix(".gz"), packed.options)
        self.packed = packed
        self.expanded = self._taken = 0

    @property
    def share(self) -> float:
        return self.packed.share

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """
        Raises
        ------
        InputError
            ``too-large``, ``truncated-gzip``, ``damaged-gzip``, ``garbage-after-gzip``, ``expands-too-much``.
        """
        self.expanded = self._taken = 0
        file = self.packed.blocks(_COMPRESSED_BLOCK_BYTES)
        compressed = self._more(file)
        members = 0
        while compressed:
            members += 1
            if members > 1:
                compressed += b"" if len(compressed) > 1 else self._more(file)
                if not compressed.startswith(GZIP):
                    raise Problem.GARBAGE_AFTER_GZIP()
            if members > 1_000 + self.expanded // 1_024:  # thousands of empty members take time and hold no data
                raise Problem.DAMAGED_GZIP()
            compressed = yield from self._member(file, compressed, block_bytes)

    def _member(self, file: Iterator[bytes], compressed: bytes, block_bytes: int) -> Generator[bytes, None, bytes]:
        """Yield one member's bytes; return the bytes read beyond its end."""
        inflater = isal_zlib.decompressobj(wbits=_WINDOW)
        while not inflater.eof:
            at_end = not compressed
            try:
                block = inflater.decompress(compressed, block_bytes)
            except isal_zlib.error as error:  # type: ignore[misc]  # the stub declares it as a variable
                raise Problem.DAMAGED_GZIP() from error
            compressed = inflater.unconsumed_tail
            if block:
                yield self._counted(block, unread=len(compressed) + len(inflater.unused_data))
            elif at_end and not inflater.eof:
                raise Problem.TRUNCATED_GZIP()
            if not compressed and not inflater.eof:
                compressed = self._more(file)
        return bytes(inflater.unused_data) or self._more(file)

    def _more(self, file: Iterator[bytes]) -> bytes:
        compressed = next(file, b"")
        self._taken += len(compressed)
        return compressed

    def _counted(self, block: bytes, unread: int) -> bytes:
        """Count a block and return it; ``unread`` compressed bytes have been read but not yet expanded."""
        self.expanded += len(block)
        limits = self.limits
        if self.expanded > limits.expanded_bytes:
            raise Problem.EXPANDED_TOO_LARGE(limit=limits.expanded_bytes)
        late = self.expanded > limits.expansion_grace_bytes
        if late and self.expanded > limits.expansion_ratio * (self._taken - unread):
            raise Problem.EXPANDS_TOO_MUCH(ratio=limits.expansion_ratio)
        return block


def _read(source: ByteSource) -> ByteSource:
    if isinstance(source, Gzipped):
        raise Problem.PACKED_TWICE(how="gzip")
    return Gzipped(source)


GZIPPED = Format("gzip", "Gzipped (.gz): any of these, compressed.", begins_with(GZIP), _read)
