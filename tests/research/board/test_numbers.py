"""Shipped numbers, computed again by the commands given with them."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from benchmark.shipped.dump import dump_path
from research.board.board_entries import trained
from tasks.hashes import suite_hash
from tasks.suites import OPEN_2026, SUITES
from tests.docs.blocks import ROOT

pytestmark = pytest.mark.slow
SHIPPED = [path for suite in SUITES.values() if (path := dump_path(suite)).is_file()]
"""Entries of the current suite versions: a new version waits for its board, and old boards do not change."""
ENTRY = "svd-ppmi-w5-d50"
"""The cheapest to train; all others, controls included, are made by the same command."""
CELLS = (("sim-simlex-999", None), ("analogy-google", None), ("ner-500", "fixed"))


def shipped_report(path: Path, title: str) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        reports = [json.loads(archive.read(n)) for n in archive.namelist() if n.endswith(".json") and n != "suite.json"]
    (entry,) = [one for one in reports if one["name"] == title]
    report: dict[str, Any] = json.loads(entry["report"])
    return report


def run(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.skipif(not SHIPPED, reason="no reports are shipped yet; make board, then python -m research.board dump")
@pytest.mark.data(OPEN_2026.corpus.dataset, *(OPEN_2026.task(task).dataset for task, _ in CELLS))
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_three_shipped_numbers_are_reproduced(path: Path, tmp_path: Path) -> None:
    suite = path.stem.rpartition("-")[0]
    run("research.board", "vectors", ENTRY, "--suite", suite, "--out", str(tmp_path))
    vectors, out = str(tmp_path / f"{ENTRY}.txt.gz"), tmp_path / "report.json"
    tasks = ",".join(task for task, _ in CELLS)
    run("tasks", "evaluate", vectors, "--suite", suite, "--task", tasks, "--workers", "1", "--out", str(out))
    again = json.loads(out.read_text())
    shipped = shipped_report(path, trained(ENTRY).title)
    for cell in CELLS:
        assert _score(again, *cell) == pytest.approx(_score(shipped, *cell), abs=_noise(shipped, *cell)), cell


@pytest.mark.skipif(not SHIPPED, reason="no reports are shipped yet; make board, then python -m research.board dump")
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_dump_matches_the_suite_and_is_small(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        made_with = json.loads(archive.read("suite.json"))
    assert made_with["hash"] == suite_hash(SUITES[made_with["id"]])
    assert path.stat().st_size < 10_000_000


def _result(report: dict[str, Any], task: str, mode: str | None) -> dict[str, Any]:
    (found,) = [one for one in report["results"] if (one["task"], one["mode"]) == (task, mode)]
    return dict(found)


def _score(report: dict[str, Any], task: str, mode: str | None) -> float:
    return float(_result(report, task, mode)["score"])


def _noise(report: dict[str, Any], task: str, mode: str | None) -> float:
    """Tolerance: another processor may change the last digits of the vectors, and so a score by seed noise."""
    return 0.005 if mode is None else max(0.01, 3 * (_result(report, task, mode)["sd"] or 0.0))
