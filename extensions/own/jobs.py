"""The job that measures vectors on labelled texts."""

from __future__ import annotations

from django.conf import settings

from extensions.own.child import OwnRequest
from extensions.own.models import OwnTexts
from extensions.texts.jobs import TextsJob, limits_of
from tasks.word_list import NamedVectors


def request_of(row: OwnTexts, pretrained: tuple[NamedVectors, ...], processes: int) -> OwnRequest:
    """The request without its path. One processor suffices: a second thread would change figures."""
    return OwnRequest(
        path="",
        text_field=row.text_field,
        group_by=row.group_by or None,
        language=row.language or None,
        pretrained=pretrained,
        limits=limits_of(row, settings.VECBOARD_MAX_OWN_BYTES, settings.VECBOARD_MAX_OWN_TEXTS),
        label_field=row.label_field,
        split_field=row.split_field or None,
        margin=row.margin,
        suite=settings.VECBOARD_SUITE,
    )


JOB = TextsJob(
    OwnTexts,
    ("-m", "extensions.own.child"),
    request_of,
    {
        "language": "Language",
        "text_field": "Text field",
        "label_field": "Label field",
        "group_by": "Group by",
        "split_field": "Split field",
    },
)
KINDS = {OwnTexts.KIND: JOB.kind()}
