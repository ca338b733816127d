"""The Groningen Meaning Bank's entities as one CSV in a zip archive."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import dataclass

from tasks.datasets.dataset import Read
from tasks.datasets.examples import Example, Parts, TaggedSentence

_MEMBER = "ner_dataset.csv"


@dataclass(frozen=True)
class Gmb:
    """``Sentence #, Word, POS, Tag`` in Windows-1252; only the first word of a sentence has the first column filled."""

    path: str

    def __call__(self, read: Read) -> Parts:
        with zipfile.ZipFile(io.BytesIO(read(self.path))) as archive:
            table = archive.read(_MEMBER).decode("windows-1252")
        sentences: list[list[tuple[str, str]]] = []
        for name, word, _, tag in list(csv.reader(io.StringIO(table, newline="")))[1:]:
            if name:
                sentences.append([])
            sentences[-1].append((word, tag))
        examples: list[Example] = [
            TaggedSentence(tuple(word for word, _ in rows), tuple(tag for _, tag in rows)) for rows in sentences
        ]
        return {"all": examples}
