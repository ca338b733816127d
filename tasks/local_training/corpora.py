"""Text to train on: a registered collection or a file, as lines of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tasks.baseline.corpus_text import prescribed_lines
from tasks.datasets.dataset import DataSet
from tasks.datasets.examples import Document
from tasks.datasets.formats import Named
from tasks.datasets.readers.documents import JsonDocuments, ZippedDocuments
from tasks.datasets.readers.paragraphs import plain_paragraphs
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import InputError


@dataclass(frozen=True)
class TrainingCorpus:
    """A corpus that can be read repeatedly.

    Parameters
    ----------
    id : short name, used in file names.
    title, licence : for the technical criteria of an upload.
    read : returns its lines, tokens joined by single blanks; windows end at line ends.
    """

    id: str
    title: str
    licence: str
    read: Callable[[], Iterator[str]]


def words_only(lines: Iterable[str]) -> Iterator[str]:
    """Lines without tokens that hold no letter, as the paper cleans its text (§5); empty lines are dropped."""
    for line in lines:
        kept = " ".join(token for token in line.split(" ") if any(map(str.isalpha, token)))
        if kept:
            yield kept


def corpus(source: str, store: DataStore, *, punctuation: bool = False) -> TrainingCorpus:
    """The corpus that the user named.

    Every text is converted to the prescribed form (PROTOCOL.md §3): lower-cased, tokenised, digits → 0, one paragraph
    per line.

    Parameters
    ----------
    source : id of a text collection of the registry (``sotu``, ``inaugural``, ``wiki-corpus``), or a text file, plain
        or gzipped, one paragraph a line.
    punctuation : keep tokens without a letter.

    Raises
    ------
    InputError
        there is no such collection or file, or the collection is not text.
    DataUnavailable
        the collection is not on this machine.
    """
    if source in REGISTRY:
        dataset = REGISTRY[source]
        return TrainingCorpus(source, dataset.title, dataset.licence, _reader(_paragraphs(source, store), punctuation))
    path = Path(source)
    if not path.is_file():
        known = ", ".join(sorted(dataset.id for dataset in REGISTRY.values() if _is_text(dataset)))
        message = f"There is neither a collection nor a file “{source}”. The text collections are {known}."
        raise InputError("no-corpus", message, field="corpus")
    name = path.name.split(".")[0]
    return TrainingCorpus(name, path.name, "not stated", _reader(lambda: plain_paragraphs(path), punctuation))


def _reader(paragraphs: Callable[[], Iterator[str]], punctuation: bool) -> Callable[[], Iterator[str]]:
    def read() -> Iterator[str]:
        lines = prescribed_lines(paragraphs())
        return lines if punctuation else words_only(lines)

    return read


def documents_corpus(id: str, title: str, licence: str, documents: Sequence[Document]) -> TrainingCorpus:
    """A corpus of some documents of a collection, without tokens that hold no letter; each line is a paragraph."""
    return TrainingCorpus(id, title, licence, _reader(lambda: _lines_of(documents), punctuation=False))


def documents_of(source: str, store: DataStore) -> list[Document]:
    """All documents of a collection.

    Raises
    ------
    InputError
        the collection has no documents.
    DataUnavailable
        it is not on this machine.
    """
    labelled = source in REGISTRY and REGISTRY[source].reader is not None
    parts = store.load(source) if labelled else {}
    documents = [example for part in parts.values() for example in part if isinstance(example, Document)]
    if not documents:
        raise InputError("no-documents", f"“{source}” is no collection of documents.", field="corpus")
    return documents


def _paragraphs(source: str, store: DataStore) -> Callable[[], Iterator[str]]:
    reader = REGISTRY[source].paragraphs
    if reader is not None:
        path = store.path(source)
        return lambda: reader(path)
    documents = documents_of(source, store)
    return lambda: _lines_of(documents)


def _lines_of(documents: Iterable[Document]) -> Iterator[str]:
    return (line for document in documents for line in document.text.split("\n"))


def _is_text(dataset: DataSet) -> bool:
    reader = dataset.reader.load() if isinstance(dataset.reader, Named) else dataset.reader
    return dataset.paragraphs is not None or isinstance(reader, JsonDocuments | ZippedDocuments)
