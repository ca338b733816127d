"""Faults are tried a counted number of times; ``--fault-table FILE`` writes the outcomes into a page of docs/."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from research import pages
from tests.faults.disk import SmallDisk, mounting

Fault = Callable[[str, int, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fault-table", type=Path, help="page whose table of faults is to be written")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here is a fault: ``make test`` leaves it to ``make test-faults``."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("fault")


@pytest.fixture
def fault(record_property: Callable[[str, object], None]) -> Fault:
    """Record a row of the table at a test's end: the fault, how often it was tried, and the promise that held."""

    def record(what: str, times: int, promise: str) -> None:
        record_property("fault", (what, times, promise))

    return record


@pytest.fixture
def small_disk() -> Iterator[SmallDisk]:
    """Mount a file system of a given size at a folder."""
    with mounting() as mount:
        yield mount


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    rows = []
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            rows += [(value, report) for name, value in getattr(report, "user_properties", []) if name == "fault"]
    target: Path | None = config.getoption("--fault-table", default=None)
    if not rows or target is None:
        return
    lines = ["| fault | tried | what is promised | outcome | seconds |", "|---|---:|---|---|---:|"]
    for (what, times, promise), report in sorted(rows, key=lambda row: str(row[0][0])):
        lines.append(f"| {what} | {times} | {promise} | {report.outcome} | {report.duration:.0f} |")
    pages.put("faults", "\n".join(lines), target)
