"""Time and size of pages: ``python -m research.performance.pages [--entries 10000] [--requests 40] [--rank 1000]``.

Prints times of one process answering in turn (Django's test client, every middleware, SQLite in its own directory):
the board with all its columns, without and with its cached page, filtered, sorted; a report; a comparison; the
polled endpoints of the API. Each row “without” switches off one optimisation. Then the
sizes of pages as browsers fetch them, and the time to rank entries from their per-example outcomes. The entries are
made up; the large board is ranked without tests, because no page's time depends on the tests.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import platform
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

N_TEST = {"pos": 2077, "chunk": 2013, "ner": 11590, "sentiment": 1821, "questions": 500, "sentence-inference": 9824}
"""Test examples (sentences, texts, pairs) of open-2026, for the time of ranking."""
N_PAIRS = (353, 203, 252, 999, 3000, 65, 30, 287, 771, 2034, 3500, 144, 130, 5300, 5300, 5300, 5300)
"""Pairs of open-2026's similarity sets and, for each condition, of the priming test."""
SUITE = "open-2026"
SOME = 8
"""Entries with a complete report."""
PAGE_51 = "sort=pos.fixed&after=0.1~e00000005000"
Question = tuple[str, Callable[[], Any], Callable[[], None] | None]
"""Name; function that requests the page; preparation before each request."""
PageSizes = tuple[str, float, float, float]
"""Name; kilobytes of the page, of the page as sent, and of both with styles and scripts."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--entries", type=int, default=10_000)
    options.add_argument("--requests", type=int, default=40)
    options.add_argument("--rank", type=int, default=1_000, help="entries to rank; 0: none")
    arguments = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"VECBOARD_VAR": folder, "VECBOARD_SUITE": SUITE, "DJANGO_SETTINGS_MODULE": "benchmark.settings"}
        os.environ |= {"DATABASE_URL": "", "REDIS_URL": "", "LOG_LEVEL": "ERROR", "ALLOWED_HOSTS": "testserver"}
        os.environ["VECBOARD_STATIC_ROOT"] = f"{folder}/static"
        import django

        django.setup()
        from django.core.management import call_command

        import benchmark.wsgi  # noqa: F401  # what a web process does when it starts

        call_command("collectstatic", verbosity=0, interactive=False)
        call_command("migrate", verbosity=0)
        print(f"Python {platform.python_version()}, Django {django.get_version()}, NumPy {np.__version__}")
        ids, size = fill(arguments.entries)
        print(f"{size}\n")
        questions, weights, row_seconds = pages(ids)
        print(f"{'page':38} {'median':>8} {'p95':>8} {'median CPU':>11}   ms of {arguments.requests} requests")
        for name, ask, before in questions:
            walls, cpus = np.array([timed(ask, before) for _ in range(arguments.requests + 1)][1:]).T * 1e3
            print(f"{name:38} {np.median(walls):8.1f} {np.percentile(walls, 95):8.1f} {np.median(cpus):11.1f}")
    seconds = row_seconds * arguments.entries
    print(
        f"\nthe board's table from its reports instead of the stored board: {seconds:,.0f} s of CPU (by {SOME} of them)"
    )
    print(f"\n{'kB':38} {'page':>8} {'as sent':>8} {'with styles and scripts':>24}")
    for name, plain, sent, whole in weights:
        print(f"{name:38} {plain:8.1f} {sent:8.1f} {whole:24.1f}")
    if arguments.rank:
        ranking(arguments.rank)


def fill(entries: int) -> tuple[list[str], str]:
    """Create a board of made-up entries, each with every score; return some ids and a description of its size."""
    from django.utils import timezone

    from benchmark.leaderboard.columns import columns_of
    from benchmark.leaderboard.models import ComputedBoard, Entry
    from benchmark.leaderboard.table import ReportRow, packed, table_of
    from benchmark.operations.models import WorkerBeat
    from benchmark.submissions.models import StoredReport, Submission
    from benchmark.submissions.states import State
    from tasks.baseline.published import latest_published
    from tasks.suites import SUITES

    suite, rng = SUITES[SUITE], np.random.default_rng(0)
    base = latest_published(suite)
    assert base is not None, "The suite's baseline is shipped."
    keys = [column.key for column in columns_of(suite)]
    of_file = {column.key for column in columns_of(suite) if column.group == "File"}  # have no intervals
    now = timezone.now()
    rows = [
        Submission(
            id=f"e{i:011d}", name=f"entry {i}", suite=suite.id, suite_version=suite.version, state=State.DONE,
            words=100_000 + i, dimensions=int(rng.choice([50, 100, 300])), finished_at=now, corpus="made up",
            algorithm="skip-gram", vectors_sha256=f"{i:064x}", is_baseline=i == 9,
        )
        for i in range(entries)
    ]  # fmt: skip
    Submission.objects.bulk_create(rows, batch_size=500)
    measured = detailed(base)
    text = measured.to_json()
    etag = hashlib.sha256(text.encode()).hexdigest()
    stored = [StoredReport(submission=row, frame={"results": []}, etag=etag) for row in rows[SOME:]]
    StoredReport.objects.bulk_create(stored, batch_size=500)
    stored = [*(StoredReport.publish(row, measured) for row in rows[:SOME]), *stored]
    for row, report in zip(rows, stored, strict=True):
        row.report = report
    Submission.objects.bulk_update(rows, ["report"], batch_size=500)
    values = rng.normal(0.1, 0.1, (entries, len(keys)))
    made = [
        Entry(submission=row, report=report, suite=suite.id, version=suite.version)
        for row, report in zip(rows[SOME:], stored[SOME:], strict=True)  # the others have theirs since publication
    ]
    Entry.objects.bulk_create(made, batch_size=500)
    table = table_of(
        [
            ReportRow(report.pk, row.pk, row.language, scores, {})
            for row, report, line in zip(rows, stored, values.tolist(), strict=True)
            for scores in [
                {
                    key: [value, None, None, None] if key in of_file else [value, value - 0.01, value + 0.01, 0.97]
                    for key, value in zip(keys, line, strict=True)
                }
            ]
        ]
    )
    order = np.argsort(np.argsort(-np.nan_to_num(table.parts["value"][:, table.column_of["overall"]]))) + 1
    rank = order.astype(np.int32)[:, None]
    ranked = replace(table, ranked_keys=("overall",), rank=rank, last=rank)
    body = packed(ranked)
    which = {"suite": suite.id, "version": suite.version, "stamp": "made up", "digest": "made up"}
    ComputedBoard.objects.create(**which, size=len(body), body=body)
    WorkerBeat.objects.record("here")
    return [row.pk for row in rows[:SOME]], f"{entries:,} entries, {len(keys)} columns, {len(text):,} bytes a report"


def detailed(report: Any) -> Any:
    """The baseline's report with the additional parts of an entry's: confusions and unknown words."""
    labels = [f"class {i}" for i in range(20)]
    counts = np.random.default_rng(1).integers(0, 500, (20, 20)).tolist()
    more = {
        "classes": {"labels": labels, "confusion": counts, "seeds": 3},
        "unknown_words": {"tokens": 900, "types": 400, "commonest": [[f"word{i}", 25 - i] for i in range(25)]},
    }
    results = [replace(r, secondary={**r.secondary, **more}) if r.mode else r for r in report.results]
    return replace(report, results=tuple(results))


def pages(ids: list[str]) -> tuple[list[Question], list[PageSizes], float]:
    """The function that requests each page, the pages' sizes, and the CPU seconds per row of a rebuilt board."""
    from django.core.cache import cache
    from django.test import Client
    from django.utils import timezone

    from benchmark.leaderboard import table
    from benchmark.leaderboard.columns import columns_of
    from benchmark.leaderboard.models import Entry
    from benchmark.submissions.models import Submission
    from benchmark.submissions.states import State
    from tasks.suites import SUITES

    def nothing_read() -> None:
        cache.clear()
        table._tables.clear()

    def no_scales() -> None:
        cache.clear()
        table.current(SUITE, SUITES[SUITE].version)[0].scales.clear()

    groups = "&".join(f"c={group}" for group in dict.fromkeys(c.group for c in columns_of(SUITES[SUITE])))
    client = Client(headers={"Accept-Encoding": "gzip"})
    running = Submission.objects.create(name="running", suite="demo", state=State.RUNNING, started_at=timezone.now())
    progress, unchanged = f"/api/v1/submissions/{running.pk}", f"/api/v1/submissions/{ids[0]}/report"
    etag = {"If-None-Match": client.get(unchanged)["ETag"]}
    board = f"/?{groups}"
    two = "&".join(f"e={pk}" for pk in ids[:2])
    questions: list[Question] = [
        ("board, all columns, not cached", lambda: client.get(board), cache.clear),
        ("… without the table in memory", lambda: client.get(board), nothing_read),
        ("… without the scales of its columns", lambda: client.get(board), no_scales),
        ("board, all columns, cached", lambda: client.get(board), None),
        ("first screen, not cached", lambda: client.get("/"), cache.clear),
        ("first screen, cached", lambda: client.get("/"), None),
        ("board, sorted by a task, page 51", lambda: client.get(f"{board}&{PAGE_51}"), cache.clear),
        ("board, filtered by text", lambda: client.get(f"{board}&q=entry 77"), cache.clear),
        ("report, not cached", lambda: client.get(f"/r/{ids[0]}"), cache.clear),
        ("report, cached", lambda: client.get(f"/r/{ids[0]}"), None),
        ("comparison of two", lambda: client.get(f"/compare?{two}"), cache.clear),
        ("badge", lambda: client.get(f"/badge/{ids[0]}.svg"), cache.clear),
        ("progress by the API", lambda: client.get(progress), None),
        ("unchanged report by the API", lambda: client.get(unchanged, headers=etag), None),
    ]
    reports = list(Entry.objects.filter(submission__in=ids).values_list("report_id", flat=True))
    taken = timed(lambda: table.table_of(table.rows_of(reports)), table._parsed.clear)[1] / len(reports)
    weighed = {
        "board, all columns": board,
        "first screen": "/",
        "board, default columns": "/?view=scores",
        "report": f"/r/{ids[0]}",
        "comparison of two": f"/compare?{two}",
        "suite": f"/suites/{SUITE}",
    }
    return questions, [weigh(client, name, address) for name, address in weighed.items()], taken


