"""Ranking correlations of two entries, computed once."""

from __future__ import annotations

import pytest

from benchmark.compare.models import PairCorrelation, cues_key
from tests.workers.factories import planned
from workers import pairs, vectors

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def test_a_pair_is_computed_from_the_prepared_vectors() -> None:
    row = planned()
    cues = list(vectors.embedding_of(row).words[:3])
    pair = PairCorrelation.objects.create(
        left=row, right=row, left_sha256=row.vectors_sha256, right_sha256=row.vectors_sha256, cues=cues,
        cues_key=cues_key(cues),
    )  # fmt: skip
    pairs.correlate(pair.pk)
    pair.refresh_from_db()
    assert pair.figures["mean"] == pytest.approx(1.0)
    assert pair.figures["n"] == 3


def test_a_pair_that_is_gone_is_no_error() -> None:
    pairs.correlate(12345)
