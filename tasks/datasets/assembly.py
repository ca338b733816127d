"""Files assembled from several published ones; the registry has the SHA-256 of each result."""

from __future__ import annotations

import csv
import html
import json
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from types import ModuleType

Routine = Callable[[Sequence[Path]], Iterator[str]]
"""Yields the lines (without line ends) of a file from its downloads, in the order of the recipe's URLs."""

_SHORTEST_LINE, _SHORTEST_ARTICLE, _LETTERS = 8, 40, 0.6
_TAG = re.compile(r"<[^>]{1,200}>")
_EMPTY_BRACKETS = re.compile(r"\(\s*[,;:]*\s*\)")
_SENTENCE_END = re.compile(r"[.!?][\"'”)]*(?:\s|$)")
_MARKUP = re.compile(r"\[\[|\]\]|\{\{|\}\}|\|\||^\|")
_NEWSGROUPS = (
    "sci.med",
    "sci.space",
    "rec.sport.baseball",
    "rec.sport.hockey",
    "alt.atheism",
    "soc.religion.christian",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
)


class UnreadableParts(ValueError):
    """A download is damaged or has an unexpected format."""


def assemble(routine: str, sources: Sequence[Path]) -> Iterator[str]:
    """Lines of an assembled file; ``routine`` is a key of :data:`ROUTINES`.

    Raises
    ------
    UnreadableParts
        a download is damaged or has another format.
    """
    try:
        yield from ROUTINES[routine](sources)
    except ImportError:
        raise
    except Exception as error:  # every format's reader has its own errors
        raise UnreadableParts(f"{type(error).__name__}: {error}") from error


def wiki_sample(sources: Sequence[Path]) -> Iterator[str]:
    """Paragraphs of WikiExtractor files, cleaned by the rules in the notes of ``wiki-corpus``."""
    earlier_lines: set[str] = set()
    for source in sources:
        for article in _articles(source):
            paragraphs: list[str] = []
            for line in map(_cleaned, article):
                if line not in earlier_lines and _is_paragraph(line):
                    earlier_lines.add(line)
                    paragraphs.append(line)
            if sum(map(_length, paragraphs)) >= _SHORTEST_ARTICLE:
                yield from paragraphs


def _articles(source: Path) -> Iterator[list[str]]:
    """Lines of each ``<doc …>`` element, without its first line, which is the title."""
    lines: list[str] = []
    with source.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            if line.startswith("<doc "):
                lines = []
            elif line.startswith("</doc>"):
                yield lines[1:]
            else:
                lines.append(line)


def _cleaned(line: str) -> str:
    """The line with entities decoded, without tags and empty brackets, and with single spaces."""
    return " ".join(_EMPTY_BRACKETS.sub("", _TAG.sub(" ", html.unescape(line))).split())


def _length(cleaned: str) -> int:
    """Words of a cleaned line."""
    return cleaned.count(" ") + 1


def _is_paragraph(line: str) -> bool:
    return (
        _length(line) >= _SHORTEST_LINE
        and _SENTENCE_END.search(line) is not None
        and _MARKUP.search(line) is None
        and sum(map(str.isalpha, line)) >= _LETTERS * len(line)
    )


def newsgroups(split: str) -> Routine:
    """Posts of eight groups from the canonical archive ``20news-bydate.tar.gz``, one JSON object per line.

    Groups are in a fixed order, the posts of a group by number; bytes are decoded as Latin-1.
    """

    def lines(sources: Sequence[Path]) -> Iterator[str]:
        posts = {(group, number): text for part, group, number, text in _posts(sources[0]) if part == split}
        for group, number in sorted(posts, key=lambda post: (_NEWSGROUPS.index(post[0]), int(post[1]))):
            row = {"split": split, "group": group, "id": number, "text": posts[group, number]}
            yield json.dumps(row, ensure_ascii=False)

    return lines


def _posts(source: Path) -> Iterator[tuple[str, str, str, str]]:
    """Part, group, number and text of the posts of the eight groups, in one pass over the archive."""
    with tarfile.open(source, "r|*") as archive:
        for member in archive:
            folder, _, place = member.name.partition("/")
            group, _, number = place.partition("/")
            content = archive.extractfile(member) if number and group in _NEWSGROUPS else None
            if content is not None:
                yield folder.removeprefix("20news-bydate-"), group, number, content.read().decode("latin-1")


_MEASURES = {
    f"{task}_{delay}_{measure}".lower(): f"{task} {delay}ms {measure}"
    for task in ("LDT", "NT")
    for delay in (200, 1200)
    for measure in ("RT", "Z", "Acc")
}
"""Our name of each measure → its name in the published tables."""