def timed(ask: Callable[[], Any], before: Callable[[], Any] | None) -> tuple[float, float]:
    """Wall-clock seconds, and CPU seconds of this process."""
    if before is not None:
        before()
    began, used = time.perf_counter(), time.process_time()
    response = ask()
    taken = time.perf_counter() - began, time.process_time() - used
    assert getattr(response, "status_code", 200) in (200, 304), response.status_code
    return taken


def weigh(client: Any, name: str, address: str) -> PageSizes:
    """Kilobytes of a page, uncompressed, compressed, and compressed with its styles and scripts."""
    from django.conf import settings

    sent = client.get(address).content
    page = gzip.decompress(sent) if sent.startswith(b"\x1f\x8b") else sent
    names = set(re.findall(r"/static/((?:css|js)/[\w.-]+)", page.decode()))
    parts = sum(Path(settings.STATIC_ROOT, f"{name}.gz").stat().st_size for name in names)
    return name, len(page) / 1000, len(sent) / 1000, (len(sent) + parts) / 1000


def ranking(entries: int) -> None:
    """Time every cell of a suite: effects of examples, then ranks; then the marks of the word tasks."""
    from tasks.metrics import ACCURACY, SPAN_F1
    from tasks.results import Outcomes
    from tasks.statistics.correlations import best_and_equals
    from tasks.statistics.effects import FigureEstimate, SharedUnits, effects_of
    from tasks.statistics.ranks import Dispersion, ranks

    rng = np.random.default_rng(0)
    estimating, testing, marking = Spent(), Spent(), Spent()
    for task, n in N_TEST.items():
        metric = SPAN_F1 if task == "ner" else ACCURACY
        for _ in ("fixed", "fine-tuned"):
            values = rng.integers(0, 3, (entries, n, len(metric.columns))).astype(np.float32)
            if task != "ner":
                values[..., 1] = 3
            outcomes = [Outcomes(metric.columns, cell_values) for cell_values in values]
            with estimating:
                scores = [FigureEstimate(metric.of(entry), effects_of(metric, entry, task)) for entry in outcomes]
            with testing:
                ranks(np.array([score.value for score in scores]), Dispersion.of_estimates(scores))
            del values, outcomes, scores
    for n in N_PAIRS:
        predicted = rng.permuted(np.tile(np.arange(1, n + 1, dtype=np.uint16), (entries, 1)), axis=1)
        predicted[rng.random(predicted.shape) < 0.1] = 0
        with marking:
            units = SharedUnits(*rng.integers(0, n // 3, (2, n)))
            best_and_equals(predicted, np.arange(1, n + 1, dtype=np.uint16), units)
    cells = 2 * len(N_TEST)
    print(f"\nEffects of the examples of {entries:,} entries × {cells} cells: {estimating}")
    print(f"t-tests of every pair and Holm's correction, {cells} columns: {testing}")
    print(f"Tests of correlations against the best entry, {len(N_PAIRS)} columns: {marking}")


class Spent:
    """Wall-clock seconds and CPU seconds of this process's threads, summed over every ``with``."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0

    def __enter__(self) -> None:
        self.wall, self.cpu = self.wall - time.perf_counter(), self.cpu - time.process_time()

    def __exit__(self, *_: object) -> None:
        self.wall, self.cpu = self.wall + time.perf_counter(), self.cpu + time.process_time()

    def __str__(self) -> str:
        return f"{self.wall:.2f} s, {self.cpu:.2f} s of CPU"


if __name__ == "__main__":
    main()
