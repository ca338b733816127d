"""Answers to the claims of papers, and the formatting of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from plots.chart import Chart
from research import pages
from tasks.results import Interval

Verdict = Literal["holds", "holds in part", "mixed", "partly contradicted", "does not hold", "undecided"]
BLANK = "–"
LEAST_TRAININGS = 3
"""Of a setting: with fewer, a clear difference is one of files, as that between two trainings is unknown."""


@dataclass(frozen=True)
class Finding:
    """One claim, its source, the board's evidence, and the verdict.

    Parameters
    ----------
    trainings : least number of trainings of a setting, where the claim compares settings of a method.
    """

    claim: str
    source: str
    here: str
    verdict: Verdict
    trainings: int = LEAST_TRAININGS

    @property
    def answer(self) -> str:
        """The verdict, and whether it is one on files only."""
        is_of_files = self.trainings < LEAST_TRAININGS and self.verdict != "undecided"
        return f"{self.verdict}{', for these files' * is_of_files}"


@dataclass(frozen=True)
class Section:
    """Findings of one subject; ``body`` is Markdown before them, and ``chart`` shows them."""

    title: str
    findings: tuple[Finding, ...]
    body: str = ""
    chart: Chart | None = None


def by_interval(interval: Interval | None, nothing: float = 0.0) -> Verdict:
    """A claim that something is larger than ``nothing``: the interval is above it, below it, or contains it."""
    if interval is None or interval[0] <= nothing <= interval[1]:
        return "undecided"
    return "holds" if interval[0] > nothing else "does not hold"


def by_count(right: int, wrong: int, of: int) -> Verdict:
    """A claim tested ``of`` times, with ``right`` clear answers for it and ``wrong`` against it.

    Both directions are treated alike: a claim fails as a whole where all answers are clear and against it.
    """
    if right and wrong:
        return "mixed"
    if right == wrong:
        return "undecided"
    if right:
        return "holds" if right == of else "holds in part"
    return "does not hold" if wrong == of else "partly contradicted"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """A Markdown table under its caption, with the first column aligned to the left."""
    return "\n".join([caption, "", *pages.table(head, rows)])


def number(value: float | None, digits: int = 2, sign: bool = False) -> str:
    """A number with a true minus, or a dash."""
    if value is None:
        return BLANK
    return f"{value:{'+' if sign else ''}.{digits}f}".replace("-", "−")


def chance(p: float | None) -> str:
    """A p-value: ``0.049``, ``< 0.001`` if three digits would round it to zero."""
    return "< 0.001" if p is not None and p < 0.001 else number(p, 3)


def points(value: float | None) -> str:
    """A share as percentage points with sign."""
    return number(None if value is None else 100 * value, sign=True)


def between(interval: Interval | None, digits: int = 2) -> str:
    """``−0.10 to 0.95``."""
    return "no interval" if interval is None else f"{number(interval[0], digits)} to {number(interval[1], digits)}"


def counted(count: int, noun: str) -> str:
    """``1 pair``, ``3 pairs``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
