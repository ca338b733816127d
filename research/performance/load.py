"""The site under load: real web server and uploads, SQLite (or DATABASE_URL's PostgreSQL), ApacheBench on loopback.

``python -m research.performance.load`` prints the table of docs/operations.md (about five minutes); ``--smoke`` runs
a short version of each in a minute. It fails if a request fails; speed is only printed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from tests.workers.running_site import Site

SEED = """
import json
from django.core.management import call_command
from django.utils import timezone
from benchmark.operations.models import Job
from benchmark.submissions.models import StoredReport, Submission, SubmissionCell
from tasks.suites import SUITES
call_command("load_baseline", verbosity=0)
suite = SUITES["demo"]
baseline = Submission.objects.filter(suite="demo", is_baseline=True).latest("suite_version")
body = StoredReport.objects.filter(submission=baseline).latest("pk").body
now = timezone.now()
for nth in range(200):
    row = Submission.objects.create(
        name=f"entry {nth}", suite="demo", suite_version=suite.version, state="done", words=1000, dimensions=50,
        uploaded_at=now, checked_at=now, finished_at=now, overall=nth / 1000,
    )
    StoredReport.objects.create(submission=row, body=body)
running = Submission.objects.create(
    name="running", suite="demo", suite_version=suite.version, state="running", uploaded_at=now, checked_at=now,
    queued_at=now, started_at=now,
)
for position, (task, mode) in enumerate(suite.cells()):
    runs = position < 2
    cell = SubmissionCell.objects.create(
        submission=running, task=task.id, mode=mode or "", position=position, task_hash="x", vectors_sha256="y",
        state="running" if runs else "waiting", started_at=now,
    )
    job = {"kind": "run_cell", "subject": cell.pk, "submission": running, "level": 1}
    Job.objects.create(**job, share=0.3 if runs else 0.0, heartbeat_at=now if runs else None)
print(json.dumps([running.pk, row.pk]))
"""
NO_BOUNDS = {
    "VECBOARD_UPLOADS_PER_DAY": "0",
    "VECBOARD_OPEN_UPLOADS": "0",
    "VECBOARD_BYTES_PER_DAY": "0",
    "VECBOARD_WRITES_PER_MINUTE": "0",
    "LOG_LEVEL": "WARNING",
}
MEGABYTE = 1_000_000


@dataclass
class Row:
    """One line of the table."""

    what: str
    target: str
    measured: str
    failed: int


class Memory:
    """Megabytes of all web processes together (each shared page counted once), sampled during a block."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.samples: list[float] = []

    def now(self) -> float:
        parent = psutil.Process(self.site.processes["web"].pid)
        family = [parent, *parent.children(recursive=True)]
        return sum(process.memory_full_info().pss for process in family) / MEGABYTE

    @contextmanager
    def watched(self) -> Iterator[None]:
        over = threading.Event()

        def sample() -> None:
            while not over.wait(0.5):
                self.samples.append(self.now())

        self.samples = [self.now()]
        thread = threading.Thread(target=sample)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def bench(url: str, requests: int, at_once: int, *headers: str, expect: int = 200) -> tuple[float, float, float, int]:
    """ApacheBench: requests per second, median and 99th percentile in ms, and failed requests."""
    options = [part for header in headers for part in ("-H", header)]
    command = ["ab", "-q", "-k", "-n", str(requests), "-c", str(at_once), *options, url]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    complete = int(_figure(r"Complete requests:\s+(\d+)", output))
    odd = int(_figure(r"Non-2xx responses:\s+(\d+)", output))
    lost = int(_figure(r"Failed requests:\s+(\d+)", output)) if "(Connect:" not in output else _lost(output)
    wrong = abs(odd - complete) if expect == 304 else odd
    percentile = {share: float(_figure(rf"\n\s+{share}%\s+(\d+)", output)) for share in (50, 99)}
    return float(_figure(r"Requests per second:\s+([\d.]+)", output)), percentile[50], percentile[99], wrong + lost


