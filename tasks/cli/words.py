"""``python -m tasks words``: write the list that vectors of an open vocabulary are composed for."""

from __future__ import annotations

import argparse
import hashlib

from tasks.datasets.store import DataStore
from tasks.files import whole
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
    with whole(arguments.out) as partial:
        partial.write_bytes(words)
    count, sha256 = words.count(b"\n"), hashlib.sha256(words).hexdigest()
    print(f"{arguments.out}: {count:,} words of {suite.id}, version {suite.version}; SHA-256 {sha256}")
    return 0
