"""What the overall mean rests on: positions without a task, and shares of its variance, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmark.leaderboard.overall import OVERALL, ranks_without_a_task, shares_of_variance
from benchmark.leaderboard.table import ReportRow, Table, table_of
from tasks.base import Task
from tasks.results import AGGREGATES, Mode, cell_key
from tasks.suites import SUITES

SUITE = SUITES["demo"]
CELLS = SUITE.cells_of_mean(AGGREGATES[OVERALL])


def table(*entries: dict[str, float], language: str = "en", unranked: int = 0) -> Table:
    """Entries by their error reduction in a task (both modes), 0 in all others; the last ones are not ranked."""
    rows = []
    for i, own in enumerate(entries):
        scores = {cell_key(task.id, mode): own.get(task.id, 0.0) for task, mode in CELLS}
        known = {key: value for key, value in scores.items() if not np.isnan(value)}
        full = {key: [value, None, None, None] for key, value in known.items()}
        if len(known) == len(scores):
            full[OVERALL] = [sum(known.values()) / len(known), None, None, None]
        rows.append(ReportRow(i, f"e{i}", language, full, {}))
    made = table_of(rows)
    rank = np.where(np.isnan(made.values(OVERALL)), 0, 1).astype(np.int32)[:, None]
    rank[len(entries) - unranked :] = 0
    return replace(made, ranked_keys=(OVERALL,), rank=rank, last=rank)


def ranges(made: Table, version: int = SUITE.version, language: str = "en") -> list[tuple[int, int]]:
    return [tuple(own) for own in ranks_without_a_task(made, SUITE, version, language).tolist()]


def test_an_entry_that_lives_on_one_task_falls_without_it() -> None:
    made = table({"pos": 0.9}, {"pos": 0.1, "chunk": 0.1}, {"ner": 0.15})
    # Sums without pos: 0, 0.1, 0.15; chunk: 0.9, 0.1, 0.15; ner: 0.9, 0.2, 0; any other: 0.9, 0.2, 0.15.
    assert ranges(made) == [(1, 3), (2, 3), (1, 3)]


def test_equal_means_share_the_best_position() -> None:
    assert ranges(table({"pos": 0.1}, {"pos": 0.1}, {"pos": 0.05})) == [(1, 1), (1, 1), (1, 3)]


def test_only_ranked_entries_of_the_language_count() -> None:
    made = table({"pos": 0.2}, {"pos": float("nan")}, {"pos": 0.1}, {"pos": 0.9}, unranked=1)
    assert ranges(made) == [(1, 1), (0, 0), (1, 2), (0, 0)]
    assert ranges(made, language="de") == [(0, 0)] * 4


def test_an_earlier_version_of_the_suite_has_no_ranges() -> None:
    assert ranges(table({"pos": 0.2}, {"pos": 0.1}), SUITE.version - 1) == [(0, 0), (0, 0)]


def test_ranges_are_computed_once_for_a_table() -> None:
    made = table({"pos": 0.2}, {"pos": 0.1})
    first = ranks_without_a_task(made, SUITE, SUITE.version, "en")
    assert ranks_without_a_task(made, SUITE, SUITE.version, "en") is first


def shares(made: Table, without: set[str] = frozenset()) -> dict[tuple[Task, Mode], float]:
    return {(task.id, mode): share for task, mode, share in shares_of_variance(made, SUITE, "en", without)}


def test_the_shares_of_the_variance_add_up_and_are_ordered() -> None:
    generator = np.random.default_rng(3)
    found = shares(table(*({task.id: float(generator.normal()) for task, _ in CELLS} for _ in range(9))))
    assert sum(found.values()) == pytest.approx(1)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert len(found) == len(CELLS)


def test_a_task_that_alone_varies_carries_all_the_variance() -> None:
    found = shares(table(*({"pos": 0.1 * i} for i in range(5))))
    assert found["pos", "fixed"] == pytest.approx(0.5)
    assert found["pos", "fine-tuned"] == pytest.approx(0.5)
    assert found["ner", "fixed"] == 0


def test_controls_do_not_count() -> None:
    made = table(*({"pos": 0.1 * i} for i in range(5)), {"ner": -9.0})
    assert shares(made)["ner", "fixed"] > 0.4
    assert shares(made, {"e5"})["ner", "fixed"] == 0


def test_there_are_no_shares_of_fewer_than_five_or_of_equal_entries() -> None:
    assert shares(table(*({"pos": 0.1 * i} for i in range(4)))) == {}
    assert shares(table(*({"pos": 0.1} for _ in range(6)))) == {}
