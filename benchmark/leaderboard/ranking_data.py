"""Ranking data of a report: a file of resamples, influence values and orders, the input of ranks and marks.

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
from tasks.statistics.bootstrap import RESAMPLES, Draws
from tasks.statistics.correlations import Order, dense_order
from tasks.statistics.shared_units import Influence, SharedUnits
from tasks.statistics.uncertainty import Spread

Kind = TypeVar("Kind", bound=np.generic)


class Compared(NamedTuple):
    """An entry's predictions of one task, the human scores of the same pairs, and their words."""

    predicted: Order
    gold: Order
    units: SharedUnits


class ExampleSet(NamedTuple):
    """Identity of a task's measured examples: SHA-256 of their units (and human scores), and their number."""

    digest: str
    number: int

    @classmethod
    def of(cls, units: SharedUnits, *values: NDArray[np.generic]) -> ExampleSet:
        digest = hashlib.sha256()
        for array in (units.first, units.second, *values):
            digest.update(np.ascontiguousarray(array).tobytes())
        return cls(digest.hexdigest(), len(units))


@dataclass(frozen=True)
class RankingData:
    """The content of a file, by column: resamples, shape (RESAMPLES,), influence values and predictions."""

    resamples: Mapping[str, Draws]
    influences: Mapping[str, Influence]
    orders: Mapping[str, Compared]

    def spread(self, key: str) -> Spread | None:
        """Spread of a column; None if the report has no resamples of it."""
        draws = self.resamples.get(key)
        return None if draws is None else Spread(draws, draws, influence=self.influences.get(key))


def orders_of(results: Iterable[CellResult]) -> dict[str, Compared]:
    """Orders of the results that can be compared between entries pair by pair, by column."""
    found = {}
    for result in results:
        outcomes = result.outcomes
        if outcomes is not None and {"predicted", "gold"} <= set(outcomes.columns):
            predicted, gold = outcomes.column("predicted"), outcomes.column("gold")
            found[result.task] = Compared(dense_order(predicted), dense_order(gold), SharedUnits.of(outcomes))
    return found


def save(
    entry: Entry,
    resamples: Mapping[str, Draws],
    orders: Mapping[str, Compared],
    influences: Mapping[str, Influence] | None = None,
) -> None:
    """Write an entry's file, then its key; no file is left if the entry has been deleted meanwhile."""
    resampled, compared = sorted(resamples), sorted(orders)
    effects = dict(sorted((influences or {}).items()))
    words = {
        "resampled": resampled,
        "compared": {key: len(orders[key].units) for key in compared},
        "effects": {key: [len(one.units), one.own, one.shared] for key, one in effects.items()},
    }
    shared = [*(orders[key].units for key in compared), *(one.units for one in effects.values())]
    units = np.concatenate([np.zeros((2, 0), "i8"), *([one.first, one.second] for one in shared)], axis=1)
    key = f"ranking/{entry.submission_id[:2]}/{entry.submission_id}-{entry.report_id}.npz"
    none = np.zeros(0, dtype=np.uint16)
    evidence.save_arrays(
        key,
        words=np.frombuffer(json.dumps(words).encode(), dtype=np.uint8),
        resamples=np.stack([resamples[name] for name in resampled]) if resampled else np.zeros((0, RESAMPLES), "f4"),
        predicted=np.concatenate([none, *(orders[name].predicted for name in compared)]),
        gold=np.concatenate([none, *(orders[name].gold for name in compared)]),
        influence=np.concatenate([np.zeros(0, "f4"), *(one.values for one in effects.values())]),
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
        the storage has lost it, or other bytes are there now.
    """
    stored = evidence.load_arrays(key)
    words = json.loads(stored["words"].tobytes())
    resamples = dict(zip(words["resampled"], stored["resamples"], strict=True))
    predicted, gold = (stored[name].astype(np.uint16, copy=False) for name in ("predicted", "gold"))
    influence = stored["influence"].astype(np.float32, copy=False)
    shared = _cut(
        stored["units"].astype(np.int64), [*words["compared"].values(), *(n for n, *_ in words["effects"].values())]
    )
    orders = {
        key: Compared(own, people, SharedUnits(*next(shared)))
        for key, own, people in zip(
            words["compared"],
            _cut(predicted, words["compared"].values()),
            _cut(gold, words["compared"].values()),
            strict=True,
        )
    }
    sizes = [n for n, *_ in words["effects"].values()]
    influences = {
        key: Influence(values, SharedUnits(*next(shared)), own, common)
        for (key, (_, own, common)), values in zip(words["effects"].items(), _cut(influence, sizes), strict=True)
    }
    return RankingData(resamples, influences, orders)


def _cut(values: NDArray[Kind], sizes: Iterable[int]) -> Iterator[NDArray[Kind]]:
    """Parts of these sizes along the last axis, in order."""
    start = 0
    for size in sizes:
        yield values[..., start : start + size]
        start += size


def ranking_data_of(report_ids: Sequence[int]) -> dict[int, RankingData]:
    """Ranking data by report, without reports whose file does not exist yet or is damaged."""
    keys = Entry.objects.filter(report_id__in=report_ids).exclude(ranking_key="")
    found = {}
    for report, key in keys.values_list("report_id", "ranking_key"):
        with suppress(FileNotFoundError, Damaged):  # rewritten before the next board is computed
            found[report] = load(key)
    return found
