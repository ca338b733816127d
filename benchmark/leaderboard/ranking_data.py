"""Ranking data of a report: a file of figures with their effects, and of orders, the input of ranks and marks.

It is computed from per-example outcomes once the report is stored, and read for boards and paired tests. Predictions
are stored as dense ranks, which suffice for rank correlations over any subset of the pairs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmark import evidence, storage
from benchmark.leaderboard.models import Entry
from tasks.files import Damaged
from tasks.results import CellResult
from tasks.statistics.correlations import Order, dense_order
from tasks.statistics.effects import Effects, FigureEstimate, SharedUnits, units_of

FORM = 2
"""Version of the files' content: 2 has means against the baseline of as many dimensions, and as used."""
Kind = TypeVar("Kind", bound=np.generic)


class Compared(NamedTuple):
    """An entry's predictions of one task, the human scores of the same pairs, and their words."""

    predicted: Order
    gold: Order
    units: SharedUnits


class ExampleSet(NamedTuple):
    """Identity of a task's measured pairs: SHA-256 of their words and human scores, and their number."""

    digest: str
    number: int

    @classmethod
    def of(cls, units: SharedUnits, gold: Order) -> ExampleSet:
        digest = hashlib.sha256(units.digest.encode() + gold.tobytes())
        return cls(digest.hexdigest(), len(units))


@dataclass(frozen=True)
class RankingData:
    """The content of a file, by column: figures with their effects, and predictions."""

    figures: Mapping[str, FigureEstimate]
    orders: Mapping[str, Compared]


def orders_of(results: Iterable[CellResult]) -> dict[str, Compared]:
    """Orders of the results that can be compared between entries pair by pair, by column."""
    orders = {}
    for result in results:
        outcomes = result.outcomes
        if outcomes is not None and {"predicted", "gold"} <= set(outcomes.columns):
            predicted, gold = outcomes.column("predicted"), outcomes.column("gold")
            orders[result.task] = Compared(dense_order(predicted), dense_order(gold), units_of(outcomes))
    return orders


def save(entry: Entry, figures: Mapping[str, FigureEstimate], orders: Mapping[str, Compared]) -> None:
    """Write an entry's file, then its key; no file is left if the entry has been deleted meanwhile."""
    compared = sorted(orders)
    tests = {name: effects.units for figure in figures.values() for name, effects in figure.examples.items()}
    shared = [name for name, units in tests.items() if not units.disjoint]
    words = {
        "form": FORM,
        "compared": {key: len(orders[key].units) for key in compared},
        "tests": {name: len(units) for name, units in tests.items()},
        "shared": shared,
        "figures": {
            key: {
                "value": figure.value,
                "is_log": figure.is_log,
                "seeds": figure.seeds,
                "effective": {name: effects.effective for name, effects in figure.examples.items()},
            }
            for key, figure in figures.items()
        },
    }
    stored_units = [*(orders[key].units for key in compared), *(tests[name] for name in shared)]
    units = np.concatenate([np.zeros((2, 0), "i8"), *([pair.first, pair.second] for pair in stored_units)], axis=1)
    key = f"ranking/{entry.submission_id[:2]}/{entry.submission_id}-{entry.report_id}.npz"
    none = np.zeros(0, dtype=np.uint16)
    effects = [effects.values for figure in figures.values() for effects in figure.examples.values()]
    evidence.save_arrays(
        key,
        words=np.frombuffer(json.dumps(words).encode(), dtype=np.uint8),
        predicted=np.concatenate([none, *(orders[name].predicted for name in compared)]),
        gold=np.concatenate([none, *(orders[name].gold for name in compared)]),
        effects=np.concatenate([np.zeros(0, "f4"), *effects]),
        units=units.astype(np.min_scalar_type(int(units.max(initial=0)))),
    )
    if Entry.objects.filter(pk=entry.pk).update(ranking_key=key):
        entry.ranking_key = key
    else:
        storage.delete(key)


def load(key: str) -> RankingData:
    """Read a file.

    Raises
    ------
    FileNotFoundError, Damaged
        the storage has lost it, other bytes are there now, or an earlier version wrote it.
    """
    stored = evidence.load_arrays(key)
    words = json.loads(stored["words"].tobytes())
    if words.get("form") != FORM:
        raise Damaged(f"{key} has the form of an earlier version")
    tests, compared, figures = words["tests"], words["compared"], words["figures"]
    predicted, gold = (stored[name].astype(np.uint16, copy=False) for name in ("predicted", "gold"))
    sizes = [*compared.values(), *(tests[name] for name in words["shared"])]
    stored_units = (SharedUnits(*part) for part in _cut(stored["units"].astype(np.int64), sizes))
    orders = {
        key: Compared(predictions, people, next(stored_units))
        for key, predictions, people in zip(
            compared, _cut(predicted, compared.values()), _cut(gold, compared.values()), strict=True
        )
    }
    units = {name: SharedUnits(*[np.arange(n)] * 2) for name, n in tests.items()}
    units |= dict(zip(words["shared"], stored_units, strict=True))
    sizes = [tests[name] for figure in figures.values() for name in figure["effective"]]
    effects = _cut(stored["effects"].astype(np.float32, copy=False), sizes)
    return RankingData(
        {
            key: FigureEstimate(
                figure["value"],
                {name: Effects(next(effects), units[name], of_test) for name, of_test in figure["effective"].items()},
                figure["seeds"],
                figure["is_log"],
            )
            for key, figure in figures.items()
        },
        orders,
    )


def _cut(values: NDArray[Kind], sizes: Iterable[int]) -> Iterator[NDArray[Kind]]:
    """Parts of these sizes along the last axis, in order."""
    start = 0
    for size in sizes:
        yield values[..., start : start + size]
        start += size


def ranking_data_of(report_ids: Sequence[int]) -> dict[int, RankingData]:
    """Ranking data by report, without reports whose file does not exist yet or is damaged."""
    keys = Entry.objects.filter(report_id__in=report_ids).exclude(ranking_key="")
    by_report = {}
    for report, key in keys.values_list("report_id", "ranking_key"):
        with suppress(FileNotFoundError, Damaged):  # rewritten before the next board is computed
            by_report[report] = load(key)
    return by_report
