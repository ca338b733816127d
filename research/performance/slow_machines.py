"""Simulated runs on machines that slow down, which measure the factors of a site's estimates of the time left.

    python -m research.performance.slow_machines [--runs 300] [--seed 0]

A run takes the seconds of every cell from a shipped entry's report; two cells run at a time, in the site's order.
Other entries are the files that the site measured before. The machine becomes 1 to 4 times slower at a random moment
and stays so. At the start and every minute the site's own rule estimates the time left from what it would see then.

The first table shows how often the ends of its ranges held, the second the true time divided by the typical one, by the
site's table of factors (``benchmark.submissions.progress``): these quantiles are what its factors must contain.
"""

from __future__ import annotations

import argparse
import heapq
import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from statistics import median
from typing import NamedTuple

import django
import numpy as np

from benchmark.shipped.dump import dump_path, stored_entries
from tasks.baseline.published import seconds_of_cells
from tasks.cli.tables import table
from tasks.evaluate import quick_first
from tasks.results import Report
from tasks.suites import OPEN_2026

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmark.settings")
django.setup()

from benchmark.submissions.progress import (  # noqa: E402 - the settings come first
    MEASURED_SITE,
    NEW_SITE,
    PACE_CELLS,
    SURE_SHARE,
    UNMEASURED,
    Cell,
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

    real: Mapping[Cell, float]
    expected: Mapping[Cell, float]

    def ratios(self, slowness: float = 1.0) -> list[float]:
        """Ratios of real to expected seconds of its trained cells."""
        return [slowness * seconds / self.expected[cell] for cell, seconds in self.real.items() if cell[1]]


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
    measured = []
    ids = {task.id for task in OPEN_2026.tasks}
    for stored in stored_entries(OPEN_2026, dump_path(OPEN_2026)):
        report = Report.from_json(stored.details["report"])
        dimensions, words = report.vectors["dimensions"], report.vectors["words"]
        usual = seconds_of_cells(OPEN_2026, dimensions, words)
        results = [result for result in report.results if result.task in ids]
        measured.append(
            Entry(
                {(result.task, result.mode or ""): result.seconds for result in results},
                {(r.task, r.mode or ""): usual.get((r.task, r.mode), UNMEASURED) for r in results},
            )
        )
    return measured


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


class Promise(NamedTuple):
    """An estimate: the share of the work done, whether the site had measured anything, its range and what was true."""

    minute: int
    done: float
    is_new: bool
    typical: float
    bounds: tuple[float, float]
    true: float


def promise(entry: Entry, made: Run, before: Sequence[float], minute: int) -> Promise:
    """The site's estimate a number of minutes after the start.

    Parameters
    ----------
    before : ratios of real to expected seconds of the trained cells that the site measured earlier, the latest last.
    """
    now = minute * MINUTE
    ended, running = [], []
    trained = [(cell, *made.times[cell]) for cell in made.times if cell[1]]
    for cell, begin, end in sorted(trained, key=lambda span: span[2]):
        if end <= now:
            ended.append((end - begin) / entry.expected[cell])
        elif (share := made.share(cell, now)) >= SURE_SHARE:
            running.append((now - begin) / (share * entry.expected[cell]))
    ratios = [*before, *ended][-PACE_CELLS:] + running
    pace, is_new = median(ratios or [1.0]), not ratios
    left = [pace * seconds * (1 - made.share(cell, now)) for cell, seconds in entry.expected.items()]
    whole = pace * sum(entry.expected.values())
    estimate = time_left(left, whole=whole, hands=HANDS, factors=NEW_SITE if is_new else MEASURED_SITE)
    return Promise(
        min(minute, UNTIL), 1 - sum(left) / whole, is_new, estimate.typical, estimate.bounds, made.seconds - now
    )


def promises_of(measured: Sequence[Entry], earlier: int, slower: float, number: int, seed: int) -> list[Promise]:
    """Every promise of simulated runs on a site that has measured a number of earlier files."""
    draw, promises = random.Random(seed), []
    for _ in range(number):
        entry = draw.choice(measured)
        others = draw.sample([other for other in measured if other is not entry], earlier)
        slowness = exp(draw.gauss(0.0, 0.15))
        undisturbed = run(entry.real, Machine(slowness, 0.0, 1.0)).seconds
        machine = Machine(slowness, draw.uniform(0, undisturbed), draw.uniform(1, slower))
        made, before = run(entry.real, machine), [ratio for other in others for ratio in other.ratios()]
        promises += [promise(entry, made, before, minute) for minute in range(int(made.seconds / MINUTE) + 1)]
    return promises


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    measured, rows, drawn = entries(), [], []
    for earlier in (0, 1, 5):
        for slower in (1.0, 4.0):
            made = promises_of(measured, earlier, slower, options.runs, options.seed)
            rows.append((str(earlier), f"1 to {slower:.0f}" if slower > 1 else "1", *held(made)))
            drawn += made
    print(f"{OPEN_2026.id}, {len(measured)} entries, {options.runs} runs a row")
    print(table(("earlier files", "times slower", "upper held", "worst minute", "lower held", "width"), rows))
    print()
    columns = (
        "cells measured",
        "work done",
        "estimates",
        "true / typical, 5 %",
        "95 %",
        "factors",
        "upper held",
        "lower held",
    )
    print(table(columns, by_work_done(drawn)))


def held(promises: Sequence[Promise]) -> tuple[str, ...]:
    """Shares of upper bounds that held, overall and in the worst minute, and of lower ones; median of upper / lower."""
    by_minute: dict[int, list[bool]] = {}
    for made in promises:
        by_minute.setdefault(made.minute, []).append(made.true <= made.bounds[1])
    upper = np.mean([made.true <= made.bounds[1] for made in promises])
    worst = min(sum(flags) / len(flags) for flags in by_minute.values())
    lower = np.mean([made.true >= made.bounds[0] for made in promises])
    width = median(made.bounds[1] / made.bounds[0] for made in promises)
    return f"{upper:.2f}", f"{worst:.2f}", f"{lower:.2f}", f"{width:.1f}"


def by_work_done(promises: Sequence[Promise]) -> list[tuple[str, ...]]:
    """Quantiles of the true time divided by the typical one, for each row of the site's table."""
    rows = []
    for is_new, factors in ((True, NEW_SITE), (False, MEASURED_SITE)):
        for row, end in zip(factors, [*(later.done for later in factors[1:]), 2.0], strict=True):
            here = [made for made in promises if made.is_new is is_new and row.done <= made.done < end]
            if here:
                low, high = np.quantile([made.true / made.typical for made in here], (0.05, 0.95))
                upper = np.mean([made.true <= made.bounds[1] for made in here])
                lower = np.mean([made.true >= made.bounds[0] for made in here])
                shown = f"{low:.2f}", f"{high:.2f}", f"{row.least} to {row.most}", f"{upper:.2f}", f"{lower:.2f}"
                rows.append(("none" if is_new else "some", f"from {row.done:.0%}", str(len(here)), *shown))
    return rows


if __name__ == "__main__":
    main()
