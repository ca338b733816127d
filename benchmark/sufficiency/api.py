"""The description of this feature's part of the API, which its own URLs answer."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from benchmark.texts.api import PARAMETERS, TEXT, TextsAnswer, Token, endpoints
from tasks.sufficiency.report import SufficiencyReport


class CorpusAnswer(TextsAnswer):
    """The measurement of whether pre-trained vectors suffice for a corpus."""

    report: Annotated[SufficiencyReport | None, Field(description="null until it is done")]


class CorpusAccepted(CorpusAnswer):
    """A corpus that the site has accepted."""

    token: Token


ENDPOINTS = endpoints(
    "/suffices",
    most=3,
    fields={
        "file": TEXT | {"format": "binary", "description": "corpus: text, JSON lines or CSV, or gzipped"},
        "title": TEXT | {"maxLength": 120, "description": "of the report; the name of the file by default"},
        "text_field": TEXT | {"maxLength": 60, "description": "field of the text; `text` by default"},
        "group_by": TEXT | {"maxLength": 60, "description": "field of the speaker, whose documents stay together"},
        "language": TEXT | {"description": "code of the language; found from the texts by default"},
        "cues": TEXT | {"maxLength": 4000, "description": "own cues, separated by commas or lines"},
        "keeps_corpus": {"type": "boolean", "description": "whether the corpus is kept after the report"},
    },
    form=["file=@speeches.jsonl", "e=$ENTRY"],
    results=("report",),
    accepted=CorpusAccepted,
    answer=CorpusAnswer,
    sentences=(
        "Send a corpus and ask whether the vectors of one to three entries suffice for it.\n\n"
        "Save the token: it is shown only once, and deletes the report.",
        "State and, at the end, the report, for everyone with the id; ``Retry-After`` gives the seconds to wait.",
        "Delete the report and its corpus, as their owner; an open measurement ends.",
    ),
    is_private=False,
)
_AREA = "area under the curve, a fraction: 0.5 is chance"
DESCRIBED = PARAMETERS | {
    "SufficiencyReport.version": "of this form", "SufficiencyReport.sentence": "the verdict in words",
    "SufficiencyReport.corpus": "what was read", "SufficiencyReport.candidates": "vectors that are compared",
    "SufficiencyReport.decisions": "a verdict for each pre-trained set and its à la carte vectors",
    "SufficiencyReport.curve": "by size of the training text", "SufficiencyReport.cues": "each cue alone",
    "SufficiencyReport.overtakes": "tokens at which local vectors overtake, by candidate; null outside the range",
    "SufficiencyReport.settings": "other windows and dimensions", "SufficiencyReport.people": "agreement with people",
    "CorpusUsed.title": "given by its owner", "CorpusUsed.documents": "number of documents",
    "CorpusUsed.groups": "number of units of the folds", "CorpusUsed.group_by": "field of the groups; null: documents",
    "CorpusUsed.language": "code; null if neither stated nor found; absent before version 2",
    "CorpusUsed.repeated": "number of documents that equal another one; absent before version 2",
    "CorpusUsed.words": "number of different words", "CorpusUsed.left_out": "number of unusable documents",
    "CandidateUsed.id": "of the candidate", "CandidateUsed.title": "of the candidate",
    "CandidateUsed.kind": "pre-trained, trained on the corpus, or pre-trained and adapted to it",
    "CandidateUsed.window": "words on each side; null without a training",
    "CandidateUsed.share": "share of the corpus's tokens that have a vector, a fraction; null if unknown",
    "CandidateUsed.licence": "of the vectors", "CandidateUsed.missing": "reason without figures, or null",
    **{f"{name}.candidate": "id of the candidate" for name in ("CurvePoint", "SettingFigures", "Decision")},
    "CurvePoint.tokens": "of the training text; 0 for pre-trained vectors", "CurvePoint.auc": _AREA,
    "SettingFigures.auc": _AREA, "SettingFigures.difference": "from the local vectors, a fraction",
    "CueFigures.cue": "the word", "CueFigures.is_own": "whether it was given with the corpus",
    "CueFigures.occurrences": "in the corpus", "CueFigures.auc": f"{_AREA}; by candidate",
    "CueFigures.difference": "from the local vectors, a fraction, by candidate",
    "PeopleFigures.title": "of the list", "PeopleFigures.cues": "number of cues",
    "PeopleFigures.auc": f"{_AREA}; by candidate",
    "Decision.verdict": "by the rule of the documentation", "Decision.sentence": "the verdict in words",
    "Decision.difference": "candidate − local, a fraction",
    "Decision.tokens_to_decide": "size of a corpus that would decide; null if none would, or if it is decided",
    "Estimate.mean": "mean over splits, a fraction",
    "Estimate.interval": "95 % interval as [low, high], fractions; null with too few splits",
}  # fmt: skip
"""Meaning of every field, as in :data:`benchmark.api.schema.DESCRIBED`."""