def _figure(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else "0"


def _lost(output: str) -> int:
    """Failed connections and exceptions; a different body length (a page that shows the time) is not a failure."""
    return sum(int(_figure(rf"{kind}: (\d+)", output)) for kind in ("Connect", "Receive", "Exceptions"))


def reads(address: str, running: str, done: str, size: int) -> list[Row]:
    """The three most requested URLs."""
    report = f"{address}/api/v1/submissions/{done}/report"
    etag = httpx.get(report, timeout=60).headers["ETag"]
    httpx.get(f"{address}/", timeout=60)
    plan = (
        ("poll of a running submission", "300/s, p99 50 ms", f"{address}/api/v1/submissions/{running}", (), 200),
        ("finished report, not modified", "300/s, p99 50 ms", report, (f"If-None-Match: {etag}",), 304),
        ("leaderboard, warm, 200 entries", "300/s", f"{address}/", (), 200),
    )
    rows = []
    for what, target, url, headers, expect in plan:
        bench(url, 200, 8, *headers, expect=expect)  # both processes load what they need
        rate, median, high, failed = bench(url, size, 8, *headers, expect=expect)
        rows.append(Row(what, target, f"{rate:,.0f}/s, p50 {median:.0f} ms, p99 {high:.0f} ms", failed))
    return rows


def uploads(address: str, memory: Memory, count: int, megabytes: int) -> Row:
    """Simultaneous uploads."""
    with tempfile.NamedTemporaryFile(suffix=".gz") as file:
        file.write(b"\x1f\x8b" + os.urandom(megabytes * MEGABYTE))
        file.flush()

        def send(i: int) -> bool:
            with Path(file.name).open("rb") as stream:
                answer = httpx.post(
                    f"{address}/api/v1/submissions", data={"name": f"load {i}"}, files={"file": stream}, timeout=600
                )
            return answer.status_code == 202

        began = time.monotonic()
        with memory.watched(), ThreadPoolExecutor(count) as pool:
            accepted = sum(pool.map(send, range(count)))
    seconds = time.monotonic() - began
    measured = f"{accepted} of {count} in {seconds:.0f} s, web memory at most {max(memory.samples):.0f} MB"
    return Row(f"{count} uploads of {megabytes} MB at once", "all, under 400 MB", measured, count - accepted)


def mixed(address: str, memory: Memory, running: str, done: str, seconds: float) -> Row:
    """Pages, polls, reports and rejected uploads, repeatedly."""
    paths = (
        "/",
        f"/s/{running}",
        f"/r/{done}",
        f"/api/v1/submissions/{running}",
        "/submit",
        "/suites/demo",
        "/healthz",
    )
    counts: list[int] = []
    failures: list[str] = []

    def visit(first: int) -> None:
        visits = first
        with httpx.Client(base_url=address, timeout=60) as client:
            while time.monotonic() < over:
                answer = client.get(paths[visits % len(paths)])
                if answer.status_code != 200:
                    failures.append(f"{answer.status_code} {answer.url}")
                if visits % 50 == 0:
                    refused = client.post("/api/v1/submissions", data={"name": "x"}, files={"file": b""})
                    if refused.status_code != 400:
                        failures.append(f"{refused.status_code} upload")
                visits += 1
        counts.append(visits - first)

    for path in paths * 30:  # fill the caches before the memory is measured
        httpx.get(f"{address}{path}", timeout=60)
    before = memory.now()
    over = time.monotonic() + seconds
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(visit, range(8)))
    after = memory.now()
    for failure in failures[:5]:
        print(failure, file=sys.stderr)
    measured = f"{sum(counts):,} requests ({sum(counts) / seconds:,.0f}/s), memory {before:.0f} → {after:.0f} MB"
    return Row(f"{seconds / 60:.1f} minutes of mixed load", "no error, no growth", measured, len(failures))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="a short version of each, in about a minute")
    parser.add_argument("--minutes", type=float, default=3.0, help="of mixed load")
    parser.add_argument("--requests", type=int, default=10_000, help="number of reads of each kind")
    chosen = parser.parse_args()
    if shutil.which("ab") is None:
        print("ApacheBench (ab) is not installed; it is in Debian's package apache2-utils.", file=sys.stderr)
        return 2
    requests, count, size, seconds = (
        (300, 5, 2, 10.0) if chosen.smoke else (chosen.requests, 50, 20, chosen.minutes * 60)
    )
    with tempfile.TemporaryDirectory(prefix="vecboard-load-") as folder:
        site = Site(Path(folder), "", os.environ.get("DATABASE_URL", ""), **NO_BOUNDS)
        try:
            running, done = json.loads(site.python(SEED).splitlines()[-1])
            address = site.start_web()
            memory = Memory(site)
            rows = reads(address, running, done, requests)
            rows += [uploads(address, memory, count, size), mixed(address, memory, running, done, seconds)]
        finally:
            site.kill_all()
    print("| load | asked for | measured | failed |\n|---|---|---|---:|")
    for row in rows:
        print(f"| {row.what} | {row.target} | {row.measured} | {row.failed} |")
    return 1 if any(row.failed for row in rows) else 0


if __name__ == "__main__":
    raise SystemExit(main())
