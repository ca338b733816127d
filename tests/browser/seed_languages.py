"""Entries in four scripts, measured for real, for the browser's tests; prints their ids by name as JSON.

Run as ``python -m tests.browser.seed_languages`` with the site's environment.
"""

from __future__ import annotations

import json
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402

from benchmark.leaderboard import jobs  # noqa: E402
from benchmark.submissions.models import Submission  # noqa: E402
from tasks.evaluate import evaluate  # noqa: E402
from tasks.prepared import store  # noqa: E402
from tasks.suites import OPEN_2026  # noqa: E402
from tests.benchmark.entries import submitted  # noqa: E402
from tests.browser.paralex import DIMENSIONS, vectors  # noqa: E402

ENTRIES = {"عربي": ("ar", 1), "عربي ٢": ("ar", 2), "עברית": ("he", 3), "日本語": ("ja", 4), "ไทย": ("th", 5)}
TASKS = ("odd-one-out", "intrusion")


def entry(name: str, language: str, seed: int) -> Submission:
    made = vectors(language, seed)
    directory = store(made, Path(settings.VECBOARD_VAR) / "prepared")
    return submitted(
        name=name,
        body=evaluate(made, OPEN_2026, tasks=TASKS).to_json(),
        language=language,
        suite=OPEN_2026.id,
        suite_version=OPEN_2026.version,
        words=len(made.words),
        dimensions=DIMENSIONS,
        vectors_sha256=directory.name,
        file_key=f"uploads/{seed}.gz",
    )


if __name__ == "__main__":
    rows = {name: entry(name, *details) for name, details in ENTRIES.items()}
    jobs.compute(OPEN_2026.id, OPEN_2026.version)
    print(json.dumps({name: row.pk for name, row in rows.items()}))
