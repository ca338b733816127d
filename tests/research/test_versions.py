"""Two versions of a suite beside each other, from reports that were made by it."""

from __future__ import annotations

from dataclasses import replace

from research.versions import side_by_side
from tasks.baseline.published import published
from tasks.suites import OPEN_2026


def test_what_is_defined_alike_is_counted_and_what_is_not_stands_side_by_side() -> None:
    report = published(OPEN_2026)
    assert report is not None
    redefined = [
        replace(found, task_hash="of another version", score=0.25) if found.task == "metaphor" else found
        for found in report.results
        if found.task != "sim-men-tr-3k"
    ]
    other = replace(report, suite={**report.suite, "version": report.suite["version"] + 1}, results=redefined)
    written = side_by_side(report, other).splitlines()
    assert [line.split()[0] for line in written[2:4]] == ["sim-men-tr-3k", "metaphor"]
    assert written[2].split()[-3:] == ["–"] * 3
    assert "0.2500" in written[3]
    assert f"{len(report.results) - 2} cells are defined alike." in written
