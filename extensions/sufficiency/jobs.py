"""The job that measures a corpus."""

from __future__ import annotations

from django.conf import settings

from extensions.sufficiency.child import CorpusRequest
from extensions.sufficiency.models import CorpusReport
from extensions.texts.jobs import TextsJob, limits_of
from tasks.word_list import NamedVectors


def request_of(row: CorpusReport, pretrained: tuple[NamedVectors, ...], processes: int) -> CorpusRequest:
    """The request without its path."""
    return CorpusRequest(
        path="",
        text_field=row.text_field,
        group_by=row.group_by or None,
        language=row.language or None,
        pretrained=pretrained,
        limits=limits_of(row, settings.VECBOARD_MAX_CORPUS_BYTES, settings.VECBOARD_MAX_CORPUS_WORDS),
        title=row.title,
        cues=tuple(row.cues),
        processes=processes,
    )


JOB = TextsJob(
    CorpusReport,
    ("-m", "extensions.sufficiency.child"),
    request_of,
    {"language": "Language", "text_field": "Text field", "group_by": "Group by", "cues": "Your cues"},
)
KINDS = {CorpusReport.KIND: JOB.kind()}
