"""The words of a spaCy model, which stores their hashes, and the rows that they share; without spaCy."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from io import BytesIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

FILES = ("key2row", "strings.json", "vectors")
"""Files of the folder ``vocab``: hashes with their rows, words in alphabetical order, and a NumPy array."""
_SEED, _FACTOR, _SHIFT, _MASK = 1, 0xC6A4A7935BD1E995, 47, (1 << 64) - 1
_ROWS_AT_ONCE = 4_096


def add_vocabulary(files: Mapping[str, bytes], archive: zipfile.ZipFile) -> None:
    """Write ``words.txt`` and ``vectors.npy``, a row for each word, by the files' contents.

    Words with the same row follow each other, so that the archive is hardly larger than the model. Words that spaCy
    also uses as symbols (``DATE``, ``number``) are left out: their keys are numbers that only its code lists.
    """
    words, rows = words_and_rows(files["key2row"], json.loads(files["strings.json"]))
    matrix: NDArray[np.float32] = np.load(BytesIO(files["vectors"])).astype("<f4", copy=False)
    with archive.open(_member("words.txt"), "w") as file:
        file.write("".join(f"{word}\n" for word in words).encode())
    with archive.open(_member("vectors.npy"), "w", force_zip64=True) as file:
        shape = (len(rows), matrix.shape[1])
        npy.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": shape})
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            file.write(matrix[rows[start : start + _ROWS_AT_ONCE]].tobytes())


def _member(name: str) -> zipfile.ZipInfo:
    """A compressed member without a time stamp."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def words_and_rows(key2row: bytes, strings: list[str]) -> tuple[list[str], list[int]]:
    """Words whose hashes have rows, by row and then in the file's order, and the row of each."""
    word_of = {word_hash(word.encode()): word for word in strings}
    pairs = sorted(((row, word_of[key]) for key, row in _items(key2row) if key in word_of), key=lambda pair: pair[0])
    return [word for _, word in pairs], [row for row, _ in pairs]


def word_hash(text: bytes) -> int:
    """spaCy's hash of a word's UTF-8: 64-bit MurmurHash2 (Appleby 2008, MurmurHash64A) with the seed 1."""
    hashed = _SEED ^ (len(text) * _FACTOR & _MASK)
    whole = len(text) & ~7
    for start in range(0, whole, 8):
        block = int.from_bytes(text[start : start + 8], "little") * _FACTOR & _MASK
        hashed = (hashed ^ ((block ^ block >> _SHIFT) * _FACTOR & _MASK)) * _FACTOR & _MASK
    if whole < len(text):
        hashed = (hashed ^ int.from_bytes(text[whole:], "little")) * _FACTOR & _MASK
    hashed = (hashed ^ hashed >> _SHIFT) * _FACTOR & _MASK
    return hashed ^ hashed >> _SHIFT


def _items(content: bytes) -> Iterator[tuple[int, int]]:
    """Keys and values of a MessagePack map of unsigned numbers, whose own head has five bytes."""
    place = 5
    while place < len(content):
        key, place = _number(content, place)
        row, place = _number(content, place)
        yield key, row


def _number(content: bytes, place: int) -> tuple[int, int]:
    """An unsigned number of MessagePack, and the place after it: a byte below 128, or a head and 1, 2, 4 or 8 bytes."""
    head = content[place]
    if head < 0x80:
        return head, place + 1
    end = place + 1 + (1 << head - 0xCC)
    return int.from_bytes(content[place + 1 : end], "big"), end
