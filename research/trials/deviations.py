"""Standard deviations over seeds of a published version: the limit for the next version's settings.

Taken from the dev scores of the entries that ship with it, as trials see dev scores only: a small dev set makes
seeds differ more than a large test set does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from benchmark.shipped.dump import dump_path
from research.board.entries import entries
from tasks.results import cell_key
from tasks.statistics.uncertainty import pooled
from tasks.suite import Suite

DIRECTORY = Path(__file__).resolve().parents[2] / "docs" / "trials"


def path_of(suite: Suite) -> Path:
    """The file that holds them."""
    return DIRECTORY / f"{suite.id}-{suite.version}.dev-sd.json"


def measured(suite: Suite) -> dict[str, float]:
    """Standard deviations of every trained cell of the shipped entries and the baseline, pooled within entries."""
    found: dict[str, float] = {}
    board = entries(suite, dump_path(suite))
    for task, mode in suite.cells():
        trained = [result.training for entry in board if (result := entry.result(task.id, mode)) and result.training]
        seeds = [training["seeds"] for training in trained]
        known = pooled("", ([seed["dev"][seed["best_epoch"] - 1] for seed in runs] for runs in seeds))
        if known is not None:
            found[cell_key(task.id, mode)] = round(known.variance**0.5, 6)
    return found


def write(suite: Suite) -> Path:
    """Store the deviations of :func:`measured`."""
    path = path_of(suite)
    path.write_text(json.dumps(measured(suite), indent=1) + "\n", encoding="utf-8")
    return path


def read(suite: Suite) -> Mapping[str, float]:
    """Stored deviations by :func:`tasks.results.cell_key`; empty for a suite without trials."""
    path = path_of(suite)
    known: Mapping[str, float] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return known
