"""The report of ``suffices``: the only form that the script, the site's page and its API read."""

from __future__ import annotations

from typing import Literal, NotRequired

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from tasks.results import Interval

Verdict = Literal["suffices", "train-locally", "slightly-better", "undecided"]
"""Pre-trained vectors suffice; local ones are better; pre-trained suffice, though local are slightly better; neither is
certain yet."""
Kind = Literal["pre-trained", "local", "a-la-carte"]


class Estimate(TypedDict):
    """A mean over splits with its 95 % interval; None where there are too few splits for one."""

    mean: float
    interval: Interval | None


class CorpusUsed(TypedDict):
    """The corpus: its size, and what was left out of it.

    ``groups`` counts the units of the folds: documents, or the values of ``group_by``. ``repeated`` counts documents
    that equal another one: without ``group_by``, equal ones are one unit. Reports before version 2 have neither this
    number nor the ``language``, which is None if it was neither stated nor found.
    """

    title: str
    language: NotRequired[str | None]
    documents: int
    repeated: NotRequired[int]
    groups: int
    group_by: str | None
    tokens: int
    words: int
    left_out: int


class CandidateUsed(TypedDict):
    """Vectors that are compared.

    ``share`` of the corpus's tokens that have a vector; ``window`` and ``dimensions`` of a training.
    ``missing`` is the reason why it has no figures, or None.
    """

    id: str
    title: str
    kind: Kind
    dimensions: int
    window: int | None
    share: float | None
    licence: str
    missing: str | None


class CurvePoint(TypedDict):
    """Area under the curve, in [0, 1], by number of training tokens; 0 tokens for pre-trained vectors."""

    candidate: str
    tokens: int
    auc: Estimate


class SettingFigures(CurvePoint):
    """Local vectors with another window or other dimensions, and their difference from the local candidate's over the
    same splits; the local candidate itself has a difference of 0 without interval."""

    difference: Estimate


class CueFigures(TypedDict):
    """One cue: its area under the curve for each candidate, and the difference of each from the local vectors.

    ``is_own``: the cue is the user's, not a random one. ``difference`` has an interval only where one can be formed.
    """

    cue: str
    is_own: bool
    occurrences: int
    auc: dict[str, float]
    difference: dict[str, Estimate]


class PeopleFigures(TypedDict):
    """Agreement with the words that people name for cues: area under the curve, by candidate, over so many cues."""

    title: str
    cues: int
    auc: dict[str, float]


class Decision(TypedDict):
    """The verdict on one candidate against local vectors, by the rule of docs/protocol.md.

    ``difference`` is candidate − local; ``tokens_to_decide`` estimates the corpus size that would decide, where the
    verdict is ``undecided``, or is None if no size would.
    """

    candidate: str
    verdict: Verdict
    difference: Estimate
    tokens_to_decide: int | None
    sentence: str


class SufficiencyReport(TypedDict):
    """All figures of one run.

    ``decisions`` has the pre-trained candidates in the order given, each followed by its à la carte vectors.
    ``curve`` holds every candidate's points; ``overtakes`` the tokens at which the local curve crosses each
    pre-trained candidate, None outside the measured range. ``settings`` compares windows and dimensions.
    """

    version: int
    sentence: str
    corpus: CorpusUsed
    candidates: list[CandidateUsed]
    decisions: list[Decision]
    curve: list[CurvePoint]
    overtakes: dict[str, int | None]
    settings: list[SettingFigures]
    cues: list[CueFigures]
    people: list[PeopleFigures]
    seconds: float


REPORT: TypeAdapter[SufficiencyReport] = TypeAdapter(SufficiencyReport)
"""Reads and writes a report: ``REPORT.validate_json``, ``REPORT.dump_json``."""
