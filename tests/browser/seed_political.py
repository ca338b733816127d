"""Entries, pairs, lists and a report for the browser's political pages; prints their ids as JSON.

Run as ``python -m tests.browser.seed_political`` with the site's environment.
"""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import django

django.setup()

import numpy as np  # noqa: E402

from benchmark.submissions.models import Submission  # noqa: E402
from extensions.pairs.cues import DRIFT, EVERY, RANDOM, Cues, chosen  # noqa: E402
from extensions.pairs.jobs import closely, moved  # noqa: E402
from extensions.pairs.models import PairCorrelation  # noqa: E402
from extensions.people.list_comparison import keep_lists, key_of  # noqa: E402
from extensions.people.models import ListDeviation  # noqa: E402
from tasks.baseline import svd_ppmi as baseline  # noqa: E402
from tasks.datasets.store import DataStore  # noqa: E402
from tasks.evaluate import evaluate  # noqa: E402
from tasks.political.cues import ENGLISH  # noqa: E402
from tasks.political.human import human_deviation  # noqa: E402
from tasks.prepared import store  # noqa: E402
from tasks.suite import Suite  # noqa: E402
from tasks.suites import OPEN_2026  # noqa: E402
from tests.benchmark.entries import submitted  # noqa: E402
from tests.benchmark.reports import SUITE, report_of  # noqa: E402
from tests.scratch import scratch  # noqa: E402
from tests.tasks.made import random_embedding, words  # noqa: E402

ENTRIES = 16
NAMES = [*words(900), *ENGLISH.words[:9]]
POLITICAL = ["political-en", "political-random", "political-all", "stability"]


def entry(name: str, nth: int, suite: Suite, body: str) -> Submission:
    return submitted(
        name=name,
        body=body,
        suite=suite.id,
        suite_version=suite.version,
        words=20000,
        dimensions=(50, 100, 300)[nth % 3],
        corpus="US State of the Union addresses 1790-2020",
        algorithm="GloVe" if nth % 2 else "skip-gram",
        window=(1, 6, 12)[nth // 3 % 3],
        loss=0.02 + 0.001 * nth,
        training_minutes=1.5 + nth,
        tokens=1970600,
        vectors_sha256=f"{nth:064x}",
        file_key=f"uploads/{nth}.gz",
    )


def pair(a: Submission, b: Submission, cues: Cues, figures: dict[str, Any] | None) -> PairCorrelation:
    return PairCorrelation(
        left=a,
        right=b,
        left_sha256=a.vectors_sha256,
        right_sha256=b.vectors_sha256,
        cues=cues.stored,
        cues_key=cues.key,
        figures=figures,
    )


def compare(rows: list[Submission]) -> None:
    """A map with every shade and one cell that waits; of the first two entries, a close look at random vectors."""
    cues, draw = chosen({}, "en"), np.random.default_rng(0)
    figures = {"se": 0.05, "n": 9, "common_words": 18500, "reason": ""}
    waiting = (rows[2], rows[3])
    known = [
        pair(a, b, cues, None if (a, b) == waiting else figures | {"mean": draw.uniform(-0.1, 1)})
        for a, b in combinations(rows, 2)
    ]
    sides = (random_embedding(NAMES, 0, 10), random_embedding(NAMES, 1, 10))
    known[0].figures = closely(*sides, cues.stored)
    known += [pair(rows[0], rows[1], part, closely(*sides, part.stored)) for part in (RANDOM, EVERY)]
    again = random_embedding(NAMES, 2, 10)
    known.append(pair(rows[0], rows[1], DRIFT, moved(*sides, (sides[0], again), rows[0].vectors_sha256)))
    PairCorrelation.objects.bulk_create(known)


def beside_people(rows: list[Submission]) -> str:
    """Three entries beside lists that somebody gave; the lists' id."""
    lists = {cue: NAMES[40 * n : 40 * n + 10] for n, cue in enumerate(ENGLISH.words)}
    for n, row in enumerate(rows[:3]):
        figures = {**human_deviation(random_embedding(NAMES, n, 10), lists), "reason": ""}
        columns = {"vectors_sha256": row.vectors_sha256, "lists_key": key_of(lists), "figures": figures}
        ListDeviation.objects.create(submission=row, **columns)
    return keep_lists("Students of 2026", lists)


def measured() -> str:
    """A report of the political tasks, with three runs."""
    folder = scratch("political")
    data = DataStore(folder)
    baseline.keep(random_embedding(NAMES, 1, 10), OPEN_2026, data)
    runs = [store(random_embedding(NAMES, seed, 10), folder) for seed in (2, 3)]
    return evaluate(random_embedding(NAMES, 0, 10), OPEN_2026, tasks=POLITICAL, data=data, runs=runs).to_json()


if __name__ == "__main__":
    body = report_of(0.1).to_json()
    names = [f"GloVe of the Congressional Record, run {n}" if n % 2 else f"entry {n}" for n in range(ENTRIES)]
    rows = [entry(name, nth, SUITE, body) for nth, name in enumerate(names)]
    compare(rows)
    report = entry("with runs", 99, OPEN_2026, measured())
    print(json.dumps({"entries": [row.pk for row in rows], "lists": beside_people(rows), "report": report.pk}))
