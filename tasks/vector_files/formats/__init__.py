"""The registry of formats: the first that recognises a file reads it. A new one is a module here and a line below."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tasks.errors import InputError
from tasks.vector_files.formats.columns import ARROW, PARQUET
from tasks.vector_files.formats.fasttext import FASTTEXT
from tasks.vector_files.formats.gzip import GZIPPED
from tasks.vector_files.formats.member import MEMBER
from tasks.vector_files.formats.numpy_arrays import NUMPY_ARRAYS
from tasks.vector_files.formats.tar import TAR
from tasks.vector_files.formats.text import TEXT
from tasks.vector_files.formats.token_model import LONE_SAFETENSORS, TOKEN_MODEL
from tasks.vector_files.formats.unread import PICKLED, UNREAD
from tasks.vector_files.formats.word2vec_binary import WORD2VEC_BINARY
from tasks.vector_files.formats.zip import ZIPPED
from tasks.vector_files.limits import Limits
from tasks.vector_files.reading import Format, Reading
from tasks.vector_files.source import ByteSource, ReadOptions, StoredFile

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


def member_of(archive: Path, member: str, limits: Limits) -> ByteSource:
    """The bytes of one file in a zip archive, whatever it is, within the limits.

    Raises
    ------
    InputError
        ``bad-zip``, ``no-such-member``, ``empty``; taking the bytes raises what unpacking does.
    """
    folder = ZIPPED.read(StoredFile(archive, ReadOptions(limits, member=member)))
    assert isinstance(folder, ByteSource)
    found = MEMBER.read(folder)
    assert isinstance(found, ByteSource)
    return found
