"""The report on a claim: the only form that the site's page and its API read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING, Annotated

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from extensions.claim.measure.answer import Answer
from extensions.claim.measure.plan import Analysis
from tasks.fields import doc
from tasks.text import LeftOut

if TYPE_CHECKING:
    from extensions.claim.measure.study import Study

MOST_WORDS = 100_000_000
"""Most words of all models of a plan on a site."""
MOST_ANALYSES = 50_000
"""Most analyses of a plan on a site: its report keeps them all."""
AnalysisRow = tuple[str, int, int, int, str, float | None]
"""The fields of an :class:`Analysis`, in their order."""


class MeasuredCorpus(TypedDict):
    """The corpus of a claim."""

    words: Annotated[int, doc("number of its words")]
    units: Annotated[int, doc("number of its documents, or of the values of `unit`")]
    unit: Annotated[str | None, doc("field whose values are resampled and dealt as a whole; null: documents are")]
    left_out: Annotated[int, doc("number of documents and units that could not be used")]
    reasons: Annotated[list[str], doc("why, of the first of these")]


class ClaimReport(TypedDict):
    """Is a finding stable?"""

    answer: Annotated[Answer, doc("as `answer.json` of the command")]
    corpus: Annotated[MeasuredCorpus, doc("what was measured")]
    analyses: Annotated[
        list[AnalysisRow],
        doc("all analyses, sorted by effect: start, window, dimensions, sample (0: all), word left out, effect"),
    ]


REPORT: TypeAdapter[ClaimReport] = TypeAdapter(ClaimReport)
"""Reads and writes a report."""


def report_of(study: Study, result: Answer, analyses: Sequence[Analysis], left_out: LeftOut) -> ClaimReport:
    """The report on a claim that was measured."""
    return {
        "answer": result,
        "corpus": {
            "words": len(study.tokens.ids),
            "units": study.corpus.units,
            "unit": study.unit.field,
            "left_out": left_out.count,
            "reasons": list(map(str, left_out.first)),
        },
        "analyses": [astuple(row) for row in analyses],
    }
