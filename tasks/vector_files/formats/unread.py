"""Files of other kinds, known by their first bytes: refused by name, so that nobody has to guess why."""

from __future__ import annotations

from tasks.vector_files import problems
from tasks.vector_files.reading import Format
from tasks.vector_files.source import ByteSource

_KINDS = (
    (b"PK\x05\x06", "an empty zip archive"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ\x00", "compressed with xz"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"ARROW1", "an Arrow file"),
    (b"PAR1", "a Parquet file"),
    *((b"\x80" + bytes([protocol]), "a Python pickle (never opened here)") for protocol in range(2, 6)),
)


def _kind(beginning: bytes) -> str:
    return next((kind for magic, kind in _KINDS if beginning.startswith(magic)), "")


def _recognise(beginning: bytes, names: tuple[str, ...]) -> bool:
    return bool(_kind(beginning))


def _read(source: ByteSource) -> ByteSource:
    raise problems.unknown_format(_kind(source.beginning))


UNREAD = Format("unread", "", _recognise, _read)
