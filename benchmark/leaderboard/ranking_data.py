"""Ranking data of a report: a file of resamples and orders, the input of ranks and marks.

It is computed from per-example outcomes once the report is stored, and read for boards and paired tests. Predictions
are stored as dense ranks, which suffice for rank correlations over any subset of the pairs.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmark import evidence, storage
from benchmark.leaderboard.models import Entry
from tasks.results import CellResult
from tasks.statistics.bootstrap import RESAMPLES, Draws
from tasks.statistics.correlations import Order, dense_order


class Compared(NamedTuple):
    """An entry's predictions of one task, and the human scores of the same pairs."""

    predicted: Order
    gold: Order


class Pairs(NamedTuple):
    """Identity of a task's measured pairs: SHA-256 of the order of their human scores, and their number."""

    digest: str
    number: int


@dataclass(frozen=True)
class RankingData:
    """The content of a file.

    ``resamples`` has shape (resampled keys, RESAMPLES); ``predicted`` and ``gold`` hold the ranks of each task's pairs,
    concatenated in the order of ``compared``.
    """

    resampled: tuple[str, ...]
    resamples: NDArray[np.float32]
    compared: Mapping[str, Pairs]
    predicted: NDArray[np.uint16]
    gold: NDArray[np.uint16]

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Slices of ``predicted`` and ``gold`` by task."""
        found, start = {}, 0
        for key, pairs in self.compared.items():
            found[key] = slice(start, start + pairs.number)
            start += pairs.number
        return found


def orders_of(results: Iterable[CellResult]) -> dict[str, Compared]:
    """Orders of the results that can be compared between entries pair by pair, by column."""
    found = {}
    for result in results:
        outcomes = result.outcomes
        if outcomes is not None and {"predicted", "gold"} <= set(outcomes.columns):
            predicted, gold = outcomes.column("predicted"), outcomes.column("gold")
            found[result.task] = Compared(dense_order(predicted), dense_order(gold))
    return found


def save(entry: Entry, resamples: Mapping[str, Draws], orders: Mapping[str, Compared]) -> None:
    """Write an entry's file, then its key; no file is left if the entry has been deleted meanwhile."""
    resampled, compared = sorted(resamples), sorted(orders)
    pairs = {
        key: Pairs(hashlib.sha256(orders[key].gold.tobytes()).hexdigest(), len(orders[key].predicted))
        for key in compared
    }
    words = json.dumps({"resampled": resampled, "compared": pairs}).encode()
    key = f"ranking/{entry.submission_id[:2]}/{entry.submission_id}-{entry.report_id}.npz"
    none = np.zeros(0, dtype=np.uint16)
    evidence.save_arrays(
        key,
        words=np.frombuffer(words, dtype=np.uint8),
        resamples=np.stack([resamples[name] for name in resampled]) if resampled else np.zeros((0, RESAMPLES), "f4"),
        predicted=np.concatenate([none, *(orders[name].predicted for name in compared)]),
        gold=np.concatenate([none, *(orders[name].gold for name in compared)]),
    )
    if Entry.objects.filter(pk=entry.pk).update(ranking_key=key):
        entry.ranking_key = key
    else:
        storage.delete(key)


def load(key: str) -> RankingData:
    """Read a file.

    Raises
    ------
    FileNotFoundError
        the storage has lost it.
    """
    words, (resamples, predicted, gold) = _read(key, "resamples", "predicted", "gold")
    compared = {name: Pairs(*pairs) for name, pairs in words["compared"].items()}
    return RankingData(tuple(words["resampled"]), resamples, compared, predicted, gold)


def _read(key: str, *names: str) -> tuple[Any, list[NDArray[Any]]]:
    """A file's description and the named arrays."""
    with storage.opened(key) as stream:
        content = io.BytesIO(stream.read())
    with np.load(content, allow_pickle=False) as stored:
        return json.loads(stored["words"].tobytes()), [stored[name] for name in names]


def resamples_of(report_ids: Sequence[int]) -> dict[int, dict[str, Draws]]:
    """Resampled scores by report and column, without reports whose file does not exist yet."""
    keys = Entry.objects.filter(report_id__in=report_ids).exclude(ranking_key="")
    found = {}
    for report, key in keys.values_list("report_id", "ranking_key"):
        with suppress(FileNotFoundError):  # rewritten before the next board is computed
            words, (resamples,) = _read(key, "resamples")
            found[report] = dict(zip(words["resampled"], resamples, strict=True))
    return found
