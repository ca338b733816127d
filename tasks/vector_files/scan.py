"""One pass over a vector file: inflate, parse, check and hand on the vectors, a block at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from tasks.blocks import Matrix
from tasks.files import of_archive
from tasks.progress import Progress, no_progress
from tasks.vector_files.problems import folder_given
from tasks.vector_files.registry import opened
from tasks.vector_files.source import Limits, ReadOptions, StoredFile, WordsToCompose, no_word_list
from tasks.vector_files.tally import Tally
from tasks.vectors import FileWarning


class Sink(Protocol):
    """Takes the vectors that are kept, in order."""

    def begin(self, dimensions: int) -> None:
        """Called once with the dimensions, before the first vector."""

    def add(self, words: list[str], rows: Matrix) -> None:
        """Take words and their float32 rows, shape (len(words), D)."""


@dataclass(frozen=True)
class Scanned:
    """What a pass found.

    Parameters
    ----------
    words : distinct ones, V.
    dimensions : D.
    warnings : what was accepted with a warning.
    read_as : the format in a few words.
    open_vocabulary : whether the vectors were composed for a list of words.
    """

    words: int
    dimensions: int
    warnings: tuple[FileWarning, ...]
    read_as: str
    open_vocabulary: bool


def scan(
    path: Path,
    sink: Sink,
    *,
    limits: Limits,
    member: str = "",
    progress: Progress = no_progress,
    block_bytes: int | None = None,
    words: WordsToCompose = no_word_list,
    scratch: Path | None = None,
) -> Scanned:
    """Read a vector file once, checking everything, and give its vectors to ``sink``.

    Parameters
    ----------
    path : of any format of :mod:`tasks.vector_files.registry`, recognised by its content.
    sink : where the vectors go.
    limits : bounds that hold while reading.
    member : of an archive of several files, the one to read; a path may end in it, as in ``archive.zip:member``.
    progress : called after each block with the share of the file read, in [0, 1].
    block_bytes : expanded bytes read at a time; the result does not depend on it.
    words : makes the list, one word per line, that a file of open vocabulary is composed for; called for such files
        only.
    scratch : existing folder in which to unpack what cannot be read from start to end; None: the system's.

    Raises
    ------
    InputError
        the file is rejected (docs/protocol.md §1.4).
    """
    if not member:
        path, member = of_archive(path)
    if path.is_dir():
        raise folder_given(path)
    with TemporaryDirectory(prefix=".partial-", dir=scratch) as folder:
        found = opened(StoredFile(path, ReadOptions(limits, block_bytes, member, words, Path(folder))))
        reading, source = found.reading, found.source
        tally = Tally(reading, limits)
        sink.begin(reading.dimensions)
        for block in reading.blocks:
            kept, rows = tally.keep(block)
            if kept:
                sink.add(kept, rows)
            share = tally.lines / reading.promised if reading.promised else source.share
            progress(min(share, 1.0), "reading")
        warnings = (*reading.warnings, *tally.finish())
        return Scanned(tally.words, reading.dimensions, warnings, found.read_as, reading.open_vocabulary)
