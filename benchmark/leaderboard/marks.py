"""Which entry correlates best with people on a task, and which do not differ from it (docs/protocol.md §4.6).

An entry's predictions are kept as places among distinct values: a rank correlation needs no more, on any of the pairs.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmark.leaderboard.models import Entry, EntryOrders, GoldOrder
from benchmark.leaderboard.table import BEST, EQUAL, Table
from tasks.results import TaskResult
from tasks.statistics.correlations import Order, best_and_equals, dense_order

_MOST_BYTES = 256 * 1024 * 1024


class Compared(NamedTuple):
    """An entry's predictions of one task, and what people say of the same pairs."""

    predicted: Order
    gold: Order


def orders_of(results: Iterable[TaskResult]) -> dict[str, Compared]:
    """Of an entry's results those that can be compared with others' pair by pair, by column."""
    found = {}
    for result in results:
        outcomes = result.outcomes
        if outcomes is not None and {"predicted", "gold"} <= set(outcomes.columns):
            predicted, gold = outcomes.column("predicted"), outcomes.column("gold")
            found[result.task] = Compared(dense_order(predicted), dense_order(gold))
    return found


def keep_orders(entry: Entry, orders: dict[str, Compared]) -> None:
    """Keep an entry's orders; an entry without any is kept as having none."""
    keys = {}
    for key in sorted(orders):
        gold = orders[key].gold.tobytes()
        digest = hashlib.sha256(gold).hexdigest()
        GoldOrder.objects.get_or_create(digest=digest, defaults={"values": gold})
        keys[key] = [digest, len(orders[key].predicted)]
    values = b"".join(orders[key].predicted.tobytes() for key in keys)
    EntryOrders.objects.update_or_create(entry=entry, defaults={"keys": keys, "values": values})


def marks_of(table: Table, suite: str, version: int, wanted: set[int]) -> tuple[tuple[str, ...], NDArray[np.int8]]:
    """Marked columns, and the marks of every row, shape (entries, columns).

    Compared are the entries to be ranked (``wanted``, by report) that were measured on the same pairs; where a data set
    has changed, those on the pairs that most of them have. One entry alone is not marked.
    """
    stored = EntryOrders.objects.filter(entry__report_id__in=Entry.objects.of(suite, version).values("report_id"))
    rows = stored.values_list("entry__report_id", "keys", "values")
    golds: dict[str, Counter[tuple[str, int]]] = {}
    for report, keys in stored.values_list("entry__report_id", "keys"):
        if report in wanted:
            for key, (digest, pairs) in keys.items():
                golds.setdefault(key, Counter())[digest, pairs] += 1
    usual = {key: counts.most_common(1)[0][0] for key, counts in sorted(golds.items()) if counts.total() > 1}
    found = []
    for some in _at_a_time(usual, len(table.reports)):
        predicted = {key: np.zeros((len(table.reports), usual[key][1]), dtype=np.uint16) for key in some}
        for report, keys, values in rows.iterator(chunk_size=200):
            if report in wanted and report in table.row_of:
                _put(predicted, usual, table.row_of[report], keys, values)
        found += [_marked(predicted.pop(key), usual[key][0]) for key in some]
    none = np.zeros((len(table.reports), 0), dtype=np.int8)
    return tuple(usual), np.stack(found, axis=1) if found else none


def _at_a_time(usual: dict[str, tuple[str, int]], entries: int) -> Iterable[list[str]]:
    """As many columns together as fit into the memory that this may take."""
    some: list[str] = []
    for key in usual:
        if some and sum(usual[k][1] for k in [*some, key]) * entries * 2 > _MOST_BYTES:
            yield some
            some = []
        some.append(key)
    if some:
        yield some


def _put(predicted: dict[str, Any], usual: dict[str, tuple[str, int]], row: int, keys: Any, values: Any) -> None:
    """One entry's orders into the rows of their columns."""
    numbers, start = np.frombuffer(values, dtype=np.uint16), 0
    for key, (digest, pairs) in sorted(keys.items()):
        if key in predicted and usual[key] == (digest, pairs):
            predicted[key][row] = numbers[start : start + pairs]
        start += pairs


def _marked(predicted: NDArray[np.uint16], digest: str) -> NDArray[np.int8]:
    marks = np.zeros(len(predicted), dtype=np.int8)
    gold = np.frombuffer(bytes(GoldOrder.objects.get(digest=digest).values), dtype=np.uint16)
    found = best_and_equals(predicted, gold)
    if found is not None and (predicted > 0).any(axis=1).sum() > 1:
        marks[found.equals], marks[found.best] = EQUAL, BEST
    return marks
