"""A capacity plan for many submissions a day: machines, storage, broker, computed from measurements.

    python -m research.performance.plan [--submissions 1000] [--peak 3] [--utilisation 0.7] [--machine-cores 16]

It uses stored measurements: reading (docs/performance.md, "How cost grows"), work of the downstream cells (there, "A
whole report"; without two sizes of it, the shipped baseline's report and the exponents), shares of the cells and word
tasks (the shipped baseline's report), sizes of a report and of its outcomes (likewise). Everything else is an
assumption and printed as such. The wait is that of an M/M/c queue of whole submissions, each of which uses as many
cores as it can.
"""

from __future__ import annotations

import argparse
import math
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from research.performance.reading import write_sample
from tasks import suites
from tasks.baseline.published import SHIPPED, published
from tasks.cli.tables import table
from tasks.results import Report
from tasks.suite import Suite

PAGE = Path(__file__).resolve().parents[2] / "docs" / "performance.md"
SIZES = ((100_000, 100), (400_000, 300))
DAY, HOUR, YEAR_DAYS = 86_400, 3_600, 365
STEPS = ("check", "plan", "report", "rank")
"""Messages of a submission in addition to those of its cells."""
GROWTH = {"window fixed": "chunk, fixed", "window fine-tuned": "chunk, fine-tuned", "text": "questions, fixed"}
"""The cell whose exponent by dimensions is used for each kind of cell."""
_MEASURED = re.compile(r"[\d,]+ × (\d+), (\d+) seed\(s\): [\d,.]+ s in all, ([\d,]+) s of work, ([\d.]+) GB")


@dataclass(frozen=True)
class Growth:
    """One line of the tables of "How cost grows": the value at the largest size, and the exponent."""

    size: float
    value: float
    exponent: float

    def at(self, size: float) -> float:
        return self.value * (size / self.size) ** self.exponent


def growth(page: str, title: str, line: str) -> Growth:
    """Read a line of the table with this title."""
    section = page.partition(f"\n{title}\n")[2].partition("\n\n")[0].splitlines()
    sizes = [_number(text) for text in re.findall(r"(?<= )[\d,.e+]+(?=  | *$)", section[0].rsplit("  exponent", 1)[0])]
    values = next(row for row in section[2:] if row.startswith(f"{line} "))[len(line) :].split()
    return Growth(sizes[-1], _number(values[-2]), float(values[-1]))


def _number(text: str) -> float:
    return float(text.replace(",", ""))


@dataclass(frozen=True)
class Work:
    """Core-seconds of one submission: reading (check and preparation), cells, the longest cell."""

    reading: float
    cells: float
    longest: float

    @property
    def total(self) -> float:
        return self.reading + self.cells


def work(page: str, suite: Suite, baseline: Report, words: int, dimensions: int) -> Work:
    """The cost of a file of this size."""
    by_words, by_dimensions = (growth(page, f"Reading, by {axis}", "read") for axis in ("words", "dimensions"))
    reading = 2 * by_words.at(words) * (dimensions / 10) ** by_dimensions.exponent  # checked once, prepared once
    baseline_dimensions = float(baseline.vectors["dimensions"])
    trained, others = (
        [
            result.seconds
            * (suite.seeds / result.seeds if result.mode else 1.0)
            * (dimensions / baseline_dimensions) ** _exponent(page, suite, result.task, result.mode)
            for result in baseline.results
            if (result.mode is not None) is extrinsic
        ]
        for extrinsic in (True, False)
    )
    measured = whole_reports(page, suite.seeds)
    if len(measured) > 1:
        seconds = on_the_line(measured, dimensions)
        longest = max(trained) * seconds / sum(trained)
        return Work(reading, seconds + sum(others), longest)
    return Work(reading, sum(trained) + sum(others), max(trained))


def whole_reports(page: str, seeds: int) -> dict[float, float]:
    """Core-seconds of the downstream cells by dimensions, as "A whole report" has them; a size measured with one
    seed only is scaled by the ratio of ``seeds`` seeds to one at the other sizes."""
    measured = {(float(d), int(s)): _number(work) for d, s, work, _ in _MEASURED.findall(page)}
    ratios = [measured[d, seeds] / measured[d, 1] for d, s in measured if s == seeds and (d, 1) in measured]
    by_ratio = {d: work * sum(ratios) / len(ratios) for (d, s), work in measured.items() if s == 1 and ratios}
    return by_ratio | {d: work for (d, s), work in measured.items() if s == seeds}


def on_the_line(measured: dict[float, float], size: float) -> float:
    """The power law through the smallest and the largest measured size, evaluated at this one."""
    low, high = min(measured), max(measured)
    slope = math.log(measured[high] / measured[low]) / math.log(high / low)
    return measured[low] * (size / low) ** slope


