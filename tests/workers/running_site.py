"""A whole site in its own directory: web server and worker as processes, as in production."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import psycopg

from tasks.cli import main
from tests.databases import ROOT, begin_with_sqlite
from tests.scratch import scratch
from tests.servers import eventually, free_port, is_open, wait_for_port

SUBMIT = """
import hashlib, shutil, sys
from pathlib import Path
from benchmark import storage
from benchmark.submissions.models import Submission
from benchmark.submissions.models import move
from benchmark.submissions.states import Actor, State
from tasks.suites import SUITES
from workers import queue
suite, language = sys.argv[2:]
row = Submission(name="small", suite=suite, suite_version=SUITES[suite].version, language=language)
row.file_key = storage.upload_key(row.pk)
row.file_sha256 = hashlib.sha256(Path(sys.argv[1]).read_bytes()).hexdigest()
storage.publish(Path(shutil.copy(sys.argv[1], storage.path_of(f"incoming/{row.pk}"))), row.file_key)
row.save()
move(row, State.UPLOADED, Actor.SITE)
queue.enqueue_check(row.pk)
print(row.pk)
"""


IMPATIENT = {
    "VECBOARD_SWEEP_SECONDS": "1",
    "VECBOARD_SILENCE_SECONDS": "8",
    "VECBOARD_MESSAGE_LOST_SECONDS": "4",
}
"""Settings under which the sweeper repairs within seconds instead of minutes."""


ONE_EACH = {"WEB_CONCURRENCY": "1"}
"""One process that answers, besides the one that measures."""


class Site:
    """Files under one directory; database and broker too, unless their URLs are given. Processes run on demand.

    A database whose address is given has been migrated. A worker runs one job at a time unless the settings say
    otherwise, as each further process takes seconds of a core to load the program.
    """

    def __init__(self, var: Path, redis_url: str = "", database_url: str = "", **environment: str) -> None:
        self.var = var
        self.database_url = database_url
        var.mkdir(parents=True, exist_ok=True)
        overrides = {
            "VECBOARD_VAR": str(var),
            "VECBOARD_STORAGE": "",
            "VECBOARD_SUITE": "demo",
            "VECBOARD_DEVICE": "cpu",
            "VECBOARD_CONCURRENCY": "1",
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
        }
        self.environment = os.environ | overrides | environment
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.port = 0
        if not database_url:
            begin_with_sqlite(self.environment)

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout

    def python(self, code: str, *arguments: str) -> str:
        """Run code with the site's settings; return its output."""
        setup = "import django; django.setup()\n"
        environment = self.environment | {"DJANGO_SETTINGS_MODULE": "benchmark.settings"}
        command = [sys.executable, "-c", setup + code, *arguments]
        done = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout.strip()

    def submit(self, file: Path, suite: str = "demo", language: str = "en") -> str:
        return self.python(SUBMIT, str(file), suite, language)

    def start(self, name: str, *command: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a process in its own group with its output in ``<name>.log``."""
        log = (self.var / f"{name}.log").open("ab")
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env=self.environment | environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        self.processes[name] = process
        return process

    def start_worker(self, name: str = "worker", **environment: str) -> None:
        command = ["celery", "--app", "workers.app", "worker", "--loglevel", "info", "--hostname", f"{name}@test"]
        self.start(name, *command, **environment)

    def start_beat(self, name: str = "beat") -> None:
        self.start(name, "celery", "--app", "workers.app", "beat", "--loglevel", "info")

    def start_web(self, *options: str) -> str:
        """Start the web server as the site runs it; return its URL."""
        if self.port:
            eventually(lambda: not is_open(self.port))  # processes of a killed group end one after another
        self.port = self.port or free_port()
        bind = ["--bind", f"127.0.0.1:{self.port}"]
        self.start("web", "manage", "serve", *bind, *options)
        wait_for_port(self.port)
        return f"http://127.0.0.1:{self.port}"

    def kill(self, name: str) -> None:
        """Kill the whole group at once, as a power cut or the kernel would."""
        process = self.processes.pop(name, None)
        if process is not None:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def kill_worker(self) -> None:
        self.kill("worker")

    def kill_all(self) -> None:
        for name in list(self.processes):
            self.kill(name)

    def freeze(self, name: str = "worker", seconds: float = 60) -> None:
        """Stop the processes in which a worker runs its jobs, while they hold no lock that other processes need."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._tell_children(name, signal.SIGSTOP)
            if not self._holds_a_lock(name):
                return
            self.thaw(name)
            time.sleep(0.2)
        raise TimeoutError(f"in {seconds:.0f} s, {name} always held a lock")

    def thaw(self, name: str = "worker") -> None:
        self._tell_children(name, signal.SIGCONT)

    def _tell_children(self, name: str, what: signal.Signals) -> None:
        for child in self._children(name):
            with suppress(psutil.NoSuchProcess):  # a reader that has just ended
                child.send_signal(what)

    def _children(self, name: str) -> list[psutil.Process]:
        return psutil.Process(self.processes[name].pid).children(recursive=True)

    def _holds_a_lock(self, name: str) -> bool:
        """Whether a child of a process holds a lock to write: of the database, the cache in files, or the broker."""
        locks = [line.split() for line in Path("/proc/locks").read_text().splitlines() if "->" not in line]
        holders = {int(pid) for _, _, _, kind, pid, *_ in locks if kind == "WRITE"}
        return any(child.pid in holders for child in self._children(name))

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        if self.database_url:
            with psycopg.connect(self.database_url) as postgres:
                return postgres.execute(query.replace("?", "%s"), values).fetchall()  # type: ignore[arg-type]
        connection = sqlite3.connect(self.var / "vecboard.sqlite3", timeout=20)
        try:
            return connection.execute(query, values).fetchall()
        finally:
            connection.close()

    def state(self, submission: str) -> str:
        return str(self.rows("select state from submissions_submission where id = ?", submission)[0][0])

    def end(self, submission: str, state: str) -> None:
        """Write a final state into the SQLite database."""
        with closing(sqlite3.connect(self.var / "vecboard.sqlite3", timeout=20)) as database, database:
            database.execute("update submissions_submission set state = ? where id = ?", (state, submission))

    def is_over(self, submission: str) -> bool:
        return self.state(submission) in ("done", "failed", "rejected", "cancelled")

    def runs(self, submission: str, state: str) -> int:
        query = "select count(*) from submissions_submissioncell where submission_id = ? and state = ?"
        return int(self.rows(query, submission, state)[0][0])

    def report(self, submission: str) -> dict[str, Any]:
        """The JSON object of the only report."""
        found = self.reports(submission)
        assert len(found) == 1, f"{len(found)} reports; {self.state(submission)}\n{self.log()}"
        return found[0]

    def reports(self, submission: str) -> list[dict[str, Any]]:
        """The JSON objects of all versions: their frames, with the measurements in them."""
        measurements = self.rows("select id, result from submissions_measurement where submission_id = ?", submission)
        measured = {pk: json.loads(result) for pk, result in measurements}
        query = "select frame from submissions_storedreport where submission_id = ? order by version"
        found = [json.loads(frame) for (frame,) in self.rows(query, submission)]
        for report in found:
            report["results"] = [measured[part.pop("measurement")] | part for part in report["results"]]
        return found

    def wait_until(self, condition: Callable[[], bool], seconds: float = 300) -> None:
        """Wait; fail with the last log lines when a process ends or the time is over."""
        deadline = time.monotonic() + seconds
        while not condition():
            ended = [name for name, process in self.processes.items() if process.poll() is not None]
            assert not ended, f"ended: {ended}\n{self.log()}"
            assert time.monotonic() < deadline, f"still waiting after {seconds} s\n{self.log()}"
            time.sleep(0.2)

    def log(self) -> str:
        logs = sorted(self.var.glob("*.log"))
        return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')[-4000:]}" for path in logs)


def scores(report: dict[str, Any]) -> Any:
    """Results of a report without their times: equal to the last bit for the same vectors."""
    return _without_times(report["results"])


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_times(v) for k, v in value.items() if k not in ("seconds", "seconds_per_epoch")}
    return [_without_times(item) for item in value] if isinstance(value, list) else value


