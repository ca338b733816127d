"""The measurement of a GPU, tried without one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from research.performance import gpu


def test_without_a_gpu_it_says_so_and_measures_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert gpu.main(["--out", str(tmp_path / "gpu.json")]) == 2
    assert capsys.readouterr().out == "There is no GPU here that torch can use: nothing was measured.\n"
    assert not list(tmp_path.iterdir())


def test_a_trial_on_a_cpu_runs_every_part_that_needs_no_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gpu, "AT_ONCE", (2,))
    assert gpu.main(["--cpu", "--out", str(tmp_path / "gpu.json")]) == 0
    found = json.loads((tmp_path / "gpu.json").read_text())
    assert list(found) == ["device", "rates", "one_by_one", "at_once", "waits", "report"]
    cells = len(found["one_by_one"]["cells"])
    assert found["at_once"]["2"] | {"wall": 0} == {"wall": 0, "same bits": cells, "cells": cells}
