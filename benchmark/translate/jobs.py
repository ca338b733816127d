"""Job of the translation page."""

from __future__ import annotations

from dataclasses import asdict

from benchmark.compare.jobs import figures_job, opened
from benchmark.operations.kinds import JobContext
from benchmark.translate.models import KIND, WordTranslation
from tasks.suites import SUITES
from tasks.translation import read_dictionary, translate
from tasks.vectors import Embedding

MOST_WORDS = 50_000
MOST_NUMBERS = 20_000_000
"""Numbers in a file's vectors: 80 MB per side and 2 · 10¹² multiplications, half a minute on two cores."""


def translate_words(row: WordTranslation, context: JobContext) -> dict[str, object]:
    """Align two entries and test the dictionary."""
    left, right = opened(row.left, context), opened(row.right, context)
    dictionary = read_dictionary(row.dictionary)
    look_up = SUITES[row.left.suite].look_up
    most = most_words(left)
    found = translate(left, right, dictionary, look_up, most_words=most, progress=context.progress)
    return asdict(found) | {"coverage": found.coverage}


def most_words(embedding: Embedding) -> int:
    """Number of words used from a file of these dimensions."""
    return min(MOST_WORDS, MOST_NUMBERS // embedding.dimensions)


_ROWS = WordTranslation.objects.exclude(dictionary="").select_related("left", "right")
KINDS = {KIND: figures_job("translation", _ROWS, translate_words, {}, {"dictionary": ""})}
