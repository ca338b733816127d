"""Train, submit and follow every entry, on a site that is running or started here.

A campaign can be stopped at any time without losing finished work.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from benchmark.shipped.trained import Made, TrainedEntry, place
from research.board.board_entries import BoardEntry
from tasks.answers import Details, SubmissionStatus
from tasks.baseline.published import published
from tasks.errors import VecboardError
from tasks.files import whole
from tasks.suite import Suite
from vecboard import Client, ClientError, Refused, Unreachable
from vecboard.fetch import fetch, forget
from vecboard.public import PublicEntry
from vecboard.sources import read_criteria

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 900
"""The first start trains a baseline if none is published."""
STOP_SECONDS = 60
LOCAL = ("127.0.0.1", "localhost")


class NoSite(VecboardError):
    """No site is available to submit to, and none can be started."""


def answers(server: str) -> bool:
    """Whether a site is running at this URL."""
    try:
        return httpx.get(f"{server}/healthz", timeout=5).is_success
    except httpx.HTTPError:
        return False


@contextmanager
def running(server: str, suite: str, log: Path, *, without_shipped: bool = False) -> Iterator[None]:
    """A site at this URL while the block runs; if started here, it writes its output to ``log``.

    ``without_shipped``: a site started here begins without the shipped entries.

    Raises
    ------
    NoSite
        nothing answers, and the URL is on another machine or the start failed.
    """
    if answers(server):
        yield
        return
    where = urlsplit(server)
    if where.hostname not in LOCAL:
        raise NoSite(f"{server} does not answer, and a site can only be started on this machine.")
    environment = os.environ | {
        "HOST": "127.0.0.1",
        "PORT": str(where.port or 80),
        "VECBOARD_SUITE": suite,
        "VECBOARD_SHIPPED_BOARD": "0" if without_shipped else "1",
    }
    print(f"Starting the site at {server}; its output goes to {log}.", flush=True)
    command = [sys.executable, "manage.py", "up"]
    with log.open("ab") as lines:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=lines, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        _wait(server, process, log)
        yield
    finally:
        process.send_signal(signal.SIGTERM)  # it ends its own processes, and resumes at the next start
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def check_suite(client: Client, suite: Suite) -> None:
    """Check that the site evaluates with the suite on whose corpus the vectors are trained.

    Raises
    ------
    NoSite
        it uses another suite, or another version.
    """
    served = client.board()["suite"]
    if served["id"] != suite.id:
        raise NoSite(
            f"{client.server} uses the suite {served['id']}, not {suite.id}. Start it with VECBOARD_SUITE={suite.id}, "
            f"name another site with --server, or use its suite with --suite {served['id']}."
        )
    if served["version"] != suite.version:
        raise NoSite(
            f"{client.server} uses version {served['version']} of {suite.id}, but this program has version "
            f"{suite.version}. Use the same version of the program on both, or name another site with --server."
        )


def _wait(server: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not answers(server):
        if process.poll() is not None:
            raise NoSite(f"The site did not start; see the last lines of {log}.")
        if time.monotonic() > deadline:
            raise NoSite(f"The site did not start within {START_SECONDS // 60} minutes; see {log}.")
        time.sleep(0.5)


PAUSE_SECONDS = 5.0
INTERRUPTED = 130
OPEN = ("receiving", "uploaded", "checking", "queued", "running")
Say = Callable[[str], None]


class TrainingFailed(Exception):
    """The training program ended without writing a file; other entries are not affected."""


@dataclass(frozen=True)
class Standing:
    """An entry's state: ``to train``, ``to submit``, or the state of its ``submission`` on the site."""

    entry: BoardEntry
    state: str
    message: str = ""
    submission: str = ""

    @property
    def is_over(self) -> bool:
        return self.state == "done"


