"""Accuracy of a site's estimates of the time left, for files of different sizes, alone and next to another one.

    python -m research.performance.promises [--suite demo] [--sizes 2000x20,10000x50+5000x20]

It starts a site of its own, with as many jobs at once as there are cores. Each file has random vectors for the words
of the suite's tasks and for others. Files joined by a plus sign are submitted together. The promise is the first range
shown while a file is evaluated; the truth is the time from then to its report.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

from research.board.campaign import running
from research.performance.training import words_of_the_suite
from research.performance.versions import versions
from tasks import suites
from tasks.cli.tables import table
from tasks.datasets.store import DataStore
from tasks.suite import Suite
from tests.servers import free_port
from vecboard import Client

SIZES = "2000x20,20000x25,5000x35,50000x20,10000x10+5000x25,2000x30+20000x20,5000x50+2000x10"
PAUSE_SECONDS = 0.5
Promise = tuple[int, int, float]
"""Promised range of seconds, and the true number."""


def vectors(suite: Suite, words: int, dimensions: int, seed: int) -> tuple[list[str], np.ndarray]:
    """Random vectors: half of the words are the suite's, or all of them if it has fewer."""
    known = words_of_the_suite(suite, DataStore.default())[: words // 2]
    named = [*known, *(f"other{i}" for i in range(words - len(known)))]
    return named, np.random.default_rng(seed).normal(0, 0.1, (words, dimensions)).astype(np.float32)


def follow(client: Client, submissions: Sequence[str]) -> list[Promise]:
    """Wait for the first promise and for the end of submissions that run at the same time."""
    began: dict[str, tuple[int, int, float]] = {}
    over: dict[str, float] = {}
    while len(over) < len(submissions):
        for submission in submissions:
            status = client.status(submission)
            expected = status["progress"].get("expected_seconds")
            if submission not in began and status["state"] == "running" and expected:
                began[submission] = expected[0], expected[1], time.monotonic()
            if status["state"] == "done":
                over.setdefault(submission, time.monotonic())
            assert status["state"] not in ("failed", "rejected", "cancelled"), status["error"]
        time.sleep(PAUSE_SECONDS)
    assert began.keys() == over.keys(), "one finished before its first promise"
    return [(*began[one][:2], over[one] - began[one][2]) for one in submissions]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="demo", choices=tuple(suites.SUITES))
    parser.add_argument("--sizes", default=SIZES)
    arguments = parser.parse_args()
    suite = suites.get(arguments.suite)
    rounds = [
        [tuple(map(int, size.split("x"))) for size in together.split("+")] for together in arguments.sizes.split(",")
    ]
    rows: list[tuple[str, ...]] = []
    held = 0
    with tempfile.TemporaryDirectory(prefix="vecboard-promises-") as scratch:
        os.environ |= {
            "VECBOARD_VAR": f"{scratch}/var",
            "VECBOARD_KEYRING": f"{scratch}/keyring.json",
            "VECBOARD_UPLOADS_PER_DAY": "0",
        }
        server = f"http://127.0.0.1:{free_port()}"
        with (
            redirect_stdout(sys.stderr),  # print the table only
            running(server, suite.id, Path(scratch, "site.log"), without_shipped=True),
            Client(server) as client,
        ):
            for nth, together in enumerate(rounds):
                files = [vectors(suite, *size, seed=10 * nth + i) for i, size in enumerate(together)]
                ids = [client.submit(file, "Promise", visibility="private").id for file in files]
                for (words, dimensions), (low, high, true) in zip(together, follow(client, ids), strict=True):
                    held += low <= true <= high
                    verdict = "held" if low <= true <= high else "early" if true < low else "late"
                    size = f"{words:,} × {dimensions}"
                    company = "alone" if len(together) == 1 else "one other"
                    rows.append((size, company, f"{low} to {high}", f"{true:.0f}", verdict))
                    print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    print(f"{suite.id}, {os.cpu_count()} cores; {versions()}")
    print(table(("file", "with", "promised, s", "true, s", ""), rows))
    print(f"{held} of {len(rows)} promises held")


if __name__ == "__main__":
    main()
