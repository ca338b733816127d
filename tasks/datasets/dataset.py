"""What a data set is: files with hashes, a licence, a citation and a reader."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tasks.datasets.examples import Parts
from tasks.datasets.recipes import Licensed, Recipe

Read = Callable[[str], bytes]
"""Gives the unpacked bytes of a file of the set by its path (or, for a pattern, of all its files in name order)."""
Reader = Callable[[Read], Parts]
"""Turns the files of a set into examples; raises :class:`DamagedData` at a line it can not read."""
ParagraphReader = Callable[[Path], Iterator[str]]
"""Yields the paragraphs of a text collection from its one file."""


@dataclass(frozen=True)
class DataFile:
    """One file of a data set.

    Parameters
    ----------
    path : place below the data directory or the mirror, with forward slashes; may be a pattern (``wsj-pos/00/*``) for
        licence-bound files only. A path that ends in ``.gz`` is stored gzipped.
    bytes, sha256 : size and hash of the content: of what is inside when the file is stored gzipped, so that it does not
        matter which program packed it. None when only the operator has the file.
    recipe : how to come by it.
    read : False for licences and notes, which travel with the data but which no reader opens.
    """

    path: str
    bytes: int | None
    sha256: str | None
    recipe: Recipe
    read: bool = True

    @property
    def gzipped(self) -> bool:
        return self.path.endswith(".gz")

    @property
    def pattern(self) -> bool:
        return "*" in self.path


@dataclass(frozen=True)
class DataSet:
    """A data set of the registry.

    Parameters
    ----------
    id : short and stable.
    title, version, licence, citation, notes, homepage : what a person should know; the version is the commit or the
        year of the files.
    files : all its files.
    reader : examples from files; None for plain text collections.
    paragraphs : paragraphs from the one file of a text collection; None for labelled data.
    generated_sha256 : content hash of a set that code makes (``demo-pos``), which has no files of its own.
    """

    id: str
    title: str
    version: str
    files: tuple[DataFile, ...]
    licence: str
    citation: str
    reader: Reader | None = None
    notes: str = ""
    homepage: str = ""
    paragraphs: ParagraphReader | None = None
    generated_sha256: str | None = None

    @property
    def read_files(self) -> tuple[DataFile, ...]:
        """The files that a number can depend on."""
        return tuple(file for file in self.files if file.read)

    @property
    def licensed(self) -> bool:
        """True when only the operator can supply the files."""
        return any(isinstance(file.recipe, Licensed) for file in self.files)

    @cached_property
    def sha256(self) -> str:
        """Combined content hash of the files that the reader reads: their paths and their hashes, in order.

        Files that only an operator has enter by their path alone; ``DataStore.content_sha256`` hashes what is there.
        """
        if self.generated_sha256 is not None:
            return self.generated_sha256
        return combined_sha256((file.path, file.sha256 or "supplied by the operator") for file in self.read_files)


def combined_sha256(hashes: Iterator[tuple[str, str]]) -> str:
    """SHA-256 over lines ``path hash``."""
    lines = "".join(f"{path} {sha256}\n" for path, sha256 in hashes)
    return hashlib.sha256(lines.encode()).hexdigest()
