"""Collections of documents: text to train on, with fields such as the party of a speaker that group it.

A collection of the registry, or the user's own: a text (a document a line), a folder of texts (a document a file), JSON
lines, or a table (CSV). Every command reads all of them alike.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tasks.datasets.examples import Document
from tasks.datasets.paragraphs import plain_paragraphs
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import InputError
from tasks.text import LeftOut, is_blank, listed, shown

TEXT = "text"
"""The field that holds a document's text."""
NOT_STATED = "not stated"
"""Licence of one's own documents."""
NAME_THE_COLUMN = "Name the column of the text with --text-field."
_PACKED = (".gz", ".bz2")
_JSON = (".json", ".jsonl", ".ndjson")
_TABLE = (".csv", ".tsv")
_SEPARATORS = ",;\t"
_LOOKS_LIKE_JSON = re.compile(r'\s*(\{\s*("|$)|\[\s*([{["]|$))')
_WHOLE_VALUE = re.compile(r"\s*(\[|\{\s*$)")
"""Beginning of a JSON array, or of an object over several lines."""
_MISSING = ("NA", "NaN")
"""Missing values as R and pandas write them into tables."""
_LONGEST_FIELD = 2**31 - 1
"""The largest limit that the csv module accepts on every system; its default is shorter than a long speech."""
_NESTED = 0.95
_YEAR = re.compile(r"\d{4}(?=-|$)", re.ASCII)


@dataclass(frozen=True)
class Collection:
    """Documents in memory.

    Parameters
    ----------
    id : short name, used in file names.
    title, licence : for the technical criteria of an upload.
    documents : in the order of the source.
    """

    id: str
    title: str
    licence: str
    documents: Sequence[Document]


def collection(source: str, store: DataStore, left_out: LeftOut | None = None, text_field: str = TEXT) -> Collection:
    """The documents of a collection, by its id in the registry or the path of a file or folder.

    Parameters
    ----------
    left_out : receives the records of a file that cannot be used.
    text_field : the field of JSON lines or the column of a table that holds the text.

    Raises
    ------
    InputError
        there is no such collection, file or folder, or it has no document; a line isn't UTF-8.
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
    documents = list(documents_of(path, left_out, text_field))
    if not documents:
        left_out.refuse()
        empty = f"The folder {path.name} has no text file (.txt)." if path.is_dir() else f"{path.name} is empty."
        raise InputError("no-documents", empty, field="corpus")
    return Collection(name_of(path), path.name, NOT_STATED, documents)


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


def name_of(path: Path) -> str:
    """The name of a file without its suffixes, for the names of files made from it."""
    return path.name.split(".")[0]


def is_plain_text(path: Path) -> bool:
    """Whether a file is running text: neither a folder, nor JSON or a table by its name or its first line."""
    if path.is_dir() or _suffix(path) in (*_JSON, *_TABLE):
        return False
    with closing(plain_paragraphs(path)) as lines:
        return _LOOKS_LIKE_JSON.match(next((line for line in lines if line.strip()), "")) is None


def documents_of(path: Path, left_out: LeftOut, text_field: str = TEXT) -> Iterator[Document]:
    """The documents of a file or folder; unusable records are added to ``left_out``."""
    if path.is_dir():
        return _texts(path)
    if _suffix(path) in _TABLE:
        return _rows(path, left_out, text_field)
    if is_plain_text(path):
        return (
            Document(f"on line {i} of {path.name}", "", line)
            for i, line in enumerate(plain_paragraphs(path), start=1)
            if line
        )
    return _objects(path, left_out, text_field)


def _texts(folder: Path) -> Iterator[Document]:
    """A document for every text file; a folder within the folder is a field, as each may hold the texts of a group."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and _suffix(path) == ".txt"):
        inside = path.relative_to(folder)
        group = (("folder", str(inside.parent)),) if inside.parent.name else ()
        yield Document(str(inside), "", "\n".join(plain_paragraphs(path)), (("file", path.name), *group))


