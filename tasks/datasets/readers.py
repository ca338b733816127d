"""Readers of word pairs, labelled texts, documents and lists: from the bytes of published files to examples."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

from tasks.datasets.dataset import DamagedData, Read
from tasks.datasets.examples import (
    AnalogyQuestion,
    Document,
    Example,
    LabelledPair,
    LabelledText,
    ListedWord,
    NeighbourList,
    OracleWord,
    Parts,
    PrimedTarget,
    ScoredPair,
    WordGroup,
)


class Lines:
    """The lines of a file, without line ends or a byte order mark; keeps the number of the current line, from 1.

    Only LF and CRLF end a line, and CR in a file without LF: ``str.splitlines`` would also cut at characters that occur
    inside published sentences (U+0085, U+2028).
    """

    def __init__(self, path: str, content: bytes, encoding: str = "utf-8") -> None:
        self._path = path
        self._number = 0
        try:
            text = content.decode(encoding).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            self._number = content.count(b"\n", 0, error.start) + 1
            raise self.damaged(f" is not {encoding.upper()} text ({error.reason}).") from error
        self._lines = text.split("\n" if "\n" in text else "\r")

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self._lines, start=1):
            self._number = number
            yield line.removesuffix("\r")

    def fields(self, line: str, separator: str, count: int) -> list[str]:
        """Fields of the current line; raises :class:`DamagedData` unless there are exactly ``count``."""
        fields = line.split(separator)
        if len(fields) != count:
            raise self.damaged(
                f" has {len(fields)} fields where {count} are expected. Remove the file and fetch it again."
            )
        return fields

    def damaged(self, why: str) -> DamagedData:
        """The error for the current line; ``why`` continues “Line 3 of FILE”."""
        return DamagedData(f"Line {self._number} of {self._path}{why}")


@dataclass(frozen=True)
class LineByLine:
    """A reader of files with one example a line; empty lines are skipped.

    Parameters
    ----------
    parts : part → its file.
    example : returns the example of a line; its second argument splits the line and names it in errors.
    encoding : of the files.
    comments : skip lines that start with ``#``.
    heading : skip the first line.
    """

    parts: Mapping[str, str]
    example: Callable[[str, Lines], Example]
    encoding: str = "utf-8"
    comments: bool = False
    heading: bool = False

    def __call__(self, read: Read) -> Parts:
        return {part: self._examples(Lines(path, read(path), self.encoding)) for part, path in self.parts.items()}

    def _examples(self, lines: Lines) -> list[Example]:
        rest = islice(lines, int(self.heading), None)
        return [self.example(line, lines) for line in rest if line and not (self.comments and line.startswith("#"))]


def trec_question(line: str, lines: Lines) -> LabelledText:
    """``COARSE:fine question``; the label is the coarse class (Li & Roth 2002)."""
    label, colon, rest = line.partition(":")
    _, blank, question = rest.partition(" ")
    if not (colon and blank):
        raise lines.damaged(" is not `COARSE:fine question`. Fetch the file again.")
    return LabelledText(words(question), label)


def labelled_sentence(line: str, lines: Lines) -> LabelledText:
    """``sentence TAB label``, no header, and no quote character: quotation marks are words (SST-2)."""
    sentence, label = lines.fields(line, "\t", 2)
    return LabelledText(words(sentence), label)


def ppdb_pair(line: str, lines: Lines) -> LabelledPair:
    """Mean score, tag, phrase 1, phrase 2, judgements; the class is ceil(score), at least 1 (docs/protocol.md §2.2)."""
    score, _, first, second, _ = lines.fields(line, "\t", 5)
    try:
        value = float(score)
    except ValueError:
        raise lines.damaged(f" starts with {score!r}, which is not a score. Fetch it again.") from None
    return LabelledPair(words(first), words(second), str(max(1, math.ceil(value))))


def words(text: str) -> tuple[str, ...]:
    """Words of a published, already tokenised text: split at spaces and nothing else."""
    return tuple(word for word in text.split(" ") if word)


_TOKEN = re.compile(
    r"n't\b|'(?:d|ll|m|re|s|ve)\b|(?:Mr|Mrs|Ms|Dr|St|Jr)\.|(?:[a-z]\.){2,}|\w+?(?=n't\b)|\w+(?:[-.]\w+)*|[^\w\s]",
    re.IGNORECASE,
)


def treebank_words(text: str) -> tuple[str, ...]:
    """Words of raw English text as the Penn Treebank splits them, with straight quotation marks.

    Contractions and possessives are split off, hyphens and initials stay: ``do n't``, ``man 's``, ``t-shirt``, ``U.S.``
    Text in published tokens keeps them, but for rare typing errors.
    """
    return tuple(_TOKEN.findall(text.replace("``", '"').replace("''", '"')))


@dataclass(frozen=True)
class InferencePairs:
    """Premises, hypotheses and one of three labels (Bowman et al. 2015, §2).

    Parameters
    ----------
    tables : part → table with two columns of the same label, premise and hypothesis, separated by tabs, quoted as CSV.
    parallel : part → files of premises, hypotheses and labels, line by line.
    labels : name of each label in the tables.
    """

    tables: Mapping[str, str]
    parallel: Mapping[str, tuple[str, str, str]]
    labels: Mapping[str, str]

    def __call__(self, read: Read) -> Parts:
        return {
            **{part: self._pairs(path, self._rows(path, read)) for part, path in self.tables.items()},
            **{part: self._pairs(paths[0], self._lines(paths, read)) for part, paths in self.parallel.items()},
        }

    def _rows(self, path: str, read: Read) -> Iterator[tuple[str, ...]]:
        for label, _, premise, hypothesis in csv.reader(io.StringIO(read(path).decode(), newline=""), delimiter="\t"):
            yield premise, hypothesis, self.labels[label]

    def _lines(self, paths: tuple[str, str, str], read: Read) -> Iterator[tuple[str, ...]]:
        return zip(*(filter(None, Lines(path, read(path))) for path in paths), strict=True)

    def _pairs(self, path: str, rows: Iterator[tuple[str, ...]]) -> list[Example]:
        pairs: list[Example] = []
        try:
            for premise, hypothesis, label in rows:
                pairs.append(LabelledPair(treebank_words(premise), treebank_words(hypothesis), label))
        except (ValueError, KeyError, csv.Error) as error:
            where = f"Example {len(pairs) + 1} of {path}"
            raise DamagedData(f"{where} cannot be read ({error}). Remove the file and fetch it again.") from error
        return pairs


def scored_pair(line: str, lines: Lines) -> ScoredPair:
    """``word 1 TAB word 2 TAB score``; repeated pairs are kept for the metric to decide (docs/protocol.md §4.1)."""
    first, second, score = lines.fields(line, "\t", 3)
    try:
        return ScoredPair(first, second, float(score))
    except ValueError:
        raise lines.damaged(f" ends in {score!r}, which is not a score. Fetch the file again.") from None


def listed_word(line: str, _: Lines) -> ListedWord:
    """A word alone."""
    return ListedWord(line)


@dataclass(frozen=True)
class WordGroups:
    """A table with one group a row: language code, language, name of the group, members; each language is a part.

    Members of several words are listed as phrases.

    Parameters
    ----------
    path : the table, comma-separated below one line of headings, with codes in capitals.
    """

    path: str

    def __call__(self, read: Read) -> Parts:
        rows = csv.reader(io.StringIO(read(self.path).decode("utf-8"), newline=""))
        next(rows, None)
        groups: Parts = {}
        for number, row in enumerate(rows, start=2):
            if len(row) < 4:
                raise DamagedData(f"Row {number} of {self.path} has no group. Remove the file and fetch it again.")
            code, _, name, *members = row
            terms = [term.strip() for term in members if term.strip()]
            single = tuple(term for term in terms if len(term.split()) == 1)
            phrases = tuple(term for term in terms if len(term.split()) > 1)
            groups.setdefault(code.lower(), []).append(WordGroup(name, single, phrases))
        return groups


@dataclass(frozen=True)
class Analogies:
    """Four words a line; lines that start with ``:`` name the category of the questions below.

    Parameters
    ----------
    parts : part → its file; the part's name is the category of questions above the first category line.
    """

    parts: Mapping[str, str]

    def __call__(self, read: Read) -> Parts:
        return {part: self._questions(part, Lines(path, read(path))) for part, path in self.parts.items()}

    def _questions(self, part: str, lines: Lines) -> list[Example]:
        category = part
        questions: list[Example] = []
        for line in lines:
            if line.startswith(":"):
                category = line[1:].strip()
            elif line:
                a, b, c, d = lines.fields(line.replace("\t", " "), " ", 4)
                questions.append(AnalogyQuestion(category, a, b, c, d))
        return questions


def oracle_word(line: str, lines: Lines) -> OracleWord:
    """``word TAB {"feature": weight, …}`` (Tsvetkov et al. 2015, §3)."""
    word, features = lines.fields(line, "\t", 2)
    return OracleWord(word, json.loads(features))


@dataclass(frozen=True)
class Priming:
    """One row per target and condition; ``true`` and ``none`` are words, and empty times are missing."""

    path: str

    def __call__(self, read: Read) -> Parts:
        rows = csv.DictReader(io.StringIO(read(self.path).decode("utf-8"), newline=""))
        return {"all": [_primed(row) for row in rows]}


def _primed(row: dict[str, str]) -> PrimedTarget:
    times = [row[f"{task}_rt"] for task in ("ldt_200", "ldt_1200", "nt_200", "nt_1200")]
    return PrimedTarget(
        row["target"],
        row["prime"],
        row["condition"],
        int(row["fold"]) if row["fold"] else None,
        *(float(time) if time else None for time in times),
    )


@dataclass(frozen=True)
class Phrases:
    """One phrase a line; each file has one label.

    Parameters
    ----------
    parts : part → label → file.
    """

    parts: Mapping[str, Mapping[str, str]]

    def __call__(self, read: Read) -> Parts:
        return {
            part: [
                LabelledText(words(line), label)
                for label, path in files.items()
                for line in Lines(path, read(path))
                if line.strip()
            ]
            for part, files in self.parts.items()
        }


def related_words(line: str, lines: Lines) -> LabelledPair:
    """``word TAB word TAB relation``."""
    first, second, relation = lines.fields(line, "\t", 3)
    return LabelledPair(words(first), words(second), relation)


@dataclass(frozen=True)
class WordLists:
    """A JSON object: name of a list → words. Every list is a part."""

    path: str

    def __call__(self, read: Read) -> Parts:
        lists: Mapping[str, list[str]] = json.loads(read(self.path))
        return {name: [ListedWord(word) for word in listed] for name, listed in lists.items()}


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
        return {
            part: [self._document(json.loads(line)) for line in Lines(path, read(path)) if line]
            for part, path in self.parts.items()
        }

    def _document(self, row: Mapping[str, object]) -> Document:
        metadata = tuple((name, str(row[name])) for name in self.metadata)
        return Document(str(row[self.id]), str(row[self.label]), str(row["text"]), metadata)


@dataclass(frozen=True)
class ZippedDocuments:
    """Text files ``YEAR-Name.txt`` of a zip archive, in name order, with both parts of the name as fields.

    Bytes that are not UTF-8 are replaced.
    """

    path: str

    def __call__(self, read: Read) -> Parts:
        with zipfile.ZipFile(io.BytesIO(read(self.path))) as archive:
            names = sorted(name for name in archive.namelist() if name.endswith(".txt"))
            return {"all": [self._document(name, archive.read(name)) for name in names]}

    def _document(self, name: str, content: bytes) -> Document:
        year, _, author = PurePosixPath(name).stem.partition("-")
        text = content.decode("utf-8", errors="replace")
        return Document(year, author, text, (("year", year), ("surname", author)))


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
