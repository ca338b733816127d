"""The suite that this site measures with, and the arrival of its data sets and packages: the notice on pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import Http404

from tasks.base import Task
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import Arrival, DataStore, arrival_in
from tasks.suite import Suite
from tasks.suites import SUITES

DEMO = "demo"
INSTALLATION = "installation"
"""File in ``VECBOARD_VAR`` that is there while packages are installed which workers need and pages don't."""


def current_suite() -> Suite:
    """The site's own suite, by the setting ``VECBOARD_SUITE``."""
    suite = SUITES.get(settings.VECBOARD_SUITE)
    if suite is None:
        raise ImproperlyConfigured(
            f"VECBOARD_SUITE is {settings.VECBOARD_SUITE!r}, which is not a suite; choose one of {', '.join(SUITES)}."
        )
    return suite


def task_title(suite_id: str, task_id: str) -> str:
    """Title of a task; its id if the site no longer has the suite, or the suite the task."""
    suite = SUITES.get(suite_id)
    return suite.title_of(task_id) if suite else task_id


def suite_or_404(suite_id: str | None) -> Suite:
    """The suite with this id, or the site's own if none is given; 404 for an unknown id."""
    if not suite_id:
        return current_suite()
    suite = SUITES.get(suite_id)
    if suite is None:
        raise Http404(f"There is no suite {suite_id!r}.")
    return suite


def arrival() -> Arrival | None:
    """Progress of the download of data sets; None without one."""
    return arrival_in(DataStore.default().data_dir)


def installation() -> str:
    """State of the workers' packages: "running" or "failed"; empty once all are here."""
    try:
        return (settings.VECBOARD_VAR / INSTALLATION).read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""


def missing_data(suite: Suite, task: Task) -> list[str]:
    """Ids of a task's data sets that are missing."""
    store = DataStore.default()
    return [name for name in suite.data_of(task) if not store.status(name).available]


def arrived_at(suite: Suite, task: Task) -> datetime | None:
    """Arrival time of a task's last data set; None if one is missing."""
    moments = [DataStore.default().arrived_at(name) for name in suite.data_of(task)]
    arrived = [moment for moment in moments if moment is not None]
    return datetime.fromtimestamp(max(arrived, default=0.0), UTC) if len(arrived) == len(moments) else None


def waits_for_data(suite: Suite, task: Task, now: Arrival | None) -> bool:
    """Whether a cell should wait for a data set that is being fetched."""
    return now is not None and any(now.is_coming(name) for name in missing_data(suite, task))


def suite_for_new_files() -> Suite:
    """The site's suite; ``demo`` while its data is missing and the network is unreachable.

    A suite that the operator has chosen is always used.
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
    """A missing data set, as pages show it."""

    title: str
    reason: str
    next_try: datetime | None


@dataclass(frozen=True)
class DataNotice:
    """Notice about missing data and packages.

    Parameters
    ----------
    megabytes : downloaded and total megabytes; empty if no data set is being fetched.
    is_downloaded : whether all bytes have arrived, and files are being built from them.
    late : data sets whose last try failed.
    cut_off : whether new files are measured with ``demo``, because the network is unreachable or forbidden.
    is_forbidden : whether the operator has forbidden downloads.
    installation : :func:`installation`.
    """

    megabytes: str
    is_downloaded: bool
    late: tuple[LateSet, ...]
    cut_off: bool
    is_forbidden: bool
    installation: str

    @property
    def is_missing(self) -> bool:
        """Whether a data set is missing; otherwise, packages are."""
        return bool(self.megabytes or self.late or self.cut_off)


def notice() -> DataNotice | None:
    """The notice about missing data and packages; None if none is missing."""
    now, cut_off, installing = arrival(), _is_cut_off(current_suite()), installation()
    if not cut_off and not installing and (now is None or not now.missing):
        return None
    missing = now.missing if now is not None else {}
    late = tuple(
        LateSet(REGISTRY[name].title, gap.reason, datetime.fromtimestamp(gap.next_try, UTC) if gap.next_try else None)
        for name, gap in missing.items()
        if gap.reason and name in REGISTRY
    )
    is_coming = now is not None and any(gap.is_coming for gap in missing.values())
    is_forbidden = DataStore.default().offline
    if now is None or not is_coming:
        return DataNotice("", False, late, cut_off, is_forbidden, installing)
    return DataNotice(now.megabytes, now.arrived >= now.total, late, cut_off, is_forbidden, installing)
