"""This feature's part of the API."""

from __future__ import annotations

from typing import Annotated

from extensions.claim.measure.report import ClaimReport
from extensions.claim.views import ClaimPages
from extensions.texts.api import TextsAnswer, texts_router
from tasks.fields import doc


class MeasuredClaimAnswer(TextsAnswer):
    """The measurement of a claim, for its owner alone."""

    report: Annotated[ClaimReport | None, doc("null until it is done")]


router = texts_router(
    ClaimPages(),
    fields={
        "file": "corpus: text, JSON lines or CSV, or gzipped",
        "title": "of the report; the name of the file by default",
        "text_field": "field of the text; `text` by default",
        "language": "code of the language; found from the texts by default",
        "kind": "of the claim, which decides the lists that are read",
        "targets_x": "association: words nearer to the first attributes",
        "targets_y": "association: words nearer to the second attributes",
        "attributes_a": "association: the first attributes",
        "attributes_b": "association: the second attributes",
        "positive_pole": "axis: words at its positive end",
        "negative_pole": "axis: words at its negative end",
        "words": "axis: words placed on it",
        "word": "nearest, drift, groups: the word",
        "near_it": "nearest: words near it",
        "by": "field of two groups: the claim is about their difference",
        "at": "value of `by` that divides it into two periods",
        "between": "two values of `by`, separated by a comma, if it has more",
        "group_by": "field of the speaker, whose documents are resampled and dealt together",
        "windows": "separated by commas; 2, 5 and 10 by default",
        "dimensions": "separated by commas; 50, 100 and 200 by default",
        "samples": "bootstrap samples; 32 by default",
        "minimum_count": "rarer words are not counted; 10 by default",
    },
    answer=MeasuredClaimAnswer,
    question="Send a corpus and a claim about it, and ask whether it is stable.",
)