def _exponent(page: str, suite: Suite, task: str, mode: str | None) -> float:
    if mode is None:
        return 1.0
    kind = f"window {mode}" if suite.task(task).family.id == "window" else "text"
    return growth(page, "An epoch, by dimensions", GROWTH[kind]).exponent


def erlang_wait(arrivals: float, seconds: float, servers: int) -> float:
    """Mean wait in an M/M/c queue (Erlang C), in seconds; infinite if there are too few servers."""
    load = arrivals * seconds
    if load >= servers:
        return math.inf
    busy = 1.0
    for busy_servers in range(1, servers + 1):  # Erlang B, by its recursion
        busy = load * busy / (busy_servers + load * busy)
    queued = servers * busy / (servers - load * (1 - busy))
    return queued * seconds / (servers - load)


def bytes_a_number() -> float:
    """Bytes per number in gzipped text with five decimals."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "vectors.txt.gz"
        write_sample(path, 2_000, 100)
        return path.stat().st_size / (2_000 * 100)


@dataclass(frozen=True)
class Demand:
    """Assumptions about submissions and machines."""

    submissions: float
    peak: float
    utilisation: float
    machine_cores: int

    @property
    def a_second(self) -> float:
        return self.submissions / DAY


def plan(
    demand: Demand, suite: Suite, words: int, dimensions: int, upload: float, page: str
) -> Iterable[tuple[str, str]]:
    """Lines of the plan for files of one size."""
    baseline = published(suite)
    assert baseline is not None
    cost = work(page, suite, baseline, words, dimensions)
    peak = demand.a_second * demand.peak
    cores = math.ceil(peak * cost.total / demand.utilisation)
    alone = cost.reading + max(cost.longest, cost.cells / demand.machine_cores)
    stored = sum((SHIPPED / f"{suite.id}-{suite.version}.{kind}").stat().st_size for kind in ("json", "npz"))
    messages = len(STEPS) + len(suite.cells())
    matrix = 4 * words * dimensions
    yield "core-seconds a submission: reading", f"{cost.reading:,.0f}"
    yield f"… cells, {suite.seeds} seeds", f"{cost.cells:,.0f}"
    yield "core-hours a day", f"{demand.submissions * cost.total / HOUR:,.0f}"
    yield "cores for the peak hour", f"{cores:,}"
    yield f"… machines of {demand.machine_cores}", f"{math.ceil(cores / demand.machine_cores):,}"
    yield "report alone on such a machine, minutes", f"{alone / 60:.1f}"
    yield "mean wait at the peak, minutes", f"{erlang_wait(peak, alone, int(cores * alone / cost.total)) / 60:.1f}"
    yield "uploads, GB a day", f"{demand.submissions * upload / 1e9:,.0f}"
    yield "uploads, TB a year if kept", f"{YEAR_DAYS * demand.submissions * upload / 1e12:,.1f}"
    yield "reports and outcomes, GB a year", f"{YEAR_DAYS * demand.submissions * stored / 1e9:,.0f}"
    yield "prepared matrix, MB (mapped, shared by a machine's jobs)", f"{matrix / 1e6:,.0f}"
    yield "broker messages a second at the peak", f"{peak * messages:,.2f}"


def main() -> None:
    """Print the plan."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="open-2026")
    parser.add_argument("--submissions", type=float, default=1_000, help="a day")
    parser.add_argument("--peak", type=float, default=3, help="the busiest hour, as a multiple of the mean")
    parser.add_argument("--utilisation", type=float, default=0.7, help="share of the time that cores work")
    parser.add_argument("--machine-cores", type=int, default=16)
    arguments = parser.parse_args()
    demand = Demand(arguments.submissions, arguments.peak, arguments.utilisation, arguments.machine_cores)
    suite, page, each = suites.get(arguments.suite), PAGE.read_text(encoding="utf-8"), bytes_a_number()
    columns = [dict(plan(demand, suite, words, size, words * size * each, page)) for words, size in SIZES]
    print(
        f"{suite.id} version {suite.version}, {suite.seeds} seeds; assumed: {demand.submissions:,.0f} submissions "
        f"a day, the busiest hour {demand.peak:g} × the mean,\ncores busy {demand.utilisation:.0%} of the time, "
        f"machines of {demand.machine_cores} cores, every file of one size"
    )
    rows = [(name, *(column[name] for column in columns)) for name in columns[0]]
    print(table(("a plan for files of", *(f"{words:,} × {size}" for words, size in SIZES)), rows))


if __name__ == "__main__":
    main()
