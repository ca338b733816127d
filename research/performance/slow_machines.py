"""Simulated runs on machines that slow down, to check the rule by which a site estimates the time left.

    python -m research.performance.slow_machines [--runs 300] [--seed 0]

A run takes the seconds of every cell from a shipped entry's report; two cells run at a time, in the site's order.
Other entries are the files that the site measured before. The machine becomes 1 to 4 times slower at a random moment
and stays so. Every minute the site's own rule estimates the time left from what it would see then. "fixed" is a simple
rule to compare it with: half to one and a half times the likely time, corrected by finished cells only.
"""

from __future__ import annotations

import argparse
import heapq
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf
from statistics import median

import django

from benchmark.shipped.dump import dump_path, stored_entries
from tasks.baseline.published import seconds_of_cells
from tasks.cli.tables import table
from tasks.evaluate import quick_first
from tasks.results import Report
from tasks.suites import OPEN_2026

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmark.settings")
django.setup()

from benchmark.submissions.progress import (  # noqa: E402 - the settings come first
    ELSEWHERE,
    UNKNOWN,
    UNMEASURED,
    Begun,
    Cell,
    Measured,
    pace_of,
    time_left,
)

HANDS = 2
STARTING = 0.3
"""Seconds from one cell to the next."""
MINUTE = 60.0
UNTIL = 15
"""Later minutes are counted together."""


@dataclass(frozen=True)
class Entry:
    """Real and expected seconds of every cell of a shipped entry, without a site's pace."""

    dimensions: int
    words: int
    real: Mapping[Cell, float]
    expected: Mapping[Cell, float]

    @property
    def measured(self) -> Measured:
        return (
            self.dimensions,
            self.words,
            [(task, mode, seconds / self.expected[task, mode]) for (task, mode), seconds in self.real.items()],
        )


@dataclass(frozen=True)
class Machine:
    """``slowness`` seconds for one second of work, ``factor`` times as many from ``slows_at`` on."""

    slowness: float
    slows_at: float
    factor: float

    def work(self, begin: float, end: float) -> float:
        """Seconds of work done between two moments."""
        fast = max(min(end, self.slows_at) - begin, 0.0)
        return fast / self.slowness + max(end - max(begin, self.slows_at), 0.0) / (self.slowness * self.factor)

    def end(self, begin: float, work: float) -> float:
        fast = self.work(begin, max(self.slows_at, begin))
        if work <= fast:
            return begin + work * self.slowness
        return max(begin, self.slows_at) + (work - fast) * self.slowness * self.factor


@dataclass(frozen=True)
class Run:
    """The cells of a run with their begin and end."""

    machine: Machine
    real: Mapping[Cell, float]
    times: Mapping[Cell, tuple[float, float]]

    @property
    def seconds(self) -> float:
        return max(end for _, end in self.times.values())

    def share(self, cell: Cell, now: float) -> float:
        """Reported share of a cell's work; word tasks report none before the end."""
        begin, end = self.times[cell]
        if end <= now:
            return 1.0
        return self.machine.work(begin, now) / self.real[cell] if begin < now and cell[1] else 0.0


def entries() -> list[Entry]:
    found = []
    kept = {task.id for task in OPEN_2026.tasks}
    for stored in stored_entries(OPEN_2026, dump_path(OPEN_2026)):
        report = Report.from_json(stored.details["report"])
        dimensions, words = report.vectors["dimensions"], report.vectors["words"]
        usual = seconds_of_cells(OPEN_2026, dimensions, words)
        results = [result for result in report.results if result.task in kept]
        found.append(
            Entry(
                dimensions,
                words,
                {(result.task, result.mode or ""): result.seconds for result in results},
                {(r.task, r.mode or ""): usual.get((r.task, r.mode), UNMEASURED) for r in results},
            )
        )
    return found


def run(real: Mapping[Cell, float], machine: Machine) -> Run:
    """Run cells in the site's order, each on the first free hand."""
    free, times = [0.0] * HANDS, {}
    for task, mode in quick_first(OPEN_2026, [(task.id, mode) for task, mode in OPEN_2026.cells()]):
        cell: Cell = (task, mode or "")
        if cell in real:
            begin = heapq.heappop(free) + STARTING
            times[cell] = begin, machine.end(begin, real[cell])
            heapq.heappush(free, times[cell][1])
    return Run(machine, real, times)


