"""Entries for the browser's association tests; prints their ids as JSON.

Run as ``python -m tests.browser.seed_associations`` with the site's environment.
"""

from __future__ import annotations

import json
from pathlib import Path

import django

django.setup()

import numpy as np  # noqa: E402
from django.conf import settings  # noqa: E402

from benchmark.submissions.models import Submission  # noqa: E402
from extensions.associations.measure.word_lists import POLITICAL_TESTS, shipped_list  # noqa: E402
from tasks.prepared import store  # noqa: E402
from tasks.vectors import Embedding, content_hash  # noqa: E402
from tests.benchmark.entries import submitted  # noqa: E402

WORDS = sorted({word for test in POLITICAL_TESTS for one in test.question.lists for word in one.words} - {"romney"})
LEANING = ("republicans", "virtue")


def vectors(seed: int) -> Embedding:
    """Random vectors in which Republicans lean towards virtue, less with every seed."""
    matrix = np.random.default_rng(seed).standard_normal((len(WORDS), 20)).astype(np.float32)
    leaning = {word for name in LEANING for word in shipped_list(name).words}
    matrix[:, 0] += [3 / (seed + 1) if word in leaning else 0 for word in WORDS]
    return Embedding("made", WORDS, matrix, content_hash(WORDS, matrix))


def entry(name: str, nth: int, *, prepared: bool = True) -> Submission:
    directory = store(vectors(nth), Path(settings.VECBOARD_VAR) / "prepared") if prepared else None
    sha = directory.name if directory else f"{nth:064x}"
    key = f"uploads/{nth}.gz"
    return submitted(name=name, words=len(WORDS), dimensions=20, vectors_sha256=sha, file_key=key)


if __name__ == "__main__":
    names = ("GloVe of the Congressional Record, run 1", "skip-gram", "CBOW")
    rows = [entry(name, nth) for nth, name in enumerate(names)]
    rows.append(entry("Away from this machine", 9, prepared=False))
    print(json.dumps([row.pk for row in rows]))
