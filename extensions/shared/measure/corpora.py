"""Text of one's own, or a collection of the registry, to train on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from extensions.shared.measure.documents import NOT_STATED, check_text_field, collection
from extensions.shared.measure.texts import TEXT, is_plain_text, language_of_texts, name_of
from tasks.datasets.dataset import DataSet
from tasks.datasets.examples import Document
from tasks.datasets.paragraphs import plain_paragraphs
from tasks.datasets.readers import JsonDocuments, ZippedDocuments
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.local_training.corpora import TrainingCorpus, collected_corpus, reader
from tasks.text import LeftOut


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
        with a paragraph a line, or of other documents (:mod:`extensions.shared.measure.documents`).
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
        if REGISTRY[source].paragraphs is not None:
            return collected_corpus(REGISTRY[source], store, punctuation=punctuation)
    elif not path.exists():
        names = ", ".join(sorted(dataset.id for dataset in REGISTRY.values() if _is_text(dataset)))
        message = f"There is neither a collection nor a file “{source}”. The text collections are {names}."
        raise InputError("no-corpus", message, field="corpus")
    elif is_plain_text(path):
        language_of_texts(plain_paragraphs(path), language)
        read = reader(lambda: ([line] for line in plain_paragraphs(path)), punctuation)
        return TrainingCorpus(name_of(path), path.name, NOT_STATED, read)
    texts = collection(source, store, left_out, text_field, language)
    read = reader(lambda: _lines_of(texts.documents), punctuation)
    return TrainingCorpus(texts.id, texts.title, texts.licence, read)


def documents_corpus(id: str, title: str, licence: str, documents: Sequence[Document]) -> TrainingCorpus:
    """A corpus of some documents of a collection, without tokens that lack letters; each line is a paragraph."""
    return TrainingCorpus(id, title, licence, reader(lambda: _lines_of(documents), punctuation=False))


def _lines_of(documents: Iterable[Document]) -> Iterator[list[str]]:
    return (document.text.split("\n") for document in documents)


def _is_text(dataset: DataSet) -> bool:
    return dataset.paragraphs is not None or isinstance(dataset.reader, JsonDocuments | ZippedDocuments)
