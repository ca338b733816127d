"""``python -m tasks corpus``: write a suite's prescribed text, bit for bit, or that of a Wikipedia in any language."""

from __future__ import annotations

import argparse

from tasks.baseline.corpus_text import write_corpus, write_dump
from tasks.cli.progress import step_bar
from tasks.datasets.paragraphs import Dump
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable, InputError
from tasks.files import whole
from tasks.languages import ENGLISH, known_language, language_name
from tasks.suites import get


def run(arguments: argparse.Namespace) -> int:
    """Write the text, and return the exit status.

    Raises
    ------
    DataUnavailable
        the suite's corpus is missing, or the text differs from what the suite prescribes; an older file stays.
    DamagedData, InputError, UnknownName
        the dump cannot be read, is in another language, or must be segmented first; an option needs a dump; the
        language is unknown.
    """
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
