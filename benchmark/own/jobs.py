"""The job that measures vectors on labelled texts."""

from __future__ import annotations

from django.conf import settings

from benchmark.own.child import OwnRequest
from benchmark.own.models import OwnTexts
from benchmark.texts.jobs import TextsJob
from tasks.word_list import NamedVectors

_EXPANSION = 10
"""The files of an archive may be this many times as large as the largest file accepted."""


def request_of(row: OwnTexts, pretrained: tuple[NamedVectors, ...], processes: int) -> OwnRequest:
    """The request without its path. One processor suffices: a second thread would change figures."""
    return OwnRequest(
        path="",
        text_field=row.text_field,
        group_by=row.group_by or None,
        pretrained=pretrained,
        memory_bytes=settings.VECBOARD_CORPUS_MEMORY_MB * 1024 * 1024,
        seconds=settings.VECBOARD_CORPUS_SECONDS,
        label_field=row.label_field,
        split_field=row.split_field or None,
        margin=row.margin,
        suite=settings.VECBOARD_SUITE,
        texts=settings.VECBOARD_MAX_OWN_TEXTS,
        expanded_bytes=_EXPANSION * settings.VECBOARD_MAX_OWN_BYTES,
    )


JOB = TextsJob(
    OwnTexts,
    ("-m", "benchmark.own.child"),
    request_of,
    {
        "text_field": "Text field",
        "label_field": "Label field",
        "group_by": "Group by",
        "split_field": "Split field",
    },
)
KINDS = {OwnTexts.KIND: JOB.kind()}
