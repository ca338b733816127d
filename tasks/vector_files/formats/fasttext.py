"""fastText's binary models, which have vectors for any word."""

from __future__ import annotations

from tasks.vector_files.fasttext_header import MAGIC, is_old_fasttext
from tasks.vector_files.reading import Format, Reading
from tasks.vector_files.source import ByteSource


def _recognise(beginning: bytes, names: tuple[str, ...]) -> bool:
    return beginning.startswith(MAGIC) or is_old_fasttext(beginning)


def _read(source: ByteSource) -> Reading:
    from tasks.vector_files.fasttext import read_fasttext

    return read_fasttext(source)


FASTTEXT = Format(
    "fastText model",
    "fastText’s .bin files, with subwords: vectors are composed for a fixed list of words.",
    _recognise,
    _read,
)
