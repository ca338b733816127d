"""The report of ``suffices``: the only form that the script, the site's page and its API read."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from tasks.fields import INTERVAL, doc
from tasks.results import Interval

Verdict = Literal["suffices", "train-locally", "slightly-better", "undecided", "near-chance"]
"""Pre-trained vectors suffice; local ones are better; pre-trained suffice, though local are slightly better; neither is
certain yet; neither kind tells neighbours from other words."""
Kind = Literal["pre-trained", "local", "a-la-carte"]


class Estimate(TypedDict):
    """A mean over splits with its 95 % interval; None where too few groups tell."""

    mean: Annotated[float, doc("mean over splits, a fraction")]
    interval: Annotated[Interval | None, doc(f"{INTERVAL}, fractions; null with too few groups")]


class CorpusUsed(TypedDict):
    """The corpus: its size, and what was left out of it."""

    title: Annotated[str, doc("given by its owner")]
    language: NotRequired[Annotated[str | None, doc("code; null if neither stated nor found; absent before version 2")]]
    documents: Annotated[int, doc("number of documents")]
    repeated: NotRequired[Annotated[int, doc("number of documents that equal another one; absent before version 2")]]
    groups: Annotated[
        int, doc("number of units of the folds: documents, of which equal ones are one, or values of `group_by`")
    ]
    group_by: Annotated[str | None, doc("field of the groups; null: documents")]
    tokens: Annotated[int, doc("of the corpus, in words")]
    words: Annotated[int, doc("number of different words")]
    left_out: Annotated[int, doc("number of unusable documents")]


class CandidateUsed(TypedDict):
    """Vectors that are compared."""

    id: Annotated[str, doc("of the candidate")]
    title: Annotated[str, doc("of the candidate")]
    kind: Annotated[Kind, doc("pre-trained, trained on the corpus, or pre-trained and adapted to it")]
    dimensions: Annotated[int, doc("numbers per vector")]
    window: Annotated[int | None, doc("words on each side; null without a training")]
    share: Annotated[float | None, doc("share of the corpus's tokens that have a vector, a fraction; null if unknown")]
    licence: Annotated[str, doc("of the vectors")]
    missing: Annotated[str | None, doc("reason without figures, or null")]


class CurvePoint(TypedDict):
    """Area under the curve, in [0, 1], by number of training tokens; 0 tokens for pre-trained vectors."""

    candidate: Annotated[str, doc("id of the candidate")]
    tokens: Annotated[int, doc("of the training text; 0 for pre-trained vectors")]
    auc: Annotated[Estimate, doc("area under the curve, a fraction: 0.5 is chance")]


class SettingFigures(CurvePoint):
    """Local vectors with another window or other dimensions."""

    difference: Annotated[
        Estimate, doc("from the local vectors over the same splits, a fraction; their own is 0 without interval")
    ]


class CueFigures(TypedDict):
    """The figures of one cue."""

    cue: Annotated[str, doc("the word")]
    is_own: Annotated[bool, doc("whether it was given with the corpus")]
    occurrences: Annotated[int, doc("in the corpus")]
    auc: Annotated[dict[str, float], doc("area under the curve, a fraction: 0.5 is chance; by candidate")]
    difference: Annotated[dict[str, Estimate], doc("from the local vectors, a fraction, by candidate")]


class PeopleFigures(TypedDict):
    """Agreement with the words that people name for cues: area under the curve, by candidate, over so many cues."""

    title: Annotated[str, doc("of the list")]
    cues: Annotated[int, doc("number of cues")]
    auc: Annotated[dict[str, float], doc("area under the curve, a fraction: 0.5 is chance; by candidate")]


class Decision(TypedDict):
    """The verdict on one candidate against local vectors, by the rule of docs/protocol.md."""

    candidate: Annotated[str, doc("id of the candidate")]
    verdict: Annotated[Verdict, doc("by the rule of the documentation")]
    difference: Annotated[Estimate, doc("candidate − local, a fraction")]
    tokens_to_decide: Annotated[
        int | None, doc("size of a corpus that would decide; null if none would, or unless undecided")
    ]
    sentence: Annotated[str, doc("the verdict in words")]


class SufficiencyReport(TypedDict):
    """All figures of one run."""

    version: Annotated[int, doc("of this form")]
    sentence: Annotated[str, doc("the verdict in words")]
    corpus: Annotated[CorpusUsed, doc("what was read")]
    candidates: Annotated[list[CandidateUsed], doc("vectors that are compared")]
    decisions: Annotated[list[Decision], doc("a verdict for each pre-trained set and its à la carte vectors")]
    curve: Annotated[list[CurvePoint], doc("by size of the training text")]
    overtakes: Annotated[
        dict[str, int | None], doc("tokens at which local vectors overtake, by candidate; null outside the range")
    ]
    settings: Annotated[list[SettingFigures], doc("other windows and dimensions")]
    cues: Annotated[list[CueFigures], doc("each cue alone")]
    people: Annotated[list[PeopleFigures], doc("agreement with people")]
    seconds: Annotated[float, doc("duration, in seconds")]


REPORT: TypeAdapter[SufficiencyReport] = TypeAdapter(SufficiencyReport)
"""Reads and writes a report: ``REPORT.validate_json``, ``REPORT.dump_json``."""
