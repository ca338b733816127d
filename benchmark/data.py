"""The data sets while they arrive: which cells wait for them, what new files are measured with, and what pages say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings

from benchmark.suites import current_suite
from tasks.base import Task
from tasks.datasets.arrival import Arrival, arrival_in
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.suite import Suite
from tasks.suites import SUITES

DEMO = "demo"


def arrival() -> Arrival | None:
    """How far the data sets have arrived; None if nobody fetches any."""
    return arrival_in(DataStore.default().data_dir)


def missing_data(suite: Suite, task: Task) -> list[str]:
    """Ids of the data sets that a task reads and that are not here."""
    store = DataStore.default()
    return [name for name in suite.data_of(task) if not store.status(name).available]


def arrived_at(suite: Suite, task: Task) -> datetime | None:
    """When the last data set that a task reads came to this machine; None if one is missing."""
    found = [DataStore.default().arrived_at(name) for name in suite.data_of(task)]
    known = [moment for moment in found if moment is not None]
    return datetime.fromtimestamp(max(known, default=0.0), UTC) if len(known) == len(found) else None


def waits_for_data(suite: Suite, task: Task, now: Arrival | None) -> bool:
    """Whether a cell should wait, because a data set of its task is missing and will come."""
    return now is not None and any(now.is_coming(name) for name in missing_data(suite, task))


def suite_for_new_files() -> Suite:
    """The site's suite; ``demo`` while its data is missing and the network cannot be reached at all.

    An operator who has chosen a suite gets that one.
    """
    suite = current_suite()
    return SUITES[DEMO] if _is_cut_off(suite) else suite


def _is_cut_off(suite: Suite) -> bool:
    if settings.VECBOARD_SUITE_IS_CHOSEN or not suite.comparable:
        return False
    store, now = DataStore.default(), arrival()
    if not store.offline and (now is None or now.reachable is not False):
        return False
    needed = {task.dataset for task, _ in suite.cells_of_mean(("fixed", "fine-tuned")) if task.dataset}
    return any(not store.status(name).available for name in needed)


@dataclass(frozen=True)
class LateSet:
    """A data set that has not arrived, for people."""

    title: str
    reason: str
    next_try: datetime | None


@dataclass(frozen=True)
class DataNotice:
    """What pages say while data is missing.

    Parameters
    ----------
    megabytes : that have arrived, of how many; empty if nothing more is worth waiting for.
    is_downloaded : the bytes are all here, and files are still made from them.
    late : sets whose last try failed.
    cut_off : new files are measured with ``demo``, as the network cannot be reached or must not be used.
    is_forbidden : the operator has forbidden downloads.
    """

    megabytes: str
    is_downloaded: bool
    late: tuple[LateSet, ...]
    cut_off: bool
    is_forbidden: bool


def notice() -> DataNotice | None:
    """What is to be said about missing data; None if there is nothing."""
    now, cut_off = arrival(), _is_cut_off(current_suite())
    if not cut_off and (now is None or not now.missing):
        return None
    missing = now.missing if now is not None else {}
    late = tuple(
        LateSet(REGISTRY[name].title, one.reason, datetime.fromtimestamp(one.next_try, UTC) if one.next_try else None)
        for name, one in missing.items()
        if one.reason and name in REGISTRY
    )
    is_coming = now is not None and any(one.is_coming for one in missing.values())
    if now is None or not is_coming:
        return DataNotice("", False, late, cut_off, DataStore.default().offline)
    return DataNotice(now.megabytes, now.arrived >= now.total, late, cut_off, DataStore.default().offline)