@cache
def small_file(dimensions: int = 8) -> Path:
    """A gzipped vector file of seeded numbers for words of the demo suite."""
    return write_vectors(scratch("small") / "small.txt.gz", _demo_words(), dimensions)


@cache
def scores_of_the_script(dimensions: int = 8, tasks: str = "") -> Any:
    """Scores of ``python -m tasks evaluate`` for a small file and all or some tasks, which a site has to reproduce."""
    file = small_file(dimensions)
    out = file.with_name("report.json")
    some = ("--task", tasks) if tasks else ()
    how = ("--suite", "demo", "--device", "cpu", "--threads", "1", "--workers", "1", "--out", str(out), *some)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert main(["evaluate", str(file), *how]) == 0
    return scores(json.loads(out.read_text()))


def _demo_words() -> list[str]:
    from tasks.datasets.store import DataStore

    store = DataStore.default()
    words: set[str] = set()
    for pairs in store.load("demo-wordsim").values():
        words |= {word.lower() for pair in pairs for word in (pair.first, pair.second)}  # type: ignore[union-attr]
    for sentences in store.load("demo-pos").values():
        words |= {word for sentence in sentences for word in sentence.words}  # type: ignore[union-attr]
    for questions in store.load("demo-analogy").values():
        words |= {word for question in questions for word in question[1:5]}
    return sorted(words)


def write_vectors(path: Path, words: list[str], dimensions: int = 8) -> Path:
    """A gzipped vector file of seeded numbers."""
    matrix = np.random.default_rng(7).normal(0, 0.1, (len(words), dimensions)).round(4)
    lines = (" ".join([word, *map(str, row)]) for word, row in zip(words, matrix.tolist(), strict=True))
    path.write_bytes(gzip.compress("\n".join(lines).encode() + b"\n", mtime=0))
    return path


@contextmanager
def running_site(folder: Path, **settings: str) -> Iterator[Site]:
    """A site with web server and worker, killed at the end."""
    site = Site(folder, **settings)
    try:
        site.start_web()
        site.start_worker()
        yield site
    finally:
        site.kill_all()
