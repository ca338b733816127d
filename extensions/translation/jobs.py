"""The job that measures translations."""

from __future__ import annotations

from dataclasses import asdict

from benchmark.operations.kinds import JobContext
from extensions.shared.requested import figures_job
from extensions.translation.measure.translation import read_dictionary, translate
from extensions.translation.models import WordTranslation
from tasks.suites import SUITES
from tasks.vectors import Embedding

MOST_WORDS = 50_000
MOST_NUMBERS = 20_000_000
"""Numbers in a file's vectors: 80 MB per side and 2 · 10¹² multiplications, half a minute on two cores."""


def translate_words(row: WordTranslation, context: JobContext) -> dict[str, object]:
    """Align two entries and test the dictionary."""
    left, right = context.open_vectors(row.left), context.open_vectors(row.right)
    dictionary = read_dictionary(row.dictionary)
    look_up = SUITES[row.left.suite].look_up
    most = most_words(left)
    translation = translate(left, right, dictionary, look_up, most_words=most, progress=context.progress)
    return asdict(translation) | {"coverage": translation.coverage}


def most_words(embedding: Embedding) -> int:
    """Number of words used from a file of these dimensions."""
    return min(MOST_WORDS, MOST_NUMBERS // embedding.dimensions)


_ROWS = WordTranslation.objects.exclude(dictionary="").select_related("left", "right")
KINDS = {"translate": figures_job("translation", _ROWS, translate_words, {}, {"dictionary": ""})}