def _objects(path: Path, left_out: LeftOut, text_field: str) -> Iterator[Document]:
    """A document for every JSON object with a text, one a line."""
    for i, line in enumerate(plain_paragraphs(path), start=1):
        if not line.strip():
            continue
        if i == 1 and _WHOLE_VALUE.match(line):
            message = (
                f"{path.name} is one JSON value. Write one object per line, for example with jq -c .[] {path.name} or, "
                "in pandas, table.to_json(path, orient=“records”, lines=True)."
            )
            raise InputError("not-json-lines", message, line=i, field="corpus")
        try:
            stored = json.loads(line)
        except (ValueError, RecursionError):
            stored = None
        if not isinstance(stored, dict):
            left_out.add(_wrong(path, i, "is not a JSON object. Write one object per line."))
        elif not isinstance(stored.get(text_field), str):
            kind = _kind(stored[text_field]) if text_field in stored else None
            found = f"no “{text_field}”" if kind is None else f"a “{text_field}” that is {kind}"
            remedy = f"Give every object a “{text_field}” that is a string, or name another field with --text-field."
            left_out.add(_wrong(path, i, f"has {found}. {remedy}"))
        else:
            known = ((key, _value(value)) for key, value in stored.items() if key != text_field)
            fields = tuple((key, value) for key, value in known if value is not None)
            yield Document(f"on line {i} of {path.name}", "", stored[text_field], fields)


def _rows(path: Path, left_out: LeftOut, text_field: str) -> Iterator[Document]:
    """A document for every row of a table with a header, separated by commas, semicolons or tabs."""
    csv.field_size_limit(_LONGEST_FIELD)
    with closing(plain_paragraphs(path)) as lines:
        head = next(lines, "")
        separator = max(_SEPARATORS, key=head.count)
        ends = (f"{line}\n" for line in chain([head], lines))
        rows = csv.reader(ends, delimiter=separator, strict=True)
        try:
            names = next(rows, [])
            _check_header(path, names, text_field)
            begins = rows.line_num + 1
            for row in rows:
                line, begins = begins, rows.line_num + 1
                if len(row) == len(names):
                    fields = dict(zip(names, row, strict=True))
                    text = fields.pop(text_field)
                    known = ((key, value) for key, value in fields.items() if value not in _MISSING)
                    yield Document(f"on line {line} of {path.name}", "", text, tuple(known))
                elif row:
                    count = f"{len(row)} field{'s' * (len(row) != 1)}"
                    left_out.add(_wrong(path, line, f"has {count}, but the header {len(names)}."))
        except csv.Error as error:
            what = f"begins a row that is not CSV ({error}). Check its quotation marks; inside a field, double them."
            raise _wrong(path, begins, what) from None


def _check_header(path: Path, names: Sequence[str], text_field: str) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise _wrong(path, 1, f"has two columns “{shown(twice[0])}”. Give every column a name of its own.")
    if text_field not in names:
        what = f"names no column “{text_field}”, but {listed(names)}. {NAME_THE_COLUMN}"
        raise _wrong(path, 1, what)


