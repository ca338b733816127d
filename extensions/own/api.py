"""This feature's part of the API."""

from __future__ import annotations

from typing import Annotated

from extensions.own.measure.report import Disagreements, OwnReport
from extensions.own.views import OwnPages
from extensions.texts.api import TextsAnswer, texts_router
from tasks.fields import doc


class OwnAnswer(TextsAnswer):
    """The measurement of entries on one's own data, for its owner alone."""

    report: Annotated[OwnReport | None, doc("null until it is done")]
    differing: Annotated[Disagreements | None, doc("null until it is done, and once texts are deleted")]
    texts_deleted_on: Annotated[str | None, doc("time in ISO 8601; null until it is known")]


router = texts_router(
    OwnPages(),
    fields={
        "file": "labelled texts: JSON lines or CSV, or gzipped; or a zip of queries, texts and judgements",
        "title": "of the report; the name of the file by default",
        "text_field": "field of the text; `text` by default",
        "label_field": "field of the label; `label` by default",
        "language": "code of the language; found from the texts by default",
        "group_by": "field of the author, whose texts count as one",
        "split_field": "field with your own split: `train` or `test`",
        "margin": "of the verdicts, in points; 1 by default",
    },
    answer=OwnAnswer,
    question="Send labelled texts, or a search, and ask which of one to five entries serve them.",
)
