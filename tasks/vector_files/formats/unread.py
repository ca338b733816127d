"""Files of other kinds, known by their first bytes: refused by name, so that nobody has to guess why."""

from __future__ import annotations

from tasks.vector_files.problems import Problem
from tasks.vector_files.reading import Format
from tasks.vector_files.source import ByteSource

_KINDS = (
    (b"PK\x05\x06", "an empty zip archive"),
    (b"BZh", "compressed with bzip2"),
    (b"\xfd7zXZ\x00", "compressed with xz"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"\x93NUMPY", "a NumPy array without its words (put it into a zip archive with a word list, one word per line)"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
)
_PICKLES = tuple(b"\x80" + bytes([protocol]) for protocol in range(2, 6))


def _kind(beginning: bytes) -> str:
    return next((kind for magic, kind in _KINDS if beginning.startswith(magic)), "")


def _recognise(beginning: bytes, names: tuple[str, ...]) -> bool:
    return bool(_kind(beginning))


def _read(source: ByteSource) -> ByteSource:
    raise Problem.UNKNOWN_FORMAT(kind=_kind(source.beginning))


def _is_pickled(beginning: bytes, names: tuple[str, ...]) -> bool:
    """By itself, as gensim and many programs save objects, or in an archive, as PyTorch does."""
    return beginning.startswith(_PICKLES) or _is_of_torch(names)


def _is_of_torch(names: tuple[str, ...]) -> bool:
    return any(name.endswith("/data.pkl") for name in names)


def _refuse_pickled(source: ByteSource) -> ByteSource:
    raise (Problem.PICKLED_BY_TORCH if _is_of_torch(source.names) else Problem.PICKLED)(name=source.name)


UNREAD = Format("unread", "", _recognise, _read)
PICKLED = Format("pickle", "", _is_pickled, _refuse_pickled)
