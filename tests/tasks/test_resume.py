"""``evaluate --out … --resume``: what an interrupted run finished is not measured again, and nothing else changes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tasks.cli import main
from tasks.datasets.store import DataStore
from tasks.evaluate import FinishedCells
from tasks.suites import DEMO
from tests.tasks.uncertain import report as made_report
from tests.workers.running_site import ROOT, small_file

WHOLE = "[!.]*.npz"
"""Files of finished cells; while one is written, its name begins with a dot."""


def command(out: Path, *more: str) -> list[str]:
    how = ("--suite", "demo", "--task", "questions,nli,sim-simlex-999", "--mode", "fixed", "--seeds", "1")
    more = ("--workers", "1", "--out", str(out), *more)
    return [sys.executable, "-m", "tasks", "evaluate", str(small_file()), *how, *more]


def hear_ctrl_c() -> None:
    """What a shell starts in the background ignores it, and its children with it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def scores(out: Path) -> list[tuple[Any, ...]]:
    stored = json.loads(out.read_text(encoding="utf-8"))
    reduction = "relative_error_reduction"
    kept = ("task", "mode", "score", "interval", "errors", reduction, f"{reduction}_interval")
    return [tuple(str(result[key]) for key in kept) for result in stored["results"]]


def test_an_interrupted_run_goes_on_and_gives_the_same_report(tmp_path: Path) -> None:
    whole, out = tmp_path / "whole.json", tmp_path / "report.json"
    subprocess.run(command(whole), cwd=ROOT, check=True, capture_output=True)
    assert not (tmp_path / "whole.json.cells").exists()
    process = subprocess.Popen(
        command(out), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=hear_ctrl_c
    )
    folder = tmp_path / "report.json.cells"
    deadline = time.monotonic() + 120
    while not list(folder.glob(WHOLE)) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert "--resume continues" in process.communicate()[1]
    assert process.returncode == 130
    assert not out.exists()
    finished = {path.name.rpartition(".")[0].rpartition(".")[0] for path in folder.glob(WHOLE)}
    resumed = subprocess.run(command(out, "--resume"), cwd=ROOT, check=True, capture_output=True, text=True)
    measured = {line.split(":")[0].replace(" ", ".") for line in resumed.stderr.splitlines() if ":" in line}
    assert finished
    assert not measured & {name.removesuffix(".word") for name in finished}
    assert scores(out) == scores(whole)
    assert not folder.exists()


def test_resuming_needs_to_know_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", str(small_file()), "--suite", "demo", "--resume"]) == 2
    assert "--resume needs the --out" in capsys.readouterr().err


def test_a_report_to_a_device_takes_nothings_place(capsys: pytest.CaptureFixture[str]) -> None:
    how = ("--suite", "demo", "--task", "sim-simlex-999", "--workers", "1", "--out", os.devnull)
    assert main(["evaluate", str(small_file()), *how]) == 0
    assert not Path(os.devnull).is_file()
    assert not Path(f"{os.devnull}.cells").exists()


OTHERS: dict[str, dict[str, Any]] = {
    "vectors": {"vectors": ["other"]},
    "seeds": {"seeds": 1},
    "device": {"environment": {"device": "cuda", "threads": 1}},
    "library": {"environment": {"device": "cpu", "threads": 1, "torch": "3"}},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_only_what_the_same_measurement_gave_is_taken(tmp_path: Path, store: DataStore, other: dict[str, Any]) -> None:
    def kept(vectors: Any = ("vectors",), seeds: Any = None, environment: Any = None) -> FinishedCells:
        how = environment or {"device": "cpu", "threads": 1}
        return FinishedCells(tmp_path / "cells", DEMO, store, vectors, seeds, how)

    results = made_report(0.5, 2).results
    cells = [(result.task, result.mode) for result in results]
    for result in results:
        kept().keep(result)
    again = kept().known(cells)
    assert again == list(results)
    for one, other_one in zip(again, results, strict=True):
        assert (one.outcomes is None) == (other_one.outcomes is None)
        if one.outcomes is not None and other_one.outcomes is not None:
            assert one.outcomes.values.tolist() == other_one.outcomes.values.tolist()
    assert kept(**other).known(cells) == []
    next((tmp_path / "cells").iterdir()).write_bytes(b"PK damaged")
    assert len(kept().known(cells)) == len(results) - 1
