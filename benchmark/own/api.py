"""The description of this feature's part of the API, which its own URLs answer."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from benchmark.texts.api import PARAMETERS, TEXT, TextsAnswer, Token, endpoints
from tasks.own.report import Disagreements, OwnReport


class OwnAnswer(TextsAnswer):
    """The measurement of entries on one's own data, for its owner alone."""

    report: Annotated[OwnReport | None, Field(description="null until it is done")]
    differing: Annotated[Disagreements | None, Field(description="null until it is done, and once texts are deleted")]
    texts_deleted_on: Annotated[str | None, Field(description="time in ISO 8601; null until it is known")]


class OwnAccepted(OwnAnswer):
    """Data that the site has accepted."""

    token: Token


ENDPOINTS = endpoints(
    "/own",
    most=5,
    fields={
        "file": TEXT
        | {
            "format": "binary",
            "description": "labelled texts: JSON lines or CSV, or gzipped; or a zip of queries, texts and judgements",
        },
        "title": TEXT | {"maxLength": 120, "description": "of the report; the name of the file by default"},
        "text_field": TEXT | {"maxLength": 60, "description": "field of the text; `text` by default"},
        "label_field": TEXT | {"maxLength": 60, "description": "field of the label; `label` by default"},
        "language": TEXT | {"description": "code of the language; found from the texts by default"},
        "group_by": TEXT | {"maxLength": 60, "description": "field of the author, whose texts stay together"},
        "split_field": TEXT | {"maxLength": 60, "description": "field with your own split: `train` or `test`"},
        "margin": {"type": "number", "description": "of the verdicts, in points; 1 by default"},
    },
    form=["file=@tickets.csv", "label_field=queue", "e=$ENTRY"],
    results=("report", "differing", "texts_deleted_on"),
    accepted=OwnAccepted,
    answer=OwnAnswer,
    sentences=(
        "Send labelled texts, or a search, and ask which of one to five entries serve them.\n\n"
        "Save the token: it is shown only once, and it alone opens the report, unless the data belongs to an account.",
        "State and, at the end, the report, for the owner; ``Retry-After`` gives the seconds to wait.",
        "Delete the report and its texts; an open measurement ends.",
    ),
    is_private=True,
)
DESCRIBED = PARAMETERS | {
    "OwnReport.kind": "labelled texts, or a search", "OwnReport.data": "what was read",
    "OwnReport.margin": "of the verdicts, in points",
    "OwnReport.scores": "words alone, then each entry in the order given; in per cent",
    "OwnReport.comparisons": "each further entry against the first, then each against words alone",
    "OwnReport.seconds": "seconds of the measurement",
    "OwnFacts.sentence": "the data in words", "OwnFacts.texts": "number of texts",
    "OwnFacts.tested": "number of test texts or queries", "OwnFacts.labels": "number of labels; null for a search",
    "OwnFacts.divisions": "into training and test texts; 0 for a search",
    "OwnFacts.queries": "number of queries; null for labelled texts",
    "OwnFacts.judgements": "number of judgements; null for labelled texts",
    "OwnFacts.left_out": "number of unusable records", "OwnFacts.reasons": "of the first ones",
    "OwnScore.known": "share of the words with a vector, a fraction; null for words alone",
    "OwnScore.without_words": "number of texts or queries without a known word; null for words alone",
    "OwnScore.figures": "in per cent; the first one is compared",
    "OwnScore.seconds": "seconds, without reading the vectors",
    "OwnFigure.name": "of the figure", "OwnFigure.unit": "per cent", "OwnFigure.value": "in per cent",
    "OwnFigure.interval": "95 % interval as [low, high], in per cent; null if there is none",
    "OwnComparison.new": "name of the judged set", "OwnComparison.old": "name of the set it is compared with",
    "OwnComparison.difference": "of the first figure, new − old, in points",
    "OwnComparison.lower": "one-sided 95 % bound, in points", "OwnComparison.upper": "one-sided 95 % bound, in points",
    "OwnComparison.verdict": "by the rule of the documentation", "OwnComparison.sentence": "the verdict in words",
    "OwnComparison.more": "further examples that would decide; null if none would, or if it is decided",
    "Disagreements.sets": "names, in the order of the answers", "Disagreements.total": "with those cut off",
    "Disagreements.rows": "at most 500",
    "Disagreement.text": "of a labelled text or a query, cut to 300 characters",
    "Disagreement.gold": "its label, or the relevant texts", "Disagreement.answers": "of each set",
    "SetAnswer.answer": "a label, or the first texts found", "SetAnswer.right": "share of right answers, a fraction",
}  # fmt: skip
"""Meaning of every field, as in :data:`benchmark.api.schema.DESCRIBED`."""
