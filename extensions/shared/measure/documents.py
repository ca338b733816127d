"""Collections of documents: text to train on, with fields such as the party of a speaker.

A collection of the registry, or a file or folder of the user's own (:mod:`extensions.shared.measure.texts`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from extensions.shared.measure.texts import (
    TEXT,
    UNLIMITED,
    TextLimits,
    documents_of,
    is_plain_text,
    language_of_texts,
    name_of,
)
from tasks.datasets.examples import Document
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.languages import ENGLISH
from tasks.text import LeftOut, is_blank

NOT_STATED = "not stated"
"""Licence of one's own documents."""
MISSING = ("NA", "NaN")
"""Missing numbers as R and pandas write them into tables."""
_YEAR = re.compile(r"\d{4}(?=-|$)", re.ASCII)


@dataclass(frozen=True)
class Collection:
    """Documents in memory.

    Parameters
    ----------
    id : short name, used in file names.
    title, licence : for the technical criteria of an upload.
    documents : in the order of the source.
    language : ISO 639-1; None if it is neither stated nor found.
    """

    id: str
    title: str
    licence: str
    documents: Sequence[Document]
    language: str | None = ENGLISH


def collection(
    source: str,
    store: DataStore,
    left_out: LeftOut | None = None,
    text_field: str = TEXT,
    language: str | None = None,
    limits: TextLimits = UNLIMITED,
) -> Collection:
    """The documents of a collection, by its id in the registry or the path of a file or folder.

    Parameters
    ----------
    left_out : receives the records of a file that cannot be used.
    text_field : the field of JSON lines or the column of a table that holds the text.
    language : of a file; None: found from its words. The collections are in English.
    limits : of a file.

    Raises
    ------
    InputError
        there is no such collection, file or folder, or it has no document; a line isn't UTF-8; the file exceeds a
        limit; or it is in a language without spaces, and not segmented.
    DataUnavailable
        the collection is not on this machine.
    DamagedData
        a file is truncated, or not packed as its name says.
    """
    check_text_field(source, text_field)
    path = Path(source)
    if source in REGISTRY or not path.exists():
        dataset = REGISTRY.get(source)
        parts = store.load(source) if dataset and dataset.reader is not None else {}
        documents = [example for part in parts.values() for example in part if isinstance(example, Document)]
        if dataset is None or not documents:
            raise InputError("no-documents", f"“{source}” is not a collection of documents.", field="corpus")
        return Collection(source, dataset.title, dataset.licence, documents)
    left_out = left_out or LeftOut()
    documents = list(documents_of(path, left_out, text_field, limits))
    if not documents:
        left_out.refuse()
        empty = f"The folder {path.name} has no text file (.txt)." if path.is_dir() else f"{path.name} is empty."
        raise InputError("no-documents", empty, field="corpus")
    text_language = language_of_texts((document.text for document in documents), language)
    return Collection(name_of(path), path.name, NOT_STATED, documents, text_language)


def check_text_field(source: str, text_field: str) -> None:
    """Refuse the name of a field where texts have none.

    Raises
    ------
    InputError
        the source is a collection, a folder or running text.
    """
    path = Path(source)
    if text_field == TEXT or (source not in REGISTRY and not path.exists()):
        return
    if source in REGISTRY or path.is_dir() or is_plain_text(path):
        message = f"“{source}” has no fields, so that --text-field cannot name one. Leave it out."
        raise InputError("no-field", message, field="text-field")


def having(documents: Sequence[Document], field: str, left_out: LeftOut) -> list[Document]:
    """The documents with a field; the others are added to ``left_out``.

    In a field of numbers, ``NA`` and ``NaN`` are missing, as R and pandas write them; among words, they are values.

    Raises
    ------
    InputError
        no document has it.
    """
    values = [field_of(document, field) for document in documents]
    are_numbers = all(number_of(value) is not None for value in values if value not in ("", *MISSING))
    missing = [is_blank(value) or (are_numbers and value in MISSING) for value in values]
    complete = [document for document, lacks in zip(documents, missing, strict=True) if not lacks]
    if not complete:
        fields = dict.fromkeys(name for document in documents for name, _ in document.metadata)
        has = f"they have {', '.join(fields)}" if fields else "they have no fields; JSON lines and tables (CSV) do"
        raise InputError("no-field", f"The documents have no “{field}”; {has}.", field="by")
    for document, lacks in zip(documents, missing, strict=True):
        if lacks:
            left_out.add(InputError("no-field", f"Document {document.id} has no “{field}”.", field="by"))
    return complete


def number_of(value: str) -> float | None:
    """A number, or the year of a date (``1945-04-12``); None for other text."""
    if year := _YEAR.match(value):
        return float(year[0])
    try:
        number = float(value) if value.isascii() else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def field_of(document: Document, name: str) -> str:
    return dict(document.metadata).get(name, "")
