"""fastText's binary models, as the library's ``args.cc``, ``dictionary.cc`` and ``densematrix.cc`` write them.

The vector of a word of the model is the mean of its own row and those of its n-grams: what ``print-word-vectors``
prints and the ``.vec`` file holds. That of any other word is the mean of the rows of its n-grams.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.formats.composing import ROWS_AT_ONCE_BYTES, Pieces, composed
from tasks.formats.problems import Problem
from tasks.formats.source import ByteSource, Format, Limits, Reading, check_shape
from tasks.vectors import Matrix

_MAGIC = struct.pack("<i", 793_712_314)
"""Before its version 11, fastText wrote neither this nor the version that follows it."""
_LAYOUT = struct.Struct("<12i d 3i q")
_HEADER_BYTES = _LAYOUT.size
_MOST_CHARACTERS = 64
"""Of an n-gram; fastText's default is 6."""
_SUPERVISED = 3
"""The model of a classifier; 1 is CBOW and 2 skip-gram."""
_MODELS, _LOSSES = (1, 2, _SUPERVISED), (1, 2, 3, 4)
_VERSIONS = (11, 12)
_NUMBER = struct.Struct("<i")
_PRUNED = struct.Struct("<q")
_ENTRY = struct.Struct("<qb")
_SHAPE = struct.Struct("<2q")
_NOT_PRUNED = -1
_END_OF_SENTENCE = "</s>"
"""Has no n-grams since fastText's version 11; gensim gives it some in all models."""
_WORDS_AT_ONCE = 4_096
_FNV_BASIS, _FNV_PRIME = 2_166_136_261, 16_777_619
_MOST_BYTES_OF_CHARACTER = 4


class _FastTextHeader(NamedTuple):
    """The arguments of the training and the sizes of the dictionary, in fastText's order; only some are used.

    Parameters
    ----------
    dimensions : D.
    buckets : rows that n-grams share.
    shortest, longest : characters of an n-gram; longest 0: there are none.
    words, labels : entries of the dictionary; those of tokens that begin with ``__label__`` follow the words. They have
        no rows, also in a model of words.
    is_old : written before version 11; not a part of the file.
    """

    dimensions: int
    window: int
    epochs: int
    least_count: int
    negative: int
    word_ngrams: int
    loss: int
    model: int
    buckets: int
    shortest: int
    longest: int
    update_rate: int
    sampling: float
    entries: int
    words: int
    labels: int
    tokens: int
    is_old: bool = False

    @property
    def is_plausible(self) -> bool:
        counts = (self.words, self.labels, self.buckets, self.longest, self.dimensions)
        return min(counts) >= 0 and self.longest <= _MOST_CHARACTERS and self.entries == self.words + self.labels


def _header_in(beginning: bytes) -> _FastTextHeader:
    """The header at the start of a file; takes at least ``_HEADER_BYTES`` bytes."""
    return _FastTextHeader(*_LAYOUT.unpack(beginning[:_HEADER_BYTES]))


