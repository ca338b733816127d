"""This feature's part of the API."""

from __future__ import annotations

from typing import Annotated

from extensions.front.measure.report import FrontReport
from extensions.front.views import FrontPages
from extensions.texts.api import TextsAnswer, texts_router
from tasks.fields import doc


class FrontAnswer(TextsAnswer):
    """The search for smaller vectors, for its owner alone."""

    report: Annotated[FrontReport | None, doc("null until it is done")]


router = texts_router(
    FrontPages(),
    fields={
        "file": "vectors, of any format that the site reads; instead of an entry",
        "title": "of the report; the name of the vectors by default",
        "language": "code of the language of a file's words; English by default",
        "budget": "most megabytes of the smaller vectors",
        "margin": "of the verdicts, in points; 1 by default",
    },
    answer=FrontAnswer,
    question="Send vectors, or name an entry, and ask how small they may become without being worse.",
)
