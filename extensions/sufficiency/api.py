"""This feature's part of the API."""

from __future__ import annotations

from typing import Annotated

from extensions.sufficiency.measure.report import SufficiencyReport
from extensions.sufficiency.views import CorpusPages
from extensions.texts.api import TextsAnswer, texts_router
from tasks.fields import doc


class CorpusAnswer(TextsAnswer):
    """The measurement of whether pre-trained vectors suffice for a corpus."""

    report: Annotated[SufficiencyReport | None, doc("null until it is done")]


router = texts_router(
    CorpusPages(),
    fields={
        "file": "corpus: text, JSON lines or CSV, or gzipped",
        "title": "of the report; the name of the file by default",
        "text_field": "field of the text; `text` by default",
        "group_by": "field of the speaker, whose documents stay together",
        "language": "code of the language; found from the texts by default",
        "cues": "own cues, separated by commas or lines",
        "keeps_corpus": "whether the corpus is kept after the report",
    },
    answer=CorpusAnswer,
    question="Send a corpus and ask whether the vectors of one to three entries suffice for it.",
)