class _Bytes:
    """The bytes of a file in order, as many at a time as requested.

    Parameters
    ----------
    blocks : the file's.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._at_hand, self._place = b"", 0

    def take(self, size: int) -> bytes:
        """Exactly ``size`` bytes.

        Raises
        ------
        InputError
            ``bad-fasttext``: the file ends before.
        """
        parts: list[bytes] = []
        while size:
            if self._place == len(self._at_hand):
                self._more()
            parts.append(self._at_hand[self._place : self._place + size])
            self._place += len(parts[-1])
            size -= len(parts[-1])
        return b"".join(parts)

    def take_word(self, longest: int) -> bytes:
        """The bytes before the next NUL byte, at most ``longest`` + 1, and skip that byte."""
        while (end := self._at_hand.find(b"\0", self._place)) < 0 and len(self._at_hand) - self._place <= longest:
            self._more()
        if not 0 <= end - self._place <= longest:
            raise Problem.WORD_TOO_LONG(
                line=0, word=self._at_hand[self._place : self._place + longest], limit=longest, unit="entry"
            )
        return self.take(end - self._place + 1)[:-1]

    def rest(self) -> Iterator[bytes]:
        """The remaining bytes."""
        yield self._at_hand[self._place :]
        yield from self._blocks

    def _more(self) -> None:
        block = next(self._blocks, b"")
        if not block:
            raise Problem.BAD_FASTTEXT(why="it was cut off")
        self._at_hand, self._place = self._at_hand[self._place :] + block, 0


def _recognise(beginning: bytes, names: tuple[str, ...]) -> bool:
    """By the magic number; before version 11, which has none, by the values in the header."""
    if beginning.startswith(_MAGIC) or len(beginning) < _HEADER_BYTES:
        return beginning.startswith(_MAGIC)
    header = _header_in(beginning)
    return header.is_plausible and header.model in _MODELS and header.loss in _LOSSES and 0 <= header.sampling <= 1


def _read(source: ByteSource) -> Reading:
    """The vectors of the listed words.

    Raises
    ------
    InputError
        ``bad-fasttext``, ``other-fasttext``, ``needs-word-list``, ``too-many-words``, ``too-many-dimensions``,
        ``too-few-dimensions``.
    """
    limits = source.limits
    file = _Bytes(source.blocks())
    model = _model(file, limits)
    words = source.request.listed_words()
    dictionary_rows = _dictionary_rows(file, model, {word.encode(): n for n, word in enumerate(words)}, limits)
    pieces = _pieces(words, dictionary_rows, model)
    rows = _rows(file, model)
    return Reading(
        model.dimensions,
        composed(words, pieces, rows, model.dimensions, limits),
        unit="word",
        open_vocabulary=True,
        model_bytes=(model.words + model.buckets) * model.dimensions * np.dtype(np.float32).itemsize,
    )


def _model(file: _Bytes, limits: Limits) -> _FastTextHeader:
    """
    Raises
    ------
    InputError
        for a header that is damaged, or of a model of another kind.
    """
    beginning = file.take(len(_MAGIC))
    is_old = beginning != _MAGIC
    if not is_old:
        (version,) = _NUMBER.unpack(file.take(_NUMBER.size))
        if version not in _VERSIONS:
            raise Problem.OTHER_FASTTEXT(kind=f"a fastText model of version {version}")
        beginning = b""
    header = _header_in(beginning + file.take(_HEADER_BYTES - len(beginning)))
    (pruned,) = (_NOT_PRUNED,) if is_old else _PRUNED.unpack(file.take(_PRUNED.size))
    if header.model == _SUPERVISED:
        raise Problem.OTHER_FASTTEXT(kind="a fastText classifier, not word vectors")
    if pruned > 0:
        raise Problem.OTHER_FASTTEXT(kind="a pruned fastText model (.ftz)")
    if not header.is_plausible:
        raise Problem.BAD_FASTTEXT(why="its header is damaged")
    check_shape(header.words, header.dimensions, limits)
    has_ngrams = header.buckets > 0 and pruned == _NOT_PRUNED
    return header._replace(longest=header.longest if has_ngrams else 0, is_old=is_old)


def _dictionary_rows(
    file: _Bytes, model: _FastTextHeader, numbers: dict[bytes, int], limits: Limits
) -> NDArray[np.int32]:
    """Row of each listed word that is in the dictionary, else -1; read past the dictionary."""
    rows = np.full(len(numbers), -1, dtype=np.int32)
    for row in range(model.words + model.labels):
        number = numbers.get(file.take_word(limits.word_bytes))
        is_label = row >= model.words
        _, kind = _ENTRY.unpack(file.take(_ENTRY.size))
        if kind != is_label:
            raise Problem.BAD_FASTTEXT(why="its dictionary is damaged")
        if number is not None and not is_label:
            rows[number] = row
    return rows


def _pieces(words: Sequence[str], dictionary_rows: NDArray[np.int32], model: _FastTextHeader) -> Pieces:
    rows: list[NDArray[np.int32]] = []
    counts: list[NDArray[np.int64]] = []
    for start in range(0, len(words), _WORDS_AT_ONCE):
        some = words[start : start + _WORDS_AT_ONCE]
        block_rows = dictionary_rows[start : start + len(some)]
        known_words = np.flatnonzero(block_rows >= 0)
        whole = "" if model.is_old else _END_OF_SENTENCE
        bracketed = [b"" if word == whole else b"<%b>" % word.encode() for word in some]
        owners, hashes = ngrams(bracketed, model.shortest, model.longest)
        owners = np.concatenate([known_words, owners])
        of_ngrams = hashes % np.uint32(model.buckets or 1) + np.int64(model.words)
        order = np.argsort(owners, kind="stable")
        rows.append(np.concatenate([block_rows[known_words], of_ngrams])[order].astype(np.int32))
        counts.append(np.bincount(owners, minlength=len(some)))
    ends = np.zeros(len(words) + 1, dtype=np.int64)
    np.cumsum(np.concatenate(counts), out=ends[1:])
    return Pieces(ends, np.concatenate(rows))


def ngrams(words: Collection[bytes], shortest: int, longest: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """The n-grams of words, and their hashes (FNV-1a with signed bytes, as fastText has it).

    Parameters
    ----------
    words : valid UTF-8, in fastText's brackets.
    shortest, longest : characters of an n-gram; a bracket alone is not one.

    Returns
    -------
    number of the word of each n-gram, and its hash, both of shape (n,)
    """
    text = np.frombuffer(b"".join(words), dtype=np.uint8)
    starts = np.flatnonzero((text & 0xC0) != 0x80)
    sizes = np.diff(starts, append=len(text))
    owners = np.repeat(np.arange(len(words)), [len(word) for word in words])[starts]
    is_edge = np.diff(owners, prepend=-1, append=-1)
    is_bracket = (is_edge[:-1] != 0) | (is_edge[1:] != 0)
    begins = np.arange(len(starts))
    hashes = np.full(len(starts), _FNV_BASIS, dtype=np.uint32)
    all_owners, all_hashes = [np.empty(0, np.int64)], [np.empty(0, np.uint32)]
    for length in range(1, longest + 1):
        last = begins + length - 1
        inside = last < len(starts)
        inside[inside] = owners[last[inside]] == owners[begins[inside]]
        begins, last, hashes = begins[inside], last[inside], hashes[inside]
        for offset in range(_MOST_BYTES_OF_CHARACTER):
            has = sizes[last] > offset
            signed = text[starts[last[has]] + offset].view(np.int8).astype(np.uint32)
            hashes[has] = (hashes[has] ^ signed) * np.uint32(_FNV_PRIME)
        if length >= shortest:
            chosen = ~is_bracket[begins] if length == 1 else np.full(len(begins), True)
            all_owners.append(owners[begins[chosen]])
            all_hashes.append(hashes[chosen])
    return np.concatenate(all_owners), np.concatenate(all_hashes)


def _shape(file: _Bytes, model: _FastTextHeader) -> tuple[int, int]:
    """Rows and columns of the next matrix."""
    if not model.is_old and file.take(1) != b"\0":
        raise Problem.OTHER_FASTTEXT(kind="a quantised fastText model (.ftz)")
    count, dimensions = _SHAPE.unpack(file.take(_SHAPE.size))
    return count, dimensions


def _rows(file: _Bytes, model: _FastTextHeader) -> Iterator[Matrix]:
    """The rows of words and n-grams; then skip the training weights, checking that they are complete.

    Raises
    ------
    InputError
        ``bad-fasttext``: a matrix is missing, cut off or of another shape. ``other-fasttext``: it is quantised.
    """
    count, dimensions = _shape(file, model)
    if (count, dimensions) != (model.words + model.buckets, model.dimensions):
        raise Problem.BAD_FASTTEXT(
            why=f"its matrix is {count:,} × {dimensions:,}, not {model.words + model.buckets:,} × {model.dimensions:,}"
        )
    size = 4 * dimensions
    at_once = max(1, ROWS_AT_ONCE_BYTES // size)
    left = count
    while left:
        now = min(at_once, left)
        yield np.frombuffer(file.take(now * size), dtype="<f4").reshape(now, dimensions)
        left -= now
    count, dimensions = _shape(file, model)
    left_bytes = sum(len(block) for block in file.rest())
    if left_bytes != 4 * count * dimensions:
        raise Problem.BAD_FASTTEXT(why=f"it should end with {4 * count * dimensions:,} bytes, not {left_bytes:,}")


FASTTEXT = Format(
    "fastText model",
    "fastText’s .bin files, with subwords: vectors are composed for a fixed list of words.",
    _recognise,
    _read,
)
