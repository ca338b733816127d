"""Accuracy of a site's estimates of the time left, and the time to a file's first score, alone and beside other work.

    python -m research.performance.promises [--suite demo] [--sizes 2000x20,10000x50+5000x20] [--every 60] [--load 2]

It starts a site of its own, with as many jobs at once as there are cores. Each file has random vectors for the words
of the suite's tasks and for others. Files joined by a plus sign are submitted together. A promise is the range shown
at a moment while a file is evaluated; it holds if the report is there by the range's upper end. The first promise of a
file counts at once, the next ones every ``--every`` seconds. The first score counts from the end of the file's check.

With ``--load``, so many processes compute beside the site: from the start of each second round to its end. They
end with this script, and after half an hour at the latest. Ctrl-C prints the table of the rounds that have ended.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from research.board.campaign import running
from research.performance.training import words_of_the_suite
from research.performance.versions import versions
from tasks import suites
from tasks.datasets.store import DataStore
from tasks.suite import Suite
from tests.servers import free_port
from vecboard import Client

SIZES = "2000x20,20000x25,5000x35,50000x20,10000x10+5000x25,2000x30+20000x20,5000x50+2000x10"
PAUSE_SECONDS = 0.25
LONGEST_LOAD = 1800
_BUSY = f"import signal\nsignal.alarm({LONGEST_LOAD})\nwhile True: pass"


@dataclass
class Followed:
    """The promises of a file: moment, lower and upper bound in seconds; and its moments.

    ``checked``: the file passed its check. ``scored``: the first cell was done. ``over``: the report was there.
    """

    promises: list[tuple[float, int, int]] = field(default_factory=list)
    checked: float = 0.0
    scored: float = 0.0
    over: float = 0.0

    @property
    def true(self) -> list[tuple[int, int, float]]:
        """Lower and upper bound and the true seconds."""
        return [(low, high, self.over - moment) for moment, low, high in self.promises]


def vectors(suite: Suite, words: int, dimensions: int, seed: int) -> tuple[list[str], np.ndarray]:
    """Random vectors: half of the words are the suite's, or all of them if it has fewer."""
    suite_words = words_of_the_suite(suite, DataStore.default())[: words // 2]
    named = [*suite_words, *(f"other{i}" for i in range(words - len(suite_words)))]
    return named, np.random.default_rng(seed).normal(0, 0.1, (words, dimensions)).astype(np.float32)


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Processes that compute while the block runs."""
    busy = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def follow(client: Client, submissions: Sequence[str], every: float) -> list[Followed]:
    """Write down the promises of submissions that run at the same time, until their reports are there."""
    by_submission = {submission: Followed() for submission in submissions}
    while not all(followed.over for followed in by_submission.values()):
        for submission, followed in by_submission.items():
            status, now = client.status(submission), time.monotonic()
            expected = status["progress"].get("expected_seconds")
            due = followed.promises[-1][0] + every if followed.promises else now
            if status["state"] in ("queued", "running", "done"):
                followed.checked = followed.checked or now
                followed.scored = followed.scored or (now if status["progress"]["done"] else 0.0)
            if status["state"] == "running" and expected and now >= due:
                followed.promises.append((now, expected[0], expected[1]))
            if status["state"] == "done":
                followed.over = followed.over or now
            assert status["state"] not in ("failed", "rejected", "cancelled"), status["error"]
        time.sleep(PAUSE_SECONDS)
    return list(by_submission.values())


def row_of(size: tuple[int, int], beside: str, followed: Followed) -> tuple[str, ...]:
    """Size, processes at the same time, first score, first promise, true seconds, promises, late ones, early ones."""
    promises = followed.true
    assert promises, "it finished before its first promise"
    low, high, true = promises[0]
    late = sum(seconds > most for _, most, seconds in promises)
    early = sum(seconds < least for least, _, seconds in promises)
    first = f"{followed.scored - followed.checked:.1f}"
    shown = f"{size[0]:,} × {size[1]}", beside, first, f"{low} to {high}", f"{true:.0f}"
    return *shown, str(len(promises)), str(late), str(early)


def main() -> None:
    """Print a line for each file as soon as it is measured, and the shares that held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="demo", choices=tuple(suites.SUITES))
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--every", type=float, default=60.0, help="seconds between promises (default %(default)s)")
    parser.add_argument("--load", type=int, default=0, help="processes beside every second round (default %(default)s)")
    arguments = parser.parse_args()
    suite = suites.get(arguments.suite)
    rounds = [
        [tuple(map(int, size.split("x"))) for size in together.split("+")] for together in arguments.sizes.split(",")
    ]
    sizes: list[tuple[int, ...]] = []
    files: list[Followed] = []
    with suppress(KeyboardInterrupt), tempfile.TemporaryDirectory(prefix="vecboard-promises-") as scratch:
        os.environ |= {
            "VECBOARD_VAR": f"{scratch}/var",
            "VECBOARD_KEYRING": f"{scratch}/keyring.json",
            "VECBOARD_UPLOADS_PER_DAY": "0",
        }
        server = f"http://127.0.0.1:{free_port()}"
        with (
            redirect_stdout(sys.stderr),  # print the summary only
            running(server, suite.id, Path(scratch, "site.log"), without_shipped=True),
            Client(server) as client,
        ):
            for i, together in enumerate(rounds):
                made = [vectors(suite, *size, seed=10 * i + n) for n, size in enumerate(together)]
                ids = [client.submit(file, "Promise", visibility="private").id for file in made]
                busy = arguments.load if i % 2 else 0
                beside = [f"{busy} processes"] * bool(busy) + ["one file"] * (len(together) > 1)
                with load(busy):
                    followed = follow(client, ids, arguments.every)
                files += followed
                sizes += together
                for (words, dimensions), run in zip(together, followed, strict=True):
                    row = row_of((words, dimensions), ", ".join(beside) or "nothing", run)
                    print(*row, sep="  ", file=sys.stderr, flush=True)
    print(f"{suite.id}, a promise every {arguments.every:.0f} s, {os.cpu_count()} cores; {versions()}")
    promises = [promise for file in files for promise in file.true]
    upper = sum(true <= high for _, high, true in promises)
    ends = [f"{words:,} × {dimensions}" for words, dimensions in sorted(sizes)]
    print(
        f"{len(files)} files of {ends[0]} to {ends[-1]}: {upper} of {len(promises)} upper ends held; "
        f"{sum(true >= low for low, _, true in promises)} lower ones"
    )


if __name__ == "__main__":
    main()
