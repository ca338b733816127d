"""Resamples and orders of a report: the file that its ranks and marks are computed from.

It is made from the per-example outcomes when the report lands, and read when a board is computed and for paired tests.
Predictions are stored as places among distinct values: a rank correlation needs no more, on any of the pairs.
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
    """Which pairs a task was measured on: SHA-256 of the order of their human scores, and their number."""

    digest: str
    number: int


@dataclass(frozen=True)
class RankingData:
    """The content of a file.

    ``resamples`` has shape (resampled keys, RESAMPLES); ``predicted`` and ``gold`` hold the places of one task's pairs
    after another's, in the order of ``compared``.
    """

    resampled: tuple[str, ...]
    resamples: NDArray[np.float32]
    compared: Mapping[str, Pairs]
    predicted: NDArray[np.uint16]
    gold: NDArray[np.uint16]

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where the pairs of each task are in ``predicted`` and ``gold``."""
        found, start = {}, 0
        for key, pairs in self.compared.items():
            found[key] = slice(start, start + pairs.number)
            start += pairs.number
        return found


def orders_of(results: Iterable[CellResult]) -> dict[str, Compared]:
    """The orders of those results that can be compared with others' pair by pair, by column."""
    found = {}
    for result in results:
        outcomes = result.outcomes
        if outcomes is not None and {"predicted", "gold"} <= set(outcomes.columns):
            predicted, gold = outcomes.column("predicted"), outcomes.column("gold")
            found[result.task] = Compared(dense_order(predicted), dense_order(gold))
    return found


def save(entry: Entry, resamples: Mapping[str, Draws], orders: Mapping[str, Compared]) -> None:
    """Write an entry's file, then its key. An entry that was deleted meanwhile leaves none."""
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
    """The names of columns, and some of a file's arrays."""
    with storage.opened(key) as stream:
        content = io.BytesIO(stream.read())
    with np.load(content, allow_pickle=False) as stored:
        return json.loads(stored["words"].tobytes()), [stored[name] for name in names]


def resamples_of(report_ids: Sequence[int]) -> dict[int, dict[str, Draws]]:
    """Resampled scores by report and column; none for reports whose file is not written yet."""
    keys = Entry.objects.filter(report_id__in=report_ids).exclude(ranking_key="")
    found = {}
    for report, key in keys.values_list("report_id", "ranking_key"):
        with suppress(FileNotFoundError):  # the worker that computes the next board makes it again
            words, (resamples,) = _read(key, "resamples")
            found[report] = dict(zip(words["resampled"], resamples, strict=True))
    return found
