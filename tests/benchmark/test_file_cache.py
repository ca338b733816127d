"""Processes and threads share a folder of counters, and no count is lost."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import time_machine

from benchmark.caches import LOCKS, MOST_LOCKS, JsonFileCache

PROCESSES, THREADS, TIMES = 2, 2, 100


def count_up(folder: Path, _: int) -> int:
    """Number of keys that this process added first; every process counts every time."""
    kept_here = JsonFileCache(str(folder), {})

    def count(_: int) -> int:
        firsts = 0
        for nth in range(TIMES):
            firsts += kept_here.add(f"first-{nth}", 1, 600)
            kept_here.add("count", 0, 600)
            kept_here.incr("count")
            kept_here.touch("count", 600)
        return firsts

    with ThreadPoolExecutor(THREADS) as threads:
        return sum(threads.map(count, range(THREADS)))


def test_several_processes_count_together_and_one_is_the_first(tmp_path: Path) -> None:
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(PROCESSES, mp_context=spawned) as processes:
        firsts = sum(processes.map(partial(count_up, tmp_path), range(PROCESSES)))
    kept_here = JsonFileCache(str(tmp_path), {})
    assert (kept_here.get("count"), firsts) == (PROCESSES * THREADS * TIMES, TIMES)


def test_a_count_expires_when_it_would_have(tmp_path: Path, stopped_clock: time_machine.Traveller) -> None:
    kept_here = JsonFileCache(str(tmp_path), {})
    kept_here.set("count", 0, 60)
    kept_here.set("kept", 0, None)
    assert [kept_here.incr("count"), kept_here.incr("kept")] == [1, 1]
    stopped_clock.shift(61)
    assert [kept_here.get("count"), kept_here.get("kept")] == [None, 1]


def test_locks_are_few_and_stay_when_the_folder_is_emptied(tmp_path: Path) -> None:
    kept_here = JsonFileCache(str(tmp_path), {"OPTIONS": {"MAX_ENTRIES": 30}})
    for nth in range(200):
        kept_here.set(f"key-{nth}", nth)
    kept_here.clear()
    assert [path.name for path in tmp_path.iterdir()] == [LOCKS]
    assert len(list((tmp_path / LOCKS).iterdir())) <= MOST_LOCKS