def fixed_bounds(expected: Mapping[Cell, float], made: Run, now: float, unknown: float) -> tuple[float, float]:
    """A rule to compare with: multiples of the likely time."""
    whole = sum(expected.values())
    ended = [cell for cell, (_, end) in made.times.items() if end <= now and cell[1]]
    took = sum(made.times[cell][1] - made.times[cell][0] for cell in ended)
    pace = (took + 0.1 * whole) / (sum(expected[cell] for cell in ended) + 0.1 * whole)
    left = [pace * seconds * (1 - made.share(cell, now)) for cell, seconds in expected.items()]
    likely = max(sum(left) / HANDS, *left)
    low, high = (0.5, 1.5) if unknown == UNKNOWN else (0.4, 2.5)
    return low * likely, high * likely


def own_rule(expected: Mapping[Cell, float], made: Run, now: float, unknown: float) -> tuple[float, float]:
    """The site's rule."""
    begun = [
        Begun(expected[cell], min(now, end) - begin, made.share(cell, now), end if end <= now else inf)
        for cell, (begin, end) in made.times.items()
        if cell[1] and begin < now
    ]
    left = [seconds * (1 - made.share(cell, now)) for cell, seconds in expected.items()]
    return time_left(left, begun, whole=sum(expected.values()), hands=HANDS, unknown=unknown).bounds


Promise = tuple[int, float, float, float]
"""Minute, lower and upper bound, and the true seconds left."""
RULES = {"fixed": fixed_bounds, "own pace": own_rule}


def runs(
    known: Sequence[Entry], earlier: int, slower: float, number: int, seed: int
) -> Iterator[tuple[dict[Cell, float], Run, float]]:
    """Expected seconds, the run and what is unknown about it."""
    draw = random.Random(seed)
    for _ in range(number):
        entry = draw.choice(known)
        others = draw.sample([other for other in known if other is not entry], earlier)
        pace = pace_of([other.measured for other in others], entry.dimensions, entry.words)
        expected = {cell: seconds * pace.of(cell) for cell, seconds in entry.expected.items()}
        slowness = exp(draw.gauss(0.0, 0.15))
        undisturbed = run(entry.real, Machine(slowness, 0.0, 1.0)).seconds
        machine = Machine(slowness, draw.uniform(0, undisturbed), draw.uniform(1, slower))
        yield expected, run(entry.real, machine), UNKNOWN if earlier else ELSEWHERE


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    known, rows = entries(), []
    for earlier in (0, 1, 5):
        for slower in (1.0, 4.0):
            for name, rule in RULES.items():
                promises = [
                    (
                        min(minute, UNTIL),
                        *rule(expected, made, minute * MINUTE, unknown),
                        made.seconds - minute * MINUTE,
                    )
                    for expected, made, unknown in runs(known, earlier, slower, given.runs, given.seed)
                    for minute in range(1, int(made.seconds / MINUTE) + 1)
                ]
                rows.append((str(earlier), f"1 to {slower:.0f}" if slower > 1 else "1", name, *held(promises)))
    print(f"{OPEN_2026.id}, {len(known)} entries, {given.runs} runs a row")
    print(table(("earlier files", "times slower", "rule", "upper held", "worst minute", "lower held", "width"), rows))


def held(promises: Sequence[Promise]) -> tuple[str, ...]:
    """Shares of upper bounds that held, overall and in the worst minute, and of lower ones; median of upper / lower."""
    by_minute: dict[int, list[bool]] = {}
    for minute, _, high, true in promises:
        by_minute.setdefault(minute, []).append(true <= high)
    upper = [true <= high for _, _, high, true in promises]
    worst = min(sum(kept) / len(kept) for kept in by_minute.values())
    lower = sum(true >= low for _, low, _, true in promises) / len(promises)
    width = median(high / low for _, low, high, _ in promises)
    return f"{sum(upper) / len(upper):.2f}", f"{worst:.2f}", f"{lower:.2f}", f"{width:.1f}"


if __name__ == "__main__":
    main()
