"""``python -m tasks words``: write the list that vectors of an open vocabulary are composed for, or vectors of it."""

from __future__ import annotations

import argparse
import hashlib

import numpy as np

from tasks.datasets.store import DataStore
from tasks.files import whole
from tasks.formats.write import write_text
from tasks.suites import get
from tasks.word_list import word_list


def run(arguments: argparse.Namespace) -> int:
    """Write the list and return the exit status.

    Raises
    ------
    DataUnavailable
        the suite's corpus or one of its data sets is missing.
    """
    suite = get(arguments.suite)
    words = word_list(suite, DataStore.default()).read_bytes()
    if arguments.random:
        return _write_random(arguments, words.decode().splitlines())
    with whole(arguments.out) as partial:
        partial.write_bytes(words)
    count, sha256 = words.count(b"\n"), hashlib.sha256(words).hexdigest()
    print(f"{arguments.out}: {count:,} words of {suite.id}, version {suite.version}; SHA-256 {sha256}")
    return 0


def _write_random(arguments: argparse.Namespace, words: list[str]) -> int:
    """Vectors that know nothing, always the same: something to try the other commands and a site on."""
    vectors = np.random.default_rng(1).normal(size=(len(words), arguments.random)).astype(np.float32)
    write_text(arguments.out, words, vectors)
    print(f"{arguments.out}: {len(words):,} words, {arguments.random} random numbers each")
    return 0
