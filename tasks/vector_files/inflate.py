"""The bytes of a file, expanded block by block within the limits. Its first bytes show if it is gzipped."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import BinaryIO

from isal import isal_zlib

from tasks.magic import GZIP
from tasks.vector_files import problems
from tasks.vector_files.limits import Limits
from tasks.vector_files.tar import is_tar

BLOCK_BYTES = 1 << 20
_COMPRESSED_BLOCK_BYTES = 1 << 18
_GZIP_WINDOW = 31  # zlib's name for "a gzip member with its header and checksum"
_OTHER_FORMATS = (
    (b"PK\x03\x04", "a zip archive"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ\x00", "compressed with xz"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"ARROW1", "an Arrow file"),
    (b"PAR1", "a Parquet file"),
    *((b"\x80" + bytes([protocol]), "a Python pickle (never opened here)") for protocol in range(2, 6)),
)


class ExpandedFile:
    """A vector file as expanded bytes.

    Parameters
    ----------
    path : the file, plain or gzipped.
    limits : bounds, enforced while reading.
    require_gzip : reject a file that is not gzipped.
    block_bytes : maximum size of an expanded block.
    """

    def __init__(
        self, path: Path, limits: Limits, *, require_gzip: bool = False, block_bytes: int = BLOCK_BYTES
    ) -> None:
        self.path, self.limits, self.require_gzip, self.block_bytes = path, limits, require_gzip, block_bytes
        self.stored_bytes = path.stat().st_size
        self.expanded = 0
        self._taken = 0

    @property
    def share(self) -> float:
        """Share of the stored bytes read, in [0, 1]."""
        return min(1.0, self._taken / max(self.stored_bytes, 1))

    def blocks(self) -> Iterator[bytes]:
        """Expanded bytes, at most ``block_bytes`` at a time.

        Raises
        ------
        InputError
            ``too-large``, ``not-gzip``, ``unknown-format``, ``truncated-gzip``, ``damaged-gzip``,
            ``garbage-after-gzip``, ``expands-too-much``.
        """
        if self.stored_bytes > self.limits.uploaded_bytes:
            raise problems.uploaded_too_large(self.limits.uploaded_bytes)
        self.expanded = self._taken = 0
        with self.path.open("rb", buffering=0) as file:
            beginning = file.read(8)
            file.seek(0)
            gzipped = beginning.startswith(GZIP)
            if self.require_gzip and not gzipped:
                raise problems.not_gzip()
            yield from self._members(file) if gzipped else self._plain(file)

    def _plain(self, file: BinaryIO) -> Iterator[bytes]:
        while block := file.read(self.block_bytes):
            self._taken += len(block)
            yield self._counted(block)

    def _members(self, file: BinaryIO) -> Iterator[bytes]:
        """Gzip members, one after the other: their concatenation is legal gzip."""
        compressed = self._more(file)
        members = 0
        while compressed:
            members += 1
            if members > 1:
                compressed += b"" if len(compressed) > 1 else self._more(file)
                if not compressed.startswith(GZIP):
                    raise problems.garbage_after_gzip()
            if members > 1_000 + self.expanded // 1_024:  # thousands of empty members take time and hold no data
                raise problems.damaged_gzip()
            compressed = yield from self._member(file, compressed)

    def _member(self, file: BinaryIO, compressed: bytes) -> Generator[bytes, None, bytes]:
        """Yield one member's bytes; return the bytes read beyond its end."""
        inflater = isal_zlib.decompressobj(wbits=_GZIP_WINDOW)
        while not inflater.eof:
            at_end = not compressed
            try:
                block = inflater.decompress(compressed, self.block_bytes)
            except isal_zlib.error as error:  # type: ignore[misc]  # the stub declares it as a variable
                raise problems.damaged_gzip() from error
            compressed = inflater.unconsumed_tail
            if block:
                yield self._counted(block, unread=len(compressed) + len(inflater.unused_data))
            elif at_end and not inflater.eof:
                raise problems.truncated_gzip()
            if not compressed and not inflater.eof:
                compressed = self._more(file)
        return bytes(inflater.unused_data) or self._more(file)

    def _more(self, file: BinaryIO) -> bytes:
        compressed = file.read(_COMPRESSED_BLOCK_BYTES)
        self._taken += len(compressed)
        return compressed

    def _counted(self, block: bytes, unread: int | None = None) -> bytes:
        """Count a block and return it; ``unread`` compressed bytes have been read but not yet expanded."""
        if self.expanded == 0 and not is_tar(block):  # an archive begins with the name of its first file
            for magic, name in _OTHER_FORMATS:
                if block.startswith(magic):
                    raise problems.unknown_format(name)
        self.expanded += len(block)
        limits = self.limits
        if self.expanded > limits.expanded_bytes:
            raise problems.expanded_too_large(limits.expanded_bytes)
        late = unread is not None and self.expanded > limits.expansion_grace_bytes
        if late and self.expanded > limits.expansion_ratio * (self._taken - (unread or 0)):
            raise problems.expands_too_much(limits.expansion_ratio)
        return block
