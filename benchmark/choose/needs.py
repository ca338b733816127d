"""What somebody needs vectors for, and the limits: few choices each, so that every answer can be kept."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from django.http import QueryDict

from benchmark.inputs import Ignored, Parameters
from benchmark.submissions.facts import Facts
from tasks.results import MODES

POLITICAL, LANGUAGE = "political", "language"
UNDECIDED = (POLITICAL, LANGUAGE)
"""No column of this board decides: political figures have no better end, and every language has a board of its own."""
PURPOSES = {
    "any": "a bit of everything",
    "pos": "tagging words",
    "ner": "finding names",
    "sentiment": "classifying opinions",
    "questions": "classifying questions",
    "sim-simlex-999": "similarity of words",
    POLITICAL: "political text",
    LANGUAGE: "a language other than English",
}
"""By the task that decides; ``any`` by the mean."""
TRAINED = {"fixed": "stay as they are", "fine-tuned": "are trained further with the task"}
MOST_DIMENSIONS = (50, 100, 200, 300)
MOST_MEGABYTES = (20, 100, 500, 2000)
FLOAT_BYTES = 4


@dataclass(frozen=True)
class Need:
    """``megabytes`` bounds :func:`bytes_of` the vectors; 0: no limit."""

    purpose: str = "any"
    mode: str = "fixed"
    dimensions: int = 0
    megabytes: int = 0
    licensed: bool = False
    ignored: tuple[Ignored, ...] = ()

    @classmethod
    def parse(cls, given: QueryDict) -> Need:
        """Read an address."""
        asked = Parameters(given)
        need = cls(
            purpose=asked.one_of("for", PURPOSES, "any"),
            mode=asked.one_of("mode", MODES, "fixed"),
            dimensions=int(asked.one_of("dimensions", map(str, MOST_DIMENSIONS), "0")),
            megabytes=int(asked.one_of("megabytes", map(str, MOST_MEGABYTES), "0")),
            licensed=asked.one_of("licensed", ("1",)) == "1",
        )
        return replace(need, ignored=tuple(asked.ignored))

    def column(self, keys: Collection[str]) -> str:
        """Key of the column that decides; empty where the board has none."""
        if self.purpose in UNDECIDED:
            return ""
        offered = (self.mode,) if self.purpose == "any" else (f"{self.purpose}.{self.mode}", self.purpose)
        return next((key for key in offered if key in keys), "")

    def fits(self, facts: Facts) -> bool:
        size = bytes_of(facts)
        if facts.dimensions is None or size is None or (self.licensed and not facts.licence):
            return False
        few = not self.dimensions or facts.dimensions <= self.dimensions
        return few and (not self.megabytes or size <= self.megabytes * 1_000_000)


def bytes_of(facts: Facts) -> int | None:
    """Of the vectors in memory, as float32; None where their number or length is unknown."""
    if facts.words is None or facts.dimensions is None:
        return None
    return facts.words * facts.dimensions * FLOAT_BYTES
