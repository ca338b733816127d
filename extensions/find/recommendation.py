"""Recommended vectors for a need: the best entry within its limits, and every other one tested against it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from django.http import QueryDict

from benchmark.inputs import Ignored, Parameters
from benchmark.leaderboard import page_cache
from benchmark.leaderboard.board import Board, Row
from benchmark.leaderboard.columns import Column
from benchmark.leaderboard.ranking_data import ExampleSet, ranking_data_of
from benchmark.submissions.visibility import Facts
from benchmark.templatetags.figures import between, decimals, signed_percent, size
from tasks.answers import FLOORS
from tasks.results import AS_USED, MODES
from tasks.statistics.correlations import dispersion_of_correlations
from tasks.statistics.ranks import Dispersion, differing

PURPOSES = {
    "any": "several tasks",
    "pos": "POS tagging",
    "ner": "named entities",
    "sentiment": "sentiment",
    "questions": "question classification",
    "sim-simlex-999": "word similarity",
}
"""By deciding task; ``any``: the mean of all."""
MOST_TESTED = 50
"""Number of best entries that are tested against each other."""
MOST_KEPT = 200
"""Sets of entries whose tests a process keeps: a new limit in megabytes seldom makes a new set."""


@dataclass(frozen=True)
class Need:
    """``megabytes`` limits their size on a device; 0: no limit."""

    purpose: str = "any"
    mode: str = "fixed"
    megabytes: float = 0
    licensed: bool = False
    ignored: tuple[Ignored, ...] = ()

    @classmethod
    def parse(cls, query: QueryDict) -> Need:
        """Parse a query string."""
        parameters = Parameters(query)
        need = cls(
            purpose=parameters.one_of("for", PURPOSES, "any"),
            mode=parameters.one_of("mode", MODES, "fixed"),
            megabytes=parameters.decimal("megabytes", least=0.1) or 0,
            licensed=parameters.one_of("licensed", ("1",)) == "1",
        )
        return replace(need, ignored=tuple(parameters.ignored))

    @property
    def limits(self) -> str:
        """The limits as the beginning of a sentence; empty without any."""
        within = f"within {self.megabytes:,} MB" if self.megabytes else ""
        text = ", ".join(filter(None, (within, "with a stated licence" if self.licensed else "")))
        return text[:1].upper() + text[1:]

    def column(self, keys: Collection[str]) -> str:
        """Key of the deciding column; empty if the board has none."""
        offered = (self.mode,) if self.purpose == "any" else (f"{self.purpose}.{self.mode}", self.purpose)
        offered = (*(key + AS_USED for key in offered), *offered)  # vectors of all sizes compete
        return next((key for key in offered if key in keys), "")

    def fits(self, facts: Facts) -> bool:
        if facts.device_bytes is None or (self.licensed and not facts.licence):
            return False
        return not self.megabytes or facts.device_bytes <= self.megabytes * 1_000_000


@dataclass(frozen=True)
class Option:
    """An entry, and whether it is significantly worse than the recommended one; None if the two were not tested."""

    row: Row
    column: Column
    is_worse: bool | None = None

    @property
    def value(self) -> str:
        """The score; errors avoided with one decimal."""
        return self._write(self.row.cells[0].value)

    @property
    def bounds(self) -> str:
        return between(self.row.interval(), self._write)

    @property
    def effect(self) -> str:
        """Errors avoided, in words: “17.8 % fewer errors”."""
        value = self.row.cells[0].value or 0.0
        return f"{decimals(100 * abs(value), 1)} % {'more' if value < 0 else 'fewer'} errors"

    @property
    def effect_bounds(self) -> str:
        """Interval of :attr:`effect`; empty without one."""
        sign = -100 if self.is_below_baseline else 100
        return " to ".join(decimals(end, 1) for end in sorted(sign * end for end in self.row.interval() or ()))

    def _write(self, value: float | None) -> str:
        return signed_percent(value, 1) if self.column.kind == "reduction" else self.column.write(value)

    @property
    def is_below_baseline(self) -> bool:
        return self.column.kind == "reduction" and (self.row.cells[0].value or 0.0) < 0

    @property
    def verdict(self) -> str:
        """Of an entry that is not the recommended one."""
        return {None: "not tested", True: "clearly worse", False: "too close to call"}[self.is_worse]

    @property
    def bytes(self) -> int:
        return self.row.facts.device_bytes or 0

    @property
    def text(self) -> str:
        """Size, score and interval."""
        return f"{size(self.bytes)}, {self.value}{f' ({self.bounds})' if self.bounds else ''}"


@dataclass(frozen=True)
class Recommendation:
    """``options`` are within the limits, best first, each compared with the first, which is recommended.

    ``fitting`` counts ranked entries with a score that meet the limits.
    """

    column: Column
    options: tuple[Option, ...]
    fitting: int

    @property
    def first(self) -> Option:
        return self.options[0]

    @property
    def is_tested(self) -> bool:
        return all(option.is_worse is not None for option in self.options[1:])

    @property
    def equals(self) -> list[Option]:
        """The other entries that were tested against the recommended one and are not significantly worse.

        Entries below the baseline are left out, unless the recommended one is below it too: their intervals are only
        too wide for a difference.
        """
        is_below = self.first.is_below_baseline
        return [option for option in self.options if option.is_worse is False and is_below >= option.is_below_baseline]

    @property
    def wide(self) -> int:
        """Number of entries below the baseline that the tests do not tell apart from the recommended one."""
        return sum(option.is_worse is False for option in self.options) - len(self.equals)

    @property
    def worse(self) -> int:
        """Number of entries that are significantly worse."""
        return sum(option.is_worse is True for option in self.options)

    @property
    def smaller(self) -> Option | None:
        """The smallest of these, if it is smaller than the recommended one."""
        least = min(self.equals, key=lambda option: option.bytes, default=self.first)
        return least if least.bytes < self.first.bytes else None

    @property
    def tested_of_more(self) -> int:
        """Number of compared entries if more fit; else 0."""
        return MOST_TESTED if self.fitting > MOST_TESTED else 0


def scored_rows(board: Board) -> list[Row]:
    """Ranked rows with a score in the first column, best first, without controls."""
    ranked = [row for row in board.rows if row.facts.ranked and row.facts.algorithm not in FLOORS]
    return [row for row in ranked if row.cells[0].value is not None]


def choice_of(scored: Sequence[Row], column: Column, need: Need) -> Recommendation | None:
    """Recommendation from entries with a score in the deciding column, best first; None if none fits."""
    fitting = [row for row in scored if need.fits(row.facts)]
    if not fitting:
        return None
    rows = fitting[:MOST_TESTED]
    apart = differ(rows, column.key)
    options = [Option(row, column, apart.get((0, place)) if place else None) for place, row in enumerate(rows)]
    return Recommendation(column, tuple(options), len(fitting))


def differ(rows: Sequence[Row], key: str) -> dict[tuple[int, int], bool]:
    """Whether each two entries differ, by their places in ``rows``; without those that could not be tested.

    Entries are tested in pairs on the examples of the first one. Two differ if the tests of both reject, each with
    Holm's correction over its comparisons with all ``rows``.
    """
    values = tuple(float(row.cells[0].value or 0.0) for row in rows)
    return _differ(page_cache.mark(), tuple(row.report for row in rows), values, key)


@lru_cache(maxsize=MOST_KEPT)
def _differ(_: str, reports: tuple[int, ...], values: tuple[float, ...], key: str) -> dict[tuple[int, int], bool]:
    """Kept until a board changes."""
    data = ranking_data_of(reports)
    entries = {place: data[report] for place, report in enumerate(reports) if report in data}
    orders = {place: entry.orders[key] for place, entry in entries.items() if key in entry.orders}
    figures = {place: entry.figures[key] for place, entry in entries.items() if key in entry.figures}
    if 0 in orders:
        first = orders[0]
        pairs = ExampleSet.of(first.units, first.gold)
        places = [place for place, entry in orders.items() if ExampleSet.of(entry.units, entry.gold) == pairs]
        predicted = np.stack([orders[place].predicted for place in places])
        dispersion = dispersion_of_correlations(predicted, first.gold, first.units)
        points = [values[place] for place in places]
    elif 0 in figures:
        places = [place for place, figure in figures.items() if figure.examples.keys() == figures[0].examples.keys()]
        dispersion = Dispersion.of_estimates([figures[place] for place in places])
        points = [figures[place].value for place in places]
    else:
        return {}
    if not dispersion.is_defined().all():
        return {}
    apart = differing(np.array(points), dispersion).tolist()
    return {(place, other): apart[i][j] for i, place in enumerate(places) for j, other in enumerate(places)}