def priming_table(sources: Sequence[Path]) -> Iterator[str]:
    """One CSV row per target and prime condition of the Semantic Priming Project.

    The sources are the tables of lexical decision and naming for first associates, the same two for other associates,
    the spreadsheet of items, and the ten folds. The tables list the measures of each related prime and their priming
    effects; the measures of the unrelated prime are computed from both.
    """
    *tables, spreadsheet = sources[:5]
    unrelated_primes = _unrelated_primes(spreadsheet)
    folds = {
        (row["target"].lower(), row["prime"]): str(number)
        for number, source in enumerate(sources[5:])
        for row in _rows(source)
    }
    lines = []
    for kind, associate in enumerate(("first", "other")):
        decisions, namings = ({row["TargetWord"]: row for row in _rows(table)} for table in tables[2 * kind :][:2])
        for word, decision in decisions.items():
            row = namings[word] | decision
            target, prime, (unrelated_prime, lsa) = word.lower(), row["Prime"], unrelated_primes[word.lower()][kind]
            association = [row["Relation1"], *(_number(row[name]) for name in ("FAS", "BAS", "LSA"))]
            related = [_number(row[name]) for name in _MEASURES.values()]
            unrelated = [_unrelated(row, name, associate) for name in _MEASURES.values()]
            fold, unrelated_fold = folds.get((target, prime), ""), folds.get((target, unrelated_prime), "")
            lines += [
                [target, prime, f"{associate}_related", fold, *association, *related],
                [target, unrelated_prime, f"{associate}_unrelated", unrelated_fold, "", "", "", lsa, *unrelated],
            ]
    yield ",".join(["target", "prime", "condition", "fold", "relation", "fas", "bas", "lsa", *_MEASURES])
    yield from map(",".join, sorted(lines, key=itemgetter(0)))


def _rows(source: Path) -> Iterator[dict[str, str]]:
    with source.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _number(text: str | float) -> str:
    """A number with ten significant digits; empty for a missing one."""
    return "" if text == "" else f"{float(text):.10g}"


def _unrelated(row: Mapping[str, str], measure: str, associate: str) -> str:
    """A measure after the unrelated prime."""
    related, effect = row[measure], row[f"{measure} Priming"]
    if not related or not effect:
        return ""
    # Priming is unrelated minus related, except for the accuracy of first associates.
    reverse = associate == "first" and measure.endswith("Acc")
    return _number(float(related) - float(effect) if reverse else float(related) + float(effect))


def _unrelated_primes(spreadsheet: Path) -> dict[str, list[tuple[str, str]]]:
    """Unrelated prime and its LSA for the first and the other associate of each target."""
    import xlrd

    sheet = xlrd.open_workbook(spreadsheet).sheet_by_name("unrelated pairs")
    primes: dict[str, list[tuple[str, str]]] = {}
    for _, *cells, target in (sheet.row(number)[:6] for number in range(1, sheet.nrows)):
        # In the spreadsheet the prime FALSE is a truth value, and a missing LSA is "n/a".
        words = [str(bool(c.value)).upper() if c.ctype == xlrd.XL_CELL_BOOLEAN else c.value for c in cells[::2]]
        lsa = [_number(c.value) if c.ctype == xlrd.XL_CELL_NUMBER else "" for c in cells[1::2]]
        primes[target.value] = list(zip(words, lsa, strict=True))
    return primes


def _reader_of_r() -> ModuleType:
    """The package that reads R's files, an extra of 100 MB with those that it needs."""
    try:
        import rdata
    except ImportError:
        remedy = "pip install 'vecboard[r]', in a checkout make install"
        raise ImportError(f"files of R need the package rdata: {remedy}") from None
    return rdata


def addresses(sources: Sequence[Path]) -> Iterator[str]:
    """State of the Union addresses, one JSON object per line, from the R data files of the texts and their metadata."""
    rdata = _reader_of_r()
    texts = rdata.read_rda(sources[0])["sotu_text"]
    metadata = rdata.read_rda(sources[1])["sotu_meta"]
    for row, text in zip(metadata.to_dict("records"), texts, strict=True):
        fields = {"year": int(row["year"]), **{key: row[key] for key in ("president", "years_active", "party")}}
        yield json.dumps({**fields, "type": row["sotu_type"], "text": str(text)}, ensure_ascii=False)


def neighbour_lists(sources: Sequence[Path]) -> Iterator[str]:
    """Lists of neighbours by source and cue, as one indented JSON object, from an R object of the same shape."""
    lists = _reader_of_r().read_rds(sources[0])
    yield json.dumps(
        {str(source): {str(cue): words.tolist() for cue, words in cues.items()} for source, cues in lists.items()},
        indent=1,
    )


ROUTINES: dict[str, Routine] = {
    "wiki-sample": wiki_sample,
    "20news-train": newsgroups("train"),
    "20news-test": newsgroups("test"),
    "priming-table": priming_table,
    "addresses": addresses,
    "neighbour-lists": neighbour_lists,
}
"""Routines by the names in :class:`tasks.datasets.dataset.Assembled`."""
