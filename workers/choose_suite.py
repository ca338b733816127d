"""Choose a site's suite: the real one if its data is present, else the demo."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import requests

from tasks.datasets.recipes import urls_of
from tasks.datasets.registry import REGISTRY
from tasks.datasets.store import DataStore
from tasks.errors import DataUnavailable
from tasks.suite import Suite
from tasks.suites import DEFAULT, SUITES

PROBE_SECONDS = 5.0
Say = Callable[[str], None]


@dataclass(frozen=True)
class ChosenSuite:
    """A suite id and the reason, part of a sentence; ``is_second_best`` if the one for real numbers cannot be used."""

    suite: str
    why: str
    is_second_best: bool = False


def choose(wanted: str | None, store: DataStore, say: Say) -> ChosenSuite:
    """The suite of ``VECBOARD_SUITE``, else ``open-2026`` if its data is present or can be fetched, else ``demo``.

    Parameters
    ----------
    wanted : value of ``VECBOARD_SUITE``; empty or None: not set.
    say : called before every step that takes time.

    Raises
    ------
    ValueError
        ``wanted`` is not a suite.
    """
    if wanted:
        if wanted not in SUITES:
            raise ValueError(f"VECBOARD_SUITE is {wanted!r}; it can be one of {', '.join(SUITES)}.")
        return ChosenSuite(wanted, "VECBOARD_SUITE says so")
    suite = SUITES[DEFAULT]
    missing = missing_sets(suite, store, extrinsic=True)
    if not missing:
        return ChosenSuite(suite.id, "all its data is there")
    beside = [id for id in missing_sets(suite, store, extrinsic=False) if store.can_fetch(id)]
    trouble = _fetch([*missing, *beside], store, say)
    if trouble is None:
        return ChosenSuite(suite.id, f"its data was fetched ({', '.join(missing)})")
    return ChosenSuite("demo", f"{suite.id} lacks {', '.join(missing)}, and {trouble}", is_second_best=True)


def missing_sets(suite: Suite, store: DataStore, *, extrinsic: bool) -> list[str]:
    """Missing data sets: of the tasks in the suite's means, or of word tasks, where only those tasks have no score."""
    needed = dict.fromkeys(task.dataset for task in suite.tasks if task.extrinsic == extrinsic)
    return [id for id in needed if id is not None and not store.status(id).available]


def _fetch(missing: list[str], store: DataStore, say: Say) -> str | None:
    """Fetch the missing sets; None, or the reason for failure."""
    if store.offline:
        return "VECBOARD_OFFLINE forbids the network"
    blocked = [id for id in missing if not store.can_fetch(id)]
    if blocked:
        return f"{', '.join(blocked)} cannot be fetched without a licence"
    url = urls_of(REGISTRY[missing[0]].read_files[0].recipe)[0]
    say(f"Looking for the network ({url.split('/')[2]}, at most {PROBE_SECONDS:.0f} seconds).")
    if not reachable(url):
        return "its source cannot be reached from here"
    try:
        for id in missing:
            say(f"Fetching {REGISTRY[id].title}.")
            store.fetch(id, progress=True)
    except DataUnavailable as error:
        return f"fetching failed: {error.reason}"
    return None


def reachable(url: str) -> bool:
    """Whether a URL answers in time. Uses a thread, as a DNS look-up on a dead network ignores time limits."""
    answers: list[bool] = []

    def ask() -> None:
        try:
            requests.head(url, timeout=PROBE_SECONDS, allow_redirects=False)
            answers.append(True)
        except requests.RequestException:
            answers.append(False)

    probe = threading.Thread(target=ask, daemon=True)
    probe.start()
    probe.join(PROBE_SECONDS)
    return bool(answers and answers[0])
