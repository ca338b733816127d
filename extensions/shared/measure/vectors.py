"""Vector files that users bring, composed for a suite's words or for those of a text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from tasks.files import packed_model
from tasks.formats import ReadRequest, read
from tasks.languages import ENGLISH
from tasks.prepared import open_prepared
from tasks.suite import Suite
from tasks.vectors import Embedding
from tasks.word_list import words_for


def read_for(suite: Suite, path: Path, language: str = ENGLISH) -> Embedding:
    """The vectors of a file; those of an open vocabulary are composed for a suite's list.

    Raises
    ------
    InputError
        the file is rejected.
    """
    return read(ReadRequest(path, words=words_for(suite)), language=language)


@dataclass(frozen=True)
class NamedVectors:
    """A vector file, or a folder of a static token model or of prepared vectors, with the name that reports give it.

    Parameters
    ----------
    member : of an archive of several files, the one to read.
    """

    name: str
    path: Path
    language: str = ENGLISH
    member: str = ""

    def with_words(self, words: Iterable[str], scratch: Path) -> Embedding:
        """The vectors under the NFKC forms of their words; those of an open vocabulary are composed for these words.

        Parameters
        ----------
        scratch : folder for the list of the words and a packed model.

        Raises
        ------
        InputError
            the file is rejected.
        """
        packed = packed_model(self.path, scratch) if self.path.is_dir() else self.path
        if packed is None:
            return _normalised(open_prepared(self.path, name=self.name, language=self.language))

        def listed() -> Path:
            path = scratch / "words.txt"
            path.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
            return path

        embedding = read(ReadRequest(packed, self.member, words=listed), language=self.language)
        return _normalised(replace(embedding, name=self.name))


def _normalised(embedding: Embedding) -> Embedding:
    """The same rows under the NFKC forms of their words, as texts are normalised. A word in this form keeps its row."""
    others = [i for i, word in enumerate(embedding.words) if not unicodedata.is_normalized("NFKC", word)]
    if not others:
        return embedding
    words, spellings = list(embedding.words), set(embedding.words)
    for i in others:
        form = unicodedata.normalize("NFKC", words[i])
        if form not in spellings:
            spellings.add(form)
            words[i] = form
    return replace(embedding, words=words)
