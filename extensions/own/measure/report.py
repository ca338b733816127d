"""The report on one's own data: the only form that the script, the site's page and its API read.

The examples on which sets differ quote the data. They have a form of their own, so that they can be deleted alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from tasks.fields import INTERVAL, EntryName, doc
from tasks.gate import Verdict
from tasks.results import Interval

OwnKind = Literal["labelled", "retrieval"]


class OwnFacts(TypedDict):
    """The data, without any of its texts."""

    sentence: Annotated[str, doc("the data in words")]
    texts: Annotated[int, doc("number of texts")]
    tested: Annotated[int, doc("number of test texts or queries")]
    labels: Annotated[int | None, doc("number of labels; null for a search")]
    divisions: Annotated[int, doc("into training and test texts; 0 for a search")]
    queries: Annotated[int | None, doc("number of queries; null for labelled texts")]
    judgements: Annotated[int | None, doc("number of judgements; null for labelled texts")]
    left_out: Annotated[int, doc("number of unusable records")]
    reasons: Annotated[list[str], doc("of the first ones")]


class OwnFigure(TypedDict):
    """A figure of a set, with its 95 % interval: None where all values are equal."""

    name: Annotated[str, doc("of the figure")]
    unit: Annotated[Literal["%"], doc("per cent")]
    value: Annotated[float, doc("in per cent")]
    interval: Annotated[Interval | None, doc(f"{INTERVAL}, in per cent; null if there is none")]


class OwnScore(TypedDict):
    """One set of features: words alone, or vectors."""

    name: EntryName
    dimensions: Annotated[int | None, doc("numbers per vector; null for words alone")]
    known: Annotated[float | None, doc("share of the words with a vector, a fraction; null for words alone")]
    without_words: Annotated[int | None, doc("number of texts or queries without a known word; null for words alone")]
    figures: Annotated[list[OwnFigure], doc("in per cent; the first one is compared")]
    seconds: Annotated[float, doc("seconds, without reading the vectors")]


class OwnComparison(TypedDict):
    """Is ``new`` not inferior to ``old``?"""

    new: Annotated[str, doc("name of the judged set")]
    old: Annotated[str, doc("name of the set it is compared with")]
    difference: Annotated[float, doc("of the first figure, new − old, in points")]
    lower: Annotated[float, doc("one-sided 95 % bound, in points")]
    upper: Annotated[float, doc("one-sided 95 % bound, in points")]
    verdict: Annotated[Verdict, doc("by the rule of the documentation")]
    more: Annotated[int | None, doc("further examples that would decide; null if none would, or if it is decided")]
    sentence: Annotated[str, doc("the verdict in words")]


class OwnReport(TypedDict):
    """All figures of one run."""

    kind: Annotated[OwnKind, doc("labelled texts, or a search")]
    data: Annotated[OwnFacts, doc("what was read")]
    margin: Annotated[float, doc("of the verdicts, in points")]
    scores: Annotated[list[OwnScore], doc("words alone, then each entry in the order given; in per cent")]
    comparisons: Annotated[
        list[OwnComparison], doc("each further entry against the first, then each against words alone")
    ]
    seconds: Annotated[float, doc("seconds of the measurement")]


class SetAnswer(TypedDict):
    """The answer of one set to a text or query."""

    answer: Annotated[str, doc("a label, or the first texts found")]
    right: Annotated[float, doc("share of right labels in the text's tests, or the precision of the query, a fraction")]


class Disagreement(TypedDict):
    """A text or query on which sets differ."""

    text: Annotated[str, doc("of a labelled text or a query, cut to 300 characters")]
    gold: Annotated[str, doc("its label, or the relevant texts")]
    answers: Annotated[list[SetAnswer], doc("of each set, in the order of `sets`")]


class Disagreements(TypedDict):
    """Examples on which sets differ, those of most disagreement first; ``total`` includes those cut off."""

    sets: Annotated[list[str], doc("names, in the order of the answers")]
    total: Annotated[int, doc("with those cut off")]
    rows: Annotated[list[Disagreement], doc("at most 500")]


REPORT: TypeAdapter[OwnReport] = TypeAdapter(OwnReport)
"""Reads and writes a report: ``REPORT.validate_json``, ``REPORT.dump_json``."""
DISAGREEMENTS: TypeAdapter[Disagreements] = TypeAdapter(Disagreements)


def csv_rows(disagreements: Disagreements) -> Iterator[list[str]]:
    """A header, and a row for each example: text, gold, and each set's answer and share right."""
    yield ["text", "gold", *(f"{name}: {what}" for name in disagreements["sets"] for what in ("answer", "right"))]
    for row in disagreements["rows"]:
        of_sets = [value for answer in row["answers"] for value in (answer["answer"], f"{answer['right']:g}")]
        yield [row["text"], row["gold"], *of_sets]
