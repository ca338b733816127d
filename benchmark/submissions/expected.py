"""How long a submission will take: the published baselines' seconds, at the pace of this site and of this run.

A cell's seconds are those of a baseline of the same size. A site is faster or slower than the machine that measured the
baseline: its pace is the ratio of what its recent cells took to what was expected of them, for every cell that it has
measured, and over all of them for the others. Files of about the same size tell most, as small ones do not grow like
large ones: of trained cells, those with about as many dimensions, of word tasks, those with about as many words. What a
submission's own finished cells took corrects the rest of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, log
from statistics import median

from django.core.cache import cache

from benchmark.submissions.models import Submission, TaskRun
from benchmark.submissions.states import State
from tasks.baseline.published import seconds_of_cells
from tasks.suites import SUITES

RECENT = 20
"""Files whose cells say how fast this site is."""
REMEMBERED_SECONDS = 15
UNMEASURED = 3.0
"""Seconds of a word task that neither a baseline nor this site has measured, such as one that compares with the
baseline itself; and the weight of a trained cell without any known time."""
NEAR = log(1.5)
"""A file with half as many dimensions (or words) again, or with two thirds as many, counts 1/e of one with as many."""
STEADY_SHARE = 0.1
"""A run's own pace counts half once its finished cells were expected to take this share of the whole."""
Cell = tuple[str, str]
Measured = tuple[int, int, list[tuple[str, str, float]]]
"""A file's dimensions and words, and for each of its cells task, mode, and the seconds here per second expected."""


@dataclass(frozen=True)
class Pace:
    """Seconds here per second expected: of single cells, of trained ones, and of all others."""

    cells: Mapping[Cell, float]
    trained: float
    others: float

    def of(self, cell: Cell) -> float:
        return self.cells.get(cell, self.trained if cell[1] else self.others)


def expected_seconds(submission: Submission, runs: Iterable[TaskRun] = ()) -> dict[Cell, float]:
    """Seconds that each cell that applies to a submission is expected to take here; of finished ones, what they took.

    Parameters
    ----------
    runs : its cells' rows.
    """
    suite = SUITES.get(submission.suite)
    if suite is None:
        return {}
    dimensions = submission.dimensions or suite.baseline_dimensions
    pace = pace_of(_measured(submission.suite), dimensions, submission.words)
    found = _of_size(submission.suite, dimensions, submission.words)
    expected: dict[Cell, float] = {
        (task.id, mode or ""): found.get((task.id, mode or ""), UNMEASURED) * pace.of((task.id, mode or ""))
        for task, mode in suite.cells()
        if task.applies_to(submission.language or "en")
    }
    took: dict[Cell, float] = {(run.task, run.mode): run.took for run in runs if run.took is not None}
    gone = {(run.task, run.mode) for run in runs if run.state == TaskRun.State.UNAVAILABLE}
    own = own_pace(took, expected)
    return {cell: took.get(cell, own * seconds) for cell, seconds in expected.items() if cell not in gone}


def is_known(suite_id: str, language: str) -> bool:
    """Whether a baseline or this site has measured every trained cell of a language: else no time can be promised."""
    suite = SUITES.get(suite_id)
    if suite is None:
        return False
    known = set(_of_size(suite_id, suite.baseline_dimensions, None))
    known |= {(task, mode) for _, _, cells in _measured(suite_id) for task, mode, _ in cells}
    return all((task.id, mode) in known for task, mode in suite.cells() if mode and task.applies_to(language))


def has_pace(suite_id: str) -> bool:
    """Whether this site has measured a file under the suite: else the pace is that of the baseline's machine."""
    return bool(_measured(suite_id))


def forget_pace(**_signal: object) -> None:
    """Let the next look count a file that has just ended."""
    cache.delete_many([_key(suite_id) for suite_id in SUITES])


def _key(suite_id: str) -> str:
    return f"pace:{suite_id}"


def own_pace(took: Mapping[Cell, float], expected: Mapping[Cell, float]) -> float:
    """The ratio of what finished trained cells took to what was expected; near 1 while little is known."""
    known = [cell for cell in took if cell[1] and cell in expected]
    steady = STEADY_SHARE * sum(expected.values())
    as_expected = sum(expected[cell] for cell in known) + steady
    return (sum(took[cell] for cell in known) + steady) / as_expected if as_expected else 1.0


def _of_size(suite_id: str, dimensions: int, words: int | None) -> dict[Cell, float]:
    found = seconds_of_cells(SUITES[suite_id], dimensions, words)
    return {(task, mode or ""): seconds for (task, mode), seconds in found.items()}


def _measured(suite_id: str) -> list[Measured]:
    """The last files that were measured here; looked up a few times a minute, however many people watch."""
    key = _key(suite_id)
    known: list[Measured] | None = cache.get(key)
    if known is None:
        known = measured_files(suite_id)
        cache.set(key, known, REMEMBERED_SECONDS)
    return known


def measured_files(suite_id: str) -> list[Measured]:
    """What the cells of the last files took here, beside what was expected of them."""
    done = Submission.objects.filter(suite=suite_id, state=State.DONE, is_baseline=False)
    last = list(done.order_by("-finished_at").values_list("pk", flat=True)[:RECENT])
    here = TaskRun.objects.filter(submission__in=last, took__isnull=False)
    recent = here.values_list("submission", "task", "mode", "took", "submission__dimensions", "submission__words")
    found: dict[str, Measured] = {}
    sizes: dict[tuple[int, int | None], dict[Cell, float]] = {}
    for pk, task, mode, took, dimensions, words in recent:
        assert took is not None  # by the query
        size = dimensions or 1, words
        if size not in sizes:
            sizes[size] = _of_size(suite_id, *size)
        ratio = took / sizes[size].get((task, mode), UNMEASURED)
        found.setdefault(pk, (size[0], words or 1, []))[2].append((task, mode, ratio))
    return list(found.values())


def pace_of(files: Iterable[Measured], dimensions: int, words: int | None) -> Pace:
    """The pace for a file of this size: weighted medians over the files that were measured. None: words unknown."""
    ratios: dict[Cell, list[tuple[float, float]]] = {}
    for own_dimensions, own_words, cells in files:
        by_dimensions, by_words = _weight(own_dimensions, dimensions), _weight(own_words, words or own_words)
        for task, mode, ratio in cells:
            ratios.setdefault((task, mode), []).append((ratio, by_dimensions if mode else by_words))
    paces = {cell: _weighted_median(of_cell) for cell, of_cell in ratios.items()}
    by_kind = [[ratio for (_, mode), ratio in paces.items() if bool(mode) is trained] for trained in (True, False)]
    return Pace(paces, *(median(kind) if kind else 1.0 for kind in by_kind))


def _weight(own: int, wanted: int) -> float:
    return exp(-abs(log(own / wanted)) / NEAR)


def _weighted_median(weighted: list[tuple[float, float]]) -> float:
    """The value below and above which lies half of the weight."""
    ordered = sorted(weighted)
    half = sum(weight for _, weight in ordered) / 2
    for value, weight in ordered:
        half -= weight
        if half <= 0:
            return value
    return ordered[-1][0]  # rounding left nothing of the last weight
