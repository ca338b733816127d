"""Doing the study: every cell that is missing, then every comparison that is missing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import combinations

from tasks.datasets import DataStore
from tasks.political.human import published_lists
from tasks.political.study.grid import Setting, settings
from tasks.political.study.measure import Cues, Say, averaged, compare_settings, measure, study_cues
from tasks.political.study.store import Results


def run_study(
    results: Results,
    store: DataStore,
    say: Say,
    *,
    wanted: Sequence[Setting] | None = None,
    minutes: float | None = None,
) -> bool:
    """Go on with the study; what was done before is not done again.

    Parameters
    ----------
    wanted : only these settings; None: all.
    minutes : begin no cell after so long.

    Returns
    -------
    bool
        nothing is missing any more.
    """
    began = time.monotonic()
    cues, lists = study_cues(results, store), published_lists(store)
    chosen = list(wanted) if wanted is not None else settings()
    for setting in chosen:
        if results.cell(setting) is not None:
            continue
        if minutes is not None and time.monotonic() - began > 60 * minutes:
            say("The time is over; the next call goes on from here.")
            break
        measure(setting, results, store, cues, lists, say)
    compare_all(results, cues, say)
    return all(results.cell(setting) is not None for setting in settings())


def compare_all(results: Results, cues: Cues, say: Say) -> None:
    """Every pair of settings that are done; the runs' similarities are needed for a pair that is not compared yet."""
    found = results.read("pairs") or {}
    done = [setting for setting in settings() if results.cell(setting) is not None]
    missing = [pair for pair in combinations(done, 2) if key(*pair) not in found]
    if not missing:
        return
    similarities = {setting.id: averaged(setting, results) for setting in done}
    for left, right in missing:
        a, b = similarities[left.id], similarities[right.id]
        if a is None or b is None:
            say(f"{left.id} and {right.id} were not compared: the runs of one are not on this machine.")
            continue
        found[key(left, right)] = compare_settings(a, b, cues)
    results.write("pairs", dict(sorted(found.items())))


def key(left: Setting, right: Setting) -> str:
    """Name of a pair in ``pairs.json``, the same either way round."""
    return " | ".join(sorted((left.id, right.id)))
