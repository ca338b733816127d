"""Text to train on: a registered collection or a file, as lines of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tasks.baseline.corpus_text import prescribed_lines, text_lines
from tasks.datasets.dataset import DataSet
from tasks.datasets.examples import Document
from tasks.datasets.paragraphs import plain_paragraphs
from tasks.datasets.readers import JsonDocuments, ZippedDocuments
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.local_training.documents import NOT_STATED, check_text_field, collection
from tasks.local_training.texts import TEXT, is_plain_text, language_of_texts, name_of
from tasks.text import LeftOut


@dataclass(frozen=True)
class TrainingCorpus:
    """A corpus that can be read repeatedly.

    Parameters
    ----------
    id : short name, used in file names.
    title, licence : for the technical criteria of an upload.
    documents : returns the lines of every document, tokens joined by single spaces; windows end at line ends. Every
        line of a text without documents is one.
    """

    id: str
    title: str
    licence: str
    documents: Callable[[], Iterator[list[str]]]

    def read(self) -> Iterator[str]:
        """All lines."""
        return (line for lines in self.documents() for line in lines)

    def resampled(self, seed: int) -> TrainingCorpus:
        """The corpus with its documents drawn with replacement, in their original order.

        Source: Antoniak & Mimno (2018), §4, "bootstrap".
        """
        n = sum(1 for _ in self.documents())
        drawn = np.bincount(np.random.default_rng(seed).integers(0, n, n), minlength=n) if n else ()

        def documents() -> Iterator[list[str]]:
            return (lines for times, lines in zip(drawn, self.documents(), strict=True) for _ in range(times))

        return TrainingCorpus(self.id, f"{self.title}, documents resampled", self.licence, documents)


def words_only(lines: Iterable[str]) -> Iterator[str]:
    """Lines without tokens that lack letters, as in the paper (§5); empty lines are dropped."""
    for line in lines:
        words = " ".join(token for token in line.split(" ") if any(map(str.isalpha, token)))
        if words:
            yield words


def corpus(
    source: str,
    store: DataStore,
    left_out: LeftOut | None = None,
    *,
    punctuation: bool = False,
    language: str | None = None,
    text_field: str = TEXT,
) -> TrainingCorpus:
    """A corpus by the name of a collection or the path of a file or folder.

    Every text is converted to the prescribed form (docs/protocol.md §3.1): lower-cased, tokenised, digits → 0, one
    paragraph per line; a user's, by the rule of any language.

    Parameters
    ----------
    source : id of a text collection of the registry (``sotu``, ``inaugural``, ``wiki-corpus``), or the path of a text
        with a paragraph a line, or of other documents (:mod:`tasks.local_training.documents`).
    punctuation : keep tokens without a letter.
    language : of a file; None: found from its words. The collections are in English.
    text_field : the field of JSON lines or the column of a table that holds the text.
    left_out : receives the records of a file that cannot be used.

    Raises
    ------
    InputError
        the collection or file does not exist, or the collection is not text; the file is in a language without
        spaces, and not segmented.
    DataUnavailable
        the collection is not on this machine.
    """
    check_text_field(source, text_field)
    path = Path(source)
    if source in REGISTRY:
        dataset = REGISTRY[source]
        if (paragraphs := dataset.paragraphs) is not None:
            stored = store.path(source)
            reader = _reader(lambda: ([line] for line in paragraphs(stored)), punctuation, prescribed_lines)
            return TrainingCorpus(source, dataset.title, dataset.licence, reader)
    elif not path.exists():
        names = ", ".join(sorted(dataset.id for dataset in REGISTRY.values() if _is_text(dataset)))
        message = f"There is neither a collection nor a file “{source}”. The text collections are {names}."
        raise InputError("no-corpus", message, field="corpus")
    elif is_plain_text(path):
        language_of_texts(plain_paragraphs(path), language)
        reader = _reader(lambda: ([line] for line in plain_paragraphs(path)), punctuation)
        return TrainingCorpus(name_of(path), path.name, NOT_STATED, reader)
    texts = collection(source, store, left_out, text_field, language)
    reader = _reader(lambda: _lines_of(texts.documents), punctuation)
    return TrainingCorpus(texts.id, texts.title, texts.licence, reader)


def _reader(
    documents: Callable[[], Iterator[list[str]]],
    punctuation: bool,
    in_form: Callable[[Iterable[str]], Iterator[str]] = text_lines,
) -> Callable[[], Iterator[list[str]]]:
    """Documents of paragraphs in the prescribed form."""

    def read() -> Iterator[list[str]]:
        for paragraphs in documents():
            lines = in_form(paragraphs)
            yield list(lines if punctuation else words_only(lines))

    return read


def documents_corpus(id: str, title: str, licence: str, documents: Sequence[Document]) -> TrainingCorpus:
    """A corpus of some documents of a collection, without tokens that lack letters; each line is a paragraph."""
    return TrainingCorpus(id, title, licence, _reader(lambda: _lines_of(documents), punctuation=False))


def _lines_of(documents: Iterable[Document]) -> Iterator[list[str]]:
    return (document.text.split("\n") for document in documents)


def _is_text(dataset: DataSet) -> bool:
    return dataset.paragraphs is not None or isinstance(dataset.reader, JsonDocuments | ZippedDocuments)
