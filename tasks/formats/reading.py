"""The registry of formats, and one pass over a vector file: inflate, parse, check, and store in the prepared form.

The first format that recognises a file reads it. A new one is a module here and a line in ``FORMATS``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.errors import InputError
from tasks.files import of_archive
from tasks.formats.archives import GZIPPED, MEMBER, TAR, ZIPPED
from tasks.formats.arrays import ARROW, NUMPY_ARRAYS, PARQUET
from tasks.formats.fasttext import FASTTEXT
from tasks.formats.lines import NUMBER
from tasks.formats.others import folder_problem, other_kind
from tasks.formats.problems import Problem
from tasks.formats.source import ByteSource, Format, Invalid, Limits, Parsed, Reading, ReadRequest, StoredFile
from tasks.formats.text import TEXT
from tasks.formats.token_models import LONE_SAFETENSORS, TOKEN_MODEL
from tasks.formats.word2vec import WORD2VEC_BINARY
from tasks.prepared import Prepared, Spool, open_prepared, put
from tasks.processes import Progress, no_progress
from tasks.text import listed, shown
from tasks.vectors import Embedding, FileWarning, Matrix


def _refuse_other(source: ByteSource) -> Reading | ByteSource:
    if source.names and source.request.member:
        return MEMBER.read(source)
    error = other_kind(source.beginning, source.names, name=source.name)
    assert error is not None
    raise error


OTHER = Format("other", "", lambda beginning, names: other_kind(beginning, names) is not None, _refuse_other)


FORMATS: tuple[Format, ...] = (
    GZIPPED, TAR, ZIPPED, LONE_SAFETENSORS, OTHER, TOKEN_MODEL, NUMPY_ARRAYS, MEMBER, PARQUET, ARROW, FASTTEXT,
    WORD2VEC_BINARY, TEXT,
)  # fmt: skip
"""In the order in which they are asked; text takes the rest."""


@dataclass(frozen=True)
class Opened:
    """A file whose format is known.

    Parameters
    ----------
    reading : its vectors.
    source : of their bytes: the file itself, or the one packed in it.
    read_as : the format in a few words, as in “text in gzip”, and what was taken for words and numbers.
    """

    reading: Reading
    source: ByteSource
    read_as: str


def opened(source: ByteSource) -> Opened:
    """Recognise a file, and the file packed in it, and begin to read.

    Raises
    ------
    InputError
        the file's beginning is rejected. Where an error of its bytes ends the beginning, that is the one raised.
    """
    names: list[str] = []
    while True:
        form = next(form for form in FORMATS if form.recognise(source.beginning, source.names))
        if form.name:
            names.insert(0, form.name)
        try:
            content = form.read(source)
        except InputError as problem:
            raise source.failure or problem from None
        if isinstance(content, Reading):
            taken = f" ({content.taken})" if content.taken else ""
            return Opened(content, content.source or source, " in ".join(names) + taken)
        source = content


def member_of(request: ReadRequest) -> ByteSource:
    """The bytes of the requested member of a zip archive, whatever it is, within the limits.

    Raises
    ------
    InputError
        ``bad-zip``, ``no-such-member``, ``empty``; taking the bytes raises what unpacking does.
    """
    folder = ZIPPED.read(StoredFile(request))
    assert isinstance(folder, ByteSource)
    member = MEMBER.read(folder)
    assert isinstance(member, ByteSource)
    return member


def read(request: ReadRequest | Path | str, *, language: str = "en") -> Embedding:
    """Read a vector file into memory (docs/protocol.md §1), through its prepared form in a temporary folder.

    Parameters
    ----------
    request : the file and how to read it, or only its path.
    language : ISO 639-1 code.

    Raises
    ------
    InputError
        the file is rejected.

    >>> from pathlib import Path
    >>> from tasks.files import temporary_folder
    >>> with temporary_folder() as folder:
    ...     path = Path(folder, "vectors.txt")
    ...     _ = path.write_text("\\n".join(f"word{i} {i + 1} 1 {i % 7}" for i in range(200)))
    ...     read(path).matrix.shape
    (200, 3)
    """
    request = _as_request(request)
    with TemporaryDirectory(prefix=".partial-", dir=request.scratch) as folder:
        prepared = prepare_in_scratch(replace(request, scratch=Path(folder)), no_progress)
        return open_prepared(prepared.directory, name=request.path.name, language=language, in_memory=True)


def prepare(request: ReadRequest | Path | str, root: Path | str, *, progress: Progress = no_progress) -> Prepared:
    """Read, check and store a vector file in one pass, with memory use that does not grow with its dimensions.

    Safe to run twice at once: both write the same bytes, and the first to finish renames its directory.

    Parameters
    ----------
    request : the file and how to read it, or only its path; its ``scratch`` is not used.
    root : directory that holds the prepared vectors; created if it is missing.
    progress : called after each block with the share of the file read, in [0, 1].

    Raises
    ------
    InputError
        the file is rejected; nothing is left behind.
    """
    root = Path(root)
    root.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".partial-", dir=root, ignore_cleanup_errors=True) as scratch:
        prepared = prepare_in_scratch(replace(_as_request(request), scratch=Path(scratch)), progress)
        return replace(prepared, directory=put(prepared.directory, root / prepared.sha256))


def prepare_in_scratch(request: ReadRequest, progress: Progress) -> Prepared:
    """Like :func:`prepare`, but the prepared form stays in the folder ``scratch``, for the caller to move."""
    assert request.scratch is not None
    directory = request.scratch / "prepared"
    directory.mkdir()
    with Spool(directory) as spool:
        file, warnings = _scan(request, spool, progress)
        progress(1.0, "storing")
        is_open = file.reading.open_vocabulary
        model_bytes = file.reading.model_bytes or file.reading.row_bytes * spool.words
        sha256 = spool.finish(warnings, is_open)
    return Prepared(spool.words, spool.dimensions, warnings, file.read_as, is_open, model_bytes, sha256, directory)


def _as_request(request: ReadRequest | Path | str) -> ReadRequest:
    return request if isinstance(request, ReadRequest) else ReadRequest(Path(request))


def _scan(request: ReadRequest, spool: Spool, progress: Progress) -> tuple[Opened, tuple[FileWarning, ...]]:
    """Check everything in a file and store its vectors; return its format and the warnings."""
    path, member = (request.path, request.member) if request.member else of_archive(request.path)
    if path.is_dir():
        raise folder_problem(path)
    with TemporaryDirectory(prefix=".partial-", dir=request.scratch) as folder:
        source = StoredFile(replace(request, path=path, member=member, scratch=Path(folder)))
        if not path.is_file():  # a pipe or device, whose bytes come only once
            saved = Path(folder) / path.name
            with saved.open("xb") as copy:
                copy.writelines(source.blocks())
            source = StoredFile(replace(source.request, path=saved))
        file = opened(source)
        reading, tally = file.reading, Tally(file.reading, request.limits)
        spool.begin(reading.dimensions)
        for block in reading.blocks:
            words, rows = tally.keep(block)
            if words:
                spool.add(words, rows)
            share = tally.lines / reading.promised if reading.promised else file.source.share
            progress(min(share, 1.0), "reading")
        return file, (*reading.warnings, *tally.finish())


_LONG = 30
"""Times the median length: a longer row is named in a warning."""
_NAMED = 5
_MOST_POSITIONS = 12
_SAMPLE = 10_000
"""Words at the file's beginning that are checked for a common mistake."""
_NUMBER = re.compile(NUMBER.decode())
_NUMBERED = re.compile(r"[0-9]+[ \t].+")
_QUOTED = re.compile(r"""b?(["']).+\1""")