class Campaign:
    """Entries of one suite version on one server.

    The files and the ledger of submissions are in ``directory``: delete it to start from scratch.

    Parameters
    ----------
    shipped : submission ids of entries made before, by title: those that the server has are done.
    site_may_be_away : for listing open entries; without the site, submitted ones are shown as such.
    """

    def __init__(
        self,
        suite: Suite,
        entries: Sequence[BoardEntry],
        client: Client,
        directory: Path,
        say: Say,
        *,
        shipped: Mapping[str, str] | None = None,
        site_may_be_away: bool = False,
    ) -> None:
        self.suite, self.entries, self.client, self.say = suite, entries, client, say
        self.shipped = dict(shipped or {})
        self.site_may_be_away = site_may_be_away
        self.directory = directory
        self.ledger = directory / "ledger.json"
        self.problems: dict[str, str] = {}

    def run(self) -> list[Standing]:
        """Complete the remaining work; return every entry's final state.

        Entries that failed or were rejected before are retried once; a failure now does not stop the others.
        """
        for standing in self.standings():
            if standing.state in ("failed", "rejected"):
                self._try_again(standing)
        for entry in self.entries:
            try:
                self._begin(entry)
            except (TrainingFailed, ClientError) as error:
                self.problems[entry.id] = str(error)
                self.say(f"{entry.title}: {error}")
            self.say(self.left())
        return self._follow()

    def _begin(self, entry: BoardEntry) -> None:
        if isinstance(entry, PublicEntry):
            if self.standing(entry).state == "to submit":
                self._add(entry)
            return
        if self.standing(entry).state == "to train":
            self._train(entry)
        if self.standing(entry).state == "to submit":
            self._submit(entry)

    def _try_again(self, standing: Standing) -> None:
        """Retry the jobs of a failed run that have no result; if that is impossible, submit the file again."""
        try:
            if standing.state == "failed":
                self.client.retry(standing.submission)
                self.say(f"{standing.entry.title}: retried.")
                return
        except Refused as error:
            self.say(f"{standing.entry.title}: {error}")
        self.shipped.pop(standing.entry.title, None)
        self._write({entry: id for entry, id in self._read().items() if id != standing.submission})
        self.say(
            f"{standing.entry.title}: will be resubmitted, as it was {standing.state}. {standing.message}".rstrip()
        )

    def standings(self) -> list[Standing]:
        return [self.standing(entry) for entry in self.entries]

    def standing(self, entry: BoardEntry) -> Standing:
        """One entry's state; a submission that the server no longer has must be made again."""
        for submission in (self._read().get(entry.id), self.shipped.get(entry.title)):
            if submission is None:
                continue
            try:
                status = self.client.status(submission)
            except Refused as error:
                if error.status != 404:
                    raise
            except Unreachable:
                if not self.site_may_be_away:
                    raise
                return Standing(entry, "submitted", "the site does not answer")
            else:
                if status["state"] != "cancelled":
                    return Standing(entry, status["state"], _message(status), submission)
        is_made = isinstance(entry, PublicEntry) or self._place(entry).is_there
        state = "to submit" if is_made else "to train"
        return Standing(entry, state, self.problems.get(entry.id, ""))

    def left(self) -> str:
        """One line: counts of finished and open entries, and an estimate of the time for evaluation here."""
        standings = self.standings()
        waiting = [standing for standing in standings if not standing.is_over]
        counts = Counter(standing.state for standing in waiting)
        counted = ", ".join(f"{count} {state}" for state, count in counts.items()) or "nothing is left"
        minutes = self._minutes([standing.entry for standing in waiting])
        estimate = f" Evaluation takes about {minutes:.0f} more minutes on this machine." if minutes else ""
        return f"{len(standings) - len(waiting)} of {len(standings)} entries done; {counted}.{estimate}"

    def _minutes(self, entries: Sequence[BoardEntry]) -> float:
        """Estimate from the baseline's evaluation time, in proportion to dimensions, one job per core; 0 if unknown."""
        baseline = published(self.suite)
        if baseline is None:
            return 0.0
        seconds = sum(result.seconds for result in baseline.results)
        sizes = sum(entry.dimensions / int(baseline.vectors["dimensions"]) for entry in entries)
        return seconds * sizes / len(os.sched_getaffinity(0)) / 60

    def _place(self, entry: TrainedEntry) -> Made:
        return place(entry, self.directory)

    def _train(self, entry: TrainedEntry) -> None:
        """Train in a separate process: memory is returned, and an interruption leaves no partial file."""
        self.say(f"Training {entry.title}.")
        began = time.monotonic()
        command = [sys.executable, "-m", "research.board", "vectors", entry.id, "--suite", self.suite.id]
        done = subprocess.run([*command, "--out", str(self.directory)], cwd=ROOT, check=False)
        if done.returncode == INTERRUPTED:
            raise KeyboardInterrupt
        if done.returncode != 0 or not self._place(entry).is_there:
            raise TrainingFailed("training failed; see the lines above.")
        self.say(f"{entry.title}: trained in {(time.monotonic() - began) / 60:.1f} minutes.")

    def _submit(self, entry: TrainedEntry) -> None:
        made = self._place(entry)
        details = read_criteria(made.criteria)
        details["licence"] = self.suite.corpus.licence  # the text's licence also covers the vectors
        if entry.window is None:
            details.pop("window", None)
        details |= {"track": "prescribed", "description": description(entry, self.suite)}
        self._send(entry, made.vectors, details)

    def _add(self, entry: PublicEntry) -> None:
        self.say(f"Fetching {entry.title}: {entry.source}.")
        self._send(entry, fetch(entry, self.directory), entry.details())
        forget(entry)

    def _send(self, entry: BoardEntry, vectors: Path | str, details: Details) -> None:
        accepted = self.client.submit(vectors, entry.title, **details)
        self._write(self._read() | {entry.id: accepted.id})
        self.say(f"{entry.title}: submitted, {accepted.url}")

    def _follow(self) -> list[Standing]:
        """Wait until nothing is running."""
        before = ""
        while True:
            standings = self.standings()
            now = self.left()
            if now != before:
                self.say(now)
            before = now
            if not any(standing.state in OPEN for standing in standings):
                return standings
            time.sleep(PAUSE_SECONDS)

    def _read(self) -> dict[str, str]:
        """Submissions by entry, of this server."""
        try:
            saved: dict[str, dict[str, str]] = json.loads(self.ledger.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        return saved.get(self.client.server, {})

    def _write(self, submissions: dict[str, str]) -> None:
        saved = json.loads(self.ledger.read_text(encoding="utf-8")) if self.ledger.exists() else {}
        with whole(self.ledger) as partial:
            partial.write_text(json.dumps(saved | {self.client.server: submissions}, indent=1) + "\n", encoding="utf-8")


def description(entry: TrainedEntry, suite: Suite) -> str:
    """An entry's description on the board: the commands that reproduce its numbers."""
    return (
        f"Made by: python -m research.board vectors {entry.id} --suite {suite.id}\n"
        f"Measured by: python -m tasks evaluate {entry.id}.txt.gz --suite {suite.id}"
    )


def _message(status: SubmissionStatus) -> str:
    if status["error"]:
        return str(status["error"]["message"])
    progress = status["progress"]
    return f"{progress['done']} of {progress['total']} jobs" if status["state"] == "running" else ""