def _suffix(path: Path) -> str:
    """The suffix of a file without that of its packing: ``.csv`` of ``speeches.csv.gz``."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in _PACKED]
    return suffixes[-1] if suffixes else ""


def _value(value: object) -> str | None:
    """A field as text; None if it is missing. Whole numbers have no decimal point: tables with gaps write 1945.0."""
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case float():
            if math.isnan(value):
                return None
            return str(int(value)) if value.is_integer() else str(value)
        case str() | int():
            return str(value)
        case _:
            return json.dumps(value, ensure_ascii=False)


def _kind(value: object) -> str:
    """The type of a JSON value, in words."""
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null")


def _wrong(path: Path, line: int, what: str) -> InputError:
    return InputError("not-documents", f"Line {line} of {path.name} {what}", line=line, field="corpus")


def having(documents: Sequence[Document], field: str, left_out: LeftOut) -> list[Document]:
    """The documents with a field; the others are added to ``left_out``.

    Raises
    ------
    InputError
        no document has it.
    """
    found = [document for document in documents if not is_blank(_field(document, field))]
    if not found:
        known = dict.fromkeys(name for document in documents for name, _ in document.metadata)
        has = f"they have {', '.join(known)}" if known else "they have no fields; JSON lines and tables (CSV) do"
        raise InputError("no-field", f"The documents have no “{field}”; {has}.", field="by")
    for document in documents:
        if is_blank(_field(document, field)):
            left_out.add(InputError("no-field", f"Document {document.id} has no “{field}”.", field="by"))
    return found


def split_documents(documents: Iterable[Document], field: str) -> dict[str, list[Document]]:
    """Documents by the value of a field that all have; the largest group (by characters) comes first."""
    groups: dict[str, list[Document]] = {}
    for document in documents:
        groups.setdefault(_field(document, field), []).append(document)
    return dict(sorted(groups.items(), key=lambda item: -sum(len(document.text) for document in item[1])))


def named_groups(named: str, groups: Mapping[str, object], field: str) -> list[str]:
    """Names of groups in a comma-separated list.

    Raises
    ------
    InputError
        a group does not exist; the message lists the names.
    """
    names = [name.strip() for name in named.split(",")]
    for name in names:
        if name not in groups:
            message = f"“{name}” is not a value of {field}; the values are {', '.join(groups)}."
            raise InputError("no-group", message, field="groups")
    return names


def of_years(documents: Sequence[Document], first: int | None, last: int | None, left_out: LeftOut) -> list[Document]:
    """The documents of these years, both included; None: open end.

    With a bound, documents without a year are added to ``left_out``.

    Raises
    ------
    InputError
        a bound is given, and no document has a year.
    """
    if first is None and last is None:
        return list(documents)
    low, high = -math.inf if first is None else first, math.inf if last is None else last
    return [one for one, year in _numbered(documents, "year", left_out) if low <= year <= high]


def split_at(documents: Sequence[Document], field: str, at: float, left_out: LeftOut) -> dict[str, list[Document]]:
    """Documents before a value of a field, and from it on; those without a number there are added to ``left_out``.

    Raises
    ------
    InputError
        no document has a number there, or a period has no document.
    """
    numbered = _numbered(documents, field, left_out)
    periods = {
        f"before {at:.15g}": [one for one, its in numbered if its < at],
        f"from {at:.15g}": [one for one, its in numbered if its >= at],
    }
    for name, own in periods.items():
        if not own:
            raise InputError("no-period", f"The period “{name}” has no document.", field="at")
    return periods


def merged(
    documents: Sequence[Document], unit: str, fields: Sequence[str], left_out: LeftOut, *, is_averaged: bool = False
) -> list[Document]:
    """The documents with the same value of ``unit``, such as a speaker's, as one document.

    Parameters
    ----------
    unit : a field; documents without it are added to ``left_out``.
    fields : kept where all documents of a unit have the same value. Units with several values are added to
        ``left_out``.
    is_averaged : of several numbers, the mean is kept instead. Not for groups with numbers as names.

    Raises
    ------
    InputError
        no document has the field, or no unit has one value of each field.
    """
    found = []
    for name, own in split_documents(having(documents, unit, left_out), unit).items():
        values = {field: [_field(document, field) for document in own] for field in fields}
        several = next((field for field in fields if not _is_one(values[field], is_averaged)), None)
        if several is None:
            metadata = tuple((field, _common(values[field])) for field in fields)
            found.append(Document(name, "", "\n".join(document.text for document in own), ((unit, name), *metadata)))
        else:
            what = f"The {unit} “{name}” has several values of “{several}”: {listed(sorted(set(values[several])))}."
            left_out.add(InputError("mixed-group", what, field="group-by"))
    if not found:
        left_out.refuse()
    return found


def repeating_field(documents: Sequence[Document], field: str) -> str | None:
    """A field whose values repeat within the groups of ``field``, as a speaker's name does within a party; else None.

    Such documents are not independent of each other. The field has at least two documents a value on average, more
    values than there are groups, and at least 95 % of its documents in the group where its value mostly occurs.
    """
    groups = len({_field(document, field) for document in documents})
    for name in dict.fromkeys(name for document in documents for name, _ in document.metadata if name != field):
        counts: dict[str, dict[str, int]] = {}
        for document in documents:
            if value := _field(document, name):
                own = counts.setdefault(value, {})
                own[_field(document, field)] = own.get(_field(document, field), 0) + 1
        total = sum(sum(own.values()) for own in counts.values())
        nested = sum(max(own.values()) for own in counts.values())
        if groups < len(counts) <= total / 2 and nested >= _NESTED * total:
            return name
    return None


def number_of(value: str) -> float | None:
    """A number, or the year of a date (``1945-04-12``); None for other text."""
    if year := _YEAR.match(value):
        return float(year[0])
    try:
        found = float(value) if value.isascii() else math.nan
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _numbered(documents: Sequence[Document], field: str, left_out: LeftOut) -> list[tuple[Document, float]]:
    """Documents with their number in a field; those without one are added to ``left_out``."""
    found = []
    for document in documents:
        number = number_of(_field(document, field))
        if number is None:
            left_out.add(InputError("no-number", f"Document {document.id} has no number as its “{field}”.", field="at"))
        else:
            found.append((document, number))
    if documents and not found:
        raise InputError("no-number", f"No document has a number as its “{field}”.", field="at")
    return found


def _field(document: Document, name: str) -> str:
    return dict(document.metadata).get(name, "")


def _is_one(values: Sequence[str], is_averaged: bool) -> bool:
    """Whether a unit has a single value, or numbers to average."""
    return len(set(values)) == 1 or (is_averaged and all(number_of(value) is not None for value in values))


def _common(values: Sequence[str]) -> str:
    """The value, or the mean of different numbers."""
    if len(set(values)) == 1:
        return values[0]
    return str(math.fsum(number_of(value) or 0.0 for value in values) / len(values))