class _Row(NamedTuple):
    """A row that is kept: its length, its line (or vector, counted from 1), its word, and its largest dimension."""

    length: float
    line: int
    word: str
    dimension: int


class Tally:
    """Checks the blocks of a file in order, and returns the vectors to keep.

    Parameters
    ----------
    reading : the file; its blocks are not taken here.
    limits : bounds on the counts.
    """

    def __init__(self, reading: Reading, limits: Limits) -> None:
        self.promised, self.unit, self.limits = reading.promised, reading.unit, limits
        self.lines = 0
        self._earlier_words: set[str] = set()
        self._invalid = 0
        self._first_invalid: Invalid | None = None
        self._zeros: list[str] = []
        self._zero_lines = 0
        self._duplicates = 0
        self._first_duplicate = ""
        self._lengths: list[NDArray[np.float64]] = []
        self._longest: list[_Row] = []
        self._sum = np.zeros(reading.dimensions)
        self._sum_of_squares = np.zeros(reading.dimensions)
        self._whole = np.arange(reading.dimensions)
        self._sample: list[str] = []
        self._headers = 1 if reading.unit == "line" and reading.promised is not None else 0

    @property
    def words(self) -> int:
        """Distinct words so far."""
        return len(self._earlier_words)

    def keep(self, block: Parsed) -> tuple[list[str], Matrix]:
        """The new words of a block and their vectors: of repeated words, the first vector is kept.

        A row of zeros isn't a vector; it is left out.

        Raises
        ------
        InputError
            ``too-many-words``, ``header-contradicts``.
        """
        before = self.lines
        self._count_lines(block.lines)
        if block.invalid:
            self._first_invalid = self._first_invalid or block.invalid[0]
            self._invalid += len(block.invalid)
        words, rows = block.words, block.rows
        squares = np.square(rows, dtype=np.float64)
        lengths = np.sqrt(squares.sum(axis=1))
        places = self._first_ones(words, lengths)
        if len(places) < len(words):
            words, rows, lengths = [words[place] for place in places], rows[places], lengths[places]
            squares = squares[places]
        self._sum += rows.sum(axis=0, dtype=np.float64)
        self._sum_of_squares += squares.sum(axis=0)
        numbers = rows[:, self._whole]
        self._whole = self._whole[(numbers == np.rint(numbers)).all(axis=0)]
        self._sample += words[: _SAMPLE - len(self._sample)]
        self._lengths.append(lengths)
        for place in np.argsort(-lengths, kind="stable")[:_NAMED].tolist():
            line = _place(places[place], before + self._headers + 1, block.invalid)
            self._longest.append(_Row(float(lengths[place]), line, words[place], int(squares[place].argmax())))
        self._longest = sorted(self._longest, key=lambda row: (-row.length, row.line))[:_NAMED]
        return words, rows

    def _count_lines(self, more: int) -> None:
        self.lines += more
        promised = self.promised
        if self.lines > self.limits.words:
            raise Problem.TOO_MANY_WORDS(
                limit=self.limits.words, line=self.limits.words + (1 if promised is None else 2)
            )
        if promised is not None and self.lines > promised:
            raise Problem.HEADER_AND_COUNT(promised=promised, found="more", line=1)

    def _first_ones(self, words: list[str], lengths: NDArray[np.float64]) -> Sequence[int]:
        """Places of the rows that aren't zero, and whose word is new."""
        new = set(words)
        if lengths.all() and len(new) == len(words) and self._earlier_words.isdisjoint(new):
            self._earlier_words |= new
            return range(len(words))
        places = []
        for place, word in enumerate(words):
            if not lengths[place]:
                self._zero_lines += 1
                if len(self._zeros) < _NAMED:
                    self._zeros.append(word)
            elif word not in self._earlier_words:
                self._earlier_words.add(word)
                places.append(place)
            else:
                self._duplicates += 1
                self._first_duplicate = self._first_duplicate or word
        return places

    def finish(self) -> tuple[FileWarning, ...]:
        """The warnings about a file that has been read to its end.

        Raises
        ------
        InputError
            ``empty``, ``header-contradicts``, ``invalid-utf-8``, ``numbered-words``, ``numbers-for-words``,
            ``odd-dimension``, ``quoted-words``, ``too-few-words``, ``wild-row``.
        """
        promised, limits = self.promised, self.limits
        if promised is not None and promised != self.lines:
            raise Problem.HEADER_AND_COUNT(promised=promised, found=f"{self.lines:,}", line=1)
        if not self.lines:
            raise Problem.EMPTY()
        first = self._first_invalid
        lines = self.lines - self._zero_lines
        if first and self._invalid > limits.invalid_share * lines:
            share = limits.invalid_share
            raise Problem.INVALID_UTF8(
                count=self._invalid, lines=lines, share=share, line=first.line, word=first.word, unit=self.unit
            )
        self._check_words()
        if self.words < max(limits.fewest_words, 1):
            zeros = self._zero_lines
            problem = Problem.MOSTLY_ZEROS if zeros > self.words else Problem.TOO_FEW_WORDS
            without = f" without the {zeros:,} whose rows are all zeros" if zeros else ""
            raise problem(found=self.words, fewest=limits.fewest_words, without=without)
        median = float(np.median(np.concatenate(self._lengths)))
        longest, wild = self._longest[0], limits.row_length * median
        odd = self._odd_dimensions(has_one_wild_row=longest.length > wild >= self._longest[-1].length)
        if odd:
            positions = f"position{'s' if len(odd) > 1 else ''} {', '.join(f'{n:,}' for n in odd[:_MOST_POSITIONS])}"
            raise Problem.ODD_DIMENSIONS(positions=positions)
        if longest.length > wild:
            times = longest.length / median
            shown_times = f"{times:,.0f}" if times < 1_000_000 else f"{times:.0e}"
            raise Problem.WILD_ROW(unit=self.unit, line=longest.line, word=longest.word, times=shown_times)
        return tuple(warning for warning in self._warnings(median) if warning.count)

    def _check_words(self) -> None:
        """Words of a language are not numbers, numbered or in quotation marks, except for a few."""
        for pattern, problem in (
            (_NUMBER, Problem.NUMBERS_FOR_WORDS),
            (_NUMBERED, Problem.NUMBERED_WORDS),
            (_QUOTED, Problem.QUOTED_WORDS),
        ):
            names = [word for word in self._sample if pattern.fullmatch(word)]
            if 2 * len(names) > len(self._sample):
                raise problem(names=names[:_NAMED])

    def _odd_dimensions(self, *, has_one_wild_row: bool) -> list[int]:
        """Columns of counts, ranks or ids, counted from 1: they vary far more, and decide which rows are longest.

        Several may hold whole numbers; of other numbers, one column must exceed all, because the first dimensions of an
        SVD, which are long too, decline by steps. A single wild number makes no column.
        """
        spread = np.sqrt(np.maximum(self._sum_of_squares / self.words - (self._sum / self.words) ** 2, 0))
        most = self.limits.dimension_spread
        usual, (next_largest, largest) = float(np.median(spread)), np.sort(spread)[-2:]
        odd = {place for place in self._whole.tolist() if usual and spread[place] > most * usual}
        if not odd and next_largest and largest > most * next_largest and not has_one_wild_row:
            odd = {int(spread.argmax())}
        return sorted(place + 1 for place in odd) if {row.dimension for row in self._longest} <= odd else []

    def _warnings(self, median: float) -> tuple[FileWarning, ...]:
        duplicates = self._duplicates
        long = sum(int((lengths > _LONG * median).sum()) for lengths in self._lengths)
        first = shown(self._first_invalid.word) if self._first_invalid else ""
        return (
            FileWarning(
                "invalid-utf-8",
                f"{_words(self._invalid)} not valid UTF-8 and left out, the first “{first}”.",
                self._invalid,
            ),
            FileWarning(
                "duplicate-words",
                f"{_words(duplicates)} repeated, the first “{shown(self._first_duplicate)}”; "
                "of each, the first vector counts.",
                duplicates,
            ),
            FileWarning(
                "zero-vectors",
                f"{_words(self._zero_lines)} unknown, as {'its row is' if self._zero_lines == 1 else 'their rows are'} "
                f"all zeros: {listed(self._zeros, self._zero_lines)}.",
                self._zero_lines,
            ),
            FileWarning(
                "long-vectors",
                f"{long:,} {'row is' if long == 1 else 'rows are'} more than {_LONG} times as long as the median "
                f"row, which lowers trained scores: {listed([row.word for row in self._longest[:long]], long)}"
                ". Check how the file was made, and leave out rows that aren’t vectors of words.",
                long,
            ),
        )


def _place(place: int, first: int, invalid: tuple[Invalid, ...]) -> int:
    """Line of the nth valid word of a block whose first line is ``first``; other lines are of invalid words."""
    line = first + place
    for other in invalid:
        line += other.line <= line
    return line


def _words(count: int) -> str:
    return f"{count:,} word is" if count == 1 else f"{count:,} words are"
