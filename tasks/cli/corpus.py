"""``python -m tasks corpus``: write a suite's prescribed text, bit for bit."""

from __future__ import annotations

import argparse

from tasks.baseline.corpus_text import write_corpus
from tasks.cli.progress import step_bar
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.suites import get


def run(arguments: argparse.Namespace) -> int:
    """Write the text, check its hash, and return the exit status.

    Raises
    ------
    DataUnavailable
        the corpus is missing, or the text differs from what the suite prescribes (the file is removed).
    """
    suite = get(arguments.suite)
    with step_bar("writing") as progress:
        sha256 = write_corpus(suite, DataStore.default(), arguments.out, progress)
    expected = suite.corpus.sha256
    if expected is not None and sha256 != expected:
        arguments.out.unlink()
        raise DataUnavailable(
            suite.corpus.dataset,
            f"The text's SHA-256 is {sha256}, but {suite.id} prescribes {expected}; the file was removed. "
            f"Install the locked versions of the requirements and try again.",
        )
    verdict = "as prescribed" if expected else "this suite prescribes no hash"
    print(f"{arguments.out}: {suite.corpus.title}; licence {suite.corpus.licence}; SHA-256 {sha256} ({verdict})")
    return 0
