"""The report on one's own data: the only form that the script, the site's page and its API read.

The examples on which sets differ quote the data. They have a form of their own, so that they can be deleted alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from tasks.gate import Verdict
from tasks.results import Interval

OwnKind = Literal["labelled", "retrieval"]


class OwnFacts(TypedDict):
    """The data, without any of its texts.

    ``sentence`` describes them in words. ``tested`` counts the examples that are scored: test texts, or queries.
    ``labels`` is None for retrieval; ``queries`` and ``judgements`` are None for labelled texts. ``divisions`` into
    training and test texts: 0 for retrieval, which trains nothing. ``reasons`` names the first records left out.
    """

    sentence: str
    texts: int
    tested: int
    labels: int | None
    divisions: int
    queries: int | None
    judgements: int | None
    left_out: int
    reasons: list[str]


class OwnFigure(TypedDict):
    """A figure of a set, with its 95 % interval: None where there is only one value, or all are equal."""

    name: str
    unit: Literal["%"]
    value: float
    interval: Interval | None


class OwnScore(TypedDict):
    """One set of features: words alone, or vectors.

    ``known`` is the share of the words with a vector, in [0, 1], and ``without_words`` counts the labelled texts or
    queries without such a word; both are None for words alone, as is ``dimensions``. The first figure is the one by
    which sets are compared. ``seconds`` excludes reading the file.
    """

    name: str
    dimensions: int | None
    known: float | None
    without_words: int | None
    figures: list[OwnFigure]
    seconds: float


class OwnComparison(TypedDict):
    """Is ``new`` not inferior to ``old``? The difference of the first figure, new − old, and its one-sided 95 % bounds,
    in points; ``more`` as in :class:`tasks.gate.Judgement`."""

    new: str
    old: str
    difference: float
    lower: float
    upper: float
    verdict: Verdict
    more: int | None
    sentence: str


class OwnReport(TypedDict):
    """All figures of one run.

    ``scores`` begins with words alone; the files follow in the order given. ``comparisons`` has each further file
    against the first, then each file against words alone.
    """

    kind: OwnKind
    data: OwnFacts
    margin: float
    scores: list[OwnScore]
    comparisons: list[OwnComparison]
    seconds: float


class SetAnswer(TypedDict):
    """The label that a set gives a text, or the first texts that it finds for a query; ``right`` in [0, 1] is the share
    of right labels in the text's tests, or the precision of the query."""

    answer: str
    right: float


class Disagreement(TypedDict):
    """A text or query on which sets differ, its label or the relevant texts, and each set's answer, in the order of
    ``sets``."""

    text: str
    gold: str
    answers: list[SetAnswer]


class Disagreements(TypedDict):
    """Examples on which sets differ, those of most disagreement first; ``total`` includes those cut off."""

    sets: list[str]
    total: int
    rows: list[Disagreement]


REPORT: TypeAdapter[OwnReport] = TypeAdapter(OwnReport)
"""Reads and writes a report: ``REPORT.validate_json``, ``REPORT.dump_json``."""
DISAGREEMENTS: TypeAdapter[Disagreements] = TypeAdapter(Disagreements)


def csv_rows(found: Disagreements) -> Iterator[list[str]]:
    """A header, and a row for each example: text, gold, and each set's answer and share right."""
    yield ["text", "gold", *(f"{name}: {what}" for name in found["sets"] for what in ("answer", "right"))]
    for row in found["rows"]:
        of_sets = [value for one in row["answers"] for value in (one["answer"], f"{one['right']:g}")]
        yield [row["text"], row["gold"], *of_sets]
