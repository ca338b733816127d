"""A suite's prescribed corpus text, bit for bit (docs/protocol.md §3.1), and text in the same form in any language.

A paragraph is, in this order: normalised (Unicode NFKC), lower-cased, tokenised, its digits replaced by 0, and its
tokens joined by one space. In languages other than English, combining marks are part of their word and invisible
characters are dropped (:func:`prescribed_lines`). Replacing digits before tokenising would give the same text, as a
digit is a word character either way. Paragraphs without a token are dropped. The text is UTF-8, one paragraph per line,
LF after each.
"""

from __future__ import annotations

import hashlib
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from tasks.datasets.dataset import packed_writer
from tasks.datasets.paragraphs import Dump
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError
from tasks.files import whole
from tasks.languages import ENGLISH, LANGUAGES, UNSPACED, language_name
from tasks.processes import Progress, no_progress
from tasks.suite import Suite
from tasks.vectors import DIGITS_TO_ZERO

TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_JOINERS = "'’·׳״"
"""Characters inside words: apostrophes, the Catalan middle dot, geresh and gershayim (as UAX #29, MidLetter)."""
_KEPT_INVISIBLE = "\u200c\u200d"
"""Zero-width non-joiner and joiner, which spell words of Persian and of Indic scripts."""
_ANY_LANGUAGE = "mul"
_OTHER_NAMES = {"nb": "no", "simple": ENGLISH}
"""Wikipedia's codes for languages that :data:`tasks.languages.LANGUAGES` has under another code."""
_LINES_A_BATCH = 2_000


@dataclass(frozen=True)
class WrittenCorpus:
    """A written text: SHA-256 of its lines (not of their gzipped form), and its lines and tokens."""

    sha256: str
    lines: int
    tokens: int


def prescribed_lines(paragraphs: Iterable[str], language: str = ENGLISH) -> Iterator[str]:
    """Prescribed lines, without their ends, of paragraphs of ordinary text.

    Parameters
    ----------
    paragraphs : texts; line ends inside one are white space like any other.
    language : ISO 639-1. In English a combining mark is a token of its own, as the prescribed text fixes it; in other
        languages vowel signs and accents belong to their word, a word may hold the characters that join its parts in
        some languages (``col·lecció``, zero-width non-joiners), and soft hyphens and marks of direction are dropped.
        Lower-casing is Unicode's, which is not Turkish (I becomes i). Nothing is segmented: text in a language without
        spaces must have them already.

    Yields
    ------
    str
        tokens joined by single spaces; never an empty line.
    """
    find = TOKEN.findall if language == ENGLISH else _tokens
    for paragraph in paragraphs:
        tokens = find(unicodedata.normalize("NFKC", paragraph).lower())
        if tokens:
            yield " ".join(tokens).translate(DIGITS_TO_ZERO)


def text_lines(paragraphs: Iterable[str]) -> Iterator[str]:
    """Lines of a user's text in the prescribed form, by the rule of any language, also in English.

    >>> list(text_lines(["In 1984, the café’s 2 owners met.", "Twice."]))
    ['in 0000 , the café’s 0 owners met .', 'twice .']
    """
    return prescribed_lines(paragraphs, _ANY_LANGUAGE)


def words_in(text: str) -> tuple[str, ...]:
    """The words of a user's text by the same rule; case and digits stay, as look-ups handle them."""
    return tuple(_tokens(unicodedata.normalize("NFKC", text)))


def _tokens(text: str) -> list[str]:
    """Tokens by the rule of any language; in ASCII, which has no marks, both rules agree."""
    if text.isascii():
        return TOKEN.findall(text)
    token, invisible = _of_any_language()
    return token.findall(text.translate(invisible))


@cache
def _of_any_language() -> tuple[re.Pattern[str], dict[int, None]]:
    """The pattern of a token with its combining marks, and the invisible characters to drop."""
    categories = [(chr(code), unicodedata.category(chr(code))) for code in range(sys.maxunicode + 1)]
    marks = "".join(character for character, category in categories if category[0] == "M")
    letter = rf"[\w{re.escape(marks)}{_KEPT_INVISIBLE}]"
    invisible = {ord(character): None for character, category in categories if category == "Cf"}
    for joiner in _KEPT_INVISIBLE:
        del invisible[ord(joiner)]
    return re.compile(rf"{letter}+(?:[{_JOINERS}]{letter}+)*|[^\w\s]"), invisible


