"""Reading texts: running text (a document a line), a folder of texts (a document a file), JSON lines, or a table.

Every command and page reads texts here. A site limits records, also blank and unusable ones, and unpacked bytes.
"""

from __future__ import annotations

import codecs
import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from tasks.baseline.corpus_text import words_in
from tasks.datasets.examples import Document
from tasks.datasets.paragraphs import plain_paragraphs
from tasks.errors import InputError
from tasks.files import WORKBOOKS
from tasks.guess_language import FIRST, guess
from tasks.languages import UNSPACED, known_language, language_name
from tasks.text import LeftOut, listed, shown

_HALF = re.compile("[\ud800-\udfff]")


def whole_characters(text: str) -> str:
    """The text with each half of a character (a lone surrogate, as of an emoji cut in JSON) replaced by U+FFFD."""
    return _HALF.sub("\ufffd", text)


_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def text_of(content: bytes, name: str, *, field: str) -> str:
    """The text of a file in UTF-8, or in UTF-16 with its byte order mark; without the mark.

    Parameters
    ----------
    name : of the file, in sentences: ``cues.txt``, ``the dictionary``.
    field : of the form, that errors belong to.

    Raises
    ------
    InputError
        it is a workbook, or in another encoding; the message names the first such line.
    """
    if content.startswith(WORKBOOKS):
        message = f"In place of text, {name} is a workbook or an archive. Save the sheet as “CSV UTF-8” in Excel."
        raise InputError("not-text", message, field=field)
    try:
        return content.decode("utf-16" if content.startswith(_UTF16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"Line {line:,} of {name} is not UTF-8. Save the file as UTF-8; in Excel, as “CSV UTF-8”."
        raise InputError("not-utf8", message, line=line, field=field) from error


TEXT = "text"
"""The field that holds a document's text."""
NAME_THE_COLUMN = "Name the column of the text with --text-field."
_PACKED = (".gz", ".bz2")
_JSON = (".json", ".jsonl", ".ndjson")
_TABLE = (".csv", ".tsv")
_TAB = "\t"
_SEPARATORS = ",;\t"
NAMED_SEPARATOR = re.compile(r'"?sep=(.)"?')
"""First line that tells Excel the separator of a table."""
_LOOKS_LIKE_JSON = re.compile(r'\s*(\{\s*("|$)|\[\s*([{["]|$))')
_WHOLE_VALUE = re.compile(r"\s*(\[|\{\s*$)")
"""Beginning of a JSON array, or of an object over several lines."""
_LONGEST_FIELD = 2**31 - 1
"""The largest limit that the csv module accepts on every system; its default is shorter than a long speech."""
_ENDS_INSIDE = "unexpected end of data"
"""What the csv module says of a record whose last quotation mark opens a field."""

_WORDS, _CHARACTERS = 100_000, 1_000_000
"""Words of texts examined, and characters of one text."""
_LONG_WORD = 6
"""Mean characters of a word above which a text in a language without spaces isn't segmented."""


@dataclass(frozen=True)
class TextLimits:
    """Limits of a file of texts and of its measurement; 0: none.

    Parameters
    ----------
    expanded_bytes : of the unpacked file.
    records : lines, objects or rows, including those that are blank or left out.
    memory_bytes, seconds : of a process that measures it.
    """

    expanded_bytes: int = 0
    records: int = 0
    memory_bytes: int = 0
    seconds: int = 0


UNLIMITED = TextLimits()
Record = Document | InputError | None
"""A document, the reason why a record cannot be used, or None for a blank one."""


def name_of(path: Path) -> str:
    """The name of a file without its suffixes, for the names of files made from it."""
    return path.name.split(".")[0]


def plain_name(name: str) -> str:
    """A short name with the suffixes of a file that tell its format: ``sent-file.csv.gz``."""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes[-2:]]
    return "".join(["sent-file", *(suffix for suffix in suffixes if suffix in (*_PACKED, *_JSON, *_TABLE))])


def is_plain_text(path: Path, limits: TextLimits = UNLIMITED) -> bool:
    """Whether a file is running text: neither a folder, nor JSON or a table by its name or its first line."""
    if path.is_dir() or _suffix(path) in (*_JSON, *_TABLE):
        return False
    with closing(plain_paragraphs(path, limits.expanded_bytes)) as lines:
        return _LOOKS_LIKE_JSON.match(next((line for line in lines if line.strip()), "")) is None


def documents_of(
    path: Path, left_out: LeftOut, text_field: str = TEXT, limits: TextLimits = UNLIMITED
) -> Iterator[Document]:
    """The documents of a file or folder; unusable records are added to ``left_out``.

    Raises
    ------
    InputError
        the file is of no such form or isn't UTF-8, or it exceeds a limit.
    DamagedData
        the file is truncated, or not packed as its name says.
    """
    if path.is_dir():
        yield from _texts(path)
        return
    for count, record in enumerate(_records(path, text_field, limits), start=1):
        if limits.records and count > limits.records:
            message = f"{path.name} has more records than the limit of {limits.records:,}, blank ones included."
            raise InputError("too-many-texts", f"{message} Send a part of it.", field="data")
        if isinstance(record, Document):
            yield record
        elif record is not None:
            left_out.add(record)


def language_of_texts(texts: Iterable[str], stated: str | None) -> str | None:
    """The language of texts: as stated, or found by :func:`guess` from their most frequent words; else None.

    Raises
    ------
    InputError
        ``unsegmented``: the language is written without spaces, and so are the texts.
    UnknownName
        the stated language is not a code of ISO 639-1.
    """
    words = (word.lower() for text in texts for word in words_in(text[:_CHARACTERS]) if word[0].isalpha())
    counts = Counter(islice(words, _WORDS))
    language = known_language(stated) if stated else guess([word for word, _ in counts.most_common(FIRST)])
    characters = sum(len(word) * count for word, count in counts.items())
    if language in UNSPACED and characters > _LONG_WORD * counts.total():
        message = (
            f"The texts are in {language_name(language)}, which is written without spaces; this program cannot find "
            "its words. Put spaces between them with a segmenter."
        )
        raise InputError("unsegmented", message, field="language")
    return language


def _records(path: Path, text_field: str, limits: TextLimits) -> Iterator[Record]:
    is_text = is_plain_text(path, limits)
    with closing(plain_paragraphs(path, limits.expanded_bytes)) as lines:
        if is_text:
            for i, line in enumerate(lines, start=1):
                yield Document(f"on line {i} of {path.name}", "", line) if line else None
        else:
            yield from (_rows if _suffix(path) in _TABLE else _objects)(path, lines, text_field)


def _texts(folder: Path) -> Iterator[Document]:
    """A document for every text file; a folder within the folder is a field, as each may hold the texts of a group."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and _suffix(path) == ".txt"):
        inside = path.relative_to(folder)
        group = (("folder", str(inside.parent)),) if inside.parent.name else ()
        yield Document(str(inside), "", "\n".join(plain_paragraphs(path)), (("file", path.name), *group))


def _objects(path: Path, lines: Iterator[str], text_field: str) -> Iterator[Record]:
    """A document for every JSON object with a text, one a line."""
    for i, line in enumerate(lines, start=1):
        if not line.strip():
            yield None
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
            yield _wrong(path, i, "is not a JSON object. Write one object per line.")
        elif not isinstance(stored.get(text_field), str):
            kind = _kind(stored[text_field]) if text_field in stored else None
            what = f"no “{text_field}”" if kind is None else f"a “{text_field}” that is {kind}"
            remedy = f"Give every object a “{text_field}” that is a string, or name another field with --text-field."
            yield _wrong(path, i, f"has {what}. {remedy}")
        else:
            values = ((key, _value(value)) for key, value in stored.items() if key != text_field)
            fields = ((whole_characters(key), value) for key, value in values if value is not None)
            yield Document(f"on line {i} of {path.name}", "", whole_characters(stored[text_field]), tuple(fields))


def _rows(path: Path, lines: Iterator[str], text_field: str) -> Iterator[Record]:
    """A document for every row of a table with a header, separated by commas, semicolons or tabs."""
    csv.field_size_limit(_LONGEST_FIELD)
    head, header_line = next(lines, ""), 1
    if named := NAMED_SEPARATOR.fullmatch(head):
        head, header_line = next(lines, ""), 2
    usual = _TAB if _suffix(path) == ".tsv" else ","
    separator = named[1] if named else max(_SEPARATORS, key=lambda mark: (head.count(mark), mark == usual))
    rows = _fields(path, chain([head], lines), separator, header_line)
    names = [name.strip() for name in next(rows, (header_line, []))[1]]
    _check_header(path, header_line, names, text_field)
    for count, (line, row) in enumerate(rows, start=1):
        if count == 1 and len(row) == len(names) + 1 and row[0] == "1":
            names.insert(0, "")  # R's write.table names no column for the numbers of the rows
        if len(row) == len(names):
            fields = dict(zip(names, row, strict=True))
            text = fields.pop(text_field)
            named_fields = tuple((key, value.strip()) for key, value in fields.items() if key)
            yield Document(f"on line {line} of {path.name}", "", text, named_fields)
        elif row:
            is_of_r = " Does it begin with a name of a row, as R writes them? Use row.names = FALSE."
            remedy = is_of_r if len(row) == len(names) + 1 else ""
            fields_here = f"{len(row)} field{'s' * (len(row) != 1)}"
            yield _wrong(path, line, f"has {fields_here}, but the header {len(names)}.{remedy}")
        else:
            yield None


def _fields(path: Path, lines: Iterator[str], separator: str, first: int) -> Iterator[tuple[int, list[str]]]:
    """The line and the fields of every record; ``first`` is the number of the first line, the header.

    A quotation mark that opens a field continues the record on the next line if its own line doesn't close it. But if
    both lines have as many separators as the header, it is a character, as programs that quote nothing write it between
    tabs. With other separators, it may be a text of several lines; the table is refused if all of its lines are alike.
    """
    number, width, doubtful, is_even = first, 0, 0, True
    following = next(lines, None)

    def taken() -> Iterator[str]:
        nonlocal following, number, is_even
        while following is not None:
            line, following = following, next(lines, None)
            number += 1
            is_even = is_even and (not line or line.count(separator) == width or width == 0)
            yield f"{line}\n"

    for line in taken():
        begins, plain = number - 1, line[:-1].split(separator)
        width = width or len(plain) - 1
        if '"' not in line:
            yield begins, plain if len(line) > 1 else []
            continue
        try:
            yield begins, next(csv.reader([line], delimiter=separator, strict=True))
            continue
        except csv.Error as error:
            is_open = str(error) == _ENDS_INSIDE
        is_alike = len(plain) - 1 == width == (line if following is None else following).count(separator) > 0
        if separator == _TAB and (is_alike or not is_open):
            yield begins, [field[1:-1] if re.fullmatch('".*"', field) else field for field in plain]
            continue
        doubtful = doubtful or begins * is_alike
        try:
            yield begins, next(csv.reader(chain([line], taken()), delimiter=separator, strict=True))
        except csv.Error as error:
            what = f"begins a row that is not CSV ({error}). Check its quotation marks; inside a field, double them."
            raise _wrong(path, begins, what) from None
    if doubtful and is_even:
        what = "begins a record of several lines, each with all the fields of a record. Double its quotation mark."
        raise _wrong(path, doubtful, what)


def _check_header(path: Path, line: int, names: Sequence[str], text_field: str) -> None:
    twice = [name for name in names if name and names.count(name) > 1]
    if twice:
        raise _wrong(path, line, f"has two columns “{shown(twice[0])}”. Give every column a name of its own.")
    if text_field not in names:
        what = f"names no column “{text_field}”, but {listed(names)}. {NAME_THE_COLUMN}"
        raise _wrong(path, line, what)


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
            return whole_characters(str(value)).strip()
        case _:
            return whole_characters(json.dumps(value, ensure_ascii=False))


def _kind(value: object) -> str:
    """The type of a JSON value, in words."""
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null")


def _wrong(path: Path, line: int, what: str) -> InputError:
    return InputError("not-documents", f"Line {line} of {path.name} {what}", line=line, field="corpus")
