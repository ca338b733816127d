"""The interface of formats: bytes of a file within limits, and the blocks of words and rows that a format yields."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from tasks.errors import InputError
from tasks.formats.problems import Problem
from tasks.vectors import FileWarning, Matrix

MEGABYTE = 1_000_000
GIGABYTE = 1_000_000_000
KIBIBYTE = 1024
BLOCK_BYTES = 1 << 20
BEGINNING_BYTES = 1 << 19
"""Enough for a header and the longest line."""
WordsToCompose = Callable[[], Path]


@dataclass(frozen=True)
class Limits:
    """Limits enforced while a file is being read, not after (docs/protocol.md §1.4).

    Parameters
    ----------
    uploaded_bytes : size of the stored file.
    expanded_bytes : size of the expanded file.
    words : vectors in the file, including repeated ones.
    dimensions : numbers in a vector.
    line_bytes : length of a line without its newline.
    word_bytes : length of a word in UTF-8.
    expansion_ratio : expanded : compressed bytes, once ``expansion_grace_bytes`` have been expanded.
    expansion_grace_bytes : expanded bytes before the ratio counts.
    fewest_words : minimum of distinct words.
    fewest_dimensions : minimum of numbers in a vector.
    invalid_share : share of lines, in [0, 1], whose words may be invalid UTF-8.
    row_length : maximum of a row's length, in median lengths of the rows.
    dimension_spread : maximum of a dimension's standard deviation, in that of other dimensions (docs/protocol.md §1.4).
    runs : maximum of files in an archive, each a run of the same setting.
    memory_bytes : address space that a process started for the file may use beyond its own; 0: no limit.
    seconds : processor time that such a process may take; 0: no limit.
    """

    uploaded_bytes: int = 3 * GIGABYTE
    expanded_bytes: int = 12 * GIGABYTE
    words: int = 5_000_000
    dimensions: int = 2_000
    line_bytes: int = 256 * KIBIBYTE
    word_bytes: int = KIBIBYTE
    expansion_ratio: int = 50
    expansion_grace_bytes: int = 64 * MEGABYTE
    fewest_words: int = 100
    fewest_dimensions: int = 2
    invalid_share: float = 0.001
    row_length: float = 1_000
    dimension_spread: float = 100
    runs: int = 20
    memory_bytes: int = 0
    seconds: int = 0

    @property
    def written_bytes(self) -> int:
        """Upper bound of any file that reading writes: a number takes at least two bytes of text, and four here."""
        return 2 * self.expanded_bytes + 8 * self.words + MEGABYTE


@dataclass(frozen=True)
class ReadRequest:
    """A vector file and how to read it; passed whole to the process that reads it.

    Parameters
    ----------
    path : the file, of any format of :mod:`tasks.formats.reading`; ``archive.zip:member`` is a file in an archive.
    member : of an archive of several files, the one to read.
    limits : bounds, enforced while reading.
    words : makes the list of words, one per line, that a file of open vocabulary is composed for; called for such files
        only. None: they are rejected.
    runs_prefix : path prefix of the files that an archive of runs is unpacked to; empty: such an archive is rejected.
    scratch : existing folder for what has to be unpacked, and for the prepared form; None: the system's.
    block_bytes : expanded bytes to read at a time; the result does not depend on it. None: the format decides.
    """

    path: Path
    member: str = ""
    limits: Limits = Limits()
    words: WordsToCompose | None = None
    runs_prefix: str = ""
    scratch: Path | None = None
    block_bytes: int | None = None

    def listed_words(self) -> list[str]:
        """The words to compose, each once.

        Raises
        ------
        InputError
            ``needs-word-list``.
        """
        if self.words is None:
            raise Problem.NEEDS_WORD_LIST()
        return list(dict.fromkeys(self.words().read_text(encoding="utf-8").split("\n")[:-1]))


class ByteSource(ABC):
    """A file, or a file that is packed in one. Its bytes can be read again, each time from the start.

    Parameters
    ----------
    name : of the file.
    request : how to read it.
    """

    names: tuple[str, ...] = ()
    """Names of the files in an archive."""

    def __init__(self, name: str, request: ReadRequest) -> None:
        self.name, self.request, self.limits = name, request, request.limits
        self.failure: InputError | None = None

    @property
    @abstractmethod
    def share(self) -> float:
        """Share of the stored bytes read, in [0, 1]."""

    @abstractmethod
    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Expanded bytes, at most ``block_bytes`` at a time.

        Raises
        ------
        InputError
            ``too-large``, and what unpacking raises.
        """

    @cached_property
    def file(self) -> Path:
        """The bytes as a file, for formats that are not read from start to end; unpacked at the first use."""
        assert self.request.scratch is not None
        path = self.request.scratch / f"{len(list(self.request.scratch.iterdir()))}"
        with path.open("xb") as unpacked:
            unpacked.writelines(self.blocks())
        return path

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
    request : its path, and how to read it.
    """

    def __init__(self, request: ReadRequest) -> None:
        super().__init__(request.path.name, request)
        self.path = self.file = request.path
        self.stored_bytes = self.path.stat().st_size
        self._taken = 0

    @property
    def share(self) -> float:
        return min(1.0, self._taken / max(self.stored_bytes, 1))

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        if self.stored_bytes > self.limits.uploaded_bytes:
            raise Problem.UPLOADED_TOO_LARGE(limit=self.limits.uploaded_bytes)
        self._taken = 0
        with self.path.open("rb", buffering=0) as file:
            while block := file.read(block_bytes):
                self._taken += len(block)
                if self._taken > self.limits.expanded_bytes:
                    raise Problem.EXPANDED_TOO_LARGE(limit=self.limits.expanded_bytes)
                yield block


class Folder(ByteSource):
    """The files of an archive. It has no bytes of its own.

    Parameters
    ----------
    packed : the archive.
    members : its files by name; those that some systems add are left out.

    Raises
    ------
    InputError
        ``bad-archive``: there is none.
    """

    def __init__(self, packed: ByteSource, members: Mapping[str, ByteSource]) -> None:
        super().__init__(packed.name, packed.request)
        self.members = {name: member for name, member in members.items() if not is_odd_bit(name)}
        self.names = tuple(self.members)
        if not self.members:
            raise Problem.EMPTY_ARCHIVE()

    @property
    def share(self) -> float:
        return 1.0

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        return iter(())


def is_odd_bit(name: str) -> bool:
    """Whether this is a file that some systems add to archives on their own."""
    return PurePosixPath(name).name.startswith(".") or name.startswith("__MACOSX/")


@dataclass(frozen=True)
class Invalid:
    """A line (or vector of a binary file), counted from 1, whose word is not valid UTF-8."""

    line: int
    word: bytes


@dataclass(frozen=True)
class Parsed:
    """The vectors of a block, in order.

    Parameters
    ----------
    words : the words that are valid UTF-8.
    rows : float32, shape (len(words), D).
    invalid : the others; their vectors are dropped.
    blank_line : number of the first of the blank lines that end the block, if any.
    """

    words: list[str]
    rows: Matrix
    invalid: tuple[Invalid, ...] = ()
    blank_line: int | None = None

    @property
    def lines(self) -> int:
        """Vectors in the block, including dropped ones."""
        return len(self.words) + len(self.invalid)


def valid_words(words: Sequence[bytes], rows: Matrix, lines: Sequence[int], blank_line: int | None = None) -> Parsed:
    """Decode words and drop those that are not UTF-8; ``lines`` gives the line of each."""
    places: list[int] = []
    decoded: list[str] = []
    invalid: list[Invalid] = []
    for place, word in enumerate(words):
        try:
            decoded.append(word.decode("utf-8"))
            places.append(place)
        except UnicodeDecodeError:
            invalid.append(Invalid(lines[place], word))
    return Parsed(decoded, rows[places] if invalid else rows, tuple(invalid), blank_line)


@dataclass(frozen=True)
class Reading:
    """A file whose beginning has been understood.

    Parameters
    ----------
    dimensions : D.
    blocks : the vectors in order; taking them reads the file.
    promised : number of vectors that the file's header promises; None without one.
    unit : in which errors count: line, vector, row or word.
    open_vocabulary : whether the vectors are composed for a list of words.
    model_bytes : of the numbers that words are composed from, as the file stores them, and of its word pieces; 0 for
        vectors of words.
    row_bytes : of a word's vector as the file stores it, with its scale; 0 if that isn't narrower than float32.
    source : for an archive, the file in it that holds the vectors; None: the file itself.
    warnings : about the parts of the file that are not read.
    taken : the columns used as words and numbers, if the file leaves a choice.
    """

    dimensions: int
    blocks: Iterator[Parsed]
    promised: int | None = None
    unit: str = "vector"
    open_vocabulary: bool = False
    model_bytes: int = 0
    row_bytes: int = 0
    source: ByteSource | None = None
    warnings: tuple[FileWarning, ...] = ()
    taken: str = ""


def begins_with(magic: bytes) -> Callable[[bytes, tuple[str, ...]], bool]:
    """Recogniser of a format by its first bytes alone."""
    return lambda beginning, names: beginning.startswith(magic)


@dataclass(frozen=True)
class Format:
    """One way to write vectors, or to pack a file of them.

    Parameters
    ----------
    name : as shown in reports; empty for packing that reports need not mention.
    sentence : describes it on the upload form, with its limits; empty for a format that is refused.
    recognise : whether a file is of this format, from its first bytes (expanded) and, for an archive, the names in it.
    read : the vectors; or the file inside, to be recognised in its turn. Raises ``InputError``.
    """

    name: str
    sentence: str
    recognise: Callable[[bytes, tuple[str, ...]], bool]
    read: Callable[[ByteSource], Reading | ByteSource]


UNIT = "row"


def check_shape(words: int, dimensions: int, limits: Limits, line: int | None = None) -> None:
    """Refuse a number of words or dimensions beyond the limits; ``line`` states it, if one does.

    Raises
    ------
    InputError
        ``too-many-words``, ``too-many-dimensions``, ``too-few-dimensions``.
    """
    if words > limits.words:
        raise Problem.TOO_MANY_WORDS(limit=limits.words, line=line)
    if dimensions > limits.dimensions:
        raise Problem.TOO_MANY_DIMENSIONS(limit=limits.dimensions, line=line)
    if dimensions < limits.fewest_dimensions:
        raise Problem.TOO_FEW_DIMENSIONS(found=dimensions, fewest=limits.fewest_dimensions, line=line)


def parsed(words: Sequence[bytes], rows: NDArray[np.number], first: int, limits: Limits, unit: str = UNIT) -> Parsed:
    """A checked block of words and rows.

    Parameters
    ----------
    words : UTF-8, not checked.
    rows : floats of any width, shape (len(words), D).
    first : number of the first row, counted from 1.
    unit : in which errors count.

    Raises
    ------
    InputError
        ``wrong-field-count`` (an empty word), ``word-too-long``, ``nul-byte``, ``newline-in-word``, ``not-a-number``.
    """
    for row, word in enumerate(words):
        if not 0 < len(word) <= limits.word_bytes or b"\0" in word or b"\n" in word:
            raise _bad_word(first + row, word, rows.shape[1], limits, unit)
    with np.errstate(over="ignore"):
        matrix: Matrix = np.ascontiguousarray(rows, dtype=np.float32)
    bad = ~np.isfinite(matrix)
    if bad.any():
        row, column = (int(index) for index in np.argwhere(bad)[0])
        raise Problem.NOT_A_NUMBER(
            line=first + row, word=words[row], found=str(rows[row, column]), position=column + 1, unit=unit
        )
    return valid_words(words, matrix, range(first, first + len(words)))


def _bad_word(row: int, word: bytes, dimensions: int, limits: Limits, unit: str) -> InputError:
    if not word:
        return Problem.EMPTY_WORD(line=row, unit=unit, word="")
    if len(word) > limits.word_bytes:
        return Problem.WORD_TOO_LONG(line=row, word=word, limit=limits.word_bytes, unit=unit)
    return (
        Problem.NUL_BYTE(line=row, word=word, unit=unit)
        if b"\0" in word
        else Problem.NEWLINE_IN_WORD(line=row, word=word, unit=unit)
    )


def pieces(blocks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """The same bytes in pieces of exactly ``size``; the last may be shorter."""
    rest = bytearray()
    for block in blocks:
        rest += block
        whole = len(rest) // size * size
        for start in range(0, whole, size):
            yield bytes(rest[start : start + size])
        del rest[:whole]
    if rest:
        yield bytes(rest)
