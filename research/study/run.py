"""Run the study: every missing cell, then every missing comparison."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import combinations

from research.study.grid import Job, Setting, settings
from research.study.measure import Cues, Say, Trainer, averaged, compare_settings, study_cues, summarise
from research.study.store import Results
from tasks.datasets.store import DataStore
from tasks.local_training.train import train_side_by_side
from tasks.political.human import published_lists


def run_study(
    results: Results,
    store: DataStore,
    say: Say,
    *,
    wanted: Sequence[Setting] | None = None,
    minutes: float | None = None,
    processes: int = 1,
    threads: int = 1,
) -> bool:
    """Run or resume the study; finished work is not repeated.

    Parameters
    ----------
    wanted : only these settings; None: all.
    minutes : begin no run after so long.
    processes : runs that are trained at a time.
    threads : of each.

    Returns
    -------
    bool
        nothing is missing any more.
    """
    cues, lists = study_cues(results, store), published_lists(store)
    wanted = settings() if wanted is None else wanted
    missing = [setting for setting in wanted if results.cell(setting) is None]
    trainer = Trainer(results, store, cues, threads)
    for setting in missing:
        forget_pairs(setting, results)
    again = _uncompared(results, wanted)
    jobs = [Job(s, run) for s in (*missing, *again) for run in range(s.plan.runs) if results.run(s, run) is None]
    for setting in missing:
        if all(job.setting != setting for job in jobs):
            summarise(setting, results, cues, lists)
    for job in _trained(_in_time(jobs, minutes, say), trainer, processes):
        _say_trained(job, results, say)
        done = all(results.run(job.setting, run) is not None for run in range(job.setting.plan.runs))
        if done and job.setting in missing:
            summarise(job.setting, results, cues, lists)
    compare_all(results, wanted, cues, say)
    return all(results.cell(setting) is not None for setting in settings())


def _uncompared(results: Results, wanted: Sequence[Setting]) -> list[Setting]:
    """Settings with a cell that are not yet compared with every other one. This needs their runs, which are retrained
    if they were trained on another machine: the seeds reproduce them."""
    found = results.read("pairs") or {}
    done = [setting for setting in wanted if results.cell(setting) is not None]
    return [one for one in done if any(other != one and key(one, other) not in found for other in wanted)]


def _in_time(jobs: Sequence[Job], minutes: float | None, say: Say) -> Iterator[Job]:
    """The runs, until the time is up."""
    began = time.monotonic()
    for job in jobs:
        if minutes is not None and time.monotonic() - began > 60 * minutes:
            say("The time is over; the next call resumes from here.")
            return
        yield job


def _trained(jobs: Iterator[Job], trainer: Trainer, processes: int) -> Iterator[Job]:
    """Each run once it is stored; with one process, in this process."""
    if processes > 1:
        yield from train_side_by_side(jobs, trainer, processes)
        return
    for job in jobs:
        trainer(job)
        yield job


def _say_trained(job: Job, results: Results, say: Say) -> None:
    found = results.run(job.setting, job.run)
    if found is not None:
        minutes = found[0]["processor_minutes"]
        say(f"{job} of {job.setting.plan.runs}: {minutes:.1f} processor minutes")


def compare_all(results: Results, wanted: Sequence[Setting], cues: Cues, say: Say) -> None:
    """Every pair of these finished settings; a pair not yet compared needs the runs' similarities."""
    found = results.read("pairs") or {}
    done = [setting for setting in wanted if results.cell(setting) is not None]
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


def forget_pairs(setting: Setting, results: Results) -> None:
    """Drop a setting's comparisons: trained again, it must be compared again."""
    found = results.read("pairs") or {}
    kept = {name: pair for name, pair in found.items() if setting.id not in sides(name)}
    if len(kept) < len(found):
        results.write("pairs", kept)


def sides(name: str) -> list[str]:
    """The two settings of a pair in ``pairs.json``."""
    return name.split(" | ")


def key(left: Setting, right: Setting) -> str:
    """Name of a pair in ``pairs.json``, the same in either order."""
    return " | ".join(sorted((left.id, right.id)))
