"""Faults are tried a counted number of times; ``--fault-table FILE`` writes the promises that held into a page."""

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
    target: Path | None = config.getoption("--fault-table", default=None)
    if target is None or terminalreporter.stats.get("failed"):
        return
    properties = [pair for report in terminalreporter.stats.get("passed", []) for pair in report.user_properties]
    tried: dict[tuple[str, str], int] = {}
    for what, times, promise in (value for name, value in properties if name == "fault"):
        tried[what, promise] = max(times, tried.get((what, promise), 0))
    lines = [(what, str(times), promise) for (what, promise), times in sorted(tried.items())]
    pages.put("faults", "\n".join(pages.table(("fault", "tried", "what is promised"), lines, words=3)), target)