def corpus_lines(suite: Suite, store: DataStore) -> Iterator[str]:
    """Lines of the prescribed text of a suite's corpus, whether the set is plain text or a Wikipedia XML dump.

    Raises
    ------
    DataUnavailable
        the corpus is missing, damaged or to be supplied by the operator.
    """
    dataset = REGISTRY[suite.corpus.dataset]
    if dataset.paragraphs is None:
        raise DataUnavailable(dataset.id, f"{dataset.title} holds labelled examples, not text to train vectors on.")
    return prescribed_lines(dataset.paragraphs(store.path(dataset.id)))


def write_corpus(suite: Suite, store: DataStore, out: Path, progress: Progress = no_progress) -> str:
    """Write a suite's prescribed text; the file gets its name only when it is complete.

    Parameters
    ----------
    out : gzipped if the name ends in ``.gz``, always with the same bytes (no name, no time stamp).
    progress : called every few thousand lines, always with share 0, as the length is not known.

    Returns
    -------
    str
        SHA-256 of the text (not of its gzipped form), to be compared with ``suite.corpus.sha256``.

    Raises
    ------
    DataUnavailable
        the corpus is missing, damaged or to be supplied by the operator.
    """
    return write_lines(corpus_lines(suite, store), out, lambda lines: progress(0.0, f"{lines:,} lines")).sha256


def write_dump(
    dump: Dump, language: str, out: Path, progress: Progress = no_progress, *, segment_later: bool = False
) -> WrittenCorpus:
    """Write the text of a Wikipedia dump in the prescribed form; the file gets its name only when it is complete.

    Parameters
    ----------
    language : ISO 639-1, of the dump.
    out : as for :func:`write_corpus`.
    progress : called every few thousand lines with the share of the dump's bytes that is read.
    segment_later : write paragraphs as they are, one per line, for a program that puts spaces between their words.

    Raises
    ------
    InputError
        the dump says that it is in another language; the language is written without spaces and ``segment_later`` is
        not set; or the dump has no article.
    DamagedData
        the file is cut off, or it is not a dump.
    """
    if language in UNSPACED and not segment_later:
        raise InputError(
            "unsegmented",
            f"{language_name(language)} is written without spaces; this program cannot find its words. Write the "
            "paragraphs as they are with --paragraphs, put spaces between their words with a segmenter, and train on "
            "that file.",
            field="language",
        )
    paragraphs = _in_language(dump, language)
    lines = (" ".join(text.split()) for text in paragraphs) if segment_later else prescribed_lines(paragraphs, language)
    return write_lines(
        lines, out, lambda lines: progress(dump.share, f"{dump.articles:,} articles, {lines:,} paragraphs")
    )


def _in_language(dump: Dump, language: str) -> Iterator[str]:
    """The dump's paragraphs; raises InputError at the first one if the dump is in another language, or has none."""
    for paragraph in dump.paragraphs():
        stated = _OTHER_NAMES.get(dump.language or "", dump.language or "")
        if stated in LANGUAGES and stated != language:
            message = f"{dump.path.name} is declared to be in {language_name(stated)}: use --language {stated}."
            raise InputError("other-language", message, field="language")
        yield paragraph
    if not dump.articles:
        message = (
            f"None of the {dump.pages:,} pages of {dump.path.name} is a long enough article. Is it pages-articles?"
        )
        raise InputError("no-articles", message, field="dump")


def write_lines(lines: Iterator[str], out: Path, progress: Callable[[int], None] = lambda lines: None) -> WrittenCorpus:
    """Write a text; the file gets its name only when it is complete, and is gzipped if the name ends in ``.gz``."""
    digest = hashlib.sha256()
    written = tokens = 0
    out.parent.mkdir(parents=True, exist_ok=True)
    with whole(out) as partial, packed_writer(partial, gzipped=out.suffix == ".gz") as file:
        while batch := list(islice(lines, _LINES_A_BATCH)):
            block = ("\n".join(batch) + "\n").encode("utf-8")
            digest.update(block)
            file.write(block)
            written += len(batch)
            tokens += sum(line.count(" ") + 1 for line in batch)
            progress(written)
    return WrittenCorpus(digest.hexdigest(), written, tokens)
