"""The registry of formats: the first that recognises a file reads it. A new one is a module here and a line below."""

from __future__ import annotations

from dataclasses import dataclass

from tasks.errors import InputError
from tasks.formats.archives import GZIPPED, MEMBER, TAR, ZIPPED
from tasks.formats.arrays import ARROW, NUMPY_ARRAYS, PARQUET
from tasks.formats.fasttext import FASTTEXT
from tasks.formats.format import Format, Reading
from tasks.formats.problems import Problem
from tasks.formats.source import ByteSource, ReadRequest, StoredFile
from tasks.formats.text import TEXT
from tasks.formats.token_models import LONE_SAFETENSORS, TOKEN_MODEL
from tasks.formats.word2vec import WORD2VEC_BINARY

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


def _is_refused(beginning: bytes, names: tuple[str, ...]) -> bool:
    return bool(_kind(beginning))


def _refuse(source: ByteSource) -> ByteSource:
    raise Problem.UNKNOWN_FORMAT(kind=_kind(source.beginning))


def _is_pickled(beginning: bytes, names: tuple[str, ...]) -> bool:
    """By itself, as gensim and many programs save objects, or in an archive, as PyTorch does."""
    return beginning.startswith(_PICKLES) or _is_of_torch(names)


def _is_of_torch(names: tuple[str, ...]) -> bool:
    return any(name.endswith("/data.pkl") for name in names)


def _refuse_pickled(source: ByteSource) -> ByteSource:
    raise (Problem.PICKLED_BY_TORCH if _is_of_torch(source.names) else Problem.PICKLED)(name=source.name)


UNREAD = Format("unread", "", _is_refused, _refuse)
PICKLED = Format("pickle", "", _is_pickled, _refuse_pickled)


FORMATS: tuple[Format, ...] = (
    GZIPPED, TAR, ZIPPED, TOKEN_MODEL, PICKLED, NUMPY_ARRAYS, MEMBER, PARQUET, ARROW, FASTTEXT, LONE_SAFETENSORS,
    UNREAD, WORD2VEC_BINARY, TEXT,
)  # fmt: skip
"""In the order in which they are asked; text takes what is left."""


@dataclass(frozen=True)
class Opened:
    """A file whose format is known.

    Parameters
    ----------
    reading : its vectors.
    source : where they come from: the file itself, or what is packed in it.
    read_as : the format in a few words, as in “text in gzip”, and what was taken for words and numbers.
    """

    reading: Reading
    source: ByteSource
    read_as: str


def opened(source: ByteSource) -> Opened:
    """Recognise a file, and what is packed in it, and begin to read.

    Raises
    ------
    InputError
        the file's beginning is rejected. Where an error of its bytes ends the beginning, that is the one raised.
    """
    names: list[str] = []
    while True:
        form = _format_of(source)
        if form.name:
            names.insert(0, form.name)
        try:
            found = form.read(source)
        except InputError as problem:
            raise source.failure or problem from None
        if isinstance(found, Reading):
            taken = f" ({found.taken})" if found.taken else ""
            return Opened(found, found.source or source, " in ".join(names) + taken)
        source = found


def _format_of(source: ByteSource) -> Format:
    return next(form for form in FORMATS if form.recognise(source.beginning, source.names))


def member_of(request: ReadRequest) -> ByteSource:
    """The bytes of the requested member of a zip archive, whatever it is, within the limits.

    Raises
    ------
    InputError
        ``bad-zip``, ``no-such-member``, ``empty``; taking the bytes raises what unpacking does.
    """
    folder = ZIPPED.read(StoredFile(request))
    assert isinstance(folder, ByteSource)
    found = MEMBER.read(folder)
    assert isinstance(found, ByteSource)
    return found
