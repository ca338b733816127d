"""Whole documents, and lists of neighbours."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from tasks.datasets.dataset import Read
from tasks.datasets.examples import Document, Example, NeighbourList, Parts
from tasks.datasets.readers.lines import Lines


@dataclass(frozen=True)
class JsonDocuments:
    """A reader of files with one JSON object per line that has a ``text``.

    Parameters
    ----------
    parts : part → its file.
    id, label : keys of the document's id and label.
    metadata : further keys to keep.
    """

    parts: Mapping[str, str]
    id: str
    label: str
    metadata: tuple[str, ...] = ()

    def __call__(self, read: Read) -> Parts:
        return {part: self._documents(Lines(path, read(path))) for part, path in self.parts.items()}

    def _documents(self, lines: Lines) -> list[Example]:
        rows = (json.loads(line) for line in lines if line)
        return [Document(str(row[self.id]), str(row[self.label]), row["text"], self._metadata(row)) for row in rows]

    def _metadata(self, row: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
        return tuple((name, str(row[name])) for name in self.metadata)


@dataclass(frozen=True)
class ZippedDocuments:
    """Text files ``YEAR-Name.txt`` of a zip archive, in name order; bytes that are not UTF-8 are replaced."""

    path: str

    def __call__(self, read: Read) -> Parts:
        with zipfile.ZipFile(io.BytesIO(read(self.path))) as archive:
            names = sorted(name for name in archive.namelist() if name.endswith(".txt"))
            return {"all": [self._document(name, archive.read(name)) for name in names]}

    def _document(self, name: str, content: bytes) -> Document:
        year, _, author = PurePosixPath(name).stem.partition("-")
        return Document(year, author, content.decode("utf-8", errors="replace"))


@dataclass(frozen=True)
class NeighbourLists:
    """``{source: {cue: [words in rank order]}}``; each source is a part."""

    path: str

    def __call__(self, read: Read) -> Parts:
        stored: dict[str, dict[str, list[str]]] = json.loads(read(self.path))
        return {
            source: [NeighbourList(cue, tuple(words)) for cue, words in lists.items()]
            for source, lists in stored.items()
        }
