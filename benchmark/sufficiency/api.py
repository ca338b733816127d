"""The description of this feature's part of the API, which its own URLs answer."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from benchmark.api.schema import TOKEN_OPTIONAL, Endpoint
from tasks.answers import ErrorAnswer, ErrorDetails
from tasks.sufficiency.report import SufficiencyReport


class CorpusAnswer(TypedDict):
    """The measurement of whether pre-trained vectors suffice for a corpus. The last three are of an open one."""

    id: Annotated[str, Field(description="id of the report")]
    state: Annotated[
        Literal["waiting", "running", "done", "refused", "failed", "cancelled"],
        Field(description="open until done, refused, failed or cancelled"),
    ]
    url: Annotated[str, Field(description="page of the report")]
    error: Annotated[ErrorDetails | None, Field(description="for the owner: why it was refused or failed")]
    report: Annotated[SufficiencyReport | None, Field(description="null until it is done")]
    share: NotRequired[float]
    step: NotRequired[Annotated[str, Field(description="what the measurement does now, in words")]]
    seconds_left: NotRequired[
        Annotated[tuple[int, int] | None, Field(description="[least, most], in seconds; null if unknown")]
    ]


class CorpusAccepted(CorpusAnswer):
    """A corpus that the site has accepted."""

    token: Annotated[str, Field(description="secret of the owner; returned only once")]


_TEXT = {"type": "string"}
_BODY: dict[str, object] = {
    "type": "object",
    "required": ["file", "e"],
    "properties": {
        "file": {"type": "string", "format": "binary", "description": "corpus: text, JSON lines or CSV, or gzipped"},
        "e": {
            "type": "array",
            "minItems": 1,
            "maxItems": 3,
            "items": _TEXT,
            "description": "id of an entry that everyone may see; repeat it for several",
        },
        "title": _TEXT | {"maxLength": 120, "description": "of the report; the name of the file by default"},
        "text_field": _TEXT | {"maxLength": 60, "description": "field of the text; `text` by default"},
        "group_by": _TEXT | {"maxLength": 60, "description": "field of the speaker, whose documents stay together"},
        "language": _TEXT | {"description": "code of the language; `en` by default"},
        "cues": _TEXT | {"maxLength": 4000, "description": "own cues, separated by commas or lines"},
        "keeps_corpus": {"type": "boolean", "description": "whether the corpus is kept after the report"},
    },
}
_ONE = "/suffices/{report_id}"
ACCEPTED: CorpusAccepted = {
    "id": "4kq1z0c7m2xa",
    "state": "waiting",
    "url": "https://vecboard.example/suffices/4kq1z0c7m2xa",
    "error": None,
    "report": None,
    "share": 0.0,
    "step": "",
    "seconds_left": None,
    "token": "NnX0…",
}
"""A sample."""
ENDPOINTS = (
    Endpoint(
        "post",
        "/suffices",
        "Send a corpus and ask whether the vectors of one to three entries suffice for it.\n\n"
        "Save the token: it is shown only once, and deletes the report.",
        {202: CorpusAccepted} | dict.fromkeys((400, 401, 404, 413, 429, 507), ErrorAnswer),
        TOKEN_OPTIONAL
        | {
            "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _BODY}}},
            "x-form": ["file=@speeches.jsonl", "e=$ENTRY"],
            "x-sample": ACCEPTED,
        },
    ),
    Endpoint(
        "get",
        _ONE,
        "State and, at the end, the report, for everyone with the id; ``Retry-After`` gives the seconds to wait.",
        {200: CorpusAnswer, 400: ErrorAnswer, 404: ErrorAnswer},
    ),
    Endpoint(
        "delete",
        _ONE,
        "Delete the report and its corpus, as their owner; an open measurement ends.",
        {204: None, 400: ErrorAnswer, 404: ErrorAnswer},
        {"x-token-optional": False},
    ),
)
_AREA = "area under the curve, a fraction: 0.5 is chance"
DESCRIBED = {
    "?report_id": "id of the report",
    "SufficiencyReport.version": "of this form", "SufficiencyReport.sentence": "the verdict in words",
    "SufficiencyReport.corpus": "what was read", "SufficiencyReport.candidates": "vectors that are compared",
    "SufficiencyReport.decisions": "a verdict for each pre-trained set and its à la carte vectors",
    "SufficiencyReport.curve": "by size of the training text", "SufficiencyReport.cues": "each cue alone",
    "SufficiencyReport.overtakes": "tokens at which local vectors overtake, by candidate; null outside the range",
    "SufficiencyReport.settings": "other windows and dimensions", "SufficiencyReport.people": "agreement with people",
    "CorpusUsed.title": "given by its owner", "CorpusUsed.documents": "number of documents",
    "CorpusUsed.groups": "number of units of the folds", "CorpusUsed.group_by": "field of the groups; null: documents",
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
