"""Ranking correlation of two entries over cues, kept for whoever asks next."""

from __future__ import annotations

from benchmark.compare.models import PairCorrelation
from tasks.political.compare import compare_pair
from workers import vectors


def correlate(pair_id: int) -> None:
    """Compute one pair; harmless when it is known or gone."""
    pair = PairCorrelation.objects.select_related("left", "right").filter(pk=pair_id, figures__isnull=True).first()
    if pair is None:
        return
    found = compare_pair(vectors.embedding_of(pair.left), vectors.embedding_of(pair.right), pair.cues)
    mean = found.pearson
    figures = {
        "mean": mean.mean if mean else None,
        "se": mean.se if mean else None,
        "n": mean.n if mean else 0,
        "common_words": found.common_words,
        "reason": found.reason,
    }
    PairCorrelation.objects.filter(pk=pair_id).update(figures=figures)
