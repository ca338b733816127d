"""``corpus``, ``words``: the prescribed texts, and lists of words."""

from __future__ import annotations

import argparse
import hashlib

import numpy as np

from tasks.baseline.corpus_text import write_corpus, write_dump
from tasks.cli.tables import add_suite, existing, positive, step_bar, writable
from tasks.datasets.paragraphs import Dump
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError
from tasks.files import whole
from tasks.formats.text_blocks import write_text
from tasks.languages import ENGLISH, known_language, language_name
from tasks.suites import get
from tasks.word_list import word_list


def add_corpus(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Writes a suite's prescribed corpus text and compares its SHA-256 with the prescribed one; "
        "with --dump, the text of a Wikipedia in any language, in the same form. A file gets its name when complete."
    )
    add_suite(parser, "default: %(default)s")
    parser.add_argument("--dump", type=existing, metavar="FILE", help="a pages-articles dump (.xml.bz2) of a Wikipedia")
    parser.add_argument("--language", default="en", help="of the dump (ISO 639-1, default: %(default)s)")
    parser.add_argument(
        "--paragraphs",
        action="store_true",
        help="with --dump: paragraphs as they are, not tokenised, for languages without spaces and your own segmenter",
    )
    parser.add_argument("--out", type=writable, required=True, metavar="FILE", help="gzipped if the name ends in .gz")


def run_corpus(arguments: argparse.Namespace) -> int:
    """Write the text, and return the exit status."""
    if arguments.dump:
        return _of_dump(arguments)
    if arguments.language != ENGLISH or arguments.paragraphs:
        raise InputError("corpus-dump", "--language and --paragraphs need --dump.", field="dump")
    return _of_suite(arguments)


def _of_suite(arguments: argparse.Namespace) -> int:
    suite = get(arguments.suite)
    expected = suite.corpus.sha256
    with whole(arguments.out) as partial, step_bar("writing") as progress:
        sha256 = write_corpus(suite, DataStore.default(), partial, progress)
        if expected is not None and sha256 != expected:
            raise DataUnavailable(
                suite.corpus.dataset,
                f"The text's SHA-256 is {sha256}, but {suite.id} prescribes {expected}; nothing was written. "
                f"Install the locked versions of the requirements and try again.",
            )
    verdict = "as prescribed" if expected else "this suite prescribes no hash"
    print(f"{arguments.out}: {suite.corpus.title}; licence {suite.corpus.licence}; SHA-256 {sha256} ({verdict})")
    return 0


def _of_dump(arguments: argparse.Namespace) -> int:
    language = known_language(arguments.language)
    dump = Dump(arguments.dump)
    with step_bar("writing", even=True) as progress:
        written = write_dump(dump, language, arguments.out, progress, segment_later=arguments.paragraphs)
    counted = f"{written.tokens:,} {'pieces between spaces, not tokenised' if arguments.paragraphs else 'tokens'}"
    print(
        f"{arguments.out}: {language_name(language)}, {dump.articles:,} articles of {dump.pages:,} pages, "
        f"{written.lines:,} paragraphs, {counted}; SHA-256 {written.sha256}"
    )
    return 0


def add_words(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Writes the words that vectors of an open vocabulary are composed for, one per line: those of the "
        "suite's corpus by falling frequency, then those of its data sets."
    )
    add_suite(parser, "default: %(default)s")
    parser.add_argument(
        "--random", type=positive, metavar="DIMENSIONS", help="write random vectors of these words, for experiments"
    )
    parser.add_argument("--out", type=writable, required=True, metavar="FILE", help="output file")


def run_words(arguments: argparse.Namespace) -> int:
    """Write the list and return the exit status."""
    suite = get(arguments.suite)
    words = word_list(suite, DataStore.default()).read_bytes()
    if arguments.random:
        listed = words.decode().splitlines()
        # Reproducible numbers, for trying out other commands and a site.
        vectors = np.random.default_rng(1).normal(size=(len(listed), arguments.random)).astype(np.float32)
        write_text(arguments.out, listed, vectors)
        print(f"{arguments.out}: {len(listed):,} words, {arguments.random} random numbers each")
        return 0
    with whole(arguments.out) as partial:
        partial.write_bytes(words)
    count, sha256 = words.count(b"\n"), hashlib.sha256(words).hexdigest()
    print(f"{arguments.out}: {count:,} words of {suite.id}, version {suite.version}; SHA-256 {sha256}")
    return 0
